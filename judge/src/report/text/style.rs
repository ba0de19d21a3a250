//! Colours with a meaning, on terminals only.

use crate::model::Verdict;
use anstyle::AnsiColor;
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
        if stream.is_terminal() && !anstyle_query::no_color() { Self::Colored } else { Self::Plain }
    }

    /// Returns the text in this paint.
    #[must_use]
    pub fn paint(self, paint: Paint, text: &str) -> String {
        match self {
            Self::Colored => {
                let style = paint.style();
                format!("{style}{text}{style:#}")
            }
            Self::Plain => text.to_owned(),
        }
    }
}

impl Paint {
    fn style(self) -> anstyle::Style {
        match self {
            Self::Good => AnsiColor::Green.on_default(),
            Self::Bad => AnsiColor::Red.on_default(),
            Self::Warning => AnsiColor::Yellow.on_default(),
            Self::Faint => anstyle::Style::new().dimmed(),
            Self::Strong => anstyle::Style::new().bold(),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paint_ends_with_its_text_and_is_absent_where_it_is_plain() {
        for (paint, code) in
            [(Paint::Good, 32), (Paint::Bad, 31), (Paint::Warning, 33), (Paint::Faint, 2), (Paint::Strong, 1)]
        {
            assert_eq!(Style::Colored.paint(paint, "x"), format!("\u{1b}[{code}mx\u{1b}[0m"));
            assert_eq!(Style::Plain.paint(paint, "x"), "x");
        }
    }
}
