//! The information about sealed cases that may be shown.

use crate::formats::{Missing, Report};
use crate::junit::sealed_junit;
use crate::text::{Document, Sheet, Style, TextTable, exact, points_text};
use judge_problem::counted;
use num_rational::BigRational;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Number;
use std::io::{self, Write};

/// The information about a solver's run on sealed cases that may be shown.
#[derive(Debug, Clone, PartialEq)]
pub struct SealedReport {
    /// The problem's id.
    pub problem: String,
    /// The random name of the set of cases. A baseline has it.
    pub id: String,
    /// The number of cases.
    pub cases: usize,
    /// The number of cases that are not accepted.
    pub failures: usize,
    /// The number of failures that are the judge's fault. If there are any, the total comes from earlier runs.
    pub faults: usize,
    /// The best total so far, or for the final score this run's total. `None` if no solver had one.
    pub total: Option<BigRational>,
    /// Whether this run reaches the best total so far. Only a baseline depends on it.
    pub is_best: bool,
    /// Whether it is the final score, on fresh cases.
    pub is_final: bool,
    /// Whether the solver reaches the total of a baseline. `None` if there is none.
    pub holds: Option<bool>,
    /// The number of remaining queries for a total.
    pub queries_left: u32,
}

/// The result of `evaluate` of `judge serve` on sealed cases.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SealedScore {
    /// The number of cases that are not accepted.
    failures: usize,
    /// The number of failures that are faults of the judge: of its checker or generator. Absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    judge_errors: Option<usize>,
    /// The best total so far, or with `final` the total on fresh cases. Absent if no solver had one.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<Number>,
}

/// The result of a command on sealed cases.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SealedDocument<'a> {
    schema: u32,
    problem: &'a str,
    #[serde(flatten)]
    score: SealedScore,
    #[serde(rename = "final")]
    is_final: bool,
    /// Whether the gate holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    holds: Option<bool>,
    queries_left: u32,
}

impl Document for SealedReport {
    fn record(&self) -> impl Serialize {
        SealedDocument {
            schema: 1,
            problem: &self.problem,
            score: self.score(),
            is_final: self.is_final,
            holds: self.holds,
            queries_left: self.queries_left,
        }
    }
}

impl SealedReport {
    /// Returns only the failures, the faults of the judge, and the total.
    pub fn score(&self) -> SealedScore {
        SealedScore {
            failures: self.failures,
            judge_errors: Some(self.faults).filter(|faults| *faults > 0),
            total: self.total.as_ref().and_then(|total| exact(&points_text(total))),
        }
    }

    /// Returns the cases, the failures and the total in words.
    fn result(&self, case: &str) -> String {
        let faults = match self.faults {
            0 => String::new(),
            faults => format!(", of which {faults} are faults of the judge: its checker or generator failed"),
        };
        let (cases, failures) = (counted(self.cases, case), counted(self.failures, "failure"));
        let what = if self.is_final { "final total" } else { "best total so far" };
        let total = self.total.as_ref().map_or_else(|| "none".to_owned(), points_text);
        format!("{cases}, {failures}{faults}; {what}: {total}")
    }

    fn left(&self) -> String {
        format!("{} left", counted(self.queries_left as usize, "evaluation"))
    }

    /// Returns whether the gate holds, in words, if there is one.
    fn gate(&self) -> Option<&'static str> {
        self.holds.map(|holds| if holds { "the gate holds" } else { "the gate fails: the total fell too far" })
    }

    /// Returns the result and the gate in words.
    pub(crate) fn in_words(&self) -> String {
        let gate = self.gate().map(|said| format!("; {said}")).unwrap_or_default();
        self.result("sealed case") + &gate
    }
}

impl Report for SealedReport {
    const NAME: &'static str = "sealed cases";
    const NO_JUNIT: Option<Missing> = None;

    fn text(&self, _: Style) -> String {
        let gate = self.gate().map(|said| format!("{said}\n")).unwrap_or_default();
        format!("{}: {}\n{}\n{gate}", self.problem, self.result("sealed case"), self.left())
    }

    fn junit(&self, output: &mut dyn Write) -> Option<io::Result<()>> {
        Some(sealed_junit(self, output))
    }

    fn rows(&self) -> Option<TextTable> {
        let row =
            [self.problem.clone(), self.failures.to_string(), self.total.as_ref().map(points_text).unwrap_or_default()];
        Some(TextTable::new(&["problem", "failures", "total"], 1, vec![row.to_vec()]))
    }

    fn sheet(&self) -> Option<Sheet> {
        let lines = [self.result("case"), self.left()].into_iter().chain(self.gate().map(str::to_owned));
        let tables: [(&str, TextTable); 0] = [];
        Some(Sheet::new(format!("{}: sealed cases", self.problem), lines, tables))
    }
}
