//! Shards that were played on different machines, or repeatedly, or with different shard counts.

use super::{BOT, expect, play, sample};
use crate::support::{Folder, of_cases};
use rusqlite::Connection;
use serde_json::Value;
use std::collections::BTreeSet;

/// Has a journal say that its runs were recorded on another machine.
fn move_to(folder: &Folder, journal: &str, host: &str, processor: &str) {
    let connection = Connection::open(folder.path().join(journal)).unwrap();
    connection.execute("UPDATE run SET host = ?1, cpu_model = ?2", [host, processor]).unwrap();
}

fn merge(folder: &Folder, files: &[&str]) -> Value {
    let said = expect(folder, &[&["merge"], files, &["--json", "-"]].concat(), 0);
    let report: Value = serde_json::from_str(&said.stdout).unwrap();
    schema(folder).validate(&report).unwrap();
    report
}

fn schema(folder: &Folder) -> jsonschema::Validator {
    let text = expect(folder, &["schema", "merge"], 0).stdout;
    jsonschema::validator_for(&serde_json::from_str(&text).unwrap()).unwrap()
}

fn texts<'a>(values: impl IntoIterator<Item = &'a Value>) -> Vec<&'a str> {
    values.into_iter().map(|value| value.as_str().unwrap()).collect()
}

#[test]
fn times_compare_only_on_equal_processors() {
    let folder = sample();
    let command = [&BOT[..], &["-s", "./rival"]].concat();
    for shard in 1..=2 {
        play(&folder, &command, shard, 2);
    }
    expect(&folder, &["merge", "1.db", "2.db", "--into", "alike.db"], 0);
    let alike = folder.json(&["history", "show", "last", "--journal", "alike.db"]).1;
    assert!(alike["nodes"].is_null() && of_cases(&alike, "node").iter().all(|node| node.is_null()), "{alike}");
    assert!(!alike["solvers"][0]["mean_cpu_ms"].is_null());

    move_to(&folder, "1.db", "alpha", "EPYC");
    move_to(&folder, "2.db", "beta", "Xeon");
    expect(&folder, &["merge", "2.db", "1.db", "--into", "unlike.db"], 0);
    let unlike = folder.json(&["history", "show", "last", "--journal", "unlike.db", "--csv", "cases.csv"]).1;
    let nodes = unlike["nodes"].as_array().unwrap();
    let machines: BTreeSet<_> = nodes.iter().map(|node| texts([&node["name"], &node["cpu"]])).collect();
    assert_eq!(machines, [vec!["alpha", "EPYC"], vec!["beta", "Xeon"]].into());
    assert_eq!(texts(of_cases(&unlike, "node")).into_iter().collect::<BTreeSet<_>>(), ["alpha", "beta"].into());
    assert!(unlike["solvers"][0]["mean_cpu_ms"].is_null());
    let csv = std::fs::read_to_string(folder.path().join("cases.csv")).unwrap();
    assert!(csv.lines().next().unwrap().ends_with(",node") && csv.contains(",alpha\n"), "{csv}");
    let text = expect(&folder, &["history", "show", "last", "--journal", "unlike.db"], 0).stdout;
    assert!(text.contains("the nodes have 2 different processors"), "{text}");

    // The solvers of a case were played in the same shard.
    let compare = ["compare", "-p", "echo", "run:1/bot", "run:1/rival", "--journal", "unlike.db"];
    assert_eq!(folder.json(&compare).1["times_comparable"], true);
    let text = folder.judge(&compare).stdout;
    assert!(text.contains("different processors: CPU times are compared within one only"), "{text}");

    // Two machines of one name are two.
    move_to(&folder, "2.db", "alpha", "Xeon");
    expect(&folder, &["merge", "1.db", "2.db", "--into", "namesakes.db"], 0);
    let namesakes = folder.json(&["history", "show", "last", "--journal", "namesakes.db"]).1;
    assert_eq!(texts(of_cases(&namesakes, "node")).into_iter().collect::<BTreeSet<_>>(), ["alpha", "alpha-2"].into());
}

