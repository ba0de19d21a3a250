//! Finds the program of a solver, and the files that it needs.

use super::compile::Built;
use super::compiler::RunCompiler;
use super::language::{self, BUNDLED, Source};
use super::stage::stage;
use super::toolbox::Toolbox;
use crate::program::{is_below_here, is_in_journal, named_program, refuse_private_link, show_arguments};
use judge_problem::{Allowance, Invocation, Program, Runtime, Solver, SolverSpec};
use std::ffi::OsString;
use std::path::Path;

/// Finds out how a solver is run, and compiles it if necessary. A solver that cannot be run is not an error here: the
/// result says why.
///
/// # Errors
/// Those of `run`.
pub fn prepare<E>(spec: SolverSpec, toolbox: &Toolbox, run: &mut RunCompiler<'_, E>) -> Result<Solver, E> {
    let chosen = language::choose(&spec, || toolbox.settings.languages(), &toolbox.settings.choices);
    let (found, allowance) = match chosen {
        Ok(Some(source)) => (from_source(&source, toolbox, run)?, source.language.allowance),
        Ok(None) => (invocation(&spec.text), Allowance::default()),
        Err(why) => (Invocation::CannotStart(why.to_string()), Allowance::default()),
    };
    let invocation = stage(found, toolbox);
    Ok(Solver { spec, invocation, environment: Vec::new(), allowance })
}

fn invocation(text: &str) -> Invocation {
    if let Some(id) = text.strip_prefix(BUNDLED) {
        return bundled(id);
    }
    if Path::new(text).is_dir() {
        let why = "a folder without sources of a known language at its top; `judge languages` lists them";
        return Invocation::CannotStart(format!("{text} is {why}"));
    }
    if Path::new(text).exists() {
        return from_words(vec![text.into()]);
    }
    match shell_words::split(text) {
        Ok(words) if !words.is_empty() => from_words(words.into_iter().map(OsString::from).collect()),
        _ => Invocation::CannotStart(format!("`{text}` is not a command line: its quotes do not match")),
    }
}

/// Returns whether there is a bundled solver with this id.
pub(super) fn is_bundled(id: &str) -> bool {
    solutions::find(id).is_some()
}

/// Returns the bundled solvers of a built-in checker's game, the best of them first: each as `--solver` takes it, with what it does.
pub fn bundled_for(checker: &str) -> impl Iterator<Item = (String, &'static str)> {
    // `same-game-free` is a game of its own beside `same-game`.
    let game = |id: &str| {
        let games = checkers::all().iter().map(|checker| checker.id());
        games.filter(|game| id.starts_with(game)).max_by_key(|game| game.len())
    };
    let own = solutions::all().filter(move |solution| game(solution.id) == Some(checker));
    own.map(|solution| (format!("{BUNDLED}{}", solution.id), solution.summary))
}

/// Returns the invocation of a bundled solver: the judge's own program.
fn bundled(id: &str) -> Invocation {
    if !is_bundled(id) {
        return Invocation::CannotStart(format!("there is no bundled solver `{id}`"));
    }
    match std::env::current_exe() {
        Ok(path) => Invocation::Program(Program {
            argv: vec!["judge".into(), "solve".into(), id.into()],
            visible: vec![path.clone()],
            runtime: Runtime::default(),
            environment: Vec::new(),
            path,
        }),
        Err(error) => Invocation::CannotStart(format!("the judge cannot find its own program: {error}")),
    }
}

fn from_source<E>(source: &Source<'_>, toolbox: &Toolbox, run: &mut RunCompiler<'_, E>) -> Result<Invocation, E> {
    if let Some(why) = unfit_source(&source.path) {
        return Ok(Invocation::CannotStart(why));
    }
    Ok(match toolbox.build(source.language, &source.path, run)? {
        Built::Program(mut program) => match show_arguments(source.arguments.iter().map(OsString::from).collect()) {
            Ok((arguments, shown)) => {
                program.argv.extend(arguments);
                program.visible.extend(shown);
                Invocation::Program(program)
            }
            Err(why) => Invocation::CannotStart(why),
        },
        Built::Refused(said) => Invocation::CompileError(said),
        Built::CannotStart(why) => Invocation::CannotStart(why),
        Built::NotInstalled(why) => Invocation::NotInstalled(why),
    })
}

/// Finds out how a command, already split into words, is run.
#[must_use]
pub fn find_command(words: Vec<OsString>, toolbox: &Toolbox) -> Invocation {
    if words.is_empty() {
        return Invocation::CannotStart("there is no command".to_owned());
    }
    stage(from_words(words), toolbox)
}

fn from_words(words: Vec<OsString>) -> Invocation {
    named_program(words).map_or_else(Invocation::CannotStart, Invocation::Program)
}

/// Returns why the judge must not read a source file for a compiler, whose messages would show it.
fn unfit_source(named: &Path) -> Option<String> {
    let path = named.canonicalize().ok()?;
    if is_in_journal(&path) {
        return Some(format!("{}: no program sees a journal", named.display()));
    }
    // Without a slash at its end, which would follow the link.
    let named = named.components().as_path();
    if named.is_symlink() && path.is_dir() && !is_below_here(&path) {
        let (link, folder) = (named.display(), path.display());
        return Some(format!("{link} is a link to {folder}, outside the current folder; name that folder itself"));
    }
    refuse_private_link(named, &path).err()
}
