//! The tags and notes of runs. What cannot be one, in a journal that another program wrote, is left out.

use super::{Journal, JournalError};
use judge_problem::{Digest, Labels, Note, RunId};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

impl Journal {
    /// Returns the tags and the note of a run; none if there is no such run.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn labels(&self, run: RunId) -> Result<Labels, JournalError> {
        Ok(labels(&self.connection, run)?)
    }

    /// Changes the tags and the note of a run, and returns what they are now.
    ///
    /// # Errors
    /// When there is no such run, when it would have too many tags, or when the journal cannot be written.
    pub fn change_labels(&mut self, run: RunId, change: impl FnOnce(&mut Labels)) -> Result<Labels, JournalError> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut now = labels(&transaction, run)?;
        change(&mut now);
        if now.tags.len() > Labels::MOST_TAGS {
            return Err(JournalError::ManyTags(run));
        }
        if !write_labels(&transaction, run, &now)? {
            return Err(JournalError::NoRun(run));
        }
        transaction.commit()?;
        Ok(now)
    }
}

/// Returns the tags and the note of a run.
pub(super) fn labels(connection: &Connection, run: RunId) -> rusqlite::Result<Labels> {
    let mut statement = connection.prepare_cached("SELECT name FROM tag WHERE run = ?1")?;
    let tags = statement.query_map([run.0], |row| row.get::<_, String>(0))?;
    let tags = tags.filter_map(|tag| tag.map(|tag| tag.parse().ok()).transpose()).collect::<Result<_, _>>()?;
    let mut statement = connection.prepare_cached("SELECT note FROM run WHERE id = ?1")?;
    let note = statement.query_row([run.0], |row| row.get::<_, Option<String>>(0)).optional()?.flatten();
    Ok(Labels { tags, note: note.and_then(|note| note.parse::<Note>().ok()) })
}

/// Returns the tags and the notes of all runs of a plan as those of one run.
pub(super) fn labels_of_plan(connection: &Connection, plan: Digest) -> rusqlite::Result<Labels> {
    let mut statement = connection.prepare("SELECT id FROM run WHERE plan = ?1")?;
    let runs = statement.query_map([plan.0], |row| row.get(0).map(RunId))?;
    let mut all = Labels::default();
    for run in runs {
        all.add(labels(connection, run?)?);
    }
    Ok(all)
}

/// Writes down the tags and the note of a run, and returns whether there is one.
pub(super) fn write_labels(connection: &Connection, run: RunId, labels: &Labels) -> rusqlite::Result<bool> {
    let note = labels.note.as_ref().map(AsRef::as_ref);
    let written =
        connection.execute("UPDATE run SET note = ?2, edits = edits + 1 WHERE id = ?1", params![run.0, note])?;
    connection.execute("DELETE FROM tag WHERE run = ?1", [run.0])?;
    for tag in labels.tags.iter().filter(|_| written > 0) {
        connection.execute("INSERT INTO tag (run, name) VALUES (?1, ?2)", params![run.0, tag.as_ref()])?;
    }
    Ok(written > 0)
}
