//! Derives a verdict from how programs ended. The order of precedence is defined here alone.

mod ending;
mod interactive;
mod protocol;
mod tokens;

pub use ending::{Ending, ending};
pub use interactive::{Idleness, InteractiveVerdict, InteractorDecision, interactive_verdict};
pub use protocol::{
    Call, CallFiles, CallOutput, Protocol, ProtocolError, checker_protocol, interactor_protocol, tester_ruling,
    validator_protocol,
};
pub use tokens::{compare_tokens, find_too_fine};
