//! Programs in namespaces. This file is the helper's view of a jail: namespaces with an init in them that starts
//! programs.

pub(crate) mod init;
pub(crate) mod mounts;

use std::cell::Cell;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::rc::Rc;

use rustix::event::PollFlags;
use rustix::io::Errno;
use rustix::process::Signal;

use crate::cgroup::Cgroup;
use crate::cgroup::site::{CgroupEntry, clone_beside, clone_into};
use crate::confine::fork_gate::ForkGate;
use crate::confine::launch::OrRefused;
use crate::namespace::init::{BuiltJail, INNER_ID, InitConfig, InitMessage, JailOptions, RunReport, StartedRun, enter};
use crate::protocol::messages::{Order, RunSpec};
use crate::protocol::shared_memory::{OrderState, StatusPage};
use crate::protocol::{self, Message, Received};
use crate::request::{Context, Fault, Limits};
use crate::scratch::ramdisk::Mountpoint;
use crate::watch::capture::{Channel, Stream, Target};
use crate::watch::gauges::{Gauges, RunGauges, TreeClock};
use crate::watch::reaper::Finished;
use crate::watch::{Program, Started};
use crate::{clock, procfs};

/// The action that fails when the init does not answer.
const RECEIVING: &str = "receiving from the jail's init";

/// A jail that is built.
pub(crate) struct Jail {
    pidfd: OwnedFd,
    socket: OwnedFd,
    gauges: Gauges,
    /// The jail was built for programs that are not pinned and have no limit of CPU time. It would stop other programs
    /// late.
    is_untimed: bool,
    folder: Option<Mountpoint>,
    usable: Cell<bool>,
    /// The init is clearing the working folder, and will report when it is done.
    cleaning: Cell<bool>,
    /// The working folder of the last run, if that run exchanged files.
    pub(crate) work_folder: Cell<Option<OwnedFd>>,
}

/// Namespaces with an init that does not know yet what to build.
pub(crate) struct EmptyJail(Jail);

impl EmptyJail {
    /// Makes the namespaces and starts the init.
    pub(crate) fn create(options: &JailOptions, name: &str) -> Result<EmptyJail, Fault> {
        let cgroup = options.site.as_ref().map(|site| Cgroup::create(site, name)).transpose()?.map(Rc::new);
        let entries = cgroup.as_ref().map_or(Ok(Vec::new()), |cgroup| cgroup.entries());
        let entries = entries.context("opening the control group")?;
        let (socket, theirs) = protocol::pair().context("making a socket for the jail")?;
        let config = InitConfig {
            options,
            socket: theirs,
            status_page: Rc::new(StatusPage::new().context("sharing memory with the jail")?),
            entries,
            cgroup,
        };
        let (pid, pidfd) = clone_init(&config)?;
        let gauges = config.gauges(pid, None, None);
        drop(config);
        let empty_jail = EmptyJail(Jail {
            pidfd,
            socket,
            gauges,
            is_untimed: !options.pinned,
            folder: None,
            usable: Cell::new(true),
            cleaning: Cell::new(false),
            work_folder: Cell::default(),
        });
        if options.own_user_namespace {
            map_users(pid, options.identity).context("mapping the users of a user namespace")?;
        }
        Ok(empty_jail)
    }

    /// Lets the init build the jail for `spec`, and waits for it.
    pub(crate) fn build(self, spec: &RunSpec) -> Result<Jail, Fault> {
        let EmptyJail(mut jail) = self;
        jail.is_untimed &= spec.limits.cpu.is_none();
        jail.order(spec, &[])?;
        let mut answer = jail.receive()?.ok_or_else(|| jail.lost())?;
        let built = answer.decode::<Result<BuiltJail, Fault>>().context(RECEIVING)?;
        let BuiltJail { has_clock, has_gate } = built?;
        let parent = answer.take_fd().context(RECEIVING)?;
        jail.folder = Some(Mountpoint::new(parent, mounts::WORK_FOLDER_NAME));
        let mut next = |is_there: bool| is_there.then(|| answer.take_fd()).transpose().context(RECEIVING);
        jail.gauges.root_clock = next(has_clock)?.map(TreeClock::from_fd);
        jail.gauges.gate = next(has_gate)?.map(ForkGate::from_fd);
        Ok(jail)
    }
}

impl Jail {
    /// Waits until the init has cleared the working folder. If that failed, the jail is not used again.
    pub(crate) fn wait_until_clean(&self) {
        if self.cleaning.take() {
            let report = self.receive().ok().flatten().and_then(|report| report.decode::<Result<(), Fault>>().ok());
            let is_clear = report.is_some_and(|report| report.is_ok());
            self.usable.set(self.usable.get() && is_clear);
        }
    }

