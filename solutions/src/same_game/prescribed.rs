//! The strategy that the statement prescribes, followed to the letter.

use super::board::{Board, CLEARED, COLORS, Group};
use crate::SolveError;
use crate::input::Words;
use std::io::Write;

/// The place of each colour in the order.
type Places = [Option<usize>; COLORS];

pub(crate) fn solve(input: &[u8], output: &mut dyn Write) -> Result<(), SolveError> {
    let mut words = Words::new(input);
    let board = Board::read(&mut words)?;
    let places = read_order(&mut words)?;
    words.end()?;
    if board.columns().iter().flatten().any(|&color| places[usize::from(color)].is_none()) {
        return Err(words.unexpected("an order with every colour of the board", b"one without"));
    }
    writeln!(output, "{}", score(board, &places))?;
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

fn score(mut board: Board, places: &Places) -> u64 {
    let mut score = 0;
    while let Some(group) = board.groups().into_iter().min_by_key(|group| precedence(&board, places, group)) {
        score += group.points();
        board.remove(&group);
    }
    if board.is_empty() { score * u64::from(CLEARED) } else { score }
}

/// Returns what decides which group goes first: the least of all.
fn precedence(board: &Board, places: &Places, group: &Group) -> impl Ord + use<> {
    let corner = group.blocks.iter().map(|&block| (board.row(block), block.x)).min();
    (places[usize::from(group.color)], group.blocks.len(), corner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground_truth;

    fn answer(input: &str) -> String {
        let mut answer = Vec::new();
        solve(input.as_bytes(), &mut answer).unwrap();
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
            assert!(solve(input.as_bytes(), &mut Vec::new()).is_err(), "{input}");
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
