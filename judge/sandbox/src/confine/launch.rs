//! Starts one program: a `vfork`-like clone whose child confines itself and becomes the program.

use std::ffi::{CString, OsStr, c_char, c_int, c_void};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use libc::c_long;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::thread::{CapabilitySet, CapabilitySets};

use crate::confine::identity::READ_SEARCH;
use crate::confine::{ConfinementContext, ResourceLimit, bpf, seccomp};
use crate::protocol::FilterBypass;
use crate::protocol::messages::{OutputTarget, RunSpec};
use crate::request::{Context, Fault, is_shortage};
use crate::{clock, cores, process};

/// Everything a child needs, prepared before the clone. The child shares this memory and must not allocate. It confines
/// itself, and drops all capabilities except [`READ_SEARCH`] if that is kept.
pub(crate) struct Launch<'a> {
    context: &'a ConfinementContext,
    program: CString,
    argv: Vec<CString>,
    environment: Vec<CString>,
    /// Standard input, output and error.
    stdio: [BorrowedFd<'a>; 3],
    working_folder: BorrowedFd<'a>,
    /// The folder that it starts in, if that is another one.
    start: Option<OwnedFd>,
    limits: Vec<ResourceLimit>,
    /// Whether it exchanges lines with a program on the same core.
    converses: bool,
    filter: Vec<libc::sock_filter>,
}

/// What becomes of a program; or the error number with which `execve` refused it.
pub(crate) type OrRefused<T> = Result<T, i32>;

/// A started program. Its id is valid until it is waited for.
pub(crate) struct Child {
    pub(crate) pid: i32,
    /// When it started, in nanoseconds of the monotonic clock.
    pub(crate) started: u64,
}

/// Several times what the child needs, and small enough to be allocated quickly.
const STACK_BYTES: usize = 32 * 1024;

impl<'a> Launch<'a> {
    /// Prepares to launch `spec` in a working folder, whose path is as programs know it. Strings with a NUL byte are
    /// refused.
    pub(crate) fn new(
        context: &'a ConfinementContext,
        spec: &RunSpec,
        stdio: [BorrowedFd<'a>; 3],
        (working_folder, path): (BorrowedFd<'a>, &Path),
    ) -> Result<OrRefused<Launch<'a>>, Fault> {
        let limits = context.limits_of(&spec.limits)?;
        let start = spec.folder.as_deref().map(open_start).transpose()?;
        let text = |bytes: &[u8]| CString::new(bytes).map_err(|_| libc::EINVAL);
        let pair = |name: &OsStr, value: &OsStr| text(&[name.as_bytes(), b"=", value.as_bytes()].concat());
        let variables = spec.environment.iter().map(|(name, value)| pair(name, value));
        let of_folder = spec.exchange.iter().flat_map(|exchange| &exchange.variables);
        let prepare = || {
            Ok(Launch {
                context,
                program: text(spec.program.as_os_str().as_bytes())?,
                argv: spec.argv.iter().map(|argument| text(argument.as_bytes())).collect::<Result<_, _>>()?,
                environment: variables
                    .chain(of_folder.map(|name| pair(name, path.as_ref())))
                    .collect::<Result<_, _>>()?,
                stdio,
                working_folder,
                start,
                limits,
                converses: matches!(spec.stdout, OutputTarget::Relay | OutputTarget::Lent),
                filter: context.filter_of(spec.limits.processes),
            })
        };
        Ok(prepare())
    }

    /// Starts the program. Returns when it runs, or when it certainly will not.
    pub(crate) fn start(&self) -> Result<OrRefused<Child>, Fault> {
        // Another thread may have forked a process that still has a newly written file open for writing. On a machine
        // under load, that process may wait long for a core.
        let end = Instant::now() + Duration::from_millis(500);
        loop {
            match self.attempt()? {
                Err(libc::ETXTBSY) if Instant::now() < end => thread::sleep(Duration::from_millis(2)),
                launched => return Ok(launched),
            }
        }
    }

    fn attempt(&self) -> Result<OrRefused<Child>, Fault> {
        let bypass = self.context.isolation.bypass;
        let bypass: *mut c_void = bypass.map_or(std::ptr::null_mut(), FilterBypass::as_pointer);
        let mut shared = ChildSetup::of(self, std::process::id().cast_signed());
        let mut stack = vec![std::mem::MaybeUninit::<u128>::uninit(); STACK_BYTES / 16];
        let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
        let unused = std::ptr::null_mut::<c_void>();
        // SAFETY: the stack is valid, aligned to 16 bytes, and large enough for `become_program`. CLONE_VFORK suspends
        // this thread until the child has executed a program or exited, so the stack and `shared` outlive their use,
        // and no other thread uses them meanwhile. The child only makes system calls, and writes only to `shared` with
        // what that refers to, to its stack, and to the `errno` of this suspended thread. It neither allocates nor
        // takes locks, so other threads need not stop. No handler runs on the shared memory, as a helper and an init
        // have none. With these flags the kernel ignores the last three arguments.
        let pid = unsafe {
            libc::clone(
                become_program,
                stack.as_mut_ptr().add(stack.len()).cast::<c_void>(),
                flags,
                (&raw mut shared).cast::<c_void>(),
                unused,
                bypass,
                bypass,
            )
        };
        if pid < 0 {
            return Err(Fault::System { action: "starting a process".into(), source: io::Error::last_os_error() });
        }
        if shared.errno == 0 {
            return Ok(Ok(Child { pid, started: shared.started }));
        }
        // SAFETY: the only pointer is null. The child has exited, and no other thread waits for children meanwhile.
        unsafe { libc::waitpid(pid, std::ptr::null_mut(), libc::__WALL) };
        match (shared.step, shared.errno) {
            (EXECUTING, errno) if !is_shortage(errno) => Ok(Err(errno)),
            (step, errno) => Err(Fault::System { action: step.into(), source: io::Error::from_raw_os_error(errno) }),
        }
    }
}

fn open_start(path: &Path) -> Result<OwnedFd, Fault> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::open(path, flags, Mode::empty()).context(format!("entering {}", path.display()))
}

