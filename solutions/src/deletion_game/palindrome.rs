//! Few long moves: palindromes that fill a board with a symmetry (half a turn, or a mirror), palindromes that grow from
//! their middle at both ends, and long primes.

use super::game::{Answer, BLANK, Board, Cell, Path, Rules};
use super::primality::{MAX_DIGITS, Primality, passes};
use crate::search::{Clock, Random, whole};

/// The share of the time for growing palindromes if long primes may pay as well.
const PALINDROMES: f64 = 0.3;

/// After this share of the time, no long number is tested, because a test can take long.
const LAST_TEST: f64 = 0.95;

/// The number of pairs tried for one palindrome, per cell of its maximum length.
const PAIRS: usize = 20;

/// The number of long tests that a prime takes for each of its digits, after trial division.
const TESTS_PER_DIGIT: f64 = 0.1;

/// The factor for the length after each length for which no prime was found.
const SHRINK: f64 = 0.98;

/// The mark of a cell without a link.
const NONE: Cell = 0;

/// Plays the moves, each as long as possible.
pub(super) fn play(rules: &Rules, board: &Board, clock: &Clock) -> Answer {
    let [palindromes, primes] = [by_palindromes(rules, board.clone(), clock), by_primes(rules, board, clock)];
    let worth = |moves: &[Path]| moves.iter().fold(0_u64, |sum, path| sum.saturating_add(path.points));
    let moves = if worth(&primes) > worth(&palindromes) { primes } else { palindromes };
    Answer::of(board, &moves.into_iter().map(|path| path.cells).collect::<Vec<_>>())
}

/// Returns palindromes, each for the board after the ones before it.
fn by_palindromes(rules: &Rules, mut board: Board, clock: &Clock) -> Vec<Path> {
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
        let points = rules.points(cells.len(), false, true);
        // A move without points would delete nothing.
        if cells.is_empty() || points == 0 {
            break;
        }
        board.delete(&cells);
        moves.push(Path { cells, points });
    }
    moves
}

/// Returns the longest palindrome that a symmetry of the whole board gives. Empty if none is long enough.
fn symmetric(rules: &Rules, board: &Board) -> Vec<Cell> {
    let longest = *rules.lengths.end();
    let mut paths: Vec<Vec<Cell>> = snakes(board).iter().map(|path| middle_palindrome(board, path, longest)).collect();
    paths.push(mirrored(board, longest));
    paths.retain(|path| rules.lengths.contains(&path.len()));
    paths.into_iter().max_by_key(Vec::len).unwrap_or_default()
}

/// Grows palindromes from random middles until the time is over or one has the maximum length.
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
        // Growth finds no palindrome of this length.
        return known;
    }
    let mut best = known;
    let cells: Vec<Cell> = board.cells().collect();
    // On a small board every middle is tried. On a large one, the first few are enough.
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

/// Returns primes along the rows, back and forth from the top, so that none disturbs the next.
fn by_primes(rules: &Rules, board: &Board, clock: &Clock) -> Vec<Path> {
    let [path, ..] = snakes(board);
    let digits: Vec<u8> = path.iter().map(|&cell| board.digit(cell)).collect();
    let longest = (*rules.lengths.end()).min(MAX_DIGITS).min(path.len());
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
        // The time of a test grows with the cube of the length, and the number of tests with the length.
        let affordable = (share / (effort * TESTS_PER_DIGIT * longest as f64)).powf(0.25).min(1.0);
        let length = whole(longest as f64 * affordable * SHRINK.powi(misses));
        if length < *rules.lengths.start() {
            break;
        }
        // If a prime comes late, the others can compensate, but the last one must leave time for shorter numbers.
        let until = clock.used() + if missing == 1 { share / 2.0 } else { share * 2.0 };
        let found = (start..(digits.len() + 1).saturating_sub(length))
            .take_while(|_| clock.used() < until)
            .find(|&start| digits[start] != 0 && primality.is_prime(&digits[start..start + length]));
        let Some(found) = found else {
            misses += 1;
            continue;
        };
        let cells = path[found..found + length].to_vec();
        moves.push(Path { cells, points: rules.points(length, true, false) });
        start = found + length;
    }
    moves
}

