//! Claims from a fixed number of cases: the level if the deciding cases can have shown, and its cost.

use super::fixed_populations::{COUNTS, Null, chosen_on, found, rates, unseen};
use judge_statistics::Random;

const RUNS: usize = 2_000;

/// Returns how often, in percent, the more frequent of the two claims is made when both are false.
fn false_claims(population: &Null, cases: usize) -> f64 {
    let rates = rates(cases, RUNS, &mut Random::new(cases as u64), |random| population.draw(random));
    rates.better.max(rates.worse)
}

#[test]
#[ignore = "CI: thousands of comparisons"]
fn claims_are_seldom_false_at_three_expected_events() {
    for (name, rarest, population) in [chosen_on(), unseen()].concat() {
        let Some(rarest) = rarest else { continue };
        for cases in COUNTS.into_iter().filter(|&cases| cases as f64 * rarest >= 3.0) {
            let share = false_claims(&population, cases);
            assert!(share <= 5.0, "{name}, {cases} cases: {share} %");
        }
    }
}

#[test]
fn long_tails_keep_the_level_from_20_cases() {
    for sigma in [1.0, 1.5] {
        for cases in [20, 50, 200] {
            let share = false_claims(&Null::LogNormal(sigma), cases);
            assert!(share <= 8.0, "sigma {sigma}, {cases} cases: {share} %");
        }
    }
}

#[test]
fn five_cases_claim_nothing() {
    for (name, _, population) in [chosen_on(), unseen()].concat() {
        assert_eq!(false_claims(&population, 5), 0.0, "{name}");
    }
}

#[test]
fn normal_effects_are_found_as_by_students_test() {
    let (_, normal) = found()[0];
    let rates = rates(20, 4_000, &mut Random::new(1), normal);
    assert!(rates.student_better > 50.0 && rates.better > rates.student_better - 4.0, "{rates:?}");
}
