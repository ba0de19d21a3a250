//! An error as the user sees it: what happened, where, and a hint with the command or key that fixes it.

use crate::cases::{InputError, ReadError, RefereeError, SelectError};
use crate::journal::JournalError;
use crate::manifest::{ManifestError, UnknownProblem};
use crate::model::Exit;
use crate::paired::{InferenceError, UnsuitedMinEffect};
use crate::report::{Paint, Style};
use crate::runner::RunError;
use crate::scoring::InvalidResults;
use crate::solver::SpecError;
use std::error::Error;
use std::fmt;
use std::io;

/// An error as the user sees it.
#[derive(Debug)]
pub(crate) struct Failure {
    error: Box<dyn Error>,
    hint: Option<String>,
    exit: Exit,
}

impl Failure {
    /// An error in the arguments, the catalogue or the files given.
    pub(crate) fn usage(error: impl Into<Box<dyn Error>>) -> Self {
        Self { error: error.into(), hint: None, exit: Exit::Usage }
    }

    /// An error of the judge or of the machine.
    pub(crate) fn fault(error: impl Into<Box<dyn Error>>) -> Self {
        Self { error: error.into(), hint: None, exit: Exit::Fault }
    }

    /// An interruption by the user.
    pub(crate) fn interrupted() -> Self {
        Self { error: "interrupted".into(), hint: None, exit: Exit::Interrupted }
    }

    /// Adds a hint.
    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Returns the exit code.
    pub(crate) fn exit(&self) -> Exit {
        self.exit
    }

    /// Returns the text for standard error.
    pub(crate) fn render(&self, style: Style) -> String {
        let mut lines = vec![format!("{} {}", style.paint(Paint::Bad, "error:"), self.error)];
        let mut cause = self.error.source();
        while let Some(error) = cause {
            lines.push(format!("  caused by: {error}"));
            cause = error.source();
        }
        lines.extend(self.hint.iter().map(|hint| format!("{} {hint}", style.paint(Paint::Good, "hint:"))));
        lines.join("\n")
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(formatter)
    }
}

impl From<ManifestError> for Failure {
    fn from(error: ManifestError) -> Self {
        Self::usage(error)
    }
}

impl From<UnknownProblem> for Failure {
    fn from(error: UnknownProblem) -> Self {
        let hint = match &error.meant {
            Some(meant) => format!("did you mean `{meant}`? `judge list` shows all problems"),
            None => "`judge list` shows all problems".to_owned(),
        };
        Self::usage(error).with_hint(hint)
    }
}

impl From<SelectError> for Failure {
    fn from(error: SelectError) -> Self {
        let hint = match &error {
            SelectError::NoGenerator(_) => {
                "give files: --inputs 'data/*.in'; or add `generator-command` to the problem"
            }
            SelectError::NoFiles(_) | SelectError::Pattern { .. } => "quote patterns: --inputs 'data/*.in'",
            SelectError::Unreadable(_) | SelectError::SameName(_) | SelectError::NotAFile(_) => {
                return Self::usage(error);
            }
        };
        Self::usage(error).with_hint(hint)
    }
}

impl From<SpecError> for Failure {
    fn from(error: SpecError) -> Self {
        Self::usage(error)
    }
}

impl From<InputError> for Failure {
    fn from(error: InputError) -> Self {
        Self::usage(error)
    }
}

impl From<RefereeError> for Failure {
    fn from(error: RefereeError) -> Self {
        match error {
            RefereeError::Malformed(_)
            | RefereeError::Command(_)
            | RefereeError::Protocol(_)
            | RefereeError::Interactive => Self::usage(error),
            RefereeError::Store(_) | RefereeError::Panicked(_) => Self::fault(error),
        }
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Input(error) => error.into(),
            ReadError::Referee(error) => error.into(),
        }
    }
}

impl From<JournalError> for Failure {
    fn from(error: JournalError) -> Self {
        let hint = match &error {
            JournalError::NoRun(_) | JournalError::NoRunYet => "`judge history` lists the runs",
            JournalError::StillRunning(_) => {
                "wait for it, or end it with Ctrl-C; without --resume, a new run is started"
            }
            JournalError::Newer { .. } => "use that judge, or move the file away",
            JournalError::Folder { .. } | JournalError::Open { .. } | JournalError::Database(_) => {
                return Self::fault(error).with_hint("is the disk full, or the folder not writable?");
            }
            JournalError::Damaged(_) => return Self::fault(error).with_hint("move the file away to start a new one"),
        };
        Self::usage(error).with_hint(hint)
    }
}

/// Returns an error with all its causes, as one line.
pub(crate) fn error_chain(error: &dyn Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| (**cause).source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        Self::fault(error)
    }
}

impl From<UnsuitedMinEffect> for Failure {
    fn from(error: UnsuitedMinEffect) -> Self {
        Self::usage(error)
    }
}

impl From<InferenceError> for Failure {
    fn from(error: InferenceError) -> Self {
        match error {
            InferenceError::Settings(_) => Self::usage(error),
            InferenceError::BeyondBound { .. } => Self::usage(error)
                .with_hint("--exact is for scores of one sign; without it, --until-decided compares any scores"),
        }
    }
}

impl From<InvalidResults> for Failure {
    fn from(error: InvalidResults) -> Self {
        Self::fault(error)
    }
}

impl From<io::Error> for Failure {
    /// Only for what is written to standard output: whoever opens a file says which.
    fn from(error: io::Error) -> Self {
        Self::fault(format!("cannot write to standard output: {error}"))
    }
}
