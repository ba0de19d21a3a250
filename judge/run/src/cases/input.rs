//! A case's input: generated from its seed, or read from its file.

use super::error::InputError;
use super::made::FileProgram;
use crate::command::{SetterProgram, StopSignal};
use checkers::Generator;
use judge_problem::{CaseList, CaseSource, CaseSpec, GeneratorChoice, Problem, tail};
use std::sync::Arc;

/// Makes the inputs of a problem's cases.
#[derive(Clone)]
pub struct Inputs {
    generator: Option<Source>,
    stop: Option<StopSignal>,
}

/// What makes inputs from seeds.
#[derive(Clone)]
enum Source {
    BuiltIn(Generator),
    Command(Arc<SetterProgram>),
    Files(Arc<FileProgram>),
    /// The seed is all the input.
    Seed,
}

impl Inputs {
    /// Makes the inputs of this problem's cases.
    #[must_use]
    pub fn of(problem: &Problem) -> Self {
        let source = |generator: &GeneratorChoice| match generator {
            GeneratorChoice::BuiltIn { generator, .. } => Source::BuiltIn(*generator),
            GeneratorChoice::Seed => Source::Seed,
            GeneratorChoice::Files(generator) => {
                Source::Files(Arc::new(FileProgram::new(generator, &problem.helper_limits.generator)))
            }
            GeneratorChoice::Command(command) => {
                Source::Command(Arc::new(SetterProgram::new(command, &problem.helper_limits.generator)))
            }
        };
        Self { generator: problem.generator.as_ref().map(source), stop: None }
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
        self.load_from(&case.source)
    }

    /// Returns the input of a case of this list: that which was read for the list, if it was kept.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn load_of(&self, cases: &CaseList, case: &CaseSpec) -> Result<Arc<[u8]>, InputError> {
        match cases.read_file(&case.source).and_then(|file| file.input.as_ref()) {
            Some(input) => Ok(Arc::clone(input)),
            None => self.load(case).map(Arc::from),
        }
    }

    /// Returns the input of a case that comes from there.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn load_from(&self, source: &CaseSource) -> Result<Vec<u8>, InputError> {
        match source {
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
            Some(Source::BuiltIn(generator)) => Ok(generator(seed)?),
            Some(Source::Seed) => Ok(format!("{seed}\n").into_bytes()),
            Some(Source::Command(program)) => self.generate_by_command(program, seed),
            Some(Source::Files(generator)) => generator.generate(seed, self.stop.as_ref()),
            None => Err(InputError::NoGenerator(seed)),
        }
    }

    fn generate_by_command(&self, program: &SetterProgram, seed: u64) -> Result<Vec<u8>, InputError> {
        let seed_text = seed.to_string();
        let finished = program.run(&[("seed", seed_text.as_ref())], self.stop.as_ref())?;
        if !finished.status.success() {
            let why = format!("{}: {}", finished.status, tail(&finished.stderr));
            return Err(InputError::Generator { seed, why });
        }
        Ok(finished.stdout)
    }
}
