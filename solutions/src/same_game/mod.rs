//! SameGame: remove connected groups of one colour until none is left.
//!
//! This file contains the prescribed strategy and two solvers of the open game. The plain one always removes the
//! largest group. The other plays random games with a tabu colour and keeps the best one: the most frequent colour is
//! not removed while there is another group, so that it grows into few large groups. This is the policy
//! "TabuColorRandom" of Schadd, Winands, van den Herik, Chaslot and Uiterwijk, "Single-Player Monte-Carlo Tree Search",
//! Computers and Games, 2008, without the tree.

mod beam;
mod board;

use crate::input::Words;
use crate::search::{Clock, Random};
use crate::{Solution, SolveError};
use board::{Board, CLEARED, COLORS, Color, Group, GroupFinder, Line};
use std::io::Write;

/// The place of each colour in the order.
type Places = [Option<usize>; COLORS];

/// Seconds; the limit is 10.
const TABU_TIME_LIMIT: f64 = 9.0;

/// The solutions, the default one first.
pub(crate) const SOLUTIONS: &[Solution] = &[
    Solution { id: "same-game", summary: "the prescribed strategy, exactly", solve: solve_prescribed },
    Solution { id: "same-game-free", summary: "beam search", solve: beam::solve },
    Solution { id: "same-game-free-plain", summary: "the largest group first", solve: solve_largest_first },
    Solution {
        id: "same-game-free-tabu",
        summary: "the best of many random games that spare one colour",
        solve: solve_tabu,
    },
];

pub(crate) fn solve_prescribed(input: &[u8], output: &mut dyn Write) -> Result<(), SolveError> {
    let mut words = Words::new(input);
    let board = Board::read_from(&mut words)?;
    let places = read_order(&mut words)?;
    words.end()?;
    if board.colors().any(|color| places[usize::from(color)].is_none()) {
        return Err(words.unexpected("an order with every colour of the board", b"one without"));
    }
    writeln!(output, "{}", prescribed_score(board, &places))?;
    Ok(())
}

fn read_order(words: &mut Words) -> Result<Places, SolveError> {
    let expected = "an order of different capital letters";
    let order = words.word(expected)?;
    let mut places = [None; COLORS];
    for (place, letter) in order.iter().enumerate() {
        let color = usize::from(letter.wrapping_sub(b'A'));
        match places.get_mut(color) {
            Some(free @ None) => *free = Some(place),
            _ => return Err(words.unexpected(expected, order)),
        }
    }
    Ok(places)
}

fn prescribed_score(mut board: Board, places: &Places) -> u32 {
    let mut finder = GroupFinder::new(&board);
    let mut groups = Vec::new();
    let mut score = 0;
    loop {
        let blocks = finder.count(&board, &mut groups).blocks;
        let place = |group: &Group| places[usize::from(board.color(group.cell))];
        let next = groups.iter().min_by_key(|group| (place(group), group.size, finder.corner(&board, **group)));
        let Some(&group) = next else { return if blocks == 0 { score * CLEARED } else { score } };
        score += group.points();
        board = finder.remove(&board, group);
    }
}

pub(crate) fn solve_largest_first(input: &[u8], output: &mut dyn Write) -> Result<(), SolveError> {
    let mut board = Board::read(input)?;
    let mut finder = GroupFinder::new(&board);
    let (mut groups, mut moves) = (Vec::new(), Vec::new());
    finder.count(&board, &mut groups);
    while let Some(&group) = groups.iter().max_by_key(|group| group.size) {
        moves.push(group.cell);
        board = finder.remove(&board, group);
        finder.count(&board, &mut groups);
    }
    board.write_moves(&moves, output)
}

pub(crate) fn solve_tabu(input: &[u8], output: &mut dyn Write) -> Result<(), SolveError> {
    let board = Board::read(input)?;
    board.write_moves(&best_playout(&board, &Clock::start(TABU_TIME_LIMIT)).cells, output)
}

/// Plays games until the time is over, at least one. Returns the best.
fn best_playout(start: &Board, clock: &Clock) -> Line {
    let tabu = most_frequent_color(start);
    let mut finder = GroupFinder::new(start);
    let mut random = Random::new(1);
    let mut best = play_out(&mut finder, start, tabu, &mut random);
    while clock.used() < 1.0 {
        let playout = play_out(&mut finder, start, tabu, &mut random);
        if playout.score > best.score {
            best = playout;
        }
    }
    best
}

