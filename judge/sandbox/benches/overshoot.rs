//! How far programs exceed their limits in each tier: the median and the worst of some runs with a limit of 100 ms.
//!
//! `cargo bench -p judge-sandbox --bench overshoot [-- RUNS]`

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark, which prints")]

use std::time::Duration;

use judge_sandbox::{Breach, Execution, Limits, Options, Request, Sandbox, Tier, TierChoice, Worker};

const LIMIT: Duration = Duration::from_millis(100);

/// A name, a shell script, the limit that ends it, and whether the run stays on one core.
const PROGRAMS: [(&str, &str, Breach, bool); 5] = [
    ("one process", "while :; do :; done", Breach::Cpu, false),
    ("one process, pinned", "while :; do :; done", Breach::Cpu, true),
    ("four processes", "for i in 1 2 3; do (while :; do :; done) & done; while :; do :; done", Breach::Cpu, false),
    ("four, pinned", "for i in 1 2 3; do (while :; do :; done) & done; while :; do :; done", Breach::Cpu, true),
    ("asleep", "exec sleep 10", Breach::Wall, false),
];

fn main() {
    judge_sandbox::become_helper_if_asked();
    let runs = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(30);
    println!("{:<34} {:>10} {:>10}", "overshoot in ms", "median", "worst");
    for tier in [Tier::Root, Tier::Delegated, Tier::Userns, Tier::Bare] {
        let options = Options { tier: TierChoice::Forced(tier), ..Options::default() };
        match Sandbox::open(&options) {
            Ok(sandbox) => in_tier(&sandbox, runs),
            Err(error) => println!("no tier `{tier}` here: {error}"),
        }
    }
}

fn in_tier(sandbox: &Sandbox, runs: usize) {
    let mut free = sandbox.worker(None).unwrap();
    let mut pinned = sandbox.worker(Some(0)).unwrap();
    for (name, script, limit, on_one_core) in PROGRAMS {
        let worker = if on_one_core { &mut pinned } else { &mut free };
        let mut beyond: Vec<f64> = (0..runs).map(|_| overshoot(worker, script, limit)).collect();
        beyond.sort_by(f64::total_cmp);
        let name = format!("{}: {name}", sandbox.tier());
        println!("{name:<34} {:>10.2} {:>10.2}", beyond[runs / 2], beyond[runs - 1]);
    }
}

/// Milliseconds beyond the limit.
fn overshoot(worker: &mut Worker, script: &str, limit: Breach) -> f64 {
    let Execution { breaches, usage, .. } = worker.run(&request(script, limit)).unwrap();
    assert_eq!(breaches.first(), Some(&limit));
    let used = if limit == Breach::Cpu { usage.cpu } else { usage.wall };
    (used.as_secs_f64() - LIMIT.as_secs_f64()) * 1000.0
}

fn request(script: &str, limit: Breach) -> Request {
    let limits = Limits {
        cpu: (limit == Breach::Cpu).then_some(LIMIT),
        wall: (limit == Breach::Wall).then_some(LIMIT),
        memory: Some(256 << 20),
        stdout: 1 << 16,
        stderr: 1 << 16,
        processes: Some(16),
        disk: 8 << 20,
    };
    Request { argv: ["sh", "-c", script].map(Into::into).to_vec(), ..Request::new("/bin/sh", limits) }
}
