//! Starts one program: a `vfork`-like clone whose child walls itself in and becomes the program.

use std::ffi::{CString, OsString, c_char, c_int, c_void};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::time::Duration;

use crate::api::clock;
use crate::api::execution::Fault;
use crate::api::fault::is_shortage;
use crate::confine::capabilities::PASSAGE;
use crate::confine::fork_gate::Pass;
use crate::confine::seccomp;
use crate::proc::signals;
use crate::protocol::charge::Charge;
use crate::protocol::messages::Task;

/// One resource limit: which, and its value, soft and hard alike.
pub(crate) type ResourceLimit = (libc::__rlimit_resource_t, u64);

/// Everything a child needs, laid out before the clone: the child shares our memory and must not allocate.
pub(crate) struct Launch<'a> {
    program: CString,
    argv: Vec<CString>,
    environment: Vec<CString>,
    /// Standard input, output and error.
    pub(crate) stdio: [BorrowedFd<'a>; 3],
    /// The working folder.
    pub(crate) folder: BorrowedFd<'a>,
    pub(crate) limits: Vec<ResourceLimit>,
    /// The uid and gid to change to.
    pub(crate) identity: Option<u32>,
    /// Whether this process has capabilities that the child must shed.
    pub(crate) shed_capabilities: bool,
    /// Whether the program keeps [`PASSAGE`](crate::confine::capabilities::PASSAGE) when it becomes another user.
    pub(crate) keep_passage: bool,
    /// A landlock ruleset.
    pub(crate) landlock: Option<BorrowedFd<'a>>,
    /// A seccomp filter; empty for none.
    pub(crate) filter: Vec<libc::sock_filter>,
    /// Where to note whom to kill.
    pub(crate) charge: Option<&'a Charge>,
    /// What lets this process start another, if it needs to ask.
    pub(crate) pass: Option<Pass>,
}

/// What became of a launch.
pub(crate) enum Launched {
    /// The program runs.
    Running(Child),
    /// `execve` failed with this error number.
    Refused(i32),
}

/// A started program.
pub(crate) struct Child {
    pub(crate) pid: i32,
    pub(crate) pidfd: OwnedFd,
    /// When it started, in nanoseconds of the monotonic clock.
    pub(crate) started: u64,
}

/// How far the child came; the order of its steps.
#[derive(Clone, Copy)]
enum Step {
    Signals,
    Session,
    Stdio,
    Folder,
    Limits,
    Identity,
    Capabilities,
    Privileges,
    Landlock,
    Seccomp,
    Exec,
}

impl Step {
    fn action(self) -> &'static str {
        match self {
            Step::Signals => "clearing the signal mask",
            Step::Session => "giving the program a session of its own",
            Step::Stdio => "connecting the program's standard streams",
            Step::Folder => "entering the working folder",
            Step::Limits => "setting the program's resource limits",
            Step::Identity => "changing to the program's own user",
            Step::Capabilities => "dropping capabilities",
            Step::Privileges => "forbidding new privileges",
            Step::Landlock => "restricting the program with landlock",
            Step::Seccomp => "restricting the program with seccomp",
            Step::Exec => "executing the program",
        }
    }
}

/// What parent and child share during the clone.
struct Shared<'a, 'b> {
    launch: &'a mut Launch<'b>,
    argv: Vec<*const c_char>,
    environment: Vec<*const c_char>,
    step: Step,
    errno: i32,
    started: u64,
}

const STACK_BYTES: usize = 128 * 1024;

impl<'a> Launch<'a> {
    /// A launch with neither limits nor walls yet. `Err` holds the error number of `execve` for strings with a NUL byte.
    pub(crate) fn new(task: &Task, stdio: [BorrowedFd<'a>; 3], folder: BorrowedFd<'a>) -> Result<Launch<'a>, i32> {
        let text = |bytes: &[u8]| CString::new(bytes).map_err(|_| libc::EINVAL);
        let pair = |(name, value): &(OsString, OsString)| {
            let mut bytes = name.clone();
            bytes.push("=");
            bytes.push(value);
            text(&bytes.into_vec())
        };
        Ok(Launch {
            program: text(task.program.as_os_str().as_bytes())?,
            argv: task.argv.iter().map(|argument| text(argument.as_bytes())).collect::<Result<_, _>>()?,
            environment: task.environment.iter().map(pair).collect::<Result<_, _>>()?,
            stdio,
            folder,
            limits: Vec::new(),
            identity: None,
            shed_capabilities: false,
            keep_passage: false,
            landlock: None,
            filter: Vec::new(),
            charge: None,
            pass: None,
        })
    }

