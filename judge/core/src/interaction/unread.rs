//! The input of a solver that has ended.

use super::relay::never_wait;
use rustix::event::{PollFd, PollFlags};
use rustix::fs::FileType;
use rustix::io::Errno;
use std::io;
use std::os::fd::OwnedFd;

/// Who writes this many bytes to a solver that has ended is not about to decide.
pub(super) const FLOOD_BYTES: usize = 1 << 20;

/// The input of a solver that has ended. What is still written to it is dropped: neither a full nor a broken pipe stops the
/// writer, unless it floods.
#[derive(Debug, Default)]
pub(super) struct UnreadInput {
    /// `None` once the writer has closed its end, or floods.
    reader: Option<OwnedFd>,
    dropped: usize,
}

impl UnreadInput {
    /// Takes the reading end. A file or a device needs no reader.
    pub(super) fn new(reader: OwnedFd) -> io::Result<Self> {
        let kind = FileType::from_raw_mode(rustix::fs::fstat(&reader)?.st_mode);
        let is_stream = matches!(kind, FileType::Fifo | FileType::Socket);
        if is_stream {
            never_wait(&reader)?;
        }
        Ok(Self { reader: is_stream.then_some(reader), dropped: 0 })
    }

    /// Returns what to wait for until [`Self::drop_what_is_there`] can do something.
    pub(super) fn poll(&self) -> Option<PollFd<'_>> {
        self.reader.as_ref().map(|reader| PollFd::new(reader, PollFlags::IN))
    }

    /// Reads and drops what is there.
    pub(super) fn drop_what_is_there(&mut self) -> io::Result<()> {
        let mut buffer = [0; 64 * 1024];
        while let Some(reader) = &self.reader {
            match rustix::io::read(reader, &mut buffer) {
                Ok(0) => self.reader = None,
                Ok(count) => self.dropped += count,
                Err(Errno::AGAIN) => break,
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            if self.is_flooded() {
                self.reader = None;
            }
        }
        Ok(())
    }

    /// Returns whether the writer floods.
    pub(super) fn is_flooded(&self) -> bool {
        self.dropped >= FLOOD_BYTES
    }
}
