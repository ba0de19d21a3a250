//! A report as titled tables, and these as CSV and Markdown.

use crate::html::page::sheet_html;
use crate::text::figures::if_any;
use crate::text::table::TextTable;
use judge_problem::{one_line, visible};
use std::io::{self, Write};

/// The mark for a missing figure.
pub(crate) const NOTHING: &str = "–";

/// Returns a figure, or the mark for a missing one.
pub(crate) fn or_nothing(figure: Option<String>) -> String {
    figure.unwrap_or_else(|| NOTHING.to_owned())
}

/// A report as titled tables.
#[derive(Debug, Clone)]
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
    /// Returns a sheet of sentences, and of tables with their titles.
    pub(crate) fn new(
        title: String,
        lines: impl IntoIterator<Item = String>,
        sections: impl IntoIterator<Item = (impl Into<String>, TextTable)>,
    ) -> Self {
        let sections = sections.into_iter().map(|(title, table)| (title.into(), table)).collect();
        Self { title, lines: lines.into_iter().collect(), sections, texts: Vec::new() }
    }

    /// Returns the sheet as Markdown, of less than 60 kB.
    pub fn markdown(&self) -> String {
        let mut page = Page::new(format!("### {}\n", escaped(&cut(&self.title, SENTENCE_WIDTH))));
        page.add_sentences(&self.lines);
        for (title, content) in self.shown() {
            page.add(&format!("**{}**\n\n{}", field(title), table(content)));
        }
        for (title, text) in &self.texts {
            page.add(&format!("**{}**\n\n{}", field(title), block(text)));
        }
        page.finish()
    }

    /// Writes the sheet as a web page in one file.
    ///
    /// # Errors
    /// When the output cannot be written to.
    pub fn html(&self, output: &mut dyn Write) -> io::Result<()> {
        sheet_html(self, None, output)
    }

    /// Returns the tables that have rows.
    pub(crate) fn shown(&self) -> impl Iterator<Item = &(String, TextTable)> {
        self.sections.iter().filter(|(_, table)| !table.is_empty())
    }
}

/// Writes a table as CSV.
///
/// # Errors
/// When the output cannot be written to.
pub(crate) fn table_csv(table: &TextTable, output: &mut dyn Write) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(output);
    writer.write_record(table.columns.iter().map(|column| words(&column.title)))?;
    for row in &table.rows {
        writer.write_record(row.iter().map(|field| words(&field.text)))?;
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

/// Returns a table in Markdown.
pub(crate) fn table(table: &TextTable) -> String {
    let line = |texts: Vec<&String>| {
        let fields: Vec<_> = texts.into_iter().map(|text| field(text.trim())).collect();
        format!("| {} |\n", fields.join(" | "))
    };
    let titles = line(table.columns.iter().map(|column| &column.title).collect());
    let rule = table.columns.iter().map(|column| if column.has_words() { " --- |" } else { " ---: |" });
    let rows = table.rows.iter().take(MAX_ROWS).map(|row| line(row.iter().map(|field| &field.text).collect()));
    let more = more(table.rows.len().saturating_sub(MAX_ROWS) + table.left_out);
    format!("{titles}|{}\n{}{more}", rule.collect::<String>(), rows.collect::<String>())
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
        let tables: [(&str, TextTable); 0] = [];
        let sheet = Sheet::new(line.clone(), [line.clone()], tables);
        assert_eq!(sheet.markdown().matches(&line).count(), 2);
    }
}
