//! An interval of effects.

/// The effects that the data do not rule out, ends included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The smallest of them.
    pub low: f64,
    /// The largest of them.
    pub high: f64,
}

impl Interval {
    /// Returns the middle.
    #[must_use]
    pub fn center(self) -> f64 {
        self.low + (self.high - self.low) / 2.0
    }

    /// Returns half the width, the number after a `±`.
    #[must_use]
    pub fn radius(self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// Returns whether `effect` lies within.
    #[must_use]
    pub fn contains(self, effect: f64) -> bool {
        self.low <= effect && effect <= self.high
    }

    /// Returns the smallest interval that contains this one and `effect`.
    #[must_use]
    pub fn reaching(self, effect: f64) -> Self {
        Self { low: self.low.min(effect), high: self.high.max(effect) }
    }

    /// Returns whether every effect within is smaller than `bound` in size.
    #[must_use]
    pub fn is_within(self, bound: f64) -> bool {
        -bound < self.low && self.high < bound
    }
}
