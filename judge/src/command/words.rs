//! A command line as words.

use super::error::CommandError;
use std::ffi::OsString;
use std::path::Path;

/// Splits a command line as a shell would, and replaces each `{name}` by its value.
///
/// # Errors
/// When it is empty or its quotes do not match.
pub fn words(line: &str, values: &[(&str, &Path)]) -> Result<Vec<OsString>, CommandError> {
    let words = shell_words::split(line).ok().filter(|words| !words.is_empty());
    let words = words.ok_or_else(|| CommandError::Unreadable(line.to_owned()))?;
    let fill = |word: String| {
        values.iter().fold(word, |word, (name, value)| word.replace(&format!("{{{name}}}"), &value.to_string_lossy()))
    };
    Ok(words.into_iter().map(|word| OsString::from(fill(word))).collect())
}
