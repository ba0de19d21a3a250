//! Messages between the judge and its helpers: length-prefixed bytes, with file descriptors alongside, on sockets that
//! preserve packets. All but the longest messages fit into one packet.

pub(crate) mod messages;
pub(crate) mod shared_memory;

use std::cell::RefCell;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendFlags, SocketAddrUnix, SocketFlags,
    SocketType,
};
use rustix::time::Timespec;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::names;

/// At most this many descriptors travel with one message.
const MAX_FDS: usize = 8;

/// The maximal length of a packet. A socket queues ten packets that are not read yet. An answer of a helper with the
/// output that it captured in memory fits into one, so a helper never waits for a judge that waits to submit programs.
pub(crate) const PACKET_BYTES: usize = 1 << 14;

/// The length of a message precedes it.
pub(crate) const LENGTH_BYTES: usize = 8;

/// Two connected sockets for messages.
pub(crate) fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(rustix::net::socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?)
}

/// Listens under an abstract name. `accept` will not block.
pub(crate) fn listen(name: &[u8]) -> io::Result<OwnedFd> {
    let socket = socket(SocketFlags::CLOEXEC | SocketFlags::NONBLOCK)?;
    rustix::net::bind(&socket, &SocketAddrUnix::new_abstract_name(name)?)?;
    rustix::net::listen(&socket, 128)?;
    Ok(socket)
}

/// Connects to the process that listens under an abstract name.
pub(crate) fn connect(name: &[u8]) -> io::Result<OwnedFd> {
    let socket = socket(SocketFlags::CLOEXEC)?;
    rustix::net::connect(&socket, &SocketAddrUnix::new_abstract_name(name)?)?;
    Ok(socket)
}

fn socket(flags: SocketFlags) -> io::Result<OwnedFd> {
    Ok(rustix::net::socket_with(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None)?)
}

/// An encoded message, with its length in front.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Message(Vec<u8>);

impl Message {
    /// Encodes `value`.
    ///
    /// # Panics
    /// Never: the types of messages have lists of known length, and the buffer grows.
    pub(crate) fn new<T: Serialize>(value: &T) -> Message {
        // More than most messages need, so the buffer is not reallocated.
        let mut bytes = Vec::with_capacity(1024);
        bytes.extend_from_slice(&[0; LENGTH_BYTES]);
        #[expect(clippy::expect_used, reason = "an invariant of the types of messages")]
        let mut bytes = postcard::to_extend(value, bytes).expect("a message can be encoded");
        let length = (bytes.len() - LENGTH_BYTES) as u64;
        bytes[..LENGTH_BYTES].copy_from_slice(&length.to_le_bytes());
        Message(bytes)
    }

    /// A message without content.
    pub(crate) fn empty() -> Message {
        Message(vec![0; LENGTH_BYTES])
    }

