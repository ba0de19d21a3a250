//! Beam search that builds chains: of all ways to have played the columns so far, it keeps the most promising ones.
//!
//! A position is worth its points and what it promises. A chain of n steps brings points that grow with n², but building
//! it takes columns that grow with n; so the points that a jewel could set off now count by their root, scaled so that
//! setting off pays from a certain size on. Which size is best depends on the field, and how cautious play must be as
//! well: several styles play the first columns, and the best goes on.

use super::board::Board;
use super::game::{Column, Game, Placement, write};
use super::promise::{best_chain, danger};
use crate::SolveError;
use crate::clock::Clock;
use std::cmp::Ordering;
use std::collections::HashSet;
use std::io::Write;

/// Seconds; the limit is 4.
const TIME_LIMIT: f64 = 3.6;

/// The share of the time in which one style is tried.
const TRIAL: f64 = 0.05;

/// How many columns before the end chains lose their promise.
const END: usize = 15;

/// What a pair of equal neighbours is worth, in points.
const PAIR: f64 = 8.0;

/// The most positions that are kept, so that the memory stays below a quarter of the limit.
const WIDEST_BEAM: usize = 10_000;

/// A way to weigh positions.
#[derive(Debug, Clone, Copy)]
struct Style {
    /// From how many points on a chain is set off.
    target: f64,
    /// What a unit of danger costs, in points.
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

/// A way to play the game, from its first column on.
#[derive(Debug, Default)]
struct Line {
    score: u32,
    placements: Vec<Placement>,
}

/// Tries all styles on the first columns, then plays the game in the best one; and in the next, if that ended early.
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
    /// Its last placement in the history.
    step: usize,
}

/// A placement, and the history's number of the one before it.
struct Step {
    placement: Placement,
    before: usize,
}

/// A position that could follow.
struct Candidate<const P: usize> {
    position: Position<P>,
    placement: Placement,
    value: f64,
    hash: u64,
}

/// Plays the first `length` columns until the clock shows `until`. Returns the best way found.
fn run<const P: usize>(game: &Game, length: usize, style: Style, clock: &Clock, until: f64) -> Line {
    let begun = clock.used();
    let mut history = vec![Step { placement: Placement { x: 0, shift: 0 }, before: 0 }];
    let mut beam = vec![Position::<P> { board: Board::new(game), score: 0, step: 0 }];
    let mut best = (0, 0);
    let mut expanded = 0;
    let mut width = 1;
    for (done, &column) in game.columns[..length].iter().enumerate() {
        let candidates = successors(&beam, column, style, length - done - 1);
        expanded += beam.len();
        beam = select(candidates, width, &mut history);
        let Some(leader) = beam.iter().max_by_key(|position| position.score) else { break };
        if leader.score >= best.0 {
            best = (leader.score, leader.step);
        }
        let now = clock.used();
        let pace = expanded as f64 / (now - begun);
        // A negative or unknown number becomes 0.
        width = ((pace * (until - now) / (length - done) as f64) as usize).clamp(1, WIDEST_BEAM);
    }
    Line { score: best.0, placements: trace(&history, best.1) }
}

/// Returns every position that can follow. `left` columns come afterwards.
fn successors<const P: usize>(beam: &[Position<P>], column: Column, style: Style, left: usize) -> Vec<Candidate<P>> {
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
            candidates.push(Candidate {
                position: Position { board, score, step: position.step },
                placement,
                value,
                hash,
            });
        }
    }
    candidates
}

/// Returns what a position is worth beside its points.
fn promise<const P: usize>(board: &Board<P>, style: Style, left: usize) -> f64 {
    let chain = f64::from(best_chain(board));
    let chain = match left {
        // Not much can be added to it: it counts by the chance that its jewel comes.
        0..END => chain * left as f64 / END as f64,
        _ => (chain * style.target.max(chain)).sqrt(),
    };
    chain + PAIR * f64::from(board.pairs()) - style.caution * f64::from(danger(board))
}

/// Returns the best different positions, and adds their placements to the history.
fn select<const P: usize>(
    mut candidates: Vec<Candidate<P>>,
    width: usize,
    history: &mut Vec<Step>,
) -> Vec<Position<P>> {
    let order = |a: &Candidate<P>, b: &Candidate<P>| -> Ordering {
        b.value.total_cmp(&a.value).then_with(|| a.hash.cmp(&b.hash))
    };
    candidates.sort_unstable_by(order);
    let mut seen = HashSet::new();
    let different = candidates.into_iter().filter(|candidate| seen.insert(candidate.hash)).take(width);
    let kept = different.map(|Candidate { mut position, placement, .. }| {
        history.push(Step { placement, before: position.step });
        position.step = history.len() - 1;
        position
    });
    kept.collect()
}

/// Returns the placements up to a step of the history.
fn trace(history: &[Step], mut step: usize) -> Vec<Placement> {
    let mut placements = Vec::new();
    while step != 0 {
        placements.push(history[step].placement);
        step = history[step].before;
    }
    placements.reverse();
    placements
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
