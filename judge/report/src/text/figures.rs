//! Numbers as text: times, memory, counts of verdicts, points and their reference.

use checkers::Score;
use judge_problem::scoring::{decimals_of_digits, display};
use judge_problem::{BestOrigin, BestSource, Direction, Outcome, OutcomeGrid, Plan, Rule, Verdict, counted};
use num_rational::BigRational;
use num_traits::ToPrimitive;
use schemars::JsonSchema;
use serde::Serialize;
use serde_with_macros::skip_serializing_none;
use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// Writes a time with a sensible number of digits: `0.4 ms`, `123 ms`, `4.01 s`, `2 min 05 s`.
pub fn milliseconds(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 0.01 {
        format!("{:.1} ms", seconds * 1e3)
    } else if seconds < 1.0 {
        format!("{:.0} ms", seconds * 1e3)
    } else if seconds < 120.0 {
        format!("{seconds:.2} s")
    } else {
        format!("{} min {:02} s", time.as_secs() / 60, time.as_secs() % 60)
    }
}

/// Writes a number of bytes in MiB, with one decimal: figures in a column are easiest to compare in one unit.
pub(crate) fn memory(bytes: u64) -> String {
    let mebibytes = bytes as f64 / f64::from(1 << 20);
    format!("{mebibytes:.1} MiB")
}

/// Returns a text about a count, or nothing if it is 0.
pub(crate) fn if_any(count: usize, said: impl FnOnce(usize) -> String) -> String {
    if count == 0 { String::new() } else { said(count) }
}

/// Joins the paragraphs that are not empty.
pub(crate) fn paragraphs(mut parts: Vec<String>) -> String {
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n")
}

/// The verdict of a job; unfinished ones are skipped.
pub(crate) fn verdict_of(outcome: Option<impl Borrow<Outcome>>) -> Verdict {
    outcome.map_or(Verdict::Skipped, |outcome| outcome.borrow().verdict)
}

/// The decimals that points are rounded to, and the digits of smaller numbers.
const POINT_DECIMALS: u32 = 3;

/// Points as decimal text: at most three decimals, or three digits of a smaller number, without trailing zeros.
pub fn points_text(points: &BigRational) -> String {
    scores_text(points, POINT_DECIMALS)
}

/// A weight, or a sum of weights, as decimal text: exact if it is a decimal number, otherwise like points.
pub(crate) fn weight_text(weight: &BigRational) -> String {
    Score::from_rational(weight).map_or_else(|| points_text(weight), |exactly| exactly.to_string())
}

