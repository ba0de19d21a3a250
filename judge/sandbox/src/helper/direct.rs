//! Programs without namespaces: started by the helper itself, restricted by landlock, seccomp and resource limits.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::rc::Rc;
use std::time::Duration;

use crate::api::clock;
use crate::api::execution::Fault;
use crate::api::fault::Context;
use crate::api::tier::Tier;
use crate::confine::capabilities;
use crate::confine::closed;
use crate::confine::fork_gate::{Also, ForkGate};
use crate::confine::identity::Identity;
use crate::confine::landlock;
use crate::confine::launch::{Launch, Launched};
use crate::confine::launcher::Launcher;
use crate::confine::walls::{Isolation, WallContext, Walls};
use crate::helper::keeper::Leash;
use crate::helper::settings::Settings;
use crate::namespace::view::View;
use crate::protocol::messages::Task;
use crate::protocol::notes::Notes;
use crate::scratch::disk::Holdings;
use crate::scratch::exchange;
use crate::scratch::folder::Folder;
use crate::watch::gauges::{Disk, Gauges, Members};
use crate::watch::own_program::OwnProgram;
use crate::watch::program::Start;
use crate::watch::reaper::{Account, Reaper};
use crate::watch::tree_clock::TreeClock;

/// The helper's place for them.
pub(crate) struct Bare {
    /// The keeper acts when this is closed.
    _alive: OwnedFd,
    folder: Folder,
    /// The size that it was asked for last.
    size: u64,
    identity: Option<Identity>,
    /// Whether landlock and seccomp restrict programs.
    restricted: bool,
    /// What the last program could see.
    seen: Option<View>,
    notes: Rc<Notes>,
    reaper: Reaper,
    tree_clock: Option<TreeClock>,
    gate: Option<ForkGate>,
    walls: WallContext,
    /// Starts programs, if they can inherit their filter; else this thread does.
    launcher: Option<Launcher>,
    /// Free bytes on the working folder's disk before the program started.
    free_before: u64,
}

impl Bare {
    pub(crate) fn open(settings: &mut Settings) -> Result<Bare, Fault> {
        let identity = Identity::take()?;
        let owner = identity.as_ref().map(Identity::id);
        let restricted = settings.tier == Tier::Bare;
        let folder = Folder::create(settings.scratch.join(&settings.name), owner, !restricted)?;
        let notes = Rc::new(Notes::new().context("making a place for notes")?);
        let reaper = Reaper::open(Rc::clone(&notes))?;
        // A second try after one that failed here has none any more: no program runs without.
        let leash = settings.leash.take().ok_or_else(|| io::Error::from(io::ErrorKind::NotConnected));
        let (alive, charge) = leash.and_then(Leash::hold).context("sharing memory with the keeper")?;
        let tree_clock = TreeClock::open();
        // After all that it has to share with this thread: the reaper's blocked signal, the clock, the folder's mounts.
        let can_inherit = restricted && landlock::version() >= landlock::SCOPES_SIGNALS;
        let launcher = can_inherit.then(Launcher::start).transpose()?;
        // Without a launcher the gate is on this thread, too, which reads the clocks of the programs: it would ask itself.
        let also = Also { memory: restricted, clocks: launcher.is_some() };
        let (gate, pass) = by(launcher.as_ref(), || ForkGate::install(also)).unzip();
        let isolation = Isolation {
            restricted,
            shared_world: true,
            has_cgroup: false,
            counts_cpu: false,
            other_tasks: owner.map(|_| 0),
            identity: owner,
            pass,
            asks_for_clocks: also.clocks,
        };
        let mut walls = WallContext::new(isolation, Some(charge));
        if let Some(launcher) = &launcher {
            launcher.run(|| walls.share_filter());
        }
        Ok(Bare {
            _alive: alive,
            folder,
            size: 0,
            identity,
            restricted,
            seen: None,
            notes,
            reaper,
            tree_clock,
            gate,
            walls,
            launcher,
            free_before: 0,
        })
    }

    /// The user that programs run as, if it is not this process's own.
    pub(crate) fn identity(&self) -> Option<&Identity> {
        self.identity.as_ref()
    }

