//! The parameters of the test.

/// The parameters of the test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SequenceSettings {
    /// The probability of a false decision, over all looks together.
    pub alpha: f64,
    /// The smallest effect that matters, positive. Without it, only better and worse can be decided.
    pub min_effect: Option<f64>,
    /// Every effect lies between minus this and this. Then the claims are exact for any distribution.
    pub bound: Option<f64>,
    /// Large effects on this share of the cases may outweigh the others: nothing is claimed before they had the chance
    /// to show. With a bound it is not needed, and not used.
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
    /// Returns these settings if they are those of a test.
    pub(super) fn checked(self) -> Result<Self, InvalidSettings> {
        if !(self.alpha > 0.0 && self.alpha <= 0.25) {
            return Err(InvalidSettings::Alpha(self.alpha));
        }
        let is_useless = |number: &f64| !(*number > 0.0 && number.is_finite());
        if let Some(min_effect) = self.min_effect.filter(is_useless) {
            return Err(InvalidSettings::MinEffect(min_effect));
        }
        if let Some(bound) = self.bound.filter(is_useless) {
            return Err(InvalidSettings::Bound(bound));
        }
        match self.rare.filter(|rare| !(1e-4..=0.5).contains(rare)) {
            Some(rare) => Err(InvalidSettings::Rare(rare)),
            None => Ok(self),
        }
    }
}
