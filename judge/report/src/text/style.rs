//! The style of a text: its width, and colours with a meaning, on terminals only.

use anstyle::AnsiColor;
use judge_problem::Verdict;
use std::borrow::Cow;
use std::io::IsTerminal;
use std::os::fd::AsFd;

/// Narrower terminals are treated as this wide.
const LEAST_WIDTH: usize = 20;

/// Whether colours may be used, and how wide a line may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    is_colored: bool,
    width: Option<usize>,
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
    /// The style of a file: no colours, and lines of any width.
    pub const PLAIN: Self = Self { is_colored: false, width: None };

    /// The style of a terminal of unknown width.
    #[cfg(test)]
    pub(crate) const COLORED: Self = Self { is_colored: true, width: None };

    /// Returns the style with lines of this width.
    #[must_use]
    pub fn with_width(self, width: usize) -> Self {
        Self { width: Some(width.max(LEAST_WIDTH)), ..self }
    }

    /// Returns the width of a line; `None` if it may have any.
    #[must_use]
    pub fn width(self) -> Option<usize> {
        self.width
    }

    /// Returns whether colours may be used.
    #[must_use]
    pub fn is_colored(self) -> bool {
        self.is_colored
    }

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

    /// `COLUMNS` goes before the width of the terminal. A pipe without it has no width.
    fn of(stream: &(impl IsTerminal + AsFd)) -> Self {
        let style = Self { is_colored: stream.is_terminal() && !anstyle_query::no_color(), ..Self::PLAIN };
        let named = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
        let width = named.filter(|columns| *columns > 0).or_else(|| terminal_width(stream));
        width.map_or(style, |width| style.with_width(width))
    }

    /// Returns a figure as it is shown: on a terminal with commas between thousands, from five digits on; otherwise a program may
    /// read it.
    #[must_use]
    pub fn figure(self, text: &str) -> Cow<'_, str> {
        if self.width.is_none() { Cow::Borrowed(text) } else { with_thousands(text) }
    }

    /// Returns the text in this paint.
    #[must_use]
    pub fn paint(self, paint: Paint, text: &str) -> String {
        if !self.is_colored {
            return text.to_owned();
        }
        let style = paint.style();
        format!("{style}{text}{style:#}")
    }
}

/// Returns the width of the terminal that a stream is; `None` if it is none, or has none.
fn terminal_width(stream: &impl AsFd) -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(stream).ok()?;
    Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
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
pub(crate) fn paint_of(verdict: Verdict) -> Paint {
    match verdict {
        Verdict::Accepted => Paint::Good,
        Verdict::Skipped => Paint::Faint,
        Verdict::JudgeError => Paint::Warning,
        _ => Paint::Bad,
    }
}

/// Separates the digits before each decimal point by thousands, where there are five or more.
fn with_thousands(text: &str) -> Cow<'_, str> {
    let mut separated = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, from) = rest.split_at(start);
        let (digits, after) = from.split_at(from.find(|c: char| !c.is_ascii_digit()).unwrap_or(from.len()));
        separated.push_str(before);
        let is_fraction = separated.ends_with('.');
        for (place, digit) in digits.char_indices() {
            let is_start = place > 0 && (digits.len() - place).is_multiple_of(3);
            separated.extend((is_start && digits.len() > 4 && !is_fraction).then_some(','));
            separated.push(digit);
        }
        rest = after;
    }
    separated.push_str(rest);
    Cow::Owned(separated)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated_for_people_alone() {
        let shown = |text| Style::PLAIN.with_width(80).figure(text).into_owned();
        assert_eq!(shown("1234567.1234567"), "1,234,567.1234567");
        assert_eq!(shown("-12345 *"), "-12,345 *");
        assert_eq!((shown("9999"), shown("100000 %"), shown("–")), ("9999".into(), "100,000 %".into(), "–".into()));
        assert_eq!(Style::PLAIN.figure("1234567"), "1234567");
    }

    #[test]
    fn a_paint_ends_with_its_text_and_is_absent_where_it_is_plain() {
        for (paint, code) in
            [(Paint::Good, 32), (Paint::Bad, 31), (Paint::Warning, 33), (Paint::Faint, 2), (Paint::Strong, 1)]
        {
            assert_eq!(Style::COLORED.paint(paint, "x"), format!("\u{1b}[{code}mx\u{1b}[0m"));
            assert_eq!(Style::PLAIN.paint(paint, "x"), "x");
        }
    }
}
