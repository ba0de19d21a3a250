//! What points are relative to: whose best scores, on how many cases.

use super::relative::best_score;
use judge_problem::plan::Plan;
use judge_problem::{BestOrigin, BestSource, OutcomeGrid, Rule, Verdict, counted};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// The number of origins that a line names.
const NAMED: usize = 4;

/// What the points of a run are relative to.
#[derive(Debug)]
pub(crate) struct Reference<'a> {
    source: &'a BestSource,
    /// How many cases have the best score of which origin, the commonest first; `None` is the run itself.
    origins: Vec<(Option<BestOrigin>, usize)>,
}

/// What points are relative to, beside the scores of the run itself.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "reference")]
pub(crate) struct ReferenceRecord {
    /// Which best scores: `best-known` (the problem's and the journal's), `problem`, `run` (none), `ledger` (the journal's) or
    /// `file`.
    #[schemars(extend("enum" = ["best-known", "problem", "run", "ledger", "file"]))]
    kind: &'static str,
    /// The file.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// Who reached the best scores, by the number of cases.
    origins: Vec<OriginRecord>,
}

/// Who reached the best scores of how many cases.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "origin")]
struct OriginRecord {
    /// `this-run`, `run` (an earlier one), `imported`, `problem` or `file`.
    #[schemars(extend("enum" = ["this-run", "run", "imported", "problem", "file"]))]
    origin: &'static str,
    /// The earlier run.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<i64>,
    /// The solver of an earlier or imported run.
    #[serde(skip_serializing_if = "Option::is_none")]
    solver: Option<String>,
    /// The number of cases.
    cases: usize,
}

impl<'a> Reference<'a> {
    /// Returns what a run's points are relative to; `None` under a rule that takes no best score.
    pub(crate) fn of(rule: &Rule, plan: &'a Plan, outcomes: &OutcomeGrid) -> Option<Self> {
        if !rule.has_reference() {
            return None;
        }
        let mut counts = BTreeMap::new();
        for (place, case) in plan.cases.iter().enumerate() {
            let mut played = outcomes.of_case(place).flatten();
            if played.all(|outcome| outcome.verdict == Verdict::Skipped) {
                continue;
            }
            let Some(best) = best_score(plan, outcomes, place) else { continue };
            let known = case.best.filter(|known| known.score == best);
            *counts.entry(known.map(|known| known.origin)).or_insert(0) += 1;
        }
        let mut origins: Vec<_> = counts.into_iter().collect();
        // This run last among equals.
        origins.sort_by_key(|(origin, cases)| (std::cmp::Reverse(*cases), origin.is_none()));
        Some(Self { source: &plan.problem.best, origins })
    }

    /// Returns it as a line: `relative to the best known: 12 cases by run 7 beam, 8 by this run`.
    pub(crate) fn line(&self) -> String {
        let what = match self.source {
            BestSource::Known => "the best known".to_owned(),
            BestSource::Problem => "the best known to the problem".to_owned(),
            BestSource::Run => return "relative to the best of this run alone".to_owned(),
            BestSource::Ledger => "the best in the journal".to_owned(),
            BestSource::File(path) => format!("the best in {}", path.display()),
        };
        let mut shown: Vec<String> = Vec::new();
        for (origin, cases) in self.origins.iter().take(NAMED) {
            let cases = if shown.is_empty() { counted(*cases, "case") } else { cases.to_string() };
            shown.push(format!("{cases} by {}", self.name(origin.as_ref())));
        }
        let others = self.origins.iter().skip(NAMED);
        let rest: usize = others.clone().map(|(_, cases)| cases).sum();
        shown.extend((rest > 0).then(|| format!("{rest} by {}", counted(others.count(), "other"))));
        let by = if shown.is_empty() { String::new() } else { format!(": {}", shown.join(", ")) };
        format!("relative to {what}{by}")
    }

    fn name(&self, origin: Option<&BestOrigin>) -> String {
        match (origin, self.source) {
            (None, _) => "this run".to_owned(),
            (Some(BestOrigin::Run(run, solver)), _) => format!("run {run} {solver}"),
            (Some(BestOrigin::Imported(solver)), _) => format!("{solver} (imported)"),
            (Some(BestOrigin::Problem), _) => "the problem".to_owned(),
            (Some(BestOrigin::File), BestSource::File(path)) => path.display().to_string(),
            (Some(BestOrigin::File), _) => "a file".to_owned(),
        }
    }

    pub(crate) fn record(&self) -> ReferenceRecord {
        let (kind, file) = match self.source {
            BestSource::Known => ("best-known", None),
            BestSource::Problem => ("problem", None),
            BestSource::Run => ("run", None),
            BestSource::Ledger => ("ledger", None),
            BestSource::File(path) => ("file", Some(path.display().to_string())),
        };
        let record = |(origin, cases): &(Option<BestOrigin>, usize)| {
            let (origin, run, solver) = match origin {
                None => ("this-run", None, None),
                Some(BestOrigin::Run(run, solver)) => ("run", Some(run.0), Some(solver.to_string())),
                Some(BestOrigin::Imported(solver)) => ("imported", None, Some(solver.to_string())),
                Some(BestOrigin::Problem) => ("problem", None, None),
                Some(BestOrigin::File) => ("file", None, None),
            };
            OriginRecord { origin, run, solver, cases: *cases }
        };
        ReferenceRecord { kind, file, origins: self.origins.iter().map(record).collect() }
    }
}
