//! The judge through its command line: the behaviour that scripts, CI jobs and users rely on.

mod streams;

use crate::support::pace::{in_time, patiently, unhurried};
use crate::support::require::{Need, skip};
use crate::support::{Folder, of_cases};
use serde_json::json;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// The answer to the statement's sample of `columns`, worth 141.
const SAMPLE_ANSWER: &str = "11\n1 0\n2 0\n3 0\n3 0\n4 0\n5 0\n6 0\n6 0\n1 0\n2 0\n3 0\n";

#[test]
fn the_bundled_solver_plays_the_statements_sample() {
    let folder = Folder::new();
    let (code, report) = folder.json(&["run", "-p", "columns", "-s", "bundled:columns-quickstart", "--seeds", "1"]);
    assert_eq!(code, Some(0));
    assert_eq!(report["schema"], 1);
    assert_eq!(of_cases(&report, "score"), [141]);
    assert_eq!(of_cases(&report, "case"), ["seed-1"]);
    assert_eq!(of_cases(&report, "verdict"), ["accepted"]);
    assert_eq!(report["solvers"][0]["total"], 141);
}

#[test]
fn every_problem_runs_with_its_bundled_solver() {
    let folder = Folder::new();
    let listed = folder.judge(&["list"]);
    assert_eq!(listed.code, Some(0));
    for problem in checkers::all().iter().map(|checker| checker.id) {
        assert!(listed.stdout.contains(problem), "{}", listed.stdout);
        let arguments = ["run", "-p", problem, "--seeds", "1-2", "--env", "SOLVER_TIME_LIMIT=0.3"];
        let (code, report) = folder.json(&arguments);
        assert_eq!(code, Some(0), "{problem}: {report}");
        assert_eq!(of_cases(&report, "verdict"), ["accepted", "accepted"], "{problem}");
        let shown = folder.judge(&["show", problem]);
        assert!(shown.code == Some(0) && shown.stdout.contains("CPU limit"), "{}", shown.stdout);
    }
}

#[test]
fn every_way_to_fail_has_its_verdict() {
    let folder = Folder::new();
    let sample = folder.write("answer.txt", SAMPLE_ANSWER);
    let right = folder.script("right", &format!("cat <<'END'\n{SAMPLE_ANSWER}END"));
    let cases = [
        (right.display().to_string(), "accepted", ""),
        (folder.script("empty", "exit 0").display().to_string(), "wrong-answer", "line 1, column 1"),
        (
            folder.script("crash", "echo 11; echo oops >&2; exit 7").display().to_string(),
            "runtime-error",
            "exit code 7",
        ),
        (folder.script("signal", "kill -SEGV $$").display().to_string(), "runtime-error", "SIGSEGV"),
        (folder.script("loop", "while :; do :; done").display().to_string(), "time-limit", "CPU"),
        (folder.script("sleep", "sleep 100").display().to_string(), "wall-limit", "clock"),
        (folder.script("flood", "yes").display().to_string(), "output-limit", "standard output"),
        (folder.path().display().to_string(), "cannot-start", "folder"),
        (sample.display().to_string(), "cannot-start", "ermission"),
    ];
    for (solver, verdict, note) in cases {
        // Only programs that sleep should reach the wall limit. A busy machine may keep the others waiting for a core.
        let wall = if verdict == "wall-limit" { "1s" } else { "30s" };
        let limits = ["--cpu", "300ms", "--wall", wall, "--output-limit", "100KB"];
        let (code, report) =
            folder.json(&[&["run", "-p", "columns", "--seeds", "1", "-s", &solver], &limits[..]].concat());
        assert_eq!(of_cases(&report, "verdict"), [verdict], "{solver}: {report}");
        assert_eq!(code, Some(i32::from(verdict != "accepted")), "{solver}");
        let said = report["cases"][0]["note"].as_str().unwrap_or("");
        assert!(said.contains(note), "{solver}: {said}");
        assert_eq!(report["cases"][0]["score"].is_null(), verdict != "accepted", "{solver}");
    }
}

