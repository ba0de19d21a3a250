//! Runs a plan: workers that each run one solver at a time, and one dispatcher that hears of everything.

mod alone;
mod dispatcher;
mod memory;
mod request;
mod signals;
mod worker;

pub use alone::run_alone;
pub use dispatcher::{RunError, RunResult, Settings, run};
pub use memory::{Forgetful, Lost, Memory};
pub use request::{hidden, request};
