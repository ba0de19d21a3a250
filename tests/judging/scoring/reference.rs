//! The reference of relative scores: the best known score of each case at the start of the run, which is stored with
//! the run.

use super::{echo, run, totals};
use crate::support::{Folder, of_cases};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

const RELATIVE: &str = "[problem.scoring]\nrule = \"relative\"\nscale = 1000\n";

/// Answers with the case's number, with its double, with the triple of even ones.
const ONE: &str = "one=cat";
const DOUBLE: &str = "double=sh -c 'read n; echo $((n * 2))'";
const EVEN: &str = "even=sh -c 'read n; [ $((n % 2)) = 0 ] && echo $((n * 3)) || echo $n'";

fn total(folder: &Folder, arguments: &[&str]) -> Value {
    let (_, report) = folder.json(arguments);
    assert_eq!(totals(&report).len(), 1, "{report}");
    totals(&report).remove(0)
}

fn origins(report: &Value) -> Value {
    report["scoring"]["reference"].clone()
}

#[test]
fn a_lone_solver_is_relative_to_bests() {
    let folder = echo(RELATIVE);
    let first = run(&folder, &["-s", DOUBLE]);
    assert_eq!(totals(&first), [json!(1000)]);
    let this_run = json!({"kind": "best-known", "origins": [{"origin": "this-run", "cases": 4}]});
    assert_eq!(origins(&first), this_run);
    // Half of it on odd cases. On even ones this run is better, and its own best score is the reference.
    let second = run(&folder, &["-s", EVEN]);
    assert_eq!(totals(&second), [json!(750)]);
    let both = json!([{"origin": "run", "run": 1, "solver": "double", "cases": 2}, {"origin": "this-run", "cases": 2}]);
    assert_eq!(origins(&second)["origins"], both);
    let third = folder.judge(&["run", "-p", "echo", "-s", ONE, "--markdown", "r.md", "--html", "r.html"]);
    let line = "relative to the best known: 2 cases by run 1 double, 2 by run 2 even";
    assert!(third.stdout.contains(line), "{}", third.stdout);
    for page in ["r.md", "r.html"] {
        assert!(std::fs::read_to_string(folder.path().join(page)).unwrap().contains(line), "{page}");
    }
    // (1/2 + 1/3 + 1/2 + 1/3) / 4.
    assert_eq!(total(&folder, &["history", "show", "3"]), json!(416.667));
}

#[test]
fn runs_keep_references_and_rescore_takes_new_ones() {
    let folder = echo(&format!("[problem.features]\nn = '\\d+'\n{RELATIVE}"));
    run(&folder, &["-s", ONE]);
    run(&folder, &["-s", DOUBLE]);
    let history = |place: usize| folder.json(&["history"]).1["runs"][place]["total"].clone();
    assert_eq!((total(&folder, &["history", "show", "1"]), history(1)), (json!(1000), json!(1000)));
    assert_eq!(total(&folder, &["history", "show", "1", "--where", "n > 1"]), json!(1000));
    assert_eq!(total(&folder, &["rescore", "1"]), json!(500));
    assert_eq!(total(&folder, &["rescore", "1", "--best", "problem"]), json!(1000));
    assert_eq!(total(&folder, &["rescore", "2"]), json!(1000));
    // The origin of its own scores is this run, not another one.
    let (_, rescored) = folder.json(&["rescore", "2"]);
    assert_eq!(origins(&rescored)["origins"], json!([{"origin": "this-run", "cases": 4}]));
    // A catalogue with better scores, and a run that is removed.
    run(&folder, &["-s", ONE]);
    let catalogue = std::fs::read_to_string(folder.path().join("problems.toml")).unwrap();
    folder.write("problems.toml", format!("{catalogue}best = \"best.toml\"\n"));
    folder.write("best.toml", "seed-1 = 100\n");
    assert_eq!(folder.judge(&["history", "rm", "2"]).code, Some(0));
    assert_eq!([1, 3].map(|run| total(&folder, &["history", "show", &run.to_string()])), [json!(1000), json!(500)]);
    let (_, shown) = folder.json(&["history", "show", "3"]);
    assert_eq!(origins(&shown)["origins"], json!([{"origin": "run", "run": 2, "solver": "double", "cases": 4}]));
    // (1/100 + 1 + 1 + 1) / 4.
    assert_eq!(total(&folder, &["rescore", "1"]), json!(752.5));
}

