//! Sealed cases: only failures and the best total are shown, and the ladder's state is kept across runs.

use crate::support::Folder;
use crate::support::require::{Need, skip};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;

/// A problem whose answer is its score.
const PROBLEM: &str = "[[problem]]\nid = \"echo\"\ngenerator-command = \"echo {seed}\"\nchecker-command = \"cat {answer}\"\n\
     seeds = \"1-3\"\n[problem.sealed]\nseeds = { count = 6 }\nqueries = 5\n";

/// A folder with that problem; `None` if no sandbox hides files.
fn scene(scoring: &str) -> Option<Folder> {
    let folder = Folder::new();
    folder.write("problems.toml", format!("{PROBLEM}{scoring}"));
    for (name, body) in [("ten", "echo 10"), ("eleven", "echo 11"), ("nine", "echo 9"), ("fails", "exit 3")] {
        folder.script(name, body);
    }
    let said = folder.judge(&["exec", "--require-tier", "userns", "--", "/bin/true"]);
    if said.code != Some(0) {
        skip(Need::Userns, said.stderr);
        return None;
    }
    Some(folder)
}

fn run(folder: &Folder, solver: &str, more: &[&str]) -> (Option<i32>, Value) {
    folder.json(&[&["run", "-p", "echo", "-s", solver, "--sealed"], more].concat())
}

fn seeds_of(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("seeds = \"")).unwrap();
    line.trim_end_matches('"').split(',').map(str::to_owned).collect()
}

#[test]
fn only_failures_and_the_best_total_leave() {
    let Some(folder) = scene("") else { return };
    let (code, told) = run(&folder, "./ten", &[]);
    let expected =
        json!({"schema": 1, "problem": "echo", "failures": 0, "total": 60, "final": false, "queries_left": 4});
    assert_eq!((code, told), (Some(0), expected));
    // The scores do not vary, so any better total is shown, and a worse one never.
    assert_eq!(run(&folder, "./nine", &[]).1["total"], 60);
    assert_eq!(run(&folder, "./eleven", &[]).1["total"], 66);
    let (code, told) = run(&folder, "./fails", &[]);
    assert_eq!((code, &told["failures"], &told["total"]), (Some(1), &json!(6), &json!(66)));
    let file = folder.path().join(".judge/sealed-echo.toml");
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let seeds = seeds_of(&file);
    assert_eq!(seeds.len(), 6, "{seeds:?}");
    let said = folder.judge(&["run", "-p", "echo", "-s", "./fails", "--sealed"]);
    let history = folder.judge(&["history"]);
    for seed in &seeds {
        assert!(![&said.stdout, &said.stderr, &history.stdout].iter().any(|text| text.contains(&**seed)), "{seed}");
    }
    let said = folder.judge(&["run", "-p", "echo", "-s", "./ten", "--sealed"]);
    assert_eq!(said.code, Some(2));
    assert!(
        said.stderr.contains("the budget of 5 queries") && said.stderr.contains("judge run -p echo -s S --sealed "),
        "{}",
        said.stderr
    );
    assert_eq!(run(&folder, "./ten", &["--final"]).1["total"], 60);
}

#[test]
fn a_total_within_chance_is_not_shown() {
    let Some(folder) = scene("") else { return };
    // Scores by the last digit of the seed. Their spread is far above one point.
    folder.script("digit", "read n; echo \"${n#\"${n%?}\"}\"");
    folder.script("more", "read n; d=${n#\"${n%?}\"}; echo $((d + 1))");
    folder.write("mine", "seeds = \"10,12,14,16,18,29\"\n");
    assert_eq!(run(&folder, "./digit", &["mine"]).1["total"], 29);
    assert_eq!(run(&folder, "./more", &["mine"]).1["total"], 29);
    folder.script("far", "echo 900");
    assert_eq!(run(&folder, "./far", &["mine"]).1["total"], 5400);
}

#[test]
fn totals_beyond_floating_point_become_the_best() {
    let Some(folder) = scene("") else { return };
    let zeros = "0".repeat(400);
    for (name, score, best) in [("huge", 2, 12), ("smaller", 1, 12), ("larger", 3, 18)] {
        folder.script(name, &format!("echo {score}{zeros}"));
        folder.judge(&["run", "-p", "echo", "-s", &format!("./{name}"), "--sealed"]);
        let file = std::fs::read_to_string(folder.path().join(".judge/sealed-echo.toml")).unwrap();
        assert!(file.contains(&format!("best = \"{best}{zeros}\"")), "{name}: {file}");
    }
}

