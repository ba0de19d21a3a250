//! A rejected answer: the broken rule and its place are in the machine-readable reports, for every game.

use crate::support::{Folder, of_cases};
use checkers::{CheckError, Checker, Rejection};
use serde_json::{Value, json};

/// Answers that break a rule of nearly every game: at once, later in the text, and after a possibly valid start.
const BAD_ANSWERS: [&str; 5] = ["x\n", "\n  x\n", "", "1\n1 x\n", "2\n1 1 0\n1 1 x\n"];

/// Returns why a game rejects an answer, if it does.
fn rejection(checker: &Checker, answer: &str) -> Option<Rejection> {
    let case = checker.read(&checker.generate(1).unwrap()).unwrap();
    match case.check(answer.as_bytes()) {
        Err(CheckError::Rejected(rejection)) => Some(rejection),
        _ => None,
    }
}

/// Returns the expected fields of a rejection in a case's record.
fn fields_of(rejection: &Rejection) -> Value {
    let place = rejection.place;
    json!({
        "note": rejection.to_string(),
        "line": place.line,
        "column": place.column,
        "move": rejection.step,
        "rule": rejection.rule,
    })
}

/// Returns the fields of a case's record; absent ones are null.
fn said(case: &Value) -> Value {
    ["note", "line", "column", "move", "rule"].into_iter().map(|key| (key.to_owned(), case[key].clone())).collect()
}

/// Writes a solver for an answer, and returns its `NAME=PROGRAM`.
fn solver(folder: &Folder, number: usize, answer: &str) -> String {
    folder.script(&format!("bad{number}"), &format!("cat >/dev/null; printf '{}'", answer.replace('\n', "\\n")));
    format!("bad{number}=./bad{number}")
}

#[test]
fn reports_name_the_broken_rule_of_games() {
    let folder = Folder::new();
    let mut moves = 0;
    for checker in checkers::all() {
        let bad = BAD_ANSWERS.into_iter().enumerate();
        let bad = bad.filter_map(|(number, answer)| Some((number, answer, rejection(checker, answer)?)));
        let bad: Vec<_> = bad.collect();
        assert!(!bad.is_empty(), "{} takes any answer", checker.id);
        let expected: Vec<_> = bad.iter().map(|(.., rejection)| fields_of(rejection)).collect();
        moves += expected.iter().filter(|fields| !fields["move"].is_null()).count();
        let solvers: Vec<_> = bad.iter().map(|(number, answer, _)| solver(&folder, *number, answer)).collect();
        let mut run = vec!["run", "-p", checker.id, "--seeds", "1"];
        run.extend(solvers.iter().flat_map(|solver| ["-s", solver]));
        let (code, report) = folder.json(&run);
        let cases = |report: &Value| report["cases"].as_array().unwrap().iter().map(said).collect::<Vec<_>>();
        assert_eq!((code, cases(&report)), (Some(1), expected.clone()), "{}", checker.id);

        let (_, again) = folder.json(&[&run[..], &["--reuse"]].concat());
        assert_eq!(cases(&again), expected, "{} from the journal", checker.id);

        let lines = folder.judge(&[&run[..], &["--jsonl", "-"]].concat()).stdout;
        let lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let records: Vec<_> = lines.filter(|line| line["type"] == "case").collect();
        assert_eq!(records.len(), expected.len());
        for ((number, ..), fields) in bad.iter().zip(&expected) {
            let record = records.iter().find(|record| record["solver"] == format!("bad{number}")).unwrap();
            assert_eq!(&said(record), fields, "{}", checker.id);
        }
    }
    assert!(moves > 0, "some of these answers break the rules of a move");
}

#[test]
fn what_a_checker_does_not_say_is_absent() {
    let folder = Folder::new();
    folder.write(
        "problems.toml",
        "[[problem]]\nid = \"echo\"\nchecker-command = \"./check {input} {answer}\"\ngenerator-command = \"echo {seed}\"\nseeds = \"1-2\"\n",
    );
    folder.script("check", "read n < \"$2\"; [ \"$n\" = 1 ] && { echo 5; exit 0; }; echo 'line 7: not one'; exit 1");
    folder.script("bot", "cat");
    let (code, report) = folder.json(&["run", "-p", "echo", "-s", "./bot", "--seeds", "1-2"]);
    assert_eq!((code, of_cases(&report, "note")), (Some(1), vec![&Value::Null, &json!("line 7: not one")]), "{report}");
    for key in ["line", "column", "move", "rule"] {
        assert_eq!(of_cases(&report, key), [&Value::Null; 2], "{key}: the words of a command are not read");
    }
}
