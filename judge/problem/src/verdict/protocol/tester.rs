//! Programs that start the solver themselves: of what they print, only the stream with the score decides, up to the
//! score. The other stream repeats what the solver printed, and what follows is of another run that does not count.

use super::interface::{CallOutput, Protocol, ProtocolError};
use super::judge::JudgeInteractor;
use crate::model::{CheckerProtocol, MatchPlace, Ruling, ScoreSearch, ScoreStream};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// Returns the ruling of a tester: the catalogue has testers of the protocols `judge` and `regex` alone. `runs_failed`: the solver failed in a run after the first, of which the tester's exit
/// code may tell; a score that was printed before counts.
///
/// # Errors
/// When it violates the protocol.
pub fn tester_ruling(
    protocol: &CheckerProtocol,
    output: &CallOutput<'_>,
    runs_failed: bool,
) -> Result<Ruling, ProtocolError> {
    let CheckerProtocol::Regex(search) = protocol else { return JudgeInteractor.ruling(output) };
    let own = of_tester(search, output);
    let regardless = || search.ruling(&CallOutput { status: ExitStatus::from_raw(0), ..own.clone() });
    match runs_failed.then(regardless) {
        Some(accepted @ Ok(Ruling::Accepted(_))) => accepted,
        _ => search.ruling(&own),
    }
}

/// Returns what decides of the output of a tester.
fn of_tester<'a>(search: &ScoreSearch, output: &CallOutput<'a>) -> CallOutput<'a> {
    let until_score = |text: &'a [u8]| match search.score.find(text).filter(|_| search.place == MatchPlace::First) {
        Some(found) => {
            text[found.end()..].iter().position(|byte| *byte == b'\n').map_or(text, |end| &text[..found.end() + end])
        }
        None => text,
    };
    let (stdout, stderr) = match search.stream {
        ScoreStream::Stdout => (until_score(output.stdout), &[][..]),
        ScoreStream::Stderr | ScoreStream::Both => (&[][..], until_score(output.stderr)),
    };
    CallOutput { stdout, stderr, ..output.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use regex::bytes::Regex;

    fn said(stream: ScoreStream, code: i32, stdout: &str, stderr: &str, runs_failed: bool) -> String {
        let search = ScoreSearch {
            score: Regex::new(r"(?m)^Score = (\S+)$").unwrap(),
            place: MatchPlace::First,
            stream,
            reject: None,
            reject_codes: vec![7],
        };
        let (status, stdout, stderr) = (ExitStatus::from_raw(code << 8), stdout.as_bytes(), stderr.as_bytes());
        let output = CallOutput { status, stdout, stderr, reports: &[] };
        let ruling = tester_ruling(&CheckerProtocol::Regex(search), &output, runs_failed);
        ruling.map_or_else(|error| format!("error: {error}"), |ruling| ruling.to_string())
    }

    #[test]
    fn what_the_solver_printed_is_no_score_and_no_reason() {
        let stderr = |stdout, stderr| said(ScoreStream::Stderr, 0, stdout, stderr, false);
        assert_eq!(stderr("Score = 999\n", "Score = 5\n"), "accepted 5");
        assert_eq!(stderr("1 2 3\n", "Score = 0\n"), "accepted 0");
        assert_eq!(stderr("1 2 3\n", "too far\nScore = 0\n"), "rejected answer: too far");
        assert!(stderr("Score = 999\n", "").starts_with("error: accepted the answer, but"));
        assert_eq!(said(ScoreStream::Stdout, 0, "Score = 5\n", "Score = 999\n", false), "accepted 5");
    }

    #[test]
    fn a_second_figure_does_not_count() {
        let both = "Score = 5\nyour program has ended\nScore = 0\n";
        assert_eq!(said(ScoreStream::Stderr, 0, "", both, false), "accepted 5");
        let truth = "Score = 0\nScore for ground truth = 0\n";
        assert_eq!(said(ScoreStream::Stderr, 0, "", truth, false), "accepted 0");
        assert_eq!(said(ScoreStream::Stderr, 1, "", both, true), "accepted 5");
        assert_eq!(said(ScoreStream::Stderr, 7, "", both, true), "accepted 5");
        assert!(said(ScoreStream::Stderr, 7, "", both, false).starts_with("rejected"));
        assert!(said(ScoreStream::Stderr, 1, "", both, false).starts_with("error: ended with exit status: 1"));
        assert!(said(ScoreStream::Stderr, 1, "", "", true).starts_with("error: "));
    }
}
