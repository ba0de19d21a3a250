//! A command line as words.

use super::error::CommandError;
use judge_problem::fill_placeholders;
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// Splits a command line as a shell would, and replaces each `{name}` by its value.
///
/// # Errors
/// When it is empty or its quotes do not match.
pub fn words(line: &str, values: &[(&str, &Path)]) -> Result<Vec<OsString>, CommandError> {
    Ok(split(line)?.iter().map(|word| filled(word, values)).collect())
}

/// Splits a command line as a shell would.
pub(super) fn split(line: &str) -> Result<Vec<OsString>, CommandError> {
    let words = shell_words::split(line).ok().filter(|words| !words.is_empty());
    let words = words.ok_or_else(|| CommandError::Unreadable(line.to_owned()))?;
    Ok(words.into_iter().map(OsString::from).collect())
}

/// Returns a word with each `{name}` replaced by its value.
pub(super) fn filled(word: &OsStr, values: &[(&str, &Path)]) -> OsString {
    // A word that is no text is a path, and has no placeholders.
    let Some(text) = word.to_str() else { return word.to_owned() };
    fill_placeholders(text, |name| values.iter().find(|(known, _)| *known == name).map(|(_, value)| value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStrExt;

    #[test]
    fn placeholders_are_filled_after_splitting() {
        let filled = words("check '{input} x' {answer}", &[("input", Path::new("/a b")), ("answer", Path::new("/c"))]);
        assert_eq!(filled.unwrap(), ["check", "/a b x", "/c"]);
        let other = Path::new(OsStr::from_bytes(b"/{answer}/\xff"));
        assert_eq!(words("{input}", &[("input", other), ("answer", Path::new("/c"))]).unwrap(), [other.as_os_str()]);
        assert!(words("", &[]).is_err());
        assert!(words("'open", &[]).is_err());
    }
}
