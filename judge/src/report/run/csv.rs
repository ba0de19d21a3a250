//! The report of a run as a table for spreadsheets and scripts: a row for each solver on each case.

use super::record::CaseRecord;
use super::report::RunReport;
use crate::report::text::csv_text::words;

/// The columns of every table; those of the features follow.
const COLUMNS: [&str; 16] = [
    "case",
    "seed",
    "input",
    "solver",
    "verdict",
    "code",
    "score",
    "points",
    "cpu_ms",
    "wall_ms",
    "memory_bytes",
    "noisy",
    "note",
    "weight",
    "group",
    "message",
];

/// Returns the report of a run as CSV (RFC 4180, with plain newlines). What is unknown is empty.
///
/// # Errors
/// Never: every row has a field for every column.
pub(in crate::report) fn run_csv(report: &RunReport<'_>) -> csv::Result<Vec<u8>> {
    let features = feature_names(report);
    let mut writer = csv::Writer::from_writer(Vec::new());
    // A feature with the name of a column gets a prefix.
    let title = |name: &&str| if COLUMNS.contains(name) { format!("feature.{name}") } else { (*name).to_owned() };
    writer.write_record(COLUMNS.map(str::to_owned).into_iter().chain(features.iter().map(title)))?;
    for (job, outcome) in report.jobs() {
        writer.write_record(row(&CaseRecord::of_report(report, job, outcome), report.message, &features))?;
    }
    writer.into_inner().map_err(|error| error.into_error().into())
}

/// The names of all features, in the order in which the cases have them.
fn feature_names<'a>(report: &'a RunReport<'_>) -> Vec<&'a str> {
    let mut names = Vec::new();
    for feature in report.features.iter().flatten().flat_map(|features| features.iter()) {
        if !names.contains(&&*feature.name) {
            names.push(&*feature.name);
        }
    }
    names
}

fn row(record: &CaseRecord<'_>, message: Option<&str>, features: &[&str]) -> Vec<String> {
    let mut fields = vec![
        words(record.case),
        text(record.seed.as_ref()),
        words(record.input.as_deref().unwrap_or_default()),
        words(record.solver),
        record.verdict.to_owned(),
        record.code.to_owned(),
        text(record.score.as_ref()),
        text(record.points.as_ref()),
        text(record.cpu_ms.as_ref()),
        text(record.wall_ms.as_ref()),
        text(record.memory_bytes.as_ref()),
        record.noisy.to_string(),
        words(record.note),
        text(record.weight.as_ref()),
        words(record.group.unwrap_or_default()),
        words(message.unwrap_or_default()),
    ];
    fields.extend(features.iter().map(|name| text(record.features.as_ref().and_then(|features| features.get(name)))));
    fields
}

fn text(value: Option<&impl ToString>) -> String {
    value.map(ToString::to_string).unwrap_or_default()
}
