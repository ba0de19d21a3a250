//! The stopping rule of `judge compare --until-decided`, simulated: error rates under null hypotheses, cases until a
//! decision, and the same for the alternatives; and claims from a fixed number of cases. Prints the tables of
//! docs/measured-sequential.md, docs/measured-cases.md and docs/measured-fixed.md.
//!
//! `cargo bench -p judge --bench stopping [-- RUNS]`; 4,000 runs per row by default. `-- fixed` prints only the tables
//! of a fixed number of cases, `-- rank` only those of `judge rank`.
#![allow(clippy::print_stdout, reason = "the tables are what it is for")]

mod effects;
mod fixed;
#[path = "../../../tests/claims/simulation/fixed_populations.rs"]
mod fixed_populations;
mod hypotheses;
mod least;
mod nulls;
mod others;
#[path = "../../../tests/claims/simulation/populations.rs"]
mod populations;
mod ranking;
mod simulate;
mod stricter;
mod totals;

fn main() {
    let runs = std::env::args().filter_map(|argument| argument.parse().ok()).next().unwrap_or(4_000);
    if std::env::args().any(|argument| argument == "rank") {
        ranking::rank_table(runs);
        return;
    }
    fixed::fixed_tables(5 * runs);
    if std::env::args().any(|argument| argument == "fixed") {
        return;
    }
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
