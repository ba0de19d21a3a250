//! The judge's side of a helper: starts it, hands it requests, and can stop it from any thread.

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
use rustix::event::{PollFd, PollFlags};
use rustix::fs::{Mode, OFlags};
use rustix::net::Shutdown;
use rustix::time::Timespec;

use crate::cgroup::site::{Site, kill_and_remove};
use crate::helper::{self, HELPER};
use crate::namespace::mounts::{self, View};
use crate::process::ChildProcess;
use crate::protocol::messages::{self, Outlet, Settings};
use crate::protocol::{self, Message, Received, shared_memory};
use crate::request::{Context, Exchange, Execution, Fault, OutputFiles, Request, Sink, Stdin};
use crate::scratch::{self, disk};
use crate::{cores, procfs, tier_cache};

/// One helper process. Runs one program at a time; blocks an ordinary thread meanwhile.
pub struct Worker {
    helper: Helper,
    leftovers: HelperLeftovers,
    working_folder: PathBuf,
    /// Whether its programs run below an init.
    has_init: bool,
    /// What remembers that such workers work.
    cache_file: Option<PathBuf>,
    /// What was ordered last, and, if it was the same before, what stood then where the program and its files are.
    last_order: Option<Message>,
    /// If that was the same as the order before: the identities of the program and its files at the time.
    last_view: Option<View>,
}

/// A helper, and its keeper, if it has one. When this is dropped, they end, and it waits for that.
struct Helper {
    link: Arc<Link>,
    process: ChildProcess,
    keeper: Option<ChildProcess>,
}

impl Helper {
    fn wait(&mut self) -> io::Result<ExitStatus> {
        let status = self.process.wait();
        // The keeper's end follows.
        self.keeper.as_mut().map(ChildProcess::wait);
        status
    }

    fn has_ended(&mut self) -> bool {
        self.process.has_ended() && self.keeper.as_mut().is_none_or(ChildProcess::has_ended)
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        // The helper kills what runs, clears up and ends.
        self.link.close();
        let _ = self.wait();
    }
}

/// The helpers that were told to end and may still be about to.
static DISMISSED: Mutex<Vec<Helper>> = Mutex::new(Vec::new());

/// Waits for the end of all workers that were dismissed. To be called when the process is about to end.
pub fn wait_for_dismissed_workers() {
    DISMISSED.lock().clear();
}

/// What a worker shares with its cancellers.
struct Link {
    socket: OwnedFd,
    cancelled: AtomicBool,
}

impl Link {
    /// Tells the helper to end; it may have gone already.
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
    /// Kills the running program, if any: its run, and each later one of this worker, is [`Fault::Cancelled`].
    pub fn cancel(&self) {
        self.link.cancelled.store(true, Ordering::SeqCst);
        self.link.close();
    }
}

/// Looks at the program of a [`Worker`] from any thread.
#[derive(Debug, Clone, Copy)]
pub struct Observer {
    helper: i32,
    has_init: bool,
}

impl Observer {
    /// The program's processes that are there at this moment, those included that have ended and were not waited for.
    pub fn processes(&self) -> Vec<u32> {
        let own = procfs::descendants(self.helper).into_iter();
        let inits = if self.has_init { procfs::children(self.helper) } else { Vec::new() };
        own.filter(|pid| !inits.contains(pid)).map(i32::cast_unsigned).collect()
    }
}

impl Worker {
    /// This many programs can be handed over before the first of them is collected.
    pub const QUEUE: usize = 8;

    /// Starts `executable` as a helper. `cache_file`: to be forgotten when it fails.
    pub(crate) fn start(
        executable: &Path,
        mut settings: Settings,
        cache_file: Option<PathBuf>,
    ) -> Result<Worker, Fault> {
        let (socket, theirs) = protocol::pair().context("making a socket for the sandbox's helper")?;
        let process = ChildProcess::start(HELPER, executable, theirs, None)
            .context(format!("starting the sandbox's helper, {}", executable.display()))?;
        let leftovers = HelperLeftovers::of(&settings);
        let working_folder = working_folder(&settings).context("looking for the place of working folders")?;
        let has_init = settings.tier.has_namespaces();
        let link = Arc::new(Link { socket, cancelled: false.into() });
        let helper = Helper { link, process, keeper: None };
        let mut worker =
            Worker { helper, leftovers, working_folder, has_init, cache_file, last_order: None, last_view: None };
        if !settings.tier.has_namespaces() {
            let (keeper, keeper_link) = helper::start_keeper(executable).context("starting the sandbox's keeper")?;
            (worker.helper.keeper, settings.keeper_link) = (Some(keeper), Some(keeper_link));
        }
        cores::separate_from_child(worker.helper.process.id(), settings.core);
        let sent = settings.send(worker.socket());
        // The helper alone holds the leash from here.
        drop(settings);
        match sent {
            Ok(()) => Ok(worker),
            Err(error) => Err(worker.lost(&error.to_string())),
        }
    }

