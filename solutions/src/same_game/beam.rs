//! The open game by beam search: after every move, the distinct boards with the highest values are kept.
//!
//! The value of a board is its points, the points of its current groups, and the points if each colour were removed at
//! once. A price is subtracted for every single block, and it grows as blocks disappear, because a cleared board counts
//! four times. No weights suit all boards, so several searches with different weights share the time. A [`Field`] is a
//! board as one array, for searches that remove millions of groups.

use super::board::{Board, CLEARED, COLORS, Color, write_moves};
use crate::SolveError;
use crate::input::Words;
use crate::search::{Clock, whole};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;

/// Seconds; the limit is 10.
const TIME_LIMIT: f64 = 9.0;

/// The maximum width of the beam. It keeps the memory far below the limit.
const MAX_BEAM_WIDTH: usize = 4_000;

/// The price of a colour with a single block left.
const LONE_COLOR: f64 = 1000.0;

/// The number of blocks that an average move removes, to estimate the number of remaining moves.
const BLOCKS_A_MOVE: f64 = 3.0;

/// The value of an empty cell. Colours count from 1.
const EMPTY: u8 = 0;

/// The weights of a board's properties against its points.
#[derive(Debug, Clone, Copy)]
struct Weights {
    pairs: f64,
    possible_pairs: f64,
    single: f64,
    /// The growth of the price of a single block until no block is left.
    growth: f64,
}

const fn weights([pairs, possible_pairs, single, growth]: [f64; 4]) -> Weights {
    Weights { pairs, possible_pairs, single, growth }
}

const ALL_WEIGHTS: [Weights; 6] = [
    weights([0.5, 0.3, 10.0, 2.0]),
    weights([0.5, 0.3, 10.0, 0.0]),
    weights([0.5, 0.2, 10.0, 4.0]),
    weights([0.5, 0.4, 10.0, 4.0]),
    weights([0.5, 0.3, 5.0, 2.0]),
    weights([0.8, 0.3, 10.0, 4.0]),
];

pub(crate) fn solve(input: &[u8], output: &mut dyn Write) -> Result<(), SolveError> {
    let mut words = Words::new(input);
    let board = Board::read(&mut words)?;
    words.end()?;
    let clock = Clock::start(TIME_LIMIT);
    let start = Field::new(&board);
    let mut finder = GroupFinder::new(&start);
    let mut best = Line::default();
    for (weights, number) in ALL_WEIGHTS.into_iter().zip(1..) {
        let until = f64::from(number) / ALL_WEIGHTS.len() as f64;
        let line = run(&mut finder, &start, weights, &clock, until);
        if line.score > best.score {
            best = line;
        }
    }
    let places: Vec<_> = best.cells.into_iter().map(|cell| start.place(cell)).collect();
    write_moves(&places, output)
}

/// A game played to its end: a cell of each group, and the score.
#[derive(Debug, Default)]
struct Line {
    score: u32,
    cells: Vec<u16>,
}

/// A board in the beam.
struct Position {
    field: Field,
    groups: Vec<Group>,
    score: u32,
    /// The index of its last move in the history.
    step: usize,
}

/// A move, and the index of the one before it in the history.
struct Step {
    cell: u16,
    before: usize,
}

/// A possible next position.
struct Candidate {
    position: Position,
    cell: u16,
    value: f64,
    hash: u64,
}

