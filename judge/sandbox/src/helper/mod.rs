//! The helper: a small process with one thread that starts and watches programs for one worker. A run sets up
//! descriptors, starts the program, watches it, and makes the answer. Also the keeper: it kills the program if the helper
//! was killed or stopped.

pub(crate) mod backend;

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::ptr::{NonNull, null_mut};
use std::rc::Rc;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags};
use rustix::fs::{FileType, Mode, SealFlags};
use rustix::io::Errno;
use rustix::mm::{Advice, MapFlags, ProtFlags};

use crate::clock;
use crate::cores::{self, StolenTime};
use crate::helper::backend::Backend;
use crate::namespace::Jail;
use crate::namespace::init::{InitMessage, StartedRun, is_short};
use crate::process::{self, ChildProcess, Role, take_socket};
use crate::protocol::Received;
use crate::protocol::messages::{
    Answer, KeeperLink, OutputTarget, ReceivedRun, RunFiles, RunSpec, Settings, send_answer,
};
use crate::protocol::shared_memory::{self, KillTarget};
use crate::request::{Context, End, Exchange, Fault, Limits, OutputFiles, OutputFilesError};
use crate::scratch::exchange;
use crate::tier::Tier;
use crate::watch::capture::{Channel, OUTPUT_MODE, Stream, Target};
use crate::watch::fork_policy::ForkPolicy;
use crate::watch::meter::{Meter, refused};
use crate::watch::{BUFFER_BYTES, Program, Watcher};

/// Runs until the judge has ended.
pub(crate) const HELPER: Role = Role { name: c"judge-helper", argument: "--judge-sandbox-helper", main: serve };

fn serve() -> io::Result<()> {
    let socket = detach()?;
    let Some(mut first) = Received::receive(&socket)? else { return Ok(()) };
    let mut settings = Settings::decode(&mut first)?;
    if let Some(core) = settings.core {
        cores::pin(None, core)?;
    }
    if !settings.tier.has_cgroup() && settings.tier != Tier::Unsafe {
        // Programs inherit this. Most of a huge page can be given back without being freed, and then no process's size
        // shows it. If this fails, there are no huge pages.
        // SAFETY: a system call without pointers.
        unsafe { libc::prctl(libc::PR_SET_THP_DISABLE, 1, 0, 0, 0) };
    }
    let mut state = RunnerState::new(settings.core);
    // Before the first order, as it takes a moment. If it fails, that order reports it, and the next one tries again.
    let mut opened = Some(Backend::open(&mut settings, socket.as_fd()));
    let (mut last, mut left) = (None, None);
    let mut kept = None;
    while let Some(mut message) = left.take().map_or_else(|| Received::receive(&socket), |message| Ok(Some(message)))? {
        let ReceivedRun { spec, files, is_repeated } = ReceivedRun::decode(&mut message, &mut last)?;
        if spec.only_prepare {
            if let Some(Ok(backend @ Backend::Jails(_))) = &mut opened {
                // A failure occurs again, and is reported, when the program runs.
                let _ = backend.prepare(&spec, socket.as_fd());
            }
            continue;
        }
        let mut backend = match opened.take().unwrap_or_else(|| Backend::open(&mut settings, socket.as_fd())) {
            Ok(backend) => backend,
            Err(fault) => {
                send_answer(&Err(fault), &socket)?;
                continue;
            }
        };
        state.warm_up(&mut backend, &spec, socket.as_fd());
        let answer = run(&mut backend, &spec, files, socket.as_fd(), &mut state);
        send_answer(&answer, &socket)?;
        // This comes after the answer, so the judge does not wait for it. If it fails, it is tried again before the
        // next run.
        let by_itself = |answer: &&Answer| matches!(answer.end, End::Exited(_));
        let ended = answer.as_ref().ok().filter(by_itself).filter(|_| state.was_alone);
        let _ = backend.tidy(ended.map(|answer| answer.usage.wall));
        if is_repeated && spec.is_in_memory() && answer.is_ok_and(|answer| is_short(&answer)) {
            // For the following runs, which are likely to be short, too. The kept pages belong to the same program,
            // because the order is the same.
            kept = kept.or_else(|| KeptPages::of(&spec.program));
            left = leave_to_init(&backend, &spec, &socket, &mut state)?;
        } else {
            kept = None;
        }
        state.note_eviction(&backend, &spec);
        opened = Some(Ok(backend));
    }
    Ok(())
}

