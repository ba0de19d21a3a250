//! Trusted commands, which are not isolated. A supervisor process starts them, and kills all their processes when the
//! judge ends. A stub is an executable that such a command starts in place of a program; the judge then runs the
//! program.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use rustix::net::SocketFlags;
use rustix::process::{Pid, PidfdFlags, Resource, Rlimit, Signal, WaitOptions};
use serde::{Deserialize, Serialize};

use crate::clock::{self, nanoseconds};
use crate::process::{self, DeadManSwitch, NO_CORE_DUMP, OWN_EXECUTABLE, Role, take_socket};
use crate::protocol::{self, Message, Received};
use crate::request::End;
use crate::{cores, names, procfs};

/// Runs trusted commands, each under a supervisor process. Idle supervisors wait for the next command; they end when this
/// is dropped or by [`dismiss_idle`](Self::dismiss_idle).
#[derive(Debug, Default)]
pub struct Supervisors {
    executable: OnceLock<PathBuf>,
    idle: Mutex<Vec<Supervisor>>,
}

impl Supervisors {
    /// No supervisors.
    pub const fn new() -> Supervisors {
        Supervisors { executable: OnceLock::new(), idle: Mutex::new(Vec::new()) }
    }

    /// Sets the executable that becomes a supervisor, if it is not this process's own. Its `main` must call
    /// [`become_helper_if_asked`](crate::become_helper_if_asked). Only the first call has an effect.
    pub fn set_executable(&self, executable: &Path) {
        let _ = self.executable.set(executable.to_owned());
    }

    /// The executable that was set.
    pub fn executable(&self) -> Option<&Path> {
        self.executable.get().map(PathBuf::as_path)
    }

    /// Starts a command in `folder`, in a process group of its own. The command is looked up as by [`Command`]. It stays
    /// on `core`, if one is given.
    ///
    /// # Errors
    /// When the command cannot be started.
    pub fn start(
        &self,
        words: &[OsString],
        folder: &Path,
        stdio: [BorrowedFd<'_>; 3],
        core: Option<usize>,
    ) -> io::Result<Supervised<'_>> {
        if words.is_empty() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let order = Message::new(&CommandOrder { core, folder: folder.to_owned(), words: words.to_vec() });
        loop {
            let idle = self.idle.lock().pop();
            let is_new = idle.is_none();
            let supervisor = idle.map_or_else(|| Supervisor::start(self.executable()), Ok)?;
            let answer = order.send(&supervisor.socket, &stdio).and_then(|()| supervisor.receive());
            match answer {
                Ok(answer) => return self.started(supervisor, answer),
                // An idle supervisor may have been killed in the meantime.
                Err(_) if !is_new => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn started(&self, supervisor: Supervisor, mut answer: Received) -> io::Result<Supervised<'_>> {
        match answer.decode::<StartAnswer>()? {
            Ok(id) => {
                let process = answer.take_fd()?;
                Ok(Supervised { supervisors: self, id, process, status: None, supervisor: Some(supervisor) })
            }
            Err(errno) => {
                self.idle.lock().push(supervisor);
                Err(io::Error::from_raw_os_error(errno))
            }
        }
    }

    /// Ends the idle supervisors and waits for that. To be called before the process exits, if this is in a static.
    pub fn dismiss_idle(&self) {
        self.idle.lock().clear();
    }
}

/// A running command, as the user and in the environment of this process. When this is dropped, the command is killed
/// with all that it has started.
#[derive(Debug)]
pub struct Supervised<'a> {
    supervisors: &'a Supervisors,
    id: u32,
    process: OwnedFd,
    status: Option<ExitStatus>,
    /// `None` once it is idle again, or lost.
    supervisor: Option<Supervisor>,
}

impl Supervised<'_> {
    /// The processes of its group, including zombies.
    pub fn processes(&self) -> Vec<u32> {
        procfs::group(self.id.cast_signed()).into_iter().map(i32::cast_unsigned).collect()
    }

