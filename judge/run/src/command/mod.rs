//! Runs a setter's command (a checker, an interactor, a generator) with limits: in the sandbox, unless it is trusted.
//! Commands end when the judge ends, even if it is killed.

mod calls;
mod identity;
mod outside;
mod sandboxed;
mod setter;

pub(crate) use calls::{CallInput, CallResult, Calls, LiveCall};
pub use identity::{checker_identity, game_of, generator_identity};
pub(crate) use outside::{Reports, Running, SUPERVISORS, call_words, contents};
pub use outside::{dismiss_supervisors, run, use_as_supervisor};
pub use sandboxed::{dismiss_workers, use_sandbox};
pub(crate) use setter::Place;
pub use setter::{CaseInput, CommandError, CommandOutput, SetterProgram, StopSignal, words};
