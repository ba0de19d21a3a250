//! `same-game` and `same-game-free` against an independent, slow model of the statement, against ground truth, and
//! against damaged texts.

use crate::mutate::{damaged, damages};
use crate::{Recorder, config, rejected};
use checkers::{Checker, Frame, Score};
use model::Seen;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::cell::RefCell;
use std::path::Path;

fn checker(id: &str) -> &'static Checker {
    checkers::find(id).expect("the game is registered")
}

/// Returns the checker's score, or `None` if it finds input or answer not valid.
fn checked(id: &str, input: &[u8], answer: &[u8]) -> Option<Score> {
    checker(id).read(input).ok()?.check(answer).ok()
}

/// A case as the numbers that decide it, so that it shrinks well.
#[derive(Debug, Clone)]
struct Case {
    rows: usize,
    columns: usize,
    colors: usize,
    /// The probability that a block has the preferred colour of its column, so that some boards have columns that can
    /// be emptied.
    stripes_percent: u8,
    blocks: Vec<(u8, u8)>,
    alphabet: Vec<char>,
    order_length: usize,
}

impl Case {
    fn grid(&self) -> String {
        let block = |index: usize| {
            let (roll, color) = self.blocks[index % self.blocks.len()];
            let column = index % self.columns;
            let preferred = if roll < self.stripes_percent { column * column / 2 } else { usize::from(color) };
            self.alphabet[preferred % self.colors]
        };
        let row = |row: usize| (0..self.columns).map(|column| block(row * self.columns + column)).collect::<String>();
        (0..self.rows).fold(format!("{}\n", self.rows), |text, index| text + &row(index) + "\n")
    }

    fn prescribed(&self) -> Vec<u8> {
        let mut order: Vec<char> = self.alphabet[..self.order_length.max(self.colors)].to_vec();
        order.reverse();
        (self.grid() + &order.into_iter().collect::<String>() + "\n").into_bytes()
    }

    fn free(&self) -> Vec<u8> {
        self.grid().into_bytes()
    }
}

