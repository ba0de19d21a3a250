//! What a playfield promises: the chain that one more jewel could set off.

use super::board::Board;
use super::game::Color;

/// The lines through a cell, as steps from it: the two other cells of every match it could complete.
const LINES: [[(isize, isize); 2]; 10] = [
    [(0, -1), (0, -2)],
    [(-1, 0), (1, 0)],
    [(-1, 0), (-2, 0)],
    [(1, 0), (2, 0)],
    [(-1, -1), (1, 1)],
    [(-1, -1), (-2, -2)],
    [(1, 1), (2, 2)],
    [(-1, 1), (1, -1)],
    [(-1, 1), (-2, 2)],
    [(1, -1), (2, -2)],
];

/// Free cells above a column below which it becomes dangerous.
const SAFE_ROOM: u8 = 6;

/// Returns the most points that a single jewel, dropped anywhere, would bring.
pub(super) fn best_chain<const P: usize>(board: &Board<P>) -> u32 {
    let mut best = 0;
    for x in (0..board.heights().len()).filter(|&x| board.room(x) > 0) {
        let mut tried = 0_u32;
        for color in LINES.iter().filter_map(|line| completing_color(board, x, line)) {
            if tried >> color & 1 == 0 {
                tried |= 1 << color;
                best = best.max(board.clone().drop_jewel(x, color));
            }
        }
    }
    best
}

/// Returns the colour of the two cells of a line around the top of column `x`, if they have the same.
fn completing_color<const P: usize>(board: &Board<P>, x: usize, line: &[(isize, isize); 2]) -> Option<Color> {
    let y = usize::from(board.heights()[x]);
    // Steps over the left edge or through the floor wrap round to places where no jewel is.
    let color = |&(dx, dy): &(isize, isize)| {
        let y = y.wrapping_add_signed(dy);
        (y < 32).then(|| board.color(x.wrapping_add_signed(dx), y)).flatten()
    };
    let first = color(&line[0])?;
    (color(&line[1])? == first).then_some(first)
}

/// Returns how dangerous the heights are: the squares of the rooms that columns lack.
pub(super) fn danger<const P: usize>(board: &Board<P>) -> u32 {
    let lacking = (0..board.heights().len()).map(|x| u32::from(SAFE_ROOM.saturating_sub(board.room(x))));
    lacking.map(|lacking| lacking * lacking).sum()
}

#[cfg(test)]
mod tests {
    use super::super::game::{Game, Placement};
    use super::*;

    fn board(text: &str, places: &[u8]) -> Board<5> {
        let game = Game::read(text.as_bytes()).unwrap();
        let mut board = Board::new(&game);
        for (&column, &x) in game.columns.iter().zip(places) {
            board.play(column, Placement { x, shift: 0 });
        }
        board
    }

    #[test]
    fn the_best_jewel_sets_off_the_longest_chain() {
        // A `b` on the first column clears three `b`s there, and then nothing; on the second column an `a` falls on two.
        assert_eq!(best_chain(&board("6 13 1 abb", &[0])), 47);
        assert_eq!(best_chain(&board("6 13 2 abb aca", &[0, 2])), 47);
        assert_eq!(best_chain(&board("6 13 1 abc", &[0])), 0);
    }

    #[test]
    fn a_jewel_between_two_completes_them() {
        assert_eq!(best_chain(&board("6 13 2 abc ade", &[0, 2])), 47);
    }

    #[test]
    fn a_full_column_is_dangerous() {
        let low = board("6 13 1 abc", &[0]);
        let high = board("6 13 3 abc abc abc", &[0, 0, 0]);
        assert_eq!((danger(&low), danger(&high)), (0, 4));
    }
}
