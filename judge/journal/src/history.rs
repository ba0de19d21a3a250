//! Summaries of past runs, their tags and notes, and changes while they are watched.

use super::columns::{count, named, query_all, query_first};
use super::error::{JournalError, Result};
use super::file::{run_state, settled};
use super::rows;
use super::store::Journal;
use super::stored::{OUTCOME, read_outcome};
use judge_problem::{
    Digest, FinishedCase, Game, HistoryRow, Labels, Note, PastScores, RunId, RunProgress, RunState, SolverProgress,
};
use num_rational::BigRational;
use rusqlite::{OptionalExtension, Row, ToSql, named_params, params};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// The maximal number of scores of a past run that are read at once, because they are kept in memory.
const MAX_PAST_SCORES: usize = 100_000;

/// The maximal number of characters of a total. A total is a fraction of sums of scores, and a score has at most
/// 100,000.
const MAX_TOTAL_CHARS: usize = 250_000;

/// The maximal number of decimals of a total: a score has at most 10,000. A damaged journal may have any number.
const MAX_DECIMALS: u32 = 20_000;

/// The requested runs.
#[derive(Debug, Clone, Default)]
pub struct HistoryFilter<'a> {
    /// Only runs of this problem.
    pub problem: Option<&'a str>,
    /// Only solvers of this name. If it contains a `/`, only solvers whose command ends with this path.
    pub solver: Option<&'a str>,
    /// Only runs with this tag.
    pub tag: Option<&'a str>,
    /// Only rows with this text in their run's number, problem, solver, command, message, tags or note, in any case.
    pub text: Option<&'a str>,
    /// Whether a search has one row, for the best setting that it found, instead of one row for each setting.
    pub searches_as_one: bool,
    /// The number of newest ones to leave out.
    pub offset: usize,
    /// The number of newest ones to return; `None`: all.
    pub newest: Option<usize>,
}

/// The condition of a filter. It does not use `LIKE`, which treats `%` and `_` as wildcards.
const MATCHING: &str = "(NOT :as_one OR search IS NULL OR entrant.place = search)
    AND (:problem IS NULL OR problem = :problem)
    AND (:solver IS NULL OR entrant.name = :solver OR instr(:solver, '/') AND
        (entrant.command = :solver OR substr(entrant.command, -length(:solver) - 1) = '/' || :solver))
    AND (:tag IS NULL OR EXISTS (SELECT 1 FROM tag WHERE tag.run = run.id AND tag.name = :tag))
    AND (:text IS NULL OR instr(lower(run.id || ' ' || problem || ' ' || entrant.name || ' ' || entrant.command || ' ' ||
        coalesce(message, '') || ' ' || coalesce(note, '') || ' ' ||
        coalesce((SELECT group_concat(tag.name, ' ') FROM tag WHERE tag.run = run.id), '')), lower(:text)))";

impl HistoryFilter<'_> {
    /// Returns the parameters of [`MATCHING`].
    fn parameters(&self) -> [(&str, &dyn ToSql); 5] {
        let Self { problem, solver, tag, text, searches_as_one, .. } = self;
        [(":problem", problem), (":solver", solver), (":tag", tag), (":text", text), (":as_one", searches_as_one)]
    }
}

