//! The init of a jail, and the messages between it and the helper. The init builds the jail from inside, then starts
//! programs, one at a time, and reaps the processes that they leave.
//!
//! While the judge repeats its last order, the init runs it without the helper, as long as each run is short and writes
//! little. It leaves everything else to the helper.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::rc::Rc;
use std::time::Duration;

use libc::c_int;
use rustix::event::{PollFd, PollFlags};
use rustix::fs::CWD;
use rustix::io::Errno;
use rustix::thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid};
use serde::{Deserialize, Serialize};

use crate::cgroup::site::{self, CgroupEntry, Site};
use crate::cgroup::{Before, Cgroup, Counters};
use crate::clock::{self, nanoseconds};
use crate::confine::fork_gate::{ForkGate, GateScope};
use crate::confine::launch::{Child, Launch, OrRefused};
use crate::confine::{ConfinementContext, Isolation, identity};
use crate::namespace::mounts;
use crate::process;
use crate::protocol::messages::{Answer, Order, RunSpec};
use crate::protocol::shared_memory::{OrderState, StatusPage};
use crate::protocol::{FilterBypass, Message, Received};
use crate::request::{Context, Fault, Limits};
use crate::scratch::disk::open_folder;
use crate::scratch::exchange;
use crate::scratch::ramdisk::Ramdisk;
use crate::watch::capture::{Channel, MAX_INLINE_BYTES, PartialOutput, Stream, take_rest};
use crate::watch::gauges::{CpuReadings, Gauges, RunGauges, TreeClock};
use crate::watch::meter::{Meter, conclude, refused};
use crate::watch::reaper::{self, Finished, ReapedUsage, Reaper, Scope};

/// The uid of programs in a user namespace, as they see it.
pub(crate) const INNER_ID: u32 = 1000;

/// How the jails of a helper are made.
pub(crate) struct JailOptions {
    /// The jail has a user namespace. Without one, root builds it.
    pub(crate) own_user_namespace: bool,
    /// The uid of programs, as the host sees it; `None` means this process's uid.
    pub(crate) identity: Option<u32>,
    /// For control groups.
    pub(crate) site: Option<Site>,
    /// Programs stay on the helper's core.
    pub(crate) pinned: bool,
    /// The helper's end of its socket to the judge. The init serves it when the helper orders that.
    pub(crate) judge: OwnedFd,
}

impl JailOptions {
    /// Whether a control group counts CPU time.
    fn counts_cpu(&self) -> bool {
        self.site.as_ref().is_some_and(|site| site.cpu.is_some())
    }

    /// Whether programs run as another user than the init, as the jail sees them.
    fn programs_are_others(&self) -> bool {
        self.identity.is_some() && !self.own_user_namespace
    }
}

/// What the init needs to know. It inherits this from the helper's memory.
pub(crate) struct InitConfig<'a> {
    pub(crate) options: &'a JailOptions,
    pub(crate) socket: OwnedFd,
    /// Shared with the helper, which reads there when the program started.
    pub(crate) status_page: Rc<StatusPage>,
    /// The init joins its control groups through these.
    pub(crate) entries: Vec<CgroupEntry>,
    /// Its files are open. Its paths do not exist in the jail.
    pub(crate) cgroup: Option<Rc<Cgroup>>,
}

impl InitConfig<'_> {
    /// The gauges for the programs of the init, whose process id is `root`.
    pub(crate) fn gauges(&self, root: i32, root_clock: Option<TreeClock>, gate: Option<ForkGate>) -> Gauges {
        Gauges {
            root,
            cgroup: self.cgroup.clone(),
            root_clock,
            accounts: Cell::default(),
            // The group's CPU time is exact whenever the helper reads it: the helper is on the same core, so no program
            // runs then.
            keeps_accounts: self.options.counts_cpu() && self.options.pinned,
            status_page: Rc::clone(&self.status_page),
            gate,
            asks_for_memory: true,
            user: None,
        }
    }
}

