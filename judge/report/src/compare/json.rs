//! The machine-readable report of a comparison.

use super::record::{
    CaseRecord, ComparisonRecord, ContrastRecord, Document, EffectRecord, FailureRecord, GroupRecord, PairRecord,
    ResultRecord, SolverRecord, TimeRecord,
};
use super::report::{CompareReport, Comparison};
use crate::text::effects::claim_name;
use crate::text::figures::verdict_of;
use crate::text::json_text::{self, Each};
use crate::text::json_value::{exact, in_milliseconds, schema_of};
use judge_compare::paired::{Claim, Contrast, FeatureRange, Pair, PairedComparison};
use judge_problem::{CaseSource, JobId, RunId, SolverSpec, Stop};
use judge_statistics::EffectSummary;
use schemars::Schema;
use serde::Serialize;
use std::io::Write;

/// Writes the report of a comparison as one JSON document, with a final newline. Effects and intervals are on the
/// scale of the measure: logarithms for ratios.
///
/// # Errors
/// When it cannot be written there.
pub(crate) fn compare_json(report: &CompareReport<'_>, output: &mut dyn Write) -> serde_json::Result<()> {
    json_text::write_document(&document(report), output)
}

pub(super) fn document<'a>(report: &'a CompareReport<'_>) -> Document<'a, impl Serialize, impl Serialize> {
    let solvers = report.plan.solvers.iter();
    let run_info = report.run_info.as_ref();
    let is_on_equal_processors = |comparison: &Comparison| {
        let PairedComparison { first, second, pairs, .. } = &comparison.paired;
        pairs.iter().all(|pair| report.is_on_one_processor(pair.case, [*first, *second]))
    };
    let time_change = |comparison: &Comparison| {
        let PairedComparison { first, second, .. } = comparison.paired;
        let (mean, interval) = report.time_change(&comparison.paired)?;
        let (first, second) = (report.name(first), report.name(second));
        Some(TimeRecord { first, second, mean, interval: interval.into() })
    };
    Document {
        schema: 2,
        judge: env!("CARGO_PKG_VERSION"),
        provenance: (&report.provenance).into(),
        limits: run_info.map(|_| (&report.plan.limits).into()),
        problem: &report.plan.problem.id,
        direction: report.plan.problem.direction.name(),
        measure: report.measure.name(),
        rule: report.rule.name(),
        reference: report.reference().map(|reference| reference.record()),
        alpha: report.alpha,
        alpha_each: report.parameters.alpha,
        min_effect: report.parameters.min_effect,
        until_decided: report.is_sequential,
        exact: report.parameters.bound.is_some(),
        hypotheses: report.parameters.hypotheses.map(Into::into),
        tier: run_info.map(|run_info| run_info.tier.name()),
        gaps: run_info.map(|run_info| &*run_info.gaps),
        jobs: run_info.map(|run_info| run_info.jobs),
        interrupted: report.stop == Some(Stop::Interrupted),
        elapsed_ms: run_info.map(|run_info| in_milliseconds(run_info.elapsed)),
        times_comparable: report.times_are_comparable && report.comparisons.iter().all(is_on_equal_processors),
        time_changes: report.comparisons.iter().filter_map(time_change).collect(),
        warnings: report.warnings,
        solvers: solvers.zip(report.runs).map(|(solver, run)| solver_record(&solver.spec, *run)).collect(),
        comparisons: report.comparisons.iter().map(|comparison| comparison_record(report, comparison)).collect(),
        cases: Each(move || (0..report.plan.cases.len()).map(move |case| case_record(report, case))),
    }
}

/// Returns the JSON schema of `judge compare --json`.
#[must_use]
pub fn compare_schema() -> Schema {
    schema_of::<Document<'static, Vec<CaseRecord<'static>>, Vec<PairRecord>>>()
}

fn solver_record(spec: &SolverSpec, run: Option<RunId>) -> SolverRecord<'_> {
    SolverRecord { name: &spec.name, command: &spec.text, run: run.map(|run| run.0) }
}

