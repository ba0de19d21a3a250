//! Scoring through the command line: weights, test groups, failures, scales and best scores, in every report.

mod reference;

use crate::support::{Folder, of_cases};
use serde_json::{Value, json};

/// Answers with the case's number.
const ALL: &str = "all=cat";

/// Fails on the case 2.
const SOME: &str = "some=sh -c 'read n; [ $n != 2 ] && echo $n'";

/// A problem with the cases 1 to 4, whose answers are their own scores.
fn echo(scoring: &str) -> Folder {
    let folder = Folder::new();
    folder.write(
        "problems.toml",
        format!(
            "[[problem]]\nid = \"echo\"\nchecker-command = \"cat {{answer}}\"\ngenerator-command = \"echo {{seed}}\"\n\
             seeds = \"1-4\"\n{scoring}"
        ),
    );
    folder
}

/// Subtasks of 30 and 70 points. The cases of the second one have the weights 1 and 3.
fn olympiad() -> Folder {
    let folder = Folder::new();
    folder.write(
        "problems.toml",
        "[[problem]]\nid = \"echo\"\nchecker-command = \"cat {answer}\"\ngenerator-command = \"echo {seed}\"\n\
         seeds = \"1-3\"\n[problem.scoring]\nrule = \"exact\"\n\
         [[problem.group]]\nname = \"small\"\nweight = 30\nall-or-nothing = true\nseeds = \"1-2\"\n\
         [[problem.group]]\nname = \"large\"\nweight = 70\ncases = [\"seed-3\", \"big\"]\n\
         [[problem.case]]\nname = \"big\"\nseed = 4\nweight = \"3\"\n",
    );
    folder
}

fn totals(report: &Value) -> Vec<Value> {
    report["solvers"].as_array().unwrap().iter().map(|solver| solver["total"].clone()).collect()
}

fn run(folder: &Folder, more: &[&str]) -> Value {
    folder.json(&[&["run", "-p", "echo"], more].concat()).1
}

#[test]
fn test_groups_count_together_in_every_report() {
    let folder = olympiad();
    let reports = ["--csv", "r.csv", "--junit", "r.xml", "--markdown", "r.md", "--html", "r.html", "--json", "r.json"];
    let said = folder.judge(&[&["run", "-p", "echo", "-s", ALL, "-s", SOME], &reports[..]].concat());
    assert_eq!(said.code, Some(1), "{}", said.stderr);
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let report: Value = serde_json::from_str(&read("r.json")).unwrap();
    assert_eq!(totals(&report), [json!(100), json!(70)]);
    let group = |group: &str, solver: &str, whole: bool, accepted: u32, result: &str, weight: u32, points: u32| {
        json!({"group": group, "solver": solver, "all_or_nothing": whole,
            "aggregate": if whole { "all-or-nothing" } else { "sum" }, "cases": 2, "accepted": accepted,
            "result": result, "weight": weight, "points": points})
    };
    let expected = json!([
        group("small", "all", true, 2, "earned", 30, 30),
        group("small", "some", true, 1, "failed", 30, 0),
        group("large", "all", false, 2, "earned", 70, 70),
        group("large", "some", false, 2, "earned", 70, 70),
    ]);
    assert_eq!(report["test_groups"], expected);
    // Each case has a record for each solver.
    let small = [json!("small"), json!("small"), json!("small"), json!("small")];
    assert_eq!(of_cases(&report, "group")[..4], small.each_ref());
    assert_eq!(of_cases(&report, "weight")[..4], [&json!(15); 4]);
    assert_eq!(of_cases(&report, "weight")[4..], [&json!(17.5), &json!(17.5), &json!(52.5), &json!(52.5)]);
    assert_eq!(of_cases(&report, "points"), [1, 0, 1, 0, 1, 1, 1, 1].map(|points| json!(points)).each_ref());

    assert!(
        read("r.csv").lines().next().unwrap().ends_with("note,weight,group,message,rank,total"),
        "{}",
        read("r.csv")
    );
    assert!(read("r.csv").contains(",17.5,large,,1,100\n"), "{}", read("r.csv"));
    for (name, words) in [
        ("r.md", "| small | some | failed | 1 of 2 | 30 | 0 |"),
        ("r.html", "<td class=\"word\">small</td><td class=\"word\">some</td><td class=\"word\">failed</td>"),
    ] {
        assert!(read(name).contains(words), "{name} lacks {words}: {}", read(name));
    }
    let junit = quick_junit::Report::deserialize_from_str(&read("r.xml")).unwrap();
    let names: Vec<_> = junit.test_suites[1].test_cases.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(names, ["seed-1", "seed-2", "seed-3", "big", "group small"]);
    assert_eq!((junit.tests, junit.failures), (10, 2));
    let row = |line: &&str| line.split_whitespace().take(5).eq(["small", "some", "failed", "1", "of"]);
    assert!(said.stdout.lines().any(|line| row(&line)), "{}", said.stdout);
    let shown = folder.judge(&["show", "echo"]).stdout;
    for words in ["small, weight 30, all or nothing: seeds 1-2", "large, weight 70: seed-3, big", "big: 3"] {
        assert!(shown.contains(words), "{words} is missing in {shown}");
    }
}

