//! The order of names as people see it: `2.in` before `10.in`.

/// Returns a key that sorts names as people do, `2.in` before `10.in`: splits a name into text and numbers, so that numbers compare by their value: by length, then digit by digit.
#[must_use]
pub fn natural_key(name: &str) -> Vec<(String, usize, String)> {
    let mut key = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let (text, tail) = rest.split_at(rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len()));
        let (digits, tail) = tail.split_at(tail.find(|c: char| !c.is_ascii_digit()).unwrap_or(tail.len()));
        let value = digits.trim_start_matches('0');
        key.push((text.to_owned(), value.len(), value.to_owned()));
        rest = tail;
    }
    key
}

#[cfg(test)]
mod tests {
    use super::natural_key;

    #[test]
    fn numbers_in_names_compare_by_value() {
        let mut names = ["game10.in", "game2.in", "game01.in", "a.in", "game2b.in"];
        names.sort_by_cached_key(|name| natural_key(name));
        assert_eq!(names, ["a.in", "game01.in", "game2.in", "game2b.in", "game10.in"]);
    }
}
