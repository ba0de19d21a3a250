//! The easy game: where a strip ends after given attempts.

use super::answer::Marking;
use super::generate;
use super::ids;
use super::input::{EasyCase, features, read_easy};
use super::rules::Strip;
use super::stage::Stage;
use super::strip::tile;
use crate::{Case, CheckError, Checker, Feature, Generator, Malformed, Observer, Score};

/// The checker of `beating-the-game-easy`.
pub(crate) struct BeatingTheGameEasy;

impl Checker for BeatingTheGameEasy {
    fn id(&self) -> &'static str {
        ids::EASY
    }

    fn rules(&self) -> &'static str {
        concat!(
            "# Beating the game, easy\n\n2048 on a strip, with known random numbers.\n\n",
            include_str!("rules.md"),
            include_str!("easy.md")
        )
    }

    fn version(&self) -> u32 {
        1
    }

    fn generators(&self) -> &'static [Generator] {
        &[|seed| Ok(generate::easy(seed).into_bytes())]
    }

    fn read(&self, input: &[u8]) -> Result<Box<dyn Case>, Malformed> {
        read_easy(input).map(|cases| Box::new(EasyFile(cases)) as Box<dyn Case>)
    }
}

/// The cases of one input.
struct EasyFile(Vec<EasyCase>);

impl Case for EasyFile {
    fn replay(&self, answer: &[u8], observer: &mut dyn Observer) -> Result<Score, CheckError> {
        let mut stage = Stage::new(self.0.len(), observer);
        let mut marking = Marking::new(answer, self.0.len());
        for case in &self.0 {
            let strip = play(case, &mut stage);
            let cells = strip.cells();
            let right =
                marking.case(cells.iter().map(|&exponent| tile(exponent)), |index| format!("in cell {}", index + 1));
            stage.end_case(&cells, right);
        }
        Ok(marking.finish()?)
    }

    fn features(&self) -> Vec<Feature> {
        features(self.0.iter().map(|case| case.start.cells.len()))
    }
}

/// Makes all attempts of a case and shows each of them.
fn play(case: &EasyCase, stage: &mut Stage<'_>) -> Strip {
    let mut strip = Strip::new(&case.start);
    stage.start_case(&case.start.cells);
    for (attempt, &side) in (1..).zip(&case.attempts) {
        let changed = strip.attempt(side);
        let newest = strip.newest_cell().filter(|_| changed);
        let effect = if changed { "" } else { ", which changes nothing" };
        stage.show_move(|| strip.cells(), newest, || format!("attempt {attempt}, {}{effect}", side.name()));
    }
    strip
}
