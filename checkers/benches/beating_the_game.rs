//! How long files of `beating-the-game` as large as the statement allows take to read and check.

use checkers::{Checker, Frame, Observer};
use divan::Bencher;
use std::fmt::Write;

const CASES: usize = 50;

fn main() {
    divan::main();
}

fn find(id: &str) -> &'static dyn Checker {
    checkers::find(id).expect("it is built in")
}

/// Returns random bits that only the benchmark depends on.
fn random() -> impl FnMut(usize) -> usize {
    let mut state = 1u64;
    move |bound| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % bound
    }
}

fn seed(random: &mut impl FnMut(usize) -> usize) -> String {
    (0..43).map(|_| format!("{} ", random(1 << 31) * 2 + random(2))).collect()
}

/// Keeps the strip at the end of each case: the answer.
#[derive(Default)]
struct Ends(String);

impl Observer for Ends {
    fn step(&mut self, _: usize, frame: &mut dyn FnMut() -> Frame) {
        let frame = frame();
        if frame.caption.contains("the end") {
            for cell in frame.board.cells {
                // Writing to a string cannot fail.
                let _ = write!(self.0, "{} ", cell.text.as_deref().unwrap_or("0"));
            }
            self.0.push('\n');
        }
    }
}

/// 50 strips of 1,000 cells, each with a tile of the `kinds` smallest, and 5,000 attempts. With one kind nearly all
/// merges early; with more, later and less.
#[divan::bench(args = [1, 2, 62], sample_count = 20)]
fn easy(bencher: Bencher<'_, '_>, kinds: usize) {
    let random = &mut random();
    let mut input = format!("{CASES}\n");
    for _ in 0..CASES {
        let strip: String = (0..1_000).map(|_| format!("{} ", 2u64 << random(kinds))).collect();
        let attempts: String = (0..5_000).map(|_| if random(2) == 0 { 'l' } else { 'r' }).collect();
        input += &format!("\n1000\n{strip}\n{}\n5000\n{attempts}\n", seed(random));
    }
    let checker = find("beating-the-game-easy");
    let mut ends = Ends::default();
    let case = checker.read(input.as_bytes()).expect("it is well formed");
    // The answer is wrong: the empty one is.
    let _ = case.replay(b"", &mut ends);
    bencher.bench_local(|| checker.read(divan::black_box(input.as_bytes())).map(|case| case.check(ends.0.as_bytes())));
}

/// 50 strips of 9 cells.
#[divan::bench(sample_count = 20)]
fn hard(bencher: Bencher<'_, '_>) {
    let random = &mut random();
    let mut input = format!("{CASES}\n");
    for case in 0..CASES {
        let strip: String = (0..9).map(|cell| if cell == case % 9 { "2 " } else { "0 " }).collect();
        input += &format!("\n9\n{strip}\n{}\n", seed(random));
    }
    let checker = find("beating-the-game-hard");
    bencher.bench_local(|| checker.read(divan::black_box(input.as_bytes())).map(|case| case.check(b"")));
}
