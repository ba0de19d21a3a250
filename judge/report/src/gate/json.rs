//! The gate's findings as one JSON document.

use crate::gate::report::{Finding, GateReport, GatesReport, is_worse, mean};
use crate::text::{Document, LimitsRecord, Versioned, exact};
use judge_compare::gate::{BaselineCase, CaseResult, Change, Conditions, GateVerdict, NoiseTest, POWER};
use judge_problem::{Provenance, Verdict};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Number;
use serde_with_macros::skip_serializing_none;

#[derive(Serialize, JsonSchema)]
pub(crate) struct GateDocument<'a> {
    #[serde(flatten)]
    provenance: Versioned<'a, Provenance>,
    /// Of all gates together: `holds`, `fails` or `not-comparable`.
    #[schemars(extend("enum" = GateVerdict::ALL.map(GateVerdict::name)))]
    verdict: &'static str,
    /// Whether all gates hold.
    holds: bool,
    /// The gate, if it is the only one.
    #[serde(flatten)]
    gate: Option<GateRecord<'a>>,
    /// Several gates.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gates: Vec<SharedGate<'a>>,
}

/// One of several gates.
#[derive(Serialize, JsonSchema)]
struct SharedGate<'a> {
    #[schemars(extend("enum" = GateVerdict::ALL.map(GateVerdict::name)))]
    verdict: &'static str,
    holds: bool,
    #[serde(flatten)]
    gate: GateRecord<'a>,
}

#[skip_serializing_none]
#[derive(Serialize, JsonSchema)]
struct GateRecord<'a> {
    /// The baseline file.
    baseline: String,
    /// The solver as it was named, and the solver of the baseline.
    solver: &'a str,
    solver_was: &'a str,
    limits: LimitsRecord,
    problem: &'a str,
    checker: &'a str,
    updated: bool,
    /// How disturbed the runs and the baseline's runs were, if known.
    conditions: Option<&'a Conditions>,
    conditions_was: Option<&'a Conditions>,
    /// How often a disturbed case was run again without other solvers.
    repeats: usize,
    /// The recorded total of the cases that were accepted then and are now.
    total_was: Option<Number>,
    /// The current total of the same cases.
    total_now: Option<Number>,
    /// Present if scores vary from run to run.
    noise: Option<NoiseRecord>,
    /// With a limit of the CPU time: how many cases have times of different processors, which are not compared.
    times_not_compared: Option<usize>,
    complaints: Vec<ComplaintRecord>,
    changes: Vec<ChangeRecord<'a>>,
    /// The cases that were not accepted then and are now.
    fixed: &'a [String],
    cases: Vec<CaseRecord<'a>>,
}

#[skip_serializing_none]
#[derive(Serialize, JsonSchema)]
struct ComplaintRecord {
    case: Option<String>,
    what: String,
    /// Of a case that failed: the reason, and the end of the solver's standard error.
    note: Option<String>,
    stderr: Option<String>,
    command: Option<String>,
}

#[skip_serializing_none]
#[derive(Serialize, JsonSchema)]
struct NoiseRecord {
    /// The probability of so low a total if the solver has fallen by no more than it may.
    p: f64,
    alpha: f64,
    /// The fall, as a share of the recorded total, that would be noticed with the probability `power`.
    detectable: Option<f64>,
    power: f64,
    /// The standard error of the change of the total, as a share of the recorded one.
    standard_error: Option<f64>,
    degrees_of_freedom: f64,
}

#[derive(Serialize, JsonSchema)]
struct ChangeRecord<'a> {
    case: &'a str,
    was: Option<Number>,
    now: Option<Number>,
    worse: bool,
}

#[skip_serializing_none]
#[derive(Serialize, JsonSchema)]
struct CaseRecord<'a> {
    case: &'a str,
    verdict: &'a str,
    /// The mean of the runs, if there are several.
    score: Option<Number>,
    /// The number of runs of an accepted case.
    runs: Option<u32>,
    /// The standard deviation of the recorded scores, if they vary.
    spread_was: Option<f64>,
    /// The processor of the node that it was run on, if there are nodes.
    processor: Option<&'a str>,
}

impl Document for GatesReport<'_> {
    fn record(&self) -> impl Serialize {
        let (gate, gates) = match &self.gates[..] {
            [gate] => (Some(gate_record(gate)), Vec::new()),
            gates => (None, gates.iter().map(shared_gate).collect()),
        };
        GateDocument {
            provenance: Versioned::new(1, self.provenance),
            verdict: self.verdict().name(),
            holds: self.verdict() == GateVerdict::Holds,
            gate,
            gates,
        }
    }
}

fn shared_gate<'a>(report: &'a GateReport<'_>) -> SharedGate<'a> {
    let verdict = report.judgement.verdict();
    SharedGate { verdict: verdict.name(), holds: verdict == GateVerdict::Holds, gate: gate_record(report) }
}

fn gate_record<'a>(report: &'a GateReport<'_>) -> GateRecord<'a> {
    let judgement = report.judgement;
    let complaint = |Finding { case, words, failure, command }: Finding<'_>| ComplaintRecord {
        case,
        what: words,
        note: failure.map(|outcome| outcome.note.clone()),
        stderr: failure.map(|outcome| outcome.stderr.clone()).filter(|stderr| !stderr.is_empty()),
        command,
    };
    let change = |change: &'a Change| ChangeRecord {
        case: &change.case,
        was: exact(&mean(&change.was)),
        now: exact(&mean(&change.now)),
        worse: is_worse(change, report.limits.direction),
    };
    GateRecord {
        baseline: report.file.display().to_string(),
        solver: report.plan.solvers.first().map_or("", |solver| &solver.spec.text),
        solver_was: &report.record.solver,
        limits: (&report.plan.limits).into(),
        problem: &report.record.baseline.problem,
        checker: &report.today.checker,
        updated: report.is_updated,
        conditions: report.today.conditions.as_ref(),
        conditions_was: report.record.baseline.conditions.as_ref(),
        repeats: report.repeats,
        total_was: exact(&report.total(&judgement.total_was)),
        total_now: exact(&report.total(&judgement.total_now)),
        noise: judgement.noise.as_ref().map(noise_record),
        times_not_compared: Some(judgement.untimed).filter(|untimed| *untimed > 0),
        complaints: report.findings().into_iter().map(complaint).collect(),
        changes: report.changes().into_iter().map(change).collect(),
        fixed: &judgement.fixed,
        cases: report.today.cases.iter().map(|(case, entry)| case_record(report, case, entry)).collect(),
    }
}

fn noise_record(test: &NoiseTest) -> NoiseRecord {
    NoiseRecord {
        p: test.level,
        alpha: test.alpha,
        detectable: test.detectable(),
        power: POWER,
        standard_error: test.error,
        degrees_of_freedom: test.freedom,
    }
}

fn case_record<'a>(report: &GateReport<'_>, case: &'a str, entry: &'a BaselineCase) -> CaseRecord<'a> {
    let was = report.record.baseline.cases.get(case).and_then(|was| was.result.sample());
    let spread_was = was.map(|sample| sample.spread).filter(|spread| *spread > 0.0);
    let (verdict, sample) = match &entry.result {
        CaseResult::Accepted(sample) => (Verdict::Accepted, Some(sample)),
        CaseResult::Failed(verdict) => (*verdict, None),
    };
    let score = sample.and_then(|sample| exact(&mean(sample)));
    let (runs, processor) = (sample.map(|sample| sample.runs), entry.processor.as_deref());
    CaseRecord { case, verdict: verdict.name(), score, runs, spread_was, processor }
}
