//! The report of a search for parameters, in every format.

use crate::compare::claims::percentage;
use crate::formats::{Missing, Report};
use crate::text::{
    Column, Document, Each, NOTHING, Sheet, Style, TextTable, between, claim_name, claim_paint, exact, give_or_take,
    if_any, json_line, or_nothing, paragraphs, provenance_lines, right, rounded, signed,
};
use judge_compare::paired::{Claim, EffectMeasure};
use judge_problem::{
    CaseName, Direction, Limits, Outcome, Provenance, Stop, Verdict, counted, fill_placeholders, one_line, quote,
};
use judge_statistics::tune::{Parameter, ParameterSetting};
use judge_statistics::{Interval, Moments, Term, linearised, mean_interval};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Number, json};
use serde_with_macros::skip_serializing_none;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

/// The report of a search for good parameters.
#[derive(Debug)]
pub struct TuneReport {
    /// The problem's id.
    pub problem: String,
    /// When, how and where the command ran.
    pub provenance: Provenance,
    /// The limits of the solver on each case.
    pub limits: Limits,
    /// The command line of the solver, with the names of the parameters in braces.
    pub solver: String,
    /// The flags that every case depends on. The values of `--env` have the names of the parameters in braces, too.
    pub flags: Vec<String>,
    /// The parameters.
    pub parameters: Vec<Parameter>,
    /// The names of the cases of the search.
    pub cases: Vec<CaseName>,
    /// How many cases of the search have the input of an earlier one.
    pub repeated: usize,
    /// The measure of the effects.
    pub measure: EffectMeasure,
    /// The values of a mean: `score`, `points`, or the name of the metric in place of the scores.
    pub quantity: String,
    /// Which values of a mean are good.
    pub direction: Direction,
    /// The error probability of the intervals.
    pub alpha: f64,
    /// Every setting that was tried, the default one first.
    pub candidates: Vec<Candidate>,
    /// The best candidate. `None` if none has run.
    pub best: Option<usize>,
    /// The best setting compared with the default one. `None` if they are the same, or nothing was compared.
    pub comparison: Option<TuneComparison>,
    /// The number of runs of the solver in the search.
    pub runs: usize,
    /// Why the search ended early, if it did.
    pub stop: Option<Stop>,
}

/// A setting, and its outcomes.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The setting.
    pub setting: ParameterSetting,
    /// By case; `None` if it was not run.
    pub outcomes: Vec<Option<Outcome>>,
    /// The value of each outcome: points by the problem's rule, or on the scale of the measure; larger is better.
    /// `None` if it was not run, and for a failure without a value.
    pub values: Vec<Option<f64>>,
    /// The mean of its values, as if it had run on every case of the search.
    pub worth: Option<f64>,
}

/// The comparison of the best setting with the default one, on cases that took no part in the search.
#[derive(Debug, Clone)]
pub struct TuneComparison {
    /// The default setting.
    pub default: ParameterSetting,
    /// Whether the user gave any of its values.
    pub is_given: bool,
    /// The names of the cases.
    pub cases: Vec<CaseName>,
    /// The measure of the effects.
    pub measure: EffectMeasure,
    /// The result in words.
    pub verdict: String,
    /// The claim about the best setting.
    pub claim: Claim,
    /// The number of cases with an effect.
    pub pairs: usize,
    /// The mean effect, positive if the best setting is better; `None` with too few cases.
    pub mean: Option<f64>,
    /// Its interval.
    pub interval: Option<Interval>,
    /// Whether it was interrupted.
    pub stop: Option<Stop>,
    /// Whether the judge failed on a case of it.
    pub is_faulty: bool,
}

impl TuneReport {
    /// Returns whether the judge failed on a case, in the search or in the comparison after it.
    pub fn is_faulty(&self) -> bool {
        let mut outcomes = self.candidates.iter().flat_map(|candidate| candidate.outcomes.iter().flatten());
        outcomes.any(|outcome| outcome.verdict == Verdict::JudgeError)
            || self.comparison.as_ref().is_some_and(|comparison| comparison.is_faulty)
    }

    /// Returns how many settings were run, in words.
    fn settings(&self) -> String {
        counted(self.by_rank().len(), "setting")
    }

