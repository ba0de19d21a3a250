//! How solvers are built: the languages of the catalogue and of the user, and the cache of compiled programs.

use super::failure::Failure;
use super::sandbox;
use judge_cli::BuildArgs;
use judge_problem::manifest::{Catalogue, built_in_languages, read_languages};
use judge_problem::{Languages, Limits, Problem, Solver, SolverSpec};
use judge_run::solver::{self, BuildSettings, Cache, Toolbox};
use judge_sandbox::Sandbox;
use parking_lot::Mutex;
use std::io;
use std::panic::resume_unwind;
use std::path::PathBuf;

/// The user's own languages, in the folder of configuration files.
const FILE: &str = "judge/languages.toml";

/// Returns how solvers of a problem are built.
pub fn settings(
    catalogue: &Catalogue,
    problem: &Problem,
    limits: &Limits,
    args: &BuildArgs,
) -> Result<BuildSettings, Failure> {
    Ok(BuildSettings {
        languages: changed_languages(catalogue)?,
        choices: args.languages.clone(),
        compiler: problem.helper_limits.compiler.clone(),
        source: problem.helper_limits.source,
        memory: limits.memory,
        bundled: catalogue.bundled(),
        cache: Cache::place().filter(|_| !args.no_cache),
    })
}

/// Returns the languages that there are.
pub fn languages(catalogue: &Catalogue) -> Result<Languages, Failure> {
    Ok(changed_languages(catalogue)?.unwrap_or_else(|| built_in_languages().clone()))
}

/// Returns the built-in languages with the changes of the user's own file, and then those of the catalogue; `None` if there
/// are no changes.
fn changed_languages(catalogue: &Catalogue) -> Result<Option<Languages>, Failure> {
    let own = match own_file() {
        Some((path, text)) => read_languages(&path.display().to_string(), &text?, built_in_languages())?,
        None => Vec::new(),
    };
    let is_changed = !own.is_empty() || !catalogue.languages().is_empty();
    Ok(is_changed.then(|| built_in_languages().clone().with(&own).with(catalogue.languages())))
}

/// Returns the user's own file and its text; `None` if there is no such file.
fn own_file() -> Option<(PathBuf, Result<String, Failure>)> {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = variable("XDG_CONFIG_HOME").or_else(|| Some(variable("HOME")?.join(".config")))?;
    let path = folder.join(FILE);
    match std::fs::read_to_string(&path) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => None,
        Err(error) => {
            let failure = Failure::usage(format!("cannot read {}: {error}", path.display()));
            Some((path, Err(failure)))
        }
        Ok(text) => Some((path, Ok(text))),
    }
}

/// Prepares a solver to be run. A line says so if the cache cannot be used.
pub fn prepare(spec: SolverSpec, toolbox: &Toolbox, sandbox: &Sandbox) -> Result<Solver, Failure> {
    let mut solvers = prepare_each(vec![spec], toolbox, sandbox, 1)?;
    Ok(solvers.remove(0))
}

/// Does the same with each of these solvers, up to `jobs` at once.
pub(crate) fn prepare_each(
    specs: Vec<SolverSpec>,
    toolbox: &Toolbox,
    sandbox: &Sandbox,
    jobs: usize,
) -> Result<Vec<Solver>, Failure> {
    let known = toolbox.cache_failure().is_some();
    let most = jobs.min(specs.len());
    let waiting = Mutex::new(specs.into_iter().enumerate());
    let next = || waiting.lock().next();
    let work = || -> Result<Vec<(usize, Solver)>, Failure> {
        let mut prepared = Vec::new();
        while let Some((place, spec)) = next() {
            let solver = solver::prepare(spec, toolbox, &mut sandbox::compiler(sandbox));
            if solver.is_err() {
                // The others end with what they are at.
                while next().is_some() {}
            }
            prepared.push((place, solver?));
        }
        Ok(prepared)
    };
    let prepared = std::thread::scope(|scope| {
        let others: Vec<_> = (1..most).map(|_| scope.spawn(work)).collect();
        let mut all = vec![work()];
        all.extend(others.into_iter().map(|other| other.join().unwrap_or_else(|panic| resume_unwind(panic))));
        all.into_iter().collect::<Result<Vec<_>, _>>()
    })?;
    if let (Some(why), false) = (toolbox.cache_failure(), known) {
        judge_report::note(&format!("warning: compiled programs are not kept: {why}"));
    }
    let mut prepared: Vec<(usize, Solver)> = prepared.into_iter().flatten().collect();
    prepared.sort_by_key(|(place, _)| *place);
    Ok(prepared.into_iter().map(|(_, solver)| solver).collect())
}
