//! A report as titled tables, and these as CSV and Markdown.

use crate::text::figures::if_any;
use crate::text::table::{Column, Field, Grid, grid, left, right};
use crate::text::terminal::Style;
use judge_problem::{one_line, visible};
use std::io::{self, Write};

/// The mark for a missing figure.
pub(crate) const NOTHING: &str = "–";

/// Returns a figure, or the mark for a missing one.
pub(crate) fn or_nothing(figure: Option<String>) -> String {
    figure.unwrap_or_else(|| NOTHING.to_owned())
}

/// A table as text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TextTable {
    pub(crate) titles: Vec<String>,
    /// The number of columns with words, on the left. The others contain figures.
    pub(crate) words: usize,
    /// The columns that a narrow terminal leaves out, the first of them first.
    pub(crate) spare: Vec<usize>,
    pub(crate) rows: Vec<Vec<String>>,
    /// The number of further rows, which pages do not show.
    pub(crate) left_out: usize,
}

impl TextTable {
    /// Returns a table with these titles.
    pub(crate) fn new(titles: &[&str], words: usize, rows: Vec<Vec<String>>) -> Self {
        let titles = titles.iter().map(|title| (*title).to_owned()).collect();
        Self { titles, words, rows, ..Self::default() }
    }

    /// Returns the table with the titles of the columns that a narrow terminal drops, in this order.
    pub(crate) fn with_spare(self, titles: &[&str]) -> Self {
        let place = |title: &&str| self.titles.iter().position(|known| known == title);
        Self { spare: titles.iter().filter_map(place).collect(), ..self }
    }

    /// Returns the table for a terminal or a file.
    pub(crate) fn text(&self, style: Style) -> String {
        let spare = |place| self.spare.iter().rev().position(|&spare| spare == place).map_or(0, |order| order + 1);
        let column = |(place, title): (usize, &String)| -> Column {
            let column = if place < self.words { left(title) } else { right(title) };
            column.spare(spare(place))
        };
        let mut grid = grid(self.titles.iter().enumerate().map(column), style);
        self.rows.iter().for_each(|row| grid.add_row(row));
        grid.text()
    }
}

/// The columns of a table, each with the function that makes its fields from the rows: `C` is a column or its title, `F` a
/// field.
pub(crate) struct Columns<'a, R, C = String, F = String>(Vec<(C, FieldOf<'a, R, F>)>);

type FieldOf<'a, R, F> = Box<dyn Fn(&R) -> F + 'a>;

impl<'a, R, C, F> Columns<'a, R, C, F> {
    /// Returns a table without columns.
    pub(crate) fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds a column.
    pub(crate) fn add(&mut self, column: impl Into<C>, field: impl Fn(&R) -> F + 'a) {
        self.0.push((column.into(), Box::new(field)));
    }

    /// Adds a column that only some tables have.
    pub(crate) fn add_if(&mut self, is_needed: bool, column: impl Into<C>, field: impl Fn(&R) -> F + 'a) {
        if is_needed {
            self.add(column, field);
        }
    }

    fn filled(self, rows: impl IntoIterator<Item = R>) -> (Vec<C>, Vec<Vec<F>>) {
        let (columns, fields): (_, Vec<_>) = self.0.into_iter().unzip();
        (columns, rows.into_iter().map(|row| fields.iter().map(|field| field(&row)).collect()).collect())
    }
}

impl<R> Columns<'_, R> {
    /// Returns the table of these rows. The first `words` columns contain words.
    pub(crate) fn table(self, words: usize, rows: impl IntoIterator<Item = R>) -> TextTable {
        let (titles, rows) = self.filled(rows);
        TextTable { titles, words, rows, ..TextTable::default() }
    }
}

impl<R> Columns<'_, R, Column, Field> {
    /// Returns the grid of these rows.
    pub(crate) fn grid(self, style: Style, rows: impl IntoIterator<Item = R>) -> Grid {
        let (columns, rows) = self.filled(rows);
        let mut grid = grid(columns, style);
        rows.into_iter().for_each(|row| grid.add_row(row));
        grid
    }
}

