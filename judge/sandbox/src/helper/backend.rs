//! How a helper starts programs: by itself, or in jails.

use std::cell::Cell;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::rc::Rc;
use std::time::Duration;

use rustix::event::PollFlags;

use crate::clock;
use crate::confine::fork_gate::{ForkGate, GateScope};
use crate::confine::identity::{self, Identity};
use crate::confine::launch::{Child, Launch, Launcher, OrRefused};
use crate::confine::{ConfinementContext, Isolation, landlock};
use crate::namespace::init::JailOptions;
use crate::namespace::mounts::View;
use crate::namespace::{EmptyJail, Jail};
use crate::process::DeadManSwitch;
use crate::protocol::is_ready;
use crate::protocol::messages::{KeeperLink, RunSpec, Settings};
use crate::protocol::shared_memory::{KillTarget, StatusPage};
use crate::request::{Context, Fault, Limits};
use crate::scratch::{self, Folder, exchange};
use crate::tier::Tier;
use crate::watch::gauges::{Gauges, RunGauges, TreeClock};
use crate::watch::reaper::{self, Finished, ReapedUsage, Reaper, Scope};
use crate::watch::{Program, Started};

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
        let Backend::Jails(jails) = self else { return None };
        let (_, jail) = jails.jails.last()?;
        jail.wait_until_clean();
        jail.is_usable().then_some(jail)
    }

    /// Whether pages were evicted after the last run. To be asked once.
    pub(crate) fn take_evicted(&self) -> bool {
        let Backend::Jails(jails) = self else { return false };
        jails.jails.last().is_some_and(|(_, jail)| jail.take_evicted())
    }

    /// Ends the jail of the last run.
    pub(crate) fn drop_jail(&mut self) {
        if let Backend::Jails(jails) = self {
            jails.jails.pop();
        }
    }

    pub(crate) fn gauges(&self, limits: &Limits) -> RunGauges<'_> {
        match self {
            Backend::Bare(bare) => bare.gauges(limits),
            Backend::Jails(jails) => jails.current().gauges(limits),
        }
    }

    /// Starts the prepared program.
    pub(crate) fn start(&self, spec: &RunSpec, stdio: [BorrowedFd<'_>; 3]) -> Started<'_> {
        match self {
            Backend::Bare(bare) => bare.start(spec, stdio),
            Backend::Jails(jails) => jails.current().start(spec, stdio),
        }
    }

    /// Removes what the last program has left. `run`: how long it ran, if it exited and was alone. In a jail, the init
    /// does this.
    pub(crate) fn tidy(&mut self, run: Option<Duration>) -> Result<(), Fault> {
        match self {
            Backend::Bare(bare) => bare.folder.renew(None, run.filter(|_| bare.restricted)),
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
}

/// How many jails are kept, as compared solvers take turns.
const MAX_JAILS: usize = 4;

/// The jails of one helper, one for each view of the host that was used lately. The last one was used most recently.
pub(crate) struct Jails {
    options: JailOptions,
    identity: Option<Identity>,
    name: String,
    made: u64,
    /// Prepared for the first jail when the helper starts.
    empty_jail: Option<EmptyJail>,
    jails: Vec<(View, Jail)>,
}

impl Jails {
    pub(crate) fn open(settings: &Settings, judge: BorrowedFd<'_>) -> Result<Jails, Fault> {
        let identity = Identity::take()?;
        let options = JailOptions {
            own_user_namespace: settings.tier != Tier::Root,
            identity: identity.as_ref().map(Identity::id),
            site: settings.site.clone(),
            pinned: settings.core.is_some(),
            judge: judge.try_clone_to_owned().context("duplicating the judge's socket")?,
        };
        let (name, empty_jail, jails) = (settings.name.clone(), None, Vec::new());
        let mut jails = Jails { options, identity, name, made: 0, empty_jail, jails };
        // If this fails, it is tried again for the first program, and that failure is reported.
        jails.empty_jail = jails.create_empty_jail().ok();
        Ok(jails)
    }

    fn create_empty_jail(&mut self) -> Result<EmptyJail, Fault> {
        self.made += 1;
        let name = format!("{}.{}", self.name, self.made);
        EmptyJail::create(&self.options, &name)
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
    identity: Option<Identity>,
    /// Whether landlock and seccomp restrict programs.
    restricted: bool,
    /// The paths that the last program could see.
    seen: Option<View>,
    gauges: Gauges,
    reaper: Reaper,
    confinement: ConfinementContext,
    /// Starts programs, if they can inherit their filter. Otherwise this thread does.
    launcher: Option<Launcher>,
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
        let root_clock = TreeClock::open();
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
        let gauges = Gauges {
            root: std::process::id().cast_signed(),
            cgroup: None,
            root_clock,
            accounts: Cell::default(),
            keeps_accounts: false,
            status_page,
            gate,
            asks_for_memory: restricted,
            user: owner,
        };
        let switch = DeadManSwitch::new().context("making a dead man's switch")?;
        let (_alive, seen) = (alive, None);
        Ok(Bare { _alive, switch, folder, identity, restricted, seen, gauges, reaper, confinement, launcher })
    }

    /// Prepares for the next run. Ends early if the judge has gone or cancelled the run.
    pub(crate) fn prepare(&mut self, spec: &RunSpec, judge: BorrowedFd<'_>) -> Result<(), Fault> {
        self.folder.renew(Some(spec.limits.disk), None)?;
        self.folder.mark_used();
        let view = View::of(spec);
        if self.seen.as_ref() == Some(&view) {
            return Ok(());
        }
        let is_cancelled = || is_ready(judge, PollFlags::RDHUP);
        let shown = spec.visible.iter().map(|visible| visible.path.clone());
        let mut paths = spec.visible.iter().map(|visible| &visible.path).chain([&spec.program]);
        let needs_read_search = self.gauges.user.is_some()
            && identity::has(identity::READ_SEARCH)
            && (paths.any(|path| landlock::is_closed_to_others(path))
                // It has its caller's read access in this folder, although file modes may close paths there.
                || spec.folder.is_some() && !landlock::below(shown, &is_cancelled)?.is_empty());
        let folder = (self.folder.private(), self.folder.path());
        self.confinement.give_access_to(spec, folder, needs_read_search, &is_cancelled)?;
        self.seen = Some(view);
        Ok(())
    }

    pub(crate) fn gauges(&self, limits: &Limits) -> RunGauges<'_> {
        let disk = self.folder.disk_usage(self.gauges.user);
        RunGauges { folder: self.folder.memory(), disk, ..RunGauges::new(&self.gauges, limits.allow_others()) }
    }

    pub(crate) fn start(&self, spec: &RunSpec, stdio: [BorrowedFd<'_>; 3]) -> Started<'_> {
        let working_folder = (self.folder.inner(), &*self.folder.path().join(scratch::WORK_FOLDER));
        let launch = match Launch::new(&self.confinement, spec, stdio, working_folder)? {
            Ok(launch) => launch,
            Err(errno) => return Ok(Err(errno)),
        };
        if let Some(wanted) = &spec.exchange {
            exchange::put_input_files(wanted, self.folder.inner())?;
        }
        self.gauges.status_page.clear();
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
            self.gauges.status_page.set_started(child.started);
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
}
