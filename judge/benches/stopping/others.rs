//! The claim that a difference is small, and claims that rest on a bound.

use crate::populations::Population;
use crate::simulate::{LOOKS, Stop, mean_cases, percent, settings, share, stop_at};
use judge_statistics::{Decision, Random, Sequence, SequenceSettings};

pub(crate) fn smaller_table(runs: usize) {
    println!("\n\"Smaller than 0.5 sd\", {runs} runs: false where the mean is 0.5 sd, right where it is 0:\n");
    println!("| effects | false at 0.5 sd | right at 0 | mean cases at 0 | interval contained the mean when stopped |");
    println!("|---|---:|---:|---:|---:|");
    let populations =
        [("normal", Population::Normal), ("heavy-tailed", Population::HeavyTailed), ("skewed", Population::Skewed)];
    for (name, population) in populations {
        let mut random = Random::new(2);
        let half = SequenceSettings { min_effect: Some(0.5), ..settings() };
        let mut stops =
            |mean| -> Vec<Stop> { (0..runs).map(|_| stop_at(&population, mean, half, LOOKS, &mut random)).collect() };
        let smaller = |stops: &[Stop]| share(stops, |decision| decision == Decision::Smaller);
        let (at_bound, at_zero) = (stops(0.5), stops(0.0));
        println!(
            "| {name} | {:.1} % | {:.1} % | {:.0} | {:.1} % |",
            smaller(&at_bound),
            smaller(&at_zero),
            mean_cases(&at_zero),
            percent((0..runs).filter(|_| interval_holds(&population, 0.5, &mut random)).count(), runs)
        );
    }
}

/// Stops at the decision, and checks whether the interval at that moment contains the true mean.
fn interval_holds(population: &Population, mean: f64, random: &mut Random) -> bool {
    let mut sequence = Sequence::new(settings()).expect("useful settings");
    while sequence.decision() == Decision::Undecided && sequence.count() < LOOKS {
        sequence.push(population.draw(random) + mean);
    }
    sequence.interval().is_none_or(|interval| interval.contains(mean))
}

/// The claims that the bound itself allows (`--exact`): no effect is larger than this many standard deviations.
pub(crate) fn exact_table(runs: usize) {
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
            let settings = SequenceSettings { bound, ..settings() };
            (0..runs).map(|_| stop_at(&population, mean, settings, LOOKS, &mut random)).collect()
        };
        let (at_zero, at_half, usual) = (decided(0.0, Some(bound)), decided(0.5, Some(bound)), decided(0.5, None));
        println!(
            "| {name} | {bound} sd | {:.1} % | {:.1} % | {:.1} | {:.1} |",
            share(&at_zero, |decision| decision != Decision::Undecided),
            share(&at_half, |decision| decision == Decision::Better),
            mean_cases(&at_half),
            mean_cases(&usual)
        );
    }
}