#[test]
fn a_shard_that_was_played_twice_counts_once() {
    let folder = sample();
    for shard in 1..=2 {
        play(&folder, &BOT, shard, 2);
    }
    expect(&folder, &[&BOT[..], &["--shard", "1/2", "--journal", "again.db"]].concat(), 0);
    let first = merge(&folder, &["again.db", "2.db", "1.db"]);
    assert_eq!((&first["run"]["results"], &first["run"]["complete"]), (&12.into(), &true.into()), "{first}");
    let whole = folder.json(&["history", "show", "last"]).1;
    assert_eq!(of_cases(&whole, "case").len(), 12);
    for files in [&["1.db", "2.db", "again.db"][..], &["again.db"], &["1.db"]] {
        let again = merge(&folder, files);
        assert_eq!((&again["run"]["results"], &again["run"]["added"]), (&12.into(), &0.into()), "{again}");
        assert_eq!(folder.json(&["history", "show", "last"]).1["cases"], whole["cases"]);
    }
    // The other order, into another journal: the result of the run that started first stays.
    expect(&folder, &["merge", "1.db", "again.db", "2.db", "--into", "other.db"], 0);
    assert_eq!(folder.json(&["history", "show", "last", "--journal", "other.db"]).1["cases"], whole["cases"]);
}

#[test]
fn differently_split_shards_report_missing_cases() {
    let folder = sample();
    let play_into = |shard: &str, journal: &str| {
        let said = folder.judge(&[&BOT[..], &["--shard", shard, "--journal", journal]].concat());
        assert!(matches!(said.code, Some(0 | 1)), "{}", said.stderr);
    };
    play_into("1/2", "half.db");
    play_into("1/3", "third.db");
    play_into("2/3", "other-third.db");
    let partial = merge(&folder, &["half.db", "third.db", "other-third.db"]);
    let missing = texts(partial["missing_cases"].as_array().unwrap()).join(" ");
    let done = folder.json(&["history", "show", "last"]).1;
    let done = texts(of_cases(&done, "case")).into_iter().map(str::to_owned).collect::<BTreeSet<_>>();
    let expected: Vec<_> = (1..=12).map(|seed| format!("seed-{seed}")).filter(|case| !done.contains(case)).collect();
    assert_eq!(missing, expected.join(" "));
    assert!(!expected.is_empty(), "this needs a case of the last third in the second half");
    let parts = partial["missing"].as_array().unwrap();
    assert_eq!(texts(parts.iter().map(|part| &part["shard"])), ["3/3"], "{partial}");
    let text = expect(&folder, &["merge", "half.db"], 0).stdout;
    assert!(text.contains(" of 12 cases, 3 runs;"), "{text}");

    // The printed command runs it.
    let command = parts[0]["command"].as_str().unwrap().replacen("judge", env!("CARGO_BIN_EXE_judge"), 1);
    let mut shell = std::process::Command::new("sh");
    let status = shell.args(["-c", &format!("{command} > out")]).current_dir(folder.path()).status().unwrap();
    assert!(matches!(status.code(), Some(0 | 1)), "{command}");
    let whole = merge(&folder, &["shard-3-of-3.db"]);
    assert_eq!((&whole["run"]["complete"], &whole["missing"]), (&true.into(), &Value::Array(vec![])), "{whole}");
    // No case is missing that was played in shards of another count.
    assert_eq!(whole["missing_cases"], Value::Array(vec![]));
}

#[test]
fn what_is_refused_is_told_with_the_reason() {
    let folder = sample();
    play(&folder, &BOT, 1, 2);
    play(&folder, &BOT, 2, 2);
    expect(&folder, &[&BOT[..], &["--seeds", "1-3", "--journal", "foreign.db"]].concat(), 0);
    folder.write("text.db", "no journal");
    for (file, reason) in [("foreign.db", "does not belong with 1.db"), ("text.db", "text.db")] {
        let said = folder.judge(&["merge", "1.db", "2.db", file, "--into", "all.db", "--json", "merge.json"]);
        assert_eq!(said.code, Some(2), "{}", said.stderr);
        let text = std::fs::read_to_string(folder.path().join("merge.json")).unwrap();
        let report: Value = serde_json::from_str(&text).unwrap();
        schema(&folder).validate(&report).unwrap();
        let refused = report["refused"].as_array().unwrap();
        assert_eq!(texts(refused.iter().map(|refused| &refused["file"])), [file], "{report}");
        assert!(refused[0]["reason"].as_str().unwrap().contains(reason), "{report}");
        assert!(report["run"].is_null() && !folder.path().join("all.db").exists());
    }
}