/// Writes a sum of scores with at most this many decimals exactly. Other numbers get at most that many decimals, or as
/// many as points.
pub(crate) fn scores_text(sum: &BigRational, decimals: u32) -> String {
    let is_small = sum.numer().magnitude() * 10_u32.pow(POINT_DECIMALS) < *sum.denom().magnitude();
    let digits = if is_small { decimals_of_digits(sum, POINT_DECIMALS) } else { 0 };
    let text = display(sum, decimals.max(POINT_DECIMALS).max(digits));
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// How many jobs ended with which verdict, in words: `9 accepted, 1 wrong-answer`.
#[derive(Debug, Clone, Default)]
pub struct Counts([usize; Verdict::ALL.len()]);

impl Counts {
    /// Counts one more.
    pub fn add(&mut self, verdict: Verdict) {
        self.0[verdict as usize] += 1;
    }

    /// Returns the counts with the verdicts' short codes: `9 AC, 1 WA`.
    pub(crate) fn codes(&self) -> String {
        let words: Vec<_> = self.iter().map(|(verdict, count)| format!("{count} {}", verdict.code())).collect();
        words.join(", ")
    }

    /// Returns each verdict that occurred, with its count.
    pub fn iter(&self) -> impl Iterator<Item = (Verdict, usize)> {
        Verdict::ALL.into_iter().zip(self.0).filter(|(_, count)| *count > 0)
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<_> = self.iter().map(|(verdict, count)| format!("{count} {verdict}")).collect();
        formatter.write_str(&words.join(", "))
    }
}

impl FromIterator<Verdict> for Counts {
    fn from_iter<I: IntoIterator<Item = Verdict>>(verdicts: I) -> Self {
        let mut counts = Self::default();
        verdicts.into_iter().for_each(|verdict| counts.add(verdict));
        counts
    }
}

/// Returns the best score of a case, of the run or known from elsewhere.
pub fn best_score(plan: &Plan, outcomes: &OutcomeGrid, case: usize) -> Option<Score> {
    let known = plan.cases.at(case).best.map(|best| best.score);
    let scores = outcomes.of_case(case).filter_map(|outcome| outcome?.score);
    known.into_iter().chain(scores).reduce(|left, right| plan.problem.direction.better(left, right))
}

/// Returns a score as a share of the best score, from 0 to 1, as the rule `relative` does; `None` if there is no such
/// share.
pub fn share_of_best(direction: Direction, score: &Score, best: &Score) -> Option<f64> {
    if direction.compare(score, best).is_ge() {
        return Some(1.0);
    }
    // The larger of two scores is the better one or the worse one, by their sign and the direction.
    let quotient = score.to_rational().to_f64()? / best.to_rational().to_f64()?;
    let share = quotient.min(quotient.recip()).clamp(0.0, 1.0);
    share.is_finite().then_some(share)
}

/// The number of origins that a line names.
const NAMED: usize = 4;

/// What points are relative to, beside the scores of the run itself.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Reference {
    /// Which best scores: `best-known` (the problem's and the journal's), `problem`, `run` (none), `ledger` (the journal's) or
    /// `file`.
    #[schemars(extend("enum" = ["best-known", "problem", "run", "ledger", "file"]))]
    kind: &'static str,
    /// The file.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// Who reached the best scores, by the number of cases.
    origins: Vec<OriginRecord>,
}

/// Who reached the best scores of how many cases.
#[skip_serializing_none]
#[derive(Debug, Serialize, JsonSchema)]
struct OriginRecord {
    /// `this-run`, `run` (an earlier one), `imported`, `problem` or `file`.
    #[schemars(extend("enum" = ["this-run", "run", "imported", "problem", "file"]))]
    origin: &'static str,
    /// The earlier run.
    run: Option<i64>,
    /// The solver of an earlier or imported run.
    solver: Option<String>,
    /// The number of cases.
    cases: usize,
    /// The origin in words.
    #[serde(skip)]
    words: String,
}

impl Reference {
    /// Returns the reference that a run's points are relative to; `None` under a rule without best scores.
    pub(crate) fn of(rule: &Rule, plan: &Plan, outcomes: &OutcomeGrid) -> Option<Self> {
        if !rule.has_reference() {
            return None;
        }
        let mut counts = BTreeMap::new();
        for (place, case) in plan.cases.iter().enumerate() {
            let mut played = outcomes.of_case(place).flatten();
            if played.all(|outcome| outcome.verdict == Verdict::Skipped) {
                continue;
            }
            let Some(best) = best_score(plan, outcomes, place) else { continue };
            let known = case.best.filter(|known| known.score == best);
            *counts.entry(known.map(|known| known.origin)).or_insert(0) += 1;
        }
        let (kind, file) = match &plan.problem.best {
            BestSource::Known => ("best-known", None),
            BestSource::Problem => ("problem", None),
            BestSource::Run => ("run", None),
            BestSource::Ledger => ("ledger", None),
            BestSource::File(path) => ("file", Some(path.display().to_string())),
        };
        let mut origins: Vec<_> = counts.into_iter().collect();
        // Among equals this run comes last.
        origins.sort_by_key(|(origin, cases)| (std::cmp::Reverse(*cases), origin.is_none()));
        let origins = origins.into_iter().map(|(origin, cases)| OriginRecord::of(origin, cases, file.as_deref()));
        Some(Self { kind, origins: origins.collect(), file })
    }

