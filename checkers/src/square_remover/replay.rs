//! Plays the answer, 30,000 integers with three for each swap, from the first square to the last move, and draws the
//! frames.

use super::input::Game;
use super::rules::{Cell, Position};
use crate::tokens::{Parsed, Token, Tokens, parse_integer};
use crate::{Board, CheckError, Frame, Observer, Place, Rejection, Score, Undecided, Unobserved};

/// How many tiles of the buffer are shown.
const SHOWN: usize = 12;

/// The maximum number of squares in one game.
///
/// No rule ends a cascade. Each removed square is refilled with four pseudo-random tiles, which complete less than one
/// further square on average. So every known cascade is short, but there is no proof. The best programs of the contest
/// remove about 21,000 squares in a game. Removing this many takes a fraction of a second.
const MAX_SQUARES: u64 = 1 << 22;

/// Returns the position after the first moves of an answer.
///
/// # Errors
/// Returns the first broken rule in reading order, or a cascade that does not end.
pub(super) fn after(game: &Game, answer: &[u8], moves: usize) -> Result<Position, CheckError> {
    Ok(play(game, &mut Tokens::new(answer), moves, &mut Unobserved)?.position)
}

/// Returns how many squares a swap removes, or `None` if the cascade does not end.
pub(super) fn gain(position: &Position, one: Cell, other: Cell) -> Option<u64> {
    let mut unobserved = Unobserved;
    let mut playback = Playback::new(position.clone(), &mut unobserved);
    playback.position.swap(one, other);
    playback.settle().ok()?;
    Some(playback.position.score - position.score)
}

/// Plays the first moves of an answer, whose tokens are read up to the end of the last one.
///
/// # Errors
/// Returns the first broken rule in reading order, or a cascade that does not end.
pub(super) fn play<'a>(
    game: &Game,
    tokens: &mut Tokens<'_>,
    moves: usize,
    observer: &'a mut dyn Observer,
) -> Result<Playback<'a>, CheckError> {
    let mut playback = Playback::new(Position::new(game), observer);
    playback.show(0, &[], || "the start".to_owned());
    playback.settle().map_err(|EndlessCascade| endless(tokens.place_of(0), None))?;
    for step in 1..=moves {
        playback.step = step;
        let swap = read_swap(tokens, game.size).map_err(|rejection| rejection.at_step(step))?;
        playback.swap(&swap);
        let before = playback.position.score;
        playback.settle().map_err(|EndlessCascade| endless(tokens.place_of(swap.token.offset), Some(step)))?;
        playback.count(playback.position.score - before);
    }
    Ok(playback)
}

/// A cascade passes [`MAX_SQUARES`].
#[derive(Debug)]
struct EndlessCascade;

#[cold]
fn endless(place: Place, step: Option<usize>) -> Undecided {
    let why = format!("the cascade does not end; the checker gives up after {MAX_SQUARES} squares");
    Undecided { place, step, why }
}

/// A game and its observer.
pub(super) struct Playback<'a> {
    pub(super) position: Position,
    /// The move being played, from 1; 0 before the first.
    step: usize,
    observer: &'a mut dyn Observer,
    /// The number of moves that removed a square.
    pub(super) moves: usize,
    /// The number of moves that removed more than one.
    pub(super) cascades: usize,
    /// The maximal number of squares that one move removed.
    pub(super) longest: usize,
}

impl<'a> Playback<'a> {
    fn new(position: Position, observer: &'a mut dyn Observer) -> Self {
        Self { position, step: 0, observer, moves: 0, cascades: 0, longest: 0 }
    }

    /// Counts a move that removed this many squares.
    fn count(&mut self, squares: u64) {
        // MAX_SQUARES fits.
        let squares = usize::try_from(squares).unwrap_or(usize::MAX);
        self.moves += usize::from(squares > 0);
        self.cascades += usize::from(squares > 1);
        self.longest = self.longest.max(squares);
    }

