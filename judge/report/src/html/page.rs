//! The parts of every web page: its style, its scripts, its tables.

use crate::assets::{CHART_LIBRARY, CHART_LICENSE, SCRIPTS, slim};
use crate::text::TextTable;
use askama::Template;
use judge_problem::{one_line, visible};
use std::fmt;

/// The modules that draw the charts of a run, each after the modules that it imports.
pub(super) const OF_RUN: [&str; 4] = ["dom.js", "save.js", "charts.js", "case_charts.js"];

/// The modules that draw the charts of a comparison.
pub(super) const OF_COMPARISON: [&str; 4] = ["dom.js", "save.js", "charts.js", "pair_charts.js"];

/// The modules that show a game.
pub(super) const OF_GAME: [&str; 9] =
    ["dom.js", "save.js", "board.js", "boardview.js", "curve.js", "film.js", "record.js", "viewer.js", "game.js"];

/// The charts of a page, in the form of `charts.html`.
pub(crate) struct Charts {
    pub(super) library: String,
    pub(super) script: String,
    /// JSON for a script. [`in_script`] has made it safe, so the template does not escape it.
    pub(super) numbers: String,
}

impl Charts {
    /// Returns the charts that `main` draws of these numbers with these modules.
    pub(super) fn drawn_by(modules: &[&str], main: &str, numbers: String) -> Self {
        Self { library: chart_library(), script: chart_script(modules, main), numbers }
    }
}

/// Returns the library that draws charts. Its licence replaces its address, because a page in one file links to nothing.
fn chart_library() -> String {
    let code = CHART_LIBRARY.split_once("*/").map_or(CHART_LIBRARY, |(_, code)| code);
    format!("/* uPlot\n{}\n*/{code}", CHART_LICENSE.trim_end())
}

/// Joins modules of [`SCRIPTS`] and `main` to a script without imports.
pub(super) fn chart_script(modules: &[&str], main: &str) -> String {
    let text = |name: &&str| SCRIPTS.iter().find(|(known, _)| known == name).map(|(_, text)| *text);
    let script: String = modules.iter().filter_map(text).chain([main]).map(slim).collect();
    let lines = script.lines().filter(|line| !line.starts_with("import "));
    let lines = lines.map(|line| line.strip_prefix("export ").unwrap_or(line));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// Returns JSON that is safe in a `<script>`: it contains neither the end of the script nor the start of a comment.
pub(super) fn in_script(json: &str) -> String {
    // A `<` occurs only inside strings, where the escape means the same.
    json.replace('<', "\\u003c")
}

/// A text whose hidden characters are escaped. The templates escape markup.
pub(super) struct Shown(String);

impl Shown {
    /// Returns a text in one line.
    pub(super) fn line(text: &str) -> Self {
        Self(one_line(text).into_owned())
    }

    /// Returns a text with its lines.
    pub(super) fn lines(text: &str) -> Self {
        Self(visible(text).into_owned())
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// A table of a page.
#[derive(Template)]
#[template(path = "table.html")]
pub(super) struct Table<'a> {
    id: String,
    content: &'a TextTable,
}

/// Returns a table for a page.
pub(super) fn table<'a>(id: &str, content: &'a TextTable) -> Table<'a> {
    Table { id: id.to_owned(), content }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_module_of_a_page_is_there() {
        for name in OF_RUN.iter().chain(&OF_COMPARISON).chain(&OF_GAME) {
            assert!(SCRIPTS.iter().any(|(known, _)| known == name), "{name}");
        }
    }
}
