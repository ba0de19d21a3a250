//! Deletion Game: walk over digits so that they spell a prime or a palindrome, and delete them.
//!
//! The strong solver chooses one of three searches by the parameters of a case. The plain solver plays random paths:
//! each move is the best of many random walks and of many palindromes grown from their middle. If remaining cells halve
//! the score, it plays whole games of short paths from the left instead, and keeps the best one.

mod clear;
mod collect;
mod game;
mod palindrome;
mod primality;

use crate::search::{Clock, Random};
use crate::{Solution, SolveError};
use clear::clear;
use collect::collect;
use game::{Answer, BLANK, Board, Cell, Path, Rules, read};
use std::io::Write;

/// Seconds; the limit is 4.5.
const TIME_LIMIT: f64 = 4.0;

/// From this length on, paths are searched one by one.
const LONG: usize = 60;

/// Seconds; the limit is 4.5.
const PLAIN_TIME_LIMIT: f64 = 2.0;

/// The maximum length of a walk whose prefixes are tried. Their numbers fit into 64 bits.
const WALK: usize = 18;

/// Random attempts for one move.
const ATTEMPTS: usize = 400;

/// The longest path when the board is to be cleared.
const SHORT: usize = 5;

/// The solutions, the default one first.
pub(crate) const SOLUTIONS: &[Solution] = &[
    Solution { id: "deletion-game", summary: "a way for every kind of case", solve: solve_strong },
    Solution { id: "deletion-game-plain", summary: "the best of many random paths", solve: solve_plain },
];

pub(crate) fn solve_strong(input: &[u8], output: &mut dyn Write) -> Result<(), SolveError> {
    let clock = Clock::start(TIME_LIMIT);
    let (rules, board) = read(input)?;
    let answer = if rules.clearing {
        clear(&rules, &board, &clock)
    } else if *rules.lengths.end() >= LONG {
        palindrome::play(&rules, &board, &clock)
    } else {
        collect(&rules, &board, &clock)
    };
    answer.write(output)
}

pub(crate) fn solve_plain(input: &[u8], output: &mut dyn Write) -> Result<(), SolveError> {
    let (rules, board) = read(input)?;
    let used = vec![false; board.indices()];
    let mut search = Search { rules, clock: Clock::start(PLAIN_TIME_LIMIT), random: Random::new(1), used };
    let answer = if search.rules.clearing { search.clear(&board) } else { search.collect(board) };
    answer.write(output)
}

struct Search {
    rules: Rules,
    clock: Clock,
    random: Random,
    /// For each cell, whether it is on the path that is being built.
    used: Vec<bool>,
}

impl Search {
    /// Plays for points only.
    fn collect(&mut self, mut board: Board) -> Answer {
        let mut answer = Answer::default();
        for done in 0..self.rules.moves {
            if self.clock.used() > 1.0 {
                break;
            }
            let cells: Vec<Cell> = board.cells().collect();
            let share = (done + 1) as f64 / self.rules.moves as f64;
            let Some(path) = self.best_path(&board, &cells, share) else { break };
            if !answer.add(&board, &path.cells) {
                break;
            }
            board.delete(&path.cells);
        }
        answer
    }

    /// Returns the best of many random paths that start or have their middle in `cells`.
    fn best_path(&mut self, board: &Board, cells: &[Cell], share: f64) -> Option<Path> {
        let mut best = Path::default();
        let mut attempts = 0;
        while !cells.is_empty() && (attempts < ATTEMPTS || best.points == 0 && attempts < 100 * ATTEMPTS) {
            attempts += 1;
            if attempts % 16 == 0 && self.clock.used() > share.min(1.0) && (best.points > 0 || self.clock.used() > 1.0)
            {
                break;
            }
            let start = *self.random.pick(cells);
            let path = if attempts % 2 == 0 { self.walk(board, start, WALK) } else { self.grow(board, start) };
            if path.points > best.points {
                best = path;
            }
        }
        (best.points > 0).then_some(best)
    }

    /// Returns the best prefix of a random walk from `start`.
    fn walk(&mut self, board: &Board, start: Cell, longest: usize) -> Path {
        let mut cells = vec![start];
        let mut best = Path::default();
        if board.digit(start) == 0 {
            return best;
        }
        self.used[start] = true;
        let mut digits = vec![board.digit(start)];
        loop {
            if self.rules.lengths.contains(&cells.len()) {
                let points = self.rules.short_worth(&digits);
                if points > best.points {
                    best = Path { cells: cells.clone(), points };
                }
            }
            if cells.len() >= longest.min(*self.rules.lengths.end()) {
                break;
            }
            let Some(next) = self.free_neighbor(board, cells[cells.len() - 1]) else { break };
            self.used[next] = true;
            cells.push(next);
            digits.push(board.digit(next));
        }
        cells.iter().for_each(|&cell| self.used[cell] = false);
        best
    }

    fn free_neighbor(&mut self, board: &Board, cell: Cell) -> Option<Cell> {
        let free = board.neighbors(cell).into_iter().filter(|&next| self.is_free(board, next)).collect::<Vec<_>>();
        (!free.is_empty()).then(|| *self.random.pick(&free))
    }

