//! Finds the blocks of one colour that hang together.

use super::board::{Board, EMPTY};

/// A search for groups. Keeps its memory, so that the hundreds of searches of a game allocate once.
#[derive(Debug)]
pub(super) struct Flood {
    round: u32,
    /// In which round each cell was last found.
    seen: Vec<u32>,
    found: Vec<usize>,
}

impl Flood {
    pub(super) fn new(board: &Board) -> Self {
        Self { round: 0, seen: vec![0; board.size()], found: Vec::new() }
    }

    /// Begins a round: no cell has been found in it.
    pub(super) fn start(&mut self) {
        self.round += 1;
    }

    /// Returns all cells that hang together with this one, itself included; none if it is empty or was found earlier
    /// in this round.
    pub(super) fn group(&mut self, board: &Board, start: usize) -> &[usize] {
        self.found.clear();
        let color = board.block(start);
        if color != EMPTY {
            self.find(start);
        }
        let mut next = 0;
        while let Some(&cell) = self.found.get(next) {
            next += 1;
            for neighbour in board.neighbours(cell) {
                if board.block(neighbour) == color {
                    self.find(neighbour);
                }
            }
        }
        &self.found
    }

    fn find(&mut self, cell: usize) {
        if self.seen[cell] != self.round {
            self.seen[cell] = self.round;
            self.found.push(cell);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::input::Grid;
    use super::*;

    #[test]
    fn a_group_is_connected_along_sides_and_found_once_a_round() {
        let board = Board::new(&Grid { rows: 3, columns: 3, blocks: b"ABAAABBBA".to_vec() });
        let mut flood = Flood::new(&board);
        for _ in 0..2 {
            flood.start();
            let mut group = flood.group(&board, board.cell(1, 1)).to_vec();
            group.sort_unstable();
            assert_eq!(group, [(0, 0), (1, 0), (1, 1)].map(|(r, c)| board.cell(r, c)));
            assert_eq!(flood.group(&board, board.cell(0, 0)), []);
            assert_eq!(flood.group(&board, board.cell(2, 2)), [board.cell(2, 2)]);
        }
    }
}
