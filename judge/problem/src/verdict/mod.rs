//! Derives verdicts from how programs ended and from what checkers reported. The order of precedence is defined only
//! here. A new checker protocol is a variant of [`CheckerProtocol`], a file in this folder, and its line in
//! [`checker_protocol`] and [`interactor_protocol`].

mod judge;
mod kattis;
mod protocol;
mod regex;
mod termination;
mod testlib;
mod tokens;

use crate::checker::CheckerProtocol;

pub use judge::tester_ruling;
pub use kattis::NEXT_PASS_FILE;
pub use protocol::{Call, CallFiles, CallOutput, Decision, NO_FILE, Protocol, ProtocolError, metrics_in};
pub use termination::{Idleness, InteractorDecision, Termination, interactive_verdict, termination};
pub use tokens::{compare_tokens, find_too_fine};

/// Returns the protocol of a checker.
pub fn checker_protocol(protocol: &CheckerProtocol) -> &dyn Protocol {
    match protocol {
        CheckerProtocol::Judge => &judge::JudgeChecker,
        CheckerProtocol::Testlib(testlib) => testlib,
        CheckerProtocol::Kattis(kattis) => kattis,
        CheckerProtocol::Regex(search) => search,
    }
}

/// Returns the protocol of the input validators that come with checkers of this protocol. Without a protocol it is the
/// judge's own.
pub fn validator_protocol(protocol: Option<&CheckerProtocol>) -> impl Protocol + use<> {
    let accepts = if let Some(CheckerProtocol::Kattis(_)) = protocol { kattis::ACCEPTS } else { 0 };
    judge::InputValidator { accepts }
}

/// Returns the protocol of an interactor or tester. The catalogue rejects interactors with the protocol `regex`.
pub fn interactor_protocol(protocol: &CheckerProtocol) -> &dyn Protocol {
    match protocol {
        CheckerProtocol::Judge => &judge::JudgeInteractor,
        CheckerProtocol::Testlib(_) => &testlib::TestlibInteractor,
        CheckerProtocol::Kattis(kattis) => kattis,
        CheckerProtocol::Regex(search) => search,
    }
}
