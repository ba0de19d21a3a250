//! The judge's side of a helper: starts it, sends it requests, and can stop it from any thread.

use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use rustix::event::PollFlags;
use rustix::net::Shutdown;

use crate::cgroup::site::{Site, kill_and_remove, kills_in_own_group};
use crate::helper::{self, HELPER};
use crate::namespace::mounts::{self, View};
use crate::process::ChildProcess;
use crate::protocol::messages::{self, Order, OutputTarget, RunSpec, Settings};
use crate::protocol::{self, Message, Received, shared_memory};
use crate::request::{Context, End, Exchange, Execution, Fault, OutputFiles, Request, Stdin};
use crate::scratch::{self, disk};
use crate::{cores, procfs};

/// A helper process. It runs one program at a time. Methods that wait block the calling thread.
pub struct Worker {
    helper: Helper,
    /// Without a `keeper_link`, which only the helper holds.
    settings: Settings,
    working_folder: PathBuf,
    /// The entry that says that such workers work. It is removed when this worker fails.
    cache_file: Option<PathBuf>,
    /// The last order.
    last_order: Option<Message>,
    /// The identity of the program and its files at the last order, if that repeated the one before.
    last_view: Option<View>,
    /// For each program that is not collected yet, the kills for lack of memory when it was submitted. `None` if its own
    /// group counts them.
    kills_before: VecDeque<Option<u64>>,
}

/// A helper, and its keeper if it has one. Dropping this ends them and waits for that.
struct Helper {
    link: Arc<Link>,
    process: ChildProcess,
    keeper: Option<ChildProcess>,
}

impl Helper {
    fn wait(&mut self) -> io::Result<ExitStatus> {
        let status = self.process.wait();
        // The keeper ends after the helper.
        self.keeper.as_mut().map(ChildProcess::wait);
        status
    }

    fn has_ended(&mut self) -> bool {
        self.process.has_ended() && self.keeper.as_mut().is_none_or(ChildProcess::has_ended)
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        // The helper kills its program, cleans up and ends.
        self.link.close();
        let _ = self.wait();
    }
}

/// Workers that were told to end and may still be running. Dropping this waits for them.
#[derive(Default)]
pub struct DismissedWorkers(Mutex<Vec<Helper>>);

impl DismissedWorkers {
    /// No workers.
    pub const fn new() -> DismissedWorkers {
        DismissedWorkers(Mutex::new(Vec::new()))
    }

    /// Waits for the end of all. To be called before the process exits, if this is in a static.
    pub fn wait(&self) {
        self.0.lock().clear();
    }
}

/// What a worker shares with its cancellers.
struct Link {
    socket: OwnedFd,
    cancelled: AtomicBool,
}

impl Link {
    /// Tells the helper to end. It may be gone already.
    fn close(&self) {
        let _ = rustix::net::shutdown(&self.socket, Shutdown::Both);
    }
}

/// Stops a [`Worker`] from any thread.
#[derive(Clone)]
pub struct Canceller {
    link: Arc<Link>,
}

impl Canceller {
    /// Kills the running program, if there is one. Its run, and each later run of this worker, is [`Fault::Cancelled`].
    pub fn cancel(&self) {
        self.link.cancelled.store(true, Ordering::SeqCst);
        self.link.close();
    }
}

/// Observes the program of a [`Worker`] from any thread.
#[derive(Debug, Clone, Copy)]
pub struct Observer {
    helper: i32,
    has_init: bool,
}

impl Observer {
    /// The program's processes, including zombies.
    pub fn processes(&self) -> Vec<u32> {
        let own = procfs::descendants(self.helper).into_iter();
        let inits = if self.has_init { procfs::children(self.helper) } else { Vec::new() };
        own.filter(|pid| !inits.contains(pid)).map(i32::cast_unsigned).collect()
    }
}

impl Worker {
    /// This many programs can be submitted before the first of them is collected.
    pub const QUEUE: usize = 8;