/// A problem with the cases 1 to 6 in three groups of two. The points of a case are a twelfth of the answered number.
fn subtasks(groups: [&str; 3]) -> Folder {
    let names = [("a", "1-2"), ("b", "3-4"), ("c", "5-6")].into_iter().zip(groups);
    let group = |((name, seeds), more): ((&str, &str), &str)| {
        format!("[[problem.group]]\nname = \"{name}\"\nseeds = \"{seeds}\"\n{more}\n")
    };
    let folder = echo(&names.map(group).collect::<String>());
    let catalogue = std::fs::read_to_string(folder.path().join("problems.toml")).unwrap();
    folder.write("problems.toml", catalogue.replace("1-4", "1-6").replace("cat {answer}", "sh check.sh {answer}"));
    folder.write("check.sh", "read n < $1 || exit 1; echo 0.$((n * 125))\n");
    folder
}

/// The group, the result, the worst case, the blocking group and the points.
fn of_groups(report: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let groups = report["test_groups"].as_array().unwrap().iter();
    let keys = ["group", "result", "worst", "blocked_by"];
    groups.map(|group| format!("{} {}", keys.map(|key| text(&group[key])).join(" "), group["points"])).collect()
}

#[test]
fn a_group_counts_by_its_worst_case_exactly() {
    let folder =
        subtasks(["aggregate = \"min\"\nweight = 30", "aggregate = \"min\"", "aggregate = \"sum\"\nweight = 3"]);
    let report = run(&folder, &["-s", ALL, "-s", SOME]);
    let expected = [
        "a earned seed-1 - 3.75",
        "a failed seed-2 - 0",
        "b earned seed-3 - 0.375",
        "b earned seed-3 - 0.375",
        "c earned - - 2.0625",
        "c earned - - 2.0625",
    ];
    assert_eq!(of_groups(&report), expected);
    assert_eq!(totals(&report), [json!(6.1875), json!(2.4375)]);
    // Each case of a group has the points of the worst, and its own score.
    assert_eq!(of_cases(&report, "points")[..4], [&json!(0.125), &json!(0), &json!(0.125), &json!(0)]);
    assert_eq!(of_cases(&report, "score")[2], &json!(0.25));
    let shown = folder.judge(&["show", "echo"]).stdout;
    assert!(shown.contains("a, weight 30, by the worst case: seeds 1-2"), "{shown}");
    let rescored = folder.json(&["rescore", "1"]).1;
    assert_eq!((totals(&rescored), of_groups(&rescored)), (totals(&report), of_groups(&report)));
}

#[test]
fn when_minimising_the_worst_case_is_largest() {
    let folder = subtasks(["aggregate = \"min\"", "", "depends-on = [\"a\"]"]);
    let catalogue = std::fs::read_to_string(folder.path().join("problems.toml")).unwrap();
    let scoring = |keys: &str| {
        let scoring = format!("[problem.scoring]\ndirection = \"min\"\n{keys}[[problem.group]]");
        folder.write("problems.toml", catalogue.replacen("[[problem.group]]", &scoring, 1));
        run(&folder, &["-s", ALL, "-s", SOME])
    };
    let report = scoring("failure = 9\n");
    assert_eq!(of_groups(&report)[..2], ["a earned seed-2 - 0.25", "a failed seed-2 - 9"]);
    assert_eq!(totals(&report), [json!(2.5), json!(27.875)]);
    // Without a setting for the score of failed cases.
    let report = scoring("");
    assert_eq!(
        (totals(&report), of_groups(&report)[5].as_str()),
        (vec![json!(2.5), Value::Null], "c blocked - a null")
    );
}

