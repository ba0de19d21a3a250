//! When, how and where the results of a report came about, as lines and as JSON.

use crate::model::{Limits, Provenance, Solver, one_line};
use crate::plan::Plan;
use schemars::JsonSchema;
use serde::Serialize;

/// The machine of a report.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "machine")]
pub(in crate::report) struct MachineRecord<'a> {
    /// Its name.
    host: &'a str,
    /// Its processor.
    cpu: &'a str,
    /// The release of its kernel.
    kernel: &'a str,
}

/// When, how and where the results of a report came about.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "provenance")]
pub(in crate::report) struct ProvenanceRecord<'a> {
    /// When the command started, in UTC.
    date: &'a str,
    /// The command line.
    command: &'a str,
    /// The machine.
    machine: MachineRecord<'a>,
}

/// What a solver may use on each case.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "limits")]
pub(in crate::report) struct LimitsRecord {
    cpu_ms: f64,
    wall_ms: f64,
    memory_bytes: u64,
    output_bytes: u64,
    processes: u32,
}

impl<'a> From<&'a Provenance> for ProvenanceRecord<'a> {
    fn from(provenance: &'a Provenance) -> Self {
        let Provenance { started, command, host, cpu_model, kernel } = provenance;
        Self { date: started, command, machine: MachineRecord { host, cpu: cpu_model, kernel } }
    }
}

impl From<&Limits> for LimitsRecord {
    fn from(limits: &Limits) -> Self {
        Self {
            cpu_ms: super::json_value::in_milliseconds(limits.cpu.0),
            wall_ms: super::json_value::in_milliseconds(limits.wall.0),
            memory_bytes: limits.memory.0,
            output_bytes: limits.output.0,
            processes: limits.processes,
        }
    }
}

/// Returns the lines of a page: date, command, limits and machine.
pub(in crate::report) fn provenance_lines(provenance: &Provenance, limits: Option<&Limits>) -> Vec<String> {
    let Provenance { started, command, host, cpu_model, kernel } = provenance;
    let limits = limits.map(|limits| format!("limits: {}", limits_text(limits)));
    let lines = [format!("started: {started}"), format!("command: {command}")].into_iter().chain(limits);
    lines.chain([format!("machine: {host}, {cpu_model}, Linux {kernel}")]).collect()
}

/// Returns a line for each solver that may use more than the limits of its run.
pub(in crate::report) fn allowance_lines(plan: &Plan) -> Vec<String> {
    let line = |(place, solver): (usize, &Solver)| {
        let name = one_line(&solver.spec.name);
        let is_wider = plan.limits_of(place) != plan.limits;
        is_wider.then(|| format!("limits of {name}: {}", limits_text(&plan.limits_of(place))))
    };
    plan.solvers.iter().enumerate().filter_map(line).collect()
}

/// Writes limits in one line.
pub(in crate::report) fn limits_text(limits: &Limits) -> String {
    let Limits { cpu, wall, memory, output, processes } = limits;
    format!("CPU {cpu}, wall {wall}, memory {memory}, output {output}, {processes} processes")
}