/// The result when an init stops serving the judge. Descriptors travel with it.
#[derive(Serialize, Deserialize)]
pub(crate) enum InitMessage {
    /// An order that the helper is to follow, and the counters of the control group, if there is one.
    Order(Counters, Received),
    /// A program that takes longer than a short run, writes more, or has read from a disk. The init will report its end
    /// as if the helper had ordered it.
    StartedRun(StartedRun),
}

/// A run that the init has started and the helper continues.
#[derive(Serialize, Deserialize)]
pub(crate) struct StartedRun {
    /// The state of the control group before the run, if there is one.
    pub(crate) group: Before,
    /// CPU time before the run.
    pub(crate) accounts: CpuReadings,
    pub(crate) stdout: PartialOutput,
    pub(crate) stderr: PartialOutput,
}

impl InitMessage {
    pub(crate) fn send(&self, bypass: Option<FilterBypass>, socket: &OwnedFd) -> io::Result<()> {
        let fds: Vec<_> = match self {
            InitMessage::Order(_, order) => order.fds.as_slice().iter().map(AsFd::as_fd).collect(),
            InitMessage::StartedRun(StartedRun { stdout, stderr, .. }) => {
                [stdout, stderr].into_iter().flat_map(|output| &output.pipe).map(AsFd::as_fd).collect()
            }
        };
        Message::new(self).send_with(bypass, socket, &fds)
    }

    pub(crate) fn decode(mut received: Received) -> io::Result<InitMessage> {
        let mut message = received.decode()?;
        match &mut message {
            InitMessage::Order(_, order) => order.fds = received.fds,
            InitMessage::StartedRun(StartedRun { stdout, stderr, .. }) => {
                (stdout.pipe, stderr.pipe) = (Some(received.take_fd()?), Some(received.take_fd()?));
            }
        }
        Ok(message)
    }
}

/// The answer of an init that was to build its jail. The parent of the working folder travels with it, then the tree
/// clock and the fork gate if there are any.
#[derive(Serialize, Deserialize)]
pub(crate) struct BuiltJail {
    pub(crate) has_clock: bool,
    pub(crate) has_gate: bool,
}

/// The answer of an init that was to run a program.
#[derive(Serialize, Deserialize)]
pub(crate) struct RunReport {
    /// The init is clearing the working folder, and will send another message when it is done.
    pub(crate) is_clearing: bool,
    pub(crate) conclusion: Result<OrRefused<Finished>, Fault>,
}

/// The host name in a jail.
const HOST_NAME: &[u8] = b"judge";

/// Runs the init. `is_inside`: it was cloned into its control group of version 2.
pub(crate) fn enter(config: &InitConfig<'_>, is_inside: bool) -> ! {
    let code = c_int::from(live(config, is_inside).is_err());
    // SAFETY: ends this process without running what its copy of the helper's memory would run.
    unsafe { libc::_exit(code) }
}