    /// Returns the remark on the winner's score: how far it can be trusted.
    fn selection_note(&self) -> String {
        let advice = if self.comparison.is_some() {
            "the fresh cases show what it is worth"
        } else {
            "confirm it on fresh cases"
        };
        let repeated = if_any(self.repeated, |count| {
            let cases = counted(count, "case");
            format!("; {cases} of the search repeat inputs of others: its intervals are too narrow")
        });
        format!("the winner's {} is exaggerated (selection): {advice}{repeated}", self.mean_name())
    }

    /// Returns the name of the mean of a setting.
    fn mean_name(&self) -> String {
        format!("mean {}", self.quantity)
    }

    /// Returns the second best candidate, among those with at least half as many cases as the best one.
    fn runner_up(&self, best: usize) -> Option<usize> {
        let half = self.candidates[best].count().div_ceil(2);
        let others = self.by_rank().into_iter().filter(|&other| other != best);
        let raced = others.filter(|&other| self.candidates[other].count() >= half);
        raced.max_by(|&left, &right| self.worth(left).total_cmp(&self.worth(right)))
    }

    /// Returns the candidates that were run: the best one, then those with the most cases, and among equals those with
    /// the best mean.
    fn by_rank(&self) -> Vec<usize> {
        let is_best = |candidate: usize| self.best == Some(candidate);
        let cases = |candidate: usize| self.candidates[candidate].count();
        let mut order: Vec<usize> = (0..self.candidates.len()).filter(|&candidate| cases(candidate) > 0).collect();
        order.sort_by(|&left, &right| {
            let by_cases = is_best(right).cmp(&is_best(left)).then(cases(right).cmp(&cases(left)));
            by_cases.then(self.worth(right).total_cmp(&self.worth(left)))
        });
        order
    }

    fn worth(&self, candidate: usize) -> f64 {
        self.candidates[candidate].worth.unwrap_or(f64::NEG_INFINITY)
    }

    fn moments(&self, candidate: usize) -> Moments {
        Moments::of(&self.candidates[candidate].values.iter().copied().flatten().collect::<Vec<_>>())
    }

    /// Returns the mean in the game's own points, or in the rule's points: the geometric mean for ratios.
    fn score(&self, mean: f64) -> f64 {
        let mean = if self.direction == Direction::Max { mean } else { -mean };
        without_errors(if self.measure == EffectMeasure::Ratio { mean.exp() } else { mean })
    }

    fn command(&self, candidate: usize) -> String {
        let values = &self.candidates[candidate].setting.values;
        let mut command = format!("-s {}", quote(&filled(&self.solver, &self.parameters, values)));
        let mut is_variable = false;
        for word in &self.flags {
            let word = if is_variable { filled(word, &self.parameters, values) } else { word.clone() };
            is_variable = word == "--env";
            command.push(' ');
            command.push_str(&quote(&word));
        }
        command
    }

    /// Returns the first fifty seeds that took no part in the search.
    fn fresh_seeds(&self) -> String {
        let played: BTreeSet<String> = self.cases.iter().map(ToString::to_string).collect();
        let is_fresh = |first: &u64| (*first..first + 50).all(|seed| !played.contains(&format!("seed-{seed}")));
        let first = (1..u64::MAX - 50).step_by(50).find(is_fresh).unwrap_or(1);
        format!("{first}-{}", first + 49)
    }
}

/// Returns the text with each name in braces replaced by the value of the parameter.
pub fn filled(text: &str, parameters: &[Parameter], values: &[String]) -> String {
    let value = |name: &str| {
        let place = parameters.iter().position(|parameter| parameter.name == name)?;
        values.get(place)
    };
    fill_placeholders(text, value).to_string_lossy().into_owned()
}

impl Candidate {
    /// Returns the number of cases that it has run on.
    pub fn count(&self) -> usize {
        self.outcomes.iter().flatten().count()
    }

    /// Returns the number of cases without an accepted answer, but without judge errors.
    fn failures(&self) -> usize {
        let failed = self.outcomes.iter().flatten().filter(|outcome| !outcome.is_accepted()).count();
        failed - self.faults()
    }

    /// Returns the number of cases with a judge error.
    fn faults(&self) -> usize {
        self.outcomes.iter().flatten().filter(|outcome| outcome.verdict == Verdict::JudgeError).count()
    }

    /// Returns the places of the cases that it has run on, with their outcomes.
    fn runs(&self) -> impl Iterator<Item = (usize, &Outcome)> {
        self.outcomes.iter().enumerate().filter_map(|(case, outcome)| Some((case, outcome.as_ref()?)))
    }
}

