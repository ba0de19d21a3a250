//! Columns: drop jewels, three at a time, so that three equal ones line up and chains follow. This file has the texts
//! of cases and answers and two plain strategies: the statement's own one, which drops every column unshifted in the
//! lowest place, and a greedy one, which drops every column where it gains most points now.

mod beam;
mod board;

use crate::input::Words;
use crate::{Solution, SolveError};
use board::Board;
use std::cmp::Reverse;
use std::io::Write;

/// A jewel of an ordinary column: its letter, counted from 0.
type Color = u8;

/// Enough planes for every letter.
const PLANES: usize = 5;

/// The solutions, the default one first.
pub(crate) const SOLUTIONS: &[Solution] = &[
    Solution { id: "columns", summary: "beam", solve: beam::solve },
    Solution {
        id: "columns-quickstart",
        summary: "the statement's strategy: always the lowest place",
        solve: solve_quickstart,
    },
    Solution {
        id: "columns-greedy",
        summary: "one move of foresight: most points, then lowest place",
        solve: solve_greedy,
    },
];

/// A falling column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    /// Three jewels, bottom to top.
    Jewels([Color; 3]),
    /// Three magic jewels: they clear the colour they land on.
    Magic,
}

/// The placement of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Placement {
    /// The field's column, from 0.
    x: u8,
    /// How often the bottom jewel is moved to the top.
    shift: u8,
}

/// One case.
#[derive(Debug)]
struct Game {
    width: usize,
    height: usize,
    columns: Vec<Column>,
}

impl Game {
    fn read(input: &[u8]) -> Result<Self, SolveError> {
        let mut words = Words::new(input);
        let width = words.number("a width from 6 to 12", 6..=12)?;
        let height = words.number("a height from 13 to 19", 13..=19)?;
        let count: usize = words.number("a number of columns up to 10000", 1..=10_000)?;
        let columns = (0..count).map(|_| read_column(&mut words)).collect::<Result<_, _>>()?;
        words.end()?;
        Ok(Self { width, height, columns })
    }

    /// Returns the number of colours, counting every letter up to the last one used.
    fn colors(&self) -> usize {
        let jewels = self.columns.iter().flat_map(|column| match column {
            Column::Jewels(jewels) => &jewels[..],
            Column::Magic => &[],
        });
        jewels.max().map_or(0, |&last| usize::from(last) + 1)
    }
}

fn read_column(words: &mut Words) -> Result<Column, SolveError> {
    let expected = "three small letters or ***";
    let text = words.text(expected, 3, |byte| byte.is_ascii_lowercase() || byte == b'*')?;
    match *text {
        [b'*', b'*', b'*'] => Ok(Column::Magic),
        [a, b, c] if !text.contains(&b'*') => Ok(Column::Jewels([a - b'a', b - b'a', c - b'a'])),
        _ => Err(words.unexpected(expected, text)),
    }
}

/// Writes an answer.
fn write(placements: &[Placement], output: &mut dyn Write) -> Result<(), SolveError> {
    writeln!(output, "{}", placements.len())?;
    for Placement { x, shift } in placements {
        writeln!(output, "{} {shift}", x + 1)?;
    }
    Ok(())
}

/// Plays until nothing is chosen.
fn play(game: &Game, choose: impl Fn(&Board<PLANES>, Column) -> Option<Placement>) -> Vec<Placement> {
    let mut board = Board::new(game);
    let mut placements = Vec::with_capacity(game.columns.len());
    for &column in &game.columns {
        let Some(placement) = choose(&board, column) else { break };
        board.play(column, placement);
        placements.push(placement);
    }
    placements
}

pub(crate) fn solve_greedy(input: &[u8], output: &mut dyn Write) -> Result<(), SolveError> {
    write(&play(&Game::read(input)?, best_placement), output)
}

/// Returns the placement that gains most points, unless the column fits nowhere.
fn best_placement(board: &Board<PLANES>, column: Column) -> Option<Placement> {
    let places = (0..).zip(board.heights()).filter(|&(x, _)| board.fits(x));
    let placements = places.flat_map(|(x, &height)| (0..3).map(move |shift| (Placement { x, shift }, height)));
    let best = placements.max_by_key(|&(placement, height)| {
        let points = board.clone().play(column, placement);
        // The last of equal maxima is taken. Values to be minimized are negated, so that ties go to the left.
        (points, Reverse((height, placement.x, placement.shift)))
    });
    best.map(|(placement, _)| placement)
}

pub(crate) fn solve_quickstart(input: &[u8], output: &mut dyn Write) -> Result<(), SolveError> {
    write(&play(&Game::read(input)?, |board, _| lowest_placement(board)), output)
}

/// Returns the lowest place, unless a column fits nowhere.
fn lowest_placement(board: &Board<PLANES>) -> Option<Placement> {
    let (x, _) = (0..).zip(board.heights()).min_by_key(|&(_, height)| height)?;
    board.fits(x).then_some(Placement { x, shift: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_that_mixes_magic_and_letters_is_refused() {
        assert!(Game::read(b"6 13 1 *a*").is_err());
        assert_eq!(Game::read(b"6 13\n1\n***\n").unwrap().columns, [Column::Magic]);
    }

    #[test]
    fn a_missing_or_additional_column_is_refused() {
        assert!(Game::read(b"6 13 2 abc").is_err());
        assert!(Game::read(b"6 13 1 abc abc").is_err());
    }
}

#[cfg(test)]
mod greedy_tests {
    use super::*;

    #[test]
    fn it_takes_a_match_rather_than_a_low_place() {
        let game = Game::read(b"6 13 2 baa acd").unwrap();
        let placements = play(&game, best_placement);
        assert_eq!(placements, [Placement { x: 0, shift: 0 }, Placement { x: 0, shift: 0 }]);
    }
}

#[cfg(test)]
mod quickstart_tests {
    use super::*;

    #[test]
    fn it_plays_the_statement_s_sample_as_shown_there() {
        let input = b"6 13\n11\naba\nbba\nbbb\naab\nbac\ncac\n***\nccb\ncda\naad\ndbc\n";
        let mut answer = Vec::new();
        solve_quickstart(input, &mut answer).unwrap();
        let shown = "11\n1 0\n2 0\n3 0\n3 0\n4 0\n5 0\n6 0\n6 0\n1 0\n2 0\n3 0\n";
        assert_eq!(String::from_utf8(answer).unwrap(), shown);
    }

    #[test]
    fn it_stops_when_nothing_fits() {
        let input = format!("6 13 100 {}", "abc def ghi jkl mno ".repeat(20));
        // Four columns of three fit under a height of 13, on six places.
        assert_eq!(play(&Game::read(input.as_bytes()).unwrap(), |board, _| lowest_placement(board)).len(), 24);
    }
}
