//! The progress of a command that takes several steps, on standard error.

use super::terminal::note;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::{Duration, Instant};

/// The time between two lines where standard error is no terminal.
const INTERVAL: Duration = Duration::from_secs(10);

/// The progress of a command that takes several steps: a bar on a terminal, elsewhere a line every ten seconds.
#[derive(Debug)]
pub struct Steps {
    bar: ProgressBar,
    last_line: Instant,
}

impl Steps {
    /// Starts the display of this many steps.
    #[must_use]
    pub fn start(count: usize) -> Self {
        let bar = ProgressBar::with_draw_target(Some(count as u64), ProgressDrawTarget::stderr_with_hz(10));
        if let Ok(style) = ProgressStyle::with_template("{wide_bar} {pos}/{len}\n{msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Self { bar, last_line: Instant::now() }
    }

    /// Shows which step begins.
    pub fn begin(&mut self, what: &str) {
        if self.bar.is_hidden() && self.last_line.elapsed() >= INTERVAL {
            note(&format!("{} of {}: {what}", self.bar.position() + 1, self.bar.length().unwrap_or_default()));
            self.last_line = Instant::now();
        }
        self.bar.set_message(what.to_owned());
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
