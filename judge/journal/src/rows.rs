//! Writes rows: a run with its solvers, and the results of finished cases with their cases, answers and best scores.

use super::columns::{FAULTS, microseconds, query_all, query_first};
use super::error::{JournalError, Result};
use super::identity::{RunRecord, SameGame, SameRun, environment};
use super::store::{Journal, MAX_ANSWER_BYTES, with_answer};
use super::stored;
use judge_problem::{Digest, Retention, RunId, Shard, Solver, StoredResult};
use judge_run::files;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row, ToSql, named_params, params};
use std::borrow::Cow;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// The rows of a run and its solvers, to which results refer.
#[derive(Debug)]
pub(super) struct Rows {
    pub(super) run: RunId,
    /// By solver.
    pub(super) entrants: Vec<i64>,
}

/// Writes a new run and its solvers.
pub(super) fn begin(connection: &Connection, record: &RunRecord<'_>, identity: &SameRun) -> rusqlite::Result<Rows> {
    insert_run(connection, record)?;
    let run = RunId(connection.last_insert_rowid());
    identity.note(connection, run.0)?;
    stored::write_reference(connection, run, &record.plan.problem, 0, &record.plan.cases)?;
    let mut rows = Rows { run, entrants: Vec::new() };
    enter(connection, &mut rows, &record.plan.solvers, &record.solver_hashes)?;
    Ok(rows)
}

/// Adds solvers to a run.
pub(super) fn enter(
    connection: &Connection,
    rows: &mut Rows,
    solvers: &[Solver],
    hashes: &[Digest],
) -> rusqlite::Result<()> {
    for (solver, hash) in solvers.iter().zip(hashes) {
        connection.execute(
            "INSERT INTO entrant (run, place, name, command, hash) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![rows.run.0, rows.entrants.len(), solver.spec.name, solver.spec.text, hash.0],
        )?;
        rows.entrants.push(connection.last_insert_rowid());
    }
    Ok(())
}

fn insert_run(connection: &Connection, record: &RunRecord<'_>) -> rusqlite::Result<usize> {
    let RunRecord { plan, checker, surroundings, .. } = record;
    connection.execute(
        "INSERT INTO run (command, conditions, problem, checker, checker_version, rule, direction,
             cpu_limit_us, wall_limit_us, memory_limit, output_limit, process_limit, environment, case_count, jobs,
             tier, host, kernel, cpu_model, git_commit, git_dirty, judge, message, uid, shard, shards,
             played, turn)
         VALUES (:command, :conditions, :problem, :checker, :version, :rule, :direction,
             :cpu, :wall, :memory, :output, :processes, :environment, :cases, :jobs,
             :tier, :host, :kernel, :cpu_model, :commit, :dirty, :judge, :message, coalesce(:uid, randomblob(16)),
             :shard, :shards, :played, (SELECT coalesce(max(turn), 0) + 1 FROM run))",
        named_params! {
            ":command": record.command,
            ":conditions": record.conditions().0,
            ":problem": plan.problem.id,
            ":checker": checker.name,
            ":version": checker.version,
            ":rule": plan.problem.scoring.to_string(),
            ":direction": plan.problem.direction.name(),
            ":cpu": microseconds(plan.limits.cpu.0),
            ":wall": microseconds(plan.limits.wall.0),
            ":memory": plan.limits.memory.0,
            ":output": plan.limits.output.0,
            ":processes": plan.limits.processes,
            ":environment": environment(plan),
            ":cases": plan.cases.len(),
            ":jobs": record.jobs,
            ":tier": record.tier.name(),
            ":host": surroundings.machine.host,
            ":kernel": surroundings.machine.kernel,
            ":cpu_model": surroundings.machine.cpu_model,
            ":commit": surroundings.git_commit,
            ":dirty": surroundings.git_dirty,
            ":judge": env!("CARGO_PKG_VERSION"),
            ":message": record.message,
            ":uid": record.uid.as_ref().map(String::as_bytes),
            ":shard": record.shard.map(Shard::number),
            ":shards": record.shard.map(Shard::count),
            ":played": record.played,
        },
    )
}

/// Returns the rows of a run and its solvers.
pub(super) fn rows_of(connection: &Connection, run: RunId) -> rusqlite::Result<Rows> {
    let sql = "SELECT id FROM entrant WHERE run = ?1 ORDER BY place";
    Ok(Rows { run, entrants: query_all(connection, sql, [run.0], |row| row.get(0))? })
}

/// The path of a case's file. It is stored as text byte by byte, also if it is not UTF-8: SQLite does not look at it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StoredPath(pub(super) PathBuf);

impl ToSql for StoredPath {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(ValueRef::Text(self.0.as_os_str().as_bytes())))
    }
}

