//! `deletion-game` against an independent, slow model of the statement, against ground truth, and against damaged
//! texts.

#[path = "model/deletion_game.rs"]
mod model;
mod mutate;

use checkers::{CheckError, Checker, Frame, Observer};
use model::{Broken, Model, Outcome, Seen};
use mutate::{damaged, damages};
use num_bigint::BigInt;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::cell::RefCell;
use std::path::Path;

fn deletion_game() -> &'static dyn Checker {
    checkers::find("deletion-game").expect("the game is registered")
}

/// Runs this many cases and leaves no files behind.
fn config(cases: u32) -> Config {
    Config { cases, failure_persistence: None, ..Config::default() }
}

/// Compares the checker's outcome with the model's: the score, or the broken rule, the move and the place.
fn compare(input: &[u8], answer: &[u8], seen: &mut Seen) -> Result<(), TestCaseError> {
    let case = deletion_game().read(input);
    match (model::outcome(input, answer, seen), case.map(|case| case.check(answer))) {
        (Outcome::BadInput, found) => prop_assert!(found.is_err(), "the input is not valid: {:?}", found),
        (Outcome::Scored(score), found) => prop_assert_eq!(found, Ok(Ok(score.into()))),
        (Outcome::Rejected(Broken { rule, step, offset }), Ok(Err(CheckError::Rejected(found)))) => {
            // Where the text ends too early, what is missing names the rule.
            let named = found.rule.contains(rule) || found.expected.contains(rule);
            prop_assert!(named, "{} is not {}", found, rule);
            let before = String::from_utf8_lossy(&answer[..offset]).into_owned();
            let column = offset + 1 - answer[..offset].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
            let line = before.matches('\n').count() + 1;
            prop_assert_eq!((found.step, found.place.line, found.place.column), (step, line, column));
        }
        (Outcome::Rejected(broken), found) => prop_assert!(false, "{:?} was not found: {:?}", broken, found),
    }
    Ok(())
}

/// A case and the decisions of a player who knows the rules and sometimes breaks one.
#[derive(Debug, Clone)]
struct Game {
    rows: usize,
    columns: usize,
    moves: usize,
    shortest: usize,
    longest: usize,
    exponents: (u32, u32),
    halves: bool,
    digits: Vec<u8>,
    plan: Vec<Plan>,
    numbered: bool,
    /// How many more moves than there are the answer announces.
    exaggeration: i64,
}

#[derive(Debug, Clone)]
struct Plan {
    start: usize,
    length: usize,
    turns: Vec<u8>,
}

impl Game {
    fn input(&self) -> Vec<u8> {
        let Self { rows, columns, moves, shortest, longest, exponents: (c1, c2), .. } = self;
        let number = if self.numbered { "7\n" } else { "" };
        let f = u8::from(self.halves);
        let mut text = format!("{number}{rows} {columns} {moves} {shortest} {longest} {c1} {c2} {f}\n");
        for row in self.digits.chunks(*columns).take(*rows) {
            text.push_str(&row.iter().map(u8::to_string).collect::<Vec<_>>().join(" "));
            text.push('\n');
        }
        text.into_bytes()
    }

    /// Plays along in the model, so that paths are legal unless a turn says otherwise.
    fn answer(&self) -> Vec<u8> {
        let mut model = Model::read(&self.input()).expect("made valid");
        let mut lines = Vec::new();
        for plan in &self.plan {
            let path = self.path(&model, plan);
            // One path in 40 may be too short.
            if path.len() < self.shortest && plan.start % 40 != 1 {
                continue;
            }
            let legal = (1..=path.len()).all(|length| model.broken_by_last(&path[..length]).is_none());
            if legal && (self.shortest..=self.longest).contains(&path.len()) {
                model.play(&path, &mut Seen::default());
            }
            let spots: String = path.iter().map(|(x, y)| format!(" {x} {y}")).collect();
            lines.push(format!("{}{spots}\n", path.len()));
        }
        format!("{}\n{}", lines.len() as i64 + self.exaggeration, lines.concat()).into_bytes()
    }

    fn path(&self, model: &Model, plan: &Plan) -> Vec<(i64, i64)> {
        let cells = (1..=self.rows as i64).flat_map(|x| (1..=self.columns as i64).map(move |y| (x, y)));
        // One start in 20 is any cell, be it blank or 0.
        let reckless = plan.start.is_multiple_of(20);
        let starts: Vec<_> = cells.filter(|&cell| reckless || model.broken_by_last(&[cell]).is_none()).collect();
        let mut path = vec![starts.get(plan.start / 60 % starts.len().max(1)).copied().unwrap_or((1, 1))];
        // One path in 40 may be too long.
        let length = if plan.start % 40 == 2 { plan.length } else { plan.length.clamp(self.shortest, self.longest) };
        for &turn in plan.turns.iter().cycle().take(length - 1) {
            let (x, y) = path[path.len() - 1];
            let step = match turn {
                200.. => [(x + 1, y + 1), (x, y), (x + 2, y), (x, y - 1), (x - 1, y), (x, y + 1), (x + 1, y)]
                    [usize::from(turn - 200) % 7],
                _ => {
                    let mut around = [(x + 1, y), (x, y + 1), (x - 1, y), (x, y - 1)];
                    around.rotate_left(usize::from(turn) % 4);
                    let legal =
                        |&&next: &&(i64, i64)| model.broken_by_last(&[path.clone(), vec![next]].concat()).is_none();
                    match around.iter().find(legal) {
                        Some(&next) => next,
                        None => break,
                    }
                }
            };
            path.push(step);
        }
        path
    }
}

