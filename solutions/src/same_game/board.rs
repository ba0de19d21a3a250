//! A board of SameGame as one array, for searches that remove millions of groups, and the rules of removing a group.

use crate::SolveError;
use crate::input::Words;
use std::io::Write;

/// A colour: its letter, counted from 0.
pub(super) type Color = u8;

/// The factor for a cleared board.
pub(super) const CLEARED: u32 = 4;

/// The maximum number of colours.
pub(super) const COLORS: usize = 26;

/// The value of an empty cell. The value of a block is its colour plus one.
const EMPTY: u8 = 0;

/// A position: column by column from the left, each from the floor up. Columns without blocks are at the end.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Board {
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

/// A game played to its end: a cell of each group, and the score.
#[derive(Debug, Default)]
pub(super) struct Line {
    pub(super) score: u32,
    pub(super) cells: Vec<u16>,
}

/// The counts of a position.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Census {
    /// Pairs of blocks of one group, over all groups: the points for removing them now.
    pub(super) pairs: u32,
    /// Pairs of blocks of one colour: the points if each colour were removed at once.
    pub(super) possible_pairs: u32,
    /// Blocks.
    pub(super) blocks: u32,
    /// Blocks that belong to no group.
    pub(super) single: u32,
    /// Colours with a single block left. With any of these the board cannot be cleared.
    pub(super) lone_colors: u32,
}

/// Finds groups.
pub(super) struct GroupFinder {
    /// For each cell, the number of the last search that visited it.
    seen: Vec<u32>,
    search: u32,
    stack: Vec<u16>,
}

impl Board {
    /// Reads a case of the open game.
    pub(super) fn read(input: &[u8]) -> Result<Self, SolveError> {
        let mut words = Words::new(input);
        let board = Self::read_from(&mut words)?;
        words.end()?;
        Ok(board)
    }

    /// Reads the number of rows and the rows.
    pub(super) fn read_from(words: &mut Words) -> Result<Self, SolveError> {
        let rows: usize = words.number("a number of rows from 1 to 50", 1..=50)?;
        let expected = "a row of up to 50 capital letters";
        let first = words.word(expected)?;
        let width = first.len();
        if width > 50 || !first.iter().all(u8::is_ascii_uppercase) {
            return Err(words.unexpected(expected, first));
        }
        let mut cells = vec![EMPTY; rows * width];
        for row in 0..rows {
            let letters = match row {
                0 => first,
                _ => words.text("a row as long as the first", width, |byte| byte.is_ascii_uppercase())?,
            };
            for (column, letter) in letters.iter().enumerate() {
                cells[(column + 1) * rows - 1 - row] = letter - b'A' + 1;
            }
        }
        Ok(Self { rows, cells })
    }

    /// Returns the colours of all blocks.
    pub(super) fn colors(&self) -> impl Iterator<Item = Color> {
        self.cells.iter().filter(|&&cell| cell != EMPTY).map(|cell| cell - 1)
    }

    /// Returns the colour of a cell, which must have a block.
    pub(super) fn color(&self, cell: u16) -> Color {
        self.cells[usize::from(cell)] - 1
    }

    /// Writes an answer to the open game: the row and the column of a block of each group, in the order of their removal.
    pub(super) fn write_moves(&self, cells: &[u16], output: &mut dyn Write) -> Result<(), SolveError> {
        writeln!(output, "{}", cells.len())?;
        for &cell in cells {
            let (row, column) = self.place(cell);
            writeln!(output, "{row} {column}")?;
        }
        Ok(())
    }

    /// Returns the row from the top and the column of a cell.
    pub(super) fn place(&self, cell: u16) -> (usize, usize) {
        let cell = usize::from(cell);
        (self.rows - 1 - cell % self.rows, cell / self.rows)
    }
}

/// Returns the cell with an index in [`Board::cells`].
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "a board has at most 2,500 cells")]
fn cell_at(index: usize) -> u16 {
    index as u16
}

impl GroupFinder {
    /// Returns a finder for boards of this size.
    pub(super) fn new(board: &Board) -> Self {
        Self { seen: vec![0; board.cells.len()], search: 0, stack: Vec::new() }
    }

