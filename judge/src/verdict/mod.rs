//! From how programs ended to a verdict: the one place where their order of precedence stands.

mod ending;
mod interactive;
mod protocol;

pub use ending::{Ending, ending};
pub use interactive::{Idleness, InteractiveVerdict, InteractorDecision, interactive_verdict};
pub use protocol::{Call, CallFiles, CallOutput, Protocol, ProtocolError, checker_protocol, interactor_protocol};
