//! Output on a terminal: styles, printing, notes.

use anstyle::AnsiColor;
use judge_problem::{Verdict, one_line, visible};
use std::borrow::Cow;
use std::io::{self, IsTerminal, Read, Write};
use std::os::fd::AsFd;

/// Narrower terminals are treated as this wide.
const MIN_WIDTH: usize = 20;

/// Whether colours may be used, and how wide a line may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Whether colours may be used.
    pub(crate) is_colored: bool,
    /// The width of a line; `None` if it may have any.
    pub(crate) width: Option<usize>,
}

/// The meaning of a colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    /// Good.
    Good,
    /// Bad.
    Bad,
    /// Needs attention.
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
    const COLORED: Self = Self { is_colored: true, width: None };

    /// Returns the style with lines of this width.
    pub fn with_width(self, width: usize) -> Self {
        Self { width: Some(width.max(MIN_WIDTH)), ..self }
    }

    /// Returns the style for standard output.
    pub fn of_stdout() -> Self {
        Self::of(&std::io::stdout())
    }

    /// Returns the style for standard error.
    pub fn of_stderr() -> Self {
        Self::of(&std::io::stderr())
    }

    /// `COLUMNS` overrides the width of the terminal. A pipe has no width unless `COLUMNS` gives one.
    fn of(stream: &(impl IsTerminal + AsFd)) -> Self {
        // A dumb terminal shows escape sequences as text.
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let is_refused = anstyle_query::no_color() || anstyle_query::clicolor() == Some(false) || is_dumb;
        let style = Self { is_colored: stream.is_terminal() && !is_refused, ..Self::PLAIN };
        let named = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
        let width = named.filter(|columns| *columns > 0).or_else(|| terminal_width(stream));
        width.map_or(style, |width| style.with_width(width))
    }

    /// Returns a figure as shown: on a terminal with commas between thousands, from five digits on; otherwise without,
    /// because a program may read it.
    pub fn figure(self, text: &str) -> Cow<'_, str> {
        if self.width.is_none() { Cow::Borrowed(text) } else { with_thousands(text) }
    }

    /// Returns the text in this paint.
    pub fn paint(self, paint: Paint, text: &str) -> String {
        if !self.is_colored {
            return text.to_owned();
        }
        let style = paint.style();
        format!("{style}{text}{style:#}")
    }
}

/// Returns the width of a terminal; `None` if the stream is no terminal or its width is unknown.
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

/// Separates the digits before each decimal point by thousands, if there are at least five.
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

/// Standard output cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write to standard output: {0}")]
pub struct PrintError(io::Error);

/// Writes a text and a newline to standard output.
///
/// # Errors
/// When it cannot be written. A closed pipe (`| head`) is no error.
pub fn print(text: &str) -> Result<(), PrintError> {
    print_bytes(format!("{}\n", screened(text.trim_end_matches('\n'), Style::of_stdout())).as_bytes())
}

/// Writes a text as one line to standard output.
///
/// # Errors
/// When it cannot be written. A closed pipe (`| head`) is no error.
pub fn print_line(text: &str) -> Result<(), PrintError> {
    print_bytes(format!("{}\n", one_line(text)).as_bytes())
}

/// Writes bytes to standard output unchanged: a document, or the input of another program.
///
/// # Errors
/// When they cannot be written. A closed pipe (`| head`) is no error.
pub fn print_bytes(bytes: &[u8]) -> Result<(), PrintError> {
    print_with(|output| output.write_all(bytes))
}

/// Lets `fill` write to standard output, unchanged.
///
/// # Errors
/// When it cannot be written. A closed pipe (`| head`) is no error: the rest is dropped.
pub fn print_with(fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), PrintError> {
    let mut output = Pipe { output: io::stdout().lock(), is_closed: false };
    fill(&mut output).and_then(|()| output.flush()).map_err(PrintError)
}

/// An output that may be closed before its end.
struct Pipe<W> {
    output: W,
    is_closed: bool,
}

impl<W: Write> Write for Pipe<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_closed {
            return Ok(bytes.len());
        }
        match self.output.write(bytes) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.is_closed = true;
                Ok(bytes.len())
            }
            written => written,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.output.flush() {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            flushed => flushed,
        }
    }
}