    /// Adds variables to the environment that hold the working folder's path, which has no NUL byte.
    pub(crate) fn name_folder(&mut self, variables: &[OsString], path: &Path) {
        let value = path.as_os_str().as_bytes();
        let lines = variables.iter().map(|name| [name.as_bytes(), b"=", value].concat());
        self.environment.extend(lines.filter_map(|line| CString::new(line).ok()));
    }

    /// Starts the program; returns when it runs or when it is certain that it will not.
    pub(crate) fn start(&mut self) -> Result<Launched, Fault> {
        // A file that was written a moment ago may still be open for writing in a process just forked elsewhere.
        for _ in 0..10 {
            match self.attempt()? {
                Launched::Refused(libc::ETXTBSY) => std::thread::sleep(Duration::from_millis(2)),
                launched => return Ok(launched),
            }
        }
        self.attempt()
    }

    fn attempt(&mut self) -> Result<Launched, Fault> {
        let pointers = |texts: &[CString]| -> Vec<*const c_char> {
            texts.iter().map(|text| text.as_ptr()).chain([std::ptr::null()]).collect()
        };
        let pass: *mut c_void = self.pass.map_or(std::ptr::null_mut(), Pass::as_pointer);
        let mut shared = Shared {
            argv: pointers(&self.argv),
            environment: pointers(&self.environment),
            launch: self,
            step: Step::Signals,
            errno: 0,
            started: 0,
        };
        let mut stack = vec![std::mem::MaybeUninit::<u128>::uninit(); STACK_BYTES / 16];
        let mut pidfd: RawFd = -1;
        let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_PIDFD | libc::SIGCHLD;
        // SAFETY: the stack is large enough for `become_program`, which touches nothing but `shared` and `self` and
        // calls only raw system calls; CLONE_VFORK keeps this thread, the only one, waiting until the child has
        // executed or ended, so that the stack and `shared` outlive its use of them. With these flags the kernel does not
        // look at the last two arguments.
        let pid = unsafe {
            libc::clone(
                become_program,
                stack.as_mut_ptr().add(stack.len()).cast::<c_void>(),
                flags,
                (&raw mut shared).cast::<c_void>(),
                &raw mut pidfd,
                pass,
                pass,
            )
        };
        if pid < 0 {
            return Err(Fault::System { action: "starting a process".into(), source: io::Error::last_os_error() });
        }
        // SAFETY: the kernel made this descriptor for us, and nothing else owns it.
        let pidfd = unsafe { OwnedFd::from_raw_fd(pidfd) };
        if shared.errno == 0 {
            return Ok(Launched::Running(Child { pid, pidfd, started: shared.started }));
        }
        // SAFETY: no pointers are passed but null; the child has ended and is ours to reap.
        unsafe { libc::waitpid(pid, std::ptr::null_mut(), libc::__WALL) };
        match (shared.step, shared.errno) {
            (Step::Exec, errno) if !is_shortage(errno) => Ok(Launched::Refused(errno)),
            (step, errno) => {
                Err(Fault::System { action: step.action().into(), source: io::Error::from_raw_os_error(errno) })
            }
        }
    }
}

/// The child's whole life before `execve`.
extern "C" fn become_program(shared: *mut c_void) -> c_int {
    // SAFETY: `attempt` passes a valid `Shared` and waits; nobody else uses it meanwhile.
    let shared = unsafe { &mut *shared.cast::<Shared<'_, '_>>() };
    // SAFETY: the child is alone on its stack, between clone and exec.
    if let Err(errno) = unsafe { walk(shared) } {
        shared.errno = if errno == 0 { libc::EIO } else { errno };
    }
    // SAFETY: `_exit` runs no destructors of the memory that we share.
    unsafe { libc::_exit(127) }
}

/// A system call's answer as a result with the error number.
fn answer(value: c_int) -> Result<(), i32> {
    // SAFETY: errno's place is always valid.
    if value < 0 { Err(unsafe { *libc::__errno_location() }) } else { Ok(()) }
}

