//! Columns: three jewels at a time land on a pile, and three of a colour in a line disappear. In manual play, the
//! player chooses a column of the playfield and how far the piece is cycled.

mod generate;
mod input;
mod play;
mod rules;

use crate::checker::counted;
use crate::manual::counted_lines;
use crate::tokens::signed;
use crate::{
    Case, Cell, CheckError, Checker, Choice, Counted, Feature, ManualGame, Metric, Move, NextMoves, Observer,
    Unobserved,
};
use input::{Input, Piece};
use play::{Game, Placement, ahead, picture};
use rules::Field;

/// The numbers counted for an answer.
static METRICS: [Metric; 3] = [
    Metric { name: "moves", meaning: "pieces that landed before the game was over", is_more_better: true },
    Metric { name: "chains", meaning: "pieces after which matches followed on matches", is_more_better: true },
    Metric { name: "longest", meaning: "the highest combo", is_more_better: true },
];

/// The checker of `columns`.
pub(crate) static COLUMNS: Checker = Checker {
    id: "columns",
    rules: include_str!("rules.md"),
    version: 1,
    generators: &[|seed| Ok(generate::first(seed)), |seed| Ok(generate::second(seed))],
    parametric: Some(&generate::PARAMETRIC),
    metrics: &METRICS,
    reader: |input| Ok(Box::new(Input::read(input)?)),
    manual_reader: Some(|input| Ok(Box::new(Input::read(input)?))),
};

impl Case for Input {
    fn play(&self, answer: &[u8], observer: &mut dyn Observer) -> Result<Counted, CheckError> {
        let mut placements = Vec::new();
        if let Err(rejection) = play::read_answer(answer, self, &mut placements) {
            // The observer sees a rejected answer up to its last valid move.
            Game::start(self, observer).place_all(placements);
            return Err(rejection.into());
        }
        let mut game = Game::start(self, observer);
        game.place_all(placements.into_iter().chain(std::iter::repeat(Placement::OMITTED)));
        // The step belongs to the next piece.
        Ok(counted(game.points, &METRICS, [game.step - 1, game.chains, game.longest]))
    }

    fn features(&self) -> Vec<Feature> {
        vec![
            Feature::count("w", self.width),
            Feature::count("h", self.height),
            Feature::count("k", self.pieces.len()),
            Feature::count("colors", self.colors()),
            Feature::count("magic", self.magic()),
        ]
    }
}

impl ManualGame for Input {
    fn answer(&self, moves: &[Move]) -> Vec<u8> {
        counted_lines(moves)
    }

    fn next_moves(&self, moves: &[Move]) -> Result<NextMoves, CheckError> {
        let mut placements = Vec::new();
        play::read_answer(&self.answer(moves), self, &mut placements)?;
        let mut unobserved = Unobserved;
        let mut game = Game::start(self, &mut unobserved);
        let goes_on = game.place_all(placements.iter().copied());
        let left = if goes_on { &self.pieces[placements.len()..] } else { &[] };
        let choices = match left {
            [] => Vec::new(),
            [piece, rest @ ..] => choices(&game.field, *piece, rest.is_empty()),
        };
        Ok(NextMoves { choices, ahead: ahead(left, true) })
    }
}

/// Returns every way to place a piece. Three equal jewels are not cycled, because nothing would change.
fn choices(field: &Field, piece: Piece, is_last: bool) -> Vec<Choice> {
    let [a, b, c] = piece.jewels(Placement::OMITTED);
    let shifts = if a == b && b == c { 1 } else { 3 };
    let placements = (0..field.width).flat_map(|column| (0..shifts).map(move |shifts| Placement { column, shifts }));
    placements.map(|placement| choice(field, piece, placement, is_last)).collect()
}

fn choice(field: &Field, piece: Piece, placement: Placement, is_last: bool) -> Choice {
    let Placement { column, shifts } = placement;
    let mut unobserved = Unobserved;
    let mut game = Game::on(field.clone(), &mut unobserved);
    let fits = game.place(piece, placement);
    Choice {
        played: vec![signed(column + 1), signed(shifts)],
        cells: (0..field.height).map(|row| row * field.width + column).collect(),
        placed: if fits { placed(field, column, piece.jewels(placement)) } else { Vec::new() },
        gained: game.points.into(),
        ends: is_last || !fits,
    }
}

/// Returns the cells in which the jewels land, and the jewels in them.
fn placed(field: &Field, column: usize, jewels: [u8; 3]) -> Vec<(usize, Cell)> {
    let mut field = field.clone();
    let landed = field.land(column, jewels);
    let cells = picture(&field, &landed).cells.into_iter().enumerate();
    cells.filter(|(_, cell)| cell.marked).collect()
}
