//! The best score on each case of a problem, from recorded runs and from imported files.

use super::columns::{query_first, rank, read_score, score};
use super::error::{JournalError, Result};
use super::identity::SameGame;
use super::rows::find_case;
use super::store::Journal;
use checkers::Score;
use judge_problem::{
    BestOrigin, BestScore, BestScores, CaseName, Digest, Direction, Game, KnownBest, RunId, natural_key,
};
use rusqlite::{Connection, Params, Row, params};
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Compares two scores by their ranks.
fn is_better(game: &Game, rank: &[u8], than: &[u8]) -> bool {
    match game.direction {
        Direction::Max => rank > than,
        Direction::Min => rank < than,
    }
}

/// The result of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Imported {
    /// Cases with a better score than before, or with their first one.
    pub better: usize,
    /// Cases whose known score is as good.
    pub no_better: usize,
}

/// The best score on a case, with the columns that comparisons need.
struct BestRow {
    case: CaseName,
    input: Digest,
    rank: Vec<u8>,
    origin: Origin,
}

/// Where the rest of a candidate is found.
enum Origin {
    /// In this result.
    Own { entrant: i64, place: i64 },
    /// Here.
    Imported(Box<BestScore>),
}

/// A solver of a run, and where the result is from, if from another machine: their rows.
type EntrantKey = (i64, Option<i64>);

/// A solver of a run, as a best score names it.
struct RecordedEntrant {
    name: Arc<str>,
    hash: Digest,
    host: Arc<str>,
    run: RunId,
    date: Arc<str>,
}

/// Selects these columns of the best results on the cases of a game.
fn own_bests(columns: &str) -> String {
    format!(
        "SELECT {columns} FROM game_case CROSS JOIN best_result AS best ON game_case = id AND direction = ?4
         WHERE problem = ?1 AND checker = ?2 AND checker_version = ?3",
    )
}

/// The parameters of [`own_bests`].
fn key(game: &Game) -> impl Params {
    (game.problem.clone(), game.checker.name.clone(), game.checker.version, game.direction.name())
}

impl BestRow {
    fn imported(score: BestScore) -> Self {
        let (case, input) = (score.case.clone(), score.input);
        Self { case, input, rank: rank(&score.score), origin: Origin::Imported(Box::new(score)) }
    }
}

