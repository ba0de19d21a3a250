//! The two streams: results on standard output, everything else on standard error. All text passes here: of its hidden
//! characters, only the judge's own colours reach a terminal.

use super::style::Style;
use judge_problem::{one_line, visible};
use std::io::{self, IsTerminal, Read, Write};

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
pub fn print_bytes(mut bytes: &[u8]) -> Result<(), PrintError> {
    copy(&mut bytes, &mut io::stdout().lock()).map_err(PrintError)
}

/// Lets `fill` write to standard output, unchanged.
///
/// # Errors
/// When it cannot be written. A closed pipe (`| head`) is no error: what is left is dropped.
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
    let mut stdout = io::stdout().lock();
    let copied = if stdout.is_terminal() { copy_visibly(source, &mut stdout) } else { copy(source, &mut stdout) };
    copied.map_err(PrintError)
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
    let mut stderr = io::stderr().lock();
    let _ = if stderr.is_terminal() { copy_visibly(source, &mut stderr) } else { copy(source, &mut stderr) };
}

fn copy(source: &mut impl Read, output: &mut impl Write) -> io::Result<()> {
    match io::copy(source, output).and_then(|_| output.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// Copies text in pieces, with hidden characters escaped; invalid UTF-8 becomes U+FFFD.
fn copy_visibly(source: &mut impl Read, output: &mut impl Write) -> io::Result<()> {
    let mut waiting = Vec::new();
    let mut piece = [0; 65536];
    loop {
        let length = source.read(&mut piece)?;
        waiting.extend_from_slice(&piece[..length]);
        // The first bytes of a character wait for its last ones.
        let whole = if length == 0 { waiting.len() } else { waiting.len() - unfinished(&waiting) };
        let text = String::from_utf8_lossy(&waiting[..whole]);
        copy(&mut visible(&text).as_bytes(), output)?;
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
    if !style.is_colored() {
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
    use crate::text::style::Paint;

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

    /// Gives a byte at a time.
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
            copy_visibly(&mut Slow(bytes), &mut shown).unwrap();
            assert_eq!(String::from_utf8(shown).unwrap(), visible(&String::from_utf8_lossy(bytes)));
        }
    }
}