/// Returns the share of the limit that a test of one number with this many digits takes.
fn effort_of_a_test(length: usize, clock: &Clock) -> f64 {
    let begun = clock.used();
    // The number is odd and almost surely composite. Then the test ends after its first base, which is the usual case.
    passes(&vec![7; length]);
    clock.used() - begun
}

/// Grows palindromes on boards of one size.
pub(super) struct Grower {
    /// For each cell, whether it is on the path that is being built.
    used: Vec<bool>,
}

/// The two halves of a path, each from the middle outwards. The middle cell of an odd path is the first of both.
struct Halves {
    cells: [Vec<Cell>; 2],
    /// The possible next pairs for every length of the halves, the best one last.
    choices: Vec<Vec<[Cell; 2]>>,
}

/// The limits of a growth.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) shortest: usize,
    pub(super) longest: usize,
    /// The maximum number of pairs that are tried.
    pub(super) pairs: usize,
    /// Whether all palindromes are shown, not just longer and longer ones.
    pub(super) all: bool,
}

impl Grower {
    pub(super) fn new(board: &Board) -> Self {
        Self { used: vec![false; board.indices()] }
    }

    /// Shows the palindromes that it finds around one or two middle cells. Stops when none can be longer or all pairs
    /// have been tried.
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

    /// Removes the last pair from both ends.
    fn retreat(&mut self, halves: &mut Halves) {
        for cell in halves.cells.iter_mut().filter_map(Vec::pop) {
            self.used[cell] = false;
        }
    }

    /// Returns the pairs of different free cells with equal digits beside the ends, those farthest from the middle
    /// last.
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

/// Returns the possible middles of palindromes at a cell: the cell itself, and the cell with an equal neighbour after
/// it.
pub(super) fn middles(board: &Board, cell: Cell) -> impl Iterator<Item = [Cell; 2]> {
    let after = board.neighbors(cell).into_iter().filter(move |&next| next > cell);
    let twins = after.filter(move |&next| board.digit(next) == board.digit(cell));
    std::iter::once([cell, cell]).chain(twins.map(move |next| [cell, next]))
}

/// Returns the paths back and forth over the whole board, along the rows and along the columns, from two corners.
fn snakes(board: &Board) -> [Vec<Cell>; 4] {
    let snake = |lines: usize, length: usize, flip: bool, cell: &dyn Fn(usize, usize) -> Cell| {
        let place = |line: usize, i: usize| if line.is_multiple_of(2) != flip { i } else { length - 1 - i };
        (0..lines).flat_map(|line| (0..length).map(move |i| cell(line, place(line, i)))).collect()
    };
    let by_rows = |flip| snake(board.rows, board.columns, flip, &|row, column| board.cell(row, column));
    let by_columns = |flip| snake(board.columns, board.rows, flip, &|column, row| board.cell(row, column));
    [by_rows(false), by_rows(true), by_columns(false), by_columns(true)]
}

/// Returns the longest palindrome around the middle of a path, of at most `longest` cells.
fn middle_palindrome(board: &Board, path: &[Cell], longest: usize) -> Vec<Cell> {
    let length = path.len();
    let digit = |i: usize| board.digit(path[i]);
    let equal = (0..length / 2).rev().take_while(|&i| digit(i) == digit(length - 1 - i)).count();
    let least = (length / 2 - equal).max(length.saturating_sub(longest).div_ceil(2));
    let start = (least..length.div_ceil(2)).find(|&start| digit(start) != 0);
    start.map_or_else(Vec::new, |start| path[start..length - start].to_vec())
}

/// Returns a palindrome that runs through nearly all of the left half and back through the right half, its mirror
/// image.
fn mirrored(board: &Board, longest: usize) -> Vec<Cell> {
    let columns = board.columns;
    if !columns.is_multiple_of(2) || columns < 4 || board.rows < 2 {
        return Vec::new();
    }
    let mirror = |cell: Cell| {
        let (row, column) = board.place(cell);
        board.cell(row - 1, columns - column)
    };
    let mut loops = Loops::new(board, |cell| board.digit(cell) == board.digit(mirror(cell)));
    loops.join_blocks();
    loops.take_in_the_rest();
    let middle = columns / 2;
    let half = (0..board.rows).map(|row| loops.around(board.cell(row, middle - 1))).max_by_key(Vec::len);
    let Some(half) = half.filter(|half| half.len() > 3) else { return Vec::new() };
    // The loop is cut before one of its cells at the middle: the path ends there.
    let at_middle = |&i: &usize| board.place(half[i]).1 == middle;
    let skipped = half.len().saturating_sub(longest / 2);
    let start = |end: usize| (end + 1 + skipped) % half.len();
    let Some(end) = (0..half.len()).filter(at_middle).find(|&end| board.digit(half[start(end)]) != 0) else {
        return Vec::new();
    };
    let mut path: Vec<Cell> = (skipped..half.len()).map(|i| half[(end + 1 + i) % half.len()]).collect();
    let back: Vec<Cell> = path.iter().rev().map(|&cell| mirror(cell)).collect();
    path.extend(back);
    path
}

/// Loops through the good cells of the left half. They start around blocks of two by two and are then joined and
/// widened.
struct Loops<'a> {
    board: &'a Board,
    good: Vec<bool>,
    /// For each cell, its two neighbours on its loop.
    links: Vec<[Cell; 2]>,
    /// For each block's top left cell, another block of the same loop, or itself.
    root: Vec<Cell>,
    blocks: Vec<Cell>,
}

