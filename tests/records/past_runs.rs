//! Past runs in place of solvers: `judge compare run:12 run:last`, by themselves or against solvers that play, and
//! `judge power`.

use crate::support::client::Server;
use crate::support::{Folder, Said, of_cases};
use serde_json::Value;

/// The case is its seed, and an answer is a number that is its own score. The answers are random, so they show whether
/// a solver was played.
const CATALOGUE: &str = "[[problem]]
id = \"sum\"
generator-command = \"sh gen.sh {seed}\"
checker-command = \"sh check.sh {input} {answer}\"
seeds = \"1-20\"
[problem.features]
N = \"^([0-9]+)\"
";

fn sample() -> Folder {
    let folder = Folder::new();
    folder.write("problems.toml", CATALOGUE);
    folder.write("gen.sh", "echo $1\n");
    folder.write("check.sh", "cat \"$2\"\n");
    folder.script("plain", "read -r seed; echo $((1000 + seed * 37 % 101))");
    folder.script("better", "read -r seed; echo $((1010 + seed * 37 % 101 + seed * 13 % 7))");
    folder.script("chance", "read -r seed; echo $((1000 + $(od -An -N2 -tu2 /dev/urandom)))");
    folder
}

fn run(folder: &Folder, more: &[&str]) {
    let said = folder.judge(&[&["run", "-p", "sum"], more].concat());
    assert_eq!(said.code, Some(0), "{}{}", said.stdout, said.stderr);
}

fn compare(folder: &Folder, more: &[&str]) -> Value {
    folder.json(&[&["compare", "-p", "sum"], more].concat()).1
}

fn refused(folder: &Folder, more: &[&str]) -> String {
    let Said { code, stderr, .. } = folder.judge(&[&["compare", "-p", "sum"], more].concat());
    assert_eq!(code, Some(2), "{more:?}: {stderr}");
    stderr
}

fn warnings(report: &Value) -> Vec<&str> {
    report["warnings"].as_array().unwrap().iter().map(|warning| warning.as_str().unwrap()).collect()
}

#[test]
fn past_runs_compare_like_fresh_ones() {
    let folder = sample();
    let fresh = compare(&folder, &["./plain", "./chance"]);
    let past = compare(&folder, &["run:1/plain", "run:last/chance"]);
    assert_eq!(past["comparisons"][0]["effect"], fresh["comparisons"][0]["effect"]);
    assert_eq!(past["comparisons"][0]["interval"], fresh["comparisons"][0]["interval"]);
    let solvers = past["solvers"].as_array().unwrap();
    assert_eq!((&solvers[0]["name"], &solvers[0]["run"]), (&"plain#1".into(), &1.into()));
    assert_eq!((&past["times_comparable"], warnings(&past)), (&true.into(), vec![]));
    assert!(past.get("tier").is_none() && past.get("elapsed_ms").is_none(), "nothing was played: {past}");
    let said = folder.judge(&["compare", "-p", "sum", "old=run:1/plain", "run:1/chance"]);
    assert!(said.stdout.contains("chance#1 against old: 20 cases"), "{}", said.stdout);
    assert!(said.stdout.contains("all from past runs") && said.stdout.contains("CPU time   "), "{}", said.stdout);
    assert!(said.stdout.contains("judge run -p sum -s ./chance --seeds "), "{}", said.stdout);
}

#[test]
fn past_cases_are_paired_by_input() {
    let folder = sample();
    run(&folder, &["-s", "./plain", "--seeds", "1-10"]);
    // The generator changes: the seeds 6 to 10 now give the inputs that 8 to 12 gave before, in cases with other names.
    folder.write("gen.sh", "[ $1 -lt 6 ] && echo $1 || echo $(($1 + 2))\n");
    run(&folder, &["-s", "./better", "--seeds", "3-10"]);
    let report = compare(&folder, &["run:1", "run:2"]);
    // The inputs 3, 4, 5, 8, 9, 10.
    assert_eq!(report["comparisons"][0]["cases"], 6);
    assert_eq!(report["comparisons"][0]["effect"]["wins"], 6);
    let said = warnings(&report);
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[0].starts_with("seed-1, seed-2, seed-6, seed-7: plain#1 has a result and better#2 has none"));
    assert!(said[1].starts_with("seed-9, seed-10: better#2 has a result and plain#1 has none"), "{said:?}");
    let stderr = folder.judge(&["compare", "-p", "sum", "run:1", "run:2"]).stderr;
    assert!(said.iter().all(|warning| stderr.contains(&format!("warning: {warning}"))), "{stderr}");
}

