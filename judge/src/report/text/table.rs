//! Tables that fit the terminal. A field is one line, with hidden characters escaped.

use super::style::{Paint, Style};
use crate::model::one_line;
use comfy_table::{
    Attribute, Cell, CellAlignment, Color, ColumnConstraint, ContentArrangement, LineStyle, Row, Table, TableStyle,
};

/// The alignment of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Figures.
    Right,
}

/// A table, row by row.
#[derive(Debug, Clone)]
pub struct Grid(Table);

/// The content of a row in a column.
#[derive(Debug, Clone)]
pub struct Field(Cell);

impl Field {
    /// Returns a field with this text; hidden characters are escaped.
    pub(in crate::report) fn new(text: impl ToString) -> Self {
        Self(Cell::new(one_line(&text.to_string())))
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

/// Returns a table with these columns, without rows. On a terminal it fits the width; elsewhere every row is one line.
#[must_use]
pub fn grid(columns: &[(&str, Align)], style: Style) -> Grid {
    let mut table = Table::new();
    table.load_style(TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─')));
    table.set_header(columns.iter().map(|(title, _)| one_line(title)));
    if style == Style::Colored {
        table.set_content_arrangement(ContentArrangement::Dynamic).enforce_styling();
    } else {
        table.set_content_arrangement(ContentArrangement::Disabled).force_no_tty();
    }
    for (place, (column, (_, align))) in table.column_iter_mut().zip(columns).enumerate() {
        column.set_cell_alignment(match align {
            Align::Left => CellAlignment::Left,
            Align::Right => CellAlignment::Right,
        });
        // On a narrow terminal, the last column shrinks: words can be cut, figures cannot.
        if place + 1 < columns.len() {
            column.set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    Grid(table)
}

impl Grid {
    /// Adds a row.
    pub fn add_row(&mut self, fields: impl IntoIterator<Item = impl Into<Field>>) {
        self.0.add_row(row(fields));
    }

    /// Adds a row that is cut rather than continued on a second line.
    pub(in crate::report) fn add_low_row(&mut self, fields: impl IntoIterator<Item = impl Into<Field>>) {
        let mut row = row(fields);
        row.max_height(1);
        self.0.add_row(row);
    }

    /// Returns whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the table as text, without spaces at the ends of lines and without a final newline.
    #[must_use]
    pub fn trim_fmt(&self) -> String {
        self.0.trim_fmt()
    }
}

fn row(fields: impl IntoIterator<Item = impl Into<Field>>) -> Row {
    Row::from(fields.into_iter().map(|field| field.into().0).collect::<Vec<_>>())
}

/// Returns a field in this paint.
pub(in crate::report) fn painted(text: &str, paint: Paint) -> Field {
    let Field(cell) = Field::new(text);
    Field(match paint {
        Paint::Good => cell.fg(Color::Green),
        Paint::Bad => cell.fg(Color::Red),
        Paint::Warning => cell.fg(Color::Yellow),
        Paint::Faint => cell.add_attribute(Attribute::Dim),
        Paint::Strong => cell.add_attribute(Attribute::Bold),
    })
}
