//! A whole run as it was recorded.

use super::history::RunState;
use super::{Journal, JournalError};
use crate::model::{Bytes, CaseName, CaseSource, CaseSpec, Digest, Limits, Outcome, Time, Verdict};
use checkers::Score;
use rusqlite::{OptionalExtension, Row};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// The number of a run in its journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(pub i64);

impl fmt::Display for RunId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// A run as the user names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunChoice {
    /// By its number.
    Number(RunId),
    /// `last`: the newest one.
    Last,
}

impl FromStr for RunChoice {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "last" => Ok(Self::Last),
            _ if text.bytes().all(|byte| byte.is_ascii_digit()) => {
                text.parse().map(|number| Self::Number(RunId(number))).map_err(|_| RUN_EXPECTED)
            }
            _ => Err(RUN_EXPECTED),
        }
    }
}

const RUN_EXPECTED: &str = "expected the number of a run, as in `judge history`, or `last`";

/// A whole run as it was recorded.
#[derive(Debug, Clone)]
pub struct StoredRun {
    /// Its number.
    pub id: RunId,
    /// When it started, in UTC, as ISO 8601 writes it.
    pub started: String,
    /// How far it came.
    pub state: RunState,
    /// How long it took.
    pub elapsed: Duration,
    /// The command line.
    pub command: String,
    /// The problem's id.
    pub problem: String,
    /// The checker's name, or the command of the user's with the hash of its files.
    pub checker: String,
    /// The checker's version; 0 for a command of the user's.
    pub checker_version: u32,
    /// What a solver was allowed to use.
    pub limits: Limits,
    /// The variables that the user gave.
    pub environment: String,
    /// How many cases were planned.
    pub case_count: usize,
    /// How many solvers ran at once.
    pub jobs: usize,
    /// The sandbox's tier.
    pub tier: String,
    /// The machine's name.
    pub host: String,
    /// The kernel's release.
    pub kernel: String,
    /// The processor.
    pub cpu_model: String,
    /// The commit that was checked out.
    pub git_commit: Option<String>,
    /// Whether tracked files differed from it.
    pub git_dirty: Option<bool>,
    /// The judge's version.
    pub judge: String,
    /// The solvers, in the order of the run.
    pub entrants: Vec<StoredEntrant>,
    /// The cases that at least one solver finished, in the order of the run.
    pub cases: Vec<StoredCase>,
}

/// A solver of a recorded run.
#[derive(Debug, Clone)]
pub struct StoredEntrant {
    /// Its name.
    pub name: String,
    /// What the user named.
    pub command: String,
    /// Hash of its content.
    pub hash: Digest,
}

/// A case of a recorded run.
#[derive(Debug, Clone)]
pub struct StoredCase {
    /// Its name, and where its input came from.
    pub spec: CaseSpec,
    /// Hash of its input; `None` where there was none to be had.
    pub input: Option<Digest>,
    /// What became of it, by solver; `None` where one did not finish it.
    pub results: Vec<Option<StoredOutcome>>,
}

/// What became of one solver on one case.
#[derive(Debug, Clone)]
pub struct StoredOutcome {
    /// The outcome.
    pub outcome: Outcome,
    /// Where the answer is kept, if it is.
    pub answer: Option<i64>,
}

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
                 git_commit, git_dirty, judge FROM run WHERE id = ?1",
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
            state: RunState::of(&row.get::<_, String>(1)?, &self.folder, id),
            elapsed: time(row, 2)?.unwrap_or_default(),
            command: row.get(3)?,
            problem: row.get(4)?,
            checker: row.get(5)?,
            checker_version: row.get(6)?,
            limits: Limits {
                cpu: Time(time(row, 7)?.unwrap_or_default()),
                wall: Time(time(row, 8)?.unwrap_or_default()),
                memory: Bytes(row.get(9)?),
                output: Bytes(row.get(10)?),
                processes: row.get(11)?,
            },
            environment: row.get(12)?,
            case_count: row.get(13)?,
            jobs: row.get(14)?,
            tier: row.get(15)?,
            host: row.get(16)?,
            kernel: row.get(17)?,
            cpu_model: row.get(18)?,
            git_commit: row.get(19)?,
            git_dirty: row.get(20)?,
            judge: row.get(21)?,
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
                 verdict, score, cpu_us, wall_us, memory, noisy, note, stderr
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

/// Reads an outcome from the eight columns verdict, score, cpu_us, wall_us, memory, noisy, note, stderr.
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
    })
}

/// Reads a score from its digits.
pub(super) fn read_score(text: &str) -> Result<Score, JournalError> {
    text.parse().map_err(|_| JournalError::Damaged(format!("`{text}` is no score")))
}

fn time(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Duration>> {
    Ok(row.get::<_, Option<i64>>(column)?.map(|time| Duration::from_micros(time.unsigned_abs())))
}
