//! The generator. It makes cases of ten families. The contest's own ten files are not public, and the families follow
//! the known facts about them.
//!
//! The last digit of a seed is its family, 0 for the tenth, and the test number at the start of the input. Seeds 1 to
//! 10 are the cases `game1` to `game10`. Later seeds draw other boards and parameters of the same families, uniformly:
//!
//! | family | n × m | K | l_min..l_max | c1, c2 | F | board |
//! |---|---|---|---|---|---|---|
//! | 1 | 2..10 × 300..1000 | 1 | 2..m ± 10 | 1..2, 1..2 | 0 | any digits |
//! | 2 | 8..20 × 8..20 | half the cells | 2..3..5 | 1, 1 | 1 | can be cleared |
//! | 3 | 20..50 × 20..50 | 20..100 | 2..5..10 | 2..3, 0..1 | 0 | any digits |
//! | 4 | 70..110 × 70..110 | 50..200 | 2..18..30 | 2, 0 | 0 | any digits |
//! | 5 | 70..110 × 70..110 | 300..1200 | 2..8 | 2, 2 | 0 | any digits |
//! | 6 | 1000 × 1000 | 1 | 2..990..1000 | 0, 1..2 | 0 | 4..6 kinds of digits: long palindromes are everywhere |
//! | 7 | 1000 × 1000 | 1 | 2..an odd 951..999 | 0, 1..2 | 0 | like a chessboard, with 2..4 kinds of digits on each colour and no digit on both: a palindrome has an odd length |
//! | 8 | 1000 × 1000 | 1..10 | 2..300..1000 | 1..2, 1..2 | 0 | like 5 and 6, except for 5..30 per mille of the cells |
//! | 9 | 1000 × an even 20..100 | 1 | 2..n·m | 0, 1..2 | 0 | a mirror image, except for 20..200 cells: nearly the whole board is one palindrome |
//! | 10 | 3 × 999 | 1 | 2..2997 | 0..1, 1..2 | 0 | the same after half a turn: the path back and forth along the rows, or the columns, is a palindrome |

use super::primality::Primality;
use crate::Parametric;
use crate::random::FrozenRandom;
use std::io::Write;
use std::ops::RangeInclusive;

const ANY_DIGIT: [u8; 10] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

/// Returns the input of a seed. Every seed is valid.
pub(super) fn generate(seed: u64) -> Vec<u8> {
    let mut random = FrozenRandom::new("deletion-game", seed);
    let family = family(seed);
    draft(family, &mut random).written(family)
}

/// Cases of one of the ten families, which differ in size, lengths and exponents.
pub(super) const PARAMETRIC: Parametric = Parametric {
    parameters: &[("family", "1..10")],
    generate: |seed, values| {
        let family = values.first().copied().unwrap_or(1);
        draft(family, &mut FrozenRandom::new("deletion-game with parameters", seed)).written(family)
    },
};

fn family(seed: u64) -> u64 {
    match seed % 10 {
        0 => 10,
        digit => digit,
    }
}

fn draft(family: u64, random: &mut FrozenRandom) -> Draft {
    match family {
        1 => one_move_on_a_wide_board(random),
        2 => to_be_cleared(random),
        3 => any_digits(random, 20..=50, 20..=100, 5..=10, [2..=3, 0..=1]),
        4 => any_digits(random, 70..=110, 50..=200, 18..=30, [2..=2, 0..=0]),
        5 => any_digits(random, 70..=110, 300..=1200, 8..=8, [2..=2, 2..=2]),
        6 => one_palindrome(random),
        7 => one_odd_palindrome(random),
        8 => fives_and_sixes(random),
        9 => mirrored(random),
        _ => full_board_palindrome(random),
    }
}

/// A case before it is written as text.
struct Draft {
    grid: Grid,
    moves: usize,
    lengths: RangeInclusive<usize>,
    exponents: [u64; 2],
}

impl Draft {
    /// Returns the text of a case of this family.
    fn written(&self, family: u64) -> Vec<u8> {
        let Self { grid, moves, lengths, exponents: [c1, c2] } = self;
        let (n, m, shortest, longest) = (grid.rows(), grid.columns, lengths.start(), lengths.end());
        // Only the boards of family 2 are to be cleared.
        let f = u8::from(family == 2);
        let mut text = Vec::with_capacity(2 * n * m + 64);
        writeln!(text, "{family}\n{n} {m} {moves} {shortest} {longest} {c1} {c2} {f}")
            .expect("writing to memory does not fail");
        for row in grid.by_rows() {
            text.extend(row.iter().flat_map(|digit| [b'0' + digit, b' ']));
            text.pop();
            text.push(b'\n');
        }
        text
    }
}

