//! Runs a setter's command (a checker, an interactor, a generator) with limits: in the sandbox, unless it is trusted.
//! Commands end when the judge ends, even if it is killed.

mod calls;
mod identity;
mod outside;
mod sandboxed;
mod setter;

pub(crate) use calls::{CallInput, LiveCall, reports};
pub use identity::{checker_files, checker_identity, game_of, generator_identity};
pub(crate) use outside::{OutsideCall, Running, SUPERVISORS, printed, stored};
pub use outside::{dismiss_supervisors, run, use_as_supervisor};
pub use sandboxed::{dismiss_workers, use_sandbox};
pub use setter::{CommandError, CommandOutput, SetterProgram, StopSignal, words};
pub(crate) use setter::{filled, split};
