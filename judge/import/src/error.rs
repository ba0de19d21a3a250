//! Why a package cannot be imported.

use std::io;
use std::path::{Path, PathBuf};

/// Why a package cannot be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A file or folder of the package cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// Which one.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The folder is no package of a known kind.
    #[error("{} is no package that is known", .0.display())]
    Unknown(PathBuf),
    /// The folder is a package of several kinds.
    #[error("{} is a package of several kinds: {}", .0.display(), Kind::signs(.1))]
    Several(PathBuf, Vec<Kind>),
    /// The folder is no package of the kind that was asked for.
    #[error("{} is no package of the kind {}: it has no {}", .0.display(), .1.name(), .1.sign())]
    Other(PathBuf, Kind),
    /// Its programs cannot be built.
    #[error("cargo cannot build the programs of {}: {why}", package.display())]
    Build {
        /// The package.
        package: PathBuf,
        /// How it ended, and what it said.
        why: String,
    },
    /// Something in a file is not as the format has it.
    #[error("{}{}: {what}: expected {expected}", file.display(), line.map_or(String::new(), |line| format!(":{line}")))]
    Bad {
        /// Which file.
        file: PathBuf,
        /// Which line of it, from 1.
        line: Option<usize>,
        /// What is wrong in it.
        what: String,
        /// What the format has there.
        expected: String,
    },
    /// The package is well-formed, and without what it asks for its verdicts would be wrong.
    #[error("{}: {what}: this is not supported", file.display())]
    Unsupported {
        /// Which file asks for it.
        file: PathBuf,
        /// What it asks for.
        what: String,
    },
}

impl ImportError {
    pub(super) fn unreadable(path: &Path, source: io::Error) -> Self {
        Self::Unreadable { path: path.to_owned(), source }
    }

    pub(super) fn bad(file: &Path, what: impl Into<String>, expected: impl Into<String>) -> Self {
        Self::Bad { file: file.to_owned(), line: None, what: what.into(), expected: expected.into() }
    }

    /// Adds the line, from 1, of what is wrong in a file.
    pub(super) fn at(mut self, found: usize) -> Self {
        if let Self::Bad { line, .. } = &mut self {
            *line = Some(found);
        }
        self
    }

    /// Returns the error with other paths.
    pub(super) fn with_paths(mut self, change: impl Fn(&Path) -> PathBuf) -> Self {
        let (Self::Unreadable { path, .. }
        | Self::Unknown(path)
        | Self::Several(path, _)
        | Self::Other(path, _)
        | Self::Build { package: path, .. }
        | Self::Bad { file: path, .. }
        | Self::Unsupported { file: path, .. }) = &mut self;
        *path = change(path);
        self
    }

    pub(super) fn unsupported(file: &Path, what: impl Into<String>) -> Self {
        Self::Unsupported { file: file.to_owned(), what: what.into() }
    }
}

/// A kind of package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Of Kattis or ICPC.
    Kattis,
    /// Of Polygon.
    Polygon,
    /// Of pahcer.
    Pahcer,
    /// Of DMOJ.
    Dmoj,
    /// Of an AtCoder Heuristic Contest.
    Ahc,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Kattis, Self::Polygon, Self::Pahcer, Self::Dmoj, Self::Ahc];

    /// Returns its name, as `--kind` takes it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kattis => "kattis",
            Self::Polygon => "polygon",
            Self::Pahcer => "pahcer",
            Self::Dmoj => "dmoj",
            Self::Ahc => "ahc",
        }
    }

    /// Returns what a package of this kind is, for `--help`.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Kattis => "A problem package of Kattis or ICPC, of the legacy format or from 2023-07 on",
            Self::Polygon => "A package of Polygon, with its tests or without",
            Self::Pahcer => "A project of pahcer, whose tests a checker scores",
            Self::Dmoj => "A problem of DMOJ, whose checker is a comparison",
            Self::Ahc => {
                "The tools of an AtCoder Heuristic Contest: a Cargo package with the programs gen, vis and tester"
            }
        }
    }

    /// Returns what a folder of this kind has at its top.
    #[must_use]
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Kattis => "problem.yaml",
            Self::Polygon => "problem.xml",
            Self::Pahcer => "pahcer_config.toml",
            Self::Dmoj => "init.yml",
            Self::Ahc => "Cargo.toml with src/bin/vis.rs",
        }
    }

    /// Returns what folders of these kinds have at their top: `problem.yaml (kattis)`.
    #[must_use]
    pub fn signs(kinds: &[Self]) -> String {
        kinds.iter().map(|kind| format!("{} ({})", kind.sign(), kind.name())).collect::<Vec<_>>().join(", ")
    }
}