/// Lets the init of the last run's jail, if there is one, serve the judge as long as it can. Returns an order that the
/// init could not follow.
fn leave_to_init(
    backend: &Backend,
    spec: &RunSpec,
    socket: &OwnedFd,
    state: &mut RunnerState,
) -> io::Result<Option<Received>> {
    let Some(jail) = backend.jail() else { return Ok(None) };
    let answer = match jail.serve_judge() {
        Ok(Some(InitMessage::Order(_, message))) => return Ok(Some(message)),
        Ok(Some(InitMessage::StartedRun(run))) => resume_run(backend, jail, spec, run, socket.as_fd(), state),
        // The next receive detects which side has closed.
        Ok(None) => return Ok(None),
        Err(fault) => return Err(io::Error::other(fault.to_string())),
    };
    send_answer(&answer, socket)?;
    Ok(None)
}

/// Detaches this process from the judge's session, signals and descriptors. Returns the socket.
fn detach() -> io::Result<OwnedFd> {
    let socket = take_socket()?;
    let _ = rustix::process::setsid();
    process::default_every_signal();
    // When the reader of a program's output has closed it, a write returns an error and does not end this process. The
    // signal is blocked instead of ignored, because programs would inherit that.
    process::block_only(&process::set(&[libc::SIGPIPE]));
    rustix::process::umask(Mode::from_raw_mode(0o022));
    rustix::process::set_child_subreaper(rustix::process::Pid::from_raw(1))?;
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)?;
    crate::confine::identity::empty_bounding_set();
    Ok(socket)
}

/// What a helper keeps from run to run.
struct RunnerState {
    steal: StolenTime,
    /// The number of cores that programs can use at once; `None` means all that this process may use.
    cores: Option<u64>,
    buffer: Box<[u8]>,
    /// Whether the last program certainly started no other process or thread.
    was_alone: bool,
    /// The first programs whose pages were evicted, and whether each was warmed up.
    evicted: Vec<(Rc<RunSpec>, bool)>,
}

/// How many programs a helper warms up. The first of an interpreter warms it up for all.
const MAX_WARMED_UP: usize = 8;

/// How long a program is warmed up, unless it ends. This must not depend on earlier runs, as the program can measure it.
const WARM_UP: Duration = Duration::from_secs(1);

impl RunnerState {
    /// For programs on this core; `None` means on any.
    fn new(core: Option<usize>) -> RunnerState {
        let buffer = vec![0; BUFFER_BYTES].into();
        let (steal, cores) = (StolenTime::of(core), core.map(|_| 1));
        RunnerState { steal, cores, buffer, was_alone: false, evicted: Vec::new() }
    }

    /// Notes whether pages were evicted after a run of `spec`.
    fn note_eviction(&mut self, backend: &Backend, spec: &Rc<RunSpec>) {
        let is_known = self.evicted.iter().any(|(known, _)| known == spec);
        let is_full = self.evicted.len() == MAX_WARMED_UP;
        // What can be written to may not be the same before and after the program ran once more.
        let may_run_again = spec.visible.iter().all(|shown| !shown.writable);
        if backend.take_evicted() && !is_known && !is_full && may_run_again {
            self.evicted.push((Rc::clone(spec), false));
        }
    }

    /// If pages were evicted after the first run of `spec`, starts the program once with an input that never comes, and
    /// keeps the pages of what it reads until then: its libraries, which each run would otherwise read from the disk
    /// again. They reveal no input.
    fn warm_up(&mut self, backend: &mut Backend, spec: &Rc<RunSpec>, judge: BorrowedFd<'_>) {
        let found = self.evicted.iter_mut().find(|(known, _)| known == spec);
        let Some((_, is_warm @ false)) = found else { return };
        *is_warm = true;
        let Ok((stdin, _writer)) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC) else { return };
        let spec = RunSpec {
            limits: Limits { wall: Some(WARM_UP), ..spec.limits.clone() },
            stdout: OutputTarget::Capture,
            stderr: OutputTarget::Capture,
            has_until: false,
            owns_stdin: false,
            keeps_pages: true,
            ..RunSpec::clone(spec)
        };
        let files = RunFiles { stdin, stdout: None, stderr: None, until: None };
        // A failure occurs again, and is reported, when the program runs.
        let _ = run(backend, &spec, files, judge, self);
        // The pages are charged to the jail's control group, and no longer evicted when that is gone.
        backend.drop_jail();
    }

    /// The number of cores that a program with these limits can use at once.
    fn usable_cores(&self, limits: &Limits) -> u64 {
        let cores = self.cores.unwrap_or_else(|| cores::allowed().len() as u64);
        cores.min(u64::from(limits.processes.unwrap_or(u32::MAX))).max(1)
    }
}

