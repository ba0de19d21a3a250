//! Cases that a generator leaves in files, as those of AtCoder's tools do.

use super::error::InputError;
use crate::command::{SetterProgram, StopSignal};
use judge_problem::{CommandLimits, FileGenerator, tail};
use std::fs;
use std::path::{Path, PathBuf};

/// A generator of files, ready to be called.
pub(super) struct FileProgram {
    program: SetterProgram,
    /// A file whose lines are the seeds that the first numbers stand for.
    seeds: Option<PathBuf>,
}

impl FileProgram {
    pub(super) fn new(generator: &FileGenerator, limits: &CommandLimits) -> Self {
        Self { program: SetterProgram::new(&generator.command, limits), seeds: generator.seeds.clone() }
    }

    /// Returns the case with this seed. The generator gets a file with the seed alone, and leaves one file.
    pub(super) fn generate(&self, seed: u64, stop: Option<&StopSignal>) -> Result<Vec<u8>, InputError> {
        let failed = |why: String| InputError::Generator { seed, why };
        let named = of_list(self.seeds.as_deref(), seed).map_err(failed)?;
        let (finished, mut made) = self.program.run_on_list(&format!("{named}\n"), stop)?;
        if !finished.status.success() {
            return Err(failed(format!("{}: {}", finished.status, tail(&finished.stderr))));
        }
        match (made.pop(), made.len()) {
            (Some(case), 0) => Ok(case),
            (None, _) => Err(failed("it left no file in its `{output-folder}`".to_owned())),
            (Some(_), others) => Err(failed(format!("it left {} files for one seed", others + 1))),
        }
    }
}

/// Returns the seed in this line, from 0, of a list; the number itself beyond its end.
fn of_list(list: Option<&Path>, line: u64) -> Result<u64, String> {
    let Some(path) = list else { return Ok(line) };
    let text = fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let place = usize::try_from(line).unwrap_or(usize::MAX);
    match text.lines().map(str::trim).filter(|seed| !seed.is_empty()).nth(place) {
        None => Ok(line),
        Some(seed) => seed
            .parse()
            .map_err(|_| format!("{}: seed {line} is `{seed}`: expected a whole number below 2^64", path.display())),
    }
}
