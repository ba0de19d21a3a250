//! The formats of each report, and the reasons for the missing ones.

use super::compare::json::compare_json;
use super::compare::power::{PowerReport, power_json, power_text};
use super::compare::power_sheet::{power_rows, power_sheet};
use super::compare::rank::{RankReport, rank_json, rank_rows, rank_sheet, rank_text};
use super::compare::report::CompareReport;
use super::compare::sheet::{compare_rows, compare_sheet};
use super::compare::text::compare_text;
use super::formats::{Format, Missing, Report, Written};
use super::gate::calibration::{
    CalibrationReport, calibration_json, calibration_rows, calibration_sheet, calibration_text,
};
use super::gate::json::gates_json;
use super::gate::junit::gates_junit;
use super::gate::markdown::gates_markdown;
use super::gate::report::GatesReport;
use super::gate::sheet::{gates_rows, gates_sheet};
use super::gate::text::gates_text;
use super::html::results::run_html;
use super::html::sheet::{compare_html, sheet_html};
use super::run::Feedback;
use super::run::csv::run_csv;
use super::run::json::run_json;
use super::run::junit::run_junit;
use super::run::markdown::run_markdown;
use super::run::report::RunReport;
use super::run::summary::run_text;
use super::text::markdown::sheet_markdown;
use super::text::sheet::{Sheet, TextTable};
use super::text::style::Style;
use super::tune::json_lines::tune_jsonl;
use super::tune::report::TuneReport;
use super::tune::sheet::{tune_rows, tune_sheet};
use super::tune::text::tune_text;
use std::error::Error;
use std::io::Write;

/// Nothing in a report passes or fails.
const NO_TESTS: Missing = Missing {
    why: "nothing in it passes or fails",
    hint: "`judge gate --junit PATH` tests a solver against a baseline",
};

/// A report is complete only at the end of its command.
const ONE_DOCUMENT: Missing =
    Missing { why: "it is complete only at the end", hint: "--json PATH writes it as one document" };

/// The settings of a search are its records.
const ONE_LINE_A_SETTING: Missing = Missing {
    why: "its records are the settings that it tried",
    hint: "--jsonl PATH writes each of them as a line of JSON",
};

/// Writes a report that is small enough to be made whole.
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
        Some(run_json(self, output).map_err(Into::into))
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
    /// When it cannot be written there.
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
        Some(compare_json(self, output).map_err(Into::into))
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
        whole(rank_json(self), output)
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
        Some(gates_json(self, output).map_err(Into::into))
    }

    fn junit(&self, output: &mut dyn Write) -> Option<Written> {
        whole(gates_junit(self), output)
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
        whole(calibration_json(self), output)
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
        whole(power_json(self), output)
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
