//! Manual play, choice by choice: the checker confirms what the list of next moves says about each choice.

use checkers::{CheckError, Checker, Frame, ManualGame, Move, NextMoves, Observer, Score};
use proptest::prelude::*;

/// The games that people can play.
fn games() -> Vec<&'static Checker> {
    checkers::all().iter().copied().filter(|checker| checker.manual_reader.is_some()).collect()
}

fn case(checker: &Checker, seed: u64) -> Box<dyn ManualGame> {
    let input = checker.generate(seed).expect("the seed can be used");
    checker.manual_reader.expect("it can be played")(&input).expect("its own generator made it")
}

/// The last frame of a move.
struct Last {
    step: usize,
    frame: Option<Frame>,
}

impl Observer for Last {
    fn step(&mut self, step: usize, frame: &mut dyn FnMut() -> Frame) {
        if step == self.step {
            self.frame = Some(frame());
        }
    }
}

/// Returns the frame after these moves, and the score of the whole answer.
fn played(case: &dyn ManualGame, moves: &[Move]) -> (Frame, Score) {
    let mut last = Last { step: moves.len(), frame: None };
    let score = case.replay(&case.answer(moves), &mut last).expect("only choices were played");
    (last.frame.expect("the last move is shown"), score)
}

/// Returns the possible moves after a choice, after comparing the choice with the checker.
fn play(case: &dyn ManualGame, moves: &mut Vec<Move>, next_moves: &NextMoves, which: usize) -> NextMoves {
    let before = played(case, moves).0;
    let choice = &next_moves.choices[which];
    let cells = || choice.cells.iter().chain(choice.placed.iter().map(|(place, _)| place));
    assert!(cells().all(|place| *place < before.board.cells.len()), "{choice:?}");
    moves.push(choice.played.clone());
    let (frame, _) = played(case, moves);
    assert_eq!(frame.total.to_string(), sum(&before.total, &choice.gained), "{choice:?}");
    let next_moves = case.next_moves(moves).expect("only choices were played");
    assert_eq!(choice.ends, next_moves.choices.is_empty(), "{choice:?}");
    next_moves
}

/// Scores are compared as texts: these are all whole and small.
fn sum(one: &Score, other: &Score) -> String {
    let number = |score: &Score| score.to_string().parse::<u64>().expect("a small score");
    (number(one) + number(other)).to_string()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn a_choice_brings_what_it_says(seed in 1..500u64, picks in prop::collection::vec(any::<prop::sample::Index>(), 1..60)) {
        for checker in games() {
            let case = case(checker, seed);
            let mut moves = Vec::new();
            let mut next_moves = case.next_moves(&moves).unwrap();
            for pick in &picks {
                if next_moves.choices.is_empty() {
                    break;
                }
                next_moves = play(&*case, &mut moves, &next_moves, pick.index(next_moves.choices.len()));
            }
        }
    }
}

#[test]
fn a_choice_that_brings_most_is_played_to_the_end() {
    for checker in games() {
        let case = case(checker, 1);
        let mut moves = Vec::new();
        let mut next_moves = case.next_moves(&moves).unwrap();
        let mut ended = false;
        while let Some(best) =
            (0..next_moves.choices.len()).max_by_key(|&place| next_moves.choices[place].gained.clone())
        {
            next_moves = play(&*case, &mut moves, &next_moves, best);
            ended = next_moves.choices.is_empty();
            if moves.len() == 300 {
                break;
            }
        }
        assert!(ended || checker.id == "square-remover", "{} after {} moves", checker.id, moves.len());
        // When a game is over, its points are the score. The moves that Square Remover adds have no effect.
        let (frame, score) = played(&*case, &moves);
        assert_eq!(frame.total, score, "{}", checker.id);
    }
}

#[test]
fn a_move_that_breaks_a_rule_is_rejected_where_it_stands() {
    for checker in games() {
        let case = case(checker, 1);
        let next_moves = case.next_moves(&[]).unwrap();
        let good = next_moves.choices[0].played.clone();
        for bad in [vec![-1; good.len()], vec![999; good.len()], Vec::new()] {
            let moves = [good.clone(), bad.clone()];
            let rejected = |result: Result<(), CheckError>| match result {
                Err(CheckError::Rejected(rejection)) => rejection.to_string(),
                other => panic!("{}: {bad:?}: {other:?}", checker.id),
            };
            let checked = rejected(case.check(&case.answer(&moves)).map(|_| ()));
            assert_eq!(rejected(case.next_moves(&moves).map(|_| ())), checked);
            assert!(bad.is_empty() || checked.contains("move 2"), "{}: {checked}", checker.id);
        }
    }
}

#[test]
fn ten_thousand_moves_are_answered_in_time() {
    let started = std::time::Instant::now();
    let checker = checkers::find("square-remover").unwrap();
    let case = case(checker, 3);
    let choice = case.next_moves(&[]).unwrap().choices[0].played.clone();
    let mut moves = vec![choice; 9_999];
    assert!(case.next_moves(&moves).unwrap().choices.iter().all(|choice| choice.ends));
    moves.push(moves[0].clone());
    assert_eq!(case.next_moves(&moves).unwrap().choices, []);
    assert_eq!(case.answer(&moves).iter().filter(|byte| **byte == b'\n').count(), 10_000);
    moves.push(moves[0].clone());
    let rejected = case.check(&case.answer(&moves)).unwrap_err().to_string();
    assert!(rejected.contains("the text goes on too long"), "{rejected}");
    assert!(started.elapsed() < std::time::Duration::from_secs(20), "{:?}", started.elapsed());
}

#[test]
fn what_comes_is_shown_as_it_then_comes() {
    let case = case(checkers::find("columns").unwrap(), 1);
    let next_moves = case.next_moves(&[]).unwrap();
    let column = |place: usize| {
        let rows = (0..3).rev().map(|row| &next_moves.ahead.cells[row * next_moves.ahead.width + place]);
        rows.map(|cell| cell.text.clone().unwrap()).collect::<String>()
    };
    // The sample of the rules is this seed.
    assert_eq!([column(0), column(1), column(6)], ["aba", "bba", "***"]);
    let cycled = &next_moves.choices[1];
    assert_eq!((&*cycled.played, cycled.placed.len()), (&[1, 1][..], 3));
    let letters: Vec<_> = cycled.placed.iter().map(|(_, cell)| cell.text.clone().unwrap()).collect();
    assert_eq!(letters, ["a", "a", "b"], "from the top");
}
