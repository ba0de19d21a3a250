//! "Did you mean …?"

/// Returns the candidate that is most similar to what was written, if one is similar enough.
#[must_use]
pub fn closest<'a>(written: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let written = written.to_lowercase();
    // Of a short word, one slip is much: `rnu` is hardly like `run`.
    let is_slip = |candidate| written.len() > 2 && strsim::osa_distance(&written, candidate) == 1;
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(&written, candidate), candidate))
        .filter(|(similarity, candidate)| *similarity > 0.75 || is_slip(candidate))
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, candidate)| candidate)
}

/// Returns what to write instead of an unknown word: the most similar candidate, or all of them.
#[must_use]
pub(super) fn instead(written: &str, candidates: &[&str]) -> String {
    match closest(written, candidates.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("expected one of: {}", candidates.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::closest;

    #[test]
    fn slips_are_recognised_and_other_words_are_not() {
        let ids = ["columns", "same-game", "square-remover"];
        assert_eq!(closest("colums", ids), Some("columns"));
        assert_eq!(closest("rnu", ["list", "run"]), Some("run"));
        assert_eq!(closest("SameGame", ids), Some("same-game"));
        assert_eq!(closest("squareremover", ids), Some("square-remover"));
        assert_eq!(closest("xyz", ids), None);
    }
}
