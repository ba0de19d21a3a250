//! Tables that fit the terminal.

use super::style::{Paint, Style};
use comfy_table::{
    Attribute, Cell, CellAlignment, Color, ColumnConstraint, ContentArrangement, LineStyle, Table, TableStyle,
};

/// The alignment of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Figures.
    Right,
}

/// Returns a table with these columns, without rows. On a terminal it fits the width; elsewhere every row is one line.
#[must_use]
pub fn grid(columns: &[(&str, Align)], style: Style) -> Table {
    let mut table = Table::new();
    table.load_style(TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─')));
    table.set_header(columns.iter().map(|(title, _)| title));
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
    table
}

/// Returns a cell in this paint.
pub(super) fn painted(text: &str, paint: Paint) -> Cell {
    let cell = Cell::new(text);
    match paint {
        Paint::Good => cell.fg(Color::Green),
        Paint::Bad => cell.fg(Color::Red),
        Paint::Warning => cell.fg(Color::Yellow),
        Paint::Faint => cell.add_attribute(Attribute::Dim),
        Paint::Strong => cell.add_attribute(Attribute::Bold),
    }
}
