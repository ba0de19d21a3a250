//! What a protocol is asked, and what it answers.

use crate::model::Ruling;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

/// How a checker or an interactor is called, and how its result is read.
pub trait Protocol {
    /// Returns the names of the files for the program's result. They are created empty, in their own folder.
    fn reports(&self) -> &'static [&'static str];

    /// Returns how a program with this command line is called with these files.
    fn call<'a>(&self, line: &str, files: &CallFiles<'a>) -> Call<'a>;

    /// Returns the ruling that this output stands for.
    ///
    /// # Errors
    /// When it violates the protocol.
    fn ruling(&self, output: &CallOutput<'_>) -> Result<Ruling, ProtocolError>;
}

/// The files of one call.
#[derive(Debug, Clone, Copy)]
pub struct CallFiles<'a> {
    /// The input of the case.
    pub input: &'a Path,
    /// The answer; an interactor has none.
    pub answer: Option<&'a Path>,
    /// The files of [`Protocol::reports`], in the same order.
    pub reports: &'a [PathBuf],
}

/// How a program is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call<'a> {
    /// The value of each `{name}` in the command line.
    pub placeholders: Vec<(&'static str, &'a Path)>,
    /// The arguments after those of the command line.
    pub appended: Vec<&'a Path>,
    /// A checker's standard input; `None`: empty. An interactor reads the solver's output.
    pub stdin: Option<&'a Path>,
}

/// What a program leaves when it ends.
#[derive(Debug, Clone)]
pub struct CallOutput<'a> {
    /// How it ended.
    pub status: ExitStatus,
    /// A checker's standard output. It is empty for an interactor, whose output goes to the solver.
    pub stdout: &'a [u8],
    /// Its standard error.
    pub stderr: &'a [u8],
    /// The contents of the files of [`Protocol::reports`], in the same order.
    pub reports: &'a [Vec<u8>],
}

/// A program violated its protocol. This is never the solver's fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProtocolError {
    /// It accepted without a score.
    #[error("accepted the answer, but {place} is not a score: {why}")]
    NoScore {
        /// Where the score is expected.
        place: &'static str,
        /// Why not.
        why: String,
    },
    /// It rejected without a reason, although a crash looks the same.
    #[error("ended with {exit} (rejected), but {place} does not say why{}", after_colon(stderr))]
    NoReason {
        /// How it ended.
        exit: &'static str,
        /// Where the reason is expected.
        place: &'static str,
        /// Its standard error.
        stderr: String,
    },
    /// It rejected, but its standard error has the traceback of a crash.
    #[error("crashed ({status}): {stderr}")]
    Crashed {
        /// How it ended.
        status: ExitStatus,
        /// Its standard error.
        stderr: String,
    },
    /// It neither accepted nor rejected.
    #[error("ended with {status} ({expected}){}", after_colon(stderr))]
    NoRuling {
        /// How it ended.
        status: ExitStatus,
        /// What accepts, and what rejects.
        expected: &'static str,
        /// Its standard error.
        stderr: String,
    },
}

fn after_colon(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(": {text}") }
}
