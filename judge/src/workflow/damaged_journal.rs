//! What is said of a damaged journal: what can still be read of it, and the command that moves it away.

use super::failure::{Failure, move_away};
use super::load::{self, Given};
use super::recorder;
use crate::journal::{Journal, Legible};

/// Adds to a failure that is about the damaged journal of this catalogue what can still be read of it, and how to begin a new one.
pub(crate) fn explain(failure: Failure, given: Given<'_>) -> Failure {
    if !failure.is_damaged_journal() {
        return failure;
    }
    let Ok(catalogue) = load::catalogue_without_note(given) else { return failure };
    let path = recorder::path(&catalogue);
    let legible = match Journal::legible(&path) {
        Some(Legible { runs, results }) => format!("{runs} runs and {results} results of it can still be read"),
        None => "nothing of it can be read".to_owned(),
    };
    failure.with_hint(format!("{legible}; this makes room for a new one: {}", move_away(&path)))
}