fn one_move_on_a_wide_board(random: &mut FrozenRandom) -> Draft {
    let (rows, columns) = (random.length(2, 10), random.length(300, 1000));
    let lengths = 2..=random.length(columns - 10, columns + 10);
    let exponents = [random.between(1, 2), random.between(1, 2)];
    let grid = Grid::of(rows, columns, |_, _| *random.pick(&ANY_DIGIT));
    Draft { grid, moves: 1, lengths, exponents }
}

fn to_be_cleared(random: &mut FrozenRandom) -> Draft {
    let (rows, columns) = (random.length(8, 20), random.length(8, 20));
    let longest = random.length(3, 5);
    let grid = stacked(rows, columns, &pieces(random, rows, columns, longest));
    let moves = rows * columns / 2;
    Draft { grid, moves, lengths: 2..=longest, exponents: [1, 1] }
}

/// Draws everything from these ranges: the rows and the columns, the moves, the longest length, the exponents. Numbers
/// whose range has a single value are not drawn.
fn any_digits(
    random: &mut FrozenRandom,
    sides: RangeInclusive<usize>,
    moves: RangeInclusive<usize>,
    longest: RangeInclusive<usize>,
    exponents: [RangeInclusive<usize>; 2],
) -> Draft {
    let mut drawn = |range: &RangeInclusive<usize>| match range.start() == range.end() {
        true => *range.start(),
        false => random.length(*range.start(), *range.end()),
    };
    let [rows, columns, moves, longest] = [&sides, &sides, &moves, &longest].map(&mut drawn);
    let exponents = exponents.map(|exponent| drawn(&exponent) as u64);
    let grid = Grid::of(rows, columns, |_, _| *random.pick(&ANY_DIGIT));
    Draft { grid, moves, lengths: 2..=longest, exponents }
}

fn one_palindrome(random: &mut FrozenRandom) -> Draft {
    let lengths = 2..=random.length(990, 1000);
    let exponents = [0, random.between(1, 2)];
    let kinds = random.length(4, 6);
    let digits = shuffled_digits(random);
    let grid = Grid::of(1000, 1000, |_, _| *random.pick(&digits[..kinds]));
    Draft { grid, moves: 1, lengths, exponents }
}

fn one_odd_palindrome(random: &mut FrozenRandom) -> Draft {
    let lengths = 2..=2 * random.length(475, 499) + 1;
    let exponents = [0, random.between(1, 2)];
    let kinds = [random.length(2, 4), random.length(2, 4)];
    let digits = shuffled_digits(random);
    let (black, white) = digits[..kinds[0] + kinds[1]].split_at(kinds[0]);
    let grid = Grid::of(1000, 1000, |row, column| *random.pick(if (row + column) % 2 == 0 { black } else { white }));
    Draft { grid, moves: 1, lengths, exponents }
}

fn fives_and_sixes(random: &mut FrozenRandom) -> Draft {
    let moves = random.length(1, 10);
    let lengths = 2..=random.length(300, 1000);
    let exponents = [random.between(1, 2), random.between(1, 2)];
    let noise_per_mille = random.between(5, 30);
    let grid = Grid::of(1000, 1000, |_, _| match random.below(1000) < noise_per_mille {
        true => *random.pick(&[0, 1, 2, 3, 4, 7, 8, 9]),
        false => *random.pick(&[5, 6]),
    });
    Draft { grid, moves, lengths, exponents }
}

fn mirrored(random: &mut FrozenRandom) -> Draft {
    let columns = 2 * random.length(10, 50);
    let exponents = [0, random.between(1, 2)];
    let mut grid = Grid::of(1000, columns, |_, _| *random.pick(&ANY_DIGIT));
    grid.mirror_left_to_right();
    for _ in 0..random.length(20, 200) {
        let cell = (random.index(1000), random.index(columns));
        grid.set(cell, *random.pick(&ANY_DIGIT));
    }
    Draft { grid, moves: 1, lengths: 2..=1000 * columns, exponents }
}

