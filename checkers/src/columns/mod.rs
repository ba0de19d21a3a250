//! Columns: three jewels at a time land on a pile, and three of a colour in a line go.

mod answer;
mod by_hand;
mod generate;
mod input;
mod play;
mod replay;
mod rules;

use crate::{Case, CheckError, Checker, Feature, Generator, HandReader, Malformed, Observer, Score};
use input::Input;

/// The checker of `columns`.
pub(crate) struct Columns;

impl Checker for Columns {
    fn id(&self) -> &'static str {
        "columns"
    }

    fn rules(&self) -> &'static str {
        include_str!("rules.md")
    }

    fn version(&self) -> u32 {
        1
    }

    fn generators(&self) -> &'static [Generator] {
        &[|seed| Ok(generate::first(seed)), |seed| Ok(generate::second(seed))]
    }

    fn read(&self, input: &[u8]) -> Result<Box<dyn Case>, Malformed> {
        Ok(Box::new(Input::read(input)?))
    }

    fn by_hand(&self) -> Option<HandReader> {
        Some(|input| Ok(Box::new(Input::read(input)?)))
    }
}

impl Case for Input {
    fn replay(&self, answer: &[u8], observer: &mut dyn Observer) -> Result<Score, CheckError> {
        let placements = answer::read(answer, self)?;
        Ok(play::play(self, &placements, observer).into())
    }

    fn features(&self) -> Vec<Feature> {
        let number = |value: usize| i64::try_from(value).expect("bounded by the statement");
        vec![
            Feature { name: "w", value: number(self.width) },
            Feature { name: "h", value: number(self.height) },
            Feature { name: "k", value: number(self.pieces.len()) },
            Feature { name: "colors", value: number(self.colors()) },
            Feature { name: "magic", value: number(self.magic()) },
        ]
    }
}
