//! The answer to the prescribed game: one number.

use crate::Rejection;
use crate::tokens::{Parsed, Tokens, parse_integer};

/// Fails unless the answer is this score and nothing else.
pub(super) fn compare(answer: &[u8], score: u64) -> Result<(), Rejection> {
    let expected = score.to_string();
    let mut tokens = Tokens::new(answer);
    let token = tokens.token(&expected)?;
    match parse_integer(token.bytes) {
        Parsed::Value(value) if u64::try_from(value) == Ok(score) => tokens.end(),
        Parsed::NotANumber => Err(tokens.wrong(token, "the score is not an integer", &expected)),
        Parsed::Value(_) | Parsed::TooLarge => Err(tokens.wrong(token, "the score is wrong", &expected)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_score_and_nothing_else_is_accepted() {
        let zeros = format!("{}64", "0".repeat(1_000));
        for answer in ["64", " 64\r\n\n", "0064", &zeros] {
            assert_eq!(compare(answer.as_bytes(), 64), Ok(()), "{answer}");
        }
        assert_eq!(compare(b"-0", 0), Ok(()));
    }

    #[test]
    fn a_wrong_answer_is_told_the_right_one() {
        for (answer, complaint) in [
            ("", "line 1, column 1: the text ends too early: expected 64, found the end"),
            ("63", "line 1, column 1: the score is wrong: expected 64, found `63`"),
            ("-64 7", "line 1, column 1: the score is wrong: expected 64, found `-64`"),
            ("18446744073709551680", "line 1, column 1: the score is wrong: expected 64, found `18446744073709551680`"),
            ("64.0", "line 1, column 1: the score is not an integer: expected 64, found `64.0`"),
            ("+64", "line 1, column 1: the score is not an integer: expected 64, found `+64`"),
            ("64\n64", "line 2, column 1: the text goes on too long: expected the end, found `64`"),
        ] {
            assert_eq!(compare(answer.as_bytes(), 64).unwrap_err().to_string(), complaint);
        }
    }
}
