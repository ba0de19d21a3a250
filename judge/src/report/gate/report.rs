//! The findings of the gate: the value that every format is rendered from, and its sentences.

use crate::gate::{Baseline, BaselineCase, CaseResult, Change, Complaint, GateLimits, Judgement, Sample};
use crate::model::{Direction, JobId, Provenance, counted, quote};
use crate::plan::Plan;
use crate::report::text::effects::probability;
use crate::scoring::{decimals_of_digits, display};
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};
use std::path::Path;

/// The report of a gate.
#[derive(Debug)]
pub struct GateReport<'a> {
    /// The recorded run.
    pub baseline: &'a Baseline,
    /// The current run.
    pub today: &'a Baseline,
    /// The judgement.
    pub judgement: &'a Judgement,
    /// The limits.
    pub limits: &'a GateLimits,
    /// What was run.
    pub plan: &'a Plan,
    /// When, how and where the command ran.
    pub provenance: &'a Provenance,
    /// The baseline file.
    pub file: &'a Path,
    /// Whether the baseline file was rewritten.
    pub is_updated: bool,
}

/// The digits that are shown of a mean or total below 1.
const DIGITS: u32 = 3;

/// A complaint as text.
pub(super) struct Finding {
    /// The case, if it is about one.
    pub(super) case: Option<String>,
    /// The sentence.
    pub(super) words: String,
    /// The command that reproduces or fixes it.
    pub(super) command: Option<String>,
}

