//! One run in the helper: sets up descriptors, starts the program, watches it, and makes the answer. Also how standard
//! input is protected from other programs.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{FileType, Mode, SealFlags};

use crate::clock::nanoseconds;
use crate::confine::launch::OrRefused;
use crate::cores::{self, StolenTime};
use crate::helper::backend::Backend;
use crate::namespace::Jail;
use crate::namespace::init::StartedRun;
use crate::protocol::messages::{Answer, Outlet, RunFiles, RunSpec};
use crate::protocol::shared_memory;
use crate::request::{Breach, Context, End, Exchange, Fault, Limits, OutputFiles, OutputFilesError};
use crate::scratch::exchange;
use crate::watch::capture::{OUTPUT_MODE, Overflow, Stream, Target};
use crate::watch::fork_policy::ForkPolicy;
use crate::watch::gauges::RunMembers;
use crate::watch::meter::{Meter, conclude, refused};
use crate::watch::{BUFFER_BYTES, Cutoff, Program, Watched, Watcher};

/// What a helper keeps from run to run.
pub(crate) struct RunnerState {
    steal: StolenTime,
    /// The number of cores that programs can use at once; `None` means all that this process may use.
    cores: Option<u64>,
    buffer: Box<[u8]>,
    /// Whether the last program certainly started no other process or thread.
    pub(crate) was_alone: bool,
}

impl RunnerState {
    /// For programs on this core; `None` means on any.
    pub(crate) fn new(core: Option<usize>) -> RunnerState {
        let buffer = vec![0; BUFFER_BYTES].into();
        RunnerState { steal: StolenTime::of(core), cores: core.map(|_| 1), buffer, was_alone: false }
    }

    /// The number of cores that a program with these limits can use at once.
    fn usable_cores(&self, limits: &Limits) -> u64 {
        let cores = self.cores.unwrap_or_else(|| cores::allowed().len() as u64);
        cores.min(u64::from(limits.processes.unwrap_or(u32::MAX))).max(1)
    }
}

/// Runs what `spec` asks for. This process closes its copies of the program's files, so that the other end of a pipe
/// sees when the program closes it.
pub(crate) fn run(
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
    let (stdout, out) = stream("output", (spec.stdout, stdout), limits.stdout, Overflow::EndsRun, others)?;
    let (stderr, err) = stream("error output", (spec.stderr, stderr), limits.stderr, Overflow::Dropped, others)?;
    let stdin = if spec.owns_stdin { stdin } else { reopened(stdin, others)? };
    state.steal.begin();
    let members = RunMembers::new(backend.fork_gate().is_some());
    let gauges = backend.gauges(limits.allow_others(), &members);
    let meter = Meter::start(gauges, gauges.before_run());
    let program = match backend.start(spec, [stdin.as_fd(), out.as_fd(), err.as_fd()])? {
        Ok(program) => program,
        Err(errno) => return Ok(refused(errno)),
    };
    let fork_policy = backend.fork_gate().map(|gate| ForkPolicy::new(gate, limits, [out.as_fd(), err.as_fd()]));
    drop((out, err, stdin));
    let answer = watch(backend, spec, Running { program, stdout, stderr, until, meter, fork_policy }, judge, state);
    state.was_alone = members.alone.get();
    answer
}

/// Continues a run that the init of a jail has started.
pub(crate) fn resume_run(
    backend: &Backend,
    jail: &Jail,
    spec: &RunSpec,
    run: StartedRun,
    judge: BorrowedFd<'_>,
    state: &mut RunnerState,
) -> Result<Answer, Fault> {
    let limits = &spec.limits;
    state.steal.begin();
    let members = RunMembers::new(backend.fork_gate().is_some());
    let meter = Meter::start(backend.gauges(limits.allow_others(), &members), run.accounts);
    let stdout = Stream::resume("output", run.stdout, limits.stdout, Overflow::EndsRun)?;
    let stderr = Stream::resume("error output", run.stderr, limits.stderr, Overflow::Dropped)?;
    let outputs = [stdout.pipe(), stderr.pipe()];
    let fork_policy = backend.fork_gate().map(|gate| ForkPolicy::new(gate, limits, outputs));
    let running = Running { program: jail.started_run(), stdout, stderr, until: None, meter, fork_policy };
    watch(backend, spec, running, judge, state)
}

