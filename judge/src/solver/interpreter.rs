//! Interpreters that are not where they seem to be: a `python3` on the PATH may be a shim or belong to a virtual
//! environment, and needs folders that a sandbox does not show by itself.

use crate::command;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long an interpreter may take to say where it lives.
const LIMIT: Duration = Duration::from_secs(10);

/// Where an interpreter really lives.
pub(super) struct Home {
    /// The program itself, not resolved further: a virtual environment is recognised by its own link.
    pub(super) program: PathBuf,
    /// The folders that hold its libraries.
    pub(super) folders: Vec<PathBuf>,
}

/// Asks a Python interpreter where it lives. `None` for other programs, and for a Python that does not say.
pub(super) fn home(program: &Path) -> Option<Home> {
    if !program.file_name()?.to_str()?.starts_with("python") {
        return None;
    }
    let ask = "import sys; print(sys.executable); print(sys.prefix); print(sys.base_prefix)";
    let words: [OsString; 3] = [program.into(), "-c".into(), ask.into()];
    let finished = command::run(&words, Path::new("/"), LIMIT).ok()?;
    let said = String::from_utf8(finished.stdout).ok()?;
    let mut paths = said.lines().map(PathBuf::from).filter(|path| path.is_absolute());
    let program = paths.next()?;
    // The system's own prefix is visible anyway.
    let mut folders: Vec<_> = paths.filter(|path| path != Path::new("/usr")).collect();
    folders.extend(program.canonicalize().ok());
    Some(Home { program, folders })
}
