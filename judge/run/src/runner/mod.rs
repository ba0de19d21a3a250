//! Runs a plan: workers that each run one solver at a time, and one dispatcher that receives every result.

mod case_runner;
mod plan_runner;
mod results;
mod signals;
mod slots;
#[cfg(test)]
mod tests;

pub use case_runner::outcome_from_decision;
pub use plan_runner::{EarlyEnd, LocalRunner, PlanRunner, run_alone};
pub use results::{ClusterError, Result, ResultSink, ResultStore, RunError, RunResult, StoreLost, Watch};
pub use signals::{Signals, exit_at_once, was_interrupted};
pub use slots::{RunSettings, RunStopper, hidden, request};
