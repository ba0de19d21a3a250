//! The arguments and files of a call outside the sandbox.

use super::error::CommandError;
use super::place::Place;
use judge_problem::CommandTemplate;
use judge_problem::verdict::{Call, CallFiles, Protocol};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The most bytes of a report that are read: it may be the input of another pass.
const REPORT_BYTES: u64 = 64 << 20;

/// The files for the result of one call. They are removed when this is dropped. If the judge is killed, the next
/// judge's sweep removes them.
#[derive(Debug)]
pub struct Reports {
    _folder: Option<TempDir>,
    files: Vec<PathBuf>,
}

impl Reports {
    /// Creates the folder for the files of a protocol, and the files, empty, if the protocol has them so.
    ///
    /// # Errors
    /// When they cannot be created.
    pub fn create(protocol: &dyn Protocol) -> io::Result<Self> {
        let names = protocol.reports();
        if names.is_empty() {
            return Ok(Self { _folder: None, files: Vec::new() });
        }
        let prefix = judge_sandbox::sweepable_name("report") + ".";
        let folder = tempfile::Builder::new().prefix(&prefix).tempdir()?;
        let files: Vec<PathBuf> = names.iter().map(|name| folder.path().join(name)).collect();
        if protocol.finds_reports() {
            files.iter().try_for_each(|file| File::create_new(file).map(drop))?;
        }
        Ok(Self { _folder: Some(folder), files })
    }

    /// Returns the files of a call that writes these reports.
    #[must_use]
    pub fn with<'a>(&'a self, input: &'a Path, answer: Option<&'a Path>, expected: Option<&'a Path>) -> CallFiles<'a> {
        CallFiles { input, answer, expected, reports: &self.files }
    }

    /// Returns the contents of the files; `None` for those that do not exist.
    ///
    /// # Errors
    /// When one cannot be read, or is no file.
    pub fn read(&self) -> io::Result<Vec<Option<Vec<u8>>>> {
        self.files.iter().map(|file| read(file)).collect()
    }

    /// Removes the files, but not what else is in their folder.
    ///
    /// # Errors
    /// When one cannot be removed.
    pub fn clear(&self) -> io::Result<()> {
        let remove = |file: &PathBuf| match std::fs::remove_file(file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        };
        self.files.iter().try_for_each(remove)
    }
}

/// Reads a file that another program wrote: it may be absent, and a pipe or a link is none.
fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(file) => File::from(file),
        Err(Errno::NOENT) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    if !file.metadata()?.is_file() {
        return Err(io::Error::other(format!("{} is no file", path.display())));
    }
    let mut bytes = Vec::new();
    file.take(REPORT_BYTES).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// Returns the arguments of a call.
///
/// # Errors
/// When the command line is empty or its quotes do not match.
pub fn call_words(command: &CommandTemplate, place: &Place, call: &Call<'_>) -> Result<Vec<OsString>, CommandError> {
    let mut words = place.words(&command.line, &call.placeholders)?;
    words.extend(call.appended.iter().cloned());
    Ok(words)
}
