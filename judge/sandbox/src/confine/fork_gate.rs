//! A gate that every new process and thread of a run goes through where no control group counts them, and shared memory
//! without a file and pages sent from files where none charges them: the kernel asks the helper before it makes one. Where
//! programs share process ids with the machine, it also asks whose CPU time a program may read.
//!
//! Who waits at the gate can be interrupted by a signal until the helper looks, and a handler without `SA_RESTART` then
//! ends the call with `EINTR`, which no program expects of `fork`. The signal that comes in the course of starting
//! processes is `SIGCHLD`: its handlers get that flag here.

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use libc::{BPF_JEQ, BPF_JGE, c_int, c_ulong, seccomp_notif, seccomp_notif_resp, sock_filter};

use crate::confine::bpf::{Table, argument, high_half};
use crate::confine::calls;
use crate::protocol::FilterBypass;

/// The kernel's own limit is a second line here, further out by this: it also counts the dead that are yet to be reaped.
pub(crate) const SLACK: u64 = 256;

// The type of a request is unsigned in glibc and signed in musl; the bits are the same.
const RECEIVE: libc::Ioctl = 0xc050_2100_u32 as libc::Ioctl;
const SEND: libc::Ioctl = 0xc018_2101_u32 as libc::Ioctl;

/// Where the kernel asks.
pub(crate) struct ForkGate(OwnedFd);

/// What a thread asks for.
#[derive(Clone, Copy)]
pub(crate) struct Notification {
    id: u64,
    /// The thread that does.
    pub(crate) thread: u32,
    pub(crate) request: GateRequest,
}

#[derive(Clone, Copy)]
pub(crate) enum GateRequest {
    /// A new process.
    Process,
    /// A new thread.
    Thread,
    /// Shared memory of this many bytes.
    Memory(u64),
    /// Pages of a file, to be sent to this descriptor.
    Pages(i32),
    /// To set what this address describes as its handler of `SIGCHLD`.
    Handler(u64),
    /// The CPU clock of the process or thread with this id.
    Clock(u32),
}

/// What the gate is asked about beside new processes and threads.
#[derive(Clone, Copy, Default)]
pub(crate) struct GateScope {
    /// Memory without a file, and pages of files.
    pub(crate) memory: bool,
    /// CPU clocks of others than the caller.
    pub(crate) clocks: bool,
}

impl ForkGate {
    /// From now on this thread and all that it starts is asked about, but for who has the pass. `None` where the
    /// kernel refuses, or who started it listens already.
    pub(crate) fn install(scope: GateScope) -> Option<(ForkGate, FilterBypass)> {
        let bypass = FilterBypass::random().ok()?;
        // SAFETY: a system call without pointers.
        if unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) } != 0 {
            return None;
        }
        let filter = filter(bypass, scope);
        let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_ptr().cast_mut() };
        let set = |flags: c_ulong| {
            // SAFETY: the program and its length are valid during the call.
            unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, flags, &raw const program) }
        };
        let listen = libc::SECCOMP_FILTER_FLAG_NEW_LISTENER;
        // The first keeps signals from making a process ask again; before Linux 5.19 there is only the second.
        let fd =
            [listen | libc::SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, listen].into_iter().map(set).find(|fd| *fd >= 0)?;
        // SAFETY: the kernel made this descriptor for this process, and nothing else owns it.
        Some((ForkGate(unsafe { OwnedFd::from_raw_fd(fd as c_int) }), bypass))
    }

    /// One that another process installed.
    pub(crate) fn from_fd(fd: OwnedFd) -> ForkGate {
        ForkGate(fd)
    }

    /// Readable when a process asks; to pass on, too.
    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }

    /// The request; `None` if its thread has died meanwhile. To be called when the descriptor is readable.
    pub(crate) fn receive(&self) -> Option<Notification> {
        // SAFETY: all zeroes is a valid `seccomp_notif`, and what the kernel wants to find.
        let mut question: seccomp_notif = unsafe { std::mem::zeroed() };
        // SAFETY: the place is valid for the answer, whose size is part of the request's number.
        if unsafe { libc::ioctl(self.0.as_raw_fd(), RECEIVE, &raw mut question) } != 0 {
            return None;
        }
        let request = match libc::c_long::from(question.data.nr) {
            libc::SYS_mmap => GateRequest::Memory(question.data.args[1]),
            libc::SYS_sendfile => GateRequest::Pages(question.data.args[0] as i32),
            libc::SYS_splice => GateRequest::Pages(question.data.args[2] as i32),
            libc::SYS_rt_sigaction => GateRequest::Handler(question.data.args[1]),
            number if calls::NAME_CLOCKS.contains(&number) => {
                GateRequest::Clock(calls::owner_of(question.data.args[0] as u32))
            }
            libc::SYS_clone if question.data.args[0] & libc::CLONE_THREAD as u64 != 0 => GateRequest::Thread,
            _ => GateRequest::Process,
        };
        Some(Notification { id: question.id, thread: question.pid, request })
    }

    /// Lets the one who knocked go on, or tells it that there is too much of that already.
    pub(crate) fn respond(&self, notification: Notification, admitted: bool) {
        let refusal = match notification.request {
            GateRequest::Process | GateRequest::Thread => -libc::EAGAIN,
            GateRequest::Memory(_) => -libc::ENOMEM,
            GateRequest::Pages(_) | GateRequest::Handler(_) | GateRequest::Clock(_) => -libc::EINVAL,
        };
        let (error, flags) = if admitted { (0, libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32) } else { (refusal, 0) };
        let answer = seccomp_notif_resp { id: notification.id, val: 0, error, flags };
        // SAFETY: the answer is valid during the call. Fails only for one that has died meanwhile. To go on is safe: what
        // is decided about is in registers, where no other thread can change it any more.
        unsafe { libc::ioctl(self.0.as_raw_fd(), SEND, &raw const answer) };
    }
}