    /// Sets the limits of the next run.
    pub(crate) fn prepare(&self, spec: &RunSpec) -> Result<(), Fault> {
        match &self.gauges.cgroup {
            Some(cgroup) => cgroup.prepare(spec.limits.memory, spec.limits.processes),
            None => Ok(()),
        }
    }

    /// Whether the jail can be used again.
    pub(crate) fn is_usable(&self) -> bool {
        // The init may have died while it was idle.
        let has_ended = || protocol::is_ready(&self.socket, PollFlags::RDHUP);
        self.usable.get() && self.gauges.cgroup.as_ref().is_none_or(|cgroup| cgroup.reusable) && !has_ended()
    }

    /// Whether the jail can stop `spec` at its limit of CPU time.
    pub(crate) fn can_time(&self, spec: &RunSpec) -> bool {
        spec.limits.cpu.is_none() || !self.is_untimed
    }

    /// Whether memory of earlier programs is still charged to the jail. Then the next program would have less than its
    /// limit.
    pub(crate) fn has_residual_charge(&self) -> bool {
        self.gauges.cgroup.as_ref().is_some_and(|cgroup| cgroup.has_residual_charge())
    }

    /// Whether pages were evicted after the last run. To be asked once.
    pub(crate) fn take_evicted(&self) -> bool {
        self.gauges.cgroup.as_ref().is_some_and(|cgroup| cgroup.evicted.take())
    }

    pub(crate) fn gauges(&self, limits: &Limits) -> RunGauges<'_> {
        RunGauges { folder: self.folder.as_ref(), ..RunGauges::new(&self.gauges, limits.allow_others()) }
    }

    fn order(&self, spec: &RunSpec, stdio: &[BorrowedFd<'_>]) -> Result<(), Fault> {
        Message::new(&Order::Run(spec)).send(&self.socket, stdio).context("sending an order to the jail's init")
    }

    /// Lets the init start `spec`.
    pub(crate) fn start(&self, spec: &RunSpec, stdio: [BorrowedFd<'_>; 3]) -> Started<'_> {
        self.gauges.status_page.clear();
        // Until the answer arrives, the next message on the socket is unknown.
        self.usable.set(false);
        self.order(spec, &stdio)?;
        Ok(Ok(self.started_run()))
    }

    /// Lets the init serve the judge: it runs repeated orders as long as the runs are short. Waits until the helper has
    /// something to do. `None` if the judge has ended, or if the init has ended while it was idle.
    ///
    /// # Errors
    /// When it is unknown whether an order was taken or answered. Then the helper cannot continue.
    pub(crate) fn serve_judge(&self) -> Result<Option<InitMessage>, Fault> {
        self.gauges.accounts.take();
        self.gauges.status_page.set_order_state(OrderState::Idle);
        let cgroup = self.gauges.cgroup.as_deref();
        let counters = cgroup.map(|cgroup| cgroup.counters.get()).unwrap_or_default();
        let order = Message::new(&Order::<()>::ServeJudge(counters));
        self.usable.set(false);
        if order.send(&self.socket, &[]).is_err() {
            return Ok(None);
        }
        let returned = match self.receive()? {
            Some(message) => InitMessage::decode(message).context(RECEIVING)?,
            None => match self.gauges.status_page.order_state() {
                OrderState::Idle => return Ok(None),
                OrderState::Taken => InitMessage::StartedRun(self.started_without_init()?),
                OrderState::Unknown => return Err(self.lost()),
            },
        };
        match &returned {
            InitMessage::Order(counters, _) => {
                self.usable.set(true);
                cgroup.iter().for_each(|cgroup| cgroup.counters.set(*counters));
            }
            InitMessage::StartedRun(run) => cgroup.iter().for_each(|cgroup| cgroup.resume(run.group)),
        }
        Ok(Some(returned))
    }

    /// The program that the init starts, or has started while it served the judge.
    pub(crate) fn started_run(&self) -> Box<dyn Program + '_> {
        Box::new(JailedProcess { jail: self, killed: false })
    }

    /// The init died during a run. This ended the run, and its output is lost.
    fn started_without_init(&self) -> Result<StartedRun, Fault> {
        let empty = || Stream::open(Channel::Errors, Target::Capture, 0).map(|(stream, _)| stream.into_partial());
        Ok(StartedRun {
            group: self.gauges.cgroup.as_ref().map(|cgroup| cgroup.before.get()).unwrap_or_default(),
            accounts: RunGauges::new(&self.gauges, true).read_accounts(),
            stdout: empty()?,
            stderr: empty()?,
        })
    }

    fn receive(&self) -> Result<Option<Received>, Fault> {
        Received::receive(&self.socket).context(RECEIVING)
    }

    fn lost(&self) -> Fault {
        self.usable.set(false);
        let action = "waiting for the init of a jail, which ended unexpectedly,".to_owned();
        Fault::System { action, source: Errno::PIPE.into() }
    }
}

impl Drop for Jail {
    fn drop(&mut self) {
        let _ = rustix::process::pidfd_send_signal(&self.pidfd, Signal::KILL);
        // SAFETY: the only pointer is null, and the process is a child of this one. Its pid namespace ends with it.
        unsafe { libc::waitpid(self.gauges.root, std::ptr::null_mut(), libc::__WALL) };
    }
}

/// A program in a jail.
struct JailedProcess<'a> {
    jail: &'a Jail,
    killed: bool,
}

