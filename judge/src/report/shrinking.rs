//! The progress of a comparison that goes on until it is decided: the interval as it shrinks.

use super::effects::{between, signed};
use super::{note, note_lines};
use crate::duel::{Duel, Look, Yardstick};
use crate::model::{RunEvent, Stop, one_line};
use crate::statistics::Moments;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::Duration;

const TEMPLATE: &str = "{spinner} {pos} of at most {len} runs, {elapsed} gone; {msg}";

/// What a look at one of the comparisons shows.
#[derive(Debug)]
pub struct Glance<'a> {
    /// The name of the solver that is compared with the first.
    pub name: &'a str,
    /// Their effects.
    pub duel: Duel,
    /// What they show.
    pub look: Look,
}

/// The interval as it shrinks: a line that changes on a terminal, a line whenever the cases have doubled elsewhere.
#[derive(Debug)]
pub struct Shrinking {
    bar: ProgressBar,
    next_note: usize,
}

impl Shrinking {
    /// Starts, for at most so many runs.
    #[must_use]
    pub fn start(most_runs: usize) -> Self {
        let bar = ProgressBar::with_draw_target(Some(most_runs as u64), ProgressDrawTarget::stderr_with_hz(10));
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style);
        }
        if !bar.is_hidden() {
            bar.enable_steady_tick(Duration::from_millis(200));
        }
        Self { bar, next_note: 1 }
    }

    /// Shows an event.
    pub fn watch(&mut self, event: &RunEvent) {
        match event {
            RunEvent::Finished(_) => self.bar.inc(1),
            RunEvent::Stopping(Stop::Interrupted) => {
                self.bar.println("interrupted: ending the running cases (once more: at once)");
            }
            RunEvent::Stopping(Stop::FailFast) => {}
            RunEvent::JournalLost(why) => self.bar.suspend(|| note_lines(why)),
        }
    }

    /// Shows what is known now.
    pub fn look(&mut self, yardstick: Yardstick, glances: &[Glance<'_>]) {
        let cases = glances.iter().map(|glance| glance.duel.pairs.len()).max().unwrap_or(0);
        let words = glances.iter().map(|glance| match glances.len() {
            1 => in_words(yardstick, glance),
            _ => format!("{} {}", one_line(glance.name), in_words(yardstick, glance)),
        });
        let text = format!("{cases} cases: {}", words.collect::<Vec<_>>().join("; "));
        if !self.bar.is_hidden() {
            self.bar.set_message(text);
        } else if cases >= self.next_note {
            note(&text);
            self.next_note = cases * 2;
        }
    }

    /// Takes the line away.
    pub fn finish(self) {
        self.bar.finish_and_clear();
    }
}

fn in_words(yardstick: Yardstick, Glance { duel, look, .. }: &Glance<'_>) -> String {
    let mean = Moments::of(&duel.effects()).mean();
    let interval = look.interval.map_or_else(|| "the interval is still open".to_owned(), |now| between(yardstick, now));
    format!("{}, {interval}", signed(yardstick, mean))
}
