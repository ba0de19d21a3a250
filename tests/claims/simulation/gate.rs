//! The promises of the gate in simulation: the reduced, deterministic form of `cargo bench --bench gate`.

use super::gate_life::{Course, Life, Noise, USUAL, alarm_rate};
use judge_problem::Direction;
use judge_statistics::{Random, holm};

fn courses(life: &Life, commits: usize, level: f64, lives: usize) -> Vec<Course> {
    let mut random = Random::new(7);
    (0..lives).map(|_| life.course(commits, level, &mut random)).collect()
}

#[test]
#[ignore = "CI: thousands of commits"]
fn unchanged_commits_rarely_alarm_and_never_drift() {
    let lives = [
        Life { spread: 0.05, ..USUAL },
        Life { spread: 0.2, direction: Direction::Min, ..USUAL },
        Life { noise: Noise::HighTail, sizes: 10.0, ..USUAL },
    ];
    let mut rate = 0.0;
    for life in &lives {
        let courses = courses(life, 40, 1.0, 20);
        rate += alarm_rate(&courses) / lives.len() as f64;
        let drift = courses.iter().map(|course| course.drift).sum::<f64>() / courses.len() as f64;
        // The standard deviation of the total of one run is the spread divided by 4.5, and of a baseline at the end of
        // a life, the spread divided by 30.
        assert!(drift.abs() < life.spread / 30.0, "{life:?}: {drift}");
    }
    // 2,400 commits, whose alarms are correlated within a life: three standard errors of the rate are 2 %.
    assert!(rate <= 0.07, "{rate}");
}

/// The share of alarms is the same as in `cargo bench --bench gate` with more lives: 4.2 % if the gate may run again,
/// 5.1 % with one run, and 4.6 % if one run in ten drops by three standard deviations, which was 7 % before the
/// skewness was considered. The seed makes every run the same. A level that changed by 1 % would be outside of these
/// bounds.
#[test]
#[ignore = "long: seven thousand commits"]
fn the_alarm_level_equals_the_measured_one() {
    let rate = |life: &Life| alarm_rate(&courses(life, 40, 1.0, 60));
    for (life, expected) in
        [(USUAL, 0.042), (Life { repeat: Some(1), ..USUAL }, 0.051), (Life { noise: Noise::Drops, ..USUAL }, 0.046)]
    {
        let found = rate(&life);
        assert!((found - expected).abs() < 0.011, "{life:?}: {found}, not {expected}");
    }
}

#[test]
#[ignore = "long: a simulation"]
fn more_runs_notice_a_fall_more_often() {
    let noticed = |repeat| alarm_rate(&courses(&Life { repeat, ..USUAL }, 1, 0.95, 400));
    let (usual, once, thrice) = (noticed(None), noticed(Some(1)), noticed(Some(3)));
    // 0.90, 0.66 and 0.93, with standard errors of 0.02.
    assert!(usual >= 0.83 && once >= 0.58 && thrice > usual, "{usual} {once} {thrice}");
}

/// An alarm does not change the baseline. Without `--update`, most alarms of a solver with heavy tails therefore occur
/// in a few lives, whose baseline was recorded too high. More recorded runs fix it, and so do updates.
#[test]
#[ignore = "long: seven thousand commits"]
fn a_baseline_recorded_too_high_alarms_repeatedly() {
    const LIVES: usize = 60;
    let in_the_worst_tenth = |recorded, update| {
        let courses = courses(&Life { noise: Noise::HeavyTails, recorded, update, ..USUAL }, 40, 1.0, LIVES);
        let alarms = |course: &Course| course.alarms.iter().filter(|alarm| **alarm).count();
        let mut alarms: Vec<usize> = courses.iter().map(alarms).collect();
        alarms.sort_unstable();
        let worst: usize = alarms[LIVES - LIVES / 10..].iter().sum();
        worst as f64 / alarms.iter().sum::<usize>() as f64
    };
    let few = in_the_worst_tenth(5, false);
    // 0.53, 0.37 and 0.34 with 400 lives, and 4 % of alarms each time.
    for mended in [in_the_worst_tenth(20, false), in_the_worst_tenth(5, true)] {
        assert!(few > mended + 0.08, "{few} {mended}");
    }
}

#[test]
#[ignore = "long: six thousand gates"]
fn ten_gates_alarm_as_rarely_as_one() {
    let mut random = Random::new(7);
    let (commits, mut alone, mut together) = (600.0, 0.0, 0.0);
    for _ in 0..600 {
        let levels = Life { repeat: Some(1), ..USUAL }.levels(10, &mut random);
        alone += f64::from(levels.iter().any(|level| *level <= 0.05));
        together += f64::from(levels.iter().zip(holm(&levels, 0.05)).any(|(level, alpha)| *level <= alpha));
    }
    // 1 - 0.95^10 is 40 %; three standard errors are 6 % of it, and 2.7 % of 5 %.
    assert!((alone / commits - 0.4_f64).abs() < 0.06, "{alone}");
    assert!(together / commits < 0.077, "{together}");
}
