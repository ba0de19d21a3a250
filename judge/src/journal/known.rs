//! Earlier results that still hold: same solver, same input, same conditions.

use super::JournalError;
use super::stored::read_outcome;
use crate::model::{CaseSource, CaseSpec, Digest, JobId, KnownOutcome, StoredResult, Verdict};
use crate::plan::Plan;
use rusqlite::{Connection, Row};
use std::collections::HashMap;

/// Earlier results that still hold, by what they are results of.
#[derive(Debug, Default)]
pub struct Known {
    results: HashMap<Key, KnownOutcome>,
    /// By case: which repetition of its input it is.
    attempts: Vec<u32>,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Key {
    solver: usize,
    input: Digest,
    attempt: u32,
}

const COLUMNS: &str = "result.entrant, result.place, game_case.input, attempt, verdict, score, cpu_us, wall_us, memory,
    noisy, note, stderr, broken_line, broken_column, broken_move, broken_rule";

impl Known {
    /// Knows nothing yet of the cases of this plan.
    #[must_use]
    pub fn of(plan: &Plan) -> Self {
        Self { results: HashMap::new(), attempts: attempts(&plan.cases) }
    }

    /// Adds the cases that a run has grown by; `cases` are all of them.
    pub fn grow(&mut self, cases: &[CaseSpec]) {
        self.attempts = attempts(cases);
    }

    /// Returns how many results there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.results.len()
    }

    /// Returns whether there is nothing to look up.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.results.is_empty()
    }

    /// Returns the result of this job on this input, if there is one.
    #[must_use]
    pub fn lookup(&self, job: JobId, input: &Digest) -> Option<KnownOutcome> {
        let key = Key { solver: job.solver, input: *input, attempt: self.attempts[job.case] };
        self.results.get(&key).cloned()
    }

    /// Adds the results of one solver's row in a run.
    pub(super) fn add_entrant(
        &mut self,
        connection: &Connection,
        solver: usize,
        entrant: i64,
    ) -> Result<(), JournalError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM result JOIN game_case ON game_case.id = result.game_case
             WHERE result.entrant = ?1 AND length(game_case.input) = 32"
        );
        let mut statement = connection.prepare(&sql)?;
        let mut rows = statement.query([entrant])?;
        while let Some(row) = rows.next()? {
            self.add_row(solver, row)?;
        }
        Ok(())
    }

    /// Adds the results that a solver of this content had in any run under these conditions, the newest last.
    pub(super) fn add_earlier(
        &mut self,
        connection: &Connection,
        solver: usize,
        hash: Digest,
        conditions: Digest,
    ) -> Result<(), JournalError> {
        let mut statement = connection.prepare(
            "SELECT entrant.id FROM run JOIN entrant ON entrant.run = run.id
             WHERE run.conditions = ?1 AND entrant.hash = ?2 ORDER BY run.id",
        )?;
        let entrants: Vec<i64> =
            statement.query_map([conditions.0, hash.0], |row| row.get(0))?.collect::<Result<_, _>>()?;
        entrants.into_iter().try_for_each(|entrant| self.add_entrant(connection, solver, entrant))
    }

    fn add_row(&mut self, solver: usize, row: &Row<'_>) -> Result<(), JournalError> {
        let outcome = read_outcome(row, 4)?;
        // These say something of the judge or the machine at that time, not of the solver.
        if matches!(outcome.verdict, Verdict::JudgeError | Verdict::CannotStart | Verdict::Skipped) {
            return Ok(());
        }
        let key = Key { solver, input: Digest(row.get(2)?), attempt: row.get(3)? };
        let stored = StoredResult { entrant: row.get(0)?, place: row.get(1)? };
        self.results.insert(key, KnownOutcome { outcome, stored });
        Ok(())
    }
}

/// Returns which repetition of its input each case is: a repeated case is measured anew, not looked up.
pub(super) fn attempts(cases: &[CaseSpec]) -> Vec<u32> {
    let mut seen: HashMap<&CaseSource, u32> = HashMap::new();
    let mut next = |case| {
        let count = seen.entry(case).or_default();
        *count += 1;
        *count - 1
    };
    cases.iter().map(|case| next(&case.source)).collect()
}
