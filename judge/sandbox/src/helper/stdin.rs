//! Standard input of one run: no program can change what another reads.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{FileType, Mode, SealFlags};

use crate::api::execution::Fault;
use crate::api::fault::Context;
use crate::scratch::memory_file;

/// Standard input for this run alone. It shares no position with other runs, and a file is copied into memory: the
/// owner of a file can change its mode even through a descriptor that only reads, and its locks are seen by others.
pub(crate) fn reopened(stdin: OwnedFd, programs_are_others: bool) -> Result<OwnedFd, Fault> {
    let stat = rustix::fs::fstat(&stdin).context("looking at the input")?;
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => {}
        // It may belong to this process's user, and so to the program's.
        FileType::CharacterDevice if !programs_are_others && stat.st_rdev == rustix::fs::makedev(1, 3) => {
            return copied(stdin).context("making an empty input");
        }
        FileType::Fifo if programs_are_others && is_nameless_pipe(&stdin) => {
            open_to_all(&stdin, Mode::RUSR | Mode::WUSR | Mode::RGRP | Mode::ROTH)
                .context("opening the input to the program")?;
            return Ok(stdin);
        }
        _ => return Ok(stdin),
    }
    let own = match memory_file::reopened(&stdin) {
        Ok(own) => own,
        // Without /proc, or when only the judge may open the file: from the start, at least.
        Err(_) => {
            rustix::fs::seek(&stdin, rustix::fs::SeekFrom::Start(0)).context("rewinding the input")?;
            stdin
        }
    };
    let in_memory = rustix::fs::fcntl_get_seals(&own).is_ok_and(|seals| seals.contains(SealFlags::WRITE));
    if in_memory { Ok(own) } else { copied(own).context("copying the input") }
}

/// Lets others do this with a pipe, by its name in /dev. What they may do already, at its other end, they still may.
pub(crate) fn open_to_all(pipe: impl AsFd, wanted: Mode) -> rustix::io::Result<()> {
    let mode = Mode::from_raw_mode(rustix::fs::fstat(&pipe)?.st_mode);
    if mode.contains(wanted) { Ok(()) } else { rustix::fs::fchmod(pipe, mode | wanted) }
}

/// Whether nothing on a disk is this pipe.
fn is_nameless_pipe(pipe: &OwnedFd) -> bool {
    const PIPEFS_MAGIC: u64 = 0x5049_5045;
    rustix::fs::fstatfs(pipe).is_ok_and(|stat| stat.f_type as u64 == PIPEFS_MAGIC)
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
    memory_file::reopened(&copy)
}
