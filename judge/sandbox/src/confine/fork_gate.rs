//! A seccomp listener. Where no control group counts processes and threads, it asks the helper about each new one.
//! Where no control group charges memory, it also asks about anonymous shared memory and pages that are sent from
//! files. Where programs share process ids with the host, it asks about CPU clocks that a program reads.
//!
//! A signal can interrupt a thread that waits in the seccomp notifier until the helper receives the request. If the
//! signal's handler lacks `SA_RESTART`, the call then fails with `EINTR`, which no program expects of `fork`. The
//! signal that occurs while processes are started is `SIGCHLD`, so its handlers get that flag here.

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

use libc::{BPF_JEQ, BPF_JGE, c_ulong, seccomp_notif, seccomp_notif_resp, sock_filter};

use crate::confine::bpf::{self, Table, argument, high_half};
use crate::confine::calls;
use crate::protocol::{FilterBypass, halves};

/// `RLIMIT_NPROC` is a second line of defence. It includes zombies, so it is larger by this number.
pub(crate) const SLACK: u64 = 256;

// The type of an ioctl number is unsigned in glibc and signed in musl. The bits are the same.
#[allow(clippy::cast_possible_wrap, reason = "see above")]
const RECEIVE: libc::Ioctl = 0xc050_2100_u32 as libc::Ioctl;
#[allow(clippy::cast_possible_wrap, reason = "see above")]
const SEND: libc::Ioctl = 0xc018_2101_u32 as libc::Ioctl;

/// `SECCOMP_USER_NOTIF_FLAG_CONTINUE`, as an answer has it.
const CONTINUE: u32 = 1;

/// The listener.
pub(crate) struct ForkGate(OwnedFd);

/// A request of a thread, which waits for the response.
#[derive(Clone, Copy)]
pub(crate) struct Notification {
    id: u64,
    /// The thread that asks.
    pub(crate) thread: u32,
    pub(crate) request: GateRequest,
}

#[derive(Clone, Copy)]
pub(crate) enum GateRequest {
    /// A new process.
    Process,
    /// A new thread.
    Thread,
    /// Anonymous shared memory of this many bytes.
    Memory(u64),
    /// To send pages of a file to this descriptor.
    Pages(i32),
    /// To set the handler of `SIGCHLD` that is described at this address.
    Handler(u64),
    /// To use the CPU clock of the process or thread with this id.
    Clock(u32),
}

/// The gate's decisions besides new processes and threads.
#[derive(Clone, Copy, Default)]
pub(crate) struct GateScope {
    /// Anonymous shared memory, and pages of files.
    pub(crate) memory: bool,
    /// CPU clocks of other processes and threads.
    pub(crate) clocks: bool,
}

