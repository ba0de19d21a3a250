//! Gives the fuzz targets access to private functions.

use crate::tokens::{self, Parsed, Tokens};

/// A token as the parser read it.
pub struct Token<'a> {
    /// Its bytes.
    pub bytes: &'a [u8],
    /// The line on which it stands, from 1.
    pub line: usize,
    /// The byte of the line at which it begins, from 1.
    pub column: usize,
    /// Its value, if it is an integer of 64 bits.
    pub integer: Option<i64>,
}

/// Returns every token of a text.
#[must_use]
pub fn tokens(text: &[u8]) -> Vec<Token<'_>> {
    let mut tokens = Tokens::new(text);
    let next = || {
        let place = tokens.place();
        let token = tokens.next()?;
        let integer = match tokens::parse_integer(token.bytes) {
            Parsed::Value(value) => Some(value),
            Parsed::TooLarge | Parsed::NotANumber => None,
        };
        Some(Token { bytes: token.bytes, line: place.line, column: place.column, integer })
    };
    std::iter::from_fn(next).collect()
}
