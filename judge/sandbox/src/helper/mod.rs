//! The helper: a small process with one thread that starts programs for one worker and watches over them.

pub(crate) mod backend;
pub(crate) mod direct;
pub(crate) mod keeper;
pub(crate) mod pool;

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::time::Duration;

use rustix::fs::{FileType, Mode, OFlags, SealFlags};

use crate::api::execution::{Breach, End, Fault, Usage};
use crate::api::fault::Context;
use crate::api::tier::Tier;
use crate::cgroup::site::Site;
use crate::confine::fork_gate::Doorkeeper;
use crate::helper::backend::Backend;
use crate::helper::keeper::Leash;
use crate::proc::steal::Steal;
use crate::protocol::messages::{Answer, Order, Task};
use crate::protocol::wire::{Reader, Writer};
use crate::scratch::exchange::Made;
use crate::scratch::memory_file;
use crate::supervisor;
use crate::watch::capture::{Beyond, Stream, Target};
use crate::watch::meter::{Meter, Totals};
use crate::watch::reaper::{Conclusion, Finished};
use crate::watch::{Start, Watch, Watched};

/// The only argument of a process that is to become a helper.
pub(crate) const ARGUMENT: &str = "--judge-sandbox-helper";

/// The only argument of a process that tells, from inside of the walls, how they are.
pub(crate) const SELF_TEST: &str = "--judge-sandbox-self-test";

/// The exit code of a self-test that sees a `/proc`.
pub(crate) const HAS_PROC: i32 = 33;

/// The first thing that a program using this crate does in `main`: if this process was started to be a helper, it
/// becomes one and never returns.
pub fn become_helper_if_asked() {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(argument), None) = (arguments.next(), arguments.next()) else { return };
    if argument == ARGUMENT {
        let code = i32::from(serve().is_err());
        std::process::exit(code);
    }
    if argument == keeper::ARGUMENT {
        std::process::exit(i32::from(keeper::keep().is_err()));
    }
    if argument == supervisor::ARGUMENT {
        let code = i32::from(supervisor::serve().is_err());
        std::process::exit(code);
    }
    if argument == SELF_TEST {
        std::process::exit(if std::path::Path::new("/proc/self/exe").exists() { HAS_PROC } else { 0 });
    }
}

/// How a helper is to work: the first message that it gets.
pub(crate) struct Settings {
    pub(crate) tier: Tier,
    pub(crate) core: Option<u64>,
    /// For the tiers with control groups.
    pub(crate) site: Option<Site>,
    /// For the working folder of the tiers without namespaces.
    pub(crate) scratch: PathBuf,
    /// Unique on this machine.
    pub(crate) name: String,
    pub(crate) stdout: File,
    pub(crate) stderr: File,
    /// For the tiers without namespaces.
    pub(crate) leash: Option<Leash>,
}

impl Settings {
    pub(crate) fn send(&self, socket: impl AsFd) -> io::Result<()> {
        use std::os::unix::ffi::OsStrExt;
        let mut writer = Writer::default();
        writer.bytes(self.tier.name().as_bytes()).option(self.core);
        writer.bytes(self.scratch.as_os_str().as_bytes()).bytes(self.name.as_bytes());
        writer.u64(u64::from(self.site.is_some()));
        if let Some(site) = &self.site {
            site.encode(&mut writer);
        }
        writer.u64(u64::from(self.leash.is_some()));
        let leash = self.leash.iter().flat_map(|leash| [leash.alive.as_fd(), leash.charge.as_fd()]);
        writer.send(socket, &[self.stdout.as_fd(), self.stderr.as_fd()].into_iter().chain(leash).collect::<Vec<_>>())
    }