    /// Makes ready for the next run.
    pub(crate) fn prepare(&mut self, task: &Task) -> Result<(), Fault> {
        self.size = task.limits.disk;
        self.folder.renew(self.size, None)?;
        self.folder.hand_out();
        self.free_before = self.folder.free_bytes();
        let view = View::of(task);
        if self.seen.as_ref() == Some(&view) {
            return Ok(());
        }
        let mut paths = task.visible.iter().map(|visible| &visible.path).chain([&task.program]);
        let needs_passage = self.identity.is_some()
            && capabilities::has(capabilities::PASSAGE)
            && (paths.any(|path| closed::keeps_others_out(path)) || needs_its_callers_rights(task));
        self.walls.open_to(task, (self.folder.private(), self.folder.path()), needs_passage)?;
        self.seen = Some(view);
        Ok(())
    }

    /// Removes what the last program has left. `run`: how long it ran, if it ended by itself and was alone.
    pub(crate) fn tidy(&mut self, run: Option<Duration>) -> Result<(), Fault> {
        self.folder.renew(self.size, run.filter(|_| self.restricted))
    }

    pub(crate) fn work_folder(&self) -> Option<OwnedFd> {
        self.folder.inner().try_clone_to_owned().ok()
    }

    pub(crate) fn gauges<'a>(&'a self, many: bool, members: &'a Members) -> Gauges<'a> {
        let root = std::process::id().cast_signed();
        Gauges {
            root,
            cgroup: None,
            root_clock: self.tree_clock.as_ref(),
            accounts: None,
            notes: &self.notes,
            folder: self.folder.memory(),
            files: self.disk().filter(|_| self.folder.is_in_memory()),
            user: self.identity.as_ref().map(Identity::id),
            many,
            members,
            grants: self.restricted,
        }
    }

    pub(crate) fn fork_gate(&self) -> Option<&ForkGate> {
        self.gate.as_ref()
    }

    /// What there is to watch; nothing where the kernel limits it.
    pub(crate) fn disk(&self) -> Option<&dyn Disk> {
        if self.folder.memory().is_none() { Some(self) } else { None }
    }

    pub(crate) fn start(&self, task: &Task, stdio: [BorrowedFd<'_>; 3]) -> Result<Start<'_>, Fault> {
        let walls = Walls::of(&self.walls, task);
        let start = task.folder.as_deref().map(Launch::folder).transpose()?;
        let folder = start.as_ref().map_or(self.folder.inner(), AsFd::as_fd);
        let mut launch = match Launch::new(task, stdio, folder, walls) {
            Ok(launch) => launch,
            Err(errno) => return Ok(Start::Refused(errno)),
        };
        if let Some(wanted) = &task.exchange {
            exchange::give(wanted, self.folder.inner())?;
            launch.name_folder(&wanted.variables, &self.folder.inner_path());
        }
        self.notes.clear();
        let charge = self.walls.charge();
        if let Some(charge) = charge {
            // Before there is a program: this process may be stopped at any moment.
            charge.set_deadline(task.deadline(clock::now()));
        }
        let launched = by(self.launcher.as_ref(), || launch.start());
        if let (Some(charge), Err(_) | Ok(Launched::Refused(_))) = (charge, &launched) {
            // A child that came to nothing has noted itself there.
            charge.clear();
        }
        Ok(match launched? {
            Launched::Running(child) => {
                let account = Account::default();
                Start::Running(Box::new(OwnProgram { child, reaper: &self.reaper, account, charge }))
            }
            Launched::Refused(errno) => Start::Refused(errno),
        })
    }

    fn holdings(&self) -> Holdings<'_> {
        self.folder.holdings(self.identity.as_ref().map(Identity::id), self.free_before)
    }
}

/// Does `work` on the launcher, if there is one.
fn by<T: Send>(launcher: Option<&Launcher>, work: impl FnOnce() -> T + Send) -> T {
    match launcher {
        Some(launcher) => launcher.run(work),
        None => work(),
    }
}

/// Whether a program reads what its caller can, and modes close some of it to others.
fn needs_its_callers_rights(task: &Task) -> bool {
    task.folder.is_some() && !closed::below(task.visible.iter().map(|visible| visible.path.clone())).is_empty()
}

impl Disk for Bare {
    fn bytes(&self) -> Option<u64> {
        self.holdings().bytes()
    }

    fn left(&self) -> Option<u64> {
        self.holdings().left()
    }
}