/// Plays one game. A group of the tabu colour is removed only if there is no other.
fn play_out(finder: &mut GroupFinder, start: &Board, tabu: Color, random: &mut Random) -> Line {
    let mut board = start.clone();
    let mut playout = Line::default();
    let mut groups = Vec::new();
    loop {
        let blocks = finder.count(&board, &mut groups).blocks;
        if groups.is_empty() {
            playout.score *= if blocks == 0 { CLEARED } else { 1 };
            return playout;
        }
        let free: Vec<Group> = groups.iter().copied().filter(|group| board.color(group.cell) != tabu).collect();
        let group = *random.pick(if free.is_empty() { &groups } else { &free });
        playout.score += group.points();
        playout.cells.push(group.cell);
        board = finder.remove(&board, group);
    }
}

fn most_frequent_color(board: &Board) -> Color {
    let mut blocks = [0; COLORS];
    board.colors().for_each(|color| blocks[usize::from(color)] += 1);
    (0..).zip(blocks).max_by_key(|&(_, blocks)| blocks).map_or(0, |(color, _)| color)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground_truth;

    fn answer(input: &str) -> String {
        let mut answer = Vec::new();
        solve_prescribed(input.as_bytes(), &mut answer).unwrap();
        String::from_utf8(answer).unwrap()
    }

    #[test]
    fn the_statement_s_examples() {
        assert_eq!(answer("3\nRBB\nRRR\nRBB\nRB\n"), "64\n");
        assert_eq!(answer("4\nABCD\nABCD\nABCD\nABCD\nABCD\n"), "96\n");
        assert_eq!(answer("1\nABCD\nABCD\n"), "0\n");
        assert_eq!(answer("4\nACCAA\nABAAA\nABBBA\nAAACD\nEABCD\n"), "28\n");
    }

    #[test]
    fn an_order_that_repeats_or_lacks_a_letter_is_refused() {
        for input in ["1\nAB\nABA\n", "1\nAB\nA\n", "1\nAB\nAb\n"] {
            assert!(solve_prescribed(input.as_bytes(), &mut Vec::new()).is_err(), "{input}");
        }
    }

    #[test]
    fn known_boards_have_their_known_scores() {
        let Some(folder) = ground_truth::folder("same-game") else { return };
        for stem in ground_truth::stems(&folder, "in") {
            let read = |ending| ground_truth::read(&stem, ending).unwrap();
            assert_eq!(answer(&read("in")).trim(), read("expect").trim(), "{}", stem.display());
        }
    }
}

#[cfg(test)]
mod largest_first_tests {
    use super::*;

    #[test]
    fn moves_name_cells_of_the_board_as_it_is_then() {
        let mut answer = Vec::new();
        solve_largest_first(b"3\nRBB\nRRR\nRBB\n", &mut answer).unwrap();
        // The five Rs from the lower left corner; then the four Bs, which lie on the floor.
        assert_eq!(String::from_utf8(answer).unwrap(), "2\n2 0\n2 0\n");
    }
}

#[cfg(test)]
mod tabu_tests {
    use super::*;

    #[test]
    fn the_tabu_colour_goes_last_and_at_once() {
        // Without the Bs and the Cs between them, the As are one group.
        let board = Board::read(b"3 AAA BBC AAC").unwrap();
        let playout = best_playout(&board, &Clock::start(0.0));
        assert_eq!((playout.score, playout.cells.len()), ((1 + 1 + 10) * CLEARED, 3));
    }

    #[test]
    fn the_score_is_the_checker_s() {
        let checker = checkers::find("same-game-free").unwrap();
        for seed in 1..=10 {
            let input = checker.generate(seed).unwrap();
            let board = Board::read(&input).unwrap();
            let playout = best_playout(&board, &Clock::start(0.01));
            let mut answer = Vec::new();
            board.write_moves(&playout.cells, &mut answer).unwrap();
            assert_eq!(checker.read(&input).unwrap().check(&answer).unwrap().to_string(), playout.score.to_string());
        }
    }
}
