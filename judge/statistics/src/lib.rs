//! Is solver B better than solver A? This crate decides it from the differences of their scores. It also searches for
//! good parameters.
//!
//! The functions are pure: numbers in, numbers out. Random functions take a seed, so the same input gives the same
//! output.
//!
//! Three types do most of the work:
//!
//! - [`EffectSummary`] describes a fixed number of paired effects: mean, interval, sign test, Wilcoxon test and a
//!   finding.
//! - [`Sequence`] takes one effect after another and returns a decision after each.
//! - [`Search`](tune::Search) chooses which setting of a solver's parameters runs next, and which is best.
//!
//! ```text
//! terms ─ EffectSummary::of ─▶ mean and interval, sign test, Wilcoxon, Finding    (a fixed number of cases)
//! effects ─ Sequence::push ─▶ Decision and interval after every case              (stop when decided)
//! effects ─ LikelihoodRatio::push ─▶ the hypothesis that is accepted after every case
//! variances of terms ─ SumError ─▶ is their sum below 0, and which fall would be noticed
//! effects of a fixed set of cases ─ SetSample::push ─▶ is their mean below 0      (drawn without replacement)
//! claims about pairs ─ SolverOrder::decide ─▶ the places that are possible for each of many solvers
//! a total and its error ─ climbs ─▶ may an optimiser see it                       (hidden cases)
//! spread ─ power ─▶ cases needed, difference that can be detected
//! ```
//!
//! The path of one value: a case gives both solvers a score, their difference is an effect, and `Sequence::push` adds
//! it to the evidence. The decision changes once the evidence is strong enough:
//!
//! ```
//! use judge_statistics::{Decision, Sequence, SequenceSettings};
//!
//! let settings = SequenceSettings { alpha: 0.05, min_effect: None, bound: None, rare: None };
//! let mut sequence = Sequence::new(settings).expect("alpha is a probability");
//! for case in 0..60 {
//!     let (old, new) = (10.0, 10.8 + 1.4 * (f64::from(case) * 2.4).sin());
//!     sequence.push(new - old);
//! }
//! assert_eq!(sequence.decision(), Decision::Better);
//! ```

mod anytime;
mod ladder;
mod moments;
mod places;
pub mod power;
mod random;
mod rank_tests;
mod set_sample;
mod summary;
pub mod tune;

pub use anytime::{
    Decision, Hypotheses, Hypothesis, InvalidSettings, LikelihoodRatio, Sequence, SequenceSettings, Term,
    cases_until_decided,
};
pub use ladder::{LADDER_STEP, climbs, sum_error};
pub use moments::{Interval, Moments, power_of_two};
pub use places::{PairOrder, PlaceInterval, SolverOrder, holm};
pub use power::{SumError, TermVariance, normal_level};
pub use random::{Random, reflected};
pub use rank_tests::{SignTest, Wilcoxon, sign_test, wilcoxon};
pub use set_sample::{SetCase, SetSample};
pub use summary::{EffectSummary, Finding, effect_interval, fewest_for_claim, linearised, mean_interval};