#[test]
fn the_final_score_is_told_once() {
    let Some(folder) = scene("") else { return };
    assert_eq!(run(&folder, "./ten", &["--final"]).1["total"], 60);
    let before = seeds_of(&folder.path().join(".judge/sealed-echo.toml"));
    let said = folder.judge(&["run", "-p", "echo", "-s", "./eleven", "--sealed", "--final"]);
    assert_eq!(said.code, Some(2));
    assert!(said.stderr.contains("the final score was shown: 60 with 0 failures, for `ten`"), "{}", said.stderr);
    assert_eq!(seeds_of(&folder.path().join(".judge/sealed-echo.toml")), before);
}

#[test]
fn a_mean_is_told_as_a_mean() {
    let Some(folder) = scene("[problem.scoring]\nrule = \"mean\"\n") else { return };
    assert_eq!(run(&folder, "./ten", &[]).1["total"], 10);
    assert_eq!(run(&folder, "./eleven", &["--final"]).1["total"], 11);
}

#[test]
fn a_fault_leaves_the_final_score_untold() {
    let Some(folder) = scene("") else { return };
    folder.write("problems.toml", PROBLEM.replace("cat {answer}", "false {answer}"));
    let said = folder.judge(&["run", "-p", "echo", "-s", "./ten", "--sealed", "--final"]);
    assert_eq!(said.code, Some(3), "{}{}", said.stdout, said.stderr);
    assert!(said.stdout.contains("6 failures, of which 6 are faults of the judge"), "{}", said.stdout);
    let (code, told) = run(&folder, "./ten", &[]);
    assert_eq!((code, &told["failures"], &told["judge_errors"]), (Some(3), &json!(6), &json!(6)));
    let text = std::fs::read_to_string(folder.path().join(".judge/sealed-echo.toml")).unwrap();
    assert!(!text.contains("[final]"), "{text}");
}

#[test]
fn two_final_scores_at_once_are_told_once() {
    let Some(folder) = scene("") else { return };
    folder.script("slow", "sleep 0.1; echo 10");
    let arguments = ["run", "-p", "echo", "-s", "./slow", "--sealed", "--final", "--jobs", "1"];
    let both =
        [(); 2].map(|()| folder.command(&arguments).stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap());
    let mut codes = both.map(|mut process| process.wait().unwrap().code());
    codes.sort_unstable();
    assert_eq!(codes, [Some(0), Some(2)]);
}

#[test]
fn relative_totals_may_exceed_the_first_solver() {
    let Some(folder) = scene("[problem.scoring]\nrule = \"relative\"\nscale = 100\n") else { return };
    // As in `judge run`, the mean.
    assert_eq!(run(&folder, "./ten", &[]).1["total"], 100);
    assert_eq!(run(&folder, "./eleven", &[]).1["total"], 110);
    let said = folder.judge(&["run", "-p", "echo", "-s", "./ten", "--sealed", "--final"]);
    assert!(said.code == Some(2) && said.stderr.contains("no total under the rule `relative`"), "{}", said.stderr);
}

#[test]
fn a_sealed_gate_holds_a_solver_to_a_total() {
    let Some(folder) = scene("") else { return };
    let base = ["baseline", "-p", "echo", "-s", "./ten", "--output", "base.toml", "--sealed"];
    assert_eq!(folder.judge(&base).code, Some(0));
    let said = folder.judge(&["baseline", "-p", "echo", "-s", "./nine", "--output", "nine.toml", "--sealed"]);
    assert!(
        said.code == Some(1) && said.stderr.contains("the best total so far is another solver's"),
        "{}",
        said.stderr
    );
    assert!(!folder.path().join("nine.toml").exists());
    let text = std::fs::read_to_string(folder.path().join("base.toml")).unwrap();
    assert!(text.contains("sealed-total = \"60\"") && !text.contains("[cases]"), "{text}");
    let gate = |solver: &str, more: &[&str]| {
        let (code, told) = folder.json(&[&["gate", "--baseline", "base.toml", "-s", solver], more].concat());
        (code, told["holds"].clone())
    };
    assert_eq!(gate("./nine", &["--junit", "fails.xml"]), (Some(1), json!(false)));
    assert_eq!(gate("./nine", &["--max-drop", "10%"]), (Some(0), json!(true)));
    assert_eq!(gate("./eleven", &["--if-noisy", "pass", "--junit", "holds.xml"]), (Some(0), json!(true)));
    for (name, failures) in [("fails.xml", 1), ("holds.xml", 0)] {
        let text = std::fs::read_to_string(folder.path().join(name)).unwrap();
        let report = quick_junit::Report::deserialize_from_str(&text).unwrap();
        assert_eq!((report.tests, report.failures, report.errors), (1, failures, 0), "{text}");
        assert!(!text.contains("seed"), "no case is named: {text}");
    }
    let refused = |options: &[&str], words: &str| {
        let said = folder.judge(&[&["gate", "--baseline", "base.toml"], options].concat());
        assert!(said.code == Some(2) && said.stderr.contains(words), "{}", said.stderr);
    };
    for option in ["--calibrate", "--update", "--confident", "--reuse"] {
        refused(&[option], &format!("{option} needs cases"));
    }
    refused(&["--dir", "."], "--dir needs cases");
    let history = folder.judge(&["history", "--all"]);
    assert!(!history.stdout.contains("./ten"), "{}", history.stdout);
    let file = folder.path().join(".judge/sealed-echo.toml");
    std::fs::remove_file(&file).unwrap();
    refused(&[], "sealed-echo.toml is missing");
    assert!(!file.exists());
    assert_eq!(run(&folder, "./ten", &[]).0, Some(0));
    refused(&[], "has other sealed cases");
}

