//! The line that shows the progress of a command.

use crate::text::effects::rounded;
use crate::text::figures::Counts;
use crate::text::terminal::{Style, note, note_lines, paint_of};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use judge_problem::{
    CaseList, Digest, Direction, FinishedJob, JobId, PastScores, Plan, RunEvent, RunningJobs, Stop, TaskCounts,
    Verdict, counted, one_line,
};
use parking_lot::Mutex;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, TryRecvError, channel};
use std::time::{Duration, Instant};

/// The bar takes the width of the terminal.
const TEMPLATE: &str = "{wide_bar} {pos}/{len}{left}\n{words}";

/// The time between two drawings of a bar.
const TICK: Duration = Duration::from_millis(200);

/// The time between two lines if standard error is not a terminal.
pub(crate) const INTERVAL: Duration = Duration::from_secs(10);

/// The progress of a run: a bar on a terminal, elsewhere a line every ten seconds.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    state: Arc<Mutex<ProgressState>>,
    /// Dropping it ends the thread that writes the lines.
    lines: Option<Sender<()>>,
}

impl Progress {
    /// Starts the display of a plan's run.
    pub fn start(plan: &Plan, running: &Arc<RunningJobs>) -> Self {
        let target = ProgressDrawTarget::stderr_with_hz(10);
        Self::drawn_on(target, ProgressState::of(plan, Arc::clone(running)))
    }

    fn drawn_on(target: ProgressDrawTarget, state: ProgressState) -> Self {
        let bar = ProgressBar::with_draw_target(Some(state.jobs as u64), target);
        let state = Arc::new(Mutex::new(state));
        if bar.is_hidden() {
            return Self { lines: lines(Arc::clone(&state)), bar, state };
        }
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            let (of_words, of_left) = (Arc::clone(&state), Arc::clone(&state));
            bar.set_style(
                style
                    .with_key("words", move |_: &indicatif::ProgressState, to: &mut dyn std::fmt::Write| {
                        let _ = to.write_str(&of_words.lock().words());
                    })
                    .with_key("left", move |_: &indicatif::ProgressState, to: &mut dyn std::fmt::Write| {
                        let left = of_left.lock().time_left();
                        let _ = to.write_str(&left.map_or_else(String::new, |left| format!("  {left} to go")));
                    }),
            );
        }
        bar.enable_steady_tick(TICK);
        Self { bar, state, lines: None }
    }

    /// Shows the running score of each solver against its last run. Without a terminal or a last run it shows nothing.
    pub fn against(self, past: Vec<Option<PastScores>>, direction: Direction) -> Self {
        if !self.bar.is_hidden() {
            for (mean, past) in self.state.lock().solvers.iter_mut().zip(past) {
                mean.against = past.map(|past| AgainstPast::new(past, direction));
            }
        }
        self
    }

    /// Shows an event.
    pub fn watch(&mut self, event: &RunEvent) {
        match event {
            RunEvent::Finished(finished) => {
                // The bar locks the state while it is drawn, so nobody may ask the bar with the state locked.
                let is_hidden = self.bar.is_hidden();
                let mut state = self.state.lock();
                state.finished(finished);
                let failure = if is_hidden { None } else { state.failure(finished, Style::of_stderr()) };
                drop(state);
                failure.into_iter().for_each(|line| self.bar.println(line));
                self.bar.inc(1);
            }
            RunEvent::Tasks(counts) => self.state.lock().tasks = Some(*counts),
            event => print_event(&self.bar, event),
        }
    }

    /// Removes the bar and stops the lines. It does not wait for the thread that writes them, because that thread may
    /// get no core for a while.
    pub fn finish(self) {
        self.bar.finish_and_clear();
        // The lock waits for a line that is being written. No line follows.
        let _stderr = io::stderr().lock();
        drop(self.lines);
    }
}

/// Prints the events that are sentences, above a bar.
pub(crate) fn print_event(bar: &ProgressBar, event: &RunEvent) {
    match event {
        RunEvent::Stopping(Stop::Interrupted) => {
            bar.println("interrupted: ending the running cases (once more: at once)");
        }
        RunEvent::Notice(what) => bar.suspend(|| note(what)),
        RunEvent::JournalLost(why) => bar.suspend(|| note_lines(why)),
        RunEvent::Finished(_) | RunEvent::Tasks(_) | RunEvent::Stopping(Stop::FailFast | Stop::Detached) => {}
    }
}

/// Returns a bar of this many steps, which is drawn on standard error.
pub(crate) fn bar(count: usize, template: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(count as u64), ProgressDrawTarget::stderr_with_hz(10));
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    if !bar.is_hidden() {
        bar.enable_steady_tick(TICK);
    }
    bar
}

/// Writes a line every ten seconds. `None` if no thread can be started. The run then continues without lines.
fn lines(state: Arc<Mutex<ProgressState>>) -> Option<Sender<()>> {
    let (end, ended) = channel();
    let write = move || {
        while ended.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
            let line = state.lock().line();
            let _stderr = io::stderr().lock();
            if ended.try_recv() == Err(TryRecvError::Empty) {
                note(&line);
            }
        }
    };
    std::thread::Builder::new().spawn(write).ok().map(|_| end)
}