    /// Something to stop this worker with.
    pub fn canceller(&self) -> Canceller {
        Canceller { link: Arc::clone(&self.helper.link) }
    }

    /// Runs one program and waits for its end.
    ///
    /// # Errors
    /// [`Fault::Cancelled`] after a [`Canceller::cancel`]; else the sandbox itself failed, never the program.
    pub fn run(&mut self, request: &Request) -> Result<Execution, Fault> {
        self.submit(request)?;
        self.collect()
    }

    /// Hands one program over and does not wait for its end: [`collect`](Self::collect) does. Others may be handed over
    /// meanwhile, up to [`QUEUE`](Self::QUEUE) at once. Each starts as soon as the one before has ended: its core does not
    /// wait for what the caller does with the output.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn submit(&mut self, request: &Request) -> Result<(), Fault> {
        self.begin(request, &messages::RunSpec::from(request), None, false)
    }

    /// Has what `request` needs made ready, and does not wait for it. To be called before the first run.
    pub(crate) fn make_ready(&mut self, request: &Request) {
        // If it fails, so does the first run, which tells why.
        let _ = self.begin(request, &messages::RunSpec::from(request), None, true);
    }

    /// Waits for the end of the program that was handed over first.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn collect(&mut self) -> Result<Execution, Fault> {
        Ok(self.finish()?.0)
    }

    /// Whether [`collect`](Self::collect) would not have to wait.
    pub fn is_ready(&self) -> bool {
        let mut socket = [PollFd::new(self.socket(), PollFlags::IN)];
        rustix::event::poll(&mut socket, Some(&Timespec::default())) != Ok(0)
    }

    /// Does the same as [`run`](Self::run) for a program that is of use only until `over` becomes readable. CPU time and
    /// time on the clock are counted up to then, and their limits hold no longer; the program is left a short while to
    /// end by itself, and then killed.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_until(&mut self, request: &Request, over: BorrowedFd<'_>) -> Result<Execution, Fault> {
        Ok(self.perform(request, messages::RunSpec::from(request), Some(over))?.0)
    }

    /// Does the same as [`run`](Self::run) for a program that gets files and makes some: a compiler.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_with_files(
        &mut self,
        request: &Request,
        exchange: &Exchange,
    ) -> Result<(Execution, OutputFiles), Fault> {
        let spec = messages::RunSpec { exchange: Some(exchange.clone()), ..messages::RunSpec::from(request) };
        self.perform(request, spec, None)
    }

    /// Does the same for one that is to be killed when `over` becomes readable. The request's files are closed here once
    /// the program has them: who holds the other end of a pipe sees the program close it.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_with_files_until(
        &mut self,
        request: Request,
        exchange: &Exchange,
        over: BorrowedFd<'_>,
    ) -> Result<(Execution, OutputFiles), Fault> {
        let (exchange, grace) = (Some(exchange.clone()), Duration::ZERO);
        let spec = messages::RunSpec { exchange, grace, ..messages::RunSpec::from(&request) };
        self.begin(&request, &spec, Some(over), false)?;
        drop(request);
        self.finish()
    }

    /// What looks at this worker's program from any thread.
    pub fn observer(&self) -> Observer {
        Observer { helper: self.helper.process.id().as_raw_pid(), has_init: self.has_init }
    }

    /// Tells it to end, and does not wait for that as dropping it would: [`wait_for_dismissed_workers`] does.
    pub fn dismiss(self) {
        let Worker { helper, .. } = self;
        helper.link.close();
        let mut dismissed = DISMISSED.lock();
        dismissed.retain_mut(|helper| !helper.has_ended());
        dismissed.push(helper);
    }

    /// The working folder's path, as programs know it.
    pub fn working_folder(&self) -> &Path {
        &self.working_folder
    }

    fn perform(
        &mut self,
        request: &Request,
        spec: messages::RunSpec,
        over: Option<BorrowedFd<'_>>,
    ) -> Result<(Execution, OutputFiles), Fault> {
        self.begin(request, &spec, over, false)?;
        self.finish()
    }

    /// Waits for the end of the program that was handed over first.
    fn finish(&mut self) -> Result<(Execution, OutputFiles), Fault> {
        let received = Received::receive(self.socket())
            .and_then(|message| message.map(|mut message| messages::decode_answer(&mut message)).transpose());
        let answer = match received {
            Ok(Some(answer)) => answer.inspect_err(|_| self.forget())?,
            Ok(None) => return Err(self.lost("it closed its socket")),
            Err(error) => return Err(self.lost(&error.to_string())),
        };
        let execution = Execution {
            end: answer.end,
            breaches: answer.breaches,
            usage: answer.usage,
            stdout: answer.stdout.bytes().context("reading the captured output")?,
            stderr: answer.stderr.bytes().context("reading the captured error output")?,
        };
        Ok((execution, answer.output_files))
    }

    /// Hands a program over to the helper. `only_prepare`: it is not to run yet, and there will be no answer.
    fn begin(
        &mut self,
        request: &Request,
        spec: &messages::RunSpec,
        over: Option<BorrowedFd<'_>>,
        only_prepare: bool,
    ) -> Result<(), Fault> {
        if self.is_cancelled() {
            return Err(Fault::Cancelled);
        }
        let stdin = open_stdin(&request.stdin)?;
        let mut fds = vec![stdin.fd()];
        let sinks = [&request.stdout, &request.stderr].map(|sink| match sink {
            Sink::Capture => Outlet::Capture,
            Sink::File(file) => Outlet::File(file.as_fd()),
            Sink::Lent(file) => Outlet::Lent(file.as_fd()),
            Sink::Relay(file) => Outlet::Relay(file.as_fd()),
        });
        let [stdout, stderr] = sinks.map(Outlet::kind);
        fds.extend(sinks.into_iter().filter_map(Outlet::file).chain(over));
        let owns_stdin = matches!(stdin, Input::New(_));
        let attachments = messages::Attachments { stdout, stderr, until: over.is_some(), owns_stdin, only_prepare };
        let order = messages::encode_run(spec, attachments);
        // A caller that runs the same again does not check whether the files are still the same.
        let view = self.last_order.as_ref().is_some_and(|last| *last == order).then(|| View::of(spec));
        let is_repeated = view.is_some() && view == self.last_view;
        self.last_view = view;
        let order = self.last_order.insert(order);
        let sent = if is_repeated {
            messages::encode_repeat().send(&self.helper.link.socket, &fds)
        } else {
            order.send(&self.helper.link.socket, &fds)
        };
        sent.map_err(|error| self.lost(&error.to_string()))
    }

    /// The helper does not answer: it was cancelled, or it ended.
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
        self.leftovers.remove();
        Fault::HelperGone(end)
    }

    /// The next start tries whether the tier works.
    fn forget(&self) {
        if let Some(cache_file) = &self.cache_file {
            tier_cache::forget(cache_file);
        }
    }

    fn socket(&self) -> &OwnedFd {
        &self.helper.link.socket
    }

    fn is_cancelled(&self) -> bool {
        self.helper.link.cancelled.load(Ordering::SeqCst)
    }
}