#[test]
fn the_journal_can_be_left_out() {
    let folder = echo(&format!("{RELATIVE}best = \"best.toml\"\n"));
    folder.write("best.toml", "seed-4 = 40\n");
    run(&folder, &["-s", DOUBLE]);
    let scored = |more: &[&str]| {
        let report = run(&folder, &[&["-s", ONE], more].concat());
        (totals(&report).remove(0), origins(&report)["kind"].clone())
    };
    // One half on three cases, and one tenth.
    assert_eq!(scored(&[]), (json!(400), json!("best-known")));
    assert_eq!(scored(&["--best", "known"]), (json!(400), json!("best-known")));
    assert_eq!(scored(&["--best", "ledger"]), (json!(500), json!("ledger")));
    assert_eq!(scored(&["--best", "problem"]), (json!(775), json!("problem")));
    assert_eq!(scored(&["--no-journal"]), (json!(775), json!("best-known")));
    assert_eq!(scored(&["--best", "run"]), (json!(1000), json!("run")));
    let said = folder.judge(&["run", "-p", "echo", "-s", ONE, "--best", "run"]);
    assert!(said.stdout.contains("relative to the best of this run alone"), "{}", said.stdout);
    // Another journal has no scores, and neither has a broken one.
    assert_eq!(scored(&["--journal", "own.db"]), (json!(775), json!("best-known")));
    std::fs::remove_dir_all(folder.path().join(".judge")).unwrap();
    folder.write(".judge/journal.db", "no database".repeat(100));
    assert_eq!(scored(&[]), (json!(775), json!("best-known")));
}

#[test]
fn bests_match_input_and_checker() {
    let folder = echo(RELATIVE);
    run(&folder, &["-s", DOUBLE, "--seeds", "1-4"]);
    for seed in 1..=4 {
        folder.write(&format!("in/case-{seed}.in"), format!("{seed}\n"));
    }
    let files = ["-s", ONE, "--inputs", "in/*.in"];
    assert_eq!(totals(&run(&folder, &files)), [json!(500)]);
    assert_eq!(totals(&run(&folder, &["-s", ONE, "--repeat", "2"])), [json!(500)]);
    // Another input under the same name, then another checker.
    folder.write("in/case-1.in", "9\n");
    assert_eq!(totals(&run(&folder, &files)), [json!(625)]);
    let catalogue = std::fs::read_to_string(folder.path().join("problems.toml")).unwrap();
    folder.write("problems.toml", catalogue.replace("cat {answer}", "cat -u {answer}"));
    assert_eq!(totals(&run(&folder, &["-s", ONE])), [json!(1000)]);
}

#[test]
fn small_negative_and_failed_scores_have_their_reference() {
    let folder = echo("[problem.scoring]\nrule = \"relative\"\nscale = 1000\ndirection = \"min\"\n");
    run(&folder, &["-s", ONE]);
    assert_eq!(totals(&run(&folder, &["-s", DOUBLE])), [json!(500)]);
    // A failure is not a best score, and has no points.
    assert_eq!(totals(&run(&folder, &["-s", "some=sh -c 'read n; [ $n = 2 ] && echo 1'"])), [json!(250)]);
    assert_eq!(totals(&run(&folder, &["-s", ONE])), [json!(875)]);
    // Below 0, the share of the best score is the inverse ratio of the distances from 0.
    let large = echo(RELATIVE);
    run(&large, &["-s", "minus=sh -c 'read n; echo -$n'"]);
    assert_eq!(totals(&run(&large, &["-s", "worse=sh -c 'read n; echo -$((n * 4))'"])), [json!(250)]);
    run(&large, &["-s", "zero=echo 0"]);
    assert_eq!(totals(&run(&large, &["-s", "minus=sh -c 'read n; echo -$n'"])), [json!(0)]);
}

#[test]
fn a_resumed_run_keeps_its_references() {
    let folder = echo(RELATIVE);
    run(&folder, &["-s", ONE]);
    let slow = "slow=sh -c 'read n; [ $n = 4 ] && sleep 2; echo $n'";
    let arguments = ["run", "-p", "echo", "-s", slow, "-j", "1", "--jsonl", "r.jsonl"];
    let mut child = folder.command(&arguments).spawn().unwrap();
    let lines = || std::fs::read_to_string(folder.path().join("r.jsonl")).unwrap_or_default().lines().count();
    while lines() < 3 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    run(&folder, &["-s", DOUBLE]);
    let (_, report) = folder.json(&[&arguments[..arguments.len() - 2], &["--resume"]].concat());
    assert_eq!((totals(&report), of_cases(&report, "case").len()), (vec![json!(1000)], 4));
    assert_eq!(origins(&report)["origins"], json!([{"origin": "run", "run": 1, "solver": "one", "cases": 4}]));
    assert_eq!(total(&folder, &["rescore", "2"]), json!(500));
}

