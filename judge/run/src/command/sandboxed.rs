//! Setters' programs in the sandbox, and the sandbox's idle workers.

use super::setter::{CommandError, CommandOutput, Found, SetterProgram, StopSignal};
use crate::executor::DISMISSED;
use crate::program::{environment, start_failure, visible};
use judge_problem::{Bytes, CommandLimits, tail};
use judge_sandbox::{
    Breach, End, Exchange, Execution, Fault, Limits, Observer, Options, OutputFiles, Request, Sandbox, Sink, Stdin,
    Worker,
};
use parking_lot::Mutex;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::pipe::PipeFlags;
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};

/// The maximal size of standard output. A generator prints an input there.
pub(super) const OUTPUT: Bytes = Bytes(256 << 20);
/// The maximal number of bytes of standard error that are kept.
pub(super) const STDERR_KEPT: u64 = 16 << 20;

/// The pause between two checks of whether a program has started.
const START_PAUSE: Timespec = Timespec { tv_sec: 0, tv_nsec: 200_000 };

/// The arguments of one call of a program.
#[derive(Debug, Default)]
pub(super) struct CallSpec {
    pub(super) words: Vec<OsString>,
    /// Its standard input.
    pub(super) stdin: Option<Arc<[u8]>>,
    /// The files that it gets and makes, if any.
    pub(super) exchange: Option<Exchange>,
}

/// Runs a setter's program. `call_spec` returns its call, and gets the path of its working folder.
pub(super) fn run(
    program: &SetterProgram,
    stop: Option<&StopSignal>,
    call_spec: impl FnOnce(&Found, &Path) -> Result<CallSpec, CommandError>,
) -> Result<CommandOutput, CommandError> {
    let found = program.found()?;
    let mut worker = take_worker(None)?;
    let call_spec = call_spec(found, worker.working_folder())?;
    let request = request(program, found, worker.working_folder(), &call_spec);
    if stop.is_some_and(StopSignal::is_set) {
        return Err(CommandError::Stopped(program.name()));
    }
    let ended = worker.run_with(request, call_spec.exchange.as_ref(), stop.map(StopSignal::as_fd))?;
    give_back(worker, None);
    if stop.is_some_and(StopSignal::is_set) {
        return Err(CommandError::Stopped(program.name()));
    }
    output(program, ended)
}

/// How a run ended, and the files that it made.
type Ended = (Execution, OutputFiles);

/// A setter's program that runs in another thread. When this is dropped, it is killed.
pub(crate) struct SandboxedRun<'a> {
    program: &'a SetterProgram,
    observer: Observer,
    kill: StopSignal,
    /// Its other end is closed when the program has ended.
    ended: OwnedFd,
    thread: Option<JoinHandle<Result<Ended, Fault>>>,
}

/// Starts a setter's program with this standard input and output. It stays on a core, if one is given. It has no limit
/// of wall time.
pub(super) fn start<'a>(
    program: &'a SetterProgram,
    ([stdin, stdout], core): ([OwnedFd; 2], Option<usize>),
    call_spec: impl FnOnce(&Found, &Path) -> Result<CallSpec, CommandError>,
) -> Result<SandboxedRun<'a>, CommandError> {
    let found = program.found()?;
    let mut worker = take_worker(core)?;
    let call_spec = call_spec(found, worker.working_folder())?;
    let mut request = request(program, found, worker.working_folder(), &call_spec);
    request.stdin = Stdin::File(Arc::new(stdin.into()));
    request.stdout = Sink::Lent(Arc::new(stdout.into()));
    request.limits.wall = None;
    let failed = |source: io::Error| CommandError::Start { program: program.name(), source };
    let (kill, observer) = (StopSignal::new().map_err(failed)?, worker.observer());
    let (ended, running) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC).map_err(|error| failed(error.into()))?;
    let (stop, exchange) = (kill.clone(), call_spec.exchange);
    let work = move || {
        let _running = running;
        let ended = worker.run_with(request, exchange.as_ref(), Some(stop.as_fd()))?;
        give_back(worker, core);
        Ok(ended)
    };
    let thread = Some(Builder::new().spawn(work).map_err(failed)?);
    let run = SandboxedRun { program, observer, kill, ended, thread };
    run.wait_for_start().map_err(|error| failed(error.into()))?;
    Ok(run)
}

