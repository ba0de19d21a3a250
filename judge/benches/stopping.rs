//! The stopping rule of `judge compare --until-decided`, simulated: error rates under null hypotheses, cases until a
//! decision, and the same for the alternatives. Prints the tables of docs/comparing.md.
//!
//! `cargo bench -p judge --bench stopping [-- RUNS]`; 4,000 runs a row unless told otherwise.
#![allow(clippy::print_stdout, reason = "the tables are what it is for")]

#[path = "../../tests/statistics/populations.rs"]
mod populations;

use judge::statistics::{Decision, Moments, Random, Sequence, SequenceSettings, is_looked_at, power};
use populations::{Population, normal};

const ALPHA: f64 = 0.05;
const LOOKS: usize = 1_000;

fn main() {
    let runs = std::env::args().filter_map(|argument| argument.parse().ok()).next().unwrap_or(4_000);
    null_table(runs);
    rare_table(runs / 4);
    effect_table(runs);
    other_effects_table(runs / 4);
    smaller_table(runs / 4);
    exact_table(runs / 4);
}

/// How a simulated run ended.
struct Stop {
    decision: Decision,
    cases: usize,
}

fn until_decided(
    population: &Population,
    mean: f64,
    min_effect: Option<f64>,
    most: usize,
    random: &mut Random,
) -> Stop {
    stop(population, mean, SequenceSettings { alpha: ALPHA, min_effect, bound: None, rare: None }, most, random)
}

/// With these settings, looking as the command does.
fn stop(population: &Population, mean: f64, settings: SequenceSettings, most: usize, random: &mut Random) -> Stop {
    let mut sequence = Sequence::new(settings).expect("useful settings");
    for cases in 1..=most {
        sequence.push(population.draw(random) + mean);
        if !is_looked_at(cases) {
            continue;
        }
        let decision = sequence.decision();
        if decision != Decision::Undecided {
            return Stop { decision, cases };
        }
    }
    Stop { decision: Decision::Undecided, cases: most }
}

/// The naive alternative: a t-test after every case from the tenth on, until it is significant.
fn repeated_t_tests_decide(population: &Population, critical: &[f64], random: &mut Random) -> bool {
    let mut moments = Moments::default();
    (0..LOOKS).any(|case| {
        moments.push(population.draw(random));
        case >= 9 && moments.mean().abs() > critical[case] * moments.standard_error()
    })
}

fn null_table(runs: usize) {
    let critical: Vec<f64> = (0..LOOKS as u64).map(critical_t).collect();
    println!("False decisions of {runs} runs with mean effect 0, looks as the command, up to {LOOKS} cases:\n");
    println!("| effects | \"better\" | \"worse\" | together | repeated t-tests |\n|---|---:|---:|---:|---:|");
    for (seed, (name, population)) in
        [populations::kept(), populations::fresh(), populations::broken()].concat().iter().enumerate()
    {
        let mut random = Random::new(seed as u64);
        let stops: Vec<Stop> = (0..runs).map(|_| until_decided(population, 0.0, None, LOOKS, &mut random)).collect();
        let share = |wanted| percent(stops.iter().filter(|stop| stop.decision == wanted).count(), runs);
        let (better, worse) = (share(Decision::Better), share(Decision::Worse));
        let naive = (0..runs).filter(|_| repeated_t_tests_decide(population, &critical, &mut random)).count();
        println!("| {name} | {better:.1} % | {worse:.1} % | {:.1} % | {:.0} % |", better + worse, percent(naive, runs));
    }
}

