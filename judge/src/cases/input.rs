//! A case's input: generated from its seed, or read from its file.

use crate::command::{self, CommandError, StopSignal};
use crate::model::{CaseSource, CaseSpec, GeneratorChoice, Problem, tail};
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Makes the inputs of a problem's cases.
#[derive(Clone)]
pub struct Inputs {
    generator: Option<GeneratorChoice>,
    folder: PathBuf,
    limit: Duration,
    stop: Option<StopSignal>,
}

/// An input that cannot be made or read.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// The file cannot be read.
    #[error("cannot read the case file {}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A built-in generator has no case for this seed.
    #[error(transparent)]
    Seed(#[from] checkers::UnusableSeed),
    /// The problem has no generator.
    #[error("the problem has no generator for seed {0}")]
    NoGenerator(u64),
    /// A generator command failed.
    #[error("the generator failed on seed {seed}: {why}")]
    Generator {
        /// The seed.
        seed: u64,
        /// How it ended, and its standard error.
        why: String,
    },
    /// A generator command could not be run.
    #[error(transparent)]
    Command(#[from] CommandError),
}

impl Inputs {
    /// Makes the inputs of this problem's cases.
    #[must_use]
    pub fn of(problem: &Problem) -> Self {
        let Problem { generator, folder, helper_limits, .. } = problem;
        Self { generator: generator.clone(), folder: folder.clone(), limit: helper_limits.generator.0, stop: None }
    }

    /// Returns inputs whose generator `stop` ends.
    #[must_use]
    pub fn stopped_by(self, stop: &StopSignal) -> Self {
        Self { stop: Some(stop.clone()), ..self }
    }

    /// Returns the input of a case.
    ///
    /// # Errors
    /// When its file cannot be read, or its seed cannot be used.
    pub fn load(&self, case: &CaseSpec) -> Result<Vec<u8>, InputError> {
        match &case.source {
            CaseSource::Seed(seed) => self.generate(*seed),
            CaseSource::File(path) => {
                std::fs::read(path).map_err(|source| InputError::File { path: path.clone(), source })
            }
        }
    }

    /// Returns the input of the case with this seed.
    ///
    /// # Errors
    /// When the seed cannot be used.
    pub fn generate(&self, seed: u64) -> Result<Vec<u8>, InputError> {
        match &self.generator {
            Some(GeneratorChoice::BuiltIn { generator, .. }) => Ok(generator(seed)?),
            Some(GeneratorChoice::Command(line)) => self.generate_by_command(line, seed),
            None => Err(InputError::NoGenerator(seed)),
        }
    }

    fn generate_by_command(&self, line: &str, seed: u64) -> Result<Vec<u8>, InputError> {
        let seed_text = seed.to_string();
        let words = command::words(line, &[("seed", seed_text.as_ref())])?;
        let finished = command::run(&words, &self.folder, self.limit, self.stop.as_ref())?;
        if !finished.status.success() {
            let why = format!("{}: {}", finished.status, tail(&finished.stderr));
            return Err(InputError::Generator { seed, why });
        }
        Ok(finished.stdout)
    }
}
