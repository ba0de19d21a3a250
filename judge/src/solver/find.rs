//! Finds the program behind what the user named, and what it needs to see.

use super::compile::{Built, Toolbox};
use super::compiler::RunCompiler;
use super::journals::{is_in_journal, is_made_up};
use super::language::{self, Language};
use super::rustup;
use super::stage::{is_open, stage};
use super::toolchain::{self, Installation, Interpreter, is_executable};
use crate::model::{BASE_ENVIRONMENT, Invocation, Program, Runtime, Solver, SolverSpec};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Prefix of the bundled solvers: `bundled:columns`.
pub(super) const BUNDLED: &str = "bundled:";

/// Finds out how a solver is run, and compiles it if need be. A solver that cannot be run is no error of the judge's: it
/// is said in the result.
///
/// # Errors
/// Those of `run`.
pub fn prepare<E>(spec: SolverSpec, toolbox: &mut Toolbox, run: &mut RunCompiler<'_, E>) -> Result<Solver, E> {
    let path = Path::new(&spec.text);
    let is_source = !spec.text.starts_with(BUNDLED) && path.is_file() && !is_executable(path);
    let found = match language::of(path).filter(|_| is_source) {
        Some(language) => from_source(language, path, toolbox, run)?,
        None => invocation(&spec.text),
    };
    let invocation = stage(found, toolbox);
    Ok(Solver { spec, invocation, environment: Vec::new() })
}

fn invocation(text: &str) -> Invocation {
    if let Some(id) = text.strip_prefix(BUNDLED) {
        return bundled(id);
    }
    if Path::new(text).exists() {
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
        Ok(path) => Invocation::Program(Program {
            argv: vec!["judge".into(), "solve".into(), id.into()],
            visible: vec![path.clone()],
            runtime: Runtime::default(),
            path,
        }),
        Err(error) => Invocation::CannotStart(format!("the judge cannot find its own program: {error}")),
    }
}

fn from_source<E>(
    language: &Language,
    path: &Path,
    toolbox: &mut Toolbox,
    run: &mut RunCompiler<'_, E>,
) -> Result<Invocation, E> {
    if let Some(why) = unfit_source(path) {
        return Ok(Invocation::CannotStart(why));
    }
    Ok(match toolbox.build(language, path, run)? {
        Built::Command { words, visible } => with_visible(from_words(words), visible),
        Built::Refused(said) => Invocation::CompileError(said),
        Built::NoCompiler(why) => Invocation::CannotStart(why),
    })
}

/// Finds an installed program by its name alone. `None`: there is none.
pub(super) fn installed(name: &str) -> Option<Result<Program, String>> {
    let found = toolchain::on_path(OsStr::new(name))?;
    Some(rustup::behind(&found).and_then(|behind| {
        let word = behind.map_or_else(|| name.into(), PathBuf::into_os_string);
        named_program(vec![word])
    }))
}

