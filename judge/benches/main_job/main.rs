//! The judge's overhead on the solver's own time: 1,000 tiny cases, run by the baseline (posix_spawn, two pipes,
//! waitpid; no limits, no isolation, no checker), by the sandbox, by the whole judge in every tier that works on this
//! machine, and by pahcer if it is installed. They take turns, so that a change of the machine's speed affects all
//! alike. The reported value is the ratio to the baseline of the same round.
//!
//! `cargo bench -p judge --bench main_job` `-- --rounds 21` for more than seven rounds; `--idle 2500` also with 2,500
//! idle processes on the machine; `--once` measures a run of one case from start to end, and `judge exec` likewise, in
//! turns, each 1,500 ms after the one before, or with `--pause 0` at once; `--work 16` measures the efficiency at two
//! jobs, with programs that take 16 ms of CPU time each; `--clock 20` measures the time charged to programs that end
//! once their own CPU clock shows 20 ms; `--other PROGRAM` compares with another build of the judge; `--limit 1.5`
//! fails if the judge's ratio at one job is above that in the strongest tier.
#![allow(clippy::print_stdout, reason = "the table is what it is for")]

mod contestants;

use contestants::{Contestant, Scene};
use std::path::PathBuf;
use std::time::Duration;

const CASES: usize = 1_000;
/// Of programs that take some milliseconds.
const LONG_CASES: usize = 400;
const ROUNDS: usize = 7;

/// The measurements of one contestant with one number of jobs: its time and the baseline's, round by round.
#[derive(Default)]
struct Series {
    times: Vec<Duration>,
    ratios: Vec<f64>,
    /// Its times with idle processes on the machine.
    idle: Vec<Duration>,
}

fn main() {
    judge_sandbox::become_helper_if_asked();
    // `cargo test --benches` only checks whether it works.
    let in_earnest = std::env::args().any(|argument| argument == "--bench");
    let (cases, rounds) = if in_earnest { (CASES, option("--rounds").unwrap_or(ROUNDS)) } else { (10, 1) };
    let is_once = std::env::args().any(|argument| argument == "--once");
    let (work, clock): (Option<f64>, Option<f64>) = (option("--work"), option("--clock"));
    let long = if in_earnest { LONG_CASES } else { cases };
    let cases = if is_once { 1 } else { work.or(clock).map_or(cases, |_| long) };
    let mut scene = match Scene::set(cases) {
        Ok(scene) => scene,
        Err(why) => return println!("skipped: {why}"),
    };
    work.into_iter().for_each(|milliseconds| scene.set_work(milliseconds));
    let contestants = scene.contestants(option::<PathBuf>("--other").as_deref());
    if is_once {
        return once(&scene, contestants, rounds);
    }
    if let Some(milliseconds) = clock {
        return charged(&scene, &contestants, milliseconds);
    }
    let mut measured = measure(&scene, &contestants, rounds);
    println!("{cases} cases; milliseconds a case: least and median of {rounds} rounds, median ratio to the floor");
    for column in 0..scene.most_jobs() {
        println!("\n{:<20} {:>8} {:>8} {:>8}", format!("jobs: {}", column + 1), "least", "median", "ratio");
        for (contestant, series) in contestants.iter().zip(&mut measured) {
            series[column].print(contestant, cases);
        }
    }
    if work.is_some() {
        efficiency(&contestants, &measured);
    }
    let judge = contestants.iter().position(|contestant| matches!(contestant, Contestant::Judge(_)));
    if let (Some(limit), Some(place)) = (option::<f64>("--limit"), judge) {
        let ratio = median(&mut measured[place][0].ratios);
        assert!(ratio <= limit, "the median ratio {ratio:.2} is above {limit}");
    }
}

/// Measures all of them in turns, with one job and with more: for each, a series for each number of jobs.
fn measure(scene: &Scene, contestants: &[Contestant], rounds: usize) -> Vec<Vec<Series>> {
    let jobs = 1..=scene.most_jobs();
    let mut measured: Vec<Vec<Series>> =
        contestants.iter().map(|_| jobs.clone().map(|_| Series::default()).collect()).collect();
    let idle: Option<usize> = option("--idle");
    for _ in 0..rounds {
        for jobs in jobs.clone() {
            let mut floor = None;
            for (contestant, series) in contestants.iter().zip(&mut measured) {
                let (time, series) = (scene.time(contestant, jobs), &mut series[jobs - 1]);
                series.note(time, *floor.get_or_insert(time));
                if let Some(count) = idle {
                    let _idle = scene.idle(count);
                    series.idle.push(scene.time(contestant, jobs));
                }
            }
        }
    }
    measured
}

/// The throughput of two jobs as a share of twice the throughput of one job, round by round.
fn efficiency(contestants: &[Contestant], measured: &[Vec<Series>]) {
    println!("\n{:<20} {:>8}", "efficiency, 2 jobs", "median");
    for (contestant, series) in contestants.iter().zip(measured) {
        let [one, two, ..] = &series[..] else { continue };
        let halves = one.times.iter().zip(&two.times).map(|(one, two)| ratio(*one, *two) / 2.0);
        println!("{contestant:<20} {:>8.3}", median(&mut halves.collect::<Vec<_>>()));
    }
}

/// The time charged to programs that end by their own clock.
fn charged(scene: &Scene, contestants: &[Contestant], milliseconds: f64) {
    println!("CPU time charged to programs whose own clock says {milliseconds} ms: median, nine of ten, most");
    for contestant in contestants {
        if let Contestant::Sandbox(_, sandbox) = contestant {
            let mut times = scene.charged(sandbox, milliseconds);
            let middle = median(&mut times);
            println!(
                "{contestant:<20} {middle:>8.3} {:>8.3} {:>8.3}",
                times[times.len() * 9 / 10],
                times[times.len() - 1]
            );
        }
    }
}

/// Each round begins a moment after the one before, so that each of them includes work that the kernel does once for
/// many runs.
fn once(scene: &Scene, contestants: Vec<Contestant>, rounds: usize) {
    let pause = Duration::from_millis(option("--pause").unwrap_or(1_500));
    // An open sandbox would keep the kernel's counters of CPU time active. A judge waits for the first of them.
    let judges: Vec<Contestant> = contestants.into_iter().filter(Contestant::is_judge).collect();
    let mut times: Vec<[Vec<Duration>; 2]> = judges.iter().map(|_| Default::default()).collect();
    for _ in 0..rounds {
        for (judge, [runs, execs]) in judges.iter().zip(&mut times) {
            std::thread::sleep(pause);
            runs.push(scene.time(judge, 1));
            std::thread::sleep(pause);
            execs.extend(scene.exec(judge));
        }
    }
    println!("milliseconds from start to end, least and median of {rounds} rounds");
    println!("\n{:<20} {:>8} {:>8} {:>8} {:>8}", "", "run", "", "exec", "");
    for (judge, times) in judges.iter().zip(&mut times) {
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
        let mut times = self.times.clone();
        times.sort();
        let per_case = |time: Duration| time.as_secs_f64() * 1e3 / cases as f64;
        let (least, middle) = (per_case(times[0]), per_case(times[times.len() / 2]));
        print!("{contestant:<20} {least:>8.3} {middle:>8.3} {:>8.2}", median(&mut self.ratios));
        if let Some(idle) = self.idle.iter().min() {
            print!("  least with idle processes {:>+6.1} %", (ratio(*idle, times[0]) - 1.0) * 100.0);
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
