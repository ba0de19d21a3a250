//! Measures the cost of a run in each tier against a direct start of the same program, in interleaved blocks. Reports
//! medians and tenth percentiles of three rounds.
//!
//! `cargo bench -p judge-sandbox --bench overhead [-- RUNS]`

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark, which prints")]

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use judge_sandbox::{Exchange, Limits, Options, Request, Sandbox, Tier, TierChoice, Visible, WorkFile, Worker};

const PROGRAM: &str = "/bin/true";
const BLOCK: usize = 50;
const ROUNDS: usize = 3;

fn main() {
    judge_sandbox::become_helper_if_asked();
    let runs = std::env::args().skip(1).find_map(|argument| argument.parse().ok()).unwrap_or(1000);
    let core = (std::thread::available_parallelism().unwrap().get() > 1).then_some(1);
    let request = request();
    let mut contestants: Vec<Contestant> = vec![
        ("bare start and wait".to_owned(), Box::new(|| assert!(command().status().unwrap().success()))),
        ("start, two pipes, wait".to_owned(), Box::new(|| drop(command().stdout(Stdio::piped()).output().unwrap()))),
    ];
    for tier in Tier::ALL {
        let options = Options { tier: TierChoice::Forced(tier), ..Options::default() };
        match Sandbox::open(&options) {
            Ok(sandbox) => {
                let (mut free, mut pinned) = (sandbox.worker(None).unwrap(), sandbox.worker(core).unwrap());
                let (one, other) = (request.clone(), request.clone());
                let mut checks = sandbox.worker(None).unwrap();
                contestants.push((tier.to_string(), Box::new(move || run(&mut free, &one))));
                contestants.push((format!("{tier}, pinned"), Box::new(move || run(&mut pinned, &other))));
                contestants.push((format!("{tier}, as a checker"), Box::new(move || check(&mut checks))));
            }
            Err(error) => println!("no tier `{tier}` here: {error}"),
        }
    }
    report(&contestants.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>(), &measure(&mut contestants, runs));
}

fn command() -> Command {
    let mut command = Command::new(PROGRAM);
    command.env_clear().stdin(Stdio::null());
    command
}

fn run(worker: &mut Worker, request: &Request) {
    let execution = worker.run(request).unwrap();
    assert_eq!(execution.end, judge_sandbox::End::Exited(0));
}

/// Runs like a setter's checker: in a readable folder, with two own files.
fn check(worker: &mut Worker) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).canonicalize().unwrap();
    let visible = vec![Visible { path: folder.clone(), writable: false }];
    let request = Request { folder: Some(folder), visible, ..request() };
    let given =
        ["input", "answer"].map(|name| WorkFile { path: name.into(), bytes: vec![b'7'; 1000], executable: false });
    let exchange = Exchange {
        input_files: given.into(),
        output_folder: "reports".into(),
        take_after_any_exit: true,
        max_files: 100,
        max_bytes: 1 << 20,
        ..Exchange::default()
    };
    let (execution, made) = worker.run_with(request, Some(&exchange), None).unwrap();
    assert_eq!((execution.end, made), (judge_sandbox::End::Exited(0), Ok(Vec::new())));
}

fn request() -> Request {
    let limits = Limits {
        cpu: Some(Duration::from_secs(4)),
        wall: Some(Duration::from_secs(12)),
        memory: Some(1 << 30),
        stdout: 1 << 20,
        stderr: 1 << 16,
        processes: Some(16),
        disk: 64 << 20,
    };
    Request { argv: vec!["true".into()], ..Request::new(PROGRAM, limits) }
}

/// The figures of one contestant in one round. On a busy machine the tenth percentile is more informative than the
/// median.
#[derive(Clone, Copy)]
struct Round {
    tenth: Duration,
    median: Duration,
}

/// A name, and what one run does.
type Contestant = (String, Box<dyn FnMut()>);

fn measure(contestants: &mut [Contestant], runs: usize) -> Vec<Vec<Round>> {
    let mut rounds = vec![Vec::new(); contestants.len()];
    for _ in 0..ROUNDS {
        let mut times = vec![Vec::new(); contestants.len()];
        for _ in 0..runs.div_ceil(BLOCK) {
            for ((_, act), times) in contestants.iter_mut().zip(&mut times) {
                for _ in 0..BLOCK {
                    let began = Instant::now();
                    act();
                    times.push(began.elapsed());
                }
            }
        }
        for (rounds, mut times) in rounds.iter_mut().zip(times) {
            times.sort();
            rounds.push(Round { tenth: times[times.len() / 10], median: times[times.len() / 2] });
        }
    }
    rounds
}

/// One figure of a round.
type Pick = fn(&Round) -> Duration;

fn report(names: &[String], rounds: &[Vec<Round>]) {
    let middle = |rounds: &[Round], pick: Pick| {
        let mut sorted: Vec<Duration> = rounds.iter().map(pick).collect();
        sorted.sort();
        sorted[sorted.len() / 2].as_secs_f64() * 1000.0
    };
    let columns: [(&str, Pick); 2] = [("p10", |round| round.tenth), ("median", |round| round.median)];
    for (column, pick) in columns {
        let (bare, piped) = (middle(&rounds[0], pick), middle(&rounds[1], pick));
        println!("\n{:<24} {column:>9} ms {:>13} {:>13}", "", "beyond bare", "to two pipes");
        for (name, rounds) in names.iter().zip(rounds) {
            let value = middle(rounds, pick);
            println!("{name:<24} {value:>12.3} {:>+10.3} ms {:>11.2} x", value - bare, value / piped);
        }
    }
}
