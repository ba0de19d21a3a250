//! False decisions where the mean effect is 0.

use crate::least::{Speed, least_false_percent};
use crate::populations::{self, Population};
use crate::simulate::{ALPHA, LOOKS, Stop, mean_wald_cases, percent, settings, share, stop, stop_at};
use crate::totals::{draw, equal_totals};
use judge_statistics::{Decision, Moments, Random, SequenceSettings, power};

pub(crate) fn null_table(runs: usize) {
    let critical: Vec<f64> = (0..LOOKS as u64).map(critical_t).collect();
    println!("False decisions of {runs} runs with mean effect 0, up to {LOOKS} cases:\n");
    println!("| effects | \"better\" | \"worse\" | together | repeated t-tests |\n|---|---:|---:|---:|---:|");
    for (seed, (name, population)) in
        [populations::kept(), populations::fresh(), populations::broken()].concat().iter().enumerate()
    {
        let mut random = Random::new(seed as u64);
        let stops: Vec<Stop> = (0..runs).map(|_| stop_at(population, 0.0, settings(), LOOKS, &mut random)).collect();
        let naive = (0..runs).filter(|_| repeated_t_tests_decide(population, &critical, &mut random)).count();
        println!("| {name} | {} | {:.0} % |", sides(&stops), percent(naive, runs));
    }
}

/// Better, worse and both, as three cells.
fn sides(stops: &[Stop]) -> String {
    let [better, worse] = [Decision::Better, Decision::Worse].map(|side| share(stops, |decision| decision == side));
    format!("{better:.1} % | {worse:.1} % | {:.1} %", better + worse)
}

/// The naive alternative: a t-test after every case from the tenth on, until it is significant.
fn repeated_t_tests_decide(population: &Population, critical: &[f64], random: &mut Random) -> bool {
    let mut moments = Moments::default();
    (0..LOOKS).any(|case| {
        moments.push(population.draw(random));
        case >= 9 && moments.mean().abs() > critical[case] * moments.standard_error()
    })
}

/// The two-sided 5 % quantile of Student's t for `cases + 1` cases, from the interval that the library prints.
fn critical_t(cases: u64) -> f64 {
    power::detectable_effect(1.0, cases + 1, ALPHA, 0.5)
        .map_or(f64::INFINITY, |effect| effect * (cases as f64 + 1.0).sqrt())
}

/// Whether the level still holds after many cases.
pub(crate) fn long_table(runs: usize) {
    const MAX: usize = 10_000;
    println!("\nFalse decisions of {runs} runs with mean effect 0, by the number of cases:\n");
    println!("| effects | up to 1,000 | up to 10,000 |\n|---|---:|---:|");
    let columns = || Population::recorded("columns-short", "columns-long");
    let shown = [
        ("normal", Population::Normal),
        ("heavy-tailed (t, 3 degrees of freedom)", Population::HeavyTailed),
        ("skewed (exponential)", Population::Skewed),
        ("very skewed (lognormal)", Population::VerySkewed),
        ("columns, half and all of the time", columns()),
    ];
    for (seed, (name, population)) in shown.iter().enumerate() {
        let mut random = Random::new(100 + seed as u64);
        let stops: Vec<Stop> = (0..runs).map(|_| stop_at(population, 0.0, settings(), MAX, &mut random)).collect();
        let by = |most| {
            let is_false = |stop: &&Stop| stop.decision != Decision::Undecided && stop.cases <= most;
            percent(stops.iter().filter(is_false).count(), runs)
        };
        println!("| {name} | {:.1} % | {:.1} % |", by(LOOKS), by(MAX));
    }
}

/// Shares of a total, where the totals are equal and the scores of very different sizes.
pub(crate) fn total_table(runs: usize) {
    println!("\nFalse decisions of {runs} runs with equal totals, by the measure total, up to {LOOKS} cases:\n");
    println!(
        "| scores | \"better\" | \"worse\" | together | \"smaller than 20 %\" where it is 20 % |\n|---|---:|---:|---:|---:|"
    );
    for (seed, (name, sizes, change)) in equal_totals().into_iter().enumerate() {
        let mut random = Random::new(200 + seed as u64);
        let stops: Vec<Stop> =
            (0..runs).map(|_| stop(settings(), LOOKS, || draw(sizes, change, &mut random))).collect();
        let smaller = SequenceSettings { min_effect: Some(0.2), ..settings() };
        let shifted = |random: &mut Random| {
            let mut term = draw(sizes, change, random);
            term.effect += 0.2 * term.base;
            term
        };
        let at_bound: Vec<Stop> = (0..runs).map(|_| stop(smaller, LOOKS, || shifted(&mut random))).collect();
        let wrong = share(&at_bound, |decision| decision == Decision::Smaller);
        println!("| {name} | {} | {wrong:.1} % |", sides(&stops));
    }
}

/// Losses that are too rare to be seen behind the noise of the other cases, with `--rare` and without.
pub(crate) fn rare_table(runs: usize) {
    println!("\nRare losses, mean 0, {runs} runs, up to {LOOKS} cases: false decisions without --rare and with it:\n");
    println!("| losses | noise of the others | false | with --rare | least possible at 1.35 times Wald's cases |");
    println!("|---|---:|---:|---:|---:|");
    let goals = goals(1.35);
    for (share, noise, population) in populations::rare() {
        let mut random = Random::new(5);
        let mut wrong = |rare| false_share(&population, SequenceSettings { rare, ..settings() }, runs, &mut random);
        let (plain, careful) = (wrong(None), wrong(Some(share)));
        let Population::RareLosses { loss, .. } = population else { continue };
        let mean = loss * share / (1.0 - share) / noise;
        let least = least_false_percent(share, mean, &goals);
        println!("| {:.0} % | {noise} | {plain:.1} % | {careful:.1} % | {least:.1} % |", 100.0 * share);
    }
    least_elsewhere();
}

/// The last column for other goals.
fn least_elsewhere() {
    let (one, five) = (100.0_f64.ln() * 0.01 / 0.99 / 0.3, 2.0 * 0.05 / 0.95 / 0.1);
    let [quarter, half, whole] = goals(1.35);
    println!(
        "\nLeast possible with 5 % losses and noise 0.1 without the goal at 1 sd: {:.1} %; with 29.9 cases there: {:.1} %",
        least_false_percent(0.05, five, &[quarter, half]),
        least_false_percent(0.05, five, &[quarter, half, Speed { cases: 29.9, ..whole }])
    );
    println!(
        "With 1 % losses and noise 0.3 at 1.7 times Wald's cases: {:.1} %",
        least_false_percent(0.01, one, &goals(1.7))
    );
}

/// This many times Wald's number of cases at a fourth and half of a standard deviation, and at a whole one not more
/// than at half.
fn goals(factor: f64) -> [Speed; 3] {
    let [quarter, half] = [0.25, 0.5].map(|mean| factor * mean_wald_cases(mean, ALPHA / 2.0, &mut Random::new(7)));
    [(0.25, quarter), (0.5, half), (1.0, half)].map(|(mean, cases)| Speed { mean, cases })
}

fn false_share(population: &Population, settings: SequenceSettings, runs: usize, random: &mut Random) -> f64 {
    let stops: Vec<Stop> = (0..runs).map(|_| stop_at(population, 0.0, settings, LOOKS, random)).collect();
    share(&stops, |decision| decision != Decision::Undecided)
}
