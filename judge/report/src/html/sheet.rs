//! The web page of titled tables, and the charts of a comparison.

use crate::assets::COMPARISON_CHARTS;
use crate::compare::report::{CompareReport, Comparison};
use crate::html::page::{Charts, OF_COMPARISON, Shown, Table, in_script, table};
use crate::text::chart_stride;
use crate::text::{Sheet, json_line};
use askama::Template;
use judge_compare::paired::{self, Look};
use judge_problem::{JobId, one_line};
use serde::Serialize;
use std::io;
use std::io::Write;

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
