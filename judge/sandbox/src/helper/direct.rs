//! Programs without namespaces: started by the helper itself, walled in by landlock, seccomp and resource limits.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use crate::api::execution::Fault;
use crate::api::fault::Context;
use crate::api::tier::Tier;
use crate::confine::capabilities;
use crate::confine::fork_gate::{self, ForkGate, Pass};
use crate::confine::identity::Identity;
use crate::confine::landlock::{self, Reach};
use crate::confine::launch::{Launch, Launched};
use crate::confine::rlimits::{self, Accounting};
use crate::confine::seccomp::{self, Filters};
use crate::helper::keeper::Leash;
use crate::helper::settings::Settings;
use crate::namespace::view::View;
use crate::protocol::charge::Charge;
use crate::protocol::messages::Task;
use crate::protocol::notes::Notes;
use crate::scratch::disk::Holdings;
use crate::scratch::exchange;
use crate::scratch::folder::Folder;
use crate::watch::gauges::{Disk, Gauges};
use crate::watch::own_program::OwnProgram;
use crate::watch::program::Start;
use crate::watch::reaper::{Account, Reaper};
use crate::watch::tree_clock::TreeClock;

/// The helper's place for them.
pub(crate) struct Bare {
    /// What the keeper is to kill, should this process be killed itself; and what tells it so.
    charge: Option<(OwnedFd, Charge)>,
    folder: Folder,
    identity: Option<Identity>,
    /// Whether programs are walled in at all.
    walled: bool,
    landlock: i32,
    /// What the last program could see.
    seen: Option<Seen>,
    notes: Rc<Notes>,
    reaper: Reaper,
    tree_clock: Option<TreeClock>,
    gate: Option<(ForkGate, Pass)>,
    filters: Filters,
    /// Free bytes on the working folder's disk before the program started.
    free_before: u64,
}

/// What a program can see, and how it gets there.
struct Seen {
    view: View,
    /// `None` where programs are not walled in.
    ruleset: Option<OwnedFd>,
    /// Whether folders on the way keep the program's own user out.
    needs_passage: bool,
}

impl Bare {
    pub(crate) fn open(settings: &mut Settings) -> Result<Bare, Fault> {
        let identity = Identity::take()?;
        let owner = identity.as_ref().map(Identity::id);
        let walled = settings.tier == Tier::Bare;
        let folder = Folder::create(settings.scratch.join(&settings.name), owner, !walled)?;
        let notes = Rc::new(Notes::new().context("making a place for notes")?);
        let reaper = Reaper::open(Rc::clone(&notes))?;
        let charge = settings.leash.take().map(Leash::hold).transpose().context("sharing memory with the keeper")?;
        Ok(Bare {
            charge,
            folder,
            identity,
            walled,
            landlock: landlock::version(),
            seen: None,
            reaper,
            notes,
            tree_clock: TreeClock::open(),
            gate: ForkGate::install(walled),
            filters: Filters::default(),
            free_before: 0,
        })
    }

    /// The user that programs run as, if it is not this process's own.
    pub(crate) fn identity(&self) -> Option<&Identity> {
        self.identity.as_ref()
    }

    /// Makes ready for the next run.
    pub(crate) fn prepare(&mut self, task: &Task) -> Result<(), Fault> {
        self.folder.renew(task.limits.disk, Duration::MAX)?;
        self.folder.hand_out();
        self.free_before = self.folder.free_bytes();
        let view = View::of(task);
        if self.seen.as_ref().is_some_and(|seen| seen.view == view) {
            return Ok(());
        }
        let reach = Reach {
            folder: (self.folder.private(), self.folder.path()),
            program: &task.program,
            visible: &task.visible,
            hidden: &task.hidden,
            whole_root: false,
            executes_own: false,
        };
        let ruleset = if self.walled { landlock::ruleset(&reach)? } else { None };
        let mut paths = task.visible.iter().map(|visible| &visible.path).chain([&task.program]);
        let needs_passage = self.identity.is_some()
            && capabilities::has(capabilities::PASSAGE)
            && paths.any(|path| keeps_others_out(path));
        self.seen = Some(Seen { view, ruleset, needs_passage });
        Ok(())
    }

