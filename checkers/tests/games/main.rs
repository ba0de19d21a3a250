//! Properties of every registered game for any input; and a module for each game.

#[path = "../../../tests/support/require.rs"]
mod require;

mod beating_the_game;
mod columns;
mod deletion_game;
mod manual;
mod mutate;
mod same_game;
mod square_remover;

use checkers::{CheckError, Checker, Frame, Observer, Rejection, Score};
use proptest::test_runner::Config;
use std::time::{Duration, Instant};

/// Runs this many random cases and leaves no files behind.
fn config(cases: u32) -> Config {
    Config { cases, failure_persistence: None, ..Config::default() }
}

/// Keeps every frame that a replay shows.
#[derive(Default)]
struct Recorder(Vec<Frame>);

impl Observer for Recorder {
    fn step(&mut self, _: usize, frame: &mut dyn FnMut() -> Frame) {
        self.0.push(frame());
    }
}

/// As long as an answer may be in the games that limit it.
const LENGTH: usize = 1_000_000;

/// Texts that are simple to make and hard to read: endless tokens, endless white space, bytes that are not text.
fn awkward_texts() -> Vec<Vec<u8>> {
    let units = ["", "0", "9", "-", "+", " ", "\n", "\r\n", "0 ", "1 ", "1\n", "-0 ", "+1 ", "007 ", "1 1 ", "l", "A"];
    let repeated = units.iter().map(|unit| unit.repeat(LENGTH / unit.len().max(1)).into_bytes());
    let padded = ["0", "1", "2 1 1", "x"].map(|rest| format!("{}{rest}\n", "0".repeat(LENGTH - 10)).into_bytes());
    let spread = ["0", "1 1 0", "1 1 1 1"].map(|text| text.replace(' ', &" \t\r\n".repeat(LENGTH / 20)).into_bytes());
    let bytes = [0, 0x7f, 0xff].map(|byte| vec![byte; LENGTH]);
    repeated.chain(padded).chain(spread).chain(bytes).collect()
}

/// Runs it and fails if it takes longer than a loaded machine may need for a linear pass.
fn in_time<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    assert!(start.elapsed() < Duration::from_secs(20), "{what} took {:?}", start.elapsed());
    result
}

/// Some cases of every version of a game's generator.
fn inputs(checker: &Checker) -> Vec<Vec<u8>> {
    let seeds = |generator: &checkers::Generator| (1..=3).chain([u64::MAX]).map(*generator).collect::<Vec<_>>();
    checker.generators.iter().flat_map(seeds).map(|input| input.expect("these seeds can be used")).collect()
}

#[test]
fn awkward_answers_are_judged_in_time() {
    let texts = awkward_texts();
    for checker in checkers::all() {
        for input in inputs(checker) {
            let case = checker.read(&input).expect("its own generator made it");
            for (number, text) in texts.iter().enumerate() {
                let what = format!("{} on text {number}", checker.id);
                let result = in_time(&what, || case.check(text));
                assert!(!matches!(result, Err(CheckError::Undecided(_))), "{what}: {result:?}");
            }
        }
    }
}

#[test]
fn awkward_inputs_are_read_in_time() {
    for checker in checkers::all() {
        for (number, text) in awkward_texts().iter().enumerate() {
            let what = format!("{} from text {number}", checker.id);
            in_time(&what, || checker.read(text).is_ok_and(|case| case.check(b"").is_ok()));
        }
    }
}

#[test]
fn a_seed_makes_another_case_in_another_version_of_a_generator() {
    for checker in checkers::all() {
        let cases: Vec<_> = checker.generators.iter().map(|generate| generate(7)).collect();
        assert_eq!(cases[0], checker.generate(7), "{}", checker.id);
        assert!(cases.windows(2).all(|pair| pair[0] != pair[1]), "{}", checker.id);
    }
}

/// Returns the rest of the sample's heading line that begins with `name`, and the text of its block.
fn sample<'a>(rules: &'a str, name: &str) -> (&'a str, &'a str) {
    let (_, sample) = rules.split_once("\n## Sample\n").expect("the rules end with a sample");
    let (_, part) = sample.split_once(&format!("\n### {name}")).expect("the sample has every part");
    let (heading, rest) = part.split_once("\n\n```text\n").expect("the part is a block of text");
    (heading, rest.split_once("```").expect("the block ends").0)
}

/// Returns the answer of the sample.
fn sample_answer(rules: &str) -> String {
    let (heading, block) = sample(rules, "Answer");
    let times = match heading {
        "" => 1,
        repeated => repeated.trim_start_matches(", ").trim_end_matches(" times").parse().expect("a number"),
    };
    block.repeat(times)
}

#[test]
fn the_rules_have_every_part_and_a_sample_that_the_checker_scores_as_they_say() {
    for checker in checkers::all() {
        let (id, rules) = (checker.id, checker.rules);
        let places: Vec<_> = ["# ", "\n## Rules\n", "\n## Input\n", "\n## Output\n", "\n## Score\n", "\n## Sample\n"]
            .map(|part| rules.find(part).unwrap_or_else(|| panic!("{id}: no {part}")))
            .into();
        assert!(places[0] == 0 && places.is_sorted(), "{id}: {places:?}");
        let answer = sample_answer(rules);
        let case = checker.read(sample(rules, "Input").1.as_bytes()).unwrap_or_else(|error| panic!("{id}: {error}"));
        let score = case.check(answer.as_bytes()).unwrap_or_else(|error| panic!("{id}: {error}"));
        assert_eq!(score.to_string(), sample(rules, "Score").1.trim(), "{id}");
    }
}

#[test]
fn samples_are_counted() {
    let known: &[(&str, &[usize])] = &[
        ("columns", &[11, 0, 1]),
        ("square-remover", &[0, 0, 0]),
        ("same-game-free", &[2, 0, 5]),
        ("deletion-game", &[4, 0, 0]),
    ];
    for checker in checkers::all() {
        let id = checker.id;
        let case = checker.read(sample(checker.rules, "Input").1.as_bytes()).unwrap();
        let (score, counts) = case.measure(sample_answer(checker.rules).as_bytes()).unwrap();
        assert_eq!(score, case.check(sample_answer(checker.rules).as_bytes()).unwrap(), "{id}");
        let names: Vec<&str> = counts.iter().map(|(metric, _)| metric.name).collect();
        assert_eq!(names, checker.metrics.iter().map(|metric| metric.name).collect::<Vec<_>>(), "{id}");
        let expected = known.iter().find(|(game, _)| *game == id).map(|(_, numbers)| *numbers).unwrap_or_default();
        let numbers: Vec<usize> = counts.into_iter().map(|(_, number)| number).collect();
        assert_eq!(numbers, expected, "the numbers of {id} in `known` of this test");
    }
}

/// Returns why an answer breaks the rules.
fn rejected(result: Result<Score, CheckError>) -> Rejection {
    match result {
        Err(CheckError::Rejected(rejection)) => rejection,
        other => panic!("the answer is not rejected: {other:?}"),
    }
}
