//! `beating-the-game-easy` and `-hard`, compared with the contest's samples and files and with a slow second
//! implementation of the statement.

#![allow(clippy::unwrap_used, reason = "in a test, a failed unwrap is a failed test")]

#[path = "model/beating.rs"]
mod model;

use crate::{Recorder, rejected};
use checkers::{CheckError, Checker, Frame, Score};
use model::Model;
use proptest::prelude::*;
use proptest::sample::Index;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

fn easy() -> &'static Checker {
    checkers::find("beating-the-game-easy").unwrap()
}

fn hard() -> &'static Checker {
    checkers::find("beating-the-game-hard").unwrap()
}

fn check(checker: &Checker, input: &str, answer: &str) -> Result<Score, CheckError> {
    checker.read(input.as_bytes()).unwrap().check(answer.as_bytes())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

/// Returns the input and the answer of this name that belong to the project.
fn pair(name: &str) -> (String, String) {
    let folder = root().join("tests/data/beating-the-game");
    (read(&folder.join(format!("{name}.in"))), read(&folder.join(format!("{name}.out"))))
}

/// Returns the contest's own input and answer of this name, if available.
fn official(name: &str) -> Option<(String, String)> {
    let folder = crate::require::contest_files("beating-the-game")?;
    Some((read(&folder.join(format!("{name}.in"))), read(&folder.join(format!("{name}.out")))))
}

/// One case of either game; without attempts it is one of the hard game.
#[derive(Debug, Clone)]
struct Play {
    strip: Vec<u128>,
    seed: Vec<u32>,
    attempts: String,
}

impl Play {
    fn model(&self) -> Model {
        Model::new(&self.strip, &self.seed)
    }

    /// Returns the strip after all attempts.
    fn end(&self) -> Vec<u128> {
        let mut model = self.model();
        for direction in self.attempts.chars() {
            model.attempt(direction);
        }
        model.strip
    }
}

fn joined<T: ToString>(numbers: &[T]) -> String {
    numbers.iter().map(T::to_string).collect::<Vec<_>>().join(" ")
}

fn input_of(plays: &[Play]) -> String {
    let case = |play: &Play| {
        let start = format!("\n{}\n{}\n{}\n", play.strip.len(), joined(&play.strip), joined(&play.seed));
        if play.attempts.is_empty() { start } else { format!("{start}{}\n{}\n", play.attempts.len(), play.attempts) }
    };
    format!("{}\n{}", plays.len(), plays.iter().map(case).collect::<String>())
}

fn easy_answer(plays: &[Play]) -> Vec<Vec<u128>> {
    plays.iter().map(Play::end).collect()
}

fn lines(answer: &[Vec<u128>]) -> String {
    answer.iter().map(|numbers| joined(numbers) + "\n").collect()
}

#[test]
fn the_samples_are_right() {
    for (checker, name, cases) in [(easy(), "sample_b1", 3), (hard(), "sample_b2", 2), (easy(), "b1_edge_allzero", 1)] {
        let (input, answer) = pair(name);
        assert_eq!(check(checker, &input, &answer), Ok(Score::from(cases)), "{name}");
    }
}

#[test]
fn the_contests_own_files_are_right() {
    for (checker, name) in [(easy(), "official_b1"), (hard(), "official_b2")] {
        let Some((input, answer)) = official(name) else { return };
        assert_eq!(check(checker, &input, &answer), Ok(Score::from(50)), "{name}");
        let (rest, last) = answer.trim_end().rsplit_once(char::is_whitespace).unwrap();
        let spoiled = rejected(check(checker, &input, &format!("{rest}\n{last}1\n")));
        assert_eq!(spoiled.rule, "case 50 of 50 is wrong (49 right)");
    }
}

#[test]
fn the_longest_cases_of_the_contest_have_the_known_answers() {
    let Some((_, answer)) = official("official_b2") else { return };
    let numbers: Vec<&str> = answer.split_whitespace().collect();
    assert_eq!(joined(&numbers[40..]), "3116 2592 3048 3044 3176 3272 2944 5540 3052 3560");
}

#[test]
fn a_wrong_answer_is_told_with_the_number_of_right_cases_and_the_first_wrong_one() {
    let (input, _) = pair("sample_b1");
    for (answer, message) in [
        (
            "2 4\n2 16 4 0 2\n2 16 2 2 0\n",
            "line 2, column 6: case 2 of 3 is wrong (2 right): expected 2 in cell 3, found `4`",
        ),
        (
            "2 4\n2 16 2 0 2\n2 16 2 2\n",
            "line 4, column 1: case 3 of 3 is wrong (2 right): expected 0 in cell 5, found the end",
        ),
        ("2 +4\n", "line 1, column 3: case 1 of 3 is wrong (0 right): expected 4 in cell 2, found `+4`"),
        (
            "2 4\n2 16 2 0 2\n2 16 2 2 0\n0\n",
            "line 4, column 1: the text goes on after case 3 (3 right): expected the end, found `0`",
        ),
    ] {
        assert_eq!(check(easy(), &input, answer).unwrap_err().to_string(), message);
    }
    let (input, _) = pair("sample_b2");
    let message = "line 1, column 5: case 2 of 2 is wrong (1 right): expected 20 points at best, found `24`";
    assert_eq!(check(hard(), &input, "136 24").unwrap_err().to_string(), message);
    assert_eq!(check(hard(), &input, "0136\r\n\r\n\t00020"), Ok(Score::from(2)));
}

#[test]
fn features_tell_the_number_of_cases_and_the_longest_strip() {
    for (checker, name, values) in [(easy(), "sample_b1", [3, 5]), (hard(), "sample_b2", [2, 4])] {
        let features = checker.read(pair(name).0.as_bytes()).unwrap().features();
        assert_eq!(features.iter().map(|feature| feature.name).collect::<Vec<_>>(), ["t", "n"]);
        assert_eq!(features.iter().map(|feature| feature.value).collect::<Vec<_>>(), values);
    }
}

#[test]
fn generated_easy_cases_have_the_models_ends() {
    for seed in 0..3 {
        let input = String::from_utf8(easy().generate(seed).unwrap()).unwrap();
        let plays = read_plays(&input);
        assert_eq!(input_of(&plays), input, "a blank line before each case, as in the statement");
        let answer = lines(&easy_answer(&plays));
        assert_eq!(check(easy(), &input, &answer), Ok(Score::from(plays.len())), "seed {seed}");
    }
}

#[test]
fn generated_hard_cases_have_the_models_best_scores() {
    let input = String::from_utf8(hard().generate(1).unwrap()).unwrap();
    let case = |lines: &str| {
        let mut lines = lines.lines().skip(1);
        let strip = numbers(lines.next().unwrap());
        Play { strip, seed: numbers(lines.next().unwrap()), attempts: String::new() }
    };
    let plays: Vec<Play> = input.split("\n\n").skip(1).map(case).collect();
    assert_eq!(input_of(&plays), input, "a blank line before each case, as in the statement");
    let best: Vec<u128> = plays.iter().map(|play| best_still_to_come(&play.model(), 0, &mut HashMap::new())).collect();
    assert_eq!(check(hard(), &input, &joined(&best)), Ok(Score::from(plays.len())));
}

fn numbers<T: std::str::FromStr<Err: std::fmt::Debug>>(line: &str) -> Vec<T> {
    line.split_whitespace().map(|number| number.parse().unwrap()).collect()
}

fn read_plays(input: &str) -> Vec<Play> {
    let case = |lines: &str| {
        let lines: Vec<&str> = lines.lines().collect();
        Play { strip: numbers(lines[1]), seed: numbers(lines[2]), attempts: lines[4].to_owned() }
    };
    input.split("\n\n").skip(1).map(case).collect()
}

fn texts(frame: &Frame) -> Vec<u128> {
    frame.board.cells.iter().map(|cell| cell.text.as_ref().map_or(0, |text| text.parse().unwrap())).collect()
}

#[test]
fn easy_frames_show_every_attempt() {
    let (input, _) = pair("sample_b1");
    let plays = read_plays(&input);
    let mut album = Recorder::default();
    let answer = "2 4\n2 16 2 0 2\n2 16 2 2 2";
    let outcome = easy().read(input.as_bytes()).unwrap().replay(answer.as_bytes(), &mut album);
    assert_eq!(outcome, check(easy(), &input, answer));

    let mut frames = album.0.iter();
    for play in &plays {
        let mut model = play.model();
        assert_eq!(texts(frames.next().unwrap()), play.strip);
        for direction in play.attempts.chars() {
            let frame = frames.next().unwrap();
            let changed = model.attempt(direction);
            assert_eq!(texts(frame), model.strip);
            assert_eq!(frame.board.cells.iter().filter(|cell| cell.marked).count(), usize::from(changed));
            assert_eq!(frame.caption.ends_with("changes nothing"), !changed);
        }
        assert_eq!(texts(frames.next().unwrap()), model.strip);
    }
    assert!(frames.next().is_none());
    let last = album.0.last().unwrap();
    assert_eq!((last.total.clone(), last.gained.clone(), last.step), (Score::from(2), Score::from(0), 8));
    assert_eq!(last.caption, "case 3 of 3: the end, the answer is wrong");
}

#[test]
fn hard_frames_show_a_game_that_brings_the_best_score() {
    let (input, answer) = pair("sample_b2");
    let mut album = Recorder::default();
    let case = hard().read(input.as_bytes()).unwrap();
    assert_eq!(case.replay(answer.as_bytes(), &mut album), Ok(Score::from(2)));
    let captions: Vec<&str> = album.0.iter().map(|frame| frame.caption.as_str()).collect();
    let end = captions.iter().position(|caption| *caption == "case 1 of 2: the end, the answer is right").unwrap();
    assert_eq!(captions[0], "case 1 of 2: the start");
    assert!(captions[end - 1].ends_with(", 136 points so far"), "{}", captions[end - 1]);
    assert!(captions[captions.len() - 2].ends_with(", 20 points so far"));
    assert_eq!(album.0.last().unwrap().total, Score::from(2));
}

/// Returns the best score by trying every sequence of moves.
fn best_by_trying_everything(model: &Model) -> u128 {
    let after = ['l', 'r'].map(|direction| {
        let mut next = model.clone();
        next.attempt(direction).then(|| best_by_trying_everything(&next))
    });
    after.into_iter().flatten().fold(model.score, u128::max)
}

/// Returns the maximal points still possible. Each strip is examined once for each number of moves before it.
fn best_still_to_come(model: &Model, moves: usize, known: &mut HashMap<(usize, Vec<u128>), u128>) -> u128 {
    let key = (moves, model.strip.clone());
    if let Some(&points) = known.get(&key) {
        return points;
    }
    let mut best = 0;
    for direction in ['l', 'r'] {
        let mut next = model.clone();
        if next.attempt(direction) {
            best = best.max(next.score - model.score + best_still_to_come(&next, moves + 1, known));
        }
    }
    known.insert(key, best);
    best
}

/// Mostly 32 random bits; sometimes small ones, so that carries and fours are frequent.
fn seeds() -> impl Strategy<Value = Vec<u32>> {
    prop::collection::vec(prop_oneof![3 => any::<u32>(), 1 => 0..20u32], 43)
}

/// Strips with few kinds of tiles merge much, those with the largest tiles pass 2^64.
fn easy_plays() -> impl Strategy<Value = Play> {
    (prop_oneof![2..8usize, 2..120usize], prop_oneof![1..=1u32, 1..=3u32, 60..=62u32], 0..4u32).prop_flat_map(
        |(length, kinds, emptiness)| {
            let lowest = if kinds >= 60 { 60 } else { 1 };
            let cell = prop_oneof![emptiness => Just(0), 3 => (lowest..=kinds).prop_map(|exponent| 1u128 << exponent)];
            let attempts = prop::collection::vec(prop::sample::select(vec!['l', 'l', 'r']), 1..120);
            (prop::collection::vec(cell, length), seeds(), attempts).prop_map(|(strip, seed, attempts)| Play {
                strip,
                seed,
                attempts: attempts.into_iter().collect(),
            })
        },
    )
}

fn hard_plays(lengths: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Play> {
    (lengths, any::<Index>(), prop::sample::select(vec![2, 4]), seeds()).prop_map(|(length, cell, tile, seed)| {
        let mut strip = vec![0; length];
        strip[cell.index(length)] = tile;
        Play { strip, seed, attempts: String::new() }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn an_easy_file_has_the_models_ends(plays in prop::collection::vec(easy_plays(), 1..8), spoiled: Index, cell: Index) {
        let input = input_of(&plays);
        let mut answer = easy_answer(&plays);
        prop_assert_eq!(check(easy(), &input, &lines(&answer)), Ok(Score::from(plays.len())));

        let case = spoiled.index(plays.len());
        let cell = cell.index(answer[case].len());
        answer[case][cell] += 1;
        let rejection = rejected(check(easy(), &input, &lines(&answer)));
        let right = plays.len() - 1;
        prop_assert_eq!(rejection.rule, format!("case {} of {} is wrong ({right} right)", case + 1, plays.len()));
        prop_assert_eq!(rejection.expected, format!("{} in cell {}", answer[case][cell] - 1, cell + 1));
        prop_assert_eq!(rejection.place.line, case + 1);
    }

    #[test]
    fn a_short_hard_strip_has_the_best_of_all_games(plays in prop::collection::vec(hard_plays(2..=4), 1..4)) {
        let best: Vec<u128> = plays.iter().map(|play| best_by_trying_everything(&play.model())).collect();
        prop_assert_eq!(check(hard(), &input_of(&plays), &joined(&best)), Ok(Score::from(plays.len())));
    }

    #[test]
    fn a_longer_hard_strip_has_the_best_of_all_strips(play in hard_plays(5..=6)) {
        let best = best_still_to_come(&play.model(), 0, &mut HashMap::new());
        prop_assert_eq!(check(hard(), &input_of(&[play]), &best.to_string()), Ok(Score::from(1)));
    }
}

/// Bytes that are nearly a text: some of it cut, doubled or overwritten.
fn mutated(text: String) -> impl Strategy<Value = Vec<u8>> {
    let length = text.len();
    let edits = prop::collection::vec((0..length, 0..20usize, prop::collection::vec(any::<u8>(), 0..4)), 1..4);
    edits.prop_map(move |edits| {
        let mut bytes = text.clone().into_bytes();
        for (at, removed, added) in edits {
            let at = at.min(bytes.len());
            let end = (at + removed).min(bytes.len());
            bytes.splice(at..end, added);
        }
        bytes
    })
}

/// Bytes that are at most similar to an input or an answer.
fn strange(text: String) -> impl Strategy<Value = Vec<u8>> {
    let soup = prop::collection::vec(prop::sample::select(b"0123456789 \n\t\r+-lr".to_vec()), 0..2_000);
    prop_oneof![prop::collection::vec(any::<u8>(), 0..400), soup, mutated(text)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn any_bytes_are_an_input_or_are_malformed(
        for_easy in strange(pair("sample_b1").0), for_hard in strange(pair("sample_b2").0)
    ) {
        for (checker, bytes) in [(easy(), &for_easy), (hard(), &for_hard)] {
            if let Ok(case) = checker.read(bytes) {
                prop_assert!(case.check(b"").is_err());
            }
        }
    }

    #[test]
    fn any_bytes_are_right_or_rejected(
        for_easy in strange(pair("sample_b1").1), for_hard in strange(pair("sample_b2").1)
    ) {
        for (checker, name, bytes) in [(easy(), "sample_b1", &for_easy), (hard(), "sample_b2", &for_hard)] {
            let case = checker.read(pair(name).0.as_bytes()).unwrap();
            let observed = case.replay(bytes, &mut Recorder::default());
            prop_assert_eq!(case.check(bytes), observed);
        }
    }
}
