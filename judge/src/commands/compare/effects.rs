//! What the outcomes of a comparison say: the measure, the parameters of the test, and the result for each solver.

use crate::cases::describe_all;
use crate::cli::CompareArgs;
use crate::model::{Features, Outcome};
use crate::paired::{
    self, EffectMeasure, FeatureRange, FeatureValue, Inference, MinEffect, TestParameters, UnsuitedMinEffect,
};
use crate::plan::Plan;
use crate::report::Comparison;
use crate::workflow::case_choice;
use crate::workflow::failure::Failure;
use crate::workflow::match_runner::Played;

/// The bootstrap draws the same resamples every time: the same scores give the same report.
const BOOTSTRAP_SEED: u64 = 1;

/// No relative difference between scores of one sign is larger.
const LARGEST_RELATIVE: f64 = 1.0;

/// Returns what the effects of these outcomes are measured in.
pub(super) fn measure(args: &CompareArgs, outcomes: &[Option<Outcome>]) -> EffectMeasure {
    let scores = outcomes.iter().flatten().filter_map(|outcome| outcome.score.as_ref());
    match args.statistics.measure {
        Some(measure) => measure,
        None if args.exact => EffectMeasure::Relative,
        None => EffectMeasure::suited_to(scores, args.min_effect.as_ref()),
    }
}

/// Returns what is asked of each comparison. So many comparisons share the probability of a false claim (Bonferroni): all
/// claims together are right with the probability that was asked for.
pub(super) fn parameters(
    args: &CompareArgs,
    measure: EffectMeasure,
    comparisons: usize,
) -> Result<TestParameters, UnsuitedMinEffect> {
    let min_effect: Option<&MinEffect> = args.min_effect.as_ref();
    let alpha = args.statistics.alpha / comparisons.max(1) as f64;
    let bound = args.exact.then_some(LARGEST_RELATIVE);
    Ok(TestParameters { alpha, min_effect: measure.min_effect(min_effect)?, bound, seed: BOOTSTRAP_SEED })
}

pub(super) fn comparisons(
    played: &Played,
    args: &CompareArgs,
    measure: EffectMeasure,
    parameters: TestParameters,
) -> Result<Vec<Comparison>, Failure> {
    let described = match &args.group_by {
        Some(feature) => describe(&played.plan, feature)?,
        None => Vec::new(),
    };
    let comparison = |second| {
        let paired = played.paired(measure, second)?;
        let inference: Inference = if args.until_decided {
            paired::infer_sequential(&paired, parameters)?
        } else {
            paired::infer_fixed(&paired, parameters)
        };
        let ranges: Vec<FeatureRange> = paired::by_feature(&paired, described.clone(), parameters);
        Ok(Comparison { paired, inference, ranges })
    };
    (1..played.plan.solvers.len()).map(comparison).collect()
}

/// Returns the value of a feature for every case that has it.
fn describe(plan: &Plan, feature: &str) -> Result<Vec<FeatureValue>, Failure> {
    let features: Vec<Features> = describe_all(&plan.problem, &plan.cases)?;
    case_choice::check_name(feature, &features)?;
    let described = |(case, features): (usize, &Features)| {
        features.get(feature).map(|value| FeatureValue { case, value: value.clone() })
    };
    Ok(features.iter().enumerate().filter_map(described).collect())
}
