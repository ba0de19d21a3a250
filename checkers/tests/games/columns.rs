//! `columns` against an independent, slow model of the statement, against ground truth, and against damaged texts.

use crate::mutate::{damaged, damages};
use crate::{Recorder, config};
use checkers::{Checker, Frame};
use model::Seen;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::cell::RefCell;
use std::path::Path;

/// The rules once more, cell by cell and triple by triple.
mod model {
    use std::collections::{HashMap, HashSet};
    use std::ops::RangeInclusive;

    type Cell = (i64, i64);

    /// How often a game contained situations that are easy to get wrong.
    #[derive(Debug, Default, Clone, Copy)]
    pub(super) struct Seen {
        pub(super) exact_fits: u64,
        pub(super) overflows: u64,
        pub(super) magic_overflows: u64,
        pub(super) forced_overflows: u64,
        pub(super) magic_on_floor: u64,
        pub(super) magic_on_jewel: u64,
        pub(super) matches_after_magic: u64,
        pub(super) diagonals: u64,
        pub(super) overlaps: u64,
        pub(super) long_combos: u64,
    }

    /// Returns the score, or `None` if input or answer is not valid.
    pub(super) fn score(input: &[u8], answer: &[u8], seen: &mut Seen) -> Option<u64> {
        let mut input = words(input);
        let width = integer(input.next()?, 6..=12)?;
        let height = integer(input.next()?, 13..=19)?;
        let count = integer(input.next()?, 1..=10_000)?;
        let falling: Vec<&[u8]> = input.collect();
        let valid = |word: &&[u8]| **word == *b"***" || word.len() == 3 && word.iter().all(u8::is_ascii_lowercase);
        if falling.len() as i64 != count || !falling.iter().all(valid) {
            return None;
        }
        let mut answer = words(answer);
        let placed = integer(answer.next()?, 0..=count)?;
        let mut moves = Vec::new();
        for _ in 0..placed {
            moves.push((integer(answer.next()?, 1..=width)?, integer(answer.next()?, 0..=2)?));
        }
        if answer.next().is_some() {
            return None;
        }
        Some(play(height, &falling, &moves, seen))
    }

    fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
        text.split(|byte| b" \t\r\n".contains(byte)).filter(|word| !word.is_empty())
    }

    fn integer(word: &[u8], range: RangeInclusive<i64>) -> Option<i64> {
        let word = std::str::from_utf8(word).ok()?;
        if word.starts_with('+') {
            return None;
        }
        word.parse().ok().filter(|value| range.contains(value))
    }

    fn play(height: i64, falling: &[&[u8]], moves: &[(i64, i64)], seen: &mut Seen) -> u64 {
        let mut field: HashMap<Cell, u8> = HashMap::new();
        let mut score = 0;
        for (index, jewels) in falling.iter().enumerate() {
            let (p, s) = moves.get(index).copied().unwrap_or((1, 0));
            let mut jewels = jewels.to_vec();
            for _ in 0..s {
                let bottom = jewels.remove(0);
                jewels.push(bottom);
            }
            let ground = (0..height).find(|&y| !field.contains_key(&(p, y))).unwrap_or(height);
            let topmost = ground + 2;
            if topmost >= height {
                seen.overflows += 1;
                seen.magic_overflows += u64::from(jewels[0] == b'*');
                seen.forced_overflows += u64::from(index >= moves.len());
                return score;
            }
            seen.exact_fits += u64::from(topmost == height - 1);
            for (y, &jewel) in (ground..).zip(&jewels) {
                field.insert((p, y), jewel);
            }
            let magic = jewels[0] == b'*';
            if magic {
                score += magic_clears(&mut field, (p, ground - 1), seen);
            }
            score += chain(&mut field, magic, seen);
        }
        score
    }

    fn magic_clears(field: &mut HashMap<Cell, u8>, under: Cell, seen: &mut Seen) -> u64 {
        let before = field.len();
        match field.get(&under).copied() {
            Some(color) => {
                seen.magic_on_jewel += 1;
                field.retain(|_, &mut jewel| jewel != color);
            }
            None => seen.magic_on_floor += 1,
        }
        let cleared = (before - field.len()) as u64;
        field.retain(|_, &mut jewel| jewel != b'*');
        settle(field);
        47 * cleared
    }

    fn chain(field: &mut HashMap<Cell, u8>, magic: bool, seen: &mut Seen) -> u64 {
        let mut points = 0;
        for multiplier in 1.. {
            let mut matches: Vec<[Cell; 3]> = Vec::new();
            for (&(x, y), color) in field.iter() {
                for (right, up) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
                    let triple = [(x, y), (x + right, y + up), (x + 2 * right, y + 2 * up)];
                    if triple.iter().all(|cell| field.get(cell) == Some(color)) {
                        matches.push(triple);
                        seen.diagonals += u64::from(right != 0 && up != 0);
                    }
                }
            }
            if matches.is_empty() {
                break;
            }
            let cells: HashSet<Cell> = matches.iter().flatten().copied().collect();
            seen.overlaps += u64::from(cells.len() < 3 * matches.len());
            seen.long_combos += u64::from(multiplier == 3);
            seen.matches_after_magic += u64::from(magic);
            points += 47 * multiplier * matches.len() as u64;
            field.retain(|cell, _| !cells.contains(cell));
            settle(field);
        }
        points
    }

    /// Lets every jewel without a cell below it sink by one, repeatedly.
    fn settle(field: &mut HashMap<Cell, u8>) {
        while let Some((x, y)) = field.keys().copied().find(|&(x, y)| y > 0 && !field.contains_key(&(x, y - 1))) {
            let jewel = field.remove(&(x, y)).expect("it was found there");
            field.insert((x, y - 1), jewel);
        }
    }
}

