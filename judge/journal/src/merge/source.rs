//! A journal that is merged: its runs of one plan, and why they cannot be merged.

use crate::columns::{query_all, query_first};
use crate::error::{JournalError, Result};
use crate::file;
use crate::identity::SameRun;
use crate::store::Journal;
use judge_problem::{Digest, RunId, error_chain, first_of};
use rusqlite::types::Value;
use rusqlite::{Connection, Row};
use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::path::{Path, PathBuf};

/// How many cases a message names.
pub(super) const NAMED: usize = 3;

/// A journal to merge. The run in it that was played last determines its plan.
pub(super) struct Source {
    pub(super) path: PathBuf,
    pub(super) plan: SameRun,
    pub(super) key: Digest,
    /// The names of the first cases that have results, and how many have.
    pub(super) cases: (Vec<String>, usize),
    /// That run, as [`RUN`] has it, and its solvers: place, name, command and hash.
    pub(super) run: Vec<Value>,
    pub(super) entrants: Vec<Vec<Value>>,
    /// The identities of the runs in it, and of the runs that were merged into them.
    pub(super) uids: Vec<Vec<u8>>,
}

impl Source {
    /// Reads which runs a file has.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let no_journal = |why| JournalError::NoJournal { path: path.to_owned(), why };
        if path.metadata().is_ok_and(|meta| meta.is_file() && meta.len() == 0) {
            return Err(no_journal("it is empty"));
        }
        let journal = open_to_read(path).map_err(|error| match error {
            JournalError::Open { .. } if file::is_cut_off(path) => no_journal("it is cut off"),
            error => error,
        })?;
        let connection = &journal.connection;
        check_length(connection, path)?;
        let newest = "SELECT id FROM run ORDER BY turn DESC LIMIT 1";
        let newest: Option<i64> = query_first(connection, newest, [], |row| row.get(0))?;
        let unmergeable = |why| JournalError::Unmergeable { path: path.to_owned(), why };
        let newest = newest.ok_or_else(|| unmergeable("no run was recorded in it"))?;
        if let Some(source) = Self::of_run(&journal, path, newest)? {
            return Ok(source);
        }
        let is_disowned = "SELECT conditions = zeroblob(32) FROM run WHERE id = ?1";
        Err(unmergeable(match connection.query_row(is_disowned, [newest], |row| row.get(0))? {
            true => "a program was edited during its newest run, whose results may be of two versions: run it again",
            false => "its newest run is not a whole `judge run`, but a comparison or a search",
        }))
    }

    /// Returns the journal that is merged into, if it has shards of this plan as runs of its own.
    pub(super) fn of_target(target: &Journal, plan: Digest) -> Result<Option<Self>> {
        let newest = format!("SELECT max(id) FROM run WHERE {OWN_SHARDS}");
        let newest: Option<i64> = target.connection.query_row(&newest, [plan.0], |row| row.get(0))?;
        let own = newest.map(|newest| Self::of_run(target, target.path(), newest)).transpose()?.flatten();
        // The runs of the files determine the merged run.
        Ok(own.map(|own| Self { uids: Vec::new(), ..own }))
    }

    /// Reads the plan of a run, and what a journal has of it; `None` if it is no run of a whole plan.
    fn of_run(journal: &Journal, path: &Path, run: i64) -> Result<Option<Self>> {
        let connection = &journal.connection;
        let Some(plan) = SameRun::read(connection, RunId(run))? else { return Ok(None) };
        let key = plan.key();
        let stored: [u8; 32] = connection.query_row("SELECT plan FROM run WHERE id = ?1", [run], |row| row.get(0))?;
        if stored != key.0 {
            return Err(JournalError::Damaged("its newest run has the key of another run".to_owned()));
        }
        let entrants = "SELECT place, name, command, hash FROM entrant WHERE run = ?1 ORDER BY place";
        let entrants = values(connection, entrants, run)?;
        let run = values(connection, &format!("SELECT {RUN} FROM run WHERE id = ?1"), run)?.remove(0);
        let uids = "SELECT uid FROM run WHERE plan = ?1
             UNION SELECT origin.uid FROM origin JOIN run ON run.id = origin.run WHERE plan = ?1";
        let uids = query_all(connection, uids, [key.0], |row| row.get(0))?;
        // Runs that cannot be read here could not be read in the target either.
        for run in query_all(connection, "SELECT id FROM run WHERE plan = ?1", [key.0], |row| row.get(0))? {
            journal.stored_head(RunId(run))?;
        }
        let cases = cases(connection, key)?;
        Ok(Some(Self { path: path.to_owned(), plan, key, cases, run, entrants, uids }))
    }

    /// Returns the error that this file cannot be used.
    pub(super) fn unusable(&self, error: impl Into<JournalError>) -> MergeError {
        MergeError::Unusable(vec![Unusable { path: self.path.clone(), error: error.into() }])
    }
}

