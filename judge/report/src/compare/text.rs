//! A comparison as text for a terminal, and as tables.

use crate::compare::claims::{percentage, ratio_in_words};
use crate::compare::report::{CompareReport, Comparison, limit};
use crate::formats::Report;
use crate::html::page::{pair_charts, sheet_html};
use crate::text::{
    Columns, Paint, Sheet, Style, TextTable, between, claim_paint, histogram, if_any, left, memory, milliseconds,
    or_nothing, painted, paragraphs, probability, processors_line, right, signed, verdict_of, whole,
};
use judge_compare::paired::{EffectMeasure, FeatureRange, Pair, PairedComparison};
use judge_problem::{JobId, Stop, Verdict, counted, one_line};
use judge_statistics::EffectSummary;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::time::Duration;

/// The number of cases with the largest losses and gains that are shown.
const EXTREMES: usize = 10;

/// The number of cases that are shown in an order that the user chose.
const SORTED_SHOWN: usize = 20;

impl Report for CompareReport<'_> {
    const NAME: &'static str = "a comparison";

    fn text(&self, style: Style) -> String {
        let mut parts = vec![solver_table(self, style)];
        for comparison in self.comparisons {
            parts.extend([figures(self, comparison), plot(self, comparison, style), extremes(self, comparison, style)]);
            parts.extend([group_table(self, comparison, style), failure_list(self, comparison, style)]);
        }
        parts.push(closing(self, style));
        paragraphs(parts)
    }

    fn rows(&self) -> Option<TextTable> {
        let plan = self.compared.plan;
        let mut columns = Columns::new();
        columns.add("case", |&(_, case): &(&PairedComparison, usize)| plan.cases.at(case).name.to_string());
        let seed = |case| plan.cases.at(case).seed().map_or_else(String::new, |seed| seed.to_string());
        columns.add("seed", move |&(_, case)| seed(case));
        columns.add("first", |(paired, _)| self.name(paired.first).to_owned());
        columns.add("second", |(paired, _)| self.name(paired.second).to_owned());
        columns.add("measure", |_| self.compared.measure.name().to_owned());
        columns.add("effect", |(paired, case)| {
            // The pairs are in the order of the plan.
            let pair = paired.pairs.binary_search_by_key(case, |pair| pair.case);
            pair.map_or_else(|_| String::new(), |place| paired.pairs[place].effect.to_string())
        });
        let verdict = |case, solver| verdict_of(self.outcome(case, solver)).name().to_owned();
        let score = |case, solver| score(self, case, solver).unwrap_or_default();
        columns.add("first_verdict", move |&(paired, case)| verdict(case, paired.first));
        columns.add("first_score", move |&(paired, case)| score(case, paired.first));
        columns.add("second_verdict", move |&(paired, case)| verdict(case, paired.second));
        columns.add("second_score", move |&(paired, case)| score(case, paired.second));
        let has_nodes = !self.compared.provenance.nodes.is_empty();
        let node = |case, solver| self.outcome(case, solver).and_then(|outcome| outcome.node).unwrap_or_default();
        columns.add_if(has_nodes, "first_node", move |&(paired, case)| node(case, paired.first));
        columns.add_if(has_nodes, "second_node", move |&(paired, case)| node(case, paired.second));
        let rows = self.comparisons.iter().map(|comparison| &comparison.paired);
        let rows = rows.flat_map(|paired| self.listed_cases(Some(paired)).map(move |case| (paired, case)));
        Some(columns.table(rows))
    }

    fn sheet(&self) -> Option<Sheet> {
        Some(sheet(self, self.order.map_or(usize::MAX, limit)))
    }

    fn html(&self, output: &mut dyn Write) -> Option<io::Result<()>> {
        Some(sheet_html(&sheet(self, usize::MAX), Some(pair_charts(self)), output))
    }
}

