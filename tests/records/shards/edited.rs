//! Edits between a run and its continuation: no run has results of two identities, no finished result is overwritten,
//! and shards of two generators cannot be merged.

use super::unfinished::{results, start, wait_for};
use super::{expect, play};
use crate::support::{Folder, Said};
use rusqlite::Connection;

/// The input depends on the command, on the script, and on a file whose name is not a single word of the script. The
/// score depends on all of that, on the solver and its environment, and on the checker.
const CATALOGUE: &str = "[[problem]]
id = \"sum\"
generator-command = \"sh gen/gen.sh {seed}\"
checker-command = \"sh check.sh {answer}\"
seeds = \"1-9\"
";

const RUN: [&str; 7] = ["run", "-p", "sum", "-s", "./bot", "--jobs", "1"];

fn sample() -> Folder {
    let folder = Folder::new();
    folder.write("problems.toml", CATALOGUE);
    folder.write("gen/gen.sh", "d=data; read -r extra < gen/$d; echo $(($1 + extra))\n");
    folder.write("gen/data", "100\n");
    folder.write("check.sh", "cat \"$1\"\n");
    folder.script("bot", BOT);
    folder.write("a.in", "1\n");
    folder.write("b.in", "2\n");
    folder.write("more/weight", "1000\n");
    folder
}

const BOT: &str = "read -r n; echo $((n + ${MORE:-0}))";

/// The run, the name, the input and the score of every result.
fn rows(journal: &Connection) -> Vec<(i64, String, String, Option<String>)> {
    let sql = "SELECT run, game_case.name, hex(input), score FROM result JOIN entrant ON entrant.id = entrant
         JOIN game_case ON game_case.id = game_case ORDER BY run, result.place";
    let mut statement = journal.prepare(sql).unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))).unwrap();
    rows.map(Result::unwrap).collect()
}

fn journal(folder: &Folder) -> Connection {
    Connection::open(folder.path().join(".judge/journal.db")).unwrap()
}

/// Leaves a run as one that was killed after these many cases.
fn cut(journal: &Connection, cases: i64) {
    journal
        .execute_batch(&format!(
            "UPDATE run SET state = 'open'; DELETE FROM best_result; DELETE FROM result WHERE place >= {cases}"
        ))
        .unwrap();
}

/// Plays a run, leaves it like a killed one, edits, and continues. Returns the output of the continuation.
fn resumed(folder: &Folder, more: &[&str], edit: &dyn Fn(&Folder), later: &[&str]) -> Said {
    expect(folder, &[&RUN[..], more].concat(), 0);
    let journal = journal(folder);
    cut(&journal, 4);
    let before = rows(&journal);
    edit(folder);
    let said = expect(folder, &[&RUN[..], more, later, &["--resume"]].concat(), 0);
    let after = rows(&journal);
    let (old, new): (Vec<_>, Vec<_>) = after.into_iter().partition(|row| before.contains(row));
    assert_eq!(old, before, "what was finished stays");
    let run = new[0].0;
    assert!(new.iter().all(|row| row.0 == run), "one run has gone on or begun: {new:?}");
    assert_eq!(run == 1, said.stderr.contains("continuing run 1: 4 cases are done"), "{}", said.stderr);
    said
}

/// An edit between a run that was killed and its continuation.
struct Edited {
    name: &'static str,
    /// More arguments: of both, and of the continuation only.
    run: &'static [&'static str],
    later: &'static [&'static str],
    edit: fn(&Folder),
    said: &'static str,
}

const fn edited(name: &'static str, edit: fn(&Folder), said: &'static str) -> Edited {
    Edited { name, run: &[], later: &[], edit, said }
}

fn script(folder: &Folder, before: &str, after: &str) {
    let line = "d=data; read -r extra < gen/$d; echo $(($1 + extra))";
    folder.write("gen/gen.sh", format!("{before}{line}{after}\n"));
}

const FILES: &[&str] = &["--inputs", "a.in", "--inputs", "b.in", "--seeds", "1-2"];

