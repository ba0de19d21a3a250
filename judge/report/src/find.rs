//! The results of `judge find`, as text and as JSON.

use crate::text::{Document, Style, TextTable, Versioned, in_milliseconds, left, right};
use judge_compare::paired::signed_decimals;
use judge_problem::counted;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Number;
use serde_with_macros::skip_serializing_none;
use std::time::Duration;

/// The value that a search found on a case.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum FoundValue {
    /// A loss, as a share of the better score.
    Loss(f64),
    /// CPU time.
    Milliseconds(f64),
    /// Memory.
    Bytes(u64),
    /// A score.
    Score(Number),
    /// A verdict, or the answers of two solvers.
    Text(String),
}

impl FoundValue {
    /// Returns a CPU time, rounded as in other reports.
    pub fn time(time: Duration) -> Self {
        Self::Milliseconds(in_milliseconds(time))
    }

    /// Returns the value with its unit.
    pub fn shown(&self) -> String {
        match self {
            Self::Loss(share) => format!("{} %", signed_decimals(share * 100.0, 2).trim_start_matches('+')),
            Self::Milliseconds(time) => format!("{time:.1} ms"),
            Self::Bytes(_) => format!("{:.1} MiB", self.size() / f64::from(1 << 20)),
            Self::Score(score) => score.to_string(),
            Self::Text(text) => text.clone(),
        }
    }

    /// Returns a number that is larger for a larger value; 0 for a score or a text.
    pub fn size(&self) -> f64 {
        match self {
            Self::Loss(number) | Self::Milliseconds(number) => *number,
            Self::Bytes(bytes) => *bytes as f64,
            Self::Score(_) | Self::Text(_) => 0.0,
        }
    }
}

/// A case that was found.
#[skip_serializing_none]
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct FoundCase {
    /// Its name.
    pub case: String,
    /// The searched value.
    pub value: FoundValue,
    /// The verdict of the solver.
    pub verdict: &'static str,
    /// Its score, if it has one.
    pub score: Option<Number>,
    /// The verdict of the solver that it is compared with.
    pub other_verdict: Option<&'static str>,
    /// The score of that solver.
    pub other_score: Option<Number>,
    /// The command that plays it.
    pub reproduce: String,
}

/// The results of a search.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FindReport {
    /// The problem's id.
    pub problem: String,
    /// The solver's name.
    pub solver: String,
    /// The solver that it is compared with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<String>,
    /// The goal of the search.
    pub goal: String,
    /// How many cases were played.
    pub cases: usize,
    /// How many times a solver ran.
    pub runs: usize,
    /// Whether the search was interrupted.
    pub interrupted: bool,
    /// The cases that were found, the worst first.
    pub found: Vec<FoundCase>,
}

impl Document for FindReport {
    fn record(&self) -> impl Serialize {
        Versioned::new(1, self)
    }
}

impl FindReport {
    /// Returns a table with a row for each case, the worst first, and below it the commands that play these cases.
    pub fn text(&self, style: Style) -> String {
        let played = format!("{}, {}", counted(self.cases, "case"), counted(self.runs, "run"));
        let Self { goal, solver, against, .. } = self;
        if self.found.is_empty() {
            return format!("nothing found for `{goal}` of {solver}: {played}");
        }
        let result =
            |verdict: Option<&str>, score: &Option<Number>| match verdict.filter(|verdict| *verdict != "accepted") {
                Some(failure) => failure.to_owned(),
                None => score.as_ref().map_or_else(|| "–".to_owned(), ToString::to_string),
            };
        let others = against.as_deref().map(right);
        let columns = [left("case"), right(goal), right(solver)].into_iter().chain(others);
        let mut table = TextTable::of(columns);
        for found in &self.found {
            let own = result(Some(found.verdict), &found.score);
            let other = against.as_ref().map(|_| result(found.other_verdict, &found.other_score));
            let fields = [found.case.clone(), found.value.shown(), own].into_iter().chain(other);
            table.add_row(fields);
        }
        let commands: Vec<String> = self.found.iter().map(|found| format!("  {}", found.reproduce)).collect();
        format!("{}\n{played}. To play them:\n{}", table.text(style).trim_end(), commands.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_loss_is_not_nothing() {
        assert_eq!([0.125, 1e-9].map(|loss| FoundValue::Loss(loss).shown()), ["12.50 %", "1.0e-7 %"]);
    }

    #[test]
    fn a_failure_of_either_solver_has_its_verdict() {
        let found = FoundCase {
            case: "seed-1".to_owned(),
            value: FoundValue::Milliseconds(1.0),
            verdict: "accepted",
            score: Some(7.into()),
            other_verdict: Some("wrong-answer"),
            other_score: None,
            reproduce: String::new(),
        };
        let [problem, solver, goal] = ["p", "a", "time"].map(str::to_owned);
        let against = Some("b".to_owned());
        let (cases, runs, interrupted) = (1, 2, false);
        let report = FindReport { problem, solver, against, goal, cases, runs, interrupted, found: vec![found] };
        assert!(report.text(Style::PLAIN).contains("7   wrong-answer\n"), "{}", report.text(Style::PLAIN));
    }
}
