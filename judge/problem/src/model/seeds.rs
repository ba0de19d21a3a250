//! Lists of seeds: `1-50`, `3,7,10-12`.

use super::seed_ranges::SeedRanges;
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// The most seeds in a list: a longer range is taken for a typing error.
const MOST_SEEDS: u64 = 10_000_000;

/// The first seed of the fresh cases of `compare --until-decided` and of the comparison at the end of `tune`. Cases by
/// hand have small seeds; those of a search begin where no comparison comes to.
pub const FIRST_FRESH_SEED: u64 = 1_000_001;

/// The first seed of the cases that the search of `tune` runs on: what was tuned on them is then compared on others.
pub const FIRST_TRAINING_SEED: u64 = 2_000_001;

/// A list of seeds, in the order given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seeds(Vec<RangeInclusive<u64>>);

/// Explains how a signed seed is written. Generators of contests may take signed seeds; the 64 bits are the same.
fn same(seed: u64) -> String {
    format!(": where a contest counts negative seeds, this one is {seed} here")
}

/// A text that is not a list of seeds.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SeedsError {
    /// Not `A`, `A-B` or a comma-separated list of these.
    #[error("expected seeds such as `1-50` or `3,7,10-12`, found `{0}`")]
    Syntax(String),
    /// An integer that is not a seed.
    #[error("seeds are 0 to {}, found `{found}`{}", u64::MAX, same_bits.map(same).unwrap_or_default())]
    OutOfRange {
        /// What was written.
        found: String,
        /// The seed with the bits of the signed 64-bit integer that was written.
        same_bits: Option<u64>,
    },
    /// `B-A`.
    #[error("the seed range `{first}-{last}` runs backwards; write `{last}-{first}`")]
    Reversed {
        /// The first number.
        first: u64,
        /// The last number.
        last: u64,
    },
    /// More than `MOST_SEEDS`.
    #[error("`{text}` is {count} seeds; at most {MOST_SEEDS} can be run at once")]
    TooMany {
        /// What was written.
        text: String,
        /// How many seeds that is.
        count: u128,
    },
}

impl Seeds {
    /// Returns every seed, in order.
    pub fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        self.0.iter().cloned().flatten()
    }

    /// Returns the ranges of the list, in order.
    #[must_use]
    pub fn ranges(&self) -> &[RangeInclusive<u64>] {
        &self.0
    }

    /// Returns every seed once, where it first occurs, and how many repetitions that leaves out.
    #[must_use]
    pub fn without_repetitions(&self) -> (Self, usize) {
        let mut known = SeedRanges::default();
        let (mut kept, mut left_out) = (Vec::<RangeInclusive<u64>>::new(), 0);
        for range in &self.0 {
            if known.shared(range).is_empty() {
                kept.push(range.clone());
            } else {
                let fresh: Vec<u64> = range.clone().filter(|seed| !known.contains(*seed)).collect();
                left_out += range.clone().count() - fresh.len();
                kept.extend(fresh.chunk_by(|seed, next| seed + 1 == *next).map(|run| run[0]..=run[run.len() - 1]));
            }
            known.add(range.clone());
        }
        (Self(kept), left_out)
    }

    /// Returns whether a seed is one of them.
    #[must_use]
    pub fn contains(&self, seed: u64) -> bool {
        self.0.iter().any(|range| range.contains(&seed))
    }

    /// Returns a seed that is in both lists.
    #[must_use]
    pub fn shared_with(&self, other: &Self) -> Option<u64> {
        let first = |left: &RangeInclusive<u64>, right: &RangeInclusive<u64>| {
            let first = *left.start().max(right.start());
            (first <= *left.end().min(right.end())).then_some(first)
        };
        self.0.iter().find_map(|left| other.0.iter().find_map(|right| first(left, right)))
    }
}

impl FromIterator<u64> for Seeds {
    fn from_iter<T: IntoIterator<Item = u64>>(seeds: T) -> Self {
        let mut ranges = SeedRanges::default();
        seeds.into_iter().for_each(|seed| ranges.add(seed..=seed));
        Self(ranges.all())
    }
}

impl fmt::Display for Seeds {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let range = |range: &RangeInclusive<u64>| match (range.start(), range.end()) {
            (first, last) if first == last => first.to_string(),
            (first, last) => format!("{first}-{last}"),
        };
        formatter.write_str(&self.0.iter().map(range).collect::<Vec<_>>().join(","))
    }
}

