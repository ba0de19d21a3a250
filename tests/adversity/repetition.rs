//! Hundreds and thousands of trivial programs: all are accepted, and nothing accumulates.

use crate::support::of_cases;
use crate::support::pace::{at_most, in_time, unhurried};
use crate::support::processes::{Guarded, Process, family};
use crate::support::stage::{Stage, json};
use std::io::{BufRead, BufReader};
use std::time::Duration;

#[test]
fn trivial_programs_are_accepted_with_any_jobs() {
    let Some(stage) = Stage::set() else { return };
    let solver = stage.solver("plain");
    let cores = std::thread::available_parallelism().unwrap().get();
    for jobs in [1, 2, 2 * cores] {
        unhurried("two hundred runs", || two_hundred_times(&stage, &solver, &jobs.to_string())).unwrap();
    }
}

fn two_hundred_times(stage: &Stage, solver: &str, jobs: &str) {
    let run = ["run", "-p", "columns", "-s", solver, "--seeds", "1-200", "--no-journal", "--json", "-"];
    let report = json(stage.judge(&[&run[..], &["--jobs", jobs, "--cpu", "200ms"]].concat()));
    let verdicts = of_cases(&report, "verdict");
    assert!(verdicts.len() == 200 && verdicts.iter().all(|verdict| *verdict == "accepted"), "{report}");
    let mut cpu: Vec<_> = of_cases(&report, "cpu_ms").iter().map(|time| time.as_f64().unwrap()).collect();
    cpu.sort_by(f64::total_cmp);
    println!("{jobs} jobs: CPU median {} ms, greatest {} ms", cpu[100], cpu[199]);
    // The machine below may take the core away in the middle of one.
    in_time(cpu[190] <= at_most(5) as f64, || format!("with {jobs} jobs: {:?}", &cpu[190..]));
}

/// The maximal number of files that two running cases hold open.
const IN_FLIGHT: usize = 6;

/// The resources of a judge and its helpers that must not grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Held {
    files: usize,
    threads: u64,
    processes: usize,
    mounts: usize,
    groups: usize,
}

/// Of the processes that live as long as the judge. Also their resident memory, in KiB.
fn held(stage: &Stage, judge: u32) -> (Held, u64) {
    // Solvers come and go, and have their starter's name at first.
    let earlier: Vec<_> = family(judge).into_iter().map(|process| process.pid).collect();
    std::thread::sleep(Duration::from_millis(50));
    let later = family(judge).into_iter().filter(|process| earlier.contains(&process.pid));
    let family: Vec<_> = later.filter(|process| process.name != "solver").collect();
    let zombies = family.iter().filter(|process| process.is_zombie()).count();
    assert!(zombies <= 2, "{zombies} zombies");
    let lasting: Vec<_> = family.into_iter().filter(|process| !process.is_zombie()).collect();
    let sum = |field: &str| lasting.iter().filter_map(|process| process.status(field)).sum();
    let mounts = std::fs::read_to_string(format!("/proc/{judge}/mounts")).unwrap().lines().count();
    let groups = stage.leftovers(judge).len();
    let files = Process::of(judge).map_or(0, |process| process.files());
    (Held { files, threads: sum("Threads"), processes: lasting.len(), mounts, groups }, sum("VmRSS"))
}

#[test]
#[ignore = "CI: many runs"]
fn many_runs_leave_the_judge_as_it_was() {
    let Some(stage) = Stage::set() else { return };
    let solver = stage.solver("plain");
    let arguments = ["run", "-p", "columns", "-s", &solver, "--seeds", "1-3500", "--no-journal", "--jsonl", "-"];
    let mut judge = Guarded(stage.judge(&arguments).spawn().unwrap());
    let mut lines = BufReader::new(judge.0.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut at = |count: usize| {
        let accepted = |line: &String| line.contains("\"verdict\":\"accepted\"");
        let last = lines.by_ref().take(count).inspect(|line| assert!(accepted(line), "{line}")).count();
        assert_eq!(last, count);
        held(&stage, judge.0.id())
    };
    let (before, resident_before) = at(300);
    let (after, resident_after) = at(2500);
    // The files of running cases appear and disappear. A leak would have left thousands.
    assert!(after.files <= before.files + IN_FLIGHT, "{before:?} became {after:?}");
    assert_eq!(Held { files: 0, ..before }, Held { files: 0, ..after });
    println!("{before:?}; {resident_before} KiB, then {resident_after} KiB");
    // Outcomes are kept for the report: less than 2 KiB each.
    assert!(resident_after < resident_before + 4096, "{resident_before} KiB became {resident_after} KiB");
    assert_eq!(lines.count(), 701, "the rest, and the summary");
    assert_eq!(judge.0.wait().unwrap().code(), Some(0));
}
