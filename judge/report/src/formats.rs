//! The formats of each report, and why a report lacks some of them.

use crate::text::{Document, Sheet, Style, TextTable, table_csv};
use std::io::{self, Write};

/// A format of a report, in addition to text.
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

    /// Returns whether the report of a run in this format has the features of the cases.
    pub fn has_features(self) -> bool {
        match self {
            Self::Json | Self::JsonLines | Self::Csv | Self::Html => true,
            Self::Junit | Self::Markdown => false,
        }
    }
}

/// Why a report is not written in a format, and the alternative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Missing {
    /// The reason, as the end of a sentence.
    pub why: &'static str,
    /// The command to type.
    pub hint: &'static str,
}

/// A report of a command. It is a JSON document. Other formats are methods; a report implements the ones that it has.
pub trait Report: Document {
    /// The name of the report, as messages use it.
    const NAME: &'static str;

    /// Why it is not written as one JSON document; `None` if it is.
    const NO_JSON: Option<Missing> = None;
    /// The same for JSON lines.
    const NO_JSON_LINES: Option<Missing> = Some(ONE_DOCUMENT);
    /// The same for JUnit XML.
    const NO_JUNIT: Option<Missing> = Some(NO_TESTS);

    /// Returns why the report is not written in this format; `None` if it is.
    fn missing(format: Format) -> Option<Missing> {
        match format {
            Format::Json => Self::NO_JSON,
            Format::JsonLines => Self::NO_JSON_LINES,
            Format::Junit => Self::NO_JUNIT,
            Format::Csv | Format::Markdown | Format::Html => None,
        }
    }

    /// Returns the text for a terminal or a file.
    fn text(&self, style: Style) -> String;

    /// Returns the rows of the comma-separated values, if the report has them. Unknown values are empty.
    fn rows(&self) -> Option<TextTable> {
        None
    }

    /// Returns the report as titled tables, if it has them, for Markdown and the web page.
    fn sheet(&self) -> Option<Sheet> {
        None
    }

    /// Writes JSON lines, if the report has them.
    fn json_lines(&self, _: &mut dyn Write) -> Option<io::Result<()>> {
        None
    }

    /// Writes comma-separated values, if the report has them.
    fn csv(&self, output: &mut dyn Write) -> Option<io::Result<()>> {
        self.rows().map(|rows| table_csv(&rows, output))
    }

    /// Writes JUnit XML, if the report has it.
    fn junit(&self, _: &mut dyn Write) -> Option<io::Result<()>> {
        None
    }

    /// Returns Markdown, if the report has it.
    fn markdown(&self) -> Option<String> {
        self.sheet().map(|sheet| sheet.markdown())
    }

    /// Writes a web page, if the report has one.
    fn html(&self, output: &mut dyn Write) -> Option<io::Result<()>> {
        self.sheet().map(|sheet| sheet.html(output))
    }

    /// Writes the report in this format, if it has it. Reports of many cases are written piece by piece.
    fn write(&self, format: Format, output: &mut dyn Write) -> Option<io::Result<()>> {
        match format {
            Format::Json => Self::NO_JSON.is_none().then(|| self.write_json(output).map_err(Into::into)),
            Format::JsonLines => self.json_lines(output),
            Format::Csv => self.csv(output),
            Format::Junit => self.junit(output),
            Format::Markdown => self.markdown().map(|text| output.write_all(text.as_bytes())),
            Format::Html => self.html(output),
        }
    }
}

/// Why a report has no JUnit form.
const NO_TESTS: Missing = Missing {
    why: "nothing in it passes or fails",
    hint: "`judge gate --junit PATH` tests a solver against a baseline",
};

/// Why a report has no JSON lines.
const ONE_DOCUMENT: Missing =
    Missing { why: "it is complete only at the end", hint: "--json PATH writes it as one document" };
