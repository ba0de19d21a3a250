//! What `problem.yaml` says.

use super::constants::Constants;
use crate::error::ImportError;
use crate::yaml::Mapping;
use std::path::Path;

/// Keys that say nothing of how an answer is judged.
const DESCRIPTIVE: [&str; 13] = [
    "author",
    "credits",
    "embargo_until",
    "keywords",
    "license",
    "problem_format_version",
    "rights_owner",
    "source_url",
    "type",
    "uuid",
    "version",
    "name",
    "source",
];

/// Keys that are read here.
const READ: [&str; 5] = ["constants", "limits", "validation", "validator_flags", "grading"];

/// Limits that are read here.
const LIMITS: [&str; 13] = [
    "time_limit",
    "time_multiplier",
    "time_multipliers",
    "time_resolution",
    "time_safety_margin",
    "memory",
    "output",
    "code",
    "compilation_time",
    "compilation_memory",
    "validation_time",
    "validation_memory",
    "validation_passes",
];

/// What a problem is, and how it is judged.
#[derive(Debug)]
pub(super) struct Config {
    /// Whether the format is the one from before 2023.
    pub(super) legacy: bool,
    pub(super) title: Option<String>,
    pub(super) source: String,
    pub(super) scoring: bool,
    pub(super) interactive: bool,
    pub(super) multi_pass: bool,
    /// Whether an output validator of the package decides. `None`: if there is one.
    pub(super) custom: Option<bool>,
    /// Whether the validator gives the scores.
    pub(super) custom_score: bool,
    pub(super) minimise: bool,
    pub(super) flags: Vec<String>,
    pub(super) constants: Constants,
    pub(super) limits: Mapping,
    pub(super) left: Vec<String>,
}

impl Config {
    /// Reads the `problem.yaml` of a package.
    pub(super) fn read(file: &Path) -> Result<Self, ImportError> {
        let yaml = Mapping::read(file)?;
        let version = yaml.text("problem_format_version")?.unwrap_or_else(|| "legacy".to_owned());
        let legacy = version.starts_with("legacy");
        let kinds = yaml.words("type")?.unwrap_or_default();
        check_kinds(file, &kinds)?;
        let validation = yaml.words("validation")?.unwrap_or_default();
        let says = |word: &str| validation.iter().any(|found| found == word);
        let is = |kind: &str| kinds.iter().any(|found| found == kind);
        let scoring = is("scoring") || says("score");
        let custom = match &*validation {
            [] if legacy => Some(false),
            [] => None,
            [first, ..] if first == "custom" || first == "default" => Some(first == "custom"),
            [other, ..] => {
                let what = format!("`validation: {other}`");
                return Err(ImportError::bad(file, what, "`default`, or `custom` with `score` or `interactive`"));
            }
        };
        let objective = yaml.mapping("grading")?.text("objective")?;
        Ok(Self {
            title: yaml.first_text("name", &["en"]),
            source: yaml.first_text("source", &["name"]).unwrap_or_default(),
            scoring,
            interactive: is("interactive") || says("interactive"),
            multi_pass: is("multi-pass") || says("multi-pass"),
            custom,
            custom_score: says("score"),
            minimise: objective.as_deref() == Some("min"),
            flags: yaml.words("validator_flags")?.unwrap_or_default(),
            constants: Constants::read(&yaml)?,
            left: left(&yaml)?,
            limits: yaml.mapping("limits")?,
            legacy,
        })
    }
}

fn check_kinds(file: &Path, kinds: &[String]) -> Result<(), ImportError> {
    let known = ["pass-fail", "scoring", "interactive", "multi-pass"];
    match kinds.iter().find(|kind| !known.contains(&&***kind)) {
        Some(kind) if kind == "submit-answer" => Err(ImportError::unsupported(file, "`type: submit-answer`")),
        Some(kind) => Err(ImportError::bad(file, format!("`type: {kind}`"), format!("some of {}", known.join(", ")))),
        None => Ok(()),
    }
}

/// Returns a line for each key that asks for something else.
fn left(yaml: &Mapping) -> Result<Vec<String>, ImportError> {
    let mut left: Vec<String> = Vec::new();
    for key in yaml.keys().filter(|key| !DESCRIPTIVE.contains(key) && !READ.contains(key)) {
        left.push(match key {
            "languages" => "problem.yaml: `languages`: every language is admitted".to_owned(),
            key => format!("problem.yaml: `{key}` has no place in a problem of a catalogue"),
        });
    }
    let limits = yaml.mapping("limits")?;
    let other = limits.keys().filter(|key| !LIMITS.contains(key));
    left.extend(other.map(|key| format!("problem.yaml: `limits.{key}` has no limit of its own here")));
    let grading = yaml.mapping("grading")?;
    left.extend(
        grading
            .keys()
            .filter(|key| *key != "objective")
            .map(|key| format!("problem.yaml: `grading.{key}` is not used")),
    );
    Ok(left)
}
