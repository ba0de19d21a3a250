//! The formats of each report, and why a report lacks some of them.

use crate::compare::power::{PowerReport, power_rows, power_sheet, power_text};
use crate::compare::rank::{RankReport, rank_rows, rank_sheet, rank_text};
use crate::compare::report::CompareReport;
use crate::compare::text::{compare_rows, compare_sheet, compare_text};
use crate::gate::calibration::{CalibrationReport, calibration_rows, calibration_sheet, calibration_text};
use crate::gate::formats::{gates_markdown, gates_rows, gates_sheet, gates_text};
use crate::gate::report::GatesReport;
use crate::html::run::run_html;
use crate::html::sheet::{compare_html, sheet_html};
use crate::junit::{gates_junit, run_junit};
use crate::run::Feedback;
use crate::run::csv::run_csv;
use crate::run::report::RunReport;
use crate::run::text::{run_markdown, run_text};
use crate::text::json::Document;
use crate::text::sheet::{Sheet, TextTable, sheet_markdown, table_csv};
use crate::text::terminal::Style;
use crate::tune::{TuneReport, tune_jsonl, tune_rows, tune_sheet, tune_text};
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

/// The result of writing a report.
pub type Written = Result<(), Box<dyn Error>>;

/// Why a report is not written in a format, and the alternative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Missing {
    /// The reason, as the end of a sentence.
    pub why: &'static str,
    /// What to type.
    pub hint: &'static str,
}

/// A report of a command. Each method is a format; a report implements the formats that it has.
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

/// Why a report has no JUnit form.
const NO_TESTS: Missing = Missing {
    why: "nothing in it passes or fails",
    hint: "`judge gate --junit PATH` tests a solver against a baseline",
};

/// Why a report has no JSON lines.
const ONE_DOCUMENT: Missing =
    Missing { why: "it is complete only at the end", hint: "--json PATH writes it as one document" };

/// Why a search has no JSON document.
const ONE_LINE_A_SETTING: Missing = Missing {
    why: "its records are the settings that it tried",
    hint: "--jsonl PATH writes each of them as a line of JSON",
};

/// Writes a report that is one text.
fn whole<E: Error + 'static>(text: Result<String, E>, output: &mut dyn Write) -> Option<Written> {
    Some(text.map_err(Into::into).and_then(|text| Ok(output.write_all(text.as_bytes())?)))
}

impl Report for RunReport<'_> {
    const NAME: &'static str = "a run";

    fn missing(_: Format) -> Option<Missing> {
        // Its JSON lines are written while it runs.
        None
    }

    fn text(&self, style: Style) -> String {
        run_text(self, style)
    }

    fn json(&self, output: &mut dyn Write) -> Option<Written> {
        Some(self.write_json(output).map_err(Into::into))
    }

    fn csv(&self, output: &mut dyn Write) -> Option<Written> {
        Some(run_csv(self, output).map_err(Into::into))
    }

    fn junit(&self, output: &mut dyn Write) -> Option<Written> {
        Some(run_junit(self, output).map_err(Into::into))
    }

    fn markdown(&self) -> Option<String> {
        Some(run_markdown(self))
    }

    fn html(&self, output: &mut dyn Write) -> Option<Written> {
        Some(run_html(self, output).map_err(Into::into))
    }
}

impl Feedback {
    /// Returns the page as Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        sheet_markdown(&self.0)
    }

    /// Writes the page as HTML, in one file.
    ///
    /// # Errors
    /// When the output cannot be written to.
    pub fn html(&self, output: &mut dyn Write) -> std::io::Result<()> {
        sheet_html(&self.0, output)
    }
}

