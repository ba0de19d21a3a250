//! Many short moves. Each round searches for all palindromes and many primes, and plays the best ones that do not
//! disturb each other. Whole games are played in this way, with different prices for a cell, and the best one counts.

use super::game::{Answer, BLANK, Board, Cell, Path, Rules};
use super::palindrome::{Bounds, Grower, middles};
use super::primality::Primality;
use crate::search::{Clock, Random, whole};

/// Pairs tried for the palindromes around one middle.
const PAIRS: usize = 150;

/// The number of random walks for each remaining move, and the minimum.
const WALKS: usize = 100;
const MIN_WALKS: usize = 4_000;

/// The number of lengths of a walk that are tried, from the longest down.
const TAILS: usize = 4;

/// The share of the remaining time for one search for palindromes.
const ROUND: f64 = 0.1;

/// The number of middles or walks between two checks of the clock.
const CLOCK_EVERY: usize = 50;

/// After this number of rounds without any path, the game ends.
const MAX_FRUITLESS_ROUNDS: usize = 3;

/// The share of the time for one game.
const GAME: f64 = 0.25;

/// Prices of a cell, as shares of the points per cell of a prime of maximum length. If moves are scarce, cells should
/// be free. If cells are scarce, short paths with many points are better.
const PRICES: [f64; 4] = [0.0, 0.9, 0.5, 0.7];

/// Plays games until the time is over or a game is perfect. Returns the best one.
pub(super) fn collect(rules: &Rules, board: &Board, clock: &Clock) -> Answer {
    let longest = *rules.lengths.end();
    let perfect = [longest, longest.saturating_sub(1)].map(|length| rules.points(length, true, true));
    let perfect = perfect.iter().max().map_or(0, |points| points.saturating_mul(rules.moves as u64));
    let a_cell = rules.points(longest, true, false) as f64 / longest.max(1) as f64;
    let mut collector = Collector {
        rules,
        board: board.clone(),
        price: 0.0,
        grower: Grower::new(board),
        used: vec![false; board.indices()],
        random: Random::new(1),
        primality: Primality::new(),
    };
    let (mut record, mut best) = (0, Answer::default());
    for price in PRICES.into_iter().cycle() {
        collector.board.clone_from(board);
        collector.price = price * a_cell;
        let (points, answer) = collector.play(clock, (clock.used() + GAME).min(1.0));
        if points > record {
            (record, best) = (points, answer);
        }
        if clock.used() >= 1.0 - GAME / 10.0 || record >= perfect || record == 0 {
            break;
        }
    }
    best
}

struct Collector<'a> {
    rules: &'a Rules,
    board: Board,
    /// The price of a cell, in points.
    price: f64,
    grower: Grower,
    /// For each cell, whether it is on the current walk.
    used: Vec<bool>,
    random: Random,
    primality: Primality,
}

