//! JSON text: exact, without characters that a terminal obeys.

use crate::model::is_hidden;
use serde::Serialize;
use std::fmt::Write;

/// Returns a value as a JSON document, with a final newline.
///
/// # Errors
/// When the value cannot be written as JSON.
pub(in crate::report) fn document(value: &impl Serialize) -> serde_json::Result<String> {
    Ok(escaped(serde_json::to_string_pretty(value)?) + "\n")
}

/// Returns a value as a line of JSON, with its newline.
///
/// # Errors
/// When the value cannot be written as JSON.
pub(in crate::report) fn line(value: &impl Serialize) -> serde_json::Result<String> {
    Ok(escaped(serde_json::to_string(value)?) + "\n")
}

/// JSON itself escapes the control characters of ASCII in strings; the others mean the same when they are escaped too.
fn escaped(json: String) -> String {
    let hidden = |c: char| is_hidden(c) && c != '\n';
    if !json.contains(hidden) {
        return json;
    }
    let mut text = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if hidden(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                // Writing to a `String` cannot fail.
                let _ = write!(text, "\\u{unit:04x}");
            }
        } else {
            text.push(c);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_exact_and_visible() {
        let value = ["\u{1b}\u{7f}\u{9b}1m\n", "\u{202e}\u{e0041}é"];
        for json in [document(&value).unwrap(), line(&value).unwrap()] {
            assert!(!json.contains(|c: char| is_hidden(c) && c != '\n'), "{json:?}");
            assert_eq!(serde_json::from_str::<Vec<String>>(&json).unwrap(), value);
        }
    }
}
