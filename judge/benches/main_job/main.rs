//! What the judge adds to the solver's own time: 1,000 tiny cases, run by the floor (posix_spawn, two pipes, waitpid; no
//! limits, no walls, no checker), by the sandbox alone and by the whole judge, in every tier that this machine gives, and
//! by pahcer where it is installed. They take turns, so that a machine whose speed drifts slows all alike; the ratio to
//! the floor of the same round is what counts.
//!
//! `cargo bench -p judge --bench main_job`
//! `-- --rounds 21` for more than seven rounds; `--idle 2500` also with 2,500 idle processes on the machine;
//! `--once` what a run of one case takes from start to end, and `judge exec` likewise, in turns;
//! `--other PROGRAM` beside another build of the judge; `--limit 1.5` fails if the judge's ratio at one job is above that
//! in the strongest tier.
#![allow(clippy::print_stdout, reason = "the table is what it is for")]

mod contestants;

use contestants::{Contestant, Scene};
use std::path::PathBuf;
use std::time::Duration;

const CASES: usize = 1_000;
const ROUNDS: usize = 7;

/// What was measured of one contestant, with one number of jobs: its time and the floor's, round by round.
#[derive(Default)]
struct Series {
    times: Vec<Duration>,
    ratios: Vec<f64>,
    /// Its times beside idle processes.
    idle: Vec<Duration>,
}

fn main() {
    judge_sandbox::become_helper_if_asked();
    // `cargo test --benches` only looks whether it works.
    let in_earnest = std::env::args().any(|argument| argument == "--bench");
    let (cases, rounds) = if in_earnest { (CASES, option("--rounds").unwrap_or(ROUNDS)) } else { (10, 1) };
    let is_once = std::env::args().any(|argument| argument == "--once");
    let scene = match Scene::set(if is_once { 1 } else { cases }) {
        Ok(scene) => scene,
        Err(why) => return println!("skipped: {why}"),
    };
    let contestants = scene.contestants(option::<PathBuf>("--other").as_deref());
    if is_once {
        return once(&scene, &contestants, rounds);
    }
    let jobs: Vec<usize> = (1..=scene.most_jobs()).collect();
    let mut measured: Vec<Vec<Series>> =
        contestants.iter().map(|_| jobs.iter().map(|_| Series::default()).collect()).collect();
    let idle: Option<usize> = option("--idle");
    for _ in 0..rounds {
        for (column, &jobs) in jobs.iter().enumerate() {
            let mut floor = None;
            for (contestant, series) in contestants.iter().zip(&mut measured) {
                let time = scene.time(contestant, jobs);
                series[column].note(time, *floor.get_or_insert(time));
                if let Some(count) = idle {
                    let _idle = scene.idle(count);
                    series[column].idle.push(scene.time(contestant, jobs));
                }
            }
        }
    }
    println!("{cases} cases; milliseconds a case: least and median of {rounds} rounds, median ratio to the floor");
    for (column, jobs) in jobs.iter().enumerate() {
        println!("\n{:<20} {:>8} {:>8} {:>8}", format!("jobs: {jobs}"), "least", "median", "ratio");
        for (contestant, series) in contestants.iter().zip(&mut measured) {
            series[column].print(contestant, cases);
        }
    }
    let judge = contestants.iter().position(|contestant| matches!(contestant, Contestant::Judge(_)));
    if let (Some(limit), Some(place)) = (option::<f64>("--limit"), judge) {
        let ratio = median(&mut measured[place][0].ratios);
        assert!(ratio <= limit, "the median ratio {ratio:.2} is above {limit}");
    }
}

/// Each round begins a moment after the one before: what the kernel needs once for many runs, each of them needs then.
fn once(scene: &Scene, contestants: &[Contestant], rounds: usize) {
    const PAUSE: Duration = Duration::from_millis(1_500);
    let judges = || contestants.iter().filter(|contestant| contestant.is_judge());
    let mut times: Vec<[Vec<Duration>; 2]> = judges().map(|_| Default::default()).collect();
    for _ in 0..rounds {
        for (judge, [runs, execs]) in judges().zip(&mut times) {
            std::thread::sleep(PAUSE);
            runs.push(scene.time(judge, 1));
            std::thread::sleep(PAUSE);
            execs.extend(scene.exec(judge));
        }
    }
    println!("milliseconds from start to end, least and median of {rounds} rounds");
    println!("\n{:<20} {:>8} {:>8} {:>8} {:>8}", "", "run", "", "exec", "");
    for (judge, times) in judges().zip(&mut times) {
        print!("{judge:<20}");
        for times in times {
            times.sort();
            for time in [times[0], times[times.len() / 2]] {
                print!(" {:>8.1}", time.as_secs_f64() * 1e3);
            }
        }
        println!();
    }
}

impl Series {
    fn note(&mut self, time: Duration, floor: Duration) {
        self.times.push(time);
        self.ratios.push(ratio(time, floor));
    }

    fn print(&mut self, contestant: &Contestant, cases: usize) {
        self.times.sort();
        let per_case = |time: Duration| time.as_secs_f64() * 1e3 / cases as f64;
        let (least, middle) = (per_case(self.times[0]), per_case(self.times[self.times.len() / 2]));
        print!("{contestant:<20} {least:>8.3} {middle:>8.3} {:>8.2}", median(&mut self.ratios));
        if let Some(idle) = self.idle.iter().min() {
            print!("  least with idle processes {:>+6.1} %", (ratio(*idle, self.times[0]) - 1.0) * 100.0);
        }
        println!();
    }
}

fn ratio(time: Duration, other: Duration) -> f64 {
    time.as_secs_f64() / other.as_secs_f64()
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The value after a flag.
fn option<T: std::str::FromStr>(flag: &str) -> Option<T> {
    std::env::args().skip_while(|argument| argument != flag).nth(1)?.parse().ok()
}
