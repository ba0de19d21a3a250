//! Clears the board by a beam search over short moves at its left edge. Boards with the same number of remaining cells
//! are compared.

use super::game::{Answer, BLANK, Board, Cell, Rules};
use crate::search::{Clock, History, Random};

/// The number of columns, from the leftmost that is not empty, that moves may touch.
const COLUMNS: usize = 3;

/// The longest path that is tried. When few cells are left, longer paths are tried.
const SHORT: usize = 3;
const LONG: usize = 5;
const FEW: usize = 20;

/// The maximum number of cells of all paths that are tried on a board. Short paths need far fewer.
const WORK: usize = 1 << 20;

/// The number of random moves that are tried on a board.
const TRIED: usize = 30;

/// The maximum number of boards that wait for one number of cells, and of their cells in total.
const WAITING: usize = 3_000;
const WAITING_CELLS: usize = 1 << 25;

/// After this share of the time, only one board for each number of cells is continued, so that a game can end in time.
const CHOICE: f64 = 0.85;

/// The price, in points, of a difference of one between the heights of neighbouring columns.
const STEP: f64 = 0.3;

/// A board in the search.
struct Position {
    board: Board,
    points: u64,
    value: f64,
    /// The number of its last move in the history.
    step: u32,
}

/// Plays so that few cells remain and many points are scored.
pub(super) fn clear(rules: &Rules, board: &Board, clock: &Clock) -> Answer {
    let cells = board.cells().count();
    let mut search = Search { rules, random: Random::new(1), history: History::new(), best: (0.0, 0) };
    // Positions by the number of cells left.
    let mut waiting: Vec<Vec<Position>> = (0..=cells).map(|_| Vec::new()).collect();
    waiting[cells].push(Position { board: board.clone(), points: 0, value: 0.0, step: 0 });
    for left in (0..=cells).rev() {
        let mut positions = std::mem::take(&mut waiting[left]);
        positions.sort_by(|a, b| b.value.total_cmp(&a.value));
        let until = clock.used() + (CHOICE - clock.used()) / (left + 1) as f64;
        for (number, position) in positions.iter().enumerate() {
            // One board of each kind is continued even when its time is over, unless all time is over.
            let used = clock.used();
            if used > 1.0 || number > 0 && used > until {
                break;
            }
            search.expand(position, left, &mut waiting);
        }
    }
    Answer::of(board, &search.history.up_to(search.best.1))
}

struct Search<'a> {
    rules: &'a Rules,
    random: Random,
    history: History<Vec<Cell>>,
    /// The logarithm of the best final score, and the number of its last move in the history.
    best: (f64, u32),
}

impl Search<'_> {
    fn expand(&mut self, position: &Position, left: usize, waiting: &mut [Vec<Position>]) {
        let score = (position.points as f64).log2() - left as f64;
        if position.step > 0 && (self.best.1 == 0 || score > self.best.0) {
            self.best = (score, position.step);
        }
        let longest = if left <= FEW { LONG } else { SHORT };
        let mut moves = paths(self.rules, &position.board, longest);
        for _ in 0..TRIED {
            if moves.is_empty() || self.depth_is_used_up(position.step) {
                break;
            }
            let (path, points) = moves.swap_remove(self.random.below(moves.len()));
            let after = &mut waiting[left - path.len()];
            if after.len() >= WAITING.min(WAITING_CELLS / position.board.indices() + 1) {
                continue;
            }
            let mut board = position.board.clone();
            board.delete(&path);
            let points = position.points + points;
            let value = points as f64 - STEP * roughness(&board);
            let step = self.history.add(path, position.step);
            after.push(Position { board, points, value, step });
        }
    }

    /// Returns whether no move may follow this one. This is rare, because moves remove two cells or more.
    fn depth_is_used_up(&self, step: u32) -> bool {
        self.rules.moves <= self.history.back_from(step).count()
    }
}

/// Returns the paths in the leftmost columns that score, with their points: all of them, unless `l_min` makes them long.
fn paths(rules: &Rules, board: &Board, longest: usize) -> Vec<(Vec<Cell>, u64)> {
    let stride = board.stride();
    let Some(first) = board.cells().next() else { return Vec::new() };
    let edge = (first / stride + COLUMNS) * stride;
    let longest = longest.max(*rules.lengths.start()).min(*rules.lengths.end());
    let mut walk = Walk { rules, board, edge, longest, work_left: WORK, path: Vec::new(), found: Vec::new() };
    for start in board.cells().take_while(|&cell| cell < edge).filter(|&cell| board.digit(cell) != 0) {
        walk.extend(start);
    }
    walk.found
}

/// A search for all paths from a cell.
struct Walk<'a> {
    rules: &'a Rules,
    board: &'a Board,
    /// The first cell that is too far on the right.
    edge: Cell,
    longest: usize,
    work_left: usize,
    path: Vec<Cell>,
    found: Vec<(Vec<Cell>, u64)>,
}

impl Walk<'_> {
    /// Adds the paths that continue the current one over `cell`.
    fn extend(&mut self, cell: Cell) {
        self.path.push(cell);
        self.work_left = self.work_left.saturating_sub(self.path.len());
        if self.rules.lengths.contains(&self.path.len()) {
            let digits: Vec<u8> = self.path.iter().map(|&cell| self.board.digit(cell)).collect();
            let points = self.rules.short_worth(&digits);
            if points > 0 {
                self.found.push((self.path.clone(), points));
            }
        }
        if self.path.len() < self.longest {
            for next in self.board.neighbors(cell) {
                let is_free = next < self.edge && self.board.digit(next) != BLANK && !self.path.contains(&next);
                if is_free && self.work_left > 0 {
                    self.extend(next);
                }
            }
        }
        self.path.pop();
    }
}

/// Returns how uneven the columns are, from the leftmost that is not empty.
fn roughness(board: &Board) -> f64 {
    let stride = board.stride();
    let mut heights = vec![0_usize; board.columns + 1];
    board.cells().for_each(|cell| heights[cell / stride] += 1);
    let heights: Vec<usize> = heights.into_iter().skip_while(|&height| height == 0).collect();
    heights.windows(2).map(|pair| pair[0].abs_diff(pair[1]) as f64).sum()
}
