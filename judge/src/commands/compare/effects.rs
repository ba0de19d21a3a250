//! What the outcomes of a comparison say: the measure, the parameters of the test, and the result for each solver.

use crate::cases::describe_all;
use crate::cli::CompareArgs;
use crate::duel::{self, Described, Group, MinEffect, Ruling, Stakes, UnsuitedMinEffect, Yardstick};
use crate::model::{Features, Outcome};
use crate::plan::Plan;
use crate::report::Bout;
use crate::workflow::case_choice;
use crate::workflow::failure::Failure;
use crate::workflow::match_runner::Played;

/// The bootstrap draws the same resamples every time: the same scores give the same report.
const BOOTSTRAP_SEED: u64 = 1;

/// No relative difference between scores of one sign is larger.
const LARGEST_RELATIVE: f64 = 1.0;

/// Returns what the effects of these outcomes are measured in.
pub(super) fn yardstick(args: &CompareArgs, outcomes: &[Option<Outcome>]) -> Yardstick {
    let scores = outcomes.iter().flatten().filter_map(|outcome| outcome.score.as_ref());
    match args.statistics.measure {
        Some(measure) => measure,
        None if args.exact => Yardstick::Relative,
        None => Yardstick::suited_to(scores, args.min_effect.as_ref()),
    }
}

/// Returns what is asked of each comparison. So many comparisons share the probability of a false claim (Bonferroni): all
/// claims together are right with the probability that was asked for.
pub(super) fn stakes(args: &CompareArgs, yardstick: Yardstick, bouts: usize) -> Result<Stakes, UnsuitedMinEffect> {
    let min_effect: Option<&MinEffect> = args.min_effect.as_ref();
    let alpha = args.statistics.alpha / bouts.max(1) as f64;
    let bound = args.exact.then_some(LARGEST_RELATIVE);
    Ok(Stakes { alpha, min_effect: yardstick.min_effect(min_effect)?, bound, seed: BOOTSTRAP_SEED })
}

pub(super) fn bouts(
    played: &Played,
    args: &CompareArgs,
    yardstick: Yardstick,
    stakes: Stakes,
) -> Result<Vec<Bout>, Failure> {
    let described = match &args.group_by {
        Some(feature) => describe(&played.plan, feature)?,
        None => Vec::new(),
    };
    let bout = |second| {
        let duel = played.duel(yardstick, second)?;
        let ruling: Ruling =
            if args.until_decided { duel::judge_growing(&duel, stakes)? } else { duel::judge_fixed(&duel, stakes) };
        let groups: Vec<Group> = duel::group(&duel, described.clone(), stakes);
        Ok(Bout { duel, ruling, groups })
    };
    (1..played.plan.solvers.len()).map(bout).collect()
}

/// Returns the value of a feature for every case that has it.
fn describe(plan: &Plan, feature: &str) -> Result<Vec<Described>, Failure> {
    let features: Vec<Features> = describe_all(&plan.problem, &plan.cases)?;
    case_choice::check_name(feature, &features)?;
    let described = |(case, features): (usize, &Features)| {
        features.get(feature).map(|value| Described { case, value: value.clone() })
    };
    Ok(features.iter().enumerate().filter_map(described).collect())
}
