//! Runs on a cluster: where they go on, and the machines that took part.

use super::nodes::add_node;
use super::{Journal, JournalError, Recording};
use judge_problem::{ClusterJob, Node, RunId};
use rusqlite::{OptionalExtension, Row, params};
use std::path::PathBuf;

impl Recording {
    /// Writes down where the run goes on without this judge.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub fn store_job(&self, job: &ClusterJob) -> Result<(), JournalError> {
        self.connection()?.execute(
            "INSERT OR REPLACE INTO cluster_job (run, engine, id, folder) VALUES (?1, ?2, ?3, ?4)",
            params![self.run().0, job.engine, job.id, job.folder.to_string_lossy()],
        )?;
        Ok(())
    }

    /// Returns where the runs went on that are complete.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn completed_cluster_jobs(&self) -> Result<Vec<ClusterJob>, JournalError> {
        let mut statement = self.connection()?.prepare(
            "SELECT engine, cluster_job.id, folder FROM cluster_job JOIN run ON run.id = run WHERE state = 'complete'",
        )?;
        let jobs = statement.query_map([], read_job)?;
        Ok(jobs.collect::<Result<_, _>>()?)
    }

    /// Writes down a machine that takes part.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub fn store_node(&self, node: &Node) -> Result<(), JournalError> {
        Ok(add_node(self.connection()?, self.run(), node)?)
    }

    /// Takes the cases after the last one with a result out of the run.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub fn trim_cases(&self) -> Result<(), JournalError> {
        self.connection()?.execute(
            "UPDATE run SET case_count = (SELECT coalesce(max(result.place) + 1, 0) FROM entrant
                 JOIN result ON result.entrant = entrant.id WHERE entrant.run = run.id) WHERE id = ?1",
            [self.run().0],
        )?;
        Ok(())
    }
}

impl Journal {
    /// Returns where a run goes on; `None` if it was run by its judge alone.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn cluster_job(&self, run: RunId) -> Result<Option<ClusterJob>, JournalError> {
        let mut statement =
            self.connection.prepare_cached("SELECT engine, id, folder FROM cluster_job WHERE run = ?1")?;
        Ok(statement.query_row([run.0], read_job).optional()?)
    }
}

fn read_job(row: &Row<'_>) -> rusqlite::Result<ClusterJob> {
    Ok(ClusterJob { engine: row.get(0)?, id: row.get(1)?, folder: PathBuf::from(row.get::<_, String>(2)?) })
}
