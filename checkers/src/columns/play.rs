//! The game from the first column to the last or to the overflow: one fold, watched or not.

use super::answer::Placement;
use super::input::{Input, Piece};
use super::replay::Narrator;
use super::rules::{Cells, Field, POINTS};
use crate::Observer;

/// Plays the case with these placements, and then on with the default one. Returns the points.
pub(super) fn play(input: &Input, placements: &[Placement], observer: &mut dyn Observer) -> u64 {
    let mut game = Game::start(input, observer);
    game.place_all(&input.pieces, placements.iter().copied().chain(std::iter::repeat(Placement::OMITTED)));
    game.points()
}

/// A game and who watches it.
pub(super) struct Game<'a> {
    field: Field,
    narrator: Narrator<'a>,
}

impl<'a> Game<'a> {
    /// Returns the game before its first column.
    pub(super) fn start(input: &Input, observer: &'a mut dyn Observer) -> Self {
        let mut game = Self::on(Field::new(input.width, input.height), observer);
        game.narrator.start(&game.field);
        game
    }

    /// Returns a game that goes on from this playfield, without points so far.
    pub(super) fn on(field: Field, observer: &'a mut dyn Observer) -> Self {
        Self { field, narrator: Narrator::new(observer) }
    }

    pub(super) fn field(&self) -> &Field {
        &self.field
    }

    pub(super) fn points(&self) -> u64 {
        self.narrator.total()
    }

    /// Places columns until the placements or the columns end, or one has no room. Returns whether all had room.
    pub(super) fn place_all(&mut self, pieces: &[Piece], placements: impl Iterator<Item = Placement>) -> bool {
        pieces.iter().zip(placements).all(|(piece, placement)| self.place(*piece, placement))
    }

    /// Places a column. Returns whether it had room: without, the game is over.
    #[inline]
    pub(super) fn place(&mut self, piece: Piece, placement: Placement) -> bool {
        if !self.field.has_room(placement.column) {
            self.narrator.overflow(&self.field, piece, placement.column);
            return false;
        }
        let changed = match piece {
            Piece::Magic => self.land_magic(placement.column),
            Piece::Jewels(jewels) => self.land(placement, shifted(jewels, placement)),
        };
        self.match_all(changed);
        self.narrator.next_move();
        true
    }

    /// Lands an ordinary column. Returns what has changed.
    fn land(&mut self, placement: Placement, jewels: [u8; 3]) -> Cells {
        let landed = self.field.land(placement.column, jewels);
        self.narrator.landed(&self.field, jewels, placement.column, &landed);
        landed
    }

    /// Lands a magic column, which is never part of the field: it goes with what it clears. Returns what has changed.
    fn land_magic(&mut self, column: usize) -> Cells {
        self.narrator.magic_landed(&self.field, column);
        let Some(jewel) = self.field.top(column) else {
            return Cells::default();
        };
        let cells = self.field.all_of(jewel);
        self.narrator.magic_cleared(&self.field, jewel, &cells, POINTS * cells.len());
        self.settle(&cells)
    }

    /// Clears matches as long as there are any.
    fn match_all(&mut self, mut changed: Cells) {
        for multiplier in 1.. {
            let matches = self.field.matches(&changed);
            if matches.count == 0 {
                break;
            }
            self.narrator.matched(&self.field, &matches, multiplier, POINTS * multiplier * matches.count);
            changed = self.settle(&matches.cells);
        }
    }

    fn settle(&mut self, cells: &Cells) -> Cells {
        let fallen = self.field.clear(cells);
        self.narrator.settled(&self.field, &fallen);
        fallen
    }
}

/// Returns the jewels of a column as they land, bottom to top.
pub(super) fn shifted(mut jewels: [u8; 3], placement: Placement) -> [u8; 3] {
    jewels.rotate_left(placement.shifts);
    jewels
}
