//! Titled tables as a web page.

use super::live::STYLE;
use super::shown::Shown;
use super::table::{Table, table};
use crate::report::text::sheet::Sheet;
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
pub(in crate::report) fn sheet_html(sheet: &Sheet, output: &mut dyn Write) -> io::Result<()> {
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
        sections: sheet.shown().enumerate().map(section).collect(),
    };
    page.write_into(output)
}