fn comparison_record<'a>(
    report: &'a CompareReport<'_>,
    comparison: &'a Comparison,
) -> ComparisonRecord<'a, impl Serialize> {
    let Comparison { paired, inference, ranges, contrast } = comparison;
    let more_cases = if let Claim::Undecided { more_cases } = inference.claim { more_cases } else { None };
    let pair = |pair: &Pair| PairRecord {
        case: report.plan.cases.at(pair.case).name.to_string(),
        effect: pair.effect,
        own_change: report.own_change(pair),
        of_total: report.of_total(paired, pair),
        reproduce: report.plan.reproduce(JobId { case: pair.case, solver: paired.second }),
    };
    ComparisonRecord {
        first: report.name(paired.first),
        second: report.name(paired.second),
        claim: claim_name(inference.claim),
        verdict: report.verdict(comparison),
        fact: report.fact(comparison),
        whole_contest: report.is_result(paired),
        conclusion: report.conclusion(comparison),
        scope: report.scope(comparison),
        note: report.units_in_words(paired),
        more_cases,
        cases: paired.cases,
        effect_count: paired.pairs.len(),
        solved: paired.solved,
        interval: inference.interval.map(Into::into),
        interval_kind: match report.parameters.bound {
            Some(_) => "anytime-exact",
            None if report.is_sequential => "anytime",
            None => "student",
        },
        log_likelihood_ratio: inference.log_likelihood_ratio,
        effect: inference.summary.as_ref().map(|summary| effect_record(report, comparison, summary)),
        failures: FailureRecord {
            first_only: paired.failures.first.len(),
            second_only: paired.failures.second.len(),
            both: paired.failures.both.len(),
        },
        contrast: contrast.as_ref().map(|contrast| contrast_record(report, contrast)),
        undefined: paired.undefined,
        groups: ranges.iter().map(group_record).collect(),
        effects: Each(move || paired.pairs.iter().map(pair)),
    }
}

fn contrast_record(report: &CompareReport<'_>, contrast: &Contrast) -> ContrastRecord {
    let name = |&case: &usize| report.plan.cases.at(case).name.to_string();
    ContrastRecord {
        measure: contrast.measure.name(),
        ratio: contrast.ratio,
        by_rule: contrast.by_rule,
        cases: contrast.cases.iter().map(name).collect(),
    }
}

fn effect_record(report: &CompareReport<'_>, comparison: &Comparison, summary: &EffectSummary) -> EffectRecord {
    let EffectSummary { moments, signs, ranks, .. } = summary;
    EffectRecord {
        mean: moments.mean(),
        mean_shown: report.measure.shown(moments.mean()),
        deviation: moments.deviation(),
        exaggerated: report.is_exaggerated(comparison),
        wins: signs.wins,
        ties: signs.ties,
        losses: signs.losses,
        sign_test_p: signs.p,
        wilcoxon_p: ranks.p,
    }
}

fn group_record(range: &FeatureRange) -> GroupRecord {
    GroupRecord {
        low: exact(&range.low),
        high: exact(&range.high),
        cases: range.paired.pairs.len(),
        mean: range.inference.summary.as_ref().map(|summary| summary.moments.mean()),
        interval: range.inference.interval.map(Into::into),
    }
}

fn case_record<'a>(report: &'a CompareReport<'_>, case: usize) -> CaseRecord<'a> {
    let spec = report.plan.cases.at(case);
    let result = |solver| {
        let outcome = report.outcome(case, solver);
        ResultRecord {
            solver: report.name(solver),
            verdict: verdict_of(outcome.as_ref()).name(),
            score: outcome.as_ref().and_then(|outcome| exact(outcome.score.as_ref()?)),
            cpu_ms: outcome.as_ref().and_then(|outcome| outcome.cpu).map(in_milliseconds),
            memory_bytes: outcome.as_ref().and_then(|outcome| outcome.memory),
            node: outcome.and_then(|outcome| outcome.node),
        }
    };
    CaseRecord {
        case: spec.name.to_string(),
        seed: if let CaseSource::Seed(seed) = spec.source { Some(seed) } else { None },
        results: (0..report.plan.solvers.len()).map(result).collect(),
    }
}
