//! The part of a game that is shown.

/// The moves from `from` to `to`; `None` is the first or the last one.
#[derive(Debug, Clone, Copy, Default)]
pub struct MoveRange {
    /// The first move.
    pub from: Option<usize>,
    /// The last move.
    pub to: Option<usize>,
}

impl MoveRange {
    /// Returns whether a move is part of it.
    #[must_use]
    pub fn contains(self, step: usize) -> bool {
        self.from.is_none_or(|from| step >= from) && self.to.is_none_or(|to| step <= to)
    }
}
