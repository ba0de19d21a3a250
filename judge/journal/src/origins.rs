//! Where the results of a run come from that other runs recorded.

use super::columns::{count, named, time};
use super::{Journal, JournalError};
use judge_problem::{Node, NodeList, Origin, RunId, Shard};
use rusqlite::{Connection, Row};
use std::collections::HashMap;
use std::path::PathBuf;

/// The machines of the runs that a run has results of, by origin; `None` is the run itself. They are named where there are
/// several.
pub(super) struct OriginMachines<'a> {
    machines: HashMap<Option<i64>, Node>,
    nodes: &'a mut NodeList,
    /// Their names among the nodes.
    names: HashMap<Option<i64>, String>,
}

impl<'a> OriginMachines<'a> {
    /// Returns those of a run, the nodes of which they are added to.
    pub(super) fn of(connection: &Connection, run: RunId, nodes: &'a mut NodeList) -> rusqlite::Result<Self> {
        let mut statement = connection.prepare(
            "SELECT id, host, kernel, cpu_model, tier FROM origin WHERE run = ?1
             UNION ALL SELECT NULL, host, kernel, cpu_model, tier FROM run WHERE id = ?1 AND NOT merged",
        )?;
        let machine = |row: &Row<'_>| {
            let (host, kernel, cpu_model): (String, _, _) = (row.get(1)?, row.get(2)?, row.get(3)?);
            Ok((row.get(0)?, Node { name: host.clone(), host, kernel, cpu_model, tier: named(row, 4)?, load: None }))
        };
        let mut machines: HashMap<Option<i64>, Node> =
            statement.query_map([run.0], machine)?.collect::<Result<_, _>>()?;
        if machines.values().collect::<Vec<_>>().windows(2).all(|pair| pair[0] == pair[1]) {
            machines.clear();
        }
        Ok(Self { machines, nodes, names: HashMap::new() })
    }

    /// Returns the name of the machine that a result of this origin was found on; `None` where all are of one machine.
    pub(super) fn name(&mut self, origin: Option<i64>) -> Option<String> {
        let machine = self.machines.get(&origin)?;
        Some(self.names.entry(origin).or_insert_with(|| self.nodes.add(machine.clone())).clone())
    }
}

impl Journal {
    /// Returns the runs that a run has results of, in the order of their shards; none of a run that was recorded here.
    pub(super) fn origins(&self, run: RunId) -> Result<Vec<Origin>, JournalError> {
        Ok(origins(&self.connection, run)?)
    }
}

/// Returns the runs that a run has results of, in the order of their shards.
pub(super) fn origins(connection: &Connection, run: RunId) -> rusqlite::Result<Vec<Origin>> {
    let mut statement = connection.prepare(
        "SELECT shard, shards, started, state, elapsed_us, command, played, results, jobs, tier, host, kernel, cpu_model,
             judge, file FROM origin WHERE run = ?1 ORDER BY shards, shard, started, uid",
    )?;
    statement.query_map([run.0], read)?.collect()
}

fn read(row: &Row<'_>) -> rusqlite::Result<Origin> {
    let shard: (Option<u32>, Option<u32>) = (row.get(0)?, row.get(1)?);
    Ok(Origin {
        shard: shard.0.zip(shard.1).and_then(|(number, count)| Shard::new(number, count).ok()),
        started: row.get(2)?,
        state: named(row, 3)?,
        elapsed: time(row, 4)?.unwrap_or_default(),
        command: row.get(5)?,
        played: count(row, 6)?,
        results: count(row, 7)?,
        jobs: count(row, 8)?,
        tier: named(row, 9)?,
        host: row.get(10)?,
        kernel: row.get(11)?,
        cpu_model: row.get(12)?,
        judge: row.get(13)?,
        file: PathBuf::from(row.get::<_, String>(14)?),
    })
}
