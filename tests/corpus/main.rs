//! Runs a corpus of attacks against the judge, in every tier that works on this machine, as root and as an ordinary
//! user.
//!
//! `cargo test -p judge --test corpus [-- WORDS]`: WORDS name tiers, users or parts of a program's name. The corpus is
//! a folder of programs in C with a table of the allowed results, `expect.tsv`; `JUDGE_CORPUS` names it. Without WORDS
//! and `--include-ignored`, only some of the programs run.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a test with a main of its own")]

#[path = "../../judge/sandbox/tests/misbehave/delegation.rs"]
mod delegation;
mod expect;
mod outcome;
#[path = "../support/pace.rs"]
mod pace;
#[allow(dead_code, reason = "it runs another test as well")]
#[path = "../../judge/sandbox/tests/misbehave/plain_user.rs"]
mod plain_user;
#[path = "../support/require.rs"]
mod require;
mod scene;
mod trial;

use delegation::Delegation;
use expect::Row;
use pace::{bounded, slowness, unhurried};
use parking_lot::Mutex;
use plain_user::PLAIN_USER;
use require::{Need, named, required, skip};
use scene::Scene;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Where the corpus is that continuous integration has.
const DEFAULT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/attacks");

/// One program in this many is in the short form.
const SHARE: usize = 5;

/// The user, the control groups and the tier for running the judge.
pub(crate) struct Place<'a> {
    pub(crate) user: Option<u32>,
    pub(crate) groups: &'a [PathBuf],
    pub(crate) tier: &'a str,
}

impl Place<'_> {
    fn name(&self) -> String {
        format!("{}/{}", if self.user.is_some() || !is_root() { "plain" } else { "root" }, self.tier)
    }
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [mode, rest @ ..] = arguments.as_slice()
        && mode == plain_user::BECOME
    {
        plain_user::become_plain(rest);
    }
    required();
    let corpus = std::env::var_os("JUDGE_CORPUS").map_or_else(|| PathBuf::from(DEFAULT), PathBuf::from);
    let Ok(table) = std::fs::read_to_string(corpus.join("expect.tsv")) else {
        skip(Need::Data, format!("there is no corpus of attacks in {}", corpus.display()));
        return ExitCode::SUCCESS;
    };
    let rows = expect::rows(&table).unwrap_or_else(|why| panic!("{}: {why}", corpus.display()));
    let (flags, words): (Vec<String>, Vec<String>) = arguments.into_iter().partition(|word| word.starts_with('-'));
    let is_long = !words.is_empty() || flags.iter().any(|flag| flag == "--include-ignored");
    let rows: Vec<Row> = rows.into_iter().step_by(if is_long { 1 } else { SHARE }).collect();
    let programs = match compiled(&corpus, &rows) {
        Ok(programs) => programs,
        Err(why) => {
            skip(Need::Cc, why);
            return ExitCode::SUCCESS;
        }
    };
    // The names in the programs are the same for every run of them: one after the other.
    let turn = std::fs::File::open(corpus.join("expect.tsv")).unwrap();
    turn.lock().unwrap();
    if everywhere(&rows, programs.path(), &words) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The programs, the judge and this test, in a folder that every user can reach. `Err` says why there is none.
fn compiled(corpus: &Path, rows: &[Row]) -> Result<tempfile::TempDir, String> {
    let folder = plain_user::public_folder()?;
    let failure = Mutex::new(Ok(()));
    each(rows, cores(), |row| {
        let compiled = compile(corpus, folder.path(), &row.name);
        if compiled.is_err() {
            *failure.lock() = compiled;
        }
    });
    failure.into_inner()?;
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    for (from, name) in [(Path::new(env!("CARGO_BIN_EXE_judge")), "judge"), (&own, "corpus-test")] {
        std::fs::copy(from, folder.path().join(name)).map_err(|error| format!("{name}: {error}"))?;
    }
    Ok(folder)
}

