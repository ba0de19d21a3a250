//! A comparison as tables: for Markdown, a page and CSV.

use super::report::{CompareReport, Comparison};
use crate::text::effects::{between, probability, signed};
use crate::text::figures::{Counts, milliseconds, verdict_of};
use crate::text::provenance::provenance_lines;
use crate::text::sheet::{NOTHING, Sheet, TextTable};
use judge_compare::paired::{EffectMeasure, Pair, PairedComparison};
use judge_problem::{CaseSource, JobId};

/// Returns a comparison as tables for people.
pub(crate) fn compare_sheet(report: &CompareReport<'_>) -> Sheet {
    let lines = report.comparisons.iter().flat_map(|comparison| {
        [Some(report.verdict(comparison)), report.units_in_words(&comparison.paired)].into_iter().flatten()
    });
    let warnings = report.warnings.iter().map(|warning| format!("warning: {warning}"));
    let limits = report.run_info.as_ref().map(|_| &report.plan.limits);
    let provenance = provenance_lines(&report.provenance, limits);
    Sheet {
        title: format!("{}: {} cases", report.plan.problem.id, report.plan.cases.len()),
        lines: lines.chain(warnings).chain(provenance).collect(),
        sections: vec![
            ("Comparisons".to_owned(), comparisons(report)),
            ("Solvers".to_owned(), solvers(report)),
            (format!("By {}", report.group_by.unwrap_or_default()), ranges(report)),
            ("Cases".to_owned(), cases(report)),
        ],
        texts: Vec::new(),
    }
}

fn comparisons(report: &CompareReport<'_>) -> TextTable {
    let row = |comparison: &Comparison| {
        let Comparison { paired, inference, .. } = comparison;
        let summary = inference.summary.as_ref();
        vec![
            report.name(paired.first).to_owned(),
            report.name(paired.second).to_owned(),
            paired.pairs.len().to_string(),
            or_nothing(summary.map(|summary| signed(report.measure, summary.moments.mean()))),
            or_nothing(inference.interval.map(|interval| between(report.measure, interval))),
            or_nothing(summary.map(|summary| {
                let signs = &summary.signs;
                format!("{}, {}, {}", signs.wins, signs.ties, signs.losses)
            })),
            or_nothing(summary.map(|summary| probability(summary.signs.p))),
        ]
    };
    let effect = format!("mean effect ({})", report.measure);
    let titles = ["first", "second", "cases", &*effect, "interval", "wins, ties, losses", "sign test"];
    TextTable::new(&titles, 2, report.comparisons.iter().map(row).collect())
}

fn solvers(report: &CompareReport<'_>) -> TextTable {
    let row = |solver: usize| {
        let counts: Counts = report.outcomes.of_solver(solver).flatten().map(|outcome| outcome.verdict).collect();
        let most = report.cpu_times(solver).max();
        vec![report.name(solver).to_owned(), counts.to_string(), or_nothing(most.map(milliseconds))]
    };
    let rows = (0..report.plan.solvers.len()).map(row).collect();
    TextTable::new(&["solver", "cases", "most CPU"], 2, rows)
}

fn ranges(report: &CompareReport<'_>) -> TextTable {
    let rows = report.comparisons.iter().flat_map(|comparison| {
        comparison.ranges.iter().map(|range| {
            let value = if range.low == range.high {
                range.low.to_string()
            } else {
                format!("{} to {}", range.low, range.high)
            };
            let summary = range.inference.summary.as_ref();
            vec![
                report.name(comparison.paired.second).to_owned(),
                value,
                range.paired.pairs.len().to_string(),
                or_nothing(summary.map(|summary| signed(report.measure, summary.moments.mean()))),
                or_nothing(range.inference.interval.map(|interval| between(report.measure, interval))),
            ]
        })
    });
    TextTable::new(&["second", "value", "cases", "mean effect", "interval"], 1, rows.collect())
}

/// The cases that both solved, from the largest loss to the largest gain, or in the order that the user chose.
fn cases(report: &CompareReport<'_>) -> TextTable {
    let rows = report.comparisons.iter().flat_map(|comparison| {
        let paired = &comparison.paired;
        report.sorted_pairs(paired).into_iter().map(|pair| {
            let score = |solver| or_nothing(score(report, pair.case, solver));
            let mut row = vec![report.effect_name(&pair), report.name(paired.second).to_owned()];
            row.extend(effect_cells(report, paired, &pair));
            row.extend([score(paired.first), score(paired.second)]);
            row
        })
    });
    let titles = [&["case", "second"], effect_titles(report), &["score of the first", "score of the second"]].concat();
    TextTable::new(&titles, 2, rows.collect())
}

/// Returns the titles of a case's effect.
pub(super) fn effect_titles(report: &CompareReport<'_>) -> &'static [&'static str] {
    if report.measure == EffectMeasure::Total { &["own change", "of the total"] } else { &["effect"] }
}

/// Returns the cells under these titles. A share of the total says little of the case itself: its own change stands beside
/// it.
pub(super) fn effect_cells(report: &CompareReport<'_>, paired: &PairedComparison, pair: &Pair) -> Vec<String> {
    match report.of_total(paired, pair) {
        Some(of_total) => {
            let own = report.own_change(pair).map(|change| signed(report.measure, change));
            vec![or_nothing(own), signed(report.measure, of_total)]
        }
        None => vec![signed(report.measure, pair.effect)],
    }
}

/// Returns a row for each comparison on each case. Effects are on the scale of the measure; what is unknown is empty.
pub(crate) fn compare_rows(report: &CompareReport<'_>) -> TextTable {
    let has_nodes = !report.provenance.nodes.is_empty();
    let mut titles = vec![
        "case",
        "seed",
        "first",
        "second",
        "measure",
        "effect",
        "first_verdict",
        "first_score",
        "second_verdict",
        "second_score",
    ];
    titles.extend(has_nodes.then_some(["first_node", "second_node"]).into_iter().flatten());
    let rows = report.comparisons.iter().flat_map(|comparison| {
        let paired = &comparison.paired;
        // Both are in the order of the plan.
        let mut pairs = paired.pairs.iter().peekable();
        report.plan.cases.iter().enumerate().map(move |(case, spec)| {
            let pair = pairs.next_if(|pair| pair.case == case);
            let verdict = |solver| verdict_of(report.outcome(case, solver)).name().to_owned();
            let score = |solver| score(report, case, solver).unwrap_or_default();
            let node = |solver| report.outcome(case, solver).and_then(|outcome| outcome.node).unwrap_or_default();
            let nodes = has_nodes.then(|| [paired.first, paired.second].map(node)).into_iter().flatten();
            let fields = vec![
                spec.name.to_string(),
                match &spec.source {
                    CaseSource::Seed(seed) => seed.to_string(),
                    CaseSource::File(_) => String::new(),
                },
                report.name(paired.first).to_owned(),
                report.name(paired.second).to_owned(),
                report.measure.name().to_owned(),
                pair.map(|pair| pair.effect.to_string()).unwrap_or_default(),
                verdict(paired.first),
                score(paired.first),
                verdict(paired.second),
                score(paired.second),
            ];
            fields.into_iter().chain(nodes).collect()
        })
    });
    TextTable::new(&titles, 4, rows.collect())
}

fn score(report: &CompareReport<'_>, case: usize, solver: usize) -> Option<String> {
    report.outcomes.get(JobId { case, solver })?.score.as_ref().map(ToString::to_string)
}

fn or_nothing(text: Option<String>) -> String {
    text.unwrap_or_else(|| NOTHING.to_owned())
}
