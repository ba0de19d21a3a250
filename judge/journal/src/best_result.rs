//! Which result is the best on each case, by either direction: kept up to date with the results.

use super::faults::FAULTS;
use judge_problem::RunId;
use rusqlite::{Connection, OptionalExtension, params};

/// A statement that writes down which of these rows are better than what is known of their case. Of equal ones the first result
/// stays.
macro_rules! note_better {
    ($rows:literal) => {
        concat!(
            "INSERT INTO best_result (game_case, direction, rank, entrant, place) ",
            $rows,
            " ON CONFLICT DO UPDATE SET rank = excluded.rank, entrant = excluded.entrant, place = excluded.place
              WHERE iif(direction = 'max', excluded.rank > rank, excluded.rank < rank)
                  OR excluded.rank = rank AND (excluded.entrant, excluded.place) < (entrant, place)",
        )
    };
}

const NOTE: &str = note_better!("VALUES (?1, 'max', ?2, ?3, ?4), (?1, 'min', ?2, ?3, ?4)");

/// Of all cases in the temporary table `lost`.
const FIND: &str = note_better!(
    "SELECT game_case, column1, rank, entrant, place FROM result CROSS JOIN (VALUES ('max'), ('min'))
     WHERE rank IS NOT NULL AND game_case IN (SELECT game_case FROM lost)"
);

/// Which results make room for another one of the same case and solver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Replaced {
    /// Those that say nothing of the solver.
    Faults,
    /// Any: of two that were merged, the one that stays does not depend on the order.
    Any,
}

/// Writes a result by `insert`, which returns the number of rows that it has added; none where there is one already. That one
/// stays unless it is replaced. Returns the case that has lost its best result by that: then [`find`] the best again before the
/// transaction ends.
#[must_use = "the best result on its case is missing"]
pub(super) fn write(
    connection: &Connection,
    game_case: i64,
    rank: Option<&[u8]>,
    (entrant, place): (i64, i64),
    replaced: Replaced,
    mut insert: impl FnMut() -> rusqlite::Result<usize>,
) -> rusqlite::Result<Option<i64>> {
    let mut lost = None;
    if insert()? == 0 {
        lost = delete(connection, (entrant, place), replaced)?;
        if insert()? == 0 {
            return Ok(None);
        }
    }
    if let Some(rank) = rank {
        connection.prepare_cached(NOTE)?.execute(params![game_case, rank, entrant, place])?;
    }
    Ok(lost)
}

fn delete(connection: &Connection, (entrant, place): (i64, i64), which: Replaced) -> rusqlite::Result<Option<i64>> {
    let condition = match which {
        Replaced::Any => String::new(),
        Replaced::Faults => format!("AND verdict IN ({FAULTS})"),
    };
    let game_case: Option<i64> = connection
        .prepare_cached(&format!(
            "DELETE FROM result WHERE entrant = ?1 AND place = ?2 {condition} RETURNING game_case"
        ))?
        .query_row([entrant, place], |row| row.get(0))
        .optional()?;
    let Some(game_case) = game_case else { return Ok(None) };
    let bests = connection
        .prepare_cached("DELETE FROM best_result WHERE game_case = ?1 AND entrant = ?2 AND place = ?3")?
        .execute([game_case, entrant, place])?;
    Ok((bests > 0).then_some(game_case))
}

/// Deletes a run with its results. Returns the cases that have lost a best result, as [`write`] does; `None` if there is no such
/// run.
#[must_use = "the best results on its cases are missing"]
pub(super) fn delete_run(connection: &Connection, run: RunId) -> rusqlite::Result<Option<Vec<i64>>> {
    let mut statement = connection.prepare(
        "DELETE FROM best_result WHERE entrant IN (SELECT id FROM entrant WHERE run = ?1) RETURNING game_case",
    )?;
    let lost = statement.query_map([run.0], |row| row.get(0))?.collect::<Result<_, _>>()?;
    Ok((connection.execute("DELETE FROM run WHERE id = ?1", [run.0])? > 0).then_some(lost))
}

/// Finds the best results on these cases among all: one look through the journal, if there are any.
pub(super) fn find(connection: &Connection, cases: &[i64]) -> rusqlite::Result<()> {
    if cases.is_empty() {
        return Ok(());
    }
    connection.execute_batch("CREATE TEMP TABLE lost (game_case INTEGER PRIMARY KEY)")?;
    let mut insert = connection.prepare("INSERT OR IGNORE INTO lost VALUES (?1)")?;
    for case in cases {
        insert.execute([case])?;
    }
    connection.execute(FIND, [])?;
    connection.execute_batch("DROP TABLE lost")
}
