//! Drives every fuzz target for a moment, on any toolchain: samples as they are, damaged samples, and random bytes.
//! The same bytes each time.

#[path = "../../../checkers/tests/games/mutate.rs"]
mod mutate;

use judge_fuzz::{TARGETS, Target};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// Damaged samples and random texts for each target.
const ROUNDS: usize = 500;

fn draw<T: std::fmt::Debug>(strategy: &impl Strategy<Value = T>, runner: &mut TestRunner) -> T {
    strategy.new_tree(runner).expect("nothing is filtered").current()
}

/// Runs a target, and shows the bytes if it panics.
fn run(target: &Target, bytes: &[u8]) {
    let result = std::panic::catch_unwind(|| (target.run)(bytes));
    assert!(result.is_ok(), "{} fails on b\"{}\"", target.name, bytes.escape_ascii());
}

fn drive(target: &Target) {
    let samples = (target.samples)();
    assert!(samples.len() > 2, "{} has {} samples", target.name, samples.len());
    samples.iter().for_each(|sample| run(target, sample));
    let mut runner = TestRunner::deterministic();
    let (damages, bytes) = (mutate::damages(), vec(any::<u8>(), 0..200));
    for sample in samples.iter().cycle().take(ROUNDS) {
        run(target, &mutate::damaged(sample, &draw(&damages, &mut runner)));
        run(target, &draw(&bytes, &mut runner));
    }
}

#[test]
fn no_target_finds_a_defect() {
    for target in TARGETS {
        drive(&target);
    }
}

#[test]
fn every_target_has_a_program_for_the_fuzzer() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz_targets");
    let entries = std::fs::read_dir(folder).unwrap();
    let mut programs: Vec<_> = entries.map(|entry| entry.unwrap().path().file_stem().unwrap().to_owned()).collect();
    let mut names: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
    programs.sort();
    names.sort_unstable();
    assert_eq!(programs, names);
}
