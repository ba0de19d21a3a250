//! Validators of inputs: each reads an input on standard input, and accepts it with one exit code.

use super::interface::{Call, CallFiles, CallOutput, Protocol, ProtocolError};
use crate::model::{Ruling, tail};
use checkers::Score;

/// A validator of inputs.
pub(super) struct InputValidator {
    /// The exit code that accepts.
    pub(super) accepts: i32,
}

impl Protocol for InputValidator {
    fn reports(&self) -> &'static [&'static str] {
        &[]
    }

    fn call<'a>(&self, _: &str, files: &CallFiles<'a>) -> Call<'a> {
        Call { placeholders: vec![("input", files.input)], appended: Vec::new(), stdin: Some(files.input) }
    }

    fn ruling(&self, output: &CallOutput<'_>) -> Result<Ruling, ProtocolError> {
        if output.status.code() == Some(self.accepts) {
            return Ok(Ruling::Accepted(Score::default()));
        }
        let said = [output.stderr, output.stdout].into_iter().map(tail).find(|text| !text.is_empty());
        let status = output.status;
        Ok(Ruling::rejected(said.map_or_else(|| status.to_string(), |said| format!("{said} ({status})"))))
    }
}
