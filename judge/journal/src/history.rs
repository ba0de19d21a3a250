//! Past runs at a glance: totals, failures, and the change against the run before.

use super::columns::{count, named};
use super::lock::Locks;
use super::{Journal, JournalError, best_result};
use judge_problem::{Digest, Game, HistoryRow, Labels, PastScores, RunId, RunState};
use num_rational::BigRational;
use rusqlite::{OptionalExtension, Row, TransactionBehavior, named_params, params};

/// The most scores of a past run that are read at once: they are kept in memory.
const MOST_PAST_SCORES: usize = 100_000;

/// The most characters of a total: a fraction of sums of scores, of which each has at most 100,000.
const LONGEST_TOTAL: usize = 250_000;

/// Which runs are asked for.
#[derive(Debug, Clone, Default)]
pub struct HistoryFilter<'a> {
    /// Only runs of this problem.
    pub problem: Option<&'a str>,
    /// Only solvers of this name, or if it has a `/`, whose command ends with this path.
    pub solver: Option<&'a str>,
    /// Only runs with this tag.
    pub tag: Option<&'a str>,
    /// Only rows with this text in their run's number, problem, solver, command, message, tags or note, in any case.
    pub text: Option<&'a str>,
    /// Whether a search has one row, of the best setting that it found, in place of one for each.
    pub searches_as_one: bool,
    /// The number of newest ones to leave out.
    pub offset: usize,
    /// The number of newest ones to return; `None`: all.
    pub newest: Option<usize>,
}

/// The rows of a filter. `LIKE` would give `%` and `_` in a text a meaning.
const MATCHING: &str = "(NOT :as_one OR search IS NULL OR entrant.place = search)
    AND (:problem IS NULL OR problem = :problem)
    AND (:solver IS NULL OR entrant.name = :solver OR instr(:solver, '/') AND
        (entrant.command = :solver OR substr(entrant.command, -length(:solver) - 1) = '/' || :solver))
    AND (:tag IS NULL OR EXISTS (SELECT 1 FROM tag WHERE tag.run = run.id AND tag.name = :tag))
    AND (:text IS NULL OR instr(lower(run.id || ' ' || problem || ' ' || entrant.name || ' ' || entrant.command || ' ' ||
        coalesce(message, '') || ' ' || coalesce(note, '') || ' ' ||
        coalesce((SELECT group_concat(tag.name, ' ') FROM tag WHERE tag.run = run.id), '')), lower(:text)))";

/// Returns the state of a run from what is stored, and from whether its lock is held.
pub(super) fn run_state(stored: &str, locks: &Locks, run: RunId) -> RunState {
    let unended = || if locks.is_held(run) { RunState::Running } else { RunState::Killed };
    stored.parse().unwrap_or_else(|_| unended())
}

/// Returns what `read` returns, read again where a run looks killed: one that ended after its row was read and before its
/// lock was has its state in its row by then.
pub(super) fn settled<T>(
    mut read: impl FnMut() -> rusqlite::Result<T>,
    is_killed: impl Fn(&T) -> bool,
) -> rusqlite::Result<T> {
    let first = read()?;
    if is_killed(&first) { read() } else { Ok(first) }
}