fn cases(side: usize, colors: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Case> {
    let alphabet = Just(('A'..='Z').collect::<Vec<char>>()).prop_shuffle();
    let stripes = prop_oneof![Just(0_u8), Just(90), 0..=100_u8];
    let blocks = vec((0..100_u8, any::<u8>()), side * side);
    (1..=side, 1..=side, colors, stripes, blocks, alphabet, 1..=26_usize).prop_map(
        |(rows, columns, colors, stripes_percent, blocks, alphabet, order_length)| Case {
            rows,
            columns,
            colors,
            stripes_percent,
            blocks,
            alphabet,
            order_length,
        },
    )
}

/// Compares checker and model on the strategy's score for this many boards; returns the situations that occurred.
fn compare_prescribed(count: u32, cases: &impl Strategy<Value = Case>) -> Seen {
    let seen = RefCell::new(Seen::default());
    let result = TestRunner::new(config(count)).run(cases, |case| {
        let score = model::prescribed(&case.prescribed(), &mut seen.borrow_mut()).expect("made valid");
        let game = checker("same-game").read(&case.prescribed()).expect("made valid");
        prop_assert_eq!(game.check(score.to_string().as_bytes()), Ok(score.into()));
        let rejection = rejected(game.check((score + 1).to_string().as_bytes()));
        prop_assert_eq!(rejection.expected, score.to_string());
        Ok(())
    });
    result.unwrap_or_else(|failure| panic!("{failure}"));
    seen.into_inner()
}

#[test]
fn thousands_of_small_boards_score_as_in_the_model() {
    let seen = compare_prescribed(6_000, &cases(8, 1..=5));
    let reached =
        [seen.size_ties, seen.row_ties, seen.empty_columns, seen.parted_empty_columns, seen.cleared, seen.colors_back];
    assert!(reached.iter().all(|&count| count >= 50), "the boards miss an edge: {seen:?}");
}

#[test]
fn large_boards_score_as_in_the_model() {
    compare_prescribed(10, &cases(30, 2..=26));
    let full = cases(50, 3..=6).prop_map(|case| Case { rows: 50, columns: 50, stripes_percent: 0, ..case });
    compare_prescribed(1, &full);
}

/// Returns an answer to the open game: these many legal moves.
fn free_answer(input: &[u8], rolls: &[(usize, usize)]) -> Vec<u8> {
    let moves = model::moves(input, rolls);
    let lines = moves.iter().map(|(row, column)| format!("{row} {column}\n"));
    format!("{}\n{}", moves.len(), lines.collect::<String>()).into_bytes()
}

fn rolls() -> impl Strategy<Value = Vec<(usize, usize)>> {
    prop_oneof![vec(any::<(usize, usize)>(), 0..=6), vec(any::<(usize, usize)>(), 40)]
}

/// Checks that the frames add up to the score and show the removed blocks.
fn is_well_told(frames: &[Frame], score: &Score) -> Result<(), TestCaseError> {
    let last = frames.last().expect("a game has a first and a last frame");
    prop_assert_eq!(&last.total, score);
    for pair in frames.windows(2) {
        let (gained, marked) = (
            pair[1].gained.as_integer().expect("games give integers").into_owned(),
            pair[1].board.cells.iter().filter(|cell| cell.marked),
        );
        prop_assert_eq!(
            pair[0].total.as_integer().expect("games give integers").into_owned() + &gained,
            pair[1].total.as_integer().expect("games give integers").into_owned()
        );
        let group: Vec<_> = marked.collect();
        if pair[1].step > pair[0].step {
            prop_assert_eq!(gained.clone(), (group.len() * (group.len() - 1) / 2).into());
            prop_assert!(group.iter().all(|cell| cell.text == group[0].text && cell.color == group[0].color));
        } else {
            prop_assert!(group.is_empty());
        }
    }
    let left = |frame: &Frame| frame.board.cells.iter().filter(|cell| cell.text.is_some()).count();
    let removed: usize = frames.iter().map(|frame| frame.board.cells.iter().filter(|cell| cell.marked).count()).sum();
    prop_assert_eq!(left(&frames[0]) - removed, left(last));
    Ok(())
}

proptest! {
    #![proptest_config(config(2_000))]

    #[test]
    fn free_games_score_as_in_the_model(case in cases(8, 1..=5), rolls in rolls()) {
        let (input, answer) = (case.free(), free_answer(&case.free(), &rolls));
        let score = model::free(&input, &answer, &mut Seen::default()).expect("made valid");
        prop_assert_eq!(checked("same-game-free", &input, &answer), Some(score.into()));
    }

    #[test]
    fn damaged_free_texts_are_valid_exactly_when_the_model_says_so(
        case in cases(5, 1..=4), rolls in rolls(), to_input in damages(), to_answer in damages(),
    ) {
        let (input, answer) = (case.free(), free_answer(&case.free(), &rolls));
        let (bad_input, bad_answer) = (damaged(&input, &to_input), damaged(&answer, &to_answer));
        for (input, answer) in [(&bad_input, &answer), (&input, &bad_answer), (&bad_input, &bad_answer)] {
            let score = model::free(input, answer, &mut Seen::default()).map(Score::from);
            prop_assert_eq!(checked("same-game-free", input, answer), score);
        }
    }

    #[test]
    fn damaged_inputs_are_valid_exactly_when_the_model_says_so(case in cases(5, 1..=4), damages in damages()) {
        let input = damaged(&case.prescribed(), &damages);
        let score = model::prescribed(&input, &mut Seen::default());
        let game = checker("same-game").read(&input);
        prop_assert_eq!(game.is_ok(), score.is_some());
        if let (Ok(game), Some(score)) = (game, score) {
            prop_assert_eq!(game.check(format!("\n00{score}\r\n").as_bytes()), Ok(score.into()));
        }
    }

    #[test]
    fn damaged_scores_are_right_exactly_when_they_still_say_the_same(case in cases(4, 1..=3), damages in damages()) {
        let score = model::prescribed(&case.prescribed(), &mut Seen::default()).expect("made valid");
        let answer = damaged(format!("{score}\n").as_bytes(), &damages);
        let said: Vec<&[u8]> = answer.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
        let zeros = |word: &[u8]| word.iter().take_while(|&&digit| digit == b'0').count();
        let right = said.len() == 1 && !answer.contains(&b'\x0c') && match said[0] {
            b"-0" => score == 0,
            word => word[zeros(word)..] == *score.to_string().trim_start_matches('0').as_bytes(),
        };
        prop_assert_eq!(checked("same-game", &case.prescribed(), &answer).is_some(), right);
    }

    #[test]
    fn any_bytes_are_judged(input: Vec<u8>, answer: Vec<u8>) {
        for id in ["same-game", "same-game-free"] {
            let _ = checker(id).read(&input).map(|game| game.check(&answer));
        }
        prop_assert_eq!(checked("same-game", b"3\nRBB\nRRR\nRBB\nRB\n", &answer), None, "only 64 would be right");
        let score = model::free(b"2\nAA\nBA", &answer, &mut Seen::default()).map(Score::from);
        prop_assert_eq!(checked("same-game-free", b"2\nAA\nBA", &answer), score);
    }

    #[test]
    fn an_observer_sees_every_point_and_changes_none(case in cases(8, 1..=5), rolls in rolls()) {
        let mut recorder = Recorder::default();
        let score: Score = model::prescribed(&case.prescribed(), &mut Seen::default()).expect("made valid").into();
        let game = checker("same-game").read(&case.prescribed()).unwrap();
        prop_assert_eq!(game.replay(score.to_string().as_bytes(), &mut recorder), Ok(score.clone()));
        is_well_told(&recorder.0, &score)?;

        let mut recorder = Recorder::default();
        let game = checker("same-game-free").read(&case.free()).unwrap();
        let answer = free_answer(&case.free(), &rolls);
        let score = game.replay(&answer, &mut recorder).unwrap();
        prop_assert_eq!(game.check(&answer), Ok(score.clone()));
        is_well_told(&recorder.0, &score)?;
    }
}

/// Returns the board as rows, marked blocks in small letters.
fn drawn(frame: &Frame) -> String {
    let cell = |cell: &checkers::Cell| match &cell.text {
        None => "-".to_owned(),
        Some(text) if cell.marked => text.to_lowercase(),
        Some(text) => text.clone().into_owned(),
    };
    let rows = frame.board.cells.chunks(frame.board.width);
    rows.map(|row| row.iter().map(cell).collect::<String>()).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_replay_shows_removal_by_removal() {
    let captions = |id: &str, input: &[u8], answer: &[u8]| {
        let mut recorder = Recorder::default();
        checker(id).read(input).unwrap().replay(answer, &mut recorder).unwrap();
        let frames =
            recorder.0.iter().map(|frame| (frame.step, frame.total.to_string(), frame.caption.clone(), drawn(frame)));
        frames.map(|(step, total, caption, board)| format!("{step}: {board} = {total}, {caption}")).collect::<Vec<_>>()
    };
    let cleared = [
        "0: RBB RRR RBB = 0, the board at the start",
        "1: rBB rrr rBB = 10, 5 × R removed",
        "2: --- bb- bb- = 16, 4 × B removed",
        "2: --- --- --- = 64, the board is cleared: all points count fourfold",
    ];
    assert_eq!(captions("same-game", b"3\nRBB\nRRR\nRBB\nRB\n", b"64"), cleared);
    let given_up = [
        "0: ABA ABC ABA = 0, the board at the start",
        "1: AbA AbC AbA = 3, 3 × B removed",
        "1: AA- AC- AA- = 3, 6 blocks are left",
    ];
    assert_eq!(captions("same-game-free", b"3\nABA\nABC\nABA\n", b"1\n2 1\n"), given_up);
    assert_eq!(captions("same-game-free", b"1\nABB\n", b"1 0 2").last().unwrap(), "1: A-- = 1, 1 block is left");
}

/// Both groups of A have twelve blocks and reach the top. The right one reaches further left, but lower down.
#[test]
fn the_column_that_breaks_a_tie_is_that_of_the_topmost_row() {
    let rows = ["BAABA", "CAACA", "BAABA", "CAACA", "BAABA", "CAACA", "BCBCA", "AAAAA"];
    let input = format!("8\n{}\nABC\n", rows.join("\n"));
    let mut recorder = Recorder::default();
    let score = model::prescribed(input.as_bytes(), &mut Seen::default()).unwrap();
    let game = checker("same-game").read(input.as_bytes()).unwrap();
    assert_eq!(game.replay(score.to_string().as_bytes(), &mut recorder), Ok(score.into()));
    assert_eq!(drawn(&recorder.0[1]), "BaaBA CaaCA BaaBA CaaCA BaaBA CaaCA BCBCA AAAAA");
}

#[test]
fn the_same_case_twice_is_the_same() {
    for id in ["same-game", "same-game-free"] {
        for seed in 0..40 {
            let input = checker(id).generate(seed).unwrap();
            assert_eq!(input, checker(id).generate(seed).unwrap());
            assert!(checker(id).read(&input).is_ok(), "{id}, seed {seed}");
        }
    }
}

#[test]
fn the_features_describe_the_case() {
    for (id, input) in [("same-game", "2\nABC\nBBC\nXCBA"), ("same-game-free", "2\nABC\nBBC\n")] {
        let features = checker(id).read(input.as_bytes()).unwrap().features();
        let features: Vec<_> = features.iter().map(|feature| (feature.name, feature.value)).collect();
        assert_eq!(features, [("rows", 2), ("columns", 3), ("colors", 3)]);
    }
}

#[test]
fn the_ground_truth_is_met() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/same-game");
    let mut files = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "expect") {
            files += 1;
            let expected = std::fs::read_to_string(&path).unwrap();
            let input = std::fs::read(path.with_extension("in")).unwrap();
            let case = checker("same-game").read(&input).unwrap_or_else(|why| panic!("{path:?}: {why}"));
            assert_eq!(case.check(expected.as_bytes()), Ok(expected.trim().parse().unwrap()), "{path:?}");
            assert!(case.check(format!("1{}", expected.trim()).as_bytes()).is_err(), "{path:?}");
        }
    }
    assert!(files > 0, "no ground truth was found");
}

