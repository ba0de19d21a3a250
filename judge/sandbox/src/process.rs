//! Processes of the sandbox's own: copies of this process, the helper's executable started again, and what such a
//! process inherits.

use std::ffi::CStr;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use libc::{c_int, sigset_t};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, getppid, set_parent_process_death_signal};

use crate::procfs::text;

/// Aborts the process when it is dropped: a panic must not unwind through the stack frames that a child shares with its
/// parent.
struct AbortOnUnwind;

impl Drop for AbortOnUnwind {
    fn drop(&mut self) {
        std::process::abort();
    }
}

/// Forks a child that runs `act` and exits with the code that it returns. `act` may change anything about the child. A
/// panic aborts the child. `None` if there can be no child.
///
/// # Safety
/// The child has only a copy of the calling thread. `act` may allocate, since glibc keeps its allocator usable in the
/// child. It must take no other lock that another thread of this process may hold now, and must not rely on any other
/// thread.
pub(crate) unsafe fn fork(act: impl FnOnce() -> i32) -> Option<Pid> {
    // SAFETY: the child only runs `act`, which the caller vouches for, and leaves by `_exit` or `abort`.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        let guard = AbortOnUnwind;
        let code = act();
        std::mem::forget(guard);
        // SAFETY: this leaves without running the parent's destructors or flushing its buffers.
        unsafe { libc::_exit(code) };
    }
    Pid::from_raw(pid.max(0))
}

/// What `act` returns in a forked child. False if it panics, or if no child can be created.
///
/// # Safety
/// As for [`fork`].
pub(crate) unsafe fn in_child(act: impl FnOnce() -> bool) -> bool {
    // SAFETY: the caller vouches for `act`.
    let Some(child) = (unsafe { fork(|| i32::from(!act())) }) else { return false };
    let waited = rustix::process::waitpid(Some(child), WaitOptions::empty());
    matches!(waited, Ok(Some((_, status))) if status.exit_status() == Some(0))
}

/// The maximal size of the private memory of a process that is copied.
const MAX_COPIED_BYTES: usize = 4 << 20;

/// The executable of the calling process.
pub(crate) const OWN_EXECUTABLE: &str = "/proc/self/exe";

/// A kind of process that the sandbox starts.
#[derive(Clone, Copy)]
pub(crate) struct Role {
    /// Its name in process lists.
    pub(crate) name: &'static CStr,
    /// The only argument of a process that is executed to be one.
    pub(crate) argument: &'static str,
    /// Its main function.
    pub(crate) main: fn() -> io::Result<()>,
}

impl Role {
    /// Runs it to its end, and returns the exit code.
    pub(crate) fn run(self) -> i32 {
        // Failure does no harm.
        let _ = rustix::thread::set_name(self.name);
        i32::from((self.main)().is_err())
    }
}

/// A child of this process.
pub(crate) struct ChildProcess {
    pid: Pid,
    status: Option<ExitStatus>,
}

impl ChildProcess {
    /// Starts a child with these standard streams, in `/`, without an environment.
    ///
    /// If this process has only one thread and is small, and the executable is its own, the child is a copy of this
    /// process. A copy is ready sooner, as it needs no dynamic linker. With more threads that is not safe, since a copy
    /// has the locks of the other threads but not the threads. And the program of a large helper would look large.
    pub(crate) fn start(role: Role, executable: &Path, stdin: OwnedFd, stdout: Option<OwnedFd>) -> io::Result<Self> {
        if executable == Path::new(OWN_EXECUTABLE)
            && has_one_thread()
            && is_small()
            && let Some(pid) = copy(role, &stdin, stdout.as_ref())
        {
            return Ok(ChildProcess { pid, status: None });
        }
        let stdout = stdout.map_or_else(Stdio::null, Stdio::from);
        // The child's current folder is another one.
        let mut command = Command::new(std::path::absolute(executable)?);
        command.arg(role.argument).env_clear().current_dir("/").stdin(stdin).stdout(stdout);
        Ok(ChildProcess { pid: Pid::from_child(&command.spawn()?), status: None })
    }

    /// Its process id, which is valid until it was waited for.
    pub(crate) fn id(&self) -> Pid {
        self.pid
    }

    /// Waits for its end. Returns the same every time.
    pub(crate) fn wait(&mut self) -> io::Result<ExitStatus> {
        loop {
            if let Some(status) = self.poll_status(WaitOptions::empty())? {
                return Ok(status);
            }
        }
    }