/// Returns the tables, with up to `most` cases of each comparison.
fn sheet(report: &CompareReport<'_>, most: usize) -> Sheet {
    let lines = report.comparisons.iter().flat_map(|comparison| {
        [Some(report.verdict(comparison)), report.units_in_words(&comparison.paired)].into_iter().flatten()
    });
    let by_feature = format!("By {}", report.group_by.unwrap_or_default());
    let sections = [
        ("Comparisons", comparisons(report)),
        ("Solvers", solvers(report)),
        (&by_feature, ranges(report)),
        ("Cases", cases(report, most)),
    ];
    Sheet::new(report.compared.title(), lines.chain(report.compared.sheet_lines()), sections)
}

/// Returns the table of solvers. It shows time and memory, because a higher score may cost more of both.
fn solver_table(report: &CompareReport<'_>, style: Style) -> String {
    let outcomes = |solver| report.compared.outcomes.of_solver(solver).flatten();
    let mean = |solver| {
        let times: Vec<Duration> = report.cpu_times(solver).collect();
        times.iter().sum::<Duration>().checked_div(u32::try_from(times.len()).ok()?)
    };
    let mut columns = Columns::new();
    columns.add(left("solver"), |&solver| report.shown(solver));
    columns.add(left("cases").wrapped(), |&solver| report.compared.counts(solver));
    columns.add(right("mean CPU").spare(1), |&solver| or_nothing(mean(solver).map(milliseconds)));
    let most = |solver| or_nothing(report.cpu_times(solver).max().map(milliseconds));
    columns.add(right("most CPU").spare(3), move |&solver| most(solver));
    let most = |solver| or_nothing(outcomes(solver).filter_map(|outcome| outcome.memory).max().map(memory));
    columns.add(right("most memory").spare(2), move |&solver| most(solver));
    columns.table(0..report.compared.plan.solvers.len()).text(style)
}

fn figures(report: &CompareReport<'_>, comparison: &Comparison) -> String {
    let (a, b) = (report.shown(comparison.paired.first), report.shown(comparison.paired.second));
    let PairedComparison { cases, solved, .. } = &comparison.paired;
    let cases = match *cases {
        all if all == *solved => format!("{} that both solved", counted(all, "case")),
        all if all < *solved => format!("{all} of the {solved} cases that both solved"),
        all => format!("{all} cases, {solved} of them solved by both"),
    };
    let mut lines = vec![format!("{b} against {a}: {cases}")];
    lines.extend(report.units_in_words(&comparison.paired).map(|note| format!("  {note}")));
    lines.extend(comparison.inference.summary.as_ref().map(|summary| figure_lines(report, comparison, summary)));
    if comparison.paired.undefined > 0 {
        let cases = counted(comparison.paired.undefined, "more case");
        let measure = report.compared.measure;
        let (why, other) = match measure {
            EffectMeasure::Ratio => ("a score is not above 0", "difference"),
            EffectMeasure::Total => ("the total is 0 or too large", "relative"),
            _ => ("a number is too large or too small", "relative"),
        };
        let missing = if measure == EffectMeasure::Points { "points".to_owned() } else { format!("a {measure}") };
        lines.push(format!("  {cases} without {missing}: {why} (see --measure {other})"));
    }
    lines.join("\n")
}

