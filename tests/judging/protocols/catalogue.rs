//! Errors of a protocol in a catalogue are reported with their place.

use super::problem;
use crate::support::Folder;

#[test]
fn seeds_need_a_generator() {
    let folder = Folder::new();
    for cases in ["seeds = \"1-3\"", "[[problem.case]]\nseed = 1"] {
        folder.write(
            "problems.toml",
            format!("[[problem]]\nid = \"t\"\nchecker-command = \"cat {{answer}}\"\n{cases}\n"),
        );
        let said = folder.judge(&["run", "-s", "cat"]);
        assert_eq!((said.code, &*said.stdout), (Some(2), ""), "{}", said.stderr);
        assert!(said.stderr.contains("no cases from seeds\n --> problems.toml:4:"), "{}", said.stderr);
    }
}

#[test]
fn tokens_need_answer_files() {
    let folder = Folder::new();
    let problem =
        "[[problem]]\nid = \"t\"\nchecker = \"tokens\"\ngenerator-command = \"echo {seed}\"\nseeds = \"1-3\"\n";
    folder.write("problems.toml", problem);
    let said = folder.judge(&["run", "-s", "cat"]);
    assert_eq!(said.code, Some(2), "{}", said.stdout);
    assert!(said.stderr.contains("seed-1 is made from a seed") && said.stderr.contains("hint: "), "{}", said.stderr);
}

#[test]
fn reports_replace_no_catalogue() {
    let folder = Folder::new();
    let catalogue = folder.write("problems.toml", "[[problem]]\nid = \"p\"\nchecker = \"columns\"\nseeds = \"1\"\n");
    let before = std::fs::read(&catalogue).unwrap();
    let said = folder.judge(&["run", "-s", "cat", "--json", "problems.toml"]);
    assert!(said.code == Some(2) && said.stderr.contains("would replace problems.toml"), "{}", said.stderr);
    assert_eq!(std::fs::read(&catalogue).unwrap(), before);
    let said = folder.judge(&["check", "-p", "p", "--input", "/dev/zero", "--output", "problems.toml"]);
    assert!(said.code == Some(2) && said.stderr.contains("is longer than 1 GiB"), "{}", said.stderr);
}

#[test]
fn faults_are_shown_at_their_places() {
    for (lines, place, words) in [
        ("checker-command = \"c {answer}\"\nchecker-protocol = \"testlip\"", "4:20", "did you mean `testlib`?"),
        ("checker-command = \"c {answer}\"\nchecker-protocol = \"regex\"", "1:1", "add `score-regex = "),
        (
            "checker-command = \"c {answer}\"\nchecker-protocol = \"regex\"\nscore-regex = 'Score = (\\d+'",
            "5:15",
            "bad regular expression in `score-regex`",
        ),
        (
            "checker-command = \"c {answer}\"\nchecker-protocol = \"regex\"\nscore-regex = '\\d*'",
            "5:15",
            "matches the empty text",
        ),
        (
            "checker-command = \"c {answer}\"\nchecker-protocol = \"regex\"\nscore-regex = '\\d+'\nscore-match = \"frist\"",
            "6:15",
            "expected one of: first, last",
        ),
        ("checker-command = \"c {answer}\"\nscore-regex = '\\d+'", "4:15", "the protocol `judge` has no `score-regex`"),
        ("checker-command = \"c\"\nchecker-protocol = \"kattis\"\nvalidation-passes = 0", "5:21", "at least once"),
        ("interactor-command = \"c\"\nchecker-protocol = \"kattis\"\nvalidation-passes = 2", "5:21", "has one pass"),
        ("checker-command = \"c {answer}\"\nchecker-arguments = \"x\"", "4:21", "has no `checker-arguments`"),
        ("checker = \"tokens\"\nchecker-arguments = \"float 1\"", "4:21", "unknown argument `float`"),
        ("checker = \"tokens\"\nchecker-protocol = \"kattis\"", "4:20", "a built-in checker has no `checker-protocol`"),
        ("checker = \"columns\"\nanswers = \"*.ans\"", "4:11", "compares with no answer files"),
        ("checker = \"tokens\"\nanswers = \"a[.ans\"", "4:11", "is not a file pattern"),
        ("checker = \"tokns\"", "3:11", "did you mean `tokens`?"),
        (
            "interactor-command = \"i\"\nchecker-protocol = \"regex\"\nscore-regex = 'x'",
            "4:20",
            "an interactor's output goes to the solver",
        ),
        ("interactor-command = \"i\"\nchecker-command = \"c {answer}\"", "3:22", "a problem has one checker"),
        ("checker-command = \"c {report}\"\nchecker-protocol = \"testlib\"", "3:22", "unknown placeholder `{report}`"),
    ] {
        let folder = Folder::new();
        folder.write("problems.toml", format!("[[problem]]\nid = \"p\"\n{lines}\ninputs = [\"*.in\"]\n"));
        let said = folder.judge(&["list"]);
        assert_eq!(said.code, Some(2), "{lines}");
        let place = format!("problems.toml:{place}");
        assert!(said.stderr.contains(words) && said.stderr.contains(&place), "{lines}: {}", said.stderr);
    }
}

#[test]
fn what_a_key_does_not_find_comes_with_its_line() {
    let folder = Folder::new();
    folder.write("1.in", "");
    let best = "checker-command = \"cat {answer}\"\n[problem.scoring]\nrule = \"relative\"\nbest = \"no.toml\"";
    for (lines, solver, hint) in [
        ("checker = \"tokens\"\nanswers = \"no/*\"", &["-s", "cat"][..], "change `answers` in problems.toml:5,"),
        ("checker-command = \"cat {answer}\"\nsolver = \"./no\"", &[], "change `solver` in problems.toml:5,"),
        (best, &["-s", "cat"], "`best` in problems.toml:7 takes a file"),
    ] {
        folder.write("problems.toml", format!("[[problem]]\nid = \"p\"\ninputs = [\"*.in\"]\n{lines}\n"));
        let said = folder.judge(&[&["run"], solver].concat());
        assert!(said.code == Some(2) && said.stderr.contains(hint), "{hint}: {}", said.stderr);
    }
}

#[test]
fn a_missing_file_comes_with_the_line_that_names_it() {
    for checker in ["checker = \"tokens\"", "checker-command = \"cmp {answer} {expected}\""] {
        let folder = problem(&format!("{checker}\n"));
        let text = std::fs::read_to_string(folder.path().join("problems.toml")).unwrap();
        for (case, hint) in [
            ("file = \"gone.in\"\n", "add the file, or change problems.toml:8,"),
            ("file = \"data\"\n", "hint: change problems.toml:8,"),
            (
                "name = \"b\"\nfile = \"data/1.in\"\nanswer = \"gone.ans\"\n",
                "add the file, or change problems.toml:10,",
            ),
            ("name = \"b\"\nfile = \"data/1.in\"\nanswer = \"data\"\n", "hint: change problems.toml:10,"),
        ] {
            folder.write("problems.toml", format!("{text}[[problem.case]]\n{case}"));
            let said = folder.judge(&["run", "-s", "cat"]);
            assert!(said.code == Some(2) && said.stderr.contains(hint), "{checker} {hint}: {}", said.stderr);
        }
    }
}
