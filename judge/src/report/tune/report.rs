//! The report of a search for good parameters.

use crate::model::{CaseName, Direction, Outcome, Stop, one_line, quote};
use crate::paired::EffectMeasure;
use crate::report::text::effects::{between, give_or_take, rounded};
use crate::report::text::json_text;
use crate::report::text::json_value::{exact, schema_of};
use crate::report::text::style::Style;
use crate::report::text::table::{Align, Field, grid};
use crate::statistics::{Interval, Moments, ScoreMeasure, mean_interval};
use crate::tune::{Parameter, ParameterSetting, fill};
use checkers::Score;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::{Number, json};
use std::collections::BTreeMap;

/// The number of settings that are shown.
const SHOWN: usize = 10;

/// The report of a search for good parameters.
#[derive(Debug)]
pub struct TuneReport {
    /// The problem's id.
    pub problem: String,
    /// The command line of the solver, with the names of the parameters in braces.
    pub solver: String,
    /// Its environment variables, likewise.
    pub environment: Vec<(String, String)>,
    /// The parameters.
    pub parameters: Vec<Parameter>,
    /// The names of the cases, in the order in which they were run.
    pub cases: Vec<CaseName>,
    /// The measure of the effects.
    pub measure: EffectMeasure,
    /// Which scores are good.
    pub direction: Direction,
    /// The error probability of the intervals.
    pub alpha: f64,
    /// Every setting that was tried.
    pub candidates: Vec<Candidate>,
    /// The rounds, in order.
    pub rounds: Vec<Round>,
    /// The number of runs of the solver.
    pub runs: usize,
    /// Why it ended early, if it did.
    pub stop: Option<Stop>,
}

/// A setting, and its outcomes on the first cases.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The setting.
    pub setting: ParameterSetting,
    /// By case, up to the last one that it was run on.
    pub outcomes: Vec<Outcome>,
}

/// A rung of a bracket, with its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Round {
    /// The bracket, from 0.
    pub bracket: usize,
    /// The rung of the bracket, from 0.
    pub rung: usize,
    /// The number of cases that each candidate had finished at its end.
    pub cases: usize,
    /// The candidates in it, by place in the report.
    pub entered: Vec<usize>,
    /// The candidates that survived it, the best first.
    pub survivors: Vec<usize>,
}

/// Returns the value of an outcome on the scale of the measure, larger being better; `None` for a failure.
#[must_use]
pub fn value(measure: EffectMeasure, direction: Direction, outcome: &Outcome) -> Option<f64> {
    let score = outcome.score.as_ref()?;
    let value = match measure {
        EffectMeasure::Ratio => ScoreMeasure::LogRatio.effect(&Score::from(1), score)?,
        EffectMeasure::Difference | EffectMeasure::Relative | EffectMeasure::Points => {
            ScoreMeasure::Difference.effect(&Score::from(0), score)?
        }
    };
    Some(if direction == Direction::Max { value } else { -value })
}

impl TuneReport {
    /// Returns the best candidate. `None` before the first round is over.
    #[must_use]
    pub fn best(&self) -> Option<usize> {
        self.rounds.last()?.survivors.first().copied()
    }

    /// Returns the candidate that was in the most rounds with the best one.
    fn runner_up(&self, best: usize) -> Option<usize> {
        let shared = self.rounds.iter().rev().filter(|round| round.survivors.contains(&best));
        shared
            .flat_map(|round| round.survivors.iter().chain(&round.entered))
            .copied()
            .find(|&candidate| candidate != best)
    }

    fn values(&self, candidate: usize) -> Vec<Option<f64>> {
        let value = |outcome: &Outcome| value(self.measure, self.direction, outcome);
        self.candidates[candidate].outcomes.iter().map(value).collect()
    }

    fn moments(&self, candidate: usize) -> Moments {
        Moments::of(&self.values(candidate).into_iter().flatten().collect::<Vec<_>>())
    }

    /// Returns the mean score in the game's own points: the geometric mean for ratios.
    fn score(&self, mean: f64) -> f64 {
        let mean = if self.direction == Direction::Max { mean } else { -mean };
        if self.measure == EffectMeasure::Ratio { mean.exp() } else { mean }
    }

    fn command(&self, candidate: usize) -> String {
        let values = &self.candidates[candidate].setting.values;
        let quote = |text: &str| quote(&fill(text, &self.parameters, values));
        let variables =
            self.environment.iter().map(|(key, value)| format!(" --env {}", quote(&format!("{key}={value}"))));
        format!("-s {}{}", quote(&self.solver), variables.collect::<String>())
    }
}

/// Returns the report of a search, for a terminal or a file.
pub(in crate::report) fn tune_text(report: &TuneReport, style: Style) -> String {
    let mut parts = vec![table(report, style)];
    match report.best() {
        Some(best) if report.moments(best).count() > 0 => parts.push(winner(report, best)),
        Some(_) => parts.push("every setting fails on every case: try one with `judge run`".to_owned()),
        None => {}
    }
    if report.stop.is_some() {
        parts.push("interrupted: this is the best of the finished rounds".to_owned());
    }
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n")
}

