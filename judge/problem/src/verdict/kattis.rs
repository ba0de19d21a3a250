//! The protocol of output validators of Kattis and ICPC packages. Source:
//! <https://www.kattis.com/problem-package-format/spec/2023-07-draft.html>, "Output Validator".
//!
//! A validator is called with INPUT ANSWER FEEDBACK and its flags. It reads the solver's output on standard input. Exit
//! code 42 accepts, 43 rejects. Score, reason and the input of another pass are files in the folder FEEDBACK.

use super::protocol::{Call, CallFiles, CallOutput, NO_FILE, Protocol, ProtocolError, message};
use crate::{Kattis, Ruling, tail};
use checkers::{Score, ScoreError};
use std::ffi::OsString;
use std::path::Path;

/// The file that asks for another pass, with the input of that pass. It is removed before that pass.
pub const NEXT_PASS_FILE: &str = "nextpass.in";

/// The files in the feedback folder, in the order of the constants below.
const FILES: [&str; 6] =
    ["score.txt", "score_multiplier.txt", "judgemessage.txt", "teammessage.txt", NEXT_PASS_FILE, "metrics.txt"];
const SCORE: usize = 0;
const MULTIPLIER: usize = 1;
const JUDGE: usize = 2;
const TEAM: usize = 3;
const NEXT_PASS: usize = 4;
const METRICS: usize = 5;

/// The exit code for a valid answer, and for a valid input.
pub(super) const ACCEPTS: i32 = 42;
const REJECTS: i32 = 43;

impl Protocol for Kattis {
    fn reports(&self) -> &'static [&'static str] {
        &FILES
    }

    fn finds_reports(&self) -> bool {
        false
    }

    fn passes(&self) -> u32 {
        self.passes
    }

    fn call<'a>(&self, _: &str, files: &CallFiles<'a>) -> Call<'a> {
        let folder = files.reports.first().and_then(|report| report.parent()).unwrap_or(Path::new("."));
        let mut feedback = OsString::from(folder);
        // Validators append file names to it.
        feedback.push("/");
        let expected = files.expected.unwrap_or(Path::new(NO_FILE));
        let mut appended = vec![files.input.into(), expected.into(), feedback];
        appended.extend(self.arguments.iter().map(OsString::from));
        Call { placeholders: files.placeholders(&[]), appended, stdin: files.answer }
    }

    fn ruling(&self, output: &CallOutput<'_>) -> Result<Ruling, ProtocolError> {
        let said = [JUDGE, TEAM].map(|file| output.report(file)).into_iter().find(|said| !said.is_empty());
        // "Multi-pass validation": a judge error with any exit code but that of an accepted answer.
        let goes_on = output.reports.get(NEXT_PASS).is_some_and(Option::is_some);
        match output.status.code() {
            Some(ACCEPTS) => Ok(Ruling::Accepted(score(output)?)),
            Some(REJECTS) if !goes_on => {
                Ok(Ruling::rejected(said.map_or_else(|| "wrong answer".to_owned(), |said| message(&said))))
            }
            _ => {
                let expected = if goes_on { "42 goes on with nextpass.in" } else { "42 accepts, 43 rejects" };
                let said = message(&[said.unwrap_or_default(), tail(output.stderr)].join("\n"));
                Err(ProtocolError::no_ruling(output.status, expected, &said))
            }
        }
    }

    fn metrics_text(&self, output: &CallOutput<'_>) -> Vec<u8> {
        output.reports.get(METRICS).cloned().flatten().unwrap_or_default()
    }

    fn next_pass<'a>(&self, output: &CallOutput<'a>) -> Option<&'a [u8]> {
        let next = output.reports.get(NEXT_PASS)?.as_deref()?;
        (output.status.code() == Some(ACCEPTS)).then_some(next)
    }
}

