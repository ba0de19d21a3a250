//! Makes cases of ten families. The contest's own ten files are not public; these follow what is known of them.
//!
//! A seed's last digit is its family, 0 for the tenth, and the test number that the input begins with. Seeds 1 to 10
//! are the cases `game1` to `game10`; later seeds draw other boards and parameters of the same families, uniformly:
//!
//! | family | n × m | K | l_min..l_max | c1, c2 | F | board |
//! |---|---|---|---|---|---|---|
//! | 1 | 2..10 × 300..1000 | 1 | 2..m ± 10 | 1..2, 1..2 | 0 | any digits |
//! | 2 | 8..20 × 8..20 | half the cells | 2..3..5 | 1, 1 | 1 | can be cleared |
//! | 3 | 20..50 × 20..50 | 20..100 | 2..5..10 | 2..3, 0..1 | 0 | any digits |
//! | 4 | 70..110 × 70..110 | 50..200 | 2..18..30 | 2, 0 | 0 | any digits |
//! | 5 | 70..110 × 70..110 | 300..1200 | 2..8 | 2, 2 | 0 | any digits |
//! | 6 | 1000 × 1000 | 1 | 2..990..1000 | 0, 1..2 | 0 | 4..6 kinds of digits: long palindromes are everywhere |
//! | 7 | 1000 × 1000 | 1 | 2..an odd 951..999 | 0, 1..2 | 0 | as a chessboard, with 2..4 kinds of digits on either colour and none on both: a palindrome has an odd length |
//! | 8 | 1000 × 1000 | 1..10 | 2..300..1000 | 1..2, 1..2 | 0 | 5 and 6, but for 5..30 per mille of the cells |
//! | 9 | 1000 × an even 20..100 | 1 | 2..n·m | 0, 1..2 | 0 | a mirror image, but for 20..200 cells: nearly all of it is one palindrome |
//! | 10 | 3 × 999 | 1 | 2..2997 | 0..1, 1..2 | 0 | the same after half a turn: to and fro along the rows, or the columns, is a palindrome |

mod grid;
mod pieces;

use crate::random::Frozen;
use grid::Grid;
use std::io::Write;
use std::ops::RangeInclusive;

const ANY_DIGIT: [u8; 10] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

/// Returns the input of this seed. Any seed will do.
pub(super) fn generate(seed: u64) -> Vec<u8> {
    let mut random = Frozen::new("deletion-game", seed);
    let family = family(seed);
    draft(family, &mut random).written(family)
}

fn family(seed: u64) -> u64 {
    match seed % 10 {
        0 => 10,
        digit => digit,
    }
}

fn draft(family: u64, random: &mut Frozen) -> Draft {
    match family {
        1 => one_move_on_a_wide_board(random),
        2 => to_be_cleared(random),
        3 => primes_before_palindromes(random),
        4 => long_primes(random),
        5 => short_paths(random),
        6 => one_palindrome(random),
        7 => one_odd_palindrome(random),
        8 => fives_and_sixes(random),
        9 => mirrored(random),
        _ => full_board_palindrome(random),
    }
}

/// A case before it is written down.
struct Draft {
    grid: Grid,
    moves: u64,
    lengths: RangeInclusive<u64>,
    exponents: [u64; 2],
    halves_for_what_is_left: bool,
}

impl Draft {
    fn written(&self, test_number: u64) -> Vec<u8> {
        let Self { grid, moves, lengths, exponents: [c1, c2], .. } = self;
        let (n, m, shortest, longest) = (grid.rows(), grid.columns(), lengths.start(), lengths.end());
        let f = u8::from(self.halves_for_what_is_left);
        let mut text = Vec::with_capacity(2 * n * m + 64);
        writeln!(text, "{test_number}\n{n} {m} {moves} {shortest} {longest} {c1} {c2} {f}")
            .expect("writing to memory does not fail");
        for row in grid.by_rows() {
            text.extend(row.iter().flat_map(|digit| [b'0' + digit, b' ']));
            text.pop();
            text.push(b'\n');
        }
        text
    }
}

fn one_move_on_a_wide_board(random: &mut Frozen) -> Draft {
    let (rows, columns) = (random.between(2, 10), random.between(300, 1000));
    let lengths = 2..=random.between(columns - 10, columns + 10);
    let exponents = [random.between(1, 2), random.between(1, 2)];
    let grid = Grid::of(rows as usize, columns as usize, |_, _| *random.pick(&ANY_DIGIT));
    Draft { grid, moves: 1, lengths, exponents, halves_for_what_is_left: false }
}

fn to_be_cleared(random: &mut Frozen) -> Draft {
    let (rows, columns) = (random.between(8, 20), random.between(8, 20));
    let longest = random.between(3, 5);
    let grid = pieces::stacked(rows as usize, columns as usize, &pieces::pieces(random, rows, columns, longest));
    let moves = rows * columns / 2;
    Draft { grid, moves, lengths: 2..=longest, exponents: [1, 1], halves_for_what_is_left: true }
}

