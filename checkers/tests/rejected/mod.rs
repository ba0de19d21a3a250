//! What an answer is rejected for.

use checkers::{CheckError, Rejection, Score};

/// Returns why an answer breaks the rules.
pub(crate) fn rejected(result: Result<Score, CheckError>) -> Rejection {
    match result {
        Err(CheckError::Rejected(rejection)) => rejection,
        other => panic!("the answer is not rejected: {other:?}"),
    }
}