/// Searches until the clock shows `until`. Returns the best finished game.
fn run(finder: &mut GroupFinder, start: &Field, weights: Weights, clock: &Clock, until: f64) -> Line {
    let begun = clock.used();
    let mut groups = Vec::new();
    let blocks = finder.count(start, &mut groups).blocks;
    let mut beam = vec![Position { field: start.clone(), groups, score: 0, step: 0 }];
    let mut history = vec![Step { cell: 0, before: 0 }];
    let mut best = (0, 0);
    let (mut width, mut expanded) = (1, 0);
    while !beam.is_empty() {
        let mut candidates = Vec::new();
        let mut left = 0;
        for position in &beam {
            for &group in &position.groups {
                let (candidate, census) = follow(finder, position, group, weights, blocks);
                left = left.max(census.blocks);
                if !candidate.position.groups.is_empty() {
                    candidates.push(candidate);
                } else if candidate.position.score > best.0 {
                    history.push(Step { cell: group.cell, before: position.step });
                    best = (candidate.position.score, history.len() - 1);
                }
            }
        }
        expanded += beam.len();
        beam = select(candidates, width, &mut history);
        let now = clock.used();
        let pace = expanded as f64 / (now - begun);
        let moves = (f64::from(left) / BLOCKS_A_MOVE).max(1.0);
        width = whole(pace * (until - now) / moves).clamp(1, MAX_BEAM_WIDTH);
    }
    Line { score: best.0, cells: trace(&history, best.1) }
}

/// Returns the position after a move, and its census. A finished game has its final score.
fn follow(
    finder: &mut GroupFinder,
    before: &Position,
    group: Group,
    weights: Weights,
    blocks: u32,
) -> (Candidate, Census) {
    let field = finder.remove(&before.field, group);
    let mut groups = Vec::new();
    let census = finder.count(&field, &mut groups);
    let mut score = before.score + group.points();
    if census.blocks == 0 {
        score *= CLEARED;
    }
    let value = f64::from(score) + promise(&census, weights, blocks);
    let mut hasher = DefaultHasher::new();
    field.hash(&mut hasher);
    let position = Position { field, groups, score, step: before.step };
    (Candidate { position, cell: group.cell, value, hash: hasher.finish() }, census)
}

/// Returns the value of a board besides its points. The game started with `blocks`.
fn promise(census: &Census, weights: Weights, blocks: u32) -> f64 {
    let gone = 1.0 - f64::from(census.blocks) / f64::from(blocks);
    weights.pairs * f64::from(census.pairs) + weights.possible_pairs * f64::from(census.possible_pairs)
        - weights.single * f64::from(census.single) * (1.0 + weights.growth * gone)
        - LONE_COLOR * f64::from(census.lone_colors)
}

/// Returns the best distinct positions and adds their moves to the history.
fn select(mut candidates: Vec<Candidate>, width: usize, history: &mut Vec<Step>) -> Vec<Position> {
    candidates.sort_unstable_by(|a, b| b.value.total_cmp(&a.value).then_with(|| a.hash.cmp(&b.hash)));
    let mut seen = HashSet::new();
    let different = candidates.into_iter().filter(|candidate| seen.insert(candidate.hash)).take(width);
    let kept = different.map(|Candidate { mut position, cell, .. }| {
        history.push(Step { cell, before: position.step });
        position.step = history.len() - 1;
        position
    });
    kept.collect()
}

fn trace(history: &[Step], mut step: usize) -> Vec<u16> {
    let mut cells = Vec::new();
    while step != 0 {
        cells.push(history[step].cell);
        step = history[step].before;
    }
    cells.reverse();
    cells
}

/// A position: column by column from the left, each from the floor up. Columns without blocks are at the end.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Field {
    rows: usize,
    cells: Vec<u8>,
}

/// A group: its first cell and its number of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) cell: u16,
    pub(super) size: u16,
}

impl Group {
    /// Returns the points for removing it.
    pub(super) fn points(self) -> u32 {
        let size = u32::from(self.size);
        size * (size - 1) / 2
    }
}

/// The counts of a position.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Census {
    /// Pairs of blocks of one group, over all groups: the points for removing them now.
    pairs: u32,
    /// Pairs of blocks of one colour: the points if each colour were removed at once.
    possible_pairs: u32,
    /// Blocks.
    pub(super) blocks: u32,
    /// Blocks that belong to no group.
    single: u32,
    /// Colours with a single block left. With any of these the board cannot be cleared.
    lone_colors: u32,
}