fn full_board_palindrome(random: &mut FrozenRandom) -> Draft {
    let exponents = [random.between(0, 1), random.between(1, 2)];
    let mut grid = Grid::of(3, 999, |_, _| *random.pick(&ANY_DIGIT));
    if grid.digit((0, 0)) == 0 {
        grid.set((0, 0), *random.pick(&ANY_DIGIT[1..]));
    }
    grid.mirror_by_half_a_turn();
    Draft { grid, moves: 1, lengths: 2..=2997, exponents }
}

/// Returns the ten digits in a random order.
fn shuffled_digits(random: &mut FrozenRandom) -> [u8; 10] {
    let mut digits = ANY_DIGIT;
    random.shuffle(&mut digits);
    digits
}

/// A row and a column, both from 0, the top left is (0, 0).
pub(super) type Spot = (usize, usize);

/// A grid of digits.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Grid {
    columns: usize,
    /// Row by row.
    digits: Vec<u8>,
}

impl Grid {
    /// Returns a grid filled by `digit`, row by row.
    pub(super) fn of(rows: usize, columns: usize, mut digit: impl FnMut(usize, usize) -> u8) -> Self {
        let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        Self { columns, digits: cells.map(|(row, column)| digit(row, column)).collect() }
    }

    pub(super) fn rows(&self) -> usize {
        self.digits.len() / self.columns
    }

    fn by_rows(&self) -> impl Iterator<Item = &[u8]> {
        self.digits.chunks_exact(self.columns)
    }

    pub(super) fn digit(&self, (row, column): Spot) -> u8 {
        self.digits[row * self.columns + column]
    }

    pub(super) fn set(&mut self, (row, column): Spot, digit: u8) {
        self.digits[row * self.columns + column] = digit;
    }

    /// Makes the right half the mirror image of the left.
    fn mirror_left_to_right(&mut self) {
        let half = self.columns / 2;
        for row in self.digits.chunks_exact_mut(self.columns) {
            for column in 0..half {
                row[row.len() - 1 - column] = row[column];
            }
        }
    }

    /// Makes the grid the same when it is turned upside down.
    fn mirror_by_half_a_turn(&mut self) {
        let half = self.digits.len() / 2;
        for index in 0..half {
            let opposite = self.digits.len() - 1 - index;
            self.digits[opposite] = self.digits[index];
        }
    }
}

/// A path that scores. Its position is the one at the time of its insertion.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Piece {
    /// Columns from 0 and levels from 0 at the floor, in the order of the path.
    pub(super) path: Vec<(usize, usize)>,
    /// The digits along the path.
    pub(super) digits: Vec<u8>,
}

/// Returns the pieces that fill a board, in the order of their insertion. The board is built backwards: each piece is
/// inserted where the game can remove it. Pieces have 2 to `longest` cells, which is at least 3. Where no more crooked
/// pieces fit, columns are filled up with straight pieces of two and three cells.
fn pieces(random: &mut FrozenRandom, rows: usize, columns: usize, longest: usize) -> Vec<Piece> {
    let mut heights = vec![0; columns];
    let mut pieces = Vec::new();
    for _ in 0..10 * rows * columns {
        let length = random.length(2, longest);
        let path = walk(random, &heights, rows, length);
        push_in(&mut pieces, &mut heights, path, rows, random);
    }
    for column in 0..heights.len() {
        while heights[column] < rows {
            let length = if (rows - heights[column]).is_multiple_of(2) { 2 } else { 3 };
            let floor = random.index(heights[column] + 1);
            let path = (floor..floor + length).map(|level| (column, level)).collect();
            push_in(&mut pieces, &mut heights, path, rows, random);
        }
    }
    pieces
}

/// Returns the board that the pieces make.
fn stacked(rows: usize, columns: usize, pieces: &[Piece]) -> Grid {
    let mut stacks: Vec<Vec<u8>> = vec![Vec::new(); columns];
    for piece in pieces {
        let mut cells: Vec<_> = piece.path.iter().zip(&piece.digits).collect();
        // From the floor up, the cells below each one are already in place.
        cells.sort_unstable_by_key(|&(&(_, level), _)| level);
        for (&(column, level), &digit) in cells {
            stacks[column].insert(level, digit);
        }
    }
    Grid::of(rows, columns, |row, column| stacks[column][rows - 1 - row])
}

