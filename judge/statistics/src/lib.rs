//! Is B better than A? Paired effects, their intervals and tests, and a test that may be looked at after every case.
//!
//! Pure: numbers in, numbers out, the same ones every time (what is random is seeded).
//!
//! ```text
//! terms   ─ EffectSummary::of ─▶ mean and interval, sign test, Wilcoxon, Finding             (a fixed number of cases)
//! effects ─ Sequence::push ─▶ Decision and interval after every case                         (stop when decided)
//! effects ─ LikelihoodRatio::push ─▶ the hypothesis that is accepted after every case
//! variances of terms ─ SumError ─▶ is their sum below 0, and which fall would be noticed
//! claims about pairs ─ SolverOrder::decide ─▶ the places that are possible for each of many solvers
//! spread  ─ power ──────────▶ cases needed, difference that can be detected
//! ```

mod anytime;
mod moments;
mod places;
pub mod power;
mod random;
mod rank_tests;
mod summary;
pub mod tune;

pub use anytime::{
    Decision, Hypotheses, Hypothesis, InvalidSettings, LikelihoodRatio, Sequence, SequenceSettings, Term,
    cases_until_decided,
};
pub use moments::{Interval, Moments};
pub use places::{PairOrder, PlaceInterval, SolverOrder, holm};
pub use power::{SumError, TermVariance, normal_level};
pub use random::Random;
pub use rank_tests::{SignTest, Wilcoxon, sign_test, wilcoxon};
pub use summary::{EffectSummary, Finding, TooFewCases, effect_interval, fewest_for_claim, linearised, mean_interval};
