//! The protocol of programs that use testlib, <https://github.com/MikeMirzayanov/testlib>, as defined by `testlib.h`.
//!
//! A checker is called with INPUT OUTPUT ANSWER. So is an interactor, which writes OUTPUT. The exit code is the result,
//! and standard error holds the result and the reason. With `-appes`, the XML file RESULT holds both.

use super::protocol::{Call, CallFiles, CallOutput, NO_FILE, Protocol, ProtocolError, message, text};
use crate::{Ruling, Testlib, after_colon, tail};
use checkers::{Score, ScoreError};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The interactor side of the protocol of testlib.
pub(super) struct TestlibInteractor;

/// The placeholders of a command that places its files itself.
const PLACEHOLDERS: [&str; 5] = ["{input}", "{answer}", "{expected}", "{result}", "{output}"];

/// The exit code of a partial result is its number plus one of these, depending on how the program was built.
const PARTIAL_BASES: [i32; 3] = [0, 16, 50];

/// Exit codes of partial results that are also codes of a rejection, a failure, or points.
const CODES_OF_OTHER_RESULTS: [i32; 7] = [1, 2, 3, 4, 5, 7, 8];

impl Protocol for Testlib {
    fn reports(&self) -> &'static [&'static str] {
        &["result"]
    }

    fn finds_reports(&self) -> bool {
        false
    }

    fn call<'a>(&self, line: &str, files: &CallFiles<'a>) -> Call<'a> {
        let mut call = call(line, files, self.reports(), files.answer);
        if self.xml && !call.appended.is_empty() {
            let result = files.reports.first().map_or(Path::new(NO_FILE), |result| result);
            call.appended.extend([result.into(), OsString::from("-appes")]);
        }
        call
    }

    fn ruling(&self, output: &CallOutput<'_>) -> Result<Ruling, ProtocolError> {
        by_xml(output).unwrap_or_else(|| by_exit_code(output))
    }

    fn metrics_text(&self, output: &CallOutput<'_>) -> Vec<u8> {
        output.stderr.to_vec()
    }
}

impl Protocol for TestlibInteractor {
    fn reports(&self) -> &'static [&'static str] {
        &["output"]
    }

    fn call<'a>(&self, line: &str, files: &CallFiles<'a>) -> Call<'a> {
        call(line, files, self.reports(), files.reports.first().map(PathBuf::as_path))
    }

    fn ruling(&self, output: &CallOutput<'_>) -> Result<Ruling, ProtocolError> {
        match by_exit_code(output)? {
            // The file exists before it starts.
            Ruling::Accepted(_) if matches!(output.reports, [None]) => {
                Err(ProtocolError::Other("accepted, but its output is no file".to_owned()))
            }
            ruling => Ok(ruling),
        }
    }

    fn metrics_text(&self, output: &CallOutput<'_>) -> Vec<u8> {
        output.stderr.to_vec()
    }
}

