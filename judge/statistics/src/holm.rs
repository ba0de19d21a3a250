//! Several tests that share one error probability.

/// Returns the error probability that each of these tests is decided at, so that any of them is a false alarm with the
/// probability `alpha` at most (Holm, Scandinavian Journal of Statistics 6, 1979). `levels` are their p-values, and a test
/// rejects if its own is at most what is returned for it.
///
/// The smallest of m p-values is held against alpha / m, the next against alpha / (m − 1), and so on, up to the first that
/// is larger: the others are held against the same.
#[must_use]
pub fn holm(levels: &[f64], alpha: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..levels.len()).collect();
    order.sort_by(|&left, &right| levels[left].total_cmp(&levels[right]));
    let mut shared = vec![alpha; levels.len()];
    let mut step = 0;
    for (place, &test) in order.iter().enumerate() {
        shared[test] = alpha / (levels.len() - step) as f64;
        if step == place && levels[test] <= shared[test] {
            step += 1;
        }
    }
    shared
}

#[cfg(test)]
mod tests {
    use super::holm;

    #[test]
    fn one_test_has_the_whole_level() {
        assert_eq!(holm(&[0.2], 0.05), [0.05]);
        assert!(holm(&[], 0.05).is_empty());
    }

    #[test]
    fn each_rejection_leaves_more_to_the_others() {
        // 0.01 <= 0.06 / 3; 0.025 <= 0.06 / 2; 0.07 > 0.06.
        assert_eq!(holm(&[0.07, 0.01, 0.025], 0.06), [0.06, 0.02, 0.03]);
    }

    #[test]
    fn nothing_is_rejected_behind_the_first_that_is_not() {
        // 0.03 > 0.06 / 3, so that 0.05 is held against 0.02 as well, and not against 0.03 or 0.06.
        assert_eq!(holm(&[0.05, 0.03, 0.055], 0.06), [0.02; 3]);
    }
}
