//! What rows are filtered, sorted and drawn by: numbers of the result, and features of the case.

use judge_problem::Verdict;

/// A number of a row.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Field {
    /// The place of the case in the run.
    Case,
    /// The place of the solver in the run.
    Solver,
    /// The place of the verdict: accepted first.
    Verdict,
    Score,
    Points,
    /// The share of the best score of the case.
    Relative,
    Cpu,
    Wall,
    Memory,
    /// A feature of the case.
    Feature(String),
}

impl Field {
    /// The names of those that every run has. A feature of the same name is hidden.
    pub(super) const NAMES: [&'static str; 9] =
        ["case", "solver", "verdict", "score", "points", "relative", "cpu_ms", "wall_ms", "memory_bytes"];

    /// Returns the field of this name: a feature, unless it is one of those that every run has.
    pub(super) fn named(name: &str) -> Self {
        match name {
            "case" => Self::Case,
            "solver" => Self::Solver,
            "verdict" => Self::Verdict,
            "score" => Self::Score,
            "points" => Self::Points,
            "relative" => Self::Relative,
            "cpu_ms" => Self::Cpu,
            "wall_ms" => Self::Wall,
            "memory_bytes" => Self::Memory,
            _ => Self::Feature(name.to_owned()),
        }
    }
}

/// Returns the number that the code of a verdict stands for in a condition, such as `verdict!=AC`.
pub(super) fn verdict_number(code: &str) -> Option<i64> {
    let place = Verdict::ALL.iter().position(|verdict| verdict.code() == code)?;
    i64::try_from(place).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_of_a_field_of_its_own() {
        let fields: std::collections::HashSet<_> = Field::NAMES.map(Field::named).into_iter().collect();
        assert_eq!(fields.len(), Field::NAMES.len());
        assert!(!fields.iter().any(|field| matches!(field, Field::Feature(_))));
        assert_eq!(Field::named("N"), Field::Feature("N".to_owned()));
    }

    #[test]
    fn verdicts_are_in_the_order_of_summaries() {
        assert_eq!((verdict_number("AC"), verdict_number("WA"), verdict_number("XX")), (Some(0), Some(1), None));
    }
}
