//! From the outcomes of a comparison to its results: the measure, the parameters of the test, and each solver's result.

use crate::cases::describe_all;
use crate::cli::CompareArgs;
use crate::model::{Features, OutcomeGrid};
use crate::paired::{
    self, EffectMeasure, FeatureRange, FeatureValue, Inference, MinEffect, TestParameters, UnsuitedMinEffect,
};
use crate::plan::Plan;
use crate::report::Comparison;
use crate::workflow::case_choice;
use crate::workflow::failure::Failure;
use crate::workflow::match_runner::MatchResult;

/// A fixed seed: the same scores give the same report.
const BOOTSTRAP_SEED: u64 = 1;

/// The largest relative difference between scores of one sign.
const LARGEST_RELATIVE: f64 = 1.0;

/// Returns the measure of these outcomes.
pub(super) fn measure(args: &CompareArgs, outcomes: &OutcomeGrid) -> EffectMeasure {
    match args.statistics.measure {
        Some(measure) => measure,
        None if args.exact => EffectMeasure::Relative,
        None => EffectMeasure::suited_to(outcomes.scores(), args.min_effect.as_ref()),
    }
}

/// Returns the parameters of each test. The comparisons share the probability of a false claim (Bonferroni): `--alpha`
/// is the probability that any claim is false.
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

/// Compares every solver with the first one.
pub(super) fn comparisons(
    played: &MatchResult,
    args: &CompareArgs,
    measure: EffectMeasure,
    parameters: TestParameters,
) -> Result<Vec<Comparison>, Failure> {
    let values = match &args.group_by {
        Some(feature) => feature_values(&played.plan, feature)?,
        None => Vec::new(),
    };
    let comparison = |second| {
        let paired = played.paired(measure, second)?;
        let inference: Inference = if args.until_decided {
            paired::infer_sequential(&paired, parameters)?
        } else {
            paired::infer_fixed(&paired, parameters)
        };
        let ranges: Vec<FeatureRange> = paired::by_feature(&paired, values.clone(), parameters);
        Ok(Comparison { paired, inference, ranges })
    };
    (1..played.plan.solvers.len()).map(comparison).collect()
}

/// Returns the value of a feature for every case that has it.
fn feature_values(plan: &Plan, feature: &str) -> Result<Vec<FeatureValue>, Failure> {
    let features: Vec<Features> = describe_all(&plan.problem, &plan.cases)?;
    case_choice::check_name(feature, &features)?;
    let described = |(case, features): (usize, &Features)| {
        features.get(feature).map(|value| FeatureValue { case, value: value.clone() })
    };
    Ok(features.iter().enumerate().filter_map(described).collect())
}