    /// Lists the groups and returns the counts.
    pub(super) fn count(&mut self, board: &Board, groups: &mut Vec<Group>) -> Census {
        groups.clear();
        let mut census = Census::default();
        let mut blocks = [0_u32; COLORS + 1];
        self.search += 1;
        for start in 0..board.cells.len() {
            if board.cells[start] == EMPTY || self.seen[start] == self.search {
                continue;
            }
            let cell = cell_at(start);
            let size = self.walk(board, cell, |_| ());
            blocks[usize::from(board.cells[start])] += size;
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
    fn walk(&mut self, board: &Board, start: u16, mut show: impl FnMut(usize)) -> u32 {
        let color = board.cells[usize::from(start)];
        self.seen[usize::from(start)] = self.search;
        self.stack.push(start);
        let mut size = 0;
        while let Some(cell) = self.stack.pop() {
            let cell = usize::from(cell);
            size += 1;
            show(cell);
            let height = cell % board.rows;
            let below = (height > 0).then(|| cell - 1);
            let above = (height + 1 < board.rows).then_some(cell + 1);
            let sides = [below, above, cell.checked_sub(board.rows), Some(cell + board.rows)];
            for next in sides.into_iter().flatten() {
                if board.cells.get(next) == Some(&color) && self.seen[next] != self.search {
                    self.seen[next] = self.search;
                    self.stack.push(cell_at(next));
                }
            }
        }
        size
    }

    /// Returns the row and the column of a group's first block, by rows from the top.
    pub(super) fn corner(&mut self, board: &Board, group: Group) -> (usize, usize) {
        let mut corner = board.place(group.cell);
        self.search += 1;
        self.walk(board, group.cell, |cell| corner = corner.min(board.place(cell_at(cell))));
        corner
    }

    /// Removes a group. Blocks fall, and empty columns close up.
    pub(super) fn remove(&mut self, board: &Board, group: Group) -> Board {
        let mut after = board.clone();
        self.search += 1;
        self.walk(board, group.cell, |cell| after.cells[cell] = EMPTY);
        let mut filled = 0;
        let rows = board.rows;
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
    use super::*;
    use crate::search::Random;

    #[test]
    fn random_play_scores_as_the_checker_says() {
        let checker = checkers::find("same-game-free").unwrap();
        let mut random = Random::new(17);
        let mut cleared = 0;
        for _ in 0..200 {
            let [rows, columns, colors] = [1 + random.below(9), 1 + random.below(9), 1 + random.below(4)];
            let row =
                |random: &mut Random| (0..columns).map(|_| *random.pick(&["A", "B", "C", "D"][..colors])).collect();
            let grid: Vec<String> = (0..rows).map(|_| row(&mut random)).collect();
            let input = format!("{rows}\n{}\n", grid.join("\n"));
            let mut board = Board::read(input.as_bytes()).unwrap();
            let mut finder = GroupFinder::new(&board);
            let (mut score, mut cells, mut groups) = (0, Vec::new(), Vec::new());
            let census = loop {
                let census = finder.count(&board, &mut groups);
                assert_eq!(census.pairs, groups.iter().map(|group| group.points()).sum::<u32>());
                let grouped: u32 = groups.iter().map(|group| u32::from(group.size)).sum();
                assert_eq!((census.blocks, board.colors().count()), (census.single + grouped, census.blocks as usize));
                if groups.is_empty() {
                    break census;
                }
                let group = *random.pick(&groups);
                cells.push(group.cell);
                score += group.points();
                board = finder.remove(&board, group);
            };
            if census.blocks == 0 {
                score *= CLEARED;
                cleared += 1;
            }
            let mut answer = Vec::new();
            board.write_moves(&cells, &mut answer).unwrap();
            let expected = checker.read(input.as_bytes()).unwrap().check(&answer).unwrap();
            assert_eq!(score.to_string(), expected.to_string(), "{input}");
        }
        assert!((20..180).contains(&cleared), "{cleared}");
    }
}
