//! Virtual environments of Python: a folder with a `pyvenv.cfg`, and the installation that it is based on.

use super::lookup::is_executable;
use super::{head, prefix};
use std::path::{Path, PathBuf};

const FILE: &str = "pyvenv.cfg";

/// The parts of a virtual environment that Python and its packages use. The environment may be a project's own folder:
/// the rest of it stays hidden.
const PARTS: [&str; 5] = [FILE, "bin", "lib", "lib64", "share"];

/// Returns the parts of a program's virtual environment, and what it is based on. It is found from the path that the
/// program is run under: a `pyvenv.cfg` is beside the program, or one folder above.
///
/// That file names the base, and is not trusted: the base must have an interpreter, and [`prefix`] decides whether it
/// is part of an installation that may be shown.
pub(super) fn of(program: &Path) -> Vec<PathBuf> {
    let Some(root) = program.ancestors().skip(1).take(2).find(|folder| folder.join(FILE).is_file()) else {
        return Vec::new();
    };
    if !root.canonicalize().is_ok_and(|root| prefix::is_no_home(&root)) {
        return Vec::new();
    }
    let parts = PARTS.iter().map(|part| root.join(part)).filter(|part| prefix::stays_within(root, part));
    parts.chain(base(&root.join(FILE), program)).collect()
}

/// Returns the interpreter that a virtual environment is based on, with the folders of its installation. One without an
/// installation is the system's, or an arbitrary program that the file names.
fn base(file: &Path, program: &Path) -> Vec<PathBuf> {
    let own = program.file_name().unwrap_or_default();
    let names = [own, "python3".as_ref(), "python".as_ref(), "pypy3".as_ref(), "pypy".as_ref()];
    let base = home(file).and_then(|home| names.iter().map(|name| home.join(name)).find(|file| is_executable(file)));
    let real = base.as_ref().and_then(|base| base.canonicalize().ok());
    let folders = real.map(|real| prefix::of(&real)).unwrap_or_default();
    base.filter(|_| !folders.is_empty()).into_iter().chain(folders).collect()
}

/// Returns the folder under the key `home`.
fn home(file: &Path) -> Option<PathBuf> {
    let text = head::text(file)?;
    let value = text.lines().filter_map(|line| line.split_once('=')).find(|(key, _)| key.trim() == "home")?.1;
    let home = PathBuf::from(value.trim());
    home.is_absolute().then_some(home)
}
