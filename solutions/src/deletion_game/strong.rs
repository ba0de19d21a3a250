//! The strong solver: it looks at what a case asks for, and plays by the way that suits it.

use super::clear::clear;
use super::collect::collect;
use super::game::read;
use super::long;
use crate::SolveError;
use crate::clock::Clock;
use std::io::Write;

/// Seconds; the limit is 4.5.
const TIME_LIMIT: f64 = 4.0;

/// From this length on, paths are looked for one by one.
const LONG: usize = 60;

pub(crate) fn solve(input: &[u8], output: &mut dyn Write) -> Result<(), SolveError> {
    let clock = Clock::start(TIME_LIMIT);
    let (rules, board) = read(input)?;
    let answer = if rules.clearing {
        clear(&rules, &board, &clock)
    } else if *rules.lengths.end() >= LONG {
        long::play(&rules, &board, &clock)
    } else {
        collect(&rules, &board, &clock)
    };
    answer.write(output)
}
