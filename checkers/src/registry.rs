//! The list of all checkers.

use crate::Checker;

/// In the order of the catalogue, one line each.
#[rustfmt::skip]
static CHECKERS: &[&dyn Checker] = &[
    &crate::columns::Columns,
    &crate::square_remover::SquareRemover,
    &crate::same_game::SameGame,
    &crate::same_game::SameGameFree,
    &crate::deletion_game::DeletionGame,
    &crate::beating::BeatingTheGameEasy,
    &crate::beating::BeatingTheGameHard,
];

/// Returns every built-in checker, in the order of the catalogue.
#[must_use]
pub fn all() -> &'static [&'static dyn Checker] {
    CHECKERS
}

/// Returns the checker with this id.
#[must_use]
pub fn find(id: &str) -> Option<&'static dyn Checker> {
    all().iter().copied().find(|checker| checker.id() == id)
}