    fn receive(reader: &mut Reader) -> io::Result<Settings> {
        let invalid = |_| io::Error::from(io::ErrorKind::InvalidData);
        Ok(Settings {
            tier: String::from_utf8_lossy(&reader.bytes()?).parse().map_err(invalid)?,
            core: reader.option()?,
            scratch: reader.os_string()?.into(),
            name: String::from_utf8_lossy(&reader.bytes()?).into_owned(),
            site: if reader.u64()? == 0 { None } else { Some(Site::decode(reader)?) },
            stdout: reader.fd()?.into(),
            stderr: reader.fd()?.into(),
            leash: match reader.u64()? {
                0 => None,
                _ => Some(Leash { alive: reader.fd()?, charge: reader.fd()? }),
            },
        })
    }
}

fn serve() -> io::Result<()> {
    let socket = settle()?;
    let Some(mut first) = Reader::receive(&socket)? else { return Ok(()) };
    let mut settings = Settings::receive(&mut first)?;
    if let Some(core) = settings.core {
        let mut cores = rustix::thread::CpuSet::new();
        cores.set(core as usize);
        rustix::thread::sched_setaffinity(None, &cores)?;
    }
    if !settings.tier.has_cgroup() && settings.tier != Tier::Unsafe {
        // Inherited by programs. Of a huge page, all but a piece can be given back: no process's size shows it any more,
        // and it is still there. No matter if it fails: then there are none.
        // SAFETY: a system call without pointers.
        unsafe { libc::prctl(libc::PR_SET_THP_DISABLE, 1, 0, 0, 0) };
    }
    let mut backend = None;
    let mut steal = Steal::of(settings.core);
    while let Some(mut message) = Reader::receive(&socket)? {
        let order = Order::decode(&mut message)?;
        let answer = match &mut backend {
            Some(backend) => run(backend, &settings, order, socket.as_fd(), &mut steal),
            None => Backend::open(&mut settings)
                .and_then(|opened| run(backend.insert(opened), &settings, order, socket.as_fd(), &mut steal)),
        };
        crate::protocol::messages::encode_answer(&answer).send(&socket, &[])?;
    }
    Ok(())
}

/// The socket to the judge, which a process of ours has as its standard input at first. Whatever else the judge left open
/// is closed when this process executes anything.
pub(crate) fn take_socket() -> io::Result<OwnedFd> {
    let socket = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?;
    let null = rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
    rustix::stdio::dup2_stdin(&null)?;
    // SAFETY: a system call without pointers; none of our own descriptors exists yet but the two above.
    unsafe { libc::syscall(libc::SYS_close_range, 3, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) };
    Ok(socket)
}

/// Leaves behind what the judge's process was: its session, signals, folder, descriptors. Returns the socket.
fn settle() -> io::Result<OwnedFd> {
    let socket = take_socket()?;
    let _ = rustix::process::setsid();
    for signal in 1..=64 {
        // SAFETY: the default action needs no handler; those that cannot be set are refused.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    // SAFETY: the set is valid memory; this process has one thread.
    unsafe {
        let mut broken_pipe: libc::sigset_t = std::mem::zeroed();
        // The one who reads a program's output may go: an error, not our end. Blocked, as programs do not inherit that.
        libc::sigaddset(&raw mut broken_pipe, libc::SIGPIPE);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const broken_pipe, std::ptr::null_mut());
    }
    rustix::process::umask(Mode::from_raw_mode(0o022));
    rustix::process::chdir("/")?;
    rustix::process::set_child_subreaper(rustix::process::Pid::from_raw(1))?;
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)?;
    crate::confine::capabilities::empty_bounding_set();
    Ok(socket)
}

fn run(
    backend: &mut Backend,
    settings: &Settings,
    mut order: Order,
    judge: BorrowedFd<'_>,
    steal: &mut Steal,
) -> Result<Answer, Fault> {
    backend.prepare(&order.task)?;
    let answer = perform(backend, settings, &mut order, judge, steal);
    let run = answer.as_ref().map_or(Duration::MAX, |answer| answer.usage.wall);
    backend.tidy(&order.task, run)?;
    answer
}