impl Journal {
    /// Returns past runs, the newest first, with a row for each solver.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn history(&self, filter: &HistoryFilter<'_>) -> Result<Vec<HistoryRow>> {
        let mut statement = self.connection.prepare(&format!(
            "SELECT run.id, started, strftime('%Y-%m-%d %H:%M', started, 'localtime'), state, problem, name, hash,
                 case_count, done, accepted, rule, total, direction, git_commit, git_dirty, entrant.id, case_set,
                 entrant.place, message, entrant.command, coalesce(decimals, 0),
                 iif(:as_one AND search IS NOT NULL, (SELECT count(*) FROM entrant AS tried WHERE tried.run = run.id
                     AND EXISTS (SELECT 1 FROM result WHERE result.entrant = tried.id)), NULL)
             FROM run JOIN entrant ON entrant.run = run.id
             WHERE {MATCHING} ORDER BY run.id DESC, entrant.place LIMIT :newest OFFSET :offset"
        ))?;
        let newest = filter.newest.map_or(-1, |newest| i64::try_from(newest).unwrap_or(-1));
        let offset = i64::try_from(filter.offset).unwrap_or(i64::MAX);
        let parameters = [&filter.parameters()[..], named_params! { ":newest": newest, ":offset": offset }].concat();
        let rows: Vec<(HistoryRow, i64)> = settled(
            || statement.query_map(&*parameters, |row| self.read_row(row))?.collect(),
            |rows: &Vec<_>| rows.iter().any(|(row, _)| row.state == RunState::Killed),
        )?;
        rows.into_iter().map(|(row, entrant)| self.with_figures(row, entrant)).collect()
    }

    /// Returns the number of rows that [`Journal::history`] would return without its limit on the number of rows.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn history_count(&self, filter: &HistoryFilter<'_>) -> Result<usize> {
        let sql = format!("SELECT count(*) FROM run JOIN entrant ON entrant.run = run.id WHERE {MATCHING}");
        Ok(self.connection.query_row(&sql, &filter.parameters(), |row| row.get(0))?)
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
            settings: row.get(21)?,
            group: None,
            planned: count(row, 7)?,
            done: count(row, 8)?,
            accepted: count(row, 9)?,
            rule: row.get(10)?,
            decimals: row.get::<_, u32>(20)?.min(MAX_DECIMALS),
            total: row.get::<_, Option<String>>(11)?.as_deref().and_then(read_points),
            case_set: row.get(16)?,
            change: None,
            direction: named(row, 12)?,
            git_commit: row.get(13)?,
            git_dirty: row.get(14)?,
            message: row.get(18)?,
            labels: Labels::default(),
        };
        if history.accepted > history.done {
            return Err(rusqlite::Error::IntegralValueOutOfRange(9, row.get(9)?));
        }
        Ok((history, row.get(15)?))
    }

    fn with_figures(&self, mut row: HistoryRow, entrant: i64) -> Result<HistoryRow> {
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

    fn count(&self, entrant: i64) -> Result<(usize, usize)> {
        let sql = "SELECT count(*), count(*) FILTER (WHERE verdict = 'accepted') FROM result WHERE entrant = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        Ok(statement.query_row([entrant], |row| Ok((row.get(0)?, row.get(1)?)))?)
    }

    /// The last total of the same solver name before this run; also `None` when that was on other cases.
    fn total_before(&self, row: &HistoryRow) -> Result<Option<BigRational>> {
        let sql = "SELECT total, case_set, rule FROM entrant JOIN run ON run.id = entrant.run
             WHERE name = ?1 AND entrant.run < ?2 AND problem = ?3 AND state = 'complete'
             ORDER BY entrant.run DESC LIMIT 1";
        let found = query_first(&self.connection, sql, params![row.solver, row.run.0, row.problem], |before| {
            let same = before.get::<_, Option<[u8; 32]>>(1)? == row.case_set && before.get::<_, String>(2)? == row.rule;
            Ok(before.get::<_, Option<String>>(0)?.filter(|_| same))
        })?;
        Ok(found.flatten().as_deref().and_then(read_points))
    }

    /// Returns the scores of the solver of this name in its last complete run of a problem; `None` if there is no such run, or
    /// if it has more than 100,000 cases.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn last_scores(&self, game: &Game, solver: &str) -> Result<Option<PastScores>> {
        let newest = "SELECT run.id, entrant.id FROM entrant JOIN run ON run.id = entrant.run
             WHERE name = ?1 AND problem = ?2 AND checker = ?3 AND checker_version = ?4 AND state = 'complete'
                 AND case_count <= ?5
             ORDER BY run.id DESC LIMIT 1";
        let key = params![solver, game.problem, game.checker.name, game.checker.version, MAX_PAST_SCORES];
        let found = query_first(&self.connection, newest, key, |row| Ok((RunId(row.get(0)?), row.get::<_, i64>(1)?)))?;
        let Some((run, entrant)) = found else { return Ok(None) };
        let sql = "SELECT input, score FROM result JOIN game_case ON game_case.id = game_case
             WHERE entrant = ?1 AND length(input) = 32";
        let scores = query_all(&self.connection, sql, [entrant], |row| {
            let score: Option<String> = row.get(1)?;
            Ok((Digest(row.get(0)?), score.and_then(|score| score.parse().ok())))
        })?;
        Ok(Some(PastScores { run, scores: scores.into_iter().collect() }))
    }

    /// Removes a run, and everything that no other run refers to.
    ///
    /// # Errors
    /// When there is no such run, when it is still going, or when the journal cannot be written.
    pub fn remove(&mut self, run: RunId) -> Result<()> {
        if self.locks.is_held(run) {
            return Err(JournalError::StillRunning(run));
        }
        let transaction = self.transaction()?;
        let cases = rows::delete_run(&transaction, run)?.ok_or(JournalError::NoRun(run))?;
        rows::find_bests(&transaction, &cases)?;
        transaction.execute_batch(
            "DELETE FROM answer WHERE id NOT IN (SELECT answer FROM result WHERE answer IS NOT NULL);
             DELETE FROM game_case WHERE id NOT IN (SELECT game_case FROM result);",
        )?;
        transaction.commit()?;
        self.locks.forget(run);
        self.give_back_space()
    }

    /// Returns the tags and the note of a run; none if there is no such run.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn labels(&self, run: RunId) -> Result<Labels> {
        let sql = "SELECT name FROM tag WHERE run = ?1";
        let tags = query_all(&self.connection, sql, [run.0], |row| row.get::<_, String>(0))?;
        let tags = tags.iter().filter_map(|tag| tag.parse().ok()).collect();
        let sql = "SELECT note FROM run WHERE id = ?1";
        let note: Option<Option<String>> = query_first(&self.connection, sql, [run.0], |row| row.get(0))?;
        Ok(Labels { tags, note: note.flatten().and_then(|note| note.parse::<Note>().ok()) })
    }

    /// Changes the tags and the note of a run, and returns the new ones.
    ///
    /// # Errors
    /// When there is no such run, when it would have too many tags, or when the journal cannot be written.
    pub fn change_labels(&mut self, run: RunId, change: impl FnOnce(&mut Labels)) -> Result<Labels> {
        let transaction = self.transaction()?;
        let mut now = self.labels(run)?;
        change(&mut now);
        if now.tags.len() > Labels::MAX_TAGS {
            return Err(JournalError::ManyTags(run));
        }
        self.write_labels(run, &now)?;
        transaction.commit()?;
        Ok(now)
    }

    /// Writes the tags and the note of a run, within a transaction.
    pub(super) fn write_labels(&self, run: RunId, labels: &Labels) -> Result<()> {
        let note = labels.note.as_ref().map(AsRef::as_ref);
        let sql = "UPDATE run SET note = ?2, edits = edits + 1 WHERE id = ?1";
        if self.connection.execute(sql, params![run.0, note])? == 0 {
            return Err(JournalError::NoRun(run));
        }
        self.connection.execute("DELETE FROM tag WHERE run = ?1", [run.0])?;
        for tag in &labels.tags {
            let sql = "INSERT INTO tag (run, name) VALUES (?1, ?2)";
            self.connection.execute(sql, params![run.0, tag.as_ref()])?;
        }
        Ok(())
    }

    /// Returns the stamp of a run; `None` if there is no such run.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn stamp(&self, run: RunId) -> Result<Option<Stamp>> {
        let sql = "SELECT state, edits,
                 (SELECT count(*) FROM entrant JOIN result ON result.entrant = entrant.id WHERE entrant.run = asked.id)
             FROM run AS asked WHERE id = ?1";
        let read = |row: &Row<'_>, state| Ok(Stamp { state, edits: row.get(1)?, results: row.get(2)? });
        Ok(self.row_of_run(run, sql, read)?)
    }

    /// Returns the id of a run's problem; `None` if there is no such run.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn problem_of(&self, run: RunId) -> Result<Option<String>> {
        Ok(query_first(&self.connection, "SELECT problem FROM run WHERE id = ?1", [run.0], |row| row.get(0))?)
    }

    /// Returns the command line and the state of a run; `None` if there is no such run.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn origin_of(&self, run: RunId) -> Result<Option<RunOrigin>> {
        let read = |row: &Row<'_>, state| Ok(RunOrigin { command: row.get(1)?, state, host: row.get(2)? });
        Ok(self.row_of_run(run, "SELECT state, command, host FROM run WHERE id = ?1", read)?)
    }

    /// Reads a row of a run. Its first column is the stored state. `None` if there is no such run.
    pub(super) fn row_of_run<T>(
        &self,
        run: RunId,
        sql: &str,
        read: impl Fn(&Row<'_>, RunState) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<Option<T>> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let read = |row: &Row<'_>| {
            let state = run_state(&row.get::<_, String>(0)?, &self.locks, run);
            Ok((state, read(row, state)?))
        };
        let found = settled(|| statement.query_row([run.0], read), |(state, _)| *state == RunState::Killed);
        Ok(found.optional()?.map(|(_, value)| value))
    }

    /// Returns the run that was recorded with this id; `None` if there is no such run.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn run_of(&self, uid: &str) -> Result<Option<RunId>> {
        let sql = "SELECT id FROM run WHERE uid = ?1";
        Ok(query_first(&self.connection, sql, [uid.as_bytes()], |row| row.get(0).map(RunId))?)
    }

    fn running(&self) -> Result<Vec<RunId>> {
        Ok(self.open_runs()?.into_iter().filter(|run| self.locks.is_held(*run)).collect())
    }

    /// Returns the runs that are running or were killed.
    fn open_runs(&self) -> Result<Vec<RunId>> {
        let sql = "SELECT id FROM run WHERE state = 'open' ORDER BY id";
        Ok(query_all(&self.connection, sql, [], |row| row.get(0).map(RunId))?)
    }

    /// Removes the lock files of killed runs.
    pub(super) fn forget_killed(&self) -> Result<()> {
        self.open_runs()?.into_iter().for_each(|run| self.locks.forget(run));
        Ok(())
    }

    /// Returns the progress of a run; `None` if the run was removed.
    fn progress(&self, run: RunId, seen: &mut SeenRun) -> Result<Option<RunProgress>> {
        let sql = "SELECT state, case_count, (julianday('now') - julianday(started)) * 86400, elapsed_us FROM run
             WHERE id = ?1";
        let read = |row: &Row<'_>, state: RunState| {
            let since = Duration::try_from_secs_f64(row.get(2)?).unwrap_or_default();
            let ended = Duration::from_micros(row.get::<_, i64>(3)?.unsigned_abs());
            Ok((state, count(row, 1)?, if state == RunState::Running { since } else { ended }))
        };
        let Some((state, planned, elapsed)) = self.row_of_run(run, sql, read)? else { return Ok(None) };
        let sql = "SELECT id, name FROM entrant WHERE run = ?1 ORDER BY place";
        let entrants = query_all(&self.connection, sql, [run.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let (mut solvers, mut finished) = (Vec::new(), Vec::new());
        for (place, (id, name)) in entrants.into_iter().enumerate() {
            let SeenResults { done, accepted, .. } = self.see(id, place, seen, &mut finished)?;
            solvers.push(SolverProgress { name, done: *done, accepted: *accepted });
        }
        Ok(Some(RunProgress { run, state, planned, elapsed, solvers, finished }))
    }

    /// Reads the new results of a solver, and adds them to `finished`.
    fn see<'a>(
        &self,
        entrant: i64,
        solver: usize,
        seen: &'a mut SeenRun,
        finished: &mut Vec<FinishedCase>,
    ) -> Result<&'a SeenResults> {
        let is_first = !seen.contains_key(&entrant);
        let seen = seen.entry(entrant).or_default();
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT place, name, verdict = 'accepted', {OUTCOME}
             FROM result CROSS JOIN game_case ON game_case.id = result.game_case
             WHERE entrant = ?1 AND place >= ?2 ORDER BY place",
        ))?;
        let mut rows = statement.query([entrant, seen.below])?;
        while let Some(row) = rows.next()? {
            if seen.see(row.get(0)?, row.get(2)?) && !is_first {
                finished.push(FinishedCase { case: row.get(1)?, solver, outcome: read_outcome(row, 3)? });
            }
        }
        Ok(seen)
    }
}

