//! Programs without namespaces: started by the helper itself, walled in by landlock, seccomp and resource limits.

use std::os::fd::BorrowedFd;

use crate::execution::Fault;
use crate::folder::Folder;
use crate::helper::Settings;
use crate::launch::{Launch, Launched};
use crate::meter::{Gauges, TreeClock};
use crate::order::Order;
use crate::resource_limits::{self, Setting};
use crate::watch::{Disk, OwnProgram, Started};

/// The helper's place for them.
pub(crate) struct Bare {
    folder: Folder,
    identity: Option<u32>,
    tree_clock: Option<TreeClock>,
}

impl Bare {
    pub(crate) fn open(settings: &Settings) -> Result<Bare, Fault> {
        let identity = crate::identity::dedicated();
        let folder = Folder::create(settings.scratch.join(&settings.name), identity)?;
        Ok(Bare { folder, identity, tree_clock: TreeClock::open() })
    }

    /// Makes ready for the next run.
    pub(crate) fn prepare(&mut self) -> Result<(), Fault> {
        self.folder.renew()
    }

    pub(crate) fn gauges(&self, many: bool) -> Gauges<'_> {
        let root = std::process::id().cast_signed();
        Gauges { root, cgroup: None, tree_clock: self.tree_clock.as_ref(), many }
    }

    pub(crate) fn start(&self, order: &Order, stdio: [BorrowedFd<'_>; 3]) -> Result<Started<'_>, Fault> {
        let launch =
            Launch::new(order.program.as_os_str(), &order.argv, &order.environment, stdio, self.folder.inner());
        let mut launch = match launch {
            Ok(launch) => launch,
            Err(errno) => return Ok(Started::Refused(errno)),
        };
        let other_tasks = self.identity.map(|_| 0);
        launch.limits = resource_limits::of(&order.limits, Setting { cgroup: false, other_tasks });
        launch.identity = self.identity;
        launch.shed_capabilities = self.identity.is_none();
        Ok(match launch.start()? {
            Launched::Running(child) => Started::Running(Box::new(OwnProgram { child })),
            Launched::Refused(errno) => Started::Refused(errno),
        })
    }
}

impl Disk for Bare {
    fn bytes(&self, enough: u64) -> u64 {
        self.folder.bytes(enough)
    }
}
