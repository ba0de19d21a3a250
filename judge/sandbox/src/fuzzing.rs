//! The door through which the fuzz targets reach what is private here: messages between the judge and its helpers.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use rustix::net::SendFlags;

use crate::protocol::messages::{self, Answer, Captured, Enclosed, Order, Outlet, Task};
use crate::protocol::{self, Reader, Writer};
use crate::request::{Breach, End, Exchange, Fault, Limits, Made, Usage, Visible, WorkFile};

/// More than this may not fit into a socket that is not being read.
const LONGEST: usize = 64 * 1024;

/// Receives the bytes: as what arrives on a socket, as an order and as an answer.
///
/// # Panics
/// When what was understood means something else after it was written and read again.
pub fn receive(bytes: &[u8]) {
    if bytes.len() > LONGEST {
        return;
    }
    let (left, right) = pair();
    for packet in bytes.chunks(protocol::PACKET_BYTES) {
        rustix::net::send(&left, packet, SendFlags::NOSIGNAL).expect("it fits into the socket");
    }
    drop(left);
    while let Ok(Some(_)) = Reader::receive(&right) {}

    let encoded = |order: &Order| messages::encode(&order.plan.task, order.plan.enclosed);
    round_trip(bytes, |reader| Order::decode(reader, &mut None).map(|order| encoded(&order)));
    round_trip(bytes, |reader| messages::decode_answer(reader).map(|answer| messages::encode_answer(&answer)));
}

/// Reads a message and writes what was read, twice: both times the same must be written.
fn round_trip(bytes: &[u8], again: impl Fn(&mut Reader) -> io::Result<Writer>) {
    let through = |writer: &Writer| again(&mut received(writer)).map(|read| sent(&read));
    if let Ok(first) = through(&Writer::from(bytes.to_vec())) {
        let second = through(&Writer::from(first.clone())).expect("what was written can be read");
        assert_eq!(first, second);
    }
}

fn received(writer: &Writer) -> Reader {
    let (left, right) = pair();
    writer.send(&left, &[left.as_fd(); 4]).expect("it fits into the socket");
    Reader::receive(&right).expect("the message is whole").expect("the other side is open")
}

/// The bytes of a message, without its length.
fn sent(writer: &Writer) -> Vec<u8> {
    writer.framed().split_off(protocol::LENGTH_BYTES)
}

fn pair() -> (OwnedFd, OwnedFd) {
    protocol::pair().expect("two descriptors are free")
}

/// Returns messages as the judge and its helpers send them.
#[must_use]
pub fn messages() -> Vec<Vec<u8>> {
    let fault = Fault::System { action: "mounting /proc".into(), source: io::Error::from_raw_os_error(libc::EPERM) };
    let all = Enclosed {
        stdout: Outlet::File(()),
        stderr: Outlet::Lent(()),
        until: true,
        own_stdin: false,
        only_prepare: true,
    };
    let captured = Outlet::Capture;
    let none = Enclosed { stdout: captured, stderr: captured, until: false, own_stdin: true, only_prepare: false };
    let writers = [
        messages::encode(&task(None), all),
        messages::encode(&task(Some(exchange())), none),
        messages::encode_answer(&Ok(answer(Ok(exchange().given)))),
        messages::encode_answer(&Ok(answer(Err("a link leads out of the folder".into())))),
        messages::encode_answer(&Err(fault)),
    ];
    writers.iter().map(sent).collect()
}

fn task(exchange: Option<Exchange>) -> Task {
    Task {
        leave: Duration::ZERO,
        converses: true,
        program: "/usr/bin/python3".into(),
        argv: vec!["python3".into(), "bot.py".into()],
        environment: vec![("LANG".into(), "C.UTF-8".into())],
        visible: vec![Visible { path: "/usr/lib".into(), writable: false }],
        hidden: vec!["/home".into()],
        folder: Some("/usr".into()),
        limits: Limits {
            cpu: Some(Duration::from_secs(4)),
            wall: None,
            memory: Some(1 << 30),
            stdout: 1 << 20,
            stderr: 1 << 16,
            processes: Some(8),
            disk: 1 << 28,
        },
        exchange,
    }
}

fn exchange() -> Exchange {
    Exchange {
        given: vec![WorkFile { path: "main.rs".into(), bytes: b"fn main() {}".to_vec(), executable: false }],
        variables: vec!["TMPDIR".into()],
        made_in: "made".into(),
        wanted: vec!["report".into()],
        after_any_exit: true,
        most_files: 100,
        most_bytes: 1 << 20,
    }
}

fn answer(made: Made) -> Answer {
    let usage = Usage { cpu: Duration::from_millis(3), memory: Some(1 << 20), stdout_bytes: 5, ..Usage::default() };
    let breaches = vec![Breach::Cpu, Breach::Output];
    let (stdout, stderr) = (Captured::InFile { file: pair().0, length: 5 }, Captured::Here(b"note".to_vec()));
    Answer { end: End::Signalled(libc::SIGKILL), breaches, usage, stdout, stderr, made }
}
