//! The forms of the journal's file, and the steps from one to the next.

mod keys;

use rusqlite::{Connection, TransactionBehavior};

/// A step from one form of the file to the next.
enum Migration {
    /// Changes the tables.
    Sql(&'static str),
    /// Changes what is in them.
    Carry(fn(&Connection) -> rusqlite::Result<()>),
}

/// Every step. One that was ever released is never changed.
const STEPS: &[Migration] = &[
    Migration::Sql(include_str!("1.sql")),
    Migration::Sql(include_str!("2.sql")),
    // The keys of version 2.
    Migration::Carry(keys::carry_over),
    Migration::Sql(include_str!("4.sql")),
    Migration::Sql(include_str!("5.sql")),
    Migration::Sql(include_str!("6.sql")),
    Migration::Sql(include_str!("7.sql")),
    Migration::Sql(include_str!("8.sql")),
    Migration::Sql(include_str!("9.sql")),
    Migration::Sql(include_str!("10.sql")),
    Migration::Sql(include_str!("11.sql")),
];

/// The newest form.
pub(super) const NEWEST: u32 = STEPS.len() as u32;

/// Takes the steps that the file has not taken yet, and returns its form. Two judges at once take each step once: the
/// second waits, and then finds the first one's work. A newer judge's file is left alone.
pub(super) fn migrate(connection: &mut Connection) -> rusqlite::Result<u32> {
    if form(connection)? >= NEWEST {
        return form(connection);
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let taken = form(&transaction)?;
    for step in STEPS.iter().skip(taken as usize) {
        match step {
            Migration::Sql(text) => transaction.execute_batch(text)?,
            Migration::Carry(carry) => carry(&transaction)?,
        }
    }
    transaction.pragma_update(None, "user_version", NEWEST.max(taken))?;
    transaction.commit()?;
    form(connection)
}

/// Returns the form of the file; 0 for a new one.
pub(super) fn form(connection: &Connection) -> rusqlite::Result<u32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}
