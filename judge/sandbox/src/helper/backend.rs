//! How a helper starts programs: by itself, or in jails.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::rc::Rc;
use std::time::Duration;

use rustix::event::PollFlags;

use crate::cgroup::site::Site;
use crate::clock;
use crate::confine::fork_gate::{ForkGate, GateScope};
use crate::confine::identity::{self, Identity};
use crate::confine::launch::{Child, Launch, Launcher, OrRefused};
use crate::confine::{Confinement, ConfinementContext, Isolation, landlock};
use crate::namespace::init::Users;
use crate::namespace::mounts::View;
use crate::namespace::{EmptyJail, Jail};
use crate::process::DeadManSwitch;
use crate::protocol::is_ready;
use crate::protocol::messages::{KeeperLink, RunSpec, Settings};
use crate::protocol::shared_memory::{KillTarget, StatusPage};
use crate::request::{Context, Fault};
use crate::scratch::disk::DiskUsage;
use crate::scratch::{Folder, exchange};
use crate::tier::Tier;
use crate::watch::Program;
use crate::watch::gauges::{Gauges, RunMembers, TreeClock};
use crate::watch::reaper::{self, Finished, ReapedUsage, Reaper, Scope};

/// By tier: without namespaces, or with them.
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

    /// The user of the programs, if it differs from this process's user.
    pub(crate) fn identity(&self) -> Option<&Identity> {
        match self {
            Backend::Bare(bare) => bare.identity.as_ref(),
            Backend::Jails(jails) => jails.identity.as_ref(),
        }
    }

    /// Prepares for `spec`. Ends early if the judge has gone or cancelled the run.
    pub(crate) fn prepare(&mut self, spec: &RunSpec, judge: BorrowedFd<'_>) -> Result<(), Fault> {
        match self {
            Backend::Bare(bare) => bare.prepare(spec, judge),
            Backend::Jails(jails) => jails.prepare(spec),
        }
    }

    /// The jail of the last run, if it can be used again.
    pub(crate) fn jail(&self) -> Option<&Jail> {
        match self {
            Backend::Bare(_) => None,
            Backend::Jails(jails) => jails.is_ready().then(|| jails.current()),
        }
    }

    pub(crate) fn gauges<'a>(&'a self, may_have_others: bool, members: &'a RunMembers) -> Gauges<'a> {
        match self {
            Backend::Bare(bare) => bare.gauges(may_have_others, members),
            Backend::Jails(jails) => jails.current().gauges(may_have_others, members),
        }
    }

    /// Starts the prepared program.
    pub(crate) fn start(
        &self,
        spec: &RunSpec,
        stdio: [BorrowedFd<'_>; 3],
    ) -> Result<OrRefused<Box<dyn Program + '_>>, Fault> {
        match self {
            Backend::Bare(bare) => bare.start(spec, stdio),
            Backend::Jails(jails) => jails.current().start(spec, stdio),
        }
    }

    /// The gate for new processes, where no control group counts them.
    pub(crate) fn fork_gate(&self) -> Option<&ForkGate> {
        match self {
            Backend::Bare(bare) => bare.gate.as_ref(),
            Backend::Jails(jails) => jails.current().gate.as_ref(),
        }
    }

    /// Removes what the last program has left. `run`: how long it ran, if it exited and was alone. In a jail, the init
    /// does this.
    pub(crate) fn tidy(&mut self, run: Option<Duration>) -> Result<(), Fault> {
        match self {
            Backend::Bare(bare) => bare.folder.renew(bare.size, run.filter(|_| bare.restricted)),
            Backend::Jails(_) => Ok(()),
        }
    }

    /// The working folder of the last run, if that run exchanged files.
    pub(crate) fn work_folder(&self) -> Option<OwnedFd> {
        match self {
            Backend::Bare(bare) => bare.folder.inner().try_clone_to_owned().ok(),
            Backend::Jails(jails) => jails.current().work_folder.take(),
        }
    }

    /// Measures a working folder whose size the kernel does not limit.
    pub(crate) fn disk(&self) -> Option<DiskUsage<'_>> {
        match self {
            Backend::Bare(bare) => bare.disk(),
            Backend::Jails(_) => None,
        }
    }
}

