//! The input of a case: generated from its seed, or read from its file. Also its features: numbers from the checker, or
//! numbers that the problem's rules find in the input.

use super::checker::{CheckerError, PreparedCase, ProblemChecker};
use crate::command::{CommandError, CommandOutput, SetterProgram, StopSignal};
use crate::files;
use checkers::{Generator, Parametric, Score};
use judge_problem::{
    CaseList, CaseSource, CaseSpec, CommandTemplate, Digest, FeatureRule, Features, FileGenerator, GeneratorCall,
    GeneratorChoice, GeneratorParameter, InvalidText, Problem, after_colon, tail, try_map_on_all_cores,
};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

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
    /// The generator does not have such parameters.
    #[error(transparent)]
    Call(#[from] InvalidText),
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

/// A case that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Its input cannot be made or read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// Its input is malformed, or the checker failed.
    #[error(transparent)]
    Checker(#[from] CheckerError),
}

/// Makes the inputs of a problem's cases.
#[derive(Clone)]
pub struct Inputs {
    generator: Option<Source>,
    parameters: Arc<[GeneratorParameter]>,
    stop: Option<StopSignal>,
}

/// The source of an input.
#[derive(Clone)]
enum Source {
    BuiltIn(Generator, Option<&'static Parametric>),
    Command(Arc<SetterProgram>),
    /// A generator of files, with its file of seeds, one per line.
    Files(Arc<SetterProgram>, Option<PathBuf>),
    /// The seed itself is the input.
    Seed,
}

impl Inputs {
    /// Makes the inputs of this problem's cases.
    pub fn of(problem: &Problem) -> Self {
        let limits = &problem.helper_limits.generator;
        let program = |command: &CommandTemplate| Arc::new(SetterProgram::new(command, limits));
        let source = |generator: &GeneratorChoice| match generator {
            GeneratorChoice::BuiltIn { generator, .. } => {
                Source::BuiltIn(*generator, problem.checker.built_in().and_then(|checker| checker.parametric))
            }
            GeneratorChoice::Seed => Source::Seed,
            GeneratorChoice::Files(FileGenerator { command, seeds }) => Source::Files(program(command), seeds.clone()),
            GeneratorChoice::Command(command) => Source::Command(program(command)),
        };
        let parameters = problem.generator_parameters.clone().into();
        Self { generator: problem.generator.as_ref().map(source), parameters, stop: None }
    }

    /// Returns inputs whose generator `stop` ends.
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

    /// Returns the input of a case of this list. If the list has kept the input in memory, it is not read again.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn load_of(&self, cases: &CaseList, case: &CaseSpec) -> Result<Arc<[u8]>, InputError> {
        match cases.read_file(&case.source).and_then(|file| file.input.as_ref()) {
            Some(input) => Ok(Arc::clone(input)),
            None => self.load(case).map(Arc::from),
        }
    }

    /// Returns the hash of the input of a case of this list. If the list knows the hash, the input is not read again.
    /// `None` if the input cannot be made or read, which is an error of the case when it runs.
    pub fn hash_of(&self, cases: &CaseList, source: &CaseSource) -> Option<Digest> {
        match cases.read_file(source) {
            Some(file) => Some(file.hash),
            None => self.load_from(source).ok().map(|input| Digest::of(&input)),
        }
    }

    /// Returns the input of a case with this source.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn load_from(&self, source: &CaseSource) -> Result<Vec<u8>, InputError> {
        match source {
            CaseSource::Seed(seed) => self.generate(*seed),
            CaseSource::Made(call) => self.generate_call(call),
            CaseSource::File(path) => {
                files::read(path).map_err(|source| InputError::File { path: path.clone(), source })
            }
        }
    }

    /// Returns the input of the case with this seed.
    ///
    /// # Errors
    /// When the seed cannot be used.
    pub fn generate(&self, seed: u64) -> Result<Vec<u8>, InputError> {
        match &self.generator {
            Some(Source::BuiltIn(generator, _)) => Ok(generator(seed)?),
            Some(Source::Seed) => Ok(format!("{seed}\n").into_bytes()),
            Some(Source::Command(_)) => self.generate_call(&GeneratorCall { seed, values: Vec::new() }),
            Some(Source::Files(program, list)) => generate_file(program, list.as_deref(), seed, self.stop.as_ref()),
            None => Err(InputError::NoGenerator(seed)),
        }
    }

    /// Returns the input of the case with this seed and these parameters.
    ///
    /// # Errors
    /// When the generator does not accept these values, or fails.
    pub fn generate_call(&self, call: &GeneratorCall) -> Result<Vec<u8>, InputError> {
        let values = call.complete(&self.parameters)?;
        let seed = call.seed;
        match &self.generator {
            Some(Source::Command(program)) => {
                let text = seed.to_string();
                let values = values.iter().map(|(name, value)| (&**name, value.as_ref()));
                let all: Vec<(&str, &Path)> = std::iter::once(("seed", text.as_ref())).chain(values).collect();
                let finished = program.run(&all, self.stop.as_ref())?;
                check_end(seed, &finished)?;
                Ok(finished.stdout)
            }
            Some(Source::BuiltIn(_, Some(parametric))) if !call.values.is_empty() => {
                let numbers: Vec<u64> = values.iter().map(|(_, value)| value.parse().unwrap_or_default()).collect();
                Ok((parametric.generate)(seed, &numbers))
            }
            _ => self.generate(seed),
        }
    }
}

/// Fails if a generator did not succeed.
fn check_end(seed: u64, finished: &CommandOutput) -> Result<(), InputError> {
    if finished.status.success() {
        return Ok(());
    }
    let why = format!("{}{}", finished.status, after_colon(&tail(&finished.stderr)));
    Err(InputError::Generator { seed, why })
}

