//! How long the prescribed strategy takes on the largest boards, 50 by 50.

use checkers::Case;
use divan::Bencher;

fn main() {
    divan::main();
}

/// Returns a case whose blocks have these letters, one for each number below `letters.len()`.
fn case(letters: &str, mut block: impl FnMut(usize, usize) -> usize) -> Box<dyn Case> {
    let mut text = String::from("50\n");
    for row in 0..50 {
        text.extend((0..50).map(|column| char::from(letters.as_bytes()[block(row, column) % letters.len()])));
        text.push('\n');
    }
    text.push_str("ABCDEFGHIJKLMNOPQRSTUVWXYZ\n");
    checkers::find("same-game").expect("the game is registered").read(text.as_bytes()).expect("a valid input")
}

/// Numbers that only have to look random.
fn noise() -> impl FnMut() -> usize {
    let mut state = 1_u64;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    }
}

fn bench(bencher: Bencher, case: &dyn Case) {
    // The whole strategy is played whatever the answer says.
    bencher.bench(|| case.check(divan::black_box(b"-1")).is_err());
}

/// Independent blocks of this many colours.
#[divan::bench(args = [2, 3, 4, 5, 6, 8, 12, 26])]
fn random(bencher: Bencher, colors: usize) {
    let mut noise = noise();
    bench(bencher, &*case(&"ABCDEFGHIJKLMNOPQRSTUVWXYZ"[..colors], |_, _| noise()));
}

/// Many small groups that go one by one within a single large one, which so is searched again and again.
#[divan::bench(args = ["ABZZZ", "ABZZ", "ABCZZZ", "ABYYZZ"])]
fn holes(bencher: Bencher, letters: &str) {
    let mut noise = noise();
    bench(bencher, &*case(letters, |_, _| noise()));
}

/// Twelve hundred groups of two.
#[divan::bench]
fn pairs(bencher: Bencher) {
    bench(bencher, &*case("ABCDEFGHIJKL", |row, column| 4 * (row % 3) + (column / 2) % 4));
}
