//! The verdict on a case.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The verdict on a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Verdict {
    /// AC: a valid answer within the limits.
    Accepted,
    /// WA: the answer breaks a rule.
    WrongAnswer,
    /// TLE: too much CPU time.
    TimeLimit,
    /// ILE: too much wall time, idle or starved.
    WallLimit,
    /// MLE: too much memory.
    MemoryLimit,
    /// OLE: too much output, or too much on disk.
    OutputLimit,
    /// PLE: too many processes.
    ProcessLimit,
    /// RE: a non-zero exit code or a signal.
    RuntimeError,
    /// CE: the source did not compile.
    CompileError,
    /// CS: the program could not be started.
    CannotStart,
    /// JE: the judge's fault, never the solver's.
    JudgeError,
    /// –: the case was not run.
    Skipped,
}

impl Verdict {
    /// Every verdict, in the order in which summaries list them.
    pub const ALL: [Self; 12] = [
        Self::Accepted,
        Self::WrongAnswer,
        Self::TimeLimit,
        Self::WallLimit,
        Self::MemoryLimit,
        Self::OutputLimit,
        Self::ProcessLimit,
        Self::RuntimeError,
        Self::CompileError,
        Self::CannotStart,
        Self::JudgeError,
        Self::Skipped,
    ];

    /// Returns the name used in machine-readable reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::WrongAnswer => "wrong-answer",
            Self::TimeLimit => "time-limit",
            Self::WallLimit => "wall-limit",
            Self::MemoryLimit => "memory-limit",
            Self::OutputLimit => "output-limit",
            Self::ProcessLimit => "process-limit",
            Self::RuntimeError => "runtime-error",
            Self::CompileError => "compile-error",
            Self::CannotStart => "cannot-start",
            Self::JudgeError => "judge-error",
            Self::Skipped => "skipped",
        }
    }

    /// Returns what it means for the author of a solver.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Accepted => "a valid answer within the limits",
            Self::WrongAnswer => "the answer breaks a rule",
            Self::TimeLimit => "it used more CPU time than allowed",
            Self::WallLimit => "it took too long while using little CPU time",
            Self::MemoryLimit => "it used more memory than allowed",
            Self::OutputLimit => "it wrote more than allowed",
            Self::ProcessLimit => "it started too many processes or threads",
            Self::RuntimeError => "it ended with an error or a signal",
            Self::CompileError => "its source did not compile",
            Self::CannotStart => "it could not be started",
            Self::JudgeError => "the judge or the checker is at fault",
            Self::Skipped => "the case was not run",
        }
    }

    /// Returns the short code used in tables.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Accepted => "AC",
            Self::WrongAnswer => "WA",
            Self::TimeLimit => "TLE",
            Self::WallLimit => "ILE",
            Self::MemoryLimit => "MLE",
            Self::OutputLimit => "OLE",
            Self::ProcessLimit => "PLE",
            Self::RuntimeError => "RE",
            Self::CompileError => "CE",
            Self::CannotStart => "CS",
            Self::JudgeError => "JE",
            Self::Skipped => "–",
        }
    }

    /// Returns the verdict with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.name() == name)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}
