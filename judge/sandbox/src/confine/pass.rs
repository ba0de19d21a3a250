//! What opens a filter for the process that put it on, and for its children on their way to their programs: a number
//! that only this process knows, where a system call has no argument and the kernel does not look.
//!
//! A program cannot learn it. It is in the memory of a process that no program may look into, and in the registers of
//! a call; `execve` gives a program other memory and clears its registers. And it opens no more than the filter: for
//! what it lets through, the kernel still asks for capabilities, which no program has.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, BorrowedFd};

use libc::{c_int, c_long};

/// The secret number.
#[derive(Clone, Copy)]
pub(crate) struct Pass(u64);

/// The argument that holds it: the calls that are made with it have five at most.
pub(crate) const PLACE: u32 = 5;

impl Pass {
    pub(crate) fn random() -> io::Result<Pass> {
        let mut bytes = [0; 8];
        File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        Ok(Pass(u64::from_le_bytes(bytes)))
    }

    /// In the form of the arguments of `clone` that the flags used here leave unused.
    pub(crate) fn as_pointer<T>(self) -> *mut T {
        self.0 as *mut T
    }

    /// In the form of an argument; 0 without a pass.
    pub(crate) fn argument(pass: Option<Pass>) -> u64 {
        pass.map_or(0, |Pass(number)| number)
    }

    /// Its low and its high half.
    pub(crate) fn halves(self) -> [u32; 2] {
        [self.0 as u32, (self.0 >> 32) as u32]
    }

    /// Sends bytes, which are few, and a descriptor along.
    pub(crate) fn send(self, socket: BorrowedFd<'_>, bytes: &[u8], fd: BorrowedFd<'_>) -> io::Result<()> {
        #[repr(C)]
        struct Rights {
            header: libc::cmsghdr,
            fd: c_int,
        }
        let mut text = libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
        // SAFETY: all zeroes is valid for both, and the padding that some systems have is to be zero.
        let (mut rights, mut message): (Rights, libc::msghdr) = unsafe { (std::mem::zeroed(), std::mem::zeroed()) };
        // SAFETY: only computes.
        rights.header.cmsg_len = unsafe { libc::CMSG_LEN(size_of::<c_int>() as u32) } as _;
        (rights.header.cmsg_level, rights.header.cmsg_type) = (libc::SOL_SOCKET, libc::SCM_RIGHTS);
        rights.fd = fd.as_raw_fd();
        (message.msg_iov, message.msg_iovlen) = (&raw mut text, 1);
        (message.msg_control, message.msg_controllen) = ((&raw mut rights).cast(), size_of::<Rights>() as _);
        let message = &raw const message;
        // SAFETY: the message and all that it points to are valid during the call.
        let sent =
            unsafe { libc::syscall(libc::SYS_sendmsg, socket.as_raw_fd(), message, libc::MSG_NOSIGNAL, 0, 0, self.0) };
        match sent {
            sent if sent == bytes.len() as c_long => Ok(()),
            sent if sent < 0 => Err(io::Error::last_os_error()),
            _ => Err(io::ErrorKind::WriteZero.into()),
        }
    }
}
