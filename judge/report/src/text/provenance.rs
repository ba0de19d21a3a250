//! When, how and where a run took place: lines and records.

use judge_problem::{Limits, Node, NodeList, Plan, Provenance, Solver, counted, one_line};
use schemars::JsonSchema;
use serde::Serialize;

/// The limits of a solver on each case.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LimitsRecord {
    cpu_ms: f64,
    wall_ms: f64,
    memory_bytes: u64,
    output_bytes: u64,
    processes: u32,
}

impl From<&Limits> for LimitsRecord {
    fn from(limits: &Limits) -> Self {
        Self {
            cpu_ms: crate::text::json::in_milliseconds(limits.cpu.0),
            wall_ms: crate::text::json::in_milliseconds(limits.wall.0),
            memory_bytes: limits.memory.0,
            output_bytes: limits.output.0,
            processes: limits.processes,
        }
    }
}

/// Returns the lines of a page: date, command, limits and machine.
pub(crate) fn provenance_lines(provenance: &Provenance, limits: Option<&Limits>) -> Vec<String> {
    let Provenance { started, command, machine, nodes, reused } = provenance;
    let limits = limits.map(|limits| format!("limits: {}", limits_text(limits)));
    let lines = [format!("started: {started}"), format!("command: {command}")].into_iter().chain(limits);
    let node = |node: &Node| {
        let Node { name, machine, tier, load } = node;
        let load = load.map_or_else(String::new, |load| format!(", load {load:.2}"));
        format!("node {name}: {machine}, tier {tier}{load}")
    };
    let machines = [format!("machine: {machine}")].into_iter().chain(nodes.iter().map(node));
    let reused = (*reused > 0).then(|| reused_line(*reused));
    lines.chain(machines).chain(processors_line(nodes)).chain(reused).collect()
}

/// Returns the line that counts results of earlier runs.
pub fn reused_line(results: usize) -> String {
    format!("reused from earlier runs, with their times: {}", counted(results, "result"))
}

/// Returns the line that says why there is no mean of times over all cases; `None` if all nodes have the same
/// processor.
pub(crate) fn processors_line(nodes: &NodeList) -> Option<String> {
    let processors = nodes.processors().len();
    (processors > 1)
        .then(|| format!("the nodes have {processors} different processors: CPU times are compared within one only"))
}

/// Returns a line for each solver that may use more than the limits of its run.
pub(crate) fn allowance_lines(plan: &Plan) -> Vec<String> {
    let line = |(place, solver): (usize, &Solver)| {
        let name = one_line(&solver.spec.name);
        let is_wider = plan.limits_of(place) != plan.limits;
        is_wider.then(|| format!("limits of {name}: {}", limits_text(&plan.limits_of(place))))
    };
    plan.solvers.iter().enumerate().filter_map(line).collect()
}

/// Writes limits in one line.
pub(crate) fn limits_text(limits: &Limits) -> String {
    let Limits { cpu, wall, memory, output, processes } = limits;
    format!("CPU {cpu}, wall {wall}, memory {memory}, output {output}, {processes} processes")
}
