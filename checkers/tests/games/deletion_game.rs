//! `deletion-game` against an independent, slow model of the statement, against ground truth, and against damaged
//! texts.

use crate::mutate::{damaged, damages};
use crate::{Recorder, config};
use checkers::{CheckError, Checker, Frame};
use model::{Broken, Model, Outcome, Seen};
use num_bigint::BigInt;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::cell::RefCell;
use std::path::Path;

fn deletion_game() -> &'static Checker {
    checkers::find("deletion-game").expect("the game is registered")
}

/// Compares the checker's outcome with the model's: the score, or the broken rule, the move and the place.
fn compare(input: &[u8], answer: &[u8], seen: &mut Seen) -> Result<(), TestCaseError> {
    let case = deletion_game().read(input);
    match (model::outcome(input, answer, seen), case.map(|case| case.check(answer))) {
        (Outcome::BadInput, found) => prop_assert!(found.is_err(), "the input is not valid: {:?}", found),
        (Outcome::Scored(score), found) => prop_assert_eq!(found, Ok(Ok(score.into()))),
        (Outcome::Rejected(Broken { rule, step, offset }), Ok(Err(CheckError::Rejected(found)))) => {
            // If the text ends too early, the missing part names the rule.
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

/// A case and the decisions of a player that mostly follows the rules.
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

    /// Plays the game in the model, so that paths are legal unless a turn breaks a rule.
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
        // One start in 20 is any cell, even a blank one or a 0.
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

/// Compares checker and model on this many games; returns the situations that occurred.
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
    let case = deletion_game().read(include_bytes!("../../../tests/data/deletion-game/sample1.in")).unwrap();
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

/// The rules once more: cell by cell, one fall at a time.
mod model {
    use num_bigint::{BigInt, BigUint};

    /// How often a game contained situations that are easy to get wrong.
    #[derive(Debug, Default, Clone, Copy)]
    pub(super) struct Seen {
        pub(super) wasted: u64,
        pub(super) single_cells: u64,
        pub(super) primes: u64,
        pub(super) palindromes: u64,
        pub(super) prime_palindromes: u64,
        pub(super) unpaid_primes: u64,
        pub(super) shortest: u64,
        pub(super) longest: u64,
        pub(super) great_sums: u64,
        pub(super) halved: u64,
        pub(super) halved_beyond_64: u64,
        pub(super) halved_to_something: u64,
        pub(super) falls: u64,
        pub(super) broken: [u64; 9],
    }

    /// The words that identify a rejection, in the order of [`Seen::broken`].
    pub(super) const RULES: [&str; 9] = [
        "the number of moves M",
        "the length l",
        "the row x",
        "the column y",
        "the path jumps",
        "visits a cell twice",
        "visits a blank cell",
        "starts with 0",
        "the text goes on too long",
    ];

    /// The first broken rule: which of [`RULES`], in which move, and where in the answer.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub(super) struct Broken {
        pub(super) rule: &'static str,
        pub(super) step: Option<usize>,
        pub(super) offset: usize,
    }

    #[derive(Debug, PartialEq, Eq)]
    pub(super) enum Outcome {
        BadInput,
        Rejected(Broken),
        Scored(BigInt),
    }

    pub(super) struct Model {
        /// n, m, K, l_min, l_max, c1, c2, F.
        header: [i64; 8],
        pub(super) grid: Vec<Vec<i64>>,
        sum: BigUint,
    }

    impl Model {
        pub(super) fn read(input: &[u8]) -> Option<Self> {
            let first_line = input.split(|&byte| byte == b'\n').map(words).find(|line| !line.is_empty())?;
            let numbers: Option<Vec<i64>> = words(input).iter().map(|&(_, word)| integer(word)).collect();
            let mut numbers = numbers?;
            if first_line.len() == 1 && numbers.remove(0) < 0 {
                return None;
            }
            let header: [i64; 8] = numbers.get(..8)?.try_into().ok()?;
            let [n, m, k, shortest, longest, c1, c2, f] = header;
            let exponents = 0..=100;
            let sane = n >= 1 && m >= 1 && k >= 0 && shortest >= 1 && longest >= shortest && (f == 0 || f == 1);
            let cells = &numbers[8..];
            let complete = cells.len() as i128 == i128::from(n) * i128::from(m);
            let digits = cells.iter().all(|cell| (0..=9).contains(cell));
            let fits = sane && complete && digits && exponents.contains(&c1) && exponents.contains(&c2);
            fits.then(|| Self {
                header,
                grid: cells.chunks(m as usize).map(<[i64]>::to_vec).collect(),
                sum: 0_u8.into(),
            })
        }

        fn at(&self, (x, y): (i64, i64)) -> i64 {
            self.grid[x as usize - 1][y as usize - 1]
        }

        /// Returns which rule the path breaks by going on to its last cell.
        pub(super) fn broken_by_last(&self, path: &[(i64, i64)]) -> Option<&'static str> {
            let (&last, before) = path.split_last()?;
            let [n, m, ..] = self.header;
            if last.0 < 1 || last.0 > n {
                return Some("the row x");
            }
            if last.1 < 1 || last.1 > m {
                return Some("the column y");
            }
            if let Some(previous) = before.last()
                && (previous.0 - last.0).abs() + (previous.1 - last.1).abs() != 1
            {
                return Some("the path jumps");
            }
            if before.contains(&last) {
                return Some("visits a cell twice");
            }
            if self.at(last) == -1 {
                return Some("visits a blank cell");
            }
            (before.is_empty() && self.at(last) == 0).then_some("starts with 0")
        }

        /// Makes a legal move.
        pub(super) fn play(&mut self, path: &[(i64, i64)], seen: &mut Seen) {
            let [.., shortest, longest, c1, c2, _] = self.header;
            let digits: Vec<i64> = path.iter().map(|&cell| self.at(cell)).collect();
            let number = digits.iter().fold(BigUint::from(0_u8), |number, &digit| number * 10_u8 + digit as u64);
            let length = BigUint::from(path.len());
            let (prime, palindrome) = (is_prime(&number), digits.iter().eq(digits.iter().rev()));
            let one = || BigUint::from(1_u8);
            let prime_score = if prime { length.pow(c1 as u32) } else { one() };
            let palindrome_score = if palindrome { length.pow(c2 as u32) } else { one() };
            seen.single_cells += u64::from(path.len() == 1);
            seen.shortest += u64::from(path.len() as i64 == shortest);
            seen.longest += u64::from(path.len() as i64 == longest);
            seen.unpaid_primes += u64::from(prime && prime_score == one());
            if prime_score == one() && palindrome_score == one() {
                seen.wasted += 1;
                return;
            }
            seen.primes += u64::from(prime_score != one());
            seen.palindromes += u64::from(palindrome_score != one());
            seen.prime_palindromes += u64::from(prime_score != one() && palindrome_score != one());
            self.sum += prime_score + palindrome_score;
            for &(x, y) in path {
                self.grid[x as usize - 1][y as usize - 1] = -1;
            }
            while self.fall_once() {
                seen.falls += 1;
            }
        }

        /// Lets the first digit above a blank cell fall by one. Returns whether there was one.
        fn fall_once(&mut self) -> bool {
            for i in 0..self.grid.len() - 1 {
                for j in 0..self.grid[i].len() {
                    if self.grid[i][j] != -1 && self.grid[i + 1][j] == -1 {
                        self.grid[i + 1][j] = self.grid[i][j];
                        self.grid[i][j] = -1;
                        return true;
                    }
                }
            }
            false
        }

        fn final_score(self, seen: &mut Seen) -> BigInt {
            let left = self.grid.iter().flatten().filter(|&&cell| cell != -1).count();
            seen.great_sums += u64::from(self.sum.bits() > 64);
            if self.header[7] == 0 || self.sum == BigUint::from(0_u8) {
                return self.sum.into();
            }
            seen.halved += 1;
            seen.halved_beyond_64 += u64::from(left > 64);
            let score = self.sum / BigUint::from(2_u8).pow(left as u32);
            seen.halved_to_something += u64::from(left > 0 && score > BigUint::from(0_u8));
            score.into()
        }

        /// Plays the whole answer.
        fn answer(mut self, answer: &[u8], seen: &mut Seen) -> Outcome {
            let words = words(answer);
            let mut reader = Reader { words: &words, next: 0, end: answer.len(), step: None };
            match self.moves(&mut reader, seen) {
                Err(broken) => {
                    let index = RULES.iter().position(|&rule| rule == broken.rule).expect("every rule is listed");
                    seen.broken[index] += 1;
                    Outcome::Rejected(broken)
                }
                Ok(()) => Outcome::Scored(self.final_score(seen)),
            }
        }

        fn moves(&mut self, reader: &mut Reader<'_>, seen: &mut Seen) -> Result<(), Broken> {
            let [_, _, k, shortest, longest, ..] = self.header;
            let moves = reader.integer("the number of moves M", 0, k)?;
            for step in 1..=moves {
                reader.step = Some(step as usize);
                let length = reader.integer("the length l", shortest, longest)?;
                let mut path = Vec::new();
                for _ in 0..length {
                    let at = reader.offset();
                    let x = reader.integer("the row x", 1, self.header[0])?;
                    let y = reader.integer("the column y", 1, self.header[1])?;
                    path.push((x, y));
                    if let Some(rule) = self.broken_by_last(&path) {
                        return Err(Broken { rule, step: reader.step, offset: at });
                    }
                }
                self.play(&path, seen);
            }
            reader.step = None;
            match reader.words.get(reader.next) {
                None => Ok(()),
                Some(&(offset, _)) => Err(Broken { rule: "the text goes on too long", step: None, offset }),
            }
        }
    }

    pub(super) fn outcome(input: &[u8], answer: &[u8], seen: &mut Seen) -> Outcome {
        Model::read(input).map_or(Outcome::BadInput, |model| model.answer(answer, seen))
    }

    struct Reader<'a> {
        words: &'a [(usize, &'a [u8])],
        next: usize,
        end: usize,
        step: Option<usize>,
    }

    impl Reader<'_> {
        fn offset(&self) -> usize {
            self.words.get(self.next).map_or(self.end, |word| word.0)
        }

        fn integer(&mut self, rule: &'static str, low: i64, high: i64) -> Result<i64, Broken> {
            let broken = Broken { rule, step: self.step, offset: self.offset() };
            let word = self.words.get(self.next).ok_or(broken.clone())?.1;
            self.next += 1;
            integer(word).filter(|&value| low <= value && value <= high).ok_or(broken)
        }
    }

    /// The words of a text and where they begin.
    fn words(text: &[u8]) -> Vec<(usize, &[u8])> {
        let mut offset = 0;
        let mut words = Vec::new();
        for word in text.split(|byte| b" \t\r\n".contains(byte)) {
            if !word.is_empty() {
                words.push((offset, word));
            }
            offset += word.len() + 1;
        }
        words
    }

    fn integer(word: &[u8]) -> Option<i64> {
        let word = std::str::from_utf8(word).ok()?;
        if word.starts_with('+') { None } else { word.parse().ok() }
    }

    /// Trial division if it is fast enough; otherwise Fermat's test to every prime base below 100, with an additional
    /// search for square roots of one.
    fn is_prime(number: &BigUint) -> bool {
        let (one, two) = (BigUint::from(1_u8), BigUint::from(2_u8));
        if let Ok(small) = u64::try_from(number)
            && small < 1_000_000
        {
            return small >= 2
                && (2..small).take_while(|factor| factor * factor <= small).all(|factor| small % factor != 0);
        }
        let bases = (2_u32..100).filter(|base| (2..*base).all(|factor| base % factor != 0));
        bases.map(BigUint::from).all(|base| {
            let mut exponent = number - &one;
            if base.modpow(&exponent, number) != one {
                return false;
            }
            while &exponent % &two == BigUint::from(0_u8) {
                exponent /= &two;
                let power = base.modpow(&exponent, number);
                if power != one {
                    return &power + &one == *number;
                }
            }
            true
        })
    }
}