/// The candidates with the most cases, and among equals the best.
fn table(report: &TuneReport, style: Style) -> String {
    let mut order: Vec<usize> =
        (0..report.candidates.len()).filter(|&candidate| !report.candidates[candidate].outcomes.is_empty()).collect();
    let mean = |candidate: usize| report.moments(candidate).mean();
    order.sort_by(|&left, &right| {
        let further = report.candidates[right].outcomes.len().cmp(&report.candidates[left].outcomes.len());
        further.then(mean(right).total_cmp(&mean(left)))
    });
    let mut columns: Vec<(&str, Align)> =
        report.parameters.iter().map(|parameter| (&*parameter.name, Align::Right)).collect();
    columns.extend([("cases", Align::Right), ("failed", Align::Right), ("mean score", Align::Right)]);
    let mut table = grid(&columns, style);
    for &candidate in order.iter().take(SHOWN) {
        let outcomes = &report.candidates[candidate].outcomes;
        let failed = outcomes.iter().filter(|outcome| !outcome.is_accepted()).count();
        let score = report.score(report.moments(candidate).mean());
        let mut row: Vec<Field> = report.candidates[candidate].setting.values.iter().map(Field::new).collect();
        row.extend([Field::new(outcomes.len()), Field::new(failed), Field::new(rounded(score, score / 1000.0))]);
        table.add_row(row);
    }
    let left_out = order.len().saturating_sub(SHOWN);
    if left_out == 0 { table.trim_fmt() } else { format!("{}\n… and {left_out} more settings", table.trim_fmt()) }
}

fn winner(report: &TuneReport, best: usize) -> String {
    let setting = report.candidates[best].setting.words(&report.parameters);
    let moments = report.moments(best);
    let sure = (1.0 - report.alpha) * 100.0;
    let mut lines =
        vec![format!("best of {} settings in {} runs: {}", report.candidates.len(), report.runs, one_line(&setting))];
    if let Some(interval) = mean_interval(&moments, report.alpha) {
        let ends = [report.score(interval.low), report.score(interval.high)];
        let (low, high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        let show = |score: f64| rounded(score, score / 1000.0);
        let mean = show(report.score(moments.mean()));
        lines.push(format!(
            "  mean score            {mean}, {sure:.0} % interval from {} to {}, {} cases",
            show(low),
            show(high),
            moments.count()
        ));
    }
    lines.extend(against_runner_up(report, best));
    lines.push("the winner's score is biased upward (selection): confirm it on fresh cases".to_owned());
    let again = format!("  judge run -p {} {} --seeds 1-50", report.problem, report.command(best));
    lines.push(one_line(&again).into_owned());
    lines.join("\n")
}

fn against_runner_up(report: &TuneReport, best: usize) -> Option<String> {
    let rival = report.runner_up(best)?;
    let pairs = report.values(best).into_iter().zip(report.values(rival));
    let effects: Vec<f64> = pairs.filter_map(|(best, rival)| Some(best? - rival?)).collect();
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

#[derive(Serialize, JsonSchema)]
#[schemars(title = "judge tune --jsonl")]
struct Line<'a> {
    lap: usize,
    rung: usize,
    setting: BTreeMap<&'a str, &'a str>,
    cases: Vec<&'a str>,
    /// By case; null where it failed.
    #[schemars(extend("items" = json!({ "type": ["integer", "null"] })))]
    scores: Vec<Option<Number>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mean_score: Option<f64>,
    failures: usize,
    survives: bool,
    best: bool,
}

/// Returns the JSON schema of a line of `judge tune --jsonl`.
#[must_use]
pub fn tune_schema() -> Schema {
    schema_of::<Line<'static>>()
}

/// Returns a line of JSON for every setting in every round.
///
/// # Errors
/// Never: every value in it can be written as JSON.
pub(in crate::report) fn tune_jsonl(report: &TuneReport) -> serde_json::Result<String> {
    let mut text = String::new();
    for (place, round) in report.rounds.iter().enumerate() {
        let is_last = place + 1 == report.rounds.len();
        for &candidate in &round.entered {
            let outcomes = &report.candidates[candidate].outcomes[..round.cases];
            let values: Vec<f64> = report.values(candidate).into_iter().take(round.cases).flatten().collect();
            let names = report.parameters.iter().map(|parameter| &*parameter.name);
            let line = Line {
                lap: round.bracket,
                rung: round.rung,
                setting: names.zip(report.candidates[candidate].setting.values.iter().map(|value| &**value)).collect(),
                cases: report.cases[..round.cases].iter().map(|name| &*name.0).collect(),
                scores: outcomes.iter().map(|outcome| exact(outcome.score.as_ref()?)).collect(),
                mean_score: (!values.is_empty()).then(|| report.score(Moments::of(&values).mean())),
                failures: round.cases - values.len(),
                survives: round.survivors.contains(&candidate),
                best: is_last && round.survivors.first() == Some(&candidate),
            };
            text.push_str(&json_text::line(&line)?);
        }
    }
    Ok(text)
}
