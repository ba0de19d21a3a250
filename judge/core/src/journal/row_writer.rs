//! Writes the rows of one commit: the results of finished cases, with their cases and answers.

use super::begin::Rows;
use super::columns::microseconds;
use super::rank::rank;
use super::{answers, best_result};
use crate::model::{
    Bytes, CaseSource, CaseSpec, CheckerIdentity, Digest, FinishedJob, JobId, Outcome, Retention, StoredResult,
};
use rusqlite::{Connection, OptionalExtension, params};
use std::path::PathBuf;

/// Writes the rows of one commit.
pub(super) struct RowWriter<'a> {
    pub(super) connection: &'a Connection,
    pub(super) rows: &'a Rows,
    pub(super) problem: &'a str,
    pub(super) checker: &'a CheckerIdentity,
    pub(super) retention: Retention,
    /// The current folder: to ask for it for each file takes longer than all else about its path.
    pub(super) here: PathBuf,
}

impl RowWriter<'_> {
    /// Writes the result of a job of the run; a case that is run again replaces what was there. Returns the case that lost its
    /// best result by that.
    pub(super) fn write(
        &self,
        job: JobId,
        finished: &FinishedJob,
        case: &CaseSpec,
        attempt: u32,
    ) -> rusqlite::Result<Option<i64>> {
        let (entrant, place) = (self.rows.entrants[job.solver], job.case);
        let own = |stored: StoredResult| stored.entrant == entrant && stored.place == place as i64;
        if finished.evidence.stored.is_some_and(own) {
            return Ok(None);
        }
        let game_case = self.case_row(case, finished.evidence.input.as_ref())?;
        let answer = self.answer_row(finished)?;
        let Outcome { verdict, score, note, broken, stderr, cpu, wall, memory, noisy, node } = &finished.outcome;
        let rank = score.as_ref().map(rank);
        let mut insert = self.connection.prepare_cached(
            "INSERT INTO result (entrant, place, game_case, attempt, verdict, score, rank, cpu_us, wall_us, memory, noisy,
                 note, stderr, answer, broken_line, broken_column, broken_move, broken_rule, node)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)
             ON CONFLICT DO NOTHING",
        )?;
        best_result::write(self.connection, game_case, rank.as_deref(), (entrant, place as i64), || {
            // By number: a name is looked for among all of them, for each of every row.
            insert.execute(params![
                entrant,
                place,
                game_case,
                attempt,
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
            ])
        })
    }

    fn case_row(&self, case: &CaseSpec, input: Option<&Digest>) -> rusqlite::Result<i64> {
        let (seed, file) = match &case.source {
            CaseSource::Seed(seed) => (Some(seed.to_string()), None),
            CaseSource::File(path) => {
                (None, Some(std::path::absolute(self.here.join(path)).unwrap_or_else(|_| path.clone())))
            }
        };
        let file = file.map(|path| path.to_string_lossy().into_owned());
        let key = CaseKey {
            problem: self.problem,
            checker: &self.checker.name,
            version: self.checker.version,
            name: &case.name.0,
            input: input.map_or(&[][..], |digest| &digest.0),
        };
        case_id(self.connection, &key, seed, file)
    }

    /// The row of the answer: a new one, or that of the result that was looked up.
    fn answer_row(&self, finished: &FinishedJob) -> rusqlite::Result<Option<i64>> {
        if let Some(stored) = finished.evidence.stored {
            return self
                .connection
                .prepare_cached("SELECT answer FROM result WHERE entrant = ?1 AND place = ?2")?
                .query_row(params![stored.entrant, stored.place], |row| row.get(0))
                .optional()
                .map(Option::flatten);
        }
        match &finished.evidence.answer {
            Some(answer) if self.retention != Retention::UpTo(Bytes(0)) => {
                answers::store(self.connection, self.rows.run, answer)
            }
            _ => Ok(None),
        }
    }
}

/// What makes two cases the same.
pub(super) struct CaseKey<'a> {
    pub(super) problem: &'a str,
    pub(super) checker: &'a str,
    pub(super) version: u32,
    pub(super) name: &'a str,
    /// The hash of the input; empty where it could not be read.
    pub(super) input: &'a [u8],
}

/// Returns the row of a case and its file, if it is known.
pub(super) fn find_case(connection: &Connection, key: &CaseKey<'_>) -> rusqlite::Result<Option<(i64, Option<String>)>> {
    let CaseKey { problem, checker, version, name, input } = key;
    connection
        .prepare_cached(
            "SELECT id, file FROM game_case
             WHERE problem = ?1 AND checker = ?2 AND checker_version = ?3 AND name = ?4 AND input = ?5",
        )?
        .query_row(params![problem, checker, version, name, input], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()
}

/// Returns the row of a case, a new one if it is not known yet. Where its input comes from is what was said last.
pub(super) fn case_id(
    connection: &Connection,
    key: &CaseKey<'_>,
    seed: Option<String>,
    file: Option<String>,
) -> rusqlite::Result<i64> {
    if let Some((id, known_file)) = find_case(connection, key)? {
        if known_file != file {
            connection
                .prepare_cached("UPDATE game_case SET seed = ?2, file = ?3 WHERE id = ?1")?
                .execute(params![id, seed, file])?;
        }
        return Ok(id);
    }
    let CaseKey { problem, checker, version, name, input } = key;
    connection
        .prepare_cached(
            "INSERT INTO game_case (problem, checker, checker_version, name, input, seed, file)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute(params![problem, checker, version, name, input, seed, file])?;
    Ok(connection.last_insert_rowid())
}