/// `deletion-game` on paths of thousands of cells: which numbers are decided, and at what cost.
mod numbers {
    use checkers::{Case, CheckError, Checker, Place, Score};
    use num_bigint::BigUint;
    use std::time::{Duration, Instant};

    /// Returns the case of a board whose rows spell these numbers of equal length. c1 = 1, c2 = 0, F = 0.
    fn case(rows: &[String]) -> Box<dyn Case> {
        let (height, width) = (rows.len(), rows[0].len());
        let mut input = format!("{height} {width} 1000 1 {} 1 0 0\n", height * width);
        for row in rows {
            let cells: Vec<String> = row.chars().map(String::from).collect();
            input.push_str(&cells.join(" "));
            input.push('\n');
        }
        let checker: &Checker = checkers::find("deletion-game").expect("the game is registered");
        checker.read(input.as_bytes()).expect("a valid board")
    }

    /// Returns an answer that takes these rows, one after another, from the left to the right.
    fn answer(rows: &[usize], width: usize) -> String {
        let path = |row: &usize| (1..=width).map(|column| format!(" {row} {column}")).collect::<String>();
        rows.iter().fold(format!("{}\n", rows.len()), |text, row| format!("{text}{width}{}\n", path(row)))
    }

    fn check(rows: &[String], taken: &[usize]) -> Result<Score, CheckError> {
        case(rows).check(answer(taken, rows[0].len()).as_bytes())
    }

