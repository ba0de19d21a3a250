//! Compiles the setter's programs that a catalogue names by their sources.

use crate::{Failure, GlobalArgs, load, sandbox};
use judge_cli::BuildArgs;
use judge_problem::{
    Catalogue, CommandTemplate, CompiledNeeds, Languages, Limits, Plan, Problem, Solver, SolverSpec,
    built_in_languages, quote, read_languages,
};
use judge_run::solver::{self, BuildSettings, Cache, Toolbox};
use judge_sandbox::{OpenError, Options, Sandbox};
use parking_lot::Mutex;
use std::io;
use std::path::{Path, PathBuf};

/// The header that programs made with testlib include.
pub const TESTLIB: &str = "testlib.h";

/// Where that header is published.
pub const TESTLIB_SOURCE: &str = "https://raw.githubusercontent.com/MikeMirzayanov/testlib/master/testlib.h";

/// Compiled programs. They are removed when this is dropped.
pub struct Programs {
    _toolbox: Option<Toolbox>,
}

/// Returns the catalogue, as [`load::catalogue`] does, with the programs of a problem compiled.
pub fn catalogue(global: GlobalArgs<'_>, id: Option<&str>) -> Result<(Catalogue, Programs), Failure> {
    let mut catalogue = load::catalogue(global)?;
    let programs = compile(&mut catalogue, id)?;
    Ok((catalogue, programs))
}

/// Compiles the checker, interactor, generator and validator of a problem whose command begins with a source file or folder,
/// as solvers are compiled. The problem of the catalogue then has the commands that run them.
///
/// Without an id, it is the only problem of the catalogue. If there is no such problem, nothing is compiled.
pub fn compile(catalogue: &mut Catalogue, id: Option<&str>) -> Result<Programs, Failure> {
    let id = load::problem(catalogue, id).map(|problem| problem.id.clone()).unwrap_or_default();
    let may_be_sources = catalogue
        .find_mut(&id)
        .is_some_and(|problem| problem.commands_mut().iter().any(|command| may_be_source(command)));
    if !may_be_sources {
        return Ok(Programs { _toolbox: None });
    }
    let mut problem = catalogue.find(&id)?.clone();
    let settings = settings(catalogue, &problem, &problem.limits, &BuildArgs::default())?;
    let languages = settings.languages().clone();
    let sandbox = Sandbox::open(&Options::default()).map_err(|error: OpenError| {
        Failure::usage(error).with_hint("`judge doctor` shows what is missing to compile the problem's programs")
    })?;
    let toolbox = Toolbox::new(sandbox.tier(), settings);
    for command in problem.commands_mut() {
        if let Some((line, needs)) = compiled(command, &languages, &toolbox, &sandbox)? {
            (command.line, command.compiled) = (line, needs);
        }
    }
    if let Some(place) = catalogue.find_mut(&id) {
        *place = problem;
    }
    Ok(Programs { _toolbox: Some(toolbox) })
}

/// Returns whether the first word of a command is a file with an ending, or is written as a folder.
fn may_be_source(CommandTemplate { line, folder, .. }: &CommandTemplate) -> bool {
    let words = shell_words::split(line).unwrap_or_default();
    words.first().is_some_and(|word| {
        let path = folder.join(word);
        path.is_file() && path.extension().is_some() || word.ends_with('/') && path.is_dir()
    })
}

