//! The inference from the effects: an estimate with its interval, and a claim if there is one.

use super::{PairedComparison, RuleEffect};
use judge_statistics::{
    EffectSummary, Finding, Hypotheses, Hypothesis, Interval, InvalidSettings, TooFewCases, fewest_for_claim,
};

/// The parameters of a test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TestParameters {
    /// The probability of a false claim.
    pub alpha: f64,
    /// The smallest effect that matters, if there is one.
    pub min_effect: Option<f64>,
    /// The largest difference of two scores (or points) of a case, if claims about a growing number of cases rest on that
    /// alone.
    pub bound: Option<f64>,
    /// The share of the cases whose large effects get the chance to show before a claim about a growing number of cases.
    pub rare: Option<f64>,
    /// The hypotheses between which a growing number of cases decides, in place of the claims better, worse and smaller.
    pub hypotheses: Option<Hypotheses>,
}

/// Why a growing number of cases has no inference.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum InferenceError {
    /// The parameters are not those of a test.
    #[error(transparent)]
    Settings(#[from] InvalidSettings),
    /// A difference is beyond the bound.
    #[error("two results of a case differ by {difference}, more than the bound of {bound}")]
    BeyondBound {
        /// The difference.
        difference: f64,
        /// The bound.
        bound: f64,
    },
}

/// A claim about the second solver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// It is better.
    Better,
    /// It is worse.
    Worse,
    /// Any difference is smaller than the smallest that matters.
    Smaller,
    /// Every effect is 0.
    Equal,
    /// This hypothesis is accepted.
    Accepted(Hypothesis),
    /// The effects and the problem's rule point to different sides.
    Contrary,
    /// No claim yet.
    Undecided {
        /// About how many more cases would decide; `None` if no practical number would.
        more_cases: Option<u64>,
    },
    /// There are fewer than two cases, or so few of a fixed number that no arrangement of signs would be significant.
    TooFew,
}

impl Claim {
    /// Returns whether it ends a comparison that goes on until it is decided.
    #[must_use]
    pub fn is_decided(self) -> bool {
        matches!(self, Self::Better | Self::Worse | Self::Smaller | Self::Equal | Self::Accepted(_))
    }

    /// Withholds a claim that the problem's rule contradicts.
    pub(super) fn unless_contrary(self, by_rule: RuleEffect, hypotheses: Option<Hypotheses>) -> Self {
        let is_better = |h: Hypotheses| h.h0 >= 0.0;
        let is_worse = |h: Hypotheses| h.h1 <= 0.0;
        let says_better = match self {
            Self::Accepted(Hypothesis::H1) => hypotheses.is_some_and(is_better),
            claim => claim == Self::Better,
        };
        let says_worse = match self {
            Self::Accepted(Hypothesis::H0) => hypotheses.is_some_and(is_worse),
            claim => claim == Self::Worse,
        };
        let is_contrary = says_better && !by_rule.allows_better() || says_worse && !by_rule.allows_worse();
        if is_contrary { Self::Contrary } else { self }
    }
}

/// The inference from the effects.
#[derive(Debug, Clone, PartialEq)]
pub struct Inference {
    /// The claim.
    pub claim: Claim,
    /// The interval of the mean effect that the claim rests on: Student's for a fixed number of cases, the
    /// anytime-valid one for a growing number. `None` with too few cases.
    pub interval: Option<Interval>,
    /// The summary of the effects, as for a fixed number of cases. `None` with too few cases.
    pub summary: Option<EffectSummary>,
    /// The logarithm of the likelihood ratio of H1 to H0, if the claim rests on it.
    pub log_likelihood_ratio: Option<f64>,
}

/// The inference from a growing number of cases at one look.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interim {
    /// The claim now.
    pub claim: Claim,
    /// The interval now; `None` with too few cases.
    pub interval: Option<Interval>,
    /// The logarithm of the likelihood ratio now, if the claim rests on it.
    pub log_likelihood_ratio: Option<f64>,
}

/// Infers from a number of cases that was fixed in advance.
#[must_use]
pub fn infer_fixed(paired: &PairedComparison, parameters: TestParameters) -> Inference {
    let summary = match summary(paired, parameters) {
        Ok(summary) => summary,
        Err(TooFewCases { .. }) => {
            return Inference { claim: Claim::TooFew, interval: None, summary: None, log_likelihood_ratio: None };
        }
    };
    let claim = match summary.finding {
        _ if is_all_ties(paired) => Claim::Equal,
        _ if paired.pairs.len() < fewest_for_claim(parameters.alpha) => Claim::TooFew,
        Finding::Better => Claim::Better,
        Finding::Worse => Claim::Worse,
        Finding::Smaller => Claim::Smaller,
        Finding::Undecided { more_cases } => Claim::Undecided { more_cases },
    };
    let claim = claim.unless_contrary(paired.by_rule, None);
    Inference { claim, interval: Some(summary.interval), summary: Some(summary), log_likelihood_ratio: None }
}

pub(super) fn summary(paired: &PairedComparison, parameters: TestParameters) -> Result<EffectSummary, TooFewCases> {
    EffectSummary::of(&paired.terms(), parameters.alpha, parameters.min_effect)
}

fn is_all_ties(paired: &PairedComparison) -> bool {
    paired.pairs.iter().all(|pair| pair.effect == 0.0)
}
