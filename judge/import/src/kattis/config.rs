//! Reads `problem.yaml`, with the constants that other files use.

use crate::yaml::Mapping;
use crate::{ImportError, Imported, Result, files};
use regex::bytes::{Captures, Regex};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

/// Keys that do not affect judging.
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

/// The content of `problem.yaml`: the kind of the problem and how it is judged.
#[derive(Debug)]
pub(super) struct Config {
    /// Whether the format is older than 2023.
    pub(super) legacy: bool,
    pub(super) title: Option<String>,
    pub(super) source: String,
    pub(super) scoring: bool,
    pub(super) interactive: bool,
    pub(super) multi_pass: bool,
    /// Whether an output validator of the package decides. `None`: if the package has one.
    pub(super) custom: Option<bool>,
    /// Whether the validator gives scores.
    pub(super) custom_score: bool,
    pub(super) minimise: bool,
    pub(super) flags: Vec<String>,
    pub(super) constants: Constants,
    pub(super) limits: Mapping,
    pub(super) left: Vec<String>,
}

/// The versions of the format.
const VERSIONS: [&str; 5] = ["legacy", "legacy-icpc", "2023-07", "2023-07-draft", "2025-09"];

impl Config {
    /// Reads the `problem.yaml` of a package.
    pub(super) fn read(file: &Path) -> Result<Self> {
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
            left: left(&yaml, &version)?,
            limits: yaml.mapping("limits")?,
            legacy,
        })
    }
}

fn check_kinds(file: &Path, kinds: &[String]) -> Result<()> {
    let known = ["pass-fail", "scoring", "interactive", "multi-pass"];
    match kinds.iter().find(|kind| !known.contains(&&***kind)) {
        Some(kind) if kind == "submit-answer" => Err(ImportError::unsupported(file, "`type: submit-answer`")),
        Some(kind) => Err(ImportError::bad(file, format!("`type: {kind}`"), format!("some of {}", known.join(", ")))),
        None => Ok(()),
    }
}

/// Returns a line for each other key, and for an unknown version.
fn left(yaml: &Mapping, version: &str) -> Result<Vec<String>> {
    let other = yaml.keys().filter(|key| !DESCRIPTIVE.contains(key) && !READ.contains(key));
    let line = |key| match key {
        "languages" => "problem.yaml: `languages`: every language is admitted".to_owned(),
        key => format!("problem.yaml: `{key}` has no place in a problem of a catalogue"),
    };
    let mut left: Vec<String> = other.map(line).collect();
    let limits = yaml.mapping("limits")?;
    let other = limits.keys().filter(|key| !LIMITS.contains(key));
    left.extend(other.map(|key| format!("problem.yaml: `limits.{key}` has no counterpart here")));
    let grading = yaml.mapping("grading")?;
    let other = grading.keys().filter(|key| *key != "objective");
    left.extend(other.map(|key| format!("problem.yaml: `grading.{key}` is not used")));
    if !VERSIONS.contains(&version) {
        left.push(format!("problem.yaml: `problem_format_version: {version}` is not known here: read as 2025-09"));
    }
    Ok(left)
}

/// The key of a constant's value. Its other keys are other ways to write the value.
const VALUE: &str = "value";

/// A place of a value.
static SEQUENCE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\{\{([A-Za-z_][A-Za-z0-9_]*(?:\.\w+)?)\}\}").expect("the pattern is valid"));

/// The values, by the text between the braces: `name` or `name.variant`.
#[derive(Debug, Clone, Default)]
pub(super) struct Constants(BTreeMap<String, String>);

impl Constants {
    /// Reads the constants of a `problem.yaml`.
    pub(super) fn read(yaml: &Mapping) -> Result<Self> {
        let constants = yaml.mapping("constants")?;
        let mut values = BTreeMap::new();
        for name in constants.keys() {
            if let Ok(Some(value)) = constants.text(name) {
                values.insert(format!("{name}.{VALUE}"), value.clone());
                values.insert(name.to_owned(), value);
                continue;
            }
            let variants = constants.mapping(name)?;
            let value = variants.required(VALUE, "a text or a number")?;
            values.insert(name.to_owned(), value);
            for variant in variants.keys() {
                let value = variants.required(variant, "a text or a number")?;
                values.insert(format!("{name}.{variant}"), value);
            }
        }
        Ok(Self(values))
    }

    /// Replaces constants in the settings of a group. Unknown names stay.
    pub(super) fn put_into(&self, text: &str) -> String {
        String::from_utf8_lossy(&self.replaced(text.as_bytes())).into_owned()
    }

    /// Replaces constants in files: copies with the values go to a temporary folder and are used instead. Cases stay
    /// unchanged.
    pub(super) fn fill(&self, imported: &mut Imported) -> Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        let copied = imported.files.iter_mut().filter(|(_, to)| !to.starts_with("data")).map(|(from, _)| from);
        let compiled = imported.programs.iter_mut().flat_map(|program| &mut program.sources.files);
        let (folder, _) = files::change(copied.chain(compiled.map(|(from, _)| from)), |text| self.replaced(text))?;
        imported.temporary.push(folder);
        Ok(())
    }

    fn replaced(&self, text: &[u8]) -> Vec<u8> {
        let value = |found: &Captures<'_>| {
            let known = std::str::from_utf8(&found[1]).ok().and_then(|name| self.0.get(name));
            known.map_or_else(|| found[0].to_vec(), |value| value.clone().into_bytes())
        };
        SEQUENCE.replace_all(text, value).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    fn constants(text: &str) -> Result<Constants> {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("problem.yaml");
        std::fs::write(&file, text).unwrap();
        Constants::read(&Mapping::read(&file)?)
    }

    #[test]
    fn names_and_variants_are_replaced_and_others_stay() {
        let text = "constants:\n  most: 5\n  eps: 1e-6\n  one: 1.0\n  many: 1e5\n  mask: 18446744073709551615\n  word: a b\n  k: {value: 5000000, tex: '5\\,000\\,000'}\n";
        let constants = constants(text).unwrap();
        for (text, expected) in [
            ("{{most}}{{most.value}} {{ most }}", "55 {{ most }}"),
            ("x = {{eps}}, {{one}}, '{{word}}'", "x = 1e-6, 1.0, 'a b'"),
            ("{{many}} {{mask}}", "1e5 18446744073709551615"),
            ("{{k}} {{k.value}} {{k.tex}} {{k.html}}", "5000000 5000000 5\\,000\\,000 {{k.html}}"),
            ("{{mosty}} {{{most}}} {{}} {{most.}} {most}", "{{mosty}} {5} {{}} {{most.}} {most}"),
        ] {
            assert_eq!(constants.put_into(text), expected, "{text}");
        }
        assert_eq!(constants.replaced(b"\xff{{most}}\x80"), b"\xff5\x80");
    }

    #[test]
    fn a_constant_without_a_value_is_one_clear_error() {
        for text in ["constants: {k: {tex: 5}}\n", "constants: {k: [1, 2]}\n", "constants: 5\n"] {
            assert!(constants(text).is_err(), "{text}");
        }
        assert!(constants("name: x\n").unwrap().0.is_empty());
    }
}
