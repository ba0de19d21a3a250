//! One jail, seen from the helper: namespaces with an init in them that starts programs on order.

pub(crate) mod init;
pub(crate) mod mounts;
pub(crate) mod short_run;

use std::cell::Cell;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::rc::Rc;

use rustix::event::{PollFd, PollFlags};
use rustix::pipe::PipeFlags;
use rustix::process::Signal;
use rustix::time::Timespec;

use crate::cgroup::Cgroup;
use crate::cgroup::site::{Door, Site, clone_beside, clone_into};
use crate::confine::fork_gate::ForkGate;
use crate::namespace::init::{Begun, INNER_ID, InitConfig, Returned, Users, enter};
use crate::protocol::messages::{self, OrderKind, Outlet, Task};
use crate::protocol::shared_memory::{Notes, Service};
use crate::protocol::{self, Reader};
use crate::request::{Context, Fault};
use crate::scratch::ramdisk::Mountpoint;
use crate::watch::gauges::{Accounts, Gauges, Members, TreeClock};
use crate::watch::reaper::{Conclusion, Finished};
use crate::watch::{Program, Start, capture};
use crate::{clock, procfs};

/// A jail that was built.
pub(crate) struct Jail {
    pid: i32,
    pidfd: OwnedFd,
    socket: OwnedFd,
    cgroup: Option<Rc<Cgroup>>,
    tree_clock: Option<TreeClock>,
    gate: Option<ForkGate>,
    /// A control group counts CPU time, and nothing of it comes late.
    is_exact: bool,
    /// It was built for programs that are neither pinned nor have a limit of CPU time, and would stop others late.
    is_untimed: bool,
    /// Of CPU time, after the last run.
    accounts: Cell<Option<Accounts>>,
    folder: Option<Mountpoint>,
    notes: Rc<Notes>,
    sound: Cell<bool>,
    /// The init has yet to tell that it has cleared up.
    busy: Cell<bool>,
    /// Lent by the init after a run that exchanges files.
    work_folder: Cell<Option<OwnedFd>>,
}

/// Namespaces with an init in them that has yet to hear what to build.
pub(crate) struct Foundation(Jail);

impl Foundation {
    /// Makes the namespaces and starts the init. `pinned`: whether programs stay on the helper's core.
    pub(crate) fn lay(
        users: Users,
        site: Option<&Site>,
        pinned: bool,
        name: &str,
        judge: &OwnedFd,
    ) -> Result<Foundation, Fault> {
        let cgroup = site.map(|site| Cgroup::create(site, name)).transpose()?.map(Rc::new);
        let doors = cgroup.as_ref().map_or(Ok(Vec::new()), |cgroup| cgroup.doors());
        let doors = doors.context("opening the control group")?;
        let (socket, theirs) = protocol::pair().context("making a socket for the jail")?;
        let notes = Rc::new(Notes::new().context("sharing memory with the jail")?);
        let config = InitConfig {
            socket: theirs,
            judge: judge.try_clone().context("lending the judge's socket to the jail")?,
            notes: Rc::clone(&notes),
            users,
            doors,
            pinned,
            counts_processes: site.is_some_and(|site| site.pids.is_some()),
            counts_cpu: site.is_some_and(|site| site.cpu.is_some()),
            cgroup: cgroup.clone(),
        };
        let (pid, pidfd) = clone_init(users, &config)?;
        let is_exact = config.is_exact();
        drop(config);
        let foundation = Foundation(Jail {
            pid,
            pidfd,
            socket,
            cgroup,
            tree_clock: None,
            gate: None,
            is_exact,
            is_untimed: !pinned,
            accounts: Cell::default(),
            folder: None,
            notes,
            sound: Cell::new(true),
            busy: Cell::new(false),
            work_folder: Cell::default(),
        });
        if users.own_user_namespace {
            map_users(pid, users.identity).context("mapping the users of a user namespace")?;
        }
        Ok(foundation)
    }

    /// Has the init build the jail for `task`, and waits until it is built.
    pub(crate) fn build(self, task: &Task) -> Result<Jail, Fault> {
        let Foundation(mut jail) = self;
        jail.is_untimed &= task.limits.cpu.is_none();
        jail.order(task, true, &[])?;
        jail.greet()?;
        Ok(jail)
    }
}

impl Jail {
    /// Hears that the jail is built.
    fn greet(&mut self) -> Result<(), Fault> {
        let mut answer = self.receive()?.ok_or_else(|| self.lost())?;
        let wrong = "hearing from the jail's init";
        if answer.u64().context(wrong)? == 0 {
            return Err(fault_in(&mut answer).context(wrong)?);
        }
        let (has_clock, has_gate) = (answer.u64().context(wrong)? != 0, answer.u64().context(wrong)? != 0);
        self.folder = Some(Mountpoint::new(answer.fd().context(wrong)?, mounts::BOX_NAME));
        let mut next = |is_there: bool| is_there.then(|| answer.fd()).transpose().context(wrong);
        self.tree_clock = next(has_clock)?.map(TreeClock::from_fd);
        self.gate = next(has_gate)?.map(ForkGate::from_fd);
        Ok(())
    }

