//! `square-remover`, compared with the official tester's own inputs and scores and with a slow second implementation of
//! the statement.

#![allow(clippy::unwrap_used, reason = "in a test, a failed unwrap is a failed test")]

#[path = "model/square_remover.rs"]
mod model;

use crate::{Recorder, rejected};
use checkers::{Case, Checker, Frame, Observer, Score};
use model::Model;
use proptest::prelude::*;
use std::path::{Path, PathBuf};

const MOVES: usize = 10_000;

fn checker() -> &'static Checker {
    checkers::find("square-remover").unwrap()
}

fn case(input: &[u8]) -> Box<dyn Case> {
    checker().read(input).unwrap()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

fn data() -> PathBuf {
    root().join("tests/data/square-remover")
}

/// Returns `(answer, input, score)` for the lines `ANSWER SEED SCORE` of an `expected.tsv`.
fn expected_scores(folder: &Path) -> Vec<(PathBuf, PathBuf, Score)> {
    let table = std::fs::read_to_string(folder.join("expected.tsv")).unwrap();
    let fields = table.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>());
    fields
        .map(|line| (folder.join(line[0]), folder.join(format!("{}.in", line[1])), line[2].parse().unwrap()))
        .collect()
}

fn score_of(input: &Path, answer: &Path) -> Score {
    case(&std::fs::read(input).unwrap()).check(&std::fs::read(answer).unwrap()).unwrap()
}

/// Reads every hundredth frame.
struct Glances(usize);

impl Observer for Glances {
    fn step(&mut self, _: usize, frame: &mut dyn FnMut() -> Frame) {
        self.0 += 1;
        if self.0.is_multiple_of(100) {
            assert!(!frame().board.cells.is_empty());
        }
    }
}

#[test]
fn the_generator_gives_the_official_inputs_byte_for_byte() {
    for seed in 1..=10 {
        let official = std::fs::read(data().join(format!("{seed}.in"))).unwrap();
        assert_eq!(checker().generate(seed).unwrap(), official, "seed {seed}");
    }
}

#[test]
fn seed_0_is_refused() {
    assert_eq!(checker().generate(0).unwrap_err().seed, 0);
}

#[test]
fn random_play_scores_what_the_official_tester_gave() {
    let games = expected_scores(&data());
    assert_eq!(games.len(), 10);
    for (answer, input, score) in games {
        assert_eq!(score_of(&input, &answer), score, "{}", answer.display());
    }
}

#[test]
fn strong_play_scores_what_the_official_tester_gave() {
    let Some(folder) = crate::require::contest_files("square-remover") else { return };
    for (answer, input, score) in expected_scores(&folder) {
        assert_eq!(score_of(&input, &answer), score, "{}", answer.display());
    }
}

/// Chooses the moves of a game as it goes: the first of a few random swaps that makes a square.
struct Player {
    random: u64,
    tries: usize,
}

impl Player {
    fn below(&mut self, bound: usize) -> usize {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) as usize % bound
    }

    /// Plays one move and returns it.
    fn play(&mut self, model: &mut Model) -> (usize, usize, usize) {
        let size = model.board.len();
        let mut tried = 0;
        loop {
            let (row, column, direction) = (self.below(size), self.below(size), self.below(4));
            if [row == 0, column == size - 1, row == size - 1, column == 0][direction] {
                continue;
            }
            model.swap(row, column, direction);
            tried += 1;
            if tried >= self.tries || model.remove_one().is_some() {
                while model.remove_one().is_some() {}
                return (row, column, direction);
            }
            model.swap(row, column, direction);
        }
    }
}

/// Plays a whole game on the model and returns the answer and its score.
fn full_game(input: &[u8], random: u64, tries: usize) -> (String, u64) {
    let mut model = Model::read(str::from_utf8(input).unwrap());
    let mut player = Player { random, tries };
    while model.remove_one().is_some() {}
    let moves = (0..MOVES).map(|_| player.play(&mut model));
    let answer = moves.map(|(row, column, direction)| format!("{row} {column} {direction}\n")).collect();
    (answer, model.score)
}

#[test]
fn whole_games_score_what_the_model_gives() {
    let mut most = 0;
    for seed in 1..=120 {
        let input = checker().generate(seed).unwrap();
        let (answer, score) = full_game(&input, seed, [1, 4, 30][seed as usize % 3]);
        assert_eq!(case(&input).check(answer.as_bytes()), Ok(Score::from(score)), "seed {seed}");
        most = most.max(score);
    }
    assert!(most > 2_000, "the games are rich in squares: {most}");
}

#[test]
fn the_cascade_before_the_first_move_scores() {
    // The next move undoes the last one, without end. Without the first cascade there would be almost no score.
    let input = "4\n8\n".to_owned() + &"00000000\n".repeat(8) + "12345\n";
    let answer = "0 0 1\n".repeat(MOVES);
    let mut model = Model::read(&input);
    while model.remove_one().is_some() {}
    let before = model.score;
    for _ in 0..MOVES {
        model.swap(0, 0, 1);
        while model.remove_one().is_some() {}
    }
    assert!(before >= 16, "64 cells of one colour: {before}");
    assert_eq!(case(input.as_bytes()).check(answer.as_bytes()), Ok(Score::from(model.score)));
}

