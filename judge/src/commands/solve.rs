//! `judge solve ID`: the bundled solvers.

use judge_problem::{BundledSolver, Exit};
use std::process::ExitCode;
use std::sync::LazyLock;

/// Returns the bundled solvers, for what finds the programs of solvers.
pub(super) fn bundled() -> &'static [BundledSolver] {
    static BUNDLED: LazyLock<Vec<BundledSolver>> = LazyLock::new(|| {
        solutions::all().map(|solution| BundledSolver { id: solution.id, summary: solution.summary }).collect()
    });
    &BUNDLED
}

/// Returns the ids of the bundled solvers.
pub(super) fn ids() -> Vec<&'static str> {
    solutions::all().map(|solution| solution.id).collect()
}

/// Runs a bundled solver on standard input and output.
pub(super) fn solve(id: &str) -> ExitCode {
    if solutions::find(id).is_none() {
        judge_report::note(&format!("error: there is no bundled solver `{id}`"));
        judge_report::note(&format!("hint: one of {}", ids().join(", ")));
        return ExitCode::from(Exit::Usage.code());
    }
    solutions::main_of(id)
}
