//! The content of a package, with its validators.

use super::config::Config;
use super::data::{Case, Group};
use crate::program::Program;
use crate::{ImportError, files, program};
use std::collections::BTreeSet;
use std::path::Path;

/// The content of a package.
pub(super) struct Package {
    pub(super) config: Config,
    /// Whether `testdata.yaml` holds the settings of groups.
    pub(super) old_groups: bool,
    /// `data/sample` and `data/secret`.
    pub(super) groups: Vec<Group>,
    pub(super) validator: Option<Validator>,
    pub(super) input_validator: Option<Program>,
    /// The flags of its validator.
    pub(super) flags: Vec<String>,
}

impl Package {
    /// Returns the groups with cases.
    pub(super) fn with_cases(&self) -> Vec<&Group> {
        self.groups.iter().flat_map(Group::with_cases).collect()
    }

    /// Returns the cases, each with its group.
    pub(super) fn cases(&self) -> impl Iterator<Item = (&Group, &Case)> {
        self.with_cases().into_iter().flat_map(|group| group.cases.iter().map(move |case| (group, case)))
    }

    /// Returns the groups that count, each with its folders of cases.
    pub(super) fn groups_that_count(&self) -> Vec<(&Group, Vec<&Group>)> {
        self.groups.iter().flat_map(|group| group.that_count(self.old_groups)).collect()
    }

    /// Returns whether the validator's scores count as they are. The legacy format says so; later, a validator writes
    /// either scores or multipliers.
    pub(super) fn has_raw_scores(&self) -> bool {
        let config = &self.config;
        let by_name = |validator: &Validator| validator.writes_scores && !validator.writes_multipliers;
        let is_new = config.scoring && !config.legacy;
        config.custom_score || is_new && self.validator.as_ref().is_some_and(by_name)
    }

    /// Returns whether two cases have the same file name.
    pub(super) fn has_namesakes(&self) -> bool {
        let mut names = BTreeSet::new();
        self.cases().any(|(_, case)| !names.insert(files::name(&case.input)))
    }
}

/// Where the output validator goes.
const OUTPUT: &str = "output_validator";

/// Where the input validator goes.
const INPUT: &str = "input_validator";

/// The folders of input validators, and whether their files are one program.
const INPUT_FOLDERS: [(&str, bool); 3] =
    [("input_validators", false), (INPUT, true), ("input_format_validators", false)];

/// An output validator.
#[derive(Debug)]
pub(super) struct Validator {
    pub(super) program: Program,
    /// Whether its sources name the file for a plain score.
    pub(super) writes_scores: bool,
    /// Whether its sources name the file for a share of the case's points.
    pub(super) writes_multipliers: bool,
}

/// Finds the output validator. `None` if the package has none.
pub(super) fn output(root: &Path) -> Result<Option<Validator>, ImportError> {
    let folders = [OUTPUT, "output_validators"].map(|name| root.join(name));
    let Some(folder) = folders.iter().find(|folder| folder.is_dir()) else { return Ok(None) };
    let source = match &*program::all(folder, folder.ends_with(OUTPUT))? {
        [] => return Ok(None),
        [one] => one.clone(),
        several => {
            let what = format!("{} output validators, which must all accept", several.len());
            return Err(ImportError::unsupported(folder, what));
        }
    };
    let program = program::read(root, &source, OUTPUT, "the output validator")?
        .map_err(|(file, why)| ImportError::unsupported(&file, format!("an output validator {why}")))?;
    let is_source = |file: &Path| !files::has_extension(file, &["md", "txt"]);
    let sources: Vec<_> = program.files.iter().map(|(file, _)| file).filter(|file| is_source(file)).collect();
    let names = |word: &[u8]| sources.iter().any(|file| std::fs::read(file).is_ok_and(|text| contains(&text, word)));
    let (writes_scores, writes_multipliers) = (names(b"score.txt"), names(b"score_multiplier.txt"));
    Ok(Some(Validator { program, writes_scores, writes_multipliers }))
}

/// Finds the first input validator that can be run. Adds a line for each other one.
pub(super) fn input(root: &Path, left: &mut Vec<String>) -> Result<Option<Program>, ImportError> {
    let mut found = None;
    for (name, is_one) in INPUT_FOLDERS {
        for source in program::all(&root.join(name), is_one)? {
            files::check_link(root, &source)?;
            let shown = files::inside(root, &source).display().to_string();
            if found.is_some() {
                left.push(format!("{shown}: a problem has one validator, the first"));
                continue;
            }
            match program::read(root, &source, INPUT, "the input validator")? {
                Ok(program) => found = Some(program),
                Err((_, why)) => left.push(format!("{shown}: an input validator {why}")),
            }
        }
    }
    Ok(found)
}

fn contains(text: &[u8], word: &[u8]) -> bool {
    text.windows(word.len()).any(|part| part == word)
}