/// The last step of the child. If only this one fails, the program cannot be executed.
const EXECUTING: &str = "executing the program";

/// What parent and child share during the clone.
struct ChildSetup<'l, 'a> {
    launch: &'l Launch<'a>,
    /// The filter, which gets the child's process id.
    filter: Vec<libc::sock_filter>,
    /// Pointers to strings that live as long as this, followed by a null pointer.
    argv: Vec<*const c_char>,
    environment: Vec<*const c_char>,
    /// The process that clones the child.
    parent: i32,
    /// The current step, and the error number that stopped it; 0 for none.
    step: &'static str,
    errno: i32,
    /// When the program started, in nanoseconds of the monotonic clock.
    started: u64,
}

impl<'l, 'a> ChildSetup<'l, 'a> {
    fn of(launch: &'l Launch<'a>, parent: i32) -> ChildSetup<'l, 'a> {
        let pointers = |texts: &[CString]| texts.iter().map(|text| text.as_ptr()).chain([std::ptr::null()]).collect();
        let (argv, environment) = (pointers(&launch.argv), pointers(&launch.environment));
        let filter = launch.filter.clone();
        // A child that is killed before it notes its start has begun now.
        ChildSetup { launch, filter, argv, environment, parent, step: "", errno: 0, started: clock::now() }
    }
}

/// What the child does, from clone to exec.
extern "C" fn become_program(shared: *mut c_void) -> c_int {
    // SAFETY: the parent passes a valid `ChildSetup`, and is suspended while the child uses it.
    let shared = unsafe { &mut *shared.cast::<ChildSetup<'_, '_>>() };
    // SAFETY: this is the child, between clone and exec.
    if let Err(errno) = unsafe { prepare_and_exec(shared) } {
        shared.errno = if errno == 0 { libc::EIO } else { errno };
    }
    // SAFETY: `_exit` does not run destructors, which would be the parent's.
    unsafe { libc::_exit(127) }
}