fn figure_lines(report: &CompareReport<'_>, comparison: &Comparison, summary: &EffectSummary) -> String {
    let measure = report.compared.measure;
    let EffectSummary { signs, ranks, .. } = summary;
    let sure = format!("{} % interval", percentage(1.0 - report.parameters.alpha));
    let kind = match report.parameters.bound {
        Some(_) => "anytime-valid, exact",
        None if report.compared.is_sequential => "anytime-valid",
        None if report.is_extended(comparison) => "Student, extended to 0",
        None => "Student",
    };
    let interval = comparison
        .inference
        .interval
        .map_or_else(|| "still open at one end".to_owned(), |interval| between(measure, interval));
    let exact = if ranks.exact { "exact" } else { "normal approximation" };
    let mut lines = vec![
        format!("  mean effect ({measure})   {}", signed(measure, comparison.paired.mean())),
        format!("  {sure:<20}  {interval} ({kind})"),
        format!(
            "  wins, ties, losses    {}, {}, {}: {} (sign test, exact)",
            signs.wins,
            signs.ties,
            signs.losses,
            probability(signs.p)
        ),
        format!("  signed ranks          {} (Wilcoxon, {exact})", probability(ranks.p)),
    ];
    if let Some(ratio) = ratio_in_words(report, comparison) {
        lines.push(format!("  {ratio}"));
        lines.push("  The claim rests on the likelihood ratio; the tests assume a fixed number of cases.".to_owned());
    } else if report.compared.is_sequential {
        lines.push("  The claim rests on the interval; the tests below it assume a fixed number of cases.".to_owned());
    }
    lines.extend(time_line(report, &comparison.paired));
    lines.join("\n")
}

/// Returns the line with the ratio of the CPU times, on the cases that both solved.
fn time_line(report: &CompareReport<'_>, paired: &PairedComparison) -> Option<String> {
    if !report.times_are_comparable {
        return Some("  CPU time              not compared: it was not taken under the same conditions".to_owned());
    }
    let is_like = |pair: &&Pair| report.is_on_one_processor(pair.case, [paired.first, paired.second]);
    let like = paired.pairs.iter().filter(is_like).count();
    let left_out = paired.pairs.len() - like;
    if like == 0 && left_out > 0 {
        return Some("  CPU time              not compared: no case was run on the same processor by both".to_owned());
    }
    let (mean, interval) = report.time_change(paired)?;
    let effect = signed(EffectMeasure::Ratio, mean);
    let only = if_any(left_out, |count| format!(" (without {} on different processors)", counted(count, "case")));
    Some(format!("  CPU time              {effect}, {}{only}", between(EffectMeasure::Ratio, interval)))
}

fn plot(report: &CompareReport<'_>, comparison: &Comparison, style: Style) -> String {
    if comparison.paired.pairs.is_empty() {
        return String::new();
    }
    let shown: Vec<f64> =
        comparison.paired.pairs.iter().map(|pair| report.compared.measure.shown(pair.effect)).collect();
    let unit = if report.compared.measure.is_share() { " %" } else { "" };
    let bars = histogram(&shown, unit, style);
    format!("How often {} differed by how much:\n{bars}", report.shown(comparison.paired.second))
}

fn extremes(report: &CompareReport<'_>, comparison: &Comparison, style: Style) -> String {
    let pairs = report.sorted_pairs(&comparison.paired);
    if let Some(order) = report.order {
        let title = format!("{} first by {}", if order.best_first { "Best" } else { "Worst" }, order.key.name());
        let shown = order.top.map_or(SORTED_SHOWN, NonZeroUsize::get);
        return extreme_table(report, comparison, &title, &pairs[..shown.min(pairs.len())], style);
    }
    let losses: Vec<Pair> = pairs.iter().copied().filter(|pair| pair.effect < 0.0).take(EXTREMES).collect();
    let gains: Vec<Pair> = pairs.iter().rev().copied().filter(|pair| pair.effect > 0.0).take(EXTREMES).collect();
    let tables = [("Worst losses", losses), ("Best gains", gains)];
    let shown = tables.into_iter().filter(|(_, pairs)| !pairs.is_empty());
    shown.map(|(title, pairs)| extreme_table(report, comparison, title, &pairs, style)).collect::<Vec<_>>().join("\n\n")
}

