//! Plays an answer from the first piece to the last or to the overflow, counts the points and shows the observer every
//! frame. An answer says where the first t pieces land and how often each is shifted.

use super::input::{Input, Piece};
use super::rules::{Cells, Field, Matches, POINTS};
use crate::tokens::Tokens;
use crate::{Board, Cell, Frame, Observer, Rejection};

/// How many of the next pieces are shown.
const SHOWN: usize = 10;

/// A game, its progress, and the observer that sees every step.
pub(super) struct Game<'a> {
    pub(super) field: Field,
    observer: &'a mut dyn Observer,
    /// All pieces of the game; none if only a part of it is played.
    pieces: &'a [Piece],
    pub(super) points: u64,
    /// The number of pieces after which matches followed on matches.
    pub(super) chains: usize,
    /// The highest combo.
    pub(super) longest: usize,
    /// The number of the piece that is falling, from 1; 0 before the first.
    pub(super) step: usize,
}

impl<'a> Game<'a> {
    /// Returns the game before its first piece.
    pub(super) fn start(input: &'a Input, observer: &'a mut dyn Observer) -> Self {
        let mut game = Self::on(Field::new(input.width, input.height), observer);
        game.pieces = &input.pieces;
        game.show(0, &Cells::default(), || "the playfield is empty".to_owned());
        game.step = 1;
        game
    }

    /// Returns a game that continues from this playfield with 0 points.
    pub(super) fn on(field: Field, observer: &'a mut dyn Observer) -> Self {
        Self { field, observer, pieces: &[], step: 0, points: 0, chains: 0, longest: 0 }
    }

    /// Places pieces until the placements or the pieces end, or one does not fit. Returns whether all fitted.
    pub(super) fn place_all(&mut self, placements: impl IntoIterator<Item = Placement>) -> bool {
        self.pieces.iter().zip(placements).all(|(piece, placement)| self.place(*piece, placement))
    }

    /// Places a piece. Returns whether it fitted. If not, the game is over.
    #[inline]
    pub(super) fn place(&mut self, piece: Piece, placement: Placement) -> bool {
        let column = placement.column;
        if !self.field.has_room(column) {
            let jewels = piece.jewels(Placement::OMITTED);
            self.show(0, &Cells::default(), || {
                format!("{} does not fit in column {}: the game is over", written(jewels), column + 1)
            });
            return false;
        }
        let changed = match piece {
            Piece::MAGIC => self.land_magic(column),
            _ => self.land(column, piece.jewels(placement)),
        };
        self.match_all(changed);
        self.step += 1;
        true
    }

    /// Lands an ordinary piece. Returns the cells that have changed.
    fn land(&mut self, column: usize, jewels: [u8; 3]) -> Cells {
        let landed = self.field.land(column, jewels);
        self.show(0, &landed, || format!("{} lands in column {}", written(jewels), column + 1));
        landed
    }

    /// Lands a magic piece. It is never part of the field: it disappears with the jewels that it clears. Returns the
    /// cells that have changed.
    fn land_magic(&mut self, column: usize) -> Cells {
        let ground = self.field.top(column);
        self.show_scene(0, |field| {
            let ground = ground.map_or("the floor: nothing is cleared".to_owned(), |jewel| char::from(jewel).into());
            let mut field = field.clone();
            let landed = field.land(column, Piece::MAGIC.0);
            (format!("*** lands in column {}, on {ground}", column + 1), picture(&field, &landed))
        });
        let Some(jewel) = ground else {
            return Cells::default();
        };
        let cells = self.field.all_of(jewel);
        let caption = || format!("magic clears {} × {}", cells.len(), char::from(jewel));
        self.show(POINTS * cells.len(), &cells, caption);
        self.settle(&cells)
    }

    /// Clears matches as long as there are any.
    fn match_all(&mut self, mut changed: Cells) {
        for combo in 1.. {
            let Matches { count, cells } = self.field.matches(&changed);
            if count == 0 {
                break;
            }
            self.show(POINTS * combo as u64 * count, &cells, || {
                format!("{count} {}, combo {combo}", if count == 1 { "match" } else { "matches" })
            });
            changed = self.settle(&cells);
            self.chains += usize::from(combo == 2);
            self.longest = self.longest.max(combo);
        }
    }

    fn settle(&mut self, cells: &Cells) -> Cells {
        let fallen = self.field.clear(cells);
        self.show(0, &fallen, || "the jewels settle".to_owned());
        fallen
    }

    fn show(&mut self, gained: u64, marked: &Cells, caption: impl Fn() -> String) {
        self.show_scene(gained, |field| (caption(), picture(field, marked)));
    }

    fn show_scene(&mut self, gained: u64, scene: impl Fn(&Field) -> (String, Board)) {
        self.points += gained;
        let Self { field, observer, pieces, step, points, .. } = self;
        observer.step(*step, &mut || {
            let (caption, board) = scene(&*field);
            let left = pieces.get(*step..).unwrap_or_default();
            let ahead = ahead(left, false);
            Frame { step: *step, caption, gained: gained.into(), total: (*points).into(), board, ahead }
        });
    }
}

