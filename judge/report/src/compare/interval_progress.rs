//! The progress of a comparison that continues until it is decided: the interval as it shrinks.

use crate::text::effects::{between, signed};
use crate::text::terminal::{note, note_lines};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use judge_compare::paired::{EffectMeasure, Interim, PairedComparison};
use judge_problem::{RunEvent, Stop, one_line};
use judge_statistics::Moments;
use std::time::{Duration, Instant};

const TEMPLATE: &str = "{spinner} {pos} of at most {len} runs, {elapsed} elapsed; {msg}";

/// The longest time between two lines where standard error is no terminal.
const INTERVAL: Duration = Duration::from_secs(10);

/// The interim result of a comparison.
#[derive(Debug)]
pub struct InterimResult<'a> {
    /// The name of the solver that is compared with the first.
    pub name: &'a str,
    /// Their effects.
    pub paired: PairedComparison,
    /// The inference from them.
    pub interim: Interim,
}

/// The interval as it shrinks: a line that changes on a terminal; elsewhere a line
/// each time the number of cases doubles, and every ten seconds.
#[derive(Debug)]
pub struct IntervalProgress {
    bar: ProgressBar,
    next_note: usize,
    noted: Instant,
}

impl IntervalProgress {
    /// Starts the display for at most this many runs.
    #[must_use]
    pub fn start(most_runs: usize) -> Self {
        let bar = ProgressBar::with_draw_target(Some(most_runs as u64), ProgressDrawTarget::stderr_with_hz(10));
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style);
        }
        if !bar.is_hidden() {
            bar.enable_steady_tick(Duration::from_millis(200));
        }
        Self { bar, next_note: 1, noted: Instant::now() }
    }

    /// Shows an event.
    pub fn watch(&mut self, event: &RunEvent) {
        match event {
            RunEvent::Finished(_) => self.bar.inc(1),
            RunEvent::Stopping(Stop::Interrupted) => {
                self.bar.println("interrupted: ending the running cases (once more: at once)");
            }
            RunEvent::Stopping(Stop::FailFast | Stop::Detached) | RunEvent::Tasks(_) => {}
            RunEvent::Notice(what) => self.bar.suspend(|| note(what)),
            RunEvent::JournalLost(why) => self.bar.suspend(|| note_lines(why)),
        }
    }

    /// Shows the current intervals.
    pub fn update(&mut self, measure: EffectMeasure, results: &[InterimResult<'_>]) {
        let cases = results.iter().map(|result| result.paired.pairs.len()).max().unwrap_or(0);
        let words = results.iter().map(|result| match results.len() {
            1 => in_words(measure, result),
            _ => format!("{} {}", one_line(result.name), in_words(measure, result)),
        });
        let text = format!("{cases} cases: {}", words.collect::<Vec<_>>().join("; "));
        if !self.bar.is_hidden() {
            self.bar.set_message(text);
        } else if cases >= self.next_note || self.noted.elapsed() >= INTERVAL {
            note(&text);
            self.next_note = self.next_note.max(cases * 2);
            self.noted = Instant::now();
        }
    }

    /// Removes the line.
    pub fn finish(self) {
        self.bar.finish_and_clear();
    }
}

fn in_words(measure: EffectMeasure, InterimResult { paired, interim, .. }: &InterimResult<'_>) -> String {
    let mean = Moments::of(&paired.effects()).mean();
    let interval =
        interim.interval.map_or_else(|| "the interval is still open".to_owned(), |now| between(measure, now));
    format!("{}, {interval}", signed(measure, mean))
}
