//! Runs a plan: workers that each run one solver at a time, and one dispatcher that receives every result.

mod alone;
mod case_runner;
mod dispatcher;
mod handover;
mod passes;
mod plan_runner;
mod request;
mod result;
mod result_store;
mod settings;
mod signals;
mod slots;
#[cfg(test)]
mod tests;
mod work;

pub use alone::run_alone;
pub use handover::Handover;
pub use plan_runner::{EarlyEnd, LocalRunner, PlanRunner};
pub use request::{hidden, request};
pub use result::{ClusterError, RunError, RunResult};
pub use result_store::{ResultStore, StoreLost};
pub use settings::RunSettings;
pub use signals::{Signals, exit_at_once, was_interrupted};
