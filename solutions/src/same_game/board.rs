//! A board of SameGame as stacks, and the rules of removing a group.

use crate::SolveError;
use crate::input::Words;
use std::io::Write;

/// A colour: its letter, counted from 0.
pub(super) type Color = u8;

/// The factor for a cleared board.
pub(super) const CLEARED: u32 = 4;

/// The maximum number of colours.
pub(super) const COLORS: usize = 26;

/// A position: for each column that is not empty, its blocks from the bottom up.
#[derive(Debug, Clone)]
pub(super) struct Board {
    rows: usize,
    columns: Vec<Vec<Color>>,
}

/// A block by its column and its height above the floor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) x: usize,
    y: usize,
}

/// Connected blocks of one colour, all of them, at least two.
#[derive(Debug, Clone)]
pub(super) struct Group {
    pub(super) color: Color,
    pub(super) blocks: Vec<Block>,
}

impl Group {
    /// Returns the points for removing it.
    pub(super) fn points(&self) -> u64 {
        let size = self.blocks.len() as u64;
        size * (size - 1) / 2
    }
}

impl Board {
    pub(super) fn read(words: &mut Words) -> Result<Self, SolveError> {
        let rows: usize = words.number("a number of rows from 1 to 50", 1..=50)?;
        let expected = "a row of up to 50 capital letters";
        let first = words.word(expected)?;
        let width = first.len();
        if width > 50 || !first.iter().all(u8::is_ascii_uppercase) {
            return Err(words.unexpected(expected, first));
        }
        let mut columns: Vec<Vec<Color>> = first.iter().map(|letter| vec![letter - b'A']).collect();
        for _ in 1..rows {
            let row = words.text("a row as long as the first", width, |byte| byte.is_ascii_uppercase())?;
            columns.iter_mut().zip(row).for_each(|(column, letter)| column.push(letter - b'A'));
        }
        columns.iter_mut().for_each(|column| column.reverse());
        Ok(Self { rows, columns })
    }

    /// Returns the number of rows.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    pub(super) fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// Returns the row of a block; row 0 is the top of the board.
    pub(super) fn row(&self, block: Block) -> usize {
        self.rows - 1 - block.y
    }

    /// Returns the blocks' colours, column by column from the left, each from the bottom up.
    pub(super) fn columns(&self) -> &[Vec<Color>] {
        &self.columns
    }

    /// Returns every group.
    pub(super) fn groups(&self) -> Vec<Group> {
        let mut seen: Vec<Vec<bool>> = self.columns.iter().map(|column| vec![false; column.len()]).collect();
        let mut groups = Vec::new();
        for x in 0..self.columns.len() {
            for y in 0..self.columns[x].len() {
                if !seen[x][y] {
                    let group = self.group_from(Block { x, y }, &mut seen);
                    groups.extend((group.blocks.len() > 1).then_some(group));
                }
            }
        }
        groups
    }

    fn group_from(&self, start: Block, seen: &mut [Vec<bool>]) -> Group {
        let color = self.columns[start.x][start.y];
        let mut blocks = vec![start];
        seen[start.x][start.y] = true;
        let mut next = 0;
        while let Some(&Block { x, y }) = blocks.get(next) {
            next += 1;
            // A step below zero wraps around to a place that no board has.
            for (x, y) in [(x.wrapping_sub(1), y), (x + 1, y), (x, y.wrapping_sub(1)), (x, y + 1)] {
                let same = self.columns.get(x).and_then(|column| column.get(y)) == Some(&color);
                if same && !std::mem::replace(&mut seen[x][y], true) {
                    blocks.push(Block { x, y });
                }
            }
        }
        Group { color, blocks }
    }

    /// Removes a group. Blocks fall, and empty columns close up.
    pub(super) fn remove(&mut self, group: &Group) {
        let mut blocks = group.blocks.clone();
        blocks.sort_unstable_by_key(|block| std::cmp::Reverse(block.y));
        for Block { x, y } in blocks {
            self.columns[x].remove(y);
        }
        self.columns.retain(|column| !column.is_empty());
    }
}

/// Writes an answer to the open game: the row and the column of a block of each group, in the order of their removal.
pub(super) fn write_moves(places: &[(usize, usize)], output: &mut dyn Write) -> Result<(), SolveError> {
    writeln!(output, "{}", places.len())?;
    for (row, column) in places {
        writeln!(output, "{row} {column}")?;
    }
    Ok(())
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
            let mut board = Board::read(&mut Words::new(input.as_bytes())).unwrap();
            let (mut score, mut places) = (0, Vec::new());
            loop {
                let groups = board.groups();
                if groups.is_empty() {
                    break;
                }
                let group = random.pick(&groups);
                let block = *random.pick(&group.blocks);
                places.push((board.row(block), block.x));
                score += group.points();
                board.remove(group);
            }
            if board.is_empty() {
                score *= u64::from(CLEARED);
                cleared += 1;
            }
            let mut answer = Vec::new();
            write_moves(&places, &mut answer).unwrap();
            let expected = checker.read(input.as_bytes()).unwrap().check(&answer).unwrap();
            assert_eq!(score.to_string(), expected.to_string(), "{input}");
        }
        assert!((20..180).contains(&cleared), "{cleared}");
    }
}
