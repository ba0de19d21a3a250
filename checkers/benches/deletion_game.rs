//! Measures how long a board of a million cells and a large prime take to check. Where `cc` and gmp.h are available,
//! also compares the time for large numbers with GMP, because only times of the same machine are comparable: `-- gmp`
//! shows only that table.
#![allow(clippy::print_stdout, reason = "the table is what it is for")]

use checkers::Checker;
use divan::{Bencher, black_box};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

fn main() {
    let has = |word: &str| std::env::args().any(|argument| argument == word);
    if !has("gmp") {
        divan::main();
    }
    // `cargo test --benches` leaves it out.
    if has("--bench") {
        beside_gmp();
    }
}

/// Alternating, the minimum of five rounds each.
fn beside_gmp() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = folder.path().join("gmp");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/deletion_game_gmp.c");
    let built = Command::new("cc").arg("-O2").arg("-o").arg(&program).arg(source).arg("-lgmp").output();
    if !built.is_ok_and(|output| output.status.success()) {
        return println!("skipped: beside GMP: `cc` with gmp.h is missing: apt-get install gcc libgmp-dev");
    }
    println!("\nmilliseconds   ours     GMP   ratio");
    for (digits, offset, prime) in [(1000, 7, true), (1000, 13, false), (5000, 19, false)] {
        let (mut ours, mut theirs) = (f64::INFINITY, f64::INFINITY);
        let (input, answer) = one_number(digits, offset);
        let case = deletion_game().read(&input).expect("a valid input");
        for _ in 0..5 {
            let started = Instant::now();
            assert_eq!(case.check(&answer), Ok(if prime { digits + 1 } else { 0 }.into()));
            ours = ours.min(started.elapsed().as_secs_f64() * 1e3);
            let words = [digits, offset, usize::from(prime)].map(|word| word.to_string());
            let told = Command::new(&program).args(words).output().expect("it was built");
            assert!(told.status.success(), "GMP says otherwise");
            let told = String::from_utf8(told.stdout).expect("a number");
            theirs = theirs.min(told.trim().parse().expect("a number"));
        }
        let kind = if prime { "prime" } else { "composite" };
        println!("{ours:>12.1} {theirs:>7.1} {:>7.2}   {kind}, {digits} digits", ours / theirs);
    }
}

fn deletion_game() -> &'static Checker {
    checkers::find("deletion-game").expect("the game is registered")
}

/// A board of noise whose lowest row is a palindrome of 999 cells, and the answer that takes it: 999 columns drop.
fn great_palindrome() -> (Vec<u8>, Vec<u8>) {
    let mut state = 1_u64;
    let mut digit = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        b'1' + (state >> 33) as u8 % 9
    };
    let mut rows: Vec<Vec<u8>> = (0..1000).map(|_| (0..1000).map(|_| digit()).collect()).collect();
    for column in 0..499 {
        rows[999][998 - column] = rows[999][column];
    }
    let mut input = b"6\n1000 1000 1 2 1000 0 2 0\n".to_vec();
    for row in rows {
        input.extend(row.into_iter().flat_map(|digit| [digit, b' ']));
        *input.last_mut().expect("the row is not empty") = b'\n';
    }
    let path: String = (1..=999).map(|column| format!(" 1000 {column}")).collect();
    (input, format!("1\n999{path}\n").into_bytes())
}

#[divan::bench]
fn read_and_check_a_palindrome_of_999_on_a_million_cells(bencher: Bencher) {
    let (input, answer) = great_palindrome();
    bencher.bench(|| {
        let case = deletion_game().read(black_box(&input)).expect("a valid input");
        let score = case.check(black_box(&answer)).expect("a valid answer");
        assert_eq!(score, (999 * 999 + 1).into());
    });
}

#[divan::bench]
fn check_a_palindrome_of_999_on_a_million_cells(bencher: Bencher) {
    let (input, answer) = great_palindrome();
    let case = deletion_game().read(&input).expect("a valid input");
    bencher.bench(|| case.check(black_box(&answer)));
}

/// A board of one row that spells 10^(digits − 1) + offset, and the answer that takes all of it.
fn one_number(digits: usize, offset: usize) -> (Vec<u8>, Vec<u8>) {
    let number = format!("1{offset:0>rest$}", rest = digits - 1);
    let cells: Vec<String> = number.chars().map(String::from).collect();
    let path: String = (1..=digits).map(|column| format!(" 1 {column}")).collect();
    let input = format!("1 {digits} 1 1 {digits} 1 0 0\n{}\n", cells.join(" "));
    (input.into_bytes(), format!("1\n{digits}{path}\n").into_bytes())
}

fn check_one_number(bencher: Bencher, digits: usize, offset: usize, prime: bool) {
    let (input, answer) = one_number(digits, offset);
    let case = deletion_game().read(&input).expect("a valid input");
    let score = if prime { digits + 1 } else { 0 };
    bencher.bench(|| assert_eq!(case.check(black_box(&answer)), Ok(score.into())));
}

#[divan::bench(sample_count = 10)]
fn check_a_prime_of_1000_digits(bencher: Bencher) {
    check_one_number(bencher, 1000, 7, true);
}

#[divan::bench(sample_count = 10)]
fn check_a_number_of_1000_digits_without_small_factors(bencher: Bencher) {
    check_one_number(bencher, 1000, 13, false);
}

#[divan::bench(sample_count = 2)]
fn check_a_number_of_5000_digits_without_small_factors(bencher: Bencher) {
    check_one_number(bencher, 5000, 19, false);
}
