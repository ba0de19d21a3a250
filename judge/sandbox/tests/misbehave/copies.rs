//! Helpers that are copies of the judge, instead of being executed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use judge_sandbox::{Options, Sandbox, TierChoice};

use super::first::{children, first_core, runs};
use super::judge_level::check;

/// The first argument of a process that compares them: it has one thread, and is small.
pub(crate) const COMPARE: &str = "--compare-helpers";

/// A helper that is a copy is like one that is executed: it has left behind all that was the judge's.
pub(crate) fn are_like_executed_ones(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let mut compare = Command::new(std::env::current_exe().unwrap());
    let output = compare.args([COMPARE, sandbox.tier().name()]).arg(programs).output().unwrap();
    let why = String::from_utf8_lossy(&output.stderr);
    check(output.status.success() && output.stdout == b"alike\n", || format!("{why} ({})", output.status))
}

/// Compares them in the tier named, and ends this process.
pub(crate) fn compare(arguments: &[String]) -> ! {
    let tier = TierChoice::Forced(arguments[0].parse().unwrap());
    let begun = |helper: Option<PathBuf>| {
        let before = children();
        let opened = Sandbox::open(&Options { tier, helper, ..Options::default() }).unwrap();
        let _worker = runs(opened.worker(first_core()), arguments[1].as_ref()).unwrap();
        let read = |pid: &i32, file: &str| fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
        let is_helper = |pid: &&i32| read(pid, "comm") == b"judge-helper\n";
        let helper = *children().difference(&before).find(is_helper).unwrap();
        let is_executed = read(&helper, "cmdline").ends_with(b"-helper\0");
        (is_executed, inherited(helper), open_files(helper))
    };
    let (is_executed, copied, copied_files) = begun(None);
    assert!(!is_executed, "it was to be a copy");
    let (is_executed, executed, executed_files) = begun(std::env::current_exe().ok());
    assert!(is_executed);
    assert_eq!(copied, executed);
    // What was left open for this process by those who started it is closed in a copy, too.
    assert!(copied_files.is_subset(&executed_files), "{copied_files:?}, {executed_files:?}");
    // The program would look as large as what it was started from.
    let ballast = std::hint::black_box(vec![1_u8; 16 << 20]);
    let (is_executed, ..) = begun(None);
    assert!(is_executed, "a large process was copied");
    drop(ballast);
    println!("alike");
    std::process::exit(0)
}

/// What a process has of its parent's: users, signals, capabilities, cores, group, session, and its folder if this user may
/// look.
fn inherited(pid: i32) -> Vec<String> {
    const KEYS: [&str; 12] =
        ["Umask", "PPid", "Uid", "Gid", "Groups", "Threads", "Sig", "Shd", "Cap", "NoNewPrivs", "Seccomp", "Cpus"];
    let path = |file: &str| PathBuf::from(format!("/proc/{pid}/{file}"));
    let status = fs::read_to_string(path("status")).unwrap();
    // Signals that wait are of the moment.
    let is_passing = |line: &str| line.contains("Pnd:") || line.starts_with("SigQ");
    let is_kept = |line: &&str| KEYS.iter().any(|key| line.starts_with(key)) && !is_passing(line);
    let mut told: Vec<String> = status.lines().filter(is_kept).map(without_own_signals).collect();
    let stat = fs::read_to_string(path("stat")).unwrap();
    let ids = stat.rsplit_once(") ").unwrap().1.split(' ').skip(2).take(2);
    let is_own: Vec<bool> = ids.map(|id| id == pid.to_string()).collect();
    told.push(format!("a group and a session of its own: {is_own:?}"));
    let folder = fs::read_link(path("cwd")).map(|folder| folder.parent().map(Path::to_owned));
    told.push(format!("folder: {:?}", folder.ok()));
    told
}

/// A line of the status, without the two signals that the C library keeps for itself: no program can set them.
fn without_own_signals(line: &str) -> String {
    let signals = line.strip_prefix("Sig").and_then(|line| line.split_once(":\t"));
    match signals.and_then(|(kind, signals)| Some((kind, u64::from_str_radix(signals, 16).ok()?))) {
        Some((kind, signals)) => format!("Sig{kind}: {:x}", signals & !(0b11 << 31)),
        None => line.to_owned(),
    }
}

/// The kinds of a process's open files, if this user may look.
fn open_files(pid: i32) -> BTreeSet<String> {
    let files = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    let targets = files.filter_map(|file| fs::read_link(file.path()).ok());
    // Without the numbers and names of this one alone.
    targets.map(|target| target.to_string_lossy().split(['[', '.']).next().unwrap_or_default().to_owned()).collect()
}