const EDITS: [Edited; 13] = [
    edited(
        "command",
        |folder| drop(folder.write("problems.toml", CATALOGUE.replace("sh gen/gen.sh {seed}", "echo {seed}0"))),
        "the generator's input of seed-1, seed-2, seed-3 and 1 more is not what run 1 had",
    ),
    edited(
        "script",
        |folder| script(folder, "[ $1 = 3 ] && set 7; ", ""),
        "the generator's input of seed-3 is not what run 1 had",
    ),
    edited("what it reads", |folder| drop(folder.write("gen/data", "101\n")), "is not what run 1 had"),
    edited("comment", |folder| script(folder, "", " # as before"), "continuing run 1"),
    edited("for later seeds", |folder| script(folder, "[ $1 = 8 ] && set 7; ", ""), "continuing run 1"),
    Edited {
        run: FILES,
        ..edited("input file", |folder| drop(folder.write("a.in", "3\n")), "the input file of a is not what run 1 had")
    },
    edited("checker", |folder| drop(folder.write("check.sh", "cat \"$1\" #\n")), "checker: sh check.sh {answer} #"),
    edited("solver", |folder| drop(folder.script("bot", "read -r n; echo $((n + 5))")), "solver bot: #"),
    Edited { later: &["--cpu", "3s"], ..edited("limit", |_| {}, "--cpu: 3s, in run 1 ") },
    Edited { later: &["--env", "MORE=7"], ..edited("environment", |_| {}, "--env: 'MORE=7', in run 1 none") },
    Edited {
        run: &["--dir", "more"],
        ..edited("folder", |folder| drop(folder.write("more/weight", "2000\n")), "solver bot: #")
    },
    edited("seeds", |folder| drop(folder.write("problems.toml", CATALOGUE.replace("1-9", "1-8"))), "cases: 8 #"),
    edited(
        "rule",
        |folder| drop(folder.write("problems.toml", format!("{CATALOGUE}[problem.scoring]\nrule = \"mean\"\n"))),
        "continuing run 1",
    ),
];

#[test]
fn a_run_resumes_only_when_nothing_changed() {
    for Edited { name, run, later, edit, said } in EDITS {
        let heard = resumed(&sample(), run, &edit, later);
        assert!(heard.stderr.contains(said), "{name}: {}", heard.stderr);
    }
}

#[test]
fn the_unchanged_interrupted_run_is_resumed() {
    let folder = sample();
    let edit = |folder: &Folder| drop(folder.write("gen/data", "200\n"));
    resumed(&folder, &[], &edit, &[]);
    cut(&journal(&folder), 4);
    folder.write("gen/data", "100\n");
    let said = expect(&folder, &[&RUN[..], &["--resume"]].concat(), 0);
    assert!(said.stderr.contains("continuing run 1: 4 cases are done"), "{}", said.stderr);
    // 1 to 9, and 100 for each.
    assert!(said.stdout.contains("sum 945"), "{}", said.stdout);
}

#[test]
fn a_shard_resumes_only_with_its_generator() {
    let folder = sample();
    folder.script("bot", "read -r n; sleep 0.1; echo $n");
    let run = [&RUN[..], &["--seeds", "1-24"]].concat();
    play(&folder, &run, 1, 3);
    play(&folder, &run, 3, 3);
    let second = [&run[..], &["--shard", "2/3", "--journal", "2.db"]].concat();
    let mut judge = start(&folder, &second);
    wait_for(&folder, "2.db", 2);
    judge.kill().unwrap();
    judge.wait().unwrap();
    let shard = Connection::open(folder.path().join("2.db")).unwrap();
    let before = rows(&shard);

    folder.write("gen/gen.sh", "echo $(($1 * 10))\n");
    let said = expect(&folder, &[&second[..], &["--resume"]].concat(), 0);
    assert!(said.stderr.contains("is not what run 1 had"), "{}", said.stderr);
    assert_eq!(rows(&shard)[..before.len()], before, "run 1 stays as it was");
    let files = ["merge", "1.db", "2.db", "3.db", "--into", "all.db"];
    let said = expect(&folder, &files, 2);
    let first = &rows(&shard).into_iter().find(|row| row.0 == 2).unwrap().1;
    for part in
        ["2.db does not belong with 1.db: generator: sh gen/gen.sh {seed} #", "it has ", first, "nothing was merged"]
    {
        assert!(said.stderr.contains(part), "{part}: {}", said.stderr);
    }
    assert!(!folder.path().join("all.db").exists());

    for shard in ["1", "3"] {
        let (number, file) = (format!("{shard}/3"), format!("{shard}.db"));
        expect(&folder, &[&run[..], &["--shard", &number, "--journal", &file, "--resume"]].concat(), 0);
    }
    let said = expect(&folder, &files, 0);
    assert!(said.stdout.contains("24 of 24 cases, 3 of 3 shards, complete"), "{}", said.stdout);
    let total: u64 = (1..=24).map(|seed| seed * 10).sum();
    let shown = expect(&folder, &["history", "show", "last", "--journal", "all.db"], 0).stdout;
    assert!(shown.contains(&format!("sum {total}")), "{shown}");
}

