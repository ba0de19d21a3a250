//! What the sandbox is asked to run: a program with its arguments, its environment, its limits and what it may see.

use crate::program::{environment, journals_in, visible};
use judge_problem::plan::Plan;
use judge_problem::{Limits, Program};
use judge_sandbox::{Request, Sink, Stdin, Visible};
use std::path::PathBuf;
use std::sync::Arc;

/// How much of standard error is kept.
const STDERR_KEPT: u64 = 64 << 10;

/// Returns what the sandbox is to run: the program of a solver of this plan, on an input. What is [`hidden`] does not
/// change from run to run.
#[must_use]
pub fn request(plan: &Plan, solver: usize, program: &Program, hidden: &[PathBuf], input: Arc<[u8]>) -> Request {
    let limits = plan.limits_of(solver);
    let Limits { cpu, wall, memory, output, processes } = limits;
    let variables = &plan.solvers[solver].environment;
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
            disk: limits.disk().0,
        },
        visible: plan.visible.iter().cloned().chain(visible(program)).collect(),
        hidden: hidden.to_vec(),
        folder: None,
        stdout: Sink::Capture,
        stderr: Sink::Capture,
    }
}

/// Returns the journals in the folders that the user shows to a program, by its command or otherwise.
#[must_use]
pub fn hidden(program: &Program, shown: &[Visible]) -> Vec<PathBuf> {
    let mut journals: Vec<_> = shown_to(program, shown).flat_map(|path| journals_in(path)).collect();
    journals.sort();
    journals.dedup();
    journals
}

/// Returns whether any of what is shown to a program is a folder: without one, nothing is [`hidden`].
pub(super) fn shows_folders(program: &Program, shown: &[Visible]) -> bool {
    shown_to(program, shown).any(|path| path.is_dir())
}

fn shown_to<'a>(program: &'a Program, shown: &'a [Visible]) -> impl Iterator<Item = &'a PathBuf> {
    program.visible.iter().chain(shown.iter().map(|visible| &visible.path))
}
