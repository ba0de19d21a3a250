//! The record of a run that is going on: every batch of finished cases is one commit.

use super::columns::{add_node, microseconds, query_all, query_first, rank};
use super::error::{JournalError, Result};
use super::file::{Mode, RunLock, beside};
use super::identity::{RunRecord, SameGame, SameRun, conditions_of};
use super::rows::{self, CaseFacts, Replaced, Rows, StoredPath, begin, case_id, enter, rows_of};
use super::store::{Journal, make_folder};
use super::stored::{self, Known, KnownFrom};
use judge_problem::scoring::ScoredRun;
use judge_problem::{
    Bytes, CaseList, CaseSource, CaseSpec, CheckerIdentity, ClusterJob, Digest, FinishedJob, JobId, Node, Outcome,
    Plan, Problem, Repetitions, Retention, Rule, RunId, RunState, Solver, Stop, StoredFeatures, StoredResult, Weight,
    rules_word,
};
use num_rational::BigRational;
use rusqlite::backup::Backup;
use rusqlite::{Connection, Params, Row, Transaction, TransactionBehavior, params};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The record of a run that is going on.
#[derive(Debug)]
pub struct Recording {
    /// The journal with the record.
    pub journal: Journal,
    retention: Retention,
    rows: Rows,
    problem: Problem,
    /// The word that identifies the rules for its features.
    feature_rules: String,
    checker: CheckerIdentity,
    /// The content of each solver.
    hashes: Vec<Digest>,
    conditions: Digest,
    /// The origins of results taken from earlier runs on other machines: from the row of the solver there and the origin
    /// there to the origin here.
    origins: HashMap<(i64, Option<i64>), i64>,
    cases: CaseList,
    attempts: Repetitions,
    /// The part of the run that is played now.
    pub part: Part,
    is_disowned: bool,
    /// Bytes of answers since the last check of the limit.
    unchecked_bytes: u64,
    /// How many results were copied from other runs.
    pub copied: usize,
    /// `None` only while the lock is taken again.
    pub(super) lock: Option<RunLock>,
}

/// The part of a run that is being played: the positions in the run of the plan's solvers and cases. A run that grows
/// is played as one plan after another. Of a shard, only some cases are played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// By solver of the plan: its place in the run.
    pub solvers: Vec<usize>,
    /// The places of its cases.
    pub cases: CasePlaces,
}

/// The places in a run of the cases of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CasePlaces {
    /// The first one has this place, and the others follow it.
    From(usize),
    /// By case.
    At(Vec<usize>),
}

impl Part {
    /// Returns the part that is the whole plan.
    pub fn whole(plan: &Plan) -> Self {
        Self { solvers: (0..plan.solvers.len()).collect(), cases: CasePlaces::From(0) }
    }

    /// Returns the place in the run of a job of the plan.
    pub fn place(&self, job: JobId) -> JobId {
        let case = match &self.cases {
            CasePlaces::From(first) => first + job.case,
            CasePlaces::At(places) => places[job.case],
        };
        JobId { case, solver: self.solvers[job.solver] }
    }
}

/// How a run ended.
#[derive(Debug)]
pub struct RunEnd<'a> {
    /// Why it ended early, if it did.
    pub stop: Option<Stop>,
    /// How long it took, this time.
    pub elapsed: Duration,
    /// The rule that it was scored by.
    pub rule: &'a Rule,
    /// The number of decimals that shows sums of its scores exactly.
    pub decimals: u32,
    /// The total of each solver by the rule; `None` if the rule gives none. Only a complete run has totals.
    pub totals: Vec<Option<&'a BigRational>>,
}

impl<'a> RunEnd<'a> {
    /// Returns the end of a run with these scores.
    pub fn of(scored: &'a ScoredRun, stop: Option<Stop>, elapsed: Duration) -> Self {
        Self { stop, elapsed, rule: &scored.rule, decimals: scored.board.decimals, totals: scored.totals() }
    }
}