impl GateReport<'_> {
    /// Returns every complaint as text.
    pub(super) fn findings(&self) -> Vec<Finding> {
        self.judgement.complaints.iter().map(|complaint| self.finding(complaint)).collect()
    }

    /// Returns why some CPU times were not compared.
    pub(super) fn untimed(&self) -> Option<String> {
        let untimed = self.judgement.untimed;
        (untimed > 0).then(|| {
            format!("the CPU times of {} were not compared: they are of different processors", counted(untimed, "case"))
        })
    }

    fn finding(&self, complaint: &Complaint) -> Finding {
        let of_case = |case: &String, words: String| Finding {
            words: format!("{case}: {words}"),
            command: self.reproduce(case),
            case: Some(case.clone()),
        };
        let of_all = |words: String, command: Option<String>| Finding { case: None, words, command };
        match complaint {
            Complaint::ProblemChanged { was, now } => of_all(
                format!("the problem has changed, nothing was compared: it was `{was}` and is `{now}`"),
                self.record_again(),
            ),
            Complaint::CheckerChanged { was, now } => of_all(
                format!("the checker has changed, nothing was compared: it was `{was}` and is `{now}`"),
                self.record_again(),
            ),
            Complaint::CaseMissing { case } => of_case(case, "it was not run: its input is gone".to_owned()),
            Complaint::InputChanged { case } => {
                of_case(case, "its input differs from the recorded one: its scores were not compared".to_owned())
            }
            Complaint::VerdictWorse { case, now } => of_case(case, format!("it was accepted and is {now}")),
            Complaint::CaseFell { case, drop } => {
                of_case(case, format!("its score got worse by {}, more than its tolerance", percent(drop)))
            }
            Complaint::TotalFell { drop } => of_all(self.total_words(drop.as_ref()), self.largest_fall()),
            Complaint::TimeRose { rise } => {
                let allowed = self.limits.time.as_ref().map_or(0.0, |limit| limit.max_rise);
                let words =
                    format!("the CPU time rose by {:.1} %, and {:.1} % are allowed", rise * 100.0, allowed * 100.0);
                of_all(words, None)
            }
        }
    }

    fn total_words(&self, drop: Option<&BigRational>) -> String {
        let Judgement { total_was, total_now, .. } = self.judgement;
        let by = drop.map_or_else(|| "from 0".to_owned(), |drop| format!("by {}", percent(drop)));
        let allowed = percent(&self.limits.max_drop);
        let noise = self
            .judgement
            .noise
            .as_ref()
            .map_or_else(String::new, |test| format!(" ({} that this is noise)", probability(test.level)));
        format!(
            "the total got worse {by}, from {} to {}, and {allowed} is allowed{noise}",
            self.total(total_was),
            self.total(total_now)
        )
    }

    /// Writes a total: with the decimals of the scores, and of scores that vary without any.
    pub(super) fn total(&self, total: &BigRational) -> String {
        let entries = self.baseline.cases.values().chain(self.today.cases.values());
        let decimals = |entry: &BaselineCase| match &entry.result {
            CaseResult::Accepted(sample) => Some(sample.constant()?.decimals()),
            CaseResult::Failed(_) => None,
        };
        let of_scores = entries.filter_map(decimals).max().unwrap_or(0);
        display(total, of_scores.max(decimals_of_digits(total, DIGITS)))
    }

    /// Returns the command that runs the case with the largest fall.
    fn largest_fall(&self) -> Option<String> {
        let changes = self.changes();
        let worst = changes.first().filter(|change| is_worse(change, self.limits.direction))?;
        self.reproduce(&worst.case)
    }

    fn record_again(&self) -> Option<String> {
        let solver = quote(&self.plan.solvers.first()?.spec.text);
        let file = quote(&self.file.to_string_lossy());
        Some(format!("judge baseline -p {} -s {solver} --output {file}", self.plan.problem.id))
    }

    fn reproduce(&self, case: &str) -> Option<String> {
        let case = self.plan.cases.place_of(case)?;
        Some(self.plan.reproduce(JobId { case, solver: 0 }))
    }

    /// Returns the scores that changed: the worst first, then the best.
    pub(super) fn changes(&self) -> Vec<&Change> {
        let mut changes: Vec<&Change> = self.judgement.changes.iter().collect();
        let gain = |change: &Change| {
            let by = change.now.mean() - change.was.mean();
            if self.limits.direction == Direction::Max { by } else { -by }
        };
        changes.sort_by_cached_key(|change| gain(change));
        changes
    }

    /// Returns the result of the gate as one line.
    pub(super) fn headline(&self) -> String {
        let Judgement { total_was, total_now, complaints, changes, fixed, .. } = self.judgement;
        let problem = &self.baseline.problem;
        if !complaints.is_empty() {
            let count = complaints.len();
            let complaints = if count == 1 { "complaint" } else { "complaints" };
            return format!("{problem}: the gate does not hold: {count} {complaints}");
        }
        let total = match (total_was, total_now) {
            (was, now) if was == now => format!("total {}, as before", self.total(now)),
            (was, now) if was.is_zero() => format!("total {}, was {}", self.total(now), self.total(was)),
            (was, now) => {
                let by = ((now - was) / was.abs()).to_f64().unwrap_or(0.0) * 100.0;
                format!("total {}, was {} ({by:+.2} %)", self.total(now), self.total(was))
            }
        };
        let changed = if changes.is_empty() { String::new() } else { format!("; {} scores changed", changes.len()) };
        let fixed = if fixed.is_empty() { String::new() } else { format!("; now accepted: {}", fixed.join(", ")) };
        let count = self.today.cases.len();
        format!("{problem}: the gate holds on {count} cases: {total}{changed}{fixed}")
    }

    /// Returns what the gate could have seen, if scores vary.
    pub(super) fn sensitivity(&self) -> Option<String> {
        let test = self.judgement.noise.as_ref()?;
        let fall =
            test.detectable().map_or_else(|| "no fall".to_owned(), |share| format!("a fall of {:.1} %", share * 100.0));
        let runs = |baseline: &Baseline| match baseline.runs() {
            Some((1, 1)) => "1 run".to_owned(),
            Some((fewest, most)) if fewest == most => format!("{fewest} runs"),
            Some((fewest, most)) => format!("{fewest} to {most} runs"),
            None => "no run".to_owned(),
        };
        Some(format!(
            "scores vary from run to run: {fall} would be noticed 4 times of 5 ({} recorded, {} now; false alarms {} %)",
            runs(self.baseline),
            runs(self.today),
            test.alpha * 100.0
        ))
    }

    /// Returns the number of accepted cases of the current run.
    pub(super) fn accepted(&self) -> usize {
        self.today.cases.values().filter(|entry| matches!(entry.result, CaseResult::Accepted(_))).count()
    }
}

/// Returns whether a change is for the worse.
pub(super) fn is_worse(change: &Change, direction: Direction) -> bool {
    direction.compare(change.now.mean(), change.was.mean()).is_lt()
}

/// Writes an exact share as a percentage.
pub(super) fn percent(share: &BigRational) -> String {
    let hundred = BigRational::from_integer(100.into());
    let text = display(&(share * hundred), 3);
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

/// Writes a score, or the mean of several: `1012.4`.
pub(super) fn mean(scores: &Sample) -> String {
    let mean = scores.mean();
    match scores.constant() {
        Some(score) => score.to_string(),
        None if mean.is_integer() => display(mean, 0),
        None => display(mean, decimals_of_digits(mean, DIGITS).max(1)),
    }
}

/// Writes by how much a score changed: `+3.21 %`.
pub(super) fn change_in_percent(change: &Change) -> String {
    let (was, now) = (change.was.mean(), change.now.mean());
    if was.is_zero() {
        return "–".to_owned();
    }
    let share = ((now - was) / was.abs()).to_f64().unwrap_or(0.0);
    format!("{:+.2} %", share * 100.0)
}
