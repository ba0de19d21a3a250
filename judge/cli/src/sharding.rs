//! The grammar of `--shard`.

use judge_problem::{Shard, ShardError};
use std::num::NonZeroU32;
use std::str::FromStr;

/// Which shard of the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShardArg {
    /// This one.
    Given(Shard),
    /// The one that the engine of this task says.
    Auto(TaskIds),
}

/// What is known of the ids of an array's tasks, beside what its engine says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskIds {
    /// Nothing.
    Unknown,
    /// How many there are.
    Count(NonZeroU32),
    /// From, to, and in steps of.
    Range(u32, u32, NonZeroU32),
}

impl FromStr for ShardArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let ids = match text.strip_prefix("auto") {
            None => return text.parse().map(Self::Given).map_err(|error: ShardError| described(&error)),
            Some("") => return Ok(Self::Auto(TaskIds::Unknown)),
            Some(rest) => rest.strip_prefix('/').and_then(ids),
        };
        ids.map(Self::Auto).ok_or_else(|| format!("expected auto, auto/16 or auto/0-15, found `{text}`"))
    }
}

fn described(error: &ShardError) -> String {
    match error {
        ShardError::Form(_) => format!("{error}; or auto"),
        _ => error.to_string(),
    }
}

/// Reads `16`, `0-15` or `0-30:2`, as the array of a job is written.
fn ids(text: &str) -> Option<TaskIds> {
    let Some((first, rest)) = text.split_once('-') else { return text.parse().ok().map(TaskIds::Count) };
    let (last, step) = rest.split_once(':').unwrap_or((rest, "1"));
    let (first, last, step) = (first.parse().ok()?, last.parse().ok()?, step.parse().ok()?);
    (first <= last).then_some(TaskIds::Range(first, last, step))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_is_given_or_read_from_the_engine() {
        let read = |text: &str| text.parse::<ShardArg>();
        let number = |number| NonZeroU32::new(number).unwrap();
        assert_eq!(read("3/16"), Ok(ShardArg::Given(Shard::new(3, 16).unwrap())));
        assert_eq!(read("auto"), Ok(ShardArg::Auto(TaskIds::Unknown)));
        assert_eq!(read("auto/16"), Ok(ShardArg::Auto(TaskIds::Count(number(16)))));
        assert_eq!(read("auto/0-15"), Ok(ShardArg::Auto(TaskIds::Range(0, 15, number(1)))));
        assert_eq!(read("auto/10-40:10"), Ok(ShardArg::Auto(TaskIds::Range(10, 40, number(10)))));
        for text in ["auto/", "auto/0", "auto/5-1", "auto/1-5:0", "auto16", "auto/a", "automatic"] {
            assert_eq!(read(text), Err(format!("expected auto, auto/16 or auto/0-15, found `{text}`")));
        }
        assert_eq!(read("3"), Err("expected K/N, such as 3/16, found `3`; or auto".to_owned()));
    }
}
