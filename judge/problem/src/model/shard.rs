//! A shard: a fixed part of a plan, so that many machines can share the work.

use super::{CaseName, Digest};
use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

/// A fixed part of a plan, as `3/16`: the third of sixteen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shard {
    number: NonZeroU32,
    count: NonZeroU32,
}

/// What a shard must be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ShardError {
    /// Not two numbers.
    #[error("expected K/N, such as 3/16, found `{0}`")]
    Form(String),
    /// Not from 1 to the count.
    #[error("expected a shard from 1/{count} to {count}/{count}, found {number}/{count}")]
    Range {
        /// The shard's number.
        number: u32,
        /// How many there are.
        count: u32,
    },
    /// There are none.
    #[error("expected at least one shard, found {0}/0")]
    None(u32),
}

impl Shard {
    /// Returns the shard of this number, from 1 to `count`.
    ///
    /// # Errors
    /// When there is no such shard.
    pub fn new(number: u32, count: u32) -> Result<Self, ShardError> {
        let Some(of) = NonZeroU32::new(count) else { return Err(ShardError::None(number)) };
        match NonZeroU32::new(number) {
            Some(number) if number <= of => Ok(Self { number, count: of }),
            _ => Err(ShardError::Range { number, count }),
        }
    }

    /// Returns its number, from 1.
    #[must_use]
    pub fn number(self) -> u32 {
        self.number.get()
    }

    /// Returns how many shards there are.
    #[must_use]
    pub fn count(self) -> u32 {
        self.count.get()
    }

    /// Returns whether a case of this problem is in the shard. It depends on nothing but their names: not on the other
    /// cases, nor on their order.
    #[must_use]
    pub fn holds(self, problem: &str, case: &CaseName) -> bool {
        let Digest(hash) = Digest::of_parts([problem.as_bytes(), case.0.as_bytes()]);
        let (first, _) = hash.split_first_chunk::<8>().expect("a hash has 32 bytes");
        u64::from_le_bytes(*first) % u64::from(self.count.get()) == u64::from(self.number.get() - 1)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.number, self.count)
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let form = || ShardError::Form(text.to_owned());
        let (number, count) = text.split_once('/').ok_or_else(form)?;
        let parse = |text: &str| text.parse().map_err(|_| form());
        Self::new(parse(number)?, parse(count)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(count: u32) -> Vec<Shard> {
        (1..=count).map(|number| Shard::new(number, count).unwrap()).collect()
    }

    #[test]
    fn a_shard_is_read_as_it_is_written() {
        let shard: Shard = "3/16".parse().unwrap();
        assert_eq!((shard.number(), shard.count(), shard.to_string()), (3, 16, "3/16".to_owned()));
        let error = |text: &str| text.parse::<Shard>().unwrap_err().to_string();
        assert_eq!(error("0/16"), "expected a shard from 1/16 to 16/16, found 0/16");
        assert_eq!(error("17/16"), "expected a shard from 1/16 to 16/16, found 17/16");
        assert_eq!(error("1/0"), "expected at least one shard, found 1/0");
        for text in ["", "3", "3/", "/16", "3/16/2", "-1/16", "3 / 16", "a/b", "99999999999/16"] {
            assert_eq!(error(text), format!("expected K/N, such as 3/16, found `{text}`"));
        }
    }

    #[test]
    fn every_case_is_in_one_shard_and_they_are_alike_in_length() {
        let mut sizes = [0; 16];
        for seed in 0..16_000 {
            let case = CaseName::of_seed(seed);
            let holders: Vec<_> = all(16).into_iter().filter(|shard| shard.holds("columns", &case)).collect();
            let [shard] = holders[..] else { panic!("{case} is in {holders:?}") };
            sizes[shard.number() as usize - 1] += 1;
        }
        assert!(sizes.iter().all(|size| (900..1100).contains(size)), "{sizes:?}");
    }

    /// Shards of one run may be played by several versions of the judge.
    #[test]
    fn the_shards_of_cases_are_pinned() {
        let shard = |problem, case: &str| {
            let holds = |shard: &Shard| shard.holds(problem, &CaseName::from(case));
            all(16).into_iter().find(holds).unwrap().number()
        };
        let cases = ["seed-1", "seed-2", "seed-3", "seed-1#2", "two"];
        assert_eq!(cases.map(|case| shard("columns", case)), [11, 2, 3, 10, 16]);
        assert_ne!(cases.map(|case| shard("same-game", case)), [11, 2, 3, 10, 16]);
    }
}
