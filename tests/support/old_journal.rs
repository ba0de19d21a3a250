//! A journal as the first judge left it.

use rusqlite::Connection;
use std::path::Path;

/// Writes the journal anew in its first form. What that form has no column for is lost.
pub(crate) fn back_to_form_1(file: &Path) {
    let old = file.with_extension("old");
    let connection = Connection::open(&old).unwrap();
    connection.execute_batch(include_str!("../../judge/core/src/journal/schema/1.sql")).unwrap();
    connection.execute("ATTACH ?1 AS newer", [file.to_str().unwrap()]).unwrap();
    for table in ["run", "entrant", "game_case", "answer", "answer_body", "result"] {
        let columns: String = connection
            .query_row("SELECT group_concat(name) FROM pragma_table_info(?1, 'main')", [table], |row| row.get(0))
            .unwrap();
        let copy = format!("INSERT INTO main.{table} ({columns}) SELECT {columns} FROM newer.{table}");
        connection.execute_batch(&copy).unwrap();
    }
    connection.execute_batch("DETACH newer; PRAGMA user_version = 1").unwrap();
    drop(connection);
    std::fs::rename(old, file).unwrap();
}
