//! Comparisons, the gate and tuning through the command line, on a tiny problem with known scores.

mod baselines;
mod claims;
mod planning;
mod ranking;
mod tuning;
mod until_decided;

use crate::support::{Folder, Said, of_cases};
use serde_json::Value;
use std::path::Path;

/// The case is its seed, and an answer is a number that is its own score.
const CATALOGUE: &str = "[[problem]]
id = \"sum\"
generator-command = \"echo {seed}\"
checker-command = \"sh check.sh {input} {answer}\"
seeds = \"1-20\"
[problem.limits]
cpu = \"2s\"
[problem.scoring]
rule = \"sum\"
";

const CHECKER: &str = "read -r score < \"$2\" || { echo nothing; exit 1; }
case \"$score\" in *[!0-9]*|'') echo \"no number: $score\"; exit 1;; esac
echo \"$score\"
";

fn sample() -> Folder {
    sample_with(CATALOGUE)
}

fn sample_with(catalogue: &str) -> Folder {
    let folder = Folder::new();
    folder.write("problems.toml", catalogue);
    folder.write("check.sh", CHECKER);
    for (name, score) in [
        ("plain", "1000 + seed * 37 % 101"),
        ("better", "1010 + seed * 37 % 101 + seed * 13 % 7"),
        ("noisy", "1000 + seed * 37 % 101 + (seed * 7919 % 41 - 20)"),
    ] {
        folder.script(name, &format!("read -r seed; echo $(({score}))"));
    }
    folder.script("failing", "read -r seed; [ $((seed % 5)) = 0 ] && exit 3; echo $((1000 + seed * 37 % 101))");
    folder
}

fn compare(folder: &Folder, more: &[&str]) -> (Option<i32>, Value) {
    folder.json(&[&["compare", "-p", "sum"], more].concat())
}

/// Compares, and reuses the same solver's earlier results on the same cases from the journal.
fn compare_reusing(folder: &Folder, more: &[&str]) -> Value {
    compare(folder, &[more, &["--reuse"]].concat()).1
}

#[test]
fn the_better_solver_wins_with_right_figures() {
    let folder = sample();
    let (code, report) = compare(&folder, &["./plain", "./better"]);
    assert_eq!(code, Some(0));
    let comparison = &report["comparisons"][0];
    assert_eq!((&comparison["claim"], &comparison["cases"]), (&"better".into(), &20.into()));
    assert_eq!((&report["measure"], &report["rule"]), (&"total".into(), &"sum".into()));
    let plain: Vec<f64> = (1..=20).map(|seed: i64| (1000 + seed * 37 % 101) as f64).collect();
    let gains: Vec<f64> = (1..=20).map(|seed: i64| (10 + seed * 13 % 7) as f64).collect();
    let (total, gain): (f64, f64) = (plain.iter().sum(), gains.iter().sum());
    let mean = gain / total;
    // The delta method: each difference minus the mean share of the first score, b - R a with R = 1 + mean.
    let rest = plain.iter().zip(&gains).map(|(plain, gain)| gain - mean * plain);
    let deviation = (rest.map(|rest| (rest * 20.0 / total).powi(2)).sum::<f64>() / 19.0).sqrt();
    let is = |value: &Value, expected: f64| (value.as_f64().unwrap() - expected).abs() < 1e-9;
    assert!(is(&comparison["effect"]["mean"], mean), "{comparison}");
    assert!(is(&comparison["effect"]["deviation"], deviation), "{comparison}");
    // The 97.5 % quantile of Student's t with 19 degrees of freedom.
    let radius = 2.093_024_054 * deviation / 20_f64.sqrt();
    assert!(
        is(&comparison["interval"]["low"], mean - radius) && is(&comparison["interval"]["high"], mean + radius),
        "{comparison}"
    );
    assert_eq!((&comparison["effect"]["wins"], &comparison["effect"]["losses"]), (&20.into(), &0.into()));
    assert!(is(&comparison["effect"]["sign_test_p"], 2.0 / f64::from(1 << 20)));
    assert!(is(&comparison["effect"]["wilcoxon_p"], 2.0 / f64::from(1 << 20)));
    assert_eq!(report["cases"].as_array().unwrap().len(), 20);
}