/// A report as titled tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sheet {
    pub(crate) title: String,
    /// The sentences under the title.
    pub(crate) lines: Vec<String>,
    /// The tables, each with its title. Those without rows are not shown.
    pub(crate) sections: Vec<(String, TextTable)>,
    /// Texts whose lines are kept, each with its title.
    pub(crate) texts: Vec<(String, String)>,
}

impl Sheet {
    /// Returns the tables that have rows.
    pub(crate) fn shown(&self) -> impl Iterator<Item = &(String, TextTable)> {
        self.sections.iter().filter(|(_, table)| !table.rows.is_empty())
    }
}

/// Writes a table as CSV.
///
/// # Errors
/// When the output cannot be written to.
pub(crate) fn table_csv(table: &TextTable, output: &mut dyn Write) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(output);
    writer.write_record(table.titles.iter().map(|title| words(title)))?;
    for row in &table.rows {
        writer.write_record(row.iter().map(|field| words(field)))?;
    }
    writer.flush()
}

/// Returns untrusted text in one line, with hidden characters escaped, and marked as text if a spreadsheet would read a
/// formula.
pub(crate) fn words(text: &str) -> String {
    let shown = one_line(text);
    let is_formula = shown.starts_with(['=', '+', '-', '@']) && shown.parse::<f64>().is_err();
    if is_formula { format!("'{shown}") } else { shown.into_owned() }
}

/// The largest page in bytes. Comments may have 65,536 characters. The remaining space is for the text of a bot.
const MAX: usize = 56_000;

/// The widths of a field of a table, a sentence of the judge, a note of another program, and a command. A sentence is only
/// cut if its names are immense.
const FIELD_WIDTH: usize = 48;
pub(crate) const SENTENCE_WIDTH: usize = 4000;
pub(crate) const NOTE_WIDTH: usize = 300;
pub(crate) const COMMAND_WIDTH: usize = 400;

/// The number of bytes that lists leave for the parts after them.
const RESERVE: usize = 1000;

/// The number of rows of a table, or parts of a list.
pub(crate) const MAX_ROWS: usize = 100;

/// A page that never exceeds the size of a comment.
pub(crate) struct Page {
    text: String,
    left_out: bool,
}

impl Page {
    /// Starts with the headline.
    pub(crate) fn new(headline: String) -> Self {
        Self { text: headline, left_out: false }
    }

    /// Returns the text of the page, with a line if a part was omitted.
    pub(crate) fn finish(mut self) -> String {
        if self.left_out {
            self.text.push_str("\n_Omitted parts are in the other reports._\n");
        }
        self.text
    }

    /// Adds a part if it fits.
    pub(crate) fn add(&mut self, part: &str) {
        if self.text.len() + part.len() > MAX {
            self.left_out = true;
        } else if !part.is_empty() {
            self.text.push('\n');
            self.text.push_str(part);
        }
    }

    /// Adds as many of the `count` parts as fit, folded.
    pub(crate) fn add_folded(&mut self, title: &str, count: usize, parts: impl Iterator<Item = String>) {
        let body = self.fitting(count, parts);
        if !body.is_empty() {
            self.add(&format!("<details><summary>{title} ({count})</summary>\n\n{body}\n</details>\n"));
        }
    }

    /// Adds as many of the parts as fit, unfolded.
    pub(crate) fn add_list(&mut self, parts: impl Iterator<Item = String>) {
        let parts: Vec<String> = parts.collect();
        let body = self.fitting(parts.len(), parts.into_iter());
        self.add(&body);
    }

    /// Adds as many of the sentences as fit, as a list.
    pub(crate) fn add_sentences(&mut self, sentences: &[String]) {
        self.add_list(sentences.iter().map(|line| format!("- {}\n", escaped(&cut(line, SENTENCE_WIDTH)))));
    }

