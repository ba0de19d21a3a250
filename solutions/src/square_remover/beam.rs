//! Beam search over swaps: after every move it keeps the most promising of all boards that could be there by then.
//!
//! A board is worth the squares removed and what its squares promise. Only what a swap changes is weighed again. Swaps that
//! complete a square are all tried; the others, many more, only on boards so good that they may pay.

use super::board::{AROUND_CELL, Board, CELLS, STRIDE, cells_of, corners};
use super::game::{Game, MOVES, Swap, swaps, write};
use super::promise::{Promise, REMOVED};
use crate::SolveError;
use crate::clock::Clock;
use std::collections::HashSet;
use std::io::Write;

/// Seconds; the limit is 30.
const TIME_LIMIT: f64 = 28.0;

/// More tiles than 10,000 moves can use up.
const BUFFER: usize = 1 << 18;

/// The most that a swap without a square usually adds to a board's value.
const QUIET_GAIN: i32 = 156;

/// The most that the promise of a board usually grows while squares are removed.
const LOUD_GAIN: i32 = 132;

/// The most boards that are kept, so that the memory stays below half the limit.
const WIDEST: usize = 4_000;

/// After how many moves the width is set anew.
const PACE: usize = 8;

/// A set of squares: a bit for each top left cell.
type Squares = [u64; CELLS.div_ceil(64)];

pub(crate) fn solve(input: &[u8], output: &mut dyn Write) -> Result<(), SolveError> {
    let game = Game::read(input)?;
    write(&Search::new(&game).run(MOVES, &Clock::start(TIME_LIMIT)), output)
}

/// A board in the beam.
struct Position {
    board: Board,
    /// What each square promises.
    promises: [i16; CELLS],
    /// The squares removed and all promises.
    value: i32,
    /// Its last move in the history.
    step: u32,
    /// The last move, if it completed no square. The next one must have to do with it: else it could as well have come
    /// before, and the same boards would be looked at again and again.
    prepared: Option<u16>,
}

/// A move, and the history's number of the one before it.
struct Step {
    swap: u16,
    before: u32,
}

/// A position that could follow.
#[derive(Clone, Copy)]
struct Candidate {
    value: i32,
    hash: u64,
    parent: u32,
    swap: u16,
    /// Whether the move completes no square.
    quiet: bool,
}

/// What a move does.
struct Effect {
    board: Board,
    /// The squares whose promise may have changed.
    changed: Squares,
}

/// The game's fixed data.
struct Search {
    start: Board,
    buffer: Vec<u8>,
    promise: Promise,
    swaps: Vec<Swap>,
    cells: Vec<[usize; 2]>,
    /// For each cell, the numbers of its swaps to the right and down.
    numbers: Vec<[u16; 2]>,
    /// The squares that a swap's tiles belong to.
    own: Vec<Squares>,
    /// The squares whose promise a swap may change.
    by_swap: Vec<Squares>,
    /// The squares whose promise refilling a square may change.
    by_refill: Vec<Squares>,
}

impl Search {
    fn new(game: &Game) -> Self {
        let buffer = game.buffer(BUFFER);
        let mut start = Board::new(game);
        start.resolve_all(&buffer);
        let size = game.rows.len();
        let swaps = swaps(size);
        let cells: Vec<[usize; 2]> = swaps.iter().map(|&swap| cells_of(swap)).collect();
        let mut numbers = vec![[0; 2]; CELLS];
        for (&[first, second], number) in cells.iter().zip(0..) {
            numbers[first][usize::from(second - first == STRIDE)] = number;
        }
        let own = cells.iter().map(|pair| squares_of(pair)).collect();
        let near = neighborhoods(size);
        let by_swap = cells.iter().map(|pair| union(&near, pair)).collect();
        let by_refill = (0..CELLS - STRIDE - 1).map(|square| union(&near, &corners(square))).collect();
        Self { start, buffer, promise: Promise::new(), swaps, cells, numbers, own, by_swap, by_refill }
    }

    /// Returns the moves of the best game found.
    fn run(&self, moves: usize, clock: &Clock) -> Vec<Swap> {
        let mut beam = vec![self.first_position()];
        let mut history = vec![Step { swap: 0, before: 0 }];
        let (mut width, mut expanded) = (1, 0);
        for done in 0..moves {
            let candidates = self.candidates(&beam, width);
            expanded += beam.len();
            beam = self.select(&beam, &candidates, width, &mut history);
            if done % PACE == 0 {
                let used = clock.used();
                let pace = expanded as f64 / used;
                width = ((pace * (1.0 - used) / (moves - done) as f64) as usize).clamp(2, WIDEST);
            }
        }
        let best = beam.iter().max_by_key(|position| position.board.score());
        best.map_or_else(Vec::new, |best| self.trace(&history, best.step))
    }