/// Finds groups.
pub(super) struct GroupFinder {
    /// For each cell, the number of the last search that visited it.
    seen: Vec<u32>,
    search: u32,
    stack: Vec<u16>,
}

impl Field {
    pub(super) fn new(board: &Board) -> Self {
        let rows = board.rows();
        let mut cells = Vec::with_capacity(board.columns().len() * rows);
        for column in board.columns() {
            cells.extend(column.iter().map(|color| color + 1));
            cells.resize(cells.len().next_multiple_of(rows), EMPTY);
        }
        Self { rows, cells }
    }

    /// Returns the colour of a cell, which must have a block, as [`Board`] counts it.
    pub(super) fn color(&self, cell: u16) -> Color {
        self.cells[usize::from(cell)] - 1
    }

    /// Returns the row from the top and the column of a cell.
    pub(super) fn place(&self, cell: u16) -> (usize, usize) {
        let cell = usize::from(cell);
        (self.rows - 1 - cell % self.rows, cell / self.rows)
    }
}

/// Returns the cell with an index in [`Field::cells`].
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "a board has at most 2,500 cells")]
fn cell_at(index: usize) -> u16 {
    index as u16
}

impl GroupFinder {
    /// Returns a finder for boards of this size.
    pub(super) fn new(field: &Field) -> Self {
        Self { seen: vec![0; field.cells.len()], search: 0, stack: Vec::new() }
    }

    /// Lists the groups and returns the counts.
    pub(super) fn count(&mut self, field: &Field, groups: &mut Vec<Group>) -> Census {
        groups.clear();
        let mut census = Census::default();
        let mut blocks = [0_u32; COLORS + 1];
        self.search += 1;
        for start in 0..field.cells.len() {
            if field.cells[start] == EMPTY || self.seen[start] == self.search {
                continue;
            }
            let cell = cell_at(start);
            let size = self.walk(field, cell, |_| ());
            blocks[usize::from(field.cells[start])] += size;
            match size {
                1 => census.single += 1,
                _ => {
                    census.pairs += size * (size - 1) / 2;
                    groups.push(Group { cell, size: u16::try_from(size).expect("a board has at most 2,500 cells") });
                }
            }
        }
        census.blocks = blocks.iter().sum();
        census.lone_colors = blocks.iter().map(|&count| u32::from(count == 1)).sum();
        census.possible_pairs = blocks.iter().map(|&count| count * count.saturating_sub(1) / 2).sum();
        census
    }

    /// Shows every cell of a group. Returns its size.
    fn walk(&mut self, field: &Field, start: u16, mut show: impl FnMut(usize)) -> u32 {
        let color = field.cells[usize::from(start)];
        self.seen[usize::from(start)] = self.search;
        self.stack.push(start);
        let mut size = 0;
        while let Some(cell) = self.stack.pop() {
            let cell = usize::from(cell);
            size += 1;
            show(cell);
            let height = cell % field.rows;
            let below = (height > 0).then(|| cell - 1);
            let above = (height + 1 < field.rows).then_some(cell + 1);
            let sides = [below, above, cell.checked_sub(field.rows), Some(cell + field.rows)];
            for next in sides.into_iter().flatten() {
                if field.cells.get(next) == Some(&color) && self.seen[next] != self.search {
                    self.seen[next] = self.search;
                    self.stack.push(cell_at(next));
                }
            }
        }
        size
    }

    /// Removes a group. Blocks fall, and empty columns close up.
    pub(super) fn remove(&mut self, field: &Field, group: Group) -> Field {
        let mut after = field.clone();
        self.search += 1;
        self.walk(field, group.cell, |cell| after.cells[cell] = EMPTY);
        let mut filled = 0;
        let rows = field.rows;
        for column in 0..after.cells.len() / rows {
            let start = filled * rows;
            let mut height = 0;
            for cell in column * rows..(column + 1) * rows {
                let block = std::mem::replace(&mut after.cells[cell], EMPTY);
                if block != EMPTY {
                    after.cells[start + height] = block;
                    height += 1;
                }
            }
            filled += usize::from(height > 0);
        }
        after
    }
}

