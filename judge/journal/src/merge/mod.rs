//! Merges the journals of shards into one run.
//!
//! ```text
//! files ─ Source::open ─▶ runs of one plan ─ agree ─▶ target run ─ copy (one transaction) ─▶ summary
//! ```
//!
//! Results are combined only if they belong to the same run. Each case must have one game: the same checker and the
//! same input in every file that has a result on it. Otherwise nothing is merged, and the error names the cases.
//!
//! The result depends neither on the order of the files nor on how often they are merged. Every run has its own
//! identity, and of two results of one case always the same one is kept.

mod copy;
mod source;

pub use source::{Difference, MergeError, Unusable};

use super::columns::{microseconds, query_all, query_first};
use super::error::Result;
use super::recording::{sum_up as sum_up_entrant, terms};
use super::rows::{Rows, rows_of};
use super::store::Journal;
use copy::Games;
use judge_problem::scoring::ScoredRun;
use judge_problem::{
    CaseName, Labels, Origin, Plan, Retention, RunId, RunState, Shard, quote_words, split_words, without_flags,
};
use rusqlite::{Connection, params, params_from_iter};
use source::{RUN, Source};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

/// How long another judge's transaction is waited for: it may be a merge of a million cases.
const BUSY_TIMEOUT: Duration = Duration::from_secs(600);

/// How much of the journal is kept in memory, in kibibytes. The rows of a shard are spread over the whole run, and they
/// touch this much of a run with a million results. With less, pages would be written and read repeatedly.
const CACHE_KIB: u32 = 280 << 10;

/// Merges the runs in these files into one run of this journal, all or none. If the files belong to a run that was
/// merged before, they are added to it. If the run of a file is still running, its results so far are taken.
///
/// # Errors
/// When a file cannot be read or has no run, when the runs have different plans, or when the journal cannot be written.
pub fn merge(into: &mut Journal, files: &[PathBuf], retention: Retention) -> Result<Merged, MergeError> {
    let sources = open(files)?;
    let merged = enter(into, sources)?;
    into.apply_retention(retention)?;
    Ok(merged)
}

/// Checks whether these files can be merged, without doing it.
///
/// # Errors
/// When a file cannot be read or has no run, or when the runs have different plans.
pub fn check(files: &[PathBuf]) -> Result<(), MergeError> {
    open(files).map(drop)
}

fn open(files: &[PathBuf]) -> Result<Vec<Source>, MergeError> {
    let mut unusable = Vec::new();
    let mut sources = Vec::new();
    for file in files {
        match Source::open(file) {
            Ok(source) => sources.push(source),
            Err(error) => unusable.push(Unusable { path: file.clone(), error }),
        }
    }
    if !unusable.is_empty() {
        return Err(MergeError::Unusable(unusable));
    }
    source::agree(&sources)?;
    Ok(sources)
}

impl Journal {
    /// Stores the totals of a merged run's solvers. The plan has the weights and thresholds of the cases.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub fn set_totals(&mut self, run: RunId, plan: &Plan, scored: &ScoredRun) -> Result<()> {
        let ScoredRun { rule, board, .. } = scored;
        let terms = terms(rule, &plan.problem, &plan.cases);
        let transaction = self.transaction()?;
        let sql = "UPDATE run SET rule = ?2, decimals = ?3 WHERE id = ?1";
        transaction.execute(sql, params![run.0, rule.to_string(), board.decimals])?;
        for (entrant, total) in rows_of(&transaction, run)?.entrants.iter().zip(scored.totals()) {
            let total = total.map(ToString::to_string);
            sum_up_entrant(&transaction, *entrant, total.as_deref(), Some(&terms))?;
        }
        Ok(transaction.commit()?)
    }

    /// Returns the places of the cases of a merged run that lack results of some solvers, in order.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn missing_places(&self, merged: &Merged) -> Result<Vec<usize>> {
        let mut results = vec![0; merged.planned];
        let sql = "SELECT result.place FROM entrant JOIN result ON result.entrant = entrant.id WHERE entrant.run = ?1";
        for place in query_all(&self.connection, sql, [merged.run.0], |row| row.get::<_, usize>(0))? {
            if let Some(count) = results.get_mut(place) {
                *count += 1;
            }
        }
        Ok((0..merged.planned).filter(|place| results[*place] < merged.solvers).collect())
    }
}