fn working_folder(settings: &Settings) -> io::Result<PathBuf> {
    if settings.tier.has_namespaces() {
        return Ok(mounts::WORK_FOLDER.into());
    }
    Ok(settings.scratch.canonicalize()?.join(&settings.name).join(scratch::WORK_FOLDER))
}

enum Input<'a> {
    RunnerState(OwnedFd),
    /// A sealed file in memory, at its start.
    New(OwnedFd),
    Lent(&'a File),
}

impl Input<'_> {
    fn fd(&self) -> BorrowedFd<'_> {
        match self {
            Input::RunnerState(fd) | Input::New(fd) => fd.as_fd(),
            Input::Lent(file) => file.as_fd(),
        }
    }
}

fn open_stdin(stdin: &Stdin) -> Result<Input<'_>, Fault> {
    Ok(match stdin {
        Stdin::Empty => Input::RunnerState(
            rustix::fs::open("/dev/null", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())
                .context("opening /dev/null")?,
        ),
        Stdin::Bytes(bytes) => Input::New(sealed(bytes).context("making the input")?),
        Stdin::File(file) => Input::Lent(file),
    })
}

/// `bytes` as a file in memory that cannot be changed, at its start. To open it anew, to read only, would take as long as
/// the rest of this, and change nothing: a seal refuses what is written through any descriptor.
fn sealed(bytes: &[u8]) -> io::Result<OwnedFd> {
    let file = shared_memory::create()?;
    file.write_all_at(bytes, 0)?;
    shared_memory::seal(&file)?;
    Ok(file.into())
}

//# Removes what killed judges have left on the machine.

/// Where one helper makes folders and groups: the judge removes them if the helper could not.
pub(crate) struct HelperLeftovers {
    scratch: PathBuf,
    site: Option<Site>,
    name: String,
}

impl HelperLeftovers {
    pub(crate) fn of(settings: &Settings) -> HelperLeftovers {
        HelperLeftovers { scratch: settings.scratch.clone(), site: settings.site.clone(), name: settings.name.clone() }
    }

    /// To be called when the helper has ended, and what it started is dying.
    pub(crate) fn remove(&self) {
        let folder = self.scratch.join(&self.name);
        for _ in 0..50 {
            if !folder.exists() || disk::remove(&folder).is_ok() {
                break;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        let prefix = format!("{}.", self.name);
        for parent in self.site.iter().flat_map(Site::parents) {
            let entries = std::fs::read_dir(parent).into_iter().flatten().flatten();
            for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(&prefix)) {
                kill_and_remove(&entry.path());
            }
        }
    }
}
