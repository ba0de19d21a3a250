//! Messages between the judge and its helpers: length-prefixed bytes, with file descriptors alongside.

use std::ffi::OsString;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
};

/// At most this many descriptors travel with one message.
const MAX_FDS: usize = 8;

/// Space is made for at most this many bytes before they have arrived.
const MOST_AT_ONCE: usize = 1 << 16;

/// A message being written.
#[derive(Default)]
pub(crate) struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    pub(crate) fn u64(&mut self, value: u64) -> &mut Self {
        self.bytes.extend_from_slice(&value.to_le_bytes());
        self
    }

    pub(crate) fn bytes(&mut self, value: &[u8]) -> &mut Self {
        self.u64(value.len() as u64);
        self.bytes.extend_from_slice(value);
        self
    }

    pub(crate) fn option(&mut self, value: Option<u64>) -> &mut Self {
        self.u64(u64::from(value.is_some())).u64(value.unwrap_or_default())
    }

    pub(crate) fn duration(&mut self, value: Duration) -> &mut Self {
        self.u64(nanoseconds(value))
    }

    /// The message with its length first, as it is sent.
    pub(crate) fn framed(&self) -> Vec<u8> {
        let mut framed = Vec::with_capacity(self.bytes.len() + 8);
        framed.extend_from_slice(&(self.bytes.len() as u64).to_le_bytes());
        framed.extend_from_slice(&self.bytes);
        framed
    }

    /// Sends the message, and the descriptors with its first byte. Without any, it takes no call that programs may not
    /// make.
    pub(crate) fn send(&self, socket: impl AsFd, fds: &[BorrowedFd<'_>]) -> io::Result<()> {
        let framed = self.framed();
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FDS))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        if !fds.is_empty() {
            control.push(SendAncillaryMessage::ScmRights(fds));
        }
        let mut sent = 0;
        while sent < framed.len() {
            let rest = &framed[sent..];
            let answer = match fds {
                [] => rustix::net::send(&socket, rest, SendFlags::NOSIGNAL),
                _ => rustix::net::sendmsg(&socket, &[io::IoSlice::new(rest)], &mut control, SendFlags::NOSIGNAL),
            };
            match answer {
                Ok(count) => sent += count,
                Err(Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            }
            control.clear();
        }
        Ok(())
    }
}

#[cfg(feature = "fuzzing")]
impl From<Vec<u8>> for Writer {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes }
    }
}

/// `value` in whole nanoseconds; the greatest number for what does not fit.
pub(crate) fn nanoseconds(value: Duration) -> u64 {
    u64::try_from(value.as_nanos()).unwrap_or(u64::MAX)
}

/// A message being read: fields in the order in which they were written.
pub(crate) struct Reader {
    bytes: Vec<u8>,
    at: usize,
    fds: std::vec::IntoIter<OwnedFd>,
}

impl Reader {
    /// Waits for the next message. `None` when the other side has closed.
    pub(crate) fn receive(socket: impl AsFd) -> io::Result<Option<Reader>> {
        let mut fds = Vec::new();
        let mut length = [0; 8];
        if !fill(&socket, &mut length, &mut fds)? {
            return Ok(None);
        }
        let length = usize::try_from(u64::from_le_bytes(length)).map_err(|_| broken())?;
        let mut bytes = Vec::new();
        // Piece by piece: the length is believed only as far as bytes arrive.
        while bytes.len() < length {
            let filled = bytes.len();
            bytes.resize(length.min(filled + MOST_AT_ONCE), 0);
            if !fill(&socket, &mut bytes[filled..], &mut fds)? {
                return Ok(None);
            }
        }
        Ok(Some(Reader { bytes, at: 0, fds: fds.into_iter() }))
    }

