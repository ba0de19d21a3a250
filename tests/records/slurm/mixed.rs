//! A cluster with different nodes: results name their node, and times are compared only on equal processors.

use super::cluster::{Cluster, OTHER_PROCESSOR};
use super::{User, results};
use crate::support::Folder;
use rusqlite::Connection;
use serde_json::Value;
use std::collections::BTreeSet;

/// An array of jobs that the cluster takes.
const ARRAY: [&str; 2] = ["--sbatch", "--array=0-7"];

#[test]
#[ignore = "long: a cluster of two nodes"]
fn unlike_nodes_keep_their_results_apart() {
    let Some(cluster) = Cluster::start_mixed(2) else { return };
    a_run_names_the_node_of_each_result(&cluster);
    a_comparison_compares_times_on_equal_processors(&cluster);
    a_gate_compares_times_on_equal_processors(&cluster);
    a_search_names_its_nodes(&cluster);
    a_node_without_the_required_tier_ends_the_run(&cluster);
    a_full_queue_is_told_in_the_words_of_slurm(&cluster);
}

/// The nodes of a report by name, each with its processor; it has both.
fn processors(report: &Value) -> Vec<(String, String)> {
    let nodes = report["nodes"].as_array().unwrap_or_else(|| panic!("{report}")).iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let mut nodes: Vec<_> = nodes.map(|node| (text(&node["name"]), text(&node["cpu"]))).collect();
    nodes.sort();
    assert_eq!(nodes.iter().map(|node| &*node.0).collect::<Vec<_>>(), ["n1", "n2"], "{report}");
    assert!(nodes[1].1 == OTHER_PROCESSOR && nodes[0].1 != OTHER_PROCESSOR, "{nodes:?}");
    nodes
}

const DIFFERENT: &str = "the nodes have 2 different processors: CPU times are compared within one only";

fn a_run_names_the_node_of_each_result(cluster: &Cluster) {
    let user = User::new(cluster);
    let words = ["run", "-p", "echo", "-s", "./slow", "-s", "./plain", "--seeds", "1-24", "--on", "slurm"];
    let words = [&words[..], &ARRAY, &["--csv", "cases.csv", "--html", "page.html"]].concat();
    let there = user.json(&words);
    processors(&there);
    let shown = user.json(&["history", "show", "last"]);
    processors(&shown);
    for report in [&there, &shown] {
        let nodes: Vec<_> = results_by_node(report).into_iter().collect();
        assert_eq!(nodes.iter().map(|(_, node)| &**node).collect::<BTreeSet<_>>(), ["n1", "n2"].into());
        assert_eq!(nodes.len(), 24, "all solvers of a case are run on the same node: {nodes:?}");
        assert!(report["solvers"].as_array().unwrap().iter().all(|solver| solver["mean_cpu_ms"].is_null()), "{report}");
    }
    assert_eq!(results_by_node(&there), results_by_node(&shown));
    let text = user.judge(&["history", "show", "last", "--all"]).stdout;
    assert!(text.contains(DIFFERENT) && !text.contains("most CPU"), "{text}");
    let read = |name: &str| std::fs::read_to_string(user.folder.path().join(name)).unwrap();
    assert!(read("page.html").contains(OTHER_PROCESSOR) && read("page.html").contains(DIFFERENT));
    check_csv(&read("cases.csv"), &there);

    // An earlier result keeps its node.
    let again = user.json(&[&words[..], &["--reuse"]].concat());
    assert_eq!(results_by_node(&again), results_by_node(&there));
    processors(&again);
}

/// Each case with each of its nodes.
fn results_by_node(report: &Value) -> BTreeSet<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_else(|| panic!("{report}")).to_owned();
    report["cases"].as_array().unwrap().iter().map(|case| (text(&case["case"]), text(&case["node"]))).collect()
}

fn check_csv(text: &str, report: &Value) {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows: Vec<std::collections::HashMap<String, String>> = reader.deserialize().map(Result::unwrap).collect();
    let nodes: BTreeSet<_> = rows.iter().map(|row| (row["case"].clone(), row["node"].clone())).collect();
    assert_eq!(nodes, results_by_node(report));
}

