//! The inference from the effects: an estimate with its interval, and a claim if there is one.

use super::PairedComparison;
use crate::statistics::{
    Decision, EffectSummary, Finding, Interval, InvalidSettings, Sequence, SequenceSettings, TooFewCases,
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
    /// The effects and the problem's rule point to different sides.
    Contrary,
    /// No claim yet.
    Undecided {
        /// About how many more cases would decide; `None` if no practical number would.
        more_cases: Option<u64>,
    },
    /// There are fewer than two cases.
    TooFew,
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
}

/// The inference from a growing number of cases at one look.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interim {
    /// The claim now.
    pub claim: Claim,
    /// The interval now; `None` with too few cases.
    pub interval: Option<Interval>,
}

/// Infers from a number of cases that was fixed in advance.
#[must_use]
pub fn infer_fixed(paired: &PairedComparison, parameters: TestParameters) -> Inference {
    let summary = match summary(paired, parameters) {
        Ok(summary) => summary,
        Err(TooFewCases { .. }) => return Inference { claim: Claim::TooFew, interval: None, summary: None },
    };
    let claim = match summary.finding {
        _ if is_all_ties(paired) => Claim::Equal,
        Finding::Better => Claim::Better,
        Finding::Worse => Claim::Worse,
        Finding::Smaller => Claim::Smaller,
        Finding::Undecided { more_cases } => Claim::Undecided { more_cases },
    };
    let claim = unless_contrary(claim, paired);
    Inference { claim, interval: Some(summary.interval), summary: Some(summary) }
}

/// Infers from cases that were added until [`infer_interim`] claimed something, or until there were no more.
///
/// # Errors
/// An alpha, a smallest effect or a bound that is out of range, or an effect beyond the bound.
pub fn infer_sequential(paired: &PairedComparison, parameters: TestParameters) -> Result<Inference, InferenceError> {
    let Interim { claim, interval } = infer_interim(paired, parameters)?;
    let summary = summary(paired, parameters).ok();
    Ok(Inference { claim, interval, summary })
}

fn summary(paired: &PairedComparison, parameters: TestParameters) -> Result<EffectSummary, TooFewCases> {
    EffectSummary::of(&paired.effects(), &paired.linearised(), parameters.alpha, parameters.min_effect)
}

/// Infers from a growing number of cases. It may be called after every case, and the cases may end as soon as it claims
/// something: the error probability covers all looks together.
///
/// # Errors
/// An alpha, a smallest effect or a bound that is out of range, or an effect beyond the bound.
pub fn infer_interim(paired: &PairedComparison, parameters: TestParameters) -> Result<Interim, InferenceError> {
    let looks = Looks::at(paired, parameters)?;
    let interval = looks.interval();
    let claim = match looks.decision() {
        Decision::Better => Claim::Better,
        Decision::Worse => Claim::Worse,
        Decision::Smaller if is_all_ties(paired) => Claim::Equal,
        Decision::Smaller => Claim::Smaller,
        Decision::Undecided if paired.solved.min(paired.pairs.len()) < 2 => Claim::TooFew,
        Decision::Undecided => {
            Claim::Undecided { more_cases: interval.and_then(|now| more_cases(paired, now, parameters)) }
        }
    };
    Ok(Interim { claim: unless_contrary(claim, paired), interval })
}

/// The sequences at one look: that of the effects, and that of the linearised ones if they are others. A claim needs both:
/// the first is valid at every look, and the second knows how certain the mean is.
struct Looks {
    plain: Sequence,
    linearised: Option<Sequence>,
}

impl Looks {
    fn at(paired: &PairedComparison, parameters: TestParameters) -> Result<Self, InferenceError> {
        let TestParameters { alpha, min_effect, bound, rare } = parameters;
        // A rounding error more, so that an effect at the bound is within it.
        let largest = bound.map(|bound| bound * paired.unit * (1.0 + 1e-9));
        if let (Some(bound), Some(largest)) = (bound, largest)
            && let Some(pair) = paired.pairs.iter().find(|pair| pair.effect.abs() > largest)
        {
            return Err(InferenceError::BeyondBound { difference: pair.effect.abs() / paired.unit, bound });
        }
        let sequence = |effects: Vec<f64>| {
            let mut sequence = Sequence::new(SequenceSettings { alpha, min_effect, bound: largest, rare })?;
            effects.into_iter().for_each(|effect| sequence.push(effect));
            Ok::<_, InvalidSettings>(sequence)
        };
        let is_one = paired.is_plain() || bound.is_some();
        let linearised = (!is_one).then(|| sequence(paired.linearised())).transpose()?;
        Ok(Self { plain: sequence(paired.effects())?, linearised })
    }

    fn decision(&self) -> Decision {
        let plain = self.plain.decision();
        match self.linearised.as_ref().map_or(plain, Sequence::decision) {
            Decision::Smaller => Decision::Smaller,
            decision if decision == plain => decision,
            _ => Decision::Undecided,
        }
    }

    /// Returns the interval, which reaches to 0 until a side is claimed.
    fn interval(&self) -> Option<Interval> {
        let Some(linearised) = &self.linearised else { return self.plain.interval() };
        let interval = linearised.interval()?;
        let is_sided = matches!(self.plain.decision(), Decision::Better | Decision::Worse);
        Some(if is_sided { interval } else { interval.reaching(0.0) })
    }
}

/// Withholds a claim that the problem's rule contradicts.
fn unless_contrary(claim: Claim, paired: &PairedComparison) -> Claim {
    match claim {
        Claim::Better if !paired.by_rule.allows_better() => Claim::Contrary,
        Claim::Worse if !paired.by_rule.allows_worse() => Claim::Contrary,
        _ => claim,
    }
}

/// Returns whether [`infer_interim`] claims something. The interval is the longer part of that, and is left out.
///
/// # Errors
/// As [`infer_interim`].
pub fn is_decided(paired: &PairedComparison, parameters: TestParameters) -> Result<bool, InferenceError> {
    Ok(match Looks::at(paired, parameters)?.decision() {
        Decision::Better => paired.by_rule.allows_better(),
        Decision::Worse => paired.by_rule.allows_worse(),
        Decision::Smaller => true,
        Decision::Undecided => false,
    })
}

/// Returns the estimate for a fixed number of cases, whose interval shrinks at the same rate.
fn more_cases(paired: &PairedComparison, interval: Interval, parameters: TestParameters) -> Option<u64> {
    match Finding::from_interval(interval, interval.center(), paired.pairs.len(), parameters.min_effect) {
        Finding::Undecided { more_cases } => more_cases,
        Finding::Better | Finding::Worse | Finding::Smaller => None,
    }
}

fn is_all_ties(paired: &PairedComparison) -> bool {
    paired.pairs.iter().all(|pair| pair.effect == 0.0)
}
