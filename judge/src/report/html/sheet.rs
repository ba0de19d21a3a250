//! Titled tables as a web page.

use super::shown::Shown;
use super::table::{Table, table};
use crate::report::text::sheet::Sheet;
use askama::Template;

#[derive(Template)]
#[template(path = "sheet.html")]
struct Page {
    title: Shown,
    heading: Shown,
    lines: Vec<Shown>,
    sections: Vec<Section>,
}

struct Section {
    id: String,
    title: Shown,
    table: Table,
}

/// Returns a report as a self-contained web page.
///
/// # Errors
/// Never: every value in it can be written as text.
pub(in crate::report) fn sheet_html(sheet: &Sheet) -> askama::Result<String> {
    let section = |(place, (title, content)): (usize, &(String, _))| Section {
        id: format!("table-{}", place + 1),
        title: Shown::line(title),
        table: table(content),
    };
    let page = Page {
        title: Shown::line(&sheet.title),
        heading: Shown::line(&sheet.title),
        lines: sheet.lines.iter().map(|line| Shown::line(line)).collect(),
        sections: sheet.shown().enumerate().map(section).collect(),
    };
    page.render()
}
