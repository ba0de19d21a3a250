//! Boards that can be cleared: made backwards, each piece pushed in where the game will take it out.

use super::super::primality::Primality;
use super::grid::Grid;
use crate::random::Frozen;

/// A path that scores, and where it lies when everything that was pushed in after it is gone again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    /// Columns from 0 and levels from 0 at the floor, in the order of the path.
    pub(super) path: Vec<(usize, usize)>,
    /// The digits along the path.
    pub(super) digits: Vec<u8>,
}

/// Returns the pieces that fill a board, the first one to be pushed in first. They are 2 to `longest` long, which is
/// at least 3: where no crooked piece fits any more, columns are filled up by twos and threes.
pub(super) fn pieces(random: &mut Frozen, rows: u64, columns: u64, longest: u64) -> Vec<Piece> {
    let mut heights = vec![0; columns as usize];
    let mut pieces = Vec::new();
    for _ in 0..10 * rows * columns {
        let length = random.between(2, longest) as usize;
        let path = walk(random, &heights, rows as usize, length);
        push_in(&mut pieces, &mut heights, path, rows as usize, random);
    }
    for column in 0..heights.len() {
        while heights[column] < rows as usize {
            let length = if (rows as usize - heights[column]).is_multiple_of(2) { 2 } else { 3 };
            let floor = random.below(heights[column] as u64 + 1) as usize;
            let path = (floor..floor + length).map(|level| (column, level)).collect();
            push_in(&mut pieces, &mut heights, path, rows as usize, random);
        }
    }
    pieces
}

/// Returns the board that the pieces make.
pub(super) fn stacked(rows: usize, columns: usize, pieces: &[Piece]) -> Grid {
    let mut stacks: Vec<Vec<u8>> = vec![Vec::new(); columns];
    for piece in pieces {
        let mut cells: Vec<_> = piece.path.iter().zip(&piece.digits).collect();
        // From the floor up, every cell finds the ones below it in place.
        cells.sort_unstable_by_key(|&(&(_, level), _)| level);
        for (&(column, level), &digit) in cells {
            stacks[column].insert(level, digit);
        }
    }
    Grid::of(rows, columns, |row, column| stacks[column][rows - 1 - row])
}

/// Returns a path that starts at most on top of a column and then goes anywhere, the same cell never twice. It is
/// shorter than `length` where it has run into a dead end.
fn walk(random: &mut Frozen, heights: &[usize], rows: usize, length: usize) -> Vec<(usize, usize)> {
    let column = random.below(heights.len() as u64) as usize;
    let mut path = vec![(column, random.below(heights[column] as u64 + 1) as usize)];
    while path.len() < length {
        let (column, level) = path[path.len() - 1];
        let around = [
            (column + 1, level),
            (column.wrapping_sub(1), level),
            (column, level + 1),
            (column, level.wrapping_sub(1)),
        ];
        let free = |spot: &(usize, usize)| spot.0 < heights.len() && spot.1 < rows && !path.contains(spot);
        let free: Vec<_> = around.into_iter().filter(free).collect();
        if free.is_empty() {
            break;
        }
        path.push(*random.pick(&free));
    }
    path
}

/// Pushes in the path as a piece with digits of its own, if it fits.
fn push_in(
    pieces: &mut Vec<Piece>,
    heights: &mut [usize],
    path: Vec<(usize, usize)>,
    rows: usize,
    random: &mut Frozen,
) {
    if path.len() < 2 {
        return;
    }
    let mut raised = heights.to_vec();
    path.iter().for_each(|&(column, _)| raised[column] += 1);
    let lies_in_the_pile = |&(column, level): &(usize, usize)| level < raised[column];
    // A column that lacks a single cell could not be filled up by itself.
    let leaves_room = |&(column, _): &(usize, usize)| raised[column] <= rows && raised[column] + 1 != rows;
    if path.iter().all(lies_in_the_pile) && path.iter().all(leaves_room) {
        heights.copy_from_slice(&raised);
        let digits = scoring_digits(random, path.len());
        pieces.push(Piece { path, digits });
    }
}

/// Returns the digits of a prime or, as often, of a palindrome.
fn scoring_digits(random: &mut Frozen, length: usize) -> Vec<u8> {
    let mut digits: Vec<u8> = (0..length).map(|_| random.below(10) as u8).collect();
    digits[0] = random.between(1, 9) as u8;
    if random.below(2) == 0 {
        for index in 0..length / 2 {
            digits[length - 1 - index] = digits[index];
        }
        return digits;
    }
    while !is_prime(&digits) {
        digits[1..].fill_with(|| random.below(10) as u8);
        digits[0] = random.between(1, 9) as u8;
    }
    digits
}

fn is_prime(digits: &[u8]) -> bool {
    let number: Vec<u8> = digits.iter().map(|digit| b'0' + digit).collect();
    Primality::default().is_prime(&number).expect("a short number is decided")
}