/// Returns a random path without repeated cells. It starts in a column or directly on top of it. It is shorter than
/// `length` if it runs into a dead end.
fn walk(random: &mut FrozenRandom, heights: &[usize], rows: usize, length: usize) -> Vec<(usize, usize)> {
    let column = random.index(heights.len());
    let mut path = vec![(column, random.index(heights[column] + 1))];
    while path.len() < length {
        let (column, level) = path[path.len() - 1];
        let around = [
            (column + 1, level),
            (column.wrapping_sub(1), level),
            (column, level + 1),
            (column, level.wrapping_sub(1)),
        ];
        let free = |spot: &(usize, usize)| spot.0 < heights.len() && spot.1 < rows && !path.contains(spot);
        let free: Vec<_> = around.into_iter().filter(free).collect();
        if free.is_empty() {
            break;
        }
        path.push(*random.pick(&free));
    }
    path
}

/// Inserts the path as a piece with new digits, if it fits.
fn push_in(
    pieces: &mut Vec<Piece>,
    heights: &mut [usize],
    path: Vec<(usize, usize)>,
    rows: usize,
    random: &mut FrozenRandom,
) {
    if path.len() < 2 {
        return;
    }
    let mut raised = heights.to_vec();
    path.iter().for_each(|&(column, _)| raised[column] += 1);
    let lies_in_the_pile = |&(column, level): &(usize, usize)| level < raised[column];
    // A column that lacks a single cell could not be filled alone.
    let leaves_room = |&(column, _): &(usize, usize)| raised[column] <= rows && raised[column] + 1 != rows;
    if path.iter().all(lies_in_the_pile) && path.iter().all(leaves_room) {
        heights.copy_from_slice(&raised);
        let digits = scoring_digits(random, path.len());
        pieces.push(Piece { path, digits });
    }
}

/// Returns the digits of a prime or of a palindrome, with equal probability.
fn scoring_digits(random: &mut FrozenRandom, length: usize) -> Vec<u8> {
    let mut digits: Vec<u8> = (0..length).map(|_| *random.pick(&ANY_DIGIT)).collect();
    digits[0] = *random.pick(&ANY_DIGIT[1..]);
    if random.below(2) == 0 {
        for index in 0..length / 2 {
            digits[length - 1 - index] = digits[index];
        }
        return digits;
    }
    while !is_prime(&digits) {
        digits[1..].fill_with(|| *random.pick(&ANY_DIGIT));
        digits[0] = *random.pick(&ANY_DIGIT[1..]);
    }
    digits
}

fn is_prime(digits: &[u8]) -> bool {
    let number: Vec<u8> = digits.iter().map(|digit| b'0' + digit).collect();
    Primality::default().is_prime(&number).expect("a short number is decided")
}

#[cfg(test)]
mod tests {
    //! Plays each family to show that it is as the table says.
    use super::super::DELETION_GAME;
    use super::*;
    use crate::{Case, Feature, Score};
    use std::collections::HashSet;

    fn drafted(seed: u64) -> Draft {
        draft(family(seed), &mut FrozenRandom::new("deletion-game", seed))
    }

    fn case(seed: u64) -> Box<dyn Case> {
        DELETION_GAME.read(&generate(seed)).unwrap()
    }

    fn feature(features: &[Feature], name: &str) -> i64 {
        features.iter().find(|feature| feature.name == name).unwrap().value
    }

    /// An answer of one move.
    fn one_move(path: &[Spot]) -> Vec<u8> {
        let spots: String = path.iter().map(|(row, column)| format!(" {} {}", row + 1, column + 1)).collect();
        format!("1\n{}{spots}\n", path.len()).into_bytes()
    }

