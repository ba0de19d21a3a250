//! `judge verify --fuzz`: faults of checkers are found, made small and stored.

use crate::support::{Folder, Said};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// A problem `p` with one case, whose checker is this shell script.
fn problem(checker: &str) -> Folder {
    let folder = Folder::new();
    folder.write("check.sh", checker);
    folder.write(
        "problems.toml",
        "[[problem]]\nid = \"p\"\ngenerator-command = \"echo {seed}\"\nseeds = \"1\"\nsolver = \"echo 12 7\"\n\
         checker-command = \"sh check.sh {input} {answer}\"\nmay-accept = [\"empty\", \"garbage\", \"truncated\"]\n",
    );
    folder
}

/// Accepts every answer, with the number of its bytes.
const COUNTS: &str = "wc -c < \"$2\"\n";

fn fuzzed(folder: &Folder, more: &[&str]) -> (Option<i32>, Vec<Value>) {
    let (code, report) = folder.json(&[&["verify", "-p", "p", "--fuzz", "1s"], more].concat());
    let checks = report["problems"][0]["checks"].as_array().unwrap().iter();
    (code, checks.filter(|check| check["check"].as_str().unwrap().starts_with("fuzz")).cloned().collect())
}

/// Runs the command that a finding names.
fn again(folder: &Folder, finding: &Value) -> Said {
    let words = shell_words::split(finding["command"].as_str().unwrap()).unwrap();
    folder.judge(&words[1..].iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn a_checker_without_faults_passes() {
    let folder = problem(COUNTS);
    let (code, found) = fuzzed(&folder, &[]);
    assert_eq!(code, Some(0), "{found:?}");
    assert!(found[0]["detail"].as_str().unwrap().starts_with("no fault in "), "{found:?}");
    assert!(!folder.path().join("fuzz").exists());
    folder.write("games.toml", "[[problem]]\nid = \"p\"\nchecker = \"columns\"\nseeds = \"1\"\n");
    let (code, found) = fuzzed(&folder, &["--problems", "games.toml"]);
    assert_eq!((code, found.len()), (Some(0), 1), "{found:?}");
}

#[test]
fn a_crash_is_made_small_and_shown_again() {
    // It prints the first word, which is often not a score.
    let folder = problem("read -r first rest < \"$2\"; echo \"$first\"\n");
    let (code, found) = fuzzed(&folder, &["--seed", "7"]);
    let crash = found.iter().find(|finding| finding["check"] == "fuzz: crash").unwrap();
    assert_eq!(code, Some(1), "{found:?}");
    let answer = std::fs::read(folder.path().join("fuzz/p-crash-7.out")).unwrap();
    assert!(answer.len() <= 2, "{answer:?}");
    let said = again(&folder, crash);
    assert_eq!(said.code, Some(2), "{}", said.stderr);
    assert!(said.stderr.contains("is not a score"), "{}", said.stderr);
}

#[test]
fn inputs_that_the_validator_accepts_are_changed_too() {
    let folder = problem("[ \"$(cat \"$1\")\" = 1 ] && echo 1\n");
    let text = std::fs::read_to_string(folder.path().join("problems.toml")).unwrap();
    folder.write("problems.toml", text + "validator-command = \"true\"\n");
    let (code, found) = fuzzed(&folder, &[]);
    assert_eq!((code, found[0]["check"].as_str()), (Some(1), Some("fuzz: crash")), "{found:?}");
}

#[test]
#[ignore = "CI: a long search"]
fn a_second_checker_refutes_what_is_accepted() {
    let folder = problem(COUNTS);
    folder.write("second.sh", "grep -q 9 \"$2\" && { echo 'a nine'; exit 1; }\nwc -c < \"$2\"\n");
    let more = ["--second", "sh second.sh {input} {answer}", "--save", "kept"];
    let (code, found) = fuzzed(&folder, &more);
    assert_eq!((code, found.len()), (Some(1), 1), "{found:?}");
    assert_eq!(found[0]["check"], "fuzz: second");
    let detail = found[0]["detail"].as_str().unwrap();
    assert!(detail.contains("the second one `rejected answer: a nine`"), "{detail}");
    assert_eq!(std::fs::read(folder.path().join("kept/p-second-1.out")).unwrap(), b"9");
    let (_, same) = fuzzed(&folder, &more);
    assert_eq!(found, same, "the same seed finds the same");
}

#[test]
fn what_only_fuzzing_takes_is_refused_without_it() {
    let folder = problem(COUNTS);
    for flags in [["--second", "cat"], ["--seed", "3"], ["--save", "x"]] {
        let said = folder.judge(&[&["verify"], &flags[..]].concat());
        assert_eq!(said.code, Some(2), "{flags:?}: {}", said.stderr);
    }
}

#[test]
fn flags_that_cannot_be_used_are_refused() {
    let folder = problem(COUNTS);
    for (flags, part) in [
        (&["--fuzz", "0s"][..], "changes no answer"),
        (&["--fuzz", "1s", "--second", ""], "it is no command line"),
        (&["--fuzz", "1s", "--second", "sh 'x"], "it is no command line"),
        (&["--fuzz", "1s", "--second", "nosuch {input} {answer}"], "there is no program `nosuch`"),
        (&["--fuzz", "1s", "--second", "cat {inptu} {answer}"], "did you mean `{input}`?"),
        (&["--fuzz", "1s", "--second", "cat {input}"], "add `{answer}`"),
        (&["--fuzz", "1s", "--second", "./check.sh {input} {answer}"], "write its interpreter before it"),
        (&["--fuzz", "1s", "--save", "check.sh"], "it is not a folder"),
    ] {
        let said = folder.judge(&[&["verify", "-p", "p"], flags].concat());
        assert!(said.code == Some(2) && said.stderr.contains(part), "{flags:?}: {}", said.stderr);
    }
    let (_, report) = folder.json(&["verify", "-p", "p", "-p", "p"]);
    assert_eq!(report["problems"].as_array().unwrap().len(), 1);
}

#[test]
fn an_interrupt_ends_the_fuzzing() {
    let folder = problem(COUNTS);
    let mut command = folder.command(&["verify", "-p", "p", "--fuzz", "10min"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let status = || std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let catches_interrupts = || {
        let status = status();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        u64::from_str_radix(caught.unwrap_or_default().trim(), 16).is_ok_and(|caught| caught & 2 != 0)
    };
    let deadline = Instant::now() + Duration::from_secs(50);
    while Instant::now() < deadline && !catches_interrupts() {
        std::thread::sleep(Duration::from_millis(10));
    }
    // The expected solver is fast, so by now the checker is fuzzed.
    std::thread::sleep(Duration::from_secs(2));
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let said = Said::from(child.wait_with_output().unwrap());
    assert_eq!(said.code, Some(130), "{}", said.stderr);
}
