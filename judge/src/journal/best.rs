//! The best score on each case of a problem, from recorded runs and from imported files.

use super::rank::rank;
use super::stored::read_score;
use super::{Journal, JournalError};
use crate::model::{BestScore, BestScores, CaseName, Digest, Direction, Game, RunId, natural_key};
use rusqlite::{Connection, TransactionBehavior, named_params, params};
use std::collections::HashMap;

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
    /// Cases that have a better score now, or one at all.
    pub better: usize,
    /// Cases on which what was known is as good.
    pub no_better: usize,
}

/// The best score on a case, as far as it takes to compare it.
struct BestRow {
    case: CaseName,
    input: Digest,
    rank: Vec<u8>,
    origin: Origin,
}

/// Where the rest of a candidate is found.
enum Origin {
    /// In a result of this case.
    Own { game_case: i64 },
    /// Here.
    Imported(BestScore),
}

impl BestRow {
    fn imported(score: BestScore) -> Self {
        let (case, input) = (score.case.clone(), score.input);
        Self { case, input, rank: rank(&score.score), origin: Origin::Imported(score) }
    }
}

impl Journal {
    /// Returns the best score of each case, in the natural order of their names; of equal ones the first. `most` is the
    /// largest number of them.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn best(&self, game: &Game, most: Option<usize>) -> Result<BestScores, JournalError> {
        let mut candidates = self.candidates(game)?;
        candidates.sort_by_cached_key(|candidate| (natural_key(&candidate.case.0), candidate.input));
        let cases = candidates.len();
        candidates.truncate(most.unwrap_or(cases));
        let scores = candidates.into_iter().map(|candidate| self.in_full(candidate)).collect::<Result<_, _>>()?;
        Ok(BestScores { scores, cases })
    }

    /// Adds the best scores of others; on each case the better one is kept.
    ///
    /// # Errors
    /// When the journal cannot be read or written: then nothing is imported.
    pub fn import_best(&mut self, game: &Game, scores: &[BestScore]) -> Result<Imported, JournalError> {
        let known = self.candidates(game)?;
        let mut known: HashMap<_, _> = known.into_iter().map(|known| ((known.case, known.input), known.rank)).collect();
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
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

    fn candidates(&self, game: &Game) -> Result<Vec<BestRow>, JournalError> {
        let mut candidates = self.own_candidates(game)?;
        let imported = self.imported_bests(game)?;
        if imported.is_empty() {
            return Ok(candidates);
        }
        let places = candidates.iter().enumerate();
        let places: HashMap<_, _> =
            places.map(|(place, candidate)| ((candidate.case.clone(), candidate.input), place)).collect();
        for theirs in imported.into_iter().map(BestRow::imported) {
            match places.get(&(theirs.case.clone(), theirs.input)) {
                Some(&place) if is_better(game, &theirs.rank, &candidates[place].rank) => candidates[place] = theirs,
                Some(_) => {}
                None => candidates.push(theirs),
            }
        }
        Ok(candidates)
    }

    /// One walk along the index of ranks: no result is looked at.
    fn own_candidates(&self, game: &Game) -> Result<Vec<BestRow>, JournalError> {
        let extreme = match game.direction {
            Direction::Max => "max",
            Direction::Min => "min",
        };
        let sql = format!(
            "WITH best AS MATERIALIZED (
                 SELECT game_case, {extreme}(rank) AS rank FROM result WHERE rank IS NOT NULL GROUP BY game_case
             )
             SELECT game_case, name, input, rank FROM best CROSS JOIN game_case ON game_case.id = best.game_case
             WHERE problem = :problem AND checker = :checker AND checker_version = :version",
        );
        let mut statement = self.connection.prepare(&sql)?;
        let parameters = named_params! {
            ":problem": game.problem, ":checker": game.checker.name, ":version": game.checker.version,
        };
        let candidates = statement.query_map(parameters, |row| {
            Ok(BestRow {
                origin: Origin::Own { game_case: row.get(0)? },
                case: CaseName(row.get(1)?),
                input: Digest(row.get(2)?),
                rank: row.get(3)?,
            })
        })?;
        Ok(candidates.collect::<Result<_, _>>()?)
    }

    fn in_full(&self, candidate: BestRow) -> Result<BestScore, JournalError> {
        let game_case = match candidate.origin {
            Origin::Imported(score) => return Ok(score),
            Origin::Own { game_case } => game_case,
        };
        let mut statement = self.connection.prepare_cached(
            "SELECT score, entrant.name, entrant.hash, host, run.id, started
             FROM result JOIN entrant ON entrant.id = result.entrant JOIN run ON run.id = entrant.run
             WHERE game_case = ?1 AND rank = ?2 ORDER BY result.entrant LIMIT 1",
        )?;
        let mut rows = statement.query(params![game_case, candidate.rank])?;
        let row = rows.next()?.ok_or_else(|| JournalError::Damaged("a best score has no result".to_owned()))?;
        Ok(BestScore {
            case: candidate.case,
            input: candidate.input,
            score: read_score(row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?)?,
            solver: row.get(1)?,
            solver_hash: Digest(row.get(2)?),
            host: row.get(3)?,
            run: RunId(row.get(4)?),
            date: row.get(5)?,
            imported: false,
        })
    }

    fn imported_bests(&self, game: &Game) -> Result<Vec<BestScore>, JournalError> {
        let mut statement = self.connection.prepare(
            "SELECT name, input, score, solver, solver_hash, host, run, date FROM imported_best
             WHERE problem = ?1 AND checker = ?2 AND checker_version = ?3",
        )?;
        let mut rows = statement.query(params![game.problem, game.checker.name, game.checker.version])?;
        let mut bests = Vec::new();
        while let Some(row) = rows.next()? {
            bests.push(BestScore {
                case: CaseName(row.get(0)?),
                input: Digest(row.get(1)?),
                score: read_score(&row.get::<_, String>(2)?)?,
                solver: row.get(3)?,
                solver_hash: Digest(row.get(4)?),
                host: row.get(5)?,
                run: RunId(row.get(6)?),
                date: row.get(7)?,
                imported: true,
            });
        }
        Ok(bests)
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
