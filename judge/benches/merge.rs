//! Merging the journals of many shards, as `judge merge` does it: time and memory.
//!
//! `cargo bench -p judge --bench merge` merges 1,000 shards of 1,000 cases; `-- 100 1000` merges a hundred. The
//! journals are made in the build folder, and removed.
#![allow(clippy::expect_used, clippy::print_stdout, reason = "a bench may panic, and says what it found")]

#[allow(dead_code, reason = "it serves other benches and tests as well")]
#[path = "../../tests/support/large_run.rs"]
mod large_run;

use judge_journal::Journal;
use judge_problem::{Digest, Shard};
use rusqlite::{Connection, params};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// The promise for a million cases.
const MAX_TIME: Duration = Duration::from_secs(60);
const MAX_MEMORY: u64 = 500_000_000;

fn main() {
    let numbers: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    let (shards, cases) = match numbers[..] {
        [shards, cases, ..] => (shards, cases),
        // `cargo test --benches` only checks whether it runs.
        _ if !std::env::args().any(|argument| argument == "--bench") => (10, 10),
        _ => (1000, 1000),
    };
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder for the journals");
    let template = template(folder.path(), shards * cases);
    for shard in 0..shards {
        write_shard(folder.path(), &template, shard, shards, cases);
    }
    std::fs::remove_file(&template).expect("the template is there");
    let pattern = folder.path().join("*.db");
    let into = folder.path().join("all.journal");
    for what in ["at first", "once more"] {
        let (elapsed, memory) = merge(&pattern, &into);
        println!(
            "{shards} shards of {cases} cases {what}: {:.1} s, {} MiB at most",
            elapsed.as_secs_f64(),
            memory >> 20
        );
        assert!(elapsed < MAX_TIME && memory < MAX_MEMORY, "a million cases in 60 s and 500 MB is the promise");
    }
}

/// Runs `judge merge`, and returns its time and its peak memory.
fn merge(pattern: &Path, into: &Path) -> (Duration, u64) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_judge"));
    command.args(["--problems", "builtin", "merge", "--into"]).arg(into).arg(pattern);
    let started = Instant::now();
    let mut judge = command.spawn().expect("the judge starts");
    let status = PathBuf::from(format!("/proc/{}/status", judge.id()));
    let mut memory = 0;
    loop {
        // The kernel keeps the maximum, so only a growth after the last check is missed.
        memory = memory.max(largest(&status).unwrap_or_default());
        if let Some(ended) = judge.try_wait().expect("a child can be waited for") {
            assert!(ended.success(), "judge merge failed");
            return (started.elapsed(), memory);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Returns the peak memory of a process.
fn largest(status: &Path) -> Option<u64> {
    let text = std::fs::read_to_string(status).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    Some(kibibytes << 10)
}

/// Returns a journal with a run of this number of unfinished cases.
fn template(folder: &Path, cases: usize) -> PathBuf {
    let plan = large_run::plan("bot", large_run::seeds(0, cases));
    let path = folder.join("template");
    let journal = Journal::open_file(&path).expect("a fresh journal");
    let recording = large_run::begin(journal, &plan, Shard::new(1, 1).ok());
    large_run::finish(recording, &plan);
    path
}

/// Writes the journal of a shard: every case whose number has the same remainder, each with a different answer.
fn write_shard(folder: &Path, template: &Path, shard: usize, shards: usize, cases: usize) {
    let path = folder.join(format!("{shard}.db"));
    std::fs::copy(template, &path).expect("there is room for a journal");
    let connection = Connection::open(&path).expect("a journal is a file of SQLite");
    connection.execute_batch("PRAGMA synchronous = OFF; BEGIN").expect("the journal can be written");
    let sql = "UPDATE run SET uid = randomblob(16), shard = ?1, shards = ?2, played = ?3";
    connection.execute(sql, [shard + 1, shards, cases]).expect("there is a run");
    for place in (shard..shards * cases).step_by(shards) {
        let insert = |sql: &str, values: &[&dyn rusqlite::ToSql]| {
            connection.prepare_cached(sql).and_then(|mut sql| sql.execute(values)).expect("a row fits");
        };
        let (input, answer) = (Digest::of(&place.to_le_bytes()), format!("{place} 1\n"));
        insert(
            "INSERT INTO game_case (id, problem, checker, checker_version, name, input, seed)
             SELECT ?1, problem, checker, checker_version, ?2, ?3, ?4 FROM run",
            params![place, format!("seed-{place}"), input.0, place.to_string()],
        );
        insert(
            "INSERT INTO answer (id, hash, run, bytes, packed_bytes) VALUES (?1, ?2, 1, ?3, ?3)",
            params![place, Digest::of(answer.as_bytes()).0, answer.len()],
        );
        insert("INSERT INTO answer_body (answer, packed) VALUES (?1, ?2)", params![place, answer.as_bytes()]);
        insert(
            "INSERT INTO result (entrant, place, game_case, attempt, verdict, score, rank, cpu_us, wall_us, memory, noisy,
                 note, stderr, answer)
             VALUES (1, ?1, ?1, 0, 'accepted', ?2, ?3, 1000, 2000, 4096, 0, '', '', ?1)",
            params![place, place.to_string(), [&[1, 0, 0, 0, 4][..], &(place as u32).to_be_bytes()].concat()],
        );
    }
    connection.execute_batch("COMMIT").expect("the journal can be written");
}
