//! The gate's life, simulated: alarms of commits that change nothing, the drift of the baseline, and which falls are
//! noticed. Prints the tables of docs/measured-fixed.md.
//!
//! `cargo bench -p judge --bench gate [-- LIVES]`; 2,000 lives per row by default.
#![allow(clippy::print_stdout, reason = "the tables are what it is for")]

#[path = "../../tests/claims/simulation/gate_life.rs"]
mod gate_life;

use gate_life::{Course, Life, Noise, USUAL, alarm_rate};
use judge_problem::Direction;
use judge_statistics::Random;

const COMMITS: usize = 40;

fn main() {
    let lives = std::env::args().filter_map(|argument| argument.parse().ok()).next().unwrap_or(2_000);
    life_table(lives);
    power_table(lives * 4);
}

fn courses(life: &Life, commits: usize, level: f64, lives: usize) -> Vec<Course> {
    let mut random = Random::new(13);
    (0..lives).map(|_| life.course(commits, level, &mut random)).collect()
}

fn life_table(lives: usize) {
    println!("Alarms of {COMMITS} commits that change nothing, {lives} lives with --update:\n");
    println!(
        "| noise of a run | cases | alarms a commit | standard error | of the 40th | lives without | drift of the baseline |"
    );
    println!("|---|---|---:|---:|---:|---:|---:|");
    let usual = |spread| Life { spread, ..USUAL };
    let rows = [
        ("5 %, normal", "20", usual(0.05)),
        ("10 %, normal", "20", usual(0.1)),
        ("20 %, normal", "20", usual(0.2)),
        ("10 %, small scores are good", "20", Life { direction: Direction::Min, ..USUAL }),
        ("10 %, uniform", "20", Life { noise: Noise::Uniform, ..USUAL }),
        ("10 %, tail of low scores (Gumbel)", "20", Life { noise: Noise::LowTail, ..USUAL }),
        ("10 %, tail of high scores", "20", Life { noise: Noise::HighTail, ..USUAL }),
        ("10 %, one run in ten drops by 30 %", "20", Life { noise: Noise::Drops, ..USUAL }),
        ("10 %, heavy tails (Student, 3 degrees)", "20", Life { noise: Noise::HeavyTails, ..USUAL }),
        ("10 %, normal", "20, sizes 1 to 100", Life { sizes: 100.0, ..USUAL }),
        (
            "10 %, one run in ten drops by 30 %",
            "20, sizes 1 to 100",
            Life { sizes: 100.0, noise: Noise::Drops, ..USUAL },
        ),
        ("20 %, tail of low scores", "20, sizes 1 to 100", Life { sizes: 100.0, noise: Noise::LowTail, ..usual(0.2) }),
        ("10 %, normal", "5", Life { cases: 5, ..USUAL }),
        ("10 %, normal", "100", Life { cases: 100, ..USUAL }),
        ("10 %, normal, --repeat 1", "20", Life { repeat: Some(1), ..USUAL }),
        ("10 %, normal, --repeat 3", "20", Life { repeat: Some(3), ..USUAL }),
        ("10 %, normal, recorded twice", "20", Life { recorded: 2, ..USUAL }),
        ("10 %, normal, without --update", "20", Life { update: false, ..USUAL }),
    ];
    for (noise, cases, life) in rows {
        let courses = courses(&life, COMMITS, 1.0, lives);
        let last = courses.iter().filter(|course| course.alarms[COMMITS - 1]).count();
        let quiet = courses.iter().filter(|course| !course.alarms.contains(&true)).count();
        let drift = courses.iter().map(|course| course.drift).sum::<f64>() / lives as f64;
        println!(
            "| {noise} | {cases} | {} | {:.2} % | {} | {} | {:+.2} % |",
            percent(alarm_rate(&courses)),
            standard_error(&courses) * 100.0,
            percent(last as f64 / lives as f64),
            percent(quiet as f64 / lives as f64),
            drift * 100.0
        );
    }
}

/// The standard error of the alarm rate. The commits of a life depend on each other; lives do not.
fn standard_error(courses: &[Course]) -> f64 {
    let (lives, rate) = (courses.len() as f64, alarm_rate(courses));
    let squares: f64 = courses.iter().map(|course| (alarm_rate(std::slice::from_ref(course)) - rate).powi(2)).sum();
    (squares / (lives - 1.0) / lives).sqrt()
}

fn power_table(lives: usize) {
    println!("\nFalls noticed, of {lives}, 20 cases, 5 recorded runs:\n");
    println!("| noise of a run | sizes | fall | default | --repeat 1 | --repeat 2 | --repeat 3 | --repeat 5 |");
    println!("|---|---|---:|---:|---:|---:|---:|---:|");
    let usual = |spread| Life { spread, ..USUAL };
    let rows = [
        ("5 %, normal", usual(0.05), 0.02),
        ("5 %, normal", usual(0.05), 0.05),
        ("10 %, normal", USUAL, 0.03),
        ("10 %, normal", USUAL, 0.05),
        ("10 %, normal", USUAL, 0.1),
        ("20 %, normal", usual(0.2), 0.05),
        ("20 %, normal", usual(0.2), 0.1),
        ("10 %, tail of low scores", Life { noise: Noise::LowTail, ..USUAL }, 0.05),
        ("10 %, one run in ten drops by 30 %", Life { noise: Noise::Drops, ..USUAL }, 0.05),
        ("10 %, normal", Life { sizes: 100.0, ..USUAL }, 0.05),
        ("10 %, normal", Life { sizes: 100.0, ..USUAL }, 0.1),
    ];
    for (noise, life, fall) in rows {
        let noticed = [None, Some(1), Some(2), Some(3), Some(5)]
            .map(|repeat| percent(alarm_rate(&courses(&Life { repeat, ..life }, 1, 1.0 - fall, lives))));
        let sizes = if life.sizes > 1.0 { "1 to 100" } else { "equal" };
        println!("| {noise} | {sizes} | {:.0} % | {} |", fall * 100.0, noticed.join(" | "));
    }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}