impl Piece {
    /// Returns its jewels as they land, bottom to top.
    pub(super) fn jewels(self, placement: Placement) -> [u8; 3] {
        let Self(mut jewels) = self;
        jewels.rotate_left(placement.shifts);
        jewels
    }
}

/// The placement of one piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Placement {
    /// From 0, left to right.
    pub(super) column: usize,
    /// How often the bottom jewel moves to the top: 0 to 2.
    pub(super) shifts: usize,
}

impl Placement {
    /// The placement of the pieces that the answer does not mention.
    pub(super) const OMITTED: Self = Self { column: 0, shifts: 0 };
}

/// Reads all t lines, and adds them to `placements` until one is wrong. The lines after the end of the game must be valid
/// too.
pub(super) fn read_answer(text: &[u8], input: &Input, placements: &mut Vec<Placement>) -> Result<(), Rejection> {
    let mut tokens = Tokens::new(text);
    let count = tokens.integer("the number of pieces t", 0..=input.pieces.len())?;
    placements.reserve_exact(count);
    for step in 1..=count {
        placements.push(read_placement(&mut tokens, input.width).map_err(|rejection| rejection.at_step(step))?);
    }
    tokens.end()
}

fn read_placement(tokens: &mut Tokens<'_>, width: usize) -> Result<Placement, Rejection> {
    let column = tokens.integer("the column p", 1..=width)? - 1;
    let shifts = tokens.integer("the number of shifts s", 0..=2)?;
    Ok(Placement { column, shifts })
}

/// Writes the jewels of a piece as the input does.
fn written(jewels: [u8; 3]) -> String {
    jewels.map(char::from).iter().collect()
}

/// Draws the next of these pieces, not cycled. The first one is marked if it is the piece to place.
pub(super) fn ahead(left: &[Piece], is_marked: bool) -> Board {
    let shown = &left[..left.len().min(SHOWN)];
    let cell = |height: usize| {
        let jewel = move |piece: &Piece| piece.jewels(Placement::OMITTED)[height];
        shown.iter().enumerate().map(move |(place, piece)| jewel_cell(jewel(piece), is_marked && place == 0))
    };
    Board { width: shown.len(), cells: (0..3).rev().flat_map(cell).collect() }
}

/// Draws a jewel.
pub(super) fn jewel_cell(jewel: u8, marked: bool) -> Cell {
    Cell::of_character(jewel, u32::from(jewel.saturating_sub(b'a' - 1)), marked)
}

/// Draws the field from its top left.
pub(super) fn picture(field: &Field, marked: &Cells) -> Board {
    let cell = |x, y| match field.jewel(x, y) {
        Some(jewel) => jewel_cell(jewel, marked.contains(x, y)),
        None => Cell::EMPTY,
    };
    let rows = (0..field.height).rev();
    Board { width: field.width, cells: rows.flat_map(|y| (0..field.width).map(move |x| cell(x, y))).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input() -> Input {
        Input::read(b"6 13\n3\nabc\n***\nabc\n").unwrap()
    }

    #[test]
    fn the_omitted_columns_are_not_in_the_answer() {
        let read = |text: &[u8]| {
            let mut placements = Vec::new();
            read_answer(text, &input(), &mut placements).map(|()| placements)
        };
        assert_eq!(read(b"0"), Ok(vec![]));
        let placements = vec![Placement { column: 5, shifts: 2 }, Placement { column: 0, shifts: 0 }];
        assert_eq!(read(b"2\r\n6 2\r\n\r\n01\t-0\r\n"), Ok(placements));
    }

    #[test]
    fn the_first_broken_rule_is_named_with_its_place() {
        for (text, complaint) in [
            (
                "",
                "line 1, column 1: the text ends too early: expected the number of pieces t, an integer from 0 to 3, found the end",
            ),
            (
                "4\n",
                "line 1, column 1: the number of pieces t is out of range: expected an integer from 0 to 3, found `4`",
            ),
            (
                "-1",
                "line 1, column 1: the number of pieces t is out of range: expected an integer from 0 to 3, found `-1`",
            ),
            (
                "2\n1 0\n7 3",
                "line 3, column 1, move 2: the column p is out of range: expected an integer from 1 to 6, found `7`",
            ),
            (
                "2\n1 3\n7 3",
                "line 2, column 3, move 1: the number of shifts s is out of range: expected an integer from 0 to 2, found `3`",
            ),
            (
                "1\n18446744073709551617 0",
                "line 2, column 1, move 1: the column p is out of range: expected an integer from 1 to 6, found `18446744073709551617`",
            ),
            (
                "1\n1,0",
                "line 2, column 1, move 1: the column p is not an integer: expected an integer from 1 to 6, found `1,0`",
            ),
            (
                "2\n1 0\n2",
                "line 3, column 2, move 2: the text ends too early: expected the number of shifts s, an integer from 0 to 2, found the end",
            ),
            ("0\n\n1 0", "line 3, column 1: the text goes on too long: expected the end, found `1`"),
            ("1\n1 0\n\0", "line 3, column 1: the text goes on too long: expected the end, found `\\x00`"),
        ] {
            assert_eq!(read_answer(text.as_bytes(), &input(), &mut Vec::new()).unwrap_err().to_string(), complaint);
        }
    }
}
