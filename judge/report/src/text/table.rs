//! Tables that fit the terminal. A field is one line, with hidden characters escaped.

use super::column::{Align, Column, Field};
use super::layout::{self, Layout};
use super::style::{Paint, Style};
use comfy_table::{Attribute, Cell, CellAlignment, Color, ContentArrangement, LineStyle, Table, TableStyle};

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
        let in_column = |(field, column): (Field, &Column)| match column.has_thousands {
            true => Field { text: self.style.figure(&field.text).into_owned(), ..field },
            false => field,
        };
        self.rows.push(fields.into_iter().map(Into::into).zip(&self.columns).map(in_column).collect());
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
        let mut table = Table::new();
        table.load_style(TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─')));
        table.set_content_arrangement(ContentArrangement::Disabled);
        if self.style.is_colored() {
            table.enforce_styling()
        } else {
            table.force_no_tty()
        };
        let titles: Vec<Field> = self.columns.iter().map(|column| Field::new(&column.title)).collect();
        table.set_header(self.cells(&layout, &titles));
        table.add_rows(self.rows.iter().map(|row| self.cells(&layout, row)));
        let last = layout.columns.len().saturating_sub(1);
        for (at, column) in table.column_iter_mut().enumerate() {
            // Between two columns there are the padding of both and a line of spaces.
            column.set_padding((1, if at == last { 0 } else { layout.gap as u16 - 2 }));
        }
        let left_out = layout.left_out(&self.columns, self.style.width());
        std::iter::once(table.trim_fmt()).chain(left_out).collect::<Vec<_>>().join("\n")
    }

    fn cells(&self, layout: &Layout, row: &[Field]) -> Vec<Cell> {
        let cell = |&(place, width): &(usize, usize)| {
            let (column, field) = (&self.columns[place], &row[place]);
            let cell = Cell::new(layout::cell(&field.text, width, column.overlong).join("\n"));
            let alignment = match column.align {
                Align::Left => CellAlignment::Left,
                Align::Right => CellAlignment::Right,
            };
            in_paint(cell.set_alignment(alignment), field.paint)
        };
        layout.columns.iter().map(cell).collect()
    }
}

fn in_paint(cell: Cell, paint: Option<Paint>) -> Cell {
    match paint {
        None => cell,
        Some(Paint::Good) => cell.fg(Color::Green),
        Some(Paint::Bad) => cell.fg(Color::Red),
        Some(Paint::Warning) => cell.fg(Color::Yellow),
        Some(Paint::Faint) => cell.add_attribute(Attribute::Dim),
        Some(Paint::Strong) => cell.add_attribute(Attribute::Bold),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::column::{left, right};
    use unicode_width::UnicodeWidthStr;

    fn table(width: usize) -> String {
        let columns = [
            left("case"),
            left("solver").spare(1),
            right("score"),
            right("CPU").spare(3),
            right("wall").spare(4),
            left("note").spare(2),
        ];
        let mut table = grid(columns, Style::PLAIN.with_width(width));
        let name = "a-solver-with-a-name-that-is-longer-than-any-column-of-a-table-should-be".to_owned();
        let row = |case: &str, score: &str| {
            [case, &name, score, "4.01 s", "12.00 s", "the answer has 3 moves, 7 were expected in this case"]
                .map(str::to_owned)
        };
        table.add_row(row("seed-1", "123456789012345678901234567890"));
        table.add_row(row("seed-10000000000", "7"));
        table.text()
    }

    #[test]
    fn every_width_is_kept_and_figures_stay_whole() {
        for width in [60, 80, 120, 200, 400] {
            let text = table(width);
            assert!(text.lines().all(|line| line.width() <= width), "{width}:\n{text}");
            assert!(text.contains(" 123,456,789,012,345,678,901,234,567,890"), "{width}:\n{text}");
            let rows = text.lines().filter(|line| line.contains("seed-1")).count();
            assert_eq!(rows, 2, "a row is a line: {text}");
        }
        assert!(!table(400).contains("not shown"));
    }

    #[test]
    fn the_least_important_columns_go_first_and_are_named() {
        // The number of thirty digits has nine commas.
        assert!(table(89).ends_with("not shown at this width: CPU, wall"), "{}", table(89));
        assert!(table(69).ends_with("not shown at this width: CPU, wall, note"), "{}", table(69));
    }

    #[test]
    fn a_number_wider_than_the_terminal_keeps_its_ends() {
        let mut table = grid([left("case"), right("score")], Style::PLAIN.with_width(30));
        table.add_row(["x".to_owned(), format!("12{}89", "0".repeat(100))]);
        let text = table.text();
        assert!(text.lines().all(|line| line.width() <= 30) && text.contains(" 12") && text.ends_with("89"), "{text}");
    }
}