impl Recording {
    /// Starts the record of a new run. It is in the journal after [`Recording::commit_start`] or another write. Until
    /// then no other judge can start a record.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub fn begin(journal: Journal, record: &RunRecord<'_>) -> Result<Self> {
        Self::begin_plan(journal, record, &SameRun::of(record))
    }

    /// The caller computes the identity first, because that reads the files of all cases, and other judges should not wait
    /// for it.
    pub(super) fn begin_plan(journal: Journal, record: &RunRecord<'_>, identity: &SameRun) -> Result<Self> {
        // Waiting for the only lock in a transaction would keep its holder from writing.
        let only = journal.locks.take_only()?;
        journal.connection.execute_batch("BEGIN IMMEDIATE")?;
        journal.forget_killed()?;
        let rows = begin(&journal.connection, record, identity)?;
        // Before the commit: the run is never visible without its lock.
        let lock = match only {
            Some(only) => only.write(rows.run).map(|()| only)?,
            None => journal.locks.take(rows.run)?,
        };
        Ok(Self::of(journal, record, rows, lock))
    }

    /// Commits the start of the run, unless that was done before. The commit waits for the disk, so it is best done
    /// while solvers run.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub fn commit_start(&self) -> Result<()> {
        self.journal.commit_start()
    }

    /// Adds the origins of the results that are taken from a solver of an earlier run, if their conditions differ from the
    /// conditions of this run.
    pub(super) fn take_origins(&mut self, from: RunId, entrant: i64) -> Result<()> {
        let columns = "uid, started, elapsed_us, command, conditions, shard, shards, played, jobs, tier, host, kernel,
            cpu_model, judge";
        let sources = format!(
            "SELECT NULL AS id, iif(state = 'open', 'killed', state) AS state, {columns} FROM run WHERE id = ?1
             UNION ALL SELECT id, state, {columns} FROM origin WHERE run = ?1"
        );
        let (connection, run) = (&self.journal.connection, self.rows.run);
        let sql = format!("SELECT id, uid FROM ({sources}) WHERE conditions <> ?2");
        let key = params![from.0, self.conditions.0];
        let found: Vec<(Option<i64>, Vec<u8>)> =
            query_all(connection, &sql, key, |row| Ok((row.get(0)?, row.get(1)?)))?;
        for (id, uid) in found {
            connection.execute(
                &format!(
                    "INSERT INTO origin (run, results, file, state, {columns}) SELECT ?3,
                         (SELECT count(*) FROM result JOIN entrant ON entrant.id = entrant WHERE run = ?1 AND origin IS ?4),
                         ?5, state, {columns}
                     FROM ({sources}) WHERE uid = ?2 ON CONFLICT DO NOTHING"
                ),
                params![from.0, uid, run.0, id, self.journal.path().to_string_lossy()],
            )?;
            let origin = "SELECT id FROM origin WHERE run = ?1 AND uid = ?2";
            let origin = connection.query_row(origin, params![run.0, uid], |row| row.get(0))?;
            self.origins.insert((entrant, id), origin);
        }
        Ok(())
    }

    /// Returns the connection to write to the run with.
    pub(super) fn connection(&self) -> Result<&Connection> {
        self.commit_start()?;
        Ok(&self.journal.connection)
    }

    /// Changes the run by one statement.
    fn execute(&self, sql: &str, parameters: impl Params) -> Result<()> {
        self.connection()?.execute(sql, parameters)?;
        Ok(())
    }

    /// Reopens the record of a run that continues elsewhere, and returns its results so far. They belong to the problem and
    /// the checker from the start of the run, even if these have changed.
    ///
    /// # Errors
    /// When the journal cannot be read or written, when another judge follows that run, when it is over, or when the record
    /// belongs to another run.
    pub fn reattach(journal: Journal, record: &RunRecord<'_>, run: RunId) -> Result<(Self, Known)> {
        let lock = journal.locks.take(run)?;
        // Another judge may have followed it to its end meanwhile.
        let state = journal.row_of_run(run, "SELECT state FROM run WHERE id = ?1", |_, state| Ok(state))?;
        if let Some(state @ (RunState::Complete | RunState::Stopped)) = state {
            return Err(JournalError::Over(run, state));
        }
        let then = SameRun::read(&journal.connection, run)?.ok_or(JournalError::NoRun(run))?;
        let differences = SameRun::of(record).differences(&then);
        // The cluster has copies of the files from the start of the run.
        let what: Vec<_> =
            differences.iter().filter(|change| change.is_of_plan()).map(|change| change.text("there")).collect();
        if !what.is_empty() {
            return Err(JournalError::OtherPlan { run, what: what.join("; ") });
        }
        let (conditions, ..) = conditions_of(&journal.connection, run)?;
        let rows = rows_of(&journal.connection, run)?;
        journal.connection.execute("UPDATE run SET state = 'open' WHERE id = ?1", [run.0])?;
        let mut known = Known::of(record.plan);
        for (solver, entrant) in rows.entrants.iter().enumerate() {
            known.read(&journal.connection, KnownFrom::Itself, solver, *entrant)?;
        }
        let recording = Self::of(journal, record, rows, lock);
        Ok((Self { checker: then.checker, conditions, ..recording }, known))
    }

    pub(super) fn of(journal: Journal, record: &RunRecord<'_>, rows: Rows, lock: RunLock) -> Self {
        Self {
            journal,
            retention: record.retention,
            rows,
            problem: record.plan.problem.clone(),
            feature_rules: rules_word(&record.plan.problem.features),
            checker: record.checker.clone(),
            hashes: record.solver_hashes.clone(),
            conditions: record.conditions(),
            origins: HashMap::new(),
            cases: record.plan.cases.clone(),
            attempts: record.plan.cases.repetitions(),
            part: Part::whole(record.plan),
            is_disowned: false,
            unchecked_bytes: 0,
            copied: 0,
            lock: Some(lock),
        }
    }

    /// Returns the run's number.
    pub fn run(&self) -> RunId {
        self.rows.run
    }

    /// Returns how many solvers are in the run.
    pub fn solver_count(&self) -> usize {
        self.hashes.len()
    }

    /// Adds the results of the run's solvers from this place on, on equal inputs under equal conditions, from any run.
    /// If a solver is in the run a second time, its purpose is to measure chance, so it gets no earlier results.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn add_earlier(&self, first: usize, known: &mut Known) -> Result<()> {
        for (solver, hash) in self.hashes.iter().enumerate().skip(first) {
            if !self.hashes[..solver].contains(hash) {
                known.add_earlier(&self.journal.connection, solver, *hash, self.conditions)?;
            }
        }
        Ok(())
    }

    /// Adds solvers, with the hashes of their content, and cases to the run.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub fn grow(&mut self, solvers: &[Solver], hashes: &[Digest], cases: &CaseList) -> Result<()> {
        let transaction = self.journal.transaction()?;
        enter(&transaction, &mut self.rows, solvers, hashes)?;
        let count = self.cases.len() + cases.len();
        stored::write_reference(&transaction, self.rows.run, &self.problem, self.cases.len(), cases)?;
        transaction.execute(
            "UPDATE run SET case_count = ?2, played = ?2, plan = NULL WHERE id = ?1",
            params![self.rows.run.0, count],
        )?;
        transaction.commit()?;
        self.hashes.extend(hashes);
        self.cases.extend(cases.iter());
        self.attempts = self.cases.repetitions();
        Ok(())
    }

    /// Marks the run as a search. Its solvers are settings, and `best` is the place of the best one so far.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub fn mark_search(&self, best: usize) -> Result<()> {
        self.execute("UPDATE run SET search = ?2 WHERE id = ?1", params![self.rows.run.0, best])
    }

    /// Keeps the results of the run from being resumed, reused, merged and from being the best: other programs than the
    /// recorded ones may have made some of them.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub fn disown(&mut self) -> Result<()> {
        self.is_disowned = true;
        let transaction = self.journal.transaction()?;
        let sql = "UPDATE run SET plan = NULL, conditions = zeroblob(32) WHERE id = ?1";
        transaction.execute(sql, [self.rows.run.0])?;
        let lost = rows::withdraw_bests(&transaction, self.rows.run)?;
        rows::find_bests(&transaction, &lost)?;
        Ok(transaction.commit()?)
    }

    /// Stores finished cases, all or none. When it returns, they survive the end of the process. If the journal was
    /// removed, moved or replaced meanwhile, it is written again.
    ///
    /// # Errors
    /// When the journal cannot be written: the disk is full, or another judge holds it for too long.
    pub fn append(&mut self, batch: &[FinishedJob]) -> Result<()> {
        let appended = self.append_here(batch);
        if self.journal.has_all_files() {
            return appended;
        }
        self.rescue()?;
        appended.or_else(|_| self.append_here(batch))
    }

    fn append_here(&mut self, batch: &[FinishedJob]) -> Result<()> {
        let transaction = self.journal.transaction()?;
        // Asking for the current folder for each file is slow.
        let here = std::env::current_dir().unwrap_or_default();
        let mut lost = Vec::new();
        for finished in batch {
            lost.extend(self.write(finished, &here)?);
        }
        rows::find_bests(&transaction, &lost)?;
        transaction.commit()?;
        let is_copy = |finished: &&FinishedJob| {
            finished.evidence.stored.is_some_and(|stored| stored != self.row_of(finished.job))
        };
        self.copied += batch.iter().filter(is_copy).count();
        let answers = batch.iter().filter_map(|finished| finished.evidence.answer.as_ref());
        self.unchecked_bytes += answers.map(|answer| answer.len() as u64).sum::<u64>();
        // A long run must not fill the disk before it ends.
        if matches!(self.retention, Retention::UpTo(most) if self.unchecked_bytes > most.0 / 4 && most.0 > 0) {
            self.unchecked_bytes = 0;
            self.journal.apply_retention(self.retention)?;
        }
        Ok(())
    }

    /// Returns where the result of a job belongs.
    fn row_of(&self, job: JobId) -> StoredResult {
        let job = self.part.place(job);
        let place = i64::try_from(job.case).unwrap_or(i64::MAX);
        StoredResult { entrant: self.rows.entrants[job.solver], place }
    }

    /// Writes the result of a job. A finished result is never replaced. Only a fault is, because it gives no
    /// information about the solver. Returns the case that lost its best result through that.
    fn write(&self, finished: &FinishedJob, here: &Path) -> rusqlite::Result<Option<i64>> {
        let job = self.part.place(finished.job);
        let row = self.row_of(finished.job);
        let StoredResult { entrant, place } = row;
        if finished.evidence.stored == Some(row) {
            return Ok(None);
        }
        let game_case = self.case_row(&self.cases.at(job.case), finished, here)?;
        let (answer, origin) = match finished.evidence.stored {
            Some(stored) => self.of_stored(stored)?,
            None => (self.answer_row(finished)?, None),
        };
        let Outcome { verdict, score, note, broken, metrics, stderr, cpu, wall, memory, noisy, waited, node } =
            &finished.outcome;
        let rank = score.as_ref().filter(|_| !self.is_disowned).map(rank);
        let connection = &self.journal.connection;
        let mut insert = connection.prepare_cached(
            "INSERT INTO result (entrant, place, game_case, attempt, verdict, score, rank, cpu_us, wall_us, memory, noisy,
                 note, stderr, answer, broken_line, broken_column, broken_move, broken_rule, node, origin, waited_us,
                 metrics)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22)
             ON CONFLICT DO NOTHING",
        )?;
        rows::write_result(connection, game_case, rank.as_deref(), (entrant, place), Replaced::Faults, || {
            // By number: names would be searched for in every row.
            insert.execute(params![
                entrant,
                place,
                game_case,
                self.attempts.at(job.case),
                verdict.name(),
                score.as_ref().map(ToString::to_string),
                rank,
                cpu.map(microseconds),
                wall.map(microseconds),
                memory,
                noisy,
                note,
                stderr,
                answer,
                broken.line,
                broken.column,
                broken.step,
                broken.rule,
                node,
                origin,
                waited.map(microseconds),
                (!metrics.is_empty()).then(|| metrics.to_string()),
            ])
        })
    }

    fn case_row(&self, case: &CaseSpec, finished: &FinishedJob, here: &Path) -> rusqlite::Result<i64> {
        let (seed, file) = match &case.source {
            CaseSource::Seed(seed) => (Some(seed.to_string()), None),
            CaseSource::Made(call) => (Some(call.to_string()), None),
            CaseSource::File(path) => {
                (None, Some(StoredPath(std::path::absolute(here.join(path)).unwrap_or_else(|_| path.clone()))))
            }
        };
        let key = SameGame {
            problem: &self.problem.id,
            checker: &self.checker.name,
            version: self.checker.version,
            name: &case.name.0,
            input: finished.evidence.input.as_ref().map_or(&[][..], |digest| &digest.0),
        };
        let features = finished.features.as_ref();
        let features = features.and_then(|features| StoredFeatures::new(&self.feature_rules, features));
        let facts = CaseFacts { seed, file, features: features.map(|features| features.line().to_owned()) };
        case_id(&self.journal.connection, &key, facts)
    }

    /// Returns the answer of an earlier result, and its origin if it comes from another machine.
    fn of_stored(&self, stored: StoredResult) -> rusqlite::Result<(Option<i64>, Option<i64>)> {
        let sql = "SELECT answer, origin FROM result WHERE entrant = ?1 AND place = ?2";
        let key = params![stored.entrant, stored.place];
        let found = query_first(&self.journal.connection, sql, key, |row| Ok((row.get(0)?, row.get(1)?)))?;
        let (answer, origin) = found.unwrap_or_default();
        Ok((answer, self.origins.get(&(stored.entrant, origin)).copied()))
    }

    /// Returns the row of a new answer, if it is kept.
    fn answer_row(&self, finished: &FinishedJob) -> rusqlite::Result<Option<i64>> {
        match &finished.evidence.answer {
            Some(answer) if self.retention != Retention::UpTo(Bytes(0)) => {
                rows::store_answer(&self.journal.connection, self.rows.run, answer)
            }
            _ => Ok(None),
        }
    }

    /// Writes the end of the run, and returns the journal.
    ///
    /// # Errors
    /// When the journal cannot be written. The finished cases are in it all the same.
    pub fn finish(mut self, end: &RunEnd<'_>) -> Result<Journal> {
        self.rescue()?;
        self.write_end(end)?;
        self.rescue()?;
        self.journal.apply_retention(self.retention)?;
        drop(self.lock);
        Ok(self.journal)
    }

    fn write_end(&mut self, end: &RunEnd<'_>) -> Result<()> {
        let state = RunState::ended(end.stop).name();
        let terms = terms(end.rule, &self.problem, &self.cases);
        let transaction = self.journal.transaction()?;
        transaction.execute(
            "UPDATE run SET state = ?2, elapsed_us = elapsed_us + ?3, rule = ?4, decimals = ?5 WHERE id = ?1",
            params![self.rows.run.0, state, microseconds(end.elapsed), end.rule.to_string(), end.decimals],
        )?;
        for (entrant, total) in self.rows.entrants.iter().zip(&end.totals) {
            let total = total.filter(|_| end.stop.is_none()).map(ToString::to_string);
            sum_up(&transaction, *entrant, total.as_deref(), Some(&terms))?;
        }
        Ok(transaction.commit()?)
    }

    /// Writes the journal to a new file if its files were removed, moved or replaced, and continues with the new one.
    ///
    /// # Errors
    /// When it cannot be written again.
    fn rescue(&mut self) -> Result<()> {
        if self.journal.has_all_files() {
            return Ok(());
        }
        let run = self.run();
        let path = self.journal.path().to_owned();
        let gone = |error| JournalError::Gone { path: path.clone(), source: Box::new(error) };
        self.journal.write_anew(run).map_err(gone)?;
        // The lock may have been removed with the journal. Two at once would be on one file.
        self.lock = None;
        self.lock = Some(self.journal.locks.take(run).map_err(gone)?);
        Ok(())
    }

    /// Stores where the run continues without this judge.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub fn store_job(&self, job: &ClusterJob) -> Result<()> {
        let sql = "INSERT OR REPLACE INTO cluster_job (run, engine, id, folder) VALUES (?1, ?2, ?3, ?4)";
        self.execute(sql, params![self.run().0, job.engine, job.id, job.folder.to_string_lossy()])
    }

    /// Removes where the run continues.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub fn forget_job(&self) -> Result<()> {
        self.execute("DELETE FROM cluster_job WHERE run = ?1", [self.run().0])
    }

    /// Returns the cluster jobs of complete runs.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn completed_cluster_jobs(&self) -> Result<Vec<ClusterJob>> {
        let sql =
            "SELECT engine, cluster_job.id, folder FROM cluster_job JOIN run ON run.id = run WHERE state = 'complete'";
        Ok(query_all(self.connection()?, sql, [], read_job)?)
    }

    /// Stores a machine that takes part in the run.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub fn store_node(&self, node: &Node) -> Result<()> {
        Ok(add_node(self.connection()?, self.run(), node)?)
    }

    /// Removes from the run the cases after the last one with a result.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub fn trim_cases(&self) -> Result<()> {
        let sql = "UPDATE run SET case_count = (SELECT coalesce(max(result.place) + 1, 0) FROM entrant
                 JOIN result ON result.entrant = entrant.id WHERE entrant.run = run.id) WHERE id = ?1";
        self.execute(sql, [self.run().0])
    }
}

