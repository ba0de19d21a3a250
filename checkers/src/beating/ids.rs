//! The ids of the two games.

/// The id of the easy game.
pub(super) const EASY: &str = "beating-the-game-easy";

/// The id of the hard game.
pub(super) const HARD: &str = "beating-the-game-hard";
