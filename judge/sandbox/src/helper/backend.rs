//! Where a helper starts programs: by itself, or in jails.

use std::os::fd::{BorrowedFd, OwnedFd};
use std::time::Duration;

use crate::api::execution::Fault;
use crate::confine::fork_gate::ForkGate;
use crate::confine::identity::Identity;
use crate::helper::direct::Bare;
use crate::helper::pool::Jails;
use crate::helper::settings::Settings;
use crate::namespace::jail::Jail;
use crate::protocol::messages::Task;
use crate::watch::gauges::{Disk, Gauges, Members};
use crate::watch::program::Start;

/// One or the other, by tier.
pub(crate) enum Backend {
    Bare(Box<Bare>),
    Jails(Box<Jails>),
}

impl Backend {
    pub(crate) fn open(settings: &mut Settings, judge: BorrowedFd<'_>) -> Result<Backend, Fault> {
        Ok(if settings.tier.has_namespaces() {
            Backend::Jails(Box::new(Jails::open(settings, judge)?))
        } else {
            Backend::Bare(Box::new(Bare::open(settings)?))
        })
    }

    /// The user that programs run as, if it is not this process's own.
    pub(crate) fn identity(&self) -> Option<&Identity> {
        match self {
            Backend::Bare(bare) => bare.identity(),
            Backend::Jails(jails) => jails.identity(),
        }
    }

    /// Makes ready for `task`.
    pub(crate) fn prepare(&mut self, task: &Task) -> Result<(), Fault> {
        match self {
            Backend::Bare(bare) => bare.prepare(task),
            Backend::Jails(jails) => jails.prepare(task),
        }
    }

    /// The jail of the last run, if it can be used again as it is.
    pub(crate) fn jail(&self) -> Option<&Jail> {
        match self {
            Backend::Bare(_) => None,
            Backend::Jails(jails) => jails.is_ready().then(|| jails.current()),
        }
    }

    pub(crate) fn gauges<'a>(&'a self, many: bool, members: &'a Members) -> Gauges<'a> {
        match self {
            Backend::Bare(bare) => bare.gauges(many, members),
            Backend::Jails(jails) => jails.current().gauges(many, members),
        }
    }

    /// Starts what was prepared for.
    pub(crate) fn start(&self, task: &Task, stdio: [BorrowedFd<'_>; 3]) -> Result<Start<'_>, Fault> {
        match self {
            Backend::Bare(bare) => bare.start(task, stdio),
            Backend::Jails(jails) => jails.current().start(task, stdio),
        }
    }

    /// What new processes go through where no control group counts them.
    pub(crate) fn fork_gate(&self) -> Option<&ForkGate> {
        match self {
            Backend::Bare(bare) => bare.fork_gate(),
            Backend::Jails(jails) => jails.current().fork_gate(),
        }
    }

    /// Removes what the last program has left. `run`: how long it ran, if it ended by itself and was alone. A jail's
    /// init does that on its own.
    pub(crate) fn tidy(&mut self, run: Option<Duration>) -> Result<(), Fault> {
        match self {
            Backend::Bare(bare) => bare.tidy(run),
            Backend::Jails(_) => Ok(()),
        }
    }

    /// The working folder of the run that has just ended, if it exchanges files.
    pub(crate) fn work_folder(&self) -> Option<OwnedFd> {
        match self {
            Backend::Bare(bare) => bare.work_folder(),
            Backend::Jails(jails) => jails.current().work_folder(),
        }
    }

    /// How to measure a working folder without a size limit of its own.
    pub(crate) fn disk(&self) -> Option<&dyn Disk> {
        match self {
            Backend::Bare(bare) => bare.disk(),
            Backend::Jails(_) => None,
        }
    }
}
