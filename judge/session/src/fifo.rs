//! Opens files that may be FIFOs, whose other end may be missing: the kernel would wait for it without an end.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, SpliceFlags, pipe_with, tee};
use std::fs::File;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long the other end of a FIFO may take to be opened, as both ends may be started at the same time.
const PATIENCE: Duration = Duration::from_secs(5);

/// The time between two attempts to open a FIFO for writing.
const INTERVAL: Duration = Duration::from_millis(20);

/// Like [`File::open`], but a FIFO that has no writer after some seconds is an error.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK;
    let file = rustix::fs::open(path, flags, Mode::empty())?;
    let is_fifo = FileType::from_raw_mode(rustix::fs::fstat(&file)?.st_mode) == FileType::Fifo;
    if is_fifo {
        let patience = Timespec::try_from(PATIENCE).map_err(io::Error::other)?;
        let is_silent = poll(&mut [PollFd::new(&file, PollFlags::IN)], Some(&patience))? == 0;
        // `tee` takes nothing away: an empty FIFO has nothing to copy yet, or no writer.
        let (_reader, copy) = pipe_with(PipeFlags::CLOEXEC)?;
        if is_silent && tee(&file, &copy, 1, SpliceFlags::NONBLOCK) == Ok(0) {
            return Err(io::Error::other("this FIFO has no writer: start the writer first"));
        }
    }
    rustix::fs::fcntl_setfl(&file, OFlags::empty())?;
    Ok(file.into())
}

/// Like [`File::create`], but a FIFO that has no reader after some seconds is an error.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        match open_to_write(path) {
            Err(Errno::NXIO) => std::thread::sleep(INTERVAL),
            opened => return Ok(opened?),
        }
    }
    create_without_waiting(path)
}

/// Like [`File::create`], but a FIFO without a reader is an error at once.
pub fn create_without_waiting(path: &Path) -> io::Result<File> {
    open_to_write(path).map_err(|error| match error {
        Errno::NXIO => io::Error::other("this FIFO has no reader: start the reader first"),
        error => error.into(),
    })
}

fn open_to_write(path: &Path) -> Result<File, Errno> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::CLOEXEC | OFlags::NOCTTY;
    let file = rustix::fs::open(path, flags | OFlags::NONBLOCK, Mode::from_raw_mode(0o666))?;
    rustix::fs::fcntl_setfl(&file, OFlags::empty())?;
    Ok(file.into())
}
