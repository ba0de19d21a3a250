//! What came of a merge, and what is missing of its run.

use crate::{Journal, JournalError};
use judge_problem::{CaseName, Origin, RunId, Shard};
use std::collections::{BTreeMap, BTreeSet};

/// A run that was merged of others.
#[derive(Debug)]
pub struct Merged {
    /// The run.
    pub run: RunId,
    /// The problem's id.
    pub problem: String,
    /// The number of planned cases.
    pub planned: usize,
    /// The number of solvers.
    pub solvers: usize,
    /// The number of results, of all solvers, now.
    pub results: usize,
    /// The number of results that this merge has added or replaced.
    pub added: usize,
    /// The runs that it was merged of, in the order of their shards.
    pub origins: Vec<Origin>,
}

/// A part of a plan that has not all its results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Gap {
    /// No run of this shard was merged.
    Missing(Shard),
    /// This run was not finished when it was read.
    Unfinished(Box<Origin>),
}

impl Merged {
    /// Returns whether every case has a result of every solver.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.results == self.planned * self.solvers
    }

    /// Returns what is missing; nothing of a whole run. `missing` are the cases without all results, if they are known: what
    /// has none of them, since they were played in shards of another number, is left out.
    #[must_use]
    pub fn gaps(&self, missing: Option<&[CaseName]>) -> Vec<Gap> {
        if self.is_whole() {
            return Vec::new();
        }
        let is_finished = |origin: &&Origin| origin.results >= origin.played * self.solvers;
        let finished: BTreeSet<_> = self.origins.iter().filter(is_finished).map(|origin| origin.shard).collect();
        let mut best: BTreeMap<Option<Shard>, &Origin> = BTreeMap::new();
        for origin in self.origins.iter().filter(|origin| !finished.contains(&origin.shard)) {
            let known = best.entry(origin.shard).or_insert(origin);
            if origin.results > known.results {
                *known = origin;
            }
        }
        let absent =
            self.all_shards().filter(|shard| !finished.contains(&Some(*shard)) && !best.contains_key(&Some(*shard)));
        let absent: Vec<_> = absent.map(|shard| (Some(shard), Gap::Missing(shard))).collect();
        let unfinished = best.iter().map(|(shard, origin)| (*shard, Gap::Unfinished(Box::new((*origin).clone()))));
        let mut gaps: Vec<_> = absent.into_iter().chain(unfinished).collect();
        gaps.sort_by_key(|(shard, _)| *shard);
        let mut left = missing.map(|cases| cases.iter().collect::<Vec<_>>());
        gaps.retain(|(shard, _)| self.fills(*shard, left.as_mut()));
        gaps.into_iter().map(|(_, gap)| gap).collect()
    }

    /// Returns whether any of the missing cases is in a shard, and takes these out.
    fn fills(&self, shard: Option<Shard>, missing: Option<&mut Vec<&CaseName>>) -> bool {
        let Some(missing) = missing else { return true };
        let before = missing.len();
        missing.retain(|case| shard.is_some_and(|shard| !shard.holds(&self.problem, case)));
        missing.len() < before
    }

    /// Returns the shards of the plan, by the number of them that most runs have.
    fn all_shards(&self) -> impl Iterator<Item = Shard> {
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        for shard in self.origins.iter().filter_map(|origin| origin.shard) {
            *counts.entry(shard.count()).or_default() += 1;
        }
        let count = counts.into_iter().max_by_key(|(_, runs)| *runs).map_or(0, |(count, _)| count);
        (1..=count).filter_map(move |number| Shard::new(number, count).ok())
    }
}

impl Journal {
    /// Returns the places of the cases of a merged run that have not the results of all solvers, in order.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn missing_places(&self, merged: &Merged) -> Result<Vec<usize>, JournalError> {
        let mut results = vec![0; merged.planned];
        let sql = "SELECT result.place FROM entrant JOIN result ON result.entrant = entrant.id WHERE entrant.run = ?1";
        let mut statement = self.connection.prepare(sql)?;
        let mut rows = statement.query([merged.run.0])?;
        while let Some(row) = rows.next()? {
            if let Some(count) = results.get_mut(row.get::<_, usize>(0)?) {
                *count += 1;
            }
        }
        Ok((0..merged.planned).filter(|place| results[*place] < merged.solvers).collect())
    }
}