/// Games on boards of up to `side` rows and columns; in `reckless` ones, one turn in 60 follows no rule.
fn games(side: usize, plans: usize, reckless: bool) -> impl Strategy<Value = Game> {
    let digit = prop_oneof![Just(1_u8), Just(3), Just(7), 0..=9_u8];
    let exponents = (prop_oneof![8 => 0..=3_u32, 1 => 4..=100_u32], prop_oneof![8 => 0..=3_u32, 1 => 4..=100_u32]);
    let lengths = (prop_oneof![3 => Just(1_usize), 3 => Just(2), 1 => 3..=4_usize], 0..=6_usize);
    let turn = prop_oneof![60 => 0..200_u8, u32::from(reckless) => 200..207_u8];
    let turns = vec(turn, 1..=8);
    let plan = (any::<u16>(), prop_oneof![1 => Just(1_usize), 12 => 2..=7_usize], turns);
    let plan = plan.prop_map(|(start, length, turns)| Plan { start: start.into(), length, turns });
    let exaggeration = prop_oneof![12 => Just(0_i64), 1 => -1..=1_i64];
    let slack = prop_oneof![20 => 0..=5_usize, 1 => Just(0)];
    let size = (1..=side, 1..=side, vec(digit, side * side));
    (size, lengths, exponents, any::<(bool, bool)>(), vec(plan, 0..=plans), slack, exaggeration).prop_map(
        |((rows, columns, digits), (shortest, more), exponents, (halves, numbered), plan, slack, exaggeration)| {
            let (moves, longest) = (plan.len() + slack, shortest + more);
            Game { rows, columns, moves, shortest, longest, exponents, halves, digits, plan, numbered, exaggeration }
        },
    )
}

/// Compares checker and model on this many games; returns what they came upon.
fn compare_games(cases: u32, games: &impl Strategy<Value = Game>) -> Seen {
    let seen = RefCell::new(Seen::default());
    let result = TestRunner::new(config(cases))
        .run(games, |game| compare(&game.input(), &game.answer(), &mut seen.borrow_mut()));
    result.unwrap_or_else(|failure| panic!("{failure}"));
    seen.into_inner()
}

#[test]
fn thousands_of_small_games_score_as_in_the_model() {
    let seen = compare_games(5_000, &games(6, 8, true));
    let reached = [
        seen.wasted,
        seen.single_cells,
        seen.primes,
        seen.palindromes,
        seen.prime_palindromes,
        seen.unpaid_primes,
        seen.shortest,
        seen.longest,
        seen.great_sums,
        seen.halved,
        seen.halved_to_something,
        seen.falls,
    ];
    assert!(reached.iter().all(|&count| count >= 50), "the games miss an edge: {seen:?}");
    assert!(seen.broken.iter().all(|&count| count >= 10), "the games miss a rule: {seen:?}");
}

#[test]
fn larger_boards_score_as_in_the_model() {
    let large = games(14, 30, false).prop_map(|game| Game {
        rows: game.rows.max(8),
        columns: game.columns.max(8),
        exaggeration: 0,
        ..game
    });
    let seen = compare_games(300, &large);
    assert!(seen.halved_beyond_64 >= 20 && seen.falls >= 5_000 && seen.primes >= 100, "{seen:?}");
}

/// Keeps everything it is shown.
#[derive(Default)]
struct Recorder(Vec<Frame>);

impl Observer for Recorder {
    fn step(&mut self, _: usize, frame: &mut dyn FnMut() -> Frame) {
        self.0.push(frame());
    }
}