    fn is_free(&self, board: &Board, cell: Cell) -> bool {
        board.digit(cell) != BLANK && !self.used[cell]
    }

    /// Returns the longest palindrome found while both ends grow at random from a middle of one or two cells.
    fn grow(&mut self, board: &Board, middle: Cell) -> Path {
        let mut ends = [middle, middle];
        let twin = board.neighbors(middle).into_iter().find(|&next| board.digit(next) == board.digit(middle));
        if let Some(twin) = twin.filter(|_| self.random.below(2) == 0) {
            ends[1] = twin;
        }
        let mut halves = [vec![ends[0]], vec![ends[1]]];
        let single = usize::from(ends[0] == ends[1]);
        let mut best = 0;
        loop {
            ends.iter().for_each(|&end| self.used[end] = true);
            let steps = halves[0].len();
            let length = 2 * steps - single;
            if board.digit(ends[0]) != 0 && self.rules.lengths.contains(&length) {
                best = steps;
            }
            let Some(next) = self.equal_neighbors(board, ends).filter(|_| length + 2 <= *self.rules.lengths.end())
            else {
                break;
            };
            ends = next;
            halves.iter_mut().zip(next).for_each(|(half, end)| half.push(end));
        }
        halves.iter().flatten().for_each(|&cell| self.used[cell] = false);
        let cells: Vec<Cell> =
            halves[0][..best].iter().rev().chain(halves[1][..best].iter().skip(single)).copied().collect();
        let digits: Vec<u8> = cells.iter().map(|&cell| board.digit(cell)).collect();
        let points = if best > 0 { self.rules.short_worth(&digits) } else { 0 };
        Path { cells, points }
    }

    /// Returns a random pair of different free cells with equal digits, one beside each end.
    fn equal_neighbors(&mut self, board: &Board, ends: [Cell; 2]) -> Option<[Cell; 2]> {
        let mut pairs = Vec::new();
        for first in board.neighbors(ends[0]) {
            for second in board.neighbors(ends[1]) {
                let free = first != second && self.is_free(board, first) && self.is_free(board, second);
                if free && board.digit(first) == board.digit(second) {
                    pairs.push([first, second]);
                }
            }
        }
        (!pairs.is_empty()).then(|| *self.random.pick(&pairs))
    }

    /// Plays whole games until the time is over. Returns the game with the best final score.
    fn clear(&mut self, board: &Board) -> Answer {
        let (mut best, mut answer) = (None, Answer::default());
        while best.is_none() || self.clock.used() < 1.0 {
            let (score, candidate) = self.eat(board.clone());
            if best.is_none_or(|best| score > best) {
                (best, answer) = (Some(score), candidate);
            }
            if board.cells().next().is_none() {
                break;
            }
        }
        answer
    }

    /// Plays one game from left to right. Returns the final score's logarithm and the moves.
    fn eat(&mut self, mut board: Board) -> (f64, Answer) {
        let mut answer = Answer::default();
        let mut sum = 0_u64;
        for _ in 0..self.rules.moves {
            if self.clock.used() > 1.0 {
                break;
            }
            let Some(path) = self.leftmost_path(&board) else { break };
            if !answer.add(&board, &path.cells) {
                break;
            }
            board.delete(&path.cells);
            sum = sum.saturating_add(path.points);
        }
        ((sum as f64).log2() - board.cells().count() as f64, answer)
    }

    /// Returns a short path from the leftmost cell from which it finds one.
    fn leftmost_path(&mut self, board: &Board) -> Option<Path> {
        let cells: Vec<Cell> = board.cells().collect();
        cells.into_iter().find_map(|start| {
            let path = (0..12).map(|_| self.walk(board, start, SHORT)).find(|path| path.points > 0);
            path.or_else(|| Some(self.grow(board, start)).filter(|path| path.points > 0))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case_of_twos(rules: &str, rows: usize, columns: usize) -> (Rules, Board) {
        let input = format!("{rows} {columns} {rules}\n{}", "2 ".repeat(rows * columns));
        read(input.as_bytes()).unwrap()
    }

    #[test]
    fn clearing_with_long_paths_ends_in_time() {
        let (rules, board) = case_of_twos("9 40 40 0 1 1", 30, 3);
        let clock = Clock::start(0.1);
        clear(&rules, &board, &clock);
        assert!(clock.used() < 100.0);
    }

    #[test]
    fn plain_games_end_with_the_time() {
        for clearing in [0, 1] {
            let (rules, board) = case_of_twos(&format!("99 2 9 0 1 {clearing}"), 30, 30);
            let used = vec![false; board.indices()];
            let mut search = Search { rules, clock: Clock::start(0.0), random: Random::new(1), used };
            let answer = if clearing == 1 { search.clear(&board) } else { search.collect(board) };
            let mut text = Vec::new();
            answer.write(&mut text).unwrap();
            assert_eq!(text, b"0\n");
        }
    }

    #[test]
    fn worthless_palindromes_are_not_played() {
        let (rules, board) = case_of_twos("9 1 60 0 0 0", 20, 4);
        let mut text = Vec::new();
        palindrome::play(&rules, &board, &Clock::start(0.1)).write(&mut text).unwrap();
        assert_eq!(text, b"0\n");
    }
}
