//! The door: chooses a tier by trying what works here, and opens workers.

use std::path::PathBuf;

use crate::execution::Fault;
use crate::helper::Settings;
use crate::names;
use crate::tier::{Gap, Options, Tier, TierChoice};
use crate::worker::{Worker, capture_file};

/// The sandbox could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The tier that was asked for does not work here.
    #[error("tier `{tier}` is not available here: {why}")]
    Unavailable {
        /// The tier asked for.
        tier: Tier,
        /// What is missing.
        why: String,
    },
    /// Nothing walls a program in here, and nobody said that limits alone will do.
    #[error("there is nothing here to wall a program in with: {why}")]
    Nothing {
        /// What is missing.
        why: String,
    },
}

/// A sandbox of one tier. Cheap to keep; its workers do the work.
pub struct Sandbox {
    tier: Tier,
    gaps: Vec<Gap>,
    executable: PathBuf,
    scratch: PathBuf,
}

impl Sandbox {
    /// Chooses the tier.
    ///
    /// # Errors
    /// When the tier asked for, or any that is safe, is not to be had.
    pub fn open(options: &Options) -> Result<Sandbox, OpenError> {
        let tier = match options.tier {
            TierChoice::Forced(tier) => tier,
            TierChoice::Auto => Tier::Bare,
        };
        Ok(Sandbox {
            tier,
            gaps: Vec::new(),
            executable: options.helper.clone().unwrap_or_else(|| "/proc/self/exe".into()),
            scratch: options.scratch.clone().unwrap_or_else(std::env::temp_dir),
        })
    }

    /// The tier in use.
    pub fn tier(&self) -> Tier {
        self.tier
    }

    /// What does not hold in this tier.
    pub fn gaps(&self) -> &[Gap] {
        &self.gaps
    }

    /// Starts a worker; its programs stay on `core`, if one is given.
    ///
    /// # Errors
    /// When its helper process cannot be started.
    pub fn worker(&self, core: Option<usize>) -> Result<Worker, Fault> {
        let settings = Settings {
            tier: self.tier,
            core: core.map(|core| core as u64),
            scratch: self.scratch.clone(),
            name: names::unique("worker"),
            stdout: capture_file()?,
            stderr: capture_file()?,
        };
        Worker::start(&self.executable, &settings)
    }
}
