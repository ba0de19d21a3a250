//! The record of a case in the machine-readable reports. Unknown values are absent; scores, points and features are JSON
//! numbers of any length.

use super::report::RunReport;
use crate::text::figures::verdict_of;
use crate::text::json_value::{exact, in_milliseconds};
use judge_problem::plan::Plan;
use judge_problem::{CaseSource, Features, JobId, Outcome, Verdict};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::Number;
use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroUsize;

/// One solver on one case.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "case")]
pub(super) struct CaseRecord<'a> {
    /// The case's name: `seed-7`, or its file's stem.
    pub(super) case: String,
    /// The seed that it is made from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) seed: Option<u64>,
    /// The file of its input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) input: Option<String>,
    /// The solver's name.
    pub(super) solver: &'a str,
    /// The verdict.
    #[schemars(extend("enum" = Verdict::ALL.map(Verdict::name)))]
    pub(super) verdict: &'static str,
    /// The verdict's short code.
    #[schemars(extend("enum" = Verdict::ALL.map(Verdict::code)))]
    pub(super) code: &'static str,
    /// The raw score, exactly; of accepted answers only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("type" = "number"))]
    pub(super) score: Option<Number>,
    /// The points by the scoring rule: scores exactly, others rounded to three decimals.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("type" = "number"))]
    pub(super) points: Option<Number>,
    /// What is missing to the best, with `--sort lost`: of the points, with their weight, or of the score.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("type" = "number"))]
    pub(super) lost: Option<Number>,
    /// The weight of the case in the total, rounded to three decimals, unless all weigh 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("type" = "number"))]
    pub(super) weight: Option<Number>,
    /// The test group that the case is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) group: Option<&'a str>,
    /// CPU time of all its processes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cpu_ms: Option<f64>,
    /// Time on the clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) wall_ms: Option<f64>,
    /// Peak memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) memory_bytes: Option<u64>,
    /// Why it was not accepted.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(super) note: &'a str,
    /// The line of the answer where a rule is broken, from 1; like the next three of rejected answers, if the checker
    /// says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<NonZeroUsize>,
    /// The byte within the line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<NonZeroUsize>,
    /// The move of the game that breaks a rule, from 1.
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    step: Option<NonZeroUsize>,
    /// The rule that is broken, in a few words.
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<&'a str>,
    /// The end of what a solver that failed printed on standard error.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(super) stderr: &'a str,
    /// Whether other programs disturbed the timing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) noisy: bool,
    /// The node that it was run on, if the run has nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) node: Option<&'a str>,
    /// The numbers that describe the case.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("type" = "object"))]
    pub(super) features: Option<BTreeMap<&'a str, Number>>,
    /// The command that runs it again.
    #[schemars(with = "String")]
    pub(super) reproduce: Reproduce<'a>,
}

/// The command that runs a job again: not every format has it.
#[derive(Debug)]
pub(super) struct Reproduce<'a> {
    plan: &'a Plan,
    job: JobId,
}

impl fmt::Display for Reproduce<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.plan.reproduce(self.job))
    }
}

impl Serialize for Reproduce<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'a> CaseRecord<'a> {
    /// Describes the outcome of a job. Points are known only when the run is over.
    pub(super) fn new(
        plan: &'a Plan,
        job: JobId,
        outcome: Option<&'a Outcome>,
        points: Option<String>,
        features: Option<&'a Features>,
    ) -> Self {
        let case = plan.cases.at(job.case);
        let verdict = verdict_of(outcome);
        let broken = outcome.map(|outcome| &outcome.broken);
        let (seed, input) = match &case.source {
            CaseSource::Seed(seed) => (Some(*seed), None),
            CaseSource::File(path) => (None, Some(path.display().to_string())),
        };
        Self {
            case: case.name.to_string(),
            seed,
            input,
            solver: &plan.solvers[job.solver].spec.name,
            verdict: verdict.name(),
            code: verdict.code(),
            score: outcome.and_then(|outcome| outcome.score.as_ref()).and_then(exact),
            points: points.as_ref().and_then(exact),
            lost: None,
            weight: None,
            group: plan.test_group_name(job.case),
            cpu_ms: outcome.and_then(|outcome| outcome.cpu).map(in_milliseconds),
            wall_ms: outcome.and_then(|outcome| outcome.wall).map(in_milliseconds),
            memory_bytes: outcome.and_then(|outcome| outcome.memory),
            note: outcome.map_or("", |outcome| &outcome.note),
            line: broken.and_then(|broken| broken.line),
            column: broken.and_then(|broken| broken.column),
            step: broken.and_then(|broken| broken.step),
            rule: broken.and_then(|broken| broken.rule.as_deref()),
            stderr: outcome.map_or("", |outcome| &outcome.stderr),
            noisy: outcome.is_some_and(|outcome| outcome.noisy),
            node: outcome.and_then(|outcome| outcome.node.as_deref()),
            features: features.map(named_numbers),
            reproduce: Reproduce { plan, job },
        }
    }

    /// Adds the features of the case, if they are known.
    pub(super) fn with_features(self, features: Option<&'a Features>) -> Self {
        Self { features: features.map(named_numbers), ..self }
    }

    /// Describes the outcome of a job of a finished run.
    pub(super) fn of_report(report: &'a RunReport<'_>, job: JobId, outcome: Option<&'a Outcome>) -> Self {
        // A job that was not run has no points.
        let points = outcome.and_then(|_| report.points(job));
        let weight = report.has_weights().then(|| report.weight(job.case)).as_ref().and_then(exact);
        let lost = report.shows_lost().then(|| report.lost(job)).flatten();
        let lost = lost.and_then(|lost| exact(&report.points_text(&lost)));
        Self { lost, weight, ..Self::new(report.plan, job, outcome, points, report.features[job.case].as_deref()) }
    }
}

fn named_numbers(features: &Features) -> BTreeMap<&str, Number> {
    features.iter().filter_map(|feature| Some((&*feature.name, exact(&feature.value)?))).collect()
}