fn live(config: &InitConfig<'_>, is_inside: bool) -> io::Result<()> {
    // This includes the helper's ends of sockets. Processes that wait for the helper's death would otherwise wait for
    // this process, too.
    let entries = config.entries.iter().map(CgroupEntry::fd);
    let files = config.cgroup.iter().flat_map(|cgroup| cgroup.fds()).map(|fd| fd.as_raw_fd());
    let sockets = [config.socket.as_raw_fd(), config.options.judge.as_raw_fd()];
    process::close_all_but(entries.chain(files).chain(sockets).chain([0, 1, 2]).collect());
    let Some(first) = Received::receive(&config.socket)? else { return Ok(()) };
    let Order::Run(spec) = first.decode::<Order<RunSpec>>()? else { return Err(io::ErrorKind::InvalidData.into()) };
    let mut init = match build(config, &spec, is_inside) {
        Ok(init) => init,
        Err(fault) => return Message::new(&Err::<BuiltJail, _>(fault)).send(&config.socket, &[]),
    };
    let (clock, gate) = (init.gauges.root_clock.as_ref(), init.gauges.gate.as_ref());
    let built = BuiltJail { has_clock: clock.is_some(), has_gate: gate.is_some() };
    let fds = clock.iter().map(|clock| clock.fd().as_fd()).chain(gate.map(ForkGate::fd));
    let fds: Vec<_> = [init.parent.as_fd()].into_iter().chain(fds).collect();
    Message::new(&Ok::<_, Fault>(built)).send(&config.socket, &fds)?;
    init.bypass = init.confinement.share_filter();
    init.folder.bypass = init.bypass;
    while let Some(message) = Received::receive(&config.socket)? {
        if message.is_empty() {
            // The program to kill has ended already.
            continue;
        }
        let goes_on = match message.decode()? {
            Order::Run(spec) => init.answer(spec, message)?,
            Order::ServeJudge(counters) => init.serve_judge(counters)?,
            Order::Repeat => return Err(io::ErrorKind::InvalidData.into()),
        };
        if !goes_on {
            return Ok(());
        }
        if init.folder.is_clean() {
            continue;
        }
        // After the answer, so the judge does not wait for this. The helper waits for it before the next run, because
        // the files use memory.
        Message::new(&init.folder.renew(init.folder.size)).send(&config.socket, &[])?;
    }
    Ok(())
}

/// An init whose jail is built.
pub(crate) struct Init<'a> {
    pub(crate) config: &'a InitConfig<'a>,
    /// Opens the filter of this process, if it has one.
    pub(crate) bypass: Option<FilterBypass>,
    pub(crate) folder: Ramdisk,
    /// The last order.
    pub(crate) last: Option<Rc<RunSpec>>,
    /// The parent of the working folder.
    parent: OwnedFd,
    /// The working folder of the last run, if that run exchanged files. The helper takes them.
    lent_folder: Option<OwnedFd>,
    pub(crate) gauges: Gauges,
    oom_score: Option<File>,
    pub(crate) reaper: Reaper,
    confinement: ConfinementContext,
    pid_counter: Option<PidCounter>,
}

