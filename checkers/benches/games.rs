//! How long the checkers take on the largest inputs and answers of four games. The fifth has a bench of its own.

#[path = "../tests/games/model/square_remover.rs"]
mod model;

fn main() {
    divan::main();
}

/// Pseudo-random numbers below a bound. Their quality does not matter.
fn noise() -> impl FnMut(usize) -> usize {
    let mut state = 1_u64;
    move |bound| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % bound
    }
}

/// How long a whole game of 10,000 columns takes to check.
mod columns {
    use super::noise;
    use divan::Bencher;

    /// A case and an answer that plays it to its end. On a ground of jewels that never match lie columns at varying
    /// places that clear themselves, half of them in a chain of two. So each move has a match and a clearing.
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
}

/// How long the prescribed strategy takes on the largest boards, 50 by 50.
mod same_game {
    use super::noise;
    use checkers::Case;
    use divan::Bencher;

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

    fn bench(bencher: Bencher, case: &dyn Case) {
        // The answer does not affect how long the check plays.
        bencher.bench(|| case.check(divan::black_box(b"-1")).is_err());
    }

    /// Independent blocks of this many colours.
    #[divan::bench(args = [2, 3, 4, 5, 6, 8, 12, 26])]
    fn random(bencher: Bencher, colors: usize) {
        let mut noise = noise();
        bench(bencher, &*case(&"ABCDEFGHIJKLMNOPQRSTUVWXYZ"[..colors], |_, _| noise(colors)));
    }

    /// Many small groups inside one large group. They are removed one by one, so the large group is searched again each
    /// time.
    #[divan::bench(args = ["ABZZZ", "ABZZ", "ABCZZZ", "ABYYZZ"])]
    fn holes(bencher: Bencher, letters: &str) {
        let mut noise = noise();
        bench(bencher, &*case(letters, |_, _| noise(letters.len())));
    }

    /// Twelve hundred groups of two.
    #[divan::bench]
    fn pairs(bencher: Bencher) {
        bench(bencher, &*case("ABCDEFGHIJKL", |row, column| 4 * (row % 3) + (column / 2) % 4));
    }
}

/// Measures how long a whole game of `square-remover` takes to check, including the reading of its 30,000 integers.
mod square_remover {
    use super::model::Model;
    use super::noise;
    use checkers::{Case, Checker};
    use divan::Bencher;

    const MOVES: usize = 10_000;

    /// The first seed with a board of 16 rows and 4 colours: it has the most squares to examine and to remove.
    const SEED: u64 = 7;

    fn checker() -> &'static Checker {
        checkers::find("square-remover").expect("it is built in")
    }

    /// Returns the case and an answer that picks, of `tries` random swaps, the first that makes a square.
    fn game(tries: usize) -> (Box<dyn Case>, String) {
        let input = checker().generate(SEED).expect("the seed is not 0");
        let mut model = Model::read(str::from_utf8(&input).expect("inputs are ASCII"));
        while model.remove_one().is_some() {}
        let mut below = noise();
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
}

/// Measures how long files of `beating-the-game` of the largest allowed size take to read and check.
mod beating_the_game {
    use super::noise;
    use checkers::{Checker, Frame, Observer};
    use divan::Bencher;
    use std::fmt::Write;

    const CASES: usize = 50;

    fn find(id: &str) -> &'static Checker {
        checkers::find(id).expect("it is built in")
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

    /// 50 strips of 1,000 cells, each with a tile of the `kinds` smallest, and 5,000 attempts. With one kind, nearly
    /// all tiles merge early; with more kinds, fewer merge, and later.
    #[divan::bench(args = [1, 2, 62], sample_count = 20)]
    fn easy(bencher: Bencher<'_, '_>, kinds: usize) {
        let random = &mut noise();
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
        bencher
            .bench_local(|| checker.read(divan::black_box(input.as_bytes())).map(|case| case.check(ends.0.as_bytes())));
    }

    /// 50 strips of 9 cells.
    #[divan::bench(sample_count = 20)]
    fn hard(bencher: Bencher<'_, '_>) {
        let random = &mut noise();
        let mut input = format!("{CASES}\n");
        for case in 0..CASES {
            let strip: String = (0..9).map(|cell| if cell == case % 9 { "2 " } else { "0 " }).collect();
            input += &format!("\n9\n{strip}\n{}\n", seed(random));
        }
        let checker = find("beating-the-game-hard");
        bencher.bench_local(|| checker.read(divan::black_box(input.as_bytes())).map(|case| case.check(b"")));
    }
}
