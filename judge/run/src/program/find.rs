//! The program of a command, its environment, and the files that it sees in the sandbox. Journals stay hidden.

use super::executable::{ProgramError, on_path};
use super::installation::{self, Installation, Interpreter};
use super::version_manager;
use crate::matching::real_place;
use judge_problem::{BASE_ENVIRONMENT, JOURNAL_FOLDER, Limits, Program, Runtime};
use judge_sandbox::Visible;
use std::ffi::{OsStr, OsString};
use std::fs::Metadata;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Finds an installed program by its name; `None` if there is none.
pub(crate) fn installed(name: &str) -> Option<Result<Program, ProgramError>> {
    let found = on_path(OsStr::new(name))?;
    Some(version_manager::behind_rustup(&found).and_then(|behind| {
        let word = behind.map_or_else(|| name.into(), PathBuf::into_os_string);
        named_program(vec![word])
    }))
}

/// Returns the program of a command, found as a shell finds it. The files that the command names are visible, and named
/// by their full paths: the working folder of a solver is not the user's.
pub(crate) fn named_program(words: Vec<OsString>) -> Result<Program, ProgramError> {
    program_of(words, true)
}

/// Returns the program of a command that is not the user's own, such as a language's: no file that it names is visible.
pub(crate) fn language_program(words: Vec<OsString>) -> Result<Program, ProgramError> {
    program_of(words, false)
}

/// Returns the program of a setter's command. It starts in `folder`, so that it finds files by relative paths. It sees
/// `folder`, unless that is the user's home or contains it, and the other files that it names.
///
/// # Errors
/// Why it cannot be run.
pub fn setters_program(mut words: Vec<OsString>, folder: &Path) -> Result<Program, ProgramError> {
    let named = PathBuf::from(&words[0]);
    words[0] = match words[0].as_bytes().contains(&b'/') {
        true => {
            let path = folder.join(&named);
            path.metadata().map_err(|error| ProgramError(error.to_string()))?;
            path.into_os_string()
        }
        false => {
            let missing = || ProgramError(format!("{}: there is no such command on the PATH", named.display()));
            let found = on_path(named.as_os_str()).ok_or_else(missing)?;
            version_manager::behind_rustup(&found)?.map_or_else(|| words[0].clone(), PathBuf::into_os_string)
        }
    };
    let is_shown = !std::env::home_dir().is_some_and(|home| home.starts_with(folder));
    let mut elsewhere = Vec::new();
    for word in words.iter_mut().skip(1) {
        let path = folder.join(&*word).canonicalize().ok().filter(|path| path.is_file() && !is_in_journal(path));
        let Some(path) = path.filter(|path| !(is_shown && path.starts_with(folder))) else { continue };
        *word = path.clone().into_os_string();
        elsewhere.push(path);
    }
    let mut program = language_program(words)?;
    program.visible.retain(|path| !(is_shown && path.starts_with(folder)));
    program.visible.extend(is_shown.then(|| folder.to_owned()).into_iter().chain(elsewhere));
    Ok(program)
}

fn program_of(mut words: Vec<OsString>, shows_files: bool) -> Result<Program, ProgramError> {
    let by_path = words[0].as_bytes().contains(&b'/');
    let mut found = installation::installation(&find_program(Path::new(&words[0]))?)?;
    if found.was_shim || by_path {
        // An interpreter finds its own folder by this name. A relative name is not valid in the working folder.
        words[0] = found.program.clone().into_os_string();
    }
    if found.is_alone() {
        found.program.clone_from(&found.real);
    }
    let mut interpreters = installation::interpreters(&found.program)?;
    if found.program.file_name() == Some(OsStr::new("env")) {
        interpreters.extend(installation::behind_env(&words[1..])?);
    }
    let mut visible: Vec<_> = found.is_alone().then(|| found.program.clone()).into_iter().collect();
    if shows_files {
        let (arguments, shown) = show_arguments(words.split_off(1))?;
        words.extend(arguments);
        visible.extend(shown);
    }
    let mut runtime = Runtime::default();
    if !found.is_alone() {
        add(&mut runtime, &found, !by_path);
    }
    for Interpreter { installation, by_name, .. } in &interpreters {
        add(&mut runtime, installation, *by_name);
    }
    let program = Program { path: found.program, argv: words, visible, runtime, ..Program::default() };
    let shim = interpreters.into_iter().find(|interpreter| interpreter.installation.was_shim && !interpreter.by_name);
    Ok(match shim {
        Some(shim) => run_by(program, shim),
        None => program,
    })
}

/// Returns the arguments of a program with full paths for the files that they name, and these files, which the program
/// can see.
///
/// # Errors
/// When one is a link to a private file.
pub(crate) fn show_arguments(words: Vec<OsString>) -> Result<(Vec<OsString>, Vec<PathBuf>), ProgramError> {
    let mut shown = Vec::new();
    let mut show = |word: OsString| {
        let Some(path) = named_path(&word)? else { return Ok(word) };
        shown.push(path.clone());
        Ok(path.into_os_string())
    };
    let words = words.into_iter().map(&mut show).collect::<Result<_, ProgramError>>()?;
    Ok((words, shown))
}

