//! A second implementation of `square-remover`: slow, plain, and written only from the statement.

/// A game, in the words of the statement.
#[derive(Debug, Clone)]
pub(crate) struct Model {
    pub(crate) colors: u64,
    pub(crate) board: Vec<Vec<u64>>,
    /// The next number of the sequence A.
    pub(crate) a: u64,
    pub(crate) score: u64,
}

impl Model {
    /// Reads an input that is known to be well formed.
    pub(crate) fn read(input: &str) -> Self {
        let lines: Vec<&str> = input.lines().collect();
        let size: usize = lines[1].parse().expect("the input is well formed");
        Self {
            colors: lines[0].parse().expect("the input is well formed"),
            board: lines[2..2 + size]
                .iter()
                .map(|row| row.bytes().map(|digit| u64::from(digit - b'0')).collect())
                .collect(),
            a: lines[2 + size].parse().expect("the input is well formed"),
            score: 0,
        }
    }

    fn first_square(&self) -> Option<(usize, usize)> {
        let n = self.board.len();
        for i in 0..n - 1 {
            for j in 0..n - 1 {
                let color = self.board[i][j];
                if self.board[i][j + 1] == color && self.board[i + 1][j] == color && self.board[i + 1][j + 1] == color {
                    return Some((i, j));
                }
            }
        }
        None
    }

    /// Removes one square, if there is one, after looking at the whole board.
    pub(crate) fn remove_one(&mut self) -> Option<(usize, usize)> {
        let (i, j) = self.first_square()?;
        self.score += 1;
        self.board[i][j] = self.tile();
        self.board[i][j + 1] = self.tile();
        self.board[i + 1][j] = self.tile();
        self.board[i + 1][j + 1] = self.tile();
        Some((i, j))
    }

    pub(crate) fn swap(&mut self, row: usize, column: usize, direction: usize) {
        let (other_row, other_column) =
            [(row.wrapping_sub(1), column), (row, column + 1), (row + 1, column), (row, column.wrapping_sub(1))]
                [direction];
        let tile = self.board[row][column];
        self.board[row][column] = self.board[other_row][other_column];
        self.board[other_row][other_column] = tile;
    }

    fn tile(&mut self) -> u64 {
        let color = self.a % self.colors;
        self.a = self.a * 48_271 % 2_147_483_647;
        color
    }
}
