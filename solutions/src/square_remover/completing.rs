//! Finds the swaps that complete a square, with all columns and colours of a row at once.

use super::board::{Board, Row, lanes};
use super::game::Swap;

/// The columns of a row whose tile, if that neighbour took its place, would make a square complete.
struct Gaps {
    from_left: u16,
    from_right: u16,
    from_above: u16,
    from_below: u16,
}

/// Shows every swap that completes a square of a board with this many rows, each once.
pub(super) fn completing_swaps(board: &Board, size: usize, mut show: impl FnMut(Swap)) {
    let mut from_below_before = 0;
    // A board has at most 16 rows.
    for row in 0..size as u8 {
        let Gaps { from_left, from_right, from_above, from_below } = gaps(board, usize::from(row));
        if row > 0 {
            each(from_below_before | from_above, |column| show(Swap { row: row - 1, column, down: true }));
        }
        each(from_right | from_left >> 1, |column| show(Swap { row, column, down: false }));
        from_below_before = from_below;
    }
}

#[inline(always)]
fn gaps(board: &Board, row: usize) -> Gaps {
    let [above, here, below] = [&board.rows[row], &board.rows[row + 1], &board.rows[row + 2]];
    let left = lanes(|color| here[color] << 1);
    let right = lanes(|color| here[color] >> 1);
    // The cells whose square up and to the left lacks but them; and so on.
    let above_left = lanes(|color| above[color] & above[color] << 1 & left[color] & !here[color]);
    let above_right = lanes(|color| above[color] & above[color] >> 1 & right[color] & !here[color]);
    let below_left = lanes(|color| below[color] & below[color] << 1 & left[color] & !here[color]);
    let below_right = lanes(|color| below[color] & below[color] >> 1 & right[color] & !here[color]);
    // The tile must come from a side that the square is not on.
    let filled = |one: &Row, other: &Row, side: &Row| any(&lanes(|color| (one[color] | other[color]) & side[color]));
    Gaps {
        from_left: filled(&above_right, &below_right, &left),
        from_right: filled(&above_left, &below_left, &right),
        from_above: filled(&below_left, &below_right, above),
        from_below: filled(&above_left, &above_right, below),
    }
}

/// Returns the columns that some colour has.
#[inline(always)]
fn any(row: &Row) -> u16 {
    row.iter().fold(0, |columns, lane| columns | lane)
}

/// Shows every column of a set.
#[inline(always)]
fn each(mut columns: u16, mut show: impl FnMut(u8)) {
    while columns != 0 {
        // Below 16.
        show(columns.trailing_zeros() as u8);
        columns &= columns - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::super::game::{Game, swaps};
    use super::*;
    use crate::random::Random;

    #[test]
    fn exactly_the_swaps_that_complete_a_square_are_shown() {
        let mut random = Random::new(3);
        let mut shown = 0;
        for size in 8..=16 {
            let rows = (0..size).map(|_| (0..size).map(|_| random.below(4) as u8).collect()).collect();
            let game = Game { colors: 4, rows, start_seed: 11 };
            let mut board = Board::new(&game);
            board.resolve_all(&game.buffer(1 << 12));
            let mut found = Vec::new();
            completing_swaps(&board, size, |swap| found.push(swap));
            let completes = |swap: &Swap| {
                let mut board = board.clone();
                board.exchange(*swap);
                board.is_complete_near(*swap)
            };
            let mut expected: Vec<Swap> = swaps(size).into_iter().filter(completes).collect();
            found.sort();
            expected.sort();
            assert_eq!(found, expected);
            shown += found.len();
        }
        assert!(shown > 50, "{shown}");
    }
}