impl Program for JailedProcess<'_> {
    fn ended(&self) -> BorrowedFd<'_> {
        self.jail.socket.as_fd()
    }

    fn is_over(&mut self) -> bool {
        true
    }

    fn kill(&mut self) {
        if std::mem::replace(&mut self.killed, true) {
            return;
        }
        // The init kills the processes that this call misses, but it may wait for a core until the next tick. A message
        // without content asks for that.
        procfs::kill_descendants(self.jail.gauges.root);
        if Message::empty().send(&self.jail.socket, &[]).is_err() {
            let _ = rustix::process::pidfd_send_signal(&self.jail.pidfd, Signal::KILL);
        }
    }

    fn finish(&mut self) -> Result<OrRefused<Finished>, Fault> {
        let Some(mut message) = self.jail.receive()? else {
            // The init is dead, and so are all processes of the jail: out of memory, or a fault of the sandbox.
            let (fault, ended) = (self.jail.lost(), clock::now());
            if !self.jail.gauges.cgroup.as_ref().is_some_and(|cgroup| cgroup.events().out_of_memory) {
                return Err(fault);
            }
            // If the program had not started, it ran for no time.
            let started = self.jail.gauges.status_page.started().unwrap_or(ended);
            // Its processes may have read from a disk.
            let lost = Finished { status: libc::SIGKILL, started, ended, read_disk: true, ..Finished::default() };
            return Ok(Ok(lost));
        };
        let report: RunReport = message.decode().context(RECEIVING)?;
        self.jail.cleaning.set(report.is_clearing);
        self.jail.usable.set(true);
        let conclusion = report.conclusion?;
        if conclusion.is_ok() {
            self.jail.work_folder.set(message.take_fd().ok());
        }
        Ok(conclusion)
    }
}

/// Clones the init of a jail into its own namespaces. Returns its process id and pidfd.
fn clone_init(config: &InitConfig<'_>) -> Result<(i32, OwnedFd), Fault> {
    let own_user_namespace = config.options.own_user_namespace;
    let mut flags =
        libc::CLONE_NEWPID | libc::CLONE_NEWNS | libc::CLONE_NEWIPC | libc::CLONE_NEWUTS | libc::CLONE_NEWNET;
    if own_user_namespace {
        flags |= libc::CLONE_NEWUSER;
    }
    // The maps of users can be written only while the init is dumpable. It resets that itself later.
    let visible = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::Dumpable);
    visible.context("preparing for a user namespace")?;
    let group = config.entries.iter().find_map(CgroupEntry::group);
    // SAFETY: this process has one thread. The child works on a copy of its memory until it exits in `enter`.
    let cloned = group.map(|group| unsafe { clone_into(flags, group) });
    let is_inside = matches!(cloned, Some(Ok(_)));
    let cloned = match cloned {
        Some(Ok(cloned)) => Ok(cloned),
        // SAFETY: as above.
        _ => unsafe { clone_beside(flags) },
    };
    let cloned = match cloned {
        Ok(Some(init)) => Ok(init),
        Ok(None) => enter(config, is_inside),
        Err(error) => Err(error),
    };
    if !own_user_namespace || cloned.is_err() {
        hide()?;
    }
    cloned.context("creating namespaces")
}

fn hide() -> Result<(), Fault> {
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)
        .context("making this process undumpable")
}

/// Maps the one user of the jail.
fn map_users(pid: i32, identity: Option<u32>) -> io::Result<()> {
    let _ = hide();
    let (uid, gid) = match identity {
        Some(id) => (id, id),
        None => {
            std::fs::write(format!("/proc/{pid}/setgroups"), "deny")?;
            (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw())
        }
    };
    std::fs::write(format!("/proc/{pid}/uid_map"), format!("{INNER_ID} {uid} 1"))?;
    std::fs::write(format!("/proc/{pid}/gid_map"), format!("{INNER_ID} {gid} 1"))
}