fn filter(bypass: FilterBypass, scope: GateScope) -> Vec<sock_filter> {
    let mut table = Table::default();
    #[cfg(target_arch = "x86_64")]
    for number in [libc::SYS_fork, libc::SYS_vfork] {
        table.inspect(number, |code| code.notify());
    }
    // The fifth argument is the place for thread-local memory or for a thread's id, by architecture.
    table.inspect(libc::SYS_clone, |code| {
        for (half, value) in [argument(4), high_half(4)].into_iter().zip(bypass.halves()) {
            code.load(half);
            code.notify_unless(value);
        }
    });
    table.inspect(libc::SYS_rt_sigaction, |code| {
        code.load(argument(0));
        code.allow_unless(BPF_JEQ, libc::SIGCHLD.cast_unsigned());
        // Only asks which it is, if that is null.
        for half in [argument(1), high_half(1)] {
            code.load(half);
            code.notify_unless(0);
        }
    });
    if scope.memory {
        // It lives on in a mapping that no process has touched, or has one page of: no process's size shows it.
        table.inspect(libc::SYS_mmap, |code| {
            let shared = (libc::MAP_SHARED | libc::MAP_ANONYMOUS).cast_unsigned();
            code.load(argument(3));
            code.mask(shared);
            code.notify_if(shared);
        });
        for &number in calls::SENDS_PAGES {
            table.inspect(number, |code| code.notify());
        }
    }
    if scope.clocks {
        for &number in calls::NAME_CLOCKS {
            table.inspect(number, |code| {
                code.load(argument(0));
                code.allow_unless(BPF_JGE, calls::CLOCKS_OF_TASKS);
                code.allow_if(BPF_JGE, calls::clocks_of(0));
                code.notify();
            });
        }
    }
    table.compile(calls::UNKNOWN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::in_child;

    fn fork_and_wait() -> bool {
        // SAFETY: the child leaves at once.
        let pid = unsafe { libc::fork() };
        if pid == 0 {
            // SAFETY: leaves without running the parent's destructors.
            unsafe { libc::_exit(0) };
        }
        // SAFETY: no pointer is passed but null; the child is this process's own.
        pid > 0 && unsafe { libc::waitpid(pid, std::ptr::null_mut(), 0) } == pid
    }

    #[test]
    fn without_a_listener_no_process_is_made() {
        assert!(fork_and_wait());
        let is_shut = || {
            ForkGate::install(GateScope::default()).is_none_or(|(gate, _)| {
                drop(gate);
                !fork_and_wait()
            })
        };
        // SAFETY: the closure allocates and makes system calls.
        assert!(unsafe { in_child(is_shut) });
    }

    #[test]
    fn the_pass_opens_the_gate() {
        let opens = || {
            ForkGate::install(GateScope::default()).is_none_or(|(_gate, bypass)| {
                let secret: usize = bypass.as_pointer::<u8>() as usize;
                // SAFETY: without a stack of its own the child works on a copy of the stack, like that of `fork`, and
                // leaves.
                let pid = unsafe { libc::syscall(libc::SYS_clone, libc::SIGCHLD, 0, 0, secret, secret) };
                if pid == 0 {
                    // SAFETY: leaves without running the parent's destructors.
                    unsafe { libc::_exit(0) };
                }
                pid > 0
            })
        };
        // SAFETY: the closure allocates and makes system calls.
        assert!(unsafe { in_child(opens) });
    }
}
