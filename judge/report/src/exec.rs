//! The report of one program in the sandbox.

use crate::text::{Document, in_milliseconds, memory, milliseconds};
use judge_problem::Termination;
use judge_sandbox::{End, Execution, Tier};
use schemars::JsonSchema;
use serde::Serialize;
use serde_with_macros::skip_serializing_none;

/// The report of one program in the sandbox.
#[derive(Debug)]
pub struct ExecReport<'a> {
    /// How it ended.
    pub ending: &'a Termination,
    /// The program's usage; `None` if it was not started.
    pub execution: Option<&'a Execution>,
    /// The sandbox's tier.
    pub tier: Tier,
    /// The gaps of that tier.
    pub gaps: &'a [String],
}

#[skip_serializing_none]
#[derive(Serialize, JsonSchema)]
pub(crate) struct ExecDocument<'a> {
    schema: u32,
    verdict: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    note: &'a str,
    exit_code: Option<i32>,
    signal: Option<i32>,
    cpu_ms: Option<f64>,
    wall_ms: Option<f64>,
    memory_bytes: Option<u64>,
    run_delay_ms: Option<f64>,
    stolen_ms: Option<f64>,
    stdout_bytes: Option<u64>,
    stderr_bytes: Option<u64>,
    tier: &'static str,
    gaps: &'a [String],
}

impl Document for ExecReport<'_> {
    fn record(&self) -> impl Serialize {
        let started = self.execution.filter(|execution| !matches!(execution.end, End::NotStarted(_)));
        let usage = started.map(|execution| &execution.usage);
        let (verdict, note) = words(self.ending);
        ExecDocument {
            schema: 1,
            verdict,
            note,
            exit_code: started
                .and_then(|execution| if let End::Exited(code) = execution.end { Some(code) } else { None }),
            signal: started
                .and_then(|execution| if let End::Signalled(signal) = execution.end { Some(signal) } else { None }),
            cpu_ms: usage.map(|usage| in_milliseconds(usage.cpu)),
            wall_ms: usage.map(|usage| in_milliseconds(usage.wall)),
            memory_bytes: usage.and_then(|usage| usage.memory),
            run_delay_ms: usage.and_then(|usage| usage.run_delay).map(in_milliseconds),
            stolen_ms: usage.and_then(|usage| usage.stolen).map(in_milliseconds),
            stdout_bytes: usage.map(|usage| usage.stdout_bytes),
            stderr_bytes: usage.map(|usage| usage.stderr_bytes),
            tier: self.tier.name(),
            gaps: self.gaps,
        }
    }
}

/// Returns the report as one line for people.
pub fn exec_line(report: &ExecReport<'_>) -> String {
    let (verdict, note) = words(report.ending);
    let mut parts = vec![if note.is_empty() { verdict.to_owned() } else { format!("{verdict}: {note}") }];
    if let Some(Execution { usage, .. }) = report.execution {
        parts.push(format!("CPU {}", milliseconds(usage.cpu)));
        parts.push(format!("wall {}", milliseconds(usage.wall)));
        parts.extend(usage.memory.map(|bytes| format!("memory {}", memory(bytes))));
    }
    parts.push(format!("sandbox tier {}", report.tier));
    parts.join("; ")
}

fn words(ending: &Termination) -> (&str, &str) {
    match ending {
        Termination::Clean => ("ok", ""),
        Termination::Failed(verdict, note) => (verdict.name(), note),
    }
}