impl<'a> Loops<'a> {
    fn new(board: &'a Board, is_good: impl Fn(Cell) -> bool) -> Self {
        let middle = board.columns / 2;
        let mut good = vec![false; board.indices()];
        for row in 0..board.rows {
            for cell in (0..middle).map(|column| board.cell(row, column)) {
                good[cell] = is_good(cell);
            }
        }
        let mut loops = Self {
            board,
            good,
            links: vec![[NONE; 2]; board.indices()],
            root: (0..board.indices()).collect(),
            blocks: vec![],
        };
        // Blocks begin at the middle, so that the loop touches it everywhere.
        for row in (0..board.rows - 1).step_by(2) {
            for column in (0..middle - 1).rev().step_by(2) {
                loops.add_block(board.cell(row, column));
            }
        }
        loops
    }

    fn add_block(&mut self, block: Cell) {
        let [a, b, c, d] = self.corners(block);
        if [a, b, c, d].iter().all(|&cell| self.good[cell]) {
            self.links[a] = [c, b];
            self.links[b] = [a, d];
            self.links[d] = [b, c];
            self.links[c] = [d, a];
            self.blocks.push(block);
        }
    }

    /// Returns the top left, top right, bottom left and bottom right cells.
    fn corners(&self, block: Cell) -> [Cell; 4] {
        let right = block + self.board.stride();
        [block, right, block - 1, right - 1]
    }

    /// Joins neighbouring blocks on different loops, until each connected part has one loop.
    fn join_blocks(&mut self) {
        for block in self.blocks.clone() {
            let [_, b, c, d] = self.corners(block);
            let right = block + 2 * self.board.stride();
            let below = block - 2;
            if self.is_block(right) && self.unite(block, right) {
                let [e, _, f, _] = self.corners(right);
                self.cross([b, d], [e, f]);
            }
            if self.is_block(below) && self.unite(block, below) {
                let [e, f, _, _] = self.corners(below);
                self.cross([c, d], [e, f]);
            }
        }
    }

    /// Returns whether a block of the grid exists and is complete. Outside the half, no cell is good.
    fn is_block(&self, block: Cell) -> bool {
        self.links[block] != [NONE; 2] && self.corners(block).iter().all(|&cell| self.good[cell])
    }

    /// Records that two loops are one. Returns false if they already were.
    fn unite(&mut self, first: Cell, second: Cell) -> bool {
        let roots = [first, second].map(|block| self.find(block));
        self.root[roots[0]] = roots[1];
        roots[0] != roots[1]
    }

    fn find(&mut self, mut block: Cell) -> Cell {
        while self.root[block] != block {
            self.root[block] = self.root[self.root[block]];
            block = self.root[block];
        }
        block
    }

    /// Replaces the parallel links a-b and c-d by a-c and b-d.
    fn cross(&mut self, [a, b]: [Cell; 2], [c, d]: [Cell; 2]) {
        self.relink(a, b, c);
        self.relink(b, a, d);
        self.relink(c, d, a);
        self.relink(d, c, b);
    }

