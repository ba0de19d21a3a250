//! `judge check`: what an answer is worth, without running anything.

use super::check_folder::check_folder;
use super::check_run::check_run;
use super::failure::Failure;
use super::load;
use crate::cases::{Admitted, Inputs, Referee, RefereeError};
use crate::cli::CheckArgs;
use crate::model::{Bytes, Exit, Problem, Ruling};
use crate::report;
use std::path::Path;

/// Checks one answer, or all answers of a folder.
pub(super) fn check(catalogue: Option<&Path>, args: &CheckArgs) -> Result<Exit, Failure> {
    if let Some(run) = args.run {
        return check_run(catalogue, run, args.output_limit);
    }
    let catalogue = load::catalogue(catalogue)?;
    let problem = catalogue.find(args.problem.as_deref().unwrap_or_default())?;
    refuse_interactive(problem)?;
    let limit = args.output_limit.unwrap_or(problem.limits.output);
    match (&args.dir, &args.output) {
        (Some(folder), _) => check_folder(problem, folder, limit),
        (None, Some(output)) => check_one(problem, args, output, limit),
        (None, None) => Err(Failure::usage("there is no answer to check").with_hint("name its file with --output")),
    }
}

fn check_one(problem: &Problem, args: &CheckArgs, output: &Path, limit: Bytes) -> Result<Exit, Failure> {
    if args.input.as_deref() == Some(Path::new("-")) && output == Path::new("-") {
        return Err(Failure::usage("the input and the answer cannot both come from standard input"));
    }
    let (input, name) = match (&args.input, args.seed) {
        (Some(path), _) => (load::bytes("the input", path)?, path.display().to_string()),
        (None, seed) => {
            let seed = seed.unwrap_or_default();
            (Inputs::of(problem).generate(seed)?, format!("seed {seed}"))
        }
    };
    let ruling = rule(problem, &input, &name, output, limit)?;
    report::print_line(&text(&ruling))?;
    Ok(exit(&ruling))
}

/// Says what the answer in a file is worth. A solver that prints more than the limit has no answer, however the rest
/// of it goes on.
pub(super) fn rule(
    problem: &Problem,
    input: &[u8],
    name: &str,
    output: &Path,
    limit: Bytes,
) -> Result<Ruling, Failure> {
    let case = admit(problem, input, name)?;
    match load::bytes_up_to("the answer", output, limit)? {
        Some(answer) => Ok(case.rule(&answer)?),
        None => Ok(too_long(limit)),
    }
}

/// What is said of an answer beyond the output limit.
pub(super) fn too_long(limit: Bytes) -> Ruling {
    Ruling::Rejected { place: String::new(), reason: format!("more than {limit} of output") }
}

/// Refuses what takes an answer by itself for a problem whose solvers converse.
pub(super) fn refuse_interactive(problem: &Problem) -> Result<(), Failure> {
    if !problem.checker.is_interactive() {
        return Ok(());
    }
    let hint = format!("`judge run -p {} -s SOLVER` has the solver and the interactor converse", problem.id);
    Err(Failure::usage(format!("`{}` is interactive: {}", problem.id, RefereeError::Interactive)).with_hint(hint))
}

/// Reads a case that the user named.
pub(super) fn admit(problem: &Problem, input: &[u8], name: &str) -> Result<Admitted, Failure> {
    Referee::of(problem).admit(input).map_err(|error| match error {
        RefereeError::Malformed(malformed) => {
            let hint = format!("`judge show {}` tells what an input looks like; is it of another problem?", problem.id);
            Failure::usage(format!("{name} is not an input of `{}`: {malformed}", problem.id)).with_hint(hint)
        }
        other => other.into(),
    })
}

/// What is said of an answer: `accepted SCORE` or `rejected PLACE: WHY`.
pub(super) fn text(ruling: &Ruling) -> String {
    match ruling {
        Ruling::Accepted(score) => format!("accepted {score}"),
        Ruling::Rejected { place, reason } if place.is_empty() => format!("rejected answer: {reason}"),
        Ruling::Rejected { place, reason } => format!("rejected {place}: {reason}"),
    }
}

/// How a command on one answer ends.
pub(super) fn exit(ruling: &Ruling) -> Exit {
    match ruling {
        Ruling::Accepted(_) => Exit::Success,
        Ruling::Rejected { .. } => Exit::NotAccepted,
    }
}