/// Returns the score of an accepted answer: the content of a score file, or 1.
fn score(output: &CallOutput<'_>) -> Result<Score, ProtocolError> {
    for file in [SCORE, MULTIPLIER] {
        let said = output.report(file);
        if !said.is_empty() {
            return said.parse().map_err(|error: ScoreError| ProtocolError::no_score(FILES[file], error));
        }
    }
    Ok(Score::from(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;
    use std::path::PathBuf;
    use std::process::ExitStatus;

    const KATTIS: Kattis = Kattis { arguments: Vec::new(), passes: 1 };

    fn reports(files: &[(usize, &str)]) -> Vec<Option<Vec<u8>>> {
        let of = |index| files.iter().find(|(file, _)| *file == index).map(|(_, text)| text.as_bytes().to_vec());
        (0..FILES.len()).map(of).collect()
    }

    fn said(code: i32, stderr: &str, files: &[(usize, &str)]) -> Result<String, String> {
        let (status, reports) = (ExitStatus::from_raw(code << 8), reports(files));
        let output = CallOutput { status, stdout: b"", stderr: stderr.as_bytes(), reports: &reports };
        KATTIS.ruling(&output).map(|ruling| ruling.to_string()).map_err(|error| error.to_string())
    }

    #[test]
    fn exit_codes_and_files_are_the_result() {
        for (code, files, ruling) in [
            (42, &[][..], "accepted 1"),
            (42, &[(SCORE, "12.50\n")], "accepted 12.5"),
            (42, &[(MULTIPLIER, "0.25")], "accepted 0.25"),
            (42, &[(SCORE, " \n"), (JUDGE, "fine")], "accepted 1"),
            (43, &[], "rejected answer: wrong answer"),
            (43, &[(JUDGE, "line 3\n bad\n"), (TEAM, "no")], "rejected answer: line 3; bad"),
            (43, &[(TEAM, "no"), (SCORE, "5")], "rejected answer: no"),
        ] {
            assert_eq!(said(code, "noise", files).as_deref(), Ok(ruling), "{code} {files:?}");
        }
        for (code, files, error) in [
            (
                42,
                &[(SCORE, "high")][..],
                "score.txt is not a score: expected a number such as 12, -0.25 or 1e-3, found `high`",
            ),
            (0, &[], "ended with exit status: 0 (42 accepts, 43 rejects): oh"),
            (1, &[(JUDGE, "no answer file")], "ended with exit status: 1 (42 accepts, 43 rejects): no answer file; oh"),
        ] {
            assert!(said(code, "oh\n", files).unwrap_err().contains(error), "{code} {files:?}");
        }
        let (status, reports) = (ExitStatus::from_raw(REJECTS << 8), reports(&[(NEXT_PASS, "1")]));
        let output = CallOutput { status, stdout: b"", stderr: b"", reports: &reports };
        for passes in [1, 2] {
            let error = Kattis { passes, ..KATTIS }.ruling(&output).unwrap_err().to_string();
            assert!(error.contains("exit status: 43 (42 goes on with nextpass.in)"), "{error}");
        }
    }

    #[test]
    fn another_pass_has_an_input() {
        let next = |code: i32, files: &[(usize, &str)]| {
            let (status, reports) = (ExitStatus::from_raw(code << 8), reports(files));
            let output = CallOutput { status, stdout: b"", stderr: b"", reports: &reports };
            KATTIS.next_pass(&output).map(<[u8]>::to_vec)
        };
        assert_eq!(next(42, &[(NEXT_PASS, "7\n")]), Some(b"7\n".to_vec()));
        assert_eq!(next(42, &[(NEXT_PASS, "")]), Some(Vec::new()));
        assert_eq!(next(43, &[(NEXT_PASS, "7\n")]), None);
        assert_eq!(next(42, &[]), None);
    }

    #[test]
    fn a_validator_gets_its_files_its_folder_and_its_flags() {
        let reports: Vec<PathBuf> = FILES.iter().map(|name| Path::new("/f").join(name)).collect();
        let (input, answer) = (Path::new("/in"), Some(Path::new("/out")));
        let files = CallFiles { input, answer, expected: Some(Path::new("/ans")), reports: &reports };
        let kattis = Kattis { arguments: vec!["float_tolerance".to_owned(), "1e-6".to_owned()], passes: 1 };
        let call = kattis.call("./validate", &files);
        assert_eq!(call.appended, ["/in", "/ans", "/f/", "float_tolerance", "1e-6"]);
        assert_eq!(call.stdin, answer);
    }
}