    /// Returns the reference as a line: `relative to the best known: 12 cases by run 7 beam, 8 by this run`.
    pub(crate) fn line(&self) -> String {
        let what = match (self.kind, &self.file) {
            (_, Some(file)) => format!("the best in {file}"),
            ("problem", _) => "the best known to the problem".to_owned(),
            ("run", _) => return "relative to the best of this run alone".to_owned(),
            ("ledger", _) => "the best in the journal".to_owned(),
            _ => "the best known".to_owned(),
        };
        let mut shown: Vec<String> = Vec::new();
        for OriginRecord { words, cases, .. } in self.origins.iter().take(NAMED) {
            let cases = if shown.is_empty() { counted(*cases, "case") } else { cases.to_string() };
            shown.push(format!("{cases} by {words}"));
        }
        let others = self.origins.iter().skip(NAMED);
        let rest: usize = others.clone().map(|origin| origin.cases).sum();
        shown.extend((rest > 0).then(|| format!("{rest} by {}", counted(others.count(), "other"))));
        let by = if shown.is_empty() { String::new() } else { format!(": {}", shown.join(", ")) };
        format!("relative to {what}{by}")
    }
}

impl OriginRecord {
    /// Describes the origin of the best scores of some cases; `None` is the run itself. `file` is the file of best scores.
    fn of(origin: Option<BestOrigin>, cases: usize, file: Option<&str>) -> Self {
        let (origin, run, solver, words) = match origin {
            None => ("this-run", None, None, "this run".to_owned()),
            Some(BestOrigin::Run(run, solver)) => {
                ("run", Some(run.0), Some(solver.clone()), format!("run {run} {solver}"))
            }
            Some(BestOrigin::Imported(solver)) => {
                ("imported", None, Some(solver.clone()), format!("{solver} (imported)"))
            }
            Some(BestOrigin::Problem) => ("problem", None, None, "the problem".to_owned()),
            Some(BestOrigin::File) => ("file", None, None, file.unwrap_or("a file").to_owned()),
        };
        Self { origin, run, solver: solver.map(|solver| solver.to_string()), cases, words }
    }
}

/// The maximal number of points in a chart. More would overlap.
const MAX: usize = 5000;

/// Returns n such that a chart with this many points draws every n-th one.
pub fn chart_stride(points: usize) -> usize {
    points.div_ceil(MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_not_rounded_to_nothing() {
        let text = |numerator: i64, denominator: i64, decimals| {
            scores_text(&BigRational::new(numerator.into(), denominator.into()), decimals)
        };
        assert_eq!((text(2, 3, 0), text(1, 1000, 0), text(0, 1, 0)), ("0.667".into(), "0.001".into(), "0".into()));
        assert_eq!((text(1, 30_000, 0), text(-1, 30_000, 5)), ("0.0000333".into(), "-0.0000333".into()));
        assert_eq!(text(10_000_000_001, 10_000, 4), "1000000.0001");
    }

    #[test]
    fn a_share_of_the_best_is_at_most_one() {
        use Direction::{Max, Min};
        for (direction, score, best, share) in [
            (Max, 1, 4, 0.25),
            (Min, 4, 1, 0.25),
            (Max, -4, -1, 0.25),
            (Min, -1, -4, 0.25),
            (Max, 0, 4, 0.0),
            (Max, -1, 0, 0.0),
            (Max, -1, 4, 0.0),
            (Min, 4, 0, 0.0),
            (Min, 4, -1, 0.0),
            (Max, 0, 0, 1.0),
            (Max, 5, 4, 1.0),
        ] {
            let found = share_of_best(direction, &Score::from(score), &Score::from(best));
            assert_eq!(found, Some(share), "{direction:?}: {score} of {best}");
        }
    }

    #[test]
    fn decimal_weights_are_exact() {
        let text = |above: i64, below: i64| weight_text(&BigRational::new(above.into(), below.into()));
        assert_eq!([text(12345, 100_000), text(1, 3), text(2, 1)], ["0.12345", "0.333", "2"]);
    }
}