    /// 10^(digits − 1) + offset.
    fn near_a_power_of_ten(digits: usize, offset: usize) -> String {
        (BigUint::from(10_u8).pow(digits as u32 - 1) + offset).to_string()
    }

    fn mersenne(exponent: u32) -> String {
        ((BigUint::from(1_u8) << exponent) - 1_u8).to_string()
    }

    /// A Mersenne prime of 6,002 digits, laid back and forth on a board of 6,003 cells, so that a 9 remains.
    #[test]
    #[ignore = "CI: seconds of work"]
    fn a_prime_of_six_thousand_digits_is_accepted() {
        const WIDTH: usize = 69;
        let prime = mersenne(19_937);
        let rows: Vec<String> = (0..)
            .zip(format!("{prime}9").as_bytes().chunks(WIDTH))
            .map(|(row, digits)| {
                let digits = digits.iter().map(|&digit| char::from(digit));
                if row % 2 == 0 { digits.collect() } else { digits.rev().collect() }
            })
            .collect();
        assert_eq!((prime.len(), rows.len(), rows[86].len()), (6002, 87, WIDTH));
        let column =
            |index: usize| if (index / WIDTH).is_multiple_of(2) { index % WIDTH } else { WIDTH - 1 - index % WIDTH };
        let path: String = (0..6002).map(|index| format!(" {} {}", index / WIDTH + 1, column(index) + 1)).collect();
        assert_eq!(case(&rows).check(format!("1\n6002{path}\n").as_bytes()), Ok((6002 + 1).into()));
    }