/// A running program, with its watcher.
struct Running<'a> {
    program: Box<dyn Program + 'a>,
    stdout: Stream,
    stderr: Stream,
    until: Option<OwnedFd>,
    meter: Meter<'a>,
    fork_policy: Option<ForkPolicy<'a>>,
}

fn watch(
    backend: &Backend,
    spec: &RunSpec,
    running: Running<'_>,
    judge: BorrowedFd<'_>,
    state: &mut RunnerState,
) -> Result<Answer, Fault> {
    let limits = &spec.limits;
    let Running { mut program, mut stdout, mut stderr, until, mut meter, fork_policy } = running;
    stdout.enlarge_pipe();
    stderr.enlarge_pipe();
    let watcher = Watcher {
        limits,
        stdout: &mut stdout,
        stderr: &mut stderr,
        meter: &mut meter,
        judge,
        until: until.as_ref().map(AsFd::as_fd),
        grace: nanoseconds(spec.grace),
        disk: backend.disk(),
        fork_policy,
        cores: state.usable_cores(limits),
    };
    // It passes on each line, on the core of both sides.
    let is_relay = watcher.stdout.is_relay();
    if is_relay {
        cores::set_batch(true, 0);
    }
    let watched = watcher.run(&mut *program, &mut state.buffer);
    if is_relay {
        cores::set_batch(false, 0);
    }
    let watched = watched?;
    let mut answer = match answer_for(backend, limits, watched, meter, (&mut stdout, &mut stderr)) {
        Ok(answer) => answer,
        Err(errno) => return Ok(refused(errno)),
    };
    answer.usage.stolen = state.steal.end(answer.usage.wall);
    answer.output_files = take_output_files(backend, spec, &answer);
    Ok(answer)
}

/// Returns an output stream and the descriptor that the program writes to. The stream stays empty if the program writes
/// to the caller's file directly. `others`: programs run as another user than this process.
fn stream(
    name: &'static str,
    (outlet, file): (Outlet, Option<OwnedFd>),
    cap: u64,
    overflow: Overflow,
    others: bool,
) -> Result<(Stream, OwnedFd), Fault> {
    let Some(file) = file else { return Stream::for_capture(name, cap, overflow, others) };
    let (target, lent) = match outlet {
        Outlet::Lent => (Target::Capture, Some(file)),
        Outlet::Relay => (Target::Relay { to: Some(file), relayed_bytes: 0 }, None),
        Outlet::File | Outlet::Capture => (Target::Caller(file.into()), None),
    };
    let (stream, writer) = Stream::open(name, target, cap, overflow)?;
    let writer = lent.unwrap_or(writer);
    if others {
        open_to_all(&writer, OUTPUT_MODE).context("changing the mode of the output")?;
    }
    Ok((stream, writer))
}

/// The answer for a watched run.
fn answer_for(
    backend: &Backend,
    limits: &Limits,
    watched: Watched,
    meter: Meter<'_>,
    (stdout, stderr): (&mut Stream, &mut Stream),
) -> OrRefused<Answer> {
    let Watched { conclusion, mut breaches, cutoff, was_refused } = watched;
    let mut finished = conclusion?;
    let mut totals = meter.totals(&finished);
    totals.out_of_processes |= was_refused;
    if let Some(Cutoff { at, cpu }) = cutoff {
        finished.ended = finished.ended.min(at);
        totals.cpu = totals.cpu.min(cpu);
    }
    if backend.disk().is_some_and(|disk| disk.left().is_none_or(|bytes| bytes > limits.disk)) {
        breaches.push(Breach::Disk);
    }
    Ok(conclude(limits, &finished, breaches, &totals, stdout, stderr))
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
pub(crate) fn reopened(stdin: OwnedFd, programs_are_others: bool) -> Result<OwnedFd, Fault> {
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
pub(crate) fn open_to_all(pipe: impl AsFd, wanted: Mode) -> rustix::io::Result<()> {
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
    let mut copy = shared_memory::create()?;
    // By reads and writes. This process might be asked about `sendfile` and `splice` at the gate, and would wait for
    // itself.
    let (mut file, mut buffer) = (File::from(file), vec![0; 1 << 16]);
    loop {
        match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => copy.write_all(&buffer[..count])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    shared_memory::seal(&copy)?;
    // Reopened for reading only, and at its start.
    shared_memory::reopened(&copy)
}
