//! Times, sizes and counts as text.

use judge_problem::scoring::display;
use judge_problem::{Outcome, Verdict};
use num_rational::BigRational;
use std::borrow::Borrow;
use std::fmt;
use std::time::Duration;

/// Writes a time with a sensible number of digits: `0.4 ms`, `123 ms`, `4.01 s`, `2 min 05 s`.
#[must_use]
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
#[must_use]
pub(crate) fn memory(bytes: u64) -> String {
    let mebibytes = bytes as f64 / f64::from(1 << 20);
    format!("{mebibytes:.1} MiB")
}

/// The verdict of a job; unfinished ones are skipped.
#[must_use]
pub(crate) fn verdict_of(outcome: Option<impl Borrow<Outcome>>) -> Verdict {
    outcome.map_or(Verdict::Skipped, |outcome| outcome.borrow().verdict)
}

/// The decimals that points are rounded to.
const POINT_DECIMALS: u32 = 3;

/// Points as decimal text: at most three decimals, none of them a trailing zero.
pub(crate) fn points_text(points: &BigRational) -> String {
    scores_text(points, POINT_DECIMALS)
}

/// Sums of scores of at most this many decimals: exactly. What is no such sum has at most that many, or three.
pub(crate) fn scores_text(sum: &BigRational, decimals: u32) -> String {
    let text = display(sum, decimals.max(POINT_DECIMALS));
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
    #[must_use]
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
