//! The report of `judge rank`: the places that are possible for each solver.

use crate::compare::claims::percentage;
use crate::compare::report::ComparedRuns;
use crate::formats::Report;
use crate::text::{
    Columns, Counts, Document, Field, Sheet, Style, TextTable, Versioned, exact, left, or_nothing, right, scores_text,
};
use judge_problem::scoring::Scoreboard;
use judge_problem::{Provenance, Stop, Verdict, counted, one_line};
use judge_statistics::SolverOrder;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Number;
use std::cmp::Reverse;

/// The report of `judge rank`.
#[derive(Debug)]
pub struct RankReport<'a> {
    /// The results that are ranked by.
    pub compared: ComparedRuns<'a>,
    /// The points.
    pub board: &'a Scoreboard,
    /// The known part of the order.
    pub order: &'a SolverOrder,
}

#[derive(Serialize, JsonSchema)]
struct SolverRecord<'a> {
    name: &'a str,
    command: &'a str,
    /// The best and the worst place that are possible, from 1 on.
    places: [usize; 2],
    /// The mean of its points over the cases that it was run on.
    #[serde(skip_serializing_if = "Option::is_none")]
    mean: Option<Number>,
    /// The number of cases that it was run on.
    cases: usize,
    #[serde(skip)]
    verdicts: Counts,
}

impl RankReport<'_> {
    /// Returns the solvers, the best first.
    fn by_place(&self) -> Vec<SolverRecord<'_>> {
        let places = self.order.places();
        let row = |solver: usize| {
            let spec = &self.compared.plan.solvers[solver].spec;
            let standing = &self.board.standings[solver];
            SolverRecord {
                name: &spec.name,
                command: &spec.text,
                places: [places[solver].low, places[solver].high],
                mean: standing.mean.as_ref().and_then(|mean| exact(&scores_text(mean, self.board.decimals))),
                cases: standing.accepted + standing.failed,
                verdicts: self.compared.counts(solver),
            }
        };
        let mut solvers: Vec<usize> = (0..self.compared.plan.solvers.len()).collect();
        solvers.sort_by_key(|&solver| (places[solver].low + places[solver].high, Reverse(places[solver].low)));
        solvers.into_iter().map(row).collect()
    }

    /// Returns the pairs whose order is unknown, by name.
    fn open_pairs(&self) -> impl Iterator<Item = [&str; 2]> {
        let name = |solver: usize| &*self.compared.plan.solvers[solver].spec.name;
        self.order.open_pairs().into_iter().map(move |(first, second)| [name(first), name(second)])
    }

    /// Returns the sentences under the table.
    fn remarks(&self) -> Vec<String> {
        let percent = percentage(self.compared.alpha);
        let mut lines =
            vec![format!("any of these places is false with a probability of {percent} % at most, ties included")];
        let open = self.open_pairs().count();
        if open > 0 {
            lines.push(format!("the order of {} is not decided", counted(open, "pair")));
        }
        if self.by_place().windows(2).any(|rows| rows[0].cases != rows[1].cases) {
            lines.push("means are over the cases that a solver was run on: they differ between solvers".to_owned());
        }
        if self.compared.outcomes.verdicts().any(|verdict| verdict == Verdict::JudgeError) {
            lines.push("a judge error counts as failed in the means; the order is found without such cases".to_owned());
        }
        if self.by_place().windows(2).any(|rows| rows[0].places == rows[1].places) {
            lines.push("solvers with the same places are in the order of the command line".to_owned());
        }
        if self.compared.stop == Some(Stop::Interrupted) {
            lines.push("interrupted: only finished cases count".to_owned());
        }
        lines
    }
}

fn in_figures([low, high]: [usize; 2]) -> String {
    if low == high { low.to_string() } else { format!("{low} to {high}") }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct RankDocument<'a> {
    #[serde(flatten)]
    provenance: Versioned<'a, Provenance>,
    problem: &'a str,
    rule: &'static str,
    measure: &'static str,
    /// The metric whose values are ranked instead of the scores.
    #[serde(skip_serializing_if = "Option::is_none")]
    metric: Option<&'a str>,
    /// The probability that any interval of places is false.
    alpha: f64,
    until_decided: bool,
    interrupted: bool,
    cases: usize,
    warnings: &'a [String],
    /// The best first. Solvers with the same places are in the order of the command line.
    solvers: Vec<SolverRecord<'a>>,
    /// The pairs whose order is not known, and might become known by more cases.
    undecided: Vec<[&'a str; 2]>,
}

impl Document for RankReport<'_> {
    fn record(&self) -> impl Serialize {
        RankDocument {
            provenance: Versioned::new(1, &self.compared.provenance),
            problem: &self.compared.plan.problem.id,
            rule: self.compared.rule.name(),
            measure: self.compared.measure.name(),
            metric: self.compared.metric.as_deref(),
            alpha: self.compared.alpha,
            until_decided: self.compared.is_sequential,
            interrupted: self.compared.stop == Some(Stop::Interrupted),
            cases: self.compared.plan.cases.len(),
            warnings: self.compared.warnings,
            solvers: self.by_place(),
            undecided: self.open_pairs().collect(),
        }
    }
}

impl Report for RankReport<'_> {
    const NAME: &'static str = "a ranking";

    fn text(&self, style: Style) -> String {
        let mut columns = Columns::new();
        columns.add(right("place"), |row: &SolverRecord<'_>| in_figures(row.places));
        columns.add(left("solver"), |row| Field::new(row.name));
        columns.add(right("mean"), |row| or_nothing(row.mean.as_ref().map(ToString::to_string)));
        columns.add(right("cases"), |row| row.cases);
        columns.add(left("verdicts").wrapped().spare(1), |row| Field::new(&row.verdicts));
        let table = columns.table(self.by_place());
        let ComparedRuns { plan, measure, metric, .. } = &self.compared;
        let (problem, cases, source) = (one_line(&plan.problem.id), self.compared.cases(), self.compared.source());
        let mut lines = self.remarks();
        let by = metric.as_ref().map_or_else(|| measure.to_string(), |name| format!("the metric `{name}`"));
        lines.push(format!("{problem}, by {by}: {cases}; {source}"));
        format!("{}\n\n{}", table.text(style), lines.join("\n"))
    }

    fn rows(&self) -> Option<TextTable> {
        let mut columns = Columns::new();
        columns.add("solver", |row: &SolverRecord<'_>| row.name.to_owned());
        columns.add("best_place", |row| row.places[0]);
        columns.add("worst_place", |row| row.places[1]);
        columns.add("mean", |row| row.mean.as_ref().map_or_else(String::new, ToString::to_string));
        columns.add("cases", |row| row.cases);
        Some(columns.table(self.by_place()))
    }

    fn sheet(&self) -> Option<Sheet> {
        let mut columns = Columns::new();
        columns.add("solver", |row: &SolverRecord<'_>| row.name.to_owned());
        columns.add(right("place"), |row| in_figures(row.places));
        columns.add(right("mean"), |row| or_nothing(row.mean.as_ref().map(ToString::to_string)));
        columns.add(right("cases"), |row| row.cases);
        columns.add(right("verdicts"), |row| Field::new(&row.verdicts));
        let lines = self.remarks().into_iter().chain(self.compared.sheet_lines());
        Some(Sheet::new(self.compared.title(), lines, [("Places", columns.table(self.by_place()))]))
    }
}
