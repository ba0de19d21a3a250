//! Checks one answer, for `check` and `view`.

use super::failure::Failure;
use super::load;
use crate::cases::{CheckerError, PreparedCase, ProblemChecker};
use crate::model::{Bytes, Exit, Problem, Ruling};
use std::path::Path;

/// Fails for an interactive problem: its answers cannot be checked without running the interactor.
pub(crate) fn refuse_interactive(problem: &Problem) -> Result<(), Failure> {
    if !problem.checker.is_interactive() {
        return Ok(());
    }
    let hint = format!("`judge run -p {} -s SOLVER` has the solver and the interactor converse", problem.id);
    Err(Failure::usage(format!("`{}` is interactive: {}", problem.id, CheckerError::Interactive)).with_hint(hint))
}

/// Reads the input of a case.
pub(crate) fn prepare(problem: &Problem, input: &[u8], name: &str) -> Result<PreparedCase, Failure> {
    ProblemChecker::of(problem).prepare(input).map_err(|error| match error {
        CheckerError::Malformed(malformed) => {
            let hint = format!("`judge show {}` describes the input; is it of another problem?", problem.id);
            Failure::usage(format!("{name} is not an input of `{}`: {malformed}", problem.id)).with_hint(hint)
        }
        other => other.into(),
    })
}

/// Checks the answer in a file. An answer that is longer than the limit is rejected unread.
pub(crate) fn check(
    problem: &Problem,
    input: &[u8],
    name: &str,
    output: &Path,
    limit: Bytes,
) -> Result<Ruling, Failure> {
    let case = prepare(problem, input, name)?;
    match load::bytes_up_to("the answer", output, limit)? {
        Some(answer) => Ok(case.check(&answer)?),
        None => Ok(too_long(limit)),
    }
}

/// Returns the decision about an answer beyond the output limit.
pub(crate) fn too_long(limit: Bytes) -> Ruling {
    Ruling::rejected(format!("more than {limit} of output"))
}

/// Returns the exit code of a command on one answer.
pub(crate) fn exit(ruling: &Ruling) -> Exit {
    match ruling {
        Ruling::Accepted(_) => Exit::Success,
        Ruling::Rejected(_) => Exit::NotAccepted,
    }
}
