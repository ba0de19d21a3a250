//! Compares the numbers of an answer with the right ones, case by case.

use crate::tokens::{Token, Tokens};
use crate::{Rejection, Score};

/// An answer that is being marked: the position in it, and the errors so far.
#[derive(Debug)]
pub(super) struct Marking<'a> {
    answer: &'a [u8],
    tokens: Tokens<'a>,
    cases: usize,
    marked: usize,
    right: usize,
    first_wrong: Option<Wrong<'a>>,
}

/// The first number that is not the right one.
#[derive(Debug)]
struct Wrong<'a> {
    /// The case, from 1.
    case: usize,
    /// The number at the position of the answer; `None` after the last one.
    token: Option<Token<'a>>,
    expected: String,
}

impl<'a> Marking<'a> {
    /// Starts at the first number of an answer to `cases` cases.
    pub(super) fn new(answer: &'a [u8], cases: usize) -> Self {
        Self { answer, tokens: Tokens::new(answer), cases, marked: 0, right: 0, first_wrong: None }
    }

    /// Marks the next case and returns whether the answer has the right `numbers`. `name` describes the number with an
    /// index: `"in cell 4"`.
    pub(super) fn case(&mut self, numbers: impl Iterator<Item = u128>, name: impl Fn(usize) -> String) -> bool {
        self.marked += 1;
        let mut right = true;
        for (index, number) in numbers.enumerate() {
            let token = self.tokens.next();
            if token.is_some_and(|token| is_number(token.bytes, number)) {
                continue;
            }
            right = false;
            let case = self.marked;
            self.first_wrong.get_or_insert_with(|| Wrong {
                case,
                token,
                expected: format!("{number} {}", name(index)),
            });
        }
        self.right += usize::from(right);
        right
    }

    /// Returns the number of cases if all of them are right and nothing follows.
    ///
    /// # Errors
    /// Returns the first wrong number, and how many cases are right.
    pub(super) fn finish(mut self) -> Result<Score, Rejection> {
        let Self { cases, right, .. } = self;
        if let Some(Wrong { case, token, expected }) = &self.first_wrong {
            let rule = format!("case {case} of {cases} is wrong ({right} right)");
            return Err(match token {
                Some(token) => self.tokens.wrong(*token, &rule, expected),
                None => self.tokens.rejection_at(self.answer.len(), &rule, expected, "the end"),
            });
        }
        match self.tokens.next() {
            None => Ok(Score::from(right)),
            Some(token) => {
                let rule = format!("the text goes on after case {cases} ({right} right)");
                Err(self.tokens.wrong(token, &rule, "the end"))
            }
        }
    }
}

/// Returns whether these bytes are this number, as `-?[0-9]+`. Leading zeros are allowed, and `-0` is 0.
fn is_number(bytes: &[u8], number: u128) -> bool {
    let digits = bytes.strip_prefix(b"-").unwrap_or(bytes);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) || digits.len() < bytes.len() && number > 0 {
        return false;
    }
    let value = digits.iter().try_fold(0u128, |value, digit| value.checked_mul(10)?.checked_add((digit - b'0').into()));
    value == Some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Marks an answer to two cases, `7 0` and `36893488147419103232` (2^65).
    fn mark(answer: &str) -> Result<Score, String> {
        let mut marking = Marking::new(answer.as_bytes(), 2);
        marking.case([7, 0].into_iter(), |index| format!("in cell {}", index + 1));
        marking.case([1 << 65].into_iter(), |_| "at the end".to_owned());
        marking.finish().map_err(|rejection| rejection.to_string())
    }

    #[test]
    fn right_numbers_count_in_every_spelling() {
        for answer in [
            "7 0\n36893488147419103232\n",
            "7 0 36893488147419103232",
            "007\r\n-0\t\n\n0000000000000000000000000000000000000000000036893488147419103232",
        ] {
            assert_eq!(mark(answer), Ok(Score::from(2)), "{answer}");
        }
    }

    #[test]
    fn the_first_wrong_number_is_named_and_the_right_cases_are_counted() {
        for (answer, message) in [
            (
                "7 1 36893488147419103232",
                "line 1, column 3: case 1 of 2 is wrong (1 right): expected 0 in cell 2, found `1`",
            ),
            ("7 1\n8", "line 1, column 3: case 1 of 2 is wrong (0 right): expected 0 in cell 2, found `1`"),
            (
                "7 0\n36893488147419103231",
                "line 2, column 1: case 2 of 2 is wrong (1 right): expected 36893488147419103232 at the end, found \
                 `36893488147419103231`",
            ),
            (
                "7 0\n0",
                "line 2, column 1: case 2 of 2 is wrong (1 right): expected 36893488147419103232 at the end, found `0`",
            ),
            (
                "7 0\n",
                "line 2, column 1: case 2 of 2 is wrong (1 right): expected 36893488147419103232 at the end, found the end",
            ),
            ("", "line 1, column 1: case 1 of 2 is wrong (0 right): expected 7 in cell 1, found the end"),
            (
                "7 0 36893488147419103232 0",
                "line 1, column 26: the text goes on after case 2 (2 right): expected the end, found `0`",
            ),
        ] {
            assert_eq!(mark(answer).unwrap_err(), message);
        }
    }

    #[test]
    fn text_that_is_not_an_integer_is_wrong() {
        for seven in ["7.0", "+7", "7e0", "-7", "", "-", "٧", "7\0", "0x7", "340282366920938463463374607431768211463"]
        {
            assert!(!is_number(seven.as_bytes(), 7), "{seven}");
        }
        assert!(is_number(b"340282366920938463463374607431768211455", u128::MAX));
        assert!(!is_number(b"340282366920938463463374607431768211456", u128::MAX));
        assert!(!is_number(&[b'9'; 10_000], 7));
    }
}