    /// Becomes readable when the command's first process has ended.
    pub fn ended(&self) -> BorrowedFd<'_> {
        self.process.as_fd()
    }

    /// Waits until the command and all that it has started have ended, for at most `limit`. Returns early if `over`
    /// becomes readable.
    ///
    /// # Errors
    /// When the supervisor is lost.
    pub fn wait(&mut self, limit: Duration, over: Option<BorrowedFd<'_>>) -> io::Result<Option<ExitStatus>> {
        let Some(supervisor) = &self.supervisor else { return Ok(self.status) };
        let until = clock::now().saturating_add(nanoseconds(limit));
        loop {
            let left = until.saturating_sub(clock::now());
            let over = over.map(|over| PollFd::from_borrowed_fd(over, PollFlags::IN));
            let mut fds: Vec<_> = [PollFd::new(&supervisor.socket, PollFlags::IN)].into_iter().chain(over).collect();
            match rustix::event::poll(&mut fds, Some(&clock::timespec(left))) {
                Ok(0) if left == 0 => return Ok(None),
                Ok(0) | Err(Errno::INTR) => {}
                Ok(_) if fds[0].revents().is_empty() => return Ok(None),
                Ok(_) => return self.receive_status().map(Some),
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Kills what still runs of it, and returns how it ended.
    ///
    /// # Errors
    /// When the supervisor is lost.
    pub fn end(&mut self) -> io::Result<ExitStatus> {
        if let Some(status) = self.status {
            return Ok(status);
        }
        if let Some(supervisor) = &self.supervisor {
            Message::empty().send(&supervisor.socket, &[])?;
        }
        self.receive_status()
    }

    fn receive_status(&mut self) -> io::Result<ExitStatus> {
        let supervisor = self.supervisor.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let status = ExitStatus::from_raw(supervisor.receive()?.decode()?);
        self.supervisors.idle.lock().push(supervisor);
        self.status = Some(status);
        Ok(status)
    }
}

impl Drop for Supervised<'_> {
    fn drop(&mut self) {
        // Fails only if the supervisor is lost, and the command with it.
        let _ = self.end();
    }
}

/// A command to start.
#[derive(Serialize, Deserialize)]
struct CommandOrder {
    core: Option<usize>,
    #[serde(with = "crate::os_data")]
    folder: PathBuf,
    words: Vec<OsString>,
}

/// The process id, whose pidfd travels with the answer; or the error number.
type StartAnswer = Result<u32, i32>;

/// A small process with one thread that runs one command at a time. None of the command's processes outlives the judge,
/// however the judge ends.
#[derive(Debug)]
struct Supervisor {
    process: Child,
    socket: OwnedFd,
}

impl Supervisor {
    fn start(executable: Option<&Path>) -> io::Result<Supervisor> {
        let (socket, theirs) = protocol::pair()?;
        let mut command = Command::new(executable.unwrap_or(Path::new(OWN_EXECUTABLE)));
        command.arg(SUPERVISOR.argument).stdin(theirs).stdout(Stdio::null()).stderr(Stdio::null());
        Ok(Supervisor { process: command.spawn()?, socket })
    }

    fn receive(&self) -> io::Result<Received> {
        Received::receive(&self.socket)?
            .ok_or_else(|| io::Error::other("a command's supervisor has ended unexpectedly"))
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        // An idle one has nothing to clean up. A command that still runs dies with its supervisor.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Runs until the judge has ended.
pub(crate) const SUPERVISOR: Role =
    Role { name: c"judge-supervisor", argument: "--judge-sandbox-supervisor", main: serve };

/// How long the processes that a command leaves behind may take to die.
const CLEANUP_TIMEOUT: Duration = Duration::from_secs(1);
/// The maximal size of a file that a command writes, its output included. So a command that prints forever cannot fill
/// the disk.
const FILE_BYTES: u64 = 512 << 20;
/// The pause between two checks of dying processes.
const PAUSE: Duration = Duration::from_micros(200);

fn serve() -> io::Result<()> {
    let socket = take_socket()?;
    let switch = DeadManSwitch::new()?;
    // A Ctrl-C at the terminal is for the judge.
    rustix::process::setpgid(None, None)?;
    rustix::process::set_child_subreaper(Pid::from_raw(1))?;
    while let Some(mut message) = Received::receive(&socket)? {
        // An empty message asks for the end of a command that has ended already.
        if message.is_empty() {
            continue;
        }
        match start(&mut message, &switch) {
            Ok((child, process)) => {
                Message::new(&StartAnswer::Ok(child.id())).send(&socket, &[process.as_fd()])?;
                let status = watch(child, &process, &socket)?;
                Message::new(&status.into_raw()).send(&socket, &[])?;
            }
            Err(error) => {
                let errno = error.raw_os_error().unwrap_or(libc::EINVAL);
                Message::new(&StartAnswer::Err(errno)).send(&socket, &[])?;
            }
        }
    }
    Ok(())
}

/// Starts the command of an order, in the environment of this process and in a process group of its own. `switch` kills
/// the group if this process is killed.
fn start(message: &mut Received, switch: &DeadManSwitch) -> io::Result<(Child, OwnedFd)> {
    let CommandOrder { core, folder, words } = message.decode()?;
    let (program, arguments) = words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder).process_group(0);
    command.stdin(message.take_fd()?).stdout(message.take_fd()?).stderr(message.take_fd()?);
    let own = std::process::id().cast_signed();
    // SAFETY: only system calls, which are allowed between fork and exec.
    unsafe {
        command.pre_exec(move || {
            if let Some(core) = core {
                // Failure only costs time: the command talks to a program on that core.
                let _ = cores::pin(None, core);
                cores::set_batch(true, 0);
            }
            let largest = Rlimit { current: Some(FILE_BYTES), maximum: Some(FILE_BYTES) };
            rustix::process::setrlimit(Resource::Fsize, largest)?;
            process::die_with_parent(own).map_err(io::Error::from_raw_os_error)
        });
    }
    let child = command.spawn()?;
    // If this fails, the command's first process still has a death signal.
    let _ = switch.arm(child.id().cast_signed());
    let process = rustix::process::pidfd_open(Pid::from_child(&child), PidfdFlags::empty())?;
    Ok((child, process))
}

/// Waits until a command has ended, until the judge asks for its end, or until the judge has ended. Then kills the
/// command's remaining processes.
fn watch(mut child: Child, process: &OwnedFd, socket: &OwnedFd) -> io::Result<ExitStatus> {
    let mut fds = [PollFd::new(process, PollFlags::IN), PollFd::new(socket, PollFlags::IN)];
    let asked = match rustix::io::retry_on_intr(|| rustix::event::poll(&mut fds, None)) {
        Ok(_) if !fds[0].revents().is_empty() => Ok(()),
        // A message, or the end of the socket, which the next `receive` reports again.
        Ok(_) => Received::receive(socket).map(drop),
        Err(error) => Err(error.into()),
    };
    // It is not reaped yet, so neither its id nor its group can belong to another process.
    let _ = rustix::process::pidfd_send_signal(process, Signal::KILL);
    let _ = rustix::process::kill_process_group(Pid::from_child(&child), Signal::KILL);
    let status = child.wait();
    end_strays();
    asked.and(status)
}

/// Kills processes that have left the command's process group. Orphans become children of this process.
fn end_strays() {
    let own = std::process::id().cast_signed();
    let began = Instant::now();
    while began.elapsed() < CLEANUP_TIMEOUT {
        match rustix::process::wait(WaitOptions::NOHANG) {
            Ok(Some(_)) => {}
            Ok(None) => {
                procfs::kill_descendants(own);
                std::thread::sleep(PAUSE);
            }
            Err(_) => return,
        }
    }
}

/// The first argument of a stub's process, before the name of the socket.
const ARGUMENT: &str = "--judge-sandbox-stub=";

/// The exit code for a program that did not start, as in a shell.
const NOT_STARTED: i32 = 127;

/// An executable file that stands for a program. Each process that is started from it hands its standard input and
/// output to this process, and waits until it learns from [`StubLink::end`] how to end. The file is removed when this is
/// dropped, or by the next [`Sandbox::open`](crate::Sandbox::open) if this process is killed.
#[derive(Debug)]
pub struct Stub {
    file: PathBuf,
    listener: OwnedFd,
}

impl Stub {
    /// Makes the file, and listens. The processes run `executable`, or this process's own. Its `main` must call
    /// [`become_helper_if_asked`](crate::become_helper_if_asked). The path has no blanks, as commands are split at them.
    ///
    /// # Errors
    /// When the file or the socket cannot be made.
    pub fn create(executable: Option<&Path>) -> io::Result<Stub> {
        let name = names::unique("stub");
        let stub = Stub { file: folder().join(&name), listener: protocol::listen(name.as_bytes())? };
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o700).open(&stub.file)?;
        // A script and not a link, as programs that resolve links would see another path. The interpreter is this
        // process's executable, by a path that is short, has no blanks, and still works when the file has been
        // replaced.
        let own = format!("/proc/{}/exe", std::process::id());
        writeln!(file, "#!{} {ARGUMENT}{name}", executable.unwrap_or(Path::new(&own)).display())?;
        Ok(stub)
    }

    /// The file to start.
    pub fn path(&self) -> &Path {
        &self.file
    }

    /// Returns a process of the stub that has started, if one waits.
    ///
    /// # Errors
    /// When the socket fails.
    pub fn call(&self) -> io::Result<Option<StubCall>> {
        loop {
            let socket = match rustix::net::accept_with(&self.listener, SocketFlags::CLOEXEC) {
                Ok(socket) => socket,
                Err(Errno::AGAIN) => return Ok(None),
                Err(Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            };
            // Any user can connect to an abstract socket. Connections of other users are ignored. A process that was killed in the
            // meantime has sent nothing.
            if rustix::net::sockopt::socket_peercred(&socket)?.uid != rustix::process::geteuid() {
                continue;
            }
            if let Ok(Some(message)) = Received::receive(&socket)
                && let Ok(call) = StubCall::decode(message, socket)
            {
                return Ok(Some(call));
            }
        }
    }
}

/// Becomes readable when a process of the stub has started.
impl AsFd for Stub {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.listener.as_fd()
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.file);
    }
}

