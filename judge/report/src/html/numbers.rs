//! The numbers of a run as data in the page, for its charts.

use super::script::in_script;
use crate::run::report::RunReport;
use crate::text::json_value::in_milliseconds;
use crate::text::relative::{best_score, share_of_best};
use crate::text::{every_how_many, json_text};
use judge_problem::{JobId, Outcome, is_feature_name, one_line};
use serde::Serialize;

/// The numbers that every row may have, named as in the page of `judge ui`.
const FIELDS: [&str; 7] = ["score", "points", "relative", "cpu_ms", "wall_ms", "memory_bytes", "case"];

#[derive(Serialize)]
struct Numbers<'a> {
    /// The names of the numbers.
    fields: Vec<&'a str>,
    /// How many rows the run has.
    rows: usize,
    solvers: Vec<SolverNumbers>,
}

#[derive(Serialize)]
struct SolverNumbers {
    solver: String,
    /// Its mean share of the best scores; a failure counts 0.
    relative: Option<f64>,
    /// The names of the cases.
    cases: Vec<String>,
    /// A list for each field, with a number for each case that has it.
    numbers: Vec<Vec<Option<f64>>>,
}

/// The shares of the best scores that a solver has reached.
#[derive(Clone, Copy, Default)]
struct Shares {
    sum: f64,
    count: u32,
}

impl Shares {
    fn add(&mut self, share: f64) {
        self.sum += share;
        self.count += 1;
    }

    fn mean(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / f64::from(self.count))
    }
}

/// Returns the numbers of a run as JSON that is safe in a script.
pub(super) fn numbers(report: &RunReport<'_>) -> String {
    let features = feature_names(report);
    let fields: Vec<&str> = FIELDS.into_iter().chain(features.iter().copied()).collect();
    let rows = report.played().count();
    let mut solvers: Vec<_> =
        (0..report.plan.solvers.len()).map(|solver| empty(report, solver, fields.len())).collect();
    let mut shares = vec![Shares::default(); solvers.len()];
    let every = every_how_many(rows);
    for (row, (job, outcome)) in report.played().enumerate() {
        let best = best_score(report.plan, report.outcomes, job.case);
        let share_of = |best| share_of_best(report.plan.problem.direction, outcome.score.as_ref()?, best);
        let relative = best.as_ref().and_then(share_of);
        if best.is_some() {
            shares[job.solver].add(relative.unwrap_or(0.0));
        }
        if row % every != 0 {
            continue;
        }
        let solver = &mut solvers[job.solver];
        solver.cases.push(one_line(&report.plan.cases.at(job.case).name.0).into_owned());
        let values = values(report, job, &outcome, relative)
            .into_iter()
            .chain(features.iter().map(|name| feature(report, job, name)));
        for (list, value) in solver.numbers.iter_mut().zip(values) {
            list.push(value.filter(|value| value.is_finite()));
        }
    }
    for (solver, shares) in solvers.iter_mut().zip(shares) {
        solver.relative = shares.mean();
    }
    // Every value in it can be written as JSON.
    in_script(&json_text::line(&Numbers { fields, rows, solvers }).unwrap_or_default())
}

fn empty(report: &RunReport<'_>, solver: usize, fields: usize) -> SolverNumbers {
    let name = one_line(&report.plan.solvers[solver].spec.name).into_owned();
    SolverNumbers { solver: name, relative: None, cases: Vec::new(), numbers: vec![Vec::new(); fields] }
}

/// Returns the names of the features of the first case that has some.
fn feature_names<'a>(report: &'a RunReport<'_>) -> Vec<&'a str> {
    let first = report.features.iter().flatten().next();
    let names = first.into_iter().flat_map(|features| features.iter()).map(|feature| &*feature.name);
    names.filter(|name| is_feature_name(name) && !FIELDS.contains(name)).collect()
}

fn feature(report: &RunReport<'_>, job: JobId, name: &str) -> Option<f64> {
    report.features[job.case].as_ref()?.get(name)?.to_string().parse().ok()
}

/// Returns the numbers of [`FIELDS`].
fn values(report: &RunReport<'_>, job: JobId, outcome: &Outcome, relative: Option<f64>) -> [Option<f64>; FIELDS.len()] {
    [
        outcome.score.as_ref().and_then(|score| score.to_string().parse().ok()),
        report.points(job).and_then(|points| points.parse().ok()),
        relative,
        outcome.cpu.map(in_milliseconds),
        outcome.wall.map(in_milliseconds),
        outcome.memory.map(|memory| memory as f64),
        Some(job.case as f64),
    ]
}
