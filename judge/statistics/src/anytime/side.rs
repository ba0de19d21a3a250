//! The two claims that can be made about a mean.

/// A one-sided claim about the mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// The mean lies above the center.
    Above,
    /// The mean lies below the center.
    Below,
}

impl Side {
    pub(super) fn sign(self) -> f64 {
        match self {
            Self::Above => 1.0,
            Self::Below => -1.0,
        }
    }
}
