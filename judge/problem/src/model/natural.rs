//! Natural order of names: `2.in` before `10.in`.

/// Returns a key that sorts names in natural order: text by its bytes, and numbers by their value, which is first their
/// length and then their digits.
#[must_use]
pub fn natural_key(name: &str) -> Vec<u8> {
    let mut key = Vec::with_capacity(name.len() + 8);
    let mut rest = name;
    while !rest.is_empty() {
        let (text, tail) = rest.split_at(rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len()));
        let (digits, tail) = tail.split_at(tail.find(|c: char| !c.is_ascii_digit()).unwrap_or(tail.len()));
        let value = digits.trim_start_matches('0');
        key.extend_from_slice(text.as_bytes());
        key.push(0);
        key.extend_from_slice(&u32::try_from(value.len()).unwrap_or(u32::MAX).to_be_bytes());
        key.extend_from_slice(value.as_bytes());
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