    fn swap(&mut self, swap: &Swap<'_>) {
        let Swap { cell, neighbour, .. } = *swap;
        self.position.swap(cell, neighbour);
        self.show(0, &[cell, neighbour], || {
            format!(
                "row {}, column {} swaps with row {}, column {}",
                cell.row, cell.column, neighbour.row, neighbour.column
            )
        });
    }

    /// Removes squares until there is none.
    fn settle(&mut self) -> Result<(), EndlessCascade> {
        while let Some(square) = self.position.remove_first_square() {
            let Cell { row, column } = square;
            let cells =
                [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(down, right)| Cell { row: row + down, column: column + right });
            self.show(1, &cells, || format!("the square at row {row}, column {column} is removed"));
            if self.position.score > MAX_SQUARES {
                return Err(EndlessCascade);
            }
        }
        Ok(())
    }

    fn show(&mut self, gained: u64, marked: &[Cell], caption: impl Fn() -> String) {
        let Self { position, step, observer, .. } = self;
        observer.step(*step, &mut || Frame {
            step: *step,
            caption: caption(),
            gained: Score::from(gained),
            total: Score::from(position.score),
            board: draw(position, marked),
            ahead: ahead(position),
        });
    }
}

/// Draws the next tiles of the buffer.
pub(super) fn ahead(position: &Position) -> Board {
    let tiles = position.upcoming(SHOWN).into_iter().map(|color| tile(color, false));
    Board { width: SHOWN, cells: tiles.collect() }
}

fn draw(position: &Position, marked: &[Cell]) -> Board {
    let size = position.size;
    let cell = |index: usize| {
        let cell = Cell { row: index / size, column: index % size };
        tile(position.color(cell), marked.contains(&cell))
    };
    Board { width: size, cells: (0..size * size).map(cell).collect() }
}

/// Draws a tile of a colour.
pub(super) fn tile(color: u64, marked: bool) -> crate::Cell {
    let color = u8::try_from(color).expect("there are at most six colours");
    crate::Cell::of_character(b'0' + color, color.into(), marked)
}

/// Two neighbouring cells, and the last token of the move.
#[derive(Debug, Clone, Copy)]
struct Swap<'a> {
    /// The cell that the answer names.
    pub(super) cell: Cell,
    /// Its neighbour in the direction that the answer names.
    pub(super) neighbour: Cell,
    /// The last token of the move.
    pub(super) token: Token<'a>,
}

/// Reads the row, the column and the direction of one move on a board of `size` rows and columns.
///
/// # Errors
/// Returns the first of the three that breaks a rule, without the number of the move.
fn read_swap<'a>(tokens: &mut Tokens<'a>, size: usize) -> Result<Swap<'a>, Rejection> {
    let (_, row) = tokens.integer_by(parse_signed, "the row", 0..=size - 1)?;
    let (_, column) = tokens.integer_by(parse_signed, "the column", 0..=size - 1)?;
    let (token, direction) = tokens.integer_by(parse_signed, "the direction", 0..=3)?;
    let cell = Cell { row, column };
    let neighbour = cell.neighbour(direction, size).ok_or_else(|| {
        let expected = format!("a direction from row {row}, column {column} to another cell of the board");
        tokens.wrong(token, "the swap leaves the board", &expected)
    })?;
    Ok(Swap { cell, neighbour, token })
}

