//! The form of the journal's file: its tables, and the number that tells one form from another.

use rusqlite::{Connection, TransactionBehavior};

/// The form that this judge reads and writes. A file of another one is refused.
pub(super) const FORM: u32 = 12;

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