    #[test]
    fn a_seed_always_gives_the_same_case() {
        let sums = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map(|seed| {
            let text = generate(seed);
            text.iter().fold(0_u64, |sum, &byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)))
        });
        let expected = [
            3_684_845_234_806_883_968,
            10_885_785_356_000_226_752,
            12_121_087_035_741_833_576,
            6_342_794_426_745_529_834,
            17_724_918_307_979_769_877,
            16_452_737_068_895_481_659,
            9_181_211_573_676_649_842,
            671_588_206_168_524_353,
            1_357_222_587_008_402_508,
            795_797_434_020_084_809,
            12_322_926_868_480_669_456,
            17_446_196_870_936_730_332,
        ];
        assert_eq!(sums, expected, "changing this changes every generated case");
    }

    #[test]
    fn the_parameters_stay_in_the_ranges_of_the_table() {
        for seed in (1..=10).chain((11..=100).filter(|seed| !(6..=8).contains(&(seed % 10)))) {
            let text = generate(seed);
            let family = family(seed);
            assert!(text.starts_with(format!("{family}\n").as_bytes()), "seed {seed}");
            let features = DELETION_GAME.read(&text).unwrap().features();
            let [n, m, moves, c1, c2, f] = ["n", "m", "K", "c1", "c2", "F"].map(|name| feature(&features, name));
            let [shortest, longest] = ["lmin", "lmax"].map(|name| feature(&features, name));
            let fits = match family {
                1 => n <= 10 && m >= 300 && moves == 1 && (longest - m).abs() <= 10 && c1 >= 1 && c2 >= 1,
                2 => n <= 20 && m <= 20 && f == 1 && (c1, c2) == (1, 1) && longest <= 5 && moves == n * m / 2,
                3 => (20..=50).contains(&n) && (20..=50).contains(&m) && c1 > c2 && moves <= 100,
                4 => n <= 110 && m <= 110 && longest >= 18 && (c1, c2) == (2, 0) && moves >= 50,
                5 => n <= 110 && m <= 110 && longest == 8 && (c1, c2) == (2, 2) && moves >= 300,
                6 => (n, m, moves, c1) == (1000, 1000, 1, 0) && longest >= 990 && c2 >= 1,
                7 => (n, m, moves, c1) == (1000, 1000, 1, 0) && longest % 2 == 1 && longest >= 951 && c2 >= 1,
                8 => (n, m) == (1000, 1000) && moves <= 10 && longest >= 300 && c1 >= 1 && c2 >= 1,
                9 => n == 1000 && m % 2 == 0 && (moves, c1) == (1, 0) && longest == n * m && c2 >= 1,
                _ => (n, m, moves, longest) == (3, 999, 1, 2997) && c2 >= 1,
            };
            assert!(fits && shortest == 2 && (family == 2 || f == 0), "seed {seed}: {features:?}");
        }
    }

    #[test]
    fn every_seed_makes_a_case() {
        assert!(generate(0).starts_with(b"10\n3 999 "));
        assert!(generate(u64::MAX).starts_with(b"5\n"));
        assert_ne!(generate(3), generate(13));
    }

    /// Removing the pieces in reverse order clears a board of family 2, so no cell halves the points.
    #[test]
    fn family_2_can_be_cleared() {
        for seed in (2..200).step_by(10) {
            let mut random = FrozenRandom::new("deletion-game", seed);
            let (rows, columns) = (random.length(8, 20), random.length(8, 20));
            let longest = random.length(3, 5);
            let pieces = pieces(&mut random, rows, columns, longest);
            let mut answer = format!("{}\n", pieces.len());
            for piece in pieces.iter().rev() {
                answer.push_str(&piece.path.len().to_string());
                for (column, level) in &piece.path {
                    answer.push_str(&format!(" {} {}", rows - level, column + 1));
                }
                answer.push('\n');
            }
            let score = case(seed).check(answer.as_bytes()).unwrap();
            assert!(score >= Score::from(rows * columns + pieces.len()), "seed {seed}: {score}");
            let crooked = pieces.iter().filter(|piece| piece.path.iter().any(|spot| spot.0 != piece.path[0].0)).count();
            assert!(3 * crooked > pieces.len(), "seed {seed}: {crooked} of {} pieces are not upright", pieces.len());
        }
    }

    /// Grows a palindrome from its middle by equal digits at both ends, and backtracks from dead ends.
    fn palindrome(grid: &Grid, length: usize, middle: Spot) -> Option<Vec<Spot>> {
        let around = |(row, column): Spot| {
            let spots =
                [(row + 1, column), (row, column + 1), (row.wrapping_sub(1), column), (row, column.wrapping_sub(1))];
            spots.into_iter().filter(|spot| spot.0 < grid.rows() && spot.1 < grid.columns)
        };
        let mut ends = vec![(middle, middle)];
        let mut used = HashSet::from([middle]);
        let mut untried: Vec<Vec<(Spot, Spot)>> = Vec::new();
        for _ in 0..10 * length {
            if 2 * ends.len() > length && grid.digit(ends[ends.len() - 1].0) != 0 {
                let (left, right): (Vec<_>, Vec<_>) = ends.into_iter().unzip();
                return Some(left.into_iter().rev().chain(right.into_iter().skip(1)).collect());
            }
            if untried.len() < ends.len() {
                let (left, right) = ends[ends.len() - 1];
                let pairs = around(left).flat_map(|a| around(right).map(move |b| (a, b)));
                let fits = |&(a, b): &(Spot, Spot)| a != b && grid.digit(a) == grid.digit(b);
                untried.push(pairs.filter(fits).filter(|(a, b)| !used.contains(a) && !used.contains(b)).collect());
            }
            match untried.last_mut()?.pop() {
                Some((a, b)) => {
                    ends.push((a, b));
                    used.extend([a, b]);
                }
                None => {
                    untried.pop();
                    let (a, b) = ends.pop()?;
                    used.remove(&a);
                    used.remove(&b);
                }
            }
        }
        None
    }

    #[test]
    fn families_6_and_7_hold_a_palindrome_of_nearly_the_greatest_length() {
        for seed in [6, 7, 17] {
            let draft = drafted(seed);
            let length = (*draft.lengths.end() - 1) / 2 * 2 + 1;
            let path = (0..1000).find_map(|row| palindrome(&draft.grid, length, (row, 500))).expect("there are plenty");
            let score = 1 + (length as u64).pow(draft.exponents[1] as u32);
            assert_eq!(case(seed).check(&one_move(&path)), Ok(score.into()), "seed {seed}");
        }
    }

    #[test]
    fn family_7_has_no_palindrome_of_even_length() {
        let grid = drafted(7).grid;
        for (row, digits) in grid.by_rows().enumerate() {
            assert!(digits.windows(2).all(|pair| pair[0] != pair[1]));
            assert!(row == 0 || (0..1000).all(|column| grid.digit((row - 1, column)) != digits[column]));
        }
    }

    #[test]
    fn family_8_is_fives_and_sixes_with_some_noise() {
        for seed in [8, 18] {
            let grid = drafted(seed).grid;
            let mut counts = [0; 10];
            grid.by_rows().flatten().for_each(|&digit| counts[usize::from(digit)] += 1);
            assert!(counts[5] > 450_000 && counts[6] > 450_000, "{counts:?}");
            assert!(counts.iter().all(|&count| count > 300), "{counts:?}");
        }
    }

    #[test]
    fn family_9_is_a_mirror_image_but_for_some_cells() {
        for seed in [9, 19, 29] {
            let grid = drafted(seed).grid;
            let half = grid.columns / 2;
            let unequal = |row: &[u8]| (0..half).filter(|&column| row[column] != row[row.len() - 1 - column]).count();
            let unequal: usize = grid.by_rows().map(unequal).sum();
            assert!((10..=200).contains(&unequal), "{unequal}");
        }
    }

    /// A path along the left half of some rows and back on the right is a palindrome if no cell on it is changed.
    #[test]
    fn family_9_pays_for_one_long_path() {
        let draft = drafted(9);
        let (grid, half) = (&draft.grid, draft.grid.columns / 2);
        let symmetric = |row: &usize| (0..half).all(|c| grid.digit((*row, c)) == grid.digit((*row, 2 * half - 1 - c)));
        let first =
            (0..999).find(|row| symmetric(row) && symmetric(&(row + 1)) && grid.digit((*row, half)) > 0).unwrap();
        let left = (0..half).rev().map(|column| (first, column)).chain((0..half).map(|column| (first + 1, column)));
        let left: Vec<_> = left.collect();
        let right = left.iter().rev().map(|&(row, column)| (row, 2 * half - 1 - column));
        let path: Vec<_> = left.iter().copied().chain(right).collect();
        let score = 1 + (path.len() as u64).pow(draft.exponents[1] as u32);
        assert_eq!(case(9).check(&one_move(&path)), Ok(score.into()));
    }

    /// Goes along the first line, back along the second, and so on, with a middle that half a turn maps onto itself.
    fn to_and_fro(lines: usize, length: usize) -> Vec<Spot> {
        let place = |line: usize, index: usize| if line.is_multiple_of(2) { index } else { length - 1 - index };
        (0..lines).flat_map(|line| (0..length).map(move |index| (line, place(line, index)))).collect()
    }

    #[test]
    fn family_10_holds_a_palindrome_of_the_whole_board() {
        let along_rows = to_and_fro(3, 999);
        let along_columns: Vec<_> = to_and_fro(999, 3).into_iter().map(|(column, row)| (row, column)).collect();
        for seed in [10, 20, 30, 40] {
            let score = 2997_u64.pow(drafted(seed).exponents[1] as u32) + 1;
            for path in [&along_rows, &along_columns] {
                assert_eq!(case(seed).check(&one_move(path)), Ok(score.into()), "seed {seed}");
            }
        }
    }
}
