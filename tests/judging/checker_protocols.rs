//! The features that a checker protocol may require: protocols that differ from the judge's own, with real programs.

use judge_problem::verdict::{Call, CallFiles, CallOutput, Protocol, ProtocolError};
use judge_problem::{CommandLimits, CommandTemplate, Rejection, Ruling};
use judge_run::cases::{CheckerError, check_externally};
use judge_run::command::SetterProgram;
use judge_sandbox::{Options, Sandbox};
use std::path::Path;
use std::sync::Arc;

/// A protocol like Kattis': the answer on standard input, the input and a folder as arguments, exit codes 42 to accept
/// and 43 to reject, and score and reason in files of the folder.
struct Feedback;

impl Protocol for Feedback {
    fn reports(&self) -> &'static [&'static str] {
        &["score.txt", "judgemessage.txt"]
    }

    fn call<'a>(&self, _: &str, files: &CallFiles<'a>) -> Call<'a> {
        let folder = files.reports[0].parent().unwrap();
        Call { placeholders: Vec::new(), appended: vec![files.input.into(), folder.into()], stdin: files.answer }
    }

    fn ruling(&self, output: &CallOutput<'_>) -> Result<Ruling, ProtocolError> {
        let text =
            |report: usize| String::from_utf8_lossy(output.reports[report].as_deref().unwrap()).trim().to_owned();
        match output.status.code() {
            Some(42) => match text(0).parse::<checkers::Score>() {
                Ok(score) => Ok(Ruling::Accepted(score)),
                Err(error) => Err(ProtocolError::no_score("score.txt", error)),
            },
            Some(43) => Ok(Ruling::rejected(text(1))),
            _ => Err(output.no_ruling("42 accepts, 43 rejects")),
        }
    }
}

/// As testlib does it: both files as arguments, and the score is on standard error.
struct StandardError;

impl Protocol for StandardError {
    fn reports(&self) -> &'static [&'static str] {
        &[]
    }

    fn call<'a>(&self, _: &str, files: &CallFiles<'a>) -> Call<'a> {
        Call { placeholders: Vec::new(), appended: vec![files.input.into(), files.answer.unwrap().into()], stdin: None }
    }

    fn ruling(&self, output: &CallOutput<'_>) -> Result<Ruling, ProtocolError> {
        let said = String::from_utf8_lossy(output.stderr);
        match said.trim().strip_prefix("points ").map(str::parse) {
            Some(Ok(score)) if output.status.code() == Some(7) => Ok(Ruling::Accepted(score)),
            _ => Ok(Ruling::rejected(said.trim().to_owned())),
        }
    }
}

/// Checks the answer `7` to the input `5` with a shell script, in the sandbox and outside.
fn check(protocol: &dyn Protocol, script: &str) -> Result<Ruling, CheckerError> {
    let [confined, trusted] = [false, true].map(|trusted| check_as(trusted, protocol, script));
    assert_eq!(format!("{confined:?}"), format!("{trusted:?}"), "{script}");
    confined
}

fn check_as(trusted: bool, protocol: &dyn Protocol, script: &str) -> Result<Ruling, CheckerError> {
    judge_run::command::use_as_supervisor(Path::new(env!("CARGO_BIN_EXE_judge")));
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("check.sh"), script).unwrap();
    let options = Options { helper: Some(env!("CARGO_BIN_EXE_judge").into()), ..Options::default() };
    judge_run::command::use_sandbox(&Arc::new(Sandbox::open(&options).unwrap()));
    let command = CommandTemplate {
        line: "sh check.sh".to_owned(),
        folder: folder.path().to_owned(),
        trusted,
        ..CommandTemplate::default()
    };
    let program = SetterProgram::new(&command, &CommandLimits::default());
    check_externally(&program, protocol, b"5\n", Some(b"7\n"))
}

fn rejected(reason: &str) -> Ruling {
    Ruling::rejected(reason.to_owned())
}

#[test]
fn protocols_may_use_input_folder_and_exit_codes() {
    let accepts = "read input < \"$1\"; read answer; echo $((input + answer)) > \"$2/score.txt\"; exit 42";
    assert_eq!(check(&Feedback, accepts).unwrap(), Ruling::Accepted(12.into()));
    let rejects = "echo 'too far' > \"$2/judgemessage.txt\"; exit 43";
    assert_eq!(check(&Feedback, rejects).unwrap(), rejected("too far"));
    let without_a_score = check(&Feedback, "exit 42").unwrap_err().to_string();
    assert_eq!(
        without_a_score,
        "the checker accepted the answer, but score.txt is not a score: expected a number such as 12, -0.25 or 1e-3, found ``"
    );
    let fails = check(&Feedback, "echo oh >&2; exit 1").unwrap_err().to_string();
    assert_eq!(fails, "the checker ended with exit status: 1 (42 accepts, 43 rejects): oh");
}

#[test]
fn protocols_may_read_scores_from_standard_error() {
    let accepts = "read input < \"$1\"; read answer < \"$2\"; echo points $((input * answer)) >&2; exit 7";
    assert_eq!(check(&StandardError, accepts).unwrap(), Ruling::Accepted(35.into()));
    assert_eq!(check(&StandardError, "echo wrong answer >&2; exit 1").unwrap(), rejected("wrong answer"));
    assert_eq!(check(&StandardError, "read line && echo $line >&2").unwrap(), rejected(""), "there is no input");
}

#[test]
fn what_a_protocol_was_given_is_removed() {
    for trusted in [false, true] {
        let said = check_as(trusted, &Feedback, "echo \"$2\" > \"$2/judgemessage.txt\"; exit 43").unwrap();
        let Ruling::Rejected(Rejection { reason, .. }) = said else { panic!("{said:?}") };
        assert!(Path::new(&reason).is_absolute() && !Path::new(&reason).exists(), "{reason}");
    }
}
