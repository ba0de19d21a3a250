//! The stopping rule of `judge compare --until-decided`, simulated: error rates under null hypotheses, cases until a
//! decision, and the same for the alternatives. Prints the tables of docs/comparing.md.
//!
//! `cargo bench -p judge --bench stopping [-- RUNS]`; 4,000 runs a row unless told otherwise.
#![allow(clippy::print_stdout, reason = "the tables are what it is for")]

mod effects;
mod hypotheses;
mod least;
mod nulls;
mod others;
#[path = "../../../tests/statistics/populations.rs"]
mod populations;
mod simulate;
mod stricter;
#[path = "../../../tests/statistics/totals.rs"]
mod totals;

fn main() {
    let runs = std::env::args().filter_map(|argument| argument.parse().ok()).next().unwrap_or(4_000);
    nulls::null_table(runs);
    nulls::long_table(runs / 2);
    nulls::total_table(runs);
    nulls::rare_table(runs / 2);
    stricter::stricter_table(runs / 4);
    effects::effect_table(runs);
    effects::bias_table(runs);
    effects::other_effects_table(runs / 4);
    others::smaller_table(runs / 4);
    others::exact_table(runs / 4);
    hypotheses::hypotheses_table(runs);
}
