//! What a parent may have left behind in this process: ignored and blocked signals, open files.

use std::io;
use std::os::fd::OwnedFd;

use rustix::fs::{Mode, OFlags};

use crate::proc::signals;

/// Undoes what a parent may have left: no signal stays blocked, and `SIGCHLD` gets its default back. While it
/// is ignored, the kernel reaps children by itself, and waiting for one fails. A write beyond the limit on the size of files
/// (`ulimit -f`) becomes an error of this process and does not end it.
///
/// To be called before any thread is started.
pub fn reset_inherited_signals() {
    signals::block_only(&signals::set(&[]));
    // A handler and not SIG_IGN: programs that this process executes get the default action back.
    let handler = ignore as extern "C" fn(libc::c_int);
    // SAFETY: the default action needs no handler, and this handler does nothing.
    unsafe {
        libc::signal(libc::SIGCHLD, libc::SIG_DFL);
        libc::signal(libc::SIGXFSZ, handler as libc::sighandler_t);
    }
}

extern "C" fn ignore(_: libc::c_int) {}

/// The socket to the judge, which a process of the sandbox has as its standard input at first. Whatever else the judge
/// left open is closed when this process executes anything.
pub(crate) fn take_socket() -> io::Result<OwnedFd> {
    let socket = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?;
    let null = rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())?;
    rustix::stdio::dup2_stdin(&null)?;
    // SAFETY: a system call without pointers; this process has no other descriptors of its own yet.
    unsafe { libc::syscall(libc::SYS_close_range, 3, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) };
    Ok(socket)
}

/// Closes every descriptor but these, even those that values in this process own: for a process that is a copy of
/// another.
pub(crate) fn close_all_but(mut kept: Vec<i32>) {
    kept.sort_unstable();
    let mut from = 0;
    for fd in kept.into_iter().map(i32::cast_unsigned).chain([u32::MAX]) {
        if from < fd {
            // SAFETY: a system call without pointers; the caller vouches that what it closes is not used again.
            unsafe { libc::syscall(libc::SYS_close_range, from, fd - 1, 0) };
        }
        from = fd.saturating_add(1);
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd;

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
        assert!(unsafe { crate::api::child::in_child(only_kept_are_open) });
    }
}