#[test]
fn groups_need_the_groups_they_depend_on() {
    let folder = subtasks(["", "depends-on = [\"a\"]", "depends-on = [\"b\"]\naggregate = \"min\"\nweight = 8"]);
    let reports = ["--junit", "r.xml", "--markdown", "r.md", "--json", "r.json"];
    let said = folder.judge(&[&["run", "-p", "echo", "-s", ALL, "-s", SOME], &reports[..]].concat());
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let report: Value = serde_json::from_str(&read("r.json")).unwrap();
    let expected = [
        "a earned - - 0.375",
        "a partial - - 0.125",
        "b earned - - 0.875",
        "b blocked - a 0",
        "c earned seed-5 - 5",
        "c blocked - a 0",
    ];
    assert_eq!(of_groups(&report), expected);
    assert_eq!(totals(&report), [json!(6.25), json!(0.125)]);
    let row = |line: &&str| line.split_whitespace().take(5).eq(["c", "some", "blocked", "by", "a"]);
    assert!(said.stdout.lines().any(|line| row(&line)), "{}", said.stdout);
    assert!(read("r.md").contains("| c | some | blocked by a | – | 2 of 2 | 8 | 0 |"), "{}", read("r.md"));
    let junit = quick_junit::Report::deserialize_from_str(&read("r.xml")).unwrap();
    assert_eq!((junit.tests, junit.failures), (16, 3), "the case, and the two groups behind it");
    assert!(read("r.xml").contains("a case of the group a failed"), "{}", read("r.xml"));
    // A case that was not run has not failed.
    let report = run(&folder, &["-s", SOME, "--seeds", "1,3-6"]);
    assert_eq!(totals(&report), [json!(6)]);
    let shown = folder.judge(&["show", "echo"]).stdout;
    assert!(shown.contains("c, weight 8, by the worst case, depends on b: seeds 5-6"), "{shown}");
    let schema = serde_json::from_str(&folder.judge(&["schema"]).stdout).unwrap();
    jsonschema::validator_for(&schema).unwrap().validate(&serde_json::from_str(&read("r.json")).unwrap()).unwrap();
}

#[test]
fn a_comparison_counts_a_group_once() {
    // The group counts by its worst case: one observation is not sixteen.
    let folder = echo("[[problem.group]]\nname = \"a\"\nseeds = \"1-16\"\naggregate = \"min\"\n");
    let (first, second) = ("a=cat", "b=sh -c 'read n; [ $n = 1 ] && echo 2 || echo $n'");
    let compare = ["compare", "-p", "echo", "--seeds", "1-16", "--measure", "points", first, second];
    let report = folder.json(&compare).1;
    let effects = report["comparisons"][0]["effects"].as_array().unwrap();
    assert_eq!((effects.len(), &effects[0]["effect"]), (1, &json!(1.0)), "{report}");
    assert_eq!(report["comparisons"][0]["claim"], "too-few-cases");
    let note = "16 cases make 1 effect: a test group that counts as a whole has one, and groups with a common input or failure have one together";
    assert_eq!(report["comparisons"][0]["note"], note);
}

#[test]
fn the_best_score_in_a_group_loses_nothing() {
    let folder = echo("[[problem.group]]\nname = \"a\"\nseeds = \"1-4\"\naggregate = \"min\"\n");
    let report = folder.json(&["run", "-p", "echo", "-s", "cat", "--sort", "lost"]).1;
    assert_eq!(of_cases(&report, "lost"), [0, 0, 0, 0], "{report}");
}

#[test]
fn reports_with_groups_fit_their_schema() {
    let folder = olympiad();
    let schema = serde_json::from_str(&folder.judge(&["schema"]).stdout).unwrap();
    let report = run(&folder, &["-s", ALL, "-s", SOME]);
    jsonschema::validator_for(&schema).unwrap().validate(&report).unwrap();
    let keys = |place: &str| schema.pointer(place).unwrap().as_object().unwrap().clone();
    for (name, record) in [("case", &report["cases"][0]), ("test_group", &report["test_groups"][0])] {
        let described = keys(&format!("/$defs/{name}/properties"));
        assert!(record.as_object().unwrap().keys().all(|key| described.contains_key(key)), "{record}");
    }
}

