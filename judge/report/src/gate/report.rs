//! The findings of the gate: the value that every format is rendered from, and its sentences.

use crate::compare::claims::percentage;
use crate::text::{FailureGroup, Failures, failure_groups, if_any, points_text, probability, scores_text};
use judge_compare::gate::{
    Baseline, BaselineFile, Change, Complaint, Conditions, GateLimits, GateVerdict, Judgement, Sample,
};
use judge_compare::paired::signed_decimals;
use judge_problem::scoring::{decimals_of_digits, display};
use judge_problem::{CaseSource, Direction, JobId, Outcome, Plan, Provenance, after_colon, counted, quote};
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};
use std::path::Path;

/// The report of `judge gate`: of one gate, or of several together.
#[derive(Debug)]
pub struct GatesReport<'a> {
    /// The gates, at least one.
    pub gates: Vec<GateReport<'a>>,
    /// The probability that any of them raises a false alarm.
    pub alpha: f64,
    /// Whether the command passes where a gate is not comparable.
    pub noise_passes: bool,
    /// When, how and where the command ran.
    pub provenance: &'a Provenance,
}

/// The report of a gate.
#[derive(Debug)]
pub struct GateReport<'a> {
    /// The baseline file's contents.
    pub record: &'a BaselineFile,
    /// The current run.
    pub today: &'a Baseline,
    /// The judgement.
    pub judgement: &'a Judgement,
    /// The limits.
    pub limits: &'a GateLimits,
    /// The plan of the run.
    pub plan: &'a Plan,
    /// The cases that were not accepted, each with its first failed run.
    pub failures: &'a [(JobId, Outcome)],
    /// How often a disturbed case was run again without other solvers.
    pub repeats: usize,
    /// The baseline file.
    pub file: &'a Path,
    /// Whether the baseline file was rewritten.
    pub is_updated: bool,
}

/// A fall with a smaller p-value is real: no baseline is recorded so high by chance.
const CLEAR: f64 = 0.001;

/// The runs of a baseline that replaces one that was recorded too high.
const MORE_RUNS: u32 = 20;

/// A complaint as text.
pub(crate) struct Finding<'a> {
    /// The case, if it is about one.
    pub(crate) case: Option<String>,
    /// The sentence.
    pub(crate) words: String,
    /// The run of the solver that it is about, if it failed.
    pub(crate) failure: Option<&'a Outcome>,
    /// The command that reproduces or fixes it.
    pub(crate) command: Option<String>,
}

impl GatesReport<'_> {
    /// Returns the verdict of all gates together: the worst of their verdicts.
    pub(crate) fn verdict(&self) -> GateVerdict {
        let is_any = |verdict: &GateVerdict| self.gates.iter().any(|gate| gate.judgement.verdict() == *verdict);
        [GateVerdict::Fails, GateVerdict::NotComparable].into_iter().find(is_any).unwrap_or(GateVerdict::Holds)
    }

    /// Returns the result of several gates as one line; `None` for a single gate, whose own headline says it.
    pub(crate) fn headline(&self) -> Option<String> {
        let all = self.gates.len();
        let count = |verdict| self.gates.iter().filter(|gate| gate.judgement.verdict() == verdict).count();
        let counts = [
            (count(GateVerdict::Holds), "hold"),
            (count(GateVerdict::Fails), "do not hold"),
            (count(GateVerdict::NotComparable), "not comparable"),
        ];
        let counts: Vec<String> =
            counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
        let shared =
            format!("together they raise a false alarm in at most {} % of all commits", percentage(self.alpha));
        (all > 1).then(|| format!("{all} gates: {}; {shared}", counts.join(", ")))
    }
}

/// Returns the flags that choose the cases of a baseline in this file, without vanished files.
pub fn case_flags(record: &BaselineFile, file: &Path) -> String {
    let folder = file.parent().unwrap_or(Path::new(""));
    let sources = record.sources.values().map(|source| source.with_path(|path| folder.join(path)));
    let is_there = |source: &CaseSource| !matches!(source, CaseSource::File(path) if !path.exists());
    match CaseSource::flags(sources.filter(is_there)) {
        flags if flags.is_empty() => flags,
        flags => format!(" {flags}"),
    }
}

