//! Messages between the judge and its helpers: length-prefixed bytes, with file descriptors alongside, on sockets that
//! keep packets apart. All but the longest messages are one packet.

pub(crate) mod messages;
pub(crate) mod shared_memory;

use std::cell::RefCell;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendFlags, SocketAddrUnix, SocketFlags,
    SocketType,
};

use crate::clock::nanoseconds;

/// At most this many descriptors travel with one message.
const MAX_FDS: usize = 8;

/// The most bytes of one packet. A socket holds ten that are not read yet: an answer of a helper with what it captured
/// in memory is one, so that none waits for a judge that itself waits to hand over the next programs.
pub(crate) const PACKET_BYTES: usize = 1 << 14;

/// A message's length comes before it.
pub(crate) const LENGTH_BYTES: usize = 8;

/// Two connected sockets for messages.
pub(crate) fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(rustix::net::socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?)
}

/// Listens under an abstract name, without waiting in `accept`.
pub(crate) fn listen(name: &[u8]) -> io::Result<OwnedFd> {
    let socket = socket(SocketFlags::CLOEXEC | SocketFlags::NONBLOCK)?;
    rustix::net::bind(&socket, &SocketAddrUnix::new_abstract_name(name)?)?;
    rustix::net::listen(&socket, 128)?;
    Ok(socket)
}

/// Connects to who listens under an abstract name.
pub(crate) fn connect(name: &[u8]) -> io::Result<OwnedFd> {
    let socket = socket(SocketFlags::CLOEXEC)?;
    rustix::net::connect(&socket, &SocketAddrUnix::new_abstract_name(name)?)?;
    Ok(socket)
}

fn socket(flags: SocketFlags) -> io::Result<OwnedFd> {
    Ok(rustix::net::socket_with(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None)?)
}

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
        let mut framed = Vec::with_capacity(self.bytes.len() + LENGTH_BYTES);
        framed.extend_from_slice(&(self.bytes.len() as u64).to_le_bytes());
        framed.extend_from_slice(&self.bytes);
        framed
    }

    /// Sends the message, and the descriptors with its first packet.
    pub(crate) fn send(&self, socket: impl AsFd, fds: &[BorrowedFd<'_>]) -> io::Result<()> {
        self.send_by(None, socket, fds)
    }

    /// The same for a process that has a filter on, which `pass` opens. Without descriptors, it takes no call that programs
    /// may not make.
    pub(crate) fn send_by(&self, pass: Option<Pass>, socket: impl AsFd, fds: &[BorrowedFd<'_>]) -> io::Result<()> {
        let mut enclosed = fds;
        for packet in self.framed().chunks(PACKET_BYTES) {
            let sent = rustix::io::retry_on_intr(|| match enclosed {
                [] => rustix::net::send(&socket, packet, SendFlags::NOSIGNAL),
                fds => send_along(packet, fds, socket.as_fd(), pass),
            })?;
            if sent < packet.len() {
                return Err(io::ErrorKind::WriteZero.into());
            }
            enclosed = &[];
        }
        Ok(())
    }

    /// The message without its length.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// Sends a packet with descriptors. The bare call: `pass` is an argument that the C library's function does not have.
fn send_along(
    packet: &[u8],
    fds: &[BorrowedFd<'_>],
    socket: BorrowedFd<'_>,
    pass: Option<Pass>,
) -> rustix::io::Result<usize> {
    #[repr(C)]
    struct Rights {
        header: libc::cmsghdr,
        fds: [libc::c_int; MAX_FDS],
    }
    if fds.len() > MAX_FDS {
        return Err(Errno::TOOBIG);
    }
    // SAFETY: all zeroes is valid for both, and the padding that some systems have is to be zero.
    let (mut rights, mut message): (Rights, libc::msghdr) = unsafe { (std::mem::zeroed(), std::mem::zeroed()) };
    let bytes = size_of_val(fds) as u32;
    // SAFETY: only compute.
    let (length, space) = unsafe { (libc::CMSG_LEN(bytes), libc::CMSG_SPACE(bytes)) };
    rights.header.cmsg_len = length as _;
    (rights.header.cmsg_level, rights.header.cmsg_type) = (libc::SOL_SOCKET, libc::SCM_RIGHTS);
    for (place, fd) in rights.fds.iter_mut().zip(fds) {
        *place = fd.as_raw_fd();
    }
    let mut text = libc::iovec { iov_base: packet.as_ptr().cast_mut().cast(), iov_len: packet.len() };
    (message.msg_iov, message.msg_iovlen) = (&raw mut text, 1);
    (message.msg_control, message.msg_controllen) = ((&raw mut rights).cast(), space as _);
    let (socket, message) = (socket.as_raw_fd(), &raw const message);
    // SAFETY: the message and all that it points to are valid during the call.
    let sent =
        unsafe { libc::syscall(libc::SYS_sendmsg, socket, message, libc::MSG_NOSIGNAL, 0, 0, Pass::argument(pass)) };
    usize::try_from(sent).map_err(|_| Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::IO))
}

#[cfg(feature = "fuzzing")]
impl From<Vec<u8>> for Writer {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes }
    }
}

