//! Beam search that builds chains. Of all positions after the same number of columns, it keeps the best ones by their
//! value.
//!
//! The value of a position is its points plus the promise of its playfield: the chain that one more jewel could start.
//! A chain of n steps gains points that grow with n², but building it takes a number of columns that grows with n. So
//! the square root of the chain's points counts, scaled so that starting the chain pays from a certain size on. The
//! best size depends on the field, and so does the necessary caution. Therefore several styles play the first columns,
//! and the best one plays the rest.

use super::board::Board;
use super::{Color, Column, Game, Placement, write};
use crate::SolveError;
use crate::search::{Candidate, Clock, History, select, whole};
use std::io::Write;

/// Seconds; the limit is 4.
const TIME_LIMIT: f64 = 3.6;

/// The share of the time for the trial of one style.
const TRIAL: f64 = 0.05;

/// The number of columns before the end at which chains lose their value.
const END: usize = 15;

/// The value of a pair of equal neighbours, in points.
const PAIR: f64 = 8.0;

/// The maximum width of the beam. It keeps the memory below a quarter of the limit.
const MAX_BEAM_WIDTH: usize = 10_000;

/// A column with fewer free cells above it is dangerous.
const SAFE_ROOM: u8 = 6;

/// A way to weigh positions.
#[derive(Debug, Clone, Copy)]
struct Style {
    /// The points from which a chain is started.
    target: f64,
    /// The price of a unit of danger, in points.
    caution: f64,
}

const STYLES: [Style; 6] = [
    Style { target: 6_000.0, caution: 3.0 },
    Style { target: 6_000.0, caution: 30.0 },
    Style { target: 2_000.0, caution: 3.0 },
    Style { target: 2_000.0, caution: 30.0 },
    Style { target: 12_000.0, caution: 10.0 },
    Style { target: 3_000.0, caution: 100.0 },
];

pub(crate) fn solve(input: &[u8], output: &mut dyn Write) -> Result<(), SolveError> {
    let game = Game::read(input)?;
    let clock = Clock::start(TIME_LIMIT);
    let line = if game.colors() <= 8 { play::<3>(&game, &clock) } else { play::<5>(&game, &clock) };
    write(&line.placements, output)
}

/// The placements of a game from its first column on, and their score.
#[derive(Debug, Default)]
struct Line {
    score: u32,
    placements: Vec<Placement>,
}

/// Tries all styles on the first columns, then plays the game in the best one. If that game ends early, the next style
/// plays.
fn play<const P: usize>(game: &Game, clock: &Clock) -> Line {
    let trial = (game.columns.len() / 20).max(100).min(game.columns.len());
    let mut ranking: Vec<(Line, Style)> = STYLES
        .into_iter()
        .zip(1..)
        .map(|(style, number)| (run::<P>(game, trial, style, clock, TRIAL * f64::from(number)), style))
        .collect();
    ranking.sort_by_key(|(line, _)| std::cmp::Reverse(line.score));
    let styles: Vec<Style> = ranking.iter().map(|(_, style)| *style).collect();
    let mut best = ranking.swap_remove(0).0;
    for style in styles {
        let line = run::<P>(game, game.columns.len(), style, clock, 1.0);
        if line.score > best.score {
            best = line;
        }
        if clock.used() > 0.9 {
            break;
        }
    }
    best
}

/// A position in the beam.
struct Position<const P: usize> {
    board: Board<P>,
    score: u32,
    /// The number of its last placement in the history.
    step: u32,
}

/// Plays the first `length` columns until the clock shows `until`. Returns the best game found.
fn run<const P: usize>(game: &Game, length: usize, style: Style, clock: &Clock, until: f64) -> Line {
    let begun = clock.used();
    let mut history = History::new();
    let mut beam = vec![Position::<P> { board: Board::new(game), score: 0, step: 0 }];
    let mut best = (0, 0);
    let mut expanded = 0;
    let mut width = 1;
    for (done, &column) in game.columns[..length].iter().enumerate() {
        let candidates = successors(&beam, column, style, length - done - 1);
        expanded += beam.len();
        beam = select(candidates, width, &mut history).map(|(position, step)| Position { step, ..position }).collect();
        let Some(leader) = beam.iter().max_by_key(|position| position.score) else { break };
        if leader.score >= best.0 {
            best = (leader.score, leader.step);
        }
        let now = clock.used();
        let pace = expanded as f64 / (now - begun);
        width = whole(pace * (until - now) / (length - done) as f64).clamp(1, MAX_BEAM_WIDTH);
    }
    Line { score: best.0, placements: history.up_to(best.1) }
}

