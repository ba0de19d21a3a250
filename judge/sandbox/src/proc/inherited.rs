//! What a parent may have left behind in this process: ignored and blocked signals, open files.

use std::ptr;

/// Undoes what a careless parent may have left: no signal stays blocked, and `SIGCHLD` gets its default back. While it
/// is ignored, the kernel reaps children by itself, and whoever waits for one waits in vain.
///
/// To be called before any thread is started.
pub fn reset_inherited_signals() {
    // SAFETY: the set is initialised by `sigemptyset` before it is read, and both calls only read their arguments.
    unsafe {
        let mut none = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, ptr::null_mut());
        libc::signal(libc::SIGCHLD, libc::SIG_DFL);
    }
}

/// Closes every descriptor but these, whoever believes to own them: for a process that is a copy of another.
pub(crate) fn close_all_but(mut kept: Vec<i32>) {
    kept.sort_unstable();
    let mut from = 0;
    for fd in kept.into_iter().map(i32::cast_unsigned).chain([u32::MAX]) {
        if from < fd {
            // SAFETY: a system call without pointers; that nobody uses what it closes is the caller's word.
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
        assert!(crate::api::names::in_child(|| {
            super::close_all_but(vec![third, first]);
            // SAFETY: system calls without pointers.
            let is_open = |fd| unsafe { libc::fcntl(fd, libc::F_GETFD) } >= 0;
            is_open(first) && !is_open(second) && is_open(third) && !is_open(0)
        }));
    }
}
