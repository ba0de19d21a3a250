//! The merged run equals the run on one machine.

use super::{BOT, CATALOGUE, expect, play, sample};
use crate::support::Folder;
use rusqlite::Connection;
use std::collections::BTreeSet;

/// Replaces parts that differ from run to run, so that reports can be compared byte for byte.
fn without_times(folder: &Folder, journal: &str) {
    let connection = Connection::open(folder.path().join(journal)).unwrap();
    let sql = "UPDATE result SET cpu_us = 1000, wall_us = 2000, memory = 4096, noisy = 0;
               UPDATE run SET started = '2026-01-01T00:00:00.000Z', elapsed_us = 5000;";
    connection.execute_batch(sql).unwrap();
}

/// Every report of the newest run of a journal.
fn reports(folder: &Folder, journal: &str) -> Vec<(String, String)> {
    let mut reports = Vec::new();
    for format in ["--json", "--jsonl", "--csv", "--junit", "--markdown", "--html"] {
        for command in [&["history", "show", "last", "--all"][..], &["rescore", "last", "--score", "rank"]] {
            let said = expect(folder, &[command, &[format, "-", "--journal", journal]].concat(), 0);
            reports.push((format!("{} {format}", command[0]), said.stdout));
        }
    }
    for command in [&["history", "show", "last", "--all"][..], &["history"], &["best", "-p", "echo", "--json", "-"]] {
        let text = expect(folder, &[command, &["--journal", journal]].concat(), 0).stdout;
        // The best scores say when they were reached.
        let lines = text.lines().filter(|line| !line.contains("\"date\""));
        reports.push((command.join(" "), lines.collect::<Vec<_>>().join("\n")));
    }
    reports
}

fn assert_same(folder: &Folder, whole: &str, merged: &str) {
    without_times(folder, whole);
    without_times(folder, merged);
    for ((what, whole), (_, merged)) in reports(folder, whole).into_iter().zip(reports(folder, merged)) {
        assert_eq!(whole, merged, "{what}");
    }
}

#[test]
fn merged_shards_equal_the_run_on_one_machine() {
    let folder = sample();
    folder.write("data/a.in", "30\n");
    folder.write("data/b.in", "7\n");
    let inputs = ["--seeds", "1-9", "--inputs", "data/*.in", "--repeat", "2", "-s", "./rival", "--message", "both"];
    let command = [&BOT[..], &inputs].concat();
    let whole = expect(&folder, &[&command[..], &["--journal", "whole.db"]].concat(), 1);
    assert!(whole.stdout.contains("bot"), "{}", whole.stdout);

    let mut played = 0;
    for shard in 1..=4 {
        let said = play(&folder, &command, shard, 4);
        let count = said.stderr.split_once(&format!("shard {shard}/4 has ")).unwrap().1.split(' ').next().unwrap();
        played += count.parse::<usize>().unwrap();
    }
    assert_eq!(played, 22, "every case is in one shard");

    let merges: [&[&str]; 5] = [&["3.db"], &["3.db", "1.db", "3.db"], &["'?.db'"], &["2.db"], &["4.db", "1.db"]];
    for (number, files) in merges.iter().enumerate() {
        let files: Vec<&str> = files.iter().map(|file| file.trim_matches('\'')).collect();
        let said = expect(&folder, &[&["merge", "--into", "all.db"], &files[..]].concat(), 0);
        assert!(said.stdout.starts_with("run 1: "), "{}", said.stdout);
        let is_whole = said.stdout.contains("44 of 44 results, 4 of 4 shards, complete");
        assert_eq!(is_whole, number >= 2, "{}", said.stdout);
        assert_eq!(said.stdout.contains("; 0 are new"), number > 2, "{}", said.stdout);
    }
    assert_same(&folder, "whole.db", "all.db");
    let said = expect(&folder, &["merge", "whole.db", "--into", "once.db"], 0);
    assert!(said.stdout.contains("44 of 44 results, 1 run, complete"), "{}", said.stdout);

    // In another order, through a journal of two of them, into the journal next to the catalogue.
    expect(&folder, &["merge", "4.db", "2.db", "--into", "two.db"], 0);
    expect(&folder, &["merge", "1.db", "two.db"], 0);
    let said = expect(&folder, &["merge", "3.db", "two.db", "2.db"], 0);
    assert!(said.stdout.contains("44 of 44 results, 4 of 4 shards, complete"), "{}", said.stdout);
    assert_same(&folder, "whole.db", ".judge/journal.db");
    let compared = folder.judge(&["compare", "-p", "echo", "run:last/bot", "run:last/rival", "--json", "-"]);
    assert!(compared.stdout.contains("\"verdict\"") || compared.stdout.contains("\"pairs\""), "{}", compared.stderr);
}