#[test]
fn reports_explain_results_and_reproduce_extremes() {
    let folder = sample();
    let said = folder.judge(&["compare", "-p", "sum", "./better", "./plain"]);
    assert!(said.stdout.contains("\non these 20 cases the sum falls by 1."), "{}", said.stdout);
    assert!(said.stdout.contains("\njudging by these 20 cases, plain is worse than better (1."), "{}", said.stdout);
    assert!(said.stdout.contains("Worst losses") && !said.stdout.contains("Best gains"), "{}", said.stdout);
    let commands = said.stdout.lines().filter(|line| line.contains("judge run -p sum -s ./plain --seeds "));
    assert_eq!(commands.count(), 10, "{}", said.stdout);
    assert!(said.stdout.contains("How often plain differed"), "{}", said.stdout);
}

#[test]
fn equal_solvers_show_no_difference() {
    let folder = sample();
    let (code, report) = compare(&folder, &["./plain", "same=./plain", "./better"]);
    assert_eq!(code, Some(0));
    let claims: Vec<&Value> =
        report["comparisons"].as_array().unwrap().iter().map(|comparison| &comparison["claim"]).collect();
    assert_eq!(claims, ["equal", "better"]);
    assert_eq!(report["comparisons"][0]["effect"]["ties"], 20);
}

#[test]
fn failures_count_with_what_the_rule_gives_them() {
    let folder = sample();
    let (code, report) = compare(&folder, &["./plain", "./failing", "--seeds", "1-60"]);
    assert_eq!(code, Some(1));
    let comparison = &report["comparisons"][0];
    assert_eq!((&comparison["cases"], &comparison["solved"]), (&60.into(), &48.into()));
    assert_eq!((&comparison["failures"]["second_only"], &comparison["claim"]), (&12.into(), &"worse".into()));
    let verdict = comparison["verdict"].as_str().unwrap();
    assert!(verdict.contains("the sum falls by 20 %"), "{verdict}");
    assert!(verdict.contains("failing fails on 12 cases that plain solves"), "{verdict}");
    // The ratio does not cover them.
    let ratio = compare(&folder, &["./plain", "./failing", "--measure", "ratio"]).1;
    assert_eq!((&ratio["comparisons"][0]["cases"], &ratio["comparisons"][0]["claim"]), (&16.into(), &"equal".into()));
}

/// Solvers that are ahead by the mean ratio and behind by the sum, for large and for small scores.
fn misleading(direction: &str) -> Folder {
    let folder =
        sample_with(&CATALOGUE.replace("rule = \"sum\"", &format!("rule = \"sum\"\ndirection = \"{direction}\"")));
    let large = |small: i64, large: i64| {
        format!("read -r seed; [ $((seed % 5)) = 0 ] && {{ echo {large}; exit; }}; echo {small}")
    };
    folder.script("even", &large(500, 10_000));
    let uneven = if direction == "max" { large(521, 9_784) } else { large(480, 10_216) };
    folder.script("uneven", &uneven);
    folder.script("even-crash", "read -r seed; [ $((seed % 5)) = 0 ] && exit 3; echo 500");
    let score = if direction == "max" { 560 } else { 440 };
    folder.script("crash", &format!("read -r seed; [ $((seed % 5)) = 0 ] && exit 3; echo {score}"));
    folder
}

fn claim_of(report: &Value) -> (&str, &str) {
    let comparison = &report["comparisons"][0];
    (comparison["claim"].as_str().unwrap(), comparison["verdict"].as_str().unwrap())
}

#[test]
#[ignore = "CI: many runs"]
fn a_lower_total_is_never_better() {
    a_worse_total_is_never_better("max", "the sum falls by 1.1");
}