fn a_comparison_compares_times_on_equal_processors(cluster: &Cluster) {
    let user = User::new(cluster);
    let solvers = ["compare", "-p", "echo", "./slow", "./better"];
    let on = ["--seeds", "1-24", "--on", "slurm"];
    let words = [&solvers[..], &on, &ARRAY, &["--csv", "cases.csv", "--markdown", "page.md"]].concat();
    let report = user.json(&words);
    processors(&report);
    assert_eq!(report["times_comparable"], true);
    let cases = report["cases"].as_array().unwrap();
    let pair = |case: &Value| [0, 1].map(|solver| case["results"][solver]["node"].as_str().unwrap().to_owned());
    assert!(cases.iter().all(|case| pair(case)[0] == pair(case)[1]), "both sides of a pair are on the same node");
    assert_eq!(cases.iter().map(|case| pair(case)[0].clone()).collect::<BTreeSet<_>>().len(), 2);
    let read = |name: &str| std::fs::read_to_string(user.folder.path().join(name)).unwrap();
    assert!(read("page.md").contains(DIFFERENT), "{}", read("page.md"));
    assert!(read("cases.csv").lines().next().unwrap().ends_with(",first_node,second_node"), "{}", read("cases.csv"));

    // Past runs: both sides of a case were not always on the same node.
    for solver in ["./slow", "./better"] {
        let run = ["run", "-p", "echo", "-s", solver, "--seeds", "1-8", "--on", "slurm"];
        assert_eq!(user.judge(&[&run[..], &ARRAY].concat()).code, Some(0));
    }
    let past = ["compare", "-p", "echo", "run:2", "run:3"];
    set_nodes(&user.folder, [("n1", 0..8), ("n1", 0..2), ("n2", 2..8)]);
    assert_eq!(user.json(&past)["times_comparable"], false);
    let text = user.judge(&past).stdout;
    assert!(text.contains("(without 6 cases on different processors)"), "{text}");
    set_nodes(&user.folder, [("n1", 0..8), ("n1", 0..0), ("n2", 0..8)]);
    let text = user.judge(&past).stdout;
    assert!(
        text.contains("CPU time              not compared: no case was run on the same processor by both"),
        "{text}"
    );
    set_nodes(&user.folder, [("n1", 0..8), ("n1", 0..8), ("n2", 8..8)]);
    assert_eq!(user.json(&past)["times_comparable"], true);
}

/// Assigns the cases of run 2 to the first node, and the cases of run 3 to the others.
fn set_nodes(folder: &Folder, [second, third, rest]: [(&str, std::ops::Range<usize>); 3]) {
    let journal = Connection::open(folder.path().join(".judge/journal.db")).unwrap();
    let nodes = "INSERT OR IGNORE INTO node SELECT other.id, name, node.host, node.kernel, node.cpu_model, node.tier,
                 load FROM node, run AS other WHERE node.run = 1";
    journal.execute_batch(nodes).unwrap();
    for (run, (node, places)) in [(2, second), (3, third), (3, rest)] {
        let sql = "UPDATE result SET node = ?1 WHERE place >= ?2 AND place < ?3
                   AND entrant IN (SELECT id FROM entrant WHERE run = ?4)";
        journal.execute(sql, (node, places.start, places.end, run)).unwrap();
    }
}