/// A process of a [`Stub`]. It waits to be told how to end.
#[derive(Debug)]
#[non_exhaustive]
pub struct StubCall {
    /// Its standard input.
    pub stdin: OwnedFd,
    /// Its standard output.
    pub stdout: OwnedFd,
    /// Its arguments, without the name of the program.
    pub arguments: Vec<OsString>,
    /// Tells it how to end.
    pub link: StubLink,
}

/// The connection to a process of a [`Stub`].
#[derive(Debug)]
pub struct StubLink {
    socket: OwnedFd,
}

impl StubCall {
    fn decode(mut message: Received, socket: OwnedFd) -> io::Result<StubCall> {
        let arguments = message.decode()?;
        Ok(StubCall { stdin: message.take_fd()?, stdout: message.take_fd()?, arguments, link: StubLink { socket } })
    }
}

impl StubLink {
    /// Makes the process end in this way. A process that is gone is ignored.
    pub fn end(self, end: End) {
        let _ = Message::new(&end).send(&self.socket, &[]);
    }
}

/// Becomes readable when the process is gone.
impl AsFd for StubLink {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// The folder for temporary files, or `/tmp` if its path has blanks.
fn folder() -> PathBuf {
    let folder = crate::scratch::temporary();
    let has_blanks = folder.as_os_str().as_bytes().iter().any(u8::is_ascii_whitespace);
    if has_blanks { PathBuf::from("/tmp") } else { folder }
}

/// Runs a stub's process, if this is one. The kernel starts a script with the argument of its first line, the path of
/// the script, and the script's arguments.
pub(crate) fn become_stub_if_asked() {
    let mut arguments = std::env::args_os().skip(1);
    let first = arguments.next().unwrap_or_default();
    let Some(name) = first.as_bytes().strip_prefix(ARGUMENT.as_bytes()) else { return };
    match forward_and_wait(name, arguments.skip(1).collect()) {
        Ok(End::Exited(code)) => std::process::exit(code),
        Ok(End::Signalled(signal)) => die_by_signal(signal),
        Ok(End::NotStarted(_)) | Err(_) => std::process::exit(NOT_STARTED),
    }
}

/// Hands over the standard streams, and waits until it is told how to end.
fn forward_and_wait(name: &[u8], arguments: Vec<OsString>) -> io::Result<End> {
    let socket = protocol::connect(name)?;
    let message = Message::new(&arguments);
    message.send(&socket, &[rustix::stdio::stdin(), rustix::stdio::stdout()])?;
    Received::receive(&socket)?.ok_or(io::ErrorKind::BrokenPipe)?.decode()
}

/// Ends this process by a signal, without a core dump.
fn die_by_signal(signal: i32) -> ! {
    let limit = Some(NO_CORE_DUMP);
    let _ = rustix::process::setrlimit(Resource::Core, Rlimit { current: limit, maximum: limit });
    // SAFETY: the default action needs no handler. The kernel refuses a signal that does not exist.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
    std::process::exit(128 + signal)
}