    /// Sends the message, and the descriptors with its first packet.
    pub(crate) fn send(&self, socket: impl AsFd, fds: &[BorrowedFd<'_>]) -> io::Result<()> {
        self.send_with(None, socket, fds)
    }

    /// The same in a process with a filter that `bypass` opens. Without descriptors, this makes only calls that programs
    /// may make, too.
    pub(crate) fn send_with(
        &self,
        bypass: Option<FilterBypass>,
        socket: impl AsFd,
        mut fds: &[BorrowedFd<'_>],
    ) -> io::Result<()> {
        for packet in self.0.chunks(PACKET_BYTES) {
            let sent = rustix::io::retry_on_intr(|| match fds {
                [] => rustix::net::send(&socket, packet, SendFlags::NOSIGNAL),
                fds => send_along(packet, fds, socket.as_fd(), bypass),
            })?;
            if sent < packet.len() {
                return Err(io::ErrorKind::WriteZero.into());
            }
            fds = &[];
        }
        Ok(())
    }

    /// The message without its length.
    pub(crate) fn content(&self) -> &[u8] {
        &self.0[LENGTH_BYTES..]
    }
}

/// Sends a packet with descriptors, by the system call itself: the C library's function has no argument for `bypass`.
fn send_along(
    packet: &[u8],
    fds: &[BorrowedFd<'_>],
    socket: BorrowedFd<'_>,
    bypass: Option<FilterBypass>,
) -> rustix::io::Result<usize> {
    #[repr(C)]
    struct Rights {
        header: libc::cmsghdr,
        fds: [libc::c_int; MAX_FDS],
    }
    if fds.len() > MAX_FDS {
        return Err(Errno::TOOBIG);
    }
    // SAFETY: all zeroes is valid for both, and padding must be zero.
    let (mut rights, mut message): (Rights, libc::msghdr) = unsafe { (std::mem::zeroed(), std::mem::zeroed()) };
    let bytes = u32::try_from(size_of_val(fds)).map_err(|_| Errno::TOOBIG)?;
    // SAFETY: these only compute.
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
    // SAFETY: the message and everything that it points to are valid during the call.
    let sent = unsafe {
        libc::syscall(libc::SYS_sendmsg, socket, message, libc::MSG_NOSIGNAL, 0, 0, FilterBypass::argument(bypass))
    };
    usize::try_from(sent).map_err(|_| Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::IO))
}

/// A message that was received. It can be sent on as a part of another message, with its descriptors alongside.
#[derive(Serialize, Deserialize)]
pub(crate) struct Received {
    #[serde(with = "crate::os_data")]
    pub(crate) bytes: Vec<u8>,
    /// The descriptors that were not taken.
    #[serde(skip)]
    pub(crate) fds: std::vec::IntoIter<OwnedFd>,
}

impl Received {
    /// Waits for the next message. `None`: the other side has closed.
    pub(crate) fn receive(socket: impl AsFd) -> io::Result<Option<Received>> {
        thread_local! {
            // Zeroed once, not for each message.
            static BUFFER: RefCell<[u8; PACKET_BYTES]> = const { RefCell::new([0; PACKET_BYTES]) };
        }
        BUFFER.with_borrow_mut(|buffer| Received::receive_into(&socket, buffer))
    }

    fn receive_into(socket: &impl AsFd, buffer: &mut [u8; PACKET_BYTES]) -> io::Result<Option<Received>> {
        let mut fds = Vec::new();
        let first = match receive_packet(socket, buffer, &mut fds)? {
            0 => return Ok(None),
            count => &buffer[..count],
        };
        let (length, start) = first.split_first_chunk::<LENGTH_BYTES>().ok_or_else(malformed)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| malformed())?;
        let mut bytes = start.to_vec();
        while bytes.len() < length {
            match receive_packet(socket, buffer, &mut fds)? {
                0 => return Ok(None),
                count => bytes.extend_from_slice(&buffer[..count]),
            }
        }
        if bytes.len() > length {
            return Err(malformed());
        }
        Ok(Some(Received { bytes, fds: fds.into_iter() }))
    }

    /// Whether the message has no content.
    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Decodes the whole content.
    pub(crate) fn decode<T: DeserializeOwned>(&self) -> io::Result<T> {
        decode(&self.bytes)
    }

    /// Takes the next descriptor.
    pub(crate) fn take_fd(&mut self) -> io::Result<OwnedFd> {
        self.fds.next().ok_or_else(malformed)
    }
}

/// Decodes a message that is all of `bytes`.
pub(crate) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> io::Result<T> {
    match postcard::take_from_bytes(bytes) {
        Ok((value, [])) => Ok(value),
        _ => Err(malformed()),
    }
}

/// Whether one of these events has occurred: data to receive, or that the other side has closed the socket.
pub(crate) fn is_ready(socket: impl AsFd, events: PollFlags) -> bool {
    rustix::event::poll(&mut [PollFd::new(&socket, events)], Some(&Timespec::default())) != Ok(0)
}

fn malformed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a message between the judge and its helper is malformed")
}

