//! Is B better than A? Paired effects, their intervals and tests, and a test that may be looked at after every case.
//!
//! Everything here is pure: numbers in, numbers out, the same ones every time (what is random is seeded).
//!
//! ```text
//! scores of A and B on one case ─ Measure::effect ─▶ effect (positive: B is larger)
//! effects ─ Comparison::of ─▶ mean and interval, sign test, Wilcoxon, bootstrap, Finding   (a fixed number of cases)
//! effects ─ Sequence::push ─▶ Decision and interval after every case                       (stop whenever decided)
//! spread  ─ power ──────────▶ cases needed, difference that can be seen
//! ```

mod anytime;
mod bootstrap;
mod comparison;
mod effect;
mod interval;
mod moments;
pub mod power;
mod random;
mod sign_test;
mod wilcoxon;

pub use anytime::{Decision, InvalidSettings, Sequence, Settings};
pub use bootstrap::{Bootstrap, bootstrap};
pub use comparison::{Comparison, Finding, TooFewCases, mean_interval};
pub use effect::{Measure, points_effect};
pub use interval::Interval;
pub use moments::Moments;
pub use random::Random;
pub use sign_test::{SignTest, sign_test};
pub use wilcoxon::{Wilcoxon, wilcoxon};