/// How many jails are kept, as compared solvers take turns.
const MAX_JAILS: usize = 4;

/// The jails of one helper, one for each view of the host that was used lately. The last one was used most recently.
pub(crate) struct Jails {
    users: Users,
    identity: Option<Identity>,
    site: Option<Site>,
    pinned: bool,
    name: String,
    /// The socket to the judge, which the init of a jail may also serve.
    judge: OwnedFd,
    made: u64,
    /// Prepared for the first jail when the helper starts.
    empty_jail: Option<EmptyJail>,
    jails: Vec<(View, Jail)>,
}

impl Jails {
    pub(crate) fn open(settings: &Settings, judge: BorrowedFd<'_>) -> Result<Jails, Fault> {
        let identity = Identity::take()?;
        let own_user_namespace = settings.tier != Tier::Root;
        let users = Users { own_user_namespace, identity: identity.as_ref().map(Identity::id) };
        let mut jails = Jails {
            users,
            identity,
            site: settings.site.clone(),
            pinned: settings.core.is_some(),
            name: settings.name.clone(),
            judge: judge.try_clone_to_owned().context("duplicating the judge's socket")?,
            made: 0,
            empty_jail: None,
            jails: Vec::new(),
        };
        // If this fails, it is tried again for the first program, and that failure is reported.
        jails.empty_jail = jails.create_empty_jail().ok();
        Ok(jails)
    }

    fn create_empty_jail(&mut self) -> Result<EmptyJail, Fault> {
        self.made += 1;
        let name = format!("{}.{}", self.name, self.made);
        EmptyJail::create(self.users, self.site.as_ref(), self.pinned, &name, &self.judge)
    }

    /// Makes the jail for `spec` the current one.
    pub(crate) fn prepare(&mut self, spec: &RunSpec) -> Result<(), Fault> {
        self.jails.iter().for_each(|(_, jail)| jail.wait_until_clean());
        self.jails.retain(|(_, jail)| jail.is_usable());
        let view = View::of(spec);
        let known = self.jails.iter().position(|(seen, _)| *seen == view);
        let kept = known.map(|index| self.jails.remove(index));
        let kept = kept.filter(|(_, jail)| !jail.has_residual_charge() && jail.can_time(spec));
        let entry = match kept {
            Some(entry) => entry,
            None => {
                if self.jails.len() == MAX_JAILS {
                    self.jails.remove(0);
                }
                let empty_jail = self.empty_jail.take().map_or_else(|| self.create_empty_jail(), Ok)?;
                (view, empty_jail.build(spec)?)
            }
        };
        entry.1.prepare(spec)?;
        self.jails.push(entry);
        Ok(())
    }

    /// Whether the current jail can be used again.
    pub(crate) fn is_ready(&self) -> bool {
        self.jails.last().is_some_and(|(_, jail)| {
            jail.wait_until_clean();
            jail.is_usable()
        })
    }

    /// The jail that was prepared last.
    pub(crate) fn current(&self) -> &Jail {
        // `prepare` has put a jail there. If that failed, the run has ended before this.
        #[expect(clippy::expect_used, reason = "an invariant of this type")]
        let (_, jail) = self.jails.last().expect("a jail was prepared");
        jail
    }
}

/// Starts programs without namespaces. They are restricted by landlock, seccomp and resource limits.
pub(crate) struct Bare {
    /// The keeper acts when this is closed.
    _alive: OwnedFd,
    /// Kills the program's process group if the keeper dies with this process.
    switch: DeadManSwitch,
    folder: Folder,
    /// The last requested size.
    size: u64,
    identity: Option<Identity>,
    /// Whether landlock and seccomp restrict programs.
    restricted: bool,
    /// The paths that the last program could see.
    seen: Option<View>,
    status_page: Rc<StatusPage>,
    reaper: Reaper,
    tree_clock: Option<TreeClock>,
    gate: Option<ForkGate>,
    confinement: ConfinementContext,
    /// Starts programs, if they can inherit their filter. Otherwise this thread does.
    launcher: Option<Launcher>,
    /// Free bytes on the disk of the working folder before the program started.
    free_before: u64,
}

