//! The summary of a fixed number of paired effects.
//!
//! # The test of the mean
//!
//! Is the mean of a fixed number of effects on its side of 0? With few cases, Student's t errs too often: a tail on the
//! other side may not have shown yet, and the spread then looks small. So a claim needs three conditions.
//!
//! 1. Student's two-sided test at alpha.
//! 2. The exact sign-flip test of the sum at alpha (Fisher, "The design of experiments", 1935), up to 16 effects that
//!    differ from 0: with more of them it hardly ever differs from Student's. Five effects have 32 arrangements of
//!    signs. Two of them are at least as extreme as the most extreme one, so five effects show nothing at 5 %.
//! 3. A correction for skewness: with u = mean / s and the sample skewness g (of the claim's sign),
//!
//! ```text
//! Johnson   √n (u + g / 6n + g u² / 3)                  beyond Student's quantile at alpha, or
//! Hall      √n (u + g / 6n + g u² / 3 + g² u³ / 27)     beyond the one at alpha / 5
//! ```
//!
//! (Johnson, "Modified t tests", JASA 73, 1978; Hall, "On the removal of skewness by transformation", JRSS B 54, 1992.)
//! Johnson's is the better one, but it decreases again for effects that are large against their spread. Hall's never
//! does.

use super::anytime::Term;
use super::moments::{Interval, Moments};
use super::power::{MAX_CASES, student_quantile};
use super::rank_tests::{SignTest, Wilcoxon, sign_test, wilcoxon};

/// The summary of a fixed sample of effects.
#[derive(Debug, Clone, PartialEq)]
pub struct EffectSummary {
    /// Count, mean, standard deviation and skewness of the linearised effects.
    pub moments: Moments,
    /// The interval of the mean by Student's t: mean +- t(1 - alpha/2, n-1) s / sqrt(n). Unless the effects are
    /// certainly on one side of 0, it is extended to 0.
    pub interval: Interval,
    /// Wins, ties, losses and their exact test.
    pub signs: SignTest,
    /// The signed-rank test.
    pub ranks: Wilcoxon,
    /// The finding of the interval.
    pub finding: Finding,
}

impl EffectSummary {
    /// Summarizes the effects of the cases, whose bases have a mean of 1. `places` are numbers with the signs of the
    /// effects and the order of their sizes, ties included. `min_effect` is the smallest effect that matters, if there
    /// is one. `None` below two cases: they have no spread, so the mean has no interval.
    pub fn of(terms: &[Term], places: &[f64], alpha: f64, min_effect: Option<f64>) -> Option<Self> {
        let moments = Moments::of(&linearised(terms));
        let effects: Vec<f64> = terms.iter().map(|term| term.effect).collect();
        let interval = effect_interval(terms, alpha)?;
        let is_within = |bound: f64| {
            let beyond = |center: f64| terms.iter().map(|term| term.distance(center)).collect::<Vec<_>>();
            is_side_certain(&beyond(bound), alpha) && is_side_certain(&beyond(-bound), alpha)
        };
        let finding = match Finding::from_interval(interval, moments.mean(), terms.len(), min_effect) {
            Finding::Smaller if !min_effect.is_some_and(is_within) => Finding::Undecided { more_cases: None },
            // Student's interval excludes 0, so its width does not show how many cases are missing.
            Finding::Undecided { .. } if is_beyond_chance(&moments, alpha) => Finding::Undecided { more_cases: None },
            finding => finding,
        };
        Some(Self { moments, interval, signs: sign_test(&effects), ranks: wilcoxon(places), finding })
    }
}

/// Returns the interval of the mean effect by Student's t, extended to 0 unless the effects are certainly on one side
/// of it. `None` below two cases. The bases have a mean of 1.
pub fn effect_interval(terms: &[Term], alpha: f64) -> Option<Interval> {
    let student = mean_interval(&Moments::of(&linearised(terms)), alpha)?;
    let effects: Vec<f64> = terms.iter().map(|term| term.effect).collect();
    let is_claim = !student.contains(0.0) && is_side_certain(&effects, alpha);
    Some(if is_claim { student } else { student.reaching(0.0) })
}

/// Returns numbers with the same mean as the effects and with the spread of that mean, for bases with a mean of 1. The
/// mean is a ratio of all effects to all bases, and both vary from case to case. By the delta method, its error is the
/// error of the mean of effect − mean · base.
pub fn linearised(terms: &[Term]) -> Vec<f64> {
    let mean = terms.iter().map(|term| term.effect).sum::<f64>() / terms.len().max(1) as f64;
    terms.iter().map(|term| term.effect - mean * (term.base - 1.0)).collect()
}

