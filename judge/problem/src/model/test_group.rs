//! Test groups: cases of a problem that count together, like the subtasks of olympiads.

use super::{CaseSource, CaseSpec, Seeds, Weight};
use std::fmt;
use std::str::FromStr;

/// Cases that count together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestGroup {
    /// The name in every report.
    pub name: String,
    /// The weight of all its cases together, divided in proportion to their own weights.
    pub weight: Option<Weight>,
    /// What the points of its cases count as.
    pub aggregate: GroupAggregate,
    /// The groups that it depends on, by their places: where one of their cases fails, or one of those that they depend on,
    /// its own cases count as failed.
    pub depends_on: Vec<usize>,
    /// Which cases it has.
    pub members: Members,
}

/// What the points of the cases of a group count as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GroupAggregate {
    /// Each case has its own points.
    #[default]
    Sum,
    /// Each case has the points of the worst.
    Min,
    /// As the sum, but a failure on one case makes all of them count as failed.
    AllOrNothing,
}

impl GroupAggregate {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Sum, Self::Min, Self::AllOrNothing];

    /// Returns the name, as `aggregate` takes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Min => "min",
            Self::AllOrNothing => "all-or-nothing",
        }
    }
}

impl FromStr for GroupAggregate {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|aggregate| aggregate.name() == name).ok_or(())
    }
}

impl TestGroup {
    /// Returns the weight of all its cases together. `None`: each keeps its own. A group that counts by its worst case
    /// counts once.
    #[must_use]
    pub fn shared_weight(&self) -> Option<Weight> {
        self.weight.clone().or_else(|| (self.aggregate == GroupAggregate::Min).then(Weight::default))
    }

    /// Returns whether a failure on one case makes all of them count as failed.
    #[must_use]
    pub fn is_lost_by_a_failure(&self) -> bool {
        match self.aggregate {
            GroupAggregate::Sum => false,
            GroupAggregate::Min | GroupAggregate::AllOrNothing => true,
        }
    }

    /// Returns whether the cases count only together.
    #[must_use]
    pub fn counts_as_a_whole(&self) -> bool {
        self.is_lost_by_a_failure() || !self.depends_on.is_empty()
    }
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