#[test]
fn a_solver_plays_past_cases_under_their_limits() {
    let folder = sample();
    run(&folder, &["-s", "./chance", "--seeds", "5-16", "--cpu", "3s"]);
    let past = folder.json(&["history", "show", "last"]).1;
    let report = compare(&folder, &["run:1", "./plain"]);
    assert_eq!(report["comparisons"][0]["cases"], 12);
    let scores = |report: &Value| -> Vec<Value> {
        of_cases(report, "results").iter().map(|results| results[0]["score"].clone()).collect()
    };
    let recorded: Vec<Value> = of_cases(&past, "score").into_iter().cloned().collect();
    assert_eq!(scores(&report), recorded, "the side of the past was not played again");
    assert_eq!((&report["times_comparable"], warnings(&report)), (&true.into(), vec![]));
    assert!(report["tier"].is_string());
    let played = folder.json(&["history", "show", "last"]).1;
    assert_eq!((&played["limits"]["cpu_ms"], played["solvers"][0]["name"].as_str()), (&3000.0.into(), Some("plain")));

    let other = compare(&folder, &["run:1", "./plain", "--cpu", "1s", "--env", "A=1"]);
    assert_eq!(warnings(&other), ["chance#1 and plain differ in: limits, environment"]);
    assert_eq!(other["times_comparable"], false);
    let said = folder.judge(&["compare", "-p", "sum", "run:1", "./plain", "--cpu", "1s"]);
    assert!(said.stdout.contains("CPU time              not compared"), "{}", said.stdout);

    run(&folder, &["-s", "./better", "--seeds", "1-7"]);
    let several = compare(&folder, &["run:1", "run:last", "./plain"]);
    let cases =
        several["comparisons"].as_array().unwrap().iter().map(|comparison| comparison["cases"].as_u64().unwrap());
    assert_eq!((cases.collect::<Vec<_>>(), warnings(&several).len()), (vec![3, 12], 3), "{several}");
    assert_eq!(
        folder.json(&["history", "-n", "1"]).1["runs"][0]["done"],
        12,
        "only what the first side has was played"
    );

    folder.write("gen.sh", "[ $1 -lt 15 ] && echo $1 || echo $(($1 + 2))\n");
    let changed = compare(&folder, &["run:1", "./plain"]);
    assert_eq!(changed["comparisons"][0]["cases"], 10);
    assert!(warnings(&changed)[0].starts_with("seed-15, seed-16: the input has changed or is missing"), "{changed}");
}

#[test]
fn conditions_select_past_cases_and_show_groups() {
    let folder = sample();
    run(&folder, &["-s", "./plain", "-s", "./better"]);
    let report = compare(&folder, &["run:1/plain", "run:1/better", "--where", "N<=8", "--group-by", "N"]);
    assert_eq!(report["comparisons"][0]["cases"], 8);
    assert_eq!(report["comparisons"][0]["groups"].as_array().unwrap().len(), 8);
}

#[test]
fn repeated_cases_are_paired_one_by_one() {
    let folder = sample();
    run(&folder, &["-s", "./chance", "--seeds", "1-3", "--repeat", "2"]);
    run(&folder, &["-s", "./plain", "--seeds", "1-3"]);
    let report = compare(&folder, &["run:1", "run:2"]);
    assert_eq!(report["comparisons"][0]["cases"], 3);
    assert!(warnings(&report)[0].contains("plain#2 has none"), "{report}");
    assert_eq!(compare(&folder, &["run:1", "./plain"])["comparisons"][0]["cases"], 6);
}

