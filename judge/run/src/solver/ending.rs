//! How a solver's run ended, with what is wrong with its file.

use crate::program::start_failure;
use judge_problem::Limits;
use judge_problem::verdict::{self, Ending};
use judge_sandbox::{End, Execution};
use rustix::io::Errno;
use std::path::Path;

/// Returns how a run of `program` ended, as [`verdict::ending`] does; if it could not be started, the note also says
/// what is wrong with the file.
#[must_use]
pub fn ending(program: &Path, execution: &Execution, limits: &Limits) -> Ending {
    match (verdict::ending(execution, limits), execution.end) {
        (Ending::Failed(verdict, note), End::NotStarted(errno)) => {
            let why = start_failure(program, Errno::from_raw_os_error(errno));
            Ending::Failed(verdict, why.map_or(note.clone(), |why| format!("{note}: {why}")))
        }
        (ending, _) => ending,
    }
}