#[cfg(test)]
mod tests {
    use super::super::solve_largest_first;
    use super::*;
    use crate::ground_truth;
    use crate::search::Random;

    /// Returns the final score of a game.
    fn replay(board: &Board, cells: impl Iterator<Item = (usize, usize)>) -> u64 {
        let mut board = board.clone();
        let mut score = 0;
        for place in cells {
            let groups = board.groups();
            let chosen =
                groups.iter().find(|group| group.blocks.iter().any(|&block| (board.row(block), block.x) == place));
            score += chosen.unwrap().points();
            board.remove(chosen.unwrap());
        }
        if board.is_empty() { score * 4 } else { score }
    }

    #[test]
    fn it_never_plays_worse_than_the_largest_group_first_and_often_better() {
        let mut random = Random::new(5);
        let mut better = 0;
        for _ in 0..10 {
            let row = |random: &mut Random| (0..8).map(|_| *random.pick(&["A", "B", "C"])).collect::<String>() + "\n";
            let text = format!("8\n{}", (0..8).map(|_| row(&mut random)).collect::<String>());
            let board = Board::read(&mut Words::new(text.as_bytes())).unwrap();
            let start = Field::new(&board);
            let line = run(&mut GroupFinder::new(&start), &start, ALL_WEIGHTS[0], &Clock::start(0.05), 1.0);
            let score = replay(&board, line.cells.iter().map(|&cell| start.place(cell)));
            assert_eq!(score, u64::from(line.score));
            let plain = ground_truth::answer(solve_largest_first, &text);
            let numbers: Vec<usize> =
                plain.split_ascii_whitespace().skip(1).map(|word| word.parse().unwrap()).collect();
            let plain = replay(&board, numbers.chunks_exact(2).map(|pair| (pair[0], pair[1])));
            assert!(score >= plain, "{score} {plain}");
            better += u32::from(score > plain);
        }
        assert!(better > 5, "{better}");
    }
}

#[cfg(test)]
mod field_tests {
    use super::*;
    use crate::input::Words;
    use crate::search::Random;

    /// Plays at random on both boards.
    #[test]
    fn it_plays_as_the_plain_board_does() {
        let mut random = Random::new(3);
        for _ in 0..20 {
            let rows: String =
                (0..8).map(|_| (0..6).map(|_| *random.pick(&['A', 'B', 'C'])).collect::<String>() + " ").collect();
            let mut board = Board::read(&mut Words::new(format!("8 {rows}").as_bytes())).unwrap();
            let mut field = Field::new(&board);
            let mut finder = GroupFinder::new(&field);
            let mut groups = Vec::new();
            loop {
                let census = finder.count(&field, &mut groups);
                let plain = board.groups();
                assert_eq!(groups.len(), plain.len());
                assert_eq!(u64::from(census.pairs), plain.iter().map(super::super::board::Group::points).sum::<u64>());
                let blocks = board.columns().iter().map(Vec::len).sum::<usize>() as u32;
                assert_eq!(census.single, blocks - groups.iter().map(|group| u32::from(group.size)).sum::<u32>());
                if groups.is_empty() {
                    break;
                }
                let group = *random.pick(&groups);
                let (row, column) = field.place(group.cell);
                let same = plain
                    .iter()
                    .find(|plain| plain.blocks.iter().any(|&block| (board.row(block), block.x) == (row, column)));
                assert_eq!(same.unwrap().blocks.len(), usize::from(group.size));
                board.remove(same.unwrap());
                field = finder.remove(&field, group);
                assert_eq!(field.cells.iter().all(|&cell| cell == EMPTY), board.is_empty());
            }
        }
    }
}
