//! The form of the journal's file: its tables, and the number that tells one form from another.

use rusqlite::{Connection, TransactionBehavior};
use std::sync::OnceLock;

/// The form that this judge reads and writes. A file of another one is refused.
pub(super) const FORM: u32 = 13;

const TABLES: &str = include_str!("schema.sql");

/// Makes the tables in a new file. Of two judges at once, the second waits, and then finds the tables of the first.
pub(super) fn make_tables(connection: &mut Connection) -> rusqlite::Result<()> {
    if form(connection)? != 0 {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if form(&transaction)? == 0 {
        transaction.execute_batch(TABLES)?;
        transaction.pragma_update(None, "user_version", FORM)?;
    }
    transaction.commit()
}

/// Returns the form of the file; 0 for a new one.
pub(super) fn form(connection: &Connection) -> rusqlite::Result<u32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// A table or an index: its kind, its name, its table, and the statement that makes it.
type Object = (String, String, String, Option<String>);

/// Returns whether a file has the tables and indexes of this form and nothing else. Another table of the same name, a view or a
/// trigger would let the file decide what a query does.
pub(super) fn is_own(connection: &Connection) -> rusqlite::Result<bool> {
    static OWN: OnceLock<Vec<Object>> = OnceLock::new();
    let own = match OWN.get() {
        Some(own) => own,
        None => {
            let mut new = Connection::open_in_memory()?;
            make_tables(&mut new)?;
            let own = objects(&new, i64::MAX)?;
            OWN.get_or_init(|| own)
        }
    };
    Ok(objects(connection, own.len() as i64 + 1)? == *own)
}

fn objects(connection: &Connection, most: i64) -> rusqlite::Result<Vec<Object>> {
    let mut statement =
        connection.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name LIMIT ?1")?;
    let objects = statement.query_map([most], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
    objects.collect()
}