/// Runs what `spec` asks for. This process closes its copies of the program's files, so that the other end of a pipe
/// sees when the program closes it.
fn run(
    backend: &mut Backend,
    spec: &RunSpec,
    files: RunFiles,
    judge: BorrowedFd<'_>,
    state: &mut RunnerState,
) -> Result<Answer, Fault> {
    state.was_alone = false;
    backend.prepare(spec, judge)?;
    let backend = &*backend;
    let limits = &spec.limits;
    let RunFiles { stdin, stdout, stderr, until } = files;
    let others = backend.identity().is_some();
    let (stdout, out) = stream(Channel::Output, (spec.stdout, stdout), limits, others)?;
    let (stderr, err) = stream(Channel::Errors, (spec.stderr, stderr), limits, others)?;
    let stdin = if spec.owns_stdin { stdin } else { reopened(stdin, others)? };
    state.steal.begin();
    let gauges = backend.gauges(limits);
    let meter = Meter::start(&gauges, gauges.before_run());
    let program = match backend.start(spec, [stdin.as_fd(), out.as_fd(), err.as_fd()])? {
        Ok(program) => program,
        Err(errno) => return Ok(refused(errno)),
    };
    let fork_policy = ForkPolicy::of(&gauges, limits, [out.as_fd(), err.as_fd()]);
    drop((out, err, stdin));
    let cores = state.usable_cores(limits);
    let watcher = Watcher { spec, stdout, stderr, meter, judge, until, cores, fork_policy };
    let answer = watch(backend, program, watcher, state);
    state.was_alone = gauges.alone.get();
    answer
}

/// Continues a run that the init of a jail has started.
fn resume_run(
    backend: &Backend,
    jail: &Jail,
    spec: &RunSpec,
    run: StartedRun,
    judge: BorrowedFd<'_>,
    state: &mut RunnerState,
) -> Result<Answer, Fault> {
    let limits = &spec.limits;
    state.steal.begin();
    let gauges = jail.gauges(limits);
    let meter = Meter::start(&gauges, run.accounts);
    let stdout = Stream::resume(Channel::Output, run.stdout, limits)?;
    let stderr = Stream::resume(Channel::Errors, run.stderr, limits)?;
    let fork_policy = ForkPolicy::of(&gauges, limits, [stdout.pipe(), stderr.pipe()]);
    let cores = state.usable_cores(limits);
    let watcher = Watcher { spec, stdout, stderr, meter, judge, until: None, cores, fork_policy };
    watch(backend, jail.started_run(), watcher, state)
}

fn watch(
    backend: &Backend,
    mut program: Box<dyn Program + '_>,
    watcher: Watcher<'_>,
    state: &mut RunnerState,
) -> Result<Answer, Fault> {
    let spec = watcher.spec;
    watcher.stdout.enlarge_pipe();
    watcher.stderr.enlarge_pipe();
    // It passes on each line, on the core of both sides.
    let is_relay = watcher.stdout.is_relay();
    if is_relay {
        cores::set_batch(true, 0);
    }
    let answer = watcher.run(&mut *program, &mut state.buffer);
    if is_relay {
        cores::set_batch(false, 0);
    }
    let mut answer = answer?;
    answer.usage.stolen = state.steal.end(answer.usage.wall);
    answer.output_files = take_output_files(backend, spec, &answer);
    Ok(answer)
}

/// Returns an output stream and the descriptor that the program writes to. The stream stays empty if the program writes
/// to the caller's file directly. `others`: programs run as another user than this process.
fn stream(
    channel: Channel,
    (kind, file): (OutputTarget, Option<OwnedFd>),
    limits: &Limits,
    others: bool,
) -> Result<(Stream, OwnedFd), Fault> {
    let Some(file) = file else { return Stream::for_capture(channel, limits, others) };
    let (target, lent) = match kind {
        OutputTarget::Lent => (Target::Capture, Some(file)),
        OutputTarget::Relay => (Target::Relay { to: Some(file), relayed_bytes: 0 }, None),
        OutputTarget::File | OutputTarget::Capture => (Target::Caller(file.into()), None),
    };
    let (stream, writer) = Stream::open(channel, target, channel.cap(limits))?;
    let writer = lent.unwrap_or(writer);
    if others {
        open_to_all(&writer, OUTPUT_MODE).context("changing the mode of the output")?;
    }
    Ok((stream, writer))
}