    /// Whether it has ended.
    pub(crate) fn has_ended(&mut self) -> bool {
        !matches!(self.poll_status(WaitOptions::NOHANG), Ok(None))
    }

    fn poll_status(&mut self, how: WaitOptions) -> io::Result<Option<ExitStatus>> {
        if self.status.is_none() {
            let waited = rustix::io::retry_on_intr(|| rustix::process::waitpid(Some(self.pid), how))?;
            self.status = waited.map(|(_, status)| ExitStatus::from_raw(status.as_raw()));
        }
        Ok(self.status)
    }
}

/// Forks a copy of this process, which has only one thread.
fn copy(role: Role, stdin: &OwnedFd, stdout: Option<&OwnedFd>) -> Option<Pid> {
    // SAFETY: there is no other thread that could hold a lock.
    unsafe { fork(|| reset_inherited_state(stdin, stdout).map_or(1, |()| role.run())) }
}

/// Removes the state that an executed process would not have.
fn reset_inherited_state(stdin: &OwnedFd, stdout: Option<&OwnedFd>) -> io::Result<()> {
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
    // SAFETY: there is only one thread.
    unsafe { libc::clearenv() };
    Ok(())
}

/// Whether the calling thread is the only one. False if this cannot be read.
fn has_one_thread() -> bool {
    // A folder has two links, and this one has another for each thread.
    std::fs::metadata("/proc/self/task").is_ok_and(|tasks| tasks.nlink() == 3)
}

/// Whether this process has little private memory, which is what a copy gets.
fn is_small() -> bool {
    let sizes = text("/proc/self/statm").unwrap_or_default();
    let mut pages = sizes.split(' ').skip(1).map_while(|pages| pages.parse::<usize>().ok());
    let own = pages.next().zip(pages.next()).map(|(all, shared)| (all - shared) * rustix::param::page_size());
    own.is_some_and(|own| own <= MAX_COPIED_BYTES)
}

/// Resets the signals that a parent may have left in an unusual state. No signal stays blocked. `SIGCHLD` gets its
/// default action: while it is ignored, the kernel reaps children by itself, and waiting for one fails. A write beyond
/// `ulimit -f` becomes an error and does not end this process.
///
/// Signals belong to the process, so this changes all of it. Call it before any thread is started.
pub fn reset_inherited_signals() {
    block_only(&set(&[]));
    // A handler and not SIG_IGN: executed programs get the default action back.
    let handler = ignore as extern "C" fn(libc::c_int);
    // SAFETY: the default action needs no handler, and this handler does nothing.
    unsafe {
        libc::signal(libc::SIGCHLD, libc::SIG_DFL);
        libc::signal(libc::SIGXFSZ, handler as libc::sighandler_t);
    }
}

extern "C" fn ignore(_: libc::c_int) {}

/// Takes the socket to the judge, which is standard input at first. Everything else that the judge left open will be
/// closed by `execve`.
pub(crate) fn take_socket() -> io::Result<OwnedFd> {
    let socket = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?;
    let null = rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
    rustix::stdio::dup2_stdin(&null)?;
    // SAFETY: a system call without pointers. This process has no other descriptors of its own yet.
    unsafe { libc::syscall(libc::SYS_close_range, 3, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) };
    Ok(socket)
}

/// Closes all other descriptors, even if values of this process own them. Only for a process that is a copy of
/// another.
pub(crate) fn close_all_but(mut kept: Vec<i32>) {
    kept.sort_unstable();
    let mut from = 0;
    for fd in kept.into_iter().map(i32::cast_unsigned).chain([u32::MAX]) {
        if from < fd {
            // SAFETY: a system call without pointers. The caller vouches that the closed descriptors are not used
            // again.
            unsafe { libc::syscall(libc::SYS_close_range, from, fd - 1, 0) };
        }
        from = fd.saturating_add(1);
    }
}

/// A set of these signals. Allocates nothing, as a child calls this before `execve`.
pub(crate) fn set(signals: &[c_int]) -> sigset_t {
    let mut set = MaybeUninit::uninit();
    // SAFETY: `sigemptyset` initialises the whole set, and fails for no valid place.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        for &signal in signals {
            libc::sigaddset(set.as_mut_ptr(), signal);
        }
        set.assume_init()
    }
}