fn primes_before_palindromes(random: &mut Frozen) -> Draft {
    let (rows, columns) = (random.between(20, 50), random.between(20, 50));
    let moves = random.between(20, 100);
    let lengths = 2..=random.between(5, 10);
    let exponents = [random.between(2, 3), random.between(0, 1)];
    let grid = Grid::of(rows as usize, columns as usize, |_, _| *random.pick(&ANY_DIGIT));
    Draft { grid, moves, lengths, exponents, halves_for_what_is_left: false }
}

fn long_primes(random: &mut Frozen) -> Draft {
    let (rows, columns) = (random.between(70, 110), random.between(70, 110));
    let moves = random.between(50, 200);
    let lengths = 2..=random.between(18, 30);
    let grid = Grid::of(rows as usize, columns as usize, |_, _| *random.pick(&ANY_DIGIT));
    Draft { grid, moves, lengths, exponents: [2, 0], halves_for_what_is_left: false }
}

fn short_paths(random: &mut Frozen) -> Draft {
    let (rows, columns) = (random.between(70, 110), random.between(70, 110));
    let moves = random.between(300, 1200);
    let grid = Grid::of(rows as usize, columns as usize, |_, _| *random.pick(&ANY_DIGIT));
    Draft { grid, moves, lengths: 2..=8, exponents: [2, 2], halves_for_what_is_left: false }
}

fn one_palindrome(random: &mut Frozen) -> Draft {
    let lengths = 2..=random.between(990, 1000);
    let exponents = [0, random.between(1, 2)];
    let kinds = random.between(4, 6) as usize;
    let digits = shuffled_digits(random);
    let grid = Grid::of(1000, 1000, |_, _| *random.pick(&digits[..kinds]));
    Draft { grid, moves: 1, lengths, exponents, halves_for_what_is_left: false }
}

fn one_odd_palindrome(random: &mut Frozen) -> Draft {
    let lengths = 2..=2 * random.between(475, 499) + 1;
    let exponents = [0, random.between(1, 2)];
    let kinds = [random.between(2, 4) as usize, random.between(2, 4) as usize];
    let digits = shuffled_digits(random);
    let (black, white) = digits[..kinds[0] + kinds[1]].split_at(kinds[0]);
    let grid = Grid::of(1000, 1000, |row, column| *random.pick(if (row + column) % 2 == 0 { black } else { white }));
    Draft { grid, moves: 1, lengths, exponents, halves_for_what_is_left: false }
}

fn fives_and_sixes(random: &mut Frozen) -> Draft {
    let moves = random.between(1, 10);
    let lengths = 2..=random.between(300, 1000);
    let exponents = [random.between(1, 2), random.between(1, 2)];
    let noise_per_mille = random.between(5, 30);
    let grid = Grid::of(1000, 1000, |_, _| match random.below(1000) < noise_per_mille {
        true => *random.pick(&[0, 1, 2, 3, 4, 7, 8, 9]),
        false => *random.pick(&[5, 6]),
    });
    Draft { grid, moves, lengths, exponents, halves_for_what_is_left: false }
}

fn mirrored(random: &mut Frozen) -> Draft {
    let columns = 2 * random.between(10, 50);
    let exponents = [0, random.between(1, 2)];
    let mut grid = Grid::of(1000, columns as usize, |_, _| *random.pick(&ANY_DIGIT));
    grid.mirror_left_to_right();
    for _ in 0..random.between(20, 200) {
        let cell = (random.below(1000) as usize, random.below(columns) as usize);
        grid.set(cell, *random.pick(&ANY_DIGIT));
    }
    Draft { grid, moves: 1, lengths: 2..=1000 * columns, exponents, halves_for_what_is_left: false }
}

fn full_board_palindrome(random: &mut Frozen) -> Draft {
    let exponents = [random.between(0, 1), random.between(1, 2)];
    let mut grid = Grid::of(3, 999, |_, _| *random.pick(&ANY_DIGIT));
    if grid.digit((0, 0)) == 0 {
        grid.set((0, 0), *random.pick(&ANY_DIGIT[1..]));
    }
    grid.mirror_by_half_a_turn();
    Draft { grid, moves: 1, lengths: 2..=2997, exponents, halves_for_what_is_left: false }
}

/// Returns the ten digits in a random order (Fisher and Yates).
fn shuffled_digits(random: &mut Frozen) -> [u8; 10] {
    let mut digits = ANY_DIGIT;
    for last in (1..digits.len()).rev() {
        digits.swap(last, random.below(last as u64 + 1) as usize);
    }
    digits
}

#[cfg(test)]
mod tests;
