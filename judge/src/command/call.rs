//! The arguments and files of one call of an external checker or interactor.

use super::error::CommandError;
use super::words::words;
use crate::model::CommandTemplate;
use crate::verdict::{Call, CallFiles, Protocol};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The most bytes of a report that are read.
const REPORT_BYTES: u64 = 64 << 10;

/// The files for the result of one call. They are removed when this is dropped. If the judge is killed, the next
/// judge's sweep removes them.
#[derive(Debug)]
pub struct Reports {
    _folder: Option<TempDir>,
    files: Vec<PathBuf>,
}

impl Reports {
    /// Creates the files of a protocol, empty.
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
        files.iter().try_for_each(|file| File::create_new(file).map(drop))?;
        Ok(Self { _folder: Some(folder), files })
    }

    /// Returns the files of a call that writes these reports.
    #[must_use]
    pub fn with<'a>(&'a self, input: &'a Path, answer: Option<&'a Path>) -> CallFiles<'a> {
        CallFiles { input, answer, reports: &self.files }
    }

    /// Returns the contents of the files.
    ///
    /// # Errors
    /// When one cannot be read.
    pub fn read(&self) -> io::Result<Vec<Vec<u8>>> {
        let read = |file: &PathBuf| {
            let mut bytes = Vec::new();
            File::open(file)?.take(REPORT_BYTES).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        self.files.iter().map(read).collect()
    }
}

/// Returns the arguments of a call.
///
/// # Errors
/// When the command line is empty or its quotes do not match.
pub fn call_words(command: &CommandTemplate, call: &Call<'_>) -> Result<Vec<OsString>, CommandError> {
    let mut words = words(&command.line, &call.placeholders)?;
    words.extend(call.appended.iter().map(OsString::from));
    Ok(words)
}