impl Journal {
    /// Returns past runs, the newest first, with a row for each solver.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn history(&self, filter: &HistoryFilter<'_>) -> Result<Vec<HistoryRow>, JournalError> {
        let mut statement = self.connection.prepare(&format!(
            "SELECT run.id, started, strftime('%Y-%m-%d %H:%M', started, 'localtime'), state, problem, name, hash,
                 case_count, done, accepted, rule, total, direction, git_commit, git_dirty, entrant.id, case_set,
                 entrant.place, message, entrant.command,
                 iif(:as_one AND search IS NOT NULL, (SELECT count(*) FROM entrant AS tried WHERE tried.run = run.id), NULL)
             FROM run JOIN entrant ON entrant.run = run.id
             WHERE {MATCHING} ORDER BY run.id DESC, entrant.place LIMIT :newest OFFSET :offset"
        ))?;
        let newest = filter.newest.map_or(-1, |newest| i64::try_from(newest).unwrap_or(-1));
        let HistoryFilter { problem, solver, tag, text, searches_as_one, offset, .. } = filter;
        let parameters = named_params! {
            ":problem": problem, ":solver": solver, ":tag": tag, ":text": text, ":as_one": searches_as_one,
            ":newest": newest, ":offset": offset
        };
        let rows: Vec<(HistoryRow, i64)> = settled(
            || statement.query_map(parameters, |row| self.read_row(row))?.collect(),
            |rows: &Vec<_>| rows.iter().any(|(row, _)| row.state == RunState::Killed),
        )?;
        rows.into_iter().map(|(row, entrant)| self.with_figures(row, entrant)).collect()
    }

    /// Returns the number of rows that [`Journal::history`] would return of all runs, however many are asked for.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn history_count(&self, filter: &HistoryFilter<'_>) -> Result<usize, JournalError> {
        let HistoryFilter { problem, solver, tag, text, searches_as_one, .. } = filter;
        let sql = format!("SELECT count(*) FROM run JOIN entrant ON entrant.run = run.id WHERE {MATCHING}");
        let parameters = named_params! {
            ":problem": problem, ":solver": solver, ":tag": tag, ":text": text, ":as_one": searches_as_one
        };
        Ok(self.connection.query_row(&sql, parameters, |row| row.get(0))?)
    }

    fn read_row(&self, row: &Row<'_>) -> rusqlite::Result<(HistoryRow, i64)> {
        let run = RunId(row.get(0)?);
        let history = HistoryRow {
            run,
            started: row.get(1)?,
            started_here: row.get(2)?,
            state: run_state(&row.get::<_, String>(3)?, &self.locks, run),
            detached: None,
            problem: row.get(4)?,
            solver: row.get(5)?,
            command: row.get(19)?,
            solver_hash: Digest(row.get(6)?),
            place: row.get(17)?,
            settings: row.get(20)?,
            group: None,
            planned: count(row, 7)?,
            done: count(row, 8)?,
            accepted: count(row, 9)?,
            rule: row.get(10)?,
            total: row.get::<_, Option<String>>(11)?.as_deref().and_then(read_points),
            case_set: row.get(16)?,
            change: None,
            direction: named(row, 12)?,
            git_commit: row.get(13)?,
            git_dirty: row.get(14)?,
            message: row.get(18)?,
            labels: Labels::default(),
        };
        Ok((history, row.get(15)?))
    }

    fn with_figures(&self, mut row: HistoryRow, entrant: i64) -> Result<HistoryRow, JournalError> {
        if matches!(row.state, RunState::Running | RunState::Killed) {
            // The run was not summed up.
            (row.done, row.accepted) = self.count(entrant)?;
            row.total = None;
        }
        row.labels = self.labels(row.run)?;
        let before = self.total_before(&row)?;
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
    fn total_before(&self, row: &HistoryRow) -> Result<Option<BigRational>, JournalError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT total, case_set, rule FROM entrant JOIN run ON run.id = entrant.run
             WHERE name = ?1 AND entrant.run < ?2 AND problem = ?3 AND state = 'complete'
             ORDER BY entrant.run DESC LIMIT 1",
        )?;
        let found = statement
            .query_row(params![row.solver, row.run.0, row.problem], |before| {
                let same =
                    before.get::<_, Option<[u8; 32]>>(1)? == row.case_set && before.get::<_, String>(2)? == row.rule;
                Ok(before.get::<_, Option<String>>(0)?.filter(|_| same))
            })
            .optional()?;
        Ok(found.flatten().as_deref().and_then(read_points))
    }

    /// Returns the scores of the solver of this name in its last complete run of a problem; `None` if there is no such run, or
    /// if it has more than 100,000 cases.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn last_scores(&self, game: &Game, solver: &str) -> Result<Option<PastScores>, JournalError> {
        let found = self
            .connection
            .query_row(
                "SELECT run.id, entrant.id FROM entrant JOIN run ON run.id = entrant.run
                 WHERE name = ?1 AND problem = ?2 AND checker = ?3 AND checker_version = ?4 AND state = 'complete'
                     AND case_count <= ?5
                 ORDER BY run.id DESC LIMIT 1",
                params![solver, game.problem, game.checker.name, game.checker.version, MOST_PAST_SCORES],
                |row| Ok((RunId(row.get(0)?), row.get::<_, i64>(1)?)),
            )
            .optional()?;
        let Some((run, entrant)) = found else { return Ok(None) };
        let mut statement = self.connection.prepare(
            "SELECT input, score FROM result JOIN game_case ON game_case.id = game_case
             WHERE entrant = ?1 AND length(input) = 32",
        )?;
        let scores = statement.query_map([entrant], |row| {
            let score: Option<String> = row.get(1)?;
            Ok((Digest(row.get(0)?), score.and_then(|score| score.parse().ok())))
        })?;
        Ok(Some(PastScores { run, scores: scores.collect::<Result<_, _>>()? }))
    }

    /// Forgets a run, with everything that nothing else refers to.
    ///
    /// # Errors
    /// When there is no such run, when it is still going, or when the journal cannot be written.
    pub fn remove(&mut self, run: RunId) -> Result<(), JournalError> {
        if self.locks.is_held(run) {
            return Err(JournalError::StillRunning(run));
        }
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let cases = best_result::delete_run(&transaction, run)?.ok_or(JournalError::NoRun(run))?;
        best_result::find(&transaction, &cases)?;
        transaction.execute_batch(
            "DELETE FROM answer WHERE id NOT IN (SELECT answer FROM result WHERE answer IS NOT NULL);
             DELETE FROM game_case WHERE id NOT IN (SELECT game_case FROM result);",
        )?;
        transaction.commit()?;
        self.locks.forget(run);
        self.give_back_space()
    }
}

/// Reads a total. One that is longer than any of a run would take the square of its length.
fn read_points(text: &str) -> Option<BigRational> {
    (text.len() <= LONGEST_TOTAL).then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_ends_while_it_is_looked_at_was_not_killed() {
        // Its row is read while it goes on, its lock after it has ended.
        let mut states = [RunState::Killed, RunState::Interrupted].into_iter();
        let state = settled(|| Ok(states.next().unwrap()), |state| *state == RunState::Killed);
        assert_eq!(state.unwrap(), RunState::Interrupted);
        let mut looks = 0;
        let mut look = |state| {
            settled(
                || {
                    looks += 1;
                    Ok(state)
                },
                |state| *state == RunState::Killed,
            )
            .unwrap()
        };
        assert_eq!((look(RunState::Killed), look(RunState::Complete)), (RunState::Killed, RunState::Complete));
        assert_eq!(looks, 3, "what was killed is read twice");
    }
}