impl GateReport<'_> {
    /// Returns every complaint as text.
    pub(crate) fn findings(&self) -> Vec<Finding<'_>> {
        self.judgement.complaints.iter().map(|complaint| self.finding(complaint)).collect()
    }

    /// Returns the complaints that are not about failed cases.
    pub(crate) fn other_findings(&self) -> impl Iterator<Item = Finding<'_>> {
        self.findings().into_iter().filter(|finding| finding.failure.is_none())
    }

    /// Returns the failures among the complaints, grouped by reason.
    pub(crate) fn failure_groups(&self) -> Failures {
        let is_complaint = |job: &JobId| {
            let name = &self.plan.cases.at(job.case).name.0;
            let of_case =
                |complaint: &Complaint| matches!(complaint, Complaint::VerdictWorse { case, .. } if **case == **name);
            self.judgement.complaints.iter().any(of_case)
        };
        failure_groups(self.failures.iter().filter(|(job, _)| is_complaint(job)).cloned())
    }

    /// Returns the sentence about failures for one reason.
    pub(crate) fn failed_words(&self, alike: &FailureGroup) -> String {
        let they_are = if alike.cases == 1 { "it was accepted and is" } else { "they were accepted and are" };
        let note = alike.note().lines().next().unwrap_or_default();
        format!("{}: {they_are} {}{}", alike.case_names(self.plan), alike.outcome.verdict, after_colon(note))
    }

    /// Returns the lines about the run, in addition to the complaints.
    pub(crate) fn notes(&self) -> Vec<String> {
        let lines = [Some(self.solver()), self.sensitivity(), self.untimed(), self.disturbance(), self.processors()];
        lines.into_iter().flatten().chain(self.remedies_for_a_high_baseline()).collect()
    }

    fn solver(&self) -> String {
        let now = self.plan.solvers.first().map_or("", |solver| &solver.spec.text);
        let was = &self.record.solver;
        let of = if now == was { "the baseline's own".to_owned() } else { format!("the baseline is of {was}") };
        format!("solver: {now}; {of}")
    }

    /// Returns how many runs waited for a core, and how often one ran again because of it.
    fn disturbance(&self) -> Option<String> {
        let now = self.today.conditions.as_ref()?;
        let repeats =
            if_any(self.repeats, |count| format!("; {} of disturbed cases, one at a time", counted(count, "repeat")));
        let was_busier = self.record.baseline.conditions.as_ref().is_some_and(|was| was.are_worse(Some(now)));
        let too_low =
            if was_busier { "; it was recorded on a busier machine and may be too low: record it again" } else { "" };
        Some(format!("{}{too_low}{repeats}", self.waiting_runs(now)))
    }

    /// Returns how many of today's and of the baseline's runs waited for a core.
    fn waiting_runs(&self, now: &Conditions) -> String {
        let was = match &self.record.baseline.conditions {
            Some(was) => format!("about {:.0} % did", was.noisy * 100.0),
            None => "it is not known".to_owned(),
        };
        format!("{} of {} runs waited for a core; of the baseline's, {was}", now.noisy_runs(), now.runs)
    }

    /// Returns a note if the baseline is of another processor.
    fn processors(&self) -> Option<String> {
        let processor = |baseline: &Baseline| baseline.conditions.as_ref()?.processor.clone();
        let (was, now) = (processor(&self.record.baseline)?, processor(self.today)?);
        (was != now).then(|| format!("the baseline was recorded on {was}, and this is {now}"))
    }

    /// Returns the remedies for a false alarm. An alarm does not change the baseline. A baseline that was recorded too
    /// high causes the next alarm, too.
    fn remedies_for_a_high_baseline(&self) -> Vec<String> {
        let is_fall = |complaint: &Complaint| matches!(complaint, Complaint::TotalFell { .. });
        let may_be_chance = self.judgement.noise.as_ref().is_some_and(|test| test.level >= CLEAR);
        if !may_be_chance || !self.judgement.complaints.iter().any(is_fall) {
            return Vec::new();
        }
        let file = quote(&self.file.to_string_lossy());
        let now = self.plan.solvers.first().map(|solver| &*solver.spec.text).filter(|now| *now != self.record.solver);
        let solver = now.map_or_else(String::new, |now| format!(" -s {}", quote(now)));
        let more_runs = format!(" --repeat {MORE_RUNS}");
        vec![
            "if the solver is not worse, the baseline was recorded too high by chance, and an alarm leaves it so"
                .to_owned(),
            format!("a baseline of more runs: {}", self.record_again(&more_runs).unwrap_or_default()),
            format!(
                "or average new runs in: judge gate --baseline {file}{solver} --max-drop 100% --update{}",
                self.shared_flags()
            ),
        ]
    }

    /// Returns why some CPU times were not compared.
    fn untimed(&self) -> Option<String> {
        let untimed = self.judgement.untimed;
        (untimed > 0).then(|| {
            format!("the CPU times of {} were not compared: they are of different processors", counted(untimed, "case"))
        })
    }

    fn finding(&self, complaint: &Complaint) -> Finding<'_> {
        let of_case = |case: &String, words: String| Finding {
            words: format!("{case}: {words}"),
            failure: None,
            command: self.reproduce(case),
            case: Some(case.clone()),
        };
        let of_all = |words: String, command: Option<String>| Finding { case: None, words, failure: None, command };
        let changed = |what: &str, was: &str, now: &str| {
            let words = format!("the {what} has changed, nothing was compared: it was `{was}` and is `{now}`");
            of_all(words, self.record_again(""))
        };
        match complaint {
            Complaint::ProblemChanged { was, now } => changed("problem", was, now),
            Complaint::CheckerChanged { was, now } => changed("checker", was, now),
            Complaint::CaseMissing { case } => of_case(case, "it was not run: its input is gone".to_owned()),
            Complaint::InputChanged { case } => {
                let words = "its input differs from the recorded one: its scores were not compared".to_owned();
                // One command records all of them.
                let is_other = |complaint: &&Complaint| matches!(complaint, Complaint::InputChanged { .. });
                let is_first = self.judgement.complaints.iter().find(is_other) == Some(complaint);
                Finding { command: self.record_again("").filter(|_| is_first), ..of_case(case, words) }
            }
            Complaint::VerdictWorse { case, now } => {
                let failure = self.failure(case);
                let note = after_colon(failure.map_or("", |outcome| &outcome.note));
                Finding { failure, ..of_case(case, format!("it was accepted and is {now}{note}")) }
            }
            Complaint::CaseFell { case, drop } => {
                of_case(case, format!("its score got worse {}, more than its tolerance", by(drop.as_ref())))
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
        let by = drop.map_or_else(String::new, |drop| format!(" by {}", percent(drop)));
        let allowed = percent(&self.limits.max_drop);
        let noise = self.judgement.noise.as_ref();
        let noise = noise.map(|test| format!(" ({} that this is noise)", probability(test.level))).unwrap_or_default();
        format!(
            "the {} got worse{by}, from {} to {}, and {allowed} is allowed{noise}",
            self.total_name(),
            self.total(total_was),
            self.total(total_now)
        )
    }

    fn total_name(&self) -> String {
        match self.judgement.accepted_in_both {
            all if all == self.today.cases.len() => "total".to_owned(),
            some => format!("total of the {} accepted in both runs", counted(some, "case")),
        }
    }

    /// Writes a total with the decimals of the scores, as the report of a run does. Scores that vary add none.
    pub(crate) fn total(&self, total: &BigRational) -> String {
        let samples = self.record.baseline.samples().chain(self.today.samples());
        let of_scores = samples.filter_map(|sample| Some(sample.constant()?.decimals())).max().unwrap_or(0);
        scores_text(total, of_scores)
    }

    /// Returns the command that runs the case with the largest fall.
    fn largest_fall(&self) -> Option<String> {
        let changes = self.changes();
        let worst = changes.first().filter(|change| is_worse(change, self.limits.direction))?;
        self.reproduce(&worst.case)
    }

    /// Returns the command that records a new baseline of the same cases, with this further flag.
    fn record_again(&self, more: &str) -> Option<String> {
        let solver = quote(&self.plan.solvers.first()?.spec.text);
        let file = quote(&self.file.to_string_lossy());
        let (cases, flags) = (case_flags(self.record, self.file), self.shared_flags());
        Some(format!("judge baseline -p {} -s {solver}{cases} --output {file}{more}{flags}", self.plan.problem.id))
    }

    /// Returns the flags of this command that another one on the same cases needs, too, such as the catalogue.
    fn shared_flags(&self) -> String {
        self.plan.case_flags.suffix()
    }

    fn failure(&self, case: &str) -> Option<&Outcome> {
        let place = self.plan.cases.place_of(case)?;
        self.failures.iter().find(|(job, _)| job.case == place).map(|(_, outcome)| outcome)
    }

    fn reproduce(&self, case: &str) -> Option<String> {
        let case = self.plan.cases.place_of(case)?;
        self.plan.reproduce(JobId { case, solver: 0 })
    }

    /// Returns the scores that changed: the worst first, then the best.
    pub(crate) fn changes(&self) -> Vec<&Change> {
        let mut changes: Vec<&Change> = self.judgement.changes.iter().collect();
        let gain = |change: &Change| {
            let by = change.now.mean() - change.was.mean();
            if self.limits.direction == Direction::Max { by } else { -by }
        };
        changes.sort_by_cached_key(|change| gain(change));
        changes
    }

    /// Returns the result of the gate as one line.
    pub(crate) fn headline(&self) -> String {
        let Judgement { total_was, total_now, complaints, changes, fixed, .. } = self.judgement;
        let problem = &self.record.baseline.problem;
        match (self.judgement.verdict(), &self.today.conditions) {
            (GateVerdict::NotComparable, Some(now)) => {
                let mend = "run it again when the machine is quiet, or let such a gate pass: --if-noisy pass";
                return format!("{problem}: not comparable: {}; {mend}", self.waiting_runs(now));
            }
            (GateVerdict::Holds, _) => {}
            _ => {
                let complaints = counted(complaints.len(), "complaint");
                return format!("{problem}: the gate does not hold: {complaints}");
            }
        }
        let total = match (total_was, total_now) {
            (was, now) if was == now => format!("{}, as before", self.total(now)),
            (was, now) if was.is_zero() => format!("{}, was {}", self.total(now), self.total(was)),
            (was, now) => format!("{}, was {} ({})", self.total(now), self.total(was), change_in_percent(was, now)),
        };
        let name = self.total_name();
        let changed = if_any(changes.len(), |count| format!("; {} changed", counted(count, "score")));
        let fixed = if fixed.is_empty() { String::new() } else { format!("; now accepted: {}", fixed.join(", ")) };
        let cases = counted(self.today.cases.len(), "case");
        format!("{problem}: the gate holds on {cases}: {name} {total}{changed}{fixed}")
    }

    /// Returns the smallest fall that the gate would have noticed, if scores vary.
    pub(crate) fn sensitivity(&self) -> Option<String> {
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
            runs(&self.record.baseline),
            runs(self.today),
            (test.alpha * 1000.0).round() / 10.0
        ))
    }

    /// Returns the number of accepted cases of the current run.
    pub(crate) fn accepted(&self) -> usize {
        self.today.samples().count()
    }
}