/// Turns the result of a system call into a `Result` with the error number.
fn answer(value: impl Into<c_long>) -> Result<(), i32> {
    // SAFETY: errno's place is always valid.
    if value.into() < 0 { Err(unsafe { *libc::__errno_location() }) } else { Ok(()) }
}

/// Confines this process and executes the program. Allocates nothing.
///
/// # Safety
/// Only in the child, between clone and exec.
unsafe fn prepare_and_exec(shared: &mut ChildSetup<'_, '_>) -> Result<(), i32> {
    let context = shared.launch.context;
    shared.step = "clearing the signal mask";
    answer(process::block_only(&process::set(&[])))?;
    // SAFETY: system calls on descriptors and memory that the suspended parent keeps alive.
    unsafe {
        // A session also has a scheduling group of its own. However many processes the program has, its watcher gets as
        // much of a core as all of them together (sched(7), autogroup).
        shared.step = "giving the program a session of its own";
        // Where the program is killed by its process group, the filter does not let it lead a session.
        let own_bypass = FilterBypass::argument(context.own_bypass);
        let group = libc::syscall(libc::SYS_setsid, 0, 0, 0, 0, 0, own_bypass);
        answer(group)?;
        if let Some(kill_target) = &context.kill_target {
            kill_target.set(i32::try_from(group).map_err(|_| libc::EOVERFLOW)?);
        }
        shared.step = "connecting the program's standard streams";
        for (number, fd) in (0..).zip(&shared.launch.stdio) {
            answer(libc::dup2(fd.as_raw_fd(), number))?;
        }
        shared.step = "entering the working folder";
        let folder = shared.launch.start.as_ref().map_or(shared.launch.working_folder, AsFd::as_fd);
        answer(libc::fchdir(folder.as_raw_fd()))?;
        shared.step = "setting the program's resource limits";
        for &(resource, value) in &shared.launch.limits {
            let limit = libc::rlimit { rlim_cur: value, rlim_max: value };
            answer(libc::setrlimit(resource, &raw const limit))?;
        }
        if shared.launch.converses {
            cores::set_batch(true, own_bypass);
        }
        drop_privileges(shared)?;
        shared.step = "forbidding new privileges";
        answer(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))?;
        shared.step = "restricting the program with landlock";
        if let Some(ruleset) = &context.ruleset {
            let fd = ruleset.as_raw_fd();
            answer(libc::syscall(libc::SYS_landlock_restrict_self, fd, 0, 0, 0, 0, own_bypass))?;
        }
        shared.step = "restricting the program with seccomp";
        shared.started = clock::now();
        if !shared.filter.is_empty() {
            seccomp::insert_own_pid(&mut shared.filter, libc::getpid().cast_unsigned());
            let program = bpf::program(&shared.filter);
            answer(libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program, 0, 0))?;
        }
        shared.step = EXECUTING;
        answer(libc::execve(shared.launch.program.as_ptr(), shared.argv.as_ptr(), shared.environment.as_ptr()))
    }
}

/// Becomes the program's user and drops capabilities. Then ties the child's life to its parent's, which a change of
/// user would undo.
///
/// # Safety
/// As for [`prepare_and_exec`].
unsafe fn drop_privileges(shared: &mut ChildSetup<'_, '_>) -> Result<(), i32> {
    shared.step = "changing to the program's own user";
    let context = shared.launch.context;
    let keep_read_search = context.keep_read_search;
    // SAFETY: system calls whose only pointer is null.
    unsafe {
        // With the first, `access` respects the capability that is kept, which linkers rely on. Setting it needs a
        // capability.
        if keep_read_search && libc::prctl(libc::PR_SET_SECUREBITS, KEEPING_BITS, 0, 0, 0) < 0 {
            answer(libc::prctl(libc::PR_SET_KEEPCAPS, 1, 0, 0, 0))?;
        }
        if let Some(id) = context.isolation.identity {
            // The system calls themselves: glibc's wrappers would take locks to change all threads.
            if context.has_groups {
                answer(libc::syscall(libc::SYS_setgroups, 0, std::ptr::null::<libc::gid_t>()))?;
            }
            answer(libc::syscall(libc::SYS_setresgid, id, id, id))?;
            answer(libc::syscall(libc::SYS_setresuid, id, id, id))?;
        }
        shared.step = "dropping capabilities";
        if keep_read_search {
            set_capabilities(READ_SEARCH)?;
            let capability = libc::c_ulong::from(READ_SEARCH.bits().trailing_zeros());
            answer(libc::prctl(libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_RAISE, capability, 0, 0))?;
        } else {
            // For uid 0 as well, for good. Refused without CAP_SETPCAP. Then uid 0 is limited by the bounding set, which
            // is empty.
            libc::prctl(libc::PR_SET_SECUREBITS, DROPPING_BITS, 0, 0, 0);
            set_capabilities(CapabilitySet::empty())?;
        }
        shared.step = "tying the program's life to its parent's";
        process::die_with_parent(shared.parent)
    }
}

