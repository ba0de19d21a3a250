//! Reads the input of a case word by word.

use crate::SolveError;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// The maximum number of bytes of a wrong word in a message.
const SHOWN: usize = 24;

/// The words of an input, in order.
pub(crate) struct Words<'a> {
    rest: &'a [u8],
    /// The number of words read so far.
    taken: usize,
}

impl<'a> Words<'a> {
    pub(crate) fn new(input: &'a [u8]) -> Self {
        Self { rest: input, taken: 0 }
    }

    /// Returns the next word.
    pub(crate) fn word(&mut self, expected: &'static str) -> Result<&'a [u8], SolveError> {
        self.rest = self.rest.trim_ascii_start();
        if self.rest.is_empty() {
            return Err(SolveError::Malformed(format!("the input ends too early: expected {expected}")));
        }
        let end = self.rest.iter().position(u8::is_ascii_whitespace).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        self.taken += 1;
        Ok(word)
    }

    /// Returns the next word as a number in `range`.
    pub(crate) fn number<T>(&mut self, expected: &'static str, range: RangeInclusive<T>) -> Result<T, SolveError>
    where
        T: FromStr + PartialOrd,
    {
        let word = self.word(expected)?;
        let number = std::str::from_utf8(word).ok().and_then(|text| text.parse().ok());
        number.filter(|number| range.contains(number)).ok_or_else(|| self.unexpected(expected, word))
    }

    /// Returns the next word, which must have exactly `length` bytes, all accepted by `allowed`.
    pub(crate) fn text(
        &mut self,
        expected: &'static str,
        length: usize,
        allowed: impl Fn(u8) -> bool,
    ) -> Result<&'a [u8], SolveError> {
        let word = self.word(expected)?;
        if word.len() == length && word.iter().all(|&byte| allowed(byte)) {
            return Ok(word);
        }
        Err(self.unexpected(expected, word))
    }

    /// Checks that nothing is left.
    pub(crate) fn end(&mut self) -> Result<(), SolveError> {
        match self.word("nothing more") {
            Ok(word) => Err(self.unexpected("nothing more", word)),
            Err(_) => Ok(()),
        }
    }

    /// Returns the error that the last word is not the expected one.
    pub(crate) fn unexpected(&self, expected: &'static str, word: &[u8]) -> SolveError {
        let shown = &word[..word.len().min(SHOWN)];
        let (position, found) = (self.taken, shown.escape_ascii());
        SolveError::Malformed(format!("word {position} of the input is wrong: expected {expected}, found `{found}`"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_taken_in_order_across_any_white_space() {
        let mut words = Words::new(b" 1\r\n\t20\n");
        assert_eq!(words.number("a", 0..=9_u32).unwrap(), 1);
        assert_eq!(words.number("b", 0..=20_u32).unwrap(), 20);
        words.end().unwrap();
    }

    #[test]
    fn a_wrong_word_is_named_with_its_place() {
        let mut words = Words::new(b"1 x\xff");
        words.number("a", 0..=9_u32).unwrap();
        let message = words.number("the width", 0..=9_u32).unwrap_err().to_string();
        assert_eq!(message, r"word 2 of the input is wrong: expected the width, found `x\xff`");
        assert_eq!(words.word("more").unwrap_err().to_string(), "the input ends too early: expected more");
    }

    #[test]
    fn a_number_out_of_range_or_too_long_is_refused() {
        assert!(Words::new(b"10").number("a", 0..=9_u32).is_err());
        assert!(Words::new(b"99999999999999999999999").number("a", 0..=u32::MAX).is_err());
    }
}
