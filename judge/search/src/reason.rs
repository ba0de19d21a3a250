//! The reason of a verdict: two cases fail in the same way if it is the same.

use judge_problem::{Outcome, Verdict, one_line};
use std::fmt;

/// The cause of a solver's outcome, without the numbers that differ from case to case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    verdict: Verdict,
    /// The broken rule, or how the program ended. Empty for limits.
    rule: String,
    /// The line of standard error that names the error. Empty if there is none.
    pub crash: String,
}

/// The words that mark a line with an error.
const ERRORS: [&str; 6] = ["error", "exception", "panic", "assert", "terminate", "abort"];

impl Reason {
    /// Returns the reason of an outcome.
    pub fn of(outcome: &Outcome) -> Self {
        let rule = match outcome.verdict {
            Verdict::WrongAnswer | Verdict::JudgeError => {
                without_numbers(outcome.broken.rule.as_deref().unwrap_or(&outcome.note))
            }
            // Exit codes and signals are themselves numbers.
            Verdict::RuntimeError => outcome.note.lines().next().unwrap_or_default().to_owned(),
            _ => String::new(),
        };
        let names_error = |line: &&str| ERRORS.iter().any(|word| line.to_ascii_lowercase().contains(word));
        let crash = match outcome.verdict {
            Verdict::RuntimeError => outcome.stderr.lines().rev().find(names_error).map(without_numbers),
            _ => None,
        };
        Self { verdict: outcome.verdict, rule, crash: crash.unwrap_or_default() }
    }

    /// Returns whether an outcome has this reason. A reason without a line of standard error matches any outcome.
    pub fn is_of(&self, outcome: &Outcome) -> bool {
        let other = Self::of(outcome);
        self.verdict == other.verdict && self.rule == other.rule && (self.crash.is_empty() || self.crash == other.crash)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.verdict.name())?;
        for part in [&self.rule, &self.crash].into_iter().filter(|part| !part.is_empty()) {
            write!(formatter, ": {}", one_line(part))?;
        }
        Ok(())
    }
}

/// Replaces numbers by `#` and removes quoted text. The line number of a source file stays.
fn without_numbers(text: &str) -> String {
    let mut shorter = String::new();
    let mut letters = text.chars().peekable();
    let mut last = ' ';
    while let Some(letter) = letters.next() {
        let is_opening = matches!(letter, '\'' | '"' | '`') && !last.is_alphanumeric();
        let closing = if letter == '`' { ['`', '\''] } else { [letter; 2] };
        if is_opening && letters.clone().any(|letter| closing.contains(&letter)) {
            let _ = letters.by_ref().find(|letter| closing.contains(letter));
            shorter.push('…');
            last = letter;
        } else if letter.is_ascii_digit() && !last.is_alphanumeric() && !is_source_line(&shorter) {
            while letters.next_if(|letter| letter.is_ascii_digit() || *letter == '.').is_some() {}
            shorter.push('#');
            last = '#';
        } else {
            shorter.push(letter);
            last = letter;
        }
    }
    shorter
}

/// Returns whether a text ends as before the line number of a source file: `bot.rs:`.
fn is_source_line(text: &str) -> bool {
    let Some(file) = text.strip_suffix(':') else { return false };
    let ending = file.rsplit('.').next().filter(|ending| ending.len() < file.len());
    ending
        .is_some_and(|ending| (1..=4).contains(&ending.len()) && ending.bytes().all(|byte| byte.is_ascii_alphabetic()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crashed(stderr: &str) -> Outcome {
        Outcome { stderr: stderr.to_owned(), ..Outcome::without_run(Verdict::RuntimeError, "exit code 1".to_owned()) }
    }

    #[test]
    fn numbers_and_quotes_are_no_reason() {
        for (text, shorter) in [
            ("expected 5, found 17.25", "expected #, found #"),
            ("KeyError: 'abc'", "KeyError: …"),
            ("bot.c:42: main: Assertion `n < 5' failed.", "bot.c:42: main: Assertion … failed."),
            ("it can't be 7", "it can't be #"),
            ("x1 and utf8", "x1 and utf8"),
        ] {
            assert_eq!(without_numbers(text), shorter);
        }
    }

    #[test]
    fn another_exception_is_another_reason() {
        let index = Reason::of(&crashed("Traceback\n  File\nIndexError: list index out of range\n"));
        assert_eq!(index.to_string(), "runtime-error: exit code 1: IndexError: list index out of range");
        assert!(index.is_of(&crashed("IndexError: list index out of range")));
        assert!(!index.is_of(&crashed("ZeroDivisionError: division by zero")));
        assert!(Reason::of(&crashed("bye")).is_of(&crashed("other words")));
    }

    #[test]
    fn times_and_sizes_are_no_reason() {
        let slow = |note: &str| Outcome::without_run(Verdict::TimeLimit, note.to_owned());
        assert!(Reason::of(&slow("4.01 s of 4 s")).is_of(&slow("4.2 s of 4 s")));
        assert!(!Reason::of(&slow("")).is_of(&Outcome::without_run(Verdict::WallLimit, String::new())));
    }
}
