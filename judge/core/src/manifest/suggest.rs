//! "Did you mean …?"

/// Returns the candidate that is most similar to what was written, if one is similar enough.
#[must_use]
pub fn closest<'a>(written: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(&written.to_lowercase(), candidate), candidate))
        .filter(|(similarity, _)| *similarity > 0.75)
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
        assert_eq!(closest("SameGame", ids), Some("same-game"));
        assert_eq!(closest("squareremover", ids), Some("square-remover"));
        assert_eq!(closest("xyz", ids), None);
    }
}
