//! Is the mean of a fixed number of effects on its side of 0? Student's t alone is wrong too often where few cases make
//! the mean: a tail on the other side has not shown yet, and the spread looks small. So a claim needs three conditions.
//!
//! 1. Student's two-sided test at alpha.
//! 2. The exact sign-flip test of the sum at alpha (Fisher, "The design of experiments", 1935), up to 16 effects that
//!    differ from 0: with more of them it hardly ever differs from Student's. Five effects have 32 arrangements of
//!    signs, of which two are as clear as the clearest: they show nothing at 5 %.
//! 3. A correction for skewness: with u = mean / s and the sample skewness g (of the claim's sign),
//!
//! ```text
//! Johnson   √n (u + g / 6n + g u² / 3)                  beyond Student's quantile at alpha, or
//! Hall      √n (u + g / 6n + g u² / 3 + g² u³ / 27)     beyond the one at alpha / 5
//! ```
//!
//! (Johnson, "Modified t tests", JASA 73, 1978; Hall, "On the removal of skewness by transformation", JRSS B 54, 1992.)
//! Johnson's is the better one, but falls again for effects that are clear against their spread: Hall's never does.

use super::interval::Interval;
use super::moments::Moments;
use super::power::student_quantile;

/// The number of effects other than 0 up to which all arrangements of signs are gone through.
const MOST_FLIPPED: usize = 16;

/// Hall's correction counts at this share of alpha.
const HALL_SHARE: f64 = 0.2;

/// What rounding may change of a sum, as a share of the sum of the sizes.
const ROUNDING: f64 = 1e-12;

/// Returns the two-sided interval of the mean with error probability `alpha`, by Student's t. `None` below two effects.
#[must_use]
pub fn mean_interval(moments: &Moments, alpha: f64) -> Option<Interval> {
    let freedom = moments.count().checked_sub(1).filter(|&freedom| freedom > 0)?;
    let radius = student_quantile(1.0 - alpha / 2.0, freedom as f64) * moments.standard_error();
    Some(Interval { low: moments.mean() - radius, high: moments.mean() + radius })
}

/// Returns the fewest cases that can show anything at alpha: with fewer, the clearest arrangement of signs is one that
/// chance makes more often.
#[must_use]
pub fn fewest_for_claim(alpha: f64) -> usize {
    (1.0 - alpha.log2()).ceil().max(2.0) as usize
}

/// Returns whether the mean of the population lies on the side of 0 that the mean of the sample does, for certain.
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

/// Returns the two-sided level of the sum among the sums with all arrangements of signs. Of more effects than are gone
/// through, that of the clearest arrangement.
fn flip_level(sample: &[f64]) -> f64 {
    let sizes: Vec<f64> = sample.iter().filter(|&&effect| effect != 0.0).map(|effect| effect.abs()).collect();
    let clearest = (1.0 - sizes.len() as f64).exp2();
    if sizes.len() > MOST_FLIPPED || sizes.is_empty() {
        return clearest;
    }
    let mut sum: f64 = sizes.iter().sum();
    let least = sample.iter().sum::<f64>().abs() - ROUNDING * sum;
    // The first sign stays as it is: the others in the order of Gray's code, one of them changed in each step.
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
        // Ties are no arrangement.
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
