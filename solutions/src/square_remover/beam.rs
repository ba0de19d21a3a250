//! Beam search over swaps: after every move, the most promising boards are kept.
//!
//! The value of a board is the number of removed squares and the promise of its tiles. Only the tiles that a swap
//! changes are evaluated again. All swaps that complete a square are tried. The others, which are many more, are tried
//! only on boards so good that they may pay.

use super::board::{Board, completing_swaps};
use super::promise::{Blocks, Promise, Promises, REMOVED, each, near_cell, near_square};
use super::{Game, MOVES, Swap, TIME_LIMIT, swaps, write};
use crate::SolveError;
use crate::search::{Clock, History, whole};
use std::cmp::Reverse;
use std::io::Write;

/// More tiles than 10,000 moves can use up.
const BUFFER: usize = 1 << 18;

/// The price of a move without a square. It is needed because the best of many looks better than it is. Between 300 and
/// 500 the scores are the same. Without the price, such moves do harm. Without such moves, games of six colours lose a
/// twentieth.
const QUIET_COST: i32 = 400;

/// The maximum that such a move usually adds to the promise of a board.
const QUIET_GAIN: i32 = 250;

/// The maximum width of the beam. It keeps the memory below half the limit.
const MAX_BEAM_WIDTH: usize = 5_000;

/// The number of moves after which the width is set again.
const PACE: usize = 8;

/// The maximum distance, in rows and in columns, between a swap and the one that prepared it.
const REACH: u8 = 3;

pub(crate) fn solve(input: &[u8], output: &mut dyn Write) -> Result<(), SolveError> {
    let game = Game::read(input)?;
    write(&Search::new(&game).run(MOVES, &Clock::start(TIME_LIMIT)), output)
}

/// A board in the beam.
struct Position {
    board: Board,
    /// The promise of each block.
    promises: Promises,
    /// The value: removed squares and all promises.
    value: i32,
    /// The number of its last move in the history.
    step: u32,
    /// The last move, if it completed no square. The next one must be near it. Otherwise it could also have come first,
    /// and the same boards would be evaluated repeatedly.
    prepared: Option<Swap>,
}

/// The game's fixed data.
struct Search {
    size: usize,
    start: Board,
    buffer: Vec<u8>,
    promise: Promise,
    swaps: Vec<Swap>,
}

impl Search {
    fn new(game: &Game) -> Self {
        let buffer = game.buffer(BUFFER);
        let mut start = Board::new(game);
        start.resolve_all(&buffer);
        let size = game.rows.len();
        Self { size, start, buffer, promise: Promise::new(game.colors), swaps: swaps(size) }
    }

    /// Returns the moves of the best game found.
    fn run(&self, moves: usize, clock: &Clock) -> Vec<Swap> {
        let mut beam = vec![self.first_position()];
        let mut history = History::new();
        let (mut width, mut expanded) = (1, 0);
        for done in 0..moves {
            let candidates = self.candidates(&beam, width);
            expanded += beam.len();
            beam = self.select(&beam, candidates, &mut history);
            if done % PACE == 0 {
                let used = clock.used();
                let pace = expanded as f64 / used;
                width = whole(pace * (1.0 - used) / (moves - done) as f64).clamp(2, MAX_BEAM_WIDTH);
            }
        }
        let best = beam.iter().max_by_key(|position| position.board.score());
        best.map_or_else(Vec::new, |best| history.up_to(best.step))
    }

    fn first_position(&self) -> Position {
        let promises = self.promise.of_all(&self.start);
        let value = promises.iter().map(|&promise| i32::from(promise)).sum();
        Position { board: self.start.clone(), promises, value, step: 0, prepared: None }
    }

