//! The search for good parameters, and the comparison of its winner with the default setting.

use super::*;
use rustix::process::{Pid, Signal, kill_process};
use std::collections::{HashMap, HashSet};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Returns the lines of a search; it ends with exit code 0.
fn lines(folder: &Folder, arguments: &[&str]) -> Vec<Value> {
    let said = folder.judge(&[arguments, &["--jsonl", "-"]].concat());
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    said.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Interrupts a command once the journal has this many results.
fn interrupted(folder: &Folder, arguments: &[&str], least: u64) -> Said {
    let child = folder.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let done = || {
        let said = folder.judge(&["history", "-p", "sum", "--all", "--json", "-"]);
        let rows: Value = serde_json::from_str(&said.stdout).unwrap_or_default();
        rows["runs"].as_array().map_or(0, |rows| rows.iter().filter_map(|row| row["done"].as_u64()).sum())
    };
    let deadline = Instant::now() + Duration::from_secs(60);
    while Instant::now() < deadline && done() < least {
        std::thread::sleep(Duration::from_millis(20));
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let said: Said = child.wait_with_output().unwrap().into();
    assert_eq!(said.code, Some(130), "{}", said.stderr);
    said
}

#[test]
fn an_interrupted_ranking_counts_what_was_run() {
    let folder = sample();
    folder.script("slow", "read -r seed; sleep 0.2; echo $seed");
    for command in ["rank", "compare"] {
        let arguments = [command, "-p", "sum", "a=./slow", "b=./slow", "--seeds", "1-60", "--jobs", "2"];
        let said = interrupted(&folder, &arguments, 4);
        let last = said.stdout.lines().find(|line| line.contains("sandbox tier")).unwrap();
        assert!(last.contains(" of 60 cases; "), "{last}");
        let history = folder.command(&["history"]).env("COLUMNS", "80").output().unwrap();
        assert!(String::from_utf8_lossy(&history.stdout).contains("interrupted"), "its state is shown");
        std::fs::remove_dir_all(folder.path().join(".judge")).unwrap();
    }
}

fn best(lines: &[Value]) -> &Value {
    let best: Vec<&Value> = lines.iter().filter(|line| line["best"] == true).collect();
    assert_eq!(best.len(), 1);
    best[0]
}

fn runs(lines: &[Value]) -> usize {
    lines.iter().map(|line| line["cases"].as_array().unwrap().len()).sum()
}

fn whole(line: &Value, name: &str) -> i64 {
    line["setting"][name].as_str().unwrap().parse().unwrap()
}

#[test]
#[ignore = "CI: a whole search"]
fn tuning_finds_the_optimum_of_a_toy() {
    let folder = sample();
    folder.script("toy", "read -r seed; echo $((10000 - ($1 - 37) * ($1 - 37) + seed % 7 - 5 * (N - 3) * (N - 3)))");
    let arguments = ["tune", "-p", "sum", "-s", "./toy {n}", "--env", "N={m}", "--param", "n=1..100:int"];
    let arguments = [&arguments[..], &["--param", "m=1..6:int", "--budget", "200"]].concat();
    let lines = lines(&folder, &arguments);
    let best = best(&lines);
    assert!((35..=39).contains(&whole(best, "n")) && (2..=4).contains(&whole(best, "m")), "{best}");
    assert_eq!(best["cases"].as_array().unwrap().len(), best["scores"].as_array().unwrap().len());
    let said = folder.judge(&[&arguments[..], &["--reuse"]].concat());
    assert!(said.stdout.contains(&format!("n={} m={}", whole(best, "n"), whole(best, "m"))), "{}", said.stdout);
    assert!(said.stdout.contains("95 % interval from ") && said.stdout.contains("against the next"), "{}", said.stdout);
    assert!(said.stdout.contains("exaggerated (selection)"), "{}", said.stdout);
    let sure = "is better than n=51 m=4 (";
    assert!(said.stdout.contains(sure) && said.stdout.contains("on 50 fresh cases"), "{}", said.stdout);
}

#[test]
fn points_of_a_rule_are_no_scores() {
    let folder = sample_with(&CATALOGUE.replace("rule = \"sum\"", "rule = \"exact\""));
    let tune = ["tune", "-p", "sum", "-s", "./plain {n}", "--param", "n=1..2:int", "--budget", "4", "--compare", "0"];
    let said = folder.judge(&tune);
    assert!(said.stdout.contains("mean points") && !said.stdout.contains("mean score"), "{}", said.stdout);
}

#[test]
fn a_judge_error_counts_against_no_setting() {
    let folder = sample();
    folder.write("check.sh", "read -r score < \"$2\"; [ \"$score\" = fault ] && exit 7; echo \"$score\"\n");
    folder.script("toy", "read -r seed; [ $1 = 3 ] && [ $((seed % 2)) = 1 ] && echo fault || echo $((100 * $1))");
    let tune = ["tune", "-p", "sum", "-s", "./toy {n}", "--param", "n=1..3:int", "--budget", "36", "--compare", "0"];
    for measure in ["total", "difference"] {
        let said = folder.judge(&[&tune[..], &["--measure", measure]].concat());
        assert_eq!(said.code, Some(3), "{}", said.stderr);
        assert!(said.stdout.contains("results of n=3: a judge error, left out"), "{}", said.stdout);
        assert!(said.stdout.contains("runs: n=3"), "{}", said.stdout);
    }
}

#[test]
fn the_command_of_the_winner_has_the_flags_of_the_search_and_fresh_seeds() {
    let folder = counting();
    std::fs::rename(folder.path().join("problems.toml"), folder.path().join("mine.toml")).unwrap();
    let tune =
        ["tune", "--problems", "mine.toml", "-p", "sum", "-s", "./counting {n}", "--env", "N={n}", "--cpu", "3s"];
    let search = ["--param", "n=1..3:int", "--seeds", "1-60", "--budget", "12", "--compare", "0"];
    let said = folder.judge(&[&tune[..], &search].concat());
    let again = "judge run -p sum -s './counting 3' --cpu 3s --env 'N=3' --problems mine.toml --seeds ";
    assert!(said.stdout.contains(again) && !said.stdout.contains("--seeds 1-50"), "{}", said.stdout);
}

/// Searches a range with this budget, and spends nearly all of it.
fn keeps_its_budget(folder: &Folder, range: &str, budget: usize) {
    let tune = ["tune", "-p", "sum", "-s", "./counting {n}", "--compare", "0", "--param", range];
    let said = folder.judge(&[&tune[..], &["--budget", &budget.to_string()]].concat());
    let runs: usize = said.stdout.split(" runs: ").next().unwrap().rsplit(' ').next().unwrap().parse().unwrap();
    assert!((budget * 19 / 20..=budget).contains(&runs), "{range}: {}", said.stdout);
    assert!(!said.stdout.contains("fresh cases against"), "{}", said.stdout);
}

/// A problem, and a solver that scores more the larger its parameter is.
fn counting() -> Folder {
    let folder = sample();
    folder.script("counting", "read -r seed; echo $((1000 + $1))");
    folder
}

#[test]
#[ignore = "long: hundreds of runs"]
fn large_searches_keep_their_budget() {
    let folder = counting();
    keeps_its_budget(&folder, "n=1..30:int", 300);
    keeps_its_budget(&folder, "n=1..30:int", 500);
}

#[test]
#[ignore = "CI: whole searches"]
fn tuning_keeps_its_budget_and_refuses_useless_parameters() {
    let folder = counting();
    for (range, budget) in [("n=1..50:int", 60), ("n=1..3:int", 90), ("n=1,2", 40)] {
        keeps_its_budget(&folder, range, budget);
    }
    let tune = ["tune", "-p", "sum", "-s", "./counting {n}", "--compare", "0"];
    for (more, why) in [
        (&["--param", "n=0..1e9:int:log", "--budget", "60"][..], "must lie above 0"),
        (&["--param", "n=1..50:int", "--budget", "3"], "two settings take 4 runs"),
        (&["--param", "n=1..50:int", "--param", "unused=0..1"], "`unused` is used nowhere"),
        (&["--param", "n=50..1"], "the low end must be below the high end"),
        (&["--param", "n=a"], "at least two values"),
        (&["--param", "n=1..5", "--param", "n=1..6"], "`n` is given twice"),
        (&["--param", "n=1..5 if k=a"], "`k`, which is not a category before it"),
        (&["--param", "n=1..5", "--default", "n=9"], "the default n=9 is not in n=1..5"),
    ] {
        let said = folder.judge(&[&tune[..], more].concat());
        assert!(said.code == Some(2) && said.stderr.contains(why), "{more:?}: {}", said.stderr);
        assert_eq!(said.stderr.matches("error:").count(), 1, "{}", said.stderr);
    }
}

#[test]
#[ignore = "CI: whole searches"]
fn conditional_parameters_apply_only_under_their_condition() {
    let folder = sample();
    // A greedy solver has 9,000 points, one with a beam up to 10,000 at a width of 30.
    folder.script(
        "toy",
        "read -r seed; [ $1 = beam ] && echo $((10000 - ($2 - 30) * ($2 - 30) + seed % 7)) || echo 9000",
    );
    let tune = ["tune", "-p", "sum", "-s", "./toy {k} {w}", "--param", "k={greedy,beam}", "--budget", "120"];
    let tune = [&tune[..], &["--param", "w=1..99:int if k=beam", "--default", "w=70", "--compare", "12"]].concat();
    let first = lines(&folder, &tune);
    let greedy: Vec<&Value> = first.iter().filter(|line| line["setting"]["k"] == "greedy").collect();
    assert_eq!(greedy.len(), 1, "the width of a greedy solver makes no other setting of it");
    assert_eq!((&greedy[0]["setting"]["w"], &greedy[0]["default"]), (&"70".into(), &true.into()));
    let best = best(&first);
    assert!(best["setting"]["k"] == "beam" && (28..=32).contains(&whole(best, "w")), "{best}");
    let comparison = &best["comparison"];
    assert_eq!((&comparison["claim"], &comparison["default_given"]), (&"better".into(), &true.into()), "{comparison}");
    let verdict = comparison["verdict"].as_str().unwrap();
    assert!(verdict.starts_with("on these 12 cases the sum rises by 11"), "{verdict}");
    assert!(
        verdict.contains("judging by these 12 cases, k=beam w=") && verdict.contains("is better than k=greedy w=70 (")
    );
    let fresh = comparison["cases"].as_array().unwrap();
    assert_eq!((fresh.len(), &fresh[0]), (12, &"seed-1000001".into()));
    assert!(best["cases"].as_array().unwrap().iter().all(|case| case.as_str().unwrap() > "seed-2000000"));
    assert!((114..=120).contains(&runs(&first)));
    assert_eq!(lines(&folder, &tune), first, "the same seed gives the same search");
}

#[test]
fn parameters_that_do_nothing_win_nothing() {
    let folder = sample();
    folder.script("same", "read -r seed; echo $((1000 + seed % 7)) # $1");
    let tune = ["tune", "-p", "sum", "-s", "./same {n}", "--param", "n=0..1", "--budget", "40", "--compare", "10"];
    let said = folder.judge(&tune);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let is_equal = said.stdout.contains("no difference: the same points on all 10 cases")
        || said.stdout.contains("no difference: the same score on all 10 cases")
        || said.stdout.contains("it is the default setting");
    assert!(is_equal, "{}", said.stdout);
}

#[test]
fn a_fault_of_the_checker_is_the_exit_code() {
    let folder = counting();
    folder.write("check.sh", CHECKER.replacen("case", "[ \"$score\" -gt 1002 ] && exit 7\ncase", 1));
    let tune = ["tune", "-p", "sum", "-s", "./counting {n}", "--param", "n=1..4:int", "--budget", "40"];
    let said = folder.judge(&tune);
    assert_eq!(said.code, Some(3), "{}{}", said.stdout, said.stderr);
}

#[test]
fn a_relative_lead_is_a_share_of_the_score() {
    let folder = counting();
    let tune = ["tune", "-p", "sum", "-s", "./counting {n}", "--param", "n=1..4:int", "--budget", "40"];
    let said = folder.judge(&[&tune[..], &["--compare", "0", "--measure", "relative", "--alpha", "0.001"]].concat());
    assert!(said.stdout.contains("against the next      0.100 %"), "{}", said.stdout);
    assert!(said.stdout.contains("99.9 % interval"), "{}", said.stdout);
}

#[test]
#[ignore = "CI: whole searches"]
fn an_interrupted_search_goes_on_where_it_was() {
    let folder = sample();
    // A repeated run gives another score.
    folder.script("chance", "read -r seed; sleep 0.05; echo $((1000 + $1 + $(od -An -N2 -tu2 /dev/urandom) % 50))");
    let tune =
        ["tune", "-p", "sum", "-s", "./chance {n}", "--param", "n=1..90:int", "--budget", "80", "--compare", "4"];
    let tune = [&tune[..], &["--jobs", "2"]].concat();
    let said = interrupted(&folder, &tune, 40);
    assert!(said.stdout.contains("best of ") && said.stdout.contains("the best so far"), "{}", said.stdout);
    assert!(said.stderr.contains("continue with: judge tune ") && said.stderr.contains("--resume"), "{}", said.stderr);
    let interrupted: Value = folder.json(&["history", "show", "last"]).1;
    let before = interrupted["cases"].as_array().unwrap();
    assert!(before.len() >= 40, "{interrupted}");
    let run: Vec<_> = before.iter().filter(|case| case["verdict"] != "skipped").collect();
    let tried: HashSet<&Value> = run.iter().map(|case| &case["solver"]).collect();
    let told = format!("best of {} settings in {} runs", tried.len(), run.len());
    assert!(said.stdout.contains(&told), "{told}: {}", said.stdout);
    let history = folder.json(&["history"]).1;
    assert_eq!(history["runs"][0]["settings"], tried.len());

    let lines = lines(&folder, &[&tune[..], &["--resume"]].concat());
    assert_eq!(runs(&lines), 80);
    let mut scores = HashMap::new();
    for line in &lines {
        let pairs = line["cases"].as_array().unwrap().iter().zip(line["scores"].as_array().unwrap());
        let name = format!("n={}", whole(line, "n"));
        scores.extend(pairs.map(|(case, score)| ((name.clone(), case.clone()), score.clone())));
    }
    for known in before.iter().filter(|known| known["verdict"] == "accepted") {
        let key = (known["solver"].as_str().unwrap().to_owned(), known["case"].clone());
        assert_eq!(scores.get(&key), Some(&known["score"]), "{key:?} was run again, or was not asked for");
    }
}

#[test]
fn inputs_of_the_search_are_not_fresh() {
    let few = |numbers: u32| {
        let folder = sample_with(&CATALOGUE.replace("\"echo {seed}\"", "\"sh few.sh {seed}\""));
        folder.write("few.sh", format!("echo $(($1 % {numbers}))\n"));
        folder.script("toy", "read -r seed; echo $((1000 + seed * 20 - ($1 - 6) * ($1 - 6) * 5))");
        let tune = ["tune", "-p", "sum", "-s", "./toy {n}", "--param", "n=1..9:int", "--default", "n=1"];
        folder.judge(&[&tune[..], &["--budget", "60", "--first-cases", "10", "--compare", "30"]].concat())
    };
    let same = few(7);
    let left_out = "30 of 30 fresh cases not compared: the search has played the same input under another seed";
    assert!(same.stderr.contains(left_out) && !same.stdout.contains("fresh cases against"), "{}", same.stderr);
    assert!(
        same.stdout.contains("of the search repeat inputs of others: its intervals are too narrow"),
        "{}",
        same.stdout
    );
    let others = few(1_000_000_007);
    assert!(others.stdout.contains("on 30 fresh cases against") && !others.stdout.contains("repeat inputs"));
    assert!(!others.stderr.contains("not compared"), "{}", others.stderr);
}