fn columns() -> &'static Checker {
    checkers::find("columns").expect("the game is registered")
}

/// Returns the checker's score, or `None` if it finds input or answer not valid.
fn checked(input: &[u8], answer: &[u8]) -> Option<checkers::Score> {
    columns().read(input).ok()?.check(answer).ok()
}

/// A game as the numbers that decide it, so that it shrinks well.
#[derive(Debug, Clone)]
struct Game {
    width: usize,
    height: usize,
    colors: u8,
    magic_percent: u8,
    /// Only this many columns are used, so that some games pile up and overflow.
    spread: usize,
    pieces: Vec<(u8, [u8; 3])>,
    placements: Vec<(usize, u8)>,
}

impl Game {
    fn input(&self) -> Vec<u8> {
        let mut text = format!("{} {}\n{}\n", self.width, self.height, self.pieces.len());
        for &(roll, letters) in &self.pieces {
            if roll < self.magic_percent {
                text.push_str("***");
            } else {
                text.extend(letters.map(|letter| char::from(b'a' + letter % self.colors)));
            }
            text.push('\n');
        }
        text.into_bytes()
    }

    fn answer(&self) -> Vec<u8> {
        let placed = self.placements.len().min(self.pieces.len());
        let lines =
            self.placements[..placed].iter().map(|(p, s)| format!("{} {s}\n", 1 + p % self.spread.min(self.width)));
        format!("{placed}\n{}", lines.collect::<String>()).into_bytes()
    }
}

