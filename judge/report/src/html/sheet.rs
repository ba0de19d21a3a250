//! The web page of titled tables, and the charts of a comparison.

use crate::compare::report::{CompareReport, Comparison};
use crate::html::page::{Charts, STYLE, Shown, Table, in_script, table};
use crate::text::sheet::Sheet;
use crate::text::{chart_stride, json};
use askama::Template;
use judge_compare::paired;
use judge_compare::paired::Look;
use judge_problem::{JobId, one_line};
use serde::Serialize;
use std::io;
use std::io::Write;

#[derive(Template)]
#[template(path = "sheet.html")]
struct Page {
    style: &'static str,
    title: Shown,
    heading: Shown,
    lines: Vec<Shown>,
    sections: Vec<Section>,
    texts: Vec<(Shown, Shown)>,
    charts: Option<Charts>,
}

struct Section {
    id: String,
    title: Shown,
    table: Table,
}

/// Writes a report as a self-contained web page.
///
/// # Errors
/// When the output cannot be written to.
pub(crate) fn sheet_html(sheet: &Sheet, output: &mut dyn Write) -> io::Result<()> {
    write_page(sheet, None, output)
}

/// Writes a comparison, whose tables are given, as a self-contained web page with its charts.
///
/// # Errors
/// When the output cannot be written to.
pub(crate) fn compare_html(report: &CompareReport<'_>, sheet: &Sheet, output: &mut dyn Write) -> io::Result<()> {
    write_page(sheet, Some(Charts::of_comparison(pair_numbers(report))), output)
}

fn write_page(sheet: &Sheet, charts: Option<Charts>, output: &mut dyn Write) -> io::Result<()> {
    let section = |(place, (title, content)): (usize, &(String, _))| Section {
        id: format!("table-{}", place + 1),
        title: Shown::line(title),
        table: table(content),
    };
    let page = Page {
        style: STYLE,
        title: Shown::line(&sheet.title),
        heading: Shown::line(&sheet.title),
        lines: sheet.lines.iter().map(|line| Shown::line(line)).collect(),
        texts: sheet.texts.iter().map(|(title, text)| (Shown::line(title), Shown::lines(text))).collect(),
        sections: sheet.shown().enumerate().map(section).collect(),
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
    looks: Vec<LookNumbers>,
}

/// What was known after some of the cases.
#[derive(Serialize)]
struct LookNumbers {
    cases: usize,
    mean: f64,
    interval: Option<Ends>,
}

#[derive(Serialize)]
struct Ends {
    low: f64,
    high: f64,
}

/// Returns the numbers of a comparison as JSON that is safe in a script.
fn pair_numbers(report: &CompareReport<'_>) -> String {
    let comparisons = report.comparisons.iter().map(|comparison| numbers_of(report, comparison)).collect();
    // Every value in it can be written as JSON.
    in_script(&json::line(&Numbers { measure: report.compared.measure.name(), comparisons }).unwrap_or_default())
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
        looks: looks.iter().map(LookNumbers::of).collect(),
    }
}

fn score(report: &CompareReport<'_>, job: JobId) -> Option<f64> {
    let score: f64 = report.compared.outcomes.get(job)?.score?.to_string().parse().ok()?;
    score.is_finite().then_some(score)
}

impl LookNumbers {
    fn of(look: &Look) -> Self {
        let interval = look.interval.map(|interval| Ends { low: interval.low, high: interval.high });
        Self { cases: look.cases, mean: look.mean, interval }
    }
}
