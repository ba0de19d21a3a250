//! The hard game: the best score that a strip can bring.

use super::answer::Marking;
use super::generate;
use super::ids;
use super::input::{features, read_hard};
use super::layer::Move;
use super::optimum::{best_game, best_score};
use super::stage::Stage;
use super::strip::Start;
use crate::{Case, CheckError, Checker, Feature, Generator, Malformed, Observer, Score};

/// The checker of `beating-the-game-hard`.
pub(crate) struct BeatingTheGameHard;

impl Checker for BeatingTheGameHard {
    fn id(&self) -> &'static str {
        ids::HARD
    }

    fn rules(&self) -> &'static str {
        concat!(
            "# Beating the game, hard\n\n2048 on a strip, with known random numbers.\n\n",
            include_str!("rules.md"),
            include_str!("hard.md")
        )
    }

    fn version(&self) -> u32 {
        1
    }

    fn generators(&self) -> &'static [Generator] {
        &[|seed| Ok(generate::hard(seed).into_bytes())]
    }

    fn read(&self, input: &[u8]) -> Result<Box<dyn Case>, Malformed> {
        read_hard(input).map(|cases| Box::new(HardFile(cases)) as Box<dyn Case>)
    }
}

/// The cases of one input.
struct HardFile(Vec<Start>);

impl Case for HardFile {
    /// Computes the best scores alone: to show how they are reached takes twice the time.
    fn check(&self, answer: &[u8]) -> Result<Score, CheckError> {
        self.mark(answer, None)
    }

    fn replay(&self, answer: &[u8], observer: &mut dyn Observer) -> Result<Score, CheckError> {
        self.mark(answer, Some(Stage::new(self.0.len(), observer)))
    }

    fn features(&self) -> Vec<Feature> {
        features(self.0.iter().map(|start| start.cells.len()))
    }
}

impl HardFile {
    fn mark(&self, answer: &[u8], mut stage: Option<Stage<'_>>) -> Result<Score, CheckError> {
        let mut marking = Marking::new(answer, self.0.len());
        for start in &self.0 {
            let best = best_score(start);
            let right = marking.case([u128::from(best)].into_iter(), |_| "points at best".to_owned());
            if let Some(stage) = &mut stage {
                show_best_game(start, right, stage);
            }
        }
        Ok(marking.finish()?)
    }
}

/// Shows one of the games with the most points. The answer does not matter.
fn show_best_game(start: &Start, right: bool, stage: &mut Stage<'_>) {
    stage.start_case(&start.cells);
    let game = best_game(start);
    for (number, Move { side, cells, newest, points }) in (1..).zip(&game) {
        let caption = || format!("move {number}, {}, {points} points so far", side.name());
        stage.show_move(|| cells.clone(), Some(*newest), caption);
    }
    stage.end_case(game.last().map_or(&start.cells, |last| &last.cells), right);
}
