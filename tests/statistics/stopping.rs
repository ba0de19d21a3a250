//! The stopping rule keeps its promises in simulation: the reduced, deterministic form of `cargo bench --bench
//! stopping`.

mod populations;

use judge::statistics::{Decision, Random, Sequence, SequenceSettings, power};
use populations::Population;

const ALPHA: f64 = 0.05;

/// How a run that looks after every case ended.
struct Stop {
    decision: Decision,
    cases: usize,
}

fn run(population: &Population, mean: f64, min_effect: Option<f64>, most: usize, random: &mut Random) -> Stop {
    let mut sequence =
        Sequence::new(SequenceSettings { alpha: ALPHA, min_effect, bound: None }).expect("useful settings");
    for cases in 1..=most {
        sequence.push(population.draw(random) + mean);
        let decision = sequence.decision();
        if decision != Decision::Undecided {
            return Stop { decision, cases };
        }
    }
    Stop { decision: Decision::Undecided, cases: most }
}

/// The largest count of errors that chance explains (three standard deviations) if the rate is the promised one.
fn tolerated(runs: usize) -> usize {
    let runs = runs as f64;
    (runs * ALPHA + 3.0 * (runs * ALPHA * (1.0 - ALPHA)).sqrt()) as usize
}

#[test]
fn equal_solvers_are_rarely_told_apart_however_often_one_looks() {
    let runs = 1_000;
    for (seed, (name, population)) in populations::kept().iter().enumerate() {
        let mut random = Random::new(seed as u64);
        let stops = (0..runs).map(|_| run(population, 0.0, None, 300, &mut random));
        let false_decisions = stops.filter(|stop| stop.decision != Decision::Undecided).count();
        assert!(false_decisions <= tolerated(runs), "{name}: {false_decisions} of {runs}");
    }
}

#[test]
fn an_effect_that_matters_is_rarely_called_too_small() {
    for population in [Population::Normal, Population::HeavyTailed, Population::Skewed] {
        for mean in [0.5, -0.5] {
            let mut random = Random::new(9);
            let stops = (0..200).map(|_| run(&population, mean, Some(0.5), 300, &mut random));
            let false_decisions = stops.filter(|stop| stop.decision == Decision::Smaller).count();
            assert!(false_decisions <= tolerated(200), "{false_decisions}");
        }
    }
}

#[test]
fn effects_are_found_within_1_3_times_the_cases_of_the_best_test_that_knows_the_variance() {
    let mut random = Random::new(4);
    // Wald's test of 0 against 0.5 sd, both errors 0.025, takes 31.2 cases there (the bench measures it);
    // 1.2 is two standard errors of the mean of these runs. Of effects of 1 sd hardly any are on the other side: the
    // warm-up takes longer than the test of a fixed number of cases.
    for (mean, most) in [(0.5, 31.2 * 1.3 + 1.2), (1.0, 31.0), (0.25, 160.0)] {
        let runs = 1_000;
        let stops: Vec<Stop> = (0..runs).map(|_| run(&Population::Normal, mean, None, 5_000, &mut random)).collect();
        let average = stops.iter().map(|stop| stop.cases).sum::<usize>() as f64 / runs as f64;
        let right = stops.iter().filter(|stop| stop.decision == Decision::Better).count();
        assert!(average <= most, "{mean}: {average}");
        assert!(right * 100 >= runs * 97, "{mean}: {right} of {runs}");
        // A test of a fixed number of cases with the same certainty of finding it needs more.
        assert!(mean == 1.0 || average < power::cases_needed(1.0, mean, ALPHA, 0.975).unwrap() as f64);
    }
}

#[test]
fn long_tails_do_not_hide_an_effect() {
    let mut random = Random::new(8);
    let against = |population| Population::Mirrored(Box::new(population));
    for (population, most) in [
        (Population::HeavyTailed, 75.0),
        (Population::Contaminated, 85.0),
        (Population::Skewed, 60.0),
        (against(Population::Skewed), 170.0),
        (against(Population::VerySkewed), 450.0),
    ] {
        let stops: Vec<Stop> = (0..400).map(|_| run(&population, 0.5, None, 5_000, &mut random)).collect();
        let average = stops.iter().map(|stop| stop.cases).sum::<usize>() as f64 / 400.0;
        let right = stops.iter().filter(|stop| stop.decision == Decision::Better).count();
        assert!(average <= most, "{average}");
        assert!(right >= 392, "{right}");
    }
}

#[test]
fn nothing_is_called_nothing() {
    let mut random = Random::new(5);
    let stops: Vec<Stop> = (0..100).map(|_| run(&Population::Normal, 0.0, Some(0.5), 1_000, &mut random)).collect();
    let smaller = stops.iter().filter(|stop| stop.decision == Decision::Smaller).count();
    assert!(smaller >= 95, "{smaller}");
}

#[test]
fn with_a_bound_no_rare_gain_breaks_the_level() {
    let settings = SequenceSettings { alpha: ALPHA, min_effect: None, bound: Some(8.0) };
    let decided = |mean: f64, runs: usize| -> usize {
        let mut random = Random::new(7);
        let is_decided = |_: &usize| {
            let mut sequence = Sequence::new(settings).expect("useful settings");
            (0..400).any(|_| {
                sequence.push(Population::RareGains.draw(&mut random) + mean);
                sequence.decision() != Decision::Undecided
            })
        };
        (0..runs).filter(is_decided).count()
    };
    // Without it half of the runs are wrong.
    assert!(decided(0.0, 400) <= tolerated(400));
    assert!(decided(0.5, 100) >= 95);
}

#[test]
fn gains_too_uncommon_to_be_seen_break_the_level_as_the_docs_admit() {
    // Lognormal gains, chi-squared ones among ties, and one case in fifty.
    let expected = [30..90, 50..130, 250..700];
    for ((name, population), expected) in populations::broken().iter().zip(expected) {
        let mut random = Random::new(6);
        let stops = (0..1_000).map(|_| run(population, 0.0, None, 150, &mut random));
        let fooled = stops.filter(|stop| stop.decision == Decision::Worse).count();
        assert!(expected.contains(&fooled), "the docs may promise more, or less: {name} {fooled}");
    }
}