    /// Starts `executable` as a helper. `cache_file` is removed when it fails.
    pub(crate) fn start(
        executable: &Path,
        mut settings: Settings,
        cache_file: Option<PathBuf>,
    ) -> Result<Worker, Fault> {
        let working_folder = if settings.tier.has_namespaces() {
            mounts::WORK_FOLDER.into()
        } else {
            let scratch = settings.scratch.canonicalize();
            let scratch = scratch.context(format!("finding the folder {}", settings.scratch.display()))?;
            scratch.join(&settings.name).join(scratch::WORK_FOLDER)
        };
        let (socket, theirs) = protocol::pair().context("making a socket for the sandbox's helper")?;
        let process = ChildProcess::start(HELPER, executable, theirs, None)
            .context(format!("starting the sandbox's helper, {}", executable.display()))?;
        let link = Arc::new(Link { socket, cancelled: false.into() });
        let mut helper = Helper { link, process, keeper: None };
        if !settings.tier.has_namespaces() {
            let (keeper, keeper_link) = helper::start_keeper(executable).context("starting the sandbox's keeper")?;
            (helper.keeper, settings.keeper_link) = (Some(keeper), Some(keeper_link));
        }
        cores::separate_from_child(helper.process.id(), settings.core);
        let sent = settings.send(&helper.link.socket);
        // From here, only the helper holds its end of the keeper's pipe.
        settings.keeper_link = None;
        let (last_order, last_view, kills_before) = Default::default();
        let mut worker = Worker { helper, settings, working_folder, cache_file, last_order, last_view, kills_before };
        match sent {
            Ok(()) => Ok(worker),
            Err(error) => Err(worker.lost(&error.to_string())),
        }
    }

    /// The core that its programs stay on; `None` means that they may use any.
    pub(crate) fn core(&self) -> Option<usize> {
        self.settings.core
    }

    /// Returns a handle that stops this worker.
    pub fn canceller(&self) -> Canceller {
        Canceller { link: Arc::clone(&self.helper.link) }
    }

    /// Runs one program and waits for its end.
    ///
    /// # Errors
    /// [`Fault::Cancelled`] after a [`Canceller::cancel`]. Any other fault is a failure of the sandbox, never of the
    /// program.
    pub fn run(&mut self, request: &Request) -> Result<Execution, Fault> {
        self.submit(request)?;
        self.collect()
    }

    /// Submits one program without waiting for its end. [`collect`](Self::collect) waits. Up to [`QUEUE`](Self::QUEUE)
    /// programs can be submitted at once. Each starts as soon as the one before has ended, so that its core does not
    /// wait for the caller.
    ///
    /// # Errors
    /// As for [`run`](Self::run).
    pub fn submit(&mut self, request: &Request) -> Result<(), Fault> {
        self.begin(request, &RunSpec::from(request), None)
    }

    /// Lets the helper prepare for `request`, and does not wait for it. To be called before the first run.
    pub(crate) fn make_ready(&mut self, request: &Request) {
        // If this fails, the first run fails, too, and reports why.
        let _ = self.begin(request, &RunSpec { only_prepare: true, ..RunSpec::from(request) }, None);
    }

    /// Waits for the end of the program that was submitted first.
    ///
    /// # Errors
    /// As for [`run`](Self::run).
    pub fn collect(&mut self) -> Result<Execution, Fault> {
        Ok(self.finish()?.0)
    }

    /// Whether [`collect`](Self::collect) would return at once.
    pub fn is_ready(&self) -> bool {
        protocol::is_ready(self.socket(), PollFlags::IN)
    }

    /// Runs a program that exchanges files, or that is needed only until `over` becomes readable, and waits for its
    /// end. With an `exchange` the program gets files and makes some, as a compiler does. Once `over` becomes readable
    /// the program is no longer needed: CPU time and elapsed time are counted up to then, and their limits end then. It
    /// is killed at once if it makes files, and otherwise after a short time to end by itself. This process closes the
    /// request's files once the program has them, so that the other end of a pipe sees when the program closes it.
    ///
    /// # Errors
    /// As for [`run`](Self::run).
    pub fn run_with(
        &mut self,
        request: Request,
        exchange: Option<&Exchange>,
        over: Option<BorrowedFd<'_>>,
    ) -> Result<(Execution, OutputFiles), Fault> {
        let (exchange, has_until) = (exchange.cloned(), over.is_some());
        // Compilers and checkers read their files again for the next source or answer.
        let keeps_pages = exchange.is_some();
        let mut spec = RunSpec { exchange, has_until, keeps_pages, ..RunSpec::from(&request) };
        if spec.exchange.is_some() && has_until {
            spec.grace = Duration::ZERO;
        }
        self.begin(&request, &spec, over)?;
        drop(request);
        self.finish()
    }

    /// Returns a handle that observes this worker's program.
    pub fn observer(&self) -> Observer {
        Observer { helper: self.helper.process.id().as_raw_pid(), has_init: self.settings.tier.has_namespaces() }
    }

    /// Tells this worker to end. Dropping the worker would wait for its end; here `dismissed` waits.
    pub fn dismiss(self, dismissed: &DismissedWorkers) {
        let Worker { helper, .. } = self;
        helper.link.close();
        let mut dismissed = dismissed.0.lock();
        dismissed.retain_mut(|helper| !helper.has_ended());
        dismissed.push(helper);
    }

    /// The path of the working folder, as programs know it.
    pub fn working_folder(&self) -> &Path {
        &self.working_folder
    }

