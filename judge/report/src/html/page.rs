//! The parts of every web page: its style, its scripts, its tables. The page of titled tables, and the charts of a
//! comparison.

use crate::assets::{CHART_LIBRARY, CHART_LICENSE, COMPARISON_CHARTS, SCRIPTS, slim};
use crate::compare::report::{CompareReport, Comparison};
use crate::text::{Sheet, TextTable, chart_stride, json_line};
use askama::Template;
use judge_compare::paired::{self, Look};
use judge_problem::{JobId, one_line, visible};
use serde::Serialize;
use std::fmt;
use std::io::{self, Write};

/// The modules that draw the charts of a run, each after the modules that it imports.
pub(super) const OF_RUN: [&str; 4] = ["dom.js", "save.js", "charts.js", "case_charts.js"];

/// The modules that draw the charts of a comparison.
pub(super) const OF_COMPARISON: [&str; 4] = ["dom.js", "save.js", "charts.js", "pair_charts.js"];

/// The modules that show a game.
pub(super) const OF_GAME: [&str; 9] =
    ["dom.js", "save.js", "board.js", "boardview.js", "curve.js", "gamereplay.js", "record.js", "viewer.js", "game.js"];

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

#[derive(Template)]
#[template(path = "sheet.html")]
struct Page<'a> {
    title: Shown,
    lines: Vec<Shown>,
    sections: Vec<(Shown, Table<'a>)>,
    texts: Vec<(Shown, Shown)>,
    charts: Option<Charts>,
}

/// Writes a report as a self-contained web page, with its charts if it has some.
///
/// # Errors
/// When the output cannot be written to.
pub(crate) fn sheet_html(sheet: &Sheet, charts: Option<Charts>, output: &mut dyn Write) -> io::Result<()> {
    let page = Page {
        title: Shown::line(&sheet.title),
        lines: sheet.lines.iter().map(|line| Shown::line(line)).collect(),
        texts: sheet.texts.iter().map(|(title, text)| (Shown::line(title), Shown::lines(text))).collect(),
        sections: sheet
            .shown()
            .zip(1..)
            .map(|((title, content), number)| (Shown::line(title), table(&format!("table-{number}"), content)))
            .collect(),
        charts,
    };
    page.write_into(output)
}

#[derive(Serialize)]
struct Numbers {
    measure: &'static str,
    comparisons: Vec<PairNumbers>,
}

/// Two solvers on the same cases.
#[derive(Serialize)]
struct PairNumbers {
    first: String,
    second: String,
    /// How many cases have an effect.
    cases: usize,
    /// Their names; of many cases, an even choice.
    names: Vec<String>,
    effects: Vec<f64>,
    /// The score of the first solver on each of them, if it has one.
    a: Vec<Option<f64>>,
    /// The score of the second solver.
    b: Vec<Option<f64>>,
    /// The results after some of the cases.
    looks: Vec<Look>,
}

/// Returns the charts of a comparison.
pub(crate) fn pair_charts(report: &CompareReport<'_>) -> Charts {
    let comparisons = report.comparisons.iter().map(|comparison| numbers_of(report, comparison)).collect();
    // Every value in it can be written as JSON.
    let numbers = json_line(&Numbers { measure: report.compared.measure.name(), comparisons }).unwrap_or_default();
    Charts::drawn_by(&OF_COMPARISON, COMPARISON_CHARTS, in_script(&numbers))
}

fn numbers_of(report: &CompareReport<'_>, comparison: &Comparison) -> PairNumbers {
    let paired = &comparison.paired;
    let every = chart_stride(paired.pairs.len());
    let drawn: Vec<_> = paired.pairs.iter().step_by(every).collect();
    let scores = |solver| drawn.iter().map(|pair| score(report, JobId { case: pair.case, solver })).collect();
    // Without a test there is nothing to draw.
    let looks = paired::looks(paired, report.parameters).unwrap_or_default();
    PairNumbers {
        first: report.shown(paired.first),
        second: report.shown(paired.second),
        cases: paired.pairs.len(),
        names: drawn
            .iter()
            .map(|pair| one_line(&report.compared.plan.cases.at(pair.case).name.0).into_owned())
            .collect(),
        effects: drawn.iter().map(|pair| pair.effect).collect(),
        a: scores(paired.first),
        b: scores(paired.second),
        looks,
    }
}

fn score(report: &CompareReport<'_>, job: JobId) -> Option<f64> {
    let score: f64 = report.compared.outcomes.get(job)?.score?.to_string().parse().ok()?;
    score.is_finite().then_some(score)
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
