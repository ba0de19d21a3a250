//! The two streams: results on standard output, everything else on standard error.

use std::io::{self, Write};

/// Writes a text and a newline to standard output.
///
/// # Errors
/// When it cannot be written. A reader that went away (`| head`) is no error.
pub fn print(text: &str) -> io::Result<()> {
    print_bytes(format!("{}\n", text.trim_end_matches('\n')).as_bytes())
}

/// Writes bytes to standard output.
///
/// # Errors
/// When they cannot be written. A reader that went away (`| head`) is no error.
pub fn print_bytes(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// Writes a line to standard error. There is nobody to tell when that fails.
pub fn note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Writes bytes to standard error as they are. There is nobody to tell when that fails.
pub fn note_bytes(bytes: &[u8]) {
    let _ = io::stderr().lock().write_all(bytes);
}
