//! What the helper tells a jail's init, and how.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::rc::Rc;

use libc::c_int;
use rustix::event::{PollFd, PollFlags};
use rustix::thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid};

use crate::cgroup::site::Door;
use crate::cgroup::{Before, Cgroup, Counters};
use crate::confine::fork_gate::{Also, ForkGate};
use crate::confine::launch::{Child, Launch, Launched};
use crate::confine::{Isolation, WallContext, Walls, identity};
use crate::namespace::mounts;
use crate::protocol::messages::{Order, OrderKind, Outlet, Plan, Task};
use crate::protocol::shared_memory::Notes;
use crate::protocol::{Pass, Reader, Writer};
use crate::request::{Context, Fault};
use crate::scratch::exchange;
use crate::scratch::ramdisk::Ramdisk;
use crate::watch::capture;
use crate::watch::gauges::{Accounts, TreeClock};
use crate::watch::reaper::{self, Account, Conclusion, Finished, Reaper, Scope};
use crate::{clock, process};

/// The uid that a program in a user namespace believes to have.
pub(crate) const INNER_ID: u32 = 1000;

/// Which users a jail knows.
#[derive(Clone, Copy)]
pub(crate) struct Users {
    /// Those of a user namespace; without one, root's own rights build the jail.
    pub(crate) own_user_namespace: bool,
    /// The uid, as the host knows it, that programs run as; `None`: this process's own.
    pub(crate) identity: Option<u32>,
}

/// What an init needs to know, left in memory for it by the helper.
pub(crate) struct InitConfig {
    pub(crate) socket: OwnedFd,
    /// The helper's end of its socket to the judge, which the init serves when it is told to.
    pub(crate) judge: OwnedFd,
    /// Shared with the helper, which reads when the program started.
    pub(crate) notes: Rc<Notes>,
    pub(crate) users: Users,
    /// Through which the init joins its control groups.
    pub(crate) doors: Vec<Door>,
    /// Its files are open, its paths lead nowhere in the jail.
    pub(crate) cgroup: Option<Rc<Cgroup>>,
    /// Programs stay on the helper's core.
    pub(crate) pinned: bool,
    /// A control group counts CPU time.
    pub(crate) counts_cpu: bool,
    /// A control group counts processes.
    pub(crate) counts_processes: bool,
}

impl InitConfig {
    pub(crate) fn has_cgroup(&self) -> bool {
        self.cgroup.is_some()
    }

    /// Whether programs run as another user than the init, as the jail sees them.
    pub(crate) fn programs_are_others(&self) -> bool {
        self.users.identity.is_some() && !self.users.own_user_namespace
    }

    /// Whether a group's account is exact whenever the helper, on the same core, reads it: then no program runs.
    pub(crate) fn is_exact(&self) -> bool {
        self.counts_cpu && self.pinned
    }
}

/// What the helper hears from an init that served the judge.
pub(crate) enum Returned {
    /// An order that is the helper's to follow, and the counters of the control group, if there is one.
    Order(Counters, Reader),
    /// A program that is not as brief as it was thought to be, or has written more. Its end will be told as that of one
    /// that the helper has ordered.
    Begun(Begun),
}

/// How far a run has come.
pub(crate) struct Begun {
    /// How the control group stood before, if there is one.
    pub(crate) group: Before,
    /// The accounts of CPU time before.
    pub(crate) accounts: Accounts,
    pub(crate) stdout: capture::BegunStream,
    pub(crate) stderr: capture::BegunStream,
}

impl Returned {
    /// Sends it.
    pub(crate) fn send(self, pass: Option<Pass>, socket: &OwnedFd) -> io::Result<()> {
        let mut writer = Writer::default();
        let fds = match self {
            Returned::Order(counters, order) => {
                counters.encode(writer.u64(0));
                order.enclose(&mut writer)
            }
            Returned::Begun(Begun { group, accounts, stdout, stderr }) => {
                group.encode(writer.u64(1));
                accounts.encode(&mut writer);
                [stdout, stderr]
                    .map(|stream| {
                        writer.bytes(&stream.few).u64(stream.seen);
                        stream.pipe
                    })
                    .into()
            }
        };
        writer.send_by(pass, socket, &fds.iter().map(AsFd::as_fd).collect::<Vec<_>>())
    }

