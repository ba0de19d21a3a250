//! The walk of a child from clone to exec, in a fixed order; it shares its parent's memory and allocates nothing.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::os::fd::{AsRawFd, BorrowedFd};

use crate::api::clock;
use crate::confine::capabilities::PASSAGE;
use crate::confine::seccomp;
use crate::confine::walls::Walls;
use crate::proc::{cores, signals};
use crate::protocol::pass::Pass;

/// How far the child came; the order of its steps.
#[derive(Clone, Copy)]
pub(crate) enum Step {
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
    /// What was being done.
    pub(crate) fn action(self) -> &'static str {
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
pub(crate) struct Shared<'a, 'w> {
    pub(crate) program: &'a CStr,
    /// Pointers to strings that live as long as this, and a null pointer; the environment likewise.
    pub(crate) argv: Vec<*const c_char>,
    pub(crate) environment: Vec<*const c_char>,
    pub(crate) stdio: [BorrowedFd<'a>; 3],
    pub(crate) folder: BorrowedFd<'a>,
    pub(crate) walls: &'a mut Walls<'w>,
    /// How far the child came, and the error number that stopped it; 0 for none.
    pub(crate) step: Step,
    pub(crate) errno: i32,
    /// When it started, in nanoseconds of the monotonic clock.
    pub(crate) started: u64,
}

/// The child's whole life before `execve`.
pub(crate) extern "C" fn become_program(shared: *mut c_void) -> c_int {
    // SAFETY: the parent passes a valid `Shared` and waits; nothing else uses it meanwhile.
    let shared = unsafe { &mut *shared.cast::<Shared<'_, '_>>() };
    // SAFETY: the child is alone on its stack, between clone and exec.
    if let Err(errno) = unsafe { walk(shared) } {
        shared.errno = if errno == 0 { libc::EIO } else { errno };
    }
    // SAFETY: `_exit` runs no destructors of the memory that it shares with its parent.
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
    shared.step = Step::Signals;
    answer(signals::block_only(&signals::set(&[])))?;
    // SAFETY: plain system calls on descriptors and memory that the waiting parent keeps alive.
    unsafe {
        // Its own for the scheduler, too: however many processes it has, those that watch it get as much of a core as all
        // of them together (sched(7), autogroup).
        shared.step = Step::Session;
        // Where its process group is what a program is killed by, the filter keeps it from leading a session of its own.
        let own_pass = Pass::argument(shared.walls.own_pass);
        let group = libc::syscall(libc::SYS_setsid, 0, 0, 0, 0, 0, own_pass) as c_int;
        answer(group)?;
        if let Some(charge) = shared.walls.charge {
            charge.set(group);
        }
        shared.step = Step::Stdio;
        for (number, fd) in (0..).zip(&shared.stdio) {
            answer(libc::dup2(fd.as_raw_fd(), number))?;
        }
        shared.step = Step::Folder;
        answer(libc::fchdir(shared.folder.as_raw_fd()))?;
        shared.step = Step::Limits;
        for &(resource, value) in &shared.walls.limits {
            let limit = libc::rlimit { rlim_cur: value, rlim_max: value };
            answer(libc::setrlimit(resource, &raw const limit))?;
        }
        if shared.walls.converses {
            cores::give_way(true, own_pass);
        }
        shed_rights(shared)?;
        shared.step = Step::Privileges;
        answer(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))?;
        shared.step = Step::Landlock;
        if let Some(ruleset) = shared.walls.landlock {
            let fd = ruleset.as_raw_fd();
            answer(libc::syscall(libc::SYS_landlock_restrict_self, fd, 0, 0, 0, 0, own_pass) as c_int)?;
        }
        shared.step = Step::Seccomp;
        shared.started = clock::now();
        let filter = &mut shared.walls.filter;
        if !filter.is_empty() {
            seccomp::name_own_process(filter, libc::getpid().cast_unsigned());
            let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_ptr().cast_mut() };
            answer(libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program, 0, 0))?;
        }
        shared.step = Step::Exec;
        answer(libc::execve(shared.program.as_ptr(), shared.argv.as_ptr(), shared.environment.as_ptr()))
    }
}

/// Becomes the program's user and gives up capabilities. The parent's death is the child's from here: a change of user
/// would undo that.
///
/// # Safety
/// As for [`walk`].
unsafe fn shed_rights(shared: &mut Shared<'_, '_>) -> Result<(), i32> {
    shared.step = Step::Identity;
    let keep_passage = shared.walls.keep_passage;
    // SAFETY: plain system calls; the only pointer is null.
    unsafe {
        // With the former, `access` counts what is kept as well: linkers ask it. It takes a capability of its own.
        if keep_passage && libc::prctl(libc::PR_SET_SECUREBITS, KEEPING_BITS, 0, 0, 0) < 0 {
            answer(libc::prctl(libc::PR_SET_KEEPCAPS, 1, 0, 0, 0))?;
        }
        if let Some(id) = shared.walls.identity {
            // The bare system calls: glibc's wrappers would take locks to tell other threads.
            if shared.walls.has_groups {
                answer(libc::syscall(libc::SYS_setgroups, 0, std::ptr::null::<libc::gid_t>()) as c_int)?;
            }
            answer(libc::syscall(libc::SYS_setresgid, id, id, id) as c_int)?;
            answer(libc::syscall(libc::SYS_setresuid, id, id, id) as c_int)?;
        }
        shared.step = Step::Capabilities;
        if keep_passage {
            set_capabilities(PASSAGE.bits())?;
            let passage = libc::c_ulong::from(PASSAGE.bits().trailing_zeros());
            answer(libc::prctl(libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_RAISE, passage, 0, 0))?;
        } else {
            shed_capabilities()?;
        }
        answer(libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL))
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
