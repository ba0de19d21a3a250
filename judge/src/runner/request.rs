//! From a plan to what the executor is asked to run.

use crate::model::Limits;
use crate::plan::Plan;
use judge_sandbox::{Request, Sink, Stdin, Visible};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How much of standard error is kept.
const STDERR_KEPT: u64 = 64 << 10;

/// Returns the request that runs a solver of this plan on an input.
#[must_use]
pub fn request(plan: &Plan, program: &Path, argv: &[OsString], visible: &[PathBuf], input: Arc<[u8]>) -> Request {
    let Limits { cpu, wall, memory, output, processes } = plan.limits;
    Request {
        program: program.to_owned(),
        argv: argv.to_vec(),
        environment: environment(&plan.environment),
        stdin: Stdin::Bytes(input),
        limits: judge_sandbox::Limits {
            cpu: Some(cpu.0),
            wall: Some(wall.0),
            memory: Some(memory.0),
            stdout: output.0,
            stderr: STDERR_KEPT,
            processes: Some(processes),
            disk: memory.0,
        },
        visible: plan.visible.iter().cloned().chain(visible.iter().map(|path| read_only(path))).collect(),
        stdout: Sink::Capture,
        stderr: Sink::Capture,
    }
}

fn read_only(path: &Path) -> Visible {
    Visible { path: path.to_owned(), writable: false }
}

/// Returns what every program gets as its environment, followed by what the user asked for.
#[must_use]
pub fn environment(more: &[(String, String)]) -> Vec<(OsString, OsString)> {
    let every = [("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"), ("LANG", "C.UTF-8")];
    let every = every.into_iter().map(|(key, value)| (key.into(), value.into()));
    every.chain(pairs(more)).collect()
}

/// Variables as the executor takes them.
pub(super) fn pairs(variables: &[(String, String)]) -> impl Iterator<Item = (OsString, OsString)> {
    variables.iter().map(|(key, value)| (key.into(), value.into()))
}
