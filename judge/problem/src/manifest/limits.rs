//! Reads `[problem.limits]`.

use super::section::{Located, Section};
use crate::model::{Bytes, CheckerChoice, CommandLimits, CompileLimits, GeneratorChoice, HelperLimits, Limits, Time};
use std::fmt::Display;
use std::str::FromStr;
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
        CheckerChoice::Tester(tester) => tester.checker.is_some(),
        CheckerChoice::BuiltIn(_) | CheckerChoice::Tokens(..) => false,
    });
    let is_interactive = checker.is_none_or(|checker| matches!(checker, CheckerChoice::Interactor(_)));
    let is_tester = checker.is_none_or(|checker| matches!(checker, CheckerChoice::Tester(_)));
    let is_command = !matches!(generator, Some(GeneratorChoice::BuiltIn { .. } | GeneratorChoice::Seed));
    let interactor = of_command(section, "interactor-wall", is_interactive, "interactor-command");
    let tester = of_command(section, "tester-wall", is_tester, "tester-command");
    let usual = CommandLimits::default();
    let deciders = "checker-command` or `interactor-command";
    let checker = CommandLimits {
        wall: of_command(section, "checker-wall", is_external, "checker-command").unwrap_or(usual.wall),
        memory: of_command(section, "checker-memory", is_external || is_interactive, deciders).unwrap_or(usual.memory),
    };
    let generator = CommandLimits {
        wall: of_command(section, "generator-wall", is_command, "generator-command").unwrap_or(usual.wall),
        memory: of_command(section, "generator-memory", is_command, "generator-command").unwrap_or(usual.memory),
    };
    let cpu = section.parsed("compile-cpu").map(|cpu| cpu.value);
    let wall = section.parsed("compile-wall").map(|wall| wall.value);
    let memory = section.parsed("compile-memory").map(|memory| memory.value);
    let source = section.parsed("source-size").map(|source| source.value);
    let cpu = cpu.unwrap_or(defaults.compiler.cpu);
    HelperLimits {
        checker,
        interactor: interactor.unwrap_or(defaults.interactor),
        tester: tester.unwrap_or(defaults.tester),
        generator,
        compiler: CompileLimits {
            cpu,
            wall: wall.unwrap_or_else(|| CompileLimits::default_wall(cpu)),
            memory: memory.unwrap_or(defaults.compiler.memory),
        },
        source,
    }
}

/// Reads a limit of a command that the problem must have.
fn of_command<T>(section: &Section<'_>, key: &'static str, is_there: bool, command: &str) -> Option<T>
where
    T: FromStr<Err: Display>,
{
    let limit = section.parsed::<T>(key)?;
    if !is_there {
        section.complain(limit.span, format!("the problem has no `{command}`"), format!("remove `{key}`"));
    }
    Some(limit.value)
}