    pub(crate) fn decode(mut reader: Reader) -> io::Result<Returned> {
        if reader.u64()? == 0 {
            return Ok(Returned::Order(Counters::decode(&mut reader)?, reader.enclosed()?));
        }
        let (group, accounts) = (Before::decode(&mut reader)?, Accounts::decode(&mut reader)?);
        let mut stream = || {
            Ok::<_, io::Error>(capture::BegunStream { few: reader.bytes()?, seen: reader.u64()?, pipe: reader.fd()? })
        };
        Ok(Returned::Begun(Begun { group, accounts, stdout: stream()?, stderr: stream()? }))
    }
}

/// Sends the message that asks for the program's death: shorter than any order.
pub(crate) fn order_death(socket: &OwnedFd) -> io::Result<()> {
    Writer::default().send(socket, &[])
}

//# The init of a jail: builds the jail from inside, then starts programs, one at a time, and reaps what they leave.

/// What a jail calls itself.
const HOST_NAME: &[u8] = b"judge";

/// The init's whole life. `is_inside`: whether it was cloned into its control group of version 2.
pub(crate) fn enter(config: &InitConfig, is_inside: bool) -> ! {
    let code = c_int::from(live(config, is_inside).is_err());
    // SAFETY: ends this process without running what its copy of the helper's memory would have run.
    unsafe { libc::_exit(code) }
}

fn live(config: &InitConfig, is_inside: bool) -> io::Result<()> {
    // Among them are the helper's ends of sockets: what waits for the helper's death would wait for this process's,
    // too.
    let doors = config.doors.iter().map(Door::fd);
    let files = config.cgroup.iter().flat_map(|cgroup| cgroup.fds()).map(|fd| fd.as_raw_fd());
    let sockets = [config.socket.as_raw_fd(), config.judge.as_raw_fd()];
    process::close_all_but(doors.chain(files).chain(sockets).chain([0, 1, 2]).collect());
    let Some(mut first) = Reader::receive(&config.socket)? else { return Ok(()) };
    let Plan { task, .. } = Plan::to_prepare(&mut first)?;
    let mut init = match build(config, &task, is_inside) {
        Ok(init) => init,
        Err(fault) => return report_fault(config, &fault),
    };
    let mut ready = Writer::default();
    let (clock, gate) = (init.tree_clock.as_ref(), init.gate.as_ref());
    ready.u64(1).u64(u64::from(clock.is_some())).u64(u64::from(gate.is_some()));
    let counters = clock.iter().map(|clock| clock.fd().as_fd()).chain(gate.map(ForkGate::fd));
    ready.send(&config.socket, &[init.parent.as_fd()].into_iter().chain(counters).collect::<Vec<_>>())?;
    let pass = init.walls.share_filter();
    init.folder.set_pass(pass);
    while let Some(message) = Reader::receive(&config.socket)? {
        if message.is_empty() {
            // Death was ordered for a program that had ended already.
            continue;
        }
        let goes_on = match (message.peek() == Some(OrderKind::Serve as u64), init.plan.clone()) {
            (true, Some(plan)) => init.serve_judge(config, message, &plan.task, pass)?,
            _ => init.answer(config, message, pass)?,
        };
        if !goes_on {
            return Ok(());
        }
        if init.folder.is_as_new() {
            continue;
        }
        // Only now: who waits for the answer does not wait for this. The helper waits for it before the next run, as what
        // the program left holds memory.
        match init.folder.renew(init.size) {
            Ok(()) => Writer::default().u64(1).send(&config.socket, &[])?,
            Err(fault) => report_fault(config, &fault)?,
        }
    }
    Ok(())
}

fn report_fault(config: &InitConfig, fault: &Fault) -> io::Result<()> {
    let mut answer = Writer::default();
    write_fault(answer.u64(0), fault);
    answer.send(&config.socket, &[])
}

