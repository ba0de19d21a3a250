//! `judge check`: folders with bad files, answers that are too long, and answers that the checker does not decide.

use crate::support::{Folder, Said, of_cases};
use serde_json::json;
use std::io::Write;
use std::process::Stdio;

/// The answer to the statement's sample of `columns`, worth 141.
const SAMPLE_ANSWER: &str = "11\n1 0\n2 0\n3 0\n3 0\n4 0\n5 0\n6 0\n6 0\n1 0\n2 0\n3 0\n";

/// Writes a pair for the statement's sample.
fn write_pair(folder: &Folder, name: &str, answer: &str) {
    folder.write(&format!("cases/{name}.in"), folder.judge(&["gen", "-p", "columns", "--seed", "1"]).stdout);
    folder.write(&format!("cases/{name}.out"), answer);
}

fn check_cases(folder: &Folder) -> Said {
    folder.judge(&["check", "-p", "columns", "--dir", "cases"])
}

/// Returns the row of a case.
fn row<'a>(said: &'a Said, name: &str) -> &'a str {
    let mut rows = said.stdout.lines().filter(|line| line.split_whitespace().next() == Some(name));
    rows.next().unwrap_or_else(|| panic!("no row for {name}: {}\n{}", said.stdout, said.stderr))
}

#[test]
fn a_bad_file_does_not_stop_other_checks() {
    let folder = Folder::new();
    write_pair(&folder, "c2", SAMPLE_ANSWER);
    write_pair(&folder, "c10", "x\n");
    assert_eq!(check_cases(&folder).code, Some(1), "one is rejected");

    folder.write("cases/c1.in", "6 13\nhello\n");
    folder.write("cases/c1.out", "0\n");
    let said = check_cases(&folder);
    assert_eq!(said.code, Some(2), "a bad file is worse than a rejected answer");
    let bad = row(&said, "c1");
    assert!(bad.contains("cases/c1.in is not an input of `columns`: line 2, column 1"), "{bad}");
    assert!(row(&said, "c2").contains("141") && row(&said, "c2").contains("accepted"), "{}", said.stdout);
    assert!(row(&said, "c10").contains("rejected line 1, column 1"), "{}", said.stdout);
    let order: Vec<_> = said.stdout.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(order.ends_with(&["c1", "c2", "c10"]), "natural order: {order:?}");
}

#[test]
fn unreadable_files_are_named_without_waiting_for_pipes() {
    let folder = Folder::new();
    write_pair(&folder, "good", SAMPLE_ANSWER);
    write_pair(&folder, "folder", "");
    std::fs::remove_file(folder.path().join("cases/folder.out")).unwrap();
    std::fs::create_dir(folder.path().join("cases/folder.out")).unwrap();
    write_pair(&folder, "dangling", SAMPLE_ANSWER);
    std::fs::remove_file(folder.path().join("cases/dangling.in")).unwrap();
    std::os::unix::fs::symlink("gone", folder.path().join("cases/dangling.in")).unwrap();
    write_pair(&folder, "pipe", "");
    std::fs::remove_file(folder.path().join("cases/pipe.out")).unwrap();
    let pipe = folder.path().join("cases/pipe.out");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());

    let said = check_cases(&folder);
    assert_eq!(said.code, Some(2));
    assert!(row(&said, "folder").contains("cases/folder.out is not a regular file"), "{}", said.stdout);
    assert!(row(&said, "pipe").contains("cases/pipe.out is not a regular file"), "{}", said.stdout);
    assert!(
        row(&said, "dangling").contains("cannot read the input cases/dangling.in: No such file"),
        "{}",
        said.stdout
    );
    assert!(row(&said, "good").contains("accepted"), "{}", said.stdout);
}

#[test]
fn a_fifo_without_a_partner_is_an_error() {
    let folder = Folder::new();
    write_pair(&folder, "a", SAMPLE_ANSWER);
    let fifo = |name: &str| {
        assert!(std::process::Command::new("mkfifo").arg(folder.path().join(name)).status().unwrap().success());
    };
    let check = |name: &str| {
        fifo(name);
        folder.judge(&["check", "-p", "columns", "--input", "cases/a.in", "--output", name])
    };
    let run = |name: &str| {
        fifo(name);
        folder.judge(&["run", "-p", "columns", "--seeds", "1", "--no-journal", "--json", name, "-s", "cat"])
    };
    let shell = |script: &str| {
        let mut shell = std::process::Command::new("sh");
        shell.current_dir(folder.path()).args(["-c", script]).stdout(Stdio::piped()).spawn().unwrap()
    };
    // All wait at the same time.
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let said = check("nobody-writes");
            assert_eq!(said.code, Some(2), "{}", said.stderr);
            assert!(said.stderr.contains("this FIFO has no writer: start the writer first"), "{}", said.stderr);
        });
        scope.spawn(|| {
            let said = run("nobody-reads");
            assert_eq!(said.code, Some(2), "{}", said.stderr);
            assert!(said.stderr.contains("this FIFO has no reader: start the reader first"), "{}", said.stderr);
        });
        // Ends that are opened later, and a writer that is slower than the other end's patience.
        scope.spawn(|| {
            let mut writer = shell("sleep 0.5; exec 3> written; sleep 6; cat cases/a.out >&3");
            let said = check("written");
            assert_eq!(said.code, Some(0), "{}{}", said.stdout, said.stderr);
            assert!(writer.wait().unwrap().success());
        });
        scope.spawn(|| {
            let reader = shell("sleep 2; cat read");
            let said = run("read");
            assert_eq!(said.code, Some(1), "the program is wrong: {}", said.stderr);
            let read = reader.wait_with_output().unwrap().stdout;
            assert!(serde_json::from_slice::<serde_json::Value>(&read).is_ok(), "{}", String::from_utf8_lossy(&read));
        });
    });
}

