//! The search of `judge tune` against rivals with the same number of runs, on problems whose best setting is known.
//!
//! `cargo bench -p judge-statistics --bench tune [-- REPETITIONS] [PROBLEM]`; 25 repetitions by default. `--ours`
//! leaves out the rivals. `tune_optuna.py` beside it adds Optuna and prints the table of docs/tune.md.
#![allow(clippy::print_stdout, reason = "the tables are what it is for")]

#[path = "../../../tests/claims/simulation/tuners.rs"]
mod tuners;
#[path = "../../../tests/claims/simulation/tuning_problems.rs"]
mod tuning_problems;

use std::fmt::Write;
use tuners::{Choice, Tuner};
use tuning_problems::{PROBLEMS, TuningProblem};

const TUNERS: [(&str, Tuner); 4] = [
    ("judge tune", tuners::judge_tune),
    ("iterated racing", tuners::iterated_racing),
    ("random search, 20 cases", |problem, budget, repetition| tuners::random_search(problem, budget, repetition, 20)),
    ("random search, 8 cases", |problem, budget, repetition| tuners::random_search(problem, budget, repetition, 8)),
];

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let repetitions = arguments.iter().filter_map(|argument| argument.parse().ok()).next().unwrap_or(25);
    let file = |name: &str| arguments.iter().find_map(|argument| argument.strip_prefix(name)?.strip_prefix('='));
    if let Some(file) = file("--scores") {
        std::fs::write(file, tuning_problems::table_of_scores()).expect("the scores can be written");
    }
    let is_named = |problem: &TuningProblem| arguments.iter().any(|argument| argument == problem.name);
    let all = !PROBLEMS.into_iter().any(is_named);
    let tuners = if arguments.iter().any(|argument| argument == "--ours") { &TUNERS[..1] } else { &TUNERS };
    let mut rows = String::new();
    println!("| problem | runs | tuner | mean regret | median | runs used |\n|---|---:|---|---:|---:|---:|");
    for problem in PROBLEMS.into_iter().filter(|problem| all || is_named(problem)) {
        for budget in problem.budgets {
            for &(name, tuner) in tuners {
                let choices: Vec<Choice> =
                    (0..repetitions).map(|repetition| tuner(problem, budget, repetition)).collect();
                let regrets: Vec<f64> = choices.iter().map(|choice| problem.regret(&choice.setting)).collect();
                for (repetition, (regret, choice)) in regrets.iter().zip(&choices).enumerate() {
                    writeln!(rows, "{}\t{budget}\t{name}\t{repetition}\t{regret:e}\t{}", problem.name, choice.runs)
                        .expect("text can be written");
                }
                let used = mean(&choices.iter().map(|choice| choice.runs as f64).collect::<Vec<_>>()) / budget as f64;
                println!("| {} | {budget} | {name} | {} | {:.0} % |", problem.name, summary(regrets), 100.0 * used);
            }
        }
    }
    if let Some(file) = file("--rows") {
        std::fs::write(file, rows).expect("the rows can be written");
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Returns the mean with its standard error, and the median, in per cent.
fn summary(mut shares: Vec<f64>) -> String {
    shares.sort_by(f64::total_cmp);
    let (mean, count) = (mean(&shares), shares.len() as f64);
    let error = (shares.iter().map(|share| (share - mean).powi(2)).sum::<f64>() / (count - 1.0) / count).sqrt();
    let median = f64::midpoint(shares[shares.len() / 2], shares[(shares.len() - 1) / 2]);
    format!("{:.2} ± {:.2} | {:.2}", 100.0 * mean, 100.0 * error, 100.0 * median)
}