    fn relink(&mut self, cell: Cell, old: Cell, new: Cell) {
        for link in &mut self.links[cell] {
            if *link == old {
                *link = new;
                return;
            }
        }
    }

    /// Widens the loops by pairs of good cells beside two consecutive cells, as long as there are any.
    fn take_in_the_rest(&mut self) {
        let mut waiting: Vec<Cell> = (0..self.links.len()).filter(|&cell| self.links[cell] != [NONE; 2]).collect();
        while let Some(cell) = waiting.pop() {
            for next in self.links[cell] {
                if let Some(pair) = self.pair_beside(cell, next) {
                    self.links[pair[0]] = [cell, pair[1]];
                    self.links[pair[1]] = [pair[0], next];
                    self.relink(cell, next, pair[0]);
                    self.relink(next, cell, pair[1]);
                    waiting.extend([cell, next, pair[0], pair[1]]);
                    break;
                }
            }
        }
    }

    /// Returns two free good cells beside two neighbouring cells, on the same side.
    fn pair_beside(&self, cell: Cell, next: Cell) -> Option<[Cell; 2]> {
        let side = if cell.abs_diff(next) == 1 { self.board.stride() } else { 1 };
        let pairs = [[cell + side, next + side], [cell - side, next - side]];
        pairs.into_iter().find(|pair| pair.iter().all(|&cell| self.good[cell] && self.links[cell] == [NONE; 2]))
    }

    /// Returns the cells of the loop through a cell, from it on.
    fn around(&self, start: Cell) -> Vec<Cell> {
        let mut cells = Vec::new();
        let (mut before, mut cell) = (NONE, start);
        while self.links[start] != [NONE; 2] && (cells.is_empty() || cell != start) {
            cells.push(cell);
            let [one, other] = self.links[cell];
            (before, cell) = (cell, if one == before { other } else { one });
        }
        cells
    }
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
    fn it_starts_with_no_zero_and_stays_within_the_limit() {
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

#[cfg(test)]
mod mirror_tests {
    use super::*;
    use crate::search::Random;
    use std::collections::HashSet;

    fn assert_palindrome(board: &Board, path: &[Cell]) {
        let digits: Vec<u8> = path.iter().map(|&cell| board.digit(cell)).collect();
        assert!(digits.iter().eq(digits.iter().rev()) && digits[0] != 0);
        assert!(path.windows(2).all(|pair| board.neighbors(pair[0]).contains(&pair[1])));
        assert_eq!(path.iter().collect::<HashSet<_>>().len(), path.len());
    }

    #[test]
    fn a_mirrored_board_but_for_some_cells_is_nearly_one_palindrome() {
        for columns in [20, 22, 42] {
            let mut random = Random::new(columns as u64);
            let mut digits: Vec<u8> = (0..100 * columns).map(|_| random.below(10) as u8).collect();
            for row in digits.chunks_exact_mut(columns) {
                (0..columns / 2).for_each(|column| row[columns - 1 - column] = row[column]);
            }
            (0..10).for_each(|_| digits[random.below(100 * columns)] = 3);
            let board = Board::new(100, columns, &digits);
            let path = mirrored(&board, usize::MAX);
            assert_palindrome(&board, &path);
            assert!(path.len() > 100 * columns - 60, "{} of {}", path.len(), 100 * columns);
            let short = mirrored(&board, 501);
            assert_palindrome(&board, &short);
            assert_eq!(short.len(), 500);
        }
    }

    #[test]
    fn a_board_that_is_the_same_after_half_a_turn_is_one_palindrome() {
        let board = Board::new(3, 3, &[1, 2, 3, 4, 5, 4, 3, 2, 1]);
        let [by_rows, ..] = snakes(&board);
        let path = middle_palindrome(&board, &by_rows, 9);
        assert_palindrome(&board, &path);
        assert_eq!(path.len(), 9);
        assert_eq!(middle_palindrome(&board, &by_rows, 8).len(), 7);
    }

    #[test]
    fn a_board_without_symmetry_has_no_long_palindrome() {
        let board = Board::new(4, 4, &[1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8]);
        assert!(mirrored(&board, 16).is_empty());
    }
}