impl ForkGate {
    /// Installs the filter on this thread and all that it will start. Calls with the bypass are allowed without a
    /// request. `None` if the kernel refuses, or if a listener is installed already.
    pub(crate) fn install(scope: GateScope) -> Option<(ForkGate, FilterBypass)> {
        let bypass = FilterBypass::random().ok()?;
        // SAFETY: a system call without pointers.
        if unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) } != 0 {
            return None;
        }
        let filter = filter(bypass, scope);
        let program = bpf::program(&filter);
        let set = |flags: c_ulong| {
            // SAFETY: the program and its length are valid during the call.
            unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, flags, &raw const program) }
        };
        let listen = libc::SECCOMP_FILTER_FLAG_NEW_LISTENER;
        // The first flag keeps signals from repeating a request. Before Linux 5.19 only the second exists.
        let fd =
            [listen | libc::SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, listen].into_iter().map(set).find(|fd| *fd >= 0)?;
        let fd = RawFd::try_from(fd).ok()?;
        // SAFETY: the kernel made this descriptor for this process, and nothing else owns it.
        Some((ForkGate(unsafe { OwnedFd::from_raw_fd(fd) }), bypass))
    }

    /// A gate that another process has installed.
    pub(crate) fn from_fd(fd: OwnedFd) -> ForkGate {
        ForkGate(fd)
    }

    /// Readable when there is a request.
    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }

    /// Receives a request; `None` if its thread has died. To be called when the descriptor is readable.
    pub(crate) fn receive(&self) -> Option<Notification> {
        // SAFETY: all zeroes is a valid `seccomp_notif`, and what the kernel requires.
        let mut question: seccomp_notif = unsafe { std::mem::zeroed() };
        // SAFETY: the place is valid for the answer, whose size is part of the ioctl number.
        if unsafe { libc::ioctl(self.0.as_raw_fd(), RECEIVE, &raw mut question) } != 0 {
            return None;
        }
        // The kernel also takes them as an `int`.
        let int = |argument: u64| halves(argument)[0].cast_signed();
        let request = match libc::c_long::from(question.data.nr) {
            libc::SYS_mmap => GateRequest::Memory(question.data.args[1]),
            libc::SYS_sendfile => GateRequest::Pages(int(question.data.args[0])),
            libc::SYS_splice => GateRequest::Pages(int(question.data.args[2])),
            libc::SYS_rt_sigaction => GateRequest::Handler(question.data.args[1]),
            number if calls::CLOCK_CALLS.contains(&number) => {
                GateRequest::Clock(calls::owner_of(halves(question.data.args[0])[0]))
            }
            libc::SYS_clone if question.data.args[0] & libc::CLONE_THREAD as u64 != 0 => GateRequest::Thread,
            _ => GateRequest::Process,
        };
        Some(Notification { id: question.id, thread: question.pid, request })
    }

    /// Allows the call, or makes it fail.
    pub(crate) fn respond(&self, notification: Notification, admitted: bool) {
        let refusal = match notification.request {
            GateRequest::Process | GateRequest::Thread => -libc::EAGAIN,
            GateRequest::Memory(_) => -libc::ENOMEM,
            GateRequest::Pages(_) | GateRequest::Handler(_) | GateRequest::Clock(_) => -libc::EINVAL,
        };
        let (error, flags) = if admitted { (0, CONTINUE) } else { (refusal, 0) };
        let answer = seccomp_notif_resp { id: notification.id, val: 0, error, flags };
        // SAFETY: the answer is valid during the call. Fails only if the thread has died. Allowing it is safe, because
        // the decision is about values in registers, which no other thread can change.
        unsafe { libc::ioctl(self.0.as_raw_fd(), SEND, &raw const answer) };
    }
}

fn filter(bypass: FilterBypass, scope: GateScope) -> Vec<sock_filter> {
    let mut table = Table::default();
    #[cfg(target_arch = "x86_64")]
    for number in [libc::SYS_fork, libc::SYS_vfork] {
        table.inspect(number, |code| code.notify());
    }
    // The fifth argument is for thread-local memory or a thread id, depending on the architecture. The flags used here
    // ignore it.
    table.inspect(libc::SYS_clone, |code| {
        for (half, value) in [argument(4), high_half(4)].into_iter().zip(bypass.halves()) {
            code.load(half);
            code.notify_unless(value);
        }
    });
    table.inspect(libc::SYS_rt_sigaction, |code| {
        code.load(argument(0));
        code.allow_unless(BPF_JEQ, libc::SIGCHLD.cast_unsigned());
        // If it is null, the program only queries the handler.
        for half in [argument(1), high_half(1)] {
            code.load(half);
            code.notify_unless(0);
        }
    });
    if scope.memory {
        // Such memory can be in a mapping that no process has touched. Then no process's size includes it.
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
        for &number in calls::CLOCK_CALLS {
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
        // SAFETY: the child exits at once.
        let pid = unsafe { libc::fork() };
        if pid == 0 {
            // SAFETY: this leaves without running the parent's destructors.
            unsafe { libc::_exit(0) };
        }
        // SAFETY: the only pointer is null, and the child is this process's own.
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
    fn the_bypass_opens_the_gate() {
        let opens = || {
            ForkGate::install(GateScope::default()).is_none_or(|(_gate, bypass)| {
                let secret: usize = bypass.as_pointer::<u8>() as usize;
                // SAFETY: without a stack of its own the child works on a copy, as after `fork`, and exits.
                let pid = unsafe { libc::syscall(libc::SYS_clone, libc::SIGCHLD, 0, 0, secret, secret) };
                if pid == 0 {
                    // SAFETY: this leaves without running the parent's destructors.
                    unsafe { libc::_exit(0) };
                }
                pid > 0
            })
        };
        // SAFETY: the closure allocates and makes system calls.
        assert!(unsafe { in_child(opens) });
    }
}
