//! Times, limits and named values as columns hold them.

use super::error::{JournalError, shortened};
use checkers::Score;
use judge_problem::{Bytes, Limits, Time};
use rusqlite::Row;
use rusqlite::types::Type;
use std::error::Error;
use std::str::FromStr;
use std::time::Duration;

/// Returns a time in SQLite's integer. A time that does not fit becomes the largest.
pub(super) fn microseconds(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX)
}

/// Reads a time.
pub(super) fn time(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Duration>> {
    Ok(row.get::<_, Option<i64>>(column)?.map(|time| Duration::from_micros(time.unsigned_abs())))
}

/// Reads limits from the five columns cpu_limit_us, wall_limit_us, memory_limit, output_limit, process_limit.
pub(super) fn limits(row: &Row<'_>, first: usize) -> rusqlite::Result<Limits> {
    Ok(Limits {
        cpu: Time(time(row, first)?.unwrap_or_default()),
        wall: Time(time(row, first + 1)?.unwrap_or_default()),
        memory: Bytes(row.get(first + 2)?),
        output: Bytes(row.get(first + 3)?),
        processes: row.get(first + 4)?,
    })
}

/// The most cases, results or jobs that a run is taken to have: what is allocated for each of them stays small.
const MOST_COUNTED: i64 = 20_000_000;

/// Reads a number of cases, results or jobs; 0 where there is none.
///
/// # Errors
/// Also when it is negative or larger than any run has: then the file is damaged.
pub(super) fn count(row: &Row<'_>, column: usize) -> rusqlite::Result<usize> {
    let count = row.get::<_, Option<i64>>(column)?.unwrap_or_default();
    if !(0..=MOST_COUNTED).contains(&count) {
        return Err(rusqlite::Error::IntegralValueOutOfRange(column, count));
    }
    Ok(count as usize)
}

/// Reads a value by its name.
///
/// # Errors
/// Also when no value has this name: then the file is damaged.
pub(super) fn named<T>(row: &Row<'_>, column: usize) -> rusqlite::Result<T>
where
    T: FromStr<Err: Error + Send + Sync + 'static>,
{
    let unknown = |error| rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error));
    row.get::<_, String>(column)?.parse().map_err(unknown)
}

/// Reads a score from its digits.
pub(super) fn read_score(text: &str) -> Result<Score, JournalError> {
    text.parse().map_err(|_| JournalError::Damaged(format!("`{}` is no score", shortened(text))))
}
