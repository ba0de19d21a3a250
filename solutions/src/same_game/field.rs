//! A board of SameGame as one array, for searches that remove millions of groups.

use super::board::{Board, COLORS, Color};

/// What stands where no block is. Colours count from 1.
const EMPTY: u8 = 0;

/// A position: column by column from the left, each from the floor up. Columns without blocks are at the end.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Field {
    rows: usize,
    cells: Vec<u8>,
}

/// A group: its first cell, and how many it has.
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

/// What is counted on a position.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Census {
    /// Pairs of blocks of one group, over all groups: the points for removing them as they are.
    pub(super) pairs: u32,
    /// Pairs of blocks of one colour: the points if all of a colour went at once.
    pub(super) possible_pairs: u32,
    /// Blocks.
    pub(super) blocks: u32,
    /// Blocks that belong to no group.
    pub(super) single: u32,
    /// Colours of which a single block is left: the board cannot be cleared any more.
    pub(super) lone_colors: u32,
}

/// Finds groups.
pub(super) struct Surveyor {
    /// For each cell, the number of the last search that came by.
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

    /// Returns the colour of a cell, as [`Board`] counts it. There must be a block.
    pub(super) fn color(&self, cell: u16) -> Color {
        self.cells[usize::from(cell)] - 1
    }

    /// Returns the row from the top and the column of a cell.
    pub(super) fn place(&self, cell: u16) -> (usize, usize) {
        let cell = usize::from(cell);
        (self.rows - 1 - cell % self.rows, cell / self.rows)
    }
}

impl Surveyor {
    /// Returns one for boards as large as this one.
    pub(super) fn new(field: &Field) -> Self {
        Self { seen: vec![0; field.cells.len()], search: 0, stack: Vec::new() }
    }

    /// Lists the groups, and counts.
    pub(super) fn survey(&mut self, field: &Field, groups: &mut Vec<Group>) -> Census {
        groups.clear();
        let mut census = Census::default();
        let mut blocks = [0_u32; COLORS + 1];
        self.search += 1;
        for start in 0..field.cells.len() {
            if field.cells[start] == EMPTY || self.seen[start] == self.search {
                continue;
            }
            // A board has at most 2500 cells.
            let cell = start as u16;
            let size = self.walk(field, cell, |_| ());
            blocks[usize::from(field.cells[start])] += size;
            match size {
                1 => census.single += 1,
                _ => {
                    census.pairs += size * (size - 1) / 2;
                    groups.push(Group { cell, size: size as u16 });
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
                    self.stack.push(next as u16);
                }
            }
        }
        size
    }

    /// Removes a group; blocks fall, and empty columns close up.
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
    use super::*;
    use crate::input::Words;
    use crate::random::Random;

    /// Plays at random on both boards.
    #[test]
    fn it_plays_as_the_plain_board_does() {
        let mut random = Random::new(3);
        for _ in 0..20 {
            let rows: String =
                (0..8).map(|_| (0..6).map(|_| *random.pick(&['A', 'B', 'C'])).collect::<String>() + " ").collect();
            let mut board = Board::read(&mut Words::new(format!("8 {rows}").as_bytes())).unwrap();
            let mut field = Field::new(&board);
            let mut surveyor = Surveyor::new(&field);
            let mut groups = Vec::new();
            loop {
                let census = surveyor.survey(&field, &mut groups);
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
                field = surveyor.remove(&field, group);
                assert_eq!(field.cells.iter().all(|&cell| cell == EMPTY), board.is_empty());
            }
        }
    }
}
