//! Runs a plan: workers that each run one solver at a time, and one dispatcher that receives every result.

mod alone;
mod case_runner;
mod dispatcher;
mod plan_runner;
mod request;
mod result_store;
mod signals;
mod slots;
#[cfg(test)]
mod tests;

pub use alone::run_alone;
pub use dispatcher::{RunError, RunResult};
pub use plan_runner::{LocalRunner, PlanRunner, RunSettings};
pub use request::{hidden, request};
pub use result_store::{ResultStore, StoreLost};
pub use signals::exit_at_once;