impl FromStr for Seeds {
    type Err = SeedsError;

    fn from_str(text: &str) -> Result<Self, SeedsError> {
        let ranges = text.split(',').map(|part| range(part.trim())).collect::<Result<Vec<_>, _>>()?;
        let count = ranges.iter().map(|range| u128::from(range.end() - range.start()) + 1).sum();
        if count > u128::from(MOST_SEEDS) {
            return Err(SeedsError::TooMany { text: text.to_owned(), count });
        }
        Ok(Self(ranges))
    }
}

/// Reads a single seed.
///
/// # Errors
/// When the text is not a seed.
pub fn parse_seed(text: &str) -> Result<u64, SeedsError> {
    let text = text.trim();
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(SeedsError::Syntax(text.to_owned()));
    }
    text.parse().map_err(|_| SeedsError::OutOfRange {
        found: text.to_owned(),
        same_bits: text.parse().ok().map(i64::cast_unsigned),
    })
}

fn range(text: &str) -> Result<RangeInclusive<u64>, SeedsError> {
    // A hyphen at the start is a sign.
    let hyphen = text.char_indices().skip(1).find(|(_, letter)| *letter == '-');
    let (first, last) = hyphen.map_or((text, text), |(index, _)| (&text[..index], &text[index + 1..]));
    let syntax = |error| match error {
        SeedsError::Syntax(_) => SeedsError::Syntax(text.to_owned()),
        other => other,
    };
    let (first, last) = (parse_seed(first).map_err(syntax)?, parse_seed(last).map_err(syntax)?);
    if first > last {
        return Err(SeedsError::Reversed { first, last });
    }
    Ok(first..=last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_ranges_keep_their_order() {
        let seeds: Seeds = "3,7,10-12,1".parse().unwrap();
        assert_eq!(seeds.iter().collect::<Vec<_>>(), [3, 7, 10, 11, 12, 1]);
    }

    #[test]
    fn single_seeds_become_ranges() {
        assert_eq!([7, 3, 2, 9, 8].into_iter().collect::<Seeds>().to_string(), "2-3,7-9");
    }

    #[test]
    fn repetitions_are_left_out_where_they_stand() {
        let distinct = |text: &str| {
            let (seeds, left_out) = text.parse::<Seeds>().unwrap().without_repetitions();
            (seeds.to_string(), left_out)
        };
        assert_eq!(distinct("1-5,3"), ("1-5".to_owned(), 1));
        assert_eq!(distinct("3,1-5,5-6"), ("3,1-2,4-5,6".to_owned(), 2));
        assert_eq!(distinct("7,2-3"), ("7,2-3".to_owned(), 0));
        assert_eq!(distinct("18446744073709551615,18446744073709551615"), ("18446744073709551615".to_owned(), 1));
    }

    #[test]
    fn what_is_not_a_list_of_seeds_is_said() {
        assert_eq!("9-3".parse::<Seeds>(), Err(SeedsError::Reversed { first: 9, last: 3 }));
        for text in ["", "-", "a", "1-", "1-2-3", "1,,2", "1.5", "+1", "--1", "-é", "é-1"] {
            assert!(matches!(text.parse::<Seeds>(), Err(SeedsError::Syntax(_))), "{text}");
        }
        assert!(matches!("0-18446744073709551615".parse::<Seeds>(), Err(SeedsError::TooMany { .. })));
    }

    #[test]
    fn a_negative_seed_is_told_what_it_is_here() {
        for (text, found, same_bits) in [
            ("-1", "-1", Some(u64::MAX)),
            ("3, -5-7", "-5", Some(18_446_744_073_709_551_611)),
            ("1--2", "-2", Some(18_446_744_073_709_551_614)),
            ("-9223372036854775808", "-9223372036854775808", Some(1 << 63)),
            ("-9223372036854775809", "-9223372036854775809", None),
            ("18446744073709551616", "18446744073709551616", None),
        ] {
            let expected = SeedsError::OutOfRange { found: found.to_owned(), same_bits };
            assert_eq!(text.parse::<Seeds>(), Err(expected), "{text}");
        }
        assert_eq!(
            parse_seed("-1").unwrap_err().to_string(),
            "seeds are 0 to 18446744073709551615, found `-1`: where a contest counts negative seeds, this one is \
             18446744073709551615 here"
        );
        assert_eq!(parse_seed("18446744073709551615"), Ok(u64::MAX));
        assert_eq!(parse_seed("007"), Ok(7));
    }
}