#[test]
fn incomparable_runs_are_refused_with_a_hint() {
    let folder = sample();
    assert!(refused(&folder, &["run:1", "./plain"]).contains("there is no journal"));
    run(&folder, &["-s", "./plain", "-s", "./better"]);
    assert!(refused(&folder, &["run:1", "./plain"]).contains("hint: name one: run:1/plain, run:1/better"));
    assert!(refused(&folder, &["run:1/beter", "./plain"]).contains("did you mean `run:1/better`?"));
    assert!(refused(&folder, &["run:7", "./plain"]).contains("7"));
    assert!(refused(&folder, &["run:first", "./plain"]).contains("expected the number of a run"));
    let twice = refused(&folder, &["run:1/plain", "run:1/plain"]);
    let names = "two solvers are named `plain#1`: name each of them, as in plain#1-1=run:1/plain plain#1-2=run:1/plain";
    assert!(twice.contains(names), "{twice}");
    let until = refused(&folder, &["run:1/plain", "./better", "--until-decided"]);
    assert!(until.contains("which a past run does not have") && until.contains("hint: "), "{until}");
    assert!(refused(&folder, &["run:1/plain", "./better", "--seeds", "1-5"]).contains("--where"));
    assert!(refused(&folder, &["run:1/plain", "run:1/better", "--case", "seed=1"]).contains("--where"));
    run(&folder, &["-s", "./plain", "--seeds", "21-30"]);
    assert!(refused(&folder, &["run:1/plain", "run:2"]).contains("no case in common"));
    folder.write("problems.toml", format!("{CATALOGUE}\n{}", CATALOGUE.replace("\"sum\"", "\"other\"")));
    assert_eq!(folder.judge(&["compare", "-p", "other", "run:1/plain", "run:1/better"]).code, Some(2));
    folder.write("check.sh", "cat \"$2\" # another version\n");
    assert_eq!(compare(&folder, &["run:1/plain", "run:1/better"])["comparisons"][0]["claim"], "better");
    assert!(refused(&folder, &["run:1/plain", "./better"]).contains("different checkers are not comparable"));
    // The hint names the run of the checker that has changed, in either order.
    run(&folder, &["-s", "./better"]);
    for pair in [["run:1/plain", "run:3"], ["run:3", "run:1/plain"]] {
        let said = refused(&folder, &pair);
        assert!(said.contains("run 1 was checked by"), "{said}");
        assert!(said.contains("again: judge run -p sum -s ./plain -s ./better\n"), "{said}");
    }
}

#[test]
fn power_takes_the_spread_from_the_journal() {
    let folder = sample();
    let power = |more: &[&str]| folder.json(&[&["power", "-p", "sum"], more].concat()).1;
    let said = folder.judge(&["power", "-p", "sum", "--cpu", "1s"]);
    assert_eq!(said.code, Some(2));
    let hint = "hint: measure it: judge power -p sum -s ./old -s ./new --seeds 1-30 --cpu 1s";
    assert!(said.stderr.contains(hint), "{}", said.stderr);
    run(&folder, &["-s", "./plain"]);
    run(&folder, &["-s", "again=./plain"]);
    assert_eq!(folder.judge(&["power", "-p", "sum"]).code, Some(2), "one solver, twice");
    run(&folder, &["-s", "./chance"]);
    run(&folder, &["-s", "./better", "--seeds", "21-30"]);
    let expected = compare(&folder, &["run:2", "run:3"])["comparisons"][0]["effect"]["deviation"].clone();
    // Run 4 shares no case with the others.
    let newest = power(&[]);
    assert_eq!((&newest["deviation"], &newest["source"]), (&expected, &"chance#3 against again#2, 20 cases".into()));
    assert_eq!(power(&["-s", "run:2", "-s", "run:3"])["deviation"], expected);
    let mixed = power(&["-s", "run:1", "-s", "./better"]);
    assert_eq!(mixed["source"], "better against plain#1, 20 cases");
    assert_eq!(folder.judge(&["power", "-p", "sum", "-s", "run:1"]).code, Some(2));
}

