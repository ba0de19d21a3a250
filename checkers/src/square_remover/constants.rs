//! What the game is called, and how long it is.

/// The checker's id.
pub(super) const ID: &str = "square-remover";

/// Moves in a game, and so in every answer.
pub(super) const MOVES: usize = 10_000;
