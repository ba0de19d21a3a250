//! Writes the text of a `problems.toml` for people to read.

use judge_problem::{built_in_languages, one_line};
use std::collections::BTreeSet;
use std::fmt::Display;
use std::path::Path;

/// A table of keys, with comments.
#[derive(Debug, Default)]
pub(super) struct Text(String);

impl Text {
    /// Begins a problem.
    pub(super) fn of_problem(origin: &str, id: &str) -> Self {
        let mut text = Self::default();
        text.comment(&format!("Imported from {origin}.")).line("[[problem]]").text("id", id);
        text
    }

    /// Writes the command of a program of the package.
    pub(super) fn command(&mut self, key: &str, line: &str, is_compiled: bool) -> &mut Self {
        self.text(key, line);
        if is_compiled {
            self.because("compiled from the sources beside it: `judge import` again after a change");
        }
        self
    }

    /// Appends a comment. It is one line, or else text of a package could continue as keys.
    pub(super) fn comment(&mut self, line: &str) -> &mut Self {
        self.line(&format!("# {}", one_line(line)))
    }

    pub(super) fn table(&mut self, name: &str) -> &mut Self {
        self.line("").line(name)
    }

    pub(super) fn text(&mut self, key: &str, value: &str) -> &mut Self {
        self.plain(key, quoted(value))
    }

    /// Writes a key that has a value.
    pub(super) fn maybe(&mut self, key: &str, value: Option<impl AsRef<str>>) -> &mut Self {
        if let Some(value) = value {
            self.text(key, value.as_ref());
        }
        self
    }

    /// Writes the names of the groups that a group depends on, each once.
    pub(super) fn depends_on(&mut self, groups: &[String]) -> &mut Self {
        let mut seen = BTreeSet::new();
        let groups: Vec<_> = groups.iter().filter(|name| seen.insert(*name)).collect();
        if groups.is_empty() { self } else { self.texts("depends-on", &groups) }
    }

    /// Writes a case with its files, and its weight if it has one.
    pub(super) fn case(&mut self, name: &str, input: &Path, answer: Option<&Path>, weight: Option<f64>) {
        self.table("[[problem.case]]").text("name", name).text("file", &input.to_string_lossy());
        self.maybe("answer", answer.map(Path::to_string_lossy));
        if let Some(weight) = weight {
            self.plain("weight", weight);
        }
    }

    pub(super) fn texts(&mut self, key: &str, values: &[impl AsRef<str>]) -> &mut Self {
        let quoted: Vec<_> = values.iter().map(|value| quoted(value.as_ref())).collect();
        self.plain(key, format!("[{}]", quoted.join(", ")))
    }

    pub(super) fn plain(&mut self, key: &str, value: impl Display) -> &mut Self {
        self.line(&format!("{key} = {value}"))
    }

    /// Appends a comment to the last line. It is one line, as in [`Self::comment`].
    pub(super) fn because(&mut self, why: &str) -> &mut Self {
        self.0.truncate(self.0.trim_end().len());
        self.line(&format!("    # {}", one_line(why)))
    }

    pub(super) fn line(&mut self, line: &str) -> &mut Self {
        self.0.push_str(line);
        self.0.push('\n');
        self
    }

    /// Returns the line that was written last.
    pub(super) fn last_line(&self) -> &str {
        self.0.trim_end().lines().last().unwrap_or_default()
    }

    pub(super) fn finish(self) -> String {
        self.0
    }
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// Writes the expected verdicts of a `[[problem.expect]]`.
pub(super) fn write_verdicts(text: &mut Text, verdicts: &[&str]) {
    match verdicts {
        [one] => text.text("verdict", one),
        several => text.texts("verdict", several),
    };
}

/// Returns whether the language of a source is known. Python 2 and Prolog share extensions with other languages.
pub(super) fn is_known(source: &Path) -> bool {
    let ending = source.extension().unwrap_or_default().to_string_lossy();
    let text = std::fs::read(source).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let is_other = match &*ending {
        "py" => text.lines().next().is_some_and(|line| line.starts_with("#!") && line.contains("python2")),
        "pl" => text.contains(":-"),
        _ => false,
    };
    !is_other && built_in_languages().with_extension(&ending).next().is_some()
}
