//! Colours with a meaning, on terminals only.

use crate::model::Verdict;
use std::io::IsTerminal;

/// Whether colours may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// A terminal, without `NO_COLOR`.
    Colored,
    /// A file, a pipe, or `NO_COLOR`.
    Plain,
}

/// The meaning of a colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    /// Good.
    Good,
    /// Bad.
    Bad,
    /// Neither: needs attention.
    Warning,
    /// Less important than the rest.
    Faint,
    /// More important than the rest.
    Strong,
}

impl Style {
    /// Returns the style for standard output.
    #[must_use]
    pub fn of_stdout() -> Self {
        Self::of(&std::io::stdout())
    }

    /// Returns the style for standard error.
    #[must_use]
    pub fn of_stderr() -> Self {
        Self::of(&std::io::stderr())
    }

    fn of(stream: &impl IsTerminal) -> Self {
        let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        if stream.is_terminal() && !refused { Self::Colored } else { Self::Plain }
    }

    /// Returns the text in this paint.
    #[must_use]
    pub fn paint(self, paint: Paint, text: &str) -> String {
        let code = match paint {
            Paint::Good => "32",
            Paint::Bad => "31",
            Paint::Warning => "33",
            Paint::Faint => "2",
            Paint::Strong => "1",
        };
        match self {
            Self::Colored => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
            Self::Plain => text.to_owned(),
        }
    }
}

/// Returns the paint of a verdict.
pub(in crate::report) fn paint_of(verdict: Verdict) -> Paint {
    match verdict {
        Verdict::Accepted => Paint::Good,
        Verdict::Skipped => Paint::Faint,
        Verdict::JudgeError => Paint::Warning,
        _ => Paint::Bad,
    }
}
