//! Reads a whole run as it was recorded.

use super::columns::{count, limits, named, read_score, time};
use super::error::shortened;
use super::history::{run_state, settled};
use super::origins::OriginMachines;
use super::{Journal, JournalError, Reference};
use judge_problem::{
    BrokenRule, CaseName, CaseSource, CaseSpec, CheckerIdentity, Digest, Labels, NodeList, Outcome, RunChoice, RunId,
    RunState, StoredCase, StoredCases, StoredEntrant, StoredFeatures, StoredOutcome, StoredRun, Verdict,
};
use rusqlite::fallible_streaming_iterator::FallibleStreamingIterator;
use rusqlite::{OptionalExtension, Row, Rows};
use std::path::PathBuf;

impl Journal {
    /// Returns the number of the run that the user means.
    ///
    /// # Errors
    /// When there is no such run, or the journal cannot be read.
    pub fn choose(&self, choice: RunChoice) -> Result<RunId, JournalError> {
        match choice {
            RunChoice::Number(run) => Ok(run),
            RunChoice::Last => self.newest()?.ok_or(JournalError::NoRunYet),
        }
    }

    /// Returns the newest run; `None` if there is none yet.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn newest(&self) -> Result<Option<RunId>, JournalError> {
        let newest: Option<i64> = self.connection.query_row("SELECT max(id) FROM run", [], |row| row.get(0))?;
        Ok(newest.map(RunId))
    }

    /// Returns a whole run.
    ///
    /// # Errors
    /// When there is no such run, or the journal cannot be read.
    pub fn stored_run(&self, id: RunId) -> Result<StoredRun, JournalError> {
        let mut run = self.stored_head(id)?;
        let reference = self.reference(id)?;
        run.cases = self.stored_cases(&mut run, reference.as_ref())?;
        run.reference = reference.map(|reference| reference.source);
        Ok(run)
    }

    /// Returns a run without its cases.
    pub(super) fn stored_head(&self, id: RunId) -> Result<StoredRun, JournalError> {
        let mut statement = self.connection.prepare(
            "SELECT started, state, elapsed_us, command, problem, checker, checker_version, cpu_limit_us, wall_limit_us,
                 memory_limit, output_limit, process_limit, environment, case_count, jobs, tier, host, kernel, cpu_model,
                 git_commit, git_dirty, judge, message FROM run WHERE id = ?1",
        )?;
        let run = settled(
            || statement.query_row([id.0], |row| self.read_run(id, row)).optional(),
            |run| run.as_ref().is_some_and(|run| run.state == RunState::Killed),
        )?;
        let mut run = run.ok_or(JournalError::NoRun(id))?;
        run.labels = self.labels(id)?;
        run.origins = self.origins(id)?;
        run.entrants = self.stored_entrants(id)?;
        run.nodes = super::nodes::nodes(&self.connection, id)?.into_iter().collect();
        Ok(run)
    }

    fn read_run(&self, id: RunId, row: &Row<'_>) -> rusqlite::Result<StoredRun> {
        Ok(StoredRun {
            id,
            started: row.get(0)?,
            state: run_state(&row.get::<_, String>(1)?, &self.locks, id),
            detached: None,
            elapsed: time(row, 2)?.unwrap_or_default(),
            command: row.get(3)?,
            problem: row.get(4)?,
            checker: CheckerIdentity { name: row.get(5)?, version: row.get(6)? },
            limits: limits(row, 7)?,
            environment: row.get(12)?,
            case_count: count(row, 13)?,
            jobs: count(row, 14)?,
            tier: named(row, 15)?,
            host: row.get(16)?,
            kernel: row.get(17)?,
            cpu_model: row.get(18)?,
            git_commit: row.get(19)?,
            git_dirty: row.get(20)?,
            judge: row.get(21)?,
            message: row.get(22)?,
            labels: Labels::default(),
            origins: Vec::new(),
            nodes: NodeList::default(),
            reference: None,
            entrants: Vec::new(),
            cases: StoredCases::default(),
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

    /// The results of each solver come in the order of the cases, as they are stored: several are merged, and none sorted.
    fn stored_cases(&self, run: &mut StoredRun, reference: Option<&Reference>) -> Result<StoredCases, JournalError> {
        let (id, solvers) = (run.id, run.entrants.len());
        let mut machines = OriginMachines::of(&self.connection, id, &mut run.nodes)?;
        let mut statement = self.connection.prepare("SELECT id FROM entrant WHERE run = ?1 ORDER BY place")?;
        let entrants = statement.query_map([id.0], |row| row.get(0))?.collect::<Result<Vec<i64>, _>>()?;
        let prepare = |_: &i64| {
            self.connection.prepare(&format!(
                "SELECT place, name, input, seed, file, features, answer, origin, {OUTCOME}
                 FROM result CROSS JOIN game_case ON game_case.id = result.game_case
                 WHERE entrant = ?1 ORDER BY place",
            ))
        };
        let mut statements = entrants.iter().map(prepare).collect::<Result<Vec<_>, _>>()?;
        let mut results = Vec::new();
        for (statement, entrant) in statements.iter_mut().zip(&entrants) {
            let mut rows = statement.query([entrant])?;
            rows.advance()?;
            results.push(rows);
        }
        let mut cases = StoredCases::new(solvers);
        while let Some(place) = first_place(&results)? {
            let best = reference.zip(usize::try_from(place).ok()).and_then(|(reference, place)| reference.at(place));
            let mut case: Option<StoredCase> = None;
            for (solver, rows) in results.iter_mut().enumerate() {
                let Some(row) = rows.get() else { continue };
                if row.get::<_, i64>(0)? != place {
                    continue;
                }
                let case = match &mut case {
                    Some(case) => case,
                    None => case.insert(read_case(row, solvers)?),
                };
                let mut outcome = read_outcome(row, 8)?;
                if outcome.node.is_none() {
                    outcome.node = machines.name(row.get(7)?);
                }
                case.results[solver] = Some(StoredOutcome { outcome, answer: row.get(6)? });
                rows.advance()?;
            }
            if let Some(case) = case {
                cases.push(StoredCase { spec: CaseSpec { best, ..case.spec }, ..case });
            }
        }
        Ok(cases)
    }
}

/// Returns the lowest place among the next results of all solvers.
fn first_place(results: &[Rows<'_>]) -> Result<Option<i64>, JournalError> {
    let places = results.iter().filter_map(Rows::get).map(|row| row.get(0));
    Ok(places.collect::<Result<Vec<i64>, _>>()?.into_iter().min())
}

fn read_case(row: &Row<'_>, solvers: usize) -> Result<StoredCase, JournalError> {
    let name: String = row.get(1)?;
    let (seed, file): (Option<String>, Option<String>) = (row.get(3)?, row.get(4)?);
    let source = match (seed.map(|seed| seed.parse()), file) {
        (Some(Ok(seed)), _) => CaseSource::Seed(seed),
        (None, Some(file)) => CaseSource::File(PathBuf::from(file)),
        _ => {
            return Err(JournalError::Damaged(format!(
                "the case `{}` has neither a seed nor a file",
                shortened(&name)
            )));
        }
    };
    let spec = CaseSpec::new(CaseName::from(&*name), source);
    let features = row.get_ref(5)?.as_str_or_null().map_err(rusqlite::Error::from)?.and_then(StoredFeatures::from_line);
    Ok(StoredCase { spec, input: input(row, 2)?, features, results: vec![None; solvers] })
}

/// The stored hash is empty where there was no input.
fn input(row: &Row<'_>, column: usize) -> Result<Option<Digest>, JournalError> {
    let bytes: Vec<u8> = row.get(column)?;
    match <[u8; 32]>::try_from(bytes) {
        Ok(hash) => Ok(Some(Digest(hash))),
        Err(bytes) if bytes.is_empty() => Ok(None),
        Err(bytes) => Err(JournalError::Damaged(format!("a hash of {} bytes", bytes.len()))),
    }
}

/// The columns of an outcome.
pub(super) const OUTCOME: &str = "result.verdict, result.score, result.cpu_us, result.wall_us, result.memory, result.noisy,
    result.note, result.stderr, result.broken_line, result.broken_column, result.broken_move, result.broken_rule, result.node,
    result.waited_us";

/// Reads the columns of an [`OUTCOME`], of which this is the first.
pub(super) fn read_outcome(row: &Row<'_>, first: usize) -> Result<Outcome, JournalError> {
    let verdict: String = row.get(first)?;
    let score: Option<String> = row.get(first + 1)?;
    Ok(Outcome {
        verdict: Verdict::from_name(&verdict)
            .ok_or_else(|| JournalError::Damaged(format!("there is no verdict `{}`", shortened(&verdict))))?,
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
        node: row.get(first + 12)?,
        waited: time(row, first + 13)?,
    })
}
