//! What a display of progress shows: the counts, the running means, the time left, and the cases that run longest.

use super::against_past::AgainstPast;
use super::effects::rounded;
use super::figures::Counts;
use super::style::{Style, paint_of};
use judge_problem::plan::Plan;
use judge_problem::{
    CaseList, Direction, FinishedJob, JobId, PastScores, RunningJobs, TaskCounts, Verdict, counted, one_line,
};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A case that has run for a shorter time is not shown.
const LONG: Duration = Duration::from_secs(1);

/// The number of running cases that are shown.
const RUNNING_SHOWN: usize = 2;

/// The number of solvers up to which each has its mean.
const MEANS_SHOWN: usize = 3;

/// The number of failures that are shown as they happen, and the width of their notes: the whole is in the report.
const FAILURES_SHOWN: usize = 100;
const NOTE_WIDTH: usize = 80;

/// No time left is shown before this: the first cases say little.
const FIRST_ESTIMATE: Duration = Duration::from_secs(2);

/// The progress of a run.
#[derive(Debug)]
pub(super) struct ProgressState {
    started: Instant,
    jobs: usize,
    done: usize,
    counts: Counts,
    cases: CaseList,
    solvers: Vec<Mean>,
    failures: usize,
    running: Arc<RunningJobs>,
    /// `None` on this machine.
    pub(super) tasks: Option<TaskCounts>,
}

/// The running mean of a solver's scores.
#[derive(Debug)]
struct Mean {
    solver: String,
    sum: f64,
    count: u32,
    against: Option<AgainstPast>,
}

impl ProgressState {
    /// Returns the state before the first case.
    pub(super) fn of(plan: &Plan, running: Arc<RunningJobs>) -> Self {
        let mean = |name: &str| Mean { solver: one_line(name).into_owned(), sum: 0.0, count: 0, against: None };
        Self {
            started: Instant::now(),
            jobs: plan.job_count(),
            done: 0,
            counts: Counts::default(),
            cases: plan.cases.clone(),
            solvers: plan.solvers.iter().map(|solver| mean(&solver.spec.name)).collect(),
            failures: 0,
            running,
            tasks: None,
        }
    }

    /// Shows the running score of a solver against its last run.
    pub(super) fn show_against(&mut self, solver: usize, past: PastScores, direction: Direction) {
        self.solvers[solver].against = Some(AgainstPast::new(past, direction));
    }

    /// Counts a finished job.
    pub(super) fn finished(&mut self, finished: &FinishedJob) {
        self.done += 1;
        self.counts.add(finished.outcome.verdict);
        let score = finished.outcome.score.as_ref().and_then(|score| score.to_string().parse::<f64>().ok());
        let mean = &mut self.solvers[finished.job.solver];
        if let (Some(against), Some(input)) = (&mut mean.against, &finished.evidence.input) {
            against.add(input, score);
        }
        if let Some(score) = score {
            mean.sum += score;
            mean.count += 1;
        }
    }

    /// Returns the line of a job that has just failed. `None` for others, for what holds for every case of a solver, and after many
    /// failures.
    pub(super) fn failure(&mut self, finished: &FinishedJob, style: Style) -> Option<String> {
        let FinishedJob { job, outcome, .. } = finished;
        let is_shown = !matches!(
            outcome.verdict,
            Verdict::Accepted | Verdict::Skipped | Verdict::CompileError | Verdict::CannotStart
        );
        self.failures += usize::from(is_shown);
        if !is_shown || self.failures > FAILURES_SHOWN {
            return None;
        }
        let note = outcome.note.lines().next().unwrap_or_default();
        let note: String = one_line(note).chars().take(NOTE_WIDTH).collect();
        let verdict = style.paint(paint_of(outcome.verdict), outcome.verdict.code());
        let more = if self.failures == FAILURES_SHOWN { "; further failures are in the report" } else { "" };
        Some(format!("{verdict} {}: {note}{more}", self.name(*job)))
    }

    /// Returns the progress as a line of a log.
    pub(super) fn line(&self) -> String {
        let mut parts = vec![format!("{}: {} of {} runs done", clock(self.started.elapsed()), self.done, self.jobs)];
        parts.extend(Some(self.words()).filter(|words| !words.is_empty()));
        parts.extend(self.time_left().map(|left| format!("{left} to go")));
        parts.join("; ")
    }

    /// Returns the counts, the running means, and the cases that run longest.
    pub(super) fn words(&self) -> String {
        let mut parts = Vec::new();
        if self.done > 0 {
            parts.push(self.counts.codes());
        }
        let means: Vec<String> = self.solvers.iter().filter_map(|mean| self.mean(mean)).collect();
        if !means.is_empty() && means.len() <= MEANS_SHOWN {
            parts.push(format!("mean score {}", means.join(", ")));
        }
        let running: Vec<String> = self.longest().map(|(job, age)| self.running(job, age)).collect();
        if !running.is_empty() {
            parts.push(format!("running {}", running.join(", ")));
        }
        parts.extend(self.tasks.map(tasks));
        parts.join("; ")
    }

