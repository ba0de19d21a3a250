//! The input of a test: its parameters, and the effect of one case.

/// The parameters of the test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SequenceSettings {
    /// The probability of a false decision, over all looks together.
    pub alpha: f64,
    /// The smallest effect that matters, positive. Without it, only better and worse can be decided.
    pub min_effect: Option<f64>,
    /// Every effect lies between minus this and this. Then the claims are exact for any distribution.
    pub bound: Option<f64>,
    /// Large effects on this share of the cases may outweigh the others, so nothing is claimed before such effects
    /// could have shown. With a bound this is unnecessary, and not used.
    pub rare: Option<f64>,
}

/// Invalid parameters of a test.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum InvalidSettings {
    /// The error probability is out of range.
    #[error("alpha must be above 0 and at most 0.25, not {0}")]
    Alpha(f64),
    /// The smallest effect that matters is not a positive number.
    #[error("the smallest effect that matters must be above 0, not {0}")]
    MinEffect(f64),
    /// The bound is not a positive number.
    #[error("the bound of the effects must be above 0, not {0}")]
    Bound(f64),
    /// The share of rare effects is not one.
    #[error("the share of rare effects must be from 0.01 % to 50 %, not {0}")]
    Rare(f64),
}

impl SequenceSettings {
    /// Returns these settings if they are valid.
    pub(super) fn checked(self) -> Result<Self, InvalidSettings> {
        if !(self.alpha > 0.0 && self.alpha <= 0.25) {
            return Err(InvalidSettings::Alpha(self.alpha));
        }
        let is_useless = |number: &f64| !(*number > 0.0 && number.is_finite());
        let min_effect = self.min_effect.filter(is_useless).map(InvalidSettings::MinEffect);
        let bound = self.bound.filter(is_useless).map(InvalidSettings::Bound);
        let rare = self.rare.filter(|rare| !(1e-4..=0.5).contains(rare)).map(InvalidSettings::Rare);
        min_effect.or(bound).or(rare).map_or(Ok(self), Err)
    }
}

/// The effect of a case, and its base. The mean effect is the sum of the effects over the sum of the bases. It is a
/// plain mean if every base is 1, and a share of a total if each base is the case's part of that total.
///
/// The claim that the mean lies above c is the claim that effect - c * base is above 0 on average (Fieller, "Some
/// problems in interval estimation", JRSS B 16, 1954). So a share of a total is tested like a mean, without an estimate
/// of the total.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Term {
    /// The effect, in the unit of the base.
    pub effect: f64,
    /// The base. The sum over the cases is above 0.
    pub base: f64,
}

impl Term {
    /// Returns the term of a plain mean.
    pub fn plain(effect: f64) -> Self {
        Self { effect, base: 1.0 }
    }

    /// Returns the distance of the effect from `center` times the base.
    pub(crate) fn distance(self, center: f64) -> f64 {
        self.effect - center * self.base
    }
}
