//! The report of a run as one JSON document, and its schema.

use super::record::CaseRecord;
use super::report::RunReport;
use super::run_record::Summary;
use crate::text::json_text;
use crate::text::json_value::schema_of;
use schemars::{JsonSchema, Schema};
use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};
use std::io::Write;

/// The report of one run of the judge: `judge run --json PATH`.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "judge run --json")]
struct Document<'a> {
    #[serde(flatten)]
    summary: Summary<'a>,
    /// Every solver on every case, case by case; with `--sort` in that order, and with `--top` not all of them.
    #[schemars(with = "Vec<CaseRecord<'a>>")]
    cases: CaseRecords<'a>,
}

/// The records of a run's cases, each made when it is written.
struct CaseRecords<'a>(&'a RunReport<'a>);

impl Serialize for CaseRecords<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut records = serializer.serialize_seq(None)?;
        for (job, outcome) in self.0.chosen_jobs() {
            records.serialize_element(&CaseRecord::of_report(self.0, job, outcome.as_ref()))?;
        }
        records.end()
    }
}

/// Writes the report of a run as one JSON document, with a final newline.
///
/// # Errors
/// When it cannot be written there.
pub(crate) fn run_json(report: &RunReport<'_>, output: &mut dyn Write) -> serde_json::Result<()> {
    let document = Document { summary: Summary::of(report), cases: CaseRecords(report) };
    json_text::write_document(&document, output)
}

/// Returns the JSON schema of `judge run --json`.
#[must_use]
pub fn run_schema() -> Schema {
    schema_of::<Document<'static>>()
}