    /// Waits until the init has cleared up after the last run. One that could not is not used again.
    pub(crate) fn settle(&self) {
        if self.busy.take() {
            let is_clear =
                self.receive().is_ok_and(|told| told.is_some_and(|mut told| told.u64().is_ok_and(|is| is != 0)));
            self.sound.set(self.sound.get() && is_clear);
        }
    }

    /// Sets the limits of the next run.
    pub(crate) fn prepare(&self, task: &Task) -> Result<(), Fault> {
        match &self.cgroup {
            Some(cgroup) => cgroup.prepare(task.limits.memory, task.limits.processes),
            None => Ok(()),
        }
    }

    /// Whether it can be used again.
    pub(crate) fn is_sound(&self) -> bool {
        self.sound.get() && self.cgroup.as_ref().is_none_or(|cgroup| cgroup.reusable) && !self.has_ended()
    }

    /// Whether the init has died with nothing to do.
    fn has_ended(&self) -> bool {
        let mut socket = [PollFd::new(&self.socket, PollFlags::RDHUP)];
        rustix::event::poll(&mut socket, Some(&Timespec::default())) != Ok(0)
    }

    /// Whether it can stop `task` at its limit of CPU time.
    pub(crate) fn can_time(&self, task: &Task) -> bool {
        task.limits.cpu.is_none() || !self.is_untimed
    }

    /// Whether what ended in it is still charged to it: a program that comes now would have less than its limit.
    pub(crate) fn is_laden(&self) -> bool {
        self.cgroup.as_ref().is_some_and(|cgroup| cgroup.is_laden())
    }

    pub(crate) fn gauges<'a>(&'a self, many: bool, members: &'a Members) -> Gauges<'a> {
        Gauges {
            root: self.pid,
            cgroup: self.cgroup.as_deref(),
            root_clock: self.tree_clock.as_ref(),
            accounts: self.is_exact.then_some(&self.accounts),
            notes: &self.notes,
            folder: self.folder.as_ref(),
            files: None,
            user: None,
            many,
            members,
            grants: true,
        }
    }

    pub(crate) fn fork_gate(&self) -> Option<&ForkGate> {
        self.gate.as_ref()
    }

    pub(crate) fn work_folder(&self) -> Option<OwnedFd> {
        self.work_folder.take()
    }

    fn order(&self, task: &Task, only_prepare: bool, stdio: &[BorrowedFd<'_>]) -> Result<(), Fault> {
        let [stdout, stderr] = [Outlet::File(()); 2];
        let enclosed = messages::Enclosed { stdout, stderr, until: false, own_stdin: false, only_prepare };
        messages::encode(task, enclosed).send(&self.socket, stdio).context("handing a program to the jail's init")
    }

    /// Has the init start `task`.
    pub(crate) fn start(&self, task: &Task, stdio: [BorrowedFd<'_>; 3]) -> Result<Start<'_>, Fault> {
        let ordered = clock::now();
        self.notes.clear();
        // Until its answer is here, it is unknown what comes next on the socket.
        self.sound.set(false);
        self.order(task, false, &stdio)?;
        Ok(Start::Running(Box::new(Inmate { jail: self, ordered, killed: false })))
    }

    /// Has the init serve the judge: run what the judge orders again, as long as such programs are brief. Waits until there
    /// is something for the helper. `None`: the judge has gone, or the init, which had nothing to do.
    ///
    /// # Errors
    /// When it is not known whether an order was taken, or answered: then there is no going on.
    pub(crate) fn serve_judge(&self) -> Result<Option<Returned>, Fault> {
        self.accounts.take();
        self.notes.set_service(Service::Idle);
        let mut order = OrderKind::Serve.writer();
        self.cgroup.as_ref().map(|cgroup| cgroup.counters()).unwrap_or_default().encode(&mut order);
        self.sound.set(false);
        if order.send(&self.socket, &[]).is_err() {
            return Ok(None);
        }
        let returned = match self.receive()? {
            Some(message) => Returned::decode(message).context("hearing from the jail's init")?,
            None => match self.notes.service() {
                Service::Idle => return Ok(None),
                Service::Taken => Returned::Begun(self.begun_without_init()?),
                Service::Unknown => return Err(self.lost()),
            },
        };
        match (&returned, &self.cgroup) {
            (Returned::Order(counters, _), cgroup) => {
                self.sound.set(true);
                cgroup.iter().for_each(|cgroup| cgroup.set_counters(*counters));
            }
            (Returned::Begun(begun), Some(cgroup)) => cgroup.resume(begun.group),
            (Returned::Begun(_), None) => {}
        }
        Ok(Some(returned))
    }

    /// The program that such an init has begun.
    pub(crate) fn begun(&self) -> Box<dyn Program + '_> {
        Box::new(Inmate { jail: self, ordered: clock::now(), killed: false })
    }

    /// The init is gone in the middle of a run, which is over by that: of its output, nothing is left.
    fn begun_without_init(&self) -> Result<Begun, Fault> {
        let silent = || {
            let (pipe, _) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC).context("making a pipe")?;
            Ok(capture::BegunStream { pipe, few: Vec::new(), seen: 0 })
        };
        let group = self.cgroup.as_ref().map(|cgroup| cgroup.before()).unwrap_or_default();
        Ok(Begun {
            group,
            accounts: self.gauges(true, &Members::new(true)).read_accounts(),
            stdout: silent()?,
            stderr: silent()?,
        })
    }

    fn receive(&self) -> Result<Option<Reader>, Fault> {
        Reader::receive(&self.socket).context("hearing from the jail's init")
    }

    fn lost(&self) -> Fault {
        self.sound.set(false);
        Fault::HelperGone("the init of a jail".to_owned())
    }
}

impl Drop for Jail {
    fn drop(&mut self) {
        let _ = rustix::process::pidfd_send_signal(&self.pidfd, Signal::KILL);
        // SAFETY: no pointer is passed but null; the process is a child of this one. With it, its whole pid namespace
        // is dead.
        unsafe { libc::waitpid(self.pid, std::ptr::null_mut(), libc::__WALL) };
    }
}

/// A program in a jail.
struct Inmate<'a> {
    jail: &'a Jail,
    ordered: u64,
    killed: bool,
}

