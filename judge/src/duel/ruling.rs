//! What the effects say: an estimate with its interval, and a claim where one can be made.

use super::Duel;
use crate::statistics::{
    Decision, EffectSummary, Finding, Interval, InvalidSettings, Sequence, SequenceSettings, TooFewCases,
};

/// What is asked of the effects.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stakes {
    /// The probability of a false claim.
    pub alpha: f64,
    /// The smallest effect that matters, if there is one.
    pub min_effect: Option<f64>,
    /// What no effect can be larger than, if claims about a growing number of cases are to rest on that alone.
    pub bound: Option<f64>,
    /// The seed of the bootstrap.
    pub seed: u64,
}

/// Why nothing can be said of a growing number of cases.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum Unruled {
    /// What was asked cannot be answered.
    #[error(transparent)]
    Settings(#[from] InvalidSettings),
    /// The bound does not hold.
    #[error("an effect is {effect}, but none was to be larger than {bound}")]
    BeyondBound {
        /// The effect.
        effect: f64,
        /// The bound.
        bound: f64,
    },
}

/// What can be claimed of the second solver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// It is better.
    Better,
    /// It is worse.
    Worse,
    /// What difference there is does not matter.
    Smaller,
    /// Every case both solved is a tie.
    Equal,
    /// Nothing yet.
    Undecided {
        /// About how many more cases would decide; `None`: as good as never.
        more_cases: Option<u64>,
    },
    /// There are fewer than two cases to go by.
    TooFew,
}

/// What the effects say.
#[derive(Debug, Clone, PartialEq)]
pub struct Ruling {
    /// What can be claimed.
    pub claim: Claim,
    /// The interval of the mean effect that the claim rests on: Student's for a fixed number of cases, the anytime-valid
    /// one for a growing number. `None` with too few cases.
    pub interval: Option<Interval>,
    /// Everything else there is to say about the effects, as of a fixed number of cases. `None` with too few cases.
    pub comparison: Option<EffectSummary>,
}

/// What a look at a growing number of cases shows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Look {
    /// What can be claimed now.
    pub claim: Claim,
    /// The interval now; `None` with too few cases.
    pub interval: Option<Interval>,
}

/// Rules on a number of cases that was fixed beforehand.
#[must_use]
pub fn judge_fixed(duel: &Duel, stakes: Stakes) -> Ruling {
    let comparison = match EffectSummary::of(&duel.effects(), stakes.alpha, stakes.min_effect, stakes.seed) {
        Ok(comparison) => comparison,
        Err(TooFewCases { .. }) => return Ruling { claim: Claim::TooFew, interval: None, comparison: None },
    };
    let claim = match comparison.finding {
        _ if is_all_ties(duel) => Claim::Equal,
        Finding::Better => Claim::Better,
        Finding::Worse => Claim::Worse,
        Finding::Smaller => Claim::Smaller,
        Finding::Undecided { more_cases } => Claim::Undecided { more_cases },
    };
    Ruling { claim, interval: Some(comparison.interval), comparison: Some(comparison) }
}

/// Rules on cases that came until [`look`] claimed something, or until there were no more.
///
/// # Errors
/// An alpha, a smallest effect or a bound that no test can have, or an effect beyond the bound.
pub fn judge_growing(duel: &Duel, stakes: Stakes) -> Result<Ruling, Unruled> {
    let Look { claim, interval } = look(duel, stakes)?;
    let comparison = EffectSummary::of(&duel.effects(), stakes.alpha, stakes.min_effect, stakes.seed).ok();
    Ok(Ruling { claim, interval, comparison })
}

/// Looks at cases that keep coming. It may look as often as it likes, and the cases may stop whenever it claims
/// something: the error probability is that of all looks together.
///
/// # Errors
/// An alpha, a smallest effect or a bound that no test can have, or an effect beyond the bound.
pub fn look(duel: &Duel, stakes: Stakes) -> Result<Look, Unruled> {
    let Stakes { alpha, min_effect, bound, .. } = stakes;
    let mut sequence = Sequence::new(SequenceSettings { alpha, min_effect, bound })?;
    if let Some(bound) = bound
        && let Some(pair) = duel.pairs.iter().find(|pair| pair.effect.abs() > bound)
    {
        return Err(Unruled::BeyondBound { effect: pair.effect, bound });
    }
    duel.pairs.iter().for_each(|pair| sequence.push(pair.effect));
    let interval = sequence.interval();
    let claim = match sequence.decision() {
        Decision::Better => Claim::Better,
        Decision::Worse => Claim::Worse,
        Decision::Smaller if is_all_ties(duel) => Claim::Equal,
        Decision::Smaller => Claim::Smaller,
        Decision::Undecided if duel.pairs.len() < 2 => Claim::TooFew,
        Decision::Undecided => Claim::Undecided { more_cases: interval.and_then(|now| more_cases(duel, now, stakes)) },
    };
    Ok(Look { claim, interval })
}

/// Asks the finding of a fixed number, whose interval shrinks alike.
fn more_cases(duel: &Duel, interval: Interval, stakes: Stakes) -> Option<u64> {
    match Finding::from_interval(interval, interval.center(), duel.pairs.len(), stakes.min_effect) {
        Finding::Undecided { more_cases } => more_cases,
        Finding::Better | Finding::Worse | Finding::Smaller => None,
    }
}

fn is_all_ties(duel: &Duel) -> bool {
    duel.pairs.iter().all(|pair| pair.effect == 0.0)
}