fn enter(into: &Journal, mut sources: Vec<Source>) -> Result<Merged, MergeError> {
    into.connection.busy_timeout(BUSY_TIMEOUT)?;
    into.connection.pragma_update(None, "cache_size", -i64::from(CACHE_KIB))?;
    let transaction = into.transaction()?;
    sources.extend(Source::of_target(into, sources[0].key)?);
    let target = find_or_begin(into, &sources)?;
    let mut games = Games::of(&transaction, target.run)?;
    let mut left_out = Vec::new();
    for source in &sources {
        let labels = copy::copy(into, &target, source, &mut games)?;
        left_out.push((source.path.clone(), labels));
    }
    let added = games.added.len();
    games.agree(&sources, into.path())?;
    left_out.retain(|(_, labels)| *labels != Labels::default());
    let merged = Merged { left_out, ..sum_up(into, &target, added)? };
    transaction.commit()?;
    // Reports need the memory for something else.
    into.connection.pragma_update(None, "cache_size", -2000)?;
    into.connection.execute_batch("PRAGMA shrink_memory")?;
    Ok(merged)
}

/// Returns the target run: the run that these were merged into before, or else the newest run that runs of their plan
/// were merged into, or else a new one.
fn find_or_begin(journal: &Journal, sources: &[Source]) -> Result<Rows> {
    let (into, key) = (&journal.connection, sources[0].key);
    let mut known: Option<i64> = None;
    for uid in sources.iter().flat_map(|source| &source.uids) {
        let run: Option<i64> = into
            .prepare_cached(
                "SELECT max(run.id) FROM origin JOIN run ON run.id = origin.run
                 WHERE origin.uid = ?1 AND merged AND plan = ?2",
            )?
            .query_row(params![uid, key.0], |row| row.get(0))?;
        known = known.max(run);
    }
    let newest = || {
        let sql = "SELECT max(id) FROM run WHERE merged AND plan = ?1";
        into.query_row(sql, [key.0], |row| row.get::<_, Option<i64>>(0))
    };
    let run = match known.map_or_else(newest, |run| Ok(Some(run)))? {
        Some(run) => run,
        None => begin_merged(into, &sources[0])?,
    };
    for source in sources {
        agree_on_texts(into, run, source)?;
    }
    Ok(rows_of(into, RunId(run))?)
}

fn begin_merged(into: &Connection, source: &Source) -> rusqlite::Result<i64> {
    let places = vec!["?"; source.run.len()].join(", ");
    let sql = format!(
        "INSERT INTO run ({RUN}, merged, turn, conditions, jobs, tier, host, kernel, cpu_model, judge, uid, state)
         VALUES ({places}, 1, 0, x'', 1, '', '', '', '', '', randomblob(16), 'partial')"
    );
    into.execute(&sql, params_from_iter(&source.run))?;
    let id = into.last_insert_rowid();
    into.execute("UPDATE run SET conditions = plan WHERE id = ?1", [id])?;
    for entrant in &source.entrants {
        let sql = "INSERT INTO entrant (run, place, name, command, hash) VALUES (?, ?, ?, ?, ?)";
        into.execute(sql, params_from_iter(std::iter::once(&id.into()).chain(entrant)))?;
    }
    Ok(id)
}

/// Machines may name a solver by different paths, and may be at different commits. The merged values do not depend on
/// the order.
fn agree_on_texts(into: &Connection, run: i64, source: &Source) -> rusqlite::Result<()> {
    let [commit, dirty, message, rule, ..] = &source.run[..] else { return Ok(()) };
    into.execute(
        "UPDATE run SET git_commit = iif(git_commit = ?2, git_commit, NULL), git_dirty = max(git_dirty, ?3),
             message = iif(message = ?4, message, NULL), rule = min(rule, ?5) WHERE id = ?1",
        params![run, commit, dirty, message, rule],
    )?;
    for entrant in &source.entrants {
        let [place, _, command, ..] = &entrant[..] else { continue };
        let sql = "UPDATE entrant SET command = min(command, ?3) WHERE run = ?1 AND place = ?2";
        into.execute(sql, params![run, place, command])?;
    }
    Ok(())
}