#[test]
fn sealed_cases_stay_out_of_reach() {
    let Some(folder) = scene("") else { return };
    let refused = |arguments: &[&str], words: &str| {
        let said = folder.judge(&[&["run", "-p", "echo", "-s", "./ten"], arguments].concat());
        assert!(said.code == Some(2) && said.stderr.contains(words), "{arguments:?}: {}", said.stderr);
    };
    refused(&["--sealed", "--tier", "bare"], "does not keep sealed cases from solvers");
    refused(&["--sealed", "x.toml", "--seeds", "1-3"], "cannot be used with");
    refused(&["--sealed", "x.toml", "--dir", "."], "cannot be used with");
    refused(&["--sealed", "x.toml", "--junit", "j.xml"], "cannot be used with");
    folder.write("bad.toml", "seeds = \"1\"\n");
    refused(&["--sealed", "bad.toml"], "at least two seeds");
    folder.write("bad.toml", "seeds = \"5,5,5\"\n");
    refused(&["--sealed", "bad.toml"], "at least two seeds");
    folder.write("bad.toml", "seeds = \"1-9\"\nproblem = \"columns\"\n");
    refused(&["--sealed", "bad.toml"], "they are of the problem `columns`");
    folder.write("bad.toml", "seeds = \"1-9\"\nqueris = 3\n");
    refused(&["--sealed", "bad.toml"], "queris");
    refused(&["--sealed", "no/such/folder.toml"], "cannot write the sealed cases");
    folder.write("problems.toml", PROBLEM.replace("count = 6", "count = 1000000000"));
    refused(&["--sealed"], "at most 10000000 seeds can be run at once");
}

#[test]
fn totals_of_other_terms_are_refused() {
    let Some(folder) = scene("") else { return };
    assert_eq!(run(&folder, "./ten", &[]).1["total"], 60);
    let refused = |problem: &str, arguments: &[&str], words: &str| {
        folder.write("problems.toml", problem);
        let said = folder.judge(&[&["run", "-p", "echo", "-s", "./ten", "--sealed"], arguments].concat());
        assert!(said.code == Some(2) && said.stderr.contains(words), "{problem}: {}", said.stderr);
    };
    refused(PROBLEM, &["--cpu", "7s"], "totals under other limits cannot be compared");
    let changed = "the checker, the generator or the scoring has changed";
    refused(&PROBLEM.replace("echo {seed}", "echo 1{seed}"), &[], changed);
    for scoring in ["direction = \"min\"", "failure = -1"] {
        refused(&format!("{PROBLEM}[problem.scoring]\n{scoring}\n"), &[], changed);
    }
}

#[test]
fn links_and_dots_show_no_sealed_cases() {
    let Some(folder) = scene("") else { return };
    folder.write("spy/mine.toml", "seeds = \"1-9\"\n");
    std::fs::create_dir(folder.path().join("other")).unwrap();
    std::os::unix::fs::symlink("spy", folder.path().join("link")).unwrap();
    folder.script("look", "cat \"$1\"/*.toml; echo 1");
    for sealed in ["spy/mine.toml", "link/mine.toml", "other/../spy/mine.toml", "link/new.toml"] {
        let said = folder.judge(&["run", "-p", "echo", "-s", "./look ./spy", "--sealed", sealed]);
        let words = "which has the sealed cases in it";
        assert!(said.code == Some(2) && said.stderr.contains(words), "{sealed}: {}", said.stderr);
    }
    folder.write("own/main.sh", "cat \"${0%/*}\"/seeds.toml >&2; echo 1\n");
    for (solver, sealed) in [("./own", "own/seeds.toml"), ("grep -c seeds ./own/seeds.toml", "own/seeds.toml")] {
        let said = folder.judge(&["run", "-p", "echo", "-s", solver, "--sealed", sealed]);
        let words = "which has the sealed cases in it";
        assert!(said.code == Some(2) && said.stderr.contains(words), "a copy: {solver}: {}", said.stderr);
    }
}