    fn first_position(&self) -> Position {
        let mut promises = [0; CELLS];
        for squares in &self.by_swap {
            each(squares, |square| promises[square] = self.promise.of(&self.start.cells, square));
        }
        let value = promises.iter().map(|&promise| i32::from(promise)).sum();
        Position { board: self.start.clone(), promises, value, step: 0, prepared: None }
    }

    /// Returns the best moves from all positions: at least the best `width` different ones, in any order.
    fn candidates(&self, beam: &[Position], width: usize) -> Best {
        let mut best = Best::new(width);
        for (position, parent) in beam.iter().zip(0..) {
            for swap in self.completing_swaps(position) {
                self.weigh(position, parent, swap, &mut best);
            }
        }
        for (position, parent) in beam.iter().zip(0..) {
            if best.would_take(position.value + QUIET_GAIN) {
                self.weigh_quiet_swaps(position, parent, &mut best);
            }
        }
        best
    }

    /// Returns the swaps that complete a square, each once.
    fn completing_swaps(&self, position: &Position) -> Vec<u16> {
        let Position { board, promises, .. } = position;
        let ready = (STRIDE..CELLS - STRIDE).filter(|&square| Promise::is_ready(promises[square]));
        let pairs = ready.flat_map(|square| self.promise.completions(&board.cells, square));
        let mut swaps: Vec<u16> =
            pairs.map(|[first, second]| self.numbers[first][usize::from(second - first == STRIDE)]).collect();
        swaps.sort_unstable();
        swaps.dedup();
        swaps.retain(|&swap| self.may_follow(position, swap));
        swaps
    }

    /// Tells whether a swap has to do with the one that has been prepared, if any.
    fn may_follow(&self, position: &Position, swap: u16) -> bool {
        position.prepared.is_none_or(|prepared| {
            let [own, by_swap] = [&self.own[usize::from(prepared)], &self.by_swap[usize::from(swap)]];
            own.iter().zip(by_swap).any(|(one, other)| one & other != 0)
        })
    }

    /// Weighs a swap that completes a square.
    fn weigh(&self, position: &Position, parent: u32, swap: u16, best: &mut Best) {
        let Effect { board, changed } = self.play(position, swap);
        let removed = (board.score() - position.board.score()) as i32;
        let value = position.value + REMOVED * removed;
        if best.would_take(value + LOUD_GAIN) {
            let value = value + self.change(position, &board, &changed);
            best.add(Candidate { value, hash: board.hash, parent, swap, quiet: false });
        }
    }

    /// Weighs the swaps that complete no square.
    fn weigh_quiet_swaps(&self, position: &Position, parent: u32, best: &mut Best) {
        let mut board = position.board.clone();
        for ((&[first, second], changed), swap) in self.cells.iter().zip(&self.by_swap).zip(0..) {
            if board.cells[first] == board.cells[second] || !self.may_follow(position, swap) {
                continue;
            }
            board.exchange([first, second]);
            if !board.completes([first, second]) {
                let value = position.value + self.change(position, &board, changed);
                best.add(Candidate { value, hash: board.hash, parent, swap, quiet: true });
            }
            board.exchange([first, second]);
        }
    }

    fn play(&self, position: &Position, swap: u16) -> Effect {
        let mut board = position.board.clone();
        let mut changed = self.by_swap[usize::from(swap)];
        board.play(self.cells[usize::from(swap)], &self.buffer, |square| join(&mut changed, &self.by_refill[square]));
        Effect { board, changed }
    }

    /// Returns how much the promise of the changed squares has grown.
    fn change(&self, before: &Position, board: &Board, changed: &Squares) -> i32 {
        let mut change = 0;
        each(changed, |square| {
            change += i32::from(self.promise.of(&board.cells, square) - before.promises[square]);
        });
        change
    }

    /// Returns the best different positions, and adds their moves to the history.
    fn select(&self, beam: &[Position], candidates: &Best, width: usize, history: &mut Vec<Step>) -> Vec<Position> {
        let mut seen = HashSet::with_capacity(width);
        let different = candidates.sorted().into_iter().filter(|candidate| seen.insert(candidate.hash)).take(width);
        let follow = |Candidate { value, parent, swap, quiet, .. }: Candidate| {
            let before = &beam[parent as usize];
            let Effect { board, changed } = self.play(before, swap);
            let mut promises = before.promises;
            each(&changed, |square| promises[square] = self.promise.of(&board.cells, square));
            history.push(Step { swap, before: before.step });
            // 10,000 moves of a beam of thousands stay below 2^32.
            Position { board, promises, value, step: (history.len() - 1) as u32, prepared: quiet.then_some(swap) }
        };
        different.map(follow).collect()
    }