    /// Returns as many of the `count` parts as fit, and the number of the remaining ones.
    fn fitting(&mut self, count: usize, parts: impl Iterator<Item = String>) -> String {
        let room = MAX.saturating_sub(self.text.len() + RESERVE);
        let mut length = 0;
        let fitting = parts.take_while(|part| {
            length += part.len();
            length <= room
        });
        let fitting: Vec<_> = fitting.take(MAX_ROWS).collect();
        if fitting.is_empty() {
            self.left_out |= count > 0;
            return String::new();
        }
        fitting.concat() + &more(count - fitting.len())
    }
}

/// Returns the line that counts the omitted parts, if there are any.
fn more(count: usize) -> String {
    if_any(count, |more| format!("\n… and {more} more.\n"))
}

/// Returns a report as Markdown, of less than 60 kB.
pub(crate) fn sheet_markdown(sheet: &Sheet) -> String {
    let mut page = Page::new(format!("### {}\n", escaped(&cut(&sheet.title, SENTENCE_WIDTH))));
    page.add_sentences(&sheet.lines);
    for (title, content) in sheet.shown() {
        page.add(&format!("**{}**\n\n{}", field(title), table(content)));
    }
    for (title, text) in &sheet.texts {
        page.add(&format!("**{}**\n\n{}", field(title), block(text)));
    }
    page.finish()
}

/// Returns a table in Markdown.
pub(crate) fn table(table: &TextTable) -> String {
    let line = |fields: &[String]| {
        let fields: Vec<_> = fields.iter().map(|text| field(text.trim())).collect();
        format!("| {} |\n", fields.join(" | "))
    };
    let rule = format!("|{}{}\n", " --- |".repeat(table.words), " ---: |".repeat(table.titles.len() - table.words));
    let body: String = table.rows.iter().take(MAX_ROWS).map(|row| line(row)).collect();
    let more = more(table.rows.len().saturating_sub(MAX_ROWS) + table.left_out);
    format!("{}{rule}{body}{more}", line(&table.titles))
}

/// Returns a text as a field of a table.
pub(crate) fn field(text: &str) -> String {
    escaped(&cut(text, FIELD_WIDTH))
}

/// Returns a text with its lines as a code block. No line can end the block, because it is indented.
fn block(text: &str) -> String {
    visible(text).lines().map(|line| format!("    {line}\n")).collect()
}

/// Returns a text in one line, with Markdown and HTML escaped.
pub(crate) fn escaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in one_line(&text.replace('\n', " ")).chars() {
        match c {
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            '&' => shown.push_str("&amp;"),
            // A comment should not mention people or other issues.
            '@' => shown.push_str("&#64;"),
            '#' => shown.push_str("&#35;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '$' => shown.extend(['\\', c]),
            c => shown.push(c),
        }
    }
    shown
}

/// Returns a text as code in HTML, where no backtick or bar ends it.
pub(crate) fn code(text: &str) -> String {
    let text = one_line(text).into_owned();
    let escapes = [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("|", "&#124;"), ("`", "&#96;"), ("*", "&#42;")];
    let more = [("_", "&#95;"), ("[", "&#91;"), ("\\", "&#92;"), ("~", "&#126;"), ("@", "&#64;"), ("$", "&#36;")];
    let text = escapes.iter().chain(&more).fold(text, |text, (from, to)| text.replace(from, to));
    format!("<code>{text}</code>")
}

/// Returns a long text without its middle: both ends of a number remain.
pub(crate) fn cut(text: &str, width: usize) -> String {
    let count = text.chars().count();
    if count <= width {
        return text.to_owned();
    }
    let head: String = text.chars().take(width / 2).collect();
    let tail: String = text.chars().skip(count - (width / 2 - 1)).collect();
    format!("{head}…{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_whole_in_markdown() {
        let line = format!("{}and the conclusion", "many facts ".repeat(50));
        let sheet = Sheet { title: line.clone(), lines: vec![line.clone()], sections: Vec::new(), texts: Vec::new() };
        assert_eq!(sheet_markdown(&sheet).matches(&line).count(), 2);
    }
}