/// The finding of an interval of the mean effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finding {
    /// Every effect in the interval is above 0.
    Better,
    /// Every effect in the interval is below 0.
    Worse,
    /// Every effect in the interval is smaller than the smallest that matters.
    Smaller,
    /// None of these.
    Undecided {
        /// About how many more cases would decide it if the mean and the spread stay the same. `None` beyond 2^40, as
        /// for a mean of 0 without a smallest effect that matters.
        more_cases: Option<u64>,
    },
}

impl Finding {
    /// Reads the interval of a mean over `cases` cases.
    pub fn from_interval(interval: Interval, mean: f64, cases: usize, min_effect: Option<f64>) -> Self {
        if interval.low > 0.0 {
            Self::Better
        } else if interval.high < 0.0 {
            Self::Worse
        } else if min_effect.is_some_and(|bound| interval.is_within(bound)) {
            Self::Smaller
        } else {
            Self::Undecided { more_cases: more_cases(interval.radius(), mean.abs(), cases, min_effect) }
        }
    }
}

/// The radius shrinks with the root of the cases. The question is decided at the latest when the radius is half the
/// smallest effect that matters (an interval narrower than that effect cannot contain both it and 0), or earlier when
/// it equals the mean.
fn more_cases(radius: f64, mean: f64, cases: usize, min_effect: Option<f64>) -> Option<u64> {
    let enough = mean.max(min_effect.unwrap_or(0.0) / 2.0);
    let needed = (cases as f64 * (radius / enough).powi(2)).ceil();
    (needed < MAX_CASES as f64).then(|| (needed as u64).saturating_sub(cases as u64).max(1))
}

/// The maximal number of effects other than 0 for which all arrangements of signs are examined.
const MAX_FLIPPED: usize = 16;

/// Hall's correction counts at this share of alpha.
const HALL_SHARE: f64 = 0.2;

/// The largest change of a sum by rounding, as a share of the sum of the sizes.
const ROUNDING: f64 = 1e-12;

/// Returns the two-sided interval of the mean with error probability `alpha`, by Student's t. `None` below two effects.
pub fn mean_interval(moments: &Moments, alpha: f64) -> Option<Interval> {
    let freedom = moments.count().checked_sub(1).filter(|&freedom| freedom > 0)?;
    let radius = student_quantile(1.0 - alpha / 2.0, freedom as f64) * moments.standard_error();
    Some(Interval { low: moments.mean() - radius, high: moments.mean() + radius })
}

/// Returns the smallest number of cases that can show anything at alpha. With fewer, even the most extreme arrangement
/// of signs is more likely by chance.
pub fn fewest_for_claim(alpha: f64) -> usize {
    (1.0 - alpha.log2()).ceil().max(2.0) as usize
}

/// Returns whether the mean of the population certainly lies on the same side of 0 as the mean of the sample.
pub(super) fn is_side_certain(sample: &[f64], alpha: f64) -> bool {
    let moments = Moments::of(sample);
    is_beyond_chance(&moments, alpha) && outweighs_skewness(&moments, alpha) && flip_level(sample) <= alpha
}

/// Returns whether Student's two-sided test at alpha excludes a mean of 0.
pub(super) fn is_beyond_chance(moments: &Moments, alpha: f64) -> bool {
    mean_interval(moments, alpha).is_some_and(|interval| !interval.contains(0.0))
}

fn outweighs_skewness(moments: &Moments, alpha: f64) -> bool {
    let (count, spread) = (moments.count() as f64, moments.deviation());
    if spread == 0.0 {
        return true;
    }
    let mean = moments.mean().abs() / spread;
    let skewness = moments.skewness() * moments.mean().signum();
    let johnson = mean + skewness / (6.0 * count) + skewness * mean * mean / 3.0;
    let hall = johnson + skewness * skewness * mean.powi(3) / 27.0;
    let quantile = |alpha: f64| student_quantile(1.0 - alpha / 2.0, count - 1.0) / count.sqrt();
    johnson > quantile(alpha) || hall > quantile(alpha * HALL_SHARE)
}

