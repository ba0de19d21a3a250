//! Long palindromes: grown from their middle, at both ends at once, outwards.

use super::board::{BLANK, Board, Cell};
use crate::random::Random;

/// Grows palindromes on boards of one size.
pub(super) struct Grower {
    /// For each cell, whether it is on the path that is being built.
    used: Vec<bool>,
}

/// The two halves of a path, each from the middle outwards. The middle cell of an odd path begins both.
struct Halves {
    cells: [Vec<Cell>; 2],
    /// Pairs that may come next, the best last, for every length of the halves.
    choices: Vec<Vec<[Cell; 2]>>,
}

/// How far a growth goes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) shortest: usize,
    pub(super) longest: usize,
    /// How many pairs are tried at most.
    pub(super) pairs: usize,
    /// Whether all palindromes are shown, not just longer and longer ones.
    pub(super) all: bool,
}

impl Grower {
    pub(super) fn new(board: &Board) -> Self {
        Self { used: vec![false; board.indices()] }
    }

    /// Shows palindromes around one middle cell, or two, as they are met. Stops when none can be longer, or all pairs have
    /// been spent.
    pub(super) fn grow(
        &mut self,
        board: &Board,
        middle: [Cell; 2],
        bounds: Bounds,
        random: &mut Random,
        mut show: impl FnMut(Vec<Cell>),
    ) {
        let single = usize::from(middle[0] == middle[1]);
        let mut halves = Halves { cells: [Vec::new(), Vec::new()], choices: vec![vec![middle]] };
        let mut longest = 0;
        for _ in 0..bounds.pairs {
            let Some(choices) = halves.choices.last_mut() else { break };
            let Some(pair) = choices.pop() else {
                halves.choices.pop();
                self.retreat(&mut halves);
                continue;
            };
            for (half, cell) in halves.cells.iter_mut().zip(pair) {
                half.push(cell);
                self.used[cell] = true;
            }
            let length = 2 * halves.cells[0].len() - single;
            let fits = length >= bounds.shortest && length <= bounds.longest && board.digit(pair[0]) != 0;
            if fits && (bounds.all || length > longest) {
                longest = length;
                show(halves.path(single));
            }
            if length + 2 > bounds.longest {
                if !bounds.all && longest == length {
                    break;
                }
                self.retreat(&mut halves);
                continue;
            }
            halves.choices.push(self.next_pairs(board, pair, middle, random));
        }
        halves.cells.iter().flatten().for_each(|&cell| self.used[cell] = false);
    }

    /// Takes the last pair off both ends.
    fn retreat(&mut self, halves: &mut Halves) {
        for cell in halves.cells.iter_mut().filter_map(Vec::pop) {
            self.used[cell] = false;
        }
    }

    /// Returns the pairs of different free cells with equal digits beside the ends; those farthest from the middle last.
    fn next_pairs(&self, board: &Board, ends: [Cell; 2], middle: [Cell; 2], random: &mut Random) -> Vec<[Cell; 2]> {
        let mut pairs = Vec::new();
        let [firsts, seconds] = ends.map(|end| board.neighbors(end));
        for first in firsts.into_iter().filter(|&cell| self.is_free(board, cell)) {
            for second in seconds.into_iter().filter(|&cell| self.is_free(board, cell)) {
                if first != second && board.digit(first) == board.digit(second) {
                    let distance = board.distance(first, middle[0]) + board.distance(second, middle[1]);
                    // Noise, so that ties and dead ends differ from one growth to the next.
                    pairs.push((distance + random.below(3), [first, second]));
                }
            }
        }
        pairs.sort_unstable();
        pairs.into_iter().map(|(_, pair)| pair).collect()
    }

    fn is_free(&self, board: &Board, cell: Cell) -> bool {
        board.digit(cell) != BLANK && !self.used[cell]
    }
}

impl Halves {
    fn path(&self, single: usize) -> Vec<Cell> {
        self.cells[0].iter().rev().chain(self.cells[1].iter().skip(single)).copied().collect()
    }
}

/// Returns the middles that palindromes can have around a cell: itself, and it with an equal neighbour after it.
pub(super) fn middles(board: &Board, cell: Cell) -> impl Iterator<Item = [Cell; 2]> {
    let after = board.neighbors(cell).into_iter().filter(move |&next| next > cell);
    let twins = after.filter(move |&next| board.digit(next) == board.digit(cell));
    std::iter::once([cell, cell]).chain(twins.map(move |next| [cell, next]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_finds_the_longest_palindrome_of_a_row() {
        let board = Board::new(1, 9, &[4, 1, 2, 3, 7, 3, 2, 1, 5]);
        let mut grower = Grower::new(&board);
        let middle = board.cell(0, 4);
        let mut lengths = Vec::new();
        let bounds = Bounds { shortest: 2, longest: 9, pairs: 100, all: false };
        grower.grow(&board, [middle; 2], bounds, &mut Random::new(1), |path| lengths.push(path.len()));
        assert_eq!(lengths, [3, 5, 7]);
    }

    #[test]
    fn it_never_starts_with_a_zero_nor_passes_the_longest() {
        let board = Board::new(1, 5, &[0, 2, 2, 2, 0]);
        let mut grower = Grower::new(&board);
        let bounds = Bounds { shortest: 2, longest: 5, pairs: 100, all: false };
        let mut lengths = Vec::new();
        grower.grow(&board, [board.cell(0, 2); 2], bounds, &mut Random::new(1), |path| lengths.push(path.len()));
        assert_eq!(lengths, [3]);
        let bounds = Bounds { longest: 2, ..bounds };
        grower.grow(&board, [board.cell(0, 2); 2], bounds, &mut Random::new(1), |_| panic!("three is too long"));
    }

    #[test]
    fn middles_are_a_cell_and_its_equal_neighbours() {
        let board = Board::new(2, 2, &[7, 7, 7, 1]);
        assert_eq!(board.cells().map(|cell| middles(&board, cell).count()).collect::<Vec<_>>(), [2, 2, 1, 1]);
    }
}
