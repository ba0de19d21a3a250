//! The built-in comparison, and the answer files of cases.

use super::{accepted, judged, problem, wrong};
use crate::support::Folder;

#[test]
fn tokens_are_compared_with_the_answer_file() {
    for (lines, solver, outcome) in [
        ("", "printf ' 25 \\n\\n'", accepted("1")),
        ("", "echo 24", wrong("line 1, column 1: expected `25`, found `24`")),
        ("checker-arguments = \"float_tolerance 0.1\"", "echo 26", accepted("1")),
        (
            "checker-arguments = \"space_change_sensitive\"",
            "printf 25",
            wrong("line 1, column 3: expected a line break, found the end"),
        ),
    ] {
        let folder = problem(&format!("checker = \"tokens\"\n{lines}"));
        assert_eq!(judged(&folder, solver), outcome, "{lines} {solver}");
    }
}

#[test]
fn one_answer_is_checked_by_hand() {
    let folder = problem("checker = \"tokens\"\nchecker-arguments = \"float_absolute_tolerance 0.5\"");
    folder.write("my.out", "24.5\n");
    folder.write("other.in", "9\n");
    folder.write("other.ans", "81\n");
    let check = |more: &[&str]| folder.judge(&[&["check", "-p", "p", "--output", "my.out"], more].concat());
    let said = check(&["--input", "data/1.in"]);
    assert_eq!((said.code, said.stdout.trim()), (Some(0), "accepted 1"), "{}", said.stderr);
    let said = check(&["--input", "data/1.in", "--answer", "other.ans"]);
    assert_eq!(said.code, Some(1), "{}", said.stderr);
    assert!(said.stdout.starts_with("rejected line 1, column 1: expected `81`, found `24.5`"), "{}", said.stdout);
    let said = check(&["--input", "other.in"]);
    assert!(said.code == Some(2) && said.stderr.contains("has no answer file"), "{}", said.stderr);
    let said = check(&["--input", "data/1.in", "--answer", "missing.ans"]);
    assert!(said.code == Some(2) && said.stderr.contains("cannot read the answer file missing.ans"), "{}", said.stderr);
    folder.write("results/1.in", "5\n");
    folder.write("results/1.ans", "24\n");
    folder.write("results/1.out", "24\n");
    let said = folder.judge(&["check", "-p", "p", "--dir", "results"]);
    assert_eq!(said.code, Some(0), "{}{}", said.stdout, said.stderr);
    let games = folder.judge(&[
        "check",
        "-p",
        "columns",
        "--problems",
        "none.toml",
        "--seed",
        "1",
        "--output",
        "my.out",
        "--answer",
        "other.ans",
    ]);
    assert_eq!(games.code, Some(2));
}

#[test]
fn unreadable_answer_folders_are_one_early_error() {
    let folder = problem("checker = \"tokens\"");
    folder.write("data/2.in", "6\n");
    // Even root cannot read this.
    std::os::unix::fs::symlink("circle", folder.path().join("circle")).unwrap();
    let text = std::fs::read_to_string(folder.path().join("problems.toml")).unwrap();
    folder.write("problems.toml", text.replace("\"data/*.ans\"", "[\"circle/*.ans\", \"data/*.ans\"]"));
    let said = folder.judge(&["run", "-p", "p", "-s", "echo 25"]);
    assert_eq!(said.code, Some(2), "{}", said.stderr);
    let circle = folder.path().join("circle").display().to_string();
    for words in ["data/2.in: cannot look for the answer file", &*circle, "symbolic links"] {
        assert!(said.stderr.contains(words), "{words:?}: {}", said.stderr);
    }
    assert!(!said.stderr.contains("data/1.in"), "its answer is found: {}", said.stderr);
}

#[test]
fn commands_get_answer_files_on_request() {
    let folder = problem("checker-command = \"sh check.sh {answer} {expected}\"");
    folder.write("check.sh", "cmp -s \"$1\" \"$2\" && echo 3 || { echo differs; exit 1; }\n");
    assert_eq!(judged(&folder, "echo 25"), accepted("3"));
    assert_eq!(judged(&folder, "echo 26"), wrong("differs"));
}

#[test]
fn another_answer_file_makes_other_results() {
    let folder = problem("checker = \"tokens\"");
    assert_eq!(judged(&folder, "echo 25"), accepted("1"));
    folder.write("data/1.ans", "26\n");
    let (code, report) = folder.json(&["run", "-p", "p", "-s", "echo 25", "--reuse"]);
    assert_eq!((code, report["cases"][0]["verdict"].as_str()), (Some(1), Some("wrong-answer")));
}

#[test]
fn cases_may_name_their_answers() {
    let folder = Folder::new();
    folder.write("a.txt", "5\n");
    folder.write("b.txt", "25\n");
    folder.write(
        "problems.toml",
        "[[problem]]\nid = \"p\"\nchecker = \"tokens\"\n[[problem.case]]\nfile = \"a.txt\"\nanswer = \"b.txt\"\n",
    );
    assert_eq!(judged(&folder, "echo 25"), accepted("1"));
    let said = folder.judge(&["show", "p"]);
    assert!(said.stdout.contains("checker     tokens\n"), "{}", said.stdout);
}