/// Losses too rare to be seen behind the noise of the other cases, with `--rare` and without.
fn rare_table(runs: usize) {
    println!("\nRare losses, mean 0, {runs} runs, up to {LOOKS} cases: false decisions without --rare and with it:\n");
    println!("| losses | noise of the others | false | with --rare | least possible at 1.35 times Wald's cases |");
    println!("|---|---:|---:|---:|---:|");
    for (share, noise, population) in populations::rare() {
        let mut random = Random::new(5);
        let mut wrong = |rare| {
            let settings = SequenceSettings { alpha: ALPHA, min_effect: None, bound: None, rare };
            let stops = (0..runs).map(|_| stop(&population, 0.0, settings, LOOKS, &mut random));
            percent(stops.filter(|stop| stop.decision != Decision::Undecided).count(), runs)
        };
        let (plain, careful) = (wrong(None), wrong(Some(share)));
        let Population::RareLosses { loss, .. } = population else { continue };
        let effect = loss * share / (1.0 - share) / noise;
        let least = 100.0 * (1.0 - share).powf(1.35 * mean_wald_cases(effect, &mut random));
        println!("| {:.0} % | {noise} | {plain:.1} % | {careful:.1} % | {least:.1} % |", 100.0 * share);
    }
}

/// The two-sided 5 % point of Student's t for `cases + 1` cases, by way of the interval that the library prints.
fn critical_t(cases: u64) -> f64 {
    power::detectable_effect(1.0, cases + 1, ALPHA, 0.5)
        .map_or(f64::INFINITY, |effect| effect * (cases as f64 + 1.0).sqrt())
}

fn effect_table(runs: usize) {
    println!("\nMean number of cases, {runs} runs, normal effects with unknown variance (known to Wald's test):\n");
    println!(
        "| effect | until decided | decided rightly | Wald's SPRT | ratio | fixed n (power 97.5 %) | fixed n (80 %) |"
    );
    println!("|---:|---:|---:|---:|---:|---:|---:|");
    for mean in [0.1, 0.25, 0.5, 1.0] {
        let mut random = Random::new(1);
        let stops: Vec<Stop> =
            (0..runs).map(|_| until_decided(&Population::Normal, mean, None, 20_000, &mut random)).collect();
        let cases = mean_cases(&stops);
        let right = percent(stops.iter().filter(|stop| stop.decision == Decision::Better).count(), runs);
        let wald = mean_wald_cases(mean, &mut random);
        let fixed = |power| power::cases_needed(1.0, mean, ALPHA, power).unwrap_or_default();
        println!(
            "| {mean} sd | {cases:.1} | {right:.1} % | {wald:.1} | {:.2} | {} | {} |",
            cases / wald,
            fixed(0.975),
            fixed(0.8)
        );
    }
}

/// What tails and ties cost, where a test of a fixed number of normal effects takes 64 cases (power 97.5 %).
fn other_effects_table(runs: usize) {
    println!("\nMean number of cases at 0.5 sd, {runs} runs, other effects:\n");
    println!("| effects | until decided | decided rightly |\n|---|---:|---:|");
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
        let stops: Vec<Stop> = (0..runs).map(|_| until_decided(&population, 0.5, None, 20_000, &mut random)).collect();
        let right = stops.iter().filter(|stop| stop.decision == Decision::Better).count();
        println!("| {name} | {:.1} | {:.1} % |", mean_cases(&stops), percent(right, runs));
    }
}

/// The mean over enough runs for three digits.
fn mean_wald_cases(mean: f64, random: &mut Random) -> f64 {
    const RUNS: usize = 20_000;
    (0..RUNS).map(|_| wald_cases(mean, random)).sum::<usize>() as f64 / RUNS as f64
}

/// Wald's sequential probability ratio test of mean 0 against `mean`, variance known, each error alpha / 2, where
/// `mean` is true (Wald, "Sequential tests of statistical hypotheses", Ann. Math. Statist. 16, 1945).
fn wald_cases(mean: f64, random: &mut Random) -> usize {
    let bound = ((1.0 - ALPHA / 2.0) / (ALPHA / 2.0)).ln();
    let mut log_ratio = 0.0_f64;
    let mut cases = 0;
    while log_ratio.abs() < bound {
        log_ratio += mean * (normal(random) + mean) - mean * mean / 2.0;
        cases += 1;
    }
    cases
}

