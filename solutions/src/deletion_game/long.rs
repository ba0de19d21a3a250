//! Few long moves: palindromes that fill a symmetric board, palindromes grown from a middle, and long primes.

use super::big_prime::{LONGEST, Primality, passes};
use super::board::{Board, Cell};
use super::game::{Answer, Rules};
use super::mirror::{middle_palindrome, mirrored, snakes};
use super::palindrome::{Bounds, Grower, middles};
use crate::clock::Clock;
use crate::random::Random;

/// The share of the time for growing palindromes, where long primes may pay as well.
const PALINDROMES: f64 = 0.3;

/// The share of the time after which no long number is tested any more: a test can take a while.
const LAST_TEST: f64 = 0.95;

/// Pairs tried for one palindrome, times its greatest length.
const PAIRS: usize = 20;

/// How many long tests a prime takes for each of its digits, after trial division.
const TESTS_PER_DIGIT: f64 = 0.1;

/// By what lengths are multiplied after every one that no prime was found of.
const SHRINK: f64 = 0.98;

/// Plays the moves, each as long as possible.
pub(super) fn play(rules: &Rules, board: &Board, clock: &Clock) -> Answer {
    let [palindromes, primes] = [by_palindromes(rules, board.clone(), clock), by_primes(rules, board, clock)];
    let worth = |moves: &[Move]| moves.iter().fold(0_u64, |sum, path| sum.saturating_add(path.points));
    let moves = if worth(&primes) > worth(&palindromes) { primes } else { palindromes };
    let mut answer = Answer::new();
    let mut board = board.clone();
    for path in moves {
        if !answer.add(&board, &path.cells) {
            break;
        }
        board.delete(&path.cells);
    }
    answer
}

/// A path and what it is worth.
struct Move {
    cells: Vec<Cell>,
    points: u64,
}

/// Returns palindromes, each played on the board that the ones before have left.
fn by_palindromes(rules: &Rules, mut board: Board, clock: &Clock) -> Vec<Move> {
    let share = if rules.prime > 0 { PALINDROMES } else { 1.0 };
    let mut grower = Grower::new(&board);
    let mut random = Random::new(1);
    let mut moves = Vec::new();
    for done in 0..rules.moves {
        if done > 0 && clock.used() >= share {
            break;
        }
        let until = clock.used() + (share - clock.used()) / (rules.moves - done) as f64;
        let symmetric = if done == 0 { symmetric(rules, &board) } else { Vec::new() };
        let cells = longest_palindrome(rules, &board, symmetric, &mut grower, &mut random, || clock.used() < until);
        if cells.is_empty() {
            break;
        }
        board.delete(&cells);
        moves.push(Move { points: rules.points(cells.len(), false, true), cells });
    }
    moves
}

/// Returns the longest palindrome that a symmetry of the whole board gives; empty if none is long enough.
fn symmetric(rules: &Rules, board: &Board) -> Vec<Cell> {
    let longest = *rules.lengths.end();
    let mut paths: Vec<Vec<Cell>> = snakes(board).iter().map(|path| middle_palindrome(board, path, longest)).collect();
    paths.push(mirrored(board, longest));
    paths.retain(|path| rules.lengths.contains(&path.len()));
    paths.into_iter().max_by_key(Vec::len).unwrap_or_default()
}

/// Grows palindromes from random middles while there is time, unless one is as long as can be.
fn longest_palindrome(
    rules: &Rules,
    board: &Board,
    known: Vec<Cell>,
    grower: &mut Grower,
    random: &mut Random,
    time_left: impl Fn() -> bool,
) -> Vec<Cell> {
    let longest = *rules.lengths.end();
    if 2 * known.len() > longest {
        // Growth finds nothing that long.
        return known;
    }
    let mut best = known;
    let cells: Vec<Cell> = board.cells().collect();
    // On a small board every middle is tried; on a large one the first few do.
    let mut first = true;
    while !cells.is_empty() && best.len() < longest && (first || time_left()) {
        first = false;
        let cell = *random.pick(&cells);
        for middle in middles(board, cell) {
            let shortest = (*rules.lengths.start()).max(best.len() + 1);
            let bounds = Bounds { shortest, longest, pairs: PAIRS * longest.max(50), all: false };
            grower.grow(board, middle, bounds, random, |path| best = path);
        }
    }
    best
}

/// Returns primes along the rows, to and fro from the top, so that none disturbs the next.
fn by_primes(rules: &Rules, board: &Board, clock: &Clock) -> Vec<Move> {
    let [path, ..] = snakes(board);
    let digits: Vec<u8> = path.iter().map(|&cell| board.digit(cell)).collect();
    let longest = (*rules.lengths.end()).min(LONGEST).min(path.len());
    let mut moves = Vec::new();
    if rules.prime == 0 || longest < *rules.lengths.start() {
        return moves;
    }
    let primality = Primality::new();
    let effort = effort_of_a_test(longest, clock);
    let (mut start, mut misses) = (0, 0);
    while moves.len() < rules.moves && clock.used() < LAST_TEST {
        let missing = rules.moves - moves.len();
        let share = (LAST_TEST - clock.used()) / missing as f64;
        // Tests take the cube of the length, and the number of them grows with it.
        let affordable = (share / (effort * TESTS_PER_DIGIT * longest as f64)).powf(0.25).min(1.0);
        let length = (longest as f64 * affordable * SHRINK.powi(misses)) as usize;
        if length < *rules.lengths.start() {
            break;
        }
        // Luck differs: others can make up for a late one, but the last must leave time for shorter numbers.
        let until = clock.used() + if missing == 1 { share / 2.0 } else { share * 2.0 };
        let found = (start..(digits.len() + 1).saturating_sub(length))
            .take_while(|_| clock.used() < until)
            .find(|&start| digits[start] != 0 && primality.is_prime(&digits[start..start + length]));
        let Some(found) = found else {
            misses += 1;
            continue;
        };
        let cells = path[found..found + length].to_vec();
        moves.push(Move { cells, points: rules.points(length, true, false) });
        start = found + length;
    }
    moves
}

/// Returns the share of the limit that testing one number with this many digits takes.
fn effort_of_a_test(length: usize, clock: &Clock) -> f64 {
    let begun = clock.used();
    // Odd, and almost surely composite: the test ends after its first base, as it mostly does.
    passes(&vec![7; length]);
    clock.used() - begun
}
