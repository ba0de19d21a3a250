//! `judge-solutions ID`: runs the solution with this id, a case on standard input and the answer on standard output.

use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let id = std::env::args().nth(1).unwrap_or_default();
    let Some(solution) = solutions::find(&id) else {
        let ids: Vec<&str> = solutions::all().map(|solution| solution.id).collect();
        // If even the message cannot be written, the exit code still reports the error.
        let _ = writeln!(std::io::stderr(), "error: there is no solution `{id}`\nhint: one of {}", ids.join(", "));
        return ExitCode::from(2);
    };
    solutions::main_of(solution)
}
