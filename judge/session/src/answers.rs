//! Checks one answer, for `check` and `view`.

use crate::{Failure, Result, load};
use judge_problem::verdict::Decision;
use judge_problem::{
    Bytes, CaseSource, Digest, Exit, Problem, Ruling, RunId, StoredCase, StoredRun, Verdict, Viewer, error_chain, tail,
};
use judge_run::cases::{CheckerError, Inputs, PreparedCase, ProblemChecker};
use judge_run::command::SetterProgram;
use judge_run::files;
use std::path::{Path, PathBuf};

/// Fails for an interactive problem, because its answers cannot be checked without their conversation.
pub fn refuse_interactive(problem: &Problem) -> Result<()> {
    if problem.checker.checks_answers() {
        return Ok(());
    }
    let other = problem.checker.role();
    let hint = format!("`judge run -p {} -s SOLVER` has the solver and the {other} converse", problem.id);
    Err(Failure::usage(format!("`{}` is interactive: {}", problem.id, CheckerError::Interactive)).with_hint(hint))
}

/// Fails if both the input and the answer are standard input.
pub fn refuse_one_stdin(input: Option<&Path>, answer: Option<&Path>) -> Result<()> {
    match [input, answer].iter().all(|path| *path == Some(Path::new("-"))) {
        true => Err(Failure::usage("the input and the answer cannot both come from standard input")),
        false => Ok(()),
    }
}

/// Returns the input in a file, or else the one made from a seed, and its name in messages.
pub fn named_input(problem: &Problem, file: Option<&Path>, seed: u64) -> Result<(Vec<u8>, String)> {
    match file {
        Some(path) => Ok((load::bytes("the input", path)?, path.display().to_string())),
        None => Ok((Inputs::of(problem).generate(seed)?, format!("seed {seed}"))),
    }
}

/// Reads the input of a case: from this file, if the case is one, and with this answer file, if the user names one.
pub fn prepare(
    problem: &Problem,
    input: &[u8],
    name: &str,
    file: Option<&Path>,
    expected: Option<&Path>,
) -> Result<PreparedCase> {
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
pub fn check(case: &PreparedCase, output: &Path, limit: Bytes) -> Result<Decision> {
    match load::bytes_up_to("the answer", output, limit)? {
        Some(answer) => Ok(case.decide(&answer)?),
        None => Ok(too_long(limit).into()),
    }
}

/// Returns the decision about an answer beyond the output limit.
pub fn too_long(limit: Bytes) -> Ruling {
    Ruling::rejected(format!("more than {limit} of output"))
}

/// Returns the exit code of a command on one answer.
pub fn exit_of(ruling: &Ruling) -> Exit {
    match ruling {
        Ruling::Accepted(_) => Exit::Success,
        Ruling::Rejected(_) => Exit::NotAccepted,
    }
}

/// Returns the case of this name.
pub fn find_case(run: &StoredRun, name: &str) -> Result<StoredCase> {
    let place = run.cases.specs().place_of(name);
    place.map(|place| run.cases.at(place)).ok_or_else(|| {
        let hint = format!("`judge history show {} --all` lists its cases", run.id);
        Failure::usage(format!("run {} has no finished case `{name}`", run.id)).with_hint(hint)
    })
}

/// Returns the error for a result whose answer is not stored.
pub fn no_answer(run: RunId, player: &str, case: &StoredCase, verdict: Verdict) -> Failure {
    Failure::usage(format!("run {run} has no stored answer of `{player}` to {} ({verdict})", case.spec.name))
}

/// Returns the input of a recorded case of a run, to be shown.
pub fn shown_input(problem: &Problem, run: RunId, case: &StoredCase) -> Result<Vec<u8>> {
    input(&Inputs::of(problem), case)
        .map_err(|why| Failure::usage(format!("{} of run {run} cannot be shown: {why}", case.spec.name)))
}

/// Returns the input of a recorded case. Fails, with the reason, if it is not the recorded one.
pub fn input(inputs: &Inputs, case: &StoredCase) -> Result<Vec<u8>, String> {
    let input = inputs.load(&case.spec).map_err(|error| error_chain(&error))?;
    if case.input != Some(Digest::of(&input)) {
        return Err("the case's input has changed".to_owned());
    }
    Ok(input)
}

/// Returns the page for an answer to a case, as the problem's `view-command` draws it.
pub fn drawn_page(
    problem: &Problem,
    viewer: &Viewer,
    source: Option<&CaseSource>,
    input: &[u8],
    answer: &[u8],
) -> Result<Vec<u8>> {
    let program = SetterProgram::new(&viewer.command, &problem.helper_limits.checker);
    let file = ProblemChecker::of(problem).answer_file(source)?;
    let read = |path: PathBuf| files::read(&path).map_err(|error| CheckerError::AnswerFile(path, error));
    let expected = file.map(read).transpose()?;
    let (ended, page) = program.draw(input, answer, expected.as_deref(), &viewer.page).map_err(Failure::fault)?;
    page.filter(|_| ended.status.success()).ok_or_else(|| {
        let said = [&ended.stderr, &ended.stdout].map(|text| tail(text)).join(" ");
        let (name, page) = (&viewer.command.line, viewer.page.display());
        Failure::fault(format!("`{name}` made no {page} ({}): {}", ended.status, said.trim()))
    })
}
