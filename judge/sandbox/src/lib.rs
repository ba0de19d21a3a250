//! Runs one program once, walled in and measured. Knows no problem and no verdict.

mod api;
mod cgroup;
mod confine;
mod doctor;
mod entry;
mod helper;
mod namespace;
mod probe;
mod proc;
mod protocol;
#[cfg(test)]
#[path = "../../../tests/support/require.rs"]
mod require;
mod sandbox;
mod scratch;
mod supervisor;
mod sweep;
mod watch;
mod worker;

pub use api::exchange::{Exchange, Made, WorkFile};
pub use api::execution::{Breach, End, Execution, Fault, Usage};
pub use api::names::unique as sweepable_name;
pub use api::request::{Limits, Request, Sink, Stdin, Visible};
pub use api::tier::{Gap, Options, Tier, TierChoice, UnknownTier};
pub use doctor::{Feature, Machine, Survey, TierReport, survey};
pub use entry::become_helper_if_asked;
pub use proc::cores::Cores;
pub use proc::inherited::reset_inherited_signals;
pub use sandbox::{OpenError, Sandbox};

pub use supervisor::supervised::{Supervised, dismiss_supervisors, use_as_supervisor};
pub use worker::{Canceller, Worker};