#[test]
fn repeats_and_selections_share_group_weight() {
    let folder = olympiad();
    assert_eq!(totals(&run(&folder, &["-s", ALL, "--repeat", "2"])), [json!(100)]);
    assert_eq!(totals(&run(&folder, &["-s", ALL, "--seeds", "1,3"])), [json!(100)]);
    folder.script("some", "read n; [ $n != 2 ] && echo $n");
    assert_eq!(totals(&run(&folder, &["-s", "./some", "--seeds", "1,3"])), [json!(100)]);
    assert_eq!(totals(&run(&folder, &["-s", "./some", "--seeds", "1-3"])), [json!(70)]);
}

#[test]
fn two_cases_of_one_seed_keep_their_own_terms() {
    let folder = echo(
        "[problem.scoring]\nrule = \"relative\"\nscale = 100\nbest = \"problem\"\n\
         [[problem.case]]\nname = \"heavy\"\nseed = 3\nweight = 4\nbest = 30\n",
    );
    // Four cases of 100 points, and one of 10 that weighs as much as they do.
    assert_eq!(totals(&run(&folder, &["-s", ALL])), [json!(55)]);
    assert_eq!(totals(&folder.json(&["history", "show", "1"]).1), [json!(55)]);
    assert_eq!(totals(&folder.json(&["rescore", "1", "--score", "sum"]).1), [json!(22)]);
}

#[test]
fn a_stopped_run_has_the_total_of_its_record() {
    let folder =
        echo("[problem.scoring]\nrule = \"exact\"\n[[problem.group]]\nname = \"all\"\nweight = 100\nseeds = \"1-4\"\n");
    // Only two of the four cases were run.
    assert_eq!(totals(&run(&folder, &["-s", SOME, "--fail-fast", "--jobs", "1"])), [json!(50)]);
    assert_eq!(totals(&folder.json(&["history", "show", "last"]).1), [json!(50)]);
    // The third case was not run, so no group is earned.
    let parted = echo("[problem.scoring]\nrule = \"exact\"\n[[problem.group]]\nname = \"odd\"\nseeds = \"1,3\"\n");
    for report in
        [run(&parted, &["-s", SOME, "--fail-fast", "--jobs", "1"]), parted.json(&["history", "show", "last"]).1]
    {
        assert_eq!(report["test_groups"][0]["result"], "partial");
    }
}

#[test]
fn a_failure_costs_what_the_problem_says() {
    let small = "[problem.scoring]\ndirection = \"min\"\n";
    let both = ["-s", ALL, "-s", SOME];
    assert_eq!(totals(&run(&echo(small), &both)), [json!(10), Value::Null]);
    let report = run(&echo(&format!("{small}failure = 3\n")), &both);
    // The 4 of the last case counts as the 3 of a failure.
    assert_eq!(totals(&report), [json!(9), json!(10)]);
    assert_eq!(report["scoring"]["failure"], 3);
}

