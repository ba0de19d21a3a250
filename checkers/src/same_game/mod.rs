//! SameGame: groups of equal blocks go, the rest falls down and closes up to the left. Two problems share the board:
//! `same-game` asks what a prescribed strategy scores, `same-game-free` is the open game.

mod answer;
mod board;
mod by_hand;
mod flood;
mod free;
mod generate;
mod groups;
mod input;
mod prescribed;
mod replay;

use crate::{Case, CheckError, Checker, Feature, Generator, HandReader, Malformed, Observer, Score};
use input::{Free, Prescribed};

/// The checker of `same-game`.
pub(crate) struct SameGame;

impl Checker for SameGame {
    fn id(&self) -> &'static str {
        "same-game"
    }

    fn rules(&self) -> &'static str {
        concat!("# SameGame, the prescribed strategy\n\n", include_str!("rules.md"), include_str!("prescribed.md"))
    }

    fn version(&self) -> u32 {
        1
    }

    fn generators(&self) -> &'static [Generator] {
        &[|seed| Ok(generate::prescribed(seed)), |seed| Ok(generate::second_prescribed(seed))]
    }

    fn read(&self, input: &[u8]) -> Result<Box<dyn Case>, Malformed> {
        Ok(Box::new(Prescribed::read(input)?))
    }
}

/// The checker of `same-game-free`.
pub(crate) struct SameGameFree;

impl Checker for SameGameFree {
    fn id(&self) -> &'static str {
        "same-game-free"
    }

    fn rules(&self) -> &'static str {
        concat!("# SameGame, the open game\n\n", include_str!("rules.md"), include_str!("free.md"))
    }

    fn version(&self) -> u32 {
        1
    }

    fn generators(&self) -> &'static [Generator] {
        &[|seed| Ok(generate::free(seed))]
    }

    fn read(&self, input: &[u8]) -> Result<Box<dyn Case>, Malformed> {
        Ok(Box::new(Free::read(input)?))
    }

    fn by_hand(&self) -> Option<HandReader> {
        Some(|input| Ok(Box::new(Free::read(input)?)))
    }
}

impl Case for Prescribed {
    fn replay(&self, answer: &[u8], observer: &mut dyn Observer) -> Result<Score, CheckError> {
        let score = prescribed::play(&self.grid, &self.order, observer);
        answer::compare(answer, score)?;
        Ok(score.into())
    }

    fn features(&self) -> Vec<Feature> {
        self.grid.features()
    }
}

impl Case for Free {
    fn replay(&self, answer: &[u8], observer: &mut dyn Observer) -> Result<Score, CheckError> {
        Ok(free::play(&self.grid, answer, observer)?.into())
    }

    fn features(&self) -> Vec<Feature> {
        self.grid.features()
    }
}
