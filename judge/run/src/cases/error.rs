//! Why a case cannot be read, or an answer cannot be checked.

use crate::command::CommandError;
use checkers::{Malformed, Score, Undecided};
use judge_problem::verdict::ProtocolError;
use std::io;
use std::path::PathBuf;

/// A checker failed. This is never the solver's fault.
#[derive(Debug, thiserror::Error)]
pub enum CheckerError {
    /// The input is malformed.
    #[error("the input is not of this game: {0}")]
    Malformed(Malformed),
    /// An external checker gave no result.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// An external checker violated its protocol.
    #[error("the checker {0}")]
    Protocol(ProtocolError),
    /// An external checker or an interactor gave a negative score below that of a failed case.
    #[error(
        "the score {score} is worse than that of a failed case ({least}): set `failure` in [problem.scoring] below \
         every score"
    )]
    BelowFailure {
        /// The score.
        score: Score,
        /// What a failed case counts as.
        least: Score,
    },
    /// The checker compares with an answer file, and the case has none.
    #[error(
        "the case has no answer file: name some with `answers = [\"data/*.ans\"]` in the problem, or one with `judge \
         check --answer FILE`"
    )]
    NoAnswerFile,
    /// An answer file cannot be read.
    #[error("cannot read the answer file {}", path.display())]
    AnswerFile {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A folder with answer files cannot be read, and the case has no other.
    #[error("cannot look for the answer file: {0}")]
    AnswerFolder(String),
    /// The problem is interactive: an answer without its conversation cannot be checked.
    #[error("interactive answers cannot be checked without running the interactor")]
    Interactive,
    /// A built-in checker gave up on an answer that may be right.
    #[error("{0}")]
    Undecided(Undecided),
    /// A temporary file could not be written or read.
    #[error("cannot use a temporary file for the checker")]
    Store(#[from] io::Error),
    /// A built-in checker panicked: a bug in it.
    #[error("the checker panicked: {0}")]
    Panicked(String),
}

/// An input that cannot be made or read.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// The file cannot be read.
    #[error("cannot read the case file {}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// A built-in generator has no case for this seed.
    #[error(transparent)]
    Seed(#[from] checkers::UnusableSeed),
    /// The problem has no generator.
    #[error("the problem has no generator for seed {0}")]
    NoGenerator(u64),
    /// A generator command failed.
    #[error("the generator failed on seed {seed}: {why}")]
    Generator {
        /// The seed.
        seed: u64,
        /// How it ended, and its standard error.
        why: String,
    },
    /// A generator command could not be run.
    #[error(transparent)]
    Command(#[from] CommandError),
}

/// A case that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// Its input cannot be made or read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// Its input is malformed, or the checker failed.
    #[error(transparent)]
    Checker(#[from] CheckerError),
}