impl Collector<'_> {
    /// Plays until the moves or the paths are used up, at a pace that ends when the clock shows `until`. Returns the
    /// points and the answer.
    fn play(&mut self, clock: &Clock, until: f64) -> (u64, Answer) {
        let mut answer = Answer::default();
        let (mut fruitless, mut left, mut record, mut sum) = (0, self.rules.moves, f64::MIN, 0_u64);
        while left > 0 && fruitless < MAX_FRUITLESS_ROUNDS && clock.used() < 1.0 {
            let begun = clock.used();
            let enough = begun + (1.0 - begun) * ROUND;
            let mut paths = self.palindromes(|| clock.used() < enough);
            paths.extend(self.primes(left, clock));
            let best = paths.iter().map(|path| self.value(path)).fold(f64::MIN, f64::max);
            // If the best path is below the record, better ones may appear when other cells meet, so only few are
            // played at a time.
            let rounds = ((until - clock.used()) / (clock.used() - begun)).max(1.0);
            let most = if best >= record { left } else { whole((left as f64 / rounds).ceil()) };
            record = record.max(best);
            let taken = self.take(paths, most, best, &mut answer);
            left -= taken.len();
            fruitless = if taken.is_empty() { fruitless + 1 } else { 0 };
            sum = taken.into_iter().fold(sum, u64::saturating_add);
        }
        (sum, answer)
    }

    /// Returns the points of a path minus the price of its cells.
    fn value(&self, path: &Path) -> f64 {
        path.points as f64 - self.price * path.cells.len() as f64
    }

    /// Returns palindromes from the whole board, starting at a random cell. On a large board it stops when the time is
    /// over.
    fn palindromes(&mut self, time_left: impl Fn() -> bool) -> Vec<Path> {
        let mut found = Vec::new();
        let [shortest, longest] = [*self.rules.lengths.start(), *self.rules.lengths.end()];
        let bounds = Bounds { shortest, longest, pairs: PAIRS, all: true };
        let mut best = 0;
        let mut cells: Vec<Cell> = self.board.cells().collect();
        let first = self.random.below(cells.len().max(1));
        cells.rotate_left(first);
        for (done, cell) in cells.into_iter().enumerate() {
            if done % CLOCK_EVERY == CLOCK_EVERY - 1 && !time_left() {
                break;
            }
            for middle in middles(&self.board, cell) {
                self.grower.grow(&self.board, middle, bounds, &mut self.random, |cells| {
                    let digits: Vec<u8> = cells.iter().map(|&cell| self.board.digit(cell)).collect();
                    let points = self.rules.worth(&digits, |digits| self.primality.is_prime(digits));
                    best = best.max(points);
                    if points > 0 && points >= best / 2 {
                        found.push(Path { cells, points });
                    }
                });
            }
        }
        found
    }

    /// Returns primes found on random walks. Stops when the time is over.
    fn primes(&mut self, left: usize, clock: &Clock) -> Vec<Path> {
        let starts: Vec<Cell> = self.board.cells().filter(|&cell| self.board.digit(cell) != 0).collect();
        if starts.is_empty() || self.rules.prime == 0 {
            return Vec::new();
        }
        let walks = (WALKS * left).clamp(MIN_WALKS, 10 * MIN_WALKS);
        (0..walks)
            .take_while(|walk| walk % CLOCK_EVERY > 0 || clock.used() < 1.0)
            .filter_map(|_| {
                let start = *self.random.pick(&starts);
                self.walk(start)
            })
            .collect()
    }

    /// Returns the longest of the last few prefixes of a random walk that scores.
    fn walk(&mut self, start: Cell) -> Option<Path> {
        let mut cells = vec![start];
        self.used[start] = true;
        while cells.len() < *self.rules.lengths.end() {
            let around = self.board.neighbors(cells[cells.len() - 1]);
            let mut free = around.into_iter().filter(|&cell| self.board.digit(cell) != BLANK && !self.used[cell]);
            let free = [free.next(), free.next(), free.next()];
            let count = free.iter().flatten().count();
            let Some(next) = free.get(self.random.below(count.max(1))).copied().flatten() else { break };
            self.used[next] = true;
            cells.push(next);
        }
        cells.iter().for_each(|&cell| self.used[cell] = false);
        let digits: Vec<u8> = cells.iter().map(|&cell| self.board.digit(cell)).collect();
        let lengths = (1..=digits.len()).rev().take(TAILS).filter(|length| self.rules.lengths.contains(length));
        let worth = |length: usize| self.rules.worth(&digits[..length], |digits| self.primality.is_prime(digits));
        let (length, points) = lengths.map(|length| (length, worth(length))).find(|&(_, points)| points > 0)?;
        cells.truncate(length);
        Some(Path { cells, points })
    }

    /// Plays the best paths that earlier ones have not disturbed, at most `most`, each about as good as the best.
    /// Returns their points.
    fn take(&mut self, mut paths: Vec<Path>, most: usize, best: f64, answer: &mut Answer) -> Vec<u64> {
        let stride = self.board.stride();
        paths.retain(|path| self.value(path) >= best - path.points as f64 / 16.0);
        // Among equals, the highest goes first, because it does not move the cells below it.
        let height = |path: &Path| path.cells.iter().map(|cell| cell % stride).min();
        paths.sort_by(|a, b| self.value(b).total_cmp(&self.value(a)).then_with(|| height(b).cmp(&height(a))));
        let mut disturbed = vec![usize::MAX; self.board.indices().div_ceil(stride)];
        let mut taken = Vec::new();
        for path in paths {
            let in_place = path.cells.iter().all(|cell| *cell < disturbed[cell / stride]);
            if taken.len() == most || !in_place {
                continue;
            }
            if !answer.add(&self.board, &path.cells) {
                break;
            }
            path.cells.iter().for_each(|&cell| disturbed[cell / stride] = disturbed[cell / stride].min(cell));
            self.board.delete(&path.cells);
            taken.push(path.points);
        }
        taken
    }
}