/// Builds the jail for `spec`.
fn build<'a>(config: &'a InitConfig<'a>, spec: &RunSpec, is_inside: bool) -> Result<Init<'a>, Fault> {
    let options = config.options;
    let pid_counter = PidCounter::find();
    let sources = mounts::sources(spec, options.counts_cpu())?;
    if options.own_user_namespace {
        // Refused if the user may not. The groups then stay, but reach no file that the jail shows.
        let _ = set_thread_groups(&[]);
        let (uid, gid) = (rustix::process::Uid::from_raw(INNER_ID), rustix::process::Gid::from_raw(INNER_ID));
        set_thread_res_gid(gid, gid, gid).context("becoming the jail's user")?;
        set_thread_res_uid(uid, uid, uid).context("becoming the jail's user")?;
    }
    // A change of user would clear this.
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))
        .context("tying the jail's life to the helper's")?;
    for entry in &config.entries {
        entry.enter(is_inside).context("joining the control group")?;
    }
    // SAFETY: a system call without pointers. It hides the group's place on the machine. Failure does no harm.
    unsafe { libc::unshare(libc::CLONE_NEWCGROUP) };
    // Hides the host's name. Failure does no harm.
    let _ = rustix::system::sethostname(HOST_NAME);
    mounts::build_root(&sources, spec)?;
    let owner = if options.own_user_namespace { INNER_ID } else { options.identity.unwrap_or(0) };
    let folder = Ramdisk::mount(mounts::WORK_FOLDER, owner, options.counts_cpu(), spec.limits.disk)?;
    let parent = open_folder(CWD, mounts::WORK_PARENT).context("opening /judge in the jail")?;
    // Before the process becomes undumpable, and thereby closes this file to itself unless it is root.
    let oom_score = File::options().write(true).open("/proc/self/oom_score_adj").ok();
    mounts::seal_proc();
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)
        .context("making this process undumpable")?;
    let reaper = Reaper::open(Rc::clone(&config.status_page))?;
    let scope = GateScope { memory: config.cgroup.is_none(), clocks: false };
    let counts_processes = options.site.as_ref().is_some_and(|site| site.pids.is_some());
    let (gate, bypass) = if counts_processes { None } else { ForkGate::install(scope) }.unzip();
    // Each program would inherit the clock, and opening the first one on a machine takes long. But other accounts
    // include the time of another core up to a tick late, which is too late for a limit. If no group counts a program,
    // the helper opens a clock when the program asks for another process.
    let comes_late = !options.pinned && spec.limits.cpu.is_some();
    let is_counted = options.counts_cpu() || gate.is_some();
    let tree_clock = if comes_late || !is_counted { TreeClock::open() } else { None };
    let mut confinement = ConfinementContext::new(isolation(config, bypass), None);
    let needs_read_search = spec.folder.is_some() && identity::has(identity::READ_SEARCH);
    // In a jail, no folders are searched.
    let working = (parent.as_fd(), mounts::WORK_PARENT.as_ref());
    confinement.give_access_to(spec, working, needs_read_search, &|| false)?;
    Ok(Init {
        config,
        bypass: None,
        folder,
        last: None,
        parent,
        lent_folder: None,
        gauges: config.gauges(std::process::id().cast_signed(), tree_clock, gate),
        oom_score,
        reaper,
        confinement,
        pid_counter,
    })
}

fn isolation(config: &InitConfig<'_>, bypass: Option<FilterBypass>) -> Isolation {
    let options = config.options;
    Isolation {
        restricted: true,
        shares_host: false,
        has_cgroup: config.cgroup.is_some(),
        counts_cpu: options.counts_cpu(),
        other_tasks: Some(u64::from(options.own_user_namespace)),
        identity: options.identity.filter(|_| !options.own_user_namespace),
        bypass,
        asks_for_clocks: false,
    }
}

