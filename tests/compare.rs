//! Comparing, the gate and tuning from the outside, on a tiny problem whose scores are known.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod support;

use serde_json::Value;
use std::path::Path;
use support::{Folder, Said, of_cases};

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

#[test]
fn the_better_solver_wins_and_every_figure_is_right() {
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
    // The delta method: each difference less the mean share of the first score, b - R a with R = 1 + mean.
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
fn the_report_says_it_in_words_and_how_to_play_the_extremes() {
    let folder = sample();
    let said = folder.judge(&["compare", "-p", "sum", "./better", "./plain"]);
    assert!(said.stdout.contains("plain is worse than better: the sum falls by 1."), "{}", said.stdout);
    assert!(said.stdout.contains("Worst losses") && !said.stdout.contains("Best gains"), "{}", said.stdout);
    let commands = said.stdout.lines().filter(|line| line.contains("judge run -p sum -s ./plain --seeds "));
    assert_eq!(commands.count(), 10, "{}", said.stdout);
    assert!(said.stdout.contains("How often plain differed"), "{}", said.stdout);
}

#[test]
fn equal_solvers_show_no_difference_and_several_are_compared_with_the_first() {
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
    // The ratio has no place for them.
    let ratio = compare(&folder, &["./plain", "./failing", "--measure", "ratio"]).1;
    assert_eq!((&ratio["comparisons"][0]["cases"], &ratio["comparisons"][0]["claim"]), (&16.into(), &"equal".into()));
}

/// Solvers that are ahead by the mean ratio and behind by the sum, for large scores and for small ones.
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
fn a_solver_whose_total_falls_is_never_better_though_the_mean_ratio_rises() {
    for (direction, change) in [("max", "the sum falls by 1.1"), ("min", "the sum rises by 1.1")] {
        let folder = misleading(direction);
        let against = |more: &[&str]| compare(&folder, &[&["./even", "./uneven"], more].concat()).1;
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
        assert!(verdict.contains(&format!("uneven is worse than even: {change}")), "{verdict}");
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
}

#[test]
fn a_solver_that_crashes_on_its_worst_fifth_is_never_better() {
    let folder = misleading("max");
    let against = |more: &[&str]| compare(&folder, &[&["flat=sh -c 'echo 500'", "./crash"], more].concat()).1;
    let many = against(&["--seeds", "1-150"]);
    let (claim, verdict) = claim_of(&many);
    assert_eq!(claim, "worse", "{verdict}");
    assert!(verdict.contains("crash is worse than flat: the sum falls by 10"), "{verdict}");
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
fn where_a_failure_has_no_points_a_solver_with_one_has_no_total_and_is_not_better() {
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
fn power_and_tune_measure_by_the_rule_too() {
    let folder = misleading("max");
    let power = folder.json(&["power", "-p", "sum", "-s", "./even", "-s", "./uneven", "--seeds", "1-20"]).1;
    assert_eq!(power["measure"], "total", "{power}");
    let paired = compare(&folder, &["./even", "./uneven"]).1;
    assert_eq!(power["deviation"], paired["comparisons"][0]["effect"]["deviation"], "{power}");
    // The second setting is better where it does not crash.
    folder.script("toy", "read -r seed; [ $1 = 2 ] && [ $((seed % 5)) = 0 ] && exit 3; echo $((440 + 60 * $1))");
    let tune =
        ["tune", "-p", "sum", "-s", "./toy {n}", "--param", "n=1..2:int", "--first-cases", "10", "--budget", "60"];
    let said = folder.judge(&tune);
    assert!(said.stdout.contains("settings in") && said.stdout.contains("runs: n=1"), "{}", said.stdout);
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
    assert_eq!(lenient["comparisons"][0]["verdict"], "no difference larger than 5.0 %");
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
fn the_same_scores_give_the_same_figures_for_any_number_of_jobs() {
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
fn until_decided_decides_with_fresh_cases_and_shows_the_interval() {
    let folder = sample();
    let (code, report) = compare(&folder, &["./plain", "./better", "--until-decided"]);
    assert_eq!(code, Some(0));
    assert_eq!(report["comparisons"][0]["claim"], "better");
    // Effects on one side wait for 36 cases, whatever the batch that they are in; equal ones for more.
    assert_eq!(report["comparisons"][0]["cases"].as_u64(), Some(36), "{report}");
    assert!(of_cases(&report, "seed").iter().all(|seed| seed.as_u64() > Some(1_000_000)), "{report}");
    assert!(report["comparisons"][0]["interval"]["low"].as_f64() > Some(0.0));
    let equal = compare(&folder, &["./plain", "same=./plain", "--until-decided"]).1;
    assert_eq!(equal["comparisons"][0]["claim"], "equal");
    assert!(equal["comparisons"][0]["cases"].as_u64() >= Some(59), "{equal}");
    let said = folder.judge(&["compare", "-p", "sum", "./plain", "./noisy", "--until-decided", "--max-cases", "40"]);
    let looks = said.stderr.lines().filter(|line| line.contains(" cases: ")).count();
    assert!(looks >= 2, "{}", said.stderr);
    assert!(said.stdout.contains("not decided: about "), "{}", said.stdout);
}

#[test]
fn exact_claims_rest_on_the_bound_of_the_effects_alone() {
    let folder = sample();
    folder.script("half", "read -r seed; echo $((500 + seed * 37 % 101))");
    folder.script(
        "lucky",
        "read -r seed; [ $((seed % 9)) = 0 ] && { echo 9000; exit; }; echo $((990 + seed * 37 % 101))",
    );
    let exact = ["--until-decided", "--exact", "--max-cases", "80"];
    let against = |name: &str, more: &[&str]| compare(&folder, &[&["./plain", name], &exact[..], more].concat());
    for (more, measure) in [(["--bound", "1100"], "total"), (["--measure", "relative"], "relative")] {
        let (code, report) = against("./half", &more);
        assert_eq!(code, Some(0));
        assert_eq!((&report["measure"], &report["exact"]), (&measure.into(), &true.into()), "{report}");
        assert_eq!(report["comparisons"][0]["claim"], "worse");
        // Bets that lose at most all: (1 + 0.5)^n would be 40 after ten cases, and a mean over shares takes longer.
        assert!((10..40).contains(&report["comparisons"][0]["cases"].as_u64().unwrap()), "{report}");
    }
    // A large gain on one case in nine outweighs eight losses of 1 %: nothing may be claimed too early.
    let (_, report) = against("./lucky", &["--bound", "9000"]);
    assert_ne!(report["comparisons"][0]["claim"], "worse", "{report}");
    let said = folder.judge(&[&["compare", "-p", "sum", "./plain", "./half", "--bound", "1100"], &exact[..]].concat());
    assert!(said.stdout.contains("(anytime-valid, exact)"), "{}", said.stdout);
    assert!(said.stdout.contains("half is worse than plain: the sum falls by "), "{}", said.stdout);
    assert!(said.stdout.contains("biased upward by stopping early"), "{}", said.stdout);
}

#[test]
fn exact_claims_need_effects_that_have_a_bound() {
    let folder = sample();
    let exact = |folder: &Folder, more: &[&str]| {
        folder.judge(&[&["compare", "-p", "sum", "./plain", "./better", "--until-decided", "--exact"], more].concat())
    };
    let ratio = exact(&folder, &["--measure", "ratio"]);
    assert_eq!(ratio.code, Some(2), "{}", ratio.stderr);
    assert!(ratio.stderr.contains("--measure relative"), "{}", ratio.stderr);
    let unbounded = exact(&folder, &[]);
    assert_eq!(unbounded.code, Some(2), "{}", unbounded.stderr);
    assert!(
        unbounded.stderr.contains("the rule `sum`") && unbounded.stderr.contains("--bound"),
        "{}",
        unbounded.stderr
    );
    let beyond = exact(&folder, &["--bound", "3"]);
    assert_eq!(beyond.code, Some(2), "{}", beyond.stderr);
    assert!(beyond.stderr.contains("more than the bound of 3"), "{}", beyond.stderr);
    let fixed = folder.judge(&["compare", "-p", "sum", "./plain", "./better", "--exact"]);
    assert_eq!(fixed.code, Some(2), "{}", fixed.stderr);
    // The points of other rules have a bound of their own.
    let exact_rule = sample_with(&CATALOGUE.replace("rule = \"sum\"", "rule = \"exact\""));
    let report = compare(&exact_rule, &["./plain", "./failing", "--until-decided", "--exact", "--max-cases", "120"]).1;
    assert_eq!(
        (&report["measure"], &report["comparisons"][0]["claim"]),
        (&"points".into(), &"worse".into()),
        "{report}"
    );
    // From -5 to 5 is a relative difference of 2.
    let signs = sample_with(&format!("{CATALOGUE}failure = -10\n"));
    signs.write("check.sh", "cat \"$2\"\n");
    signs.script("plain", "echo -5");
    signs.script("better", "echo 5");
    let said = exact(&signs, &["--measure", "relative"]);
    assert_eq!(said.code, Some(2), "{}", said.stderr);
    assert!(said.stderr.contains("scores of one sign"), "{}", said.stderr);
}

#[test]
fn until_decided_with_several_solvers_plays_each_until_it_is_decided() {
    let folder = sample();
    let (code, report) = compare(&folder, &["./plain", "./better", "same=./plain", "--until-decided"]);
    assert_eq!(code, Some(0));
    let comparisons = report["comparisons"].as_array().unwrap();
    let claims: Vec<&Value> = comparisons.iter().map(|comparison| &comparison["claim"]).collect();
    assert_eq!(claims, ["better", "equal"]);
    let cases: Vec<u64> = comparisons.iter().map(|comparison| comparison["cases"].as_u64().unwrap()).collect();
    // The cases that decide about one are not played by those that are decided. "Equal" waits for the shared alpha.
    let fewest = (0.025_f64.ln() / 0.975_f64.ln()).ceil() as u64;
    assert!(cases[0] < 60 && cases[1] == fewest, "{cases:?}");
    assert_eq!((report["alpha"].as_f64(), report["alpha_each"].as_f64()), (Some(0.05), Some(0.025)));
    let said = folder.judge(&[
        "compare",
        "-p",
        "sum",
        "./plain",
        "./better",
        "./noisy",
        "--until-decided",
        "--max-cases",
        "24",
    ]);
    assert!(said.stdout.contains("each claim is false with a probability of 2.5 % at most"), "{}", said.stdout);
    assert!(said.stderr.contains(" cases: better +1.") && said.stderr.contains("; noisy "), "{}", said.stderr);
}

#[test]
fn until_decided_gives_up_where_one_side_solves_nothing() {
    let folder = sample();
    folder.script("broken", "exit 1");
    let (code, report) = compare(&folder, &["./plain", "./broken", "--until-decided"]);
    assert_eq!(code, Some(1));
    assert!(report["cases"].as_array().unwrap().len() < 40, "{report}");
    assert_eq!(report["comparisons"][0]["claim"], "too-few-cases");
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

/// The solvers of the newest run in the journal with their totals, and how many cases were planned.
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
fn every_command_that_plays_is_in_the_journal() {
    let folder = sample();
    let plain: i64 = (1..=20).map(|seed| 1000 + seed * 37 % 101).sum();
    let total = |name: &str, total: i64| (name.to_owned(), Some(total.to_string()));
    compare(&folder, &["./plain", "same=./plain"]);
    assert_eq!(recorded(&folder), (vec![total("plain", plain), total("same", plain)], 20));
    // With more jobs the journal may have a case more than the report: one that ran beside the deciding one.
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
fn a_search_is_one_run_with_every_setting_in_it() {
    let folder = sample();
    folder.script("toy", "read -r seed; echo $((10000 - ($1 - 37) * ($1 - 37) + seed % 7))");
    let arguments =
        ["tune", "-p", "sum", "-s", "./toy {n}", "--param", "n=1..100:int", "--budget", "200", "--jsonl", "-"];
    let said = folder.judge(&arguments);
    let lines: Vec<Value> = said.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (solvers, cases) = recorded(&folder);
    assert_eq!(cases, lines.iter().map(|line| line["cases"].as_array().unwrap().len()).max().unwrap());
    let shown: Value = folder.json(&["history", "show", "last"]).1;
    for line in &lines {
        let name = format!("n={}", line["setting"]["n"].as_str().unwrap());
        assert!(solvers.iter().any(|(solver, _)| *solver == name), "{name} in {solvers:?}");
        let stored = shown["cases"].as_array().unwrap().iter().filter(|case| case["solver"] == name);
        let scores: Vec<&Value> = stored.map(|case| &case["score"]).collect();
        let told: Vec<&Value> = line["scores"].as_array().unwrap().iter().collect();
        assert_eq!(scores[..told.len()], told, "{line}");
    }
}

#[test]
fn what_the_journal_knows_is_not_played_again_but_chance_is() {
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

fn record(folder: &Folder, more: &[&str]) -> Said {
    folder.judge(&[&["baseline", "-p", "sum", "--output", "baseline.toml"], more].concat())
}

fn gate(folder: &Folder, solver: &str, more: &[&str]) -> Said {
    folder.judge(&[&["gate", "--baseline", "baseline.toml", "-s", solver], more].concat())
}

#[test]
fn the_gate_fails_on_a_worse_solver_and_passes_on_the_same_and_a_better_one() {
    let folder = sample();
    assert_eq!(record(&folder, &["-s", "./plain"]).code, Some(0));
    for round in 1..=20 {
        let said = gate(&folder, "./plain", &["--time-drop", "100%"]);
        assert_eq!(said.code, Some(0), "round {round}: {}{}", said.stdout, said.stderr);
    }
    assert_eq!(gate(&folder, "./better", &[]).code, Some(0));
    folder.script("worse", "read -r seed; echo $((990 + seed * 37 % 101))");
    let said = gate(&folder, "./worse", &["--max-drop", "0.5%"]);
    assert_eq!(said.code, Some(1));
    assert!(said.stdout.contains("the total got worse by 0.9"), "{}", said.stdout);
    assert!(said.stdout.contains("judge run -p sum -s ./worse --seeds "), "{}", said.stdout);
    assert_eq!(gate(&folder, "./worse", &["--max-drop", "1.5%"]).code, Some(0));
    let said = gate(&folder, "./failing", &["--max-drop", "100%"]);
    assert_eq!(said.code, Some(1));
    assert!(said.stdout.contains("seed-5: it was accepted and is runtime-error"), "{}", said.stdout);
}

#[test]
fn a_baseline_and_the_journal_name_the_checker_alike() {
    let folder = sample();
    assert_eq!(record(&folder, &["-s", "./plain", "--seeds", "1-2"]).code, Some(0));
    folder.judge(&["run", "-p", "sum", "-s", "./plain", "--seeds", "1"]);
    let (_, best) = folder.json(&["best", "-p", "sum"]);
    let baseline = std::fs::read_to_string(folder.path().join("baseline.toml")).unwrap();
    let recorded = baseline.lines().find_map(|line| line.strip_prefix("checker = ")).unwrap();
    let name = best["checker"]["name"].as_str().unwrap();
    assert_eq!(recorded.trim_matches('"'), name);

    // Earlier versions hashed the command along with its files.
    let line = "sh check.sh {input} {answer}";
    let hash = judge::model::Digest::of_parts([line.as_bytes(), CHECKER.as_bytes()]).short();
    folder.write("baseline.toml", baseline.replace(name, &format!("{line} {hash}")));
    assert_eq!(gate(&folder, "./plain", &[]).code, Some(0));
    folder.write("check.sh", format!("{CHECKER}true\n"));
    let said = gate(&folder, "./plain", &[]);
    assert!(said.code == Some(1) && said.stdout.contains("checker"), "{}{}", said.stdout, said.stderr);
}

#[test]
fn a_confident_gate_is_not_alarmed_by_noise() {
    let folder = sample();
    assert_eq!(record(&folder, &["-s", "./plain", "--seeds", "1-10"]).code, Some(0));
    assert_eq!(gate(&folder, "./noisy", &["--max-drop", "0%"]).code, Some(1));
    assert_eq!(gate(&folder, "./noisy", &["--max-drop", "0%", "--confident"]).code, Some(0));
    folder.script("worse", "read -r seed; echo $((990 + seed * 37 % 101))");
    assert_eq!(gate(&folder, "./worse", &["--max-drop", "0%", "--confident"]).code, Some(1));
}

#[test]
fn a_confident_gate_goes_by_the_total_and_not_by_the_mean_ratio() {
    let folder = misleading("max");
    assert_eq!(record(&folder, &["-s", "./even", "--seeds", "1-100"]).code, Some(0));
    let said = gate(&folder, "./uneven", &["--max-drop", "0%", "--confident"]);
    assert_eq!(said.code, Some(1), "{}", said.stdout);
    assert!(said.stdout.contains("the total"), "{}", said.stdout);
}

#[test]
fn the_baseline_file_is_small_sorted_and_the_same_every_time() {
    let folder = sample();
    folder.write("data/case-a.in", "3\n");
    assert_eq!(record(&folder, &["-s", "./failing", "--seeds", "1-6", "--inputs", "data/*.in"]).code, Some(1));
    let read = || std::fs::read_to_string(folder.path().join("baseline.toml")).unwrap();
    let without_times =
        |text: String| text.lines().map(|line| line.split(", cpu = ").next().unwrap().to_owned()).collect::<Vec<_>>();
    let first = without_times(read());
    let cases: Vec<&String> = first.iter().skip_while(|line| *line != "[cases]").skip(1).collect();
    assert_eq!(cases.len(), 7, "{first:?}");
    assert!(cases.is_sorted(), "{first:?}");
    assert!(cases[0].contains("file = \"data/case-a.in\"") && cases[0].contains("score = 1010"), "{}", cases[0]);
    assert!(cases[5].contains("seed = 5") && cases[5].contains("verdict = \"runtime-error\""), "{}", cases[5]);
    record(&folder, &["-s", "./failing", "--seeds", "1-6", "--inputs", "data/*.in"]);
    assert_eq!(without_times(read()), first);
    // What failed before may fail again, and may be mended.
    assert_eq!(gate(&folder, "./failing", &[]).code, Some(0));
    assert!(gate(&folder, "./plain", &[]).stdout.contains("now accepted: seed-5"));
}

#[test]
fn what_has_changed_is_said_and_not_compared() {
    let folder = sample();
    folder.write("data/a.in", "3\n");
    folder.write("data/b.in", "4\n");
    record(&folder, &["-s", "./plain", "--inputs", "data/*.in"]);
    std::fs::remove_file(folder.path().join("data/a.in")).unwrap();
    folder.write("data/b.in", "5\n");
    let said = gate(&folder, "./plain", &[]);
    assert_eq!(said.code, Some(1));
    assert!(said.stdout.contains("a: it was not run: its input is gone"), "{}", said.stdout);
    assert!(said.stdout.contains("b: its input differs from the recorded one"), "{}", said.stdout);
    folder.write("data/a.in", "3\n");
    folder.write("data/b.in", "4\n");
    let said = gate(&folder, "./plain", &["--memory", "100MiB"]);
    assert_eq!(said.code, Some(1));
    assert!(said.stdout.contains("the problem has changed"), "{}", said.stdout);
    folder.write("check.sh", format!("{CHECKER}# another version\n"));
    let said = gate(&folder, "./plain", &[]);
    assert_eq!(said.code, Some(1));
    assert!(said.stdout.contains("the checker has changed, nothing was compared"), "{}", said.stdout);
    folder.write("baseline.toml", "schema = 1\n");
    assert_eq!(gate(&folder, "./plain", &[]).code, Some(2));
    assert_eq!(folder.judge(&["gate", "--baseline", "missing.toml", "-s", "./plain"]).code, Some(2));
}

#[test]
fn an_update_raises_the_bar_and_never_lowers_it() {
    let folder = sample();
    record(&folder, &["-s", "./plain", "--tolerance", "50%"]);
    let read = || std::fs::read_to_string(folder.path().join("baseline.toml")).unwrap();
    let before = read();
    assert_eq!(gate(&folder, "./plain", &["--update"]).code, Some(0));
    assert_eq!(read(), before);
    assert_eq!(gate(&folder, "./better", &["--update"]).code, Some(0));
    let after = read();
    assert!(after.contains("score = 1053") && after.contains("tolerance = \"50%\""), "{after}");
    assert_eq!(gate(&folder, "./plain", &["--update"]).code, Some(1));
    assert_eq!(read(), after);
}

#[test]
fn the_gates_reports_tell_the_same() {
    let folder = sample();
    record(&folder, &["-s", "./plain"]);
    let summary = folder.path().join("summary.md");
    let more = ["--markdown", "gate.md", "--junit", "gate.xml", "--json", "gate.json"];
    let arguments = [&["gate", "--baseline", "baseline.toml", "-s", "./failing"], &more[..]].concat();
    let status = folder.command(&arguments).env("GITHUB_STEP_SUMMARY", &summary).output().unwrap().status;
    assert_eq!(status.code(), Some(1));
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let json: Value = serde_json::from_str(&read("gate.json")).unwrap();
    assert_eq!((&json["holds"], &json["schema"]), (&false.into(), &1.into()));
    assert_eq!(json["complaints"].as_array().unwrap().len(), 4);
    assert_eq!(json["complaints"][0]["command"], "judge run -p sum -s ./failing --seeds 10");
    let junit = read("gate.xml");
    assert!(junit.contains("tests=\"21\"") && junit.contains("failures=\"4\""), "{junit}");
    assert!(read("gate.md").contains("- seed-10: it was accepted and is runtime-error"));
    assert_eq!(read("gate.md"), std::fs::read_to_string(Path::new(&summary)).unwrap());
}

#[test]
fn the_gates_markdown_fits_a_comment_however_much_there_is_to_say() {
    let folder = sample();
    record(&folder, &["-s", "./plain"]);
    let mut baseline = std::fs::read_to_string(folder.path().join("baseline.toml")).unwrap();
    for case in 0..3000 {
        let name = format!("|{case}| <b> @everyone {}", "x".repeat(60));
        let line = "file = 'gone', input = '6437b3ac38', verdict = 'accepted', score = 1";
        baseline += &format!("'{name}' = {{ {line} }}\n");
    }
    folder.write("baseline.toml", &baseline);
    let said = gate(&folder, "./plain", &["--markdown", "-"]);
    assert_eq!(said.code, Some(1), "{}", said.stderr);
    assert!(said.stdout.len() < 60_000, "{} bytes", said.stdout.len());
    assert!(
        said.stdout.contains("… and 2900 more") && said.stdout.contains("20 of 20 cases accepted"),
        "{}",
        said.stdout
    );
    assert!(!said.stdout.contains("<b>") && !said.stdout.contains("@everyone"), "{}", said.stdout);
}

#[test]
fn a_grouping_is_refused_where_it_would_do_nothing() {
    let folder = sample();
    for command in [&["baseline", "-p", "sum", "-s", "./plain", "--output", "b.toml"][..], &["power", "-p", "sum"]] {
        let said = folder.judge(&[command, &["--group-by", "x"]].concat());
        assert_eq!(said.code, Some(2));
        assert!(said.stderr.contains("'--group-by'"), "{}", said.stderr);
    }
}

#[test]
fn power_reads_its_formula_in_both_directions() {
    let folder = sample();
    let (code, report) =
        folder.json(&["power", "--sd", "10", "--cases", "34", "--difference", "5", "--difference", "1"]);
    assert_eq!(code, Some(0));
    assert_eq!(report["needed"][0]["cases"], 34);
    assert_eq!(report["needed"][1]["cases"], 787);
    assert!((report["shown"][0]["difference"].as_f64().unwrap() - 5.0).abs() < 0.1, "{report}");
    folder.write("effects.txt", "0.01 -0.01\n0.03 -0.03\n");
    let recorded = folder.json(&["power", "--effects", "effects.txt"]).1;
    assert!((recorded["deviation"].as_f64().unwrap() - (0.002_f64 / 3.0).sqrt()).abs() < 1e-12, "{recorded}");
    for wrong in [&["power"][..], &["power", "--sd", "10", "--difference", "1%"], &["power", "-p", "sum"]] {
        assert_eq!(folder.judge(wrong).code, Some(2), "{wrong:?}");
    }
}

#[test]
fn power_says_how_uncertain_a_pilot_is_and_how_long_a_growing_comparison_takes() {
    let folder = sample();
    // A spread of 1 from 20 effects, and the 95 % interval of it: 0.7605 to 1.4606.
    let effects: Vec<String> =
        (0..20).map(|case| format!("{}{}", if case % 2 == 0 { "" } else { "-" }, 0.95_f64.sqrt())).collect();
    folder.write("effects.txt", effects.join("\n"));
    let pilot = ["power", "--effects", "effects.txt", "--measure", "difference", "--difference", "0.25"];
    let needed = folder.json(&pilot).1["needed"][0].clone();
    assert_eq!(needed["cases"], 128, "{needed}");
    assert_eq!((&needed["range"], &needed["until_decided"]), (&serde_json::json!([75, 270]), &Value::Null));
    let said = folder.judge(&[&pilot[..], &["--until-decided"]].concat());
    assert!(said.stdout.contains("75 to 270") && said.stdout.contains("--until-decided"), "{}", said.stdout);
    let given = folder.json(&["power", "--sd", "1", "--difference", "0.25", "--until-decided"]).1["needed"][0].clone();
    assert_eq!(given["range"], Value::Null);
    // Wald's test takes 117 on average, `compare --until-decided` 150: with a probability of 0.8 it takes not many more.
    assert!((150..260).contains(&given["until_decided"].as_u64().unwrap()), "{given}");
}

#[test]
fn rare_effects_are_waited_for() {
    let folder = sample();
    let (_, report) = compare(&folder, &["./plain", "./better", "--until-decided", "--rare", "5%"]);
    let comparison = &report["comparisons"][0];
    assert_eq!((&comparison["claim"], &comparison["cases"]), (&"better".into(), &72.into()), "{report}");
    for wrong in ["0%", "60%", "much"] {
        let said = folder.judge(&["compare", "-p", "sum", "./plain", "./better", "--until-decided", "--rare", wrong]);
        assert_eq!(said.code, Some(2), "{}", said.stderr);
    }
}

#[test]
fn power_measures_the_spread_between_two_solvers_or_of_one() {
    let folder = sample();
    let solvers = ["-s", "./plain", "-s", "./noisy"];
    let (code, report) = folder.json(&[&["power", "-p", "sum"], &solvers[..]].concat());
    assert_eq!((code, &report["measure"]), (Some(0), &"total".into()));
    let compared = compare(&folder, &["./plain", "./noisy"]).1;
    assert_eq!(report["deviation"], compared["comparisons"][0]["effect"]["deviation"]);
    let said = folder.judge(&["power", "-p", "sum", "-s", "./plain"]);
    assert!(said.stdout.contains("plain against itself, 20 cases"), "{}", said.stdout);
    assert!(said.stdout.contains("two cases show any difference"), "{}", said.stdout);
}

#[test]
fn tuning_finds_the_optimum_of_a_toy() {
    let folder = sample();
    folder.script("toy", "read -r seed; echo $((10000 - ($1 - 37) * ($1 - 37) + seed % 7 - 5 * (N - 3) * (N - 3)))");
    let arguments = ["tune", "-p", "sum", "-s", "./toy {n}", "--env", "N={m}", "--param", "n=1..100:int"];
    let said = folder.judge(&[&arguments[..], &["--param", "m=1..6:int", "--jsonl", "-"]].concat());
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let lines: Vec<Value> = said.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let best: Vec<&Value> = lines.iter().filter(|line| line["best"] == true).collect();
    assert_eq!(best.len(), 1);
    let value = |name: &str| best[0]["setting"][name].as_str().unwrap().parse::<i64>().unwrap();
    assert!((34..=40).contains(&value("n")) && (2..=4).contains(&value("m")), "{}", best[0]);
    assert_eq!(best[0]["cases"].as_array().unwrap().len(), best[0]["scores"].as_array().unwrap().len());
    let said = folder.judge(&[&arguments[..], &["--param", "m=1..6:int"]].concat());
    assert!(said.stdout.contains(&format!("n={} m={}", value("n"), value("m"))), "{}", said.stdout);
    assert!(said.stdout.contains("95 % interval from ") && said.stdout.contains("against the next"), "{}", said.stdout);
}

#[test]
fn tuning_keeps_to_its_budget_and_refuses_what_makes_no_difference() {
    let folder = sample();
    folder.script("counting", "read -r seed; echo $((1000 + $1))");
    let tune = |more: &[&str]| folder.judge(&[&["tune", "-p", "sum", "-s", "./counting {n}"], more].concat());
    let said = tune(&["--param", "n=1..50:int", "--budget", "60"]);
    let runs: usize = said.stdout.split(" runs: ").next().unwrap().rsplit(' ').next().unwrap().parse().unwrap();
    assert!((12..=60).contains(&runs), "{}", said.stdout);
    assert_eq!(tune(&["--param", "n=1..50:int", "--budget", "5"]).code, Some(2));
    assert_eq!(tune(&["--param", "n=1..50:int", "--param", "unused=0..1"]).code, Some(2));
    assert_eq!(tune(&["--param", "n=50..1"]).code, Some(2));
}
