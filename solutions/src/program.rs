//! The body of every solution's binary: stdin to stdout.

use crate::{Solution, SolveError, find};
use std::io::{self, BufWriter, Read, Write};
use std::process::ExitCode;

/// The exit code of a run whose input is not of the game.
const MALFORMED: u8 = 2;

/// Runs the solution with this id on standard input and output. Returns 0 when it answered, or when the answer has no reader any
/// more; 2 when the input is malformed; 1 when reading or writing failed.
#[must_use]
pub fn main_of(id: &str) -> ExitCode {
    let result = find(id).map_or_else(|| Err(SolveError::Write(io::ErrorKind::NotFound.into())), run);
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(SolveError::Write(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            // If even the message cannot be written, the exit code still tells.
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::from(if matches!(error, SolveError::Write(_)) { 1 } else { MALFORMED })
        }
    }
}

fn run(solution: &Solution) -> Result<(), SolveError> {
    let mut input = Vec::new();
    io::stdin().lock().read_to_end(&mut input)?;
    let mut output = BufWriter::new(io::stdout().lock());
    (solution.solve)(&input, &mut output)?;
    output.flush()?;
    Ok(())
}
