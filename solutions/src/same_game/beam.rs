//! The open game by beam search: after every move, the distinct boards with the highest values are kept.
//!
//! The value of a board is its points, the points of its current groups, and the points if each colour were removed at
//! once. A price is subtracted for every single block, and it grows as blocks disappear, because a cleared board counts
//! four times. No weights suit all boards, so several searches with different weights share the time.

use super::board::{Board, CLEARED, Census, Group, GroupFinder, Line};
use crate::SolveError;
use crate::search::{Candidate, Clock, History, select, whole};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;

/// Seconds; the limit is 10.
const TIME_LIMIT: f64 = 9.0;

/// The maximum width of the beam. It keeps the memory far below the limit.
const MAX_BEAM_WIDTH: usize = 4_000;

/// The price of a colour with a single block left.
const LONE_COLOR: f64 = 1000.0;

/// The number of blocks that an average move removes, to estimate the number of remaining moves.
const BLOCKS_A_MOVE: f64 = 3.0;

/// The weights of a board's properties against its points.
#[derive(Debug, Clone, Copy)]
struct Weights {
    pairs: f64,
    possible_pairs: f64,
    single: f64,
    /// The growth of the price of a single block until no block is left.
    growth: f64,
}

const ALL_WEIGHTS: [Weights; 6] = [
    Weights { pairs: 0.5, possible_pairs: 0.3, single: 10.0, growth: 2.0 },
    Weights { pairs: 0.5, possible_pairs: 0.3, single: 10.0, growth: 0.0 },
    Weights { pairs: 0.5, possible_pairs: 0.2, single: 10.0, growth: 4.0 },
    Weights { pairs: 0.5, possible_pairs: 0.4, single: 10.0, growth: 4.0 },
    Weights { pairs: 0.5, possible_pairs: 0.3, single: 5.0, growth: 2.0 },
    Weights { pairs: 0.8, possible_pairs: 0.3, single: 10.0, growth: 4.0 },
];

pub(crate) fn solve(input: &[u8], output: &mut dyn Write) -> Result<(), SolveError> {
    let start = Board::read(input)?;
    let clock = Clock::start(TIME_LIMIT);
    let mut finder = GroupFinder::new(&start);
    let mut best = Line::default();
    for (weights, number) in ALL_WEIGHTS.into_iter().zip(1..) {
        let until = f64::from(number) / ALL_WEIGHTS.len() as f64;
        let line = run(&mut finder, &start, weights, &clock, until);
        if line.score > best.score {
            best = line;
        }
    }
    start.write_moves(&best.cells, output)
}

/// A board in the beam.
struct Position {
    board: Board,
    groups: Vec<Group>,
    score: u32,
    /// The number of its last move in the history.
    step: u32,
}

/// Searches until the clock shows `until`, and longer if no game is finished then. Returns the best game.
fn run(finder: &mut GroupFinder, start: &Board, weights: Weights, clock: &Clock, until: f64) -> Line {
    let begun = clock.used();
    let mut groups = Vec::new();
    let blocks = finder.count(start, &mut groups).blocks;
    let mut beam = vec![Position { board: start.clone(), groups, score: 0, step: 0 }];
    let mut history = History::new();
    let mut best = (0, 0);
    let (mut width, mut expanded) = (1, 0);
    while !beam.is_empty() {
        let mut candidates = Vec::new();
        let mut left = 0;
        for position in &beam {
            for &group in &position.groups {
                let (candidate, census) = follow(finder, position, group, weights, blocks);
                left = left.max(census.blocks);
                if !candidate.position.groups.is_empty() {
                    candidates.push(candidate);
                } else if candidate.position.score > best.0 {
                    best = (candidate.position.score, history.add(group.cell, position.step));
                }
            }
        }
        expanded += beam.len();
        beam = select(candidates, width, &mut history).map(|(position, step)| Position { step, ..position }).collect();
        let now = clock.used();
        if now > 1.0 {
            // A game may stop while groups are left.
            best = beam.iter().map(|position| (position.score, position.step)).fold(best, Ord::max);
            break;
        }
        let pace = expanded as f64 / (now - begun);
        let moves = (f64::from(left) / BLOCKS_A_MOVE).max(1.0);
        width = whole(pace * (until - now) / moves).clamp(1, MAX_BEAM_WIDTH);
    }
    Line { score: best.0, cells: history.up_to(best.1) }
}

/// Returns the position after a move, and its census. A finished game has its final score.
fn follow(
    finder: &mut GroupFinder,
    before: &Position,
    group: Group,
    weights: Weights,
    blocks: u32,
) -> (Candidate<Position, u16>, Census) {
    let board = finder.remove(&before.board, group);
    let mut groups = Vec::new();
    let census = finder.count(&board, &mut groups);
    let mut score = before.score + group.points();
    if census.blocks == 0 {
        score *= CLEARED;
    }
    let value = f64::from(score) + promise(&census, weights, blocks);
    let mut hasher = DefaultHasher::new();
    board.hash(&mut hasher);
    let position = Position { board, groups, score, step: before.step };
    (Candidate { position, played: group.cell, before: before.step, value, hash: hasher.finish() }, census)
}

/// Returns the value of a board besides its points. The game started with `blocks`.
fn promise(census: &Census, weights: Weights, blocks: u32) -> f64 {
    let gone = 1.0 - f64::from(census.blocks) / f64::from(blocks);
    weights.pairs * f64::from(census.pairs) + weights.possible_pairs * f64::from(census.possible_pairs)
        - weights.single * f64::from(census.single) * (1.0 + weights.growth * gone)
        - LONE_COLOR * f64::from(census.lone_colors)
}

#[cfg(test)]
mod tests {
    use super::super::solve_largest_first;
    use super::*;
    use crate::ground_truth;
    use crate::search::Random;

    /// Returns the checker's score of a game.
    fn score(input: &str, start: &Board, cells: &[u16]) -> checkers::Score {
        let mut answer = Vec::new();
        start.write_moves(cells, &mut answer).unwrap();
        let checker = checkers::find("same-game-free").unwrap();
        checker.read(input.as_bytes()).unwrap().check(&answer).unwrap()
    }

    #[test]
    fn it_never_plays_worse_than_the_largest_group_first_and_often_better() {
        let mut random = Random::new(5);
        let mut better = 0;
        for _ in 0..10 {
            let row = |random: &mut Random| (0..8).map(|_| *random.pick(&["A", "B", "C"])).collect::<String>() + "\n";
            let text = format!("8\n{}", (0..8).map(|_| row(&mut random)).collect::<String>());
            let start = Board::read(text.as_bytes()).unwrap();
            let line = run(&mut GroupFinder::new(&start), &start, ALL_WEIGHTS[0], &Clock::start(0.2), 1.0);
            let score = score(&text, &start, &line.cells);
            assert_eq!(score, line.score.into());
            let plain = ground_truth::answer(solve_largest_first, &text);
            let checker = checkers::find("same-game-free").unwrap();
            let plain = checker.read(text.as_bytes()).unwrap().check(plain.as_bytes()).unwrap();
            assert!(score >= plain, "{score} {plain}");
            better += u32::from(score > plain);
        }
        assert!(better > 5, "{better}");
    }

    #[test]
    fn a_game_stops_with_the_time() {
        let text = "3\nAABBCC\nCCAABB\nBBCCAA\n";
        let start = Board::read(text.as_bytes()).unwrap();
        let line = run(&mut GroupFinder::new(&start), &start, ALL_WEIGHTS[0], &Clock::start(0.0), 1.0);
        assert_eq!((line.cells.len(), score(text, &start, &line.cells)), (1, line.score.into()));
    }
}
