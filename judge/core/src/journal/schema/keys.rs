//! From keys of version 1 to those of version 2: the conditions of a run were hashed in another encoding, and get the key
//! that they have today.
//!
//! Runs whose files (`--dir`) were part of the key do not record them, so that their key cannot be computed again. It stays
//! as it is, and equals no key of today: those results are no longer reused. So it is with the key that an
//! interrupted run is found by, which needs cases that were not run.

use crate::journal::columns::limits;
use crate::journal::key::ResultConditions;
use crate::model::CheckerIdentity;
use crate::model::{Digest, Limits};
use judge_sandbox::Tier;
use rusqlite::{Connection, Row, params};
use std::time::Duration;

/// What a run records of its conditions.
struct Recorded {
    run: i64,
    key: Vec<u8>,
    problem: String,
    checker: CheckerIdentity,
    limits: Limits,
    environment: String,
    tier: Option<Tier>,
    cpu_model: String,
}

/// Gives every run whose conditions are known the key of today.
pub(super) fn carry_over(connection: &Connection) -> rusqlite::Result<()> {
    let mut statement = connection.prepare(
        "SELECT id, conditions, problem, checker, checker_version, cpu_limit_us, wall_limit_us, memory_limit,
             output_limit, process_limit, environment, tier, cpu_model FROM run",
    )?;
    let runs = statement.query_map([], Recorded::read)?.collect::<Result<Vec<_>, _>>()?;
    for run in &runs {
        if let Some(conditions) = run.conditions()
            && run.key == old_key(&conditions).0
        {
            let key = conditions.key();
            connection.execute("UPDATE run SET conditions = ?2 WHERE id = ?1", params![run.run, key.0])?;
        }
    }
    Ok(())
}

impl Recorded {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            run: row.get(0)?,
            key: row.get(1)?,
            problem: row.get(2)?,
            checker: CheckerIdentity { name: row.get(3)?, version: row.get(4)? },
            limits: limits(row, 5)?,
            environment: row.get(10)?,
            tier: row.get::<_, String>(11)?.parse().ok(),
            cpu_model: row.get(12)?,
        })
    }

    /// The conditions of a run without files of its own; `None` where its tier is unknown.
    fn conditions(&self) -> Option<ResultConditions<'_>> {
        let Self { problem, checker, limits, environment, tier, cpu_model, .. } = self;
        Some(ResultConditions { problem, checker, limits, environment, visible: &[], tier: (*tier)?, cpu_model })
    }
}

/// The key of version 1 of conditions without files. It never changes, even if a type is renamed.
fn old_key(conditions: &ResultConditions<'_>) -> Digest {
    let ResultConditions { problem, checker, limits, environment, tier, cpu_model, .. } = conditions;
    let Limits { cpu, wall, memory, output, processes } = limits;
    let limits = format!(
        "Limits {{ cpu: Time({}), wall: Time({}), memory: Bytes({}), output: Bytes({}), processes: {processes} }}",
        old_time(cpu.0),
        old_time(wall.0),
        memory.0,
        output.0
    );
    let version = checker.version.to_string();
    let texts = [problem, &*checker.name, &version, &limits, environment, "[]", tier.name(), cpu_model];
    Digest::of_parts(texts.map(str::as_bytes))
}

/// A time as a key of version 1 has it: `4s`, `1.25s`, `500.5ms`, `10µs`, `0ns`.
fn old_time(time: Duration) -> String {
    let micros = time.as_micros();
    let (whole, part, digits, unit) = match micros {
        0 => return "0ns".to_owned(),
        1..=999 => (micros, 0, 1, "µs"),
        1_000..=999_999 => (micros / 1_000, micros % 1_000, 3, "ms"),
        _ => (micros / 1_000_000, micros % 1_000_000, 6, "s"),
    };
    let number = format!("{whole}.{part:0digits$}");
    format!("{}{unit}", number.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_in_keys_of_version_1() {
        for (micros, text) in [
            (0, "0ns"),
            (10, "10µs"),
            (500_500, "500.5ms"),
            (20_000, "20ms"),
            (4_000_000, "4s"),
            (1_250_000, "1.25s"),
            (100_000_000, "100s"),
        ] {
            assert_eq!(old_time(Duration::from_micros(micros)), text);
        }
    }
}
