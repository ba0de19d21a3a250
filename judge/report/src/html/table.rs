//! A table of a page.

use super::shown::Shown;
use crate::text::sheet::TextTable;

/// A table as `table.html` shows it.
pub(super) struct Table {
    pub(super) titles: Vec<Shown>,
    /// The number of columns with words, at the left.
    pub(super) words: usize,
    pub(super) rows: Vec<Vec<Shown>>,
}

/// Returns a table for a page.
pub(super) fn table(content: &TextTable) -> Table {
    let row = |row: &Vec<String>| row.iter().map(|text| Shown::line(text.trim())).collect::<Vec<_>>();
    Table { titles: row(&content.titles), words: content.words, rows: content.rows.iter().map(row).collect() }
}