impl Program for Inmate<'_> {
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
        // The init will kill what is missed here; but it may have to wait for a core until the next tick.
        procfs::kill_descendants(self.jail.pid);
        if init::order_death(&self.jail.socket).is_err() {
            let _ = rustix::process::pidfd_send_signal(&self.jail.pidfd, Signal::KILL);
        }
    }

    fn finish(&mut self) -> Result<Conclusion, Fault> {
        let wrong = "hearing from the jail's init";
        let Some(mut message) = self.jail.receive()? else { return self.without_init() };
        self.jail.busy.set(message.u64().context(wrong)? != 0);
        self.jail.sound.set(true);
        Ok(match message.u64().context(wrong)? {
            0 => return Err(fault_in(&mut message).context(wrong)?),
            1 => Conclusion::Refused(message.u64().context(wrong)? as i32),
            _ => {
                self.jail.work_folder.set(message.fd().ok());
                Conclusion::Finished(Finished::decode(&mut message).context(wrong)?)
            }
        })
    }

    fn has_started(&self) -> bool {
        self.jail.notes.started().is_some()
    }

    fn started(&self) -> u64 {
        self.jail.notes.started().unwrap_or(self.ordered)
    }
}

impl Inmate<'_> {
    /// The init is gone, and everything with it: for want of memory, or by a fault of the sandbox.
    fn without_init(&self) -> Result<Conclusion, Fault> {
        let fault = self.jail.lost();
        if self.jail.cgroup.as_ref().is_some_and(|cgroup| cgroup.events().out_of_memory) {
            let ended = clock::now();
            let status = libc::SIGKILL;
            return Ok(Conclusion::Finished(Finished {
                status,
                started: self.started(),
                ended,
                ..Finished::default()
            }));
        }
        Err(fault)
    }
}

/// Reads a fault that the init reported.
fn fault_in(message: &mut Reader) -> io::Result<Fault> {
    let action = String::from_utf8_lossy(&message.bytes()?).into_owned();
    Ok(Fault::System { action, source: io::Error::from_raw_os_error(message.u64()? as i32) })
}

//# Makes the first process of a jail: a clone of the helper in new namespaces, and the users that it knows.

/// Clones the init of a jail into namespaces of its own; returns its id and pidfd.
pub(crate) fn clone_init(users: Users, config: &InitConfig) -> Result<(i32, OwnedFd), Fault> {
    let mut flags =
        libc::CLONE_NEWPID | libc::CLONE_NEWNS | libc::CLONE_NEWIPC | libc::CLONE_NEWUTS | libc::CLONE_NEWNET;
    if users.own_user_namespace {
        flags |= libc::CLONE_NEWUSER;
    }
    // The maps of users can be written only while the init may be looked into; it closes itself when they are.
    let visible = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::Dumpable);
    visible.context("making ready for a user namespace")?;
    let group = config.doors.iter().find_map(Door::group);
    // SAFETY: this process has one thread, and the child works on a copy of it until it leaves in `enter`.
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
    if !users.own_user_namespace || cloned.is_err() {
        hide()?;
    }
    cloned.context("creating namespaces")
}

fn hide() -> Result<(), Fault> {
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)
        .context("closing this process to others")
}

/// Maps the one user that the jail knows.
pub(crate) fn map_users(pid: i32, identity: Option<u32>) -> io::Result<()> {
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
