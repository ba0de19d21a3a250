//! Decimal scores, exactly, from the checker through the journal to every report.

use crate::support::Folder;
use serde_json::Value;

const SCORES: [&str; 5] = ["12.50", "1e-3", "-0.25", "123456789012345678901234567890.125", "7"];
/// The same, as every report has them.
const SHOWN: [&str; 5] = ["12.5", "0.001", "-0.25", "123456789012345678901234567890.125", "7"];

/// A problem whose cases are scores: a solver that answers with the case gets that score.
fn echo(scoring: &str) -> Folder {
    let folder = Folder::new();
    for (number, score) in SCORES.iter().enumerate() {
        folder.write(&format!("in/{number}.in"), format!("{score}\n"));
    }
    let text =
        "[[problem]]\nid = \"echo\"\nchecker-command = \"cat {answer}\"\ninputs = [\"in/*.in\"]\n[problem.scoring]\n";
    folder.write("problems.toml", format!("{text}{scoring}\n"));
    folder
}

fn text(value: &Value) -> String {
    value.as_number().unwrap_or_else(|| panic!("{value} is no number")).to_string()
}

/// Adds 0.1 to one answer.
const BETTER: &str = "better=awk '{ printf \"%s\\n\", ($1 == 7 ? \"7.1\" : $1) }'";

#[test]
fn a_run_keeps_every_digit_in_every_report() {
    let folder = echo("failure = -1");
    let (code, report) = folder.json(&["run", "-p", "echo", "-s", "cat", "--csv", "r.csv", "--junit", "r.xml"]);
    assert_eq!(code, Some(0));
    let scores: Vec<String> = report["cases"].as_array().unwrap().iter().map(|case| text(&case["score"])).collect();
    assert_eq!(scores, SHOWN);
    let points: Vec<String> = report["cases"].as_array().unwrap().iter().map(|case| text(&case["points"])).collect();
    assert_eq!(points, SHOWN);
    // 12.5 + 0.001 - 0.25 + 123456789012345678901234567890.125 + 7
    assert_eq!(text(&report["solvers"][0]["total"]), "123456789012345678901234567909.376");
    let csv = std::fs::read_to_string(folder.path().join("r.csv")).unwrap();
    let junit = std::fs::read_to_string(folder.path().join("r.xml")).unwrap();
    for score in SHOWN {
        assert!(csv.contains(&format!(",{score},")) && junit.contains(&format!("\"{score}\"")), "{score}: {csv}");
    }
    let table = folder.judge(&["run", "-p", "echo", "-s", "cat"]).stdout;
    assert!(SHOWN.iter().all(|score| table.contains(&format!(" {score} "))), "{table}");
    assert!(table.contains("sum 123456789012345678901234567909.376"), "{table}");
}

#[test]
fn the_journal_gives_back_what_it_was_given() {
    let folder = echo("failure = -1");
    assert_eq!(folder.judge(&["run", "-p", "echo", "-s", "cat"]).code, Some(0));
    let (_, stored) = folder.json(&["history", "show", "last"]);
    let scores: Vec<String> = stored["cases"].as_array().unwrap().iter().map(|case| text(&case["score"])).collect();
    assert_eq!(scores, SHOWN);
    let (_, best) = folder.json(&["best", "-p", "echo"]);
    let scores: Vec<String> = best["best"].as_array().unwrap().iter().map(|case| text(&case["score"])).collect();
    assert_eq!(scores, SHOWN);
    let (_, rescored) = folder.json(&["rescore", "last", "--score", "mean"]);
    // A fifth of the sum, with the decimals of the scores.
    assert_eq!(text(&rescored["solvers"][0]["total"]), "24691357802469135780246913581.875");
    let (_, history) = folder.json(&["history"]);
    assert_eq!(text(&history["runs"][0]["total"]), "123456789012345678901234567909.376");
}

#[test]
fn the_best_decimal_follows_the_direction() {
    for (scoring, expected) in [("failure = -1", "7.1"), ("direction = \"min\"", "7")] {
        let folder = echo(scoring);
        let said = folder.judge(&["run", "-p", "echo", "-s", "cat", "-s", BETTER, "--inputs", "in/4.in"]);
        assert_eq!(said.code, Some(0), "{}", said.stderr);
        let (_, best) = folder.json(&["best", "-p", "echo"]);
        assert_eq!(text(&best["best"][0]["score"]), expected);
        let exported = folder.judge(&["best", "-p", "echo", "--export", "best.json"]);
        assert_eq!(exported.code, Some(0), "{}", exported.stderr);
        std::fs::remove_dir_all(folder.path().join(".judge")).unwrap();
        assert_eq!(folder.judge(&["best", "-p", "echo", "--import", "best.json"]).code, Some(0));
        let (_, best) = folder.json(&["best", "-p", "echo"]);
        assert_eq!(text(&best["best"][0]["score"]), expected);
    }
}