fn games(length: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Game> {
    let colors = prop_oneof![8 => 2..=6_u8, 1 => Just(1), 1 => 7..=26_u8];
    let spread = prop_oneof![1..=3_usize, 4..=12_usize];
    let pieces = vec((0..100_u8, any::<[u8; 3]>()), length.clone());
    let placements = vec((any::<usize>(), 0..=2_u8), 0..=*length.end());
    (6..=12_usize, 13..=19_usize, colors, 0..=30_u8, spread, pieces, placements).prop_map(
        |(width, height, colors, magic_percent, spread, pieces, placements)| Game {
            width,
            height,
            colors,
            magic_percent,
            spread,
            pieces,
            placements,
        },
    )
}

/// Compares checker and model on this many games; returns the situations that occurred.
fn compare(cases: u32, games: &impl Strategy<Value = Game>) -> Seen {
    let seen = RefCell::new(Seen::default());
    let result = TestRunner::new(config(cases)).run(games, |game| {
        let (input, answer) = (game.input(), game.answer());
        let score = model::score(&input, &answer, &mut seen.borrow_mut()).expect("made valid");
        prop_assert_eq!(checked(&input, &answer), Some(score.into()));
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
    seen.into_inner()
}

#[test]
fn thousands_of_short_games_score_as_in_the_model() {
    let seen = compare(10_000, &games(1..=40));
    let reached = [
        seen.exact_fits,
        seen.overflows,
        seen.magic_overflows,
        seen.forced_overflows,
        seen.magic_on_floor,
        seen.magic_on_jewel,
        seen.matches_after_magic,
        seen.diagonals,
        seen.overlaps,
        seen.long_combos,
    ];
    assert!(reached.iter().all(|&count| count >= 50), "the games miss an edge: {seen:?}");
}

#[test]
fn long_games_score_as_in_the_model() {
    let long = (games(300..=600)).prop_map(|game| Game { spread: game.width, colors: 2 + game.colors % 2, ..game });
    let seen = compare(60, &long);
    assert!(seen.long_combos >= 20, "the games end too early: {seen:?}");
}

proptest! {
    #![proptest_config(config(2_000))]

    #[test]
    fn damaged_texts_are_valid_exactly_when_the_model_says_so(
        game in games(1..=12), to_input in damages(), to_answer in damages(),
    ) {
        let (input, answer) = (game.input(), game.answer());
        let (bad_input, bad_answer) = (damaged(&input, &to_input), damaged(&answer, &to_answer));
        for (input, answer) in [(&bad_input, &answer), (&input, &bad_answer), (&bad_input, &bad_answer)] {
            let score = model::score(input, answer, &mut Seen::default()).map(Into::into);
            prop_assert_eq!(checked(input, answer), score);
        }
    }

    #[test]
    fn any_bytes_are_judged(input: Vec<u8>, answer: Vec<u8>) {
        prop_assert_eq!(checked(&input, &answer), None);
        let case = columns().read(b"6 13\n1\nabc\n").unwrap();
        prop_assert_eq!(case.check(&answer).is_ok(), model::score(b"6 13\n1\nabc\n", &answer, &mut Seen::default()).is_some());
    }

    #[test]
    fn an_observer_sees_every_point_and_changes_none(game in games(1..=60)) {
        let case = columns().read(&game.input()).unwrap();
        let mut recorder = Recorder::default();
        let score = case.replay(&game.answer(), &mut recorder).unwrap();
        prop_assert_eq!(case.check(&game.answer()).unwrap(), score.clone());

        let frames = recorder.0;
        prop_assert!(frames[0].step == 0 && frames[0].board.cells.iter().all(|cell| cell.text.is_none()));
        prop_assert_eq!(frames.last().unwrap().total.clone(), score);
        for pair in frames.windows(2) {
            let gained = pair[1].gained.as_integer().expect("games give integers").into_owned();
            prop_assert_eq!(pair[0].total.as_integer().expect("games give integers").into_owned() + &gained, pair[1].total.as_integer().expect("games give integers").into_owned());
            prop_assert!(pair[1].step - pair[0].step <= 1);
            let marked = pair[1].board.cells.iter().filter(|cell| cell.marked).count();
            prop_assert!(gained.bits() == 0 || marked > 0, "points come from marked cells");
        }
        let area = game.width * game.height;
        prop_assert!(frames.iter().all(|frame| frame.board.width == game.width && frame.board.cells.len() == area));
    }
}

#[test]
fn a_game_is_told_frame_by_frame() {
    let case = columns().read(b"6 13\n8\nabc\n***\naaa\n***\nabc\nbca\nabc\n***\n").unwrap();
    let mut recorder = Recorder::default();
    let score = case.replay(b"6\n1 0\n2 0\n3 0\n1 0\n1 0\n1 2\n", &mut recorder).unwrap();
    assert_eq!(score, 94.into());
    let frames: Vec<_> = recorder.0.iter().map(|frame| (frame.step, &*frame.caption, drawn(frame))).collect();
    let expected = [
        (0, "the playfield is empty", "... ... ..."),
        (1, "abc lands in column 1", "C.. B.. A.."),
        (2, "*** lands in column 2, on the floor: nothing is cleared", "c*. b*. a*."),
        (3, "aaa lands in column 3", "c.A b.A a.A"),
        (3, "1 match, combo 1", "c.A b.A a.A"),
        (3, "the jewels settle", "c.. b.. a.."),
        (4, "*** lands in column 1, on c", "c.. b.. a.."),
        (4, "magic clears 1 × c", "C.. b.. a.."),
        (4, "the jewels settle", "... b.. a.."),
        (5, "abc lands in column 1", "A.. b.. a.."),
        (6, "abc lands in column 1", "a.. b.. a.."),
        (7, "abc lands in column 1", "a.. b.. a.."),
        (8, "*** does not fit in column 1: the game is over", "a.. b.. a.."),
    ]
    .map(|(step, caption, board)| (step, caption, board.to_owned()));
    assert_eq!(frames, expected);
}

/// Returns the three lowest cells of the first three columns, marked ones in capitals.
fn drawn(frame: &Frame) -> String {
    let row = |y: usize| {
        frame.board.cells[(12 - y) * 6..][..3].iter().map(|cell| match &cell.text {
            None => ".".to_owned(),
            Some(text) if cell.marked => text.to_uppercase(),
            Some(text) => text.clone().into_owned(),
        })
    };
    (0..3).rev().map(|y| row(y).collect::<String>()).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_same_case_twice_is_the_same() {
    let sample = include_bytes!("../../../tests/data/columns/sample.in");
    assert_eq!(columns().generate(1).unwrap(), sample);
    for seed in 0..40 {
        let input = columns().generate(seed).unwrap();
        assert_eq!(input, columns().generate(seed).unwrap());
        assert!(columns().read(&input).is_ok(), "seed {seed}");
    }
}

#[test]
fn the_features_describe_the_case() {
    let case = columns().read(include_bytes!("../../../tests/data/columns/sample.in")).unwrap();
    let features: Vec<_> = case.features().iter().map(|feature| (feature.name, feature.value)).collect();
    assert_eq!(features, [("w", 6), ("h", 13), ("k", 11), ("colors", 4), ("magic", 1)]);
}

#[test]
fn the_ground_truth_is_met() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/columns");
    let mut files = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "expect") {
            files += 1;
            let read = |extension: &str| std::fs::read(path.with_extension(extension)).unwrap();
            let expected = String::from_utf8(read("expect")).unwrap();
            let (input, answer) = (read("in"), read("out"));
            let case = columns().read(&input).unwrap_or_else(|why| panic!("{path:?}: {why}"));
            let found = case.check(&answer);
            let right = match expected.trim().parse::<u64>() {
                Ok(score) => found == Ok(score.into()),
                Err(_) => expected.starts_with("invalid: ") && found.is_err(),
            };
            assert!(right, "{path:?}: expected {expected}, found {found:?}");
        }
    }
    assert!(files > 0, "no ground truth was found");
}
