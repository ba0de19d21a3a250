//! The game `square-remover` (TopCoder, TCO 2014 Marathon Round 1): swap tiles so that 2x2 squares go.

mod answer;
mod by_hand;
mod constants;
mod generate;
mod input;
mod replay;
mod rules;

use crate::{Case, CheckError, Checker, Feature, Generator, HandReader, Malformed, Observer, Score};
use constants::ID;
use input::Game;

/// The checker of `square-remover`.
pub(crate) struct SquareRemover;

impl Checker for SquareRemover {
    fn id(&self) -> &'static str {
        ID
    }

    fn rules(&self) -> &'static str {
        include_str!("rules.md")
    }

    fn version(&self) -> u32 {
        1
    }

    fn generators(&self) -> &'static [Generator] {
        &[|seed| generate::case(seed).map(|game| game.to_text())]
    }

    fn read(&self, input: &[u8]) -> Result<Box<dyn Case>, Malformed> {
        Ok(Box::new(Game::read(input)?))
    }

    fn by_hand(&self) -> Option<HandReader> {
        Some(|input| Ok(Box::new(Game::read(input)?)))
    }
}

impl Case for Game {
    fn replay(&self, answer: &[u8], observer: &mut dyn Observer) -> Result<Score, CheckError> {
        replay::play(self, answer, observer)
    }

    fn features(&self) -> Vec<Feature> {
        vec![
            Feature { name: "colors", value: i64::from(self.colors) },
            // At most 16.
            Feature { name: "N", value: self.size as i64 },
        ]
    }
}