impl Journal {
    /// Commits the start of a run, if that is open.
    fn commit_start(&self) -> Result<()> {
        if !self.connection.is_autocommit() {
            self.connection.execute_batch("COMMIT")?;
        }
        Ok(())
    }

    /// Begins to write, once the start of the run is committed.
    pub(super) fn transaction(&self) -> Result<Transaction<'_>> {
        self.commit_start()?;
        Ok(Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)?)
    }

    /// Moves to a new file with all content of this one. If another file has taken its path by now, that file is kept.
    fn write_anew(&mut self, run: RunId) -> Result<()> {
        if !self.connection.is_autocommit() {
            self.connection.execute_batch("ROLLBACK")?;
        }
        let stem = self.path().file_stem().unwrap_or_default().to_string_lossy();
        let (path, mode) = match (self.is_in_place(), self.path().exists()) {
            (true, _) | (_, false) => (self.path().to_owned(), self.locks.mode),
            (false, true) => {
                (unused_path(self.path(), |number| format!("{stem}-run-{run}{number}.db")), Mode::OneWriter)
            }
        };
        if !self.is_in_place() {
            make_folder(path.parent().unwrap_or(Path::new("")))?;
            // A log of the removed file would be mistaken for a log of the new file.
            for ending in ["-wal", "-shm", "-journal"] {
                let _ = std::fs::remove_file(beside(&path, ending));
            }
            let mut copy = Connection::open(&path)?;
            Backup::new(&self.connection, &mut copy)?.run_to_completion(i32::MAX, Duration::ZERO, None)?;
        }
        // Closing the old database first writes its log back, and removes its own files only.
        self.connection = Connection::open_in_memory()?;
        *self = Self::open_to_write(&path, mode)?;
        self.rewritten_file = Some(path);
        Ok(())
    }

    /// Returns where a run continues; `None` if its judge runs it itself.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn cluster_job(&self, run: RunId) -> Result<Option<ClusterJob>> {
        let sql = "SELECT engine, id, folder FROM cluster_job WHERE run = ?1";
        Ok(query_first(&self.connection, sql, [run.0], read_job)?)
    }
}