#[test]
fn what_has_no_partner_is_named() {
    let folder = Folder::new();
    write_pair(&folder, "a.b", SAMPLE_ANSWER);
    write_pair(&folder, "unanswered", SAMPLE_ANSWER);
    std::fs::remove_file(folder.path().join("cases/unanswered.out")).unwrap();
    let said = check_cases(&folder);
    assert_eq!(said.code, Some(1));
    assert!(row(&said, "unanswered").contains("no answer: cases/unanswered.out is missing"), "{}", said.stdout);
    assert!(row(&said, "a.b").contains("accepted"), "{}", said.stdout);

    folder.write("cases/stray.out", SAMPLE_ANSWER);
    let said = check_cases(&folder);
    assert_eq!(said.code, Some(2));
    assert!(row(&said, "stray").contains("no input: cases/stray.in is missing"), "{}", said.stdout);

    folder.write("empty/notes.txt", "");
    let said = folder.judge(&["check", "-p", "columns", "--dir", "empty"]);
    assert!(said.code == Some(2) && said.stderr.contains("there is no NAME.in in empty"), "{}", said.stderr);
}

/// The limit, the answer and whether it is within.
#[test]
fn check_rejects_answers_beyond_the_output_limit() {
    let folder = Folder::new();
    let padded = |length: usize| format!("{SAMPLE_ANSWER}{}", " ".repeat(length - SAMPLE_ANSWER.len()));
    for (arguments, limit, shown) in [
        (&[][..], 1_000_000, "1 MB"),
        (&["--output-limit", "100B"], 100, "100 B"),
        (&["--output-limit", "2MB"], 2_000_000, "2 MB"),
    ] {
        for (length, code, said) in [
            (limit, Some(0), "accepted 141\n".to_owned()),
            (limit + 1, Some(1), format!("rejected answer: more than {shown} of output\n")),
        ] {
            folder.write("answer.txt", padded(length));
            let check = ["check", "-p", "columns", "--seed", "1", "--output", "answer.txt"];
            let checked = folder.judge(&[&check, arguments].concat());
            assert_eq!((checked.code, checked.stdout), (code, said), "{length} {}", checked.stderr);
            let solver = folder.script("solver", &format!("cat {}/answer.txt", folder.path().display()));
            let visible = folder.path().display().to_string();
            let run = ["run", "-p", "columns", "--seeds", "1", "-s", solver.to_str().unwrap(), "--dir", &visible];
            let (run_code, report) = folder.json(&[&run, arguments].concat());
            let verdict = if length == limit { "accepted" } else { "output-limit" };
            assert_eq!((run_code, of_cases(&report, "verdict")), (code, vec![&json!(verdict)]), "{report}");
        }
    }
    write_pair(&folder, "long", &padded(1_000_001));
    write_pair(&folder, "short", SAMPLE_ANSWER);
    let said = check_cases(&folder);
    assert_eq!(said.code, Some(1));
    assert!(row(&said, "long").contains("more than 1 MB of output"), "{}", said.stdout);
    assert!(row(&said, "short").contains("accepted"), "{}", said.stdout);
}

/// The part of an answer beyond the limit is not read, so an endless answer ends as soon.
#[test]
fn an_endless_answer_takes_no_memory() {
    let folder = Folder::new();
    for output in ["/dev/zero", "-"] {
        let mut judge = folder.command(&["check", "-p", "columns", "--seed", "1", "--output", output]);
        let mut judge = judge.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut stdin = judge.stdin.take().unwrap();
        if output == "-" {
            // The judge closes its end once it has read enough.
            while stdin.write_all(&[b' '; 1 << 16]).is_ok() {}
        }
        drop(stdin);
        let said = Said::from(judge.wait_with_output().unwrap());
        assert_eq!((said.code, &*said.stdout), (Some(1), "rejected answer: more than 1 MB of output\n"));
    }
    let view = ["view", "-p", "columns", "--seed", "1", "--output", "/dev/zero", "--html", "game.html"];
    let said = folder.judge(&view);
    assert!(said.code == Some(2) && said.stderr.contains("more than 1 MB of output"), "{}", said.stderr);
}