fn perform(
    backend: &Backend,
    settings: &Settings,
    order: &mut Order,
    judge: BorrowedFd<'_>,
    steal: &mut Steal,
) -> Result<Answer, Fault> {
    let target = |own: Option<OwnedFd>, capture| own.map_or(Target::Capture(capture), |fd| Target::Own(fd.into()));
    let limits = order.task.limits.clone();
    let stdout_target = target(order.stdout.take(), &settings.stdout);
    let stderr_target = target(order.stderr.take(), &settings.stderr);
    let (mut stdout, out) = Stream::open("output", stdout_target, limits.stdout, Beyond::Ends)?;
    let (mut stderr, err) = Stream::open("error output", stderr_target, limits.stderr, Beyond::Dropped)?;
    let programs_are_others = backend.identity().is_some();
    if programs_are_others {
        // By its name in /dev, the program opens its output anew: as another user than ours, to write.
        for pipe in [&out, &err] {
            rustix::fs::fchmod(pipe, Mode::from_raw_mode(0o622)).context("opening the output to the program")?;
        }
    }
    let stdin = reopened(&order.stdin, programs_are_others)?;
    steal.begin();
    let mut meter = Meter::start(backend.gauges(limits.processes != Some(1)));
    let until = order.until.take();
    let mut program = match backend.start(&order.task, [stdin.as_fd(), out.as_fd(), err.as_fd()])? {
        Start::Running(program) => program,
        Start::Refused(errno) => return Ok(refused(errno)),
    };
    let outputs = [out.as_fd(), err.as_fd()];
    let doorkeeper = backend.fork_gate().map(|gate| Doorkeeper::new(gate, &limits, outputs));
    drop((out, err, stdin));
    let cores = if settings.core.is_some() { 1 } else { crate::proc::cores::allowed().len() as u64 };
    let disk = backend.disk();
    let watch = Watch {
        limits: &limits,
        stdout: &mut stdout,
        stderr: &mut stderr,
        meter: &mut meter,
        judge,
        until: until.as_ref().map(AsFd::as_fd),
        disk,
        doorkeeper,
        cores: cores.min(u64::from(limits.processes.unwrap_or(u32::MAX))).max(1),
    };
    let Watched { conclusion, mut breaches, cutoff, was_full } = watch.run(&mut *program)?;
    let mut finished = match conclusion {
        Conclusion::Finished(finished) => finished,
        Conclusion::Refused(errno) => return Ok(refused(errno)),
    };
    let mut totals = meter.totals(&finished);
    totals.out_of_processes |= was_full;
    if let Some(cutoff) = cutoff {
        finished.ended = finished.ended.min(cutoff.at);
        totals.cpu = totals.cpu.min(cutoff.cpu);
    }
    if disk.is_some_and(|disk| disk.left().is_none_or(|bytes| bytes > limits.disk)) {
        breaches.push(Breach::Disk);
    }
    let mut answer = conclude(&limits, &finished, breaches, &totals, &stdout, &stderr);
    answer.usage.stolen = steal.end(answer.usage.wall);
    answer.made = made(backend, &order.task, &answer);
    Ok(answer)
}

fn made(backend: &Backend, task: &Task, answer: &Answer) -> Made {
    let ended_well = answer.end == End::Exited(0) && answer.breaches.is_empty();
    let Some(exchange) = task.exchange.as_ref().filter(|_| ended_well) else { return Ok(Vec::new()) };
    match backend.work_folder() {
        Some(folder) => exchange.take(folder.as_fd()),
        None => Err("the working folder is gone".to_owned()),
    }
}

