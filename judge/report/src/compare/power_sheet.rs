//! A power analysis as tables: for Markdown, a page and CSV.

use super::power::{PowerReport, Spread};
use crate::text::effects::size;
use crate::text::provenance::provenance_lines;
use crate::text::sheet::{NOTHING, Sheet, TextTable};

/// Returns the figures as tables for people.
pub(crate) fn power_sheet(report: &PowerReport) -> Sheet {
    let Spread { measure, deviation, source, .. } = &report.spread;
    let shown = |effect: f64| size(*measure, effect);
    let of_cases =
        |&cases: &u64| vec![cases.to_string(), report.shown_by(cases).map_or_else(|| NOTHING.to_owned(), shown)];
    let by_cases = report.counts.iter().map(of_cases).collect();
    let by_difference = report.differences.iter().map(|&difference| report.difference_cells(difference)).collect();
    let probabilities =
        format!("seen with a probability of {}, false alarms with one of {}", report.power, report.alpha);
    Sheet {
        title: format!("Standard deviation of the effects ({measure}): {}", shown(*deviation)),
        lines: [source.clone(), probabilities].into_iter().chain(provenance_lines(&report.provenance, None)).collect(),
        sections: vec![
            ("What cases show".to_owned(), TextTable::new(&["cases", "show a difference of"], 0, by_cases)),
            ("What differences need".to_owned(), TextTable::new(&report.difference_titles(), 0, by_difference)),
        ],
        texts: Vec::new(),
    }
}

/// Returns a row for each number of cases and each difference. Differences are on the scale of the measure; an
/// unknown figure is empty.
pub(crate) fn power_rows(report: &PowerReport) -> TextTable {
    let text = |value: Option<String>| value.unwrap_or_default();
    let of_cases = report.counts.iter().map(|&cases| {
        let difference = report.shown_by(cases).map(|difference| difference.to_string());
        vec!["cases".to_owned(), cases.to_string(), text(difference)]
    });
    let of_differences = report.differences.iter().map(|&difference| {
        let cases = report.needed_for(difference).map(|cases| cases.to_string());
        vec!["difference".to_owned(), text(cases), difference.to_string()]
    });
    TextTable::new(&["given", "cases", "difference"], 1, of_cases.chain(of_differences).collect())
}