#[test]
fn frames_show_the_same_game() {
    let input = checker().generate(2).unwrap();
    let (answer, score) = full_game(&input, 7, 10);
    let mut album = Recorder::default();
    assert_eq!(case(&input).replay(answer.as_bytes(), &mut album), Ok(Score::from(score)));
    let frames = album.0;
    assert_eq!(frames.len() as u64, 1 + MOVES as u64 + score, "the start, each swap, each square");
    assert_eq!((frames[0].step, frames[0].caption.as_str()), (0, "the start"));

    let mut model = Model::read(str::from_utf8(&input).unwrap());
    let mut moves =
        answer.lines().map(|line| line.split(' ').map(|number| number.parse().unwrap()).collect::<Vec<_>>());
    for (i, frame) in frames.iter().enumerate() {
        let marked = frame.board.cells.iter().filter(|cell| cell.marked).count();
        if i > 0 && frame.gained == Score::from(1) {
            let (row, column) = model.remove_one().unwrap();
            assert!(frame.board.cells[row * frame.board.width + column].marked);
            assert_eq!(marked, 4);
        } else if i > 0 {
            let swap = moves.next().unwrap();
            model.swap(swap[0], swap[1], swap[2]);
            assert_eq!(marked, 2);
        }
        let colors = frame.board.cells.iter().map(|cell| u64::from(cell.color));
        assert!(colors.eq(model.board.concat()), "frame {i}: {}", frame.caption);
        assert_eq!(frame.total, Score::from(model.score));
    }
}

/// An answer of legal moves with its `number`th integer, from 0, replaced.
fn spoiled(number: usize, token: &str) -> String {
    let mut numbers = vec!["1"; 3 * MOVES];
    numbers[number] = token;
    numbers.join("\n")
}

#[test]
fn an_illegal_move_rejects_the_whole_answer_and_is_named() {
    let case = case(&checker().generate(1).unwrap());
    assert!(case.check(spoiled(0, "+1").as_bytes()).is_ok());
    for (number, token, message) in [
        (0, "14", "line 1, column 1, move 1: the row is out of range: expected an integer from 0 to 13, found `14`"),
        (
            29_999,
            "4",
            "line 30000, column 1, move 10000: the direction is out of range: expected an integer from 0 to 3, found `4`",
        ),
        (
            15_001,
            "x",
            "line 15002, column 1, move 5001: the column is not an integer: expected an integer from 0 to 13, found `x`",
        ),
    ] {
        assert_eq!(case.check(spoiled(number, token).as_bytes()).unwrap_err().to_string(), message);
    }
    // The first one counts, not the worst.
    let twice = spoiled(7, "99").replacen("1\n", "99999999999999999999\n", 1);
    assert_eq!(rejected(case.check(twice.as_bytes())).step, Some(1));
}

#[test]
fn exactly_30000_integers_are_taken_in_any_white_space() {
    let case = case(&checker().generate(1).unwrap());
    let numbers = vec!["1"; 3 * MOVES];
    let score = case.check(numbers.join("\n").as_bytes()).unwrap();
    for separator in [" ", "\t", "\r\n", "\n\n \t"] {
        assert_eq!(case.check((numbers.join(separator) + separator).as_bytes()), Ok(score.clone()), "{separator:?}");
    }
    let short = rejected(case.check(numbers[1..].join("\n").as_bytes()));
    assert_eq!((short.step, short.rule.as_str()), (Some(10_000), "the text ends too early"));
    let long = case.check((numbers.join("\n") + "\n1").as_bytes()).unwrap_err();
    assert_eq!(long.to_string(), "line 30001, column 1: the text goes on too long: expected the end, found `1`");
    let none = rejected(case.check(b""));
    assert_eq!(none.location(), "line 1, column 1, move 1");
}

/// Bytes that are nearly a text: some of it cut, doubled or overwritten.
fn mutated(text: Vec<u8>) -> impl Strategy<Value = Vec<u8>> {
    let length = text.len();
    let edits = prop::collection::vec((0..length, 0..40usize, prop::collection::vec(any::<u8>(), 0..4)), 1..4);
    edits.prop_map(move |edits| {
        let mut bytes = text.clone();
        for (at, removed, added) in edits {
            let at = at.min(bytes.len());
            let end = (at + removed).min(bytes.len());
            bytes.splice(at..end, added);
        }
        bytes
    })
}

/// Digits, signs and white space: bytes that get further than random ones.
fn number_soup() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop::sample::select(b"0123456789 \n\t\r+-".to_vec()), 0..2_000)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_bytes_are_an_input_or_are_malformed(
        bytes in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..400),
            number_soup(),
            mutated(checker().generate(3).unwrap()),
        ]
    ) {
        if let Ok(case) = checker().read(&bytes) {
            prop_assert!(case.check(b"").is_err());
        }
    }

    #[test]
    fn any_bytes_are_scored_or_rejected(
        bytes in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..400),
            number_soup(),
            mutated(vec![b"1\n".as_slice(); 3 * MOVES].concat()),
        ]
    ) {
        let case = case(&checker().generate(3).unwrap());
        let observed = case.replay(&bytes, &mut Glances(0));
        prop_assert_eq!(case.check(&bytes), observed);
    }
}
