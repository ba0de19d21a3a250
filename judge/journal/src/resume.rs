//! Finds the interrupted run that can be resumed, or says why none can.
//!
//! A run is resumed only if each of its finished results would be the same today: the same conditions, the same
//! solvers, and inputs with the same content. To check this, the inputs are read or made again, because no hash of a
//! generator's files covers everything that it reads. The kept results are then valid for today's generator and files,
//! even if these have other names.

use super::columns::{FAULTS, query_all};
use super::error::{JournalError, Result};
use super::identity::{Change, RunRecord, SameRun, conditions_of};
use super::recording::Recording;
use super::rows::{Rows, rows_of};
use super::store::Journal;
use super::stored::{Known, KnownFrom, write_reference};
use judge_problem::{CaseSource, CaseSpec, Digest, GeneratorChoice, RunId, Shard, first_of};
use rusqlite::{Connection, params};
use std::collections::HashMap;

/// How many cases a message names.
const NAMED: usize = 3;

/// Returns the hash of the input of each of these cases, made or read now; `None` where this fails.
pub type InputHashes<'a> = &'a dyn Fn(&[CaseSpec]) -> Vec<Option<Digest>>;

/// The result of the search for an interrupted run.
#[derive(Debug)]
pub enum Resumption {
    /// Its record and its results.
    Found(Box<Recording>, Known),
    /// A new record of a shard that earlier runs in the journal have played, and their results.
    Elsewhere(Box<Recording>, Known),
    /// No run can continue: the journal, for a new run, and why the last run cannot.
    Nothing(Journal, Option<Changed>),
}

/// Why an interrupted run cannot continue.
#[derive(Debug, PartialEq, Eq)]
pub struct Changed {
    /// The run.
    pub run: RunId,
    /// The changes since then.
    pub what: Vec<String>,
}

impl Recording {
    /// Continues the last unfinished run of the same plan, with its results, if all of them are still valid.
    ///
    /// # Errors
    /// When the journal cannot be read or written, or when that run is still running.
    pub fn resume(journal: Journal, record: &RunRecord<'_>, hashes: InputHashes<'_>) -> Result<Resumption> {
        let today = SameRun::of(record);
        let mut inputs = Inputs { record, hashes, made: HashMap::new() };
        let mut last = None;
        for run in unfinished(&journal.connection, record)? {
            let Some((then, mut what)) = changes(&journal.connection, record, &today, run)? else { continue };
            if what.is_empty() {
                let lock = journal.locks.take(run)?;
                what = inputs.changes(&journal.connection, run, today.generator == then.generator)?;
                if what.is_empty() {
                    let (rows, known) = go_on(&journal, record, &today, run)?;
                    let recording = Self::of(journal, record, rows, lock);
                    return Ok(Resumption::Found(Box::new(recording), known));
                }
            }
            if !journal.locks.is_held(run) {
                last.get_or_insert(Changed { run, what });
            }
        }
        match record.shard {
            Some(shard) => Self::resume_elsewhere(journal, record, shard, &today, last),
            None => Ok(Resumption::Nothing(journal, last)),
        }
    }

    /// A cluster may restart the task of a shard on another machine. This starts another run. It takes the results of
    /// the earlier run, because they belong to the same plan, and they keep their machine.
    fn resume_elsewhere(
        journal: Journal,
        record: &RunRecord<'_>,
        shard: Shard,
        today: &SameRun,
        last: Option<Changed>,
    ) -> Result<Resumption> {
        let earlier = find_of_shard(&journal.connection, today, shard)?;
        if earlier.is_empty() {
            return Ok(Resumption::Nothing(journal, last));
        }
        let mut recording = Self::begin_plan(journal, record, today)?;
        let mut known = Known::of(record.plan);
        for (run, place, entrant) in earlier {
            recording.take_origins(run, entrant)?;
            // The start of the new run is not committed yet.
            known.read(&recording.journal.connection, KnownFrom::SameShard, place, entrant)?;
        }
        Ok(Resumption::Elsewhere(Box::new(recording), known))
    }
}

impl Journal {
    /// Returns the run that [`Recording::resume`] would continue if its inputs are the same.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn unfinished(&self, record: &RunRecord<'_>) -> Result<Option<RunId>> {
        let today = SameRun::of(record);
        for run in unfinished(&self.connection, record)? {
            if changes(&self.connection, record, &today, run)?.is_some_and(|(_, what)| what.is_empty()) {
                return Ok(Some(run));
            }
        }
        Ok(None)
    }
}

/// Returns the incomplete runs of the problem and shard, the newest first.
fn unfinished(connection: &Connection, record: &RunRecord<'_>) -> rusqlite::Result<Vec<RunId>> {
    let sql =
        "SELECT id FROM run WHERE problem = ?1 AND shard IS ?2 AND shards IS ?3 AND state IN ('open', 'interrupted')
         ORDER BY id DESC";
    let key = params![record.plan.problem.id, record.shard.map(Shard::number), record.shard.map(Shard::count)];
    query_all(connection, sql, key, |row| row.get(0).map(RunId))
}

