//! The folder of a run on the shared file system.
//!
//! ```text
//! plan.json        the plan without its cases; when it is removed, the run is over
//! cases.json       every case, for a judge that resumes the run
//! jobs             the ids of the jobs that were submitted
//! pieces/PIECE     some cases, for the task that takes them
//! claims/PIECE     which task took the piece
//! results/TASK     the results of a task
//! revoked/TASK     a task that is lost: if it still runs, it ends
//! logs/, files/    the output of tasks; copies of the files that the run needs
//! ```
//!
//! Each file has one writer, and no file is locked. The run only needs a network file system that can create a file
//! exclusively.

use judge_problem::{CaseName, CaseSource, CaseSpec};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, BufReader, BufWriter, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

pub(super) const PLAN: &str = "plan.json";
pub(super) const CASES: &str = "cases.json";
const PIECES: &str = "pieces";
const CLAIMS: &str = "claims";
const RESULTS: &str = "results";
const REVOKED: &str = "revoked";
const JOBS: &str = "jobs";
const LOGS: &str = "logs";
const FILES: &str = "files";

/// The start of the folder's name.
pub(super) const PREFIX: &str = "judge-run.";

/// Below this the disk counts as full.
const MIN_FREE_BYTES: u64 = 256 << 10;

/// The judge that tasks run, and their script.
const JUDGE: &str = "judge";
const SCRIPT: &str = "task.sh";

/// How often the removal of a folder is tried, because a task may still write to it.
const REMOVALS: usize = 50;

/// The folder of a run on the shared file system.
#[derive(Debug, Clone)]
pub struct RunFolder {
    path: PathBuf,
}

/// A case as tasks read it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CaseEntry {
    /// Its place in the plan.
    pub(super) place: usize,
    name: String,
    source: CaseSource,
}

/// Some cases, for one task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Piece {
    /// How often these cases were lost.
    pub(super) losses: u32,
    pub(super) cases: Vec<CaseEntry>,
}

impl CaseEntry {
    pub(super) fn new(place: usize, case: &CaseSpec, source: CaseSource) -> Self {
        Self { place, name: case.name.to_string(), source }
    }

    /// Returns the case with the original path of its file, before it was copied into this folder.
    pub(super) fn original(&self, files: &Path) -> CaseSpec {
        let source = match &self.source {
            CaseSource::File(path) => CaseSource::File(Path::new("/").join(path.strip_prefix(files).unwrap_or(path))),
            made => made.clone(),
        };
        CaseSpec::new(CaseName::from(&*self.name), source)
    }

    /// Returns the case, with the defaults for scoring.
    pub(super) fn spec(&self) -> CaseSpec {
        CaseSpec::new(CaseName::from(&*self.name), self.source.clone())
    }
}

impl RunFolder {
    /// Makes a folder in `parent`. If root runs the judge, programs run as other users and must pass through the
    /// folder. Its name is random, so that it cannot be guessed.
    pub(super) fn make(parent: &Path) -> io::Result<Self> {
        if parent.canonicalize()?.to_str().is_none_or(|path| path.contains('\n')) {
            return Err(io::Error::other("Slurm takes no path with a line feed, or that is not UTF-8"));
        }
        let mode = if rustix::process::geteuid().is_root() { 0o711 } else { 0o700 };
        let made = tempfile::Builder::new().prefix(PREFIX).rand_bytes(16).tempdir_in(parent)?;
        fs::set_permissions(made.path(), Permissions::from_mode(mode))?;
        let folder = Self { path: made.path().canonicalize()? };
        for inner in [PIECES, CLAIMS, RESULTS, REVOKED, LOGS, FILES] {
            DirBuilder::new().mode(if inner == FILES { 0o755 } else { 0o700 }).create(folder.path.join(inner))?;
        }
        let _kept = made.keep();
        Ok(folder)
    }