impl FromSql for StoredPath {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value {
            ValueRef::Text(bytes) => Ok(Self(OsStr::from_bytes(bytes).into())),
            _ => Err(FromSqlError::InvalidType),
        }
    }
}

/// Facts about a case that are not part of its identity.
pub(super) struct CaseFacts {
    pub(super) seed: Option<String>,
    pub(super) file: Option<StoredPath>,
    /// Its features in stored form; `None` if they are unknown.
    pub(super) features: Option<String>,
}

/// A case that the journal has.
pub(super) struct KnownCase {
    /// Its row.
    pub(super) id: i64,
    file: Option<StoredPath>,
    features: Option<String>,
}

/// Returns a case, if it is in the journal.
pub(super) fn find_case(connection: &Connection, key: &SameGame<'_>) -> rusqlite::Result<Option<KnownCase>> {
    let SameGame { problem, checker, version, name, input } = key;
    let sql = "SELECT id, file, features FROM game_case
         WHERE problem = ?1 AND checker = ?2 AND checker_version = ?3 AND name = ?4 AND input = ?5";
    query_first(connection, sql, params![problem, checker, version, name, input], |row| {
        Ok(KnownCase { id: row.get(0)?, file: row.get(1)?, features: row.get(2)? })
    })
}

/// Returns the row of a case, a new one if it is not known yet. The source of its input and its features are updated.
pub(super) fn case_id(connection: &Connection, key: &SameGame<'_>, facts: CaseFacts) -> rusqlite::Result<i64> {
    let CaseFacts { seed, file, features } = facts;
    if let Some(known) = find_case(connection, key)? {
        let id = known.id;
        // A copy of the file at another place does not replace the file that the case came from.
        let is_same = |own: &StoredPath| files::read(&own.0).is_ok_and(|bytes| Digest::of(&bytes).0 == *key.input);
        let file = match (&known.file, file) {
            (Some(own), Some(new)) if *own != new && is_same(own) => Some(own.clone()),
            (_, file) => file,
        };
        if known.file != file || features.is_some() && known.features != features {
            connection
                .prepare_cached(
                    "UPDATE game_case SET seed = ?2, file = ?3, features = coalesce(?4, features) WHERE id = ?1",
                )?
                .execute(params![id, seed, file, features])?;
        }
        return Ok(id);
    }
    let SameGame { problem, checker, version, name, input } = key;
    connection
        .prepare_cached(
            "INSERT INTO game_case (problem, checker, checker_version, name, input, seed, file, features)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute(params![problem, checker, version, name, input, seed, file, features])?;
    Ok(connection.last_insert_rowid())
}

/// A statement that records which of these rows are better than the known best result of their case. Of equal results
/// the first is kept.
macro_rules! note_better {
    ($rows:literal) => {
        concat!(
            "INSERT INTO best_result (game_case, direction, rank, entrant, place) ",
            $rows,
            " ON CONFLICT DO UPDATE SET rank = excluded.rank, entrant = excluded.entrant, place = excluded.place
              WHERE iif(direction = 'max', excluded.rank > rank, excluded.rank < rank)
                  OR excluded.rank = rank AND (excluded.entrant, excluded.place) < (entrant, place)",
        )
    };
}

const NOTE: &str = note_better!("VALUES (?1, 'max', ?2, ?3, ?4), (?1, 'min', ?2, ?3, ?4)");

/// Of all cases in the temporary table `lost`.
const FIND: &str = note_better!(
    "SELECT game_case, column1, rank, entrant, place FROM result CROSS JOIN (VALUES ('max'), ('min'))
     WHERE rank IS NOT NULL AND game_case IN (SELECT game_case FROM lost)"
);

/// Which results may be replaced by another one of the same case and solver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Replaced {
    /// Only faults.
    Faults,
    /// Any. Which of two merged results stays does not depend on their order.
    Any,
}

/// Writes a result by `insert`, which returns the number of rows that it has added: none if there is a result already.
/// That result stays unless it is replaced. Returns the case that has lost its best result through that. In this case
/// call [`find_bests`] before the transaction ends.
#[must_use = "the best result on its case is missing"]
pub(super) fn write_result(
    connection: &Connection,
    game_case: i64,
    rank: Option<&[u8]>,
    (entrant, place): (i64, i64),
    replaced: Replaced,
    mut insert: impl FnMut() -> rusqlite::Result<usize>,
) -> rusqlite::Result<Option<i64>> {
    let mut lost = None;
    if insert()? == 0 {
        lost = delete_result(connection, (entrant, place), replaced)?;
        if insert()? == 0 {
            return Ok(None);
        }
    }
    if let Some(rank) = rank {
        connection.prepare_cached(NOTE)?.execute(params![game_case, rank, entrant, place])?;
    }
    Ok(lost)
}

