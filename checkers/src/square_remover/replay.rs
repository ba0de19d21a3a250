//! The game of `square-remover` from its first square to its last move, and the pictures of it.

use super::answer::{Swap, read_swap};
use super::constants::MOVES;
use super::input::Game;
use super::rules::{Cell, Position};
use crate::tokens::{Tokens, place_of};
use crate::{Board, CheckError, Frame, Observer, Place, Score, Undecided, Unobserved};

/// How many squares may go in one game.
///
/// Nothing in the rules ends a cascade. Each square brings four pseudo-random tiles, and those complete less than one
/// further square on average, so that every cascade that was ever seen is short; but no proof is known. The best
/// programs of the contest remove about 21,000 squares in a game, and this many cost a fraction of a second.
const MOST_SQUARES: u64 = 1 << 22;

/// Plays the answer's moves and returns how many squares went.
///
/// # Errors
/// The first broken rule in reading order, or a cascade that goes on too long.
pub(super) fn play(game: &Game, answer: &[u8], observer: &mut dyn Observer) -> Result<Score, CheckError> {
    let mut tokens = Tokens::new(answer);
    let position = play_moves(game, answer, &mut tokens, MOVES, observer)?;
    tokens.end()?;
    Ok(Score::from(position.score()))
}

/// Returns the position after the first moves of an answer.
///
/// # Errors
/// The first broken rule in reading order, or a cascade that goes on too long.
pub(super) fn after(game: &Game, answer: &[u8], moves: usize) -> Result<Position, CheckError> {
    play_moves(game, answer, &mut Tokens::new(answer), moves, &mut Unobserved)
}

/// Returns how many squares go after a swap; `None` where the cascade goes on too long.
pub(super) fn gain(position: &Position, one: Cell, other: Cell) -> Option<u64> {
    let mut stage = Stage { position: position.clone(), step: 0, observer: &mut Unobserved };
    stage.position.swap(one, other);
    stage.settle().ok()?;
    Some(stage.position.score() - position.score())
}

fn play_moves(
    game: &Game,
    answer: &[u8],
    tokens: &mut Tokens<'_>,
    moves: usize,
    observer: &mut dyn Observer,
) -> Result<Position, CheckError> {
    let mut stage = Stage { position: Position::new(game), step: 0, observer };
    stage.show(0, &[], || "the start".to_owned());
    stage.settle().map_err(|Endless| endless(place_of(answer, 0), None))?;
    for step in 1..=moves {
        stage.step = step;
        let swap = read_swap(tokens, game.size).map_err(|rejection| rejection.at_step(step))?;
        stage.swap(&swap);
        stage.settle().map_err(|Endless| endless(place_of(answer, swap.token.offset), Some(step)))?;
    }
    Ok(stage.position)
}

/// More than [`MOST_SQUARES`] would go.
#[derive(Debug)]
struct Endless;

#[cold]
fn endless(place: Place, step: Option<usize>) -> Undecided {
    let why = format!("the squares do not stop going; the checker gives up after {MOST_SQUARES} of them");
    Undecided { place, step, why }
}

/// A game and who watches it.
struct Stage<'a> {
    position: Position,
    /// The move being played, from 1; 0 before the first.
    step: usize,
    observer: &'a mut dyn Observer,
}

impl Stage<'_> {
    fn swap(&mut self, swap: &Swap<'_>) {
        let Swap { cell, neighbour, .. } = *swap;
        self.position.swap(cell, neighbour);
        self.show(0, &[cell, neighbour], || {
            format!(
                "row {}, column {} swaps with row {}, column {}",
                cell.row, cell.column, neighbour.row, neighbour.column
            )
        });
    }

    /// Removes squares until there is none.
    fn settle(&mut self) -> Result<(), Endless> {
        while let Some(square) = self.position.remove_first_square() {
            let Cell { row, column } = square;
            let cells =
                [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(down, right)| Cell { row: row + down, column: column + right });
            self.show(1, &cells, || format!("the square at row {row}, column {column} goes"));
            if self.position.score() > MOST_SQUARES {
                return Err(Endless);
            }
        }
        Ok(())
    }

    fn show(&mut self, gained: u64, marked: &[Cell], caption: impl Fn() -> String) {
        let Self { position, step, observer } = self;
        observer.step(*step, &mut || Frame {
            step: *step,
            caption: caption(),
            gained: Score::from(gained),
            total: Score::from(position.score()),
            board: draw(position, marked),
        });
    }
}

fn draw(position: &Position, marked: &[Cell]) -> Board {
    let size = position.size();
    let cell = |index: usize| {
        let cell = Cell { row: index / size, column: index % size };
        tile(position.color(cell), marked.contains(&cell))
    };
    Board { width: size, cells: (0..size * size).map(cell).collect() }
}

/// Draws a tile of a colour, which is below 6.
pub(super) fn tile(color: u64, marked: bool) -> crate::Cell {
    crate::Cell { text: Some(color.to_string()), color: color as u32, marked }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given_up(game: &Game, answer: &[u8]) -> Undecided {
        match play(game, answer, &mut Unobserved) {
            Err(CheckError::Undecided(undecided)) => undecided,
            other => panic!("{other:?}"),
        }
    }

    /// A buffer that starts with 0 stays 0. No valid input has it; it stands for an unknown buffer.
    #[test]
    fn a_cascade_without_an_end_is_given_up() {
        let game = Game { colors: 4, size: 8, board: vec![0; 64], start_seed: 0 };
        assert_eq!(
            given_up(&game, b"").to_string(),
            "undecided: line 1, column 1: the squares do not stop going; the checker gives up after 4194304 of them"
        );
    }

    #[test]
    fn a_cascade_without_an_end_is_given_up_in_the_move_that_starts_it() {
        let mut game = Game { colors: 4, size: 8, board: (0..64).map(|i| i as u8 % 3 + 1).collect(), start_seed: 0 };
        for index in [0, 1, 8, 10] {
            game.board[index] = 0;
        }
        let Undecided { place, step, .. } = given_up(&game, b"1 2 3\n");
        assert_eq!((place, step), (Place { line: 1, column: 5 }, Some(1)));
    }
}