/// Returns the identity of a run and what has changed since then, apart from its inputs. `None` if the run cannot be
/// resumed by this command: it has no plan (it has grown, or was disowned), or its solvers have other names.
fn changes(
    connection: &Connection,
    record: &RunRecord<'_>,
    today: &SameRun,
    run: RunId,
) -> Result<Option<(SameRun, Vec<String>)>> {
    let names = |run: &SameRun| run.solvers.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    let Some(then) = SameRun::read(connection, run)?.filter(|then| names(then) == names(today)) else {
        return Ok(None);
    };
    let there = format!("in run {run}");
    let differences = today.differences(&then);
    let mut changes: Vec<String> =
        differences.iter().filter(|change| !change.is_of_inputs()).map(|change| change.text(&there)).collect();
    let (conditions, tier, cpu_model) = conditions_of(connection, run)?;
    let machine = [
        Change::of("tier of the sandbox", record.tier.name(), &tier),
        Change::of("processor", &record.surroundings.machine.cpu_model, &cpu_model),
    ];
    changes.extend(machine.iter().flatten().map(|change| change.text(&there)));
    if changes.is_empty() && conditions != record.conditions() {
        changes.push(format!("its results were found under other conditions than {there}"));
    }
    Ok(Some((then, changes)))
}

/// Continues a run with today's names of its generator and files. Cases with faults run again. If the rule had no best
/// scores when the run started, the run gets today's.
fn go_on(journal: &Journal, record: &RunRecord<'_>, today: &SameRun, run: RunId) -> Result<(Rows, Known)> {
    let transaction = journal.transaction()?;
    let rows = rows_of(&transaction, run)?;
    today.note(&transaction, run.0)?;
    if journal.reference(run)?.is_none() {
        write_reference(&transaction, run, &record.plan.problem, 0, &record.plan.cases)?;
    }
    transaction
        .execute("UPDATE run SET state = 'open', turn = (SELECT max(turn) + 1 FROM run) WHERE id = ?1", [run.0])?;
    let mut known = Known::of(record.plan);
    for (solver, entrant) in rows.entrants.iter().enumerate() {
        transaction.execute(&format!("DELETE FROM result WHERE entrant = ?1 AND verdict IN ({FAULTS})"), [entrant])?;
        known.read(&transaction, KnownFrom::Itself, solver, *entrant)?;
    }
    transaction.commit()?;
    Ok((rows, known))
}

/// The inputs of a plan's cases, each read or made once.
struct Inputs<'a> {
    record: &'a RunRecord<'a>,
    hashes: InputHashes<'a>,
    /// By place.
    made: HashMap<usize, Option<Digest>>,
}

impl Inputs<'_> {
    /// Returns which finished results of a run are on inputs with another content than today's.
    fn changes(&mut self, connection: &Connection, run: RunId, is_same_generator: bool) -> Result<Vec<String>> {
        let stored = finished_inputs(connection, run)?;
        let cases = &self.record.plan.cases;
        if stored.iter().any(|(place, _)| *place >= cases.len()) {
            return Err(JournalError::Damaged(format!("run {run} has a result of a case that it does not have")));
        }
        let is_built_in = !matches!(
            self.record.plan.problem.generator,
            Some(GeneratorChoice::Command(_) | GeneratorChoice::Files(_))
        );
        let is_told_by_version = |case: &CaseSpec| is_built_in && matches!(case.source, CaseSource::Seed(_));
        if is_built_in && !is_same_generator && stored.iter().any(|(place, _)| is_told_by_version(&cases.at(*place))) {
            return Ok(vec![format!("the built-in generator has another version than in run {run}")]);
        }
        let mut needed: Vec<usize> = stored.iter().map(|(place, _)| *place).collect();
        needed.dedup();
        needed.retain(|place| !self.made.contains_key(place) && !is_told_by_version(&cases.at(*place)));
        let specs: Vec<CaseSpec> = needed.iter().map(|place| cases.at(*place)).collect();
        self.made.extend(needed.into_iter().zip((self.hashes)(&specs)));
        let has_changed =
            |(place, input): &&(usize, Digest)| self.made.get(place).is_some_and(|made| made.as_ref() != Some(input));
        let mut changed: Vec<usize> = stored.iter().filter(has_changed).map(|(place, _)| *place).collect();
        changed.dedup();
        let specs = changed.into_iter().map(|place| cases.at(place));
        let (seeds, files): (Vec<_>, Vec<_>) = specs.partition(|case| case.file().is_none());
        let names = |cases: Vec<CaseSpec>| first_of(cases.iter().map(|case| &case.name), NAMED, cases.len());
        let said = [("the generator's input", seeds), ("the input file", files)].into_iter();
        let said = said.filter(|(_, cases)| !cases.is_empty());
        Ok(said.map(|(what, cases)| format!("{what} of {} is not what run {run} had", names(cases))).collect())
    }
}

/// Returns the inputs of a run's kept results, by place.
fn finished_inputs(connection: &Connection, run: RunId) -> rusqlite::Result<Vec<(usize, Digest)>> {
    let sql = format!(
        "SELECT DISTINCT result.place, input FROM entrant JOIN result ON result.entrant = entrant.id
             JOIN game_case ON game_case.id = result.game_case
         WHERE run = ?1 AND length(input) = 32 AND verdict NOT IN ({FAULTS}) ORDER BY result.place"
    );
    query_all(connection, &sql, [run.0], |row| Ok((row.get(0)?, Digest(row.get(1)?))))
}

/// Returns the solvers of all runs of the same shard of the same plan, on any machine, each with its run, its place and
/// its row. The oldest one comes last, because its times count.
fn find_of_shard(connection: &Connection, today: &SameRun, shard: Shard) -> rusqlite::Result<Vec<(RunId, usize, i64)>> {
    let sql = "SELECT run.id, entrant.place, entrant.id FROM run JOIN entrant ON entrant.run = run.id
         WHERE plan = ?1 AND shard = ?2 AND shards = ?3 ORDER BY run.id DESC";
    let key = params![today.key().0, shard.number(), shard.count()];
    query_all(connection, sql, key, |row| Ok((RunId(row.get(0)?), row.get(1)?, row.get(2)?)))
}
