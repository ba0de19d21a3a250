//! The generalised sequential probability ratio test of `--h0` and `--h1`.

use crate::populations::Population;
use crate::simulate::{ALPHA, mean_wald_cases, percent};
use judge_statistics::{Hypotheses, Hypothesis, LikelihoodRatio, Random, Term};

pub(crate) fn hypotheses_table(runs: usize) {
    println!("\n--h0 0 --h1 D, α = β = 5 %, {runs} runs:\n");
    println!("| D | effects | \"H1\" under H0 | \"H0\" under H1 | cases under H0 | cases under H1 | Wald's SPRT |");
    println!("|---:|---|---:|---:|---:|---:|---:|");
    let populations = [
        ("normal", Population::Normal),
        ("heavy-tailed (t, 3 degrees of freedom)", Population::HeavyTailed),
        ("many ties (80 %)", Population::Ties),
        ("skewed, gains in the tail (exponential)", Population::Skewed),
        ("very skewed, gains in the tail (lognormal)", Population::VerySkewed),
        ("10 % uncommon gains", Population::UncommonGains),
        ("columns, half and all of the time", Population::recorded("columns-short", "columns-long")),
    ];
    for h1 in [0.1, 0.25, 0.5] {
        let wald = mean_wald_cases(h1, ALPHA, &mut Random::new(9));
        for (name, population) in &populations {
            let mut random = Random::new(10);
            let hypotheses = Hypotheses { h0: 0.0, h1, alpha: ALPHA, beta: ALPHA };
            let mut at = |mean, wrong| rates(population, mean, hypotheses, wrong, runs, &mut random);
            let [under_h0, under_h1] = [at(0.0, Hypothesis::H1), at(h1, Hypothesis::H0)];
            println!(
                "| {h1} sd | {name} | {:.1} % | {:.1} % | {:.0} | {:.0} | {wald:.0} |",
                under_h0[0], under_h1[0], under_h0[1], under_h1[1]
            );
        }
    }
}

/// The share of runs that accept the wrong hypothesis, and the mean number of cases.
fn rates(
    population: &Population,
    mean: f64,
    hypotheses: Hypotheses,
    wrong: Hypothesis,
    runs: usize,
    random: &mut Random,
) -> [f64; 2] {
    let (mut errors, mut cases) = (0, 0);
    for _ in 0..runs {
        let mut ratio = LikelihoodRatio::new(hypotheses);
        let accepted = loop {
            ratio.push(Term::plain(population.draw(random) + mean));
            cases += 1;
            if let Some(accepted) = ratio.accepted() {
                break accepted;
            }
        };
        errors += usize::from(accepted == wrong);
    }
    [percent(errors, runs), cases as f64 / runs as f64]
}