#[test]
fn history_draws_totals_on_the_same_cases() {
    let folder = sample();
    for step in ["0", "7", "1"] {
        folder.script("bot", &format!("echo $((1000 + {step}))"));
        run(&folder, &["-s", "./bot", "--seeds", "1-3"]);
        // Other cases do not count.
        run(&folder, &["-s", "./bot", "--seeds", step]);
    }
    let drawn = |more: &[&str]| {
        let shown = folder.judge(&[&["history"], more].concat()).stdout;
        let table = shown.split("\n\n").nth(1).map(str::to_owned);
        table.map(|table| table.lines().skip(2).map(str::to_owned).collect::<Vec<_>>())
    };
    let rows = drawn(&[]).unwrap();
    assert_eq!(rows.len(), 1, "{rows:?}");
    let words: Vec<_> = rows[0].split_whitespace().collect();
    assert_eq!(words, ["bot", "sum", "3", "3000", "3003", "▁█▂"]);
    assert_eq!(drawn(&["-n", "4"]), None, "two totals are read from the table");
    let has_older = |count| folder.judge(&["history", "-n", count]).stderr.contains("older runs are not shown");
    assert_eq!((has_older("5"), has_older("6")), (true, false));
}

#[test]
fn a_run_shown_by_new_scoring_says_so() {
    let folder = sample();
    run(&folder, &["-s", "./plain"]);
    let is_told = || {
        let said = folder.judge(&["history", "show", "1"]);
        assert_eq!(said.code, Some(0), "{}", said.stderr);
        let head = Server::start(&folder, &[]).json("/api/runs/1");
        let is_told = said.stderr.contains("the scoring has changed since run 1");
        assert_eq!(head["rescored"], is_told);
        is_told
    };
    assert!(!is_told());
    folder.write("problems.toml", format!("{CATALOGUE}[problem.scoring]\nrule = \"mean\"\n"));
    assert!(is_told());
    let said = folder.judge(&["rescore", "1", "--best", "run"]);
    assert!(
        said.stderr.contains("--best changes no points: the rule `mean` refers to no best score"),
        "{}",
        said.stderr
    );
    // The history shows exact means, as the report does.
    run(&folder, &["-s", "decimal=sh -c 'cat > /dev/null; echo 1000000.12345'"]);
    let listed = folder.judge(&["history"]).stdout;
    assert!(listed.contains(" 1000000.12345 "), "{listed}");
    let ranked = folder.judge(&["rank", "-p", "sum", "run:1", "run:2"]).stdout;
    assert!(ranked.contains(" 1000000.12345 "), "{ranked}");
}

#[test]
fn features_are_recorded_with_their_cases() {
    let folder = sample();
    run(&folder, &["-s", "./plain"]);
    let features = |arguments: &[&str]| -> Vec<Value> {
        of_cases(&folder.json(arguments).1, "features").into_iter().map(|features| features["N"].clone()).collect()
    };
    let shown = ["history", "show", "1", "--where", "N > 18"];
    assert_eq!(features(&["history", "show", "1"]), (1..=20).map(Value::from).collect::<Vec<_>>());
    let lines = folder.judge(&["history", "show", "1", "--jsonl", "-"]).stdout;
    assert_eq!(lines.matches("\"features\":{\"N\":").count(), 20, "{lines}");
    // Cases that can no longer be made, or that have changed, do not remove these results.
    folder.write("gen.sh", "exit 1\n");
    assert_eq!(features(&shown), [19, 20].map(Value::from));
    folder.write("gen.sh", "echo $(($1 * 100))\n");
    assert_eq!(features(&shown), [19, 20].map(Value::from));
    let compared = compare(&folder, &["a=run:1", "b=run:1", "--where", "N <= 8", "--group-by", "N"]);
    assert_eq!(compared["comparisons"][0]["cases"], 8);
    // A rule of today is applied to the inputs, where they are still the same.
    folder.write("gen.sh", "echo $1\n");
    folder.write("problems.toml", CATALOGUE.replace("^([0-9]+)", "([0-9])\\\\n"));
    assert_eq!(features(&["history", "show", "1", "--where", "N == 0"]), [0, 0].map(Value::from));
}