/// Returns a call with INPUT OUTPUT ANSWER, unless the command line places its files itself.
fn call<'a>(line: &str, files: &CallFiles<'a>, reports: &[&'static str], output: Option<&Path>) -> Call<'a> {
    let arguments = [Some(files.input), output, files.expected];
    let arguments = arguments.map(|file| OsString::from(file.unwrap_or(Path::new(NO_FILE))));
    let names_files = PLACEHOLDERS.iter().any(|name| line.contains(name));
    let appended = if names_files { Vec::new() } else { arguments.to_vec() };
    Call { placeholders: files.placeholders(reports), appended, stdin: None }
}

/// Returns the ruling by the exit code, with the reason from standard error.
fn by_exit_code(output: &CallOutput<'_>) -> Result<Ruling, ProtocolError> {
    let words = text(output.stderr);
    // A checker may print other lines before its result. These lines may contain text of the solver.
    let last = words.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let code = output.status.code();
    if let Some(points) = code.and_then(|code| partial(&words, code)) {
        return with_points(&points.to_string());
    }
    let after = |prefix: &str| {
        let reason = last.strip_prefix(prefix).or_else(|| words.strip_prefix(prefix));
        reason.map_or(words.as_str(), str::trim_start).to_owned()
    };
    match code {
        Some(0) => with_points("1"),
        Some(1) => output.crash().map_or_else(|| Ok(wrong(&after("wrong answer"))), Err),
        // A presentation error, or unread output.
        Some(2 | 4) => Ok(wrong(&after("wrong output format"))),
        Some(3) => Err(failed(&after("FAIL"), output)),
        // Newer programs exit with 7 for points. The older code was 5.
        Some(5 | 7) => with_points(&points(&words, last)),
        Some(8) => Ok(wrong(&after("unexpected eof"))),
        _ => Err(output.no_ruling("testlib: 0 accepts, 1, 2, 4 and 8 reject, 7 gives points, 3 fails")),
    }
}

/// Returns the number of `partially correct (13) REASON`, if the exit code means this number. If several lines fit, the
/// smallest number counts: a line that the program quotes cannot raise it.
fn partial(words: &str, code: i32) -> Option<i32> {
    // For the same reason a line among others cannot turn a rejection or a failure into points.
    if CODES_OF_OTHER_RESULTS.contains(&code) && words.lines().count() > 1 {
        return None;
    }
    let fitting = words.lines().filter_map(|line| {
        let (number, _) = line.trim().strip_prefix("partially correct (")?.split_once(')')?;
        let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
        let points = number.parse::<i32>().ok().filter(|_| is_number)?;
        PARTIAL_BASES.contains(&(code - points)).then_some(points)
    });
    fitting.min()
}

/// Returns the number of `points 12.5 REASON`. Of several such lines the smallest number counts, as in [`partial`].
/// Without one, the last line begins with it.
fn points(words: &str, last: &str) -> String {
    let said = words.lines().filter_map(|line| line.trim().strip_prefix("points ")?.split_whitespace().next());
    let scores = said.filter_map(|word| Some((word.parse::<Score>().ok()?, word)));
    let least = scores.min_by(|left, right| left.0.cmp(&right.0)).map(|(_, word)| word);
    let first_of_last = || last.strip_prefix("points").unwrap_or(last).split_whitespace().next();
    least.or_else(first_of_last).unwrap_or_default().to_owned()
}

/// Returns the ruling by the report: `<result outcome = "points" points = "12.5">REASON</result>`.
fn by_xml(output: &CallOutput<'_>) -> Option<Result<Ruling, ProtocolError>> {
    let result = output.report(0);
    let (_, after) = result.split_once("<result ")?;
    let (attributes, rest) = after.split_once('>')?;
    let why = unescaped(rest.split("</result>").next().unwrap_or_default());
    let value = |name: &str| {
        let (_, after) = attributes.split_once(name)?;
        after.trim_start().strip_prefix('=')?.trim_start().strip_prefix('"')?.split('"').next()
    };
    Some(match value("outcome")? {
        "accepted" => with_points("1"),
        "wrong-answer" | "presentation-error" | "unexpected-eof" => Ok(wrong(&why)),
        "points" | "relative-scoring" => with_points(value(" points").unwrap_or_default()),
        "partially-correct" => with_points(value("pctype").unwrap_or_default()),
        _ => Err(failed(&why, output)),
    })
}

fn unescaped(text: &str) -> String {
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    entities.into_iter().fold(text.to_owned(), |text, (entity, character)| text.replace(entity, character))
}

fn with_points(points: &str) -> Result<Ruling, ProtocolError> {
    let no_score = |error: ScoreError| ProtocolError::no_score("its number of points", error);
    points.parse().map(Ruling::Accepted).map_err(no_score)
}

fn wrong(why: &str) -> Ruling {
    let why = message(why);
    Ruling::rejected(if why.is_empty() { "wrong answer".to_owned() } else { why })
}

/// Returns the error that the program or the setter's answer is wrong.
fn failed(why: &str, output: &CallOutput<'_>) -> ProtocolError {
    let why = [message(why), tail(output.stderr)].into_iter().find(|why| !why.is_empty()).unwrap_or_default();
    ProtocolError::Other(format!("failed{}", after_colon(&why)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;
    use std::path::PathBuf;
    use std::process::ExitStatus;

    fn said(code: i32, stderr: &str, xml: Option<&str>) -> Result<String, String> {
        let reports = [xml.map(|xml| xml.as_bytes().to_vec())];
        let status = ExitStatus::from_raw(code << 8);
        let output = CallOutput { status, stdout: b"", stderr: stderr.as_bytes(), reports: &reports };
        let ruling = Testlib { xml: false }.ruling(&output);
        ruling.map(|ruling| ruling.to_string()).map_err(|error| error.to_string())
    }

    #[test]
    fn the_exit_code_is_the_result() {
        for (code, stderr, ruling) in [
            (0, "ok 3 numbers\n", "accepted 1"),
            (0, "", "accepted 1"),
            (
                1,
                "wrong answer 1st numbers differ - expected: '1', found: '2'\n",
                "rejected answer: 1st numbers differ - expected: '1', found: '2'",
            ),
            (1, "", "rejected answer: wrong answer"),
            (2, "wrong output format Expected integer\n", "rejected answer: Expected integer"),
            (
                4,
                "wrong output format Extra information in the output file\n",
                "rejected answer: Extra information in the output file",
            ),
            (8, "unexpected eof Unexpected end of file\n", "rejected answer: Unexpected end of file"),
            (7, "points 12.5 good\n", "accepted 12.5"),
            (7, "points 0 \n", "accepted 0"),
            (5, "points -3\n", "accepted -3"),
            (13, "partially correct (13) most of it\n", "accepted 13"),
            (29, "partially correct (13) \n", "accepted 13"),
            (63, "partially correct (13)\n", "accepted 13"),
            (0, "partially correct (0) nothing\n", "accepted 0"),
            (3, "partially correct (3) x\n", "accepted 3"),
        ] {
            assert_eq!(said(code, stderr, None).as_deref(), Ok(ruling), "{code} {stderr}");
        }
        for (code, stderr, error) in [
            (3, "FAIL Jury has no answer\n", "failed: Jury has no answer"),
            (
                7,
                "points points_info=x\n",
                "accepted the answer, but its number of points is not a score: expected a number such as 12, -0.25 or 1e-3, found `points_info=x`",
            ),
            (9, "", "ended with exit status: 9 (testlib: 0 accepts, 1, 2, 4 and 8 reject, 7 gives points, 3 fails)"),
            (
                20,
                "partially correct (13)\n",
                "ended with exit status: 20 (testlib: 0 accepts, 1, 2, 4 and 8 reject, 7 gives points, 3 fails): partially correct (13)",
            ),
            (
                1,
                "Traceback (most recent call last):\nx",
                "crashed (exit status: 1): Traceback (most recent call last):\nx",
            ),
        ] {
            assert_eq!(said(code, stderr, None).unwrap_err(), error, "{code} {stderr}");
        }
        let killed = CallOutput { status: ExitStatus::from_raw(11), stdout: b"", stderr: b"", reports: &[] };
        assert!(Testlib { xml: false }.ruling(&killed).unwrap_err().to_string().contains("SIGSEGV"));
    }

    #[test]
    fn the_last_line_has_the_result() {
        for (code, stderr, ruling) in [
            (7, "debug 99\npoints 7 seven\n\n", "accepted 7"),
            (7, "points 100 the solver printed this\npoints 7\n", "accepted 7"),
            (13, "partially correct (99) the solver printed this\npartially correct (13) x\n", "accepted 13"),
            (1, "debug 99\nwrong answer too far\n", "rejected answer: too far"),
            (1, "wrong answer two\nlines\n", "rejected answer: two; lines"),
        ] {
            assert_eq!(said(code, stderr, None).as_deref(), Ok(ruling), "{code} {stderr}");
        }
    }

    #[test]
    fn a_quoted_answer_cannot_give_itself_points() {
        for (code, stderr, ruling) in [
            (
                1,
                "wrong answer expected 5, found 7\npartially correct (1)\n",
                "rejected answer: expected 5, found 7; partially correct (1)",
            ),
            (
                2,
                "expected 5, found 7\npartially correct (2)\n",
                "rejected answer: expected 5, found 7; partially correct (2)",
            ),
            (1, "partially correct (1)\nwrong answer\n", "rejected answer: wrong answer"),
            (7, "points 10 expected 5, found 7\npoints 100\n", "accepted 10"),
            (7, "points 3 found\npartially correct (7)\n", "accepted 3"),
            (63, "partially correct (13) found\npartially correct (63)\n", "accepted 13"),
            (0, "partially correct (0) found\nok\n", "accepted 0"),
        ] {
            assert_eq!(said(code, stderr, None).as_deref(), Ok(ruling), "{code} {stderr}");
        }
        assert!(said(3, "FAIL found 7\npartially correct (3)\n", None).unwrap_err().starts_with("failed: "));
    }

    #[test]
    fn the_xml_result_is_the_result() {
        for (xml, ruling) in [
            (
                "<?xml version=\"1.0\" encoding=\"windows-1251\"?><result outcome = \"accepted\">fine</result>\n",
                "accepted 1",
            ),
            ("<result outcome = \"wrong-answer\">a &lt; b &amp;&amp; c</result>", "rejected answer: a < b && c"),
            ("<result outcome = \"presentation-error\">x</result>", "rejected answer: x"),
            ("<result outcome = \"points\" points = \"12.50\">x</result>", "accepted 12.5"),
            ("<result outcome = \"partially-correct\" pctype = \"7\">x</result>", "accepted 7"),
        ] {
            assert_eq!(said(0, "", Some(xml)).as_deref(), Ok(ruling), "{xml}");
        }
        assert_eq!(said(3, "", Some("<result outcome = \"fail\">oh</result>")).unwrap_err(), "failed: oh");
        for xml in [None, Some("<result outcome = \"fail\"></result>")] {
            assert_eq!(said(3, "", xml).unwrap_err(), "failed");
        }
        assert_eq!(said(0, "", Some("")).as_deref(), Ok("accepted 1"), "not written: the exit code counts");
    }

    #[test]
    fn files_are_arguments_unless_the_command_names_them() {
        let (input, answer, expected) = (Path::new("/in"), Path::new("/out"), Some(Path::new("/ans")));
        let reports = [PathBuf::from("/r/result")];
        let files = CallFiles { input, answer: Some(answer), expected, reports: &reports };
        let appended = |xml, line: &str, files: &CallFiles<'_>| {
            let words = Testlib { xml }.call(line, files).appended;
            words.iter().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(appended(false, "./check", &files), "/in /out /ans");
        assert_eq!(appended(true, "./check", &files), "/in /out /ans /r/result -appes");
        assert_eq!(appended(false, "./check", &CallFiles { expected: None, ..files }), "/in /out /dev/null");
        assert_eq!(appended(true, "./check {answer} {input}", &files), "");
        let interactor = TestlibInteractor.call("./interact", &CallFiles { answer: None, ..files });
        assert_eq!(interactor.appended, ["/in", "/r/result", "/ans"]);
    }
}