/// Opens a journal that is merged. One that is not there is an error.
pub(super) fn open_to_read(path: &Path) -> Result<Journal> {
    let missing = || {
        let source = path.metadata().err().unwrap_or_else(|| std::io::ErrorKind::NotFound.into());
        JournalError::File { path: path.to_owned(), source }
    };
    Journal::open_file_to_read(path)?.ok_or_else(missing)
}

/// The columns of a run that a merged run copies. Columns that may differ come first.
pub(super) const RUN: &str =
    "git_commit, git_dirty, message, rule, command, problem, checker, checker_version, direction,
    cpu_limit_us, wall_limit_us, memory_limit, output_limit, process_limit, environment, case_count, plan, visible,
    generator, case_list, case_files, probe";

/// Returns the names of the first cases of a plan that have results, and how many have.
fn cases(connection: &Connection, plan: Digest) -> rusqlite::Result<(Vec<String>, usize)> {
    let results = "FROM run JOIN entrant ON entrant.run = run.id JOIN result ON result.entrant = entrant.id";
    let sql = format!(
        "SELECT game_case.name {results} JOIN game_case ON game_case.id = game_case WHERE plan = ?1
         GROUP BY result.place ORDER BY result.place LIMIT {NAMED}"
    );
    let names = query_all(connection, &sql, [plan.0], |row| row.get(0))?;
    let count = format!("SELECT count(DISTINCT result.place) {results} WHERE plan = ?1");
    Ok((names, connection.query_row(&count, [plan.0], |row| row.get(0))?))
}

fn values(connection: &Connection, sql: &str, run: i64) -> rusqlite::Result<Vec<Vec<Value>>> {
    let mut statement = connection.prepare(sql)?;
    let columns = statement.column_count();
    let read = |row: &Row<'_>| (0..columns).map(|column| row.get(column)).collect();
    statement.query_map([run], read)?.collect()
}

/// Fails if a file ends before its last page. Its length is compared while the file is locked against writing. It is not
/// opened another time: closing it would end the locks of this process.
fn check_length(connection: &Connection, path: &Path) -> Result<()> {
    connection.execute_batch("BEGIN")?;
    let bytes = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size";
    let bytes: u64 = connection.query_row(bytes, [], |row| row.get(0))?;
    let own = connection.path().is_some_and(|own| !own.is_empty());
    let length = path.metadata().map_or(u64::MAX, |meta| meta.len());
    let with_log = file::beside(path, "-wal").exists();
    connection.execute_batch("COMMIT")?;
    if own && !with_log && length < bytes {
        return Err(JournalError::NoJournal { path: path.to_owned(), why: "it is cut off" });
    }
    Ok(())
}

/// A run whose results are taken: one in the file, or one that was merged into a run in the file.
pub(super) struct Contribution {
    pub(super) uid: Vec<u8>,
    /// The run in the file.
    pub(super) run: i64,
    /// Its row in the table of origins, if it was merged into the run in the file.
    pub(super) origin: Option<i64>,
    pub(super) started: String,
    /// Its values in the table of origins, from `state` on.
    pub(super) columns: Vec<Value>,
}

/// The shards of a plan that a journal has as runs of its own.
const OWN_SHARDS: &str = "plan = ?1 AND NOT merged AND shard IS NOT NULL";

/// The columns of an origin that are copied, as `origin` has them.
pub(super) const COLUMNS: &str =
    "state, elapsed_us, command, conditions, shard, shards, played, jobs, tier, host, kernel, cpu_model, judge";

/// Returns the runs whose results are taken, in the order of their rows. An older run on other inputs is left out: a run
/// that is continued after an edit starts again, and leaves it behind. Of the journal that is merged into, only its own shards
/// are taken.
pub(super) fn contributions(journal: &Journal, plan: Digest, is_target: bool) -> Result<Vec<Contribution>> {
    let read = |row: &Row<'_>| {
        let columns = (4..row.as_ref().column_count()).map(|column| row.get(column)).collect::<Result<_, _>>()?;
        Ok(Contribution { uid: row.get(0)?, run: row.get(1)?, origin: row.get(2)?, started: row.get(3)?, columns })
    };
    let which = if is_target { OWN_SHARDS } else { "plan = ?1 AND NOT merged" };
    let own = format!("SELECT uid, id, NULL, started, {COLUMNS} FROM run WHERE {which} ORDER BY id");
    let merged = COLUMNS.split(", ").map(|column| format!("origin.{column}")).collect::<Vec<_>>().join(", ");
    let merged = format!(
        "SELECT origin.uid, run.id, origin.id, origin.started, {merged}
         FROM origin JOIN run ON run.id = origin.run WHERE plan = ?1 ORDER BY origin.id"
    );
    let mut all: Vec<Contribution> = query_all(&journal.connection, &own, [plan.0], read)?;
    if !is_target {
        all.extend(query_all(&journal.connection, &merged, [plan.0], read)?);
    }
    let outdated = outdated(&journal.connection, plan)?;
    all.retain(|contribution| !outdated.contains(&contribution.run));
    for own in all.iter_mut().filter(|contribution| contribution.origin.is_none()) {
        // The lock shows whether it is still running, not the stored state.
        let run = RunId(own.run);
        let state = journal.row_of_run(run, "SELECT state FROM run WHERE id = ?1", |_, state| Ok(state))?;
        own.columns[0] = state.ok_or(JournalError::NoRun(run))?.name().to_owned().into();
    }
    Ok(all)
}

