//! The places of many solvers.

use super::*;
use std::collections::HashMap;

fn rank(folder: &Folder, more: &[&str]) -> (Option<i32>, Value) {
    folder.json(&[&["rank", "-p", "sum"], more].concat())
}

fn places(report: &Value) -> HashMap<&str, (u64, u64)> {
    let solvers = report["solvers"].as_array().unwrap().iter();
    let place = |solver: &Value, end: usize| solver["places"][end].as_u64().unwrap();
    solvers.map(|solver| (solver["name"].as_str().unwrap(), (place(solver, 0), place(solver, 1)))).collect()
}

fn played(report: &Value, name: &str) -> u64 {
    let solver = report["solvers"].as_array().unwrap().iter().find(|solver| solver["name"] == name).unwrap();
    solver["cases"].as_u64().unwrap()
}

#[test]
fn known_solvers_get_their_places_and_ties() {
    let folder = sample();
    let (code, report) = rank(&folder, &["./plain", "./failing", "same=./plain", "./better", "--seeds", "1-60"]);
    assert_eq!(code, Some(1), "a solver failed: {report}");
    let expected = HashMap::from([("better", (1, 1)), ("plain", (2, 3)), ("same", (2, 3)), ("failing", (4, 4))]);
    assert_eq!(places(&report), expected);
    let names: Vec<&Value> = report["solvers"].as_array().unwrap().iter().map(|solver| &solver["name"]).collect();
    assert_eq!((names[0], names[3]), (&"better".into(), &"failing".into()));
    assert_eq!(report["undecided"], serde_json::json!([]), "equal solvers have no order that cases would show");
    let said = folder.judge(&["rank", "-p", "sum", "./plain", "same=./plain", "./better", "--seeds", "1-60"]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert!(said.stdout.contains("2 to 3   plain"), "{}", said.stdout);
    assert!(said.stdout.contains("false with a probability of 5 % at most, ties included"), "{}", said.stdout);
    assert!(
        said.stdout.contains("solvers with the same places are in the order of the command line"),
        "{}",
        said.stdout
    );
}

#[test]
fn a_few_cases_decide_no_places() {
    let folder = sample();
    let (code, report) = rank(&folder, &["./plain", "./better", "./noisy", "--seeds", "1-4"]);
    assert_eq!(code, Some(0));
    assert!(places(&report).values().all(|places| *places == (1, 3)), "{report}");
    assert_eq!(report["undecided"].as_array().unwrap().len(), 3);
}

#[test]
#[ignore = "CI: many runs"]
fn fresh_cases_go_to_uncertain_places() {
    let folder = sample();
    folder.script("poor", "read -r seed; echo $((500 + seed * 37 % 101))");
    let solvers = ["./noisy", "./poor", "./plain", "./better"];
    let until = |more: &[&str]| rank(&folder, &[&solvers[..], &["--until-decided"], more].concat());
    let (code, report) = until(&["--max-cases", "70", "--min-effect", "0.01%"]);
    assert_eq!(code, Some(0));
    let found = places(&report);
    assert_eq!((found["better"], found["poor"]), ((1, 1), (4, 4)), "{report}");
    assert!(played(&report, "poor") < 70, "{report}");
    assert_eq!((played(&report, "plain"), played(&report, "noisy")), (70, 70));
    assert_eq!(report["undecided"], serde_json::json!([["noisy", "plain"]]));
    // The uncertain difference is too small to matter.
    let (_, report) = until(&["--min-effect", "4%"]);
    assert_eq!(report["undecided"], serde_json::json!([]));
    assert!(played(&report, "plain") < 1_000, "{report}");
    let newest = recorded_cases(&folder);
    assert_eq!(newest, played(&report, "plain").max(played(&report, "noisy")));
}

/// The number of cases of the newest run in the journal.
fn recorded_cases(folder: &Folder) -> u64 {
    let rows = folder.json(&["history", "-p", "sum", "--all"]).1;
    assert_eq!(rows["runs"][0]["state"], "complete", "{rows}");
    rows["runs"][0]["planned"].as_u64().unwrap()
}

#[test]
#[ignore = "CI: many runs"]
fn jobs_change_neither_the_places_nor_the_cases() {
    let folder = sample();
    let solvers = ["./plain", "./better", "same=./plain", "--until-decided", "--max-cases", "80"];
    let figures = |jobs| rank(&folder, &[&solvers[..], &["--jobs", jobs]].concat()).1["solvers"].take();
    let once = figures("1");
    assert_eq!(once, figures("2"));
}

#[test]
fn solvers_that_solve_nothing_stop_early() {
    let folder = sample();
    let crash = "sh -c 'exit 3'";
    let (code, report) =
        rank(&folder, &[&format!("a={crash}"), &format!("b={crash}"), "--until-decided", "--max-cases", "200"]);
    assert_eq!(code, Some(1));
    assert!(played(&report, "a") <= 24, "{report}");
    assert_eq!(places(&report), HashMap::from([("a", (1, 2)), ("b", (1, 2))]));
}

#[test]
fn solvers_with_totals_of_0_are_level() {
    let folder = sample();
    for name in ["zero", "naught"] {
        folder.script(name, "echo 0");
    }
    for until_decided in [&["--seeds", "1-12"][..], &["--until-decided", "--max-cases", "100"]] {
        let (code, report) = rank(&folder, &[&["./plain", "./zero", "./naught"], until_decided].concat());
        assert_eq!((code, &report["undecided"]), (Some(0), &serde_json::json!([])), "{report}");
        assert!(played(&report, "naught") < 100, "{report}");
    }
}

#[test]
fn wrong_uses_are_refused_with_one_error() {
    let folder = sample();
    for (arguments, words) in [
        (&["./plain"][..], "2 values"),
        (&["a=./plain", "a=./better"], "a"),
        (&["./plain", "./better", "--group-by", "x"], "no --group-by"),
        (&["./plain", "./better", "--sort", "cpu"], "no --sort"),
        (&["./plain", "./better", "--until-decided", "--h0", "0", "--h1", "1%"], "no --h0"),
        (&["./plain", "./better", "--until-decided", "--exact"], "--bound N"),
        (&["./plain", "./better", "--jsonl", "x"], "complete only at the end"),
        (&["./plain", "./better", "--max-cases", "5"], "--until-decided"),
    ] {
        let said = folder.judge(&[&["rank", "-p", "sum"], arguments].concat());
        assert_eq!(said.code, Some(2), "{arguments:?}: {}", said.stderr);
        assert_eq!(said.stderr.matches("error:").count(), 1, "{}", said.stderr);
        assert!(said.stderr.contains(words), "{arguments:?}: {}", said.stderr);
    }
}

#[test]
fn every_form_of_the_report_has_the_places() {
    let folder = sample();
    let forms = ["--csv", "places.csv", "--markdown", "places.md", "--html", "places.html"];
    let said = folder.judge(&[&["rank", "-p", "sum", "./plain", "./better", "--seeds", "1-60"], &forms[..]].concat());
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let csv = std::fs::read_to_string(folder.path().join("places.csv")).unwrap();
    assert!(csv.starts_with("solver,best_place,worst_place,mean,cases"), "{csv}");
    assert!(csv.lines().nth(1).unwrap().starts_with("better,1,1,"), "{csv}");
    for name in ["places.md", "places.html"] {
        let text = std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert!(text.contains("false with a probability of 5 % at most"), "{text}");
    }
}
