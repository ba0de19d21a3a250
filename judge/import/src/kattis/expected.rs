//! The expected results of submissions: by their folder, and by `submissions/submissions.yaml`.

use super::config::Config;
use crate::text::{self, Text};
use crate::yaml::Mapping;
use crate::{ImportError, Result};
use glob::{MatchOptions, Pattern};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Codes of the formats and their verdicts. Endless output reaches the output limit here before the time limit.
const CODES: [(&str, &[&str]); 4] = [
    ("AC", &["accepted"]),
    ("WA", &["wrong-answer"]),
    ("RTE", &["runtime-error", "memory-limit"]),
    ("TLE", &["time-limit", "wall-limit", "output-limit"]),
];
const ACCEPTED: &str = "AC";
const ALL: &[&str] = &["AC", "WA", "RTE", "TLE"];
const REJECTED: &[&str] = &["WA", "RTE", "TLE"];

/// The folders of the formats: the allowed codes of every case, and the codes that at least one case must have.
const FOLDERS: [(&str, &[&str], &[&str]); 8] = [
    ("accepted", &["AC"], ALL),
    ("wrong_answer", &["AC", "WA"], &["WA"]),
    ("run_time_error", &["AC", "RTE"], &["RTE"]),
    ("time_limit_exceeded", &["AC", "TLE"], &["TLE"]),
    ("partially_accepted", ALL, REJECTED),
    ("rejected", ALL, REJECTED),
    ("brute_force", &["AC", "RTE", "TLE"], &["RTE", "TLE"]),
    ("slow_accepted", &["AC", "TLE"], ALL),
];

/// The folders of the legacy format with another meaning. It says less about the cases that do not give the verdict.
const LEGACY_FOLDERS: [(&str, &[&str], &[&str]); 2] =
    [("run_time_error", ALL, &["RTE"]), ("time_limit_exceeded", &["AC", "WA", "TLE"], &["TLE"])];

/// Keys that are read or do not affect how a submission is judged.
const READ: [&str; 6] = ["permitted", "required", "score", "use_for_time_limit", "authors", "model_solution"];

/// A set of codes.
type Codes = BTreeSet<String>;

/// The expected results of submissions.
pub(super) struct Expected {
    file: PathBuf,
    /// The entries of the file, with the patterns of their paths.
    rules: Vec<(Vec<Pattern>, String, Mapping)>,
    scoring: bool,
    legacy: bool,
}

impl Expected {
    /// Reads the file of a package, if it exists. Adds a line for each unused key.
    pub(super) fn read(root: &Path, config: &Config, left: &mut Vec<String>) -> Result<Self> {
        let Config { scoring, legacy, .. } = *config;
        let file = root.join("submissions/submissions.yaml");
        let yaml = Mapping::read(&file)?;
        let mut rules = Vec::new();
        for name in yaml.keys() {
            let rule = yaml.mapping(name)?;
            let unused = rule.keys().filter(|key| !READ.contains(key) || (*key == "score" && !scoring));
            left.extend(unused.map(|key| format!("submissions/submissions.yaml: {name}: `{key}` is not used")));
            let Some(paths) = alternatives(name) else {
                let expected = format!("at most {MAX_ALTERNATIVES}, and {MAX_PATH} bytes");
                return Err(yaml.wrong(name, "a path with too many alternatives in braces", expected));
            };
            rules.push((paths.iter().map(|path| pattern(path)).collect(), name.to_owned(), rule));
        }
        Ok(Self { file, rules, scoring, legacy })
    }

    /// Returns whether there is an expectation for the submission at a path such as `accepted/a.cpp`.
    pub(super) fn has(&self, path: &Path) -> bool {
        let is_known = path.parent().is_some_and(|folder| FOLDERS.iter().any(|(known, ..)| folder == Path::new(known)));
        is_known || self.rules.iter().any(|(paths, ..)| matches(paths, path))
    }

    /// Returns whether the time limit may depend on the submission at a path.
    pub(super) fn counts_for_time(&self, path: &Path) -> Result<bool> {
        for (_, _, rule) in self.rules.iter().filter(|(paths, ..)| matches(paths, path)) {
            match rule.text("use_for_time_limit")?.as_deref() {
                None | Some("lower" | "true") => {}
                Some("false" | "upper") => return Ok(false),
                Some(other) => {
                    let expected = "`true`, `false`, `lower` or `upper`";
                    return Err(rule.wrong("use_for_time_limit", format!("`use_for_time_limit: {other}`"), expected));
                }
            }
        }
        Ok(true)
    }

