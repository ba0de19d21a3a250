//! Stored answers: packed, each kept once however often it was given, and the oldest dropped when there are too many.

use super::store::{LONGEST_ANSWER, with_answer};
use super::{Journal, JournalError};
use judge_problem::{Digest, Retention, RunId, StoredResult};
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::borrow::Cow;

/// Stores an answer, and returns its row; `None` where it is too long to be kept. One that is there already is only marked as
/// given again.
pub(super) fn store(connection: &Connection, run: RunId, answer: &[u8]) -> rusqlite::Result<Option<i64>> {
    if answer.len() > LONGEST_ANSWER {
        return Ok(None);
    }
    store_packed(connection, run, Digest::of(answer).0, answer.len(), || pack(answer)).map(Some)
}

/// Stores an answer of this hash and length, packed.
pub(super) fn store_packed<'a>(
    connection: &Connection,
    run: RunId,
    hash: [u8; 32],
    bytes: usize,
    packed: impl FnOnce() -> Cow<'a, [u8]>,
) -> rusqlite::Result<i64> {
    // Not in one statement with RETURNING: what it returns takes a table of its own, which costs more than the rest.
    let mut find = connection.prepare_cached("SELECT id, run FROM answer WHERE hash = ?1")?;
    let known = find.query_row([hash], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?))).optional()?;
    if let Some((id, last_given)) = known {
        if last_given != run.0 {
            let mut mark = connection.prepare_cached("UPDATE answer SET run = ?2 WHERE id = ?1")?;
            mark.execute(params![id, run.0])?;
        }
        return Ok(id);
    }
    let packed = packed();
    connection
        .prepare_cached("INSERT INTO answer (hash, run, bytes, packed_bytes) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![hash, run.0, bytes, packed.len()])?;
    let id = connection.last_insert_rowid();
    let mut insert = connection.prepare_cached("INSERT INTO answer_body (answer, packed) VALUES (?1, ?2)")?;
    with_answer(connection, || insert.execute(params![id, packed]))??;
    Ok(id)
}

/// What packing does not make smaller is stored as it is; the lengths tell which.
fn pack(answer: &[u8]) -> Cow<'_, [u8]> {
    let packed = lz4_flex::block::compress(answer);
    if packed.len() < answer.len() { Cow::Owned(packed) } else { Cow::Borrowed(answer) }
}

fn unpack(packed: Vec<u8>, bytes: usize) -> Result<Vec<u8>, JournalError> {
    check_length(bytes)?;
    if packed.len() == bytes {
        return Ok(packed);
    }
    lz4_flex::block::decompress(&packed, bytes)
        .map_err(|error| JournalError::Damaged(format!("a stored answer cannot be unpacked: {error}")))
}

/// Fails where a stored length is none of an answer that is kept.
pub(super) fn check_length(bytes: usize) -> Result<(), JournalError> {
    if bytes > LONGEST_ANSWER {
        return Err(JournalError::Damaged(format!("a stored answer of {bytes} bytes")));
    }
    Ok(())
}

impl Journal {
    /// Returns a stored answer; `None` when it is no longer kept.
    ///
    /// # Errors
    /// When the journal cannot be read, or the answer is not what was stored.
    pub fn answer(&self, id: i64) -> Result<Option<Vec<u8>>, JournalError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT hash, bytes, packed FROM answer JOIN answer_body ON answer_body.answer = answer.id WHERE id = ?1",
        )?;
        let read = |row: &Row<'_>| Ok((row.get::<_, [u8; 32]>(0)?, row.get::<_, usize>(1)?, row.get(2)?));
        let found = with_answer(&self.connection, || statement.query_row([id], read).optional())??;
        let Some((hash, bytes, packed)) = found else { return Ok(None) };
        let answer = unpack(packed, bytes)?;
        if Digest::of(&answer).0 != hash {
            return Err(JournalError::Damaged("a stored answer is not the one that was given".to_owned()));
        }
        Ok(Some(answer))
    }

    /// Returns the answer of a recorded result; `None` when there is none or it is no longer kept.
    ///
    /// # Errors
    /// When the journal cannot be read, or the answer is not what was stored.
    pub fn answer_of(&self, result: StoredResult) -> Result<Option<Vec<u8>>, JournalError> {
        let mut statement =
            self.connection.prepare_cached("SELECT answer FROM result WHERE entrant = ?1 AND place = ?2")?;
        let id: Option<i64> =
            statement.query_row([result.entrant, result.place], |row| row.get(0)).optional()?.flatten();
        id.map_or(Ok(None), |id| self.answer(id))
    }

    /// Drops answers of the oldest runs once there are more than are to be kept, until an eighth of what they may take, in whole
    /// MiB, is free again: all results are looked at for it, which is too much for every run.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub fn apply_retention(&mut self, retention: Retention) -> Result<(), JournalError> {
        let Retention::UpTo(most) = retention else { return Ok(()) };
        // The file's length is known at once; to add up what is stored, all of it is looked at.
        if self.number("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")? <= most.0
            || self.number("SELECT coalesce(sum(packed_bytes), 0) FROM answer")? <= most.0
        {
            return Ok(());
        }
        let rest = most.0 - ((most.0 / 8) >> 20 << 20);
        let transaction = self.connection.transaction()?;
        transaction.execute_batch("CREATE TEMP TABLE dropped (answer INTEGER PRIMARY KEY)")?;
        transaction.execute(
            "INSERT INTO dropped SELECT id FROM
                 (SELECT id, sum(packed_bytes) OVER (ORDER BY run DESC, id DESC) AS so_far FROM answer)
             WHERE so_far > ?1",
            [i64::try_from(rest).unwrap_or(i64::MAX)],
        )?;
        transaction.execute_batch(
            "UPDATE result SET answer = NULL WHERE answer IN (SELECT answer FROM dropped);
             DELETE FROM answer WHERE id IN (SELECT answer FROM dropped);
             DROP TABLE dropped;",
        )?;
        transaction.commit()?;
        self.give_back_space()
    }

    fn number(&self, query: &str) -> rusqlite::Result<u64> {
        self.connection.query_row(query, [], |row| row.get(0))
    }

    /// Gives the file's free pages back to the disk.
    pub(super) fn give_back_space(&self) -> Result<(), JournalError> {
        Ok(self.connection.execute_batch("PRAGMA incremental_vacuum")?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_come_back_as_they_were() {
        let random: Vec<u8> = (0..5000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        for answer in [&b""[..], b"1", b"3 1\n", &random, &b"7 2\n".repeat(10_000)] {
            assert_eq!(unpack(pack(answer).into_owned(), answer.len()).unwrap(), answer);
        }
        assert!(pack(&b"7 2\n".repeat(10_000)).len() < 1000);
        assert!(unpack(vec![0xff; 8], 100).is_err());
    }
}
