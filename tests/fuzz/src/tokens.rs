//! The tokens of answers and inputs.

/// Every token is read once, in order, and every place lies within the text.
///
/// # Panics
/// When a token is lost or a place is wrong.
pub fn tokens(text: &[u8]) {
    let found = checkers::fuzzing::tokens(text);
    let expected: Vec<&[u8]> = text.split(|byte| b" \t\r\n".contains(byte)).filter(|token| !token.is_empty()).collect();
    assert_eq!(found.len(), expected.len());
    for ((bytes, place, integer), expected) in found.into_iter().zip(expected) {
        assert_eq!(bytes, expected);
        assert_eq!(text_at(text, place.line, place.column, expected.len()), Some(expected));
        let value = std::str::from_utf8(expected)
            .ok()
            .filter(|text| !text.starts_with('+'))
            .and_then(|text| text.parse::<i64>().ok());
        assert_eq!(integer, value, "{}", expected.escape_ascii());
    }
}

/// The bytes at a line and a column, both from 1.
fn text_at(text: &[u8], line: usize, column: usize, length: usize) -> Option<&[u8]> {
    text.split(|&byte| byte == b'\n').nth(line - 1)?.get(column - 1..)?.get(..length)
}
