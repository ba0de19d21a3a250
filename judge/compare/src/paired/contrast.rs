//! The mean ratio and the problem's rule may point to different sides: where they do, and through which cases.

use super::{EffectMeasure, PairedComparison};
use judge_statistics::{Moments, mean_interval};

/// The mean logarithm of the ratio below which its side does not matter: 0.1 %.
const NEGLIGIBLE: f64 = 0.001;

/// The ratio of the scores points to one side, and what the problem's rule ranks by to the other.
#[derive(Debug, Clone, PartialEq)]
pub struct Contrast {
    /// What the rule's effect is measured in.
    pub measure: EffectMeasure,
    /// The mean logarithm of the ratio of the scores, over the cases that both solved.
    pub ratio: f64,
    /// The mean effect by the rule.
    pub by_rule: f64,
    /// The fewest cases without which the rule would point to the side of the ratio, or to none; by their places in the
    /// plan, the weightiest first.
    pub cases: Vec<usize>,
}

impl Contrast {
    /// Returns the contrast of two comparisons of the same solvers, if there is one: the means are on different sides of
    /// 0, one of them for certain, and the ratio's is not negligible.
    #[must_use]
    pub fn between(
        ratio: &PairedComparison,
        (measure, by_rule): (EffectMeasure, &PairedComparison),
        alpha: f64,
    ) -> Option<Self> {
        let means = [ratio.mean(), by_rule.mean()];
        let is_certain = |paired: &PairedComparison| {
            mean_interval(&Moments::of(&paired.effects()), alpha).is_some_and(|interval| !interval.contains(0.0))
        };
        let is_opposite = means[0] * means[1] < 0.0 && means[0].abs() >= NEGLIGIBLE;
        (is_opposite && (is_certain(ratio) || is_certain(by_rule))).then(|| Self {
            measure,
            ratio: means[0],
            by_rule: means[1],
            cases: weightiest(by_rule, means[1].signum()),
        })
    }
}

/// Returns the fewest cases without which the effects do not sum to this sign.
fn weightiest(paired: &PairedComparison, sign: f64) -> Vec<usize> {
    let mut pairs = paired.pairs.clone();
    pairs.sort_by(|left, right| (right.effect * sign).total_cmp(&(left.effect * sign)));
    let mut sum: f64 = pairs.iter().map(|pair| pair.effect * sign).sum();
    let mut cases = Vec::new();
    for pair in pairs {
        if sum <= 0.0 {
            break;
        }
        sum -= pair.effect * sign;
        cases.push(pair.case);
    }
    cases
}