impl TuneComparison {
    /// Returns the default setting in words.
    fn default_in_words(&self, parameters: &[Parameter]) -> String {
        let kind = if self.is_given { "the default setting" } else { "the middle of the ranges and first categories" };
        format!("{} ({kind})", self.default.words(parameters))
    }
}

/// The number of settings that are shown.
const SHOWN: usize = 10;

/// Why a search has no JSON document.
const ONE_LINE_A_SETTING: Missing = Missing {
    why: "its records are the settings that it tried",
    hint: "--jsonl PATH writes each of them as a line of JSON",
};

impl Report for TuneReport {
    const NAME: &'static str = "a search";
    const NO_JSON: Option<Missing> = Some(ONE_LINE_A_SETTING);
    const NO_JSON_LINES: Option<Missing> = None;

    fn text(&self, style: Style) -> String {
        let mut parts = vec![settings_grid(self, style)];
        parts.extend(faults(self));
        match self.best {
            Some(best) if self.candidates[best].outcomes.iter().flatten().any(Outcome::is_accepted) => {
                parts.push(winner(self, best));
                parts.extend(self.comparison.as_ref().map(|comparison| on_fresh_cases(self, comparison, style)));
            }
            Some(best) => {
                let again = format!("hint: judge run -p {} {}", self.problem, self.command(best));
                parts.push(format!("every setting fails on every case\n{}", one_line(&again)));
            }
            None => {}
        }
        if self.stop.is_some() {
            parts.push(
                "interrupted: this is the best so far, and it was not compared with the default setting".to_owned(),
            );
        }
        paragraphs(parts)
    }

    fn json_lines(&self, output: &mut dyn Write) -> Option<io::Result<()>> {
        Some(self.lines().try_for_each(|line| output.write_all(json_line(&line)?.as_bytes())))
    }

    fn rows(&self) -> Option<TextTable> {
        Some(settings_table(self, |score| score.to_string(), ""))
    }

    fn sheet(&self) -> Option<Sheet> {
        let best = self.best;
        let found = best.map(|best| {
            let setting = self.candidates[best].setting.words(&self.parameters);
            format!("best of {} in {}: {setting}", self.settings(), counted(self.runs, "run"))
        });
        let warning = self.selection_note();
        let confirmed = self.comparison.as_ref().map(|comparison| {
            let default = comparison.default_in_words(&self.parameters);
            format!("on {} against {default}: {}", counted(comparison.cases.len(), "fresh case"), comparison.verdict)
        });
        let provenance = provenance_lines(&self.provenance, Some(&self.limits));
        let title = format!("{}: {}", self.problem, found.as_deref().unwrap_or("nothing was run"));
        let lines = best.map(|_| warning).into_iter().chain(confirmed).chain(provenance);
        let settings = settings_table(self, |score| rounded(score, score / 1000.0), NOTHING);
        Some(Sheet::new(title, lines, [("Settings", settings), ("On fresh cases", comparison_table(self))]))
    }
}

/// The best candidate, then those with the most cases, and among equals the better ones.
fn settings_grid(report: &TuneReport, style: Style) -> String {
    let rows = settings_table(report, |score| rounded(score, score / 1000.0), NOTHING).rows;
    let parameters = report.parameters.iter().enumerate();
    let mut columns: Vec<Column> =
        parameters.map(|(place, parameter)| right(&parameter.name).spare(place + 1)).collect();
    let count = columns.len();
    columns.extend([right("cases").spare(count + 2), right("failed").spare(count + 1), right(&report.mean_name())]);
    let left_out = rows.len().saturating_sub(SHOWN);
    let table = TextTable { rows: rows.into_iter().take(SHOWN).collect(), ..TextTable::of(columns) };
    table.text(style) + &if_any(left_out, |count| format!("\n… and {}", counted(count, "more setting")))
}

/// Returns the settings with results that are left out because of a judge error; `None` without such results.
fn faults(report: &TuneReport) -> Option<String> {
    let settings = report.by_rank().into_iter().map(|candidate| &report.candidates[candidate]);
    let faulty: Vec<_> = settings.filter(|candidate| candidate.faults() > 0).collect();
    let line = |candidate: &&Candidate| {
        let results = counted(candidate.faults(), "result");
        let setting = candidate.setting.words(&report.parameters);
        one_line(&format!("{results} of {setting}: a judge error, left out")).into_owned()
    };
    let left_out =
        if_any(faulty.len().saturating_sub(SHOWN), |count| format!("\n… and of {}", counted(count, "more setting")));
    let lines: Vec<String> = faulty.iter().take(SHOWN).map(line).collect();
    (!lines.is_empty()).then(|| lines.join("\n") + &left_out)
}

