//! One case in all runs.

use super::error::JournalError;
use super::store::Journal;
use super::stored::{OUTCOME, read_outcome};
use judge_problem::{CaseResult, Digest, RunId};
use rusqlite::params;

impl Journal {
    /// Returns the results of a problem's case in all runs, the newest first and at most this many.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn results_of_case(&self, problem: &str, name: &str, newest: usize) -> Result<Vec<CaseResult>, JournalError> {
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT run.id, run.started, run.message, entrant.name, game_case.input, result.answer IS NOT NULL, {OUTCOME}
             FROM run CROSS JOIN entrant ON entrant.run = run.id CROSS JOIN result ON result.entrant = entrant.id
                 CROSS JOIN game_case ON game_case.id = result.game_case
             WHERE run.problem = ?1 AND result.game_case IN (
                 SELECT game_case.id
                 FROM (SELECT DISTINCT checker, checker_version FROM run WHERE problem = ?1) AS rules
                     CROSS JOIN game_case ON game_case.problem = ?1 AND game_case.checker = rules.checker
                         AND game_case.checker_version = rules.checker_version AND game_case.name = ?2)
             ORDER BY run.id DESC, entrant.place LIMIT ?3"
        ))?;
        let mut rows = statement.query(params![problem, name, i64::try_from(newest).unwrap_or(i64::MAX)])?;
        let mut results = Vec::new();
        while let Some(row) = rows.next()? {
            let input: Vec<u8> = row.get(4)?;
            results.push(CaseResult {
                run: RunId(row.get(0)?),
                started: row.get(1)?,
                message: row.get(2)?,
                solver: row.get(3)?,
                input: <[u8; 32]>::try_from(input).ok().map(Digest),
                has_answer: row.get(5)?,
                outcome: read_outcome(row, 6)?,
            });
        }
        Ok(results)
    }
}
