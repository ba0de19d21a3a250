//! Compiles the setter's programs that a catalogue names by their sources.

use super::failure::Failure;
use super::load::Given;
use super::{build, load};
use judge_cli::BuildArgs;
use judge_problem::manifest::Catalogue;
use judge_problem::{
    CommandTemplate, CompiledNeeds, ExternalChecker, FileGenerator, GeneratorChoice, Invocation, Languages, Problem,
    SolverSpec,
};
use judge_run::solver::{self, Toolbox};
use judge_sandbox::{OpenError, Options, Sandbox};
use std::path::Path;

/// The header that programs made with testlib include.
pub const TESTLIB: &str = "testlib.h";

/// Where that header is published.
pub const TESTLIB_SOURCE: &str = "https://raw.githubusercontent.com/MikeMirzayanov/testlib/master/testlib.h";

/// Compiled programs. They are removed when this is dropped.
#[must_use]
pub struct Programs {
    _toolbox: Option<Toolbox>,
}

/// Returns the catalogue, as [`load::catalogue`] does, with the programs of a problem compiled.
pub fn catalogue(given: Given<'_>, id: Option<&str>) -> Result<(Catalogue, Programs), Failure> {
    let mut catalogue = load::catalogue(given)?;
    let programs = compile(&mut catalogue, id)?;
    Ok((catalogue, programs))
}

/// Compiles the checker, interactor, generator and validator of a problem whose command begins with a source file or folder,
/// as solvers are compiled. The problem of the catalogue then has the commands that run them.
///
/// Without an id, it is the only problem of the catalogue. Whether there is such a problem is not decided here.
pub fn compile(catalogue: &mut Catalogue, id: Option<&str>) -> Result<Programs, Failure> {
    let id = load::problem(catalogue, id).map(|problem| problem.id.clone()).unwrap_or_default();
    let may_be_sources = catalogue
        .find_mut(&id)
        .is_some_and(|problem| problem.commands_mut().iter().any(|command| may_be_source(command)));
    if !may_be_sources {
        return Ok(Programs { _toolbox: None });
    }
    let mut problem = catalogue.find(&id)?.clone();
    let settings = build::settings(catalogue, &problem, &problem.limits, &BuildArgs::default())?;
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
    keep_sources(catalogue.find(&id)?, &mut problem);
    if let Some(place) = catalogue.find_mut(&id) {
        *place = problem;
    }
    Ok(Programs { _toolbox: Some(toolbox) })
}

/// Notes what the catalogue says of a checker or a generator whose command is another one now: the source is its identity.
fn keep_sources(written: &Problem, problem: &mut Problem) {
    if let (Some(then), Some(now)) = (command_of(&written.generator), command_of(&problem.generator))
        && then != now
    {
        problem.generator_source = Some(then.line.clone());
    }
    let mut checker = written.checker.clone();
    for (written, now) in checker.programs_mut().into_iter().zip(problem.checker.programs_mut()) {
        keep_source(written, now);
    }
}

fn keep_source(written: &ExternalChecker, now: &mut ExternalChecker) {
    if written.command != now.command {
        now.source_line = Some(written.command.line.clone());
    }
    if let (Some(written), Some(now)) = (&written.then, &mut now.then) {
        keep_source(written, now);
    }
}

fn command_of(generator: &Option<GeneratorChoice>) -> Option<&CommandTemplate> {
    match generator.as_ref()? {
        GeneratorChoice::Command(command) | GeneratorChoice::Files(FileGenerator { command, .. }) => Some(command),
        GeneratorChoice::BuiltIn { .. } | GeneratorChoice::Seed => None,
    }
}

/// Returns whether the first word of a command is a file with an ending, or is written as a folder.
fn may_be_source(CommandTemplate { line, folder, .. }: &CommandTemplate) -> bool {
    let words = shell_words::split(line).unwrap_or_default();
    words.first().is_some_and(|word| {
        let path = folder.join(word);
        path.is_file() && path.extension().is_some() || word.ends_with('/') && path.is_dir()
    })
}

/// Returns the command that runs what a command names by its source; `None` if it names no source.
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
            true => failure.with_hint(testlib_hint(Path::new(&words[0]))),
            false => failure,
        }
    };
    match build::prepare(spec, toolbox, sandbox)?.invocation {
        Invocation::Program(program) => {
            let own = std::iter::once(program.path.to_string_lossy().into_owned());
            let more = program.argv.iter().skip(1).map(|word| word.to_string_lossy().into_owned());
            let all = own.chain(more).chain(words.iter().skip(1).cloned());
            let line = all.map(|word| shell_words::quote(&word).into_owned()).collect::<Vec<_>>().join(" ");
            Ok(Some((line, CompiledNeeds { visible: program.visible, environment: program.environment })))
        }
        Invocation::CompileError(why) | Invocation::CannotStart(why) | Invocation::NotInstalled(why) => {
            Err(refused(&why))
        }
    }
}

/// Returns how the header is got that a program in this folder, or beside this file, includes.
fn testlib_hint(program: &Path) -> String {
    let folder = program.to_string_lossy();
    match folder.ends_with('/') {
        true => format!("get it: curl -o {folder}{TESTLIB} {TESTLIB_SOURCE}"),
        false => format!("put {folder} and {TESTLIB} in a folder, and name that: checker-command = \"checker/\""),
    }
}
