//! The games `beating-the-game-easy` and `beating-the-game-hard` (IPSC 2014, problem B): 2048 on a strip with known
//! random numbers. The easy game asks for the strip after given attempts, the hard game for the best score that can be
//! reached. Viewers see a strip as a board of one row.

mod answer;
mod generate;
mod input;
mod optimum;
mod rules;

use crate::{Board, Case, Cell, CheckError, Checker, Counted, Feature, Frame, Observer, Score};
use answer::Marking;
use input::{EasyCase, Start, features, read_easy, read_hard, tile};
use optimum::{Move, best_game, best_score};
use rules::Strip;

/// The id of the easy game.
const EASY: &str = "beating-the-game-easy";

/// The id of the hard game.
const HARD: &str = "beating-the-game-hard";

/// The checker of `beating-the-game-easy`.
pub(crate) static BEATING_THE_GAME_EASY: Checker = Checker {
    id: EASY,
    rules: concat!(
        "# Beating the game, easy\n\n2048 on a strip, with known random numbers.\n\n",
        include_str!("rules.md"),
        include_str!("easy.md")
    ),
    version: 1,
    generators: &[|seed| Ok(generate::easy(seed).into_bytes())],
    parametric: Some(&generate::EASY_PARAMETRIC),
    metrics: &[],
    reader: |input| read_easy(input).map(|cases| Box::new(EasyFile(cases)) as Box<dyn Case>),
    manual_reader: None,
};

/// The cases of one input.
struct EasyFile(Vec<EasyCase>);

impl Case for EasyFile {
    fn play(&self, answer: &[u8], observer: &mut dyn Observer) -> Result<Counted, CheckError> {
        let mut playback = Playback::new(self.0.len(), observer);
        let mut marking = Marking::new(answer, self.0.len());
        for case in &self.0 {
            let strip = play(case, &mut playback);
            let cells = strip.cells();
            let right =
                marking.case(cells.iter().map(|&exponent| tile(exponent)), |index| format!("in cell {}", index + 1));
            playback.end_case(&cells, right);
        }
        Ok((marking.finish()?, Vec::new()))
    }

    fn features(&self) -> Vec<Feature> {
        features(self.0.iter().map(|case| case.start.cells.len()))
    }
}

/// Makes all attempts of a case and shows each one.
fn play(case: &EasyCase, playback: &mut Playback<'_>) -> Strip {
    let mut strip = Strip::new(&case.start);
    playback.start_case(&case.start.cells);
    for (attempt, &side) in (1..).zip(&case.attempts) {
        let changed = strip.attempt(side);
        let newest = strip.newest_cell().filter(|_| changed);
        let effect = if changed { "" } else { ", which changes nothing" };
        playback.show_move(|| strip.cells(), newest, || format!("attempt {attempt}, {}{effect}", side.name()));
    }
    strip
}

/// The checker of `beating-the-game-hard`.
pub(crate) static BEATING_THE_GAME_HARD: Checker = Checker {
    id: HARD,
    rules: concat!(
        "# Beating the game, hard\n\n2048 on a strip, with known random numbers.\n\n",
        include_str!("rules.md"),
        include_str!("hard.md")
    ),
    version: 1,
    generators: &[|seed| Ok(generate::hard(seed).into_bytes())],
    parametric: Some(&generate::HARD_PARAMETRIC),
    metrics: &[],
    reader: |input| read_hard(input).map(|cases| Box::new(HardFile(cases)) as Box<dyn Case>),
    manual_reader: None,
};

/// The cases of one input.
struct HardFile(Vec<Start>);

impl Case for HardFile {
    /// Computes only the best scores. Showing how they are reached takes twice the time.
    fn measure(&self, answer: &[u8]) -> Result<Counted, CheckError> {
        self.mark(answer, None)
    }

    fn play(&self, answer: &[u8], observer: &mut dyn Observer) -> Result<Counted, CheckError> {
        self.mark(answer, Some(Playback::new(self.0.len(), observer)))
    }

    fn features(&self) -> Vec<Feature> {
        features(self.0.iter().map(|start| start.cells.len()))
    }
}

impl HardFile {
    fn mark(&self, answer: &[u8], mut playback: Option<Playback<'_>>) -> Result<Counted, CheckError> {
        let mut marking = Marking::new(answer, self.0.len());
        for start in &self.0 {
            let best = best_score(start);
            let right = marking.case([u128::from(best)].into_iter(), |_| "points at best".to_owned());
            if let Some(playback) = &mut playback {
                show_best_game(start, right, playback);
            }
        }
        Ok((marking.finish()?, Vec::new()))
    }
}

/// Shows a game with the most points, independent of the answer.
fn show_best_game(start: &Start, right: bool, playback: &mut Playback<'_>) {
    playback.start_case(&start.cells);
    let game = best_game(start);
    for (number, Move { side, cells, newest, points }) in (1..).zip(&game) {
        let caption = || format!("move {number}, {}, {points} points so far", side.name());
        playback.show_move(|| cells.clone(), Some(*newest), caption);
    }
    playback.end_case(game.last().map_or(&start.cells, |last| &last.cells), right);
}

/// The observer, and the progress in the file. A frame's points are the score so far: one for each right case.
struct Playback<'a> {
    cases: usize,
    /// The case that is being played, from 1.
    case: usize,
    /// The move that is being played, counted over all cases.
    step: usize,
    right: usize,
    observer: &'a mut dyn Observer,
}

impl<'a> Playback<'a> {
    /// Starts before the first of this many cases.
    fn new(cases: usize, observer: &'a mut dyn Observer) -> Self {
        Self { cases, case: 0, step: 0, right: 0, observer }
    }

    /// Shows the strip at the start of the next case.
    fn start_case(&mut self, cells: &[u8]) {
        self.case += 1;
        self.show(|| cells.to_vec(), None, 0, || "the start".to_owned());
    }

    /// Shows the strip after the next move. `newest` is the cell of a tile that it brought.
    fn show_move(&mut self, cells: impl Fn() -> Vec<u8>, newest: Option<usize>, what: impl Fn() -> String) {
        self.step += 1;
        self.show(cells, newest, 0, what);
    }

    /// Shows the strip at the end of the case, and whether the answer is right.
    fn end_case(&mut self, cells: &[u8], right: bool) {
        self.right += usize::from(right);
        let verdict = if right { "the answer is right" } else { "the answer is wrong" };
        self.show(|| cells.to_vec(), None, u8::from(right), || format!("the end, {verdict}"));
    }

    fn show(&mut self, cells: impl Fn() -> Vec<u8>, marked: Option<usize>, gained: u8, what: impl Fn() -> String) {
        let Self { cases, case, step, right, observer } = self;
        observer.step(*step, &mut || Frame {
            step: *step,
            caption: format!("case {case} of {cases}: {}", what()),
            gained: Score::from(gained),
            total: Score::from(*right),
            board: draw(&cells(), marked),
            ahead: Board::default(),
        });
    }
}

fn draw(cells: &[u8], marked: Option<usize>) -> Board {
    let cell = |(index, &exponent): (usize, &u8)| Cell {
        text: (exponent > 0).then(|| tile(exponent).to_string().into()),
        color: exponent.into(),
        marked: marked == Some(index),
    };
    Board { width: cells.len(), cells: cells.iter().enumerate().map(cell).collect() }
}