#[test]
#[ignore = "long: the other direction takes as many runs"]
fn a_higher_total_is_never_better_when_minimising() {
    a_worse_total_is_never_better("min", "the sum rises by 1.1");
}

fn a_worse_total_is_never_better(direction: &str, change: &str) {
    let folder = misleading(direction);
    let against = |more: &[&str]| compare_reusing(&folder, &[&["./even", "./uneven"], more].concat());
    let few = against(&[]);
    let (claim, verdict) = claim_of(&few);
    assert_eq!(claim, "undecided", "{verdict}");
    assert!(
        verdict.contains(&format!("{change} %, but the mean ratio improves by 2.9 %: the difference is seed-")),
        "{verdict}"
    );
    assert_eq!(few["comparisons"][0]["contrast"]["measure"], "total");
    let many = against(&["--seeds", "1-100"]);
    let (claim, verdict) = claim_of(&many);
    assert_eq!(claim, "worse", "{verdict}");
    assert!(verdict.contains("uneven is worse than even (") && verdict.contains(change), "{verdict}");
    let ratio = against(&["--seeds", "1-100", "--measure", "ratio"]);
    let (claim, verdict) = claim_of(&ratio);
    assert_eq!(claim, "contrary", "{verdict}");
    assert!(verdict.contains("uneven is worse by the rule `sum`"), "{verdict}");
    for more in [
        &["--until-decided", "--max-cases", "150"][..],
        &["--until-decided", "--max-cases", "150", "--measure", "ratio"],
    ] {
        let report = against(more);
        let (claim, verdict) = claim_of(&report);
        assert_ne!(claim, "better", "{verdict}");
    }
}

#[test]
#[ignore = "long: the same rule as for totals, with failures"]
fn crashing_on_bad_cases_is_never_better() {
    let folder = misleading("max");
    let against = |more: &[&str]| compare_reusing(&folder, &[&["flat=sh -c 'echo 500'", "./crash"], more].concat());
    let many = against(&["--seeds", "1-150"]);
    let (claim, verdict) = claim_of(&many);
    assert_eq!(claim, "worse", "{verdict}");
    assert!(verdict.contains("crash is worse than flat (") && verdict.contains("the sum falls by 10"), "{verdict}");
    assert!(verdict.contains("but the mean ratio improves by 12 %"), "{verdict}");
    assert_eq!(claim_of(&against(&["--seeds", "1-150", "--measure", "ratio"])).0, "contrary");
    for more in [
        &["--until-decided", "--max-cases", "120"][..],
        &["--until-decided", "--max-cases", "120", "--measure", "ratio"],
    ] {
        let report = against(more);
        let (claim, verdict) = claim_of(&report);
        assert_ne!(claim, "better", "{verdict}");
    }
}

#[test]
fn a_failure_without_points_is_never_better() {
    let folder = misleading("min");
    let flat = "flat=sh -c 'echo 500'";
    let report = compare(&folder, &[flat, "./crash"]).1;
    let (claim, verdict) = claim_of(&report);
    assert_eq!(claim, "contrary", "{verdict}");
    assert!(verdict.contains("crash has no sum by the rule `sum`, which gives no points on 4 cases"), "{verdict}");
    let report = compare(&folder, &["./crash", flat]).1;
    assert_eq!(claim_of(&report).0, "contrary");
    // Both fail on the same cases, and one is better on the others.
    let report = compare(&folder, &["./even-crash", "./crash"]).1;
    assert_eq!(claim_of(&report).0, "better");
}

#[test]
fn each_rule_has_its_measure() {
    for (rule, measure) in
        [("mean", "total"), ("exact", "points"), ("relative", "points"), ("rank", "points"), ("log", "ratio")]
    {
        let folder = sample_with(&CATALOGUE.replace("rule = \"sum\"", &format!("rule = \"{rule}\"")));
        let (_, report) = compare(&folder, &["./plain", "./better"]);
        assert_eq!(report["measure"], measure, "{rule}");
        let (claim, verdict) = claim_of(&report);
        let expected = if rule == "exact" { "equal" } else { "better" };
        assert_eq!(claim, expected, "{rule}: {verdict}");
    }
}

