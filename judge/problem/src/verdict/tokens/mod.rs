//! The built-in checker `tokens`: compares an answer with the expected one, token by token.
//!
//! Its rules are those of the default validator of Kattis' problem tools, <https://github.com/Kattis/problemtools>, in
//! `support/default_validator`. Only zero bytes differ: there they end a token, here they are bytes as any others.

mod float;
mod scan;

use crate::model::{BrokenRule, Rejection, Ruling, TokenRules, token_text};
use checkers::Score;
use scan::{Scan, is_space};
use std::num::NonZeroUsize;

/// The most bytes of a token that a message shows.
const SHOWN: usize = 30;

/// Compares an answer with the expected one. What is accepted has the score 1.
#[must_use]
pub fn compare_tokens(rules: &TokenRules, expected: &[u8], answer: &[u8]) -> Ruling {
    let (mut expected, mut answer) = (Scan::new(expected), Scan::new(answer));
    loop {
        if let Err(why) = pass_spaces(rules, &mut expected, &mut answer) {
            return rejected(&answer, "white space", why);
        }
        let Some(wanted) = expected.token() else { break };
        let start = answer.clone();
        let Some(found) = answer.token() else {
            return rejected(&answer, "its length", format!("it ends early: expected {}", shown(wanted)));
        };
        if let Err((rule, why)) = compare(rules, wanted, found) {
            return rejected(&start, rule, why);
        }
    }
    let start = answer.clone();
    match answer.token() {
        None => Ruling::Accepted(Score::from(1)),
        Some(found) => rejected(&start, "its length", format!("expected the end, found {}", shown(found))),
    }
}

/// Passes the white space before the next tokens, which must be the same where that counts.
fn pass_spaces(rules: &TokenRules, expected: &mut Scan<'_>, answer: &mut Scan<'_>) -> Result<(), String> {
    if rules.space_change_sensitive {
        while let Some(wanted) = expected.peek().filter(|byte| is_space(*byte)) {
            if answer.peek() != Some(wanted) {
                return Err(format!("expected {}, found {}", space(Some(wanted)), space(answer.peek())));
            }
            expected.step();
            answer.step();
        }
        if let Some(more) = answer.peek().filter(|byte| is_space(*byte)) {
            return Err(format!("expected {}, found {}", space(expected.peek()), space(Some(more))));
        }
    }
    expected.skip_spaces();
    answer.skip_spaces();
    Ok(())
}

/// Returns the first number of an expected text whose neighbours among the doubles are further away than the tolerance: a
/// solver that computes with doubles can miss it by more.
#[must_use]
pub fn find_too_fine(rules: &TokenRules, expected: &[u8]) -> Option<f64> {
    if !rules.has_tolerance() {
        return None;
    }
    let numbers = expected.split(|byte| is_space(*byte)).filter_map(float::read);
    let tolerance = |number: f64| rules.absolute.max(rules.relative * number.abs());
    numbers.into_iter().find(|&number| number.abs().next_up() - number.abs() > tolerance(number))
}

fn compare(rules: &TokenRules, wanted: &[u8], found: &[u8]) -> Result<(), (&'static str, String)> {
    let number = rules.has_tolerance().then(|| float::read(wanted)).flatten();
    if let Some(wanted_number) = number {
        let expected = || format!("expected {}, found {}", shown(wanted), shown(found));
        let Some(found_number) = float::read(found) else {
            return Err(("a number", format!("expected a number such as {}, found {}", shown(wanted), shown(found))));
        };
        let error = (wanted_number - found_number).abs();
        if error <= rules.absolute || error <= rules.relative * wanted_number.abs() {
            return Ok(());
        }
        let relative = error / wanted_number.abs();
        let relative = if relative.is_finite() { format!(", relative error {relative:.3e}") } else { String::new() };
        return Err(("the tolerance", format!("{}: absolute error {error:.3e}{relative}", expected())));
    }
    let is_same = if rules.case_sensitive { wanted == found } else { wanted.eq_ignore_ascii_case(found) };
    if is_same {
        return Ok(());
    }
    let (wanted, found) = shown_from_difference(wanted, found);
    Err(("the expected token", format!("expected {wanted}, found {found}")))
}

fn rejected(place: &Scan<'_>, rule: &str, reason: String) -> Ruling {
    let (line, column) = place.place();
    let rule = Some(rule.to_owned());
    let broken = BrokenRule { line: NonZeroUsize::new(line), column: NonZeroUsize::new(column), step: None, rule };
    Ruling::Rejected(Rejection { broken, reason })
}

/// Returns a token in quotes, shortened if it is long.
fn shown(token: &[u8]) -> String {
    let (cut, dots) = if token.len() > SHOWN { (&token[..SHOWN], "…") } else { (token, "") };
    format!("`{}{dots}`", token_text(&String::from_utf8_lossy(cut)))
}

/// Returns two tokens in quotes. Of long ones it shows where they begin to differ.
fn shown_from_difference(wanted: &[u8], found: &[u8]) -> (String, String) {
    let same = wanted.iter().zip(found).take_while(|(left, right)| left.eq_ignore_ascii_case(right)).count();
    if same <= SHOWN / 2 {
        return (shown(wanted), shown(found));
    }
    let from = |token: &[u8]| format!("{} from its byte {} on", shown(&token[same..]), same + 1);
    (from(wanted), from(found))
}

fn space(byte: Option<u8>) -> String {
    match byte {
        None => "the end".to_owned(),
        Some(b' ') => "a space".to_owned(),
        Some(b'\n') => "a line break".to_owned(),
        Some(b'\t') => "a tab".to_owned(),
        Some(byte) if is_space(byte) => format!("the byte {byte}"),
        Some(_) => "a token".to_owned(),
    }
}

#[cfg(test)]
mod tests;