impl Bare {
    pub(crate) fn open(settings: &mut Settings) -> Result<Bare, Fault> {
        let identity = Identity::take()?;
        let owner = identity.as_ref().map(Identity::id);
        let restricted = settings.tier == Tier::Bare;
        let folder = Folder::create(settings.scratch.join(&settings.name), owner, !restricted)?;
        let status_page = Rc::new(StatusPage::new().context("mapping the status page")?);
        let reaper = Reaper::open(Rc::clone(&status_page))?;
        // If opening fails after this, a second try has no link. No program runs without a link.
        let keeper_link = settings.keeper_link.take().ok_or(io::Error::from(io::ErrorKind::NotConnected));
        let KeeperLink { alive, kill_target } = keeper_link.context("sharing memory with the keeper")?;
        let kill_target = KillTarget::map(kill_target).context("sharing memory with the keeper")?;
        let tree_clock = TreeClock::open();
        // After everything that the new thread must share with this one: the blocked signal, the clock, the mounts.
        let can_inherit = restricted && landlock::version() >= landlock::SCOPES_SIGNALS;
        let launcher = can_inherit.then(Launcher::start).transpose()?;
        // Without a launcher the gate also applies to this thread, which would then wait for itself when it reads a
        // program's clock.
        let scope = GateScope { memory: restricted, clocks: launcher.is_some() };
        let (gate, bypass) = run_on(launcher.as_ref(), || ForkGate::install(scope)).unzip();
        let isolation = Isolation {
            restricted,
            shares_host: true,
            has_cgroup: false,
            counts_cpu: false,
            other_tasks: owner.map(|_| 0),
            identity: owner,
            bypass,
            asks_for_clocks: scope.clocks,
        };
        let mut confinement = ConfinementContext::new(isolation, Some(kill_target));
        if let Some(launcher) = &launcher {
            launcher.run(|| confinement.share_filter());
        }
        Ok(Bare {
            _alive: alive,
            switch: DeadManSwitch::new().context("making a dead man's switch")?,
            folder,
            size: 0,
            identity,
            restricted,
            seen: None,
            status_page,
            reaper,
            tree_clock,
            gate,
            confinement,
            launcher,
            free_before: 0,
        })
    }

    /// Prepares for the next run. Ends early if the judge has gone or cancelled the run.
    pub(crate) fn prepare(&mut self, spec: &RunSpec, judge: BorrowedFd<'_>) -> Result<(), Fault> {
        self.size = spec.limits.disk;
        self.folder.renew(self.size, None)?;
        self.folder.mark_used();
        self.free_before = self.folder.free_bytes();
        let view = View::of(spec);
        if self.seen.as_ref() == Some(&view) {
            return Ok(());
        }
        let is_cancelled = || is_ready(judge, PollFlags::RDHUP);
        let mut paths = spec.visible.iter().map(|visible| &visible.path).chain([&spec.program]);
        let needs_read_search = self.identity.is_some()
            && identity::has(identity::READ_SEARCH)
            && (paths.any(|path| landlock::is_closed_to_others(path))
                || needs_its_callers_rights(spec, &is_cancelled)?);
        let folder = (self.folder.private(), self.folder.path());
        self.confinement.give_access_to(spec, folder, needs_read_search, &is_cancelled)?;
        self.seen = Some(view);
        Ok(())
    }

