//! How long a whole game of 10,000 columns takes to check.

use divan::Bencher;

fn main() {
    divan::main();
}

/// Numbers that only have to look random.
fn noise() -> impl FnMut(usize) -> usize {
    let mut state = 1_u64;
    move |bound| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % bound
    }
}

/// A case and an answer that plays it to its end: on a ground of jewels that never match lie, now here, now there,
/// columns that clear themselves, half of them in a chain of two. That is a match and a clearing a move.
fn full_game() -> (Vec<u8>, Vec<u8>) {
    let ground = (0..36).map(|index| (["pqr", "stu"][index % 2].to_owned(), index % 12));
    let mut below = noise();
    let play = (0..).flat_map(|_| {
        let (x, y, column) = (["a", "b"][below(2)], ["c", "d"][below(2)], below(12));
        if below(2) == 0 {
            vec![(x.repeat(3), column)]
        } else {
            vec![([y, y, x].concat(), column), ([x, x, y].concat(), column)]
        }
    });
    let (mut input, mut answer) = (String::from("12 19\n10000\n"), String::from("10000\n"));
    for (jewels, column) in ground.chain(play).take(10_000) {
        input.push_str(&format!("{jewels}\n"));
        answer.push_str(&format!("{} 0\n", column + 1));
    }
    (input.into(), answer.into())
}

#[divan::bench]
fn check(bencher: Bencher) {
    let (input, answer) = full_game();
    let case = checkers::find("columns").expect("the game is registered").read(&input).expect("a valid input");
    let score = case.check(&answer).expect("a valid answer");
    assert!(score > 600_000.into(), "the game ended too early: {score}");
    bencher.bench(|| case.check(divan::black_box(&answer)));
}

#[divan::bench]
fn read(bencher: Bencher) {
    let (input, _) = full_game();
    let checker = checkers::find("columns").expect("the game is registered");
    bencher.bench(|| checker.read(divan::black_box(&input)).is_ok());
}
