//! Counts the points and tells an observer what happens, frame by frame.

use super::input::Piece;
use super::rules::{Cells, Field, Matches};
use crate::{Board, Cell, Frame, Observer};

/// What magic jewels look like.
pub(super) const MAGIC: [u8; 3] = *b"***";

/// The score of a game so far, and its voice.
pub(super) struct Narrator<'a> {
    observer: &'a mut dyn Observer,
    step: usize,
    total: u64,
}

impl<'a> Narrator<'a> {
    pub(super) fn new(observer: &'a mut dyn Observer) -> Self {
        Self { observer, step: 0, total: 0 }
    }

    pub(super) fn total(&self) -> u64 {
        self.total
    }

    pub(super) fn start(&mut self, field: &Field) {
        self.show(0, || ("the playfield is empty".to_owned(), picture(field, &Cells::default())));
        self.next_move();
    }

    pub(super) fn next_move(&mut self) {
        self.step += 1;
    }

    pub(super) fn landed(&mut self, field: &Field, jewels: [u8; 3], column: usize, landed: &Cells) {
        let name = Piece::Jewels(jewels);
        self.show(0, || (format!("{} lands in column {}", written(name), column + 1), picture(field, landed)));
    }

    /// `field` is the one that the magic jewels have not changed yet.
    pub(super) fn magic_landed(&mut self, field: &Field, column: usize) {
        self.show(0, || {
            let ground =
                field.top(column).map_or("the floor: nothing goes".to_owned(), |jewel| char::from(jewel).into());
            let mut field = field.clone();
            let landed = field.land(column, MAGIC);
            (format!("*** lands in column {}, on {ground}", column + 1), picture(&field, &landed))
        });
    }

    pub(super) fn magic_cleared(&mut self, field: &Field, jewel: u8, cells: &Cells, points: u64) {
        self.show(points, || (format!("magic clears {} × {}", cells.len(), char::from(jewel)), picture(field, cells)));
    }

    pub(super) fn matched(&mut self, field: &Field, matches: &Matches, multiplier: u64, points: u64) {
        self.show(points, || {
            let plural = if matches.count == 1 { "match" } else { "matches" };
            (format!("{} {plural}, combo {multiplier}", matches.count), picture(field, &matches.cells))
        });
    }

    pub(super) fn settled(&mut self, field: &Field, fallen: &Cells) {
        self.show(0, || ("the jewels settle".to_owned(), picture(field, fallen)));
    }

    pub(super) fn overflow(&mut self, field: &Field, piece: Piece, column: usize) {
        self.show(0, || {
            let caption = format!("{} does not fit in column {}: the game is over", written(piece), column + 1);
            (caption, picture(field, &Cells::default()))
        });
    }

    fn show(&mut self, gained: u64, scene: impl Fn() -> (String, Board)) {
        self.total += gained;
        let (step, total) = (self.step, self.total);
        self.observer.step(step, &mut || {
            let (caption, board) = scene();
            Frame { step, caption, gained: gained.into(), total: total.into(), board }
        });
    }
}

fn written(piece: Piece) -> String {
    match piece {
        Piece::Magic => "***".to_owned(),
        Piece::Jewels(jewels) => jewels.map(char::from).iter().collect(),
    }
}

/// Draws a jewel.
pub(super) fn jewel_cell(jewel: u8, marked: bool) -> Cell {
    Cell { text: Some(char::from(jewel).into()), color: u32::from(jewel.saturating_sub(b'a' - 1)), marked }
}

/// Draws the field from its top left.
pub(super) fn picture(field: &Field, marked: &Cells) -> Board {
    let cell = |x, y| match field.jewel(x, y) {
        Some(jewel) => jewel_cell(jewel, marked.contains(x, y)),
        None => Cell { text: None, color: 0, marked: false },
    };
    let rows = (0..field.height()).rev();
    Board { width: field.width(), cells: rows.flat_map(|y| (0..field.width()).map(move |x| cell(x, y))).collect() }
}
