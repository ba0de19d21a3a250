//! Merges the journals of shards into one run.
//!
//! ```text
//! files ─ Source::open ─▶ runs of one plan ─ agree ─▶ target run ─ copy (one transaction) ─▶ summary
//! ```
//!
//! Results are added up only where they are of the same run, and each case has one game: the same checker and the same input in
//! every file that has a result on it. Otherwise nothing is merged, and the error names the cases.
//!
//! The result does not depend on the order of the files, nor on how often they are merged: every run has an identity of its
//! own, and of two results of one case the same one always stays.

mod copy;
mod error;
mod games;
mod merged;
mod source;
mod target;

use error::Failed;
pub use error::{Difference, MergeError, Unusable};
use games::Games;
pub use merged::{Gap, Merged};

use super::{Journal, JournalError};
use judge_problem::{Retention, Rule, RunId};
use num_rational::BigRational;
use rusqlite::{TransactionBehavior, params};
use source::Source;
use std::path::PathBuf;
use std::time::Duration;

/// How long another judge's transaction is waited for: it may be a merge of a million cases.
const PATIENCE: Duration = Duration::from_secs(600);

/// How much of the journal is kept in memory, in kibibytes: the rows of a shard belong all over the run, and this much is what
/// they touch of a million. Less would be written and read again and again.
const CACHE_KIB: u32 = 280 << 10;

/// Merges the runs in these files into one run of this journal, all of them or nothing. Files that belong to a run that was
/// merged before are added to it. A file whose run is still going gives what it has.
///
/// # Errors
/// When a file cannot be read or has no run, when the runs are not of one plan, or when the journal cannot be written.
pub fn merge(into: &mut Journal, files: &[PathBuf], retention: Retention) -> Result<Merged, MergeError> {
    let sources = open(files)?;
    let merged = enter(into, &sources).map_err(|error| match error {
        Failed::Source(unusable) => MergeError::Unusable(vec![unusable]),
        Failed::Different(differences) => MergeError::Different(differences),
        Failed::Target(error) => MergeError::Target(error),
    })?;
    into.apply_retention(retention).map_err(MergeError::Target)?;
    Ok(merged)
}

/// Checks whether these files can be merged, without doing it.
///
/// # Errors
/// When a file cannot be read or has no run, or when the runs are not of one plan.
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
    error::agree(&sources)?;
    Ok(sources)
}

impl Journal {
    /// Writes down what the solvers of a merged run reached, by this rule; `None` where it gives nothing.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub fn set_totals(&mut self, run: RunId, rule: &Rule, totals: &[Option<&BigRational>]) -> Result<(), JournalError> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        transaction.execute("UPDATE run SET rule = ?2 WHERE id = ?1", params![run.0, rule.to_string()])?;
        for (place, total) in totals.iter().enumerate() {
            transaction.execute(
                "UPDATE entrant SET total = ?3 WHERE run = ?1 AND place = ?2",
                params![run.0, place, total.map(ToString::to_string)],
            )?;
        }
        Ok(transaction.commit()?)
    }
}

fn enter(into: &mut Journal, sources: &[Source]) -> Result<Merged, Failed> {
    let path = into.path().to_owned();
    into.connection.busy_timeout(PATIENCE)?;
    into.connection.pragma_update(None, "cache_size", -i64::from(CACHE_KIB))?;
    let transaction = into.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let target = target::find_or_begin(&transaction, sources)?;
    let mut games = Games::of(&transaction, target.run)?;
    let mut added = 0;
    for source in sources {
        added += copy::copy(&transaction, &target, source, &mut games)?;
    }
    games.agree(sources, &path)?;
    let mut merged = target::sum_up(&transaction, &target)?;
    merged.added = added;
    transaction.commit()?;
    // Reports need the memory for something else.
    into.connection.pragma_update(None, "cache_size", -2000)?;
    into.connection.execute_batch("PRAGMA shrink_memory")?;
    Ok(merged)
}