#[test]
fn measures_and_the_smallest_effect_are_as_asked() {
    let folder = sample();
    let difference = compare(&folder, &["./plain", "./better", "--measure", "difference"]).1;
    let gain = (1..=20).map(|seed: i64| 10 + seed * 13 % 7).sum::<i64>() as f64 / 20.0;
    assert_eq!(difference["comparisons"][0]["effect"]["mean"].as_f64(), Some(gain));
    let points = compare(&folder, &["./plain", "./better", "--measure", "points"]).1;
    assert_eq!(points["comparisons"][0]["effect"]["mean"].as_f64(), Some(gain));
    let lenient = compare(&folder, &["./plain", "./noisy", "--min-effect", "5%"]).1;
    let conclusion = "judging by these 20 cases, no difference larger than 5.0 %";
    assert_eq!(lenient["comparisons"][0]["conclusion"], conclusion);
    let strict = compare(&folder, &["./plain", "./noisy", "--min-effect", "0.01%"]).1;
    assert_eq!(strict["comparisons"][0]["claim"], "undecided");
    assert!(strict["comparisons"][0]["more_cases"].as_u64() > Some(20), "{strict}");
    for wrong in [["--measure", "difference", "--min-effect", "1%"], ["--measure", "ratio", "--min-effect", "5"]] {
        assert_eq!(
            folder.judge(&[&["compare", "-p", "sum", "./plain", "./better"], &wrong[..]].concat()).code,
            Some(2)
        );
    }
}

#[test]
fn an_unsuited_smallest_effect_says_why() {
    let folder = sample();
    folder.script("zero", "echo 0");
    let refused = |arguments: &[&str], words: &[&str]| {
        let said = folder.judge(&[&["compare", "-p", "sum"], arguments].concat());
        assert!(said.code == Some(2) && words.iter().all(|word| said.stderr.contains(word)), "{}", said.stderr);
    };
    refused(&["./plain", "./better", "--measure", "ratio", "--min-effect", "5"], &["write a percentage"]);
    assert!(!folder.path().join(".judge").exists(), "it ran nothing");
    let growing = ["./zero", "./plain", "--min-effect", "1%", "--until-decided", "--max-cases", "20"];
    refused(&growing, &["--min-effect", "the first solver's total is 0"]);
    for command in ["compare", "rank"] {
        let (code, report) = folder.json(&[command, "-p", "sum", "./zero", "./plain", "--min-effect", "1%"]);
        let warning = report["warnings"][0].as_str().unwrap_or_default();
        assert!(code == Some(0) && warning.contains("--min-effect was not used"), "{report}");
        let said = folder.judge(&[command, "-p", "sum", "./zero", "./plain", "--min-effect", "1%"]);
        assert!(said.stderr.contains("--min-effect was not used"), "{}", said.stderr);
    }
}

#[test]
fn where_little_is_good_the_sign_turns() {
    let folder = sample_with(&CATALOGUE.replace("rule = \"sum\"", "rule = \"sum\"\ndirection = \"min\""));
    let (_, report) = compare(&folder, &["./plain", "./better"]);
    assert_eq!(report["comparisons"][0]["claim"], "worse");
    let points = compare(&folder, &["./plain", "./better", "--measure", "points"]).1;
    assert_eq!(points["comparisons"][0]["claim"], "worse");
}

/// Removes the commands that reproduce the cases: they repeat the options of the run.
fn drop_commands(effects: &mut Value) {
    for effect in effects.as_array_mut().unwrap() {
        assert!(effect.as_object_mut().unwrap().remove("reproduce").is_some());
    }
}

