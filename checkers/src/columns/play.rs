//! The game from the first column to the last or to the overflow: one fold, watched or not.

use super::answer::Placement;
use super::input::{Input, Piece};
use super::replay::Narrator;
use super::rules::{Cells, Field, POINTS};
use crate::Observer;

/// Plays the case with these placements, and then on with the default one. Returns the points.
pub(super) fn play(input: &Input, placements: &[Placement], observer: &mut dyn Observer) -> u64 {
    let mut game = Game { field: Field::new(input.width, input.height), narrator: Narrator::new(observer) };
    game.narrator.start(&game.field);
    let placements = placements.iter().copied().chain(std::iter::repeat(Placement::OMITTED));
    for (&piece, placement) in input.pieces.iter().zip(placements) {
        if !game.field.has_room(placement.column) {
            game.narrator.overflow(&game.field, piece, placement.column);
            break;
        }
        let changed = match piece {
            Piece::Magic => game.land_magic(placement.column),
            Piece::Jewels(jewels) => game.land(placement, jewels),
        };
        game.match_all(changed);
        game.narrator.next_move();
    }
    game.narrator.total()
}

struct Game<'a> {
    field: Field,
    narrator: Narrator<'a>,
}

impl Game<'_> {
    /// Lands an ordinary column. Returns what has changed.
    fn land(&mut self, placement: Placement, mut jewels: [u8; 3]) -> Cells {
        jewels.rotate_left(placement.shifts);
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
