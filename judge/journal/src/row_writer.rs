//! Writes the rows of one commit: the results of finished cases, with their cases and answers.

use super::answers;
use super::begin::Rows;
use super::best_result::{self, Replaced};
use super::columns::microseconds;
use super::key::SameGame;
use super::rank::rank;
use judge_problem::{
    Bytes, CaseSource, CaseSpec, CheckerIdentity, Digest, FinishedJob, JobId, Outcome, Retention, RunId,
    StoredFeatures, StoredResult,
};
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Writes the rows of one commit.
pub(super) struct RowWriter<'a> {
    pub(super) connection: &'a Connection,
    pub(super) rows: &'a Rows,
    pub(super) problem: &'a str,
    pub(super) checker: &'a CheckerIdentity,
    pub(super) origins: &'a Origins,
    pub(super) retention: Retention,
    /// The word for the rules that features are found by.
    pub(super) feature_rules: &'a str,
    /// The current folder: to ask for it for each file takes longer than all else about its path.
    pub(super) here: PathBuf,
}

impl RowWriter<'_> {
    /// Writes the result of a job of the run. A finished result is never replaced, only one that says nothing of the solver.
    /// Returns the case that lost its best result by that.
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
        let game_case = self.case_row(case, finished)?;
        let (answer, origin) = match finished.evidence.stored {
            Some(stored) => self.of_stored(stored)?,
            None => (self.answer_row(finished)?, None),
        };
        let Outcome { verdict, score, note, broken, stderr, cpu, wall, memory, noisy, waited, node } =
            &finished.outcome;
        let rank = score.as_ref().map(rank);
        let mut insert = self.connection.prepare_cached(
            "INSERT INTO result (entrant, place, game_case, attempt, verdict, score, rank, cpu_us, wall_us, memory, noisy,
                 note, stderr, answer, broken_line, broken_column, broken_move, broken_rule, node, origin, waited_us)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21)
             ON CONFLICT DO NOTHING",
        )?;
        let key = (entrant, place as i64);
        best_result::write(self.connection, game_case, rank.as_deref(), key, Replaced::Faults, || {
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
                origin,
                waited.map(microseconds),
            ])
        })
    }

    fn case_row(&self, case: &CaseSpec, finished: &FinishedJob) -> rusqlite::Result<i64> {
        let (seed, file) = match &case.source {
            CaseSource::Seed(seed) => (Some(seed.to_string()), None),
            CaseSource::File(path) => {
                (None, Some(std::path::absolute(self.here.join(path)).unwrap_or_else(|_| path.clone())))
            }
        };
        let file = file.map(|path| path.to_string_lossy().into_owned());
        let key = SameGame {
            problem: self.problem,
            checker: &self.checker.name,
            version: self.checker.version,
            name: &case.name.0,
            input: finished.evidence.input.as_ref().map_or(&[][..], |digest| &digest.0),
        };
        let features = finished.features.as_ref();
        let features = features.and_then(|features| StoredFeatures::new(self.feature_rules, features));
        let known = CaseFacts { seed, file, features: features.map(|features| features.line().to_owned()) };
        case_id(self.connection, &key, known)
    }

    /// Returns the answer of a result that was looked up, and the run on another machine that it is of.
    fn of_stored(&self, stored: StoredResult) -> rusqlite::Result<(Option<i64>, Option<i64>)> {
        let found = self
            .connection
            .prepare_cached("SELECT answer, origin FROM result WHERE entrant = ?1 AND place = ?2")?
            .query_row(params![stored.entrant, stored.place], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let (answer, origin) = found.unwrap_or_default();
        Ok((answer, self.origins.get(stored.entrant, origin)))
    }

    /// Returns the row of a new answer, if it is kept.
    fn answer_row(&self, finished: &FinishedJob) -> rusqlite::Result<Option<i64>> {
        match &finished.evidence.answer {
            Some(answer) if self.retention != Retention::UpTo(Bytes(0)) => {
                answers::store(self.connection, self.rows.run, answer)
            }
            _ => Ok(None),
        }
    }
}

/// Where results are from that are taken of earlier runs on other machines: by the row of the solver there and the origin
/// there, the origin here.
#[derive(Debug, Default)]
pub(super) struct Origins(HashMap<(i64, Option<i64>), i64>);

impl Origins {
    fn get(&self, entrant: i64, origin: Option<i64>) -> Option<i64> {
        self.0.get(&(entrant, origin)).copied()
    }

    /// Notes where the results of a solver of an earlier run are from, if their conditions are others than those of this run.
    pub(super) fn take(
        &mut self,
        connection: &Connection,
        (to, conditions): (RunId, Digest),
        from: RunId,
        entrant: i64,
        journal: &Path,
    ) -> rusqlite::Result<()> {
        let columns = "uid, started, elapsed_us, command, conditions, shard, shards, played, jobs, tier, host, kernel,
            cpu_model, judge";
        let sources = format!(
            "SELECT NULL AS id, iif(state = 'open', 'killed', state) AS state, {columns} FROM run WHERE id = ?1
             UNION ALL SELECT id, state, {columns} FROM origin WHERE run = ?1"
        );
        let mut statement = connection.prepare(&format!("SELECT id, uid FROM ({sources}) WHERE conditions <> ?2"))?;
        let found = statement.query_map(params![from.0, conditions.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
        for source in found.collect::<Result<Vec<(Option<i64>, Vec<u8>)>, _>>()? {
            let (id, uid) = source;
            connection.execute(
                &format!(
                    "INSERT INTO origin (run, results, file, state, {columns}) SELECT ?3,
                         (SELECT count(*) FROM result JOIN entrant ON entrant.id = entrant WHERE run = ?1 AND origin IS ?4),
                         ?5, state, {columns}
                     FROM ({sources}) WHERE uid = ?2 ON CONFLICT DO NOTHING"
                ),
                params![from.0, uid, to.0, id, journal.to_string_lossy()],
            )?;
            let origin = "SELECT id FROM origin WHERE run = ?1 AND uid = ?2";
            let origin = connection.query_row(origin, params![to.0, uid], |row| row.get(0))?;
            self.0.insert((entrant, id), origin);
        }
        Ok(())
    }
}

/// What is known of a case, beside what makes it the same.
pub(super) struct CaseFacts {
    pub(super) seed: Option<String>,
    pub(super) file: Option<String>,
    /// Its features, as they are stored; `None` where they are not known.
    pub(super) features: Option<String>,
}

/// A case that the journal has.
pub(super) struct KnownCase {
    /// Its row.
    pub(super) id: i64,
    file: Option<String>,
    features: Option<String>,
}

/// Returns a case, if the journal has it.
pub(super) fn find_case(connection: &Connection, key: &SameGame<'_>) -> rusqlite::Result<Option<KnownCase>> {
    let SameGame { problem, checker, version, name, input } = key;
    connection
        .prepare_cached(
            "SELECT id, file, features FROM game_case
             WHERE problem = ?1 AND checker = ?2 AND checker_version = ?3 AND name = ?4 AND input = ?5",
        )?
        .query_row(params![problem, checker, version, name, input], |row| {
            Ok(KnownCase { id: row.get(0)?, file: row.get(1)?, features: row.get(2)? })
        })
        .optional()
}

/// Returns the row of a case, a new one if it is not known yet. Where its input comes from is what was said last, and so are its
/// features.
pub(super) fn case_id(connection: &Connection, key: &SameGame<'_>, facts: CaseFacts) -> rusqlite::Result<i64> {
    let CaseFacts { seed, file, features } = facts;
    if let Some(known) = find_case(connection, key)? {
        let id = known.id;
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