fn delete_result(
    connection: &Connection,
    (entrant, place): (i64, i64),
    which: Replaced,
) -> rusqlite::Result<Option<i64>> {
    let condition = match which {
        Replaced::Any => String::new(),
        Replaced::Faults => format!("AND verdict IN ({FAULTS})"),
    };
    let sql = format!("DELETE FROM result WHERE entrant = ?1 AND place = ?2 {condition} RETURNING game_case");
    let game_case: Option<i64> = query_first(connection, &sql, [entrant, place], |row| row.get(0))?;
    let Some(game_case) = game_case else { return Ok(None) };
    let bests = connection
        .prepare_cached("DELETE FROM best_result WHERE game_case = ?1 AND entrant = ?2 AND place = ?3")?
        .execute([game_case, entrant, place])?;
    Ok((bests > 0).then_some(game_case))
}

/// Deletes a run with its results. Returns the cases that have lost a best result, as [`write_result`] does. `None` if
/// there is no such run.
#[must_use = "the best results on its cases are missing"]
pub(super) fn delete_run(connection: &Connection, run: RunId) -> rusqlite::Result<Option<Vec<i64>>> {
    let lost = delete_bests(connection, run)?;
    Ok((connection.execute("DELETE FROM run WHERE id = ?1", [run.0])? > 0).then_some(lost))
}

/// Makes no result of a run count as the best of its case. Returns the cases that have lost a best result, as
/// [`write_result`] does.
#[must_use = "the best results on its cases are missing"]
pub(super) fn withdraw_bests(connection: &Connection, run: RunId) -> rusqlite::Result<Vec<i64>> {
    let sql = "UPDATE result SET rank = NULL WHERE entrant IN (SELECT id FROM entrant WHERE run = ?1)";
    connection.execute(sql, [run.0])?;
    delete_bests(connection, run)
}

fn delete_bests(connection: &Connection, run: RunId) -> rusqlite::Result<Vec<i64>> {
    let sql = "DELETE FROM best_result WHERE entrant IN (SELECT id FROM entrant WHERE run = ?1) RETURNING game_case";
    query_all(connection, sql, [run.0], |row| row.get(0))
}

/// Finds the best results on these cases. If there are any cases, this reads the whole journal once.
pub(super) fn find_bests(connection: &Connection, cases: &[i64]) -> rusqlite::Result<()> {
    if cases.is_empty() {
        return Ok(());
    }
    connection.execute_batch("CREATE TEMP TABLE lost (game_case INTEGER PRIMARY KEY)")?;
    let mut insert = connection.prepare("INSERT OR IGNORE INTO lost VALUES (?1)")?;
    for case in cases {
        insert.execute([case])?;
    }
    connection.execute(FIND, [])?;
    connection.execute_batch("DROP TABLE lost")
}

/// Stores an answer, and returns its row; `None` if it is too long. An answer that is stored already is only marked as used
/// by this run.
pub(super) fn store_answer(connection: &Connection, run: RunId, answer: &[u8]) -> rusqlite::Result<Option<i64>> {
    if answer.len() > MAX_ANSWER_BYTES {
        return Ok(None);
    }
    store_packed_answer(connection, run, Digest::of(answer).0, answer.len(), || pack(answer)).map(Some)
}

/// Stores an answer of this hash and length, packed.
pub(super) fn store_packed_answer<'a>(
    connection: &Connection,
    run: RunId,
    hash: [u8; 32],
    bytes: usize,
    packed: impl FnOnce() -> Cow<'a, [u8]>,
) -> rusqlite::Result<i64> {
    // Not in one statement with RETURNING: its temporary table costs more than the rest.
    let sql = "SELECT id, run FROM answer WHERE hash = ?1";
    let known: Option<(i64, i64)> = query_first(connection, sql, [hash], |row| Ok((row.get(0)?, row.get(1)?)))?;
    if let Some((id, last_given)) = known {
        if last_given != run.0 {
            let mut mark = connection.prepare_cached("UPDATE answer SET run = ?2 WHERE id = ?1")?;
            mark.execute(params![id, run.0])?;
        }
        return Ok(id);
    }
    let packed = packed();
    connection
        .prepare_cached("INSERT INTO answer (hash, run, bytes, packed_bytes) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![hash, run.0, bytes, packed.len()])?;
    let id = connection.last_insert_rowid();
    let mut insert = connection.prepare_cached("INSERT INTO answer_body (answer, packed) VALUES (?1, ?2)")?;
    with_answer(connection, || insert.execute(params![id, packed]))??;
    Ok(id)
}

/// If compression does not make an answer smaller, it is stored unchanged. The two lengths show which.
fn pack(answer: &[u8]) -> Cow<'_, [u8]> {
    let packed = lz4_flex::block::compress(answer);
    if packed.len() < answer.len() { Cow::Owned(packed) } else { Cow::Borrowed(answer) }
}