    /// Writes the expectation for the submission at a path. Adds a line for each part that cannot be expressed.
    pub(super) fn write(&self, text: &mut Text, path: &Path, left: &mut Vec<String>) -> Result<()> {
        let folder = path.parent().unwrap_or(path).to_string_lossy().into_owned();
        let own = self.rules.iter().find(|(_, name, _)| *name == folder).map(|(_, _, rule)| rule);
        let mut of_format = LEGACY_FOLDERS.iter().filter(|_| self.legacy).chain(&FOLDERS);
        let of_folder = of_format.find(|(known, ..)| *known == folder);
        let default = of_folder.map_or((ALL, ALL), |(_, permitted, required)| (*permitted, *required));
        let read = |key, default| own.map_or(Ok(None), |rule| codes(rule, key)).map(|own| own.unwrap_or(default));
        let mut permitted = read("permitted", to_codes(default.0))?;
        let mut required = read("required", to_codes(default.1))?;
        let mut is_loose = false;
        let mut score = own.map_or(Ok(None), range)?;
        for (_, _, rule) in self.rules.iter().filter(|(paths, name, _)| *name != folder && matches(paths, path)) {
            permitted = codes(rule, "permitted")?.map_or(permitted.clone(), |more| &permitted & &more);
            if let Some(more) = codes(rule, "required")? {
                let both = &required & &more;
                // Two cases are then required, and one of them is expected.
                is_loose |= both.is_empty();
                required = if both.is_empty() { required } else { both };
            }
            score = range(rule)?.or(score);
        }
        required = &required & &permitted;
        if required.is_empty() {
            let what = format!("nothing that {} may have is permitted and required", path.display());
            return Err(ImportError::bad(&self.file, what, "a code of AC, WA, RTE, TLE in both"));
        }
        let rejected: Codes = permitted.iter().filter(|code| *code != ACCEPTED).cloned().collect();
        let expected = if required.contains(ACCEPTED) { &permitted } else { &rejected };
        is_loose |= required != *expected || !permitted.contains(ACCEPTED);
        if is_loose {
            let codes = expected.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
            let asked = format!("at least one case has {codes}, and every other case has this or AC");
            let by = if self.rules.is_empty() { "the format" } else { "submissions.yaml" };
            left.push(format!("submissions/{}: weaker than {by} requires: {asked}", path.display()));
        }
        text::write_verdicts(text, &verdicts(expected));
        if let Some((least, most)) = score.filter(|_| self.scoring) {
            text.plain("min-score", least).plain("max-score", most);
        }
        Ok(())
    }
}

fn verdicts(codes: &Codes) -> Vec<&'static str> {
    CODES.iter().filter(|(code, _)| codes.contains(*code)).flat_map(|(_, verdicts)| *verdicts).copied().collect()
}

fn to_codes(codes: &[&str]) -> Codes {
    codes.iter().map(|code| (*code).to_owned()).collect()
}

fn codes(rule: &Mapping, key: &str) -> Result<Option<Codes>> {
    let Some(words) = rule.words(key)? else { return Ok(None) };
    match words.iter().find(|word| !ALL.contains(&&***word)) {
        Some(other) => Err(rule.wrong(key, format!("`{key}` has `{other}`"), "a list of AC, WA, RTE, TLE")),
        None => Ok(Some(words.into_iter().collect())),
    }
}

/// Returns the minimum and maximum score.
fn range(rule: &Mapping) -> Result<Option<(f64, f64)>> {
    let Some(words) = rule.words("score")? else { return Ok(None) };
    let numbers: Option<Vec<f64>> =
        words.iter().map(|word| word.parse().ok().filter(|n: &f64| n.is_finite())).collect();
    match numbers.as_deref() {
        Some([one]) => Ok(Some((*one, *one))),
        Some([least, most]) if least <= most => Ok(Some((*least, *most))),
        _ => {
            Err(rule.wrong("score", format!("`score: {}`", words.join(" ")), "a number, or the least and the greatest"))
        }
    }
}

/// Returns whether a path or its folder matches one of the patterns.
fn matches(patterns: &[Pattern], path: &Path) -> bool {
    let options = MatchOptions { require_literal_separator: true, ..MatchOptions::default() };
    let paths = [Some(path), path.parent()];
    patterns.iter().any(|pattern| paths.iter().flatten().any(|path| pattern.matches_path_with(path, options)))
}

/// Returns the pattern of a path. Only `*` is special.
fn pattern(path: &str) -> Pattern {
    let parts: Vec<_> = path.split('*').map(Pattern::escape).collect();
    let joined = parts.join("*").replace("**", "*");
    Pattern::new(&joined).unwrap_or_default()
}

/// The maximum length of a path with alternatives, and the maximum number of these.
const MAX_PATH: usize = 4_096;
const MAX_ALTERNATIVES: usize = 1_000;

/// Expands a text with alternatives such as `a.{py,cpp}`. `None`: there are too many.
fn alternatives(text: &str) -> Option<Vec<String>> {
    if text.len() > MAX_PATH {
        return None;
    }
    let parts = text.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)));
    let Some((before, (inner, after))) = parts else { return Some(vec![text.to_owned()]) };
    let ends = alternatives(after)?;
    if inner.split(',').count() * ends.len() > MAX_ALTERNATIVES {
        return None;
    }
    Some(inner.split(',').flat_map(|one| ends.iter().map(move |end| format!("{before}{one}{end}"))).collect())
}