/// Standard input for this run alone. Its position is nobody else's, and a file is one in memory: the owner of a file
/// changes its mode even through a descriptor that only reads, and its locks are seen by others.
fn reopened(stdin: &OwnedFd, programs_are_others: bool) -> Result<OwnedFd, Fault> {
    let stat = rustix::fs::fstat(stdin).context("looking at the input")?;
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => {}
        // It may be our own user's, and so the program's.
        FileType::CharacterDevice if !programs_are_others && stat.st_rdev == rustix::fs::makedev(1, 3) => {
            return copied(duplicate(stdin)?).context("making an empty input");
        }
        FileType::Fifo if programs_are_others && is_nameless_pipe(stdin) => {
            rustix::fs::fchmod(stdin, Mode::from_raw_mode(0o644)).context("opening the input to the program")?;
            return duplicate(stdin);
        }
        _ => return duplicate(stdin),
    }
    let own = match rustix::fs::open(own_path(stdin), OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()) {
        Ok(own) => own,
        // Without /proc, or when only the judge may open the file: from the start, at least.
        Err(_) => {
            rustix::fs::seek(stdin, rustix::fs::SeekFrom::Start(0)).context("rewinding the input")?;
            duplicate(stdin)?
        }
    };
    let in_memory = rustix::fs::fcntl_get_seals(&own).is_ok_and(|seals| seals.contains(SealFlags::WRITE));
    if in_memory { Ok(own) } else { copied(own).context("copying the input") }
}

/// Whether nothing on a disk is this pipe.
fn is_nameless_pipe(pipe: &OwnedFd) -> bool {
    const PIPEFS_MAGIC: u64 = 0x5049_5045;
    rustix::fs::fstatfs(pipe).is_ok_and(|stat| stat.f_type as u64 == PIPEFS_MAGIC)
}

fn own_path(fd: &OwnedFd) -> String {
    format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(fd))
}

/// The same bytes in memory, from the start.
fn copied(file: OwnedFd) -> io::Result<OwnedFd> {
    let mut copy = memory_file::create()?;
    // By reads and writes: the calls that send pages from file to file are asked about at the gate, by this process, which
    // would wait for itself.
    let (mut file, mut buffer) = (File::from(file), vec![0; 1 << 16]);
    loop {
        match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => copy.write_all(&buffer[..count])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    memory_file::seal(&copy)?;
    // Opened anew: to read only, and at its start.
    let copy = OwnedFd::from(copy);
    Ok(rustix::fs::open(own_path(&copy), OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?)
}

fn duplicate(fd: &OwnedFd) -> Result<OwnedFd, Fault> {
    fd.try_clone().context("duplicating the input")
}

fn refused(errno: i32) -> Answer {
    Answer {
        end: End::NotStarted(errno),
        breaches: Vec::new(),
        usage: Usage::default(),
        captured_stdout: 0,
        captured_stderr: 0,
        made: Ok(Vec::new()),
    }
}

fn conclude(
    limits: &crate::api::request::Limits,
    finished: &Finished,
    mut breaches: Vec<Breach>,
    totals: &Totals,
    stdout: &Stream<'_>,
    stderr: &Stream<'_>,
) -> Answer {
    let usage = Usage {
        cpu: Duration::from_nanos(totals.cpu),
        wall: finished.run_time(),
        memory: Some(totals.memory),
        stdout_bytes: stdout.seen,
        stderr_bytes: stderr.seen,
        run_delay: finished.run_delay.map(Duration::from_nanos),
        stolen: None,
    };
    let mut passed = |breach, holds: bool| {
        if holds {
            breaches.push(breach)
        }
    };
    passed(Breach::Output, stdout.overflowed());
    passed(Breach::Cpu, limits.cpu.is_some_and(|limit| usage.cpu > limit));
    passed(Breach::Wall, limits.wall.is_some_and(|limit| usage.wall > limit));
    passed(Breach::Memory, totals.out_of_memory || limits.memory.is_some_and(|limit| totals.memory > limit));
    passed(Breach::Processes, totals.out_of_processes);
    breaches.sort();
    breaches.dedup();
    Answer {
        end: ending(finished),
        breaches,
        usage,
        captured_stdout: stdout.captured(),
        captured_stderr: stderr.captured(),
        made: Ok(Vec::new()),
    }
}

fn ending(finished: &Finished) -> End {
    if libc::WIFSIGNALED(finished.status) {
        End::Signalled(libc::WTERMSIG(finished.status))
    } else {
        End::Exited(libc::WEXITSTATUS(finished.status))
    }
}
