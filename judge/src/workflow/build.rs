//! How solvers are built: the languages of the catalogue and of the user, and the cache of compiled programs.

use super::failure::Failure;
use super::sandbox;
use crate::cli::BuildArgs;
use crate::manifest::{Catalogue, built_in_languages, read_languages};
use crate::model::{Languages, Limits, Problem, Solver, SolverSpec};
use crate::report;
use crate::solver::{self, BuildSettings, Cache, Toolbox};
use judge_sandbox::Sandbox;
use std::io;
use std::path::PathBuf;

/// The user's own languages, in the folder of configuration files.
const FILE: &str = "judge/languages.toml";

/// Returns how solvers of a problem are built.
pub(crate) fn settings(
    catalogue: &Catalogue,
    problem: &Problem,
    limits: &Limits,
    args: &BuildArgs,
) -> Result<BuildSettings, Failure> {
    Ok(BuildSettings {
        languages: languages(catalogue)?,
        choices: args.languages.clone(),
        compiler: problem.helper_limits.compiler.clone(),
        source: problem.helper_limits.source,
        memory: limits.memory,
        cache: Cache::place().filter(|_| !args.no_cache),
    })
}

/// Returns the built-in languages with the changes of the user's own file, and then those of the catalogue.
pub(crate) fn languages(catalogue: &Catalogue) -> Result<Languages, Failure> {
    let built_in = built_in_languages();
    let own = match own_file() {
        Some((path, text)) => read_languages(&path.display().to_string(), &text?, &built_in)?,
        None => Vec::new(),
    };
    Ok(built_in.with(&own).with(catalogue.languages()))
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
pub(crate) fn prepare(spec: SolverSpec, toolbox: &mut Toolbox, sandbox: &Sandbox) -> Result<Solver, Failure> {
    let known = toolbox.cache_failure().is_some();
    let solver = solver::prepare(spec, toolbox, &mut sandbox::compiler(sandbox))?;
    if let (Some(why), false) = (toolbox.cache_failure(), known) {
        report::note(&format!("warning: compiled programs are not kept: {why}"));
    }
    Ok(solver)
}