/// Returns the two-sided level of the sum among the sums with all arrangements of signs. With too many effects to
/// examine all arrangements, it is the level of the most extreme one.
fn flip_level(sample: &[f64]) -> f64 {
    let sizes: Vec<f64> = sample.iter().filter(|&&effect| effect != 0.0).map(|effect| effect.abs()).collect();
    let clearest = (1.0 - sizes.len() as f64).exp2();
    if sizes.len() > MAX_FLIPPED || sizes.is_empty() {
        return clearest;
    }
    let mut sum: f64 = sizes.iter().sum();
    let least = sample.iter().sum::<f64>().abs() - ROUNDING * sum;
    // The first sign is fixed. The others follow Gray's code, one change in each step.
    let mut signs = vec![1.0; sizes.len()];
    let mut as_clear = usize::from(sum >= least);
    let arrangements = 1_usize << (sizes.len() - 1);
    for step in 1..arrangements {
        let place = 1 + step.trailing_zeros() as usize;
        signs[place] = -signs[place];
        sum += 2.0 * signs[place] * sizes[place];
        as_clear += usize::from(sum.abs() >= least);
    }
    as_clear as f64 / arrangements as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(effects: &[f64], min_effect: Option<f64>) -> Option<EffectSummary> {
        let terms: Vec<Term> = effects.iter().copied().map(Term::plain).collect();
        EffectSummary::of(&terms, effects, 0.05, min_effect)
    }

    fn wave(mean: f64) -> Vec<f64> {
        (0..20).map(|case| mean + if case % 2 == 0 { 1.0 } else { -1.0 }).collect()
    }

    #[test]
    fn the_interval_is_students() {
        // n = 4, mean 4, s = sqrt(50/3), t(0.975, 3) = 3.18245.
        let found = summary(&[1.0, 2.0, 3.0, 10.0], None).unwrap();
        assert!((found.interval.radius() - 3.182_446 * (50.0_f64 / 12.0).sqrt()).abs() < 1e-4);
        assert!((found.interval.center() - 4.0).abs() < 1e-12);
        assert_eq!((found.signs.wins, found.signs.losses), (4, 0));
    }

    #[test]
    fn each_finding_has_its_data() {
        let find = |mean, min_effect| summary(&wave(mean), min_effect).unwrap().finding;
        assert_eq!(find(0.6, None), Finding::Better);
        assert_eq!(find(-0.6, None), Finding::Worse);
        assert_eq!(find(0.0, Some(0.6)), Finding::Smaller);
        // Radius 0.480: to reach half of 0.4 it takes 20 (0.480 / 0.2)^2 = 115.3 cases in all.
        assert_eq!(find(0.0, Some(0.4)), Finding::Undecided { more_cases: Some(96) });
        assert_eq!(find(0.0, None), Finding::Undecided { more_cases: None });
    }

    #[test]
    fn an_interval_without_0_is_one_that_all_conditions_agree_on() {
        // Student's t excludes 0 on Darwin's maize, the signs do not: 5.3 %.
        let maize = summary(REFERENCES[0].effects, None).unwrap();
        assert_eq!((maize.interval.low, maize.finding), (0.0, Finding::Undecided { more_cases: None }));
        assert_eq!(summary(&[0.001; 5], Some(1.0)).unwrap().finding, Finding::Undecided { more_cases: None });
        assert_eq!(summary(&[0.001, 0.0, 0.0, 0.0, 0.0, 0.001], Some(1.0)).unwrap().finding, Finding::Smaller);
    }

    #[test]
    fn swapping_the_solvers_mirrors_the_summary() {
        let effects = [0.5, 1.5, -0.25, 2.0, 0.0];
        let there = summary(&effects, None).unwrap();
        let back = summary(&effects.map(|effect| -effect), None).unwrap();
        assert_eq!(there.interval.low, -back.interval.high);
        assert_eq!(there.signs.wins, back.signs.losses);
        assert_eq!(there.ranks.p, back.ranks.p);
    }

    #[test]
    fn one_case_is_too_few() {
        assert_eq!(summary(&[1.0], None), None);
        assert_eq!(summary(&[], None), None);
    }

    #[test]
    fn identical_solvers_show_no_difference_at_all() {
        let found = summary(&[0.0; 8], Some(0.001)).unwrap();
        assert_eq!(found.finding, Finding::Smaller);
        assert_eq!((found.signs.ties, found.ranks.p), (8, 1.0));
    }

    /// The results of scipy 1.17.1 for the same effects, x:
    ///
    /// ```python
    /// stats.t.interval(0.95, len(x) - 1, loc=x.mean(), scale=stats.sem(x))
    /// stats.binomtest(sum(x > 0), sum(x != 0)).pvalue
    /// stats.wilcoxon(x, zero_method="pratt", method=stats.PermutationMethod(n_resamples=numpy.inf)).pvalue
    /// ```
    struct ScipyReference {
        effects: &'static [f64],
        interval: Interval,
        signs: f64,
        ranks: f64,
    }

    const REFERENCES: [ScipyReference; 3] = [
        // Darwin's maize (Fisher, "The design of experiments", 1935): differences in eighths of an inch.
        ScipyReference {
            effects: &[49.0, -67.0, 8.0, 16.0, 6.0, 23.0, 28.0, 41.0, 14.0, 29.0, 56.0, 24.0, 75.0, 60.0, -48.0],
            interval: Interval { low: 0.031_193_318_392_979_563, high: 41.835_473_348_273_69 },
            signs: 0.007_385_253_906_25,
            ranks: 0.041_259_765_625,
        },
        // Ties and zeros.
        ScipyReference {
            effects: &[0.0, 1.0, -1.0, 2.0, 0.0, 3.0, 3.0, -2.0, 1.0, 5.0, 0.0, 1.0, 4.0, -1.0],
            interval: Interval { low: -0.030_788_730_781_370_12, high: 2.316_503_016_495_655_7 },
            signs: 0.226_562_5,
            ranks: 0.084_960_937_5,
        },
        // Skewed.
        ScipyReference {
            effects: &[0.1, 0.4, 0.2, 3.5, 0.3, -0.2, 0.6, 7.25, 1.5, -0.05],
            interval: Interval { low: -0.313_741_533_655_847_56, high: 3.033_741_533_655_847_6 },
            signs: 0.109_375,
            ranks: 0.015_625,
        },
    ];

    #[test]
    fn scipy_finds_the_same() {
        for reference in REFERENCES {
            let found = summary(reference.effects, None).unwrap();
            let near = |left: Interval, right: Interval, tolerance: f64| {
                (left.low - right.low).abs().max((left.high - right.high).abs()) <= tolerance * right.radius()
            };
            let student = mean_interval(&found.moments, 0.05).unwrap();
            assert!(near(student, reference.interval, 1e-9), "{student:?}");
            assert!((found.signs.p - reference.signs).abs() < 1e-12, "{}", found.signs.p);
            assert!(found.ranks.exact && (found.ranks.p - reference.ranks).abs() < 1e-12, "{}", found.ranks.p);
        }
    }

    #[test]
    fn the_flip_level_is_that_of_all_arrangements() {
        // 1, 2, 3, 4: sums as large as 10 - 2 = 8 are 10, 8 and their opposites, of 16.
        assert_eq!(flip_level(&[-1.0, 2.0, 3.0, 4.0]), 0.25);
        assert_eq!(flip_level(&[0.0, -2.0, 0.0, 2.0]), 1.0);
        assert_eq!(flip_level(&[0.1; 6]), 2.0 / 64.0);
        // Darwin's maize: 863 of 16,384 (Fisher).
        let maize = [49.0, -67.0, 8.0, 16.0, 6.0, 23.0, 28.0, 41.0, 14.0, 29.0, 56.0, 24.0, 75.0, 60.0, -48.0];
        assert_eq!(flip_level(&maize), 863.0 / 16_384.0);
    }

    #[test]
    fn five_effects_show_nothing_and_six_do() {
        assert_eq!([0.25, 0.05, 0.025, 0.01].map(fewest_for_claim), [3, 6, 7, 8]);
        assert!(!is_side_certain(&[1.0, 1.1, 0.9, 1.0, 1.2], 0.05));
        assert!(is_side_certain(&[1.0, 1.1, 0.9, 1.0, 1.2, 1.1], 0.05));
        // Ties have no sign to flip.
        assert!(!is_side_certain(&[[0.0; 3].as_slice(), &[1.0; 5]].concat(), 0.05));
    }

    #[test]
    fn a_clear_effect_is_certain_though_one_case_contradicts_it() {
        let mut sample = vec![10.0; 19];
        sample.push(-1.0);
        assert!(is_side_certain(&sample, 0.05));
        sample[0] = -100.0;
        assert!(!is_side_certain(&sample, 0.05));
    }

    #[test]
    fn opposite_effects_are_as_certain() {
        let sample = [0.3, 2.0, 0.1, 1.4, 5.0, 0.2, 0.9, 1.1, 3.0, -0.4];
        for alpha in [0.2, 0.1, 0.05, 0.02, 0.01] {
            assert_eq!(is_side_certain(&sample, alpha), is_side_certain(&sample.map(|effect| -effect), alpha));
        }
    }
}
