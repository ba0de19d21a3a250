//! Compiles the setter's programs that a catalogue names by their sources.

use crate::{Failure, GlobalArgs, Result, load, sandbox};
use judge_cli::BuildArgs;
use judge_problem::{Catalogue, CommandTemplate, Limits, Plan, Problem, Solver, SolverSpec, quote, try_map};
use judge_run::solver::{self, BuildSettings, Cache, Toolbox};
use judge_sandbox::{OpenError, Options, Sandbox};
use std::path::Path;

/// The header that programs made with testlib include.
pub const TESTLIB: &str = "testlib.h";

/// Where that header is published.
pub const TESTLIB_SOURCE: &str = "https://raw.githubusercontent.com/MikeMirzayanov/testlib/master/testlib.h";

/// Compiled programs, if there are any. They are removed when this is dropped.
pub type Programs = Option<Toolbox>;

/// Returns the catalogue, as [`load::catalogue`] does, with the programs of a problem compiled.
pub fn catalogue(global: GlobalArgs<'_>, id: Option<&str>) -> Result<(Catalogue, Programs)> {
    let mut catalogue = load::catalogue(global)?;
    let programs = compile(&mut catalogue, id)?;
    Ok((catalogue, programs))
}

/// Compiles the checker, interactor, generator and validator of a problem whose command begins with a source file or folder,
/// as solvers are compiled. The problem of the catalogue then has the commands that run them.
///
/// Without an id, it is the only problem of the catalogue. If there is no such problem, nothing is compiled.
pub fn compile(catalogue: &mut Catalogue, id: Option<&str>) -> Result<Programs> {
    let Ok(original) = load::problem(catalogue, id) else { return Ok(None) };
    let mut problem = original.clone();
    let mut commands = problem.commands_mut();
    commands.retain(|command| command.language.is_some());
    if commands.is_empty() {
        return Ok(None);
    }
    let settings = settings(catalogue, original, &original.limits, &BuildArgs::default())?;
    let sandbox = Sandbox::open(&Options::default()).map_err(|error: OpenError| {
        Failure::usage(error).with_hint("`judge doctor` shows what is missing to compile the problem's programs")
    })?;
    let toolbox = Toolbox::new(sandbox.tier(), settings);
    commands.into_iter().try_for_each(|command| compile_source(command, &toolbox, &sandbox))?;
    if let Some(own) = catalogue.problems.iter_mut().find(|own| own.id == problem.id) {
        *own = problem;
    }
    Ok(Some(toolbox))
}

/// Replaces a command whose first word is a source by the command that runs its compiled form.
fn compile_source(command: &mut CommandTemplate, toolbox: &Toolbox, sandbox: &Sandbox) -> Result<()> {
    let Some(spec) = load::first_word(command) else { return Ok(()) };
    let name = spec.name.clone();
    let built = prepare(spec, toolbox, sandbox)?;
    let program = built.invocation.program().map_err(|why| {
        let failure = Failure::usage(format!("{name} does not compile: {why}"));
        match why.contains(TESTLIB) {
            true => failure.with_hint(testlib_hint(&command.folder, &name)),
            false => failure,
        }
    })?;
    let own = std::iter::once(program.path.to_string_lossy().into_owned());
    let more = program.argv.iter().skip(1).map(|word| word.to_string_lossy().into_owned());
    let arguments = shell_words::split(&command.line).unwrap_or_default().into_iter().skip(1);
    let line = shell_words::join(own.chain(more).chain(arguments));
    command.source_line = Some(std::mem::replace(&mut command.line, line));
    command.visible.clone_from(&program.visible);
    command.environment.clone_from(&program.environment);
    Ok(())
}

/// Returns the hint for a program that includes the header, by its folder or its file. `place` is the folder of the catalogue.
fn testlib_hint(place: &Path, program: &str) -> String {
    match program.ends_with('/') {
        true => {
            let header = place.join(program).join(TESTLIB);
            let here = std::env::current_dir().unwrap_or_default();
            let header = header.strip_prefix(here).unwrap_or(&header);
            format!("get it: curl -o {} {TESTLIB_SOURCE}", quote(&header.to_string_lossy()))
        }
        false => format!("put {program} and {TESTLIB} in a folder, and name that: checker-command = \"checker/\""),
    }
}

/// Returns how solvers of a problem are built.
pub fn settings(catalogue: &Catalogue, problem: &Problem, limits: &Limits, args: &BuildArgs) -> Result<BuildSettings> {
    Ok(BuildSettings {
        languages: load::changed_languages(catalogue)?,
        choices: args.languages.clone(),
        compiler: problem.helper_limits.compiler.clone(),
        source: problem.helper_limits.source,
        memory: Some(limits.memory),
        bundled: catalogue.bundled,
        cache: Cache::place().filter(|_| !args.no_cache),
    })
}

/// Returns the toolbox that builds the solvers of a plan.
pub fn toolbox(catalogue: &Catalogue, plan: &Plan, args: &BuildArgs, sandbox: &Sandbox) -> Result<Toolbox> {
    Ok(Toolbox::new(sandbox.tier(), settings(catalogue, &plan.problem, &plan.limits, args)?))
}

/// Prepares a solver to be run. Prints a line if the cache cannot be used.
pub fn prepare(spec: SolverSpec, toolbox: &Toolbox, sandbox: &Sandbox) -> Result<Solver> {
    let mut solvers = prepare_each(&[spec], toolbox, sandbox, 1)?;
    Ok(solvers.remove(0))
}

/// Prepares several solvers, up to `jobs` at once.
pub(crate) fn prepare_each(
    specs: &[SolverSpec],
    toolbox: &Toolbox,
    sandbox: &Sandbox,
    jobs: usize,
) -> Result<Vec<Solver>> {
    let known = toolbox.cache_failure().is_some();
    let prepare = |place: usize| solver::prepare(specs[place].clone(), toolbox, &mut sandbox::compiler(sandbox));
    let solvers = try_map(jobs.min(specs.len()), specs.len(), prepare)?;
    if let (Some(why), false) = (toolbox.cache_failure(), known) {
        judge_report::note(&format!("warning: compiled programs are not kept: {why}"));
    }
    Ok(solvers)
}
