//! When, how and where this command runs.

use super::command_line;
use crate::journal::Surroundings;
use crate::model::{NodeList, Provenance, iso_utc};
use std::time::SystemTime;

/// Returns when, how and where this command runs. It started now.
pub(crate) fn here() -> Provenance {
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
