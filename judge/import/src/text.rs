//! The text of a `problems.toml`, written for its reader.

use std::fmt::Display;

/// A table of keys, with comments.
#[derive(Debug, Default)]
pub(super) struct Text(String);

impl Text {
    pub(super) fn comment(&mut self, line: &str) -> &mut Self {
        self.line(&format!("# {}", one_line(line)))
    }

    pub(super) fn table(&mut self, name: &str) -> &mut Self {
        self.line("").line(name)
    }

    pub(super) fn text(&mut self, key: &str, value: &str) -> &mut Self {
        self.plain(key, quoted(value))
    }

    pub(super) fn texts(&mut self, key: &str, values: &[String]) -> &mut Self {
        let quoted: Vec<_> = values.iter().map(|value| quoted(value)).collect();
        self.plain(key, format!("[{}]", quoted.join(", ")))
    }

    pub(super) fn plain(&mut self, key: &str, value: impl Display) -> &mut Self {
        self.line(&format!("{key} = {value}"))
    }

    /// Puts a comment behind the last line.
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

/// A comment ends with its line: what a package says must not go on behind it as keys.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