#[test]
fn effects_are_formed_exactly() {
    let folder = echo("failure = -1");
    let arguments = ["compare", "-p", "echo", "cat", BETTER, "--inputs", "in/4.in", "--inputs", "in/1.in"];
    let (_, report) = folder.json(&[&arguments[..], &["--measure", "difference"]].concat());
    // 7.1 - 7 in floating point is 0.09999999999999964, and half of it would not be 0.05.
    assert!(report.to_string().contains(":0.05,"), "{report}");
}

#[test]
fn effects_that_cancel_out_are_no_difference() {
    let folder = Folder::new();
    let generator = "expr ( {seed} - 1 ) / 3 + 1";
    let text = format!(
        "[[problem]]\nid = \"p\"\nchecker-command = \"cat {{answer}}\"\ngenerator-command = \"{generator}\"\nseeds = \"1-18\"\n"
    );
    folder.write("problems.toml", text);
    for seed in 0..18 {
        // In floating point, 0.1 + 0.2 - 0.3 is above 0.
        folder.write(&format!("a/seed-{}.out", seed + 1), "1\n");
        folder.write(&format!("b/seed-{}.out", seed + 1), ["1.1\n", "1.2\n", "0.7\n"][seed % 3]);
        folder.write(&format!("tiny/seed-{}.out", seed + 1), "1e-200\n");
        folder.write(&format!("huge/seed-{}.out", seed + 1), "1e200\n");
    }
    let (_, report) = folder.json(&["compare", "-p", "p", "a=answers:a", "b=answers:b"]);
    let comparison = &report["comparisons"][0];
    assert!(comparison["claim"] == "equal" && comparison["effect"]["ties"] == 6, "{comparison}");
    let said =
        folder.judge(&["compare", "-p", "p", "a=answers:a", "b=answers:b", "--seeds", "1,2,3", "--measure", "points"]);
    assert!(said.stdout.contains("the mean score stays the same"), "{}", said.stdout);
    let said = folder.judge(&["compare", "-p", "p", "tiny=answers:tiny", "huge=answers:huge"]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
}

#[test]
fn a_gate_holds_decimals_and_says_them() {
    let folder = echo("failure = -1");
    let baseline = ["baseline", "-p", "echo", "-s", "cat", "--output", "base.toml"];
    let said = folder.judge(&baseline);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let written = std::fs::read_to_string(folder.path().join("base.toml")).unwrap();
    for score in ["score = 12.5", "score = 0.001", "score = -0.25", "score = \"123456789012345678901234567890.125\""] {
        assert!(written.contains(score), "{score}: {written}");
    }
    let same = folder.judge(&["gate", "--baseline", "base.toml", "-s", "cat"]);
    assert_eq!(same.code, Some(0), "{}{}", same.stdout, same.stderr);
    assert!(same.stdout.contains("total 123456789012345678901234567909.376, as before"), "{}", same.stdout);
    let worse = folder.judge(&["gate", "--baseline", "base.toml", "-s", "sed 's/12.5/12.4/'", "--max-drop", "0%"]);
    assert_eq!(worse.code, Some(1), "{}", worse.stdout);
    assert!(worse.stdout.contains("12.4") && worse.stdout.contains("12.5"), "{}", worse.stdout);
}

#[test]
fn catalogues_have_decimals_too() {
    let rules = "rule = \"thresholds\"\n[[problem.case]]\nname = \"x\"\nfile = \"in/0.in\"\n\
                 thresholds = [12.5, 1.25]\nthreshold-points = [2.5, 0.5]\n";
    let folder = echo(rules);
    let text_of = std::fs::read_to_string(folder.path().join("problems.toml")).unwrap();
    folder.write("problems.toml", text_of.replace("inputs = [\"in/*.in\"]\n", ""));
    let (code, report) = folder.json(&["run", "-p", "echo", "-s", "cat"]);
    assert_eq!((code, text(&report["solvers"][0]["total"])), (Some(0), "2.5".to_owned()));
    let folder =
        echo("rule = \"relative\"\nscale = 100\n[[problem.case]]\nname = \"x\"\nfile = \"in/0.in\"\nbest = 25.0\n");
    let text_of = std::fs::read_to_string(folder.path().join("problems.toml")).unwrap();
    folder.write("problems.toml", text_of.replace("inputs = [\"in/*.in\"]\n", ""));
    let (_, report) = folder.json(&["run", "-p", "echo", "-s", "cat"]);
    // Half of the best known.
    assert_eq!(text(&report["cases"][0]["points"]), "50");
}