proptest! {
    #![proptest_config(config(2_000))]

    #[test]
    fn damaged_texts_are_judged_as_in_the_model(
        game in games(4, 5, true), to_input in damages(), to_answer in damages(),
    ) {
        let (input, answer) = (game.input(), game.answer());
        let (bad_input, bad_answer) = (damaged(&input, &to_input), damaged(&answer, &to_answer));
        for (input, answer) in [(&bad_input, &answer), (&input, &bad_answer), (&bad_input, &bad_answer)] {
            compare(input, answer, &mut Seen::default())?;
        }
    }

    #[test]
    fn any_bytes_are_judged(input: Vec<u8>, answer: Vec<u8>) {
        compare(&input, &answer, &mut Seen::default())?;
        compare(b"1 2 1 1 2 1 1 0\n1 1\n", &answer, &mut Seen::default())?;
    }

    #[test]
    fn an_observer_sees_every_point_and_changes_none(game in games(6, 8, false)) {
        let game = Game { exaggeration: 0, ..game };
        let case = deletion_game().read(&game.input()).unwrap();
        let mut recorder = Recorder::default();
        let found = case.replay(&game.answer(), &mut recorder);
        prop_assert_eq!(&case.check(&game.answer()), &found);

        let frames = recorder.0;
        prop_assert!(frames[0].step == 0 && frames[0].board.cells.iter().all(|cell| cell.text.is_some()));
        let last = frames.last().unwrap();
        prop_assert!(found.map_or(true, |score| score == last.total));
        let points: BigInt = frames.iter().map(|frame| frame.gained.as_integer().expect("games give integers").into_owned()).sum();
        let unhalved = frames.iter().map(|frame| frame.total.as_integer().expect("games give integers").into_owned()).max().unwrap();
        prop_assert_eq!(points, unhalved);
        for frame in &frames {
            let marked = frame.board.cells.iter().filter(|cell| cell.marked).count();
            prop_assert!(*frame.gained.as_integer().expect("games give integers") == 0.into() || marked > 1, "points come from marked cells");
            prop_assert!(frame.board.cells.iter().all(|cell| !cell.marked || cell.text.is_some()));
            prop_assert_eq!((frame.board.width, frame.board.cells.len()), (game.columns, game.rows * game.columns));
        }
    }
}

#[test]
fn a_game_is_told_frame_by_frame() {
    let case = deletion_game().read(b"0\n2 3 9 2 3 1 1 1\n1 2 1\n2 4 7\n").unwrap();
    let mut recorder = Recorder::default();
    let score = case.replay(b"3\n2 2 2 2 3\n2 1 1 2 1\n2 1 1 2 1\n", &mut recorder).unwrap();
    let frames: Vec<_> = recorder.0.iter().map(|frame| (frame.step, &*frame.caption, drawn(frame))).collect();
    let expected = [
        (0, "the board is full", " 1 2 1/ 2 4 7", 0),
        (1, "47 scores 2 as a prime + 1 as a palindrome", " 1 2 1/ 2*4*7", 3),
        (1, "the rest drops: 4 left", " 1 . ./ 2 2 1", 3),
        (2, "12 scores nothing: the move is wasted", "*1 . ./*2 2 1", 3),
        (3, "12 scores nothing: the move is wasted", "*1 . ./*2 2 1", 3),
        (3, "3 halved for each of the 4 left", " 1 . ./ 2 2 1", 0),
    ];
    assert_eq!(frames, expected.map(|(step, caption, board, _)| (step, caption, board.to_owned())));
    let totals: Vec<_> = recorder.0.iter().map(|frame| frame.total.clone()).collect();
    assert_eq!(totals, expected.map(|(.., total)| total.into()));
    assert_eq!(score, 0.into());
}

/// Returns the rows of a board of three columns, a star before every marked cell.
fn drawn(frame: &Frame) -> String {
    let cell = |cell: &checkers::Cell| {
        format!("{}{}", if cell.marked { '*' } else { ' ' }, cell.text.as_deref().unwrap_or("."))
    };
    let rows: Vec<String> = frame.board.cells.chunks(3).map(|row| row.iter().map(cell).collect()).collect();
    rows.join("/")
}

#[test]
fn the_same_case_twice_is_the_same() {
    for seed in (0..30).filter(|seed| !(6..=8).contains(&(seed % 10))) {
        let input = deletion_game().generate(seed).unwrap();
        assert_eq!(input, deletion_game().generate(seed).unwrap());
        assert_eq!(deletion_game().read(&input).unwrap().check(b"0\n"), Ok(0.into()), "seed {seed}");
    }
}

#[test]
fn the_features_describe_the_case() {
    let case = deletion_game().read(include_bytes!("../../tests/data/deletion-game/sample1.in")).unwrap();
    let features: Vec<_> = case.features().iter().map(|feature| (feature.name, feature.value)).collect();
    let expected = [("n", 3), ("m", 3), ("K", 100), ("lmin", 2), ("lmax", 3), ("c1", 1), ("c2", 1), ("F", 0)];
    assert_eq!(features, expected);
}

#[test]
fn the_ground_truth_is_met() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/deletion-game");
    let mut files = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "expect") {
            files += 1;
            let read = |extension: &str| std::fs::read(path.with_extension(extension)).unwrap();
            let expected = String::from_utf8(read("expect")).unwrap();
            let case = deletion_game().read(&read("in")).unwrap_or_else(|why| panic!("{path:?}: {why}"));
            let found = case.check(&read("out"));
            let right = match expected.trim().parse::<BigInt>() {
                Ok(score) => found == Ok(score.into()),
                Err(_) => expected.starts_with("invalid: ") && found.as_ref().is_err_and(|why| agrees(&expected, why)),
            };
            assert!(right, "{path:?}: expected {expected}, found {found:?}");
        }
    }
    assert!(files > 100, "the ground truth is not complete: {files} cases");
}

/// Whether a reason of the ground truth names the same move, where it names one.
fn agrees(reason: &str, error: &CheckError) -> bool {
    let CheckError::Rejected(rejection) = error else { return false };
    let step = reason.split_once("move ").and_then(|(_, rest)| rest.split(':').next()?.parse().ok());
    step.is_none() || step == rejection.step
}
