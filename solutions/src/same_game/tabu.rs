//! The open game by random playouts with a tabu colour: the most frequent colour is left alone while there is another
//! group, so that it grows into few large ones. The best game counts.
//!
//! The policy is "TabuColorRandom" of Schadd, Winands, van den Herik, Chaslot and Uiterwijk, "Single-Player Monte-Carlo Tree
//! Search", Computers and Games, 2008, here without the tree.

use super::board::{Board, CLEARED, COLORS, Color, write_moves};
use super::field::{Field, Group, Surveyor};
use crate::SolveError;
use crate::clock::Clock;
use crate::input::Words;
use crate::random::Random;
use std::io::Write;

/// Seconds; the limit is 10.
const TIME_LIMIT: f64 = 9.0;

pub(crate) fn solve(input: &[u8], output: &mut dyn Write) -> Result<(), SolveError> {
    let mut words = Words::new(input);
    let board = Board::read(&mut words)?;
    words.end()?;
    write_moves(&search(&board, &Clock::start(TIME_LIMIT)).places, output)
}

/// A game that was played to its end: the row and the column of a block of each group.
#[derive(Debug, Default)]
struct Playout {
    score: u32,
    places: Vec<(usize, usize)>,
}

/// Plays games until the time is over, and at least one. Returns the best.
fn search(board: &Board, clock: &Clock) -> Playout {
    let start = Field::new(board);
    let tabu = most_frequent_color(board);
    let mut surveyor = Surveyor::new(&start);
    let mut random = Random::new(1);
    let mut best = play(&mut surveyor, &start, tabu, &mut random);
    while clock.used() < 1.0 {
        let playout = play(&mut surveyor, &start, tabu, &mut random);
        if playout.score > best.score {
            best = playout;
        }
    }
    best
}

/// Plays one game. A group of the tabu colour goes only when there is no other.
fn play(surveyor: &mut Surveyor, start: &Field, tabu: Color, random: &mut Random) -> Playout {
    let mut field = start.clone();
    let mut playout = Playout::default();
    let mut groups = Vec::new();
    loop {
        let blocks = surveyor.survey(&field, &mut groups).blocks;
        if groups.is_empty() {
            playout.score *= if blocks == 0 { CLEARED } else { 1 };
            return playout;
        }
        let free: Vec<Group> = groups.iter().copied().filter(|group| field.color(group.cell) != tabu).collect();
        let group = *random.pick(if free.is_empty() { &groups } else { &free });
        playout.score += group.points();
        playout.places.push(start.place(group.cell));
        field = surveyor.remove(&field, group);
    }
}

fn most_frequent_color(board: &Board) -> Color {
    let mut blocks = [0; COLORS];
    board.columns().iter().flatten().for_each(|&color| blocks[usize::from(color)] += 1);
    (0..).zip(blocks).max_by_key(|&(_, blocks)| blocks).map_or(0, |(color, _)| color)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tabu_colour_goes_last_and_at_once() {
        // Without the Bs and the Cs between them, the As are one group.
        let board = Board::read(&mut Words::new(b"3 AAA BBC AAC")).unwrap();
        let playout = search(&board, &Clock::start(0.0));
        assert_eq!((playout.score, playout.places.len()), ((1 + 1 + 10) * CLEARED, 3));
    }

    #[test]
    fn the_score_is_the_checker_s() {
        let checker = checkers::find("same-game-free").unwrap();
        for seed in 1..=10 {
            let input = checker.generate(seed).unwrap();
            let playout = search(&Board::read(&mut Words::new(&input)).unwrap(), &Clock::start(0.01));
            let mut answer = Vec::new();
            write_moves(&playout.places, &mut answer).unwrap();
            assert_eq!(checker.read(&input).unwrap().check(&answer).unwrap().to_string(), playout.score.to_string());
        }
    }
}
