//! Tests that need only the signs or the ranks of paired effects: the sign test, and the Wilcoxon signed-rank test with zeros by
//! Pratt's rule and ties by mid-ranks.

use statrs::distribution::{ContinuousCDF, Normal};
use statrs::function::factorial::ln_binomial;

/// Wins, ties and losses of B against A, and their probability under a fair coin.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, schemars::JsonSchema)]
pub struct SignTest {
    /// Cases with a positive effect.
    pub wins: usize,
    /// Cases with an effect of exactly 0. They have no direction and are left out of the test.
    pub ties: usize,
    /// Cases with a negative effect.
    pub losses: usize,
    /// The two-sided probability, under a fair coin, of a split at least as uneven: min(1, 2 P(X <= min(wins,
    /// losses))), X binomial(wins + losses, 1/2). 1 without wins and losses.
    #[serde(rename = "sign_test_p")]
    pub p: f64,
}

/// Runs the sign test on paired effects.
pub fn sign_test(effects: &[f64]) -> SignTest {
    let wins = effects.iter().filter(|&&effect| effect > 0.0).count();
    let losses = effects.iter().filter(|&&effect| effect < 0.0).count();
    let p = (2.0 * lower_tail(wins + losses, wins.min(losses))).min(1.0);
    SignTest { wins, ties: effects.len() - wins - losses, losses, p }
}

/// Returns P(X <= most) for X binomial(tosses, 1/2).
fn lower_tail(tosses: usize, most: usize) -> f64 {
    // From the largest term downwards by exact ratios: one logarithm, and then only products of ratios below 1.
    let mut term = (ln_binomial(tosses as u64, most as u64) - tosses as f64 * std::f64::consts::LN_2).exp();
    let mut sum = 0.0;
    for heads in (0..=most).rev() {
        sum += term;
        term *= heads as f64 / (tosses - heads + 1) as f64;
    }
    sum
}

/// Up to this many non-zero effects the distribution is computed exactly, ties and zeros included.
const EXACT_UP_TO: usize = 200;

/// The result of the test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wilcoxon {
    /// The sum of the ranks of the positive effects.
    pub positive_ranks: f64,
    /// The sum of the ranks of the negative effects.
    pub negative_ranks: f64,
    /// The two-sided probability of ranks at least as uneven, if each sign were a fair coin. 1 without non-zero
    /// effects.
    pub p: f64,
    /// Whether `p` is exact (up to 200 non-zero effects) or from the normal approximation.
    pub exact: bool,
}

/// Runs the test on paired effects.
///
/// Zeros by Pratt's rule ("Remarks on zeros and ties in the Wilcoxon signed rank procedures", JASA 54, 1959): they are
/// ranked with the others and then left out, so many ties weaken the evidence. Equal sizes share the mean of their
/// ranks. The exact distribution is the distribution of these ranks under fair signs, computed by dynamic programming
/// over doubled (so whole) ranks; beyond 200 non-zero effects it is normal with variance sum r^2 / 4, which includes
/// the corrections for ties and zeros, and a continuity correction of half a rank.
pub fn wilcoxon(effects: &[f64]) -> Wilcoxon {
    let ranks = signed_doubled_ranks(effects);
    let positive: u64 = ranks.iter().filter(|rank| rank.is_positive).map(|rank| rank.doubled).sum();
    let all: u64 = ranks.iter().map(|rank| rank.doubled).sum();
    let smaller = positive.min(all - positive);
    let exact = ranks.len() <= EXACT_UP_TO;
    let tail = if exact { exact_tail(&ranks, all, smaller) } else { normal_tail(&ranks, all, smaller) };
    Wilcoxon {
        positive_ranks: positive as f64 / 2.0,
        negative_ranks: (all - positive) as f64 / 2.0,
        p: (2.0 * tail).min(1.0),
        exact,
    }
}

/// The rank of a non-zero effect's size. Doubled, because mid-ranks have halves.
struct SignedRank {
    doubled: u64,
    is_positive: bool,
}

fn signed_doubled_ranks(effects: &[f64]) -> Vec<SignedRank> {
    let mut sorted = effects.to_vec();
    sorted.sort_by(|left, right| left.abs().total_cmp(&right.abs()));
    let mut ranks = Vec::with_capacity(sorted.len());
    let mut below = 0;
    for equal in sorted.chunk_by(|left, right| left.abs() == right.abs()) {
        // Ranks below + 1 ..= below + len: twice their mean is 2 below + len + 1.
        let doubled = (2 * below + equal.len() + 1) as u64;
        below += equal.len();
        let non_zero = equal.iter().filter(|&&effect| effect != 0.0);
        ranks.extend(non_zero.map(|&effect| SignedRank { doubled, is_positive: effect > 0.0 }));
    }
    ranks
}

/// Returns P(sum of the doubled ranks with positive sign <= bound), each sign a fair coin.
fn exact_tail(ranks: &[SignedRank], all: u64, bound: u64) -> f64 {
    let mut probability = vec![0.0; all as usize + 1];
    probability[0] = 1.0;
    let mut reach = 0;
    for rank in ranks {
        let rank = rank.doubled as usize;
        reach += rank;
        for sum in (0..=reach).rev() {
            let with = if sum >= rank { probability[sum - rank] } else { 0.0 };
            probability[sum] = f64::midpoint(probability[sum], with);
        }
    }
    probability[..=bound as usize].iter().sum()
}

