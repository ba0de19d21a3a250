//! Standard input of one run: no program can change what another reads.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;

use rustix::fs::{FileType, Mode, OFlags, SealFlags};

use crate::api::execution::Fault;
use crate::api::fault::Context;
use crate::scratch::memory_file;

/// Standard input for this run alone. It shares no position with other runs, and a file is copied into memory: the
/// owner of a file can change its mode even through a descriptor that only reads, and its locks are seen by others.
pub(crate) fn reopened(stdin: &OwnedFd, programs_are_others: bool) -> Result<OwnedFd, Fault> {
    let stat = rustix::fs::fstat(stdin).context("looking at the input")?;
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => {}
        // It may belong to this process's user, and so to the program's.
        FileType::CharacterDevice if !programs_are_others && stat.st_rdev == rustix::fs::makedev(1, 3) => {
            return copied(duplicate(stdin)?).context("making an empty input");
        }
        FileType::Fifo if programs_are_others && is_nameless_pipe(stdin) => {
            rustix::fs::fchmod(stdin, Mode::from_raw_mode(0o644)).context("opening the input to the program")?;
            return duplicate(stdin);
        }
        _ => return duplicate(stdin),
    }
    let own = match rustix::fs::open(own_path(stdin), OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()) {
        Ok(own) => own,
        // Without /proc, or when only the judge may open the file: from the start, at least.
        Err(_) => {
            rustix::fs::seek(stdin, rustix::fs::SeekFrom::Start(0)).context("rewinding the input")?;
            duplicate(stdin)?
        }
    };
    let in_memory = rustix::fs::fcntl_get_seals(&own).is_ok_and(|seals| seals.contains(SealFlags::WRITE));
    if in_memory { Ok(own) } else { copied(own).context("copying the input") }
}

/// Whether nothing on a disk is this pipe.
fn is_nameless_pipe(pipe: &OwnedFd) -> bool {
    const PIPEFS_MAGIC: u64 = 0x5049_5045;
    rustix::fs::fstatfs(pipe).is_ok_and(|stat| stat.f_type as u64 == PIPEFS_MAGIC)
}

fn own_path(fd: &OwnedFd) -> String {
    format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(fd))
}

/// The same bytes in memory, from the start.
fn copied(file: OwnedFd) -> io::Result<OwnedFd> {
    let mut copy = memory_file::create()?;
    // By reads and writes: the calls that send pages from file to file are asked about at the gate, by this process,
    // which would wait for itself.
    let (mut file, mut buffer) = (File::from(file), vec![0; 1 << 16]);
    loop {
        match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => copy.write_all(&buffer[..count])?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    memory_file::seal(&copy)?;
    // Opened anew: to read only, and at its start.
    let copy = OwnedFd::from(copy);
    Ok(rustix::fs::open(own_path(&copy), OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?)
}

fn duplicate(fd: &OwnedFd) -> Result<OwnedFd, Fault> {
    fd.try_clone().context("duplicating the input")
}