    /// Removes what the last program, after a run of such a length, has left.
    pub(crate) fn tidy(&mut self, task: &Task, run: Duration) -> Result<(), Fault> {
        self.folder.renew(task.limits.disk, run)
    }

    pub(crate) fn work_folder(&self) -> Option<OwnedFd> {
        self.folder.inner().try_clone_to_owned().ok()
    }

    pub(crate) fn gauges(&self, many: bool) -> Gauges<'_> {
        let root = std::process::id().cast_signed();
        Gauges {
            root,
            cgroup: None,
            tree_clock: self.tree_clock.as_ref(),
            notes: &self.notes,
            folder: self.folder.memory(),
            files: self.disk().filter(|_| self.folder.is_in_memory()),
            user: self.identity.as_ref().map(Identity::id),
            many,
            grants: self.walled,
        }
    }

    pub(crate) fn fork_gate(&self) -> Option<&ForkGate> {
        self.gate.as_ref().map(|(gate, _)| gate)
    }

    /// What there is to watch; nothing where the kernel limits it.
    pub(crate) fn disk(&self) -> Option<&dyn Disk> {
        if self.folder.memory().is_none() { Some(self) } else { None }
    }

    pub(crate) fn start(&self, task: &Task, stdio: [BorrowedFd<'_>; 3]) -> Result<Start<'_>, Fault> {
        let mut launch = match Launch::new(task, stdio, self.folder.inner()) {
            Ok(launch) => launch,
            Err(errno) => return Ok(Start::Refused(errno)),
        };
        if let Some(wanted) = &task.exchange {
            exchange::give(wanted, self.folder.inner())?;
            launch.name_folder(&wanted.variables, &self.folder.inner_path());
        }
        let slack = if self.gate.is_some() { fork_gate::SLACK } else { 0 };
        let other_tasks = self.identity.as_ref().map(|_| slack);
        launch.limits = rlimits::of(&task.limits, Accounting { cgroup: false, other_tasks });
        launch.identity = self.identity.as_ref().map(Identity::id);
        launch.charge = self.charge.as_ref().map(|(_, charge)| charge);
        launch.pass = self.gate.as_ref().map(|(_, pass)| *pass);
        launch.shed_capabilities = true;
        launch.keep_passage = self.seen.as_ref().is_some_and(|seen| seen.needs_passage);
        if self.walled {
            launch.filter = self.filters.of(self.rules(task));
            launch.landlock = self.seen.as_ref().and_then(|seen| seen.ruleset.as_ref()).map(AsFd::as_fd);
        }
        self.notes.clear();
        Ok(match launch.start()? {
            Launched::Running(child) => {
                let account = Account::default();
                let charge = self.charge.as_ref().map(|(_, charge)| charge);
                Start::Running(Box::new(OwnProgram { child, reaper: &self.reaper, account, charge }))
            }
            Launched::Refused(errno) => Start::Refused(errno),
        })
    }

    fn holdings(&self) -> Holdings<'_> {
        self.folder.holdings(self.identity.as_ref().map(Identity::id), self.free_before)
    }

    fn rules(&self, task: &Task) -> seccomp::Rules {
        seccomp::Rules {
            shared_world: true,
            uncharged_memory: true,
            unasked_memory: self.gate.is_none(),
            foreign_code_only: true,
            signals_escape: self.landlock < landlock::SCOPES_SIGNALS,
            truncation_escapes: self.landlock < landlock::KNOWS_TRUNCATION,
            single_process: task.limits.processes == Some(1) && self.gate.is_none(),
        }
    }
}

/// Whether a folder on the way to `path`, or this folder itself, may not be passed by every user.
fn keeps_others_out(path: &Path) -> bool {
    let closed = |path: &Path| {
        path.ancestors()
            .filter_map(|folder| folder.metadata().ok())
            .any(|meta| meta.is_dir() && meta.mode() & 0o001 == 0)
    };
    closed(path) || path.canonicalize().is_ok_and(|real| closed(&real))
}

impl Disk for Bare {
    fn bytes(&self) -> Option<u64> {
        self.holdings().bytes()
    }

    fn left(&self) -> Option<u64> {
        self.holdings().left()
    }
}