    /// Returns the best moves from all positions.
    fn candidates(&self, beam: &[Position], width: usize) -> Best {
        let mut best = Best::new(width);
        for (position, parent) in beam.iter().zip(0..) {
            completing_swaps(&position.board, self.size, |swap| {
                if may_follow(position, swap) {
                    self.weigh(position, parent, swap, &mut best);
                }
            });
        }
        let stuck = best.is_empty();
        for (position, parent) in beam.iter().zip(0..) {
            if stuck || best.would_take(position.value + QUIET_GAIN - QUIET_COST) {
                self.weigh_quiet_swaps(position, parent, &mut best);
            }
        }
        best
    }

    /// Evaluates a swap that completes a square.
    fn weigh(&self, position: &Position, parent: u32, swap: Swap, best: &mut Best) {
        let (board, changed) = self.play(position, swap);
        let removed = (board.score() - position.board.score()).cast_signed();
        let mut value = position.value + REMOVED * removed;
        each(changed, |block| value -= i32::from(position.promises[block]));
        // The promise of a block is rarely positive, because single tiles reduce it.
        if !best.would_take(value) {
            return;
        }
        each(changed, |block| value += i32::from(self.promise.of(&board, block)));
        if best.would_take(value) {
            best.add(Candidate { value, parent, hash: board.hash(), swap, quiet: false });
        }
    }

    /// Evaluates the swaps that complete no square.
    fn weigh_quiet_swaps(&self, position: &Position, parent: u32, best: &mut Best) {
        let mut board = position.board.clone();
        for &swap in self.swaps.iter().filter(|&&swap| may_follow(position, swap)) {
            board.exchange(swap);
            let mut value = position.value - QUIET_COST;
            each(near(swap), |block| {
                value += i32::from(self.promise.of(&board, block)) - i32::from(position.promises[block]);
            });
            if best.would_take(value) && !board.is_complete_near(swap) {
                best.add(Candidate { value, parent, hash: board.hash(), swap, quiet: true });
            }
            board.exchange(swap);
        }
    }

    /// Returns the board after a swap, and the blocks whose promise may have changed.
    #[inline(always)]
    fn play(&self, position: &Position, swap: Swap) -> (Board, Blocks) {
        let mut board = position.board.clone();
        let mut changed = near(swap);
        board.play(swap, &self.buffer, |row, column| changed |= near_square(row, column));
        (board, changed)
    }

    /// Returns the best positions and adds their moves to the history.
    fn select(&self, beam: &[Position], candidates: Best, history: &mut History<Swap>) -> Vec<Position> {
        let follow = |Candidate { value, parent, swap, quiet, .. }: Candidate| {
            let before = &beam[parent as usize];
            let (board, changed) = self.play(before, swap);
            let mut promises = before.promises;
            each(changed, |block| promises[block] = self.promise.of(&board, block));
            let step = history.add(swap, before.step);
            Position { board, promises, value, step, prepared: quiet.then_some(swap) }
        };
        candidates.into_different().into_iter().map(follow).collect()
    }
}

/// Returns whether a swap is near the one that prepared it, if any.
fn may_follow(position: &Position, swap: Swap) -> bool {
    let near =
        |prepared: Swap| prepared.row.abs_diff(swap.row) <= REACH && prepared.column.abs_diff(swap.column) <= REACH;
    position.prepared.is_none_or(near)
}

/// Returns the blocks whose promise a swap may change.
fn near(swap: Swap) -> Blocks {
    let (row, column) = (usize::from(swap.row), usize::from(swap.column));
    let (below, beside) = if swap.down { (row + 1, column) } else { (row, column + 1) };
    near_cell(row, column) | near_cell(below, beside)
}

/// A possible next position.
#[derive(Clone, Copy)]
struct Candidate {
    /// The value of the board.
    pub(super) value: i32,
    /// The index in the beam of the board before the move.
    parent: u32,
    /// The hash of the board.
    pub(super) hash: u64,
    pub(super) swap: Swap,
    /// Whether the move completes no square.
    quiet: bool,
}

/// The best moves from all boards of a beam so far, and perhaps some more.
struct Best {
    candidates: Vec<Candidate>,
    /// The requested number of candidates.
    width: usize,
    /// The number of candidates that are kept when there are too many. It is larger than `width`, because some boards
    /// are equal.
    kept: usize,
    /// Candidates up to this value are not among the best.
    threshold: i32,
}