fn write_fault(answer: &mut Writer, fault: &Fault) {
    let (action, errno) = match fault {
        Fault::System { action, source } => (action.clone(), source.raw_os_error().unwrap_or(libc::EIO)),
        other => (other.to_string(), libc::EIO),
    };
    answer.bytes(action.as_bytes()).u64(u64::from(errno.cast_unsigned()));
}

/// An init at work.
pub(crate) struct Init {
    pub(crate) folder: Ramdisk,
    /// The size that the folder was asked for last.
    pub(crate) size: u64,
    /// What was ordered last.
    plan: Option<Rc<Plan>>,
    /// What the working folder is mounted in.
    parent: OwnedFd,
    /// The working folder of the last run, if it exchanges files: they are taken out of it from outside.
    lent: Option<OwnedFd>,
    pub(crate) tree_clock: Option<TreeClock>,
    /// Of CPU time, after the last brief program.
    pub(crate) accounts: Cell<Option<Accounts>>,
    oom_score: Option<File>,
    pub(crate) reaper: Reaper,
    pub(crate) gate: Option<ForkGate>,
    walls: WallContext,
    pid_counter: Option<PidCounter>,
}

/// Builds the jail for `task`.
fn build(config: &InitConfig, task: &Task, is_inside: bool) -> Result<Init, Fault> {
    let pid_counter = PidCounter::find();
    let sources = mounts::sources(task, config.counts_cpu)?;
    if config.users.own_user_namespace {
        // Refused where the user may not: then they stay, and reach no file that the jail shows.
        let _ = set_thread_groups(&[]);
        let (uid, gid) = (rustix::process::Uid::from_raw(INNER_ID), rustix::process::Gid::from_raw(INNER_ID));
        set_thread_res_gid(gid, gid, gid).context("becoming the jail's user")?;
        set_thread_res_uid(uid, uid, uid).context("becoming the jail's user")?;
    }
    // Not before: a change of user clears it.
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))
        .context("tying the jail's life to the helper's")?;
    for door in &config.doors {
        door.enter(is_inside).context("joining the control group")?;
    }
    // SAFETY: a system call without pointers. Hides where in the machine's groups this one is; no matter if it fails.
    unsafe { libc::unshare(libc::CLONE_NEWCGROUP) };
    // Programs need not know the host's; no matter if it fails.
    let _ = rustix::system::sethostname(HOST_NAME);
    mounts::build_root(&sources, task)?;
    let owner = if config.users.own_user_namespace { INNER_ID } else { config.users.identity.unwrap_or(0) };
    let folder = Ramdisk::mount(mounts::BOX, owner, config.counts_cpu, task.limits.disk)?;
    let parent = mounts::open_folder(mounts::WORK)?;
    // Before it is closed to others, and thereby to itself where it is not root.
    let oom_score = File::options().write(true).open("/proc/self/oom_score_adj").ok();
    mounts::seal_proc();
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)
        .context("closing this process to others")?;
    let reaper = Reaper::open(Rc::clone(&config.notes))?;
    let also = Also { memory: !config.has_cgroup(), clocks: false };
    let (gate, pass) = if config.counts_processes { None } else { ForkGate::install(also) }.unzip();
    // Each program would inherit it, and who opens the first on a machine waits. Other accounts show what is used on another
    // core up to a tick late, which is too late for a limit. A program that no group counts gets one from the helper when it
    // asks for another process.
    let comes_late = !config.pinned && task.limits.cpu.is_some();
    let is_counted = config.counts_cpu || gate.is_some();
    let tree_clock = if comes_late || !is_counted { TreeClock::open() } else { None };
    let mut walls = WallContext::new(isolation(config, pass), None);
    let needs_passage = task.folder.is_some() && identity::has(identity::PASSAGE);
    walls.open_to(task, (parent.as_fd(), mounts::WORK.as_ref()), needs_passage)?;
    let size = task.limits.disk;
    let (plan, lent, accounts) = Default::default();
    Ok(Init { folder, size, plan, parent, lent, tree_clock, accounts, oom_score, reaper, gate, walls, pid_counter })
}

