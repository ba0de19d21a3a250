//! Runs one program once, walled in and measured. Knows no problem and no verdict.

mod bare;
mod capture;
mod cgroup;
mod cgroup_site;
mod clock;
mod execution;
mod fault;
mod folder;
mod helper;
mod identity;
mod inherited;
mod launch;
mod meter;
mod names;
mod order;
mod privileges;
mod reap;
mod request;
mod resource_limits;
mod sandbox;
mod survey;
mod tier;
mod tree;
mod watch;
mod wire;
mod worker;

pub use execution::{Breach, End, Execution, Fault, Usage};
pub use helper::become_helper_if_asked;
pub use inherited::reset_inherited_signals;
pub use request::{Limits, Request, Sink, Stdin, Visible};
pub use sandbox::{OpenError, Sandbox};
pub use tier::{Gap, Options, Tier, TierChoice, UnknownTier};
pub use worker::{Canceller, Worker};
