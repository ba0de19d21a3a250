//! Test groups: cases of a problem that count together, like the subtasks of olympiads.

use super::{CaseSource, CaseSpec, Seeds, Weight};
use std::fmt;

/// Cases that count together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestGroup {
    /// The name in every report.
    pub name: String,
    /// The weight of all its cases together, divided in proportion to their own weights. `None`: each keeps its own.
    pub weight: Option<Weight>,
    /// Whether a failure on one of its cases makes all of them count as failed.
    pub all_or_nothing: bool,
    /// Which cases it has.
    pub members: Members,
}

/// The cases of a group: those with one of the names or made from one of the seeds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Members {
    /// Names of cases; `*` and `?` stand for any characters or one.
    pub names: Vec<glob::Pattern>,
    /// Cases made from these seeds, with any name.
    pub seeds: Option<Seeds>,
}

impl Members {
    /// Returns whether a case is one of them. A repetition `NAME#2` is in the group of its case.
    #[must_use]
    pub fn have(&self, case: &CaseSpec) -> bool {
        let is_seeded = match case.source {
            CaseSource::Seed(seed) => self.seeds.as_ref().is_some_and(|seeds| seeds.contains(seed)),
            CaseSource::File(_) => false,
        };
        is_seeded || self.names.iter().any(|pattern| pattern.matches(case.name.without_repetition()))
    }
}

impl fmt::Display for Members {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seeds = self.seeds.iter().map(|seeds| format!("seeds {seeds}"));
        let names = self.names.iter().map(ToString::to_string);
        formatter.write_str(&seeds.chain(names).collect::<Vec<_>>().join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_found_by_name_and_by_seed() {
        let named = |name: &str, seed| CaseSpec { name: name.into(), ..CaseSpec::from_seed(seed) };
        let members = Members {
            names: vec![glob::Pattern::new("small-*").unwrap(), glob::Pattern::new("tiny").unwrap()],
            seeds: Some("3-5".parse().unwrap()),
        };
        for (name, seed) in [("small-1", 9), ("tiny", 9), ("tiny#12", 9), ("game", 3), ("seed-5", 5)] {
            assert!(members.have(&named(name, seed)), "{name} {seed}");
        }
        for (name, seed) in [("small", 9), ("tiny2", 9), ("tiny#", 9), ("seed-6", 6)] {
            assert!(!members.have(&named(name, seed)), "{name} {seed}");
        }
        assert_eq!(members.to_string(), "seeds 3-5, small-*, tiny");
    }
}