/// Waits for a packet and returns its length; 0 when the other side has closed.
fn receive_packet(socket: &impl AsFd, buffer: &mut [u8; PACKET_BYTES], fds: &mut Vec<OwnedFd>) -> io::Result<usize> {
    loop {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FDS))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let mut slices = [io::IoSliceMut::new(buffer)];
        let flags = RecvFlags::CMSG_CLOEXEC | RecvFlags::DONTWAIT;
        let received = match rustix::net::recvmsg(socket, &mut slices, &mut control, flags) {
            Ok(received) => received.bytes,
            Err(Errno::INTR) => continue,
            // A process that waits in `recvmsg` would also be woken whenever the other side reads a message.
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

/// A secret number with which the process that installed a filter bypasses it, and so do its children until they
/// execute a program. It is passed in a system call argument that the kernel ignores.
///
/// A program cannot learn it. The number is in the memory of a process that no program may read, and in registers
/// during a call. `execve` replaces the memory and clears the registers. The number only bypasses the filter. The
/// kernel still checks capabilities, which no program has.
#[derive(Clone, Copy)]
pub(crate) struct FilterBypass(u64);

/// The argument for the number. The calls that are made with it have at most five arguments.
pub(crate) const BYPASS_ARGUMENT: u32 = 5;

impl FilterBypass {
    pub(crate) fn random() -> rustix::io::Result<FilterBypass> {
        names::random().map(FilterBypass)
    }

    /// As an argument of `clone` that is unused with the flags used here.
    pub(crate) fn as_pointer<T>(self) -> *mut T {
        self.0 as *mut T
    }

    /// As an argument; 0 if there is none.
    pub(crate) fn argument(bypass: Option<FilterBypass>) -> u64 {
        bypass.map_or(0, |FilterBypass(number)| number)
    }

    /// The low and the high half.
    pub(crate) fn halves(self) -> [u32; 2] {
        halves(self.0)
    }
}

/// The low and the high half of a number.
pub(crate) fn halves(number: u64) -> [u32; 2] {
    let [a, b, c, d, rest @ ..] = number.to_le_bytes();
    [u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes(rest)]
}

#[cfg(test)]
mod tests {
    use super::*;

    type Fields = (u64, Option<u64>, Option<String>, std::time::Duration);

    fn fields() -> Fields {
        (5, None, Some("text".to_owned()), std::time::Duration::MAX)
    }

    /// Needs no kernel, so that Miri runs it.
    #[test]
    fn only_a_whole_message_is_decoded() {
        let message = Message::new(&fields());
        let content = &message.0[LENGTH_BYTES..];
        for length in 0..=content.len() {
            let expected = (length == content.len()).then(fields);
            assert_eq!(decode::<Fields>(&content[..length]).ok(), expected, "{length} bytes");
        }
        assert!(decode::<Fields>(&[content, &[0]].concat()).is_err(), "something follows");
        assert!(decode::<String>(&[0xff; 16]).is_err());
        assert!(Received { bytes: Vec::new(), fds: Vec::new().into_iter() }.take_fd().is_err());
    }

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no messages with descriptors")]
    fn a_message_and_its_descriptors_arrive_whole() {
        let (left, right) = pair().unwrap();
        let payload = "7".repeat(300_000);
        let message = Message::new(&payload);
        let sender = std::thread::spawn(move || message.send(&left, &[std::io::stdin().as_fd()]).unwrap());
        let mut received = Received::receive(&right).unwrap().unwrap();
        sender.join().unwrap();
        assert_eq!(received.decode::<String>().unwrap(), payload);
        assert!(received.take_fd().is_ok());
        assert!(received.take_fd().is_err());
        assert!(Received::receive(&right).unwrap().is_none(), "the other side has closed");
    }
}
