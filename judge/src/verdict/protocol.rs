//! What a checker or an interactor of the user's says by its exit code and one line of text.

use crate::model::Ruling;
use std::process::ExitStatus;

/// It did not keep to the protocol. Never the solver's fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProtocolError {
    /// It accepted without a score.
    #[error("accepted the answer, but the first word it printed is not an integer score: `{0}`")]
    NoScore(String),
    /// It neither accepted nor rejected.
    #[error("ended with {status} (0 accepts, 1 rejects): {stderr}")]
    NoRuling {
        /// How it ended.
        status: ExitStatus,
        /// What it said on standard error.
        stderr: String,
    },
}

/// Returns what a program that ended like this, with this first line, says: exit code 0 accepts, and the first word is
/// the score; exit code 1 rejects, and the line says why.
///
/// # Errors
/// When it says neither.
pub fn ruling(status: ExitStatus, first_line: &str, stderr: &[u8]) -> Result<Ruling, ProtocolError> {
    match status.code() {
        Some(0) => match first_line.split_whitespace().next().unwrap_or("").parse() {
            Ok(score) => Ok(Ruling::Accepted(score)),
            Err(_) => Err(ProtocolError::NoScore(first_line.to_owned())),
        },
        Some(1) => Ok(Ruling::Rejected { place: String::new(), reason: first_line.to_owned() }),
        _ => Err(ProtocolError::NoRuling { status, stderr: String::from_utf8_lossy(stderr).trim().to_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;

    fn said(code: i32, line: &str) -> Result<Ruling, ProtocolError> {
        ruling(ExitStatus::from_raw(code << 8), line, b" no\n")
    }

    #[test]
    fn the_exit_code_rules_and_the_line_tells() {
        assert_eq!(said(0, "12 points"), Ok(Ruling::Accepted(12.into())));
        assert_eq!(said(0, "fine"), Err(ProtocolError::NoScore("fine".to_owned())));
        assert_eq!(said(1, "12"), Ok(Ruling::Rejected { place: String::new(), reason: "12".to_owned() }));
        let status = ExitStatus::from_raw(2 << 8);
        assert_eq!(said(2, "12"), Err(ProtocolError::NoRuling { status, stderr: "no".to_owned() }));
        assert!(matches!(ruling(ExitStatus::from_raw(9), "12", b""), Err(ProtocolError::NoRuling { .. })));
    }
}
