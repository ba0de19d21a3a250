//! The easy part: follows the attempted moves and shows the strip that results.

use super::generator::Generator;
use super::strip::{Exponent, read_case, slide_left, slide_right};
use crate::SolveError;
use crate::input::Words;
use std::io::Write;

/// The longest strip.
const LONGEST: usize = 1000;
/// The most attempts.
const ATTEMPTS: usize = 5000;

pub(crate) fn solve(input: &[u8], output: &mut dyn Write) -> Result<(), SolveError> {
    let mut words = Words::new(input);
    let cases: usize = words.number("a number of cases up to 50", 0..=50)?;
    for _ in 0..cases {
        let (mut strip, generator) = read_case(&mut words, LONGEST)?;
        let attempts = words.number("a number of attempts up to 5000", 1..=ATTEMPTS)?;
        let attempts = words.text("the attempts, each l or r", attempts, |byte| matches!(byte, b'l' | b'r'))?;
        play(&mut strip, generator, attempts);
        write_strip(&strip, output)?;
    }
    words.end()
}

/// Plays the attempts. One that changes nothing draws no random number.
fn play(strip: &mut [Exponent], mut generator: Generator, attempts: &[u8]) {
    for &attempt in attempts {
        let slid = if attempt == b'l' { slide_left(strip) } else { slide_right(strip) };
        let Some(empty) = slid else { continue };
        let cell = empty.start + generator.next() as usize % empty.len();
        strip[cell] = if generator.next().is_multiple_of(10) { 2 } else { 1 };
    }
}

fn write_strip(strip: &[Exponent], output: &mut dyn Write) -> Result<(), SolveError> {
    let tiles: Vec<String> = strip.iter().map(|&exponent| (1_u128 << exponent & !1).to_string()).collect();
    writeln!(output, "{}", tiles.join(" "))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground_truth;
    use std::path::PathBuf;

    #[test]
    fn it_solves_the_statement_s_sample() {
        let up: String = (1..=43).map(|i| format!("{i} ")).collect();
        let down: String = (1..=43).rev().map(|i| format!("{i} ")).collect();
        let input = format!("3\n\n2\n2 4\n{up}\n2\nrl\n\n5\n2 2 4 8 0\n{up}\n3\nlrl\n\n5\n2 2 4 8 0\n{down}\n3\nlrl\n");
        let mut answer = Vec::new();
        solve(input.as_bytes(), &mut answer).unwrap();
        assert_eq!(String::from_utf8(answer).unwrap(), "2 4\n2 16 2 0 2\n2 16 2 2 0\n");
    }

    #[test]
    fn tiles_pass_two_to_the_sixty_fourth() {
        let tile = 1_u64 << 62;
        let zeros = "0 ".repeat(43);
        let input = format!("1\n\n8\n{tile} {tile} {tile} {tile} {tile} {tile} {tile} {tile}\n{zeros}\n3\nlll\n");
        let mut answer = Vec::new();
        solve(input.as_bytes(), &mut answer).unwrap();
        let answer = String::from_utf8(answer).unwrap();
        assert!(answer.starts_with(&format!("{} ", 1_u128 << 65)), "{answer}");
    }

    #[test]
    fn an_attempt_that_is_neither_left_nor_right_is_refused() {
        let input = format!("1\n\n2\n2 4\n{}\n2\nlx\n", "0 ".repeat(43));
        assert!(solve(input.as_bytes(), &mut Vec::new()).is_err());
    }

    #[test]
    fn known_files_have_their_known_answers() {
        let Some(folder) = ground_truth::folder("beating-the-game") else { return };
        let of_this_part = |stem: &PathBuf| stem.file_name().is_some_and(|name| name.to_string_lossy().contains("b1"));
        let mut compared = 0;
        for stem in ground_truth::stems(&folder, "in").into_iter().filter(of_this_part) {
            // The contest's own files may be absent while our answers to them are there, not the other way round.
            let read = |ending| ground_truth::read(&stem, ending).unwrap();
            assert_eq!(ground_truth::answer(solve, &read("in")), read("out"), "{}", stem.display());
            compared += 1;
        }
        assert!(compared > 0);
    }
}