/// # Safety
/// Only in the child, between clone and exec.
unsafe fn walk(shared: &mut Shared<'_, '_>) -> Result<(), i32> {
    let launch = &mut *shared.launch;
    // SAFETY: plain system calls on descriptors and memory that the waiting parent keeps alive.
    unsafe {
        answer(signals::block_only(&signals::set(&[])))?;
        shared.step = Step::Session;
        let group = libc::setsid();
        answer(group)?;
        if let Some(charge) = launch.charge {
            charge.set(group);
        }
        shared.step = Step::Stdio;
        for (number, fd) in (0..).zip(&launch.stdio) {
            answer(libc::dup2(fd.as_raw_fd(), number))?;
        }
        shared.step = Step::Folder;
        answer(libc::fchdir(launch.folder.as_raw_fd()))?;
        shared.step = Step::Limits;
        for &(resource, value) in &launch.limits {
            let limit = libc::rlimit { rlim_cur: value, rlim_max: value };
            answer(libc::setrlimit(resource, &raw const limit))?;
        }
        shared.step = Step::Identity;
        // With the former, `access` counts what is kept as well: linkers ask it. It takes a capability of its own.
        if launch.keep_passage && libc::prctl(libc::PR_SET_SECUREBITS, KEEPING_BITS, 0, 0, 0) < 0 {
            answer(libc::prctl(libc::PR_SET_KEEPCAPS, 1, 0, 0, 0))?;
        }
        if let Some(id) = launch.identity {
            // The bare system calls: glibc's wrappers would take locks to tell other threads.
            answer(libc::syscall(libc::SYS_setgroups, 0, std::ptr::null::<libc::gid_t>()) as c_int)?;
            answer(libc::syscall(libc::SYS_setresgid, id, id, id) as c_int)?;
            answer(libc::syscall(libc::SYS_setresuid, id, id, id) as c_int)?;
        }
        shared.step = Step::Capabilities;
        if launch.keep_passage {
            set_capabilities(PASSAGE.bits())?;
            let passage = libc::c_ulong::from(PASSAGE.bits().trailing_zeros());
            answer(libc::prctl(libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_RAISE, passage, 0, 0))?;
        } else if launch.shed_capabilities {
            shed_capabilities()?;
        }
        answer(libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL))?;
        shared.step = Step::Privileges;
        answer(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))?;
        shared.step = Step::Landlock;
        if let Some(ruleset) = launch.landlock {
            answer(libc::syscall(libc::SYS_landlock_restrict_self, ruleset.as_raw_fd(), 0) as c_int)?;
        }
        shared.step = Step::Seccomp;
        shared.started = clock::now();
        if !launch.filter.is_empty() {
            seccomp::name_own_process(&mut launch.filter, libc::getpid().cast_unsigned());
            let program =
                libc::sock_fprog { len: launch.filter.len() as u16, filter: launch.filter.as_ptr().cast_mut() };
            answer(libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program, 0, 0))?;
        }
        shared.step = Step::Exec;
        answer(libc::execve(launch.program.as_ptr(), shared.argv.as_ptr(), shared.environment.as_ptr()))
    }
}

/// NOROOT and NO_SETUID_FIXUP, each with its lock: a change of uid leaves capabilities as they are.
const KEEPING_BITS: libc::c_ulong = 0b0000_1111;

/// Gives up every capability, for uid 0 as well, and the way back to them.
///
/// # Safety
/// As for [`walk`].
unsafe fn shed_capabilities() -> Result<(), i32> {
    // NOROOT, NO_SETUID_FIXUP and NO_CAP_AMBIENT_RAISE, each with its lock, and the lock of KEEP_CAPS.
    const SECURE_BITS: libc::c_ulong = 0b1110_1111;
    // SAFETY: a plain system call without pointers.
    unsafe {
        // Refused without CAP_SETPCAP; then uid 0 has no more than the bounding set, which is empty by now.
        libc::prctl(libc::PR_SET_SECUREBITS, SECURE_BITS, 0, 0, 0);
        set_capabilities(0)
    }
}

/// Makes these the effective, permitted and inheritable capabilities.
///
/// # Safety
/// As for [`walk`].
unsafe fn set_capabilities(capabilities: u64) -> Result<(), i32> {
    #[repr(C)]
    struct Header {
        version: u32,
        pid: c_int,
    }
    const VERSION_3: u32 = 0x2008_0522;
    let header = Header { version: VERSION_3, pid: 0 };
    let halves = [capabilities as u32, (capabilities >> 32) as u32];
    let sets = [[halves[0]; 3], [halves[1]; 3]];
    // SAFETY: a plain system call on local memory of the layout that version 3 asks for.
    unsafe { answer(libc::syscall(libc::SYS_capset, &raw const header, sets.as_ptr()) as c_int) }
}
