//! How a catalogue's runs use Slurm.

use super::Time;
use std::path::PathBuf;

/// The `[engine.slurm]` table of a catalogue: what the command line does not say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SlurmTable {
    /// The shared folder for the files of runs.
    pub workdir: Option<PathBuf>,
    /// Options of `sbatch`.
    pub sbatch: Vec<String>,
    /// What nodes must have.
    pub constraint: Option<String>,
    /// How often the cases of a lost task run again.
    pub retries: Option<u32>,
    /// How long a job may take to be submitted.
    pub submit_wait: Option<Time>,
}
