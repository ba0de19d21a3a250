//! A generalised sequential probability ratio test of two means: the rule of fishtest and OpenBench, for paired
//! effects.
//!
//! Wald's test adds up the log likelihood ratio of "the mean is h1" against "the mean is h0" until it leaves an
//! interval. If the distribution is unknown, each likelihood is the maximum under its hypothesis. For n effects of mean
//! m and standard deviation s, that is about
//!
//! ```text
//! n (h1 - h0) (2 m - h0 - h1) / (2 s^2)        H1 from ln((1 - beta) / alpha) on, H0 from ln(beta / (1 - alpha)) down
//! ```
//!
//! It is an approximation for many effects, so nothing is decided before [`MIN_EFFECTS`] of them.
//!
//! Sources: Wald, "Sequential tests of statistical hypotheses", Ann. Math. Statist. 16, 1945; Li, Liu and Ying,
//! "Generalized sequential probability ratio test for separate families of hypotheses", Sequential Analysis 33, 2014;
//! Van den Bergh, "A practical introduction to the GSPRT" (the approximation, as fishtest uses it).

use super::sequence::Term;
use crate::moments::Moments;

/// The number of cases before the spread is trusted, chosen by simulation. With 16 cases, skewed effects would have 1.5
/// times the error rate.
const MIN_EFFECTS: usize = 32;

/// Two hypotheses about a mean, and the probabilities to choose the wrong one.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, schemars::JsonSchema)]
pub struct Hypotheses {
    /// The mean under H0.
    pub h0: f64,
    /// The mean under H1, above that.
    pub h1: f64,
    /// The probability of accepting H1 under H0.
    pub alpha: f64,
    /// The probability of accepting H0 under H1.
    pub beta: f64,
}

/// A hypothesis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hypothesis {
    /// The mean is h0.
    H0,
    /// The mean is h1.
    H1,
}

/// The effects so far, and the likelihood ratio of the hypotheses.
#[derive(Debug, Clone)]
pub struct LikelihoodRatio {
    hypotheses: Hypotheses,
    /// Of the distances from the middle of the hypotheses.
    distances: Moments,
    bases: Moments,
}

impl Hypotheses {
    /// Returns the log likelihood ratios from which on H0 and H1 are accepted.
    pub fn bounds(&self) -> [f64; 2] {
        [(self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln()]
    }
}

impl LikelihoodRatio {
    /// Starts with no cases.
    pub fn new(hypotheses: Hypotheses) -> Self {
        Self { hypotheses, distances: Moments::default(), bases: Moments::default() }
    }

    /// Adds one more case.
    pub fn push(&mut self, term: Term) {
        self.distances.push(term.distance(f64::midpoint(self.hypotheses.h0, self.hypotheses.h1)));
        self.bases.push(term.base);
    }

    /// Returns the logarithm of the likelihood ratio of H1 to H0; 0 without cases. A spread below the distance of the
    /// hypotheses is replaced by that distance, so that equal effects have a ratio, too.
    pub fn logarithm(&self) -> f64 {
        let distance = (self.hypotheses.h1 - self.hypotheses.h0) * self.bases.mean();
        let spread = self.distances.deviation().max(distance);
        if distance <= 0.0 {
            return 0.0;
        }
        self.distances.count() as f64 * (distance / spread) * (self.distances.mean() / spread)
    }

    /// Returns the hypothesis that is accepted now.
    pub fn accepted(&self) -> Option<Hypothesis> {
        let [low, high] = self.hypotheses.bounds();
        match self.logarithm() {
            _ if self.distances.count() < MIN_EFFECTS => None,
            logarithm if logarithm >= high => Some(Hypothesis::H1),
            logarithm if logarithm <= low => Some(Hypothesis::H0),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HYPOTHESES: Hypotheses = Hypotheses { h0: 0.0, h1: 0.5, alpha: 0.05, beta: 0.1 };

    fn ratio(terms: impl IntoIterator<Item = Term>) -> LikelihoodRatio {
        let mut ratio = LikelihoodRatio::new(HYPOTHESES);
        terms.into_iter().for_each(|term| ratio.push(term));
        ratio
    }

    fn wave(mean: f64, cases: usize) -> impl Iterator<Item = f64> {
        (0..cases).map(move |case| mean + if case % 2 == 0 { 1.0 } else { -1.0 })
    }

    #[test]
    fn the_ratio_is_the_formula() {
        // n = 40, m = 0.4, s^2 = 40 / 39: 40 * 0.5 * (0.8 - 0.5) / (2 * 40 / 39) = 2.925.
        let found = ratio(wave(0.4, 40).map(Term::plain)).logarithm();
        assert!((found - 2.925).abs() < 1e-9, "{found}");
        let [low, high] = HYPOTHESES.bounds();
        assert!((low + 2.251_292).abs() < 1e-6 && (high - 2.890_372).abs() < 1e-6);
    }

    #[test]
    fn each_hypothesis_is_accepted_beyond_its_bound_and_not_before_the_spread_is_trusted() {
        let accepted = |mean, cases| ratio(wave(mean, cases).map(Term::plain)).accepted();
        assert_eq!(accepted(0.4, 40), Some(Hypothesis::H1));
        assert_eq!(accepted(0.1, 40), Some(Hypothesis::H0));
        assert_eq!(accepted(0.25, 4_000), None);
        assert_eq!((accepted(3.0, MIN_EFFECTS - 1), accepted(3.0, MIN_EFFECTS)), (None, Some(Hypothesis::H1)));
    }

    #[test]
    fn equal_effects_have_a_finite_ratio() {
        let found = ratio([Term::plain(0.0); 40]);
        assert!((found.logarithm() + 20.0).abs() < 1e-9);
        assert_eq!(found.accepted(), Some(Hypothesis::H0));
        assert_eq!(ratio([]).logarithm(), 0.0);
    }

    #[test]
    fn a_share_of_a_total_does_not_depend_on_the_unit() {
        let terms = |unit: f64| {
            wave(0.4, 40).enumerate().map(move |(case, effect)| {
                let base = unit * (1.0 + (case % 7) as f64);
                Term { effect: effect * base, base }
            })
        };
        let (one, other) = (ratio(terms(1.0)).logarithm(), ratio(terms(1e6)).logarithm());
        assert!((one - other).abs() < 1e-9 && one != 0.0, "{one} {other}");
    }
}
