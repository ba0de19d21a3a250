//! Chooses a tier by trying what works here, and opens workers.

use crate::api::execution::Fault;
use crate::api::request::Request;
use crate::api::tier::{Gap, Options, Tier, TierChoice};
use crate::memory::{Finding, Memory};
use crate::probe::{self, Found, Ground, Unfit, WaitingWorker};
use crate::proc::child_process::OWN_EXECUTABLE;
use crate::sweep;
use crate::worker::Worker;

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
    /// Something that every tier needs has run out. A weaker tier might need less of it, but would be weaker than what
    /// this machine offers.
    #[error("the sandbox cannot be tried: {why}")]
    Shortage {
        /// What failed.
        why: String,
    },
    /// No tier that isolates works here, and limits alone are not allowed.
    #[error("no isolation mechanism is available: {why}")]
    Nothing {
        /// What is missing.
        why: String,
    },
}

/// A sandbox of one tier. Its workers do the work.
pub struct Sandbox {
    tier: Tier,
    found: Found,
}

impl Sandbox {
    /// Chooses the tier, by trying or by what is remembered of that, and removes what judges that were killed have left
    /// behind.
    ///
    /// # Errors
    /// When the tier asked for, or every tier that isolates, is not available.
    pub fn open(options: &Options) -> Result<Sandbox, OpenError> {
        let executable = options.helper.clone().unwrap_or_else(|| OWN_EXECUTABLE.into());
        let scratch = options.scratch.clone().unwrap_or_else(std::env::temp_dir);
        let memory = Memory::of(options, &executable, &scratch);
        let memory = memory.as_ref();
        if let Some(memory) = memory
            && let Some(Finding { tier, site, gaps }) = memory.recall()
        {
            let ground = Ground { executable, scratch, site, memory: Some(memory.file().to_owned()) };
            return Ok(Sandbox::swept(tier, probe::recalled(tier, ground, gaps, options.all_cores)));
        }
        let attempt = |tier| probe::attempt(tier, &executable, &scratch, memory).map(|found| (tier, found));
        let (tier, found) = match options.tier {
            TierChoice::Forced(tier) => attempt(tier).map_err(|Unfit { why, shortage }| match shortage {
                true => OpenError::Shortage { why },
                false => OpenError::Unavailable { tier, why },
            })?,
            TierChoice::Auto => strongest(options.allow_unsafe, attempt)?,
        };
        if let Some(memory) = memory {
            memory.keep(&Finding { tier, site: found.ground.site.clone(), gaps: found.gaps.clone() });
        }
        Ok(Sandbox::swept(tier, found))
    }

    fn swept(tier: Tier, found: Found) -> Sandbox {
        sweep::sweep(&found.ground.scratch, found.ground.site.as_ref());
        Sandbox { tier, found }
    }

    /// The tier in use.
    pub fn tier(&self) -> Tier {
        self.tier
    }

    /// What does not hold in this tier.
    pub fn gaps(&self) -> &[Gap] {
        &self.found.gaps
    }

    /// Starts a worker for each of these cores, unless one waits for it, and has it make ready for `request`, if one is
    /// given. That takes some milliseconds: the caller does other things meanwhile. [`worker`](Self::worker) hands them
    /// out.
    pub fn make_ready(&self, cores: &[usize], request: Option<&Request>) {
        let mut waiting = self.found.waiting.lock();
        for &core in cores {
            let core = Some(core);
            if !waiting.iter().any(|waiting| waiting.core == core)
                && let Ok(worker) = probe::worker(self.tier, &self.found.ground, core)
            {
                waiting.push(WaitingWorker { worker, core });
            }
        }
        let is_meant = |waiting: &&mut WaitingWorker| waiting.core.is_some_and(|core| cores.contains(&core));
        for WaitingWorker { worker, .. } in waiting.iter_mut().filter(is_meant) {
            request.into_iter().for_each(|request| worker.make_ready(request));
        }
    }

    /// Starts a worker, or hands out one that waits; its programs stay on `core`, if one is given.
    ///
    /// # Errors
    /// When its helper process cannot be started.
    pub fn worker(&self, core: Option<usize>) -> Result<Worker, Fault> {
        match self.take_waiting(core) {
            Some(worker) => Ok(worker),
            None => probe::worker(self.tier, &self.found.ground, core),
        }
    }

    /// A worker that waits for this core, or for all. Who wants one for all cores has no use for others: then they end.
    fn take_waiting(&self, core: Option<usize>) -> Option<Worker> {
        let mut waiting = self.found.waiting.lock();
        if core.is_none() {
            waiting.retain(|waiting| waiting.core.is_none());
        }
        let place = waiting.iter().position(|waiting| waiting.core == core)?;
        Some(waiting.remove(place).worker)
    }
}

fn strongest(
    allow_unsafe: bool,
    attempt: impl Fn(Tier) -> Result<(Tier, Found), Unfit>,
) -> Result<(Tier, Found), OpenError> {
    let mut reasons = Vec::new();
    for tier in Tier::ALL.into_iter().filter(|tier| *tier != Tier::Unsafe || allow_unsafe) {
        match attempt(tier) {
            Ok(found) => return Ok(found),
            Err(Unfit { why, shortage: true }) => return Err(OpenError::Shortage { why: format!("{tier}: {why}") }),
            Err(Unfit { why, .. }) => reasons.push(format!("{tier}: {why}")),
        }
    }
    Err(OpenError::Nothing { why: reasons.join("; ") })
}