fn extreme_table(
    report: &CompareReport<'_>,
    comparison: &Comparison,
    title: &str,
    pairs: &[Pair],
    style: Style,
) -> String {
    let paired = &comparison.paired;
    let mut columns = Columns::new();
    columns.add(left(title), |pair: &&Pair| report.effect_name(pair.case));
    for (place, title) in effect_titles(report).iter().enumerate() {
        columns.add(right(title), move |pair| {
            let paint = if pair.effect < 0.0 { Paint::Bad } else { Paint::Good };
            painted(&effect_cells(report, paired, pair)[place], paint)
        });
    }
    let score = |pair: &Pair, solver| score(report, pair.case, solver).unwrap_or_default();
    columns.add(right(report.name(paired.first)).spare(2), |pair| score(pair, paired.first));
    columns.add(right(report.name(paired.second)).spare(1), |pair| score(pair, paired.second));
    let command = |case| report.compared.plan.reproduce(JobId { case, solver: paired.second });
    columns.add(whole("reproduce").spare(3), |pair| command(pair.case).unwrap_or_default());
    columns.table(pairs).text(style)
}

fn group_table(report: &CompareReport<'_>, comparison: &Comparison, style: Style) -> String {
    let Some(feature) = report.group_by else { return String::new() };
    let columns = [right(feature), right("cases").spare(1), right("mean effect"), whole("interval").spare(2)];
    let mut table = TextTable::of(columns);
    for range in &comparison.ranges {
        table.add_row(range_cells(report.compared.measure, range));
    }
    table.text(style)
}

fn failure_list(report: &CompareReport<'_>, comparison: &Comparison, style: Style) -> String {
    let failures = &comparison.paired.failures;
    let of = |cases: &'_ [usize], solver: usize| -> Vec<JobId> {
        cases.iter().map(|&case| JobId { case, solver }).collect()
    };
    let all = [of(&failures.second, comparison.paired.second), of(&failures.first, comparison.paired.first)].concat();
    let line = |job: &JobId| {
        let verdict = report.outcome(job.case, job.solver).map_or(Verdict::Skipped, |outcome| outcome.verdict);
        let case = one_line(&report.compared.plan.cases.at(job.case).name.0).into_owned();
        let command = report.compared.plan.reproduce(*job);
        let command = command.map(|command| format!("\n    {}", style.paint(Paint::Faint, &one_line(&command))));
        let command = command.unwrap_or_default();
        format!("{case}: only {} failed: {}{command}", report.shown(job.solver), verdict.name())
    };
    let mut lines: Vec<String> = all.iter().take(EXTREMES).map(line).collect();
    if all.len() > EXTREMES {
        lines.push(format!("… and {} more", all.len() - EXTREMES));
    }
    lines.join("\n")
}

fn closing(report: &CompareReport<'_>, style: Style) -> String {
    let verdicts = report.comparisons.iter().flat_map(|comparison| {
        let conclusion = style.paint(claim_paint(comparison.inference.claim), &report.conclusion(comparison));
        [report.fact(comparison), Some(conclusion)].into_iter().flatten().chain(report.remarks(comparison))
    });
    let mut lines: Vec<String> = verdicts.collect();
    if report.comparisons.len() > 1 {
        let [each, all] = [report.parameters.alpha, report.compared.alpha].map(percentage);
        lines.push(match report.parameters.hypotheses.map(|hypotheses| percentage(hypotheses.beta)) {
            Some(beta) => {
                format!("each comparison accepts H1 under H0 with a probability of {each} %, H0 under H1 of {beta} %")
            }
            None => format!("each claim is false with a probability of {each} % at most, any of them of {all} %"),
        });
    }
    lines.push(format!("{}; {}", one_line(&report.compared.title()), report.compared.source()));
    lines.extend(report.reference().map(|reference| one_line(&reference.line()).into_owned()));
    lines.extend(processors_line(&report.compared.provenance.nodes));
    if report.compared.stop == Some(Stop::Interrupted) {
        lines.push("interrupted: only finished cases are compared".to_owned());
    }
    lines.join("\n")
}

