//! What can still be read of a journal that is damaged.

use super::Journal;
use rusqlite::Connection;
use std::path::Path;

/// How much of a damaged journal can still be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Legible {
    /// Runs.
    pub runs: u64,
    /// Results.
    pub results: u64,
}

/// The most rows that are read of a table: the pages of a damaged one may lead in circles.
const MOST_ROWS: u64 = 10_000_000;

impl Journal {
    /// Returns how much of a journal can still be read; `None` where that is nothing. Nothing is written to it.
    #[must_use]
    pub fn legible(path: &Path) -> Option<Legible> {
        let journal = Self::look_only(path).ok().flatten()?;
        let count = |sql| rows_from_both_ends(&journal.connection, sql);
        let runs = count("SELECT id, started, command FROM run NOT INDEXED ORDER BY id");
        let results = count("SELECT place, verdict, score FROM result ORDER BY entrant");
        (runs + results > 0).then_some(Legible { runs, results })
    }
}

/// Counts the rows before the first that cannot be read, and if there is one, those behind the last.
fn rows_from_both_ends(connection: &Connection, sql: &str) -> u64 {
    let (first, is_whole) = rows(connection, sql);
    if is_whole { first } else { first + rows(connection, &format!("{sql} DESC")).0 }
}

/// Counts the rows that can be read, and returns whether they are all.
fn rows(connection: &Connection, sql: &str) -> (u64, bool) {
    let Ok(mut statement) = connection.prepare(sql) else { return (0, false) };
    let Ok(mut rows) = statement.query([]) else { return (0, false) };
    let mut count = 0;
    while count < MOST_ROWS {
        match rows.next() {
            Ok(Some(_)) => count += 1,
            Ok(None) => return (count, true),
            Err(_) => return (count, false),
        }
    }
    (count, true)
}