/// NOROOT and NO_SETUID_FIXUP, each locked: a change of uid does not change capabilities.
const KEEPING_BITS: libc::c_ulong = 0b0000_1111;
/// NOROOT, NO_SETUID_FIXUP and NO_CAP_AMBIENT_RAISE, each locked, and the lock of KEEP_CAPS.
const DROPPING_BITS: libc::c_ulong = 0b1110_1111;

/// Makes these the effective, permitted and inheritable capabilities.
fn set_capabilities(set: CapabilitySet) -> Result<(), i32> {
    let sets = CapabilitySets { effective: set, permitted: set, inheritable: set };
    rustix::thread::set_capabilities(None, sets).map_err(Errno::raw_os_error)
}

/// For the thread's own use. Each launch allocates the stack of its child.
const THREAD_STACK_BYTES: usize = 256 * 1024;

type Work = Box<dyn FnOnce() + Send>;

/// A thread that starts programs. Only this thread has the filter that programs inherit, so that the kernel translates
/// it once, and the rest of the process runs without it. The thread ends when this is dropped. Programs are children of
/// the process: any thread can wait for them.
pub(crate) struct Launcher {
    work: Sender<Work>,
    /// Receives a message for each piece of work that is done. A receiver keeps this value to one thread.
    done: Receiver<()>,
}

impl Launcher {
    /// Starts the thread. It inherits the caller's blocked signals.
    pub(crate) fn start() -> Result<Launcher, Fault> {
        let ((work, works), (finished, done)) = (channel::<Work>(), channel());
        let serve = move || {
            for work in works {
                work();
                let _ = finished.send(());
            }
        };
        let thread = thread::Builder::new().name("launcher".to_owned()).stack_size(THREAD_STACK_BYTES);
        thread.spawn(serve).context("starting a thread")?;
        Ok(Launcher { work, done })
    }

