//! The protocols of external checkers and interactors. A protocol decides what arguments and files the program gets, what
//! it reads on standard input, and what its exit code and output mean. It takes values and returns values: `cases` and
//! `interaction` start the programs.
//!
//! A new protocol is a variant of [`CheckerProtocol`], a file here, and its line in [`checker_protocol`] and
//! [`interactor_protocol`].

mod interface;
mod judge;

use crate::model::CheckerProtocol;

pub use interface::{Call, CallFiles, CallOutput, Protocol, ProtocolError};

/// Returns how checkers of this protocol are called and understood.
#[must_use]
pub fn checker_protocol(protocol: &CheckerProtocol) -> &dyn Protocol {
    match protocol {
        CheckerProtocol::Judge => &judge::JudgeChecker,
    }
}

/// Returns how interactors of this protocol are called and understood.
#[must_use]
pub fn interactor_protocol(protocol: &CheckerProtocol) -> &dyn Protocol {
    match protocol {
        CheckerProtocol::Judge => &judge::JudgeInteractor,
    }
}
