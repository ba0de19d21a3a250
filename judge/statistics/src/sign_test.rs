//! The exact sign test: are wins and losses equally likely?

use statrs::function::factorial::ln_binomial;

/// Wins, ties and losses of B against A, and their probability under a fair coin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SignTest {
    /// Cases with a positive effect.
    pub wins: usize,
    /// Cases with an effect of exactly 0. They have no direction and are left out of the test.
    pub ties: usize,
    /// Cases with a negative effect.
    pub losses: usize,
    /// The two-sided probability, under a fair coin, of a split at least as uneven: min(1, 2 P(X <= min(wins,
    /// losses))), X binomial(wins + losses, 1/2). 1 without wins and losses.
    pub p: f64,
}

/// Runs the sign test on paired effects.
#[must_use]
pub fn sign_test(effects: &[f64]) -> SignTest {
    let wins = effects.iter().filter(|&&effect| effect > 0.0).count();
    let losses = effects.iter().filter(|&&effect| effect < 0.0).count();
    let p = (2.0 * lower_tail(wins + losses, wins.min(losses))).min(1.0);
    SignTest { wins, ties: effects.len() - wins - losses, losses, p }
}

/// Returns P(X <= most) for X binomial(tosses, 1/2).
fn lower_tail(tosses: usize, most: usize) -> f64 {
    // From the largest term downwards by exact ratios: one logarithm, then only products of ratios below 1.
    let mut term = (ln_binomial(tosses as u64, most as u64) - tosses as f64 * std::f64::consts::LN_2).exp();
    let mut sum = 0.0;
    for heads in (0..=most).rev() {
        sum += term;
        term *= heads as f64 / (tosses - heads + 1) as f64;
    }
    sum
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
}