/// The rules once more: a map of cells, searched from scratch before every removal.
mod model {
    use std::collections::{BTreeSet, HashMap};

    type Cell = (usize, usize);
    /// By row, from the top, and column.
    type Blocks = HashMap<Cell, char>;

    /// How often games contained situations that are easy to get wrong.
    #[derive(Debug, Default, Clone, Copy)]
    pub(super) struct Seen {
        pub(super) size_ties: u64,
        pub(super) row_ties: u64,
        pub(super) empty_columns: u64,
        pub(super) parted_empty_columns: u64,
        pub(super) cleared: u64,
        pub(super) colors_back: u64,
    }

    /// Returns the strategy's score, or `None` if the input is not valid.
    pub(super) fn prescribed(input: &[u8], seen: &mut Seen) -> Option<u64> {
        let mut words = words(input);
        let mut blocks = grid(&mut words)?;
        let order: Vec<char> = letters(words.next()?, 26)?;
        let different: BTreeSet<char> = order.iter().copied().collect();
        if words.next().is_some() || different.len() < order.len() || !blocks.values().all(|b| order.contains(b)) {
            return None;
        }
        let place = |color: char| order.iter().position(|&other| other == color).expect("named in the order");
        let (mut points, mut latest) = (0, 0);
        loop {
            let ranked = groups(&blocks).into_iter().map(|group| {
                let color = place(blocks[group.first().expect("not empty")]);
                let row = group.iter().map(|&(row, _)| row).min().expect("not empty");
                let column = group.iter().filter(|cell| cell.0 == row).map(|&(_, column)| column).min();
                ((color, group.len(), row, column.expect("not empty")), group)
            });
            let mut ranked: Vec<_> = ranked.collect();
            ranked.sort();
            let Some((key, group)) = ranked.first() else { break };
            if let Some((second, _)) = ranked.get(1) {
                let same_size = (key.0, key.1) == (second.0, second.1);
                seen.size_ties += u64::from(same_size);
                seen.row_ties += u64::from(same_size && key.2 == second.2);
            }
            seen.colors_back += u64::from(key.0 < latest);
            latest = key.0;
            points += remove(&mut blocks, group, seen);
        }
        seen.cleared += u64::from(blocks.is_empty());
        Some(if blocks.is_empty() { 4 * points } else { points })
    }