impl Journal {
    /// Returns the best score of each case, in the natural order of their names; of equal ones the first. At most
    /// `most` of them are kept in memory.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn best(&self, game: &Game, most: Option<usize>) -> Result<BestScores> {
        let mut first = BTreeMap::new();
        let mut cases = 0;
        self.candidates(game, |candidate| {
            cases += 1;
            first.insert((natural_key(&candidate.case.0), candidate.input, cases), candidate);
            if most.is_some_and(|most| first.len() > most) {
                first.pop_last();
            }
        })?;
        let mut entrants = HashMap::new();
        let scores =
            first.into_values().map(|candidate| self.in_full(candidate, &mut entrants)).collect::<Result<_, _>>()?;
        Ok(BestScores { scores, cases })
    }

    /// Returns the best score on each input, under all names of its cases, with its origin. Where the solver with the hash
    /// `except` has the best score, there is none.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn best_by_input(&self, game: &Game, except: Option<Digest>) -> Result<HashMap<Digest, KnownBest>> {
        let mut best: HashMap<Digest, KnownBest> = HashMap::new();
        let mut add = |input, known: KnownBest| {
            let better = KnownBest::better(game.direction, best.remove(&input), Some(known));
            best.extend(better.map(|better| (input, better)));
        };
        // First, as in `candidates`.
        let imported = self.imported_bests(game)?.into_iter().filter(|best| except != Some(best.solver_hash));
        for BestScore { input, score, solver, .. } in imported {
            add(input, KnownBest { score, origin: BestOrigin::Imported(solver) });
        }
        let own = own_bests(
            "input, (SELECT score FROM result WHERE entrant = best.entrant AND place = best.place), best.entrant",
        );
        let mut statement = self.connection.prepare(&format!("{own} ORDER BY best.entrant"))?;
        let mut rows = statement.query(key(game))?;
        let mut entrants = HashMap::new();
        while let Some(row) = rows.next()? {
            let RecordedEntrant { name, run, hash, .. } = self.recorded_entrant((row.get(2)?, None), &mut entrants)?;
            if except != Some(*hash) {
                let origin = BestOrigin::Run(*run, Arc::clone(name));
                add(Digest(row.get(0)?), KnownBest { score: score(row, 1)?, origin });
            }
        }
        Ok(best)
    }

    /// Adds the best scores of others. On each case the better score is kept.
    ///
    /// # Errors
    /// When the journal cannot be read or written. Then nothing is imported.
    pub fn import_best(&mut self, game: &Game, scores: &[BestScore]) -> Result<Imported> {
        // Another judge may import at the same time: the best scores are read when nobody else can write.
        let transaction = self.transaction()?;
        let mut known = HashMap::new();
        self.candidates(game, |best| {
            known.insert((best.case, best.input), best.rank);
        })?;
        let mut imported = Imported::default();
        for score in scores {
            let (key, rank) = ((score.case.clone(), score.input), rank(&score.score));
            if known.get(&key).is_some_and(|known| !is_better(game, &rank, known)) {
                imported.no_better += 1;
                continue;
            }
            insert_imported(&transaction, game, score)?;
            known.insert(key, rank);
            imported.better += 1;
        }
        transaction.commit()?;
        Ok(imported)
    }

    /// Passes on the best score of each case, in no order, without reading any result.
    fn candidates(&self, game: &Game, mut pass_on: impl FnMut(BestRow)) -> Result<()> {
        let imported = self.imported_bests(game)?.into_iter().map(BestRow::imported);
        let mut imported: HashMap<_, _> =
            imported.map(|theirs| ((theirs.case.clone(), theirs.input), theirs)).collect();
        let mut statement = self.connection.prepare(&own_bests("name, input, rank, entrant, place"))?;
        let mut rows = statement.query(key(game))?;
        while let Some(row) = rows.next()? {
            let own = BestRow {
                case: CaseName(row.get(0)?),
                input: Digest(row.get(1)?),
                rank: row.get(2)?,
                origin: Origin::Own { entrant: row.get(3)?, place: row.get(4)? },
            };
            let theirs = (!imported.is_empty()).then(|| imported.remove(&(own.case.clone(), own.input))).flatten();
            match theirs {
                // An imported score was better than all earlier ones, so an equal own one is newer.
                Some(theirs) if !is_better(game, &own.rank, &theirs.rank) => pass_on(theirs),
                _ => pass_on(own),
            }
        }
        imported.into_values().for_each(pass_on);
        Ok(())
    }

    /// Returns a candidate with its score and origin. `entrants` are the solvers found so far.
    fn in_full(&self, candidate: BestRow, entrants: &mut HashMap<EntrantKey, RecordedEntrant>) -> Result<BestScore> {
        let (entrant, place) = match candidate.origin {
            Origin::Imported(score) => return Ok(*score),
            Origin::Own { entrant, place } => (entrant, place),
        };
        let sql = "SELECT origin, score FROM result WHERE entrant = ?1 AND place = ?2";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query([entrant, place])?;
        let row = rows.next()?.ok_or_else(|| JournalError::Damaged("a best score has no result".to_owned()))?;
        let entrant = self.recorded_entrant((entrant, row.get(0)?), entrants)?;
        Ok(BestScore {
            case: candidate.case,
            input: candidate.input,
            score: score(row, 1)?,
            solver: entrant.name.clone(),
            solver_hash: entrant.hash,
            host: entrant.host.clone(),
            run: entrant.run,
            date: entrant.date.clone(),
            imported: false,
        })
    }

    /// Returns a solver of a run. `known` are the solvers found so far.
    fn recorded_entrant<'a>(
        &self,
        key: EntrantKey,
        known: &'a mut HashMap<EntrantKey, RecordedEntrant>,
    ) -> rusqlite::Result<&'a RecordedEntrant> {
        let new = match known.entry(key) {
            Entry::Occupied(known) => return Ok(known.into_mut()),
            Entry::Vacant(new) => new,
        };
        let mut statement = self.connection.prepare_cached(
            "SELECT name, entrant.hash, coalesce(origin.host, run.host), run.id, coalesce(origin.started, run.started)
             FROM entrant JOIN run ON run.id = entrant.run LEFT JOIN origin ON origin.id = ?2 WHERE entrant.id = ?1",
        )?;
        let entrant = statement.query_row(key, |row| {
            Ok(RecordedEntrant {
                name: row.get(0)?,
                hash: Digest(row.get(1)?),
                host: row.get(2)?,
                run: RunId(row.get(3)?),
                date: row.get(4)?,
            })
        })?;
        Ok(new.insert(entrant))
    }

    fn imported_bests(&self, game: &Game) -> Result<Vec<BestScore>> {
        let mut statement = self.connection.prepare(
            "SELECT name, input, score, solver, solver_hash, host, run, date FROM imported_best
             WHERE problem = ?1 AND checker = ?2 AND checker_version = ?3",
        )?;
        let bests =
            statement.query_and_then(params![game.problem, game.checker.name, game.checker.version], |row| {
                Ok(BestScore {
                    case: CaseName(row.get(0)?),
                    input: Digest(row.get(1)?),
                    score: score(row, 2)?,
                    solver: row.get(3)?,
                    solver_hash: Digest(row.get(4)?),
                    host: row.get(5)?,
                    run: RunId(row.get(6)?),
                    date: row.get(7)?,
                    imported: true,
                })
            })?;
        bests.collect()
    }

    /// Returns the best score on a case, and its solver. With a name, only recorded runs of that solver count; without
    /// one, all runs and imported scores.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn best_of_case(
        &self,
        game: &Game,
        case: &CaseName,
        input: Digest,
        solver: Option<&str>,
    ) -> Result<Option<(Score, String)>> {
        let Game { problem, checker, direction } = game;
        let key =
            SameGame { problem, checker: &checker.name, version: checker.version, name: &case.0, input: &input.0 };
        let mut found: Vec<(String, String)> = Vec::new();
        if solver.is_none() {
            let sql = "SELECT score, solver FROM imported_best
                 WHERE problem = ?1 AND checker = ?2 AND checker_version = ?3 AND name = ?4 AND input = ?5";
            let key = params![problem, checker.name, checker.version, key.name, key.input];
            found.extend(query_first(&self.connection, sql, key, score_and_solver)?);
        }
        if let Some(known) = find_case(&self.connection, &key)? {
            found.extend(match solver {
                Some(solver) => self.best_of_one(known.id, *direction, solver)?,
                None => self.best_of_any(known.id, *direction)?,
            });
        }
        let mut best: Option<(Score, String)> = None;
        for (score, solver) in found {
            let score = read_score(&score)?;
            if best.as_ref().is_none_or(|(known, _)| direction.compare(&score, known).is_gt()) {
                best = Some((score, solver));
            }
        }
        Ok(best)
    }

    fn best_of_any(&self, game_case: i64, direction: Direction) -> rusqlite::Result<Option<(String, String)>> {
        let sql = "SELECT score, name FROM best_result AS best
                 JOIN result ON result.entrant = best.entrant AND result.place = best.place
                 JOIN entrant ON entrant.id = best.entrant
             WHERE best.game_case = ?1 AND direction = ?2";
        query_first(&self.connection, sql, params![game_case, direction.name()], score_and_solver)
    }

    /// Searches all results of solvers of this name.
    fn best_of_one(
        &self,
        game_case: i64,
        direction: Direction,
        solver: &str,
    ) -> rusqlite::Result<Option<(String, String)>> {
        let order = match direction {
            Direction::Max => "DESC",
            Direction::Min => "ASC",
        };
        let sql = format!(
            "SELECT score, name FROM entrant CROSS JOIN result ON result.entrant = entrant.id
             WHERE name = ?1 AND game_case = ?2 AND rank IS NOT NULL ORDER BY rank {order} LIMIT 1"
        );
        query_first(&self.connection, &sql, params![solver, game_case], score_and_solver)
    }
}

fn insert_imported(connection: &Connection, game: &Game, score: &BestScore) -> rusqlite::Result<usize> {
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO imported_best (problem, checker, checker_version, name, input, score,
                 solver, solver_hash, host, run, date)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        )?
        .execute(params![
            game.problem,
            game.checker.name,
            game.checker.version,
            &*score.case.0,
            score.input.0,
            score.score.to_string(),
            score.solver,
            score.solver_hash.0,
            score.host,
            score.run.0,
            score.date,
        ])
}

fn score_and_solver(row: &Row<'_>) -> rusqlite::Result<(String, String)> {
    Ok((row.get(0)?, row.get(1)?))
}
