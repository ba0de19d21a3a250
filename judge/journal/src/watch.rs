//! What changes while it is looked at: the runs that go on, and their newest results.

use super::columns::count;
use super::history::{run_state, settled};
use super::stored::{OUTCOME, read_outcome};
use super::{Journal, JournalError};
use judge_problem::{Outcome, RunId, RunState};
use rusqlite::{OptionalExtension, Row};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// What of a run tells an older look from a newer one.
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
    /// Whether it goes on, or how it ended.
    pub state: RunState,
    /// The name of its machine.
    pub host: String,
}

/// What repeated looks at the journal have seen so far.
#[derive(Debug, Default)]
pub struct Watch {
    /// SQLite's count of the commits of others; `None` before the first look.
    version: Option<i64>,
    overview: Overview,
    running: BTreeMap<RunId, WatchedRun>,
}

/// What has changed since the look before.
#[derive(Debug, Default)]
pub struct Changes {
    /// Whether runs began, ended, were removed, or got other tags or notes.
    pub runs_changed: bool,
    /// The runs that go on, and those that have just ended.
    pub progress: Vec<RunProgress>,
}

/// How far a run is.
#[derive(Debug)]
pub struct RunProgress {
    /// The run.
    pub run: RunId,
    /// Its state.
    pub state: RunState,
    /// The number of planned cases.
    pub planned: usize,
    /// The time since it started.
    pub elapsed: Duration,
    /// Its solvers, in their order.
    pub solvers: Vec<SolverProgress>,
    /// The results since the look before, in the order of solvers and cases; none at the first look.
    pub finished: Vec<FinishedCase>,
}

/// How far a solver is.
#[derive(Debug, Clone)]
pub struct SolverProgress {
    /// Its name.
    pub name: String,
    /// The number of finished cases.
    pub done: usize,
    /// The number of accepted cases.
    pub accepted: usize,
}

/// A result that was not there at the look before.
#[derive(Debug)]
pub struct FinishedCase {
    /// The case's name.
    pub case: String,
    /// The place of the solver.
    pub solver: usize,
    /// The outcome.
    pub outcome: Outcome,
}

/// How many runs there are, the newest of them, how many have not ended, and how often their tags and notes were changed.
#[derive(Debug, Default, PartialEq, Eq)]
struct Overview(i64, i64, i64, i64);

/// What was seen of a run that goes on.
#[derive(Debug, Default)]
struct WatchedRun {
    /// By the row of the solver.
    solvers: BTreeMap<i64, SeenResults>,
}

/// The results of a solver that were seen. Cases end roughly in their order: what lies beyond the first gap is little.
#[derive(Debug, Default)]
struct SeenResults {
    /// All places below are seen.
    below: i64,
    beyond: BTreeSet<i64>,
    done: usize,
    accepted: usize,
}

