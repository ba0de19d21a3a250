//! What the sandbox is asked to run: a program with its arguments, its environment, its limits and what it may see.

use crate::model::{Limits, Program};
use crate::plan::Plan;
use crate::solver;
use judge_sandbox::{Request, Sink, Stdin, Visible};
use std::ffi::{OsStr, OsString};
use std::sync::Arc;

/// How much of standard error is kept.
const STDERR_KEPT: u64 = 64 << 10;

/// Returns what the sandbox is to run: a program for this plan, with variables of its own, on an input.
#[must_use]
pub fn request(plan: &Plan, program: &Program, variables: &[(String, String)], input: Arc<[u8]>) -> Request {
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
        stdout: Sink::Capture,
        stderr: Sink::Capture,
    }
}

/// Returns what a program needs to see, all of it to be read only.
pub fn visible(program: &Program) -> impl Iterator<Item = Visible> {
    let paths = program.visible.iter().chain(&program.runtime.visible);
    paths.map(|path| Visible { path: path.clone(), writable: false })
}

/// Returns what every program gets as its environment, and what the user asked for: the last word on a variable counts.
pub fn environment<'a>(
    program: &Program,
    asked: impl IntoIterator<Item = &'a (String, String)>,
) -> Vec<(OsString, OsString)> {
    let mut path = OsString::new();
    for folder in &program.runtime.search {
        path.push(folder);
        path.push(":");
    }
    path.push(solver::PATH);
    let mut variables: Vec<(OsString, OsString)> = vec![("PATH".into(), path), ("LANG".into(), "C.UTF-8".into())];
    for (key, value) in asked {
        variables.retain(|(known, _)| known != OsStr::new(key));
        variables.push((key.into(), value.into()));
    }
    variables
}