#[test]
fn programs_that_cannot_start_do_not_stop_runs() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let executable = |name: &str, contents: &[u8]| {
        let path = folder.write(name, contents);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path.display().to_string()
    };
    // Only an ELF header of another machine (EM_AARCH64 if this is x86-64, EM_X86_64 elsewhere).
    let mut foreign = std::fs::read(env!("CARGO_BIN_EXE_judge")).unwrap()[..4096].to_vec();
    foreign[18] = if cfg!(target_arch = "x86_64") { 0xb7 } else { 0x3e };
    for (solver, note) in [
        (executable("foreign", &foreign), "Exec format"),
        (executable("void", b""), "Exec format"),
        (executable("no-interpreter", b"#!/no/such/interpreter\n"), "No such file"),
        (executable("windows-line-ends", b"#!/bin/sh\r\necho 0\r\n"), "No such file"),
    ] {
        let (code, report) = folder.json(&["run", "-p", "columns", "--seeds", "1-2", "-s", &solver]);
        assert_eq!(of_cases(&report, "verdict"), ["cannot-start", "cannot-start"], "{solver}: {report}");
        assert_eq!(code, Some(1));
        assert!(report["cases"][1]["note"].as_str().unwrap().contains(note), "{solver}: {report}");
    }
}

#[test]
fn sources_compile_or_show_compiler_messages() {
    let folder = Folder::new();
    folder.write("good.rs", "fn main() { println!(\"0\"); }");
    folder.write("bad.rs", "fn main() { oops }");
    let (code, report) = folder.json(&["run", "-p", "columns", "--seeds", "1", "-s", "good.rs", "-s", "bad.rs"]);
    assert_eq!(code, Some(1));
    assert_eq!(of_cases(&report, "verdict"), ["accepted", "compile-error"]);
    assert!(report["cases"][1]["note"].as_str().unwrap().contains("oops"), "{report}");
}