fn with_visible(invocation: Invocation, more: Vec<PathBuf>) -> Invocation {
    match invocation {
        Invocation::Program(mut program) => {
            program.visible.extend(more);
            Invocation::Program(program)
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

fn from_words(words: Vec<OsString>) -> Invocation {
    named_program(words).map_or_else(Invocation::CannotStart, Invocation::Program)
}

/// A command: its program is found as a shell finds it, and the files it names can be seen, by their full paths: the
/// working folder of a solver is not the user's.
fn named_program(mut words: Vec<OsString>) -> Result<Program, String> {
    let by_path = words[0].as_bytes().contains(&b'/');
    let mut found = toolchain::installation(&find_program(Path::new(&words[0]))?)?;
    if found.was_shim || by_path {
        // An interpreter looks for its own folder by this name, and a relative one leads nowhere in the working folder.
        words[0] = found.program.clone().into_os_string();
    }
    if found.is_alone() {
        found.program.clone_from(&found.real);
    }
    let mut interpreters = toolchain::interpreters(&found.program)?;
    if found.program.file_name() == Some(OsStr::new("env")) {
        interpreters.extend(toolchain::behind_env(&words[1..])?);
    }
    let mut visible: Vec<_> = found.is_alone().then(|| found.program.clone()).into_iter().collect();
    for word in words.iter_mut().skip(1) {
        if let Some(path) = named_path(word)? {
            visible.push(path.clone());
            *word = path.into_os_string();
        }
    }
    let mut runtime = Runtime::default();
    if !found.is_alone() {
        add(&mut runtime, &found, !by_path);
    }
    for Interpreter { installation, by_name, .. } in &interpreters {
        add(&mut runtime, installation, *by_name);
    }
    let program = Program { path: found.program, argv: words, visible, runtime };
    let shim = interpreters.into_iter().find(|interpreter| interpreter.installation.was_shim && !interpreter.by_name);
    Ok(match shim {
        Some(shim) => run_by(program, shim),
        None => program,
    })
}

/// Adds what an installed program needs. Where it was looked for by its name, it is found by its name again; and an
/// installation has a folder of programs that belong together.
fn add(runtime: &mut Runtime, installation: &Installation, by_name: bool) {
    if by_name || !installation.is_alone() {
        runtime.search.extend(installation.search(OsStr::new(BASE_ENVIRONMENT[0].1)));
    }
    for path in installation.visible() {
        if !runtime.visible.contains(path) {
            runtime.visible.push(path.clone());
        }
    }
}

/// A script whose first line names a shim is run as the kernel would run it if that line named the program behind it.
fn run_by(script: Program, shim: Interpreter) -> Program {
    let interpreter = shim.installation.program;
    let mut argv: Vec<_> = std::iter::once(interpreter.clone().into_os_string()).chain(shim.argument).collect();
    argv.push(script.path.into_os_string());
    argv.extend(script.argv.into_iter().skip(1));
    Program { path: interpreter, argv, ..script }
}

/// Returns the absolute path behind an argument that names a file, or a folder below the current one (`java -cp .`).
/// Other folders are not shown to a solver unless the user says so: `/` would be the whole machine.
fn named_path(word: &OsStr) -> Result<Option<PathBuf>, String> {
    let named = Path::new(word);
    // A bare number or flag that happens to be a file's name is far more likely meant as itself, and what the kernel makes
    // up, like `/dev/stdin`, is the solver's own and not the judge's.
    let is_meant = word.to_string_lossy().contains(['/', '.']) && !is_made_up(named);
    let path = named.canonicalize().ok().filter(|path| is_meant && !is_in_journal(path));
    let Some(path) = path else { return Ok(None) };
    refuse_private_link(named, &path)?;
    Ok((is_below_here(&path) || path.is_file()).then_some(path))
}

/// A link may have come with the solver, to show it what it leads to: elsewhere it leads to nothing private.
fn refuse_private_link(named: &Path, path: &Path) -> Result<(), String> {
    if named.is_symlink() && !is_below_here(path) && path.is_file() && !is_open(path, true) {
        let (link, file) = (named.display(), path.display());
        return Err(format!("{link} is a link to {file}, which not everybody may read; name that file itself"));
    }
    Ok(())
}

fn is_below_here(path: &Path) -> bool {
    std::env::current_dir().is_ok_and(|here| here != Path::new("/") && path.starts_with(here))
}

/// Returns why the judge must not read a source file for its compiler, which shows it in what it says.
fn unfit_source(named: &Path) -> Option<String> {
    let path = named.canonicalize().ok()?;
    if is_in_journal(&path) {
        return Some(format!("{}: no program sees a journal", named.display()));
    }
    refuse_private_link(named, &path).err()
}

/// Returns the path of a program, or why it cannot be run.
fn find_program(name: &Path) -> Result<PathBuf, String> {
    let bare = name.components().count() == 1 && !name.to_string_lossy().contains('/');
    // A bare name is a command; if there is none of that name, a file of that name here is what was meant.
    let found = Some(name).filter(|_| bare).and_then(|name| toolchain::on_path(name.as_os_str()));
    let found = found.unwrap_or_else(|| name.to_owned());
    let meta = found.metadata().map_err(|error| {
        let hint = if bare { " (no such command on the PATH, and no such file here)" } else { "" };
        format!("{}: {error}{hint}", name.display())
    })?;
    if meta.is_dir() {
        return Err(format!("{} is a folder, not a program", name.display()));
    }
    Ok(found)
}
