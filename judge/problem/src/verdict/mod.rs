//! Derives a verdict from how programs ended. The order of precedence is defined here alone.

mod judge;
mod kattis;
mod protocol;
mod regex;
mod termination;
mod testlib;
mod tokens;

use crate::checker::CheckerProtocol;

pub use judge::tester_ruling;
pub use protocol::{Call, CallFiles, CallOutput, Protocol, ProtocolError};
pub use termination::{Ending, Idleness, InteractiveVerdict, InteractorDecision, ending, interactive_verdict};
pub use tokens::{compare_tokens, find_too_fine};

/// Returns the protocol as checkers use it.
#[must_use]
pub fn checker_protocol(protocol: &CheckerProtocol) -> &dyn Protocol {
    match protocol {
        CheckerProtocol::Judge => &judge::JudgeChecker,
        CheckerProtocol::Testlib(testlib) => testlib,
        CheckerProtocol::Kattis(kattis) => kattis,
        CheckerProtocol::Regex(search) => search,
    }
}

/// Returns the protocol of the validators that come with checkers of this one. The judge's own comes with every other.
#[must_use]
pub fn validator_protocol(protocol: Option<&CheckerProtocol>) -> impl Protocol + use<> {
    judge::InputValidator { accepts: protocol.map_or(0, |protocol| checker_protocol(protocol).accepts_inputs_with()) }
}

/// Returns the protocol as interactors and testers use it. The catalogue has no interactor whose score is searched for.
#[must_use]
pub fn interactor_protocol(protocol: &CheckerProtocol) -> &dyn Protocol {
    match protocol {
        CheckerProtocol::Judge => &judge::JudgeInteractor,
        CheckerProtocol::Testlib(_) => &testlib::TestlibInteractor,
        CheckerProtocol::Kattis(kattis) => kattis,
        CheckerProtocol::Regex(search) => search,
    }
}
