//! Moves what a program writes from its pipe into a file, capped, without ever waiting for either.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt;

use rustix::event::{PollFd, PollFlags};
use rustix::fs::FileType;
use rustix::io::Errno;
use rustix::pipe::PipeFlags;
use rustix::time::Timespec;

use crate::api::execution::Fault;
use crate::api::fault::Context;

/// What a pipe holds before its writer must wait; fewer switches between writer and reader, for large outputs.
const PIPE_BYTES: usize = 1 << 20;

/// What a pipe that is ready takes at once, whatever else is in it.
const PACE_BYTES: usize = 4096;

/// Where the bytes go.
pub(crate) enum Target<'a> {
    /// The worker's own file, from its start.
    Capture(&'a File),
    /// The caller's, wherever it stands.
    Own(File),
}

impl Target<'_> {
    /// Whether it takes bytes only as fast as they are read: anything but a file on a disk.
    fn paced(&self) -> rustix::io::Result<bool> {
        let Target::Own(file) = self else { return Ok(false) };
        Ok(FileType::from_raw_mode(rustix::fs::fstat(file)?.st_mode) != FileType::RegularFile)
    }
}

/// What happens to bytes beyond the cap.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Beyond {
    /// One is counted, the rest stays unread: the run is over.
    Ends,
    /// They are counted and dropped.
    Dropped,
}

/// One output stream of a run.
pub(crate) struct Stream<'a> {
    pipe: OwnedFd,
    name: &'static str,
    target: Target<'a>,
    /// Whether writing to the target can block: then it is polled before each piece.
    paced: bool,
    cap: u64,
    beyond: Beyond,
    /// Bytes that came.
    pub(crate) seen: u64,
    kept: u64,
    /// Nothing more will come: every writer has closed, or the cap was passed.
    pub(crate) done: bool,
}

impl<'a> Stream<'a> {
    /// A stream and the descriptor that the program writes to.
    pub(crate) fn open(
        name: &'static str,
        target: Target<'a>,
        cap: u64,
        beyond: Beyond,
    ) -> Result<(Stream<'a>, OwnedFd), Fault> {
        let (pipe, writer) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC).context("making a pipe")?;
        rustix::fs::fcntl_setfl(&pipe, rustix::fs::OFlags::NONBLOCK).context("making a pipe non-blocking")?;
        if cap > 65536 {
            // A wish only: an ordinary user's pipes may be many already.
            let _ = rustix::pipe::fcntl_setpipe_size(&pipe, PIPE_BYTES);
        }
        if let Target::Capture(file) = &target {
            file.set_len(0).context("emptying the capture file")?;
        }
        let paced = target.paced().context("looking at the file for the output")?;
        Ok((Stream { pipe, name, target, paced, cap, beyond, seen: 0, kept: 0, done: false }, writer))
    }

    /// What to wait for until [`Stream::drain`] can do something; `None` when there is nothing more to do.
    pub(crate) fn awaited(&self) -> Option<PollFd<'_>> {
        match &self.target {
            _ if self.done => None,
            Target::Own(file) if self.is_stuck() => Some(PollFd::new(file, PollFlags::OUT)),
            _ => Some(PollFd::new(&self.pipe, PollFlags::IN)),
        }
    }

    /// Whether it can be left alone for a moment: what its pipe holds waits for it, and no reader does.
    pub(crate) fn can_wait(&self) -> bool {
        matches!(self.target, Target::Capture(_))
    }

    /// Whether there may be something to move on, but the target is full.
    pub(crate) fn is_stuck(&self) -> bool {
        let Target::Own(file) = &self.target else { return false };
        let ready = || rustix::event::poll(&mut [PollFd::new(file, PollFlags::OUT)], Some(&Timespec::default()));
        self.paced && !self.done && self.kept < self.cap && ready() == Ok(0)
    }

    /// Bytes in the capture file.
    pub(crate) fn captured(&self) -> u64 {
        if matches!(self.target, Target::Capture(_)) { self.kept } else { 0 }
    }

    /// Whether more came than allowed.
    pub(crate) fn overflowed(&self) -> bool {
        self.beyond == Beyond::Ends && self.seen > self.cap
    }

    /// Takes what is there now. `rounds` bounds the work, so that a flood cannot keep the limits from being checked.
    pub(crate) fn drain(&mut self, buffer: &mut [u8], rounds: usize) -> Result<(), Fault> {
        for _ in 0..rounds {
            if self.done || self.is_stuck() {
                break;
            }
            let piece = if self.paced { buffer.len().min(PACE_BYTES) } else { buffer.len() };
            let count = match rustix::io::read(&self.pipe, &mut buffer[..piece]) {
                Ok(count) => count,
                Err(Errno::AGAIN) => break,
                Err(Errno::INTR) => continue,
                Err(error) => return Err(error).context(format!("reading the program's {}", self.name)),
            };
            self.done = count == 0;
            self.take(&buffer[..count]).context(format!("writing the program's {} to its file", self.name))?;
        }
        Ok(())
    }

    fn take(&mut self, bytes: &[u8]) -> io::Result<()> {
        let room = usize::try_from(self.cap - self.kept).unwrap_or(usize::MAX);
        let kept = &bytes[..bytes.len().min(room)];
        match &mut self.target {
            Target::Capture(file) => file.write_all_at(kept, self.kept)?,
            Target::Own(file) => file.write_all(kept)?,
        }
        self.kept += kept.len() as u64;
        self.seen += bytes.len() as u64;
        if self.beyond == Beyond::Ends && self.seen > self.cap {
            self.seen = self.cap + 1;
            self.done = true;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drained(cap: u64, beyond: Beyond, input: &[u8]) -> (Vec<u8>, u64, bool) {
        let file = tempfile::tempfile().unwrap();
        let (mut stream, writer) = Stream::open("output", Target::Capture(&file), cap, beyond).unwrap();
        File::from(writer).write_all(input).unwrap();
        stream.drain(&mut [0; 4], 1000).unwrap();
        let (seen, captured, overflowed) = (stream.seen, stream.captured(), stream.overflowed());
        let mut bytes = vec![0; captured as usize];
        file.read_exact_at(&mut bytes, 0).unwrap();
        (bytes, seen, overflowed)
    }

    #[test]
    fn exactly_the_cap_is_no_overflow() {
        assert_eq!(drained(5, Beyond::Ends, b"hello"), (b"hello".to_vec(), 5, false));
        assert_eq!(drained(4, Beyond::Ends, b"hello"), (b"hell".to_vec(), 5, true));
        assert_eq!(drained(2, Beyond::Ends, b"hello world"), (b"he".to_vec(), 3, true));
        assert_eq!(drained(0, Beyond::Ends, b""), (Vec::new(), 0, false));
    }

    #[test]
    fn what_is_dropped_is_counted() {
        assert_eq!(drained(2, Beyond::Dropped, b"hello world"), (b"he".to_vec(), 11, false));
    }
}
