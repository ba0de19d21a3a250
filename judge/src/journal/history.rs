//! Past runs at a glance: totals, failures, and the change against the run before.

use super::columns::named;
use super::{Journal, JournalError, lock};
use crate::model::{Digest, HistoryRow, RunId, RunState, Stop};
use num_rational::BigRational;
use rusqlite::{OptionalExtension, Row, TransactionBehavior, named_params, params};
use std::path::Path;

/// Which runs are asked for.
#[derive(Debug, Clone, Default)]
pub struct HistoryFilter<'a> {
    /// Only runs of this problem.
    pub problem: Option<&'a str>,
    /// Only solvers of this name, or if it has a `/`, whose command ends with this path.
    pub solver: Option<&'a str>,
    /// The number of newest ones to return; `None`: all.
    pub newest: Option<usize>,
}

/// Returns the state of a run from what is stored, and from whether its lock is held.
pub(super) fn run_state(stored: &str, folder: &Path, run: RunId) -> RunState {
    let mut ends = [None, Some(Stop::FailFast), Some(Stop::Interrupted)].map(RunState::ended).into_iter();
    let unended = || if lock::is_held(folder, run) { RunState::Running } else { RunState::Killed };
    ends.find(|state| state.name() == stored).unwrap_or_else(unended)
}

/// What a total must agree in to be compared with an earlier one.
struct Comparable {
    entrant: i64,
    case_set: Option<[u8; 32]>,
}

impl Journal {
    /// Returns past runs, the newest first, with a row for each solver.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn history(&self, filter: &HistoryFilter<'_>) -> Result<Vec<HistoryRow>, JournalError> {
        let mut statement = self.connection.prepare(
            "SELECT run.id, started, strftime('%Y-%m-%d %H:%M', started, 'localtime'), state, problem, name, hash,
                 case_count, done, accepted, rule, total, direction, git_commit, git_dirty, entrant.id, case_set,
                 entrant.place, message, entrant.command
             FROM run JOIN entrant ON entrant.run = run.id
             WHERE (:problem IS NULL OR problem = :problem) AND (:solver IS NULL OR name = :solver OR instr(:solver, '/') AND
                 (entrant.command = :solver OR substr(entrant.command, -length(:solver) - 1) = '/' || :solver))
             ORDER BY run.id DESC, entrant.place LIMIT :newest",
        )?;
        let newest = filter.newest.map_or(-1, |newest| i64::try_from(newest).unwrap_or(-1));
        let parameters = named_params! { ":problem": filter.problem, ":solver": filter.solver, ":newest": newest };
        let rows = statement.query_map(parameters, |row| self.read_row(row))?.collect::<Result<Vec<_>, _>>()?;
        rows.into_iter().map(|(row, comparable)| self.with_figures(row, &comparable)).collect()
    }

    fn read_row(&self, row: &Row<'_>) -> rusqlite::Result<(HistoryRow, Comparable)> {
        let run = RunId(row.get(0)?);
        let history = HistoryRow {
            run,
            started: row.get(1)?,
            started_here: row.get(2)?,
            state: run_state(&row.get::<_, String>(3)?, &self.folder, run),
            problem: row.get(4)?,
            solver: row.get(5)?,
            command: row.get(19)?,
            solver_hash: Digest(row.get(6)?),
            place: row.get(17)?,
            group: None,
            planned: row.get(7)?,
            done: row.get::<_, Option<usize>>(8)?.unwrap_or(0),
            accepted: row.get::<_, Option<usize>>(9)?.unwrap_or(0),
            rule: row.get(10)?,
            total: row.get::<_, Option<String>>(11)?.as_deref().and_then(read_points),
            change: None,
            direction: named(row, 12)?,
            git_commit: row.get(13)?,
            git_dirty: row.get(14)?,
            message: row.get(18)?,
        };
        Ok((history, Comparable { entrant: row.get(15)?, case_set: row.get(16)? }))
    }

    fn with_figures(&self, mut row: HistoryRow, comparable: &Comparable) -> Result<HistoryRow, JournalError> {
        if matches!(row.state, RunState::Running | RunState::Killed) {
            // The run was not summed up.
            (row.done, row.accepted) = self.count(comparable.entrant)?;
            row.total = None;
        }
        let before = self.total_before(&row, comparable)?;
        row.change = row.total.as_ref().zip(before).map(|(total, before)| total - before);
        Ok(row)
    }

    fn count(&self, entrant: i64) -> Result<(usize, usize), JournalError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT count(*), count(*) FILTER (WHERE verdict = 'accepted') FROM result WHERE entrant = ?1",
        )?;
        Ok(statement.query_row([entrant], |row| Ok((row.get(0)?, row.get(1)?)))?)
    }

    /// The last total of the same solver name before this run; `None` also when that was on other cases.
    fn total_before(&self, row: &HistoryRow, comparable: &Comparable) -> Result<Option<BigRational>, JournalError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT total, case_set, rule FROM entrant JOIN run ON run.id = entrant.run
             WHERE name = ?1 AND entrant.run < ?2 AND problem = ?3 AND state = 'complete'
             ORDER BY entrant.run DESC LIMIT 1",
        )?;
        let found = statement
            .query_row(params![row.solver, row.run.0, row.problem], |before| {
                let same = before.get::<_, Option<[u8; 32]>>(1)? == comparable.case_set
                    && before.get::<_, String>(2)? == row.rule;
                Ok(before.get::<_, Option<String>>(0)?.filter(|_| same))
            })
            .optional()?;
        Ok(found.flatten().as_deref().and_then(read_points))
    }

    /// Forgets a run, with everything that nothing else refers to.
    ///
    /// # Errors
    /// When there is no such run, when it is still going, or when the journal cannot be written.
    pub fn remove(&mut self, run: RunId) -> Result<(), JournalError> {
        if lock::is_held(&self.folder, run) {
            return Err(JournalError::StillRunning(run));
        }
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        if transaction.execute("DELETE FROM run WHERE id = ?1", [run.0])? == 0 {
            return Err(JournalError::NoRun(run));
        }
        transaction.execute_batch(
            "DELETE FROM answer WHERE id NOT IN (SELECT answer FROM result WHERE answer IS NOT NULL);
             DELETE FROM game_case WHERE id NOT IN (SELECT game_case FROM result);",
        )?;
        transaction.commit()?;
        lock::forget(&self.folder, run);
        self.give_back_space()
    }
}

fn read_points(text: &str) -> Option<BigRational> {
    text.parse().ok()
}