impl Report for CompareReport<'_> {
    const NAME: &'static str = "a comparison";

    fn missing(format: Format) -> Option<Missing> {
        match format {
            Format::JsonLines => Some(ONE_DOCUMENT),
            Format::Junit => Some(NO_TESTS),
            _ => None,
        }
    }

    fn text(&self, style: Style) -> String {
        compare_text(self, style)
    }

    fn json(&self, output: &mut dyn Write) -> Option<Written> {
        Some(self.write_json(output).map_err(Into::into))
    }

    fn rows(&self) -> Option<TextTable> {
        Some(compare_rows(self))
    }

    fn sheet(&self) -> Option<Sheet> {
        Some(compare_sheet(self))
    }

    fn html(&self, output: &mut dyn Write) -> Option<Written> {
        Some(compare_html(self, &compare_sheet(self), output).map_err(Into::into))
    }
}

impl Report for RankReport<'_> {
    const NAME: &'static str = "a ranking";

    fn missing(format: Format) -> Option<Missing> {
        CompareReport::missing(format)
    }

    fn text(&self, style: Style) -> String {
        rank_text(self, style)
    }

    fn json(&self, output: &mut dyn Write) -> Option<Written> {
        Some(self.write_json(output).map_err(Into::into))
    }

    fn rows(&self) -> Option<TextTable> {
        Some(rank_rows(self))
    }

    fn sheet(&self) -> Option<Sheet> {
        Some(rank_sheet(self))
    }
}

impl Report for GatesReport<'_> {
    const NAME: &'static str = "a gate";

    fn missing(format: Format) -> Option<Missing> {
        (format == Format::JsonLines).then_some(ONE_DOCUMENT)
    }

    fn text(&self, style: Style) -> String {
        gates_text(self, style)
    }

    fn json(&self, output: &mut dyn Write) -> Option<Written> {
        Some(self.write_json(output).map_err(Into::into))
    }

    fn junit(&self, output: &mut dyn Write) -> Option<Written> {
        Some(gates_junit(self, output).map_err(Into::into))
    }

    fn markdown(&self) -> Option<String> {
        Some(gates_markdown(self))
    }

    fn rows(&self) -> Option<TextTable> {
        Some(gates_rows(self))
    }

    fn sheet(&self) -> Option<Sheet> {
        Some(gates_sheet(self))
    }
}

impl Report for CalibrationReport<'_> {
    const NAME: &'static str = "a calibration";

    fn missing(format: Format) -> Option<Missing> {
        PowerReport::missing(format)
    }

    fn text(&self, style: Style) -> String {
        calibration_text(self, style)
    }

    fn json(&self, output: &mut dyn Write) -> Option<Written> {
        Some(self.write_json(output).map_err(Into::into))
    }

    fn rows(&self) -> Option<TextTable> {
        Some(calibration_rows(self))
    }

    fn sheet(&self) -> Option<Sheet> {
        Some(calibration_sheet(self))
    }
}

impl Report for PowerReport {
    const NAME: &'static str = "a power analysis";

    fn missing(format: Format) -> Option<Missing> {
        match format {
            Format::JsonLines => Some(ONE_DOCUMENT),
            Format::Junit => Some(NO_TESTS),
            _ => None,
        }
    }

    fn text(&self, style: Style) -> String {
        power_text(self, style)
    }

    fn json(&self, output: &mut dyn Write) -> Option<Written> {
        Some(self.write_json(output).map_err(Into::into))
    }

    fn rows(&self) -> Option<TextTable> {
        Some(power_rows(self))
    }

    fn sheet(&self) -> Option<Sheet> {
        Some(power_sheet(self))
    }
}

impl Report for TuneReport {
    const NAME: &'static str = "a search";

    fn missing(format: Format) -> Option<Missing> {
        match format {
            Format::Json => Some(ONE_LINE_A_SETTING),
            Format::Junit => Some(NO_TESTS),
            _ => None,
        }
    }

    fn text(&self, style: Style) -> String {
        tune_text(self, style)
    }

    fn json_lines(&self, output: &mut dyn Write) -> Option<Written> {
        whole(tune_jsonl(self), output)
    }

    fn rows(&self) -> Option<TextTable> {
        Some(tune_rows(self))
    }

    fn sheet(&self) -> Option<Sheet> {
        Some(tune_sheet(self))
    }
}