/// A case that has run for a shorter time is not shown.
const LONG: Duration = Duration::from_secs(1);

/// The number of running cases that are shown.
const RUNNING_SHOWN: usize = 2;

/// The largest number of solvers whose means are shown.
const MEANS_SHOWN: usize = 3;

/// The number of failures that are shown immediately, and the width of their notes. The complete notes are in the
/// report.
const FAILURES_SHOWN: usize = 100;
const NOTE_WIDTH: usize = 80;

/// The time left is not shown before this: the first cases say little.
const FIRST_ESTIMATE: Duration = Duration::from_secs(2);

/// The progress of a run.
#[derive(Debug)]
struct ProgressState {
    started: Instant,
    jobs: usize,
    done: usize,
    counts: Counts,
    cases: CaseList,
    solvers: Vec<Mean>,
    failures: usize,
    running: Arc<RunningJobs>,
    /// `None` on this machine.
    tasks: Option<TaskCounts>,
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
    fn of(plan: &Plan, running: Arc<RunningJobs>) -> Self {
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

    /// Counts a finished job.
    fn finished(&mut self, finished: &FinishedJob) {
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

    /// Returns the line of a job that has just failed. `None` for other jobs, for failures of all cases of a solver, and after many
    /// failures.
    fn failure(&mut self, finished: &FinishedJob, style: Style) -> Option<String> {
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
    fn line(&self) -> String {
        let mut parts = vec![format!("{}: {} of {} runs done", clock(self.started.elapsed()), self.done, self.jobs)];
        parts.extend(Some(self.words()).filter(|words| !words.is_empty()));
        parts.extend(self.time_left().map(|left| format!("{left} to go")));
        parts.join("; ")
    }

    /// Returns the counts, the running means, and the cases that run longest.
    fn words(&self) -> String {
        let mut parts = Vec::new();
        if self.done > 0 {
            parts.push(self.counts.codes());
        }
        let means: Vec<String> = self.solvers.iter().filter_map(|mean| self.mean(mean)).collect();
        if !means.is_empty() && means.len() <= MEANS_SHOWN {
            parts.push(format!("mean score {}", means.join(", ")));
        }
        let longest = self.running.by_age().into_iter().filter(|(_, age)| *age >= LONG).take(RUNNING_SHOWN);
        let running: Vec<String> = longest.map(|(job, age)| format!("{} for {}", self.name(job), clock(age))).collect();
        if !running.is_empty() {
            parts.push(format!("running {}", running.join(", ")));
        }
        parts.extend(self.tasks.map(|TaskCounts { running, pending, nodes }| {
            format!("{} running on {}, {pending} pending", counted(running, "task"), counted(nodes, "node"))
        }));
        parts.join("; ")
    }

    /// Returns the remaining time as text, by the mean time of the jobs so far. `None` while this is too uncertain.
    fn time_left(&self) -> Option<String> {
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

    fn name(&self, job: JobId) -> String {
        let case = one_line(&self.cases.at(job.case).name.0).into_owned();
        if self.solvers.len() == 1 { case } else { format!("{case} ({})", self.solvers[job.solver].solver) }
    }
}

/// Writes a time in whole seconds, at least one: `12 s`, `2 min 05 s`.
fn clock(time: Duration) -> String {
    let seconds = (time + Duration::from_millis(500)).as_secs().max(1);
    if seconds < 120 { format!("{seconds} s") } else { format!("{} min {:02} s", seconds / 60, seconds % 60) }
}

/// The running score of a solver against its last run, on the cases of both.
#[derive(Debug)]
struct AgainstPast {
    past: PastScores,
    direction: Direction,
    /// The number of cases that both solved, and the sums of their scores.
    cases: usize,
    now: f64,
    before: f64,
    /// The number of cases that only this run solved, and that only the last run solved.
    gained: usize,
    lost: usize,
}

impl AgainstPast {
    /// Starts before the first case.
    fn new(past: PastScores, direction: Direction) -> Self {
        Self { past, direction, cases: 0, now: 0.0, before: 0.0, gained: 0, lost: 0 }
    }

    /// Counts a finished case by the hash of its input. Cases that the last run did not have are ignored.
    fn add(&mut self, input: &Digest, score: Option<f64>) {
        match (score, self.past.scores.get(input)) {
            (Some(now), Some(Some(before))) => {
                self.cases += 1;
                self.now += now;
                self.before += before;
            }
            (Some(_), Some(None)) => self.gained += 1,
            (None, Some(Some(_))) => self.lost += 1,
            (None, Some(None)) | (_, None) => {}
        }
    }

    /// Returns the difference in words: `1.3 % better than run 12 on 10 cases, 1 more fails`. `None` before the first case.
    fn words(&self) -> Option<String> {
        let Self { past, cases, gained, lost, .. } = self;
        if cases + gained + lost == 0 {
            return None;
        }
        let mut words = match cases {
            0 => format!("against run {}", past.run),
            _ => format!("{} run {} on {}", self.difference(), past.run, counted(*cases, "case")),
        };
        for (count, what) in [(lost, "newly failed"), (gained, "newly solved")] {
            if *count > 0 {
                words += &format!(", {count} {what}");
            }
        }
        Some(words)
    }

    fn difference(&self) -> String {
        let difference = self.now - self.before;
        if difference == 0.0 {
            return "equal to".to_owned();
        }
        let is_better = (difference > 0.0) == (self.direction == Direction::Max);
        let word = if is_better { "better" } else { "worse" };
        if self.before == 0.0 {
            return format!("{word} than");
        }
        let percent = (difference / self.before * 100.0).abs();
        format!("{} % {word} than", rounded(percent, percent))
    }
}

/// The progress of a command that takes several steps: a bar on a terminal, elsewhere a line every ten seconds.
#[derive(Debug)]
pub struct Steps {
    bar: ProgressBar,
    last_line: Instant,
}

impl Steps {
    /// Starts the display of this many steps.
    pub fn start(count: usize) -> Self {
        Self { bar: bar(count, "{wide_bar} {pos}/{len}\n{msg}"), last_line: Instant::now() }
    }

    /// Starts the display of steps whose number is unknown.
    pub fn without_end() -> Self {
        Self { bar: bar(0, "{spinner} {msg}"), last_line: Instant::now() }
    }

    /// Shows which step begins.
    pub fn begin(&mut self, what: &str) {
        if self.bar.is_hidden() && self.last_line.elapsed() >= INTERVAL {
            match self.bar.length() {
                None | Some(0) => note(what),
                Some(length) => note(&format!("{} of {length}: {what}", self.bar.position() + 1)),
            }
            self.last_line = Instant::now();
        }
        self.bar.set_message(what.to_owned());
    }

    /// Prints an event that is a sentence.
    pub fn watch(&self, event: &RunEvent) {
        print_event(&self.bar, event);
    }

    /// Counts a step that is done.
    pub fn end(&self) {
        self.bar.inc(1);
    }
}

impl Drop for Steps {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use indicatif::TermLike;
    use judge_problem::{Evidence, Outcome, RunId};

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

    /// A terminal that shows nothing.
    #[derive(Debug)]
    struct BlankTerminal;

    impl TermLike for BlankTerminal {
        fn width(&self) -> u16 {
            80
        }
        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn write_line(&self, _: &str) -> io::Result<()> {
            Ok(())
        }
        fn write_str(&self, _: &str) -> io::Result<()> {
            Ok(())
        }
        fn clear_line(&self) -> io::Result<()> {
            Ok(())
        }
        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn cases_may_end_while_the_bar_is_drawn() {
        let target = ProgressDrawTarget::term_like(Box::new(BlankTerminal));
        let mut progress = Progress::drawn_on(target, state(&["bot"]));
        let bar = progress.bar.clone();
        let (end, ended) = channel();
        std::thread::spawn(move || {
            while !bar.is_finished() {
                bar.tick()
            }
        });
        std::thread::spawn(move || {
            for _ in 0..2_000 {
                progress.watch(&RunEvent::Finished(Box::new(finished(JobId { case: 0, solver: 0 }, None))));
            }
            progress.finish();
            end.send(()).unwrap();
        });
        assert_eq!(ended.recv_timeout(Duration::from_secs(60)), Ok(()), "the two wait for each other");
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

    fn digest(case: u8) -> Digest {
        Digest([case; 32])
    }

    fn after(direction: Direction, cases: &[(u8, Option<f64>)]) -> Option<String> {
        let scores = [(1, Some(100.0)), (2, Some(100.0)), (3, None), (4, None)];
        let scores = scores.into_iter().map(|(case, score)| (digest(case), score)).collect();
        let mut against = AgainstPast::new(PastScores { run: RunId(12), scores }, direction);
        cases.iter().for_each(|(case, score)| against.add(&digest(*case), *score));
        against.words()
    }

    #[test]
    fn cases_of_both_runs_count() {
        let (max, min) = (Direction::Max, Direction::Min);
        let said = |text: &str| Some(text.to_owned());
        assert_eq!(after(max, &[]), None);
        assert_eq!(after(max, &[(9, Some(5.0))]), None, "another case");
        assert_eq!(after(max, &[(1, Some(103.0))]), said("3.0 % better than run 12 on 1 case"));
        assert_eq!(after(max, &[(1, Some(99.0)), (2, Some(99.0))]), said("1.0 % worse than run 12 on 2 cases"));
        assert_eq!(after(min, &[(1, Some(99.0)), (2, Some(100.0))]), said("0.50 % better than run 12 on 2 cases"));
        assert_eq!(after(max, &[(1, Some(100.0))]), said("equal to run 12 on 1 case"));
        let mixed = [(1, Some(101.0)), (2, None), (3, Some(1.0)), (4, None)];
        assert_eq!(after(max, &mixed), said("1.0 % better than run 12 on 1 case, 1 newly failed, 1 newly solved"));
        assert_eq!(after(max, &[(2, None)]), said("against run 12, 1 newly failed"));
    }
}
