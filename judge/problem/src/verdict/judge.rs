//! The judge's own protocol for checkers, interactors, validators and testers. Exit code 0 accepts, and the first word
//! of the result is the score. Exit code 1 rejects, and the first line of the result is the reason. Any other exit is
//! the checker's fault.
//!
//! A checker gets its files as `{input}`, `{answer}` and `{expected}` and prints the result. An interactor gets
//! `{input}` and `{expected}` and writes the result to the file `{report}`.

use super::protocol::{Call, CallFiles, CallOutput, Protocol, ProtocolError, message, text};
use crate::{CheckerProtocol, MatchPlace, Ruling, ScoreSearch, ScoreStream, after_colon, tail};
use checkers::Score;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// The checker side of the judge's protocol.
pub(super) struct JudgeChecker;

/// The interactor side of the judge's protocol.
pub(super) struct JudgeInteractor;

impl Protocol for JudgeChecker {
    fn ruling(&self, output: &CallOutput<'_>) -> Result<Ruling, ProtocolError> {
        ruling(output, output.stdout, ["its standard output", "the first word it printed"])
    }
}

impl Protocol for JudgeInteractor {
    fn reports(&self) -> &'static [&'static str] {
        &["report"]
    }

    fn ruling(&self, output: &CallOutput<'_>) -> Result<Ruling, ProtocolError> {
        let report = output.reports.first().and_then(Option::as_ref);
        ruling(output, report.map_or(&[][..], Vec::as_slice), ["its report", "the first word of its report"])
    }

    fn metrics_text(&self, output: &CallOutput<'_>) -> Vec<u8> {
        output.reports.first().cloned().flatten().unwrap_or_default()
    }
}

/// Returns the ruling for a result. `place` and `word` say where the program writes it, and its score.
fn ruling(output: &CallOutput<'_>, result: &[u8], [place, word]: [&'static str; 2]) -> Result<Ruling, ProtocolError> {
    let line = text(result.split(|byte| *byte == b'\n').next().unwrap_or_default());
    match output.status.code() {
        Some(0) => match line.split_whitespace().next().unwrap_or_default().parse::<Score>() {
            Ok(score) => Ok(Ruling::Accepted(score)),
            Err(error) => Err(ProtocolError::no_score(word, error)),
        },
        // Many interpreters exit with code 1 when a program crashes.
        Some(1) => match output.crash() {
            Some(crash) => Err(crash),
            None if line.is_empty() => {
                let stderr = after_colon(&tail(output.stderr));
                let what = format!("ended with exit code 1 (rejected), but {place} does not say why{stderr}");
                Err(ProtocolError::Other(what))
            }
            // It can contain a solver's whole answer.
            None => Ok(Ruling::rejected(message(&line))),
        },
        _ => Err(output.no_ruling("0 accepts, 1 rejects")),
    }
}

/// The protocol of input validators.
pub(super) struct InputValidator {
    /// The exit code for a valid input.
    pub(super) accepts: i32,
}

impl Protocol for InputValidator {
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

/// Returns the ruling of a tester. Testers have the protocol `judge` or `regex`. `runs_failed`: the solver failed in a
/// run after the first. The tester's exit code may reflect that, but a score printed before still counts.
///
/// # Errors
/// Fails if the program violates the protocol.
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

/// Returns the search that decides on the output of a tester.
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
    use std::path::{Path, PathBuf};

    const KILLED: i32 = 9;

    fn exit(code: i32) -> i32 {
        code << 8
    }

    fn checked(status: i32, stdout: &[u8], stderr: &[u8]) -> Result<Ruling, ProtocolError> {
        JudgeChecker.ruling(&CallOutput { status: ExitStatus::from_raw(status), stdout, stderr, reports: &[] })
    }

    fn decided(status: i32, report: &[u8], stderr: &[u8]) -> Result<Ruling, ProtocolError> {
        let (status, reports) = (ExitStatus::from_raw(status), [Some(report.to_vec())]);
        JudgeInteractor.ruling(&CallOutput { status, stdout: b"7\n", stderr, reports: &reports })
    }

    fn accepted(score: i64) -> Result<Ruling, ProtocolError> {
        Ok(Ruling::Accepted(score.into()))
    }

    fn rejected(reason: &str) -> Result<Ruling, ProtocolError> {
        Ok(Ruling::rejected(reason.to_owned()))
    }

    fn no_score(place: &'static str, found: &str) -> Result<Ruling, ProtocolError> {
        let why = format!("expected a number such as 12, -0.25 or 1e-3, found `{found}`");
        Err(ProtocolError::Other(format!("accepted the answer, but {place} is not a score: {why}")))
    }

