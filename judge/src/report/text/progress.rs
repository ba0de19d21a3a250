//! The progress bar on standard error.

use super::figures::Counts;
use super::terminal::note_lines;
use crate::model::{RunEvent, Stop};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::Duration;

const TEMPLATE: &str = "{bar:20} {pos}/{len}  {msg}  {eta} to go";

/// A progress bar with counts and the remaining time. Invisible where standard error is not a terminal.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    counts: Counts,
}

impl Progress {
    /// Starts a bar for this many jobs.
    #[must_use]
    pub fn start(jobs: usize) -> Self {
        let bar = ProgressBar::with_draw_target(Some(jobs as u64), ProgressDrawTarget::stderr_with_hz(10));
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style);
        }
        if !bar.is_hidden() {
            bar.enable_steady_tick(Duration::from_millis(200));
        }
        Self { bar, counts: Counts::default() }
    }

    /// Shows an event.
    pub fn watch(&mut self, event: &RunEvent) {
        match event {
            RunEvent::Finished(finished) => {
                self.counts.add(finished.outcome.verdict);
                if !self.bar.is_hidden() {
                    self.bar.set_message(self.counts.codes());
                }
                self.bar.inc(1);
            }
            RunEvent::Stopping(Stop::Interrupted) => {
                self.bar.println("interrupted: ending the running cases (once more: at once)");
            }
            RunEvent::Stopping(Stop::FailFast) => {}
            RunEvent::JournalLost(why) => self.bar.suspend(|| note_lines(why)),
        }
    }

    /// Removes the bar.
    pub fn finish(self) {
        self.bar.finish_and_clear();
    }
}