fn a_gate_compares_times_on_equal_processors(cluster: &Cluster) {
    let user = User::new(cluster);
    let on = [&["--on", "slurm"], &ARRAY[..]].concat();
    let record =
        ["baseline", "-p", "echo", "-s", "./slow", "--seeds", "1-12", "--repeat", "1", "--output", "base.toml"];
    let said = user.judge(&[&record[..], &on].concat());
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let path = user.folder.path().join("base.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text.matches("processor = ").count(), 12, "{text}");
    let others = regex::Regex::new("processor = \"[^\"]*\"").unwrap().replace_all(&text, "processor = \"None\"");
    std::fs::write(&path, &*others).unwrap();
    let gate =
        [&["gate", "--baseline", "base.toml", "-s", "./slow", "--time-drop", "1%", "--repeat", "1"], &on[..]].concat();
    let report = user.json(&gate);
    assert_eq!((&report["holds"], &report["times_not_compared"]), (&Value::Bool(true), &12.into()), "{report}");
    assert!(report["nodes"].as_array().is_some_and(|nodes| !nodes.is_empty()), "{report}");
    let text = user.judge(&gate).stdout;
    assert!(text.contains("the CPU times of 12 cases were not compared: they are of different processors"), "{text}");
    // Results that were recorded here have the processor of the first node.
    let said = user.judge(&record);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    let report = user.json(&gate);
    let ran = results_by_node(&user.json(&["history", "show", "last"]));
    let on_other = ran.iter().filter(|(_, node)| node == "n2").count();
    assert_eq!((ran.len(), &report["times_not_compared"]), (12, &on_other.into()), "{report}");
}

fn a_search_names_its_nodes(cluster: &Cluster) {
    let user = User::new(cluster);
    user.folder.script("tuned", "sleep 0.1; read n; echo $((n + $1))");
    let tune = ["tune", "-p", "echo", "-s", "./tuned {t}", "--param", "t=1..9:int", "--budget", "24", "--compare", "0"];
    let said = user.judge(&[&tune[..], &["--on", "slurm"], &ARRAY, &["--jsonl", "-", "--html", "page.html"]].concat());
    let lines: Vec<Value> = said.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(!lines.is_empty(), "{}", said.stderr);
    for line in lines {
        let [cases, nodes] = ["cases", "nodes"].map(|key| line[key].as_array().unwrap().clone());
        assert_eq!(nodes.len(), cases.len(), "{line}");
    }
    assert!(std::fs::read_to_string(user.folder.path().join("page.html")).unwrap().contains("node n"));
}

fn a_node_without_the_required_tier_ends_the_run(cluster: &Cluster) {
    let user = User::new(cluster);
    let run = ["run", "-p", "echo", "-s", "./plain", "--seeds", "1-3", "--on", "slurm"];
    let tier = user.json(&[&run[..5], &["--seeds", "1"]].concat())["tier"].as_str().unwrap().to_owned();
    let said = user.judge(&[&run[..], &["--sbatch", "--partition=weak", "--require-tier", &tier]].concat());
    let local = user.judge(&["run", "-p", "echo", "-s", "./plain", "--tier", "bare", "--require-tier", &tier]);
    assert_eq!(said.code, local.code, "{}\n{}", said.stderr, local.stderr);
    let error: Vec<_> = said.stderr.lines().filter(|line| line.starts_with("error: ")).collect();
    assert!(error.len() == 1 && error[0].contains(" on node n3: ") && error[0].contains(&tier), "{}", said.stderr);
    cluster.check_nothing_is_left(user.folder.path());
}

fn a_full_queue_is_told_in_the_words_of_slurm(cluster: &Cluster) {
    let user = User::new(cluster);
    let run = ["run", "-p", "echo", "-s", "./plain", "--seeds", "1-40", "--on", "slurm"];
    let said = user.judge(&run);
    assert_eq!(said.code, Some(2), "{}", said.stderr);
    for words in ["sbatch --parsable", "Invalid job array specification", "MaxArraySize", "--array=0-"] {
        assert!(said.stderr.contains(words), "{}", said.stderr);
    }
    let said = user.judge(&[&run[..], &ARRAY].concat());
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert_eq!(results(&user.json(&["history", "show", "last"])).len(), 40);

    // One that is not taken is tried again for minutes.
    let patient = std::fs::read_to_string(user.folder.path().join("problems.toml")).unwrap();
    user.folder.write("problems.toml", format!("{patient}\n[engine.slurm]\nsubmit-wait = \"5s\"\n"));
    while !cluster.slurm(&["timeout", "2", "sbatch", "--hold", "--wrap", "true"]).is_empty() {}
    let said = user.judge(&[&run[..], &ARRAY].concat());
    assert_eq!(said.code, Some(3), "{}", said.stderr);
    assert!(said.stderr.contains("sbatch") && said.stderr.contains("temporarily unable"), "{}", said.stderr);
    assert!(said.stderr.contains("ran longer than 5s"), "{}", said.stderr);
    cluster.slurm(&["scancel", "--me"]);
    cluster.check_nothing_is_left(user.folder.path());
}