/// Returns the hash of what turns scores into a total. Totals by other terms are not comparable.
pub(super) fn terms(rule: &Rule, problem: &Problem, cases: &CaseList) -> Digest {
    let Problem { direction, failure, test_groups, .. } = problem;
    let of_all = format!("{rule:?} {direction:?} {failure:?} {test_groups:?}");
    let has_terms = |case: &&CaseSpec| case.thresholds.is_some() || case.weight != Weight::default();
    let of_case = |case: &CaseSpec| format!("{} {:?} {:?}", case.name, case.weight, case.thresholds);
    let parts: Vec<String> = std::iter::once(of_all).chain(cases.listed().filter(has_terms).map(of_case)).collect();
    Digest::of_parts(parts.iter().map(String::as_bytes))
}

/// Stores the total of one solver, and returns the number of its results. Without `terms`, the total is the earlier one.
pub(super) fn sum_up(
    connection: &Connection,
    entrant: i64,
    total: Option<&str>,
    terms: Option<&Digest>,
) -> rusqlite::Result<usize> {
    let sql = "SELECT game_case FROM result WHERE entrant = ?1 ORDER BY game_case";
    let cases: Vec<i64> = query_all(connection, sql, [entrant], |row| row.get(0))?;
    let bytes: Vec<u8> = cases.iter().flat_map(|case| case.to_le_bytes()).collect();
    let case_set = Digest::of_parts([&*bytes, terms.map_or(&[][..], |terms| &terms.0[..])]);
    let is_earlier = terms.is_none() && total.is_some();
    connection.execute(
        "UPDATE entrant SET total = ?2, case_set = iif(?5, coalesce(case_set, ?3), ?3), done = ?4,
             accepted = (SELECT count(*) FROM result WHERE entrant = ?1 AND verdict = 'accepted')
         WHERE id = ?1",
        params![entrant, total, case_set.0, cases.len(), is_earlier],
    )?;
    Ok(cases.len())
}

/// Returns an unused path next to this one. `name` makes its file name with nothing, `-2`, `-3` and so on.
pub fn unused_path(path: &Path, name: impl Fn(&str) -> String) -> PathBuf {
    let numbers = std::iter::once(String::new()).chain((2_u32..).map(|number| format!("-{number}")));
    let mut paths = numbers.map(|number| path.with_file_name(name(&number)));
    paths.find(|path| !path.exists()).unwrap_or_else(|| path.to_owned())
}

fn read_job(row: &Row<'_>) -> rusqlite::Result<ClusterJob> {
    Ok(ClusterJob { engine: row.get(0)?, id: row.get(1)?, folder: PathBuf::from(row.get::<_, String>(2)?) })
}
