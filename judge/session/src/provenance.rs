//! When, how and where this command runs.

use super::command_line;
use judge_journal::Surroundings;
use judge_problem::{NodeList, Provenance, iso_utc};
use std::time::SystemTime;

/// Returns when, how and where this command runs. It started now.
pub fn here() -> Provenance {
    let Surroundings { host, cpu_model, kernel, .. } = Surroundings::machine();
    Provenance {
        started: iso_utc(SystemTime::now()),
        command: command_line::whole(),
        host,
        cpu_model,
        kernel,
        nodes: NodeList::default(),
    }
}
