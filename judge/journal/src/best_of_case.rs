//! The best score on one case.

use super::columns::read_score;
use super::key::SameGame;
use super::row_writer::find_case;
use super::{Journal, JournalError};
use checkers::Score;
use judge_problem::{CaseName, Digest, Direction, Game};
use rusqlite::{OptionalExtension, Row, params};

impl Journal {
    /// Returns the best score on a case and its solver: of any solver, those of imported scores too, or of the one of this
    /// name in recorded runs.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn best_of_case(
        &self,
        game: &Game,
        case: &CaseName,
        input: Digest,
        solver: Option<&str>,
    ) -> Result<Option<(Score, String)>, JournalError> {
        let Game { problem, checker, direction } = game;
        let key =
            SameGame { problem, checker: &checker.name, version: checker.version, name: &case.0, input: &input.0 };
        let game_case = find_case(&self.connection, &key)?.map(|known| known.id);
        let own = match (game_case, solver) {
            (Some(game_case), Some(solver)) => self.best_of_one(game_case, *direction, solver)?,
            (Some(game_case), None) => self.best_of_any(game_case, *direction)?,
            (None, _) => None,
        };
        let imported = if solver.is_none() { self.imported_best_of_case(&key)? } else { None };
        let mut best: Option<(Score, String)> = None;
        for (score, solver) in own.into_iter().chain(imported) {
            let score = read_score(&score)?;
            if best.as_ref().is_none_or(|(known, _)| direction.compare(&score, known).is_gt()) {
                best = Some((score, solver));
            }
        }
        Ok(best)
    }

    fn imported_best_of_case(&self, key: &SameGame<'_>) -> rusqlite::Result<Option<(String, String)>> {
        let SameGame { problem, checker, version, name, input } = key;
        self.connection
            .prepare_cached(
                "SELECT score, solver FROM imported_best
                 WHERE problem = ?1 AND checker = ?2 AND checker_version = ?3 AND name = ?4 AND input = ?5",
            )?
            .query_row(params![problem, checker, version, name, input], score_and_solver)
            .optional()
    }

    fn best_of_any(&self, game_case: i64, direction: Direction) -> rusqlite::Result<Option<(String, String)>> {
        self.connection
            .prepare_cached(
                "SELECT score, name FROM best_result AS best
                     JOIN result ON result.entrant = best.entrant AND result.place = best.place
                     JOIN entrant ON entrant.id = best.entrant
                 WHERE best.game_case = ?1 AND direction = ?2",
            )?
            .query_row(params![game_case, direction.name()], score_and_solver)
            .optional()
    }

    /// Looks through all that solvers of this name have played.
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
        self.connection
            .prepare_cached(&format!(
                "SELECT score, name FROM entrant CROSS JOIN result ON result.entrant = entrant.id
                 WHERE name = ?1 AND game_case = ?2 AND rank IS NOT NULL ORDER BY rank {order} LIMIT 1",
            ))?
            .query_row(params![solver, game_case], score_and_solver)
            .optional()
    }
}

fn score_and_solver(row: &Row<'_>) -> rusqlite::Result<(String, String)> {
    Ok((row.get(0)?, row.get(1)?))
}
