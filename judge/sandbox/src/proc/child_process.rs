//! Starts a process of the sandbox's own: a copy of this one, or the helper's executable.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, WaitOptions};

use crate::api::child;
use crate::api::text::text;
use crate::proc::inherited::close_all_but;

/// The most bytes of its own that a process may have to be copied.
const LARGEST: usize = 4 << 20;

/// The calling program.
pub(crate) const OWN_EXECUTABLE: &str = "/proc/self/exe";

/// What a process of the sandbox is to be.
#[derive(Clone, Copy)]
pub(crate) struct Role {
    /// What process lists call it.
    pub(crate) name: &'static CStr,
    /// The only argument of one that is executed.
    pub(crate) argument: &'static str,
    /// Its whole life.
    pub(crate) live: fn() -> io::Result<()>,
}

impl Role {
    /// Plays it to the end. Returns the exit code.
    pub(crate) fn play(self) -> i32 {
        // No matter if it fails.
        let _ = rustix::thread::set_name(self.name);
        i32::from((self.live)().is_err())
    }
}

/// A child of this process, to be waited for.
pub(crate) struct ChildProcess {
    pid: Pid,
    status: Option<ExitStatus>,
}

impl ChildProcess {
    /// Starts a child with these standard streams, in `/`, without an environment.
    ///
    /// While this process has one thread and is small, its own executable is not executed: a copy of the process is ready
    /// sooner, as it needs no dynamic linker. With more threads that is not safe: a copy has the locks that others hold, but
    /// not the others. And what a large one starts looks large itself.
    pub(crate) fn start(role: Role, executable: &Path, stdin: OwnedFd, stdout: Option<OwnedFd>) -> io::Result<Self> {
        if executable == Path::new(OWN_EXECUTABLE)
            && has_one_thread()
            && is_small()
            && let Some(pid) = copy(role, &stdin, stdout.as_ref())
        {
            return Ok(ChildProcess { pid, status: None });
        }
        let stdout = stdout.map_or_else(Stdio::null, Stdio::from);
        // Its folder is another one.
        let mut command = Command::new(std::path::absolute(executable)?);
        command.arg(role.argument).env_clear().current_dir("/").stdin(stdin).stdout(stdout);
        Ok(ChildProcess { pid: Pid::from_child(&command.spawn()?), status: None })
    }

    /// Its process id, which stays its own until it was waited for.
    pub(crate) fn id(&self) -> Pid {
        self.pid
    }

    /// Waits for its end. Returns the same every time.
    pub(crate) fn wait(&mut self) -> io::Result<ExitStatus> {
        loop {
            if let Some(status) = self.look(WaitOptions::empty())? {
                return Ok(status);
            }
        }
    }

    /// Whether it has ended.
    pub(crate) fn has_ended(&mut self) -> bool {
        !matches!(self.look(WaitOptions::NOHANG), Ok(None))
    }

    fn look(&mut self, how: WaitOptions) -> io::Result<Option<ExitStatus>> {
        if self.status.is_none() {
            let waited = rustix::io::retry_on_intr(|| rustix::process::waitpid(Some(self.pid), how))?;
            self.status = waited.map(|(_, status)| ExitStatus::from_raw(status.as_raw()));
        }
        Ok(self.status)
    }
}

/// A copy of this process, which has one thread, in its role.
fn copy(role: Role, stdin: &OwnedFd, stdout: Option<&OwnedFd>) -> Option<Pid> {
    // SAFETY: there is no other thread that might hold a lock.
    unsafe { child::fork(|| settle(stdin, stdout).map_or(1, |()| role.play())) }
}

/// Leaves behind what an executed process would not have.
fn settle(stdin: &OwnedFd, stdout: Option<&OwnedFd>) -> io::Result<()> {
    rustix::stdio::dup2_stdin(stdin)?;
    match stdout {
        Some(stdout) => rustix::stdio::dup2_stdout(stdout)?,
        None => {
            let null = rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
            rustix::stdio::dup2_stdout(null.as_fd())?;
        }
    }
    close_all_but(vec![0, 1, 2]);
    rustix::process::chdir("/")?;
    // SAFETY: there is one thread.
    unsafe { libc::clearenv() };
    Ok(())
}

/// Whether this process has no thread but the calling one. False where that cannot be told.
fn has_one_thread() -> bool {
    // A folder has one link by itself, one in its parent, and here one for each thread.
    std::fs::metadata("/proc/self/task").is_ok_and(|tasks| tasks.nlink() == 3)
}

/// Whether little of this process's memory is its own: that is what a copy has.
fn is_small() -> bool {
    let sizes = text("/proc/self/statm").unwrap_or_default();
    let mut pages = sizes.split(' ').skip(1).map_while(|pages| pages.parse::<usize>().ok());
    let own = pages.next().zip(pages.next()).map(|(all, shared)| (all - shared) * rustix::param::page_size());
    own.is_some_and(|own| own <= LARGEST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::child::in_child;
    use std::io::Read;

    /// Says by its exit code whether it has what it was given, and nothing else.
    const ALONE: Role = Role { name: c"judge-test", argument: "--none", live: look_around };

    fn look_around() -> io::Result<()> {
        let mut given = String::new();
        std::fs::File::from(rustix::io::dup(rustix::stdio::stdin())?).read_to_string(&mut given)?;
        let fds = std::fs::read_dir("/proc/self/fd")?.map(|entry| Ok(entry?.file_name()));
        // The folder that is read is open as well.
        let is_alone = fds.collect::<io::Result<Vec<_>>>()?.len() == 4 && std::env::vars_os().next().is_none();
        let has_all = given == "given" && std::env::current_dir()? == Path::new("/");
        if has_all && is_alone { Ok(()) } else { Err(io::ErrorKind::Other.into()) }
    }

    fn start() -> io::Result<ChildProcess> {
        let (stdin, ours) = rustix::pipe::pipe()?;
        rustix::io::write(ours, b"given")?;
        ChildProcess::start(ALONE, Path::new(OWN_EXECUTABLE), stdin, None)
    }

    #[test]
    fn a_copy_has_what_it_was_given_and_nothing_else() {
        // SAFETY: the closure allocates, makes system calls and waits for its own child.
        let is_so = unsafe {
            in_child(|| {
                let mut child = start().unwrap();
                has_one_thread() && child.wait().unwrap().success() && child.has_ended() && child.wait().is_ok()
            })
        };
        assert!(is_so);
    }

    #[test]
    fn a_process_with_two_threads_is_not_copied() {
        let (stop, stopped) = std::sync::mpsc::channel::<()>();
        let other = std::thread::spawn(move || stopped.recv());
        assert!(!has_one_thread());
        drop(stop);
        assert!(other.join().unwrap().is_err());
    }

    #[test]
    fn a_panic_does_not_leave_the_copy() {
        const PANIC: Role =
            Role { name: c"judge-test", argument: "--none", live: || std::panic::resume_unwind(Box::new(())) };
        // SAFETY: as above.
        let aborts = unsafe {
            in_child(|| {
                let null = std::fs::File::open("/dev/null").unwrap();
                let mut child = ChildProcess::start(PANIC, Path::new(OWN_EXECUTABLE), null.into(), None).unwrap();
                std::os::unix::process::ExitStatusExt::signal(&child.wait().unwrap()) == Some(libc::SIGABRT)
            })
        };
        assert!(aborts);
    }
}
