//! Deletion game: paths of digits that spell primes or palindromes are taken off a board, and the rest drops.

mod answer;
mod board;
mod generate;
mod input;
mod play;
mod primality;
mod replay;
mod rules;

use crate::{Case, CheckError, Checker, Feature, Generator, Malformed, Observer, Score};
use input::Input;

/// The checker of `deletion-game`.
pub(crate) struct DeletionGame;

impl Checker for DeletionGame {
    fn id(&self) -> &'static str {
        "deletion-game"
    }

    fn rules(&self) -> &'static str {
        include_str!("rules.md")
    }

    fn version(&self) -> u32 {
        2
    }

    fn generators(&self) -> &'static [Generator] {
        &[|seed| Ok(generate::generate(seed))]
    }

    fn read(&self, input: &[u8]) -> Result<Box<dyn Case>, Malformed> {
        Ok(Box::new(Input::read(input)?))
    }
}

impl Case for Input {
    fn replay(&self, answer: &[u8], observer: &mut dyn Observer) -> Result<Score, CheckError> {
        play::play(self, answer, observer)
    }

    fn features(&self) -> Vec<Feature> {
        let size = |cells: usize| i64::try_from(cells).expect("every cell is a byte of the input");
        let parameters = &self.parameters;
        vec![
            Feature { name: "n", value: size(self.board.height()) },
            Feature { name: "m", value: size(self.board.width()) },
            Feature { name: "K", value: parameters.moves },
            Feature { name: "lmin", value: parameters.shortest },
            Feature { name: "lmax", value: parameters.longest },
            Feature { name: "c1", value: parameters.prime_exponent.into() },
            Feature { name: "c2", value: parameters.palindrome_exponent.into() },
            Feature { name: "F", value: parameters.halves_for_what_is_left.into() },
        ]
    }
}
