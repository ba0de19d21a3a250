//! Finds the program behind what the user named, and what it needs to see.

use super::compile::{Built, Toolbox};
use super::interpreter;
use super::stage::stage;
use crate::model::{Invocation, Solver, SolverSpec};
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Prefix of the bundled solvers: `bundled:columns`.
pub(super) const BUNDLED: &str = "bundled:";

/// Finds out how a solver is run. A solver that cannot be run is no error of the judge's: it is said in the result.
pub fn prepare(spec: SolverSpec, toolbox: &mut Toolbox) -> Solver {
    let invocation = stage(invocation(&spec.text, toolbox), toolbox);
    Solver { spec, invocation, environment: Vec::new() }
}

fn invocation(text: &str, toolbox: &mut Toolbox) -> Invocation {
    if let Some(id) = text.strip_prefix(BUNDLED) {
        return bundled(id);
    }
    let path = Path::new(text);
    if path.is_file() && Toolbox::knows(path) && !is_executable(path) {
        return from_source(path, toolbox);
    }
    if path.exists() {
        return from_words(vec![text.into()]);
    }
    match shell_words::split(text) {
        Ok(words) if !words.is_empty() => from_words(words.into_iter().map(OsString::from).collect()),
        _ => Invocation::CannotStart(format!("`{text}` is not a command line: its quotes do not match")),
    }
}

/// The bundled solvers are this very program, run again.
fn bundled(id: &str) -> Invocation {
    if solutions::find(id).is_none() {
        return Invocation::CannotStart(format!("there is no bundled solver `{id}`"));
    }
    match std::env::current_exe() {
        Ok(program) => Invocation::Program {
            argv: vec!["judge".into(), "solve".into(), id.into()],
            visible: vec![program.clone()],
            program,
        },
        Err(error) => Invocation::CannotStart(format!("the judge cannot find its own program: {error}")),
    }
}

fn from_source(path: &Path, toolbox: &mut Toolbox) -> Invocation {
    let source = match path.canonicalize() {
        Ok(source) => source,
        Err(error) => return Invocation::CannotStart(format!("{}: {error}", path.display())),
    };
    match toolbox.build(&source) {
        Some(Built::Command { words, visible }) => with_visible(from_words(words), visible),
        Some(Built::Refused(said)) => Invocation::CompileError(said),
        Some(Built::NoCompiler(why)) => Invocation::CannotStart(why),
        None => Invocation::CannotStart(format!("{}: a source file in an unknown language", path.display())),
    }
}

fn with_visible(invocation: Invocation, more: Vec<PathBuf>) -> Invocation {
    match invocation {
        Invocation::Program { program, argv, mut visible } => {
            visible.extend(more);
            Invocation::Program { program, argv, visible }
        }
        other => other,
    }
}

/// Finds out how a command, already split into words, is run.
#[must_use]
pub fn find_command(words: Vec<OsString>, toolbox: &mut Toolbox) -> Invocation {
    if words.is_empty() {
        return Invocation::CannotStart("there is no command".to_owned());
    }
    stage(from_words(words), toolbox)
}

/// A command: its program is found as a shell finds it, and the files it names can be seen, by their full paths: the
/// working folder of a solver is not the user's.
fn from_words(mut words: Vec<OsString>) -> Invocation {
    let mut program = match find_program(Path::new(&words[0])) {
        Ok(program) => program,
        Err(why) => return Invocation::CannotStart(why),
    };
    let mut visible = vec![program.clone()];
    if let Some(home) = interpreter::home(&program) {
        program = home.program;
        visible = [vec![program.clone()], home.folders].concat();
    }
    for word in words.iter_mut().skip(1) {
        if let Some(path) = named_path(word) {
            visible.push(path.clone());
            *word = path.into_os_string();
        }
    }
    Invocation::Program { program, argv: words, visible }
}

/// Returns the absolute path behind an argument that names a file, or a folder below the current one (`java -cp .`).
/// Other folders are not shown to a solver unless the user says so: `/` would be the whole machine.
fn named_path(word: &OsStr) -> Option<PathBuf> {
    // A bare number or flag that happens to be a file's name is far more likely meant as itself.
    if !word.to_string_lossy().contains(['/', '.']) {
        return None;
    }
    let path = Path::new(word).canonicalize().ok()?;
    let below_here = || std::env::current_dir().is_ok_and(|here| here != Path::new("/") && path.starts_with(here));
    (path.is_file() || below_here()).then_some(path)
}

/// Returns the absolute path of a program, or why it cannot be run.
fn find_program(name: &Path) -> Result<PathBuf, String> {
    let bare = name.components().count() == 1 && !name.to_string_lossy().contains('/');
    let on_path = || {
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| is_executable(file))
    };
    // A bare name is a command; if there is none of that name, a file of that name here is what was meant.
    let found = if bare { on_path().unwrap_or_else(|| name.to_owned()) } else { name.to_owned() };
    let absolute = found.canonicalize().map_err(|error| {
        let hint = if bare { " (no such command on the PATH, and no such file here)" } else { "" };
        format!("{}: {error}{hint}", name.display())
    })?;
    if absolute.is_dir() {
        return Err(format!("{} is a folder, not a program", name.display()));
    }
    Ok(absolute)
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}
