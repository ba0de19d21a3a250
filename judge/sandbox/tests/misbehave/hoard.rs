//! Memory that no process's size includes: the free memory of the machine while a program hides some, and the end of
//! the run.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use judge_sandbox::{Breach, Execution, Options, Sandbox, Stdin, TierChoice};

use super::judge_level::check;
use super::pace::patiently;
use super::request;

/// Each takes some hundreds of MiB if nothing stops it.
pub(crate) const TRICKS: &[&str] = &[
    "hoard tables",
    "hoard gifts",
    "hoard rests",
    "hoard pages",
    "hoard sockets",
    "hoard singles",
    "hoard packets",
    "hoard aside",
    "hoard travelling",
    "hoard pipes",
    "hoard named",
    "hoard watches",
    "hoard reports",
    "hoard locks",
    "hoard filters",
    "hoard rules",
    "hoard mappings",
    "hoard buckets",
    "hoard lists",
    "hoard input",
    "hoard folder",
    "sharing proxies",
    "sharing trimmed",
    "sharing forgotten",
    "sharing zeroes",
    "sharing changed",
];

const LIMIT: u64 = 64 << 20;
/// How much memory a run may hold unnoticed beyond its limit.
const BOUND: u64 = 64 << 20;
/// Other work on the machine takes memory too, but not in every try.
const TRIES: usize = 8;

/// Runs a program. It may be stopped, refused or harmless. It must not hold more than allowed and succeed.
pub(crate) fn hide(sandbox: &Sandbox, programs: &Path, trick: &str) -> Result<(), String> {
    let mut worker = sandbox.worker(None).unwrap();
    let words: Vec<String> = trick.split(' ').map(str::to_owned).collect();
    let mut request = request(programs.join(&words[0]), &words);
    request.limits.memory = Some(LIMIT);
    request.limits.cpu = Some(patiently(Duration::from_secs(10)));
    request.limits.wall = Some(patiently(Duration::from_secs(20)));
    request.limits.disk = 512 << 20;
    let input = tempfile::tempfile().unwrap();
    request.stdin = Stdin::File(input.into());
    let mut least = u64::MAX;
    for _ in 0..TRIES {
        let (execution, taken) = measured(|| worker.run(&request).map_err(|fault| format!("{fault:?}")));
        let execution: Execution = execution?;
        if execution.breaches.contains(&Breach::Memory) {
            return Ok(());
        }
        check(execution.breaches.is_empty(), || format!("{execution:?}"))?;
        least = least.min(taken);
        println!("   {trick}: {} MiB", taken >> 20);
        if least <= LIMIT + BOUND {
            return Ok(());
        }
    }
    Err(format!("{} MiB of the machine's memory for a limit of {} MiB, and no breach", least >> 20, LIMIT >> 20))
}

/// A working folder in memory is counted even if no control group counts it.
pub(crate) fn in_memory(sandbox: &Sandbox, programs: &Path) -> Result<(), String> {
    let Ok(scratch) = tempfile::tempdir_in("/dev/shm") else {
        println!("skipped: no /dev/shm to write to");
        return Ok(());
    };
    let options = Options {
        tier: TierChoice::Forced(sandbox.tier()),
        scratch: Some(scratch.path().to_owned()),
        ..Options::default()
    };
    let sandbox = Sandbox::open(&options).map_err(|error| error.to_string())?;
    let mut request = request(programs.join("hoard"), &["hoard".to_owned(), "folder".to_owned()]);
    request.limits.memory = Some(LIMIT);
    request.limits.disk = 512 << 20;
    let execution = sandbox.worker(None).unwrap().run(&request).map_err(|fault| format!("{fault:?}"))?;
    check(execution.breaches.contains(&Breach::Memory), || format!("{execution:?}"))
}

/// The result of `work`, and how much memory its end released.
fn measured<T>(work: impl FnOnce() -> T) -> (T, u64) {
    const STEP: Duration = Duration::from_millis(10);
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            let mut seen = Vec::new();
            while !over.load(Ordering::SeqCst) {
                seen.push(available());
                std::thread::sleep(STEP);
            }
            seen.into_iter().rev().take(40).min().unwrap_or(u64::MAX)
        });
        let result = work();
        over.store(true, Ordering::SeqCst);
        let least = watcher.join().unwrap();
        let most = (0..10).map(|_| {
            std::thread::sleep(STEP);
            available()
        });
        (result, most.max().unwrap_or(0).saturating_sub(least))
    })
}

/// In bytes.
fn available() -> u64 {
    let text = fs::read_to_string("/proc/meminfo").unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:")).unwrap();
    line.trim().strip_suffix(" kB").unwrap().parse::<u64>().unwrap() * 1024
}