    /// 10^5001 + 33 and 10^5002 + 39 have no factor below 2^16: moves without points.
    #[test]
    #[ignore = "CI: seconds of work"]
    fn composite_numbers_of_more_than_five_thousand_digits_are_wasted_moves() {
        assert_eq!(check(&[near_a_power_of_ten(5_002, 33)], &[1]), Ok(0.into()));
        assert_eq!(check(&[near_a_power_of_ten(5_003, 39)], &[1]), Ok(0.into()));
    }

    #[test]
    #[ignore = "CI: seconds of work"]
    fn many_numbers_of_thousands_of_digits_are_decided() {
        // None of these numbers has a factor below 2^16.
        let offsets = [7, 33, 39, 49, 81, 99, 103, 109];
        let rows: Vec<String> = offsets.iter().map(|&offset| near_a_power_of_ten(4_500, offset)).collect();
        assert_eq!(check(&rows, &[1, 2, 3, 4, 5, 6, 7, 8]), Ok(0.into()));
    }

    fn time_of(work: impl Fn()) -> Duration {
        let start = Instant::now();
        work();
        start.elapsed()
    }

    /// If each of the 27 moves were tested, they would take 27 times as long as one, on a busy machine, too.
    #[test]
    fn a_number_that_was_decided_before_costs_nothing() {
        let rows = [near_a_power_of_ten(3_000, 33)];
        let time = |moves| time_of(|| assert_eq!(check(&rows, &vec![1; moves]), Ok(0.into())));
        let is_quick = (0..4).any(|_| time(27) < 5 * time(1));
        assert!(is_quick, "27 moves take 5 times as long as one");
    }

    /// 10^99999 + 9 has no small factor.
    #[test]
    fn what_takes_too_much_work_is_undecided_and_no_fault_of_the_answer() {
        let row = near_a_power_of_ten(100_000, 9);
        let case = case(&[row]);
        let whole = answer(&[1], 100_000);
        let text = format!("2\n1 1 100000\n{}", whole.trim_start_matches("1\n"));
        assert!(text.len() < 1_000_000);
        let error = case.check(text.as_bytes()).unwrap_err();
        let CheckError::Undecided(undecided) = &error else { panic!("{error}") };
        assert_eq!((undecided.place, undecided.step), (Place { line: 3, column: 1 }, Some(2)));
        assert_eq!(
            undecided.why,
            "whether N, of 100000 digits, is prime takes more work than the checker spends on an answer"
        );
        assert_eq!(error.to_string(), format!("undecided: line 3, column 1, move 2: {}", undecided.why));
        // A rule that is broken before it is the answer's fault.
        let broken = text.replacen("1 1 100000\n", "1 1 99999\n", 1);
        assert!(matches!(case.check(broken.as_bytes()), Err(CheckError::Rejected(_))));
        // A number that ends in 5 is rejected quickly at any length.
        assert_eq!(check(&[near_a_power_of_ten(100_000, 5)], &[1]), Ok(0.into()));
    }
}