fn take_output_files(backend: &Backend, spec: &RunSpec, answer: &Answer) -> OutputFiles {
    let counts = |exchange: &&Exchange| match answer.end {
        End::Exited(code) => (code == 0 || exchange.take_after_any_exit) && answer.breaches.is_empty(),
        End::Signalled(_) | End::NotStarted(_) => false,
    };
    let Some(wanted) = spec.exchange.as_ref().filter(counts) else { return Ok(Vec::new()) };
    match backend.work_folder() {
        Some(folder) => exchange::take_output_files(wanted, folder.as_fd()),
        None => Err(OutputFilesError("the working folder is gone".to_owned())),
    }
}

/// Returns standard input for this run alone. It shares no file position with other runs. A file is copied into memory,
/// because its owner could change its mode even through a read-only descriptor, and its locks are visible to other
/// processes.
fn reopened(stdin: OwnedFd, programs_are_others: bool) -> Result<OwnedFd, Fault> {
    let stat = rustix::fs::fstat(&stdin).context("examining the input")?;
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => {}
        // It may belong to the user that this process and the program share.
        FileType::CharacterDevice if !programs_are_others && stat.st_rdev == rustix::fs::makedev(1, 3) => {
            return copied(stdin).context("making an empty input");
        }
        FileType::Fifo if programs_are_others && is_nameless_pipe(&stdin) => {
            open_to_all(&stdin, Mode::RUSR | Mode::WUSR | Mode::RGRP | Mode::ROTH)
                .context("changing the mode of the input")?;
            return Ok(stdin);
        }
        _ => return Ok(stdin),
    }
    let input = match shared_memory::reopened(&stdin) {
        Ok(input) => input,
        // Without /proc, or when only the judge may open the file. At least it is rewound.
        Err(_) => {
            rustix::fs::seek(&stdin, rustix::fs::SeekFrom::Start(0)).context("rewinding the input")?;
            stdin
        }
    };
    let in_memory = rustix::fs::fcntl_get_seals(&input).is_ok_and(|seals| seals.contains(SealFlags::WRITE));
    if in_memory { Ok(input) } else { copied(input).context("copying the input") }
}

/// Adds permissions to a pipe for programs that open it by its name in /dev.
fn open_to_all(pipe: impl AsFd, wanted: Mode) -> rustix::io::Result<()> {
    let mode = Mode::from_raw_mode(rustix::fs::fstat(&pipe)?.st_mode);
    if mode.contains(wanted) { Ok(()) } else { rustix::fs::fchmod(pipe, mode | wanted) }
}

/// Whether this is an anonymous pipe.
fn is_nameless_pipe(pipe: &OwnedFd) -> bool {
    const PIPEFS_MAGIC: libc::c_long = 0x5049_5045;
    rustix::fs::fstatfs(pipe).is_ok_and(|stat| stat.f_type == PIPEFS_MAGIC)
}

/// A copy in memory, at its start.
fn copied(file: OwnedFd) -> io::Result<OwnedFd> {
    let mut copy = BufWriter::with_capacity(1 << 16, shared_memory::create()?);
    // For a `dyn Read`, `io::copy` only reads and writes. For files it would call `sendfile` or `splice`, about which the
    // gate may ask this very process, which would then wait for itself.
    let file: &mut dyn Read = &mut File::from(file);
    io::copy(file, &mut copy)?;
    let copy = copy.into_inner()?;
    shared_memory::seal(&copy)?;
    // Reopened for reading only, and at its start.
    shared_memory::reopened(&copy)
}

/// A larger file has more pages than short runs use, and they would have to be read from disk. Without a control group,
/// shared pages are divided among processes, and this process's share would be missing in the result.
const MAX_BYTES: usize = 4 << 20;

/// Keeps the pages of a file mapped from run to run. The kernel counts the first and the last mapping of each page, for
/// the machine and for each control group. While this process has a page mapped, a program's mapping is neither the
/// first nor the last. The pages are never read, so it does not matter if the file changes.
struct KeptPages {
    place: NonNull<libc::c_void>,
    length: usize,
}

