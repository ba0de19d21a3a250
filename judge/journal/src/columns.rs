//! Values in the form of columns: times, limits, scores that sort as numbers, machines, and verdicts that are faults.

use super::error::{JournalError, Result, shortened};
use checkers::Score;
use judge_problem::{Bytes, Limits, Machine, Node, RunId, Time, Verdict};
use num_bigint::Sign;
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Params, Row, params};
use std::error::Error;
use std::str::FromStr;
use std::time::Duration;

/// Returns the values read from each row of a query.
pub(super) fn query_all<T>(
    connection: &Connection,
    sql: &str,
    parameters: impl Params,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Vec<T>> {
    connection.prepare_cached(sql)?.query_map(parameters, read)?.collect()
}

/// Returns the value read from the first row of a query; `None` if it has no row.
pub(super) fn query_first<T>(
    connection: &Connection,
    sql: &str,
    parameters: impl Params,
    read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Option<T>> {
    connection.prepare_cached(sql)?.query_row(parameters, read).optional()
}

/// Returns a time in SQLite's integer, rounded as in reports. A time that does not fit becomes the largest.
pub(super) fn microseconds(time: Duration) -> i64 {
    i64::try_from(time.saturating_add(Duration::from_nanos(500)).as_micros()).unwrap_or(i64::MAX)
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

/// The maximal number of cases, results or jobs of a run. A larger number is an error, so a damaged file cannot make the
/// judge allocate too much.
const MAX_COUNT: i64 = 20_000_000;

/// Reads a number of cases, results or jobs; 0 if there is none.
///
/// # Errors
/// Also if the number is negative or larger than in any run: the file is damaged.
pub(super) fn count(row: &Row<'_>, column: usize) -> rusqlite::Result<usize> {
    let count = row.get::<_, Option<i64>>(column)?.unwrap_or_default();
    let fits = usize::try_from(count).ok().filter(|_| count <= MAX_COUNT);
    fits.ok_or(rusqlite::Error::IntegralValueOutOfRange(column, count))
}

/// Reads a value by its name.
///
/// # Errors
/// Also if no value has this name: the file is damaged.
pub(super) fn named<T>(row: &Row<'_>, column: usize) -> rusqlite::Result<T>
where
    T: FromStr<Err: Error + Send + Sync + 'static>,
{
    let unknown = |error| rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error));
    row.get::<_, String>(column)?.parse().map_err(unknown)
}

/// Reads a score from its digits.
pub(super) fn read_score(text: &str) -> Result<Score> {
    text.parse().map_err(|_| JournalError::Damaged(format!("`{}` is no score", shortened(text))))
}

/// Reads a score.
pub(super) fn score(row: &Row<'_>, column: usize) -> Result<Score> {
    read_score(row.get_ref(column)?.as_str().map_err(rusqlite::Error::from)?)
}

/// The names of the verdicts that are faults, as an SQL list.
pub(super) const FAULTS: &str = "'judge-error', 'cannot-start', 'skipped'";

/// Returns whether a verdict is about the judge or the machine, and not about the solver.
pub(super) fn is_fault(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::JudgeError | Verdict::CannotStart | Verdict::Skipped)
}

/// Returns the machines of a cluster that a run was run on, by name.
pub(super) fn nodes(connection: &Connection, run: RunId) -> rusqlite::Result<Vec<Node>> {
    let sql = "SELECT name, host, kernel, cpu_model, load, tier FROM node WHERE run = ?1 ORDER BY name";
    query_all(connection, sql, [run.0], |row| {
        Ok(Node { name: row.get(0)?, machine: machine(row, 1)?, load: row.get(4)?, tier: named(row, 5)? })
    })
}

/// Returns the machine in three columns from this one.
pub(super) fn machine(row: &Row<'_>, first: usize) -> rusqlite::Result<Machine> {
    Ok(Machine { host: row.get(first)?, kernel: row.get(first + 1)?, cpu_model: row.get(first + 2)? })
}

/// Adds a machine to a run, unless the run has one of this name.
pub(super) fn add_node(connection: &Connection, run: RunId, node: &Node) -> rusqlite::Result<()> {
    let Node { name, machine: Machine { host, kernel, cpu_model }, tier, load } = node;
    connection.execute(
        "INSERT OR IGNORE INTO node (run, name, host, kernel, cpu_model, tier, load)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![run.0, name, host, kernel, cpu_model, tier.name(), load],
    )?;
    Ok(())
}

/// Returns bytes that sort like the scores: the sign, the length and the digits of the integer part, inverted for
/// negative scores, and then the decimals.
pub(super) fn rank(score: &Score) -> Vec<u8> {
    let (floor, decimals) = score.floor_and_rest();
    let (sign, magnitude) = floor.to_bytes_be();
    let length = u32::try_from(magnitude.len()).unwrap_or(u32::MAX).to_be_bytes();
    let positive = length.into_iter().chain(magnitude);
    let integer: Vec<u8> = if sign == Sign::Minus {
        std::iter::once(0).chain(positive.map(|byte| !byte)).collect()
    } else {
        std::iter::once(1).chain(positive).collect()
    };
    [integer, decimals.into_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_list_of_faults_is_complete() {
        let faults = Verdict::ALL.into_iter().filter(|verdict| is_fault(*verdict));
        let names: Vec<String> = faults.map(|verdict| format!("'{}'", verdict.name())).collect();
        let mut listed: Vec<&str> = FAULTS.split(", ").collect();
        listed.sort_by_key(|name| names.iter().position(|known| known == name));
        assert_eq!(listed, names);
    }

    fn score(text: &str) -> Score {
        text.parse().unwrap()
    }

    const NUMBERS: &str =
        "-?[0-9]{1,3}|-?[0-9]{1,60}|-?[0-9]{1,2}\\.[0-9]{1,3}|-?[0-9]{1,30}\\.[0-9]{1,30}|-?[0-9]{1,3}e-?[0-9]{1,2}";

    proptest! {
        #[test]
        fn bytes_sort_as_numbers_do(left in NUMBERS, right in NUMBERS) {
            let (left, right) = (score(&left), score(&right));
            prop_assert_eq!(rank(&left).cmp(&rank(&right)), left.cmp(&right));
        }
    }

    #[test]
    fn an_integer_has_its_sign_length_and_digits() {
        assert_eq!(rank(&score("5")), [1, 0, 0, 0, 1, 5]);
        assert_eq!(rank(&score("0")), [1, 0, 0, 0, 1, 0]);
        assert_eq!(rank(&score("-256")), [0, 255, 255, 255, 253, 254, 255]);
    }

    #[test]
    fn the_turning_points_sort() {
        let texts = [
            "-18446744073709551616",
            "-256.001",
            "-256",
            "-255.999",
            "-255",
            "-1.5",
            "-1.25",
            "-1",
            "-0.5",
            "-0.05",
            "0",
            "0.0625",
            "0.5",
            "0.51",
            "1",
            "1.0001",
            "255",
            "255.9",
            "256",
            "18446744073709551616",
            "18446744073709551616.1",
        ];
        assert!(texts.windows(2).all(|pair| rank(&score(pair[0])) < rank(&score(pair[1]))));
    }
}