    pub(crate) fn gauges<'a>(&'a self, may_have_others: bool, members: &'a RunMembers) -> Gauges<'a> {
        let root = std::process::id().cast_signed();
        Gauges {
            root,
            cgroup: None,
            root_clock: self.tree_clock.as_ref(),
            accounts: None,
            status_page: &self.status_page,
            folder: self.folder.memory(),
            files: self.disk().filter(|_| self.folder.is_in_memory()),
            user: self.identity.as_ref().map(Identity::id),
            may_have_others,
            members,
            asks_for_memory: self.restricted,
        }
    }

    /// The folder to measure; `None` if the kernel limits its size.
    pub(crate) fn disk(&self) -> Option<DiskUsage<'_>> {
        let usage = || self.folder.disk_usage(self.identity.as_ref().map(Identity::id), self.free_before);
        self.folder.memory().is_none().then(usage)
    }

    pub(crate) fn start(
        &self,
        spec: &RunSpec,
        stdio: [BorrowedFd<'_>; 3],
    ) -> Result<OrRefused<Box<dyn Program + '_>>, Fault> {
        let confinement = Confinement::of(&self.confinement, spec)?;
        let working_folder = (self.folder.inner(), &*self.folder.inner_path());
        let launch = match Launch::new(spec, stdio, working_folder, confinement)? {
            Ok(launch) => launch,
            Err(errno) => return Ok(Err(errno)),
        };
        if let Some(wanted) = &spec.exchange {
            exchange::put_input_files(wanted, self.folder.inner())?;
        }
        self.status_page.clear();
        let kill_target = self.confinement.kill_target.as_ref();
        if let Some(kill_target) = kill_target {
            // Before the program starts, as this process may be stopped at any moment.
            kill_target.set_deadline(spec.deadline(clock::now()));
        }
        let launched = run_on(self.launcher.as_ref(), || launch.start());
        if let (Some(kill_target), Err(_) | Ok(Err(_))) = (kill_target, &launched) {
            // A child that did not become a program has set this.
            kill_target.clear();
        }
        Ok(launched?.map(|child| -> Box<dyn Program> {
            // Until now, the program has only one process, which has a death signal: this process decides about others
            // at the fork gate. If this fails, there still is the keeper.
            let _ = self.switch.arm(child.pid);
            let account = ReapedUsage::default();
            Box::new(OwnProgram { child, reaper: &self.reaper, account, kill_target })
        }))
    }
}

/// Runs `work` on the launcher, if there is one.
fn run_on<T: Send>(launcher: Option<&Launcher>, work: impl FnOnce() -> T + Send) -> T {
    match launcher {
        Some(launcher) => launcher.run(work),
        None => work(),
    }
}

/// Whether the program has its caller's read access, although file modes close some paths to others.
fn needs_its_callers_rights(spec: &RunSpec, is_cancelled: &dyn Fn() -> bool) -> Result<bool, Fault> {
    let shown = spec.visible.iter().map(|visible| visible.path.clone());
    Ok(spec.folder.is_some() && !landlock::below(shown, is_cancelled)?.is_empty())
}

/// A program that this process has started.
pub(crate) struct OwnProgram<'a> {
    pub(crate) child: Child,
    pub(crate) reaper: &'a Reaper,
    pub(crate) account: ReapedUsage,
    /// Set while the program lives.
    pub(crate) kill_target: Option<&'a KillTarget>,
}

impl Program for OwnProgram<'_> {
    fn ended(&self) -> BorrowedFd<'_> {
        self.reaper.fd()
    }

    fn is_over(&mut self) -> bool {
        self.reaper.tidy(&self.child, &mut self.account)
    }

    fn kill(&mut self) {
        reaper::kill(&self.child, Scope::Group);
    }

    fn finish(&mut self) -> Result<OrRefused<Finished>, Fault> {
        let account = std::mem::take(&mut self.account);
        let finished = reaper::finish(&self.child, Scope::Group, account);
        if let Some(kill_target) = self.kill_target {
            kill_target.clear();
        }
        Ok(Ok(finished))
    }

    fn has_started(&self) -> bool {
        true
    }

    fn started(&self) -> u64 {
        self.child.started
    }
}