#[test]
fn shard_results_are_reused_and_may_be_empty() {
    let folder = sample();
    let command = [&BOT[..], &["--seeds", "1-3", "--save-answers", "answers"]].concat();
    let mut empty = 0;
    for shard in 1..=8 {
        let said = play(&folder, &command, shard, 8);
        if said.stderr.contains(&format!("shard {shard}/8 has 0 of 3 cases")) {
            assert_eq!(said.code, Some(0), "{}", said.stderr);
            assert!(said.stdout.contains("echo: no cases; "), "{}", said.stdout);
            empty += 1;
        }
    }
    assert!(empty >= 5, "{empty}");
    let said = expect(&folder, &["merge", "*.db"], 0);
    assert!(said.stdout.contains("3 of 3 cases, 8 of 8 shards, complete"), "{}", said.stdout);
    let answers: BTreeSet<_> =
        folder.path().join("answers").read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(answers, ["seed-1.out", "seed-2.out", "seed-3.out"].map(Into::into).into());
    // A solver that would now take a different way is not run.
    let said = folder.json(&[&BOT[..], &["--seeds", "1-3", "--reuse"]].concat()).1;
    let history = folder.json(&["history", "show", "1"]).1;
    assert_eq!(said["cases"][0]["wall_ms"], history["cases"][0]["wall_ms"]);
}

#[test]
fn shards_of_parameters_and_without_a_catalogue_merge() {
    let folder = sample();
    let catalogue = CATALOGUE.replace("echo {seed}", "echo {seed}{n}");
    let catalogue = format!("{catalogue}[problem.generator-parameters]\nn = \"1..9\"\n");
    folder.write("problems.toml", &catalogue);
    let cases = ["seed=1,n=2", "seed=2,n=3", "seed=3,n=4"].map(|case| ["--case", case]).concat();
    let command = [&BOT[..], &cases].concat();
    (1..=2).for_each(|shard| drop(play(&folder, &command, shard, 2)));
    // Without the problem there is no total yet.
    folder.write("problems.toml", catalogue.replace("\"echo\"", "\"other\""));
    let merge = ["merge", "1.db", "2.db", "--into", "all.db"];
    let said = folder.judge(&merge);
    assert!(said.stdout.contains("3 of 3 cases, 2 of 2 shards, complete"), "{}{}", said.stdout, said.stderr);
    let total = || folder.json(&["history", "--journal", "all.db"]).1["runs"][0]["total"].clone();
    assert!(total().is_null());
    folder.write("problems.toml", &catalogue);
    let said = expect(&folder, &merge, 0);
    assert!(said.stdout.contains("; 0 are new") && !total().is_null(), "{}", said.stdout);
}

#[test]
fn a_merge_that_replaces_results_keeps_no_old_total() {
    let folder = sample();
    let catalogue = CATALOGUE.replace("\"relative\"", "\"sum\"");
    folder.write("problems.toml", &catalogue);
    folder.script("bot", "echo $(($(date +%s%N) % 1000000007))");
    for (shard, journal) in [("1/2", "early.db"), ("2/2", "2.db"), ("1/2", "late.db")] {
        expect(&folder, &[&BOT[..], &["--shard", shard, "--journal", journal]].concat(), 0);
    }
    expect(&folder, &["merge", "late.db", "2.db", "--into", "all.db"], 0);
    let total = || folder.json(&["history", "--journal", "all.db"]).1["runs"][0]["total"].clone();
    assert!(!total().is_null());
    // The earlier results replace the later ones, but without the problem they cannot be added up.
    folder.write("problems.toml", catalogue.replace("\"echo\"", "\"other\""));
    let merge = ["merge", "early.db", "--into", "all.db"];
    expect(&folder, &merge, 0);
    assert!(total().is_null(), "{}", total());
    folder.write("problems.toml", &catalogue);
    expect(&folder, &merge, 0);
    assert_eq!(total(), folder.json(&["history", "show", "last", "--journal", "all.db"]).1["solvers"][0]["total"]);
    assert!(!total().is_null());
}

#[test]
fn a_task_reads_its_shard_from_the_engine() {
    let folder = sample();
    let run = |shard: &str, variables: &[(&str, &str)]| {
        let mut command =
            folder.command(&[&BOT[..], &["--seeds", "1-4", "--journal", "a.db", "--shard", shard]].concat());
        let output = command.envs(variables.iter().copied()).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let slurm = [
        ("SLURM_ARRAY_TASK_ID", "20"),
        ("SLURM_ARRAY_TASK_MIN", "10"),
        ("SLURM_ARRAY_TASK_MAX", "40"),
        ("SLURM_ARRAY_TASK_STEP", "10"),
        ("SLURM_ARRAY_TASK_COUNT", "4"),
    ];
    let (code, said) = run("auto", &slurm);
    assert_eq!(code, Some(0), "{said}");
    let read = "shard 2/4: Slurm says SLURM_ARRAY_TASK_ID=20, of the ids 10 to 40 in steps of 10\n";
    assert!(said.contains(read), "{said}");
    let (code, said) = run("auto", &[("JOB_COMPLETION_INDEX", "1")]);
    assert_eq!(code, Some(2));
    assert!(said.contains("hint: say it: --shard auto/16"), "{said}");
    assert_eq!(run("auto/4", &[("JOB_COMPLETION_INDEX", "1")]).0, Some(0));
    assert_eq!(run("5/4", &[]).0, Some(2));
    let first = expect(&folder, &["history", "--journal", "a.db", "show", "last"], 0);
    let last = expect(&folder, &["--journal", "a.db", "history", "show", "last"], 0);
    assert_eq!(first.stdout, last.stdout, "the journal is named anywhere");
    assert_eq!(folder.judge(&["history", "-p", "echo", "--journal", "a.db", "show", "last"]).code, Some(2));
    let (_, shown) = folder.json(&["history", "--journal", "a.db"]);
    assert!(shown["runs"][0]["planned"] == 4, "{shown}");
}