#[test]
fn stored_answers_keep_the_limit_of_their_run() {
    let folder = Folder::new();
    let solver = folder.script("solver", &format!("cat <<'END'\n{SAMPLE_ANSWER}END"));
    let run = ["run", "-p", "columns", "--seeds", "1", "-s", solver.to_str().unwrap()];
    assert_eq!(folder.judge(&run).code, Some(0));
    let same = folder.judge(&["check", "--run", "last"]);
    assert!(same.code == Some(0) && same.stdout.contains("1 answer as recorded"), "{}", same.stdout);
    let stricter = folder.judge(&["check", "--run", "last", "--output-limit", "20B"]);
    assert_eq!(stricter.code, Some(1));
    assert!(stricter.stdout.contains("more than 20 B of output"), "{}", stricter.stdout);
}

/// A case of `deletion-game` whose row spells 10^99999 + 9, and the answer that takes all of it. 10^99999 + 9 has no
/// small factor.
fn undecidable() -> (String, String) {
    const DIGITS: usize = 100_000;
    let row = format!("1{} 9", " 0".repeat(DIGITS - 2));
    let path: String = (1..=DIGITS).map(|column| format!(" 1 {column}")).collect();
    (format!("1 {DIGITS} 9 1 {DIGITS} 1 1 0\n{row}\n"), format!("1\n{DIGITS}{path}\n"))
}

#[test]
fn an_undecided_check_is_a_judge_error() {
    let folder = Folder::new();
    let (input, answer) = undecidable();
    folder.write("cases/huge.in", &input);
    let path = folder.write("cases/huge.out", &answer);
    let checked =
        folder.judge(&["check", "-p", "deletion-game", "--input", "cases/huge.in", "--output", "cases/huge.out"]);
    assert_eq!((checked.code, &*checked.stdout), (Some(3), ""));
    let why = "undecided: line 2, column 1, move 1: whether N, of 100000 digits, is prime takes more work than";
    assert!(checked.stderr.contains(why), "{}", checked.stderr);

    let solver = folder.script("solver", &format!("cat {}", path.display()));
    let visible = folder.path().display().to_string();
    let run = ["run", "-p", "deletion-game", "--inputs", "cases/huge.in", "-s", solver.to_str().unwrap()];
    let (code, report) = folder.json(&[&run[..], &["--dir", &visible]].concat());
    assert_eq!((code, of_cases(&report, "verdict")), (Some(3), vec![&json!("judge-error")]), "{report}");
    assert!(report["cases"][0]["note"].as_str().unwrap().starts_with(why), "{report}");

    folder.write("cases/small.in", "1 2 1 1 2 1 1 0\n1 3\n");
    folder.write("cases/small.out", "1\n2 1 1 1 2\n");
    let said = folder.judge(&["check", "-p", "deletion-game", "--dir", "cases"]);
    assert_eq!(said.code, Some(3));
    assert!(row(&said, "huge").contains("not checked: undecided: line 2"), "{}", said.stdout);
    assert!(row(&said, "small").contains("accepted"), "{}", said.stdout);
}

#[test]
fn views_and_checks_use_the_answer_file() {
    for trusted in ["", "trusted = true\n"] {
        let folder = Folder::new();
        folder.write(
            "problems.toml",
            format!(
                "[[problem]]\nid = \"p\"\nchecker-command = \"sh check.sh {{answer}} {{expected}}\"\ninputs = [\"*.in\"]\n\
                 answers = \"*.ans\"\nview-command = \"sh {{folder}}/draw.sh {{answer}} {{expected}}\"\n\
                 view-file = \"page.html\"\n{trusted}"
            ),
        );
        folder.write("check.sh", "cmp -s \"$1\" \"$2\" && echo 1 && exit; echo differs; exit 1\n");
        folder.write("draw.sh", "cat \"$1\" \"$2\" > page.html\n");
        ["a.in", "a.ans", "a.out"].iter().for_each(|name| drop(folder.write(name, "7\n")));
        let case = ["-p", "p", "--input", "a.in", "--output", "a.out"];
        let said = folder.judge(&[&["view"], &case[..], &["--html", "page.html"]].concat());
        assert_eq!(said.code, Some(0), "{}{}", said.stdout, said.stderr);
        assert_eq!(std::fs::read_to_string(folder.path().join("page.html")).unwrap(), "7\n7\n");
        let said = folder.judge(&[&["check"], &case[..], &["--answer", "none"]].concat());
        assert!(said.code == Some(2) && said.stderr.contains("cannot read the answer file none"), "{}", said.stderr);
    }
}