impl KeptPages {
    /// Maps the file at `path`; `None` if it is large or cannot be read.
    fn of(path: &Path) -> Option<KeptPages> {
        // Opening a pipe would block.
        let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY).open(path).ok()?;
        let length = file.metadata().ok().filter(|file| file.is_file())?.len();
        let length = usize::try_from(length).ok().filter(|length| (1..=MAX_BYTES).contains(length))?;
        // SAFETY: a new mapping at an address that the kernel chooses.
        let place = unsafe { rustix::mm::mmap(null_mut(), length, ProtFlags::READ, MapFlags::SHARED, file, 0) }.ok()?;
        // Before Linux 5.14 this fails, and only the pages around a used one are mapped.
        // SAFETY: the advice does not change the content of the memory.
        let _ = unsafe { rustix::mm::madvise(place, length, Advice::LinuxPopulateRead) };
        NonNull::new(place).map(|place| KeptPages { place, length })
    }
}

impl Drop for KeptPages {
    fn drop(&mut self) {
        // SAFETY: this value's own mapping, which nothing else uses.
        let _ = unsafe { rustix::mm::munmap(self.place.as_ptr(), self.length) };
    }
}

/// Runs until its helper has ended. If the helper was killed with SIGKILL, the keeper then kills the program. If the
/// helper was stopped and does not kill a program in time, the keeper does. Needed where no namespace dies with the
/// helper. A program's children need not die with it, but they cannot leave its process group.
pub(crate) const KEEPER: Role = Role { name: c"judge-keeper", argument: "--judge-sandbox-keeper", main: keep };

/// The interval of checks for overdue programs, in nanoseconds.
const CHECK_INTERVAL: u64 = 2_000_000_000;

/// Starts `executable` as a keeper.
pub(crate) fn start_keeper(executable: &Path) -> io::Result<(ChildProcess, KeeperLink)> {
    let (waiting, alive) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
    let kill_target = KillTarget::file()?;
    let keeper = ChildProcess::start(KEEPER, executable, waiting, Some(kill_target.try_clone()?))?;
    Ok((keeper, KeeperLink { alive, kill_target }))
}

fn keep() -> io::Result<()> {
    // A Ctrl-C at the terminal is for the judge.
    let _ = rustix::process::setsid();
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)?;
    let kill_target = KillTarget::map(rustix::stdio::stdout())?;
    loop {
        let mut waiting = [PollFd::from_borrowed_fd(rustix::stdio::stdin(), PollFlags::IN)];
        match rustix::event::poll(&mut waiting, Some(&clock::timespec(CHECK_INTERVAL))) {
            Ok(0) if kill_target.is_overdue() => kill(kill_target.group()),
            Ok(0) | Err(Errno::INTR) => {}
            // The helper never writes, so the pipe was closed.
            Ok(_) => break,
            Err(error) => return Err(error.into()),
        }
    }
    kill(kill_target.group());
    Ok(())
}

fn kill(group: i32) {
    if group > 0 {
        // SAFETY: a system call without pointers, on a group that the helper has not seen end.
        unsafe { libc::kill(-group, libc::SIGKILL) };
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    /// Kilobytes of the file that this process has mapped.
    fn mapped(path: &Path) -> u64 {
        let smaps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let lines = smaps.lines().skip_while(|line| !line.ends_with(path.to_str().unwrap()));
        let size = lines.skip(1).find_map(|line| line.strip_prefix("Rss:")?.trim().strip_suffix(" kB"));
        size.map_or(0, |size| size.parse().unwrap())
    }

    #[test]
    fn all_pages_of_a_file_are_mapped_until_they_are_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        std::fs::write(&path, vec![1; 1 << 20]).unwrap();
        let kept = KeptPages::of(&path).unwrap();
        assert_eq!(mapped(&path), 1 << 10);
        File::create(&path).unwrap();
        drop(kept);
        assert_eq!(mapped(&path), 0);
    }

    #[test]
    fn what_is_large_or_no_file_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        assert!(KeptPages::of(&path).is_none(), "there is none");
        File::create(&path).unwrap();
        assert!(KeptPages::of(&path).is_none(), "it is empty");
        File::create(&path).unwrap().set_len(MAX_BYTES as u64 + 1).unwrap();
        assert!(KeptPages::of(&path).is_none(), "it is large");
        assert!(KeptPages::of(folder.path()).is_none(), "it is a folder");
        let pipe = folder.path().join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0).unwrap();
        assert!(KeptPages::of(&pipe).is_none(), "nobody writes there");
    }
}