    #[test]
    fn exit_code_0_accepts_with_the_first_word() {
        for (said, word) in
            [(checked as fn(_, _, _) -> _, "the first word it printed"), (decided, "the first word of its report")]
        {
            let no_score = |found| no_score(word, found);
            assert_eq!(said(exit(0), b"12", b"noise"), accepted(12));
            assert_eq!(said(exit(0), b" -3 points\r\nmore\n", b""), accepted(-3));
            assert_eq!(said(exit(0), b"fine 3\n4\n", b""), no_score("fine"));
            assert_eq!(said(exit(0), b"1.5", b""), Ok(Ruling::Accepted("1.5".parse().unwrap())));
            assert_eq!(said(exit(0), b"nan", b""), no_score("nan"));
            assert_eq!(said(exit(0), b"\n12\n", b"12"), no_score(""), "only the first line counts");
            assert_eq!(said(exit(0), b"\xff", b""), no_score("\u{fffd}"));
        }
        let error = checked(exit(0), b"1e999999999\n", b"").unwrap_err().to_string();
        assert!(error.contains("the exponent of a score lies between"), "{error}");
        let huge = "9".repeat(60);
        assert_eq!(checked(exit(0), huge.as_bytes(), b""), Ok(Ruling::Accepted(huge.parse().unwrap())));
    }

    #[test]
    fn exit_code_1_rejects_with_the_first_line() {
        for said in [checked, decided] {
            assert_eq!(said(exit(1), b" move 3: occupied \r\nmore\n", b"noise"), rejected("move 3: occupied"));
            assert_eq!(said(exit(1), b"12", b""), rejected("12"), "a score does not accept");
            let long = "x".repeat(501);
            assert_eq!(said(exit(1), long.as_bytes(), b""), rejected(&format!("{}…", &long[..500])));
        }
    }

    #[test]
    fn exit_code_1_without_a_reason_is_a_fault_of_the_program() {
        for (said, place) in [(checked as fn(_, _, _) -> _, "its standard output"), (decided, "its report")] {
            for result in [&b""[..], b"\n", b" \nsecond line\n"] {
                let error = |stderr| said(exit(1), result, stderr).unwrap_err().to_string();
                let head = format!("ended with exit code 1 (rejected), but {place} does not say why");
                assert_eq!(error(b""), head);
                assert_eq!(error(b" out of memory\n"), format!("{head}: out of memory"));
            }
        }
    }

    #[test]
    fn exit_code_1_after_a_traceback_is_a_crash() {
        let traceback = b"Traceback (most recent call last):\n  File \"c.py\", line 1\nKeyError: 3\n";
        for said in [checked, decided] {
            let error = said(exit(1), b"too long\n", traceback).unwrap_err();
            let shown = String::from_utf8_lossy(traceback);
            assert_eq!(error.to_string(), format!("crashed (exit status: 1): {}", shown.trim()));
            assert_eq!(said(exit(1), b"too long\n", b"Traceback is a word\n"), rejected("too long"));
            assert_eq!(said(exit(0), b"3\n", traceback), accepted(3), "exit code 0 accepts");
        }
    }

    #[test]
    fn every_other_end_is_a_fault_of_the_program() {
        for said in [checked, decided] {
            for status in [exit(2), exit(42), exit(255), KILLED] {
                let error = said(status, b"12", b" no\n").unwrap_err();
                let expected = format!("ended with {} (0 accepts, 1 rejects): no", ExitStatus::from_raw(status));
                assert_eq!(error.to_string(), expected);
            }
        }
        let error = checked(exit(0), b"fine", b"").unwrap_err().to_string();
        assert_eq!(
            error,
            "accepted the answer, but the first word it printed is not a score: expected a number such as 12, -0.25 or 1e-3, found `fine`"
        );
    }

    #[test]
    fn a_checker_gets_its_files_where_it_asks_for_them() {
        let (input, answer) = (Path::new("/in"), Path::new("/out"));
        let files = CallFiles { input, answer: Some(answer), expected: None, reports: &[] };
        let placeholders = vec![("input", input), ("expected", Path::new("/dev/null")), ("answer", answer)];
        for line in ["./check {answer}", "./check --in={input}"] {
            let call = JudgeChecker.call(line, &files);
            assert_eq!(call, Call { placeholders: placeholders.clone(), appended: Vec::new(), stdin: None });
        }
        assert_eq!(JudgeChecker.reports(), &[] as &[&str]);
    }

    #[test]
    fn an_interactor_gets_a_file_for_its_report() {
        let reports: Vec<PathBuf> =
            JudgeInteractor.reports().iter().map(|name| Path::new("/tmp/x").join(name)).collect();
        let expected = Some(Path::new("/ans"));
        let files = CallFiles { input: Path::new("/in"), answer: None, expected, reports: &reports };
        let call = JudgeInteractor.call("./interact", &files);
        let placeholders = [("input", "/in"), ("expected", "/ans"), ("report", "/tmp/x/report")]
            .map(|(name, path)| (name, Path::new(path)));
        let placeholders = placeholders.to_vec();
        assert_eq!(call, Call { placeholders, appended: Vec::new(), stdin: None });
    }

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
