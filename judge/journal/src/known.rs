//! Earlier results that still hold: same solver, same input, same conditions.

use super::JournalError;
use super::faults::says_nothing_of_the_solver;
use super::nodes::nodes;
use super::stored::{OUTCOME, read_outcome};
use judge_problem::plan::Plan;
use judge_problem::{CaseList, Digest, JobId, KnownOutcome, Node, NodeList, Repetitions, RunId, StoredResult};
use rusqlite::{Connection, Params, Row, params};
use std::collections::HashMap;

/// Earlier results that still hold, by what they are results of.
#[derive(Debug, Default)]
pub struct Known {
    results: HashMap<Key, KnownOutcome>,
    /// Those of the run itself, which goes on, with their inputs. They were found to be the same today.
    kept: HashMap<JobId, (KnownOutcome, Digest)>,
    /// The machines of a cluster that they were found on.
    nodes: NodeList,
    /// Which repetition of its input a case is: a repeated case is measured anew, not looked up.
    attempts: Repetitions,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Key {
    solver: usize,
    input: Digest,
    attempt: u32,
}

const KEY: &str = "result.entrant, result.place, game_case.input, attempt";

impl Known {
    /// Knows nothing yet of the cases of this plan.
    #[must_use]
    pub fn of(plan: &Plan) -> Self {
        Self { attempts: plan.cases.repetitions(), ..Self::default() }
    }

    /// Adds the cases that a run has grown by; `cases` are all of them.
    pub fn grow(&mut self, cases: &CaseList) {
        self.attempts = cases.repetitions();
    }

    /// Returns how many results there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.results.len() + self.kept.len()
    }

    /// Returns whether there is nothing to look up.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.results.is_empty() && self.kept.is_empty()
    }

    /// Returns the result that the run has of this job, and its input.
    #[must_use]
    pub fn kept(&self, job: JobId) -> Option<(KnownOutcome, Digest)> {
        self.kept.get(&job).cloned()
    }

    /// Returns the result of this job on this input, if there is one.
    #[must_use]
    pub fn lookup(&self, job: JobId, input: &Digest) -> Option<KnownOutcome> {
        if let Some((known, _)) = self.kept.get(&job) {
            return Some(known.clone());
        }
        let key = Key { solver: job.solver, input: *input, attempt: self.attempts.at(job.case) };
        self.results.get(&key).cloned()
    }

    /// Returns the machine that a result names.
    #[must_use]
    pub fn node(&self, name: &str) -> Option<&Node> {
        self.nodes.get(name)
    }

    /// Keeps the results of one solver of the run itself.
    pub(super) fn keep_entrant(
        &mut self,
        connection: &Connection,
        solver: usize,
        entrant: i64,
    ) -> Result<(), JournalError> {
        self.read_rows(connection, entrant, &of_entrant(), params![entrant], |known, row, outcome| {
            let job = JobId { case: row.get(1)?, solver };
            known.kept.insert(job, (outcome, Digest(row.get(2)?)));
            Ok(())
        })
    }

    /// Adds the results of one solver's row in a run.
    pub(super) fn add_entrant(
        &mut self,
        connection: &Connection,
        solver: usize,
        entrant: i64,
    ) -> Result<(), JournalError> {
        self.add_rows(connection, solver, entrant, &of_entrant(), params![entrant])
    }

    fn add_rows(
        &mut self,
        connection: &Connection,
        solver: usize,
        entrant: i64,
        sql: &str,
        parameters: impl Params,
    ) -> Result<(), JournalError> {
        self.read_rows(connection, entrant, sql, parameters, |known, row, outcome| {
            let key = Key { solver, input: Digest(row.get(2)?), attempt: row.get(3)? };
            known.results.insert(key, outcome);
            Ok(())
        })
    }

    /// Passes the results of a solver's row on that say something of the solver.
    fn read_rows(
        &mut self,
        connection: &Connection,
        entrant: i64,
        sql: &str,
        parameters: impl Params,
        add: impl Fn(&mut Self, &Row<'_>, KnownOutcome) -> rusqlite::Result<()>,
    ) -> Result<(), JournalError> {
        let run = connection
            .prepare_cached("SELECT run FROM entrant WHERE id = ?1")?
            .query_row([entrant], |row| row.get(0).map(RunId))?;
        // Nodes of different runs may have the same name.
        let nodes = nodes(connection, run)?.into_iter().map(|node| (node.name.clone(), self.nodes.add(node)));
        let names: HashMap<String, String> = nodes.collect();
        let mut statement = connection.prepare_cached(sql)?;
        let mut rows = statement.query(parameters)?;
        while let Some(row) = rows.next()? {
            let mut outcome = read_outcome(row, 4)?;
            outcome.node = outcome.node.and_then(|name| names.get(&name).cloned());
            if !says_nothing_of_the_solver(outcome.verdict) {
                let stored = StoredResult { entrant: row.get(0)?, place: row.get(1)? };
                add(self, row, KnownOutcome { outcome, stored })?;
            }
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
            "SELECT DISTINCT run.id, entrant.id FROM run JOIN entrant ON entrant.run = run.id
                 LEFT JOIN origin ON origin.run = run.id
             WHERE (run.conditions = ?1 OR origin.conditions = ?1) AND entrant.hash = ?2 ORDER BY run.id",
        )?;
        let entrants: Vec<i64> =
            statement.query_map([conditions.0, hash.0], |row| row.get(1))?.collect::<Result<_, _>>()?;
        // Of a run on several machines, only the results of those that are like this one.
        let sql = format!(
            "SELECT {KEY}, {OUTCOME} FROM result JOIN game_case ON game_case.id = result.game_case
                 JOIN entrant ON entrant.id = result.entrant JOIN run ON run.id = entrant.run
                 LEFT JOIN origin ON origin.id = result.origin
             WHERE result.entrant = ?1 AND coalesce(origin.conditions, run.conditions) = ?2
                 AND length(game_case.input) = 32"
        );
        entrants
            .into_iter()
            .try_for_each(|entrant| self.add_rows(connection, solver, entrant, &sql, params![entrant, conditions.0]))
    }
}

/// Selects the results of one solver's row.
fn of_entrant() -> String {
    format!(
        "SELECT {KEY}, {OUTCOME} FROM result JOIN game_case ON game_case.id = result.game_case
         WHERE result.entrant = ?1 AND length(game_case.input) = 32"
    )
}
