//! An error as one line.

use std::error::Error;

/// Returns an error with its causes, on one line.
#[must_use]
pub fn error_chain(error: &dyn Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| (**cause).source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}
