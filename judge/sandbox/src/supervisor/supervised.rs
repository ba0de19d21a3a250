//! Trusted commands, not isolated. A supervisor runs them; it ends them with all that they have started when the judge
//! ends.

use parking_lot::Mutex;
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use rustix::net::Shutdown;
use wait_timeout::ChildExt;

use crate::api::clock;
use crate::proc::child_process::OWN_EXECUTABLE;
use crate::proc::tree;
use crate::protocol::wire::{self, Reader, Writer, nanoseconds};
use crate::supervisor::serve::SUPERVISOR;

/// How long a supervisor that has nothing to do may take to end.
const PATIENCE: Duration = Duration::from_secs(2);

/// The supervisors that wait for work.
static IDLE: Mutex<Vec<Supervisor>> = Mutex::new(Vec::new());

static EXECUTABLE: OnceLock<PathBuf> = OnceLock::new();

/// Sets the executable that becomes a supervisor, where this process's own cannot: one whose `main` calls
/// [`become_helper_if_asked`](crate::become_helper_if_asked). The first call counts.
pub fn use_as_supervisor(executable: &Path) {
    let _ = EXECUTABLE.set(executable.to_owned());
}

/// The executable that becomes a supervisor or a stub: this process's own, as it is called here, unless it is set.
pub(crate) fn executable(own: &Path) -> &Path {
    EXECUTABLE.get().map_or(own, PathBuf::as_path)
}

/// Ends the supervisors that wait for work, and waits for their end. To be called when the process is about to end: a
/// supervisor would go by itself a moment later.
pub fn dismiss_supervisors() {
    IDLE.lock().clear();
}

/// A running command, in the environment and as the user of this process. When this is dropped, it is ended with all
/// that it has started.
#[derive(Debug)]
pub struct Supervised {
    id: u32,
    process: OwnedFd,
    status: Option<ExitStatus>,
    /// `None` once it has gone back to the others, or is lost.
    supervisor: Option<Supervisor>,
}

impl Supervised {
    /// Starts a command, found as [`Command`] does, in `folder`, in a process group of its own, to stay on `core` if one is
    /// given.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(
        words: &[OsString],
        folder: &Path,
        stdio: [BorrowedFd<'_>; 3],
        core: Option<usize>,
    ) -> io::Result<Supervised> {
        let mut order = Writer::default();
        let (program, arguments) = words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        order.option(core.map(|core| core as u64));
        order.bytes(folder.as_os_str().as_bytes()).bytes(program.as_bytes()).u64(arguments.len() as u64);
        for argument in arguments {
            order.bytes(argument.as_bytes());
        }
        loop {
            let idle = IDLE.lock().pop();
            let is_new = idle.is_none();
            let supervisor = idle.map_or_else(Supervisor::start, Ok)?;
            let answer = order.send(&supervisor.socket, &stdio).and_then(|()| supervisor.hear());
            match answer {
                Ok(answer) => return Supervised::started(supervisor, answer),
                // One of those that waited may have been killed meanwhile.
                Err(_) if !is_new => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn started(supervisor: Supervisor, mut answer: Reader) -> io::Result<Supervised> {
        if answer.u64()? == 0 {
            let errno = (answer.u64()? as u32).cast_signed();
            supervisor.wait_for_work();
            return Err(io::Error::from_raw_os_error(errno));
        }
        let id = answer.u64()? as u32;
        Ok(Supervised { id, process: answer.fd()?, status: None, supervisor: Some(supervisor) })
    }

    /// The processes of its group that are there at this moment, those included that have ended and were not waited for.
    pub fn processes(&self) -> Vec<u32> {
        tree::group(self.id.cast_signed()).into_iter().map(i32::cast_unsigned).collect()
    }

    /// Becomes readable when its own process has ended.
    pub fn ended(&self) -> BorrowedFd<'_> {
        self.process.as_fd()
    }

    /// Waits for its end, and that of all that it has started, for at most `limit`, and only until `over`, if it is
    /// given, becomes readable.
    ///
    /// # Errors
    /// When its supervisor is lost.
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
                Ok(_) => return self.hear_status().map(Some),
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Ends what still runs of it, and returns how it ended.
    ///
    /// # Errors
    /// When its supervisor is lost.
    pub fn end(&mut self) -> io::Result<ExitStatus> {
        if let Some(status) = self.status {
            return Ok(status);
        }
        if let Some(supervisor) = &self.supervisor {
            Writer::default().send(&supervisor.socket, &[])?;
        }
        self.hear_status()
    }

    fn hear_status(&mut self) -> io::Result<ExitStatus> {
        let supervisor = self.supervisor.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let status = ExitStatus::from_raw((supervisor.hear()?.u64()? as u32).cast_signed());
        supervisor.wait_for_work();
        self.status = Some(status);
        Ok(status)
    }
}

impl Drop for Supervised {
    fn drop(&mut self) {
        // Fails only when the supervisor is lost, and with it the command.
        let _ = self.end();
    }
}

/// A process that runs one command at a time.
#[derive(Debug)]
struct Supervisor {
    process: Child,
    socket: OwnedFd,
}

impl Supervisor {
    fn start() -> io::Result<Supervisor> {
        let (socket, theirs) = wire::pair()?;
        let mut command = Command::new(executable(Path::new(OWN_EXECUTABLE)));
        command.arg(SUPERVISOR.argument).stdin(theirs).stdout(Stdio::null()).stderr(Stdio::null());
        Ok(Supervisor { process: command.spawn()?, socket })
    }

    fn hear(&self) -> io::Result<Reader> {
        Reader::receive(&self.socket)?.ok_or_else(|| io::Error::other("a command's supervisor has ended unexpectedly"))
    }

    fn wait_for_work(self) {
        IDLE.lock().push(self);
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        let _ = rustix::net::shutdown(&self.socket, Shutdown::Both);
        if !matches!(self.process.wait_timeout(PATIENCE), Ok(Some(_))) {
            let _ = self.process.kill();
            let _ = self.process.wait();
        }
    }
}
