//! The problems for measuring tuners, and the reduced, deterministic form of `cargo bench -p judge-statistics --bench
//! tune`.

use super::tuners::{Choice, Tuner, iterated_racing, judge_tune, random_search};
use super::tuning_problems::{self, BRANIN, DARING, DEAD, GROWING, LOUD, MIXED, RIDGE, ROSENBROCK, TuningProblem};
use crate::support::require::{Need, skip};
use std::path::Path;
use std::process::Command;

#[test]
fn the_best_settings_lack_nothing_and_others_do() {
    let best: [(&TuningProblem, &[f64]); 4] = [
        (&BRANIN, &[std::f64::consts::PI, 2.275]),
        (&BRANIN, &[-std::f64::consts::PI, 12.275]),
        (&ROSENBROCK, &[1.0; 6]),
        (&MIXED, &[(-0.7_f64).exp(), 2.0, 0.7]),
    ];
    for (problem, setting) in best {
        assert!(problem.regret(setting).abs() < 1e-9, "{}", problem.name);
        for place in (0..setting.len()).filter(|place| problem.values(setting)[*place].parse::<f64>().is_ok()) {
            let mut other = setting.to_vec();
            other[place] += 0.1;
            assert!(problem.regret(&other) > 1e-4, "{} {other:?}", problem.name);
        }
    }
}

#[test]
fn the_best_settings_of_noisy_problems_lack_nothing() {
    let best: [(&TuningProblem, &[f64]); 5] = [
        (&GROWING, &[3.0, 0.6]),
        (&RIDGE, &[0.7, 0.3, 0.7]),
        (&DEAD, &[2.0, (-2.0_f64).exp(), 0.5]),
        (&DARING, &[1.4_f64.exp(), 28.0, 0.3]),
        (&LOUD, &[0.0, 3.0_f64.exp(), 0.2, 0.8]),
    ];
    for (problem, setting) in best {
        assert!(problem.regret(setting).abs() < 1e-9, "{}", problem.name);
    }
}

#[test]
fn problem_scores_have_the_stated_mean_and_noise() {
    let (good, bad) = ([1.0; 6], [0.0, 1.0, -1.0, 0.5, 0.0, 1.0]);
    let logarithms = |setting: &[f64]| (0..20_000).map(|case| ROSENBROCK.score(setting, case).ln()).collect::<Vec<_>>();
    let differences: Vec<f64> = logarithms(&good).iter().zip(logarithms(&bad)).map(|(good, bad)| good - bad).collect();
    let mean = differences.iter().sum::<f64>() / 20_000.0;
    let variance = differences.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 20_000.0;
    // The sizes cancel out. The noise of the two settings is 0.15 each. The standard error of the mean is 0.0015.
    assert!((mean + (1.0 - ROSENBROCK.regret(&bad)).ln()).abs() < 0.006, "{mean}");
    assert!((variance.sqrt() - 0.15 * 2_f64.sqrt()).abs() < 0.005, "{variance}");
    assert_eq!(ROSENBROCK.score(&bad, 5).to_bits(), ROSENBROCK.score(&bad, 5).to_bits());
}

#[test]
fn settings_are_the_same_as_texts() {
    let setting = [0.25, 1.0, 0.5];
    assert_eq!(MIXED.values(&setting), ["0.25", "beam", "0.5"]);
    assert_eq!(MIXED.numbers(&MIXED.values(&setting)), setting);
}

#[test]
fn the_problems_are_the_same_in_python() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("statistics/benches/tune_optuna.py");
    let file = tempfile::NamedTempFile::new().unwrap();
    let verify = |scores: String| {
        std::fs::write(file.path(), scores).unwrap();
        Command::new("python3").arg(&script).arg("--verify").arg(file.path()).output()
    };
    let scores = tuning_problems::table_of_scores();
    let Ok(output) = verify(scores.clone()) else { return skip(Need::Python, "python3 cannot be started") };
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said == "480 scores are the same\n",
        "{said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    // It does compare them.
    let wrong = scores.replacen("\t1", "\t2", 1);
    assert!(wrong != scores && !verify(wrong).unwrap().status.success());
}

const BUDGET: usize = 160;

/// The median regret and the fewest runs in these repetitions, an odd number of them.
fn outcome(tuner: Tuner, problem: &TuningProblem, repetitions: u64) -> (f64, usize) {
    let choices: Vec<Choice> = (0..repetitions).map(|repetition| tuner(problem, BUDGET, repetition)).collect();
    assert!(choices.iter().all(|choice| choice.runs <= BUDGET), "{}", problem.name);
    let mut regrets: Vec<f64> = choices.iter().map(|choice| problem.regret(&choice.setting)).collect();
    regrets.sort_by(f64::total_cmp);
    (regrets[regrets.len() / 2], choices.iter().map(|choice| choice.runs).min().unwrap())
}

fn chance(problem: &TuningProblem) -> f64 {
    outcome(|problem, budget, repetition| random_search(problem, budget, repetition, 8), problem, 51).0
}

#[test]
fn the_search_spends_its_budget_and_chooses_better_than_chance() {
    for problem in [&BRANIN, &ROSENBROCK, &MIXED] {
        let ((regret, runs), random) = (outcome(judge_tune, problem, 3), chance(problem));
        assert!(runs == BUDGET && regret < 0.8 * random, "{}: {runs}, {regret}, random search {random}", problem.name);
    }
}

#[test]
fn iterated_racing_is_a_rival_to_take_seriously() {
    for problem in [&BRANIN, &ROSENBROCK] {
        let ((regret, runs), random) = (outcome(iterated_racing, problem, 51), chance(problem));
        assert!(runs >= BUDGET / 2 && regret < 0.8 * random, "{}: {runs}, {regret}, {random}", problem.name);
    }
}