    /// Returns the time left as text, by the mean time of the jobs so far. `None` while that says little.
    pub(super) fn time_left(&self) -> Option<String> {
        let elapsed = self.started.elapsed();
        if self.done == 0 || self.done >= self.jobs || elapsed < FIRST_ESTIMATE {
            return None;
        }
        #[expect(clippy::cast_precision_loss, reason = "a run has far fewer than 2^53 jobs")]
        let ratio = (self.jobs - self.done) as f64 / self.done as f64;
        Some(format!("about {}", clock(elapsed.mul_f64(ratio))))
    }

    fn mean(&self, mean: &Mean) -> Option<String> {
        let value = (mean.count > 0).then(|| mean.sum / f64::from(mean.count))?;
        let value = rounded(value, value / 100.0);
        let against = mean.against.as_ref().and_then(AgainstPast::words);
        let value = against.map_or(value.clone(), |words| format!("{value} ({words})"));
        Some(if self.solvers.len() == 1 { value } else { format!("{} {value}", mean.solver) })
    }

    fn longest(&self) -> impl Iterator<Item = (JobId, Duration)> {
        self.running.by_age().into_iter().filter(|(_, age)| *age >= LONG).take(RUNNING_SHOWN)
    }

    fn running(&self, job: JobId, age: Duration) -> String {
        format!("{} for {}", self.name(job), clock(age))
    }

    fn name(&self, job: JobId) -> String {
        let case = one_line(&self.cases.at(job.case).name.0).into_owned();
        if self.solvers.len() == 1 { case } else { format!("{case} ({})", self.solvers[job.solver].solver) }
    }
}

/// Returns what a cluster makes of a run, in words.
fn tasks(counts: TaskCounts) -> String {
    let TaskCounts { running, pending, nodes } = counts;
    format!("{} running on {}, {pending} pending", counted(running, "task"), counted(nodes, "node"))
}

/// Writes a time in whole seconds, at least one: `12 s`, `2 min 05 s`.
fn clock(time: Duration) -> String {
    let seconds = time.as_secs_f64().round().max(1.0) as u64;
    if seconds < 120 { format!("{seconds} s") } else { format!("{} min {:02} s", seconds / 60, seconds % 60) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge_problem::{Evidence, Outcome};

    fn state(names: &[&str]) -> ProgressState {
        ProgressState {
            started: Instant::now(),
            jobs: 6,
            done: 0,
            counts: Counts::default(),
            cases: (1..=3).map(judge_problem::CaseSpec::from_seed).collect(),
            solvers: names
                .iter()
                .map(|name| Mean { solver: (*name).to_owned(), sum: 0.0, count: 0, against: None })
                .collect(),
            failures: 0,
            running: Arc::default(),
            tasks: None,
        }
    }

    fn finished(job: JobId, score: Option<i64>) -> FinishedJob {
        let verdict = if score.is_some() { Verdict::Accepted } else { Verdict::WrongAnswer };
        let note = "too heavy\nby 3".to_owned();
        let outcome = Outcome { score: score.map(Into::into), ..Outcome::without_run(verdict, note) };
        FinishedJob { job, outcome, features: None, evidence: Box::<Evidence>::default() }
    }

    fn finish(state: &mut ProgressState, job: JobId, score: Option<i64>) {
        state.finished(&finished(job, score));
    }

    #[test]
    fn a_failure_is_a_line_as_it_happens() {
        let mut state = state(&["old", "new"]);
        let job = JobId { case: 1, solver: 1 };
        assert_eq!(state.failure(&finished(job, Some(3)), Style::PLAIN), None);
        let failed = finished(job, None);
        assert_eq!(state.failure(&failed, Style::PLAIN).as_deref(), Some("WA seed-2 (new): too heavy"));
        let lines: Vec<String> = (0..200).filter_map(|_| state.failure(&failed, Style::PLAIN)).collect();
        assert_eq!(lines.len(), FAILURES_SHOWN - 1);
        assert!(lines[FAILURES_SHOWN - 2].ends_with("; further failures are in the report"));
    }

    #[test]
    fn nothing_is_estimated_before_the_first_case() {
        let mut state = state(&["bot"]);
        assert_eq!((state.words().as_str(), state.time_left()), ("", None));
        finish(&mut state, JobId { case: 0, solver: 0 }, Some(7));
        assert_eq!(state.time_left(), None, "too early");
    }

    #[test]
    fn counts_means_time_and_the_longest_cases_are_shown() {
        let long_ago = |seconds| Instant::now().checked_sub(Duration::from_secs(seconds)).unwrap();
        let mut state = ProgressState { started: long_ago(30), ..state(&["old", "new"]) };
        finish(&mut state, JobId { case: 0, solver: 0 }, Some(1000));
        finish(&mut state, JobId { case: 0, solver: 1 }, Some(500));
        finish(&mut state, JobId { case: 1, solver: 0 }, None);
        state.running.start(JobId { case: 1, solver: 1 });
        assert_eq!(
            state.line(),
            "30 s: 3 of 6 runs done; 2 AC, 1 WA; mean score old 1000, new 500.0; about 30 s to go"
        );
        std::thread::sleep(LONG);
        assert!(state.words().ends_with("; running seed-2 (new) for 1 s"), "{}", state.words());
    }
}