/// Returns the case with this seed. The generator gets a file with only this seed, and writes one file. With a list of
/// seeds, `seed` is the number of a line in it.
fn generate_file(
    program: &SetterProgram,
    list: Option<&Path>,
    seed: u64,
    stop: Option<&StopSignal>,
) -> Result<Vec<u8>, InputError> {
    let failed = |why: String| InputError::Generator { seed, why };
    let named = of_list(list, seed)?;
    let mut finished = program.run_on_list(&format!("{named}\n"), stop)?;
    check_end(seed, &finished)?;
    match &mut *finished.files {
        [only] => Ok(std::mem::take(&mut only.bytes)),
        [] => Err(failed("it left no file in its `{output-folder}`".to_owned())),
        several => Err(failed(format!("it left {} files for one seed", several.len()))),
    }
}

/// Returns the seed in this line of a list, counted from 0. After the end of the list, the number is the seed.
fn of_list(list: Option<&Path>, line: u64) -> Result<u64, InputError> {
    let Some(path) = list else { return Ok(line) };
    let failed = |why| InputError::Generator { seed: line, why };
    let text = files::read_text(path).map_err(|error| failed(format!("cannot read {}: {error}", path.display())))?;
    let place = usize::try_from(line).unwrap_or(usize::MAX);
    match text.lines().map(str::trim).filter(|seed| !seed.is_empty()).nth(place) {
        None => Ok(line),
        Some(seed) => seed.parse().map_err(|_| {
            failed(format!("{}: seed {line} is `{seed}`: expected a whole number below 2^64", path.display()))
        }),
    }
}

/// Returns the features of a case. Features that the problem's own rules find take precedence over the checker's.
pub(crate) fn features(rules: &[FeatureRule], input: &[u8], case: &PreparedCase) -> Features {
    let mut features = Features::default();
    for feature in case.features() {
        features.set(feature.name, feature.value.into());
    }
    for rule in rules {
        if let Some(number) = find(rule, input) {
            features.set(&rule.name, number);
        }
    }
    features
}

/// Reads a problem's cases to describe them.
pub struct CaseReader {
    inputs: Inputs,
    checker: ProblemChecker,
    rules: Vec<FeatureRule>,
}

/// The description of a case.
#[derive(Debug, Clone)]
pub struct CaseDescription {
    /// Hash of its input.
    pub input: Digest,
    /// Its features.
    pub features: Features,
}

impl CaseReader {
    /// Reads the cases of this problem.
    pub fn of(problem: &Problem) -> Self {
        Self { inputs: Inputs::of(problem), checker: ProblemChecker::of(problem), rules: problem.features.clone() }
    }

    /// Reads a case.
    ///
    /// # Errors
    /// When its input cannot be made or read, or is malformed.
    pub fn open(&self, case: &CaseSpec) -> Result<(Vec<u8>, PreparedCase), ReadError> {
        let input = self.inputs.load(case)?;
        let prepared = self.checker.prepare(&input, Some(&case.source))?;
        Ok((input, prepared))
    }

    /// Reads a case, and describes it.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn describe(&self, case: &CaseSpec) -> Result<CaseDescription, ReadError> {
        let (input, prepared) = self.open(case)?;
        Ok(CaseDescription { input: Digest::of(&input), features: features(&self.rules, &input, &prepared) })
    }

    /// Returns the features of an input that does not belong to a case of the problem.
    pub fn describe_input(&self, input: &[u8]) -> Result<Features, CheckerError> {
        Ok(features(&self.rules, input, &self.checker.prepare(input, None)?))
    }
}

/// Reads a problem's cases, and returns the features of each.
///
/// # Errors
/// The first case that cannot be read.
pub fn describe_all(problem: &Problem, cases: &CaseList) -> Result<Vec<Features>, ReadError> {
    let reader = CaseReader::of(problem);
    try_map_on_all_cores(cases.len(), |place| {
        let case = &cases.at(place);
        let input = reader.inputs.load_of(cases, case)?;
        Ok(features(&reader.rules, &input, &reader.checker.prepare(&input, Some(&case.source))?))
    })
}

/// Returns the number in the first group, or in the whole match; `None` if the text found is not a number.
fn find(rule: &FeatureRule, input: &[u8]) -> Option<Score> {
    let found = rule.pattern.captures(input)?;
    let text = found.iter().nth(1).unwrap_or_else(|| found.get(0))?;
    std::str::from_utf8(text.as_bytes()).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(pattern: &str, input: &[u8]) -> Option<String> {
        let rule = FeatureRule { name: "x".to_owned(), pattern: regex::bytes::Regex::new(pattern).unwrap() };
        find(&rule, input).map(|number| number.to_string())
    }

    #[test]
    fn the_first_group_or_the_whole_match_is_the_number() {
        let input = b"6 13\n-40\n0.25 abc\n\xff";
        assert_eq!(found(r"^\d+ (\d+)", input).as_deref(), Some("13"));
        assert_eq!(found(r"\d+", input).as_deref(), Some("6"));
        assert_eq!(found(r"(?m)^-?\d+$", input).as_deref(), Some("-40"));
        assert_eq!(found(r"(\S+) abc", input).as_deref(), Some("0.25"));
        assert_eq!(found(r"\S+$", b"size 1e3").as_deref(), Some("1000"));
        assert_eq!(found(r"(abc)", input), None);
        assert_eq!(found(r"missing (\d+)", input), None);
        assert_eq!(found(r"(x)?abc", input), None);
    }
}
