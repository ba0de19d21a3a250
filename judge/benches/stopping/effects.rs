//! Cases until a decision, and the estimate then.

use crate::populations::Population;
use crate::simulate::{ALPHA, Stop, error_of_cases, mean_cases, mean_wald_cases, settings, share, stop_at};
use judge_statistics::{Decision, Random, power};

pub(crate) fn effect_table(runs: usize) {
    println!("\nMean number of cases, {runs} runs, normal effects with unknown variance (known to Wald's test):\n");
    println!(
        "| effect | until decided | decided rightly | Wald's SPRT | ratio | standard error | fixed n (power 97.5 %) | fixed n (80 %) |"
    );
    println!("|---:|---:|---:|---:|---:|---:|---:|---:|");
    for mean in [0.1, 0.25, 0.5, 1.0] {
        let mut random = Random::new(1);
        let stops: Vec<Stop> =
            (0..runs).map(|_| stop_at(&Population::Normal, mean, settings(), 20_000, &mut random)).collect();
        let (cases, right) = (mean_cases(&stops), share(&stops, |decision| decision == Decision::Better));
        let wald = mean_wald_cases(mean, ALPHA / 2.0, &mut random);
        let fixed = |power| power::cases_needed(1.0, mean, ALPHA, power).unwrap_or_default();
        println!(
            "| {mean} sd | {cases:.1} | {right:.1} % | {wald:.1} | {:.2} | {:.2} | {} | {} |",
            cases / wald,
            error_of_cases(&stops) / wald,
            fixed(0.975),
            fixed(0.8)
        );
    }
    least_for_one_in_ten();
}

/// If nine cases of ten lose and one gains enough to compensate, the first T cases show no gain with a probability of
/// 0.9^T. So a test that takes T cases on average has at least this error rate.
fn least_for_one_in_ten() {
    let cases = |level: f64| level.ln() / 0.9_f64.ln();
    let wald = mean_wald_cases(1.0, ALPHA / 2.0, &mut Random::new(2));
    println!(
        "\nLeast mean number of cases at 1 sd for a test that errs 5.5 % of the time where one case in ten pays for nine: {:.1}, {:.2} times Wald's",
        cases(0.055),
        cases(0.055) / wald
    );
    let fixed = power::cases_needed(1.0, 1.0, ALPHA, 0.975).unwrap_or_default() as f64;
    println!(
        "Errors there of a test that takes 2.5 times Wald's: {:.1} %; as many as the fixed n: {:.1} %",
        100.0 * 0.9_f64.powf(2.5 * wald),
        100.0 * 0.9_f64.powf(fixed)
    );
}

/// How much the estimate at the stop exceeds the effect.
pub(crate) fn bias_table(runs: usize) {
    println!("\nThe estimate where cases ended, {runs} runs, normal effects:\n");
    println!("| effect | mean estimate | standard error |\n|---:|---:|---:|");
    for mean in [0.1, 0.2, 0.5, 1.0] {
        let mut random = Random::new(12);
        let stops: Vec<Stop> =
            (0..runs).map(|_| stop_at(&Population::Normal, mean, settings(), 20_000, &mut random)).collect();
        let count = runs as f64;
        let average = stops.iter().map(|stop| stop.mean).sum::<f64>() / count;
        let spread = stops.iter().map(|stop| (stop.mean - average).powi(2)).sum::<f64>() / (count - 1.0);
        let error = 100.0 * (spread / count).sqrt() / mean;
        println!("| {mean} sd | {:+.0} % | {error:.1} % |", 100.0 * (average / mean - 1.0));
    }
}

/// The cost of tails and ties, where a test of a fixed number of normal effects takes 64 cases (power 97.5 %).
pub(crate) fn other_effects_table(runs: usize) {
    println!("\nMean number of cases at 0.5 sd, {runs} runs, other effects:\n");
    println!("| effects | until decided | standard error | decided rightly |\n|---|---:|---:|---:|");
    let populations = [
        ("heavy-tailed (t, 3 degrees of freedom)", Population::HeavyTailed),
        ("contaminated (10 % with 5 times the spread)", Population::Contaminated),
        ("many ties (80 %)", Population::Ties),
        ("skewed, the tail on the side of the claim (exponential)", Population::Skewed),
        ("very skewed, the tail against the claim (lognormal)", Population::Mirrored(Box::new(Population::VerySkewed))),
        ("skewed, the tail against the claim (exponential)", Population::Mirrored(Box::new(Population::Skewed))),
        ("columns, half and all of the time", Population::recorded("columns-short", "columns-long")),
        ("columns, plain and strong", Population::recorded("columns-plain", "columns-long")),
    ];
    for (name, population) in populations {
        let mut random = Random::new(3);
        let stops: Vec<Stop> = (0..runs).map(|_| stop_at(&population, 0.5, settings(), 20_000, &mut random)).collect();
        let right = share(&stops, |decision| decision == Decision::Better);
        println!("| {name} | {:.1} | {:.1} | {right:.1} % |", mean_cases(&stops), error_of_cases(&stops));
    }
}
