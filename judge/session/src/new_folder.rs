//! A folder that is there complete, or not at all.

use super::failure::Failure;
use super::load;
use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder that is written beside its place. It gets its name when it is complete, and is removed if it never is.
#[derive(Debug)]
pub struct NewFolder {
    staged: TempDir,
    target: PathBuf,
}

impl NewFolder {
    /// Begins an empty folder for a place. `hint`: what to do where something is there already, other than an empty folder.
    pub fn begin(target: &Path, hint: &str) -> Result<Self, Failure> {
        let is_empty = target.read_dir().is_ok_and(|mut entries| entries.next().is_none());
        if !is_empty && target.symlink_metadata().is_ok() {
            let failure = Failure::usage(format!("there is already something named {}", target.display()));
            return Err(failure.with_hint(hint));
        }
        // The folders above it are made when nothing can fail any more.
        let folders = target.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
        let above = folders.into_iter().find(|folder| folder.is_dir()).unwrap_or(Path::new("."));
        let staged = tempfile::Builder::new().prefix(".judge-new-").tempdir_in(above);
        Ok(Self { staged: staged.map_err(|error| unwritable(target, &error))?, target: target.to_owned() })
    }

    /// Returns where the folder is until it is complete.
    pub fn path(&self) -> &Path {
        self.staged.path()
    }

    /// Writes a file.
    pub fn write(&self, name: &Path, bytes: &[u8]) -> Result<(), Failure> {
        let write = || fs::write(self.place(name)?, bytes);
        write().map_err(|error| unwritable(&self.target.join(name), &error))
    }

    /// Makes an empty file.
    pub fn create(&self, name: &Path) -> Result<File, Failure> {
        let create = || File::create(self.place(name)?);
        create().map_err(|error| unwritable(&self.target.join(name), &error))
    }

    /// Copies a file, without what its mode forbids.
    pub fn copy(&self, from: &Path, name: &Path) -> Result<(), Failure> {
        let copy = || fs::copy(from, self.place(name)?);
        copy().map(drop).map_err(|error| {
            let to = self.target.join(name);
            Failure::usage(format!("cannot copy {} to {}: {error}", from.display(), to.display()))
        })
    }

    /// Returns the path of a file, in a folder that is there.
    fn place(&self, name: &Path) -> io::Result<PathBuf> {
        let path = self.staged.path().join(name);
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        Ok(path)
    }

    /// Gives the folder its name, in one step.
    pub fn publish(self) -> Result<(), Failure> {
        let Self { staged, target } = self;
        let publish = || {
            fs::set_permissions(staged.path(), Permissions::from_mode(0o755))?;
            target.parent().map_or(Ok(()), fs::create_dir_all)?;
            fs::rename(staged.path(), &target)
        };
        publish().map_err(|error| unwritable(&target, &error))?;
        // What it names is gone: there is nothing left to remove.
        let _ = staged.keep();
        Ok(())
    }
}

fn unwritable(target: &Path, error: &io::Error) -> Failure {
    load::unwritable("the problem", target, error)
}
