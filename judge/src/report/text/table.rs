//! Tables that fit the terminal. A field is one line, with hidden characters escaped.

use super::layout::{self, Layout};
use super::style::{Paint, Style};
use crate::model::one_line;
use unicode_width::UnicodeWidthStr;

/// The alignment of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::report) enum Align {
    /// Words.
    Left,
    /// Figures.
    Right,
}

/// A column of a table.
#[derive(Debug, Clone)]
pub struct Column {
    pub(super) title: String,
    pub(super) align: Align,
    /// A column with a larger number is left out first; one with 0 never.
    pub(super) spare: usize,
    /// Whether its texts continue on further lines.
    pub(super) wraps: bool,
    /// Whether the column is left out before one of its texts is cut.
    pub(super) is_whole: bool,
}

/// Returns a column of words.
#[must_use]
pub fn left(title: &str) -> Column {
    Column { title: one_line(title).into_owned(), align: Align::Left, spare: 0, wraps: false, is_whole: false }
}

/// Returns a column of texts that are useless without their middle, such as commands.
#[must_use]
pub(in crate::report) fn whole(title: &str) -> Column {
    Column { is_whole: true, ..left(title) }
}

/// Returns a column of figures.
#[must_use]
pub fn right(title: &str) -> Column {
    Column { align: Align::Right, is_whole: true, ..left(title) }
}

impl Column {
    /// Returns the column as one that a narrow terminal leaves out: the largest number first.
    #[must_use]
    pub fn spare(self, spare: usize) -> Self {
        Self { spare, ..self }
    }

    /// Returns the column as one whose texts continue on further lines.
    #[must_use]
    pub fn wrapped(self) -> Self {
        Self { wraps: true, ..self }
    }
}

/// The content of a row in a column.
#[derive(Debug, Clone)]
pub struct Field {
    pub(super) text: String,
    paint: Option<Paint>,
}

impl Field {
    /// Returns a field with this text; hidden characters are escaped.
    pub(in crate::report) fn new(text: impl ToString) -> Self {
        Self { text: one_line(&text.to_string()).into_owned(), paint: None }
    }
}

impl From<String> for Field {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl From<&String> for Field {
    fn from(text: &String) -> Self {
        Self::new(text)
    }
}

/// Returns a field in this paint.
pub(in crate::report) fn painted(text: &str, paint: Paint) -> Field {
    Field { paint: Some(paint), ..Field::new(text) }
}

/// A table, row by row.
#[derive(Debug, Clone)]
pub struct Grid {
    columns: Vec<Column>,
    rows: Vec<Vec<Field>>,
    style: Style,
}

/// Returns a table with these columns, without rows. It fits the width of the style; without one, every row is one line.
#[must_use]
pub fn grid(columns: impl IntoIterator<Item = Column>, style: Style) -> Grid {
    Grid { columns: columns.into_iter().collect(), rows: Vec::new(), style }
}

impl Grid {
    /// Adds a row.
    pub fn add_row(&mut self, fields: impl IntoIterator<Item = impl Into<Field>>) {
        self.rows.push(fields.into_iter().map(Into::into).collect());
    }

    /// Returns whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the table as text, without spaces at the ends of lines and without a final newline. A last line names the
    /// columns that do not fit.
    #[must_use]
    pub fn text(&self) -> String {
        let layout = Layout::of(&self.columns, &self.rows, self.style.width());
        let titles: Vec<Field> = self.columns.iter().map(|column| Field::new(&column.title)).collect();
        let mut lines = self.lines(&layout, &titles);
        lines.push("─".repeat(layout.width()));
        lines.extend(self.rows.iter().flat_map(|row| self.lines(&layout, row)));
        lines.extend(layout.left_out(&self.columns, self.style.width()));
        lines.join("\n")
    }

    fn lines(&self, layout: &Layout, row: &[Field]) -> Vec<String> {
        let cells: Vec<Vec<String>> = layout
            .columns
            .iter()
            .map(|&(place, width)| layout::cell(&row[place].text, width, self.columns[place].wraps))
            .collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(1);
        (0..height).map(|line| self.line(layout, row, &cells, line)).collect()
    }

    fn line(&self, layout: &Layout, row: &[Field], cells: &[Vec<String>], line: usize) -> String {
        let mut text = String::new();
        // Spaces are written before the next text, so that no line ends with them.
        let mut spaces = 1;
        for (&(place, width), cell) in layout.columns.iter().zip(cells) {
            let shown = cell.get(line).map_or("", String::as_str);
            let padding = width.saturating_sub(shown.width());
            let (before, after) = if self.columns[place].align == Align::Left { (0, padding) } else { (padding, 0) };
            spaces += before;
            if !shown.is_empty() {
                text.push_str(&" ".repeat(spaces));
                text.push_str(
                    &row[place].paint.map_or_else(|| shown.to_owned(), |paint| self.style.paint(paint, shown)),
                );
                spaces = 0;
            }
            spaces += after + layout.gap;
        }
        text.trim_end().to_owned()
    }
}
