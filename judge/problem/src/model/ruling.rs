//! What an answer is worth.

use checkers::Score;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::num::NonZeroUsize;

/// What an answer is worth. Shown as `accepted SCORE` or `rejected PLACE: WHY`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ruling {
    /// It is valid, with this score.
    Accepted(Score),
    /// It breaks a rule.
    Rejected(Rejection),
}

/// Why an answer is not valid. Shown as `PLACE: WHY`, or as `WHY` if the checker does not say where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    /// Which rule is broken, and where.
    pub broken: BrokenRule,
    /// The checker's words: which rule, what was expected, and what was found.
    pub reason: String,
}

/// Which rule an answer breaks, and where. What the checker does not say is absent. Shown as the place: `line 3, column
/// 5, move 2`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BrokenRule {
    /// The line of the answer, from 1.
    pub line: Option<NonZeroUsize>,
    /// The byte within the line, from 1.
    pub column: Option<NonZeroUsize>,
    /// The move of the game, from 1.
    pub step: Option<NonZeroUsize>,
    /// The rule, in a few words.
    pub rule: Option<String>,
}

impl Ruling {
    /// Returns the rejection of a checker that gives a reason and nothing else.
    #[must_use]
    pub fn rejected(reason: String) -> Self {
        Self::Rejected(Rejection { broken: BrokenRule::default(), reason })
    }
}

impl BrokenRule {
    /// Returns whether the checker says where.
    #[must_use]
    pub fn has_place(&self) -> bool {
        self.line.is_some() || self.column.is_some() || self.step.is_some()
    }
}

impl From<checkers::Rejection> for Ruling {
    fn from(rejection: checkers::Rejection) -> Self {
        let reason = rejection.reason();
        let checkers::Rejection { place, step, rule, .. } = rejection;
        let broken = BrokenRule {
            line: NonZeroUsize::new(place.line),
            column: NonZeroUsize::new(place.column),
            step: step.and_then(NonZeroUsize::new),
            rule: Some(rule),
        };
        Self::Rejected(Rejection { broken, reason })
    }
}

impl fmt::Display for Ruling {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Accepted(score) => write!(formatter, "accepted {score}"),
            Self::Rejected(rejection) if rejection.broken.has_place() => write!(formatter, "rejected {rejection}"),
            Self::Rejected(rejection) => write!(formatter, "rejected answer: {rejection}"),
        }
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.broken.has_place() {
            write!(formatter, "{}: ", self.broken)?;
        }
        formatter.write_str(&self.reason)
    }
}

impl fmt::Display for BrokenRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [("line", self.line), ("column", self.column), ("move", self.step)];
        let said = parts.into_iter().filter_map(|(name, number)| Some((name, number?)));
        for (number, (name, value)) in said.enumerate() {
            write!(formatter, "{}{name} {value}", if number == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(line: usize, column: usize, step: usize) -> BrokenRule {
        let [line, column, step] = [line, column, step].map(NonZeroUsize::new);
        BrokenRule { line, column, step, rule: None }
    }

    #[test]
    fn a_ruling_is_shown_with_what_its_checker_says() {
        let shown = |broken| Ruling::Rejected(Rejection { broken, reason: "why".to_owned() }).to_string();
        assert_eq!(Ruling::Accepted(12.into()).to_string(), "accepted 12");
        assert_eq!(Ruling::rejected("why".to_owned()).to_string(), "rejected answer: why");
        assert_eq!(shown(broken(1, 2, 3)), "rejected line 1, column 2, move 3: why");
        assert_eq!(shown(broken(1, 2, 0)), "rejected line 1, column 2: why");
        assert_eq!(shown(broken(0, 0, 3)), "rejected move 3: why");
    }

    #[test]
    fn a_built_in_checkers_rejection_keeps_its_words_and_fields() {
        for checker in checkers::all() {
            let input = checker.generate(1).unwrap();
            let result = checker.read(&input).unwrap().check(b"x");
            let Err(checkers::CheckError::Rejected(rejection)) = result else { panic!("{}: {result:?}", checker.id()) };
            let ruling = Ruling::from(rejection.clone());
            assert_eq!(ruling.to_string(), format!("rejected {rejection}"), "{}", checker.id());
            let place = rejection.place;
            let fields = broken(place.line, place.column, rejection.step.unwrap_or(0));
            let broken = BrokenRule { rule: Some(rejection.rule), ..fields };
            assert!(
                matches!(&ruling, Ruling::Rejected(Rejection { broken: kept, .. }) if *kept == broken),
                "{ruling:?}"
            );
        }
    }
}
