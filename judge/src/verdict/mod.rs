//! From how programs ended to a verdict: the one place where their order of precedence stands.

mod ending;
mod protocol;
mod settlement;

pub use ending::{Ending, ending};
pub use protocol::{ProtocolError, ruling};
pub use settlement::{Decision, Idleness, Settlement, settle};
