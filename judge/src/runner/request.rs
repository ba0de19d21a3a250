//! What the sandbox is asked to run: a program with its arguments, its environment, its limits and what it may see.

use crate::model::{BASE_ENVIRONMENT, Limits, Program};
use crate::plan::Plan;
use crate::solver::journals_in;
use judge_sandbox::{Request, Sink, Stdin, Visible};
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::Arc;

/// How much of standard error is kept.
const STDERR_KEPT: u64 = 64 << 10;

/// Returns what the sandbox is to run: a program for this plan, with variables of its own, on an input. What is
/// [`hidden`] does not change from run to run.
#[must_use]
pub fn request(
    plan: &Plan,
    program: &Program,
    variables: &[(String, String)],
    hidden: &[PathBuf],
    input: Arc<[u8]>,
) -> Request {
    let Limits { cpu, wall, memory, output, processes } = plan.limits;
    Request {
        program: program.path.clone(),
        argv: program.argv.clone(),
        environment: environment(program, plan.environment.iter().chain(variables)),
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
        visible: plan.visible.iter().cloned().chain(visible(program)).collect(),
        hidden: hidden.to_vec(),
        stdout: Sink::Capture,
        stderr: Sink::Capture,
    }
}

/// Returns what a program needs to see, all of it to be read only.
pub fn visible(program: &Program) -> impl Iterator<Item = Visible> {
    let paths = program.visible.iter().chain(&program.runtime.visible);
    paths.map(|path| Visible { path: path.clone(), writable: false })
}

/// Returns the journals in the folders that the user shows to a program, by its command or otherwise.
#[must_use]
pub fn hidden(program: &Program, shown: &[Visible]) -> Vec<PathBuf> {
    let shown = shown.iter().map(|visible| &visible.path);
    let mut journals: Vec<_> = program.visible.iter().chain(shown).flat_map(|path| journals_in(path)).collect();
    journals.sort();
    journals.dedup();
    journals
}

/// Returns what every program gets as its environment, and what the user asked for: the last word on a variable counts.
pub fn environment<'a>(
    program: &Program,
    asked: impl IntoIterator<Item = &'a (String, String)>,
) -> Vec<(OsString, OsString)> {
    let base = BASE_ENVIRONMENT.iter().map(|(key, value)| (OsString::from(key), OsString::from(value)));
    let mut variables: Vec<_> = base.collect();
    for folder in program.runtime.search.iter().rev() {
        let path = &mut variables[0].1;
        *path = [folder.as_os_str(), path].join(OsStr::new(":"));
    }
    for (key, value) in asked {
        variables.retain(|(known, _)| known != OsStr::new(key));
        variables.push((key.into(), value.into()));
    }
    variables
}
