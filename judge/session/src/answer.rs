//! Checks one answer, for `check` and `view`.

use super::failure::Failure;
use super::load;
use judge_problem::{Bytes, CaseSource, CheckerChoice, Exit, Problem, Ruling};
use judge_run::cases::{CheckerError, PreparedCase, ProblemChecker};
use std::path::Path;

/// Fails for an interactive problem whose answers cannot be checked without their conversation.
pub fn refuse_interactive(problem: &Problem) -> Result<(), Failure> {
    let other = match &problem.checker {
        checker if checker.checks_answers() => return Ok(()),
        CheckerChoice::Tester(_) => "tester",
        _ => "interactor",
    };
    let hint = format!("`judge run -p {} -s SOLVER` has the solver and the {other} converse", problem.id);
    Err(Failure::usage(format!("`{}` is interactive: {}", problem.id, CheckerError::Interactive)).with_hint(hint))
}

/// Reads the input of a case: of this file, if it is one, and with this answer file, if the user names one.
pub fn prepare(
    problem: &Problem,
    input: &[u8],
    name: &str,
    file: Option<&Path>,
    expected: Option<&Path>,
) -> Result<PreparedCase, Failure> {
    let source = file.map(|file| CaseSource::File(file.to_owned()));
    ProblemChecker::of(problem).with_answer(expected).prepare(input, source.as_ref()).map_err(|error| match error {
        CheckerError::Malformed(malformed) => {
            let hint = format!("`judge show {}` describes the input; is it of another problem?", problem.id);
            Failure::usage(format!("{name} is not an input of `{}`: {malformed}", problem.id)).with_hint(hint)
        }
        CheckerError::NoAnswerFile => Failure::usage(error.to_string()),
        other => other.into(),
    })
}

/// Checks the answer in a file. An answer that is longer than the limit is rejected unread.
pub fn check(case: &PreparedCase, output: &Path, limit: Bytes) -> Result<Ruling, Failure> {
    match load::bytes_up_to("the answer", output, limit)? {
        Some(answer) => Ok(case.check(&answer)?),
        None => Ok(too_long(limit)),
    }
}

/// Returns the decision about an answer beyond the output limit.
pub fn too_long(limit: Bytes) -> Ruling {
    Ruling::rejected(format!("more than {limit} of output"))
}

/// Returns the exit code of a command on one answer.
pub fn exit(ruling: &Ruling) -> Exit {
    match ruling {
        Ruling::Accepted(_) => Exit::Success,
        Ruling::Rejected(_) => Exit::NotAccepted,
    }
}