/// Returns whether a change is for the worse.
pub(crate) fn is_worse(change: &Change, direction: Direction) -> bool {
    direction.compare(change.now.mean(), change.was.mean()).is_lt()
}

/// The number of decimals of a percentage, and the number of digits of a small one.
const PERCENT_DECIMALS: u32 = 3;
const PERCENT_DIGITS: u32 = 2;

/// Returns by how much a number got worse. A fall from 0 has no share.
fn by(drop: Option<&BigRational>) -> String {
    drop.map_or_else(|| "from 0".to_owned(), |drop| format!("by {}", percent(drop)))
}

/// Writes an exact share as a percentage.
pub(crate) fn percent(share: &BigRational) -> String {
    let percent = share * BigRational::from_integer(100.into());
    let text = display(&percent, PERCENT_DECIMALS.max(decimals_of_digits(&percent, PERCENT_DIGITS)));
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

/// Writes a score, or the mean of several: `1012.4`.
pub(crate) fn mean(scores: &Sample) -> String {
    scores.constant().map_or_else(|| points_text(scores.mean()), |score| score.to_string())
}

/// Writes by how much a number changed: `+3.21 %`.
pub(crate) fn change_in_percent(was: &BigRational, now: &BigRational) -> String {
    if was.is_zero() {
        return "–".to_owned();
    }
    let percent = ((now - was) / was.abs()).to_f64().unwrap_or(0.0) * 100.0;
    format!("{} %", signed_decimals(percent, 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_not_rounded_to_nothing() {
        let change = |was: i64, now: i64| {
            change_in_percent(&BigRational::new(was.into(), 3.into()), &BigRational::new(now.into(), 3.into()))
        };
        assert_eq!([change(1000, 1032), change(5, 5), change(0, 5)], ["+3.20 %", "+0.00 %", "–"]);
        assert_eq!([change(10_000_000, 9_999_999), change(-9_999_999, -9_999_998)], ["-1.0e-5 %", "+1.0e-5 %"]);
    }
}
