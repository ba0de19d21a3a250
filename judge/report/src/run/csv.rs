//! The report of a run as a table for spreadsheets and scripts: a row for each solver on each case.

use crate::run::metrics::value;
use crate::run::record::CaseRecord;
use crate::run::report::RunReport;
use crate::text::words;
use indexmap::IndexSet;
use judge_problem::MetricRule;
use judge_problem::scoring::LeaderboardRow;
use std::collections::HashMap;
use std::io::{self, Write};

/// The column of a run that has nodes.
const NODE: &str = "node";

/// Makes a field of a row.
type FieldOf = fn(&CaseRecord<'_>) -> String;

/// The first columns of every table, each with what makes its fields.
const COLUMNS: [(&str, FieldOf); 15] = [
    ("case", |record| words(&record.case)),
    ("seed", |record| text(record.seed.as_ref())),
    ("input", |record| words(record.input.as_deref().unwrap_or_default())),
    ("solver", |record| words(record.solver)),
    ("verdict", |record| record.verdict.to_owned()),
    ("code", |record| record.code.to_owned()),
    ("score", |record| text(record.score.as_ref())),
    ("points", |record| text(record.points.as_ref())),
    ("cpu_ms", |record| text(record.cpu_ms.as_ref())),
    ("wall_ms", |record| text(record.wall_ms.as_ref())),
    ("memory_bytes", |record| text(record.memory_bytes.as_ref())),
    ("noisy", |record| record.noisy.to_string()),
    ("note", |record| words(record.note)),
    ("weight", |record| text(record.weight.as_ref())),
    ("group", |record| words(record.group.unwrap_or_default())),
];

/// The columns after them: of the run, and of its solver. Columns of nodes, metrics and features follow.
const OF_RUN: [&str; 3] = ["message", "rank", "total"];

/// Writes the report of a run as CSV (RFC 4180, with plain newlines). Unknown values are empty.
///
/// # Errors
/// When the output cannot be written to.
pub(crate) fn run_csv(report: &RunReport<'_>, output: &mut dyn Write) -> io::Result<()> {
    // In the order in which the cases have them.
    let features = report.features.iter().flatten().flat_map(|features| features.iter());
    let features: IndexSet<&str> = features.map(|(name, _)| name).collect();
    let mut writer = csv::Writer::from_writer(output);
    // A feature with the name of a column gets a prefix.
    let of_all = || COLUMNS.iter().map(|(name, _)| *name).chain(OF_RUN);
    let title = |name: &&str| {
        if of_all().chain([NODE]).any(|known| known == *name) { format!("feature.{name}") } else { (*name).to_owned() }
    };
    let metrics = &report.plan.problem.metrics;
    let metric_titles = metrics.iter().map(MetricRule::full_name);
    let has_nodes = !report.provenance.nodes.is_empty();
    let node = has_nodes.then(|| NODE.to_owned());
    writer
        .write_record(of_all().map(str::to_owned).chain(node).chain(metric_titles).chain(features.iter().map(title)))?;
    let rank_and_total =
        |place: &LeaderboardRow| [place.rank.to_string(), report.total(place.solver).unwrap_or_default()];
    let places = report.scored.leaderboard.iter();
    let ranking: HashMap<usize, [String; 2]> = places.map(|place| (place.solver, rank_and_total(place))).collect();
    for (job, outcome) in report.chosen_jobs() {
        let record = CaseRecord::of_report(report, job, outcome.as_ref());
        let mut fields: Vec<String> = COLUMNS.iter().map(|(_, field)| field(&record)).collect();
        fields.push(words(report.message.unwrap_or_default()));
        fields.extend(ranking[&job.solver].clone());
        fields.extend(has_nodes.then(|| words(record.node.unwrap_or_default())));
        fields.extend(metrics.iter().map(|rule| value(outcome.as_ref(), rule).unwrap_or_default()));
        let feature = |name: &&str| text(record.features.as_ref().and_then(|features| features.get(name)));
        fields.extend(features.iter().map(feature));
        writer.write_record(fields)?;
    }
    writer.flush()
}

fn text(value: Option<&impl ToString>) -> String {
    value.map(ToString::to_string).unwrap_or_default()
}
