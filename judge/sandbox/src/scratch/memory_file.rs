//! Files in memory, for inputs and outputs. They cannot be executed, where the kernel can forbid that.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use rustix::fs::{MemfdFlags, Mode, OFlags, SealFlags, fcntl_add_seals, memfd_create};
use rustix::io::Errno;

/// An empty one.
pub(crate) fn create() -> io::Result<File> {
    let create = |flags| memfd_create("judge", MemfdFlags::CLOEXEC | flags);
    let file = match create(MemfdFlags::ALLOW_SEALING | MemfdFlags::NOEXEC_SEAL) {
        // Before Linux 6.3.
        Err(Errno::INVAL) => create(MemfdFlags::ALLOW_SEALING),
        made => made,
    };
    Ok(file?.into())
}

/// It once more, with a position of its own, to read only.
pub(crate) fn reopened(file: impl AsFd) -> io::Result<OwnedFd> {
    let path = format!("/proc/self/fd/{}", file.as_fd().as_raw_fd());
    Ok(rustix::fs::open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?)
}

/// From now on it stays as it is.
pub(crate) fn seal(file: &File) -> io::Result<()> {
    // The kernel refuses while it holds a page for a moment itself, to move it or to write it out, as on a machine that is
    // busy; each try waits for a while.
    const TRIES: usize = 20;
    let seals = SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL;
    for _ in 1..TRIES {
        match fcntl_add_seals(file, seals) {
            Err(Errno::BUSY) => {}
            sealed => return Ok(sealed?),
        }
    }
    Ok(fcntl_add_seals(file, seals)?)
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_sealed_file_is_neither_changed_nor_executed() {
        let mut file = create().unwrap();
        file.write_all(b"#!/bin/sh\n").unwrap();
        seal(&file).unwrap();
        assert!(file.write_all(b"more").is_err());
        assert!(file.set_len(1).is_err());
        if rustix::fs::fcntl_get_seals(&file).unwrap().contains(SealFlags::from_bits_retain(0x20)) {
            assert_eq!(file.metadata().unwrap().permissions().mode() & 0o111, 0);
            assert!(file.set_permissions(std::fs::Permissions::from_mode(0o755)).is_err());
        }
    }
}