#[test]
fn shards_of_different_generators_are_refused() {
    let folder = sample();
    play(&folder, &RUN, 1, 2);
    folder.write("gen/data", "200\n");
    play(&folder, &RUN, 2, 2);
    let merge = ["merge", "1.db", "2.db", "--into", "all.db"];
    let said = expect(&folder, &merge, 2);
    assert!(
        said.stderr.contains("2.db does not belong with 1.db: what the generator makes of the first seed: #"),
        "{}",
        said.stderr
    );
    // Of the same cases, those are named that differ.
    folder.write("gen/gen.sh", "d=data; read -r extra < gen/$d; [ $1 = 1 ] && echo 1 || echo $(($1 + extra))\n");
    play(&folder, &RUN, 1, 1);
    std::fs::rename(folder.path().join("1.db"), folder.path().join("whole.db")).unwrap();
    folder.write("gen/data", "300\n");
    play(&folder, &RUN, 2, 2);
    let said = expect(&folder, &["merge", "whole.db", "2.db", "--into", "all.db"], 2);
    let named = said.stderr.contains("2.db does not belong with whole.db: seed-")
        && said.stderr.contains("the input is another one");
    assert!(named, "{}", said.stderr);
    assert!(!folder.path().join("all.db").exists());
    folder.write("gen/data", "200\n");
    std::fs::remove_file(folder.path().join("2.db")).unwrap();
    play(&folder, &RUN, 2, 2);
    expect(&folder, &["merge", "whole.db", "2.db", "--into", "all.db"], 0);
}

#[test]
fn a_killed_run_of_two_versions_ends() {
    let folder = sample();
    let slow = "read -r n; sleep 0.1; echo $((n + 1))";
    folder.script("bot", slow);
    let run = [&RUN[..], &["--seeds", "1-40", "--journal", "j.db"]].concat();
    let mut judge = start(&folder, &run);
    wait_for(&folder, "j.db", 2);
    folder.script("bot", "read -r n; sleep 0.1; echo $((n + 2))");
    wait_for(&folder, "j.db", results(&folder, "j.db") + 3);
    judge.kill().unwrap();
    judge.wait().unwrap();
    folder.script("bot", slow);
    let said = expect(&folder, &[&run[..], &["--resume"]].concat(), 0);
    assert!(said.stderr.contains("no interrupted run of this command was found"), "{}", said.stderr);
}

/// The checker edits the solver, unless the file `once` is there.
fn self_editing() -> Folder {
    let folder = sample();
    folder.write("problems.toml", CATALOGUE.replace("seeds = ", "trusted = true\nseeds = "));
    let path = folder.path().display();
    let edit = format!("[ -e {path}/once ] || {{ touch {path}/once; echo '# edited' >> {path}/bot; }}");
    folder.write("check.sh", format!("cat \"$1\"; {edit}\n"));
    folder
}

#[test]
fn results_of_two_versions_are_used_nowhere() {
    let folder = self_editing();
    let run = [&RUN[..], &["--journal", "1.db"]].concat();
    let said = expect(&folder, &run, 0);
    assert!(said.stderr.contains("the solver bot was edited while run 1 went on"), "{}", said.stderr);
    assert!(said.stderr.contains("`judge history rm 1 --journal 1.db` removes it"), "{}", said.stderr);
    let shown = expect(&folder, &["history", "show", "1", "--journal", "1.db"], 0).stdout;
    assert!(shown.contains("interrupted, 9 of 9 cases; a program was edited meanwhile"), "{shown}");
    let best = folder.judge(&["best", "-p", "sum", "--journal", "1.db"]);
    assert!(!best.stdout.contains("bot"), "{}", best.stdout);
    let merged = expect(&folder, &["merge", "1.db", "--into", "all.db"], 2).stderr;
    assert!(merged.contains("1.db cannot be merged: a program was edited during its newest run"), "{merged}");
    expect(&folder, &run, 0);
    let compared = folder.judge(&["compare", "-p", "sum", "run:1", "run:2", "--journal", "1.db"]);
    assert!(compared.stderr.contains("a program was edited while run 1 went on"), "{}", compared.stderr);
    std::fs::remove_file(folder.path().join("once")).unwrap();
    let said = expect(&folder, &[&RUN[..], &["--no-journal"]].concat(), 0);
    assert!(said.stderr.contains("the solver bot was edited meanwhile"), "{}", said.stderr);
}

#[test]
fn an_edited_folder_and_a_removed_solver_are_noticed() {
    for (change, what) in [("echo 1 > more/weight", "content of --dir "), ("rm -f bot", "solver bot ")] {
        let folder = self_editing();
        folder.write("check.sh", format!("cat \"$1\"; cd {}; {change}\n", folder.path().display()));
        let said = folder.judge(&[&RUN[..], &["--dir", "more"]].concat());
        assert!(said.stderr.contains(&format!("the {what}")), "{}", said.stderr);
        assert!(said.stderr.contains("was edited while run 1 went on"), "{}", said.stderr);
        assert_eq!(folder.json(&["history"]).1["runs"][0]["state"], "interrupted");
    }
}

#[test]
fn an_edit_during_the_runs_records_no_baseline() {
    let folder = self_editing();
    let record = ["baseline", "-p", "sum", "-s", "./bot", "--output", "b.toml"];
    let said = expect(&folder, &record, 2);
    assert!(said.stderr.contains("the solver bot was edited during the runs"), "{}", said.stderr);
    assert!(!folder.path().join("b.toml").exists());
    expect(&folder, &record, 0);
    std::fs::remove_file(folder.path().join("once")).unwrap();
    expect(&folder, &["gate", "--baseline", "b.toml", "--update"], 2);
}