/// Reads a total. A longer text than any real total is refused, because parsing takes quadratic time.
pub(super) fn read_points(text: &str) -> Option<BigRational> {
    (text.len() <= MAX_TOTAL_CHARS).then(|| text.parse().ok()).flatten()
}

/// A value that changes whenever a run changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    state: RunState,
    results: usize,
    /// How often its tags and its note were changed.
    edits: i64,
}

/// Where a run comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunOrigin {
    /// The command line that started it.
    pub command: String,
    /// Whether it is running, or how it ended.
    pub state: RunState,
    /// The name of its machine.
    pub host: String,
}

/// The state of repeated reads of the journal.
#[derive(Debug, Default)]
pub struct Watch {
    /// SQLite's count of the commits of others; `None` before the first check.
    version: Option<i64>,
    /// The number of runs, the newest run, the number of unfinished runs, and the number of changes of their tags and
    /// notes.
    overview: (i64, i64, i64, i64),
    running: BTreeMap<RunId, SeenRun>,
}

/// The changes since the last call.
#[derive(Debug, Default)]
pub struct Changes {
    /// Whether runs began, ended, were removed, or got other tags or notes.
    pub runs_changed: bool,
    /// The runs that are still going, and the runs that have just ended.
    pub progress: Vec<RunProgress>,
}

