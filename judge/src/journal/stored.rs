//! Reads a whole run as it was recorded.

use super::columns::{limits, named, time};
use super::history::run_state;
use super::{Journal, JournalError};
use crate::model::{
    BrokenRule, CaseName, CaseSource, CaseSpec, CheckerIdentity, Digest, Outcome, RunChoice, RunId, StoredCase,
    StoredEntrant, StoredOutcome, StoredRun, Verdict,
};
use checkers::Score;
use rusqlite::{OptionalExtension, Row};
use std::path::PathBuf;

impl Journal {
    /// Returns the number of the run that the user means.
    ///
    /// # Errors
    /// When there is no such run, or the journal cannot be read.
    pub fn choose(&self, choice: RunChoice) -> Result<RunId, JournalError> {
        match choice {
            RunChoice::Number(run) => Ok(run),
            RunChoice::Last => {
                let last: Option<i64> = self.connection.query_row("SELECT max(id) FROM run", [], |row| row.get(0))?;
                last.map(RunId).ok_or(JournalError::NoRunYet)
            }
        }
    }

    /// Returns a whole run.
    ///
    /// # Errors
    /// When there is no such run, or the journal cannot be read.
    pub fn stored_run(&self, id: RunId) -> Result<StoredRun, JournalError> {
        let mut statement = self.connection.prepare(
            "SELECT started, state, elapsed_us, command, problem, checker, checker_version, cpu_limit_us, wall_limit_us,
                 memory_limit, output_limit, process_limit, environment, case_count, jobs, tier, host, kernel, cpu_model,
                 git_commit, git_dirty, judge, message FROM run WHERE id = ?1",
        )?;
        let run = statement.query_row([id.0], |row| self.read_run(id, row)).optional()?;
        let mut run = run.ok_or(JournalError::NoRun(id))?;
        run.entrants = self.stored_entrants(id)?;
        run.cases = self.stored_cases(id, run.entrants.len())?;
        Ok(run)
    }

    fn read_run(&self, id: RunId, row: &Row<'_>) -> rusqlite::Result<StoredRun> {
        Ok(StoredRun {
            id,
            started: row.get(0)?,
            state: run_state(&row.get::<_, String>(1)?, &self.folder, id),
            elapsed: time(row, 2)?.unwrap_or_default(),
            command: row.get(3)?,
            problem: row.get(4)?,
            checker: CheckerIdentity { name: row.get(5)?, version: row.get(6)? },
            limits: limits(row, 7)?,
            environment: row.get(12)?,
            case_count: row.get(13)?,
            jobs: row.get(14)?,
            tier: named(row, 15)?,
            host: row.get(16)?,
            kernel: row.get(17)?,
            cpu_model: row.get(18)?,
            git_commit: row.get(19)?,
            git_dirty: row.get(20)?,
            judge: row.get(21)?,
            message: row.get(22)?,
            entrants: Vec::new(),
            cases: Vec::new(),
        })
    }

    fn stored_entrants(&self, run: RunId) -> Result<Vec<StoredEntrant>, JournalError> {
        let mut statement =
            self.connection.prepare("SELECT name, command, hash FROM entrant WHERE run = ?1 ORDER BY place")?;
        let entrants = statement.query_map([run.0], |row| {
            Ok(StoredEntrant { name: row.get(0)?, command: row.get(1)?, hash: Digest(row.get(2)?) })
        })?;
        Ok(entrants.collect::<Result<_, _>>()?)
    }

    fn stored_cases(&self, run: RunId, solvers: usize) -> Result<Vec<StoredCase>, JournalError> {
        let mut statement = self.connection.prepare(
            "SELECT result.place, entrant.place, game_case.name, input, seed, file, answer,
                 verdict, score, cpu_us, wall_us, memory, noisy, note, stderr, broken_line,
                 broken_column, broken_move, broken_rule
             FROM entrant JOIN result ON result.entrant = entrant.id JOIN game_case ON game_case.id = result.game_case
             WHERE entrant.run = ?1 ORDER BY result.place, entrant.place",
        )?;
        let mut rows = statement.query([run.0])?;
        let mut cases: Vec<StoredCase> = Vec::new();
        let mut last_place = None;
        while let Some(row) = rows.next()? {
            let place: i64 = row.get(0)?;
            if last_place.replace(place) != Some(place) {
                cases.push(read_case(row, solvers)?);
            }
            let stored = StoredOutcome { outcome: read_outcome(row, 7)?, answer: row.get(6)? };
            let solver: usize = row.get(1)?;
            if let Some(slot) = cases.last_mut().and_then(|case| case.results.get_mut(solver)) {
                *slot = Some(stored);
            }
        }
        Ok(cases)
    }
}

fn read_case(row: &Row<'_>, solvers: usize) -> Result<StoredCase, JournalError> {
    let name: String = row.get(2)?;
    let (seed, file): (Option<String>, Option<String>) = (row.get(4)?, row.get(5)?);
    let source = match (seed.map(|seed| seed.parse()), file) {
        (Some(Ok(seed)), _) => CaseSource::Seed(seed),
        (None, Some(file)) => CaseSource::File(PathBuf::from(file)),
        _ => return Err(JournalError::Damaged(format!("the case `{name}` has neither a seed nor a file"))),
    };
    let spec = CaseSpec::new(CaseName::from(&*name), source);
    Ok(StoredCase { spec, input: input(row, 3)?, results: vec![None; solvers] })
}

/// Where no input could be had, the stored hash is empty.
fn input(row: &Row<'_>, column: usize) -> Result<Option<Digest>, JournalError> {
    let bytes: Vec<u8> = row.get(column)?;
    match <[u8; 32]>::try_from(bytes) {
        Ok(hash) => Ok(Some(Digest(hash))),
        Err(bytes) if bytes.is_empty() => Ok(None),
        Err(bytes) => Err(JournalError::Damaged(format!("a hash of {} bytes", bytes.len()))),
    }
}

/// Reads an outcome from the twelve columns verdict, score, cpu_us, wall_us, memory, noisy, note, stderr, broken_line,
/// broken_column, broken_move, broken_rule.
pub(super) fn read_outcome(row: &Row<'_>, first: usize) -> Result<Outcome, JournalError> {
    let verdict: String = row.get(first)?;
    let score: Option<String> = row.get(first + 1)?;
    Ok(Outcome {
        verdict: Verdict::from_name(&verdict)
            .ok_or_else(|| JournalError::Damaged(format!("there is no verdict `{verdict}`")))?,
        score: score.as_deref().map(read_score).transpose()?,
        cpu: time(row, first + 2)?,
        wall: time(row, first + 3)?,
        memory: row.get(first + 4)?,
        noisy: row.get(first + 5)?,
        note: row.get(first + 6)?,
        stderr: row.get(first + 7)?,
        broken: BrokenRule {
            line: row.get(first + 8)?,
            column: row.get(first + 9)?,
            step: row.get(first + 10)?,
            rule: row.get(first + 11)?,
        },
    })
}

/// Reads a score from its digits.
pub(super) fn read_score(text: &str) -> Result<Score, JournalError> {
    text.parse().map_err(|_| JournalError::Damaged(format!("`{text}` is no score")))
}