impl Init<'_> {
    /// Runs one program, and reports how it ended. False if the helper has ended.
    fn answer(&mut self, spec: RunSpec, message: Received) -> io::Result<bool> {
        // They are outdated after a program that the helper has ordered.
        self.gauges.accounts.take();
        let spec = Rc::clone(self.last.insert(spec.into()));
        let conclusion = self.serve(&spec, message);
        self.report_end(conclusion)
    }

    /// Reports to the helper how a program ended. False if the helper has ended.
    pub(crate) fn report_end(&mut self, conclusion: Result<Option<OrRefused<Finished>>, Fault>) -> io::Result<bool> {
        let Some(conclusion) = conclusion.transpose() else { return Ok(false) };
        let report = Message::new(&RunReport { is_clearing: !self.folder.is_clean(), conclusion });
        let lent_folder = self.lent_folder.take();
        report.send_with(self.bypass, &self.config.socket, &lent_folder.iter().map(AsFd::as_fd).collect::<Vec<_>>())?;
        Ok(true)
    }

    /// Runs one program with the standard streams of a message. `None` if the helper has ended.
    fn serve(&mut self, spec: &RunSpec, mut message: Received) -> Result<Option<OrRefused<Finished>>, Fault> {
        let mut take = || message.take_fd().context("reading an order");
        let stdio = [take()?, take()?, take()?];
        self.make_ready(spec)?;
        let launched = self.launch(spec, stdio.each_ref().map(AsFd::as_fd))?;
        drop(stdio);
        match launched {
            Ok(child) => {
                self.config.status_page.set_started(child.started);
                self.wait_for_end(spec, &child, ReapedUsage::default())
            }
            Err(errno) => Ok(Some(Err(errno))),
        }
    }

    /// Prepares the working folder for a program.
    pub(crate) fn make_ready(&mut self, spec: &RunSpec) -> Result<(), Fault> {
        self.folder.renew(spec.limits.disk)?;
        self.folder.mark_used();
        spec.exchange.as_ref().map_or(Ok(()), |wanted| exchange::put_input_files(wanted, self.folder.root()))
    }

    pub(crate) fn launch(&self, spec: &RunSpec, stdio: [BorrowedFd<'_>; 3]) -> Result<OrRefused<Child>, Fault> {
        let working_folder = (self.folder.root(), mounts::WORK_FOLDER.as_ref());
        let launch = match Launch::new(&self.confinement, spec, stdio, working_folder)? {
            Ok(launch) => launch,
            Err(errno) => return Ok(Err(errno)),
        };
        if let Some(counter) = &self.pid_counter {
            counter.reset().context("resetting the jail's process ids")?;
        }
        // A child inherits this, so that the kernel kills the program and not the init when memory runs out.
        self.score(b"1000");
        let launched = launch.start();
        self.score(b"0");
        launched
    }

    /// Waits for a program's end, and kills the processes that it has left. `None` if the helper has ended.
    pub(crate) fn wait_for_end(
        &mut self,
        spec: &RunSpec,
        child: &Child,
        account: ReapedUsage,
    ) -> Result<Option<OrRefused<Finished>>, Fault> {
        let deadline = spec.deadline(child.started);
        let Some(account) = self.await_end(child, deadline, account)? else { return Ok(None) };
        let finished = reaper::finish(child, Scope::Namespace, account);
        self.note_run(child, &finished);
        let exchanges = spec.exchange.is_some();
        self.lent_folder = exchanges.then(|| self.folder.root().try_clone_to_owned().ok()).flatten();
        Ok(Some(Ok(finished)))
    }

    /// Checks whether a program has certainly not touched the working folder.
    pub(crate) fn note_run(&mut self, child: &Child, finished: &Finished) {
        // Another process, or a thread, could have been killed in the middle of a change.
        let was_alone = self.pid_counter.as_ref().is_some_and(|counter| counter.is_at(child.pid));
        self.folder.note_run((was_alone && libc::WIFEXITED(finished.status)).then(|| finished.run_time()));
    }

    /// Waits for the program's end. Kills it when the helper asks for it, or after the deadline. `None` if the helper
    /// has ended.
    fn await_end(
        &self,
        child: &Child,
        mut deadline: Option<u64>,
        mut account: ReapedUsage,
    ) -> Result<Option<ReapedUsage>, Fault> {
        loop {
            let left = deadline.map(|deadline| clock::timespec(deadline.saturating_sub(clock::now())));
            let reaper = self.reaper.fd();
            let socket = &self.config.socket;
            let mut fds = [PollFd::from_borrowed_fd(reaper, PollFlags::IN), PollFd::new(socket, PollFlags::IN)];
            match rustix::event::poll(&mut fds, left.as_ref()) {
                Ok(0) => {
                    reaper::kill(child, Scope::Namespace);
                    deadline = None;
                    continue;
                }
                Ok(_) => {}
                Err(Errno::INTR) => continue,
                Err(error) => return Err(error).context("waiting for a program in a jail"),
            }
            let asked = !fds[1].revents().is_empty();
            if self.reaper.tidy(child, &mut account) {
                return Ok(Some(account));
            }
            if asked {
                if Received::receive(socket).context("receiving from the helper")?.is_none() {
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

/// How long the init waits for a program before it leaves it to the helper, unless the limits are shorter. A trivial
/// program takes a quarter of this, and most of it if the machine is slow or busy.
const MAX_WALL: Duration = Duration::from_millis(2);

/// Whether the init alone should handle runs like this one.
pub(crate) fn is_short(answer: &Answer) -> bool {
    let usage = &answer.usage;
    usage.wall < MAX_WALL
        && usage.stdout_bytes.max(usage.stderr_bytes) < MAX_INLINE_BYTES as u64
        && answer.breaches.is_empty()
}

/// The result of an order that should be a short run.
enum ShortRun {
    Done(Answer),
    /// The run takes longer, writes more, or has read from a disk. The helper is to continue it.
    Exceeded(StartedRun, Rest),
    /// The jail cannot run this order now.
    NotApplicable(Received),
}

/// What the init still has to do for a run.
enum Rest {
    Running(Child, ReapedUsage),
    Over(Finished),
}

impl Init<'_> {
    /// Serves the judge, which repeats the last order, until there is work for the helper, which then uses its socket
    /// again. False if the judge has ended.
    pub(crate) fn serve_judge(&mut self, counters: Counters) -> io::Result<bool> {
        let (config, spec) = (self.config, self.last.clone().ok_or(io::ErrorKind::InvalidData)?);
        if let Some(cgroup) = &config.cgroup {
            cgroup.counters.set(counters);
        }
        while let Some(order) = next_order(config)? {
            let tried = if matches!(order.decode(), Ok(Order::<()>::Repeat)) {
                config.status_page.set_order_state(OrderState::Taken);
                self.try_short_run(&spec, order)
            } else {
                Ok(ShortRun::NotApplicable(order))
            };
            let answer = match tried {
                Ok(ShortRun::Done(answer)) => Ok(answer),
                Err(fault) => Err(fault),
                Ok(ShortRun::Exceeded(run, rest)) => {
                    InitMessage::StartedRun(run).send(self.bypass, &config.socket)?;
                    // The helper watches it from now on.
                    let conclusion = match rest {
                        Rest::Over(finished) => Ok(Some(Ok(finished))),
                        Rest::Running(child, account) => self.wait_for_end(&spec, &child, account),
                    };
                    return self.report_end(conclusion);
                }
                Ok(ShortRun::NotApplicable(order)) => {
                    let counters = config.cgroup.as_ref().map(|cgroup| cgroup.counters.get()).unwrap_or_default();
                    InitMessage::Order(counters, order).send(self.bypass, &config.socket)?;
                    return Ok(true);
                }
            };
            let answer = Message::new(&answer);
            config.status_page.set_order_state(OrderState::Unknown);
            answer.send(&config.options.judge, &[])?;
            config.status_page.set_order_state(OrderState::Idle);
            // If this fails, the init ends, and the helper builds another jail.
            self.folder.renew(self.folder.size).map_err(|fault| io::Error::other(fault.to_string()))?;
        }
        Ok(false)
    }

    fn try_short_run(&mut self, spec: &RunSpec, mut order: Received) -> Result<ShortRun, Fault> {
        let (config, limits) = (self.config, &spec.limits);
        let open = |channel| Stream::for_capture(channel, limits, config.options.programs_are_others());
        // Before the control group is checked, as the pipes are charged to it.
        let ((mut stdout, out), (mut stderr, err)) = (open(Channel::Output)?, open(Channel::Errors)?);
        if let Some(cgroup) = &config.cgroup {
            cgroup.begin();
            if cgroup.had_residual_charge() {
                return Ok(ShortRun::NotApplicable(order));
            }
        }
        let stdin = order.take_fd().context("reading an order")?;
        self.make_ready(spec)?;
        config.status_page.clear();
        let gauges = RunGauges::new(&self.gauges, limits.allow_others());
        let meter = Meter::start(&gauges, gauges.before_run());
        let launched = self.launch(spec, [stdin.as_fd(), out.as_fd(), err.as_fd()])?;
        drop((stdin, out, err));
        let child = match launched {
            Ok(child) => child,
            Err(errno) => return Ok(ShortRun::Done(refused(errno))),
        };
        config.status_page.set_started(child.started);
        let (before, mut account) = (meter.cpu.before, ReapedUsage::default());
        let rest = if self.ends_soon(&child, limits, &mut account) {
            let finished = reaper::finish(&child, Scope::Namespace, account);
            let totals = meter.totals(&finished);
            self.note_run(&child, &finished);
            take_rest([&mut stdout, &mut stderr], &mut [0; MAX_INLINE_BYTES])?;
            if stdout.done && stderr.done && !finished.read_disk {
                stderr.finish()?;
                let answer = conclude(limits, &finished, Vec::new(), &totals, &mut stdout, &mut stderr)?;
                return Ok(ShortRun::Done(answer));
            }
            Rest::Over(finished)
        } else {
            Rest::Running(child, account)
        };
        self.gauges.accounts.take();
        let group = config.cgroup.as_ref().map(|group| group.before.get()).unwrap_or_default();
        let (stdout, stderr) = (stdout.into_partial(), stderr.into_partial());
        Ok(ShortRun::Exceeded(StartedRun { group, accounts: before, stdout, stderr }, rest))
    }

    /// Waits for the program's end while the run is short. False if the program is still running, or if the helper is
    /// needed.
    fn ends_soon(&self, child: &Child, limits: &Limits, account: &mut ReapedUsage) -> bool {
        let until = clock::now() + nanoseconds(MAX_WALL.min(limits.shortest_time()));
        let gate = self.gauges.gate.as_ref();
        let (reaper, gate_fd) = (self.reaper.fd(), gate.map_or(self.reaper.fd(), ForkGate::fd));
        loop {
            let left = clock::timespec(until.saturating_sub(clock::now()));
            let mut fds = [
                PollFd::from_borrowed_fd(reaper, PollFlags::IN),
                PollFd::new(&self.config.options.judge, PollFlags::RDHUP),
                PollFd::from_borrowed_fd(gate_fd, PollFlags::IN),
            ];
            match rustix::event::poll(&mut fds, Some(&left)) {
                Err(Errno::INTR) => continue,
                Err(_) | Ok(0) => return false,
                Ok(_) => {}
            }
            let [ended, judge_left, asked] = fds.map(|fd| !fd.revents().is_empty());
            if ended && self.reaper.tidy(child, account) {
                return true;
            }
            if judge_left || (asked && gate.is_some()) {
                return false;
            }
        }
    }
}

/// Waits for the judge's next order. While the status page says that this init is idle, the init has not taken an
/// order.
fn next_order(config: &InitConfig<'_>) -> io::Result<Option<Received>> {
    let judge = &config.options.judge;
    rustix::io::retry_on_intr(|| rustix::event::poll(&mut [PollFd::new(judge, PollFlags::IN)], None))?;
    config.status_page.set_order_state(OrderState::Unknown);
    let order = Received::receive(judge)?;
    if order.is_none() {
        // The judge has ended.
        config.status_page.set_order_state(OrderState::Idle);
    }
    Ok(order)
}

/// The host's file. It shows the pid namespace of the process that opens it.
const PATH: &str = "/proc/sys/kernel/ns_last_pid";

/// The counter for process ids in this pid namespace. It is reset for each program, because it would reveal the number
/// of processes that the last one started.
pub(crate) struct PidCounter(File);

impl PidCounter {
    /// `None` if the kernel has no such file or it is not writable. To be called while the host's files are visible.
    pub(crate) fn find() -> Option<PidCounter> {
        File::options().read(true).write(true).open(PATH).ok().map(PidCounter)
    }

    /// The next process gets the first id after the init's.
    pub(crate) fn reset(&self) -> io::Result<()> {
        self.0.write_all_at(b"1", 0)
    }

    /// Whether this process id was the last that was assigned.
    pub(crate) fn is_at(&self, pid: i32) -> bool {
        site::number(&self.0) == u64::from(pid.unsigned_abs())
    }
}
