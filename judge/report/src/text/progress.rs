//! The progress of a run on standard error: a bar on a terminal, elsewhere a line every ten seconds.

use super::progress_state::ProgressState;
use super::style::Style;
use super::terminal::{note, note_lines};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use judge_problem::plan::Plan;
use judge_problem::{Direction, PastScores, RunEvent, RunningJobs, Stop};
use parking_lot::Mutex;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, TryRecvError, channel};
use std::time::Duration;

/// The bar takes the width of the terminal.
const TEMPLATE: &str = "{wide_bar} {pos}/{len}{left}\n{words}";

/// The time between two lines where standard error is no terminal.
const INTERVAL: Duration = Duration::from_secs(10);

/// The progress of a run: a bar on a terminal, elsewhere a line every ten seconds.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    state: Arc<Mutex<ProgressState>>,
    /// Dropped, it ends the thread that writes the lines.
    lines: Option<Sender<()>>,
}

impl Progress {
    /// Starts the display of a plan's run.
    #[must_use]
    pub fn start(plan: &Plan, running: &Arc<RunningJobs>) -> Self {
        let state = Arc::new(Mutex::new(ProgressState::of(plan, Arc::clone(running))));
        let target = ProgressDrawTarget::stderr_with_hz(10);
        let bar = ProgressBar::with_draw_target(Some(plan.job_count() as u64), target);
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
        bar.enable_steady_tick(Duration::from_millis(200));
        Self { bar, state, lines: None }
    }

    /// Shows the running score of each solver against its last run, where there is one and a terminal.
    #[must_use]
    pub fn against(self, past: Vec<Option<PastScores>>, direction: Direction) -> Self {
        if !self.bar.is_hidden() {
            for (solver, past) in past.into_iter().enumerate() {
                past.into_iter().for_each(|past| self.state.lock().show_against(solver, past, direction));
            }
        }
        self
    }

    /// Shows an event.
    pub fn watch(&mut self, event: &RunEvent) {
        match event {
            RunEvent::Finished(finished) => {
                let mut state = self.state.lock();
                state.finished(finished);
                let failure = if self.bar.is_hidden() { None } else { state.failure(finished, Style::of_stderr()) };
                drop(state);
                failure.into_iter().for_each(|line| self.bar.println(line));
                self.bar.inc(1);
            }
            RunEvent::Stopping(Stop::Interrupted) => {
                self.bar.println("interrupted: ending the running cases (once more: at once)");
            }
            RunEvent::Stopping(Stop::FailFast | Stop::Detached) => {}
            RunEvent::Notice(what) => self.bar.suspend(|| note(what)),
            RunEvent::Tasks(counts) => self.state.lock().tasks = Some(*counts),
            RunEvent::JournalLost(why) => self.bar.suspend(|| note_lines(why)),
        }
    }

    /// Removes the bar, and ends the lines. The thread that writes them is not waited for: it may get no core for a while.
    pub fn finish(self) {
        self.bar.finish_and_clear();
        // Not while a line is written; then no other is.
        let _stderr = io::stderr().lock();
        drop(self.lines);
    }
}

/// Writes a line every ten seconds. `None` if no thread can be started: a run does without.
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