/// A journal may be read in another folder than its run's.
#[test]
fn files_keep_their_weights_in_another_folder() {
    let folder = Folder::new();
    let problem = "[[problem]]\nid = \"sum\"\nchecker-command = \"cat {answer}\"\n\
                   [[problem.case]]\nfile = \"cases/x.in\"\nweight = 3\n[[problem.case]]\nfile = \"cases/y.in\"\n";
    for place in ["a", "b"] {
        folder.write(&format!("{place}/problems.toml"), problem);
        folder.write(&format!("{place}/cases/x.in"), "2\n");
        folder.write(&format!("{place}/cases/y.in"), "5\n");
    }
    let total = |place: &str, arguments: &[&str]| {
        let problems = format!("{place}/problems.toml");
        let report = folder.json(&[arguments, &["--problems", &problems, "--journal", "j.db"]].concat()).1;
        report["solvers"][0]["total"].clone()
    };
    assert_eq!(total("a", &["run", "-s", "cat"]), 11);
    assert_eq!(total("a", &["run", "-s", "cat", "--inputs", "a/cases/x.in"]), 6);
    std::fs::remove_dir_all(folder.path().join("a")).unwrap();
    assert_eq!(total("b", &["history", "show", "1"]), 11);
    assert_eq!(total("b", &["rescore", "1"]), 11);
    let shown = folder.json(&["history", "show", "1", "--problems", "b/problems.toml", "--journal", "j.db"]).1;
    let again = shown["cases"][0]["reproduce"].as_str().unwrap();
    assert!(again.ends_with("--problems b/problems.toml"), "the catalogue is found from here: {again}");
}

#[test]
fn features_survive_merging() {
    let folder = sample();
    for shard in ["1", "2"] {
        run(&folder, &["-s", "./plain", "--shard", &format!("{shard}/2"), "--journal", &format!("{shard}.db")]);
    }
    assert_eq!(folder.judge(&["merge", "1.db", "2.db", "--into", "all.db"]).code, Some(0));
    folder.write("gen.sh", "exit 1\n");
    let (_, shown) = folder.json(&["history", "show", "last", "--where", "N > 5", "--journal", "all.db"]);
    assert_eq!(of_cases(&shown, "case").len(), 15);
}

#[test]
fn the_history_has_the_totals_of_the_runs() {
    let folder = sample();
    folder.script("thirds", "read -r seed; echo $((seed % 3)).12345");
    folder.script("small", "read -r seed; echo 0.0123456$seed");
    for rule in ["sum", "mean", "log", "relative"] {
        folder
            .write("problems.toml", CATALOGUE.replace("[problem.f", &format!("scoring.rule = \"{rule}\"\n[problem.f")));
        let solvers = folder.json(&["run", "-s", "./thirds", "-s", "./small", "--seeds", "1-7"]).1["solvers"].clone();
        let history = folder.json(&["history"]).1["runs"].clone();
        let grouped = folder.json(&["history", "--where", "N < 100"]).1["runs"].clone();
        for solver in 0..2 {
            let total = &solvers[solver]["total"];
            assert_eq!((&history[solver]["total"], &grouped[solver]["total"]), (total, total), "{rule}");
        }
    }
}

#[test]
fn the_totals_of_a_gate_are_sums_of_its_means() {
    let folder = sample();
    let cases = ["-p", "sum", "-s", "./chance", "--seeds", "1-7", "--repeat", "3"];
    assert_eq!(folder.judge(&[&["baseline", "--output", "b.toml"], &cases[..]].concat()).code, Some(0));
    let gate =
        ["gate", "--baseline", "b.toml", "-s", "./chance", "--repeat", "3", "--max-drop", "100%", "--csv", "g.csv"];
    let report = folder.json(&gate).1;
    let rows = std::fs::read_to_string(folder.path().join("g.csv")).unwrap();
    for (total, column) in [("total_was", 3), ("total_now", 4)] {
        let scores = rows.lines().skip(1).map(|row| row.split(',').nth(column).unwrap().parse::<f64>().unwrap());
        let difference = report[total].as_f64().unwrap() - scores.sum::<f64>();
        assert!(difference.abs() < 0.01, "{total}: {difference}\n{rows}");
    }
}