impl SeenResults {
    /// Notes a place, and returns whether it is new.
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
    /// Returns what has changed since the last look.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn look(&mut self, journal: &Journal) -> Result<Changes, JournalError> {
        let version = journal.connection.query_row("PRAGMA data_version", [], |row| row.get(0))?;
        let is_first = self.version.is_none();
        // A judge that was killed changes nothing in the file.
        if self.version.replace(version) == Some(version) && self.running.is_empty() {
            return Ok(Changes::default());
        }
        let overview = journal.connection.query_row(
            "SELECT count(*), coalesce(max(id), 0), count(*) FILTER (WHERE state = 'open'), coalesce(sum(edits), 0) FROM run",
            [],
            |row| Ok(Overview(row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)),
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

impl Journal {
    /// Returns the stamp of a run; `None` if there is no such run.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn stamp(&self, run: RunId) -> Result<Option<Stamp>, JournalError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT state, edits,
                 (SELECT count(*) FROM entrant JOIN result ON result.entrant = entrant.id WHERE entrant.run = asked.id)
             FROM run AS asked WHERE id = ?1",
        )?;
        let read = |row: &Row<'_>| {
            let state = run_state(&row.get::<_, String>(0)?, &self.locks, run);
            Ok(Stamp { state, edits: row.get(1)?, results: row.get(2)? })
        };
        let stamp = settled(|| statement.query_row([run.0], read), |stamp| stamp.state == RunState::Killed);
        Ok(stamp.optional()?)
    }

    /// Returns the id of a run's problem; `None` if there is no such run.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn problem_of(&self, run: RunId) -> Result<Option<String>, JournalError> {
        let mut statement = self.connection.prepare_cached("SELECT problem FROM run WHERE id = ?1")?;
        Ok(statement.query_row([run.0], |row| row.get(0)).optional()?)
    }

    /// Returns the command line and the state of a run; `None` if there is no such run.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn origin_of(&self, run: RunId) -> Result<Option<RunOrigin>, JournalError> {
        let mut statement = self.connection.prepare_cached("SELECT command, state, host FROM run WHERE id = ?1")?;
        let read = |row: &Row<'_>| {
            let state = run_state(&row.get::<_, String>(1)?, &self.locks, run);
            Ok(RunOrigin { command: row.get(0)?, state, host: row.get(2)? })
        };
        let found = settled(|| statement.query_row([run.0], read), |origin| origin.state == RunState::Killed);
        Ok(found.optional()?)
    }

    /// Returns the first run with this command line after another one; `None` if there is no such run.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn run_of(&self, command: &str, after: RunId) -> Result<Option<RunId>, JournalError> {
        let sql = "SELECT min(id) FROM run WHERE command = ?1 AND id > ?2";
        let mut statement = self.connection.prepare_cached(sql)?;
        let found: Option<i64> = statement.query_row(rusqlite::params![command, after.0], |row| row.get(0))?;
        Ok(found.map(RunId))
    }

    fn running(&self) -> Result<Vec<RunId>, JournalError> {
        let mut statement = self.connection.prepare_cached("SELECT id FROM run WHERE state = 'open' ORDER BY id")?;
        let open = statement.query_map([], |row| row.get(0).map(RunId))?.collect::<Result<Vec<_>, _>>()?;
        Ok(open.into_iter().filter(|run| self.locks.is_held(*run)).collect())
    }

    /// Returns how far a run is; `None` if it is gone.
    fn progress(&self, run: RunId, seen: &mut WatchedRun) -> Result<Option<RunProgress>, JournalError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT state, case_count, (julianday('now') - julianday(started)) * 86400, elapsed_us FROM run WHERE id = ?1",
        )?;
        let read = |row: &Row<'_>| {
            let state = run_state(&row.get::<_, String>(0)?, &self.locks, run);
            let since = Duration::try_from_secs_f64(row.get(2)?).unwrap_or_default();
            let ended = Duration::from_micros(row.get::<_, i64>(3)?.unsigned_abs());
            Ok((state, count(row, 1)?, if state == RunState::Running { since } else { ended }))
        };
        let head = settled(|| statement.query_row([run.0], read), |(state, ..)| *state == RunState::Killed);
        let Some((state, planned, elapsed)) = head.optional()? else { return Ok(None) };
        let mut statement =
            self.connection.prepare_cached("SELECT id, name FROM entrant WHERE run = ?1 ORDER BY place")?;
        let entrants = statement.query_map([run.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let (mut solvers, mut finished) = (Vec::new(), Vec::new());
        for (place, entrant) in entrants.enumerate() {
            let (id, name) = entrant?;
            let SeenResults { done, accepted, .. } = self.see(id, place, seen, &mut finished)?;
            solvers.push(SolverProgress { name, done: *done, accepted: *accepted });
        }
        Ok(Some(RunProgress { run, state, planned, elapsed, solvers, finished }))
    }

    /// Reads the results of a solver that were not seen, and adds them to those that have finished since the last look.
    fn see<'a>(
        &self,
        entrant: i64,
        solver: usize,
        seen: &'a mut WatchedRun,
        finished: &mut Vec<FinishedCase>,
    ) -> Result<&'a SeenResults, JournalError> {
        let is_first = !seen.solvers.contains_key(&entrant);
        let seen = seen.solvers.entry(entrant).or_default();
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