#[test]
#[ignore = "long: the same comparison several times"]
fn figures_do_not_depend_on_jobs() {
    let folder = sample();
    let figures = |jobs| {
        let play = ["./plain", "./noisy", "./better", "--until-decided", "--max-cases", "60", "--jobs", jobs];
        let (_, mut report) = compare(&folder, &play);
        for comparison in report["comparisons"].as_array_mut().unwrap() {
            drop_commands(&mut comparison["effects"]);
        }
        (report["comparisons"].clone(), of_cases(&report, "seed").into_iter().cloned().collect::<Vec<_>>())
    };
    assert_eq!(figures("1"), figures("2"));
}

#[test]
fn more_jobs_than_cores_are_warned_of() {
    let said = sample().judge(&["run", "-p", "sum", "-s", "./plain", "--jobs", "40"]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert!(said.stderr.contains("take time from each other"), "{}", said.stderr);
}

#[test]
fn cases_are_grouped_by_their_features() {
    let folder = Folder::new();
    let solvers = ["bundled:columns-greedy", "bundled:columns-quickstart"];
    let more = ["--seeds", "1-12", "--group-by", "colors"];
    let (_, report) = folder.json(&[&["compare", "-p", "columns"], &solvers[..], &more[..]].concat());
    let groups = report["comparisons"][0]["groups"].as_array().unwrap();
    assert!(groups.len() > 1, "{report}");
    assert_eq!(groups.iter().map(|group| group["cases"].as_u64().unwrap()).sum::<u64>(), 12);
    let said =
        folder.judge(&[&["compare", "-p", "columns"], &solvers[..], &["--seeds", "1", "--group-by", "x"]].concat());
    assert_eq!(said.code, Some(2));
    assert!(said.stderr.contains("colors"), "{}", said.stderr);
}

fn record(folder: &Folder, more: &[&str]) -> Said {
    folder.judge(&[&["baseline", "-p", "sum", "--output", "baseline.toml"], more].concat())
}

fn gate(folder: &Folder, solver: &str, more: &[&str]) -> Said {
    folder.judge(&[&["gate", "--baseline", "baseline.toml", "-s", solver], more].concat())
}

/// The solvers of the newest run in the journal with their totals, and the number of planned cases.
fn recorded(folder: &Folder) -> (Vec<(String, Option<String>)>, usize) {
    let rows = folder.json(&["history", "-p", "sum", "--all"]).1;
    let rows = rows["runs"].as_array().unwrap();
    let newest = rows.iter().filter(|row| row["run"] == rows[0]["run"]);
    let solver = |row: &Value| {
        assert_eq!(row["state"], "complete", "{row}");
        (row["solver"].as_str().unwrap().to_owned(), row.get("total").map(ToString::to_string))
    };
    (newest.map(solver).collect(), rows[0]["planned"].as_u64().unwrap() as usize)
}

#[test]
#[ignore = "CI: many runs"]
fn every_command_that_plays_is_in_the_journal() {
    let folder = sample();
    let plain: i64 = (1..=20).map(|seed| 1000 + seed * 37 % 101).sum();
    let total = |name: &str, total: i64| (name.to_owned(), Some(total.to_string()));
    compare(&folder, &["./plain", "same=./plain"]);
    assert_eq!(recorded(&folder), (vec![total("plain", plain), total("same", plain)], 20));
    // With more jobs, the journal may have one case more than the report: a case that ran beside the deciding one.
    let until_decided = ["--until-decided", "--max-cases", "80", "--jobs", "1"];
    let report = compare(&folder, &[&["./plain", "./better", "same=./plain"], &until_decided[..]].concat()).1;
    let (solvers, cases) = recorded(&folder);
    assert_eq!(cases, report["cases"].as_array().unwrap().len());
    // The second solver has not played every case.
    assert_eq!(solvers.iter().map(|(_, total)| total.is_some()).collect::<Vec<_>>(), [true, false, true]);
    let shown: Value = folder.json(&["history", "show", "last"]).1;
    let of_run = |name: &str| {
        let cases = shown["cases"].as_array().unwrap().iter();
        cases.filter(|case| case["solver"] == name && case["verdict"] == "accepted").count() as u64
    };
    assert_eq!(of_run("same"), report["comparisons"][1]["cases"].as_u64().unwrap());
    assert_eq!(of_run("better"), report["comparisons"][0]["cases"].as_u64().unwrap());
    record(&folder, &["-s", "./plain"]);
    assert_eq!(recorded(&folder).0, [total("plain", plain)]);
    gate(&folder, "./better", &[]);
    assert_eq!(recorded(&folder).0[0].0, "better");
    let before = recorded(&folder);
    gate(&folder, "./plain", &["--no-journal"]);
    assert_eq!(recorded(&folder), before);
}

#[test]
#[ignore = "CI: whole searches"]
fn a_search_is_one_run_of_all_settings() {
    let folder = sample();
    folder.script("toy", "read -r seed; echo $((10000 - ($1 - 37) * ($1 - 37) + seed % 7))");
    let arguments =
        ["tune", "-p", "sum", "-s", "./toy {n}", "--param", "n=1..100:int", "--budget", "200", "--jsonl", "-"];
    let said = folder.judge(&[&arguments[..], &["--compare", "0"]].concat());
    let lines: Vec<Value> = said.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    // The list has one row for it, of the best setting.
    let (_, history) = folder.json(&["history", "-p", "sum"]);
    let [search] = &history["runs"].as_array().unwrap()[..] else { panic!("{history}") };
    assert_eq!((&search["settings"], &search["solver"]), (&lines.len().into(), &"n=37".into()));
    let text = folder.judge(&["history"]).stdout;
    assert!(text.contains(&format!("n=37 (best of {})", lines.len())) && text.lines().count() == 3, "{text}");
    assert_eq!(folder.json(&["history", "-s", "n=37"]).1["runs"][0].get("settings"), None);
    let (solvers, cases) = recorded(&folder);
    let names = lines.iter().flat_map(|line| line["cases"].as_array().unwrap()).map(|name| name.as_str().unwrap());
    assert_eq!(cases, names.collect::<std::collections::HashSet<_>>().len());
    let shown: Value = folder.json(&["history", "show", "last"]).1;
    for line in &lines {
        let name = format!("n={}", line["setting"]["n"].as_str().unwrap());
        assert!(solvers.iter().any(|(solver, _)| *solver == name), "{name} in {solvers:?}");
        let of_setting = |case: &&Value| case["solver"] == name && case.get("score").is_some();
        let stored = shown["cases"].as_array().unwrap().iter().filter(of_setting);
        let scores: Vec<&Value> = stored.map(|case| &case["score"]).collect();
        let told: Vec<&Value> = line["scores"].as_array().unwrap().iter().collect();
        assert_eq!(scores, told, "{line}");
    }
}

#[test]
fn known_results_are_reused_unless_solvers_are_random() {
    let folder = sample();
    folder.script("chance", "read -r seed; echo $((1000 + $(od -An -N2 -tu2 /dev/urandom)))");
    let effects = |more: &[&str]| {
        let mut effects = compare(&folder, more).1["comparisons"][0]["effects"].take();
        drop_commands(&mut effects);
        effects
    };
    let first = effects(&["./plain", "./chance"]);
    assert_eq!(effects(&["./plain", "./chance", "--reuse"]), first);
    assert_ne!(effects(&["./plain", "./chance"]), first);
    let chance = effects(&["./chance", "again=./chance", "--reuse"]);
    assert!(chance.as_array().unwrap().iter().any(|pair| pair["effect"] != 0.0), "{chance}");
}

#[test]
fn a_grouping_without_effect_is_refused() {
    let folder = sample();
    for command in [&["baseline", "-p", "sum", "-s", "./plain", "--output", "b.toml"][..], &["power", "-p", "sum"]] {
        let said = folder.judge(&[command, &["--group-by", "x"]].concat());
        assert_eq!(said.code, Some(2));
        assert!(said.stderr.contains("'--group-by'"), "{}", said.stderr);
    }
}
