//! A test of the mean effect. The caller may look after every case, and stop as soon as it decides.
//!
//! An ordinary test that is repeated until it is significant errs far more often than its level. Here a claim (the mean
//! lies above m, or below m) is made only when **three** conditions hold at once:
//!
//! 1. [`TestMartingale`](martingale::TestMartingale): a test martingale, the wealth of a bettor on the claim,
//!    has reached 2 / alpha. Under the null hypothesis the bets are fair, so by Ville's inequality that ever happens
//!    with a probability of at most alpha / 2. Exact, for any number of looks and any spread, tail or ties, whenever
//!    the effects are symmetric about m. They are, about 0, when swapping the two solvers changes nothing.
//! 2. [`AsymptoticSequence`](asymptotic::AsymptoticSequence): an asymptotic confidence sequence for the mean, corrected
//!    for skewness, excludes m. It covers means of effects that are not symmetric, with an error of about alpha. It is
//!    a limit theorem: for few cases the error rates are measured, not proved.
//! 3. [`WarmUp`](warm_up::WarmUp): effects on the other side of m have shown, or there were enough cases for such
//!    effects to show if they occurred in one case of ten. This covers what the first two cannot see in few cases:
//!    uncommon large effects.
//!
//! Each condition has its own null hypothesis. Requiring all three keeps every guarantee.
//!
//! Where the effects have known bounds, the [`TestMartingale`](martingale::TestMartingale) suffices: exact for any
//! distribution, but slower.
//!
//! [`LikelihoodRatio`] is another test: it decides between two given means, and uses the variance so far.
//!
//! No test of a mean can account for unseen effects. For example, if one case in fifty brings a gain that pays for
//! forty-nine small losses, the first thirty-six cases often look like plain losses (docs/sequential.md has the
//! figures). Without known bounds, no guarantee covers this (Bahadur and Savage, "The nonexistence of certain
//! statistical procedures in nonparametric problems", Ann. Math. Statist. 27, 1956).
//!
//! Sources: Ville, "Étude critique de la notion de collectif", 1939; Robbins, "Statistical methods related to the law
//! of the iterated logarithm", Ann. Math. Statist. 41, 1970; de la Peña, "A general class of exponential inequalities
//! for martingales and ratios", Ann. Probab. 27, 1999 (symmetric increments); Ramdas, Ruf, Larsson and Koolen,
//! "Admissible anytime-valid sequential inference must rely on nonnegative martingales", 2020 (1 + odd function for
//! symmetry); Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting", JRSS B 86, 2024;
//! Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, "Time-uniform central limit theory and asymptotic confidence
//! sequences", Ann. Statist. 52, 2024; Johnson, "Modified t tests and confidence intervals for asymmetrical
//! populations", JASA 73, 1978; Hall, "On the removal of skewness by transformation", JRSS B 54, 1992; Hill, "Diversity
//! and evenness", Ecology 54, 1973.

mod asymptotic;
mod likelihood_ratio;
mod martingale;
mod planning;
mod sequence;
mod warm_up;

pub use likelihood_ratio::{Hypotheses, Hypothesis, LikelihoodRatio};
pub use planning::cases_until_decided;
pub use sequence::{Decision, InvalidSettings, Sequence, SequenceSettings, Term};