/// Returns the runs of a plan that have a case with another input than a later run that is taken.
fn outdated(connection: &Connection, plan: Digest) -> rusqlite::Result<BTreeSet<i64>> {
    let runs: Vec<i64> =
        query_all(connection, "SELECT id FROM run WHERE plan = ?1 ORDER BY turn DESC", [plan.0], |row| row.get(0))?;
    let mut outdated = BTreeSet::new();
    if runs.len() < 2 {
        return Ok(outdated);
    }
    let sql = "SELECT DISTINCT result.place, input FROM entrant JOIN result ON result.entrant = entrant.id
         JOIN game_case ON game_case.id = game_case WHERE run = ?1 AND length(input) = 32";
    let mut inputs: HashMap<i64, Digest> = HashMap::new();
    for run in runs {
        let own = query_all(connection, sql, [run], |row| Ok((row.get(0)?, Digest(row.get(1)?))))?;
        if own.iter().any(|(place, input)| inputs.get(place).is_some_and(|later| later != input)) {
            outdated.insert(run);
        } else {
            inputs.extend(own);
        }
    }
    Ok(outdated)
}

/// Why runs cannot be merged. Nothing was merged.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// These files cannot be used.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Unusable(Vec<Unusable>),
    /// The results belong to different runs: how each of these files differs from most of the others.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Different(Vec<Difference>),
    /// The journal that they are merged into cannot be written.
    #[error(transparent)]
    Target(#[from] JournalError),
}

/// A file that cannot be used, and why.
#[derive(Debug)]
pub struct Unusable {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub error: JournalError,
}

impl fmt::Display for Unusable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.error {
            JournalError::Open { source, .. } => {
                write!(formatter, "{} cannot be read as a journal: {source}", self.path.display())
            }
            JournalError::Database(source) => write!(formatter, "{} cannot be read: {source}", self.path.display()),
            JournalError::Damaged(what) => write!(formatter, "{} is damaged: {what}", self.path.display()),
            error => formatter.write_str(&error_chain(error)),
        }
    }
}

/// Files whose results belong to another run than the results of most files.
#[derive(Debug)]
pub struct Difference {
    /// The files.
    pub files: Vec<PathBuf>,
    /// A file of the run of most files.
    pub most: PathBuf,
    /// The properties that differ.
    pub what: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { files, most, what } = self;
        let named = first_of(files.iter().map(|path| path.display()), NAMED, files.len());
        let does = if files.len() == 1 { "does" } else { "do" };
        write!(formatter, "{named} {does} not belong with {}: {what}", most.display())
    }
}

impl From<rusqlite::Error> for MergeError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Target(error.into())
    }
}

/// Fails unless all runs are of one plan.
pub(super) fn agree(sources: &[Source]) -> Result<(), MergeError> {
    let mut groups: Vec<Vec<&Source>> = Vec::new();
    for source in sources {
        match groups.iter_mut().find(|group| group[0].plan == source.plan) {
            Some(group) => group.push(source),
            None => groups.push(vec![source]),
        }
    }
    // Of groups of one size the first stays in front.
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    let [most, others @ ..] = &groups[..] else { return Ok(()) };
    if others.is_empty() {
        return Ok(());
    }
    Err(MergeError::Different(others.iter().map(|group| difference(group, most[0])).collect()))
}

fn difference(group: &[&Source], most: &Source) -> Difference {
    let changes = group[0].plan.differences(&most.plan);
    let mut what: Vec<String> = changes.iter().map(|change| change.text("there")).collect();
    let names: Vec<String> = group.iter().flat_map(|source| source.cases.0.iter().cloned()).collect();
    let count = group.iter().map(|source| source.cases.1).sum();
    if count > 0 {
        what.push(format!("it has {}", first_of(names, NAMED, count)));
    }
    Difference {
        files: group.iter().map(|source| source.path.clone()).collect(),
        most: most.path.clone(),
        what: what.join("; "),
    }
}
