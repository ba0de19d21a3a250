//! What the scores of a run are relative to, beside its own: the best scores that were known when it started. They are written
//! down with the run, so that its points never change.

use super::columns::{named, read_score};
use super::{Journal, JournalError};
use judge_problem::{BestOrigin, BestSource, CaseList, CaseSpec, Direction, KnownBest, Problem, RunId};
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// What the scores of a run are relative to, beside its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// Which best scores were taken.
    pub source: BestSource,
    /// By the place of the case in the run.
    pub scores: HashMap<usize, KnownBest>,
}

impl Reference {
    /// Returns the best known score of the case at a place of the run.
    #[must_use]
    pub fn at(&self, place: usize) -> Option<KnownBest> {
        self.scores.get(&place).cloned()
    }

    /// Scores a problem's run relative to this. The cases are those of the whole run.
    pub fn apply(&self, problem: &mut Problem, cases: &mut CaseList) {
        problem.best = self.source.clone();
        if self.scores.is_empty() && cases.listed().all(|case| case.best.is_none()) {
            return;
        }
        let with_best = |(place, case)| CaseSpec { best: self.at(place), ..case };
        let mut changed: CaseList = cases.iter().enumerate().map(with_best).collect();
        changed.share_read_files(cases);
        *cases = changed;
    }
}

impl Journal {
    /// Returns what the scores of a run are relative to; `None` under a rule that takes no best score.
    ///
    /// # Errors
    /// When there is no such run, or the journal cannot be read.
    pub fn reference(&self, run: RunId) -> Result<Option<Reference>, JournalError> {
        read(&self.connection, run)
    }
}

/// Returns what the scores of a run are relative to; `None` under a rule that takes no best score.
pub(super) fn read(connection: &Connection, run: RunId) -> Result<Option<Reference>, JournalError> {
    let source: Option<Option<String>> =
        connection.query_row("SELECT reference FROM run WHERE id = ?1", [run.0], |row| row.get(0)).optional()?;
    let Some(source) = source.ok_or(JournalError::NoRun(run))? else { return Ok(None) };
    let mut statement =
        connection.prepare_cached("SELECT place, score, origin, solver, of_run FROM known_best WHERE run = ?1")?;
    let mut rows = statement.query([run.0])?;
    let (mut scores, mut solvers) = (HashMap::new(), HashMap::new());
    while let Some(row) = rows.next()? {
        let score = read_score(row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?)?;
        scores.insert(row.get(0)?, KnownBest { score, origin: origin(row, &mut solvers)? });
    }
    Ok(Some(Reference { source: BestSource::new(Path::new(&source), Path::new("")), scores }))
}

/// Reads who reached a score. `solvers` are the names that were read so far.
fn origin(row: &Row<'_>, solvers: &mut HashMap<String, Arc<str>>) -> Result<BestOrigin, JournalError> {
    let mut solver = || -> rusqlite::Result<Arc<str>> {
        let name: String = row.get(3)?;
        Ok(Arc::clone(solvers.entry(name).or_insert_with_key(|name| Arc::from(&**name))))
    };
    Ok(match row.get_ref(2)?.as_str().map_err(rusqlite::Error::from)? {
        "problem" => BestOrigin::Problem,
        "file" => BestOrigin::File,
        "run" => BestOrigin::Run(RunId(row.get(4)?), solver()?),
        "imported" => BestOrigin::Imported(solver()?),
        other => return Err(JournalError::Damaged(format!("there is no origin of best scores `{other}`"))),
    })
}

/// Writes down what the scores of a run are relative to. The first of these cases has this place in the run.
pub(super) fn write(
    connection: &Connection,
    run: RunId,
    problem: &Problem,
    first: usize,
    cases: &CaseList,
) -> rusqlite::Result<()> {
    if !problem.scoring.has_reference() {
        return Ok(());
    }
    connection.execute(
        "UPDATE run SET reference = ?2 WHERE id = ?1 AND reference IS NULL",
        params![run.0, problem.best.to_string()],
    )?;
    if cases.listed().all(|case| case.best.is_none()) {
        return Ok(());
    }
    for (place, case) in (first..).zip(cases) {
        if let Some(known) = &case.best {
            insert(connection, run, place, known)?;
        }
    }
    Ok(())
}

fn insert(connection: &Connection, run: RunId, place: usize, known: &KnownBest) -> rusqlite::Result<()> {
    let (origin, solver, of_run) = match &known.origin {
        BestOrigin::Problem => ("problem", None, None),
        BestOrigin::File => ("file", None, None),
        BestOrigin::Run(run, solver) => ("run", Some(solver), Some(run.0)),
        BestOrigin::Imported(solver) => ("imported", Some(solver), None),
    };
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO known_best (run, place, score, origin, solver, of_run)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![run.0, place, known.score.to_string(), origin, solver, of_run])?;
    Ok(())
}

/// Adds what the scores of a run of another journal are relative to. Where several runs know a score of a case, the best one
/// stays, in whatever order they are merged.
pub(super) fn merge(into: &Connection, run: RunId, theirs: Reference) -> Result<(), JournalError> {
    let direction: Direction =
        into.query_row("SELECT direction FROM run WHERE id = ?1", [run.0], |row| named(row, 0))?;
    let own = read(into, run)?.unwrap_or_else(|| Reference { source: theirs.source.clone(), scores: HashMap::new() });
    // The name of one of several, whichever came first.
    let source = own.source.to_string().min(theirs.source.to_string());
    into.execute("UPDATE run SET reference = ?2 WHERE id = ?1", params![run.0, source])?;
    for (place, KnownBest { score, origin }) in theirs.scores {
        let origin = match origin {
            // Its number is of the other journal.
            BestOrigin::Run(_, solver) => BestOrigin::Imported(solver),
            origin => origin,
        };
        let known = KnownBest { score, origin };
        let is_better = own.scores.get(&place).is_none_or(|own| {
            direction.compare(&known.score, &own.score).then_with(|| own.origin.cmp(&known.origin)).is_gt()
        });
        if is_better {
            insert(into, run, place, &known)?;
        }
    }
    Ok(())
}
