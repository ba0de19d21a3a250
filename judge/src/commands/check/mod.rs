//! `judge check`: checks an answer, without running anything.

mod folder;
mod run;

use folder::check_folder;
use judge_cli::CheckArgs;
use judge_problem::{Bytes, Exit, Problem};
use judge_run::cases::Inputs;
use judge_session::answer::{self, exit, refuse_interactive};
use judge_session::failure::Failure;
use judge_session::load::Given;
use judge_session::{load, programs};
use run::check_run;
use std::path::Path;

/// Checks one answer, or all answers of a folder.
pub(super) fn check(catalogue: Given<'_>, args: &CheckArgs) -> Result<Exit, Failure> {
    if let Some(run) = args.run {
        return check_run(catalogue, args.problem.id(), run, args.output_limit);
    }
    let (catalogue, _programs) = programs::catalogue(catalogue, args.problem.id())?;
    let problem = load::problem(&catalogue, args.problem.id())?;
    refuse_interactive(problem)?;
    let limit = args.output_limit.unwrap_or(problem.limits.output);
    match (&args.dir, &args.output) {
        (Some(folder), _) => check_folder(problem, folder, limit),
        (None, Some(output)) => check_one(problem, args, output, limit),
        (None, None) => Err(Failure::usage("no answer to check is given").with_hint("name its file with --output")),
    }
}

fn check_one(problem: &Problem, args: &CheckArgs, output: &Path, limit: Bytes) -> Result<Exit, Failure> {
    if args.input.as_deref() == Some(Path::new("-")) && output == Path::new("-") {
        return Err(Failure::usage("the input and the answer cannot both come from standard input"));
    }
    if args.answer.is_some() && problem.checker.answers().is_none() {
        let hint = "`checker = \"tokens\"` and commands do: `judge help check`";
        return Err(
            Failure::usage(format!("the checker of `{}` compares with no answer file", problem.id)).with_hint(hint)
        );
    }
    let (input, name) = match (&args.input, args.seed) {
        (Some(path), _) => (load::bytes("the input", path)?, path.display().to_string()),
        (None, seed) => {
            let seed = seed.unwrap_or_default();
            (Inputs::of(problem).generate(seed)?, format!("seed {seed}"))
        }
    };
    let file = args.input.as_deref();
    let case = answer::prepare(problem, &input, &name, file, args.answer.as_deref())?;
    let ruling = answer::check(&case, output, limit)?;
    judge_report::print_line(&ruling.to_string())?;
    Ok(exit(&ruling))
}
