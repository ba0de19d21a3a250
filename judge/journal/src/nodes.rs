//! The machines of a cluster that a run was run on.

use super::columns::named;
use judge_problem::{Node, RunId};
use rusqlite::{Connection, params};

/// Returns the machines of a cluster that a run was run on, by name.
pub(super) fn nodes(connection: &Connection, run: RunId) -> rusqlite::Result<Vec<Node>> {
    let mut statement = connection
        .prepare_cached("SELECT name, host, kernel, cpu_model, load, tier FROM node WHERE run = ?1 ORDER BY name")?;
    let nodes = statement.query_map([run.0], |row| {
        Ok(Node {
            name: row.get(0)?,
            host: row.get(1)?,
            kernel: row.get(2)?,
            cpu_model: row.get(3)?,
            load: row.get(4)?,
            tier: named(row, 5)?,
        })
    })?;
    nodes.collect()
}

/// Writes down a machine of a run, unless it is there.
pub(super) fn add_node(connection: &Connection, run: RunId, node: &Node) -> rusqlite::Result<()> {
    let Node { name, host, kernel, cpu_model, tier, load } = node;
    connection.execute(
        "INSERT OR IGNORE INTO node (run, name, host, kernel, cpu_model, tier, load)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        params![run.0, name, host, kernel, cpu_model, tier.name(), load],
    )?;
    Ok(())
}