fn winner(report: &TuneReport, best: usize) -> String {
    let setting = report.candidates[best].setting.words(&report.parameters);
    let moments = report.moments(best);
    let sure = percentage(1.0 - report.alpha);
    let mut lines =
        vec![format!("best of {} in {}: {}", report.settings(), counted(report.runs, "run"), one_line(&setting))];
    let mean = report.candidates[best].worth.unwrap_or_default();
    if let Some(interval) = mean_interval(&moments, report.alpha) {
        // The interval is of the cases that it ran on; the mean is for all cases.
        let ends = [interval.low, interval.high].map(|end| report.score(end - moments.mean() + mean));
        let (low, high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        let show = |score: f64| rounded(score, score / 1000.0);
        let mean = show(report.score(mean));
        lines.push(format!(
            "  {:<20}  {mean}, {sure} % interval from {} to {}, {} cases",
            report.mean_name(),
            show(low),
            show(high),
            moments.count()
        ));
    }
    lines.extend(against_runner_up(report, best));
    lines.push(report.selection_note());
    let again = format!("  judge run -p {} {} --seeds {}", report.problem, report.command(best), report.fresh_seeds());
    lines.push(one_line(&again).into_owned());
    if best == 0 {
        lines.push("it is the default setting: there is nothing to compare".to_owned());
    }
    lines.join("\n")
}

/// The comparison with the default setting.
fn on_fresh_cases(report: &TuneReport, comparison: &TuneComparison, style: Style) -> String {
    let paint = claim_paint(comparison.claim);
    let default = comparison.default_in_words(&report.parameters);
    let mut lines = vec![
        one_line(&format!("on {} against {default}:", counted(comparison.cases.len(), "fresh case"))).into_owned(),
        style.paint(paint, &comparison.verdict),
    ];
    if comparison.mean.is_some_and(|mean| mean < 0.0) {
        lines.push("the winner is worse than the default there".to_owned());
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
    let mean = pairs.iter().map(|(_, rival)| rival).sum::<f64>() / pairs.len().max(1) as f64;
    let term = |&(best, rival): &(f64, f64)| match report.measure {
        EffectMeasure::Total if mean != 0.0 => Term { effect: (best - rival) / mean.abs(), base: rival / mean },
        // The values are scores, and an effect is a share of the larger one.
        EffectMeasure::Relative if best != rival => Term::plain((best - rival) / best.abs().max(rival.abs())),
        _ => Term::plain(best - rival),
    };
    let terms: Vec<Term> = pairs.iter().map(term).collect();
    let rival = report.candidates[rival].setting.values.join(" ");
    let (rival, shared) = (one_line(&rival), counted(terms.len(), "shared case"));
    if !terms.is_empty() && terms.iter().all(|term| term.effect == 0.0) {
        return Some(format!("  against the next      no difference from {rival}, {shared}"));
    }
    let moments = Moments::of(&linearised(&terms));
    let interval: Interval = mean_interval(&moments, report.alpha)?;
    let (gain, between) = (give_or_take(report.measure, moments.mean(), interval), between(report.measure, interval));
    let side = if moments.mean() < 0.0 { "worse" } else { "better" };
    Some(format!("  against the next      {gain} {side} than {rival}, {between}, {shared}"))
}

/// The columns after the parameters.
const COLUMNS: [&str; 4] = ["cases", "failed", "mean_score", "best"];

/// The comparison of the best setting with the default one.
fn comparison_table(report: &TuneReport) -> TextTable {
    let row = |comparison: &TuneComparison| {
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
    TextTable::new(&titles, 2, report.comparison.iter().map(row))
}

/// A row for each setting, the best one first, those with the most cases first and the better ones before the others.
fn settings_table(report: &TuneReport, show: impl Fn(f64) -> String, nothing: &str) -> TextTable {
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
    let mut table = TextTable::of(titles.iter().map(|title| right(title)));
    rows.for_each(|row| table.add_row(row));
    table
}

#[skip_serializing_none]
#[derive(Serialize, JsonSchema)]
pub(crate) struct TuneLine<'a> {
    setting: BTreeMap<&'a str, &'a str>,
    /// Whether it is the default setting.
    default: bool,
    /// The cases that it was run on.
    cases: Vec<&'a str>,
    /// By case; null if it failed.
    #[schemars(extend("items" = json!({ "type": ["number", "null"] })))]
    scores: Vec<Option<Number>>,
    /// By case: the node that it was run on, if there are nodes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    nodes: Vec<&'a str>,
    /// The mean score, or the mean points under a rule that makes points of scores, as if it had run on every case of the search.
    mean_score: Option<f64>,
    failures: usize,
    best: bool,
    /// With the best setting: its comparison with the default one, on other cases.
    comparison: Option<ComparisonRecord<'a>>,
}

/// Effects are on the scale of the measure, positive if the best setting is better.
#[skip_serializing_none]
#[derive(Serialize, JsonSchema)]
struct ComparisonRecord<'a> {
    default: BTreeMap<&'a str, &'a str>,
    /// Whether a value of the default setting was given.
    default_given: bool,
    cases: Vec<&'a str>,
    /// The number of cases with an effect.
    pairs: usize,
    measure: &'static str,
    claim: &'static str,
    verdict: &'a str,
    mean: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
}

impl Document for TuneReport {
    fn record(&self) -> impl Serialize {
        Each(|| self.lines())
    }
}

impl TuneReport {
    /// Returns a record for every setting, in the order in which they were first run.
    fn lines(&self) -> impl Iterator<Item = TuneLine<'_>> {
        let run = self.candidates.iter().enumerate().filter(|(_, candidate)| candidate.count() > 0);
        run.map(|(place, candidate)| {
            let is_best = self.best == Some(place);
            TuneLine {
                setting: by_name(self, &candidate.setting),
                default: place == 0,
                cases: candidate.runs().map(|(case, _)| &*self.cases[case].0).collect(),
                scores: candidate.runs().map(|(_, outcome)| exact(outcome.score.as_ref()?)).collect(),
                nodes: candidate.runs().filter_map(|(_, outcome)| outcome.node.as_deref()).collect(),
                mean_score: candidate.worth.filter(|_| self.moments(place).count() > 0).map(|worth| self.score(worth)),
                failures: candidate.failures(),
                best: is_best,
                comparison: self.comparison.as_ref().filter(|_| is_best).map(|comparison| record(self, comparison)),
            }
        })
    }
}