/// Returns every possible next position. `left` columns come afterwards.
fn successors<const P: usize>(
    beam: &[Position<P>],
    column: Column,
    style: Style,
    left: usize,
) -> Vec<Candidate<Position<P>, Placement>> {
    let shifts = match column {
        Column::Magic => 1,
        Column::Jewels([a, b, c]) if a == b && b == c => 1,
        Column::Jewels(_) => 3,
    };
    let mut candidates = Vec::with_capacity(beam.len() * 36);
    for position in beam {
        let places = (0..).take(position.board.heights().len()).filter(|&x| position.board.fits(x));
        for placement in places.flat_map(|x| (0..shifts).map(move |shift| Placement { x, shift })) {
            let mut board = position.board.clone();
            let score = position.score + board.play(column, placement);
            let value = f64::from(score) + promise(&board, style, left);
            let hash = board.hash();
            let before = position.step;
            let position = Position { board, score, step: before };
            candidates.push(Candidate { position, played: placement, before, value, hash });
        }
    }
    candidates
}

/// Returns the value of a position besides its points.
fn promise<const P: usize>(board: &Board<P>, style: Style, left: usize) -> f64 {
    let chain = f64::from(best_chain(board));
    let chain = match left {
        // Little can be added to such a chain, so it counts with the probability that its jewel comes.
        0..END => chain * left as f64 / END as f64,
        _ => (chain * style.target.max(chain)).sqrt(),
    };
    chain + PAIR * f64::from(board.pairs()) - style.caution * f64::from(danger(board))
}

/// The lines through a cell, as steps from it: the two other cells of every match it could complete.
const LINES: [[(isize, isize); 2]; 10] = [
    [(0, -1), (0, -2)],
    [(-1, 0), (1, 0)],
    [(-1, 0), (-2, 0)],
    [(1, 0), (2, 0)],
    [(-1, -1), (1, 1)],
    [(-1, -1), (-2, -2)],
    [(1, 1), (2, 2)],
    [(-1, 1), (1, -1)],
    [(-1, 1), (-2, 2)],
    [(1, -1), (2, -2)],
];

/// Returns the maximum number of points that a single jewel, dropped anywhere, would bring.
fn best_chain<const P: usize>(board: &Board<P>) -> u32 {
    let mut best = 0;
    for x in (0..board.heights().len()).filter(|&x| board.room(x) > 0) {
        let mut tried = 0_u32;
        for color in LINES.iter().filter_map(|line| completing_color(board, x, line)) {
            if tried >> color & 1 == 0 {
                tried |= 1 << color;
                best = best.max(board.clone().drop_jewel(x, color));
            }
        }
    }
    best
}

/// Returns the colour of the two cells of a line around the top of column `x`, if they have the same colour.
fn completing_color<const P: usize>(board: &Board<P>, x: usize, line: &[(isize, isize); 2]) -> Option<Color> {
    let y = usize::from(board.heights()[x]);
    // Steps over the left edge or through the floor wrap around to places without jewels.
    let color = |&(dx, dy): &(isize, isize)| {
        let y = y.wrapping_add_signed(dy);
        (y < 32).then(|| board.color(x.wrapping_add_signed(dx), y)).flatten()
    };
    let first = color(&line[0])?;
    (color(&line[1])? == first).then_some(first)
}

/// Returns the danger of the heights: the sum of squares of the free cells that columns lack.
fn danger<const P: usize>(board: &Board<P>) -> u32 {
    let lacking = (0..board.heights().len()).map(|x| u32::from(SAFE_ROOM.saturating_sub(board.room(x))));
    lacking.map(|lacking| lacking * lacking).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_builds_a_chain_rather_than_taking_a_match_at_once() {
        // Greedily, `aab` on `a..` clears at once; kept apart, the last column sets off a chain.
        let game = Game::read(b"6 13 4 baa cbb acc bca").unwrap();
        let line = run::<3>(&game, 4, STYLES[0], &Clock::start(0.2), 1.0);
        assert!(line.score >= 47 * 3, "{}", line.score);
        assert!(line.placements.len() <= 4);
    }
}

#[cfg(test)]
mod promise_tests {
    use super::super::{Game, Placement};
    use super::*;

    fn board(text: &str, places: &[u8]) -> Board<5> {
        let game = Game::read(text.as_bytes()).unwrap();
        let mut board = Board::new(&game);
        for (&column, &x) in game.columns.iter().zip(places) {
            board.play(column, Placement { x, shift: 0 });
        }
        board
    }

    #[test]
    fn the_best_jewel_sets_off_the_longest_chain() {
        // A `b` on the first column clears three `b`s there, and then nothing. On the second column, an `a` falls on
        // two.
        assert_eq!(best_chain(&board("6 13 1 abb", &[0])), 47);
        assert_eq!(best_chain(&board("6 13 2 abb aca", &[0, 2])), 47);
        assert_eq!(best_chain(&board("6 13 1 abc", &[0])), 0);
    }

    #[test]
    fn a_jewel_between_two_completes_them() {
        assert_eq!(best_chain(&board("6 13 2 abc ade", &[0, 2])), 47);
    }

    #[test]
    fn a_full_column_is_dangerous() {
        let low = board("6 13 1 abc", &[0]);
        let high = board("6 13 3 abc abc abc", &[0, 0, 0]);
        assert_eq!((danger(&low), danger(&high)), (0, 4));
    }
}