/// Returns the normal approximation of the same.
fn normal_tail(ranks: &[SignedRank], all: u64, bound: u64) -> f64 {
    let variance: f64 = ranks.iter().map(|rank| (rank.doubled as f64).powi(2) / 4.0).sum();
    let distance = bound as f64 - all as f64 / 2.0 + 1.0;
    Normal::standard().cdf(distance / variance.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(wins: usize, ties: usize, losses: usize) -> SignTest {
        let effects = [vec![0.5; wins], vec![0.0; ties], vec![-2.0; losses]].concat();
        sign_test(&effects)
    }

    #[test]
    fn hand_worked_splits() {
        // 9 of 10: 2 (1 + 10) / 1024. 5 of 5: 2 / 32.
        assert!((split(9, 3, 1).p - 22.0 / 1024.0).abs() < 1e-12);
        assert!((split(0, 0, 5).p - 0.0625).abs() < 1e-12);
        assert_eq!((split(9, 3, 1).wins, split(9, 3, 1).ties, split(9, 3, 1).losses), (9, 3, 1));
    }

    #[test]
    fn an_even_split_and_no_split_are_no_surprise() {
        assert_eq!(split(4, 1, 4).p, 1.0);
        assert_eq!(split(0, 7, 0).p, 1.0);
        assert_eq!(sign_test(&[]).p, 1.0);
    }

    #[test]
    fn the_tails_of_every_small_coin_are_those_of_counting() {
        for tosses in 1..=12_usize {
            for most in 0..=tosses {
                let favourable = (0..1_u32 << tosses).filter(|bits| bits.count_ones() as usize <= most).count();
                let exact = favourable as f64 / f64::from(1_u32 << tosses);
                assert!((lower_tail(tosses, most) - exact).abs() < 1e-12, "{tosses} {most}");
            }
        }
    }

    #[test]
    fn a_hundred_thousand_cases_stay_finite() {
        let p = split(50_500, 0, 49_500).p;
        // The normal approximation with continuity correction: z = 999 / sqrt(100000), p = 0.001583.
        assert!((p - 0.001_583).abs() < 2e-6, "{p}");
    }

    #[test]
    fn hand_worked_without_ties() {
        // Ranks 1..5, only rank 1 negative: sums <= 1 are {} and {1}: 2 of 32, twice.
        let test = wilcoxon(&[-0.1, 0.2, 0.3, 0.4, 0.5]);
        assert_eq!((test.positive_ranks, test.negative_ranks), (14.0, 1.0));
        assert!(test.exact && (test.p - 4.0 / 32.0).abs() < 1e-12);
    }

    #[test]
    fn ties_share_their_ranks_and_zeros_push_the_others_up() {
        // Sizes 0, 1, 1, 2: ranks 1 (dropped), 2.5, 2.5, 4; the negative one has 2.5.
        let test = wilcoxon(&[0.0, 1.0, -1.0, 2.0]);
        assert_eq!((test.positive_ranks, test.negative_ranks), (6.5, 2.5));
        // Sums <= 2.5 of the eight: 0, 2.5, 2.5.
        assert!((test.p - 6.0 / 8.0).abs() < 1e-12);
    }

    #[test]
    fn the_published_table_of_critical_values_holds() {
        // Two-sided 5 %: n = 10 is rejected up to a sum of 8, n = 20 up to 52 (any textbook's table).
        for (count, critical) in [(10_u64, 8_u64), (20, 52)] {
            let ranks: Vec<_> = (1..=count).map(|rank| SignedRank { doubled: 2 * rank, is_positive: true }).collect();
            let all = count * (count + 1);
            assert!(2.0 * exact_tail(&ranks, all, 2 * critical) <= 0.05);
            assert!(2.0 * exact_tail(&ranks, all, 2 * critical + 2) > 0.05);
        }
    }

    #[test]
    fn the_approximation_joins_the_exact_distribution() {
        let effects: Vec<f64> = (1..=200).map(|size| f64::from(if size % 5 < 2 { -size } else { size })).collect();
        let ranks = signed_doubled_ranks(&effects);
        let exact = wilcoxon(&effects);
        let bound = (exact.negative_ranks.min(exact.positive_ranks) * 2.0) as u64;
        let approximate = 2.0 * normal_tail(&ranks, 200 * 201, bound);
        assert!((approximate - exact.p).abs() < 0.03 * exact.p, "{approximate} {}", exact.p);
    }

    #[test]
    fn nothing_but_ties_is_no_evidence() {
        assert_eq!(wilcoxon(&[0.0; 9]).p, 1.0);
        assert_eq!(wilcoxon(&[]).p, 1.0);
    }

    #[test]
    fn the_sign_of_all_effects_turns_the_ranks_and_keeps_p() {
        let effects = [0.3, -1.2, 4.0, 4.0, -0.3, 2.2];
        let turned = wilcoxon(&effects.map(|effect| -effect));
        let test = wilcoxon(&effects);
        assert_eq!((test.positive_ranks, test.negative_ranks), (turned.negative_ranks, turned.positive_ranks));
        assert_eq!(test.p, turned.p);
    }
}