/// Copies the rest of `source` to standard output. On a terminal, control characters are escaped.
///
/// # Errors
/// When it cannot be read or written. A closed pipe (`| head`) is no error.
pub fn print_from(source: &mut impl Read) -> Result<(), PrintError> {
    print_with(|output| copy(source, output, io::stdout().is_terminal()))
}

/// Writes a line to standard error. Errors are ignored.
pub fn note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", one_line(text));
}

/// Writes a text of several lines to standard error. Errors are ignored.
pub fn note_lines(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", screened(text, Style::of_stderr()));
}

/// Copies the rest of `source` to standard error. On a terminal, control characters are escaped. Errors are ignored.
pub fn note_from(source: &mut impl Read) {
    let _ = copy(source, &mut io::stderr().lock(), io::stderr().is_terminal());
}

/// Copies the rest of `source`. Where it is shown, hidden characters are escaped, and invalid UTF-8 becomes U+FFFD.
fn copy(source: &mut impl Read, output: &mut dyn Write, is_shown: bool) -> io::Result<()> {
    if !is_shown {
        return io::copy(source, output).map(drop);
    }
    let mut waiting = Vec::new();
    let mut piece = [0; 65536];
    loop {
        let length = source.read(&mut piece)?;
        waiting.extend_from_slice(&piece[..length]);
        // The first bytes of a character stay in the buffer until its last ones are read.
        let whole = if length == 0 { waiting.len() } else { waiting.len() - unfinished(&waiting) };
        let text = String::from_utf8_lossy(&waiting[..whole]);
        output.write_all(visible(&text).as_bytes())?;
        if length == 0 {
            return Ok(());
        }
        waiting.drain(..whole);
    }
}

/// Returns the number of bytes at the end that begin a character.
fn unfinished(bytes: &[u8]) -> usize {
    let last = bytes.utf8_chunks().last();
    // An incomplete character has fewer bytes than the longest one.
    last.map_or(0, |chunk| chunk.invalid().len()).min(3)
}

/// Returns a text with hidden characters escaped, except newlines, tabs, and colours in a coloured style.
fn screened(text: &str, style: Style) -> String {
    if !style.is_colored {
        return visible(text).into_owned();
    }
    let mut parts = text.split('\u{1b}');
    let mut shown = visible(parts.next().unwrap_or_default()).into_owned();
    for part in parts {
        let end = part.find(|c: char| !matches!(c, '[' | ';' | '0'..='9')).unwrap_or(part.len());
        let is_colour = part.starts_with('[') && part[end..].starts_with('m');
        shown.push_str(if is_colour { "\u{1b}" } else { "\\x1b" });
        shown.push_str(&visible(part));
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated_only_for_people() {
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

    #[test]
    fn colours_alone_get_through() {
        let bad = Style::COLORED.paint(Paint::Bad, "bad");
        for text in [&*bad, "\u{1b}[38;5;10mx\u{1b}[0m\ty\n"] {
            assert_eq!(screened(text, Style::COLORED), text);
            assert!(!screened(text, Style::PLAIN).contains('\u{1b}'));
        }
        for text in ["\u{1b}]0;t\x07", "\u{1b}[2J", "\u{1b}[1A", "\u{1b}", "\u{1b}[", "\u{1b}[1;\u{1b}[m", "\u{9b}m\r"]
        {
            let shown = screened(text, Style::COLORED);
            assert!(!shown.replace("\u{1b}[m", "").contains(|c: char| c.is_control()), "{shown:?}");
        }
    }

    /// Returns one byte at a time.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let Some((first, rest)) = self.0.split_first() else { return Ok(0) };
            (buffer[0], self.0) = (*first, rest);
            Ok(1)
        }
    }

    #[test]
    fn streams_are_shown_alike_whatever_the_pieces() {
        for bytes in ["aé棋🙂\x1b[2J\r\n\u{202e}".as_bytes(), b"\xf0\x9f\x99", b"a\xff\xfe\xe6b", b"\xf0\x9f\x99\x1b"]
        {
            let mut shown = Vec::new();
            copy(&mut Slow(bytes), &mut shown, true).unwrap();
            assert_eq!(String::from_utf8(shown).unwrap(), visible(&String::from_utf8_lossy(bytes)));
        }
    }
}