/// Reads an integer as the official tester does. Only this game allows a plus sign.
#[inline]
fn parse_signed(bytes: &[u8]) -> Parsed {
    match bytes {
        [b'+', b'-', ..] => Parsed::NotANumber,
        [b'+', digits @ ..] => parse_integer(digits),
        bytes => parse_integer(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Case;

    fn given_up(game: &Game, answer: &[u8]) -> Undecided {
        match game.check(answer) {
            Err(CheckError::Undecided(undecided)) => undecided,
            other => panic!("{other:?}"),
        }
    }

    /// A buffer that starts with 0 stays 0. No valid input has such a buffer, but it makes it easy to build an endless
    /// cascade.
    #[test]
    fn a_cascade_without_an_end_is_given_up() {
        let game = Game { colors: 4, size: 8, board: vec![0; 64], start_seed: 0 };
        assert_eq!(
            given_up(&game, b"").to_string(),
            "undecided: line 1, column 1: the cascade does not end; the checker gives up after 4194304 squares"
        );
    }

    #[test]
    fn a_cascade_without_an_end_is_given_up_in_the_move_that_starts_it() {
        let mut game = Game { colors: 4, size: 8, board: (0..64).map(|i| i as u8 % 3 + 1).collect(), start_seed: 0 };
        for index in [0, 1, 8, 10] {
            game.board[index] = 0;
        }
        let Undecided { place, step, .. } = given_up(&game, b"1 2 3\n");
        assert_eq!((place, step), (Place { line: 1, column: 5 }, Some(1)));
    }
}

#[cfg(test)]
mod answer_tests {
    use super::*;

    fn read(text: &str) -> Result<(Cell, Cell), String> {
        let mut tokens = Tokens::new(text.as_bytes());
        read_swap(&mut tokens, 8).map(|swap| (swap.cell, swap.neighbour)).map_err(|rejection| rejection.to_string())
    }

    #[test]
    fn a_move_is_a_cell_and_the_way_to_its_neighbour() {
        let cell = |row, column| Cell { row, column };
        for (text, neighbour) in
            [("3 4 0", cell(2, 4)), ("3 4 1", cell(3, 5)), ("3 4 2", cell(4, 4)), ("3 4 3", cell(3, 3))]
        {
            assert_eq!(read(text), Ok((cell(3, 4), neighbour)), "{text}");
        }
        assert_eq!(read("+3\t+004\r\n-0"), read("3 4 0"), "signs and leading zeros");
    }

    #[test]
    fn every_way_off_the_board_is_rejected_and_every_way_along_its_edge_is_not() {
        for (row, column, off) in [(0, 0, [0, 3]), (0, 7, [0, 1]), (7, 0, [2, 3]), (7, 7, [1, 2])] {
            for direction in 0..4 {
                let outcome = read(&format!("{row} {column} {direction}"));
                assert_eq!(outcome.is_err(), off.contains(&direction), "{row} {column} {direction}: {outcome:?}");
            }
        }
        assert_eq!(
            read("0 5 0").unwrap_err(),
            "line 1, column 5: the swap leaves the board: expected a direction from row 0, column 5 to another cell of \
             the board, found `0`"
        );
    }

    #[test]
    fn numbers_outside_the_board_are_rejected_at_their_place() {
        for (text, message) in [
            ("8 0 0", "line 1, column 1: the row is out of range: expected an integer from 0 to 7, found `8`"),
            ("0 -1 0", "line 1, column 3: the column is out of range: expected an integer from 0 to 7, found `-1`"),
            ("1 1\n4", "line 2, column 1: the direction is out of range: expected an integer from 0 to 3, found `4`"),
            ("+8 0 0", "line 1, column 1: the row is out of range: expected an integer from 0 to 7, found `+8`"),
            ("+-1 0 0", "line 1, column 1: the row is not an integer: expected an integer from 0 to 7, found `+-1`"),
            ("+ 0 0", "line 1, column 1: the row is not an integer: expected an integer from 0 to 7, found `+`"),
            ("++1 0 0", "line 1, column 1: the row is not an integer: expected an integer from 0 to 7, found `++1`"),
            ("1.0 0 0", "line 1, column 1: the row is not an integer: expected an integer from 0 to 7, found `1.0`"),
            (
                "18446744073709551616 0 0",
                "line 1, column 1: the row is out of range: expected an integer from 0 to 7, found \
                 `18446744073709551616`",
            ),
            (
                "1 1",
                "line 1, column 4: the text ends too early: expected the direction, an integer from 0 to 3, found the \
                 end",
            ),
        ] {
            assert_eq!(read(text).unwrap_err(), message);
        }
    }
}
