//! Reads a text token by token, and reports the exact place of an error.

use crate::{Place, Rejection};
use std::fmt::Display;
use std::ops::RangeInclusive;

/// How many bytes of an offending token are shown.
const SHOWN_BYTES: usize = 40;

/// A token and where it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    /// Its bytes. None of them is white space as [`Tokens`] defines it.
    pub(crate) bytes: &'a [u8],
    /// Offset of its first byte in the text.
    pub(crate) offset: usize,
}

/// The types of the integers that games read.
pub(crate) trait Number: TryFrom<i64> + PartialOrd + Display {}

impl<T: TryFrom<i64> + PartialOrd + Display> Number for T {}

/// The tokens of a text, in order. White space is space, tab, CR and LF; every other byte belongs to a token.
#[derive(Debug, Clone)]
pub(crate) struct Tokens<'a> {
    text: &'a [u8],
    position: usize,
}

impl<'a> Tokens<'a> {
    pub(crate) fn new(text: &'a [u8]) -> Self {
        Self { text, position: 0 }
    }

    /// Returns the next token, if there is one.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<Token<'a>> {
        while self.position < self.text.len() && is_space(self.text[self.position]) {
            self.position += 1;
        }
        let offset = self.position;
        while self.position < self.text.len() && !is_space(self.text[self.position]) {
            self.position += 1;
        }
        (offset < self.position).then(|| Token { bytes: &self.text[offset..self.position], offset })
    }

    /// Returns the next token, or an error that `expected` is missing.
    #[inline]
    pub(crate) fn token(&mut self, expected: &str) -> Result<Token<'a>, Rejection> {
        self.next().ok_or_else(|| self.rejection_at(self.text.len(), "the text ends too early", expected, "the end"))
    }

    /// Returns the next token as an integer in `range`. `name` describes it: `"the column p"`.
    #[inline]
    pub(crate) fn integer<T: Number>(&mut self, name: &str, range: RangeInclusive<T>) -> Result<T, Rejection> {
        self.integer_by(parse_integer, name, range).map(|(_, value)| value)
    }

    /// Returns the next token and its value by `parse`, an integer in `range`.
    #[inline]
    pub(crate) fn integer_by<T: Number>(
        &mut self,
        parse: impl Fn(&[u8]) -> Parsed,
        name: &str,
        range: RangeInclusive<T>,
    ) -> Result<(Token<'a>, T), Rejection> {
        let Some(token) = self.next() else { return Err(self.missing(name, &range)) };
        let value = match parse(token.bytes) {
            Parsed::Value(value) => T::try_from(value).ok().filter(|value| range.contains(value)),
            Parsed::TooLarge => None,
            Parsed::NotANumber => {
                return Err(self.wrong(token, &format!("{name} is not an integer"), &in_range(&range)));
            }
        };
        let is_out = || self.wrong(token, &format!("{name} is out of range"), &in_range(&range));
        value.map(|value| (token, value)).ok_or_else(is_out)
    }

    /// Takes the next token if it has `N` bytes that pass this check, with one byte of white space before it. This is
    /// the fast path for long lists of short tokens, without a search for their ends. Bytes that pass are no white space.
    #[inline]
    pub(crate) fn short<const N: usize>(&mut self, is_valid: impl Fn(&[u8; N]) -> bool) -> Option<[u8; N]> {
        let (before, rest) = self.text[self.position..].split_first()?;
        let (token, rest) = rest.split_first_chunk()?;
        (is_space(*before) && is_space(*rest.first()?) && is_valid(token)).then(|| {
            self.position += 1 + N;
            *token
        })
    }

    /// Returns the next token as a digit. Boards of a million cells are read with this.
    #[inline]
    pub(crate) fn digit(&mut self, name: &str) -> Result<u8, Rejection> {
        match self.short(|[digit]| digit.is_ascii_digit()) {
            Some([digit]) => Ok(digit - b'0'),
            None => self.integer(name, 0..=9),
        }
    }

    /// Fails when there is another token.
    pub(crate) fn end(&mut self) -> Result<(), Rejection> {
        match self.next() {
            None => Ok(()),
            Some(token) => Err(self.wrong(token, "the text goes on too long", "the end")),
        }
    }

    /// Returns the line and column of an offset. Lines end at LF.
    pub(crate) fn place_of(&self, offset: usize) -> Place {
        let before = &self.text[..offset.min(self.text.len())];
        let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
        Place { line: 1 + before.iter().filter(|&&byte| byte == b'\n').count(), column: 1 + before.len() - line_start }
    }

    /// Returns the error that this token breaks a rule.
    #[cold]
    pub(crate) fn wrong(&self, token: Token<'_>, rule: &str, expected: &str) -> Rejection {
        self.rejection_at(token.offset, rule, expected, &printable(token.bytes))
    }

    /// Returns the error that a rule is broken at this offset.
    #[cold]
    pub(crate) fn rejection_at(&self, offset: usize, rule: &str, expected: &str, found: &str) -> Rejection {
        Rejection {
            place: self.place_of(offset),
            step: None,
            rule: rule.to_owned(),
            expected: expected.to_owned(),
            found: found.to_owned(),
        }
    }

    #[cold]
    fn missing<T: Number>(&self, name: &str, range: &RangeInclusive<T>) -> Rejection {
        let expected = format!("{name}, {}", in_range(range));
        self.rejection_at(self.text.len(), "the text ends too early", &expected, "the end")
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

fn in_range<T: Number>(range: &RangeInclusive<T>) -> String {
    format!("an integer from {} to {}", range.start(), range.end())
}

/// A token, read as an integer.
pub(crate) enum Parsed {
    /// An integer that fits into 64 bits.
    Value(i64),
    /// An integer that does not.
    TooLarge,
    /// Not `-?[0-9]+`.
    NotANumber,
}

/// Reads `-?[0-9]+`, of any length.
#[inline]
pub(crate) fn parse_integer(bytes: &[u8]) -> Parsed {
    let (negative, digits) = match bytes {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Parsed::NotANumber;
    }
    let value = digits.iter().try_fold(0_i64, |value, digit| {
        let (value, digit) = (value.checked_mul(10)?, i64::from(digit - b'0'));
        if negative { value.checked_sub(digit) } else { value.checked_add(digit) }
    });
    value.map_or(Parsed::TooLarge, Parsed::Value)
}

/// Returns a count as a signed number, as in answers, features and moves.
pub(crate) fn signed(count: usize) -> i64 {
    i64::try_from(count).expect("no count of things in memory passes 63 bits")
}

/// Returns the bytes as one readable line, quoted, cut after [`SHOWN_BYTES`].
pub(crate) fn printable(bytes: &[u8]) -> String {
    let shown = &bytes[..bytes.len().min(SHOWN_BYTES)];
    let escaped = shown.escape_ascii();
    if shown.len() < bytes.len() { format!("`{escaped}…` ({} bytes)", bytes.len()) } else { format!("`{escaped}`") }
}

/// Gives the fuzz targets access to the tokens.
#[cfg(feature = "fuzzing")]
pub mod fuzzing {
    use super::{Parsed, Token, Tokens, parse_integer};
    use crate::Place;

    /// Returns every token of a text with its place, and its value if it is an integer of 64 bits.
    pub fn tokens(text: &[u8]) -> Vec<(&[u8], Place, Option<i64>)> {
        let mut tokens = Tokens::new(text);
        let next = || {
            let Token { bytes, offset } = tokens.next()?;
            let integer = if let Parsed::Value(value) = parse_integer(bytes) { Some(value) } else { None };
            Some((bytes, tokens.place_of(offset), integer))
        };
        std::iter::from_fn(next).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_digits_with_at_most_a_minus() {
        for (text, value) in
            [("7", 7), ("-0", 0), ("007", 7), ("9223372036854775807", i64::MAX), ("-9223372036854775808", i64::MIN)]
        {
            assert!(matches!(parse_integer(text.as_bytes()), Parsed::Value(found) if found == value), "{text}");
        }
        for text in ["9223372036854775808", "-9223372036854775809", "99999999999999999999999999"] {
            assert!(matches!(parse_integer(text.as_bytes()), Parsed::TooLarge), "{text}");
        }
        for text in ["", "-", "+4", "1.0", "1e3", "--1", "1\0", "٣"] {
            assert!(matches!(parse_integer(text.as_bytes()), Parsed::NotANumber), "{text}");
        }
    }

    #[test]
    fn digits_are_integers_from_0_to_9() {
        let mut tokens = Tokens::new(b"0 9\r\n 007\t-0 5\n10");
        let digits = [(); 5].map(|()| tokens.digit("d").unwrap());
        assert_eq!(digits, [0, 9, 7, 0, 5]);
        let rejection = tokens.digit("d").unwrap_err();
        assert_eq!(
            rejection.to_string(),
            "line 3, column 1: d is out of range: expected an integer from 0 to 9, found `10`"
        );
        assert_eq!(Tokens::new(b"8").digit("d"), Ok(8));
        assert!(Tokens::new(b"").digit("d").is_err());
        assert!(Tokens::new(b"1x 2").digit("d").is_err());
    }

    #[test]
    fn short_tokens_are_taken_between_single_white_space() {
        let short =
            |tokens: &mut Tokens<'_>| tokens.short(|letters: &[u8; 2]| letters.iter().all(u8::is_ascii_lowercase));
        let mut tokens = Tokens::new(b"0 ab\ncd  ef gh");
        assert_eq!(short(&mut tokens), None, "the text begins without white space");
        assert_eq!(tokens.integer("d", 0..=9), Ok(0));
        assert_eq!([short(&mut tokens), short(&mut tokens)], [Some(*b"ab"), Some(*b"cd")]);
        assert_eq!(tokens.next().map(|token| token.bytes), Some(&b"ef"[..]));
        assert_eq!(short(&mut tokens), None, "no white space follows");
        assert_eq!(tokens.next().map(|token| token.bytes), Some(&b"gh"[..]));
    }

    #[test]
    fn a_rejection_names_the_line_and_the_column() {
        let mut tokens = Tokens::new(b"1 2\r\n\t x");
        assert_eq!(tokens.integer("a", 0..=9), Ok(1));
        assert_eq!(tokens.integer("b", 0..=9), Ok(2));
        let rejection = tokens.integer("c", 0..=9).unwrap_err();
        assert_eq!(
            rejection.to_string(),
            "line 2, column 3: c is not an integer: expected an integer from 0 to 9, found `x`"
        );
        assert_eq!(tokens.end(), Ok(()));
    }
}
