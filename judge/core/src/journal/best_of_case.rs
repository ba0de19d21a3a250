//! The best score on one case.

use super::stored::read_score;
use super::{Journal, JournalError};
use crate::model::{CaseName, Digest, Direction, Game};
use checkers::Score;
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
        let order = match game.direction {
            Direction::Max => "DESC",
            Direction::Min => "ASC",
        };
        let mut own = self.connection.prepare_cached(&format!(
            "SELECT score, entrant.name FROM game_case CROSS JOIN result ON result.game_case = game_case.id
                 JOIN entrant ON entrant.id = result.entrant
             WHERE problem = ?1 AND checker = ?2 AND checker_version = ?3 AND game_case.name = ?4 AND input = ?5
                 AND rank IS NOT NULL AND (?6 IS NULL OR entrant.name = ?6)
             ORDER BY rank {order} LIMIT 1",
        ))?;
        let mut imported = self.connection.prepare_cached(
            "SELECT score, solver FROM imported_best
             WHERE problem = ?1 AND checker = ?2 AND checker_version = ?3 AND name = ?4 AND input = ?5 AND ?6 IS NULL",
        )?;
        let key = params![game.problem, game.checker.name, game.checker.version, &*case.0, input.0, solver];
        let columns = |row: &Row<'_>| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?));
        let found = [own.query_row(key, columns).optional()?, imported.query_row(key, columns).optional()?];
        let mut best: Option<(Score, String)> = None;
        for (score, solver) in found.into_iter().flatten() {
            let score = read_score(&score)?;
            if best.as_ref().is_none_or(|(known, _)| game.direction.compare(&score, known).is_gt()) {
                best = Some((score, solver));
            }
        }
        Ok(best)
    }
}