/// Sums up a merged run to which these many results were added. Its totals stay only if none was.
fn sum_up(journal: &Journal, target: &Rows, added: usize) -> rusqlite::Result<Merged> {
    let into = &journal.connection;
    let origins = journal.origins(target.run)?;
    let (mut results, mut has_totals) = (0, true);
    for entrant in &target.entrants {
        let total = "SELECT total FROM entrant WHERE id = ?1 AND ?2 = 0";
        let total: Option<Option<String>> = query_first(into, total, params![entrant, added], |row| row.get(0))?;
        let total = total.flatten();
        has_totals &= total.is_some();
        results += sum_up_entrant(into, *entrant, total.as_deref(), None)?;
    }
    let (problem, planned) =
        into.query_row("SELECT problem, case_count FROM run WHERE id = ?1", [target.run.0], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
    let (run, solvers) = (target.run, target.entrants.len());
    let left_out = Vec::new();
    let merged = Merged { run, problem, planned, solvers, results, added, has_totals, origins, left_out };
    let state = match &merged {
        whole if whole.is_whole() => RunState::Complete,
        other if other.origins.iter().any(|origin| origin.state == RunState::Stopped) => RunState::Stopped,
        _ => RunState::Partial,
    };
    let all = |text: fn(&Origin) -> &str| joined(merged.origins.iter().map(text));
    let first = |text: fn(&Origin) -> &str| merged.origins.iter().map(text).min().unwrap_or_default().to_owned();
    let without_shard = |origin: &Origin| {
        quote_words(without_flags(split_words(&origin.command).unwrap_or_default(), &[], &["--shard"]))
    };
    let commands = merged.origins.iter().map(without_shard).min();
    let elapsed: Duration = merged.origins.iter().map(|origin| origin.elapsed).sum();
    into.execute(
        "UPDATE run SET state = ?2, started = ?3, elapsed_us = ?4, command = ?5, jobs = ?6, tier = ?7, host = ?8, kernel = ?9,
             cpu_model = ?10, judge = ?11, turn = (SELECT max(turn) + 1 FROM run),
             conditions = coalesce((SELECT min(conditions) FROM origin WHERE run = ?1 HAVING count(DISTINCT conditions) = 1), plan)
         WHERE id = ?1",
        params![
            target.run.0,
            state.name(),
            first(|origin| &origin.started),
            microseconds(elapsed),
            commands,
            merged.origins.iter().map(|origin| origin.jobs).max(),
            merged.origins.iter().map(|origin| origin.tier).max().map(|tier| tier.name()),
            all(|origin| &origin.machine.host),
            all(|origin| &origin.machine.kernel),
            all(|origin| &origin.machine.cpu_model),
            all(|origin| &origin.judge),
        ],
    )?;
    Ok(merged)
}

/// Returns different texts as one, in alphabetical order.
fn joined<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    texts.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(", ")
}

/// A run that was merged from others.
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
    /// Whether every solver has a total. Without the catalogue, an earlier merge could not add the scores up.
    pub has_totals: bool,
    /// The runs that were merged into it, in the order of their shards.
    pub origins: Vec<Origin>,
    /// The labels of runs in these files that exceed a limit and were left out.
    pub left_out: Vec<(PathBuf, Labels)>,
}

/// A part of a plan whose results are incomplete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Gap {
    /// No run of this shard was merged.
    Missing(Shard),
    /// This run was not finished when it was read.
    Unfinished(Box<Origin>),
}

impl Gap {
    /// Returns its shard; `None` for a run of the whole plan.
    pub fn shard(&self) -> Option<Shard> {
        match self {
            Self::Missing(shard) => Some(*shard),
            Self::Unfinished(origin) => origin.shard,
        }
    }
}

impl Merged {
    /// Returns whether every case has a result of every solver.
    pub fn is_whole(&self) -> bool {
        self.results == self.planned * self.solvers
    }

    /// Returns the missing parts; empty for a complete run. `missing` are the cases without all results, if they are
    /// known. Parts without any of these cases are left out: their cases were played in shards with another count.
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
        let unfinished = best.values().map(|&origin| Gap::Unfinished(Box::new(origin.clone())));
        let mut gaps: Vec<_> = absent.map(Gap::Missing).chain(unfinished).collect();
        gaps.sort_by_key(Gap::shard);
        let mut left = missing.map(|cases| cases.iter().collect::<Vec<_>>());
        gaps.retain(|gap| self.fills(gap.shard(), left.as_mut()));
        gaps
    }

    /// Returns whether any of the missing cases is in a shard, and takes these out.
    fn fills(&self, shard: Option<Shard>, missing: Option<&mut Vec<&CaseName>>) -> bool {
        let Some(missing) = missing else { return true };
        let before = missing.len();
        missing.retain(|case| shard.is_some_and(|shard| !shard.holds(&self.problem, case)));
        missing.len() < before
    }

    /// Returns the shards of the plan, with the shard count that most runs have.
    fn all_shards(&self) -> impl Iterator<Item = Shard> {
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        for shard in self.origins.iter().filter_map(|origin| origin.shard) {
            *counts.entry(shard.count()).or_default() += 1;
        }
        let count = counts.into_iter().max_by_key(|(_, runs)| *runs).map_or(0, |(count, _)| count);
        (1..=count).filter_map(move |number| Shard::new(number, count).ok())
    }
}