impl Best {
    pub(super) fn new(width: usize) -> Self {
        let kept = 2 * width;
        Self { candidates: Vec::with_capacity(2 * kept), width, kept, threshold: i32::MIN }
    }

    fn is_empty(&self) -> bool {
        self.candidates.is_empty()
    }

    fn would_take(&self, value: i32) -> bool {
        value > self.threshold
    }

    fn add(&mut self, candidate: Candidate) {
        self.candidates.push(candidate);
        if self.candidates.len() >= 2 * self.kept {
            let (_, worst, _) = self.candidates.select_nth_unstable_by_key(self.kept - 1, Candidate::rank);
            self.threshold = worst.value;
            self.candidates.truncate(self.kept);
        }
    }

    /// Returns the best candidates with distinct boards, the best first.
    fn into_different(mut self) -> Vec<Candidate> {
        self.candidates.sort_unstable_by_key(Candidate::rank);
        // Equal boards after the same number of moves and squares have equal values, so they are neighbours.
        self.candidates.dedup_by_key(|candidate| (candidate.value, candidate.hash));
        self.candidates.truncate(self.width);
        self.candidates
    }
}

impl Candidate {
    /// Returns the key that orders candidates from the best to the worst, equally in every run.
    fn rank(&self) -> impl Ord + use<> {
        (Reverse(self.value), self.hash, self.quiet, self.parent, self.swap)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Random;

    fn game() -> Game {
        let mut random = Random::new(7);
        let rows = (0..9).map(|_| (0..9).map(|_| random.below(4) as u8).collect()).collect();
        Game { colors: 4, rows, start_seed: 99 }
    }

    #[test]
    fn values_updated_by_moves_equal_values_of_boards() {
        let search = Search::new(&game());
        let mut history = History::new();
        let mut beam = vec![search.first_position()];
        for _ in 0..40 {
            beam = search.select(&beam, search.candidates(&beam, 5), &mut history);
            for position in &beam {
                assert_eq!(position.promises, search.promise.of_all(&position.board));
                let promised: i32 = position.promises.iter().map(|&promise| i32::from(promise)).sum();
                let removed = (position.board.score() - search.start.score()) as i32;
                // The rest are the costs of moves without a square.
                let cost = REMOVED * removed + promised - position.value;
                assert!(cost >= 0 && cost % QUIET_COST == 0, "{cost}");
            }
        }
    }

    #[test]
    fn a_board_without_a_completing_swap_is_played_on() {
        // Stripes: no square has more than two equal tiles.
        let rows = (0..8).map(|_| vec![0, 1, 2, 3, 4, 5, 0, 1]).collect();
        let search = Search::new(&Game { colors: 6, rows, start_seed: 5 });
        assert!(search.candidates(&[search.first_position()], 1).into_different()[0].quiet);
        assert_eq!(search.run(50, &Clock::start(0.01)).len(), 50);
    }

    #[test]
    fn the_moves_lead_to_a_good_score() {
        let game = game();
        let search = Search::new(&game);
        let moves = search.run(300, &Clock::start(0.1));
        let mut board = search.start.clone();
        moves.iter().for_each(|&swap| board.play(swap, &search.buffer, |_, _| ()));
        assert_eq!(moves.len(), 300);
        // Random play makes about five squares of 300 moves.
        assert!(board.score() > 300, "{}", board.score());
    }
}

#[cfg(test)]
mod best_tests {
    use super::*;

    #[test]
    fn the_best_different_candidates_remain() {
        let mut best = Best::new(3);
        for value in (0..50).chain(0..50) {
            let candidate = Candidate { value, parent: 0, hash: value as u64, swap: Swap::default(), quiet: false };
            if best.would_take(value) {
                best.add(candidate);
            }
        }
        let values: Vec<i32> = best.into_different().iter().map(|candidate| candidate.value).collect();
        assert_eq!(values, [49, 48, 47]);
    }
}