#[test]
fn shards_do_not_depend_on_their_journal() {
    let folder = echo(&format!("{RELATIVE}best = \"best.toml\"\n"));
    folder.write("best.toml", "seed-4 = 40\n");
    run(&folder, &["-s", DOUBLE, "--journal", "1.db"]);
    for shard in ["1", "2"] {
        let part = format!("{shard}/2");
        let said =
            folder.json(&["run", "-p", "echo", "-s", ONE, "--shard", &part, "--journal", &format!("{shard}.db")]);
        assert_eq!((said.0, origins(&said.1)["kind"].clone()), (Some(0), json!("best-known")));
    }
    let refused = folder.judge(&["run", "-p", "echo", "-s", ONE, "--shard", "1/2", "--best", "ledger"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("--best problem"), "{}", refused.stderr);
    let merged = folder.judge(&["merge", "2.db", "1.db", "--into", "all.db"]);
    assert_eq!(merged.code, Some(0), "{}{}", merged.stdout, merged.stderr);
    // Three cases by the run itself, one by the problem.
    assert_eq!(total(&folder, &["history", "show", "last", "--journal", "all.db"]), json!(775));
    let (_, shown) = folder.json(&["history", "show", "last", "--journal", "all.db"]);
    let expected = json!({"kind": "best-known", "origins": [{"origin": "this-run", "cases": 3}, {"origin": "problem", "cases": 1}]});
    assert_eq!(origins(&shown), expected);
}

#[test]
fn solvers_that_are_compared_have_one_measure() {
    let folder = echo(RELATIVE);
    run(&folder, &["-s", "best=sh -c 'read n; echo $((n * 4))'", "--seeds", "1-8"]);
    let mean = |arguments: &[&str]| {
        let (_, report) = folder.json(&[&["compare", "-p", "echo"], arguments].concat());
        report["comparisons"][0]["effect"]["mean"].as_f64().unwrap()
    };
    // 1/2 and 1/4 of the best known; without it, one solver has half of the other.
    assert_eq!(mean(&[DOUBLE, ONE, "--seeds", "1-8"]), -250.0);
    assert_eq!(mean(&[DOUBLE, ONE, "--seeds", "1-8", "--best", "problem"]), -500.0);
    assert_eq!(mean(&["run:2/double", "run:2/one"]), -250.0);
    assert_eq!(mean(&["run:2/double", ONE]), -250.0);
    let said = folder.judge(&["compare", "-p", "echo", DOUBLE, ONE, "--seeds", "1-9"]);
    let line = "relative to the best known: 8 cases by run 1 best, 1 by this run";
    assert!(said.stdout.contains(line), "{}", said.stdout);
    // A sequence of looks has one reference, even if its own run adds to the journal. The same holds for a search.
    let decided = ["--until-decided", "--max-cases", "40", "--no-journal"];
    let alone = mean(&[&[DOUBLE, ONE], &decided[..]].concat());
    assert_eq!(alone, mean(&[&[DOUBLE, ONE], &decided[..3]].concat()));
}

#[test]
fn a_gate_uses_its_baselines_reference() {
    let folder = echo(RELATIVE);
    run(&folder, &["-s", DOUBLE]);
    assert_eq!(folder.judge(&["baseline", "-p", "echo", "-s", ONE, "--output", "base.toml"]).code, Some(0));
    let text = std::fs::read_to_string(folder.path().join("base.toml")).unwrap();
    assert!(text.contains("reference = 8"), "{text}");
    run(&folder, &["-s", "best=sh -c 'read n; echo $((n * 4))'"]);
    assert_eq!(folder.judge(&["gate", "--baseline", "base.toml", "-s", ONE]).code, Some(0));
    assert_eq!(total(&folder, &["history", "show", "last"]), json!(500));
    let (_, shown) = folder.json(&["history", "show", "last"]);
    let expected = json!({"kind": "file", "file": "base.toml", "origins": [{"origin": "file", "cases": 4}]});
    assert_eq!(origins(&shown), expected);
}
