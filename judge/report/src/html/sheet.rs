//! Titled tables as a web page, with charts or without.

use super::live::{Charts, STYLE};
use super::pairs::pair_numbers;
use super::shown::Shown;
use super::table::{Table, table};
use crate::compare::report::CompareReport;
use crate::text::sheet::Sheet;
use askama::Template;
use std::io::{self, Write};

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
/// When it cannot be written there.
pub(crate) fn sheet_html(sheet: &Sheet, output: &mut dyn Write) -> io::Result<()> {
    write_page(sheet, None, output)
}

/// Writes a comparison, whose tables are given, as a self-contained web page with its charts.
///
/// # Errors
/// When it cannot be written there.
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
