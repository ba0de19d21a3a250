//! The formats of reports, and the trait of a report that has them.

use super::html::sheet::sheet_html;
use super::text::csv_text::table_csv;
use super::text::markdown::sheet_markdown;
use super::text::sheet::{Sheet, TextTable};
use super::text::style::Style;
use std::error::Error;
use std::io::Write;

/// A format that a report can be written in, beside its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// One JSON document.
    Json,
    /// A JSON document on each line.
    JsonLines,
    /// Comma-separated values.
    Csv,
    /// JUnit XML.
    Junit,
    /// Markdown for a comment on a pull request.
    Markdown,
    /// A web page in one file.
    Html,
}

impl Format {
    /// Returns the name of a report in this format, as messages use it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Json => "the JSON report",
            Self::JsonLines => "the JSON lines",
            Self::Csv => "the CSV report",
            Self::Junit => "the JUnit report",
            Self::Markdown => "the Markdown report",
            Self::Html => "the HTML report",
        }
    }
}

/// What came of writing a report: an error is of the report, or of where it goes.
pub type Written = Result<(), Box<dyn Error>>;

/// Why a report is not written in a format, and the alternative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Missing {
    /// The reason, as the end of a sentence.
    pub why: &'static str,
    /// What to type.
    pub hint: &'static str,
}

/// A report of a command. A report gains a format by a method of this trait.
pub trait Report {
    /// The name of the report, as messages use it.
    const NAME: &'static str;

    /// Returns why the report is not written in this format; `None` if it is.
    fn missing(format: Format) -> Option<Missing>;

    /// Returns the text for a terminal or a file.
    fn text(&self, style: Style) -> String;

    /// Writes one JSON document, if the report has one.
    fn json(&self, _: &mut dyn Write) -> Option<Written> {
        None
    }

    /// Writes JSON lines, if the report has them.
    fn json_lines(&self, _: &mut dyn Write) -> Option<Written> {
        None
    }

    /// Returns the rows of the comma-separated values, if the report has them.
    fn rows(&self) -> Option<TextTable> {
        None
    }

    /// Returns the report as titled tables, if it has them: Markdown and the web page show these.
    fn sheet(&self) -> Option<Sheet> {
        None
    }

    /// Writes comma-separated values, if the report has them.
    fn csv(&self, output: &mut dyn Write) -> Option<Written> {
        self.rows().map(|rows| Ok(table_csv(&rows, output)?))
    }

    /// Writes JUnit XML, if the report has it.
    fn junit(&self, _: &mut dyn Write) -> Option<Written> {
        None
    }

    /// Returns Markdown, if the report has it.
    fn markdown(&self) -> Option<String> {
        self.sheet().map(|sheet| sheet_markdown(&sheet))
    }

    /// Writes a web page, if the report has one.
    fn html(&self, output: &mut dyn Write) -> Option<Written> {
        self.sheet().map(|sheet| Ok(sheet_html(&sheet, output)?))
    }

    /// Writes the report in this format, if it has it. Reports of many cases are written piece by piece.
    fn write(&self, format: Format, output: &mut dyn Write) -> Option<Written> {
        match format {
            Format::Json => self.json(output),
            Format::JsonLines => self.json_lines(output),
            Format::Csv => self.csv(output),
            Format::Junit => self.junit(output),
            Format::Markdown => self.markdown().map(|text| Ok(output.write_all(text.as_bytes())?)),
            Format::Html => self.html(output),
        }
    }
}
