//! `judge gen`: writes the inputs of cases.

use judge_cli::GenArgs;
use judge_problem::{BundledSolver, Exit, Seeds, counted, try_map_on_all_cores};
use judge_run::cases::Inputs;
use judge_session::{Failure, GlobalArgs, Result, load, programs};
use std::collections::BTreeSet;
use std::process::ExitCode;
use std::sync::LazyLock;

/// Seeds that are looked at together: a range may have any number of them.
const BLOCK: usize = 1 << 12;

/// Writes the inputs of cases, to standard output or into a folder.
pub(super) fn generate(global: GlobalArgs<'_>, args: &GenArgs) -> Result<Exit> {
    let (catalogue, _programs) = programs::catalogue(global, args.problem.id())?;
    let problem = load::problem(&catalogue, args.problem.id())?;
    if problem.generator.is_none() {
        let hint = "add `generator-command = \"./gen {seed}\"` to its [[problem]]";
        return Err(Failure::usage(format!("the problem `{}` has no generator", problem.id)).with_hint(hint));
    }
    let inputs = Inputs::of(problem);
    let Some(folder) = &args.dir else {
        let input = match &args.case {
            Some(call) => inputs.generate_call(call)?,
            None => inputs.generate(args.seed.unwrap_or_default())?,
        };
        judge_report::print_bytes(&input)?;
        return Ok(Exit::Success);
    };
    load::make_folder(folder)?;
    if let Some(call) = &args.case {
        load::write("the case", &folder.join(format!("{call}.in")), &inputs.generate_call(call)?)?;
        return Ok(Exit::Success);
    }
    let mut seen = BTreeSet::new();
    let mut seeds = args.seeds.iter().flat_map(Seeds::iter).chain(args.seed).filter(|seed| seen.insert(*seed));
    let mut written = 0;
    loop {
        let block: Vec<u64> = seeds.by_ref().take(BLOCK).collect();
        if block.is_empty() {
            break;
        }
        try_map_on_all_cores(block.len(), |number| {
            let seed = block[number];
            load::write("the case", &folder.join(format!("seed-{seed}.in")), &inputs.generate(seed)?)
        })?;
        written += block.len();
    }
    judge_report::note(&format!("wrote {} to {}", counted(written, "case"), folder.display()));
    Ok(Exit::Success)
}

/// Returns the bundled solvers, for the search of solvers' programs.
pub(super) fn bundled() -> &'static [BundledSolver] {
    static BUNDLED: LazyLock<Vec<BundledSolver>> = LazyLock::new(|| {
        solutions::all().map(|solution| BundledSolver { id: solution.id, summary: solution.summary }).collect()
    });
    &BUNDLED
}

/// Returns the ids of the bundled solvers.
pub(super) fn ids() -> Vec<&'static str> {
    solutions::all().map(|solution| solution.id).collect()
}

/// Runs a bundled solver on standard input and output.
pub(super) fn solve(id: &str) -> ExitCode {
    let Some(solution) = solutions::find(id) else {
        judge_report::note(&format!("error: there is no bundled solver `{id}`"));
        judge_report::note(&format!("hint: one of {}", ids().join(", ")));
        return ExitCode::from(Exit::Usage.code());
    };
    solutions::main_of(solution)
}