    /// Whether the message has no fields at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(crate) fn u64(&mut self) -> io::Result<u64> {
        let mut value = [0; 8];
        value.copy_from_slice(self.take(8)?);
        Ok(u64::from_le_bytes(value))
    }

    pub(crate) fn bytes(&mut self) -> io::Result<Vec<u8>> {
        let length = usize::try_from(self.u64()?).map_err(|_| broken())?;
        Ok(self.take(length)?.to_vec())
    }

    pub(crate) fn os_string(&mut self) -> io::Result<OsString> {
        Ok(OsString::from_vec(self.bytes()?))
    }

    pub(crate) fn option(&mut self) -> io::Result<Option<u64>> {
        let present = self.u64()? != 0;
        let value = self.u64()?;
        Ok(present.then_some(value))
    }

    pub(crate) fn duration(&mut self) -> io::Result<Duration> {
        Ok(Duration::from_nanos(self.u64()?))
    }

    /// The next of the descriptors that came along.
    pub(crate) fn fd(&mut self) -> io::Result<OwnedFd> {
        self.fds.next().ok_or_else(broken)
    }

    fn take(&mut self, count: usize) -> io::Result<&[u8]> {
        let end = self.at.checked_add(count).ok_or_else(broken)?;
        let piece = self.bytes.get(self.at..end).ok_or_else(broken)?;
        self.at = end;
        Ok(piece)
    }
}

fn broken() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a message between the judge and its helper was cut short")
}

/// Fills `buffer`; false when the other side closed first.
fn fill(socket: &impl AsFd, buffer: &mut [u8], fds: &mut Vec<OwnedFd>) -> io::Result<bool> {
    let mut filled = 0;
    while filled < buffer.len() {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FDS))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let mut slices = [io::IoSliceMut::new(&mut buffer[filled..])];
        let flags = RecvFlags::CMSG_CLOEXEC | RecvFlags::DONTWAIT;
        let received = match rustix::net::recvmsg(socket, &mut slices, &mut control, flags) {
            Ok(received) => received.bytes,
            Err(Errno::INTR) => continue,
            // A process that waits in the call itself is woken each time that the other side reads a message, too.
            Err(Errno::AGAIN) => match rustix::event::poll(&mut [PollFd::new(socket, PollFlags::IN)], None) {
                Ok(_) | Err(Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            },
            Err(Errno::CONNRESET) => return Ok(false),
            Err(error) => return Err(error.into()),
        };
        for message in control.drain() {
            if let RecvAncillaryMessage::ScmRights(rights) = message {
                fds.extend(rights);
            }
        }
        if received == 0 {
            return Ok(false);
        }
        filled += received;
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixStream;

    /// Needs no kernel, so that Miri runs it.
    #[test]
    fn fields_are_read_as_they_were_written_and_no_further() {
        let mut writer = Writer::default();
        writer.u64(5).option(None).option(Some(9)).bytes(b"text").duration(Duration::MAX);
        for length in 0..=writer.bytes.len() {
            let bytes = writer.bytes[..length].to_vec();
            let mut reader = Reader { bytes, at: 0, fds: Vec::new().into_iter() };
            let mut read = || -> io::Result<_> {
                Ok((reader.u64()?, reader.option()?, reader.option()?, reader.os_string()?, reader.duration()?))
            };
            let expected = (5, None, Some(9), OsString::from("text"), Duration::from_nanos(u64::MAX));
            assert_eq!(read().ok(), (length == writer.bytes.len()).then_some(expected), "{length} bytes");
        }
        let mut hostile = Reader { bytes: vec![0xff; 16], at: 0, fds: Vec::new().into_iter() };
        assert!(hostile.bytes().is_err() && hostile.fd().is_err());
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no messages with descriptors")]
    fn a_message_and_its_descriptors_arrive_whole() {
        let (left, right) = UnixStream::pair().unwrap();
        let payload = vec![7; 300_000];
        let mut writer = Writer::default();
        writer.u64(5).option(None).option(Some(9)).bytes(&payload).duration(Duration::from_millis(3));
        let sender = std::thread::spawn(move || writer.send(&left, &[std::io::stdin().as_fd()]).unwrap());
        let mut reader = Reader::receive(&right).unwrap().unwrap();
        sender.join().unwrap();
        assert_eq!(reader.u64().unwrap(), 5);
        assert_eq!(reader.option().unwrap(), None);
        assert_eq!(reader.option().unwrap(), Some(9));
        assert_eq!(reader.bytes().unwrap(), payload);
        assert_eq!(reader.duration().unwrap(), Duration::from_millis(3));
        assert!(reader.fd().is_ok());
        assert!(reader.fd().is_err());
        assert!(reader.u64().is_err(), "nothing is left");
        assert!(Reader::receive(&right).unwrap().is_none(), "the other side has closed");
    }
}
