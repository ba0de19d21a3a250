//! Entrants without a program: `answers:DIR`, a folder with a file for each case.

use crate::support::{Folder, Said, of_cases};
use serde_json::{Value, json};

/// A problem whose answers are their own scores, with files as inputs, and two entrants without a program.
fn contest() -> Folder {
    let folder = Folder::new();
    folder.write(
        "problems.toml",
        "[[problem]]\nid = \"p\"\nchecker-command = \"cat {answer}\"\ngenerator-command = \"echo {seed}\"\nseeds = \"1-3\"\n",
    );
    for seed in 1..=3 {
        folder.write(&format!("good/seed-{seed}.out"), format!("{}\n", seed * 10));
        folder.write(&format!("bad/seed-{seed}.out"), format!("{seed}\n"));
    }
    folder
}

const BOTH: [&str; 6] = ["-p", "p", "-s", "good=answers:good", "-s", "bad=answers:bad"];

fn run(folder: &Folder, more: &[&str]) -> (Option<i32>, Value) {
    folder.json(&[&["run"], &BOTH[..], more].concat())
}

fn text(said: &Said) -> String {
    format!("{}\n{}", said.stdout, said.stderr)
}

#[test]
fn answers_are_scored_ranked_and_journalled() {
    let folder = contest();
    let (code, report) = run(&folder, &[]);
    assert_eq!(code, Some(0), "{report}");
    let totals: Vec<_> = report["solvers"].as_array().unwrap().iter().map(|s| (&s["rank"], &s["total"])).collect();
    assert_eq!(totals, [(&json!(1), &json!(60)), (&json!(2), &json!(6))]);
    for absent in ["cpu_ms", "wall_ms", "memory_bytes"] {
        assert!(of_cases(&report, absent).iter().all(|value| value.is_null()), "{absent}: {report}");
    }
    let (_, shown) = folder.json(&["history", "show", "last"]);
    assert_eq!(of_cases(&shown, "score"), of_cases(&report, "score"));
    let said = folder.judge(&["check", "--run", "last"]);
    assert!(said.stdout.contains("6 answers as recorded, 0 differ"), "{}", text(&said));
    let said = folder.judge(&["compare", "-p", "p", "run:last/good", "run:last/bad"]);
    assert_eq!(said.code, Some(0), "{}", text(&said));
    let said = folder.judge(&[&["run"], &BOTH[..], &["--csv", "-"]].concat());
    assert!(said.stdout.lines().nth(1).is_some_and(|row| row.contains(",,")), "{}", said.stdout);
    let said = folder.judge(&[&["run"], &BOTH[..], &["--markdown", "-"]].concat());
    assert!(said.stdout.contains("lowest score") && !said.stdout.contains("most "), "{}", said.stdout);
}

#[test]
fn comparing_commands_take_answers() {
    let folder = contest();
    let said = folder.judge(&["compare", "-p", "p", "answers:good", "answers:bad"]);
    assert_eq!(said.code, Some(0), "{}", text(&said));
    assert!(said.stdout.contains("good") && said.stdout.contains("bad"), "{}", said.stdout);
    let said = folder.judge(&["rank", "-p", "p", "answers:good", "answers:bad"]);
    assert_eq!(said.code, Some(0), "{}", text(&said));
    let said = folder.judge(&["baseline", "-p", "p", "-s", "x=answers:good", "--output", "base.json"]);
    assert_eq!(said.code, Some(0), "{}", text(&said));
    for (solver, code) in [(None, 0), (Some("answers:good"), 0), (Some("answers:bad"), 1)] {
        let solver = solver.map_or(Vec::new(), |solver| vec!["-s", solver]);
        let said = folder.judge(&[&["gate", "--baseline", "base.json"], &solver[..]].concat());
        assert_eq!(said.code, Some(code), "{solver:?}: {}", text(&said));
    }
}

#[test]
fn a_missing_answer_is_named() {
    let folder = contest();
    std::fs::remove_file(folder.path().join("bad/seed-2.out")).unwrap();
    folder.write("bad/seed-3.out", "3".repeat(2000));
    let (code, report) = run(&folder, &["--output-limit", "1kB"]);
    assert_eq!(code, Some(1), "{report}");
    let bad = |case: &str| {
        let cases = report["cases"].as_array().unwrap().iter();
        cases.clone().find(|row| row["case"] == case && row["solver"] == "bad").unwrap().clone()
    };
    assert_eq!(bad("seed-2")["verdict"], "wrong-answer");
    assert!(bad("seed-2").to_string().contains("bad/seed-2.out does not exist"), "{report}");
    assert_eq!(bad("seed-3")["verdict"], "output-limit");
}

#[test]
fn the_content_of_answers_is_their_identity() {
    let folder = contest();
    let reused = |folder: &Folder| {
        let (_, report) = run(folder, &["--reuse"]);
        report["solvers"].as_array().unwrap().iter().map(|solver| solver["total"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(reused(&folder), [60, 6]);
    folder.write("bad/seed-1.out", "100\n");
    assert_eq!(reused(&folder), [60, 105]);
}

#[test]
fn cases_with_one_input_keep_their_own_answers() {
    let folder = contest();
    folder.write("a.in", "1\n");
    folder.write("b.in", "1\n");
    folder.write("good/a.out", "7\n");
    folder.write("good/b.out", "9\n");
    let line = ["run", "-p", "p", "-s", "answers:good", "--inputs", "a.in", "--inputs", "b.in", "--reuse"];
    for _ in 0..2 {
        assert_eq!(of_cases(&folder.json(&line).1, "score"), [7, 9]);
    }
}

#[test]
fn answers_that_cannot_take_part_are_refused() {
    let folder = contest();
    let said = folder.judge(&["run", "-p", "p", "-s", "x=answers:nowhere"]);
    assert_eq!(said.code, Some(2), "{}", text(&said));
    assert!(said.stderr.contains("`nowhere` is no folder with answers"), "{}", said.stderr);
    folder.write(
        "talk/problems.toml",
        "[[problem]]\nid = \"talk\"\ninteractor-command = \"sh -c 'echo 1 > {report}'\"\ngenerator-command = \"echo {seed}\"\nseeds = \"1\"\n",
    );
    let said = folder.judge(&["run", "--problems", "talk/problems.toml", "-s", "x=answers:good"]);
    assert_eq!(said.code, Some(2), "{}", text(&said));
    assert!(said.stderr.contains("`talk` is interactive"), "{}", said.stderr);
}
