//! Reads what the kernel tells as text.

use std::fmt::Display;
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
pub(crate) fn text(path: impl AsRef<Path>) -> io::Result<String> {
    let mut bytes = Vec::with_capacity(USUAL_BYTES);
    // Through `take`, as a file would first be asked for its length, which these do not tell.
    File::open(path)?.take(u64::MAX).read_to_end(&mut bytes)?;
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// Returns what `stat` says of the process or thread with this folder in `/proc`, behind its name: fields with a space between,
/// of which the first are its state, its parent and its group. The name is in brackets, and may have any character. `None`: it
/// has gone.
#[must_use]
pub fn stat(folder: &Path) -> Option<String> {
    Some(text(folder.join("stat")).ok()?.rsplit_once(") ")?.1.to_owned())
}

/// The `stat` of the process with this id, or of `self`.
pub(crate) fn stat_of(process: impl Display) -> Option<String> {
    stat(Path::new(&format!("/proc/{process}")))
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

    #[test]
    fn a_name_may_look_like_fields() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("stat"), b"7 (a) R 1 (\xff) S 5 7 7").unwrap();
        assert_eq!(stat(folder.path()).unwrap(), "S 5 7 7");
        let own = stat_of("self").unwrap();
        assert_eq!(own.split(' ').nth(1).unwrap(), std::os::unix::process::parent_id().to_string());
        assert_eq!(stat_of(i32::MAX), None);
    }
}
