//! When, how and where a run took place: lines and records.

use judge_problem::{Labels, Limits, Machine, Node, NodeList, Plan, Provenance, Solver, one_line};
use schemars::JsonSchema;
use serde::Serialize;

/// The machine of a report.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MachineRecord<'a> {
    /// Its name.
    host: &'a str,
    /// Its processor.
    cpu: &'a str,
    /// The release of its kernel.
    kernel: &'a str,
}

/// The head of a report: the number of its form, and when, how and where its results came about.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ProvenanceRecord<'a> {
    /// The version of this format.
    schema: u32,
    /// The judge's version.
    judge: &'static str,
    /// When the command started, in UTC.
    date: &'a str,
    /// The command line.
    command: &'a str,
    /// The machine.
    machine: MachineRecord<'a>,
    /// The machines that the cases were run on, if a cluster or several shards ran them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    nodes: Vec<NodeRecord<'a>>,
}

/// A machine that cases were run on.
#[derive(Debug, Serialize, JsonSchema)]
struct NodeRecord<'a> {
    /// Its name: `node` in the results.
    name: &'a str,
    /// Its own name.
    host: &'a str,
    /// Its processor.
    cpu: &'a str,
    /// The release of its kernel.
    kernel: &'a str,
    /// The tier of the sandbox on it.
    tier: &'static str,
    /// How many processes were ready to run on it, on average over the minute before its first case.
    #[serde(skip_serializing_if = "Option::is_none")]
    load: Option<f64>,
}

/// The limits of a solver on each case.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LimitsRecord {
    cpu_ms: f64,
    wall_ms: f64,
    memory_bytes: u64,
    output_bytes: u64,
    processes: u32,
}

impl<'a> ProvenanceRecord<'a> {
    /// Returns the head of a report in this form.
    pub(crate) fn new(schema: u32, provenance: &'a Provenance) -> Self {
        let Provenance { started, command, machine: Machine { host, cpu_model, kernel }, nodes } = provenance;
        let machine = MachineRecord { host, cpu: cpu_model, kernel };
        let nodes = nodes.iter().map(node_record).collect();
        Self { schema, judge: env!("CARGO_PKG_VERSION"), date: started, command, machine, nodes }
    }
}

fn node_record(node: &Node) -> NodeRecord<'_> {
    let Node { name, machine: Machine { host, kernel, cpu_model }, tier, load } = node;
    NodeRecord { name, host, cpu: cpu_model, kernel, tier: tier.name(), load: *load }
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
    let Provenance { started, command, machine, nodes } = provenance;
    let limits = limits.map(|limits| format!("limits: {}", limits_text(limits)));
    let lines = [format!("started: {started}"), format!("command: {command}")].into_iter().chain(limits);
    lines.chain([format!("machine: {machine}")]).chain(node_lines(nodes)).collect()
}

/// Returns a line for each machine, and one if they are not alike.
fn node_lines(nodes: &NodeList) -> impl Iterator<Item = String> {
    let line = |node: &Node| {
        let Node { name, machine, tier, load } = node;
        let load = load.map_or_else(String::new, |load| format!(", load {load:.2}"));
        format!("node {name}: {machine}, tier {tier}{load}")
    };
    nodes.iter().map(line).chain(processors_line(nodes))
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

/// The tags and the note of a run.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LabelsRecord<'a> {
    /// The tags that the user gave the run later, in alphabetical order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<&'a str>,
    /// The note that the user gave the run later.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'a str>,
}

impl<'a> From<&'a Labels> for LabelsRecord<'a> {
    fn from(labels: &'a Labels) -> Self {
        Self { tags: labels.tags.iter().map(AsRef::as_ref).collect(), note: labels.note.as_ref().map(AsRef::as_ref) }
    }
}