fn isolation(config: &InitConfig, pass: Option<Pass>) -> Isolation {
    let Users { own_user_namespace, identity } = config.users;
    Isolation {
        restricted: true,
        shared_world: false,
        has_cgroup: config.has_cgroup(),
        counts_cpu: config.counts_cpu,
        other_tasks: Some(u64::from(own_user_namespace)),
        identity: identity.filter(|_| !own_user_namespace),
        pass,
        asks_for_clocks: false,
    }
}

impl Init {
    /// Runs one program and tells how it ended, and whether its folder is still to be renewed, of which another message
    /// then tells. False: the helper has gone.
    fn answer(&mut self, config: &InitConfig, message: Reader, pass: Option<Pass>) -> io::Result<bool> {
        // Not after a program that the helper has ordered: it may have changed the accounts.
        self.accounts.take();
        let conclusion = self.serve(config, message);
        self.tell(config, conclusion, pass)
    }

    /// Tells the helper how a program ended. False: the helper has gone.
    pub(crate) fn tell(
        &mut self,
        config: &InitConfig,
        conclusion: Result<Option<Conclusion>, Fault>,
        pass: Option<Pass>,
    ) -> io::Result<bool> {
        let conclusion = match conclusion {
            Ok(None) => return Ok(false),
            Ok(Some(conclusion)) => Ok(conclusion),
            Err(fault) => Err(fault),
        };
        let mut answer = Writer::default();
        answer.u64(u64::from(!self.folder.is_as_new()));
        match &conclusion {
            Ok(Conclusion::Finished(finished)) => finished.encode(answer.u64(2)),
            Ok(Conclusion::Refused(errno)) => {
                answer.u64(1).u64(u64::from(errno.cast_unsigned()));
            }
            Err(fault) => write_fault(answer.u64(0), fault),
        }
        let lent = self.lent.take();
        answer.send_by(pass, &config.socket, &lent.iter().map(AsFd::as_fd).collect::<Vec<_>>())?;
        Ok(true)
    }

    /// Runs one program. `None`: the helper has gone.
    fn serve(&mut self, config: &InitConfig, mut message: Reader) -> Result<Option<Conclusion>, Fault> {
        let Order { plan, files, .. } = Order::decode(&mut message, &mut self.plan).context("reading an order")?;
        let task = &plan.task;
        self.make_ready(task)?;
        let [stdout, stderr] = [files.stdout, files.stderr].map(Outlet::file);
        let stdin = files.stdin.as_fd();
        let stdio = [stdin, stdout.as_ref().map_or(stdin, AsFd::as_fd), stderr.as_ref().map_or(stdin, AsFd::as_fd)];
        let launched = self.launch(task, stdio)?;
        drop((files.stdin, stdout, stderr));
        match launched {
            Launched::Running(child) => {
                config.notes.set_started(child.started);
                self.see_end(config, task, &child, Account::default())
            }
            Launched::Refused(errno) => Ok(Some(Conclusion::Refused(errno))),
        }
    }

    /// Makes the working folder ready for a program.
    pub(crate) fn make_ready(&mut self, task: &Task) -> Result<(), Fault> {
        self.size = task.limits.disk;
        self.folder.renew(self.size)?;
        self.folder.hand_out();
        task.exchange.as_ref().map_or(Ok(()), |wanted| exchange::give(wanted, self.folder.root()))
    }

