//! The game `square-remover` (TopCoder, TCO 2014 Marathon Round 1): swap tiles to remove 2x2 squares. In manual play,
//! the player chooses two neighbours.

mod generate;
mod input;
mod replay;
mod rules;

use crate::checker::counted;
use crate::manual::lines;
use crate::tokens::{Tokens, signed};
use crate::{Case, CheckError, Checker, Choice, Counted, Feature, ManualGame, Metric, Move, NextMoves, Observer};
use input::Game;
use replay::{Playback, after, ahead, gain};
use rules::{Cell, Position};

/// The checker's id.
const ID: &str = "square-remover";

/// The number of moves in a game and in every answer.
const MOVES: usize = 10_000;

/// The numbers counted for an answer.
static METRICS: [Metric; 3] = [
    Metric { name: "moves", meaning: "moves that removed a square", is_more_better: true },
    Metric { name: "cascades", meaning: "moves that removed more than one square", is_more_better: true },
    Metric { name: "longest", meaning: "the most squares that one move removed", is_more_better: true },
];

/// The checker of `square-remover`.
pub(crate) static SQUARE_REMOVER: Checker = Checker {
    id: ID,
    rules: include_str!("rules.md"),
    version: 1,
    generators: &[|seed| generate::case(seed).map(|game| game.to_text())],
    parametric: Some(&generate::PARAMETRIC),
    metrics: &METRICS,
    reader: |input| Ok(Box::new(Game::read(input)?)),
    manual_reader: Some(|input| Ok(Box::new(Game::read(input)?))),
};

impl Case for Game {
    fn play(&self, answer: &[u8], observer: &mut dyn Observer) -> Result<Counted, CheckError> {
        let mut tokens = Tokens::new(answer);
        let Playback { position, moves, cascades, longest, .. } = replay::play(self, &mut tokens, MOVES, observer)?;
        tokens.end()?;
        Ok(counted(position.score, &METRICS, [moves, cascades, longest]))
    }

    fn features(&self) -> Vec<Feature> {
        vec![Feature { name: "colors", value: i64::from(self.colors) }, Feature::count("N", self.size)]
    }
}

impl ManualGame for Game {
    /// An answer has all moves of the game. The missing moves swap two tiles back and forth, if possible without
    /// removing a square.
    fn answer(&self, moves: &[Move]) -> Vec<u8> {
        let mut text = lines(moves);
        // The answer ends at a move that breaks a rule, because the position after it is unknown.
        if let Ok(position) = after(self, text.as_bytes(), moves.len()) {
            let swaps = swaps(&position);
            let idle = swaps.iter().find(|swap| swap.gained == 0.into()).or(swaps.first());
            let idle = idle.map_or_else(String::new, |swap| lines(std::slice::from_ref(&swap.played)));
            text.push_str(&idle.repeat(MOVES.saturating_sub(moves.len())));
        }
        text.into_bytes()
    }

    fn next_moves(&self, moves: &[Move]) -> Result<NextMoves, CheckError> {
        let position = after(self, lines(moves).as_bytes(), moves.len())?;
        let mut choices = if moves.len() < MOVES { swaps(&position) } else { Vec::new() };
        choices.iter_mut().for_each(|choice| choice.ends = moves.len() + 1 == MOVES);
        Ok(NextMoves { choices, ahead: ahead(&position) })
    }
}

/// Returns every swap, named by its upper or left tile, except those with an endless cascade.
fn swaps(position: &Position) -> Vec<Choice> {
    let size = position.size;
    let cells = (0..size * size).map(|place| Cell { row: place / size, column: place % size });
    let pairs = cells.flat_map(|cell| {
        [1, 2].into_iter().filter_map(move |direction| Some((cell, direction, cell.neighbour(direction, size)?)))
    });
    let place = |cell: Cell| cell.row * size + cell.column;
    let choice = |(cell, direction, other): (Cell, i64, Cell)| {
        Some(Choice {
            played: vec![signed(cell.row), signed(cell.column), direction],
            cells: vec![place(cell), place(other)],
            placed: Vec::new(),
            gained: gain(position, cell, other)?.into(),
            ends: false,
        })
    };
    pairs.filter_map(choice).collect()
}
