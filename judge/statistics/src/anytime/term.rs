//! One case of a mean that may be a ratio of sums.

/// The effect of a case, and what it is a part of. The mean effect is the sum of the effects over the sum of the bases:
/// a plain mean where every base is 1, a share of a total where the base is what the case adds to that total.
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
    #[must_use]
    pub fn plain(effect: f64) -> Self {
        Self { effect, base: 1.0 }
    }

    /// Returns the distance of the effect from what a mean of `center` makes of the base.
    pub(crate) fn distance(self, center: f64) -> f64 {
        self.effect - center * self.base
    }
}