    /// Returns the folder at this path.
    pub fn at(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the folder of a run at this path, complete or partly removed. `None` if there is none, or if the path is
    /// something else.
    pub(super) fn find_remains(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?;
        let known = [PLAN, CASES, PIECES, CLAIMS, RESULTS, REVOKED, JOBS, LOGS, FILES, JUDGE, SCRIPT];
        let is_known = |name: &String| known.contains(&&**name);
        let is_own = |data: fs::Metadata| data.is_dir() && data.uid() == rustix::process::geteuid().as_raw();
        let is_left = name.starts_with(PREFIX)
            && path.symlink_metadata().is_ok_and(is_own)
            && names(path).is_ok_and(|inner| inner.iter().all(is_known));
        is_left.then(|| Self::at(path))
    }

    /// Returns whether the run continues. If the file system is not mounted here, that is an error.
    ///
    /// # Errors
    /// When this cannot be determined.
    pub fn find_open(&self) -> io::Result<bool> {
        match self.path.join(PLAN).try_exists()? {
            false if !self.path.parent().is_some_and(Path::is_dir) => Err(ErrorKind::NotFound.into()),
            is_open => Ok(is_open),
        }
    }

    /// Returns whether the run continues.
    pub fn is_open(&self) -> bool {
        self.path.join(PLAN).exists()
    }

    pub(super) fn files(&self) -> PathBuf {
        self.path.join(FILES)
    }

    /// Returns the pattern of the tasks' logs for `sbatch`, in which the folder's own `%` are doubled. With a backslash,
    /// Slurm replaces nothing, and all tasks share a log.
    pub(super) fn log_pattern(&self) -> String {
        let folder = self.path.to_string_lossy();
        let folder = match folder.contains('\\') {
            true => folder.replace('\\', r"\\"),
            false => folder.replace('%', "%%"),
        };
        format!("{folder}/{LOGS}/%A_%a")
    }

    /// Returns the end of the output of the first task that printed anything.
    pub(super) fn printed(&self) -> Option<String> {
        let mut logs: Vec<_> = fs::read_dir(self.path.join(LOGS)).ok()?.flatten().map(|entry| entry.path()).collect();
        logs.sort();
        let printed = logs.iter().filter_map(|log| fs::read(log).ok());
        printed.map(|log| judge_problem::tail(&log)).find(|log| !log.is_empty())
    }

    /// Notes a job that was submitted for the run.
    pub(super) fn add_job(&self, id: &str) -> io::Result<()> {
        let mut file = OpenOptions::new().create(true).append(true).open(self.path.join(JOBS))?;
        file.write_all(format!("{id}\n").as_bytes())
    }

    /// Returns the recorded ids of the jobs that were submitted for the run.
    pub(super) fn jobs(&self) -> io::Result<Vec<String>> {
        match fs::read_to_string(self.path.join(JOBS)) {
            Ok(text) => Ok(text.lines().map(str::to_owned).collect()),
            Err(error) if error.kind() == ErrorKind::NotFound && self.path.exists() => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// Writes the script of a task: it runs the judge's copy on this folder.
    pub(super) fn write_script(&self) -> io::Result<()> {
        let judge = self.path.join(JUDGE);
        let own = std::env::current_exe()?;
        if fs::hard_link(&own, &judge).is_err() {
            fs::copy(&own, &judge)?;
        }
        let word = |path: &Path| judge_problem::quote(&path.to_string_lossy());
        fs::write(self.script(), format!("#!/bin/sh\nexec {} work {}\n", word(&judge), word(&self.path)))
    }

    pub(super) fn script(&self) -> PathBuf {
        self.path.join(SCRIPT)
    }

    /// Returns whether the disk has space for results.
    pub(super) fn has_free_space(&self) -> bool {
        rustix::fs::statvfs(&self.path).is_ok_and(|free| free.f_bavail.saturating_mul(free.f_frsize) >= MIN_FREE_BYTES)
    }

    /// Writes a file of the run, such as its plan.
    pub(super) fn write(&self, name: &str, value: &impl Serialize) -> io::Result<()> {
        write_json(&self.path, name, value)
    }

    /// Reads a file of the run.
    pub(super) fn read<T: DeserializeOwned>(&self, name: &str) -> io::Result<T> {
        read_json(&self.path.join(name))
    }

    /// Adds a piece, and returns its name. Sorted by name, pieces are in the order of their first cases. The name
    /// contains how often the cases were lost, so a piece that replaces a lost one has another name.
    pub(super) fn add_piece(&self, piece: &Piece) -> io::Result<String> {
        let first = piece.cases.first().map_or(0, |case| case.place);
        let name = format!("{first:010}.{}", piece.losses);
        write_json(&self.path.join(PIECES), &name, piece)?;
        Ok(name)
    }

    /// Returns the names of all pieces, in order.
    pub(super) fn pieces(&self) -> io::Result<Vec<String>> {
        let mut names = names(&self.path.join(PIECES))?;
        names.sort();
        Ok(names)
    }

    pub(super) fn piece(&self, name: &str) -> io::Result<Piece> {
        read_json(&self.path.join(PIECES).join(name))
    }

    /// Returns the names of the pieces that were taken.
    pub(super) fn claimed(&self) -> io::Result<Vec<String>> {
        names(&self.path.join(CLAIMS))
    }

    /// Returns which task took a piece.
    pub(super) fn owner(&self, piece: &str) -> io::Result<Incarnation> {
        let text = fs::read_to_string(self.path.join(CLAIMS).join(piece))?;
        Incarnation::parse(&text).ok_or_else(|| ErrorKind::InvalidData.into())
    }

    /// Takes a piece for a task. `false` when another task was faster. The claim file gets its name after it is written, so
    /// that a killed task never leaves a claim without an owner.
    pub(super) fn claim(&self, piece: &str, task: &Incarnation) -> io::Result<bool> {
        let claims = self.path.join(CLAIMS);
        let draft = claims.join(format!(".{piece}.{task}"));
        let mut file = File::create(&draft)?;
        file.write_all(task.to_string().as_bytes())?;
        file.sync_data()?;
        let named = fs::hard_link(&draft, claims.join(piece));
        let _ = fs::remove_file(&draft);
        match named {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Returns the file for the results of a task.
    pub fn results(&self, task: &Incarnation) -> PathBuf {
        self.path.join(RESULTS).join(task.to_string())
    }

    /// Returns the tasks that have begun to write their results.
    pub(super) fn reporting(&self) -> io::Result<Vec<Incarnation>> {
        Ok(names(&self.path.join(RESULTS))?.iter().filter_map(|name| Incarnation::parse(name)).collect())
    }

    /// Tells a lost task to end, in case it still runs.
    pub(super) fn revoke(&self, task: &Incarnation) -> io::Result<()> {
        File::create(self.path.join(REVOKED).join(task.to_string())).map(drop)
    }

    /// Returns whether a task must end: the run is over, or the task counts as lost.
    pub(super) fn is_over_for(&self, task: &Incarnation) -> bool {
        !self.is_open() || self.path.join(REVOKED).join(task.to_string()).exists()
    }

    /// Ends the run, and removes the folder with all that is in it.
    pub(super) fn remove(&self) -> io::Result<()> {
        let _ = fs::remove_file(self.path.join(PLAN));
        for _ in 1..REMOVALS {
            match fs::remove_dir_all(&self.path) {
                Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty => {
                    std::thread::sleep(Duration::from_millis(100));
                }
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
                result => return result,
            }
        }
        fs::remove_dir_all(&self.path)
    }
}

fn names(folder: &Path) -> io::Result<Vec<String>> {
    let entries = fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
    // A file whose name begins with a dot is still being written.
    entries.filter(|name| name.as_ref().map_or(true, |name: &String| !name.starts_with('.'))).collect()
}

/// Writes a file atomically.
fn write_json(folder: &Path, name: &str, value: &impl Serialize) -> io::Result<()> {
    let beside = folder.join(format!(".{name}"));
    let write = || {
        let mut file = BufWriter::new(File::create(&beside)?);
        serde_json::to_writer(&mut file, value)?;
        file.into_inner()?.sync_data()?;
        fs::rename(&beside, folder.join(name))
    };
    write().inspect_err(|_| drop(fs::remove_file(&beside)))
}

fn read_json<T: DeserializeOwned>(path: &Path) -> io::Result<T> {
    Ok(serde_json::from_reader(BufReader::new(File::open(path)?))?)
}

/// One start of a task of a job. If Slurm starts the task again, that is another incarnation, with its own pieces.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Incarnation {
    /// The id of the job.
    pub job: String,
    /// The number of the task in it.
    pub task: usize,
    /// How often it was started before.
    pub restart: usize,
}

impl Incarnation {
    /// Returns the task that this process is, if it is one of Slurm.
    pub fn here() -> Option<Self> {
        let variable = |name: &str| std::env::var(name).ok();
        let number = |name: &str| variable(name)?.parse().ok();
        Some(Self {
            job: variable("SLURM_ARRAY_JOB_ID")?,
            task: number("SLURM_ARRAY_TASK_ID")?,
            restart: number("SLURM_RESTART_COUNT").unwrap_or(0),
        })
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.');
        let (job, task, restart) = (parts.next()?, parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        Some(Self { job: job.to_owned(), task, restart }).filter(|_| parts.next().is_none())
    }
}

impl fmt::Display for Incarnation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}.{}", self.job, self.task, self.restart)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_has_one_owner_from_the_moment_that_it_is_taken() {
        let place = tempfile::tempdir().unwrap();
        let folder = RunFolder::make(place.path()).unwrap();
        let task = |task| Incarnation { job: "7".to_owned(), task, restart: 1 };
        assert!(folder.claim("p", &task(0)).unwrap());
        assert!(!folder.claim("p", &task(1)).unwrap());
        assert_eq!(folder.claimed().unwrap(), ["p"]);
        assert_eq!(folder.owner("p").unwrap(), task(0));
        folder.remove().unwrap();
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_path_that_slurm_cannot_take_is_refused() {
        let place = tempfile::tempdir().unwrap();
        for name in [&b"a\nb"[..], b"a\xff"] {
            let parent = place.path().join(std::os::unix::ffi::OsStrExt::from_bytes(name) as &std::ffi::OsStr);
            std::fs::create_dir(&parent).unwrap();
            assert!(RunFolder::make(&parent).unwrap_err().to_string().contains("Slurm takes no path"));
            assert_eq!(std::fs::read_dir(&parent).unwrap().count(), 0);
        }
    }
}
