//! The tests' own patience: it has an end.

use crate::support::pace::{in_time, slowness, unhurried};

#[test]
fn what_is_late_runs_again_with_longer_limits_but_not_for_ever() {
    let idle = slowness();
    let tries_until = |enough: u32| {
        let mut factors = Vec::new();
        let result = unhurried("a test of tests", || {
            factors.push(slowness() / idle);
            in_time(slowness() >= enough * idle, || "a test of being late".to_owned());
        });
        (result.is_ok(), factors)
    };
    assert_eq!(tries_until(1), (true, vec![1]));
    assert_eq!(tries_until(4), (true, vec![1, 2, 4]));
    assert_eq!(tries_until(9), (false, vec![1, 2, 4, 8]));
}

#[test]
#[should_panic(expected = "wrong, not late")]
fn what_is_wrong_is_not_tried_again() {
    let mut tries = 0;
    let _ = unhurried("a test of tests", || {
        tries += 1;
        assert!(tries > 1, "wrong, not late");
    });
}
