//! Each family is what the table says, shown by playing it.

use super::super::DeletionGame;
use super::grid::Spot;
use super::*;
use crate::{Case, Checker, Feature, Score};
use std::collections::HashSet;

fn drafted(seed: u64) -> Draft {
    draft(family(seed), &mut Frozen::new("deletion-game", seed))
}

fn case(seed: u64) -> Box<dyn Case> {
    DeletionGame.read(&generate(seed)).unwrap()
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
fn a_seed_is_the_same_case_for_ever() {
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
        let features = DeletionGame.read(&text).unwrap().features();
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

/// A board of family 2 is cleared by taking its pieces out again, the last one first: nothing halves the points then.
#[test]
fn family_2_can_be_cleared() {
    for seed in (2..200).step_by(10) {
        let mut random = Frozen::new("deletion-game", seed);
        let (rows, columns) = (random.between(8, 20), random.between(8, 20));
        let longest = random.between(3, 5);
        let pieces = pieces::pieces(&mut random, rows, columns, longest);
        let mut answer = format!("{}\n", pieces.len());
        for piece in pieces.iter().rev() {
            answer.push_str(&piece.path.len().to_string());
            for (column, level) in &piece.path {
                answer.push_str(&format!(" {} {}", rows as usize - level, column + 1));
            }
            answer.push('\n');
        }
        let score = case(seed).check(answer.as_bytes()).unwrap();
        assert!(score >= Score::from(rows * columns + pieces.len() as u64), "seed {seed}: {score}");
        let crooked = pieces.iter().filter(|piece| piece.path.iter().any(|spot| spot.0 != piece.path[0].0)).count();
        assert!(3 * crooked > pieces.len(), "seed {seed}: {crooked} of {} pieces are not upright", pieces.len());
    }
}

/// Grows a palindrome from its middle, both ends by equal digits, turning back from dead ends.
fn palindrome(grid: &Grid, length: usize, middle: Spot) -> Option<Vec<Spot>> {
    let around = |(row, column): Spot| {
        let spots =
            [(row + 1, column), (row, column + 1), (row.wrapping_sub(1), column), (row, column.wrapping_sub(1))];
        spots.into_iter().filter(|spot| spot.0 < grid.rows() && spot.1 < grid.columns())
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
        let length = (*draft.lengths.end() as usize - 1) / 2 * 2 + 1;
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
        let half = grid.columns() / 2;
        let unequal = |row: &[u8]| (0..half).filter(|&column| row[column] != row[row.len() - 1 - column]).count();
        let unequal: usize = grid.by_rows().map(unequal).sum();
        assert!((10..=200).contains(&unequal), "{unequal}");
    }
}

/// A path along the left half of some rows, and back on the right, is a palindrome where no cell is changed.
#[test]
fn family_9_pays_for_one_long_path() {
    let draft = drafted(9);
    let (grid, half) = (&draft.grid, draft.grid.columns() / 2);
    let symmetric = |row: &usize| (0..half).all(|c| grid.digit((*row, c)) == grid.digit((*row, 2 * half - 1 - c)));
    let first = (0..999).find(|row| symmetric(row) && symmetric(&(row + 1)) && grid.digit((*row, half)) > 0).unwrap();
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
