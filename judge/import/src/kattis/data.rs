//! The cases of a package, by their folders.

use super::constants::Constants;
use crate::error::ImportError;
use crate::files;
use crate::yaml::Mapping;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The file of a group's settings before 2023-07. Groups take over the settings of the one above.
const OLD_SETTINGS: &str = "testdata.yaml";

/// The names that the file of a group's settings has in the formats.
const SETTINGS: [&str; 2] = ["test_group.yaml", OLD_SETTINGS];

/// The keys of the validator's flags in the formats.
pub(super) const FLAGS: [&str; 2] = ["output_validator_args", "output_validator_flags"];

/// The keys of the flags of the validator of inputs.
pub(super) const INPUT_FLAGS: [&str; 2] = ["input_validator_args", "input_validator_flags"];

/// A case: an input, and its answer file if it has one.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) input: PathBuf,
    pub(super) answer: Option<PathBuf>,
    /// Its own settings, of the file `NAME.yaml`.
    pub(super) settings: Mapping,
}

/// A folder of cases.
#[derive(Debug)]
pub(super) struct Group {
    /// Its path in the package: `data/secret/subtask1`.
    pub(super) path: String,
    pub(super) settings: Mapping,
    pub(super) cases: Vec<Case>,
    pub(super) groups: Vec<Group>,
}

impl Group {
    /// Reads a folder of the package at `root` with all below it. In the older format, a group has the settings of the one
    /// above where it has none of its own.
    pub(super) fn read(
        root: &Path,
        path: &str,
        above: Option<&Mapping>,
        constants: &Constants,
        left: &mut BTreeSet<String>,
    ) -> Result<Self, ImportError> {
        let folder = root.join(path);
        let own = Self::settings_of(&folder, constants)?;
        let settings = above.map_or_else(|| own.clone(), |above| own.clone().over(above));
        let mut group = Self { path: path.to_owned(), settings, cases: Vec::new(), groups: Vec::new() };
        let entries = files::entries(&folder)?;
        for entry in &entries {
            files::check_link(root, entry)?;
            let name = files::name(entry);
            let ending = entry.extension().unwrap_or_default().to_string_lossy().into_owned();
            if entry.is_dir() && ending == "files" {
                left.insert(format!("{path}/*.files: files beside the input are not shown to solvers"));
            } else if entry.is_dir() {
                let above = above.is_some().then_some(&group.settings);
                let inner = Self::read(root, &format!("{path}/{name}"), above, constants, left)?;
                group.groups.push(inner);
            } else if ending == "in" {
                let answer = Some(entry.with_extension("ans")).filter(|answer| answer.is_file());
                let settings = Mapping::read(&entry.with_extension("yaml"))?;
                left.extend(unused(path, &name, &settings));
                group.cases.push(Case { input: entry.clone(), answer, settings });
            } else if let Some(line) = not_taken(path, &name, &ending, entry) {
                left.insert(line);
            }
        }
        Ok(group)
    }

    /// Returns whether the groups of a package have settings in the form from before 2023-07.
    pub(super) fn are_old(root: &Path) -> bool {
        ["data", "data/sample", "data/secret"].iter().any(|folder| root.join(folder).join(OLD_SETTINGS).exists())
    }

    /// Reads the settings of the group in a folder.
    pub(super) fn settings_of(folder: &Path, constants: &Constants) -> Result<Mapping, ImportError> {
        let file = SETTINGS.map(|name| folder.join(name)).into_iter().find(|file| file.exists());
        Mapping::read_as(&file.unwrap_or_else(|| folder.join(SETTINGS[0])), |text| constants.put_into(text))
    }

    /// Returns its name in a catalogue: its path below `data`.
    pub(super) fn name(&self) -> &str {
        self.path.trim_start_matches("data/")
    }

    pub(super) fn is_sample(&self) -> bool {
        self.path.starts_with("data/sample")
    }

    /// Returns this group and all below it that have cases of their own.
    pub(super) fn with_cases(&self) -> Vec<&Self> {
        let own = (!self.cases.is_empty()).then_some(self);
        own.into_iter().chain(self.groups.iter().flat_map(Self::with_cases)).collect()
    }
}

/// Says which settings of a case are not used.
fn unused(path: &str, input: &str, settings: &Mapping) -> Option<String> {
    let keys: Vec<_> = settings
        .keys()
        .filter(|key| !FLAGS.contains(key) && !INPUT_FLAGS.contains(key))
        .map(|key| format!("`{key}`"))
        .collect();
    let name = input.trim_end_matches(".in");
    (!keys.is_empty())
        .then(|| format!("{path}/{name}.yaml: {}: settings of a single case are not used", keys.join(", ")))
}

/// Says what a file beside the cases was for; `None` if it belongs to a case or to the group.
fn not_taken(path: &str, name: &str, ending: &str, file: &Path) -> Option<String> {
    match ending {
        _ if SETTINGS.contains(&name) => None,
        "ans" | "yaml" if file.with_extension("in").exists() => None,
        "args" => Some(format!("{path}/*.args: solvers get no arguments of a case")),
        "desc" | "hint" | "png" | "jpg" | "jpeg" | "svg" => Some(format!("{path}/*.{ending}: no part of judging")),
        "interaction" => Some(format!("{path}/*.interaction: shown to readers, no case")),
        "md" | "statement" | "out" => Some(format!("{path}/*.{ending}: shown to readers, no case")),
        _ => Some(format!("{path}/{name}: no file of a case")),
    }
}