    fn trace(&self, history: &[Step], mut step: u32) -> Vec<Swap> {
        let mut moves = Vec::new();
        while step != 0 {
            let Step { swap, before } = history[step as usize];
            moves.push(self.swaps[usize::from(swap)]);
            step = before;
        }
        moves.reverse();
        moves
    }
}

/// The best candidates so far, and perhaps some more.
struct Best {
    candidates: Vec<Candidate>,
    /// How many are kept when there are too many: more than a beam's width, since some are equal.
    kept: usize,
    /// Values up to this are not among the best.
    threshold: i32,
}

impl Best {
    fn new(width: usize) -> Self {
        let kept = 2 * width;
        Self { candidates: Vec::with_capacity(2 * kept), kept, threshold: i32::MIN }
    }

    fn would_take(&self, value: i32) -> bool {
        value > self.threshold
    }

    fn add(&mut self, candidate: Candidate) {
        if !self.would_take(candidate.value) {
            return;
        }
        self.candidates.push(candidate);
        if self.candidates.len() >= 2 * self.kept {
            let (_, worst, _) = self.candidates.select_nth_unstable_by_key(self.kept - 1, Candidate::rank);
            self.threshold = worst.value;
            self.candidates.truncate(self.kept);
        }
    }

    fn sorted(&self) -> Vec<Candidate> {
        let mut sorted = self.candidates.clone();
        sorted.sort_unstable_by_key(Candidate::rank);
        sorted
    }
}

impl Candidate {
    /// Returns what orders candidates from the best to the worst, the same in every run.
    fn rank(&self) -> impl Ord + use<> {
        (std::cmp::Reverse(self.value), self.hash, self.quiet, self.parent, self.swap)
    }
}

/// Returns for each cell the squares whose promise it may change: its own, and those it could complete.
fn neighborhoods(size: usize) -> Vec<Squares> {
    let mut near = vec![[0; _]; CELLS];
    for square in (1..size).flat_map(|row| (1..size).map(move |column| row * STRIDE + column)) {
        let above = square - STRIDE;
        let below = square + 2 * STRIDE;
        let left = square - 1;
        let right = square + 2;
        let outer = [above, above + 1, left, left + STRIDE, right, right + STRIDE, below, below + 1];
        for cell in outer.into_iter().chain(corners(square)) {
            near[cell][square / 64] |= 1 << (square % 64);
        }
    }
    near
}

/// Returns the squares that one of the cells belongs to.
fn squares_of(cells: &[usize]) -> Squares {
    let mut squares = [0; _];
    for square in cells.iter().flat_map(|cell| AROUND_CELL.map(|distance| cell - distance)) {
        squares[square / 64] |= 1 << (square % 64);
    }
    squares
}

fn union(near: &[Squares], cells: &[usize]) -> Squares {
    let mut union = [0; _];
    cells.iter().for_each(|&cell| join(&mut union, &near[cell]));
    union
}

fn join(squares: &mut Squares, others: &Squares) {
    squares.iter_mut().zip(others).for_each(|(word, other)| *word |= other);
}

/// Shows every square of a set.
#[inline(always)]
fn each(squares: &Squares, mut show: impl FnMut(usize)) {
    for (index, &word) in squares.iter().enumerate() {
        let mut word = word;
        while word != 0 {
            show(index * 64 + word.trailing_zeros() as usize);
            word &= word - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn game() -> Game {
        let mut random = Random::new(7);
        let rows = (0..9).map(|_| (0..9).map(|_| random.below(4) as u8).collect()).collect();
        Game { colors: 4, rows, start_seed: 99 }
    }

    #[test]
    fn what_is_weighed_in_steps_is_what_a_whole_board_is_worth() {
        let search = Search::new(&game());
        let mut history = vec![Step { swap: 0, before: 0 }];
        let mut beam = vec![search.first_position()];
        for _ in 0..40 {
            beam = search.select(&beam, &search.candidates(&beam, 5), 5, &mut history);
            for position in &beam {
                let removed = (position.board.score() - search.start.score()) as i32;
                let fresh = Search { start: position.board.clone(), ..Search::new(&game()) }.first_position();
                assert_eq!(position.value, fresh.value + REMOVED * removed);
                assert_eq!(position.promises, fresh.promises);
            }
        }
    }

    #[test]
    fn the_moves_lead_to_a_good_score() {
        let game = game();
        let search = Search::new(&game);
        let moves = search.run(300, &Clock::start(0.1));
        let mut board = search.start.clone();
        moves.iter().for_each(|&swap| board.play(cells_of(swap), &search.buffer, |_| ()));
        assert_eq!(moves.len(), 300);
        // Random play makes about five squares of 300 moves.
        assert!(board.score() > 300, "{}", board.score());
    }
}