impl SandboxedRun<'_> {
    /// Waits until it has started, or has ended without starting. In tier `bare`, the sandbox may first search large
    /// folders for seconds. This time must not count for the program or its partner.
    fn wait_for_start(&self) -> rustix::io::Result<()> {
        while self.processes().is_empty() {
            let mut fds = [PollFd::new(&self.ended, PollFlags::IN)];
            match rustix::event::poll(&mut fds, Some(&START_PAUSE)) {
                Ok(0) | Err(Errno::INTR) => {}
                Ok(_) => break,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Becomes readable when it has ended.
    pub(super) fn ended(&self) -> BorrowedFd<'_> {
        self.ended.as_fd()
    }

    /// Returns the ids of its processes.
    pub(super) fn processes(&self) -> Vec<u32> {
        self.observer.processes()
    }

    /// Kills it.
    pub(super) fn kill(self) -> Result<CommandOutput, CommandError> {
        self.kill.stop();
        self.end()
    }

    /// Waits for its end.
    pub(super) fn end(mut self) -> Result<CommandOutput, CommandError> {
        let thread = self.thread.take().ok_or(Fault::Cancelled)?;
        let ended = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        output(self.program, ended?)
    }
}

impl Drop for SandboxedRun<'_> {
    fn drop(&mut self) {
        self.kill.stop();
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

fn request(program: &SetterProgram, found: &Found, working_folder: &Path, call_spec: &CallSpec) -> Request {
    let CommandLimits { wall, memory } = program.limits;
    let folder = working_folder.to_string_lossy().into_owned();
    let variables = ["HOME", "TMPDIR"].map(|name| (name.to_owned(), folder.clone()));
    let limits = Limits {
        cpu: None,
        wall: Some(wall.0),
        memory: Some(memory.0),
        stdout: OUTPUT.0,
        stderr: STDERR_KEPT,
        processes: Some(CommandLimits::PROCESSES),
        disk: memory.0,
    };
    Request {
        argv: call_spec.words.clone(),
        environment: environment(&found.program, &variables),
        stdin: call_spec.stdin.clone().map_or(Stdin::Empty, Stdin::Bytes),
        visible: visible(&found.program).collect(),
        hidden: found.hidden.clone(),
        folder: found.folder.clone(),
        ..Request::new(&found.program.path, limits)
    }
}

/// Returns how it ended and its output, unless it could not start or exceeded a limit.
fn output(program: &SetterProgram, (execution, files): Ended) -> Result<CommandOutput, CommandError> {
    let name = program.name();
    let stderr = || tail(&execution.stderr);
    let CommandLimits { wall, memory } = program.limits;
    let passed = |what: String| Err(CommandError::Limit { program: name.clone(), what, stderr: stderr() });
    match execution.breaches.first() {
        None => {}
        Some(Breach::Output) => return passed(format!("printed more than {OUTPUT}")),
        Some(Breach::Disk) => return passed(format!("wrote more than {memory} or too many files")),
        Some(Breach::Memory) => return passed(format!("used more than {memory} of memory")),
        Some(Breach::Processes) => {
            return passed(format!("started more than {} processes or threads", CommandLimits::PROCESSES));
        }
        Some(Breach::Wall | Breach::Cpu) => {
            return Err(CommandError::Timeout { program: name, stderr: stderr(), limit: wall.0 });
        }
    }
    let status = match execution.end {
        End::Exited(code) => ExitStatus::from_raw(code << 8),
        End::Signalled(signal) => ExitStatus::from_raw(signal),
        End::NotStarted(errno) => {
            let errno = Errno::from_raw_os_error(errno);
            let file = &program.found()?.program.path;
            let why = start_failure(file, errno).unwrap_or_else(|| errno.to_string());
            return Err(CommandError::NotFound { program: name, why });
        }
    };
    let files = files.map_err(|why| CommandError::Reports { program: name, why: why.to_string() })?;
    Ok(CommandOutput { status, stdout: execution.stdout, stderr: execution.stderr, files })
}

/// The sandbox of setters' programs, and its idle workers.
///
/// The whole process has one pool. Checkers and generators are made from problems in many places, which would all have
/// to pass the pool on, and a second pool would double the number of idle processes.
struct Pool {
    /// `None` until one is set or needed.
    sandbox: Option<Arc<Sandbox>>,
    /// Workers that wait for a call, each with the core that it stays on. The most recently used one is last, because
    /// it has the latest program ready.
    idle: Vec<(Option<usize>, Worker)>,
}

static POOL: Mutex<Pool> = Mutex::new(Pool { sandbox: None, idle: Vec::new() });

/// Makes setters' programs run in this sandbox. Without one, they run in the strongest that the machine offers.
pub fn use_sandbox(sandbox: &Arc<Sandbox>) {
    replace_pool(Some(Arc::clone(sandbox)));
}

/// Ends the workers that wait for a call. Call it when the process is about to end, because a worker would notice the
/// end only a moment later.
pub fn dismiss_workers() {
    replace_pool(None);
}

fn replace_pool(sandbox: Option<Arc<Sandbox>>) {
    let before = std::mem::replace(&mut *POOL.lock(), Pool { sandbox, idle: Vec::new() });
    before.idle.into_iter().for_each(|(_, worker)| worker.dismiss(&DISMISSED));
}

/// Returns an idle worker, whose programs stay on `core` if one is given.
fn take_worker(core: Option<usize>) -> Result<Worker, CommandError> {
    let mut pool = POOL.lock();
    if let Some(place) = pool.idle.iter().rposition(|(own, _)| *own == core) {
        return Ok(pool.idle.remove(place).1);
    }
    let sandbox = match &pool.sandbox {
        Some(sandbox) => Arc::clone(sandbox),
        None => Arc::clone(pool.sandbox.insert(Arc::new(Sandbox::open(&Options::default())?))),
    };
    drop(pool);
    Ok(sandbox.worker(core)?)
}

/// Takes back a worker whose last run was no fault.
fn give_back(worker: Worker, core: Option<usize>) {
    POOL.lock().idle.push((core, worker));
}