fn comparisons(report: &CompareReport<'_>) -> TextTable {
    let row = |comparison: &Comparison| {
        let Comparison { paired, inference, .. } = comparison;
        let summary = inference.summary.as_ref();
        vec![
            report.name(paired.first).to_owned(),
            report.name(paired.second).to_owned(),
            paired.pairs.len().to_string(),
            or_nothing(summary.map(|_| signed(report.compared.measure, paired.mean()))),
            or_nothing(inference.interval.map(|interval| between(report.compared.measure, interval))),
            or_nothing(summary.map(|summary| {
                let signs = &summary.signs;
                format!("{}, {}, {}", signs.wins, signs.ties, signs.losses)
            })),
            or_nothing(summary.map(|summary| probability(summary.signs.p))),
        ]
    };
    let effect = format!("mean effect ({})", report.compared.measure);
    let titles = ["first", "second", "cases", &*effect, "interval", "wins, ties, losses", "sign test"];
    TextTable::new(&titles, 2, report.comparisons.iter().map(row))
}

fn solvers(report: &CompareReport<'_>) -> TextTable {
    let row = |solver: usize| {
        let counts = report.compared.counts(solver);
        let most = report.cpu_times(solver).max();
        vec![report.name(solver).to_owned(), counts.to_string(), or_nothing(most.map(milliseconds))]
    };
    TextTable::new(&["solver", "cases", "most CPU"], 2, (0..report.compared.plan.solvers.len()).map(row))
}

/// Returns the values of a range, its number of effects, their mean and its interval.
fn range_cells(measure: EffectMeasure, range: &FeatureRange) -> [String; 4] {
    let FeatureRange { low, high, paired, inference } = range;
    let value = if low == high { low.to_string() } else { format!("{low} to {high}") };
    let mean = inference.summary.as_ref().map(|_| signed(measure, paired.mean()));
    let interval = inference.interval.map(|interval| between(measure, interval));
    [value, paired.pairs.len().to_string(), or_nothing(mean), or_nothing(interval)]
}

fn ranges(report: &CompareReport<'_>) -> TextTable {
    let rows = report.comparisons.iter().flat_map(|comparison| {
        let second = report.name(comparison.paired.second).to_owned();
        let row = move |range| [vec![second.clone()], range_cells(report.compared.measure, range).to_vec()].concat();
        comparison.ranges.iter().map(row)
    });
    TextTable::new(&["second", "value", "cases", "mean effect", "interval"], 1, rows)
}

/// The first cases that both solved, from the largest loss to the largest gain, or in the order that the user chose.
fn cases(report: &CompareReport<'_>, most: usize) -> TextTable {
    let rows = report.comparisons.iter().flat_map(|comparison| {
        let paired = &comparison.paired;
        report.sorted_pairs(paired).into_iter().take(most).map(|pair| {
            let score = |solver| or_nothing(score(report, pair.case, solver));
            let mut row = vec![report.effect_name(pair.case), report.name(paired.second).to_owned()];
            row.extend(effect_cells(report, paired, &pair));
            row.extend([score(paired.first), score(paired.second)]);
            row
        })
    });
    let titles = [&["case", "second"], effect_titles(report), &["score of the first", "score of the second"]].concat();
    TextTable::new(&titles, 2, rows)
}

/// Returns the titles of a case's effect.
fn effect_titles(report: &CompareReport<'_>) -> &'static [&'static str] {
    if report.compared.measure == EffectMeasure::Total { &["own change", "of the total"] } else { &["effect"] }
}

/// Returns the cells under these titles. A share of the total says little about the case itself, so its own change follows.
fn effect_cells(report: &CompareReport<'_>, paired: &PairedComparison, pair: &Pair) -> Vec<String> {
    match report.of_total(paired, pair) {
        Some(of_total) => {
            let own = report.own_change(pair).map(|change| signed(report.compared.measure, change));
            vec![or_nothing(own), signed(report.compared.measure, of_total)]
        }
        None => vec![signed(report.compared.measure, pair.effect)],
    }
}

fn score(report: &CompareReport<'_>, case: usize, solver: usize) -> Option<String> {
    report.outcome(case, solver)?.score.as_ref().map(ToString::to_string)
}
