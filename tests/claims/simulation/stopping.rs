//! The promises of the stopping rule in simulation: the reduced, deterministic form of `cargo bench --bench stopping`.

use super::populations::{self, Population};
use judge_statistics::{Decision, Random, Sequence, SequenceSettings, cases_until_decided, power};

const ALPHA: f64 = 0.05;

/// The end of a run that looks after every case.
struct Stop {
    decision: Decision,
    cases: usize,
}

fn run(population: &Population, mean: f64, min_effect: Option<f64>, most: usize, random: &mut Random) -> Stop {
    play(population, mean, SequenceSettings { alpha: ALPHA, min_effect, bound: None, rare: None }, most, random)
}

fn play(population: &Population, mean: f64, settings: SequenceSettings, most: usize, random: &mut Random) -> Stop {
    let mut sequence = Sequence::new(settings).expect("useful settings");
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
fn equal_solvers_rarely_differ_at_any_look() {
    equal_solvers_rarely_differ(200);
}

#[test]
#[ignore = "long: a thousand runs of each population"]
fn equal_solvers_rarely_differ_in_many_runs() {
    equal_solvers_rarely_differ(1_000);
}

fn equal_solvers_rarely_differ(runs: usize) {
    for (seed, (name, population)) in [populations::kept(), populations::fresh()].concat().iter().enumerate() {
        let mut random = Random::new(seed as u64);
        let stops = (0..runs).map(|_| run(population, 0.0, None, 300, &mut random));
        let false_decisions = stops.filter(|stop| stop.decision != Decision::Undecided).count();
        assert!(false_decisions <= tolerated(runs), "{name}: {false_decisions} of {runs}");
    }
}

#[test]
fn rare_losses_behind_noise_need_an_allowance() {
    for (share, noise, population) in populations::rare() {
        let runs = 200;
        let wrong = |rare| {
            let mut random = Random::new(10);
            let settings = SequenceSettings { alpha: ALPHA, min_effect: None, bound: None, rare };
            let stops = (0..runs).map(|_| play(&population, 0.0, settings, 500, &mut random));
            stops.filter(|stop| stop.decision != Decision::Undecided).count()
        };
        assert!(wrong(Some(share)) <= tolerated(runs), "{share} {noise}");
        // As the documentation says: losses that hardly exceed the noise can be claimed, others cannot.
        assert!(noise > 0.2 || wrong(None) > tolerated(runs), "{share} {noise}");
    }
}

#[test]
fn relevant_effects_are_rarely_called_too_small() {
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
fn effects_need_few_times_the_optimal_cases() {
    let mut random = Random::new(4);
    // Wald's test of 0 against the mean, both errors 0.025, takes 696, 116.9 and 31.1 cases here (measured by the
    // bench). Two standard errors of the mean of these runs are added. Of effects of 1 sd, hardly any are on the other
    // side, so the warm-up takes longer than the test of a fixed number of cases.
    for (mean, runs, most) in [
        (0.1, 200, 696.0 * 1.45 + 65.0),
        (0.25, 1_000, 116.9 * 1.35 + 4.0),
        (0.5, 1_000, 31.1 * 1.35 + 1.2),
        (1.0, 1_000, 31.0),
    ] {
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
fn planned_cases_suffice_and_are_not_wasteful() {
    let mut random = Random::new(11);
    for (mean, runs) in [(0.15, 150), (0.25, 400), (0.5, 400), (1.0, 400)] {
        let planned = cases_until_decided(1.0, mean, ALPHA, 0.8).unwrap();
        let stops = (0..runs).map(|_| run(&Population::Normal, mean, None, planned as usize, &mut random));
        let decided = stops.filter(|stop| stop.decision == Decision::Better).count();
        let least = 0.8 - 2.0 * (0.16 / runs as f64).sqrt();
        assert!(decided as f64 >= least * runs as f64, "{mean}: {planned} {decided}");
        // The minimal warm-up is for effects on one side. Some effects of 1 sd are on the other side.
        assert!(mean == 1.0 || (decided as f64) < 0.97 * runs as f64, "{mean}: {planned} {decided}");
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
fn a_bound_keeps_the_level_under_rare_gains() {
    let settings = SequenceSettings { alpha: ALPHA, min_effect: None, bound: Some(8.0), rare: None };
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
    // Without it, half of the runs are wrong.
    assert!(decided(0.0, 400) <= tolerated(400));
    assert!(decided(0.5, 100) >= 95);
}

#[test]
fn unseen_rare_gains_break_the_level_as_documented() {
    // Lognormal gains, chi-squared ones among ties, and one case in fifty.
    let expected = [30..90, 50..130, 250..700];
    for ((name, population), expected) in populations::broken().iter().zip(expected) {
        let mut random = Random::new(6);
        let stops = (0..1_000).map(|_| run(population, 0.0, None, 150, &mut random));
        let fooled = stops.filter(|stop| stop.decision == Decision::Worse).count();
        assert!(expected.contains(&fooled), "the docs may promise more, or less: {name} {fooled}");
    }
}
