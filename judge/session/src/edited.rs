//! Shows edits: of the programs of a run while it goes on, and of any files and folders between two snapshots.

use crate::{Failure, Result};
use judge_problem::{Digest, Invocation, Plan, Problem, Solver, one_line};
use judge_run::command::{checker_files, checker_identity, generator_identity};
use judge_run::solver::shared_content;
use judge_sandbox::Visible;
use std::collections::BTreeMap;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::slice;

/// The programs that a run has started with.
pub(crate) struct ProgramsAtStart {
    problem: Problem,
    checker: String,
    generator: String,
    /// The files that solvers see: the owner of each, and the hash of its content.
    files: Vec<(String, Visible, Digest)>,
    /// The files in folders that solvers see, with the owner of each folder. A new file, such as a report, is no edit.
    folders: Vec<(String, Snapshot)>,
    /// The last seen states of the files of the checker and the solvers. Folders and answer files may be very many, so
    /// they are compared only at the end.
    seen: Vec<(PathBuf, Option<FileState>)>,
    /// The first noticed edit. It counts even if it is undone.
    noticed: Option<Edited>,
}

/// A program that was edited during a run.
#[derive(Debug, Clone)]
pub(crate) struct Edited {
    /// The edited program.
    pub(crate) what: String,
    /// Whether each result shows the version that it belongs to: another generator makes other inputs.
    pub(crate) is_shown_by_results: bool,
}

impl ProgramsAtStart {
    pub(crate) fn of(plan: &Plan, checker: String, generator: String) -> Self {
        let seen = checker_files(&plan.problem.checker).into_iter().map(with_state).collect();
        let problem = plan.problem.clone();
        let mut programs =
            Self { problem, checker, generator, files: Vec::new(), folders: Vec::new(), seen, noticed: None };
        for Visible { path, .. } in plan.visible.iter().filter(|visible| !visible.writable) {
            programs.add_shown(format!("content of --dir {}", one_line(&path.to_string_lossy())), path);
        }
        programs.add(&plan.solvers);
        programs
    }

    /// Reads the current identities of the checker and the generator.
    pub(crate) fn now(plan: &Plan) -> Self {
        let (checker, generator) =
            (checker_identity(&plan.problem.checker).to_string(), generator_identity(&plan.problem));
        Self::of(plan, checker, generator)
    }

    /// Adds the files and folders that the commands of solvers show.
    pub(crate) fn add(&mut self, solvers: &[Solver]) {
        for solver in solvers {
            let Invocation::Program(program) = &solver.invocation else { continue };
            for path in &program.visible {
                self.add_shown(format!("solver {}", one_line(&solver.spec.name)), path);
            }
        }
    }

    /// Adds a file or folder. A folder with the current one in it may get the output of this judge.
    fn add_shown(&mut self, whose: String, path: &Path) {
        if !path.exists() || std::env::current_dir().is_ok_and(|here| here.starts_with(path)) {
            return;
        }
        if path.is_dir() {
            self.folders.push((whose, snapshot(&[path])));
            return;
        }
        self.seen.push(with_state(path.to_owned()));
        let file = Visible { path: path.to_owned(), writable: false };
        let content = shared_content(slice::from_ref(&file));
        self.files.push((whose, file, content));
    }

    /// Returns whether a program has changed since the start. Returns true only once. Reads files only if they look changed.
    pub(crate) fn notice(&mut self) -> bool {
        let mut is_changed = false;
        for (path, then) in &mut self.seen {
            let now = FileState::of(path);
            is_changed |= now != *then;
            *then = now;
        }
        if !is_changed || self.noticed.is_some() {
            return false;
        }
        self.noticed = self.edited().filter(|edited| !edited.is_shown_by_results);
        self.noticed.is_some()
    }

    /// Fails with this hint if a program was edited. `meanwhile` names the work during which it was edited.
    pub(crate) fn refuse_edited(&self, meanwhile: &str, hint: &str) -> Result<()> {
        let Some(Edited { what, .. }) = self.edited() else { return Ok(()) };
        let error = format!("the {what} was edited during the {meanwhile}: the result would be of two versions");
        Err(Failure::usage(error).with_hint(hint))
    }

    /// Returns the program that was edited; `None` if there is none.
    pub(crate) fn edited(&self) -> Option<Edited> {
        if self.noticed.is_some() {
            return self.noticed.clone();
        }
        let is_other = |(_, file, then): &&(String, Visible, Digest)| shared_content(slice::from_ref(file)) != *then;
        let edited_in = |(whose, then): &(String, Snapshot)| {
            let (path, _) = then.iter().find(|(path, state)| FileState::of(path) != **state)?;
            Some(format!("{whose} ({})", one_line(&path.to_string_lossy())))
        };
        let what = if checker_identity(&self.problem.checker).to_string() != self.checker {
            Some("checker".to_owned())
        } else {
            let edited_file = self.files.iter().find(is_other).map(|(whose, ..)| whose.clone());
            edited_file.or_else(|| self.folders.iter().find_map(edited_in))
        };
        match what {
            Some(what) => Some(Edited { what, is_shown_by_results: false }),
            None if generator_identity(&self.problem) != self.generator => {
                Some(Edited { what: "generator".to_owned(), is_shown_by_results: true })
            }
            None => None,
        }
    }
}

fn with_state(path: PathBuf) -> (PathBuf, Option<FileState>) {
    let state = FileState::of(&path);
    (path, state)
}

/// The maximal number of files in a snapshot.
const MAX_FILES: usize = 10_000;

/// Folders that builds write to.
const BUILT: [&str; 3] = ["target", "__pycache__", "node_modules"];

/// The state of a file. It shows an edit without reading the file.
#[derive(Debug, PartialEq, Eq)]
pub struct FileState {
    inode: u64,
    size: u64,
    modified: (i64, i64),
}

impl FileState {
    /// Returns the state of a file; `None` if there is none.
    pub fn of(path: &Path) -> Option<Self> {
        path.metadata().ok().map(|found| Self::from(&found))
    }
}

impl From<&Metadata> for FileState {
    fn from(found: &Metadata) -> Self {
        Self { inode: found.ino(), size: found.size(), modified: (found.mtime(), found.mtime_nsec()) }
    }
}

/// Files and the state of each; `None` if the file is missing.
pub type Snapshot = BTreeMap<PathBuf, Option<FileState>>;

/// Returns the state of these files and of the files in these folders. It has at most 10,000 files, and neither hidden
/// files nor the output of builds.
pub fn snapshot(paths: &[impl AsRef<Path>]) -> Snapshot {
    let mut seen = Snapshot::new();
    paths.iter().for_each(|path| add(path.as_ref(), &mut seen));
    seen
}

fn add(path: &Path, seen: &mut Snapshot) {
    if seen.len() >= MAX_FILES {
        return;
    }
    let found = path.metadata().ok();
    if !found.as_ref().is_some_and(Metadata::is_dir) {
        seen.insert(path.to_owned(), found.as_ref().map(FileState::from));
        return;
    }
    for entry in path.read_dir().into_iter().flatten().flatten() {
        let name = entry.file_name();
        // Links to folders may lead in a circle.
        let is_link_to_folder = entry.file_type().is_ok_and(|kind| kind.is_symlink()) && entry.path().is_dir();
        if !name.as_encoded_bytes().starts_with(b".") && !BUILT.iter().any(|built| name == *built) && !is_link_to_folder
        {
            add(&entry.path(), seen);
        }
    }
}
