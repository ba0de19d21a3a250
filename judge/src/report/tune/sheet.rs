//! A search as tables: for Markdown, a page and CSV.

use super::report::TuneReport;
use crate::report::text::effects::rounded;
use crate::report::text::provenance::provenance_lines;
use crate::report::text::sheet::{NOTHING, Sheet, TextTable};

/// The columns behind the parameters.
const COLUMNS: [&str; 4] = ["cases", "failed", "mean_score", "best"];

/// Returns a search as tables for people, with the line that the text has on its winner.
pub(in crate::report) fn tune_sheet(report: &TuneReport) -> Sheet {
    let best = report.best();
    let found = best.map(|best| {
        let setting = report.candidates[best].setting.words(&report.parameters);
        format!("best of {} settings in {} runs: {setting}", report.candidates.len(), report.runs)
    });
    let warning = "the winner's score is biased upward (selection): confirm it on fresh cases".to_owned();
    let provenance = provenance_lines(&report.provenance, Some(&report.limits));
    Sheet {
        title: format!("{}: {}", report.problem, found.as_deref().unwrap_or("no round was finished")),
        lines: best.map(|_| warning).into_iter().chain(provenance).collect(),
        sections: vec![("Settings".to_owned(), table(report, |score| rounded(score, score / 1000.0), NOTHING))],
    }
}

/// Returns a row for each setting. What is unknown is empty.
pub(in crate::report) fn tune_rows(report: &TuneReport) -> TextTable {
    table(report, |score| score.to_string(), "")
}

/// A row for each setting, those with the most cases first and the better ones before the others.
fn table(report: &TuneReport, show: impl Fn(f64) -> String, nothing: &str) -> TextTable {
    // A parameter with the name of a column gets a prefix.
    let title = |name: &str| if COLUMNS.contains(&name) { format!("parameter.{name}") } else { name.to_owned() };
    let mut titles: Vec<String> = report.parameters.iter().map(|parameter| title(&parameter.name)).collect();
    titles.extend(COLUMNS.map(str::to_owned));
    let rows = report.by_rank().into_iter().map(|place| {
        let candidate = &report.candidates[place];
        let failed = candidate.outcomes.iter().filter(|outcome| !outcome.is_accepted()).count();
        let moments = report.moments(place);
        let mean = if moments.count() == 0 { nothing.to_owned() } else { show(report.score(moments.mean())) };
        let mut row = candidate.setting.values.clone();
        row.extend([candidate.outcomes.len().to_string(), failed.to_string(), mean]);
        row.push((report.best() == Some(place)).to_string());
        row
    });
    TextTable { titles, words: 0, spare: Vec::new(), rows: rows.collect() }
}