/// Returns the command that runs the compiled form of a source in a command; `None` if the command contains no source.
fn compiled(
    command: &CommandTemplate,
    languages: &Languages,
    toolbox: &Toolbox,
    sandbox: &Sandbox,
) -> Result<Option<(String, CompiledNeeds)>, Failure> {
    if !may_be_source(command) {
        return Ok(None);
    }
    let CommandTemplate { line, folder, .. } = command;
    let words = shell_words::split(line).unwrap_or_default();
    let spec = SolverSpec { name: words[0].clone(), text: folder.join(&words[0]).display().to_string() };
    if !solver::is_source(&spec, languages) {
        return Ok(None);
    }
    let refused = |why: &str| {
        let failure = Failure::usage(format!("{} does not compile: {why}", words[0]));
        match why.contains(TESTLIB) {
            true => failure.with_hint(testlib_hint(folder, &words[0])),
            false => failure,
        }
    };
    let built = prepare(spec, toolbox, sandbox)?;
    let program = built.invocation.program().map_err(|why| refused(&why))?;
    let own = std::iter::once(program.path.to_string_lossy().into_owned());
    let more = program.argv.iter().skip(1).map(|word| word.to_string_lossy().into_owned());
    let all = own.chain(more).chain(words.iter().skip(1).cloned());
    let needs = CompiledNeeds {
        source_line: Some(line.clone()),
        visible: program.visible.clone(),
        environment: program.environment.clone(),
    };
    let line = all.map(|word| shell_words::quote(&word).into_owned()).collect::<Vec<_>>().join(" ");
    Ok(Some((line, needs)))
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
        memory: Some(limits.memory),
        bundled: catalogue.bundled,
        cache: Cache::place().filter(|_| !args.no_cache),
    })
}

/// Returns the toolbox that builds the solvers of a plan.
pub fn toolbox(catalogue: &Catalogue, plan: &Plan, args: &BuildArgs, sandbox: &Sandbox) -> Result<Toolbox, Failure> {
    Ok(Toolbox::new(sandbox.tier(), settings(catalogue, &plan.problem, &plan.limits, args)?))
}

/// Returns all languages.
pub fn languages(catalogue: &Catalogue) -> Result<Languages, Failure> {
    Ok(changed_languages(catalogue)?.unwrap_or_else(|| built_in_languages().clone()))
}

/// Returns the built-in languages with the changes of the user's own file, and then of the catalogue; `None` if there
/// are no changes.
fn changed_languages(catalogue: &Catalogue) -> Result<Option<Languages>, Failure> {
    let own = match own_file()? {
        Some((path, text)) => Some(read_languages(&path.display().to_string(), &text, built_in_languages())?),
        None => None,
    };
    if !catalogue.has_languages {
        return Ok(own);
    }
    Ok(Some(catalogue.languages(own.as_ref().unwrap_or_else(|| built_in_languages()))?))
}

/// Returns the user's own file of languages and its text; `None` if there is no such file.
fn own_file() -> Result<Option<(PathBuf, String)>, Failure> {
    let Some(folder) = load::user_folder("XDG_CONFIG_HOME", ".config") else { return Ok(None) };
    let path = folder.join("languages.toml");
    match judge_run::files::read_text(&path) {
        Ok(text) => Ok(Some((path, text))),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(load::unreadable("the languages", &path, &error)),
    }
}

/// Prepares a solver to be run. Prints a line if the cache cannot be used.
pub fn prepare(spec: SolverSpec, toolbox: &Toolbox, sandbox: &Sandbox) -> Result<Solver, Failure> {
    let mut solvers = prepare_each(vec![spec], toolbox, sandbox, 1)?;
    Ok(solvers.remove(0))
}

/// Prepares several solvers, up to `jobs` at once.
pub(crate) fn prepare_each(
    specs: Vec<SolverSpec>,
    toolbox: &Toolbox,
    sandbox: &Sandbox,
    jobs: usize,
) -> Result<Vec<Solver>, Failure> {
    let known = toolbox.cache_failure().is_some();
    let most = jobs.min(specs.len());
    let waiting = Mutex::new(specs.into_iter().enumerate());
    let prepared = Mutex::new(Vec::new());
    let next = || waiting.lock().next();
    let work = || {
        while let Some((place, spec)) = next() {
            let solver = solver::prepare(spec, toolbox, &mut sandbox::compiler(sandbox));
            if solver.is_err() {
                // The other threads finish their current solver, and take no more.
                while next().is_some() {}
            }
            prepared.lock().push((place, solver));
        }
    };
    std::thread::scope(|scope| {
        (1..most).for_each(|_| drop(scope.spawn(work)));
        work();
    });
    let mut prepared = prepared.into_inner();
    prepared.sort_by_key(|(place, _)| *place);
    let solvers = prepared.into_iter().map(|(_, solver)| solver).collect::<Result<Vec<_>, _>>()?;
    if let (Some(why), false) = (toolbox.cache_failure(), known) {
        judge_report::note(&format!("warning: compiled programs are not kept: {why}"));
    }
    Ok(solvers)
}