/// Gives every signal its default action, also the two that the C library reserves and refuses to change. A process that
/// it started by `posix_spawn` ignores them, and so would programs. The library needs these two to cancel threads, and to
/// change the user of all threads: the helper does neither.
pub(crate) fn default_every_signal() {
    // The kernel's `sigaction` is not longer than this, and all of it is zero for the default action.
    let default = [0_u64; 4];
    for signal in 1..=64_i32 {
        // SAFETY: the kernel only reads the action, which needs no handler. It refuses signals that cannot be changed.
        unsafe {
            libc::syscall(libc::SYS_rt_sigaction, signal, default.as_ptr(), std::ptr::null::<u64>(), size_of::<u64>())
        };
    }
}

/// Blocks exactly these signals in this thread.
pub(crate) fn block_only(set: &sigset_t) -> c_int {
    // SAFETY: the set is valid during the call, which returns no old set.
    unsafe { libc::sigprocmask(libc::SIG_SETMASK, set, std::ptr::null_mut()) }
}

/// Lets the kernel kill this process when `parent` ends. Fails if `parent` has ended already, as no signal would come
/// then. Returns the error number on failure. Allocates nothing, as a child calls this before `execve`. A later change of
/// user would undo it.
pub(crate) fn die_with_parent(parent: c_int) -> Result<(), c_int> {
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(Errno::raw_os_error)?;
    // The first call and then this one: whenever the parent ends, at least one of them detects it.
    if Pid::as_raw(getppid()) == parent { Ok(()) } else { Err(libc::ESRCH) }
}

/// The limit of a core dump's size. With 0, a crash makes no file, but still starts the program that `core_pattern` names,
/// outside the sandbox. With 1, the kernel does not start it.
pub(crate) const NO_CORE_DUMP: u64 = 1;

/// Crate libc lacks it for glibc.
pub(crate) const F_SETSIG: c_int = 10;

/// A dead man's switch: the kernel kills a process group when this process ends, for whatever reason. Only this process
/// has both ends of a pipe. The kernel closes them one after the other, and signals the owner of the end that is still
/// open. The group must not have the pipe. Its processes must have the same user as this one, unless this is the
/// machine's root.
pub(crate) struct DeadManSwitch([OwnedFd; 2]);

impl DeadManSwitch {
    /// It kills nothing yet.
    pub(crate) fn new() -> io::Result<DeadManSwitch> {
        let (reader, writer) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
        let switch = DeadManSwitch([reader, writer]);
        switch.control(F_SETSIG, libc::SIGKILL)?;
        switch.control(libc::F_SETFL, libc::O_ASYNC)?;
        Ok(switch)
    }

    /// From now on it kills this group. The kernel remembers the group itself, so another one with the same id is safe.
    pub(crate) fn arm(&self, group: c_int) -> io::Result<()> {
        self.control(libc::F_SETOWN, -group)
    }

