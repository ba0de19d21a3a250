//! `deletion-game` on paths of thousands of cells: which numbers are decided, and at what cost.

use checkers::{Case, CheckError, Checker, Place, Score, Undecided};
use num_bigint::BigUint;
use std::time::{Duration, Instant};

/// Returns the case of a board whose rows spell these numbers, which are equally long. c1 = 1, c2 = 0, F = 0.
fn case(rows: &[String]) -> Box<dyn Case> {
    let (height, width) = (rows.len(), rows[0].len());
    let mut input = format!("{height} {width} 1000 1 {} 1 0 0\n", height * width);
    for row in rows {
        let cells: Vec<String> = row.chars().map(String::from).collect();
        input.push_str(&cells.join(" "));
        input.push('\n');
    }
    let checker: &dyn Checker = checkers::find("deletion-game").expect("the game is registered");
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

/// A Mersenne prime of 6,002 digits, laid to and fro on a board of 6,003 cells, of which a 9 is left.
#[test]
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
fn composite_numbers_of_more_than_five_thousand_digits_are_wasted_moves() {
    assert_eq!(check(&[near_a_power_of_ten(5_002, 33)], &[1]), Ok(0.into()));
    assert_eq!(check(&[near_a_power_of_ten(5_003, 39)], &[1]), Ok(0.into()));
}

#[test]
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

/// Were each of the 27 moves tested, they would take 27 times as long as one, on a busy machine too.
#[test]
fn a_number_that_was_decided_before_costs_nothing() {
    let rows = [near_a_power_of_ten(3_000, 33)];
    let time = |moves| time_of(|| assert_eq!(check(&rows, &vec![1; moves]), Ok(0.into())));
    let times: Vec<_> = (0..4).map(|_| (time(1), time(27))).collect();
    assert!(times.iter().any(|(once, often)| *often < 5 * *once), "one move and 27 of them: {times:?}");
}

/// 10^99999 + 9 has no small factor.
#[test]
fn what_takes_too_much_work_is_undecided_and_no_fault_of_the_answer() {
    let row = near_a_power_of_ten(100_000, 9);
    let case = case(&[row]);
    let whole = answer(&[1], 100_000);
    let text = format!("2\n1 1 100000\n{}", whole.trim_start_matches("1\n"));
    assert!(text.len() < 1_000_000);
    let why = "whether N, of 100000 digits, is prime takes more work than the checker spends on an answer".to_owned();
    let undecided = Undecided { place: Place { line: 3, column: 1 }, step: Some(2), why };
    let error = case.check(text.as_bytes()).unwrap_err();
    assert_eq!(error, CheckError::Undecided(undecided));
    assert!(error.to_string().starts_with("undecided: line 3, column 1, move 2: whether N,"), "{error}");
    // A rule that is broken before it is the answer's fault.
    let broken = text.replacen("1 1 100000\n", "1 1 99999\n", 1);
    assert!(matches!(case.check(broken.as_bytes()), Err(CheckError::Rejected(_))));
    // What ends in 5 is settled by that, however long it is.
    assert_eq!(check(&[near_a_power_of_ten(100_000, 5)], &[1]), Ok(0.into()));
}