fn record<'a>(report: &'a TuneReport, comparison: &'a TuneComparison) -> ComparisonRecord<'a> {
    ComparisonRecord {
        default: by_name(report, &comparison.default),
        default_given: comparison.is_given,
        cases: comparison.cases.iter().map(|name| &*name.0).collect(),
        pairs: comparison.pairs,
        measure: comparison.measure.name(),
        claim: claim_name(comparison.claim),
        verdict: &comparison.verdict,
        mean: comparison.mean,
        low: comparison.interval.map(|interval| interval.low).filter(|low| low.is_finite()),
        high: comparison.interval.map(|interval| interval.high).filter(|high| high.is_finite()),
    }
}

fn by_name<'a>(report: &'a TuneReport, setting: &'a ParameterSetting) -> BTreeMap<&'a str, &'a str> {
    let names = report.parameters.iter().map(|parameter| &*parameter.name);
    names.zip(setting.values.iter().map(|value| &**value)).collect()
}

/// Returns a number with fifteen digits. Further ones are errors of floating point.
fn without_errors(number: f64) -> f64 {
    format!("{number:.14e}").parse().unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_have_no_errors_of_floating_point() {
        let numbers = [494.500_000_000_000_06, -0.1 - 0.2, 1e300, 0.0].map(without_errors);
        assert_eq!(
            numbers.map(|number| number.to_string()),
            [494.5, -0.3, 1e300, 0.0].map(|number| number.to_string())
        );
    }

    #[test]
    fn shares_of_confidence_are_not_rounded_up() {
        assert_eq!([0.95, 0.999, 1.0 - 1e-9, 0.07].map(percentage), ["95", "99.9", "99.9999999", "7"]);
    }

    #[test]
    fn values_stand_where_their_names_stood() {
        let parameters = ["t=0..1", "n=1..2:int"].map(|text| text.parse().unwrap());
        let values = ["0.5", "2"].map(str::to_owned);
        assert_eq!(filled("./bot -n{n} --t={t} {n} {x}", &parameters, &values), "./bot -n2 --t=0.5 2 {x}");
    }
}
