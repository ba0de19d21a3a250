//! A search as tables: for Markdown, a page and CSV.

use super::report::{TuneComparison, TuneReport};
use crate::text::effects::{between, claim_name, rounded, signed};
use crate::text::provenance::provenance_lines;
use crate::text::sheet::{NOTHING, Sheet, TextTable};

/// The columns behind the parameters.
const COLUMNS: [&str; 4] = ["cases", "failed", "mean_score", "best"];

/// Returns a search as tables for people, with the line that the text has on its winner.
pub(crate) fn tune_sheet(report: &TuneReport) -> Sheet {
    let best = report.best;
    let found = best.map(|best| {
        let setting = report.candidates[best].setting.words(&report.parameters);
        format!("best of {} settings in {} runs: {setting}", report.candidates.len(), report.runs)
    });
    let warning = report.selection_note().to_owned();
    let confirmed = report.comparison.as_ref().map(|comparison| {
        let default = comparison.default_in_words(&report.parameters);
        format!("on {} fresh cases against {default}: {}", comparison.cases.len(), comparison.verdict)
    });
    let provenance = provenance_lines(&report.provenance, Some(&report.limits));
    Sheet {
        title: format!("{}: {}", report.problem, found.as_deref().unwrap_or("nothing was run")),
        lines: best.map(|_| warning).into_iter().chain(confirmed).chain(provenance).collect(),
        sections: vec![
            ("Settings".to_owned(), table(report, |score| rounded(score, score / 1000.0), NOTHING)),
            ("On fresh cases".to_owned(), comparison_table(report)),
        ],
        texts: Vec::new(),
    }
}

/// Returns a row for each setting. What is unknown is empty.
pub(crate) fn tune_rows(report: &TuneReport) -> TextTable {
    table(report, |score| score.to_string(), "")
}

/// The comparison of the best setting with the default one.
fn comparison_table(report: &TuneReport) -> TextTable {
    let row = |comparison: &TuneComparison| {
        let or_nothing = |figure: Option<String>| figure.unwrap_or_else(|| NOTHING.to_owned());
        vec![
            comparison.default.words(&report.parameters),
            report.best.map_or_else(String::new, |best| report.candidates[best].setting.words(&report.parameters)),
            comparison.pairs.to_string(),
            or_nothing(comparison.mean.map(|mean| signed(comparison.measure, mean))),
            or_nothing(comparison.interval.map(|interval| between(comparison.measure, interval))),
            claim_name(comparison.claim).to_owned(),
        ]
    };
    let titles = ["default", "best", "cases", "mean effect", "interval", "claim"];
    TextTable::new(&titles, 2, report.comparison.iter().map(row).collect())
}

/// A row for each setting, the best one first, those with the most cases first and the better ones before the others.
fn table(report: &TuneReport, show: impl Fn(f64) -> String, nothing: &str) -> TextTable {
    // A parameter with the name of a column gets a prefix.
    let title = |name: &str| if COLUMNS.contains(&name) { format!("parameter.{name}") } else { name.to_owned() };
    let mut titles: Vec<String> = report.parameters.iter().map(|parameter| title(&parameter.name)).collect();
    titles.extend(COLUMNS.map(str::to_owned));
    let rows = report.by_rank().into_iter().map(|place| {
        let candidate = &report.candidates[place];
        let mean = candidate.worth.filter(|_| report.moments(place).count() > 0);
        let mean = mean.map_or_else(|| nothing.to_owned(), |worth| show(report.score(worth)));
        let mut row = candidate.setting.values.clone();
        row.extend([candidate.count().to_string(), candidate.failures().to_string(), mean]);
        row.push((report.best == Some(place)).to_string());
        row
    });
    TextTable { titles, words: 0, spare: Vec::new(), rows: rows.collect(), left_out: 0 }
}