    fn control(&self, command: c_int, value: c_int) -> io::Result<()> {
        for end in &self.0 {
            // SAFETY: a system call without pointers.
            if unsafe { libc::fcntl(end.as_raw_fd(), command, value) } < 0 {
                return Err(io::Error::last_os_error());
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags};
    use rustix::process::{Signal, kill_process, setpgid};

    use super::*;

    #[test]
    fn a_child_tells_what_the_closure_returns() {
        // SAFETY: neither closure takes a lock.
        assert!(unsafe { in_child(|| true) && !in_child(|| false) });
    }

    /// Unwinding would run the rest of this test again, in the child.
    #[test]
    fn a_panic_ends_the_child_by_an_abort() {
        let parent = std::process::id();
        // Without a message, which would take the lock of standard error. SAFETY: the closure takes no lock.
        let answer = unsafe { in_child(|| std::panic::resume_unwind(Box::new(()))) };
        assert_eq!(std::process::id(), parent);
        assert!(!answer);
    }

    /// Exits with 0 if it has exactly the given descriptors.
    const ALONE: Role = Role { name: c"judge-test", argument: "--none", main: look_around };

    fn look_around() -> io::Result<()> {
        let mut given = String::new();
        std::fs::File::from(rustix::io::dup(rustix::stdio::stdin())?).read_to_string(&mut given)?;
        let fds = std::fs::read_dir("/proc/self/fd")?.map(|entry| Ok(entry?.file_name()));
        // The fourth is the folder that is being read.
        let is_alone = fds.collect::<io::Result<Vec<_>>>()?.len() == 4 && std::env::vars_os().next().is_none();
        let has_all = given == "given" && std::env::current_dir()? == Path::new("/");
        if has_all && is_alone { Ok(()) } else { Err(io::ErrorKind::Other.into()) }
    }

    /// Always a copy, although this process is large because it contains the other tests.
    fn start(role: Role, given: &[u8]) -> io::Result<ChildProcess> {
        let (stdin, ours) = rustix::pipe::pipe()?;
        rustix::io::write(ours, given)?;
        let pid = copy(role, &stdin, None).ok_or(io::ErrorKind::Other)?;
        Ok(ChildProcess { pid, status: None })
    }

    #[test]
    fn a_copy_has_what_it_was_given_and_nothing_else() {
        // SAFETY: the closure allocates, makes system calls and waits for its own child.
        let is_so = unsafe {
            in_child(|| {
                let mut child = start(ALONE, b"given").unwrap();
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
            Role { name: c"judge-test", argument: "--none", main: || std::panic::resume_unwind(Box::new(())) };
        // SAFETY: as above.
        let aborts = unsafe {
            in_child(|| {
                let mut child = start(PANIC, b"").unwrap();
                std::os::unix::process::ExitStatusExt::signal(&child.wait().unwrap()) == Some(libc::SIGABRT)
            })
        };
        assert!(aborts);
    }

    #[test]
    fn only_what_is_kept_stays_open() {
        let files = [(); 3].map(|()| std::fs::File::open("/dev/null").unwrap());
        let [first, second, third] = files.each_ref().map(AsRawFd::as_raw_fd);
        let only_kept_are_open = || {
            super::close_all_but(vec![third, first]);
            // SAFETY: system calls without pointers.
            let is_open = |fd| unsafe { libc::fcntl(fd, libc::F_GETFD) } >= 0;
            is_open(first) && !is_open(second) && is_open(third) && !is_open(0)
        };
        // SAFETY: the closure allocates and makes system calls.
        assert!(unsafe { crate::process::in_child(only_kept_are_open) });
    }

    /// Starts a process group of two processes, which would end by themselves after ten seconds.
    fn start_group() -> Option<Pid> {
        let sleep = || {
            std::thread::sleep(Duration::from_secs(10));
            0
        };
        // SAFETY: the closures make system calls only.
        let leader = unsafe {
            fork(|| {
                let (led, _) = (setpgid(None, None), fork(sleep));
                i32::from(led.is_err()) + sleep()
            })
        };
        setpgid(leader, leader).ok().and(leader)
    }

    #[test]
    fn a_group_is_killed_when_its_guard_is() {
        let (mut reader, writer) = std::io::pipe().unwrap();
        let guard = || {
            // Other tests' files and locks, which would stay open in this copy.
            super::close_all_but(vec![writer.as_raw_fd()]);
            // The group first, so that it does not have the switch.
            let (Some(group), Ok(switch)) = (start_group(), DeadManSwitch::new()) else { return 1 };
            let armed = switch.arm(group.as_raw_pid());
            // All of them have the pipe.
            let ready = rustix::io::write(&writer, &[u8::from(armed.is_ok())]);
            std::thread::sleep(Duration::from_secs(10));
            i32::from(ready.is_err())
        };
        // SAFETY: the closure allocates, makes system calls and forks.
        let guard = unsafe { fork(guard) }.unwrap();
        drop(writer);
        let mut armed = [0];
        reader.read_exact(&mut armed).unwrap();
        kill_process(guard, Signal::KILL).unwrap();
        rustix::process::waitpid(Some(guard), WaitOptions::empty()).unwrap();
        let limit = crate::clock::timespec(5_000_000_000);
        let closed = rustix::event::poll(&mut [PollFd::new(&reader, PollFlags::IN)], Some(&limit));
        assert_eq!((armed, closed), ([1], Ok(1)), "the group lives on");
    }

    #[test]
    fn a_set_holds_its_signals_alone() {
        let some = set(&[libc::SIGCHLD, libc::SIGPIPE]);
        for signal in 1..=31 {
            // SAFETY: the set is valid.
            let is_in = unsafe { libc::sigismember(&raw const some, signal) } == 1;
            assert_eq!(is_in, [libc::SIGCHLD, libc::SIGPIPE].contains(&signal), "{signal}");
        }
    }
}
