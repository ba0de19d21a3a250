//! Reads `[problem.limits]`.

use super::section::{Located, Section};
use crate::model::{Bytes, CheckerChoice, CompileLimits, GeneratorChoice, HelperLimits, Limits, Time};
use std::time::Duration;

/// The limits of a problem that sets none: CPU time, memory, output and processes.
const DEFAULT_LIMITS: (Time, Bytes, Bytes, u32) =
    (Time(Duration::from_secs(10)), Bytes(1 << 30), Bytes(16_000_000), 64);

/// Reads the limits of solvers, and those of the other programs.
pub(super) fn read(
    problem: &Section<'_>,
    checker: Option<&CheckerChoice>,
    generator: Option<&GeneratorChoice>,
) -> (Limits, HelperLimits) {
    let (cpu, memory, output, processes) = DEFAULT_LIMITS;
    let Some(section) = problem.section("limits", "[problem.limits]") else {
        let limits = Limits { cpu, wall: Limits::default_wall(cpu), memory, output, processes };
        return (limits, HelperLimits::default());
    };
    let cpu = section.parsed("cpu").map_or(cpu, |cpu| cpu.value);
    let wall = section.parsed("wall").map_or_else(|| Limits::default_wall(cpu), |wall| wall.value);
    let memory = section.parsed("memory").map_or(memory, |memory| memory.value);
    let output = section.parsed("output").map_or(output, |output| output.value);
    let processes = section.integer("processes", "a whole number of processes, at least 1");
    if let Some(Located { value: 0_u32, span }) = &processes {
        section.complain(span.clone(), "a solver is a process itself", "expected at least 1");
    }
    let helpers = helpers(&section, checker, generator);
    section.finish();
    let processes = processes.map_or(DEFAULT_LIMITS.3, |count| count.value);
    (Limits { cpu, wall, memory, output, processes }, helpers)
}

fn helpers(
    section: &Section<'_>,
    checker: Option<&CheckerChoice>,
    generator: Option<&GeneratorChoice>,
) -> HelperLimits {
    let defaults = HelperLimits::default();
    let is_external = checker.is_none_or(|checker| match checker {
        CheckerChoice::External(_) => true,
        CheckerChoice::Interactor(interactor) => interactor.then.is_some(),
        CheckerChoice::BuiltIn(_) | CheckerChoice::Tokens(..) => false,
    });
    let is_interactive = checker.is_none_or(|checker| matches!(checker, CheckerChoice::Interactor(_)));
    let is_command = !matches!(generator, Some(GeneratorChoice::BuiltIn { .. }));
    let checker = command_wall(section, "checker-wall", is_external, "checker-command");
    let interactor = command_wall(section, "interactor-wall", is_interactive, "interactor-command");
    let generator = command_wall(section, "generator-wall", is_command, "generator-command");
    let cpu = section.parsed("compile-cpu").map(|cpu| cpu.value);
    let wall = section.parsed("compile-wall").map(|wall| wall.value);
    let memory = section.parsed("compile-memory").map(|memory| memory.value);
    let source = section.parsed("source-size").map(|source| source.value);
    let cpu = cpu.unwrap_or(defaults.compiler.cpu);
    HelperLimits {
        checker: checker.unwrap_or(defaults.checker),
        interactor: interactor.unwrap_or(defaults.interactor),
        generator: generator.unwrap_or(defaults.generator),
        compiler: CompileLimits {
            cpu,
            wall: wall.unwrap_or_else(|| CompileLimits::default_wall(cpu)),
            memory: memory.unwrap_or(defaults.compiler.memory),
        },
        source,
    }
}

/// Reads the wall time of a command that the problem must have.
fn command_wall(section: &Section<'_>, key: &'static str, is_there: bool, command: &str) -> Option<Time> {
    let wall = section.parsed::<Time>(key)?;
    if !is_there {
        section.complain(wall.span, format!("the problem has no `{command}`"), format!("remove `{key}`"));
    }
    Some(wall.value)
}
