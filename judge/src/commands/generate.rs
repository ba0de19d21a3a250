//! `judge gen`: writes the inputs of cases.

use crate::cases::Inputs;
use crate::cli::GenArgs;
use crate::model::{Exit, Problem};
use crate::report;
use crate::workflow::failure::Failure;
use crate::workflow::load::Given;
use crate::workflow::{load, programs};

/// Writes the inputs of cases, to standard output or into a folder.
pub(super) fn generate(catalogue: Given<'_>, args: &GenArgs) -> Result<Exit, Failure> {
    let (catalogue, _programs) = programs::catalogue(catalogue, args.problem.id())?;
    let inputs = inputs(load::problem(&catalogue, args.problem.id())?)?;
    let Some(folder) = &args.dir else {
        let seed = args.seed.unwrap_or_default();
        report::print_bytes(&inputs.generate(seed)?)?;
        return Ok(Exit::Success);
    };
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::usage(format!("cannot make the folder {}: {error}", folder.display())))?;
    let seeds = args.seeds.iter().flat_map(crate::model::Seeds::iter).chain(args.seed);
    let mut written = 0_usize;
    for seed in seeds {
        load::write("the case", &folder.join(format!("seed-{seed}.in")), &inputs.generate(seed)?)?;
        written += 1;
    }
    report::note(&format!("wrote {written} cases to {}", folder.display()));
    Ok(Exit::Success)
}

fn inputs(problem: &Problem) -> Result<Inputs, Failure> {
    if problem.generator.is_none() {
        let hint = "add `generator-command = \"./gen {seed}\"` to its [[problem]]";
        return Err(Failure::usage(format!("the problem `{}` has no generator", problem.id)).with_hint(hint));
    }
    Ok(Inputs::of(problem))
}
