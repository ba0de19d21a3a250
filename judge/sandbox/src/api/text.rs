//! Reads what the kernel tells as text.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Most such files are shorter.
const USUAL_BYTES: usize = 4096;

/// Returns what is in a file that the system keeps as text, such as those of `/proc`. Names in it may be bytes that are no
/// text, as programs and users please: those are replaced, so that all else can be read.
///
/// # Errors
/// When it cannot be read.
pub fn text(path: impl AsRef<Path>) -> io::Result<String> {
    let mut bytes = Vec::with_capacity(USUAL_BYTES);
    // Through `take`, as a file would first be asked for its length, which these do not tell.
    File::open(path)?.take(u64::MAX).read_to_end(&mut bytes)?;
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_hide_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("status");
        for (bytes, expected) in [
            (&b"Name:\tbot\n"[..], "Name:\tbot\n"),
            (b"Name:\tb\xfft\nVmSize:\t1 kB\n", "Name:\tb\u{fffd}t\nVmSize:\t1 kB\n"),
            (b"", ""),
        ] {
            std::fs::write(&path, bytes).unwrap();
            assert_eq!(text(&path).unwrap(), expected);
        }
        std::fs::write(&path, "x".repeat(3 * USUAL_BYTES)).unwrap();
        assert_eq!(text(&path).unwrap().len(), 3 * USUAL_BYTES);
        assert!(text(folder.path().join("none")).is_err());
    }
}
