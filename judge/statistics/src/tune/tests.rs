//! Searches from their first round to their last.

use super::{ParameterSetting, Search, SearchSettings, Space};
use crate::{Moments, Random, mean_interval};

/// Cases to search on, and others to judge the winner by.
const FIRST_TRAINING_SEED: u64 = 2_000_001;
const FIRST_FRESH_SEED: u64 = 1_000_001;

fn search(parameters: &[&str], budget: usize, cases: usize, seed: u64) -> Search {
    let parameters = parameters.iter().map(|text| text.parse().unwrap()).collect();
    let space = Space::new(parameters, &[]).unwrap();
    Search::new(space, SearchSettings { budget, cases, first_cases: 4, seed })
}

/// Runs a search to its end; `value` returns the value for a setting and a case. Returns the number of runs.
fn run(search: &mut Search, mut value: impl FnMut(&[String], usize) -> Option<f64>) -> usize {
    let mut runs = 0;
    while let Some(round) = search.next_round() {
        let settings: Vec<ParameterSetting> = search.candidates().cloned().collect();
        for &candidate in &round.candidates {
            for case in round.cases.clone() {
                runs += 1;
                search.tell(candidate, case, value(&settings[candidate].values, case));
            }
        }
    }
    runs
}

fn number(text: &str) -> f64 {
    text.parse().unwrap()
}

#[test]
fn the_whole_budget_is_spent_if_runs_are_left() {
    let spaces: [(&[&str], usize); 4] = [
        (&["x=0..1", "y=1..9:int"], 20),
        (&["k=a,b", "n=1..3:int if k=b"], 20),
        (&["n=1..40:int:log"], 6),
        (&["x=0..1"], 4),
    ];
    for (parameters, cases) in spaces {
        for budget in [9, 61, 80] {
            let mut random = Random::new(3);
            let runs = run(&mut search(parameters, budget, cases, 1), |_, _| Some(random.unit()));
            assert_eq!(runs, budget, "{parameters:?}");
        }
    }
    // Three settings on twenty cases, and no more.
    assert_eq!(run(&mut search(&["n=1..3:int"], 90, 20, 1), |_, _| Some(1.0)), 60);
}

#[test]
fn the_advised_cases_are_enough_for_few_settings() {
    let search = search(&["n=1..3:int"], 90, 8, 1);
    assert_eq!(Search::advised_cases(search.space(), 90, 4), 30);
}

#[test]
fn the_same_seed_and_values_give_the_same_search() {
    let tried = |seed| {
        let mut search = search(&["x=0..1", "k=a,b"], 100, 12, seed);
        run(&mut search, |values, case| Some(-(number(&values[0]) - 0.3).abs() + (case * 7 % 5) as f64));
        (search.candidates().cloned().collect::<Vec<_>>(), search.best())
    };
    assert_eq!(tried(1), tried(1));
    assert_ne!(tried(1).0, tried(2).0);
}

#[test]
fn a_good_setting_is_found_among_cases_of_very_different_sizes() {
    // The scores of the cases are from 10 to 10,000; each is multiplied by how good the setting is.
    for seed in 1..=3 {
        let mut search = search(&["t=0.01..100:log", "k=greedy,beam,sa"], 240, 20, seed);
        let mut random = Random::new(seed);
        let good = |values: &[String]| {
            let bonus = if values[1] == "beam" { 0.2 } else { 0.0 };
            1.0 - 0.1 * (number(&values[0]).log10() - 1.0).powi(2) + bonus
        };
        run(&mut search, |values, case| {
            let size = 10_f64.powf(1.0 + (case * 7 % 20) as f64 / 6.0);
            Some(size * good(values) * (0.05 * random.normal()).exp())
        });
        let best = search.candidates().nth(search.best().unwrap()).unwrap().clone();
        assert!(best.values[1] == "beam" && good(&best.values) > 1.17, "{best:?}");
    }
}

#[test]
fn failures_do_not_win() {
    let mut search = search(&["x=0..1"], 120, 12, 1);
    // The largest scores are above 0.7, where most cases fail.
    run(&mut search, |values, case| {
        let x = number(&values[0]);
        (x < 0.7 || case % 4 == 0).then_some(x)
    });
    let best = number(&search.candidates().nth(search.best().unwrap()).unwrap().values[0]);
    assert!((0.6..0.7).contains(&best), "{best}");
}

#[test]
fn a_setting_that_fails_half_of_the_cases_does_not_win_by_the_others() {
    let mut search = search(&["k=a,b"], 60, 20, 1);
    run(&mut search, |values, case| match &*values[0] {
        "b" => (case % 2 == 0).then_some(-980.0),
        _ => Some(-1_000.0),
    });
    let best = search.best().and_then(|best| search.candidates().nth(best).cloned());
    assert_eq!(best.unwrap().values, ["a"]);
}

/// Selection makes the winner of a search look good on its own cases. On fresh cases this advantage disappears.
#[test]
fn dead_parameters_win_on_fresh_cases_as_rarely_as_the_level_says() {
    // A score is random, but the same whenever a setting runs on a seed.
    let score = |value: &str, seed: u64| {
        let bits = value.bytes().fold(seed, |bits, byte| Random::new(bits ^ u64::from(byte)).bits());
        Random::new(bits).normal()
    };
    let (mut wins, mut looks_better, searches) = (0, 0, 150);
    for seed in 0..searches {
        let first = FIRST_TRAINING_SEED + 1_000 * seed;
        let mut search = search(&["x=0..1"], 60, 8, seed);
        run(&mut search, |values, case| Some(score(&values[0], first + case as u64)));
        let best = search.best().unwrap();
        let winner = search.candidates().nth(best).unwrap().values[0].clone();
        let default = search.space().default_setting.values[0].clone();
        looks_better += u32::from(search.worths()[best] > search.worths()[0]);
        let fresh = (0..20).map(|case| FIRST_FRESH_SEED + 1_000 * seed + case);
        let effects: Vec<f64> = fresh.map(|seed| score(&winner, seed) - score(&default, seed)).collect();
        wins += u32::from(mean_interval(&Moments::of(&effects), 0.05).is_some_and(|interval| interval.low > 0.0));
    }
    // One side of a 5 % test: 2.5 % of 150 searches are 4; 10 are beyond three standard deviations.
    assert!(wins <= 9 && looks_better > searches as u32 / 2, "{wins} {looks_better}");
}
