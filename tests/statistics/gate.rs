//! The gate keeps its promises in simulation: the reduced, deterministic form of `cargo bench --bench gate`.

mod gate_life;

use gate_life::{Course, Life, Noise, USUAL, alarm_rate};
use judge::model::Direction;
use judge::statistics::Random;

fn courses(life: &Life, commits: usize, level: f64, lives: usize) -> Vec<Course> {
    let mut random = Random::new(7);
    (0..lives).map(|_| life.course(commits, level, &mut random)).collect()
}

#[test]
fn commits_that_change_nothing_rarely_raise_an_alarm_and_the_baseline_does_not_drift() {
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
        // The total of one run varies by a 4.5th of the spread, that of a baseline at the end of a life by a 30th.
        assert!(drift.abs() < life.spread / 30.0, "{life:?}: {drift}");
    }
    // 2,400 commits, whose alarms go together within a life: three standard errors of the rate are 2 %.
    assert!(rate <= 0.07, "{rate}");
}

#[test]
fn a_fall_of_5_percent_is_noticed_and_more_runs_notice_more() {
    let noticed = |repeat| alarm_rate(&courses(&Life { repeat, ..USUAL }, 1, 0.95, 400));
    let (usual, once, thrice) = (noticed(None), noticed(Some(1)), noticed(Some(3)));
    // 0.83, 0.64 and 0.92, with standard errors of 0.02.
    assert!(usual >= 0.75 && once >= 0.55 && thrice > usual + 0.04, "{usual} {once} {thrice}");
}