fn compile(corpus: &Path, folder: &Path, name: &str) -> Result<(), String> {
    let mut command = Command::new("cc");
    command.args(["-std=gnu11", "-O1", "-fno-optimize-sibling-calls", "-w", "-static", "-pthread", "-fno-builtin"]);
    let output = command.arg("-o").arg(folder.join(name)).arg(corpus.join(format!("{name}.c"))).output();
    let output = output.map_err(|error| format!("no C compiler: {error}"))?;
    if !output.status.success() {
        return Err(format!("cc does not build {name}: {}", String::from_utf8_lossy(&output.stderr)));
    }
    Ok(())
}

/// Does the same with each item, this many of them at once.
fn each<T: Sync>(items: &[T], jobs: usize, act: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    act(item);
                }
            });
        }
    });
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Runs all rows in all tiers, as all users. Returns whether all was as it should be.
fn everywhere(rows: &[Row], programs: &Path, words: &[String]) -> bool {
    let tiers: &[&str] = if is_root() { &["root", "userns", "bare"] } else { &["delegated", "userns", "bare"] };
    let mut all = in_tiers(rows, programs, words, None, &[], tiers);
    if !is_root() {
        skip(Need::Root, "the corpus as root, and as another user");
        return all;
    }
    all &= in_tiers(rows, programs, words, Some(PLAIN_USER), &[], &["userns", "bare"]);
    match Delegation::to(PLAIN_USER, false) {
        Ok(groups) => all & in_tiers(rows, programs, words, Some(PLAIN_USER), groups.folders(), &["delegated"]),
        Err(why) => {
            skip(Need::Delegated, format!("the corpus in delegated control groups: {why}"));
            all
        }
    }
}

fn in_tiers(
    rows: &[Row],
    programs: &Path,
    words: &[String],
    user: Option<u32>,
    groups: &[PathBuf],
    tiers: &[&str],
) -> bool {
    let mut all = true;
    for tier in tiers {
        let place = Place { user, groups, tier };
        let wanted = |row: &&Row| {
            let heading = format!("{}: {}", place.name(), row.name);
            words.is_empty() || words.iter().any(|word| heading.contains(word.as_str()))
        };
        let rows: Vec<&Row> = rows.iter().filter(wanted).collect();
        let scene = match Scene::set(programs, user) {
            Ok(scene) => scene,
            Err(why) => {
                skip(Need::Data, format!("another program uses the names of the attacks: {why}"));
                return all;
            }
        };
        match trial::probe(&scene, &place) {
            Ok(()) => all &= in_place(&rows, &scene, &place),
            Err(why) => skip(named(tier).unwrap(), format!("the corpus in {}: {why}", place.name())),
        }
    }
    all
}

/// Runs the rows, some at a time. Programs whose effect on the whole machine is checked run alone.
fn in_place(rows: &[&Row], scene: &Scene, place: &Place<'_>) -> bool {
    let (alone, together): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| row.is_about_the_machine());
    let mut tally = at_once(&together, scene, place, cores());
    let tally_alone = at_once(&alone, scene, place, 1);
    tally.passed += tally_alone.passed;
    tally.late += tally_alone.late;
    if !rows.is_empty() {
        let late = if tally.late == 0 { String::new() } else { format!(", {} of them with longer limits", tally.late) };
        println!("{}: {} of {}{late}", place.name(), tally.passed, rows.len());
    }
    tally.passed == rows.len()
}

/// The number of programs that behaved as expected, and how many of them exceeded the limits of an idle machine.
#[derive(Default)]
struct Tally {
    passed: usize,
    late: usize,
}

fn at_once(rows: &[&Row], scene: &Scene, place: &Place<'_>, jobs: usize) -> Tally {
    let tally = Mutex::new(Tally::default());
    each(rows, jobs, |row| {
        let heading = format!("{}: {}", place.name(), row.name);
        let tried = || (trial::hold(row, scene, place), slowness());
        let result = unhurried(&heading, || bounded(Duration::from_secs(120), &heading, tried));
        let mut tally = tally.lock();
        match result.and_then(|(verdict, pace)| Ok((verdict?, pace))) {
            Ok((verdict, pace)) => {
                tally.passed += 1;
                tally.late += usize::from(pace > slowness());
                println!("ok {heading}: {verdict}");
            }
            Err(why) => println!("FAILED {heading}: {why}"),
        }
    });
    tally.into_inner()
}