fn smaller_table(runs: usize) {
    println!("\n\"Smaller than 0.5 sd\", {runs} runs: false where the mean is 0.5 sd, right where it is 0:\n");
    println!("| effects | false at 0.5 sd | right at 0 | mean cases at 0 | interval contained the mean when stopped |");
    println!("|---|---:|---:|---:|---:|");
    let populations =
        [("normal", Population::Normal), ("heavy-tailed", Population::HeavyTailed), ("skewed", Population::Skewed)];
    for (name, population) in populations {
        let mut random = Random::new(2);
        let mut stops = |mean| -> Vec<Stop> {
            (0..runs).map(|_| until_decided(&population, mean, Some(0.5), LOOKS, &mut random)).collect()
        };
        let smaller = |stops: &[Stop]| stops.iter().filter(|stop| stop.decision == Decision::Smaller).count();
        let (at_bound, at_zero) = (stops(0.5), stops(0.0));
        println!(
            "| {name} | {:.1} % | {:.1} % | {:.0} | {:.1} % |",
            percent(smaller(&at_bound), runs),
            percent(smaller(&at_zero), runs),
            mean_cases(&at_zero),
            percent((0..runs).filter(|_| interval_holds(&population, 0.5, &mut random)).count(), runs)
        );
    }
}

/// Stops as soon as a decision falls, and looks whether the interval at that moment holds the true mean.
fn interval_holds(population: &Population, mean: f64, random: &mut Random) -> bool {
    let mut sequence = Sequence::new(SequenceSettings { alpha: ALPHA, min_effect: None, bound: None, rare: None })
        .expect("useful settings");
    while sequence.decision() == Decision::Undecided && sequence.moments().count() < LOOKS {
        sequence.push(population.draw(random) + mean);
    }
    sequence.interval().is_none_or(|interval| interval.contains(mean))
}

/// What the bound alone can claim (`--exact`): no effect is larger than this many standard deviations.
fn exact_table(runs: usize) {
    println!("\n--exact, {runs} runs, up to {LOOKS} cases: false at 0, and where the mean is 0.5 sd:\n");
    println!("| effects | bound | false at 0 | right at 0.5 sd | mean cases | without --exact |");
    println!("|---|---:|---:|---:|---:|---:|");
    let populations = [
        ("many ties (80 %)", Population::Ties, 10.0),
        ("uniform", Population::Uniform, 10.0),
        ("two points, 10 % gains", Population::TwoPoints { ties: 0.0, gains: 0.1 }, 10.0),
        ("two points, 10 % gains", Population::TwoPoints { ties: 0.0, gains: 0.1 }, 4.0),
        ("75 % ties, 20 % small losses, 5 % gains", Population::LopsidedTies, 10.0),
        ("columns, half and all of the time", Population::recorded("columns-short", "columns-long"), 10.0),
        ("2 % rare large gains", Population::RareGains, 10.0),
    ];
    for (name, population, bound) in populations {
        let mut random = Random::new(4);
        let mut decided = |mean, bound| -> Vec<Stop> {
            let settings = SequenceSettings { alpha: ALPHA, min_effect: None, bound, rare: None };
            (0..runs).map(|_| stop(&population, mean, settings, LOOKS, &mut random)).collect()
        };
        let (at_zero, at_half, usual) = (decided(0.0, Some(bound)), decided(0.5, Some(bound)), decided(0.5, None));
        let wrong = at_zero.iter().filter(|stop| stop.decision != Decision::Undecided).count();
        let right = at_half.iter().filter(|stop| stop.decision == Decision::Better).count();
        println!(
            "| {name} | {bound} sd | {:.1} % | {:.1} % | {:.1} | {:.1} |",
            percent(wrong, runs),
            percent(right, runs),
            mean_cases(&at_half),
            mean_cases(&usual)
        );
    }
}

fn mean_cases(stops: &[Stop]) -> f64 {
    stops.iter().map(|stop| stop.cases).sum::<usize>() as f64 / stops.len() as f64
}

fn percent(count: usize, of: usize) -> f64 {
    100.0 * count as f64 / of as f64
}
