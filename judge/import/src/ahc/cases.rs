//! The cases of a package: those that its generator makes of seeds, or its files.

use super::build::Built;
use super::package::{Package, program};
use crate::error::ImportError;
use crate::files;
use judge_run::command;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The folder of the cases, and the list of their seeds.
const FOLDER: &str = "in";
const SEEDS: &str = "seeds.txt";

/// How many cases there are without a list of seeds and without files.
const DEFAULT_COUNT: usize = 100;

/// How long the generator may take for all cases of the list.
const LIMIT: Duration = Duration::from_secs(600);

/// Where the cases come from.
#[derive(Debug)]
pub(super) struct Cases {
    /// How many seeds, from 0, are cases of the problem; `None`: the cases are files.
    pub(super) seeds: Option<usize>,
    /// Whether the first numbers stand for other seeds.
    pub(super) has_list: bool,
    inputs: Vec<PathBuf>,
    /// Why the cases are files although there is a generator.
    differs: Option<String>,
}

impl Cases {
    /// Finds the cases. The generator is held against the files that it made: they must be the same.
    pub(super) fn find(package: &Package, built: &Built) -> Result<Self, ImportError> {
        let has_ending = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "txt");
        let inputs: Vec<_> = files::entries(&package.root.join(FOLDER))?.into_iter().filter(has_ending).collect();
        for input in &inputs {
            files::check_link(&package.root, input)?;
        }
        let list = seeds(&package.root.join(SEEDS))?;
        if !package.has_generator {
            if inputs.is_empty() {
                let what = "no cases, and no program `gen` that makes some";
                return Err(ImportError::bad(&package.root.join(FOLDER), what, "files such as in/0000.txt"));
            }
            return Ok(Self { seeds: None, has_list: false, inputs, differs: None });
        }
        let count = [list.len(), inputs.len()].into_iter().max().filter(|count| *count > 0).unwrap_or(DEFAULT_COUNT);
        let is_plain = list.iter().enumerate().all(|(place, seed)| place as u64 == *seed);
        let of_seeds = Self { seeds: Some(count), has_list: !is_plain, inputs: Vec::new(), differs: None };
        let seeds: Vec<u64> = (0..count).map(|place| list.get(place).copied().unwrap_or(place as u64)).collect();
        Ok(match differs(built, &seeds, &inputs) {
            None => of_seeds,
            Some(why) => Self { seeds: None, has_list: !is_plain, inputs, differs: Some(why) },
        })
    }

    /// Returns what is taken.
    pub(super) fn described(&self) -> String {
        match self.seeds {
            Some(count) => format!("{count} cases, which gen makes of the seeds 0-{}", count - 1),
            None => format!("{} cases in files", self.inputs.len()),
        }
    }

    /// Returns what is not as it seems.
    pub(super) fn left(&self) -> Option<String> {
        self.differs.as_ref().map(|why| format!("the seeds of the cases: {why}"))
    }

    /// Returns the files that belong to the problem: where each is, and where it goes.
    pub(super) fn files(&self, package: &Package) -> Vec<(PathBuf, PathBuf)> {
        let list = self.has_list.then(|| (package.root.join(SEEDS), program(SEEDS)));
        let inputs = self.inputs.iter().map(|input| (input.clone(), Path::new(FOLDER).join(files::name(input))));
        inputs.chain(list).collect()
    }
}

/// Reads a list of seeds; one that is not there is empty.
fn seeds(path: &Path) -> Result<Vec<u64>, ImportError> {
    if !path.is_file() {
        return Ok(Vec::new());
    }
    let text = fs::read_to_string(path).map_err(|error| ImportError::unreadable(path, error))?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let seed = |line: &str| {
        line.parse().map_err(|_| ImportError::bad(path, format!("`{line}`"), "a seed: a whole number below 2^64"))
    };
    lines.map(seed).collect()
}

/// Has the generator make all cases again. Returns how they differ from the files, if they do.
fn differs(built: &Built, seeds: &[u64], inputs: &[PathBuf]) -> Option<String> {
    if inputs.is_empty() {
        return None;
    }
    let prefix = judge_sandbox::sweepable_name("cases") + ".";
    let folder = tempfile::Builder::new().prefix(&prefix).tempdir().ok()?;
    let (list, made) = (folder.path().join(SEEDS), folder.path().join(FOLDER));
    let lines: String = seeds.iter().map(|seed| format!("{seed}\n")).collect();
    fs::create_dir(&made).and_then(|()| fs::write(&list, lines)).ok()?;
    let words = [built.program("gen").into_os_string(), OsString::from(list)];
    let ended = command::run(&words, folder.path(), LIMIT, None);
    if !ended.is_ok_and(|ended| ended.status.success()) {
        return Some("gen does not read seeds.txt, so that the cases stay files".to_owned());
    }
    let is_same = |input: &&PathBuf| fs::read(input).ok() == fs::read(made.join(files::name(input))).ok();
    let other = inputs.iter().find(|input| !is_same(input))?;
    Some(format!("gen makes another {} of seeds.txt, so that the cases stay files", files::name(other)))
}
