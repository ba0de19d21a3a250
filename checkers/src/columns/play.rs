//! Plays an answer from the first piece to the last or to the overflow, counts the points and shows the observer every
//! frame. An answer says where the first t pieces land and how often each is shifted.

use super::input::{Input, Piece};
use super::rules::{Cells, Field, Matches, POINTS};
use crate::tokens::Tokens;
use crate::{Board, Cell, Frame, Observer, Rejection};

/// How many of the next pieces are shown.
const SHOWN: usize = 10;

/// The look of magic jewels.
const MAGIC: [u8; 3] = *b"***";

/// A game that was played to its end.
pub(super) struct Played {
    pub(super) points: u64,
    /// The number of pieces that landed.
    pub(super) moves: usize,
    /// The number of pieces after which matches followed on matches.
    pub(super) chains: usize,
    /// The highest combo.
    pub(super) longest: usize,
}

/// Plays the case with these placements, then with the default one.
pub(super) fn play(input: &Input, placements: &[Placement], observer: &mut dyn Observer) -> Played {
    let mut game = Game::start(input, observer);
    game.place_all(&input.pieces, placements.iter().copied().chain(std::iter::repeat(Placement::OMITTED)));
    let Progress { step, chains, longest, total, .. } = game.progress;
    // The step belongs to the next piece.
    Played { points: total, moves: step - 1, chains, longest }
}

/// A game and its observer.
pub(super) struct Game<'a> {
    pub(super) field: Field,
    progress: Progress<'a>,
}

impl<'a> Game<'a> {
    /// Returns the game before its first piece.
    pub(super) fn start(input: &'a Input, observer: &'a mut dyn Observer) -> Self {
        let mut game = Self::on(Field::new(input.width, input.height), observer);
        game.progress.pieces = &input.pieces;
        game.progress.start(&game.field);
        game
    }

    /// Returns a game that continues from this playfield with 0 points.
    pub(super) fn on(field: Field, observer: &'a mut dyn Observer) -> Self {
        Self { field, progress: Progress::new(observer) }
    }

    pub(super) fn points(&self) -> u64 {
        self.progress.total()
    }

    /// Places pieces until the placements or the pieces end, or one does not fit. Returns whether all fitted.
    pub(super) fn place_all(&mut self, pieces: &[Piece], placements: impl Iterator<Item = Placement>) -> bool {
        pieces.iter().zip(placements).all(|(piece, placement)| self.place(*piece, placement))
    }

    /// Places a piece. Returns whether it fitted. If not, the game is over.
    #[inline]
    pub(super) fn place(&mut self, piece: Piece, placement: Placement) -> bool {
        if !self.field.has_room(placement.column) {
            self.progress.overflow(&self.field, piece, placement.column);
            return false;
        }
        let changed = match piece {
            Piece::Magic => self.land_magic(placement.column),
            Piece::Jewels(jewels) => self.land(placement, shifted(jewels, placement)),
        };
        self.match_all(changed);
        self.progress.next_move();
        true
    }

    /// Lands an ordinary piece. Returns the cells that have changed.
    fn land(&mut self, placement: Placement, jewels: [u8; 3]) -> Cells {
        let landed = self.field.land(placement.column, jewels);
        self.progress.landed(&self.field, jewels, placement.column, &landed);
        landed
    }

    /// Lands a magic piece. It is never part of the field: it disappears with the jewels that it clears. Returns the
    /// cells that have changed.
    fn land_magic(&mut self, column: usize) -> Cells {
        self.progress.magic_landed(&self.field, column);
        let Some(jewel) = self.field.top(column) else {
            return Cells::default();
        };
        let cells = self.field.all_of(jewel);
        self.progress.magic_cleared(&self.field, jewel, &cells, POINTS * cells.len());
        self.settle(&cells)
    }

    /// Clears matches as long as there are any.
    fn match_all(&mut self, mut changed: Cells) {
        for combo in 1.. {
            let matches = self.field.matches(&changed);
            if matches.count == 0 {
                break;
            }
            let multiplier = combo as u64;
            self.progress.matched(&self.field, &matches, multiplier, POINTS * multiplier * matches.count);
            changed = self.settle(&matches.cells);
            self.progress.combo(combo);
        }
    }

    fn settle(&mut self, cells: &Cells) -> Cells {
        let fallen = self.field.clear(cells);
        self.progress.settled(&self.field, &fallen);
        fallen
    }
}

impl Piece {
    /// Returns its jewels as they land, bottom to top.
    pub(super) fn jewels(self, placement: Placement) -> [u8; 3] {
        match self {
            Self::Magic => MAGIC,
            Self::Jewels(jewels) => shifted(jewels, placement),
        }
    }
}

