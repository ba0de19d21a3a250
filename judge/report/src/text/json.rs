//! JSON documents: exact numbers, no control characters, and their schemas.

use judge_problem::{LOG_COMMAND, NamedNumbers, is_hidden};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Number;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::str::FromStr;
use std::time::Duration;

/// A value that the judge writes as one JSON document. [`SCHEMAS`](crate::SCHEMAS) has the schema of each.
pub trait Document {
    /// Returns the value to serialize: its fields are the keys of the document.
    fn record(&self) -> impl Serialize;

    /// Writes the document in indented lines, with a final newline.
    ///
    /// # Errors
    /// When the output cannot be written to.
    fn write_json(&self, output: &mut dyn Write) -> serde_json::Result<()> {
        serde_json::to_writer_pretty(Visible(&mut *output), &self.record())?;
        output.write_all(b"\n").map_err(serde_json::Error::io)
    }
}

/// A report, or the head of one, with the number of its form.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Versioned<'a, R> {
    /// The version of this format.
    schema: u32,
    /// The judge's version.
    judge: &'static str,
    #[serde(flatten)]
    report: &'a R,
}

impl<'a, R> Versioned<'a, R> {
    /// Describes a report in this form.
    pub(crate) fn new(schema: u32, report: &'a R) -> Self {
        Self { schema, judge: env!("CARGO_PKG_VERSION"), report }
    }
}

/// Returns a value as a line of JSON, with its newline.
///
/// # Errors
/// When the value cannot be written as JSON.
pub fn json_line(value: &impl Serialize) -> serde_json::Result<String> {
    let mut bytes = Vec::new();
    serde_json::to_writer(Visible(&mut bytes), value)?;
    bytes.push(b'\n');
    Ok(String::from_utf8(bytes).expect("JSON is UTF-8"))
}

/// A list whose items are created while they are written.
pub(crate) struct Each<F>(pub(crate) F);

impl<F: Fn() -> I, I: Iterator<Item: Serialize>> Serialize for Each<F> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

/// Escapes the control characters that JSON itself does not escape, and commands to GitHub Actions, which obeys the log of a
/// job. (`::` begins one only at the start of a line, where JSON has no text.) The meaning of a document stays the same.
/// Every write consists of whole characters, as a serializer's writes do.
struct Visible<W>(W);

impl<W: Write> Write for Visible<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // The fast path: nearly all texts have only such characters.
        let has_command = bytes.windows(LOG_COMMAND.len()).any(|part| part == LOG_COMMAND.as_bytes());
        if !has_command && bytes.iter().all(|byte| matches!(byte, b'\n' | b' '..=b'~')) {
            self.0.write_all(bytes)?;
            return Ok(bytes.len());
        }
        let text = std::str::from_utf8(bytes).map_err(io::Error::other)?;
        let mut written = 0;
        for (at, c) in text.char_indices().filter(|&(at, c)| is_hidden(c) || text[at..].starts_with(LOG_COMMAND)) {
            self.0.write_all(&bytes[written..at])?;
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(self.0, "\\u{unit:04x}")?;
            }
            written = at + c.len_utf8();
        }
        self.0.write_all(&bytes[written..])?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Milliseconds, to the microsecond.
pub(crate) fn in_milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

/// Returns a decimal number of any length as a JSON number.
pub fn exact(number: &impl ToString) -> Option<Number> {
    Number::from_str(&number.to_string()).ok()
}

/// Features or metrics as JSON numbers.
pub fn exact_numbers(numbers: &NamedNumbers) -> BTreeMap<&str, Number> {
    numbers.iter().filter_map(|(name, value)| Some((name, exact(value)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_exact_and_visible() {
        struct Texts([&'static str; 2]);
        impl Document for Texts {
            fn record(&self) -> impl Serialize {
                self.0
            }
        }
        let value = ["\u{1b}\u{7f}\u{9b}1m\n##[error]", "\u{202e}\u{e0041}é"];
        let mut document = Vec::new();
        Texts(value).write_json(&mut document).unwrap();
        for json in [String::from_utf8(document).unwrap(), json_line(&value).unwrap()] {
            assert!(!json.contains(|c: char| is_hidden(c) && c != '\n') && !json.contains(LOG_COMMAND), "{json:?}");
            assert_eq!(serde_json::from_str::<Vec<String>>(&json).unwrap(), value);
        }
    }
}
