//! The report of a search for people.

use super::report::{TuneComparison, TuneReport};
use crate::text::column::{Column, Field, right};
use crate::text::effects::{between, give_or_take, rounded};
use crate::text::sheet::NOTHING;
use crate::text::style::{Paint, Style};
use crate::text::table::grid;
use judge_compare::paired::{Claim, EffectMeasure};
use judge_problem::{Outcome, one_line};
use judge_statistics::{Interval, Moments, mean_interval};

/// The number of settings that are shown.
const SHOWN: usize = 10;

/// Returns the report of a search, for a terminal or a file.
pub(crate) fn tune_text(report: &TuneReport, style: Style) -> String {
    let mut parts = vec![table(report, style)];
    match report.best {
        Some(best) if report.candidates[best].outcomes.iter().flatten().any(Outcome::is_accepted) => {
            parts.push(winner(report, best));
            parts.extend(report.comparison.as_ref().map(|comparison| on_fresh_cases(report, comparison, style)));
        }
        Some(best) => {
            let again = format!("hint: judge run -p {} {}", report.problem, report.command(best));
            parts.push(format!("every setting fails on every case\n{}", one_line(&again)));
        }
        None => {}
    }
    if report.stop.is_some() {
        parts.push("interrupted: this is the best so far, and it was not compared with the default setting".to_owned());
    }
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n")
}

/// The best candidate, then those with the most cases, and among equals the better ones.
fn table(report: &TuneReport, style: Style) -> String {
    let order = report.by_rank();
    let parameters = report.parameters.iter().enumerate();
    let mut columns: Vec<Column> =
        parameters.map(|(place, parameter)| right(&parameter.name).spare(place + 1)).collect();
    let count = columns.len();
    columns.extend([right("cases").spare(count + 2), right("failed").spare(count + 1), right("mean score")]);
    let mut table = grid(columns, style);
    for &candidate in order.iter().take(SHOWN) {
        let is_solved = report.moments(candidate).count() > 0;
        let candidate = &report.candidates[candidate];
        let score = candidate.worth.filter(|_| is_solved).map(|worth| report.score(worth));
        let score = score.map_or_else(|| NOTHING.to_owned(), |score| rounded(score, score / 1000.0));
        let mut row: Vec<Field> = candidate.setting.values.iter().map(Field::new).collect();
        row.extend([Field::new(candidate.count()), Field::new(candidate.failures()), Field::new(score)]);
        table.add_row(row);
    }
    let left_out = order.len().saturating_sub(SHOWN);
    if left_out == 0 { table.text() } else { format!("{}\n… and {left_out} more settings", table.text()) }
}

fn winner(report: &TuneReport, best: usize) -> String {
    let setting = report.candidates[best].setting.words(&report.parameters);
    let moments = report.moments(best);
    let sure = (1.0 - report.alpha) * 100.0;
    let mut lines =
        vec![format!("best of {} settings in {} runs: {}", report.candidates.len(), report.runs, one_line(&setting))];
    let mean = report.candidates[best].worth.unwrap_or_default();
    if let Some(interval) = mean_interval(&moments, report.alpha) {
        // The interval of the cases that it ran on, about the mean for all of them.
        let ends = [interval.low, interval.high].map(|end| report.score(end - moments.mean() + mean));
        let (low, high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        let show = |score: f64| rounded(score, score / 1000.0);
        let mean = show(report.score(mean));
        lines.push(format!(
            "  mean score            {mean}, {sure:.0} % interval from {} to {}, {} cases",
            show(low),
            show(high),
            moments.count()
        ));
    }
    lines.extend(against_runner_up(report, best));
    lines.push(report.selection_note().to_owned());
    let again = format!("  judge run -p {} {} --seeds 1-50", report.problem, report.command(best));
    lines.push(one_line(&again).into_owned());
    if best == 0 {
        lines.push("it is the default setting: there is nothing to compare".to_owned());
    }
    lines.join("\n")
}

/// The comparison with the default setting.
fn on_fresh_cases(report: &TuneReport, comparison: &TuneComparison, style: Style) -> String {
    let paint = match comparison.claim {
        Claim::Better => Paint::Good,
        Claim::Worse => Paint::Bad,
        Claim::Smaller
        | Claim::Equal
        | Claim::Accepted(_)
        | Claim::Contrary
        | Claim::Undecided { .. }
        | Claim::TooFew => Paint::Strong,
    };
    let default = comparison.default_in_words(&report.parameters);
    let mut lines = vec![
        one_line(&format!("on {} fresh cases against {default}:", comparison.cases.len())).into_owned(),
        style.paint(paint, &comparison.verdict),
    ];
    if comparison.mean.is_some_and(|mean| mean < 0.0) {
        lines.push("the winner scored lower than the default there".to_owned());
    }
    if comparison.stop.is_some() {
        lines.push("interrupted: only finished cases are compared".to_owned());
    }
    lines.join("\n")
}

fn against_runner_up(report: &TuneReport, best: usize) -> Option<String> {
    let rival = report.runner_up(best)?;
    let values = |candidate: usize| report.candidates[candidate].values.iter().copied();
    let pairs = values(best).zip(values(rival));
    let pairs: Vec<(f64, f64)> = pairs.filter_map(|(best, rival)| Some((best?, rival?))).collect();
    let total: f64 = pairs.iter().map(|(_, rival)| rival).sum();
    let unit = match report.measure {
        EffectMeasure::Total if total != 0.0 => total.abs() / pairs.len() as f64,
        _ => 1.0,
    };
    let effects: Vec<f64> = pairs.iter().map(|(best, rival)| (best - rival) / unit).collect();
    let rival = report.candidates[rival].setting.values.join(" ");
    let rival = one_line(&rival);
    if !effects.is_empty() && effects.iter().all(|effect| *effect == 0.0) {
        return Some(format!("  against the next      the same scores as {rival}, {} shared cases", effects.len()));
    }
    let moments = Moments::of(&effects);
    let interval: Interval = mean_interval(&moments, report.alpha)?;
    let (gain, between) = (give_or_take(report.measure, moments.mean(), interval), between(report.measure, interval));
    let side = if moments.mean() < 0.0 { "worse" } else { "better" };
    Some(format!("  against the next      {gain} {side} than {rival}, {between}, {} shared cases", effects.len()))
}