/// Adds the files that an installed program needs. If the program was found by its name, its folder stays on the
/// `PATH`. So does the folder of an installation, because its programs belong together.
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

/// Runs a script whose first line names a shim as if that line named the shim's program.
fn run_by(script: Program, shim: Interpreter) -> Program {
    let interpreter = shim.installation.program;
    let mut argv: Vec<_> = std::iter::once(interpreter.clone().into_os_string()).chain(shim.argument).collect();
    argv.push(script.path.into_os_string());
    argv.extend(script.argv.into_iter().skip(1));
    Program { path: interpreter, argv, ..script }
}

/// Returns the absolute path of an argument that names a file, or a folder below the current one (`java -cp .`). Other
/// folders are shown to a solver only on request, because `/` would be the whole machine.
fn named_path(word: &OsStr) -> Result<Option<PathBuf>, ProgramError> {
    let named = Path::new(word);
    // A number or a flag probably does not name a file, even if a file has that name. Kernel files such as `/dev/stdin`
    // belong to the solver's process.
    let is_meant = word.to_string_lossy().contains(['/', '.']) && !is_in_kernel_file_system(named);
    let path = named.canonicalize().ok().filter(|path| is_meant && !is_in_journal(path));
    let Some(path) = path else { return Ok(None) };
    refuse_private_link(named, &path)?;
    Ok((is_below_here(&path) || path.is_file()).then_some(path))
}

/// Refuses links to private files outside the current folder: the author of a solver may have planted them.
pub(crate) fn refuse_private_link(named: &Path, path: &Path) -> Result<(), ProgramError> {
    if named.is_symlink() && !is_below_here(path) && path.is_file() && !is_open(path, true) {
        let (link, file) = (named.display(), path.display());
        let why = format!("{link} is a link to {file}, which is not readable by all users; name that file itself");
        return Err(ProgramError(why));
    }
    Ok(())
}

pub(crate) fn is_below_here(path: &Path) -> bool {
    std::env::current_dir().is_ok_and(|here| here != Path::new("/") && path.starts_with(here))
}

/// Returns the path of a program.
///
/// # Errors
/// When there is no such command or file, or when it is a folder.
pub fn find_program(name: &Path) -> Result<PathBuf, ProgramError> {
    let bare = name.components().count() == 1 && !name.to_string_lossy().contains('/');
    // A bare name is a command, or else a file in the current folder.
    let found = Some(name).filter(|_| bare).and_then(|name| on_path(name.as_os_str()));
    let found = found.unwrap_or_else(|| name.to_owned());
    let searched = if bare { " (no such command on the PATH, and no such file here)" } else { "" };
    let meta = found.metadata().map_err(|error| ProgramError(format!("{}: {error}{searched}", name.display())))?;
    if meta.is_dir() {
        return Err(ProgramError(format!("{} is a folder, not a program", name.display())));
    }
    Ok(found)
}

/// Returns whether all users may read this file, and pass through the folders on its path if it is reached that way.
pub(crate) fn is_open(path: &Path, needs_open_parents: bool) -> bool {
    let allows =
        |mode: u32, meta: io::Result<Metadata>| meta.is_ok_and(|meta| meta.permissions().mode() & mode == mode);
    let runs = path.metadata().is_ok_and(|meta| meta.permissions().mode() & 0o100 != 0);
    let wanted = if runs { 0o005 } else { 0o004 };
    let passes = || path.ancestors().skip(1).all(|folder| allows(0o001, folder.metadata()));
    allows(wanted, path.metadata()) && (!needs_open_parents || passes())
}

/// Returns the files that a program needs to see, read-only.
pub fn visible(program: &Program) -> impl Iterator<Item = Visible> {
    let paths = program.visible.iter().chain(&program.runtime.visible);
    paths.map(|path| Visible { path: path.clone(), writable: false })
}

/// Returns the limits of a program as the sandbox takes them, with this many bytes of standard error.
pub fn sandbox_limits(limits: &Limits, stderr: u64) -> judge_sandbox::Limits {
    judge_sandbox::Limits {
        cpu: Some(limits.cpu.0),
        wall: Some(limits.wall.0),
        memory: Some(limits.memory.0),
        stdout: limits.output.0,
        stderr,
        processes: Some(limits.processes),
        disk: limits.disk().0,
    }
}

/// Returns the environment of a program: the common one, its language's, and the user's variables. The last value of a
/// variable counts.
pub fn environment<'a>(
    program: &Program,
    asked: impl IntoIterator<Item = &'a (String, String)>,
) -> Vec<(OsString, OsString)> {
    let base = BASE_ENVIRONMENT.iter().map(|(key, value)| (OsString::from(key), OsString::from(value)));
    let mut variables: Vec<_> = base.collect();
    for folder in program.runtime.search.iter().rev() {
        let path = &mut variables[0].1;
        *path = [folder.as_os_str(), path].join(OsStr::new(":"));
    }
    let of_language = program.environment.iter().map(|(key, value)| (key, value));
    for (key, value) in of_language.chain(asked.into_iter().map(|(key, value)| (key, value))) {
        variables.retain(|(known, _)| known != OsStr::new(key));
        variables.push((key.into(), value.into()));
    }
    variables
}

