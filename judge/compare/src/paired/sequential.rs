//! The inference from a growing number of cases.

use super::PairedComparison;
use super::inference::{Claim, Inference, InferenceError, Interim, TestParameters, summary};
use super::rule_effect::RuleEffect;
use judge_statistics::{
    Decision, Finding, Interval, InvalidSettings, LikelihoodRatio, Sequence, SequenceSettings, Term,
};

/// The test of a growing number of cases, which takes them one by one. A look takes no longer where there are more.
#[derive(Debug, Clone)]
pub(super) struct SequentialTest {
    parameters: TestParameters,
    /// The largest effect of a difference of 1.
    unit: f64,
    sequence: Sequence,
    ratio: Option<LikelihoodRatio>,
    /// Whether every effect is 0.
    is_all_ties: bool,
}

impl SequentialTest {
    pub(super) fn new(parameters: TestParameters, unit: f64) -> Result<Self, InvalidSettings> {
        let TestParameters { alpha, min_effect, bound, rare, hypotheses } = parameters;
        // A rounding error more, so that an effect at the bound is within it.
        let bound = bound.map(|bound| bound * unit * (1.0 + 1e-9));
        let sequence = Sequence::new(SequenceSettings { alpha, min_effect, bound, rare })?;
        Ok(Self { parameters, unit, sequence, ratio: hypotheses.map(LikelihoodRatio::new), is_all_ties: true })
    }

    fn with(paired: &PairedComparison, parameters: TestParameters) -> Result<Self, InferenceError> {
        let mut test = Self::new(parameters, paired.unit)?;
        paired.pairs.iter().try_for_each(|pair| test.push(pair.term))?;
        Ok(test)
    }

    /// Adds a case.
    pub(super) fn push(&mut self, term: Term) -> Result<(), InferenceError> {
        if let Some(bound) = self.parameters.bound
            && term.effect.abs() > bound * self.unit * (1.0 + 1e-9)
        {
            return Err(InferenceError::BeyondBound { difference: term.effect.abs() / self.unit, bound });
        }
        self.sequence.push_term(term);
        if let Some(ratio) = &mut self.ratio {
            ratio.push(term);
        }
        self.is_all_ties &= term.effect == 0.0;
        Ok(())
    }

    /// Returns the claim now, without an estimate of the cases that are missing. `solved` is the number of cases that
    /// both solvers solved.
    pub(super) fn claim(&self, solved: usize, by_rule: RuleEffect) -> Claim {
        let claim = match &self.ratio {
            Some(ratio) => ratio.accepted().map(Claim::Accepted),
            None => match self.sequence.decision() {
                Decision::Better => Some(Claim::Better),
                Decision::Worse => Some(Claim::Worse),
                Decision::Smaller if self.is_all_ties => Some(Claim::Equal),
                Decision::Smaller => Some(Claim::Smaller),
                Decision::Undecided => None,
            },
        };
        let is_few = solved.min(self.sequence.count()) < 2;
        let open = if is_few { Claim::TooFew } else { Claim::Undecided { more_cases: None } };
        claim.unwrap_or(open).unless_contrary(by_rule, self.parameters.hypotheses)
    }
}

/// Returns the claim of [`infer_interim`], without an estimate of the cases that are missing. The interval is the longer
/// part of that, and is left out.
///
/// # Errors
/// As [`infer_interim`].
pub fn interim_claim(paired: &PairedComparison, parameters: TestParameters) -> Result<Claim, InferenceError> {
    Ok(SequentialTest::with(paired, parameters)?.claim(paired.solved, paired.by_rule))
}

/// Infers from cases that were added until [`infer_interim`] claimed something, or until there were no more.
///
/// # Errors
/// An alpha, a smallest effect or a bound that is out of range, or an effect beyond the bound.
pub fn infer_sequential(paired: &PairedComparison, parameters: TestParameters) -> Result<Inference, InferenceError> {
    let Interim { claim, interval, log_likelihood_ratio } = infer_interim(paired, parameters)?;
    Ok(Inference { claim, interval, summary: summary(paired, parameters).ok(), log_likelihood_ratio })
}

/// Infers from a growing number of cases. It may be called after every case, and the cases may end as soon as it claims
/// something: the error probability covers all looks together.
///
/// # Errors
/// An alpha, a smallest effect or a bound that is out of range, or an effect beyond the bound.
pub fn infer_interim(paired: &PairedComparison, parameters: TestParameters) -> Result<Interim, InferenceError> {
    let test = SequentialTest::with(paired, parameters)?;
    let interval = test.sequence.interval();
    let claim = match test.claim(paired.solved, paired.by_rule) {
        Claim::Undecided { .. } if parameters.hypotheses.is_none() => {
            Claim::Undecided { more_cases: interval.and_then(|now| more_cases(paired, now, parameters)) }
        }
        claim => claim,
    };
    Ok(Interim { claim, interval, log_likelihood_ratio: test.ratio.map(|ratio| ratio.logarithm()) })
}

/// What is known after some of the cases.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Look {
    /// The number of cases with an effect.
    pub cases: usize,
    /// Their mean effect.
    pub mean: f64,
    /// The anytime-valid interval; `None` with too few cases.
    pub interval: Option<Interval>,
}

/// The number of looks while the number of cases grows by a factor of e: an interval takes as long as all its cases.
const LOOKS: usize = 16;

/// Returns what [`infer_interim`] says after growing numbers of the cases: each of the first few, then ever fewer, and the
/// last.
///
/// # Errors
/// As [`infer_interim`].
pub fn looks(paired: &PairedComparison, parameters: TestParameters) -> Result<Vec<Look>, InferenceError> {
    let mut test = SequentialTest::new(parameters, paired.unit)?;
    let (mut effects, mut bases, mut next) = (0.0, 0.0, 1);
    let mut looks = Vec::new();
    for (place, pair) in paired.pairs.iter().enumerate() {
        test.push(pair.term)?;
        effects += pair.effect;
        bases += pair.base;
        let cases = place + 1;
        if cases < next && cases < paired.pairs.len() {
            continue;
        }
        next = cases + cases.div_ceil(LOOKS);
        if bases > 0.0 {
            looks.push(Look { cases, mean: effects / bases, interval: test.sequence.interval() });
        }
    }
    Ok(looks)
}

/// Returns the estimate for a fixed number of cases, whose interval shrinks at the same rate.
fn more_cases(paired: &PairedComparison, interval: Interval, parameters: TestParameters) -> Option<u64> {
    match Finding::from_interval(interval, interval.center(), paired.pairs.len(), parameters.min_effect) {
        Finding::Undecided { more_cases } => more_cases,
        Finding::Better | Finding::Worse | Finding::Smaller => None,
    }
}
