//! Input of a case, for the programs of its problem.

use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, OnceLock};
use tempfile::NamedTempFile;

/// The input of a case. A program outside the sandbox gets it in a file, which is removed with this value.
#[derive(Debug)]
pub struct CaseInput {
    bytes: Arc<[u8]>,
    file: OnceLock<NamedTempFile>,
}

impl CaseInput {
    /// Returns an input with these bytes.
    #[must_use]
    pub fn new(bytes: &[u8]) -> Self {
        Self { bytes: bytes.into(), file: OnceLock::new() }
    }

    /// Returns its bytes.
    #[must_use]
    pub fn bytes(&self) -> &Arc<[u8]> {
        &self.bytes
    }

    /// Returns its file, which is made by the first call.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn path(&self) -> io::Result<&Path> {
        if self.file.get().is_none() {
            // Two may be made at once; the one that comes second is removed.
            let _ = self.file.set(stored(&self.bytes)?);
        }
        Ok(self.file.get().map_or(Path::new(""), NamedTempFile::path))
    }
}

/// Stores bytes in a file that is removed with the value. If the judge is killed, the next judge's sweep removes it.
pub(super) fn stored(bytes: &[u8]) -> io::Result<NamedTempFile> {
    let prefix = judge_sandbox::sweepable_name("case") + ".";
    let mut file = tempfile::Builder::new().prefix(&prefix).tempfile()?;
    file.write_all(bytes)?;
    Ok(file)
}
