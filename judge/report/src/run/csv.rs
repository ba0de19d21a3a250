//! The report of a run as a table for spreadsheets and scripts: a row for each solver on each case.

use crate::run::metrics::value;
use crate::run::record::CaseRecord;
use crate::run::report::RunReport;
use crate::text::words;
use judge_problem::MetricRule;
use judge_problem::scoring::LeaderboardRow;
use std::collections::HashMap;
use std::io::Write;

/// The column of a run that has nodes.
const NODE: &str = "node";

/// The columns of every table. Columns of nodes, metrics and features follow.
const COLUMNS: [&str; 18] = [
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
    "rank",
    "total",
];

/// Writes the report of a run as CSV (RFC 4180, with plain newlines). Unknown values are empty.
///
/// # Errors
/// When the output cannot be written to.
pub(crate) fn run_csv(report: &RunReport<'_>, output: &mut dyn Write) -> csv::Result<()> {
    let features = feature_names(report);
    let mut writer = csv::Writer::from_writer(output);
    // A feature with the name of a column gets a prefix.
    let title = |name: &&str| {
        if COLUMNS.contains(name) || *name == NODE { format!("feature.{name}") } else { (*name).to_owned() }
    };
    let metrics = &report.plan.problem.metrics;
    let metric_titles = metrics.iter().map(MetricRule::full_name);
    let has_nodes = !report.provenance.nodes.is_empty();
    let node = has_nodes.then(|| NODE.to_owned());
    writer.write_record(
        COLUMNS.map(str::to_owned).into_iter().chain(node).chain(metric_titles).chain(features.iter().map(title)),
    )?;
    let ranking = ranking(report);
    for (job, outcome) in report.chosen_jobs() {
        let record = CaseRecord::of_report(report, job, outcome.as_ref());
        let mut fields = row(&record, report.message, &ranking[&job.solver]);
        fields.extend(has_nodes.then(|| words(record.node.unwrap_or_default())));
        fields.extend(metrics.iter().map(|rule| value(outcome.as_ref(), rule).unwrap_or_default()));
        let feature = |name: &&str| text(record.features.as_ref().and_then(|features| features.get(name)));
        fields.extend(features.iter().map(feature));
        writer.write_record(fields)?;
    }
    Ok(writer.flush()?)
}

/// The names of all features, in the order in which the cases have them.
fn feature_names<'a>(report: &'a RunReport<'_>) -> Vec<&'a str> {
    let mut names = Vec::new();
    for (name, _) in report.features.iter().flatten().flat_map(|features| features.iter()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The rank and the total of each solver.
fn ranking(report: &RunReport<'_>) -> HashMap<usize, [String; 2]> {
    let of = |place: &LeaderboardRow| [place.rank.to_string(), report.total(place.solver).unwrap_or_default()];
    report.scored.leaderboard.iter().map(|place| (place.solver, of(place))).collect()
}

fn row(record: &CaseRecord<'_>, message: Option<&str>, [rank, total]: &[String; 2]) -> Vec<String> {
    vec![
        words(&record.case),
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
        rank.clone(),
        total.clone(),
    ]
}

fn text(value: Option<&impl ToString>) -> String {
    value.map(ToString::to_string).unwrap_or_default()
}