fn unpack(packed: Vec<u8>, bytes: usize) -> Result<Vec<u8>> {
    check_length(bytes)?;
    if packed.len() == bytes {
        return Ok(packed);
    }
    lz4_flex::block::decompress(&packed, bytes)
        .map_err(|error| JournalError::Damaged(format!("a stored answer cannot be unpacked: {error}")))
}

/// Fails if a stored length is larger than any stored answer.
pub(super) fn check_length(bytes: usize) -> Result<()> {
    if bytes > MAX_ANSWER_BYTES {
        return Err(JournalError::Damaged(format!("a stored answer of {bytes} bytes")));
    }
    Ok(())
}

impl Journal {
    /// Returns a stored answer; `None` if it is no longer kept.
    ///
    /// # Errors
    /// When the journal cannot be read, or the answer does not match its hash.
    pub fn answer(&self, id: i64) -> Result<Option<Vec<u8>>> {
        let mut statement = self.connection.prepare_cached(
            "SELECT hash, bytes, packed FROM answer JOIN answer_body ON answer_body.answer = answer.id WHERE id = ?1",
        )?;
        let read = |row: &Row<'_>| Ok((row.get::<_, [u8; 32]>(0)?, row.get::<_, usize>(1)?, row.get(2)?));
        let found = with_answer(&self.connection, || statement.query_row([id], read).optional())??;
        let Some((hash, bytes, packed)) = found else { return Ok(None) };
        let answer = unpack(packed, bytes)?;
        if Digest::of(&answer).0 != hash {
            return Err(JournalError::Damaged("a stored answer is not the one that was given".to_owned()));
        }
        Ok(Some(answer))
    }

    /// Returns the answer of a recorded result; `None` if there is none or it is no longer kept.
    ///
    /// # Errors
    /// When the journal cannot be read, or the answer does not match its hash.
    pub fn answer_of(&self, result: StoredResult) -> Result<Option<Vec<u8>>> {
        let sql = "SELECT answer FROM result WHERE entrant = ?1 AND place = ?2";
        let id: Option<Option<i64>> =
            query_first(&self.connection, sql, [result.entrant, result.place], |row| row.get(0))?;
        id.flatten().map_or(Ok(None), |id| self.answer(id))
    }

    /// Drops answers of the oldest runs once they exceed the limit, until an eighth of the limit, in whole MiB, is free
    /// again. This reads all results, which would be too slow after every run.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub fn apply_retention(&mut self, retention: Retention) -> Result<()> {
        let Retention::UpTo(most) = retention else { return Ok(()) };
        // The length of the file is known without a query. Adding up the answers would read all rows.
        if self.number("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")? <= most.0
            || self.number("SELECT coalesce(sum(packed_bytes), 0) FROM answer")? <= most.0
        {
            return Ok(());
        }
        let rest = most.0 - ((most.0 / 8) >> 20 << 20);
        let transaction = self.transaction()?;
        transaction.execute_batch("CREATE TEMP TABLE dropped (answer INTEGER PRIMARY KEY)")?;
        transaction.execute(
            "INSERT INTO dropped SELECT id FROM
                 (SELECT id, sum(packed_bytes) OVER (ORDER BY run DESC, id DESC) AS so_far FROM answer)
             WHERE so_far > ?1",
            [i64::try_from(rest).unwrap_or(i64::MAX)],
        )?;
        transaction.execute_batch(
            "UPDATE result SET answer = NULL WHERE answer IN (SELECT answer FROM dropped);
             DELETE FROM answer WHERE id IN (SELECT answer FROM dropped);
             DROP TABLE dropped;",
        )?;
        transaction.commit()?;
        self.give_back_space()
    }

    fn number(&self, query: &str) -> rusqlite::Result<u64> {
        self.connection.query_row(query, [], |row| row.get(0))
    }

    /// Returns the file's free pages to the disk.
    pub(super) fn give_back_space(&self) -> Result<()> {
        // The statement returns a row for each page, and frees only the pages whose rows are read.
        let mut statement = self.connection.prepare("PRAGMA incremental_vacuum")?;
        let mut pages = statement.query([])?;
        while pages.next()?.is_some() {}
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_come_back_as_they_were() {
        let random: Vec<u8> = (0..5000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        for answer in [&b""[..], b"1", b"3 1\n", &random, &b"7 2\n".repeat(10_000)] {
            assert_eq!(unpack(pack(answer).into_owned(), answer.len()).unwrap(), answer);
        }
        assert!(pack(&b"7 2\n".repeat(10_000)).len() < 1000);
        assert!(unpack(vec![0xff; 8], 100).is_err());
    }
}