    pub(crate) fn launch(&self, task: &Task, stdio: [BorrowedFd<'_>; 3]) -> Result<Launched, Fault> {
        let walls = Walls::of(&self.walls, task);
        let start = task.folder.as_deref().map(Launch::folder).transpose()?;
        let folder = start.as_ref().map_or(self.folder.root(), AsFd::as_fd);
        let mut launch = match Launch::new(task, stdio, folder, walls) {
            Ok(launch) => launch,
            Err(errno) => return Ok(Launched::Refused(errno)),
        };
        if let Some(exchange) = &task.exchange {
            launch.name_folder(&exchange.variables, mounts::BOX.as_ref());
        }
        if let Some(counter) = &self.pid_counter {
            counter.rewind().context("resetting the jail's process ids")?;
        }
        // A child inherits its score: the kernel shall not take the init for the one that uses too much.
        self.score(b"1000");
        let launched = launch.start();
        self.score(b"0");
        launched
    }

    /// Waits for a program's end, and ends what it has left. `None`: the helper has gone.
    pub(crate) fn see_end(
        &mut self,
        config: &InitConfig,
        task: &Task,
        child: &Child,
        account: Account,
    ) -> Result<Option<Conclusion>, Fault> {
        let deadline = task.deadline(child.started);
        let Some(account) = self.await_end(config, child, deadline, account)? else { return Ok(None) };
        let finished = reaper::finish(child, Scope::Namespace, account);
        self.notice(child, &finished);
        let exchanges = task.exchange.is_some();
        self.lent = exchanges.then(|| self.folder.root().try_clone_to_owned().ok()).flatten();
        Ok(Some(Conclusion::Finished(finished)))
    }

    /// Looks whether a program has certainly left the working folder alone.
    pub(crate) fn notice(&mut self, child: &Child, finished: &Finished) {
        // Another process, or a thread, could have been killed while the program went on.
        let was_alone = self.pid_counter.as_ref().is_some_and(|counter| counter.is_at(child.pid));
        self.folder.notice(finished.own_run_time().filter(|_| was_alone));
    }

    /// Waits for the program's end, which the helper may hasten, and hastens it itself after the deadline. `None`: the
    /// helper has gone.
    fn await_end(
        &self,
        config: &InitConfig,
        child: &Child,
        mut deadline: Option<u64>,
        mut account: Account,
    ) -> Result<Option<Account>, Fault> {
        loop {
            let left = deadline.map(|deadline| clock::timespec(deadline.saturating_sub(clock::now())));
            let reaper = self.reaper.fd();
            let mut fds = [PollFd::from_borrowed_fd(reaper, PollFlags::IN), PollFd::new(&config.socket, PollFlags::IN)];
            match rustix::event::poll(&mut fds, left.as_ref()) {
                Ok(0) => {
                    reaper::kill(child, Scope::Namespace);
                    deadline = None;
                    continue;
                }
                Ok(_) => {}
                Err(rustix::io::Errno::INTR) => continue,
                Err(error) => return Err(error).context("waiting for a program in a jail"),
            }
            let asked = !fds[1].revents().is_empty();
            if self.reaper.tidy(child, &mut account) {
                return Ok(Some(account));
            }
            if asked {
                if Reader::receive(&config.socket).context("hearing from the helper")?.is_none() {
                    return Ok(None);
                }
                reaper::kill(child, Scope::Namespace);
            }
        }
    }

    fn score(&self, score: &[u8]) {
        if let Some(mut file) = self.oom_score.as_ref() {
            let _ = file.write_all(score);
        }
    }
}

//# The counter from which a jail's processes get their ids: what one program has counted up, the next must not see.

/// The host's file: it is about the namespace of who writes to it.
const PLACE: &str = "/proc/sys/kernel/ns_last_pid";

/// The counter of this process's namespace.
pub(crate) struct PidCounter(File);

impl PidCounter {
    /// `None` where the kernel has no such file or does not let it be written to. To be called while the host's files
    /// are in sight.
    pub(crate) fn find() -> Option<PidCounter> {
        File::options().read(true).write(true).open(PLACE).ok().map(PidCounter)
    }

    /// The next process gets the first id after the init's.
    pub(crate) fn rewind(&self) -> io::Result<()> {
        self.0.write_all_at(b"1", 0)
    }

    /// Whether the process with this id was the last that got one.
    pub(crate) fn is_at(&self, pid: i32) -> bool {
        let mut text = [0; 16];
        let length = self.0.read_at(&mut text, 0).unwrap_or_default();
        std::str::from_utf8(&text[..length]).is_ok_and(|last| last.trim().parse() == Ok(pid))
    }
}
