//! The input of a solver that has ended.

use super::relay::never_wait;
use rustix::event::{PollFd, PollFlags};
use rustix::fs::FileType;
use rustix::io::Errno;
use std::io;
use std::os::fd::OwnedFd;

/// Bytes read at once.
const BUFFER_BYTES: usize = 64 * 1024;

/// The input of a solver that has ended. What is still written to it is dropped: neither a full nor a broken pipe stops the
/// writer, however much it writes.
#[derive(Debug, Default)]
pub(super) struct UnreadInput {
    /// `None` once the writer has closed its end.
    reader: Option<OwnedFd>,
}

impl UnreadInput {
    /// Takes the reading end. A file or a device needs no reader.
    pub(super) fn new(reader: OwnedFd) -> io::Result<Self> {
        let kind = FileType::from_raw_mode(rustix::fs::fstat(&reader)?.st_mode);
        let is_stream = matches!(kind, FileType::Fifo | FileType::Socket);
        if is_stream {
            never_wait(&reader)?;
        }
        Ok(Self { reader: is_stream.then_some(reader) })
    }

    /// Returns what to wait for until [`Self::drop_some`] can do something.
    pub(super) fn poll(&self) -> Option<PollFd<'_>> {
        self.reader.as_ref().map(|reader| PollFd::new(reader, PollFlags::IN))
    }

    /// Reads and drops some of what is there. A writer that never pauses does not keep the caller here.
    pub(super) fn drop_some(&mut self) -> io::Result<()> {
        let Some(reader) = &self.reader else { return Ok(()) };
        let mut buffer = [0; BUFFER_BYTES];
        match rustix::io::read(reader, &mut buffer) {
            Ok(0) => self.reader = None,
            Ok(_) | Err(Errno::AGAIN | Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }
}