/// The kernel's own file systems. Their files may have no end, and differ for each process.
const KERNEL_FILE_SYSTEMS: [&str; 3] = ["/proc", "/sys", "/dev"];

/// Returns whether a path is in one of the kernel's own folders.
fn is_in_kernel_file_system(path: &Path) -> bool {
    KERNEL_FILE_SYSTEMS.iter().any(|made_up| path.starts_with(made_up))
}

/// The files of a journal that is in no journal's folder, by their real paths.
static JOURNAL_FILES: OnceLock<Vec<PathBuf>> = OnceLock::new();

/// Hides the journal that the command line names from all programs. Call this once, before any program runs.
pub fn hide_journal(file: &Path) {
    // It may not exist yet.
    let real = real_place(file);
    let beside = |ending: &str| PathBuf::from([real.as_os_str(), OsStr::new(ending)].join(OsStr::new("")));
    JOURNAL_FILES.get_or_init(|| ["", "-journal", "-lock", "-shm", "-wal"].map(beside).to_vec());
}

/// Returns the files of the hidden journal.
pub fn journal_files() -> &'static [PathBuf] {
    JOURNAL_FILES.get().map_or(&[], Vec::as_slice)
}

/// Returns whether a path is a journal's folder, or in one, or belongs to the hidden journal.
pub fn is_in_journal(path: &Path) -> bool {
    path.iter().any(|part| part == JOURNAL_FOLDER) || journal_files().iter().any(|file| file == path)
}

/// Folders that do not contain sources: journals, histories, and folders of files that tools generate or download.
const NO_SOURCES: [&str; 7] = [JOURNAL_FOLDER, ".git", ".hg", ".svn", "target", "node_modules", "__pycache__"];

/// The most files of a folder of sources.
pub(crate) const MAX_SOURCES: usize = 2_000;

/// Returns the files of a folder of sources, and of the folders in it, in order. Of too many files, it returns too many.
///
/// # Errors
/// When a folder cannot be read.
pub(crate) fn sources_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let (mut files, mut waiting) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = waiting.pop().filter(|_| files.len() <= MAX_SOURCES) {
        let failed = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", folder.display()));
        for entry in folder.read_dir().map_err(failed)? {
            let entry = entry.map_err(failed)?;
            // A link may point to any file of the machine, so it is not a source.
            let kind = entry.file_type().map_err(failed)?;
            if kind.is_dir() && !NO_SOURCES.iter().any(|other| entry.file_name() == *other) {
                waiting.push(entry.path());
            } else if kind.is_file() && !is_in_journal(&entry.path()) {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Returns the folders of all journals in a folder, however deep, and the files of the hidden journal.
pub fn journals_in(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<_> = journal_files().iter().filter(|file| file.starts_with(folder)).cloned().collect();
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        // If the judge cannot list a folder, there is no journal in it.
        for entry in folder.read_dir().into_iter().flatten().flatten() {
            let path = entry.path();
            if entry.file_name() == JOURNAL_FOLDER {
                // The entry may be a link to the journal's folder.
                found.extend(path.canonicalize());
            } else if entry.file_type().is_ok_and(|kind| kind.is_dir()) && !is_in_kernel_file_system(&path) {
                waiting.push(path);
            }
        }
    }
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_open_when_everybody_can_reach_and_read_it() {
        let folder = tempfile::tempdir().unwrap();
        let set = |path: &Path, mode| std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
        let file = folder.path().join("bot");
        std::fs::write(&file, "").unwrap();
        for (folder_mode, file_mode, shown, needs_open_parents) in [
            (0o755, 0o644, true, true),
            (0o755, 0o755, true, true),
            (0o711, 0o644, true, true),
            (0o700, 0o755, true, false),
            (0o755, 0o600, false, false),
            (0o755, 0o744, false, false),
        ] {
            set(folder.path(), folder_mode);
            set(&file, file_mode);
            let open = [false, true].map(|needs_open_parents| is_open(&file, needs_open_parents));
            assert_eq!(open, [shown, needs_open_parents], "{folder_mode:o} {file_mode:o}");
        }
    }

    #[test]
    fn journals_are_found_however_deep_also_behind_their_links() {
        let top = tempfile::tempdir().unwrap();
        let place = |path: &str| top.path().join(path);
        for folder in [".judge/.judge", "a/b/c/.judge", "a/x.judge", "kept"] {
            std::fs::create_dir_all(place(folder)).unwrap();
        }
        std::os::unix::fs::symlink("..", place("a/up")).unwrap();
        std::os::unix::fs::symlink("../kept", place("a/.judge")).unwrap();
        assert_eq!(journals_in(top.path()), [place(".judge"), place("a/b/c/.judge"), place("kept")]);
        assert!(is_in_journal(&place(".judge/journal.db")) && !is_in_journal(&place("a/x.judge")));
    }
}