    /// Runs `work` on the thread and returns its result. Meanwhile this thread sleeps, as the program needs the core.
    pub(crate) fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        let mut result = None;
        let place = &mut result;
        let work: Box<dyn FnOnce() + Send + '_> = Box::new(move || *place = Some(catch_unwind(AssertUnwindSafe(work))));
        // SAFETY: only the lifetime changes. What the closure borrows lives until this function returns or unwinds. That
        // is after the thread has run and dropped the closure, as `done` receives its message only then. The thread
        // cannot end before, since the closure does not panic and `self` is borrowed, and nothing in between panics on
        // this thread.
        let work = unsafe { std::mem::transmute::<Box<dyn FnOnce() + Send + '_>, Work>(work) };
        let _ = self.work.send(work);
        let _ = self.done.recv();
        match result {
            Some(Ok(result)) => result,
            Some(Err(panic)) => resume_unwind(panic),
            None => unreachable!("work that is done has a result"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;
    use std::io::Read;

    use rustix::process::{Pid, WaitOptions};

    use super::*;
    use crate::confine::Isolation;
    use crate::confine::seccomp::{FilterCache, Rules};

    /// The launch of a shell that runs a command with this filter, or with none.
    fn shell<T>(
        command: &CStr,
        output: BorrowedFd<'_>,
        filter: Vec<libc::sock_filter>,
        act: impl FnOnce(&Launch<'_>) -> T,
    ) -> T {
        let isolation = Isolation {
            restricted: false,
            shares_host: true,
            has_cgroup: false,
            counts_cpu: false,
            other_tasks: None,
            identity: None,
            bypass: None,
            asks_for_clocks: false,
        };
        let context = ConfinementContext { has_groups: false, ..ConfinementContext::new(isolation, None) };
        let folder = std::fs::File::open("/").unwrap();
        act(&Launch {
            context: &context,
            program: c"/bin/sh".into(),
            argv: [c"/bin/sh", c"-c", command].map(CString::from).into(),
            environment: Vec::new(),
            stdio: [output; 3],
            working_folder: folder.as_fd(),
            start: None,
            limits: Vec::new(),
            converses: false,
            filter,
        })
    }

    /// Becomes a shell that writes a word, as if `parent` had cloned this process.
    fn run_for(parent: i32, output: BorrowedFd<'_>) {
        shell(c"echo ran", output, Vec::new(), |launch| {
            let mut shared = ChildSetup::of(launch, parent);
            become_program((&raw mut shared).cast());
        });
    }

    /// Returns the output of a program whose parent may have ended while the program was being started.
    fn output_of_program(parent_ends_early: bool) -> String {
        let (mut reader, writer) = std::io::pipe().unwrap();
        let start = || {
            let parent = std::process::id();
            let child = || {
                while parent_ends_early && std::os::unix::process::parent_id() == parent {
                    thread::sleep(Duration::from_millis(1));
                }
                run_for(parent.cast_signed(), writer.as_fd());
                0
            };
            // SAFETY: the closure allocates and makes system calls.
            let child = unsafe { process::fork(child) };
            child.is_some() && (parent_ends_early || rustix::process::waitpid(child, WaitOptions::empty()).is_ok())
        };
        // SAFETY: the closure makes system calls and forks.
        assert!(unsafe { process::in_child(start) });
        drop(writer);
        let mut output = String::new();
        reader.read_to_string(&mut output).unwrap();
        output
    }

    #[test]
    fn no_program_begins_after_its_parents_end() {
        assert_eq!(output_of_program(false), "ran\n");
        assert_eq!(output_of_program(true), "");
    }

    /// As when the program's file is still open for writing at first.
    #[test]
    fn a_program_that_is_started_again_may_still_signal_itself() {
        let rules = Rules {
            shares_host: false,
            uncharged_memory: false,
            ungated: false,
            open_clocks: false,
            forbids_written_code: false,
            signals_unscoped: true,
            truncation_escapes: false,
            single_process: false,
        };
        let null = std::fs::File::options().read(true).write(true).open("/dev/null").unwrap();
        let signals_itself = |launch: &Launch<'_>| {
            let Ok(Ok(child)) = launch.start() else { return false };
            let waited = rustix::process::waitpid(Pid::from_raw(child.pid), WaitOptions::empty());
            matches!(waited, Ok(Some((_, status))) if status.exit_status() == Some(0))
        };
        let is_so = || {
            let filter = FilterCache::default().of(rules);
            shell(c"kill -0 $$", null.as_fd(), filter, |launch| (0..2).all(|_| signals_itself(launch)))
        };
        // SAFETY: the closure allocates, makes system calls and starts programs.
        assert!(unsafe { process::in_child(is_so) });
    }

    #[test]
    fn work_is_done_there_and_its_panic_comes_back() {
        let launcher = Launcher::start().unwrap();
        let words = ["one".to_owned(), "two".to_owned()];
        let here = thread::current().id();
        for round in 0..1000 {
            let (place, joined) = launcher.run(|| (thread::current().id(), words.join(" ") + &round.to_string()));
            assert_ne!(place, here);
            assert_eq!(joined, format!("one two{round}"));
        }
        let panic = catch_unwind(AssertUnwindSafe(|| launcher.run(|| resume_unwind(Box::new(7))))).unwrap_err();
        assert_eq!(panic.downcast_ref(), Some(&7));
        assert_eq!(launcher.run(|| words.len()), 2, "it goes on");
    }
}
