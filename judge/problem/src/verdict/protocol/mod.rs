//! The protocols of external checkers and interactors. A protocol defines the arguments, files and standard input of
//! the program, and the meaning of its exit code and output. It has no effects: `cases` and `interaction` start the
//! programs.
//!
//! A new protocol is a variant of [`CheckerProtocol`], a file here, and its line in [`checker_protocol`] and
//! [`interactor_protocol`].

mod crash;
mod interface;
mod judge;
mod kattis;
mod regex;
mod tester;
mod testlib;
mod validator;

use crate::model::CheckerProtocol;

pub use interface::{Call, CallFiles, CallOutput, Protocol, ProtocolError};
pub use tester::tester_ruling;

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
    validator::InputValidator {
        accepts: protocol.map_or(0, |protocol| checker_protocol(protocol).accepts_inputs_with()),
    }
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