/// Returns the jewels of a piece as they land, bottom to top.
fn shifted(mut jewels: [u8; 3], placement: Placement) -> [u8; 3] {
    jewels.rotate_left(placement.shifts);
    jewels
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

/// Reads all t lines. The lines after the end of the game must be valid too.
pub(super) fn read_answer(text: &[u8], input: &Input) -> Result<Vec<Placement>, Rejection> {
    let mut tokens = Tokens::new(text);
    let count = tokens.integer("the number of pieces t", 0..=input.pieces.len())?;
    let placements = (1..=count)
        .map(|step| read_placement(&mut tokens, input.width).map_err(|rejection| rejection.at_step(step)))
        .collect::<Result<_, _>>()?;
    tokens.end()?;
    Ok(placements)
}

fn read_placement(tokens: &mut Tokens<'_>, width: usize) -> Result<Placement, Rejection> {
    let column = tokens.integer("the column p", 1..=width)? - 1;
    let shifts = tokens.integer("the number of shifts s", 0..=2)?;
    Ok(Placement { column, shifts })
}

/// The points so far, and the observer that sees every step.
struct Progress<'a> {
    observer: &'a mut dyn Observer,
    /// All pieces of the game; none if only a part of it is played.
    pieces: &'a [Piece],
    step: usize,
    total: u64,
    /// The number of pieces after which matches followed on matches.
    chains: usize,
    /// The highest combo.
    longest: usize,
}

impl<'a> Progress<'a> {
    pub(super) fn new(observer: &'a mut dyn Observer) -> Self {
        Self { observer, pieces: &[], step: 0, total: 0, chains: 0, longest: 0 }
    }

    /// Counts a round of matches: the first after a piece has the combo 1.
    fn combo(&mut self, combo: usize) {
        self.chains += usize::from(combo == 2);
        self.longest = self.longest.max(combo);
    }

    fn total(&self) -> u64 {
        self.total
    }

    pub(super) fn start(&mut self, field: &Field) {
        self.show(0, || ("the playfield is empty".to_owned(), picture(field, &Cells::default())));
        self.next_move();
    }

    fn next_move(&mut self) {
        self.step += 1;
    }

    pub(super) fn landed(&mut self, field: &Field, jewels: [u8; 3], column: usize, landed: &Cells) {
        let name = Piece::Jewels(jewels);
        self.show(0, || (format!("{} lands in column {}", written(name), column + 1), picture(field, landed)));
    }

    /// Shows a magic piece on `field`, which it has not changed yet.
    fn magic_landed(&mut self, field: &Field, column: usize) {
        self.show(0, || {
            let ground =
                field.top(column).map_or("the floor: nothing goes".to_owned(), |jewel| char::from(jewel).into());
            let mut field = field.clone();
            let landed = field.land(column, MAGIC);
            (format!("*** lands in column {}, on {ground}", column + 1), picture(&field, &landed))
        });
    }

    fn magic_cleared(&mut self, field: &Field, jewel: u8, cells: &Cells, points: u64) {
        self.show(points, || (format!("magic clears {} × {}", cells.len(), char::from(jewel)), picture(field, cells)));
    }

    fn matched(&mut self, field: &Field, matches: &Matches, multiplier: u64, points: u64) {
        self.show(points, || {
            let plural = if matches.count == 1 { "match" } else { "matches" };
            (format!("{} {plural}, combo {multiplier}", matches.count), picture(field, &matches.cells))
        });
    }

    fn settled(&mut self, field: &Field, fallen: &Cells) {
        self.show(0, || ("the jewels settle".to_owned(), picture(field, fallen)));
    }

    fn overflow(&mut self, field: &Field, piece: Piece, column: usize) {
        self.show(0, || {
            let caption = format!("{} does not fit in column {}: the game is over", written(piece), column + 1);
            (caption, picture(field, &Cells::default()))
        });
    }

    fn show(&mut self, gained: u64, scene: impl Fn() -> (String, Board)) {
        self.total += gained;
        let Self { pieces, step, total, .. } = *self;
        self.observer.step(step, &mut || {
            let (caption, board) = scene();
            let left = pieces.get(step..).unwrap_or_default();
            Frame { step, caption, gained: gained.into(), total: total.into(), board, ahead: ahead(left, false) }
        });
    }
}

fn written(piece: Piece) -> String {
    match piece {
        Piece::Magic => "***".to_owned(),
        Piece::Jewels(jewels) => jewels.map(char::from).iter().collect(),
    }
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
        assert_eq!(read_answer(b"0", &input()), Ok(vec![]));
        let placements = vec![Placement { column: 5, shifts: 2 }, Placement { column: 0, shifts: 0 }];
        assert_eq!(read_answer(b"2\r\n6 2\r\n\r\n01\t-0\r\n", &input()), Ok(placements));
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
            assert_eq!(read_answer(text.as_bytes(), &input()).unwrap_err().to_string(), complaint);
        }
    }
}
