//! What `pahcer_config.toml` says.

use crate::error::ImportError;
use crate::files;
use serde::Deserialize;
use std::path::Path;
use toml::{Spanned, Table, Value};

/// The keys that are read, or that say nothing of how an answer is judged, by their table.
const KNOWN: [(&str, &[&str]); 6] = [
    ("", &["general", "problem", "test"]),
    ("general", &["version"]),
    ("problem", &["problem_name", "objective", "score_regex"]),
    ("test", &["start_seed", "end_seed", "threads", "out_dir", "compile_steps", "test_steps"]),
    ("test.compile_steps", &["program", "args", "current_dir"]),
    ("test.test_steps", &["program", "args", "current_dir", "stdin", "stdout", "stderr", "measure_time"]),
];

#[derive(Debug, Deserialize)]
pub(super) struct Settings {
    pub(super) problem: Problem,
    pub(super) test: Test,
}

#[derive(Debug, Deserialize)]
pub(super) struct Problem {
    pub(super) problem_name: String,
    pub(super) objective: Spanned<String>,
    pub(super) score_regex: Spanned<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Test {
    pub(super) start_seed: u64,
    /// The first seed that is no case.
    pub(super) end_seed: Spanned<u64>,
    #[serde(default)]
    pub(super) compile_steps: Vec<Step>,
    pub(super) test_steps: Vec<Spanned<Step>>,
}

/// A command, with the files of its streams.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Step {
    pub(super) program: String,
    #[serde(default)]
    pub(super) args: Vec<String>,
    pub(super) current_dir: Option<String>,
    pub(super) stdin: Option<String>,
    pub(super) stdout: Option<String>,
}

impl Step {
    /// Returns its command, for messages.
    pub(super) fn shown(&self) -> String {
        shell_words::join(std::iter::once(&self.program).chain(&self.args))
    }
}

/// The file, with its lines for messages.
pub(super) struct Config<'a> {
    pub(super) file: &'a Path,
    text: &'a str,
    pub(super) settings: Settings,
}

impl<'a> Config<'a> {
    pub(super) fn read(file: &'a Path, text: &'a str) -> Result<Self, ImportError> {
        let settings = toml::from_str(text).map_err(|error: toml::de::Error| {
            let expected = "the keys of a pahcer_config.toml";
            let line = error.span().map_or(1, |span| line(text, span.start));
            ImportError::bad(file, error.message().replace('\n', " "), expected).at(line)
        })?;
        Ok(Self { file, text, settings })
    }

    /// Returns an error at the line of a value.
    pub(super) fn bad<T>(&self, at: &Spanned<T>, what: impl Into<String>, expected: &str) -> ImportError {
        ImportError::bad(self.file, what, expected).at(line(self.text, at.span().start))
    }

    /// Returns a line for each key that is not known.
    pub(super) fn unknown(&self) -> Vec<String> {
        let mut found = Vec::new();
        if let Ok(table) = self.text.parse::<Table>() {
            collect("", &table, &mut found);
        }
        let name = files::name(self.file);
        found.into_iter().map(|key| format!("{name}: `{key}` has no place in a problem of a catalogue")).collect()
    }
}

fn collect(path: &str, table: &Table, found: &mut Vec<String>) {
    let Some((_, known)) = KNOWN.iter().find(|(name, _)| *name == path) else { return };
    for (key, value) in table {
        let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        if !known.contains(&&**key) {
            if !found.contains(&path) {
                found.push(path);
            }
            continue;
        }
        let tables = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
        tables.iter().filter_map(Value::as_table).for_each(|table| collect(&path, table, found));
    }
}

fn line(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}