#[test]
fn results_keep_case_order_with_any_jobs() {
    let folder = Folder::new();
    let said = folder.judge(&["run", "-p", "columns", "-s", "bundled:columns-quickstart", "--seeds", "9,3,1-10"]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert!(said.stderr.contains("--seeds repeats 2 seeds: each seed is one case"), "{}", said.stderr);
    let figures = |seeds: &str, jobs: &str| {
        let run = ["run", "-p", "columns", "-s", "bundled:columns-quickstart", "--seeds", seeds];
        let (_, report) = folder.json(&[&run[..], &["--jobs", jobs]].concat());
        (json!(of_cases(&report, "case")), json!(of_cases(&report, "score")), report["solvers"][0]["total"].clone())
    };
    let alone = figures("9,3,10-40", "1");
    assert_eq!(alone.0[0], "seed-9");
    assert_eq!(alone, figures("9,3,10-40", "2"));
    assert_eq!(alone, figures("9,3,10-40", "4"));
}

#[test]
fn a_large_run_shows_extremes_or_all() {
    let folder = Folder::new();
    let solver = folder.script("some", "read w h; read k; [ $((k % 1000)) = 0 ] && exit 3; echo 0");
    let arguments = ["run", "-p", "columns", "--seeds", "2-60", "-s", solver.to_str().unwrap()];
    let said = folder.judge(&arguments);
    assert_eq!(said.code, Some(1));
    assert!(said.stdout.contains("more rows are not shown"), "{}", said.stdout);
    assert!(said.stdout.contains("highest score"), "{}", said.stdout);
    assert!(said.stdout.contains("judge run -p columns -s "), "{}", said.stdout);
    let all = folder.judge(&[&arguments[..], &["--all"]].concat());
    for seed in 2..=60 {
        assert!(all.stdout.lines().any(|line| line.contains(&format!("seed-{seed} "))), "seed {seed}: {}", all.stdout);
    }
}

#[test]
fn fail_fast_skips_the_rest() {
    let folder = Folder::new();
    let solver = folder.script("bad", "exit 1");
    let arguments =
        ["run", "-p", "columns", "--seeds", "1-20", "--jobs", "1", "--fail-fast", "-s", solver.to_str().unwrap()];
    let (code, report) = folder.json(&arguments);
    assert_eq!(code, Some(1));
    let verdicts = of_cases(&report, "verdict");
    assert_eq!(verdicts[0], "runtime-error");
    assert_eq!(verdicts[19], "skipped");
}

#[test]
fn check_says_accepted_or_rejected_with_the_place() {
    let folder = Folder::new();
    folder.write("answer.txt", SAMPLE_ANSWER);
    folder.write("late.txt", SAMPLE_ANSWER.replace("6 0\n1 0\n2 0\n", "6 0\n1 0\n13 0\n"));
    let good = folder.judge(&["check", "-p", "columns", "--seed", "1", "--output", "answer.txt"]);
    assert_eq!((good.code, &*good.stdout), (Some(0), "accepted 141\n"));
    let bad = folder.judge(&["check", "-p", "columns", "--seed", "1", "--output", "late.txt"]);
    assert_eq!(bad.code, Some(1));
    assert!(bad.stdout.starts_with("rejected line 11, column 1, move 10: "), "{}", bad.stdout);

    folder.write("cases/a.in", folder.judge(&["gen", "-p", "columns", "--seed", "1"]).stdout);
    folder.write("cases/a.out", SAMPLE_ANSWER);
    folder.write("cases/b.in", folder.judge(&["gen", "-p", "columns", "--seed", "2"]).stdout);
    folder.write("cases/b.out", "0\n");
    assert_eq!(folder.judge(&["check", "-p", "columns", "--dir", "cases"]).code, Some(0));
    folder.write("cases/b.out", "x\n");
    let table = folder.judge(&["check", "-p", "columns", "--dir", "cases"]);
    assert_eq!(table.code, Some(1));
    assert!(table.stdout.contains("141") && table.stdout.contains("rejected line 1"), "{}", table.stdout);
}

#[test]
fn gen_writes_one_case_or_a_folder() {
    let folder = Folder::new();
    let one = folder.judge(&["gen", "-p", "square-remover", "--seed", "2"]);
    assert!(one.stdout.starts_with("4\n11\n"), "{}", one.stdout);
    assert_eq!(folder.judge(&["gen", "-p", "square-remover", "--seeds", "1-3", "--dir", "a/b"]).code, Some(0));
    assert_eq!(std::fs::read_to_string(folder.path().join("a/b/seed-2.in")).unwrap(), one.stdout);
    assert_eq!(folder.judge(&["gen", "-p", "square-remover", "--seed", "0"]).code, Some(2));
    let greatest = folder.judge(&["gen", "-p", "square-remover", "--seed", "18446744073709551615"]);
    assert!(greatest.code == Some(0) && !greatest.stdout.is_empty(), "{}", greatest.stderr);
}

#[test]
fn user_mistakes_have_hints_and_exit_code_2() {
    let folder = Folder::new();
    folder.write("not-a-case.in", "hello\n");
    for (arguments, words) in [
        (&["run", "-p", "colums"][..], &["no problem `colums`", "did you mean `columns`"][..]),
        (&["run", "-p", "columns", "--seeds", "9-3"], &["runs backwards", "3-9"]),
        (&["run", "-p", "square-remover", "--seeds", "-1"], &["seeds are 0 to", "write 18446744073709551615"]),
        (&["gen", "-p", "square-remover", "--seed", "-5"], &["found `-5`", "write 18446744073709551611"]),
        (&["gen", "-p", "columns", "--seeds", "3--2", "--dir", "d"], &["found `-2`", "write 18446744073709551614"]),
        (&["check", "-p", "columns", "--seed=18446744073709551616", "--output", "x"], &["seeds are 0 to"]),
        (&["run", "-p", "columns", "--cpu", "4"], &["with its unit"]),
        (&["run", "-p", "columns", "--cpu", "-1s"], &["'--cpu <TIME>'", "with its unit", "found `-1s`"]),
        (&["run", "-p", "columns", "--wall", "0s"], &["'--wall <TIME>'", "more than zero, found `0s`"]),
        (&["run", "-p", "columns", "-j", "-2", "--all"], &["'--jobs <N>'", "from 1 on, found `-2`"]),
        (&["run", "-p", "columns", "--all", "-2"], &["unexpected argument '-2'"]),
        (&["run", "-p", "columns", "--memory", "lots"], &["size with its unit"]),
        (&["run", "-p", "columns", "--inputs", "none/*.in"], &["no file matches"]),
        (&["run", "-p", "columns", "--inputs", "no [1]/*.in"], &["no file matches", "--inputs 'no [[]1]/*.in'"]),
        (&["run", "-p", "columns", "--inputs", "no[/*.in"], &["is not a file pattern", "--inputs 'no[[]/*.in'"]),
        (&["run", "-p", "columns", "--inputs", "not-a-case.in"], &["not-a-case.in", "line 1, column 1", "hello"]),
        (&["run", "-p", "columns", "--jobs", "0"], &["--jobs"]),
        (&["run", "-p", "columns", "--jobs", "65536"], &["--jobs", "65536 is too large"]),
        (
            &["tune", "-p", "columns", "-s", "{a}", "--param", "a=1..2", "--budget", "1000001"],
            &["a whole number from 1 to 1000000"],
        ),
        (&["run", "-p", "columns", "-s", "a=x", "-s", "a=y"], &["two solvers are named `a`"]),
        (&["check", "-p", "columns", "--seed", "1", "--output", "gone.txt"], &["cannot read the answer gone.txt"]),
        (&["check", "-p", "columns", "--seed", "1"], &["--output"]),
        (&["run", "-p", "columns", "--problems", "gone.toml"], &["cannot read the catalogue gone.toml"]),
        (&["solve", "nothing"], &["no bundled solver `nothing`"]),
    ] {
        let said = folder.judge(arguments);
        assert_eq!(said.code, Some(2), "{arguments:?}: {}", said.stderr);
        for word in words {
            assert!(said.stderr.contains(word), "{arguments:?} lacks {word:?}: {}", said.stderr);
        }
    }
}

#[test]
fn all_catalogue_errors_are_reported_with_places() {
    let folder = Folder::new();
    folder.write(
        "problems.toml",
        r#"[[problem]]
id = "one"
chekcer = "columns"
checker = "columns"
seeds = "9-1"
[problem.limits]
cpu = "4"
memmory = "1GB"

[[problem]]
id = "one"
checker = "colunms"

[[problem]]
id = "one"
checker = "columns"
seeds = "1"

[[problem]]
id = "one"
checker = "columns"
seeds = "1"
"#,
    );
    let said = folder.judge(&["list"]);
    assert_eq!(said.code, Some(2));
    for words in [
        "problems.toml:3:1",
        "did you mean `checker`?",
        "problems.toml:5:9",
        "runs backwards",
        "problems.toml:7:7",
        "expected a time with its unit",
        "unknown key `memmory`",
        "did you mean `memory`?",
        "no built-in checker `colunms`",
        "did you mean `columns`?",
        "two problems with the id `one`",
        "^^^^",
    ] {
        assert!(said.stderr.contains(words), "lacks {words:?}: {}", said.stderr);
    }
}

#[test]
fn users_bring_their_own_problems() {
    let folder = Folder::new();
    folder.script("gen", "echo $(( $1 * 2 ))");
    folder.script(
        "check",
        "read n < $1; read a < $2; [ \"$a\" -le \"$n\" ] || { echo \"$a is more than $n\"; exit 1; }; echo \"$a\"",
    );
    folder.write(
        "problems.toml",
        r#"
[[problem]]
id = "mine"
generator-command = "./gen {seed}"
checker-command = "./check {input} {answer}"
seeds = "1-3"
[problem.limits]
cpu = "1s"
[problem.scoring]
rule = "sum"
"#,
    );
    let same = folder.script("same", "cat");
    let (code, report) = folder.json(&["run", "-p", "mine", "-s", same.to_str().unwrap()]);
    assert_eq!((code, of_cases(&report, "score")), (Some(0), vec![&json!(2), &json!(4), &json!(6)]));
    let more = folder.script("more", "read n; echo $((n + 1))");
    let (code, report) = folder.json(&["run", "-p", "mine", "-s", more.to_str().unwrap()]);
    assert_eq!(code, Some(1));
    assert!(report["cases"][0]["note"].as_str().unwrap().contains("3 is more than 2"), "{report}");
    // A checker that breaks its protocol is never the solver's fault.
    folder.script("check", "echo nonsense; exit 0");
    let (code, report) = folder.json(&["run", "-p", "mine", "-s", same.to_str().unwrap()]);
    assert_eq!((code, &report["cases"][0]["verdict"]), (Some(3), &json!("judge-error")));
}

#[test]
fn a_problem_may_choose_its_generator_version() {
    let folder = Folder::new();
    let catalogue = |key: &str| format!("[[problem]]\nid = \"mine\"\nchecker = \"columns\"\nseeds = \"2\"\n{key}\n");
    let made = |key: &str| {
        folder.write("problems.toml", catalogue(key));
        folder.judge(&["gen", "-p", "mine", "--seed", "2"])
    };
    let first = made("").stdout;
    assert_eq!(made("generator-version = 1").stdout, first);
    let second = made("generator-version = 2");
    assert_eq!((second.code, &*second.stdout), (Some(0), "11 19\n1\ndup\n"));
    let shown = folder.judge(&["show", "mine"]).stdout;
    assert!(shown.contains("built-in generator, version 2 of 2 (`generator-version`)"), "{shown}");
    for (key, complaint) in [
        ("generator-version = 3", "there is no version 3 of the generator\n"),
        ("generator-version = 0", "expected 1 to 2"),
        ("generator-version = \"new\"", "expected a version"),
        ("generator-command = \"echo {seed}\"\ngenerator-version = 1", "only built-in generators have versions"),
    ] {
        let said = made(key);
        assert!(said.code == Some(2) && said.stderr.contains(complaint), "{key}: {}", said.stderr);
    }
}

#[test]
fn the_journey_from_the_readme_for_files_works() {
    let folder = Folder::new();
    folder.judge(&["gen", "-p", "columns", "--seeds", "1-12", "--dir", "data"]);
    let arguments = ["run", "-p", "columns", "-s", "bundled:columns-quickstart", "--inputs", "data/*.in"];
    let (code, report) = folder.json(&arguments);
    assert_eq!(code, Some(0));
    let names: Vec<_> = of_cases(&report, "case").into_iter().map(|name| name.as_str().unwrap().to_owned()).collect();
    let expected: Vec<_> = (1..=12).map(|seed| format!("seed-{seed}")).collect();
    assert_eq!(names, expected, "natural order, and the file's stem as the name");
}

#[test]
fn scores_of_any_length_stay_exact() {
    let folder = Folder::new();
    let huge = "123456789012345678901234567890123456789";
    let mut text = String::from("[[problem]]\nid = \"huge\"\nchecker-command = \"./check {input} {answer}\"\n");
    write!(text, "generator-command = \"./gen {{seed}}\"\nseeds = \"1-2\"\n").unwrap();
    folder.write("problems.toml", text);
    folder.script("gen", "echo");
    folder.script("check", &format!("echo {huge}"));
    let solver = folder.script("any", "true");
    let said = folder.judge(&["run", "-p", "huge", "-s", solver.to_str().unwrap(), "--json", "-"]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert!(said.stdout.contains(&format!("\"score\": {huge}")), "{}", said.stdout);
    assert!(said.stdout.contains("\"total\": 246913578024691357802469135780246913578"), "{}", said.stdout);
}

#[test]
fn the_man_page_and_the_completions_are_there() {
    let folder = Folder::new();
    let man = folder.judge(&["man"]);
    assert!(man.code == Some(0) && man.stdout.contains(".TH judge"), "{}", man.stdout);
    for shell in ["bash", "zsh", "fish"] {
        let script = folder.judge(&["completions", shell]);
        assert!(script.code == Some(0) && script.stdout.contains("judge"), "{shell}");
    }
}