#[test]
fn scales_come_from_catalogue_or_command_line() {
    let folder = echo("[problem.scoring]\nrule = \"relative\"\nscale = 1000\nbest = \"best.toml\"\n");
    folder.write("best.toml", "seed-1 = 2\nseed-2 = 1\nseed-3 = 12\n\"seed-99\" = 5\n");
    // 1/2, 1 (the run's 2 is better than the file's 1), 1/4, 1.
    let run_here = |more: &[&str]| totals(&run(&folder, &[&["-s", ALL], more].concat()));
    assert_eq!(run_here(&[]), [json!(687.5)]);
    assert_eq!(run_here(&["--repeat", "2"]), [json!(687.5)]);
    assert_eq!(run_here(&["--best", "run"]), [json!(1000)]);
    folder.write("other.toml", "seed-4 = 16\n");
    assert_eq!(run_here(&["--best", "other.toml"]), [json!(812.5)]);
    assert_eq!(run_here(&["--best", "ledger"]), [json!(1000)]);
    folder.script("double", "read n; echo $((n * 2))");
    assert_eq!(totals(&run(&folder, &["-s", "./double", "--best", "run"])), [json!(1000)]);
    assert_eq!(run_here(&["--best", "ledger"]), [json!(500)]);
    assert_eq!(folder.judge(&["best", "-p", "echo", "--export", "best.json"]).code, Some(0));
    assert_eq!(run_here(&["--best", "best.json"]), [json!(500)]);

    let rescored = |more: &[&str]| totals(&folder.json(&[&["rescore", "1"], more].concat()).1);
    // Today, the journal has the doubled scores, and the file has 12 for the third case.
    assert_eq!(rescored(&[]), [json!(437.5)]);
    assert_eq!(rescored(&["--best", "best.toml"]), [json!(687.5)]);
    assert_eq!(rescored(&["--best", "ledger"]), [json!(500)]);
    assert_eq!(rescored(&["--best", "ledger", "--scale", "10"]), [json!(5)]);
    assert_eq!(rescored(&["--score", "rank"]), [json!(4000)]);
    assert_eq!(rescored(&["--score", "rank-topcoder", "--scale", "7"]), [json!(7)]);
    let refused = folder.judge(&["rescore", "1", "--score", "sum", "--scale", "7"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("has no scale"), "{}", refused.stderr);
    assert!(folder.judge(&["history", "show", "1"]).stdout.contains("687.5"));
}

#[test]
fn compared_points_are_relative_to_the_best_known() {
    let folder = echo("[problem.scoring]\nrule = \"relative\"\nscale = 100\n");
    let (first, second) = ("a=sh -c 'read n; echo $((n * 2))'", "b=sh -c 'read n; echo $n'");
    folder.write("best.toml", "seed-1 = 4\nseed-2 = 8\nseed-3 = 12\nseed-4 = 16\n");
    let compare = |more: &[&str]| folder.json(&[&["compare", "-p", "echo", first, second], more].concat()).1;
    let mean = |report: &Value| report["comparisons"][0]["effect"]["mean"].as_f64();
    let (alone, known) = (compare(&["--measure", "points"]), compare(&["--measure", "points", "--best", "best.toml"]));
    assert_eq!((mean(&alone), mean(&known)), (Some(-50.0), Some(-25.0)), "{alone}");
    let refused = folder.judge(&["compare", "-p", "echo", first, second, "--measure", "ratio", "--best", "best.toml"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("--measure points"), "{}", refused.stderr);
}

#[test]
fn a_best_file_without_matching_cases_warns() {
    let folder = echo("[problem.scoring]\nrule = \"relative\"\n");
    folder.write("best.toml", "sead-1 = 2\n");
    let said = folder.judge(&["run", "-p", "echo", "-s", ALL, "--best", "best.toml"]);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert!(said.stderr.contains("best.toml has no score of any of these cases"), "{}", said.stderr);
}

#[test]
fn files_of_best_scores_are_refused_by_line() {
    let folder = echo("[problem.scoring]\nrule = \"relative\"\n");
    folder.write("best.toml", "seed-1 = 2\nseed-2 = many\n");
    for (file, words) in [("best.toml", "best.toml:2:"), ("gone.toml", "gone.toml")] {
        let said = folder.judge(&["run", "-p", "echo", "-s", ALL, "--best", file]);
        assert_eq!(said.code, Some(2));
        assert!(said.stderr.contains(words), "{}", said.stderr);
    }
}

#[test]
fn scoring_errors_name_their_line() {
    let group = "[[problem.group]]\nname = \"a\"\n";
    let two =
        "[[problem.group]]\nname = \"small\"\nseeds = \"1\"\n[[problem.group]]\nname = \"large\"\nseeds = \"2\"\n";
    for (scoring, place, words) in [
        ("[problem.scoring]\nscale = 5\n", "7:9", "the rule `sum` has no scale"),
        ("[problem.scoring]\nrule = \"rank\"\nscale = 0\n", "8:9", "a whole number from 1"),
        ("[problem.scoring]\nrule = \"exact\"\nfailure = 0\n", "8:11", "always has no points"),
        ("[problem.scoring]\nfailure = nan\n", "7:11", "expected a number"),
        ("[problem.scoring]\nbets = \"run\"\n", "7:1", "did you mean `best`?"),
        ("[[problem.group]]\nseeds = \"1\"\n", "6:1", "has no `name`"),
        (group, "6:1", "has no `cases`"),
        (&*format!("{group}cases = [\"seed-1\", \"tiny\"]\n"), "8:20", "no case is named `tiny`"),
        (&*format!("{group}cases = [\"seed-[\"]\n"), "8:10", "not a pattern of case names"),
        (&*format!("{group}seeds = \"1\"\nweight = -1\n"), "9:10", "not negative"),
        (&*format!("{group}seeds = \"1\"\nweight = \"1/0\"\n"), "9:10", "such as 2, 0.5"),
        (&*format!("{group}seeds = \"1\"\nall-or-nothing = 1\n"), "9:18", "expected true or false"),
        (&*format!("{group}seeds = \"1\"\n{group}seeds = \"2\"\n"), "9:1", "two groups named `a`"),
        (
            &*format!("{group}seeds = \"1-3\"\n[[problem.group]]\nname = \"b\"\ncases = [\"seed-*\"]\n"),
            "9:1",
            "the case `seed-1` is in the groups `a` and `b`",
        ),
        (
            &*format!("{group}seeds = \"8-9\"\n[[problem.group]]\nname = \"b\"\nseeds = \"9-10\"\n"),
            "9:1",
            "the seed 9 is in the groups",
        ),
        (&*format!("{group}seeds = \"1\"\naggregate = \"mins\"\n"), "9:13", "did you mean `min`?"),
        (
            &*format!("{group}seeds = \"1\"\naggregate = \"min\"\nall-or-nothing = true\n"),
            "10:18",
            "remove `all-or-nothing`",
        ),
        (&*format!("{group}seeds = \"1\"\ndepends-on = \"b\"\n"), "9:14", "expected an array of texts"),
        (&*format!("{group}seeds = \"1\"\ndepends-on = [\"a\"]\n"), "9:15", "depends on itself: `a` → `a`"),
        (&*format!("{two}depends-on = [\"smal\"]\n"), "12:15", "did you mean `small`?"),
        (&*format!("{two}depends-on = [\"small\", \"small\"]\n"), "12:24", "`small` is named twice"),
        (
            &*format!("{two}depends-on = [\"small\"]\n").replacen("seeds", "depends-on = [\"large\"]\nseeds", 1),
            "8:15",
            "depends on itself: `small` → `large` → `small`",
        ),
        ("[[problem.case]]\nname = \"x\"\nseed = 9\nweight = [1]\n", "9:10", "expected a weight"),
    ] {
        let said = echo(scoring).judge(&["list"]);
        assert_eq!(said.code, Some(2), "{scoring}");
        let place = format!("problems.toml:{place}");
        assert!(said.stderr.contains(words) && said.stderr.contains(&place), "{scoring}: {}", said.stderr);
    }
}

#[test]
fn negative_past_scores_survive_another_rule() {
    let folder = echo("[problem.scoring]\nrule = \"relative\"\n");
    let below = "below=sh -c 'read n; echo $((n - 3))'";
    let failing = "failing=sh -c 'read n; [ $n != 2 ] && echo $((n - 3))'";
    assert_eq!(folder.judge(&["run", "-p", "echo", "-s", below, "-s", failing]).code, Some(1));
    let rescore = ["rescore", "1", "--score", "sum"];
    let (_, report) = folder.json(&rescore);
    assert_eq!(of_cases(&report, "points")[..2], [&json!(-2), &json!(-2)]);
    // -2 - 1 + 0 + 1; a failure worth 0 would be better than an answer.
    assert_eq!((totals(&report)[0].clone(), report["solvers"][1].get("total")), (json!(-2), None));
    let said = folder.judge(&rescore);
    assert!(said.stderr.contains("a score of -2 is below `failure`"), "{}", said.stderr);
    // With the failure below them, both have a total, as in a run.
    let catalogue = std::fs::read_to_string(folder.path().join("problems.toml")).unwrap();
    folder.write("problems.toml", catalogue.replace("rule = \"relative\"", "rule = \"sum\"\nfailure = -9"));
    let said = folder.json(&rescore).1;
    assert_eq!(totals(&said), [json!(-2), json!(-10)]);
    assert_eq!(totals(&folder.json(&["run", "-p", "echo", "-s", below, "-s", failing]).1), totals(&said));
    assert!(!folder.judge(&rescore).stderr.contains("below"));
}