    /// Returns the score, or `None` if input or answer is not valid.
    pub(super) fn free(input: &[u8], answer: &[u8], seen: &mut Seen) -> Option<u64> {
        let mut input = words(input);
        let mut blocks = grid(&mut input)?;
        if input.next().is_some() {
            return None;
        }
        let mut answer = words(answer);
        let mut points = 0;
        for _ in 0..number(answer.next()?)? {
            let cell = (number(answer.next()?)?, number(answer.next()?)?);
            let group = groups(&blocks).into_iter().find(|group| group.contains(&cell))?;
            points += remove(&mut blocks, &group, seen);
        }
        if answer.next().is_some() {
            return None;
        }
        seen.cleared += u64::from(blocks.is_empty());
        Some(if blocks.is_empty() { 4 * points } else { points })
    }

    /// Turns random numbers into legal moves for this input: which group, and which of its cells names it.
    pub(super) fn moves(input: &[u8], rolls: &[(usize, usize)]) -> Vec<Cell> {
        let mut blocks = grid(&mut words(input)).expect("a valid grid");
        let mut moves = Vec::new();
        for &(which, cell) in rolls {
            let mut groups = groups(&blocks);
            if groups.is_empty() {
                break;
            }
            let group = groups.remove(which % groups.len());
            moves.push(*group.iter().nth(cell % group.len()).expect("within the group"));
            remove(&mut blocks, &group, &mut Seen::default());
        }
        moves
    }

    fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
        text.split(|byte| b" \t\r\n".contains(byte)).filter(|word| !word.is_empty())
    }

    /// Reads an integer. No valid one is negative or large, so those need no value.
    fn number(word: &[u8]) -> Option<usize> {
        let word = std::str::from_utf8(word).ok().filter(|word| !word.starts_with('+'))?;
        if word.starts_with('-') && word.len() > 1 && word[1..].bytes().all(|digit| digit == b'0') {
            return Some(0);
        }
        word.parse().ok().filter(|&value| value < 10_000)
    }

    fn letters(word: &[u8], most: usize) -> Option<Vec<char>> {
        let capitals = word.iter().all(u8::is_ascii_uppercase);
        (capitals && word.len() <= most).then(|| word.iter().map(|&byte| char::from(byte)).collect())
    }

    fn grid<'a>(words: &mut impl Iterator<Item = &'a [u8]>) -> Option<Blocks> {
        let count = number(words.next()?).filter(|count| (1..=50).contains(count))?;
        let rows = (0..count).map(|_| letters(words.next()?, 50)).collect::<Option<Vec<_>>>()?;
        if rows.iter().any(|row| row.len() != rows[0].len()) {
            return None;
        }
        let rows = rows.into_iter().enumerate();
        Some(rows.flat_map(|(r, row)| row.into_iter().enumerate().map(move |(c, block)| ((r, c), block))).collect())
    }

    /// Returns all groups, in an order that does not depend on the map's.
    fn groups(blocks: &Blocks) -> Vec<BTreeSet<Cell>> {
        let mut loose: BTreeSet<Cell> = blocks.keys().copied().collect();
        let mut groups = Vec::new();
        while let Some(start) = loose.pop_first() {
            let (mut group, mut edge) = (BTreeSet::from([start]), vec![start]);
            while let Some((row, column)) = edge.pop() {
                let around = [
                    (row + 1, column),
                    (row.wrapping_sub(1), column),
                    (row, column + 1),
                    (row, column.wrapping_sub(1)),
                ];
                for near in around {
                    if blocks.get(&near) == Some(&blocks[&start]) && loose.remove(&near) {
                        group.insert(near);
                        edge.push(near);
                    }
                }
            }
            if group.len() > 1 {
                groups.push(group);
            }
        }
        groups
    }

    /// Removes a group and returns its points.
    fn remove(blocks: &mut Blocks, group: &BTreeSet<Cell>, seen: &mut Seen) -> u64 {
        let floor = blocks.keys().map(|&(row, _)| row).max();
        let columns = |blocks: &Blocks| blocks.keys().map(|&(_, column)| column).collect::<BTreeSet<_>>();
        let before = columns(blocks);
        blocks.retain(|cell, _| !group.contains(cell));
        while let Some(&(row, column)) =
            blocks.keys().find(|&&(row, column)| Some(row) < floor && !blocks.contains_key(&(row + 1, column)))
        {
            let block = blocks.remove(&(row, column)).expect("it was listed");
            blocks.insert((row + 1, column), block);
        }
        let after = columns(blocks);
        let gone: Vec<usize> = before.difference(&after).copied().collect();
        seen.empty_columns += u64::from(gone.len() > 1);
        seen.parted_empty_columns += u64::from(gone.windows(2).any(|pair| pair[1] - pair[0] > 1));
        let shifted = blocks.drain().map(|((row, column), block)| {
            ((row, column - gone.iter().filter(|&&empty| empty < column).count()), block)
        });
        *blocks = shifted.collect();
        (group.len() * (group.len() - 1) / 2) as u64
    }
}