/// A message being read: fields in the order in which they were written.
pub(crate) struct Reader {
    bytes: Vec<u8>,
    at: usize,
    fds: std::vec::IntoIter<OwnedFd>,
}

impl Reader {
    /// Reads a message that came without descriptors, and without its length.
    pub(crate) fn of(bytes: Vec<u8>) -> Reader {
        Reader { bytes, at: 0, fds: Vec::new().into_iter() }
    }

    /// Waits for the next message. `None` when the other side has closed.
    pub(crate) fn receive(socket: impl AsFd) -> io::Result<Option<Reader>> {
        thread_local! {
            // Its bytes are cleared once, not for each message.
            static BUFFER: RefCell<[u8; PACKET_BYTES]> = const { RefCell::new([0; PACKET_BYTES]) };
        }
        BUFFER.with_borrow_mut(|buffer| Reader::receive_by(&socket, buffer))
    }

    fn receive_by(socket: &impl AsFd, buffer: &mut [u8; PACKET_BYTES]) -> io::Result<Option<Reader>> {
        let mut fds = Vec::new();
        let first = match receive_packet(socket, buffer, &mut fds)? {
            0 => return Ok(None),
            count => &buffer[..count],
        };
        let (length, start) = first.split_first_chunk::<LENGTH_BYTES>().ok_or_else(broken)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| broken())?;
        let mut bytes = start.to_vec();
        while bytes.len() < length {
            match receive_packet(socket, buffer, &mut fds)? {
                0 => return Ok(None),
                count => bytes.extend_from_slice(&buffer[..count]),
            }
        }
        if bytes.len() > length {
            return Err(broken());
        }
        Ok(Some(Reader { bytes, at: 0, fds: fds.into_iter() }))
    }

    /// Sends on what is left of the message, and its descriptors, at the end of `writer`.
    pub(crate) fn enclose(self, writer: &mut Writer) -> Vec<OwnedFd> {
        writer.bytes(&self.bytes[self.at..]);
        self.fds.collect()
    }

    /// The message that another one sends on.
    pub(crate) fn enclosed(mut self) -> io::Result<Reader> {
        Ok(Reader { bytes: self.bytes()?, at: 0, fds: self.fds })
    }

    /// Whether the message has no fields at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The next field, which is a number, if there is one.
    pub(crate) fn peek(&self) -> Option<u64> {
        self.bytes.get(self.at..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
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

/// Waits for a packet and returns how long it is; 0 when the other side has closed.
fn receive_packet(socket: &impl AsFd, buffer: &mut [u8; PACKET_BYTES], fds: &mut Vec<OwnedFd>) -> io::Result<usize> {
    loop {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FDS))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let mut slices = [io::IoSliceMut::new(buffer)];
        let flags = RecvFlags::CMSG_CLOEXEC | RecvFlags::DONTWAIT;
        let received = match rustix::net::recvmsg(socket, &mut slices, &mut control, flags) {
            Ok(received) => received.bytes,
            Err(Errno::INTR) => continue,
            // A process that waits in the call itself is woken each time that the other side reads a message, too.
            Err(Errno::AGAIN) => match rustix::event::poll(&mut [PollFd::new(socket, PollFlags::IN)], None) {
                Ok(_) | Err(Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            },
            Err(Errno::CONNRESET) => 0,
            Err(error) => return Err(error.into()),
        };
        for message in control.drain() {
            if let RecvAncillaryMessage::ScmRights(rights) = message {
                fds.extend(rights);
            }
        }
        return Ok(received);
    }
}

//# What opens a filter for the process that put it on, and for its children on their way to their programs: a number
//# that only this process knows, where a system call has no argument and the kernel does not look.
//#
//# A program cannot learn it. It is in the memory of a process that no program may look into, and in the registers of
//# a call; `execve` gives a program other memory and clears its registers. And it opens no more than the filter: for
//# what it lets through, the kernel still asks for capabilities, which no program has.

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
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Needs no kernel, so that Miri runs it.
    #[test]
    fn fields_are_read_as_they_were_written_and_no_further() {
        let mut writer = Writer::default();
        writer.u64(5).option(None).option(Some(9)).bytes(b"text").duration(Duration::MAX);
        for length in 0..=writer.bytes.len() {
            let bytes = writer.bytes[..length].to_vec();
            let mut reader = Reader::of(bytes);
            let mut read = || -> io::Result<_> {
                Ok((reader.u64()?, reader.option()?, reader.option()?, reader.os_string()?, reader.duration()?))
            };
            let expected = (5, None, Some(9), OsString::from("text"), Duration::from_nanos(u64::MAX));
            assert_eq!(read().ok(), (length == writer.bytes.len()).then_some(expected), "{length} bytes");
        }
        let mut hostile = Reader::of(vec![0xff; 16]);
        assert!(hostile.bytes().is_err() && hostile.fd().is_err());
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no messages with descriptors")]
    fn a_message_and_its_descriptors_arrive_whole() {
        let (left, right) = pair().unwrap();
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
