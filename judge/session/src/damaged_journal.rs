//! What is said of a damaged journal: what can still be read of it, and the command that moves it away.

use super::failure::{Failure, move_away};
use super::load::{self, Given};
use super::recorder;
use judge_journal::{Journal, Legible};

/// Adds to a failure that is about the damaged journal of this catalogue what can still be read of it, and how to begin a new one.
pub fn explain(failure: Failure, given: Given<'_>) -> Failure {
    if !failure.is_damaged_journal() {
        return failure;
    }
    let Ok(catalogue) = load::catalogue_without_note(given) else { return failure };
    let path = recorder::path(&catalogue);
    let legible = match Journal::legible(&path) {
        Some(Legible { runs, results }) => {
            format!("what can still be read of it is {}", runs_and_results(runs, results))
        }
        None => "nothing of it can be read".to_owned(),
    };
    failure.with_hint(format!("{legible}; this makes room for a new one: {}", move_away(&path)))
}

fn runs_and_results(runs: u64, results: u64) -> String {
    let many = |count, what| if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") };
    format!("{} and {}", many(runs, "run"), many(results, "result"))
}
