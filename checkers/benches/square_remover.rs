//! How long a whole game of `square-remover` takes to check, the reading of its 30,000 integers included.

#[path = "../tests/model/square_remover.rs"]
mod model;

use checkers::{Case, Checker};
use divan::Bencher;
use model::Model;

const MOVES: usize = 10_000;

/// The first seed with a board of 16 rows and 4 colours: the most squares to look at, and the most to go.
const SEED: u64 = 7;

fn main() {
    divan::main();
}

fn checker() -> &'static dyn Checker {
    checkers::find("square-remover").expect("it is built in")
}

/// Returns the case and an answer that picks, of `tries` random swaps, the first that makes a square.
fn game(tries: usize) -> (Box<dyn Case>, String) {
    let input = checker().generate(SEED).expect("the seed is not 0");
    let mut model = Model::read(str::from_utf8(&input).expect("inputs are ASCII"));
    while model.remove_one().is_some() {}
    let mut random = 1u64;
    let mut below = |bound: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % bound
    };
    let mut answer = String::new();
    for _ in 0..MOVES {
        for tried in 1.. {
            // Never from the last row or column: right and down are then always on the board.
            let (row, column, direction) = (below(15), below(15), 1 + below(2));
            model.swap(row, column, direction);
            if tried >= tries || model.remove_one().is_some() {
                while model.remove_one().is_some() {}
                answer += &format!("{row}\n{column}\n{direction}\n");
                break;
            }
            model.swap(row, column, direction);
        }
    }
    (checker().read(&input).expect("it was generated"), answer)
}

/// `1`: random play. `1000`: of 1,000 random swaps, one that makes a square.
#[divan::bench(args = [1, 1000])]
fn check(bencher: Bencher<'_, '_>, tries: usize) {
    let (case, answer) = game(tries);
    bencher.bench_local(|| case.check(divan::black_box(answer.as_bytes())));
}

#[divan::bench]
fn generate() -> Vec<u8> {
    checker().generate(divan::black_box(SEED)).expect("the seed is not 0")
}