/// The seen part of a running run: the results of each solver, by its row.
type SeenRun = BTreeMap<i64, SeenResults>;

/// The seen results of a solver. Cases end roughly in their order, so only a few are beyond the first gap.
#[derive(Debug, Default)]
struct SeenResults {
    /// All places below are seen.
    below: i64,
    beyond: BTreeSet<i64>,
    done: usize,
    accepted: usize,
}

impl SeenResults {
    /// Records a place, and returns whether it is new.
    fn see(&mut self, place: i64, accepted: bool) -> bool {
        if place < self.below || !self.beyond.insert(place) {
            return false;
        }
        while self.beyond.remove(&self.below) {
            self.below += 1;
        }
        self.done += 1;
        self.accepted += usize::from(accepted);
        true
    }
}

impl Watch {
    /// Returns what has changed since the last call if there is no journal now, which is like one without runs.
    pub fn changes_without_journal(&mut self) -> Changes {
        let runs_changed = self.overview != <_>::default();
        // No journal has this count, so that the next one is read.
        *self = Self { version: Some(i64::MIN), ..Self::default() };
        Changes { runs_changed, progress: Vec::new() }
    }

    /// Returns what has changed since the last call.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn changes(&mut self, journal: &Journal) -> Result<Changes> {
        let version = journal.connection.query_row("PRAGMA data_version", [], |row| row.get(0))?;
        let is_first = self.version.is_none();
        // A killed judge does not change the file.
        if self.version.replace(version) == Some(version) && self.running.is_empty() {
            return Ok(Changes::default());
        }
        let overview = journal.connection.query_row(
            "SELECT count(*), coalesce(max(id), 0), count(*) FILTER (WHERE state = 'open'), coalesce(sum(edits), 0) FROM run",
            [],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)),
        )?;
        let mut runs_changed = !is_first && overview != self.overview;
        self.overview = overview;
        let running = journal.running()?;
        let ended: Vec<RunId> = self.running.keys().filter(|run| !running.contains(run)).copied().collect();
        let mut progress = Vec::new();
        for run in running.into_iter().chain(ended) {
            let seen = self.running.entry(run).or_default();
            let Some(now) = journal.progress(run, seen)? else {
                self.running.remove(&run);
                continue;
            };
            if now.state != RunState::Running {
                self.running.remove(&run);
                runs_changed = true;
            }
            progress.push(now);
        }
        Ok(Changes { runs_changed, progress })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_ends_while_it_is_looked_at_was_not_killed() {
        // Its row is read while it is running, and its lock after it has ended.
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