    /// Waits for the end of the program that was submitted first.
    fn finish(&mut self) -> Result<(Execution, OutputFiles), Fault> {
        let kills_before = self.kills_before.pop_front().flatten();
        let received = Received::receive(self.socket())
            .and_then(|message| message.map(|mut message| messages::decode_answer(&mut message)).transpose());
        let answer = match received {
            Ok(Some(answer)) => answer.inspect_err(|_| self.forget())?,
            Ok(None) => return Err(self.lost("it closed its socket")),
            Err(error) => return Err(self.lost(&error.to_string())),
        };
        // The kernel may have killed a child of the program, such as a compiler's. If it was a process of another program,
        // this fault is needless, but blames nobody.
        if !matches!(answer.end, End::Exited(0) | End::NotStarted(_))
            && answer.breaches.is_empty()
            && kills_before.is_some_and(|before| kills_in_own_group() > Some(before))
        {
            return Err(Fault::out_of_memory(answer.usage.memory.unwrap_or_default()));
        }
        let execution = Execution {
            end: answer.end,
            breaches: answer.breaches,
            usage: answer.usage,
            stdout: answer.stdout.bytes().context("reading the captured output")?,
            stderr: answer.stderr.bytes().context("reading the captured error output")?,
        };
        Ok((execution, answer.output_files))
    }

    /// Sends an order to the helper, for `request` as described by `spec`.
    fn begin(&mut self, request: &Request, spec: &RunSpec, over: Option<BorrowedFd<'_>>) -> Result<(), Fault> {
        if self.is_cancelled() {
            return Err(Fault::Cancelled);
        }
        let stdin = open_stdin(&request.stdin)?;
        let outputs = [&request.stdout, &request.stderr].map(|sink| OutputTarget::of(sink).1);
        let mut fds = vec![stdin.as_fd()];
        fds.extend(outputs.into_iter().flatten().map(AsFd::as_fd).chain(over));
        let order = Message::new(&Order::Run(spec));
        // Files are compared only if an order repeats the one before.
        let view = self.last_order.as_ref().is_some_and(|last| *last == order).then(|| View::of(spec));
        let is_repeated = view.is_some() && view == self.last_view;
        self.last_view = view;
        if !spec.only_prepare {
            let has_group = self.settings.tier.has_cgroup();
            self.kills_before.push_back(if has_group { None } else { kills_in_own_group() });
        }
        let order = self.last_order.insert(order);
        let repetition = is_repeated.then(|| Message::new(&Order::<()>::Repeat));
        let sent = repetition.as_ref().unwrap_or(order).send(&self.helper.link.socket, &fds);
        sent.map_err(|error| self.lost(&error.to_string()))
    }

    /// Returns the fault of a helper that does not answer: it was cancelled, or it ended.
    fn lost(&mut self, how: &str) -> Fault {
        if self.is_cancelled() {
            return Fault::Cancelled;
        }
        self.forget();
        self.helper.link.close();
        let end = match self.helper.wait() {
            Ok(status) => status.to_string(),
            Err(error) => format!("{how}; {error}"),
        };
        remove_leftovers(&self.settings);
        Fault::HelperGone(end)
    }

    /// Removes the cache entry, so that the next start tries the tier again.
    fn forget(&self) {
        let _ = self.cache_file.as_ref().map(std::fs::remove_file);
    }

    fn socket(&self) -> &OwnedFd {
        &self.helper.link.socket
    }

    fn is_cancelled(&self) -> bool {
        self.helper.link.cancelled.load(Ordering::SeqCst)
    }
}

fn open_stdin(stdin: &Stdin) -> Result<Arc<File>, Fault> {
    Ok(match stdin {
        Stdin::Empty => File::open("/dev/null").context("opening /dev/null")?.into(),
        Stdin::Bytes(bytes) => sealed(bytes).context("making the input")?.into(),
        Stdin::File(file) => Arc::clone(file),
    })
}

/// `bytes` as a file in memory that cannot be changed, at its start. Reopening it for reading only would take as long
/// as all the rest, and the seal already refuses all writes.
fn sealed(bytes: &[u8]) -> io::Result<File> {
    let file = shared_memory::create()?;
    file.write_all_at(bytes, 0)?;
    shared_memory::seal(&file)?;
    Ok(file)
}

/// Removes the folder and the control groups of a helper that could not do it. To be called when the helper has ended,
/// and its processes are dying.
fn remove_leftovers(settings: &Settings) {
    let folder = settings.scratch.join(&settings.name);
    for _ in 0..50 {
        if !folder.exists() || disk::remove(&folder).is_ok() {
            break;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let prefix = format!("{}.", settings.name);
    for parent in settings.site.iter().flat_map(Site::parents) {
        let entries = std::fs::read_dir(parent).into_iter().flatten().flatten();
        for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(&prefix)) {
            kill_and_remove(&entry.path());
        }
    }
}
