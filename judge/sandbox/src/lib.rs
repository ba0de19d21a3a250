//! Runs one program once, walled in and measured. Knows no problem and no verdict.

mod execution;
mod request;

pub use execution::{Breach, End, Execution, Fault, Usage};
pub use request::{Limits, Request, Sink, Stdin, Visible};
