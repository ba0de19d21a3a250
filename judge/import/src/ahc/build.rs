//! Builds the programs of a package with Cargo, in a copy of it.

use super::local_crates::local_crates;
use super::package::{Package, program, sources};
use crate::error::ImportError;
use judge_problem::{error_chain, tail};
use judge_run::command;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// How long Cargo may take: it fetches crates, too.
const LIMIT: Duration = Duration::from_secs(30 * 60);

/// The programs of a package, in a folder that is removed with this value.
pub(crate) struct Built {
    folder: TempDir,
}

impl Built {
    /// Builds programs of a package, in a copy of it and of the crates beside it that it depends on. The package itself is
    /// left as it is.
    pub(crate) fn with_cargo(root: &Path, programs: &[&str]) -> Result<Self, ImportError> {
        let failed = |source: io::Error| ImportError::unreadable(root, source);
        let prefix = judge_sandbox::sweepable_name("tools") + ".";
        let folder = tempfile::Builder::new().prefix(&prefix).tempdir().map_err(failed)?;
        let copy = folder.path().join("package");
        let own = root.canonicalize().map_err(failed)?;
        let crates = local_crates(&own);
        let above = crates.iter().fold(own.as_path(), |above, other| common(above, other));
        let in_copy = |path: &Path| copy.join(path.strip_prefix(above).unwrap_or(path));
        for package in &crates {
            for file in sources(package)? {
                let to = in_copy(&file);
                to.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::copy(&file, &to)).map_err(failed)?;
            }
        }
        let built = Self { folder };
        let mut words = ["cargo", "build", "--release", "--quiet", "--target-dir"].map(OsString::from).to_vec();
        words.push(built.target().into());
        words.extend(programs.iter().flat_map(|name| ["--bin", name]).map(OsString::from));
        // Messages name the files that the user has.
        let not_built = |why: String| {
            let why = why.replace(&*copy.to_string_lossy(), &above.to_string_lossy());
            ImportError::Build { package: root.to_owned(), why }
        };
        let ended = command::run(&words, &in_copy(&own), LIMIT, None)
            .map_err(|error| not_built(format!("{}: is Rust installed? <https://rustup.rs>", error_chain(&error))))?;
        if !ended.status.success() {
            return Err(not_built(format!("{}\n{}", ended.status, tail(&ended.stderr))));
        }
        Ok(built)
    }

    fn target(&self) -> PathBuf {
        self.folder.path().join("target")
    }

    /// Returns where a program is.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.target().join("release").join(name)
    }

    /// Returns the programs: where each is, and where it goes.
    pub(super) fn programs(&self, package: &Package) -> Vec<(PathBuf, PathBuf)> {
        package.programs().map(|name| (self.program(name), program(name))).collect()
    }

    /// Returns the folder of the programs, to be kept as long as they are needed.
    pub(crate) fn into_folder(self) -> TempDir {
        self.folder
    }
}

/// Returns the deepest folder that both paths lie in.
fn common<'a>(path: &'a Path, other: &Path) -> &'a Path {
    path.ancestors().find(|above| other.starts_with(above)).unwrap_or(path)
}
