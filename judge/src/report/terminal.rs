//! The two streams: results on standard output, everything else on standard error.

use std::io::{self, Read, Write};

/// Standard output cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write to standard output: {0}")]
pub struct PrintError(io::Error);

/// Writes a text and a newline to standard output.
///
/// # Errors
/// When it cannot be written. A closed pipe (`| head`) is no error.
pub fn print(text: &str) -> Result<(), PrintError> {
    print_bytes(format!("{}\n", text.trim_end_matches('\n')).as_bytes())
}

/// Writes bytes to standard output.
///
/// # Errors
/// When they cannot be written. A closed pipe (`| head`) is no error.
pub fn print_bytes(mut bytes: &[u8]) -> Result<(), PrintError> {
    print_from(&mut bytes)
}

/// Copies the rest of `source` to standard output.
///
/// # Errors
/// When it cannot be read or written. A closed pipe (`| head`) is no error.
pub fn print_from(source: &mut impl Read) -> Result<(), PrintError> {
    let mut stdout = io::stdout().lock();
    match io::copy(source, &mut stdout).and_then(|_| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result.map_err(PrintError),
    }
}

/// Writes a line to standard error. Errors are ignored.
pub fn note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Copies the rest of `source` to standard error. Errors are ignored.
pub fn note_from(source: &mut impl Read) {
    let _ = io::copy(source, &mut io::stderr().lock());
}
