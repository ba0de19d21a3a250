//! Commands on runs of many cases: the time and the peak memory of each.
//!
//! ```console
//! $ cargo bench -p judge --bench scale                   # 10,000, 100,000 and 1,000,000 cases
//! $ cargo bench -p judge --bench scale -- 250000 1000000 # other sizes
//! ```
//!
//! The runs are written by the journal itself, and every command is a separate process. Quadratic work takes a hundred
//! times as long for ten times the cases.
#![allow(clippy::print_stdout, reason = "a benchmark reports on standard output")]

#[path = "../../tests/support/large_run.rs"]
mod large_run;

use judge_journal::Journal;
use judge_problem::Catalogue;
use judge_run::cases::{Selection, select};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

const SIZES: [usize; 3] = [10_000, 100_000, 1_000_000];

/// The sizes of plans. None of them is run.
const PLANS: [usize; 2] = [1_000_000, 10_000_000];

/// With this argument, the bench is the process that makes a plan.
const PLAN: &str = "--plan-of";

const OUT: &str = "out";

/// Commands over the runs 1 and 2.
const COMMANDS: [(&str, &[&str]); 14] = [
    ("history", &["history"]),
    ("history show", &["history", "show", "1"]),
    ("history show --json", &["history", "show", "1", "--json", OUT]),
    ("history show --jsonl", &["history", "show", "1", "--jsonl", OUT]),
    ("history show --csv", &["history", "show", "1", "--csv", OUT]),
    ("history show --junit", &["history", "show", "1", "--junit", OUT]),
    ("history show --markdown", &["history", "show", "1", "--markdown", OUT]),
    ("history show --html", &["history", "show", "1", "--html", OUT]),
    ("best", &["best", "-p", large_run::PROBLEM]),
    ("best --export", &["best", "-p", large_run::PROBLEM, "--export", OUT]),
    ("rescore --score relative", &["rescore", "1", "--score", "relative"]),
    ("rescore --best ledger", &["rescore", "1", "--score", "relative", "--best", "ledger"]),
    ("compare", &["compare", "-p", large_run::PROBLEM, "run:1", "run:2"]),
    ("compare --json", &["compare", "-p", large_run::PROBLEM, "run:1", "run:2", "--json", OUT]),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, count] = &*arguments
        && flag == PLAN
    {
        return plan(count.parse().expect("a number of cases"));
    }
    let sizes: Vec<usize> = arguments.iter().filter_map(|size| size.parse().ok()).collect();
    let sizes = if sizes.is_empty() { SIZES.to_vec() } else { sizes };
    let itself = std::env::current_exe().expect("a running program has a path");
    println!("{:<28} {:>10} {:>10} {:>10} {:>10} {:>10}", "", "cases", "time", "processor", "memory", "file");
    for count in PLANS {
        row("plan and its key", count, Command::new(&itself).args([PLAN, &count.to_string()]), Path::new("."));
    }
    for count in sizes {
        let folder = tempfile::tempdir().expect("a folder for the journal");
        ["old", "new"].iter().for_each(|name| large_run::record(folder.path(), name, count));
        for (name, arguments) in COMMANDS {
            row(name, count, Command::new(env!("CARGO_BIN_EXE_judge")).args(arguments), folder.path());
        }
    }
}

/// Runs a command, and prints its wall time, its CPU time, its peak memory and the size of its output.
fn row(name: &str, cases: usize, command: &mut Command, folder: &Path) {
    let started = Instant::now();
    let child = command.current_dir(folder).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let Usage { status, memory, processor } = wait(child.expect("the program can be started"));
    let time = started.elapsed();
    assert!(matches!(status.code(), Some(0 | 1)), "{name}: {status}");
    let out = folder.join(OUT);
    let written = out.metadata().map_or(0, |file| file.len());
    let _ = std::fs::remove_file(out);
    let megabytes = |bytes: u64| format!("{:.0} MB", bytes as f64 / 1e6);
    let written = if written == 0 { String::new() } else { megabytes(written) };
    let [time, processor] = [time, processor].map(|time| format!("{:.2} s", time.as_secs_f64()));
    println!("{name:<28} {cases:>10} {time:>10} {processor:>10} {:>10} {written:>10}", megabytes(memory));
}

/// The usage of a process.
struct Usage {
    status: ExitStatus,
    memory: u64,
    processor: Duration,
}

/// Waits for a child, and returns its usage, as counted by the kernel until shortly before the end.
fn wait(mut child: Child) -> Usage {
    let folder = format!("/proc/{}", child.id());
    let file = |name: &str| std::fs::read_to_string(format!("{folder}/{name}")).unwrap_or_default();
    let (mut memory, mut processor) = (0, Duration::ZERO);
    loop {
        let status = file("status");
        let kilobytes =
            status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok());
        memory = memory.max(kilobytes.unwrap_or(0_u64) * 1024);
        // Behind the name: the fields 14 and 15 of proc(5), in hundredths of a second.
        let stat = file("stat");
        let ticks =
            stat.rsplit_once(')').into_iter().flat_map(|(_, fields)| fields.split_whitespace().skip(11).take(2));
        let used = ticks.map(|ticks| Duration::from_millis(10 * ticks.parse::<u64>().unwrap_or(0))).sum();
        processor = processor.max(used);
        if let Some(status) = child.try_wait().expect("the child can be waited for") {
            return Usage { status, memory, processor };
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Makes the plan of this number of seeds, and the record of its run up to the first case.
fn plan(count: usize) {
    let catalogue = Catalogue::built_in(Path::new("/")).expect("the built-in catalogue is valid");
    let problem = catalogue.find(large_run::PROBLEM).expect("it is built in");
    let seeds = Some(format!("1-{count}").parse().expect("seeds"));
    let cases = select(problem, &Selection { seeds, ..Selection::default() }).expect("cases");
    let plan = large_run::plan("bot", cases);
    let folder = tempfile::tempdir().expect("a folder for the journal");
    let journal = Journal::open(folder.path()).expect("a fresh journal");
    large_run::begin(journal, &plan, None);
}
