//! Copies of files in the folder of a run: each has its path below that folder, so that what refers to it by a relative
//! path still does.

use super::run_folder::PREFIX;
use judge_problem::JOURNAL_FOLDER;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

/// Folders that no program needs.
const LEFT_OUT: [&str; 2] = [JOURNAL_FOLDER, ".git"];

/// The copies of files in the folder of a run.
#[derive(Debug)]
pub(super) struct Mirror {
    folder: PathBuf,
    copied: BTreeSet<PathBuf>,
}

impl Mirror {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder, copied: BTreeSet::new() }
    }

    /// Returns where the copy of a file is or would be.
    pub(super) fn place(&self, path: &Path) -> PathBuf {
        self.folder.join(path.strip_prefix("/").unwrap_or(path))
    }

    /// Copies a file, or a folder with all that is in it, and returns where the copy is.
    pub(super) fn copy(&mut self, path: &Path) -> io::Result<PathBuf> {
        let path = std::path::absolute(path)?;
        let place = self.place(&path);
        if !self.has(&path) {
            if let Some(parent) = place.parent() {
                fs::create_dir_all(parent)?;
            }
            let meta = path.metadata().map_err(|error| named(&path, error))?;
            if meta.is_dir() {
                copy_folder(&path, &place)?
            } else {
                copy_file(&path, &place)?
            }
            self.copied.insert(path);
        }
        Ok(place)
    }

    fn has(&self, path: &Path) -> bool {
        path.ancestors().any(|folder| self.copied.contains(folder))
    }

    /// Returns a path as it is for the tasks: that of its copy, if there is one.
    pub(super) fn path(&self, path: &Path) -> PathBuf {
        if self.has(path) { self.place(path) } else { path.to_owned() }
    }

    /// Returns a word of a command with every path in it as it is for the tasks.
    pub(super) fn word(&self, word: &OsStr) -> OsString {
        let mut bytes = word.as_bytes().to_vec();
        // The longest path first: one may lie in another.
        let mut copied: Vec<&PathBuf> = self.copied.iter().collect();
        copied.sort_by_key(|path| std::cmp::Reverse(path.as_os_str().len()));
        let mut from = 0;
        while from < bytes.len() {
            match copied.iter().find(|path| begins_with_path(&bytes[from..], path.as_os_str().as_bytes(), from, &bytes))
            {
                Some(path) => {
                    let place = self.place(path).into_os_string().into_vec();
                    let length = path.as_os_str().len();
                    from += place.len();
                    bytes.splice(from - place.len()..from - place.len() + length, place);
                }
                None => from += 1,
            }
        }
        OsString::from_vec(bytes)
    }
}

/// Returns whether a path stands here as a whole, and not as a part of the name of another.
fn begins_with_path(rest: &[u8], path: &[u8], from: usize, all: &[u8]) -> bool {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.') || !byte.is_ascii();
    let before = from.checked_sub(1).map(|before| &all[before]);
    rest.starts_with(path)
        && !rest.get(path.len()).is_some_and(is_name)
        && !before.is_some_and(|before| is_name(before) || *before == b'/')
}

fn named(path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot copy {}: {error}", path.display()))
}

/// In the sandbox the solver may be another user.
fn share(place: &Path) -> io::Result<()> {
    let mode = place.metadata()?.permissions().mode();
    fs::set_permissions(place, Permissions::from_mode(mode | if mode & 0o100 == 0 { 0o444 } else { 0o555 }))
}

fn copy_file(path: &Path, place: &Path) -> io::Result<()> {
    fs::copy(path, place).map_err(|error| named(path, error))?;
    share(place)
}

fn copy_folder(path: &Path, place: &Path) -> io::Result<()> {
    fs::create_dir_all(place)?;
    share(place)?;
    for entry in fs::read_dir(path).map_err(|error| named(path, error))? {
        let entry = entry?;
        let (name, from) = (entry.file_name(), entry.path());
        let is_left_out = LEFT_OUT.iter().any(|left| name == *left) || name.as_bytes().starts_with(PREFIX.as_bytes());
        let kind = entry.file_type()?;
        let to = place.join(&name);
        if is_left_out {
            continue;
        } else if kind.is_dir() {
            copy_folder(&from, &to)?;
        } else if kind.is_file() {
            copy_file(&from, &to)?;
        } else if kind.is_symlink() {
            copy_link(&from, &to)?;
        }
    }
    Ok(())
}

/// A link within a folder stays one; of a file elsewhere, the file is copied.
fn copy_link(from: &Path, to: &Path) -> io::Result<()> {
    let target = from.read_link()?;
    if target.is_absolute() && from.is_file() { copy_file(from, to) } else { symlink(target, to) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_in_words_are_those_of_the_copies() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("a/b");
        fs::create_dir_all(source.join(".judge")).unwrap();
        fs::write(source.join("bot.py"), "x").unwrap();
        fs::write(source.join(".judge/journal.db"), "x").unwrap();
        symlink("bot.py", source.join("link")).unwrap();
        let mut mirror = Mirror::new(folder.path().join("run/files"));
        let copy = mirror.copy(&source).unwrap();
        assert_eq!(fs::read_to_string(copy.join("link")).unwrap(), "x");
        assert!(!copy.join(".judge").exists());
        let (from, to) = (source.display(), copy.display());
        for (word, expected) in [
            (format!("{from}/bot.py"), format!("{to}/bot.py")),
            (format!("--path={from}:/usr/lib:{from}"), format!("--path={to}:/usr/lib:{to}")),
            (format!("{from}2/bot.py"), format!("{from}2/bot.py")),
            (format!("/x{from}"), format!("/x{from}")),
            ("bot.py".to_owned(), "bot.py".to_owned()),
        ] {
            assert_eq!(mirror.word(OsStr::new(&word)), OsString::from(expected));
        }
    }
}
