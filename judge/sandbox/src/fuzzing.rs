//! The parts of this crate that the fuzz targets call: the messages between the judge and its helpers.

use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::net::SendFlags;

use crate::protocol::messages::{self, Answer, Captured, Order, OutputTarget, ReceivedRun, RunSpec};
use crate::protocol::{self, Message, Received};
use crate::request::{Breach, End, Exchange, Fault, Limits, OutputFiles, OutputFilesError, Usage, Visible, WorkFile};

/// More than this may not fit into a socket that is not being read.
const MAX_BYTES: usize = 64 * 1024;

/// Receives the bytes in three ways: as data on a socket, as an order and as an answer.
///
/// # Panics
/// When a decoded message differs after it is encoded and decoded again.
pub fn receive(bytes: &[u8]) {
    if bytes.len() > MAX_BYTES {
        return;
    }
    let (left, right) = pair();
    for packet in bytes.chunks(protocol::PACKET_BYTES) {
        rustix::net::send(&left, packet, SendFlags::NOSIGNAL).expect("it fits into the socket");
    }
    drop(left);
    while let Ok(Some(_)) = Received::receive(&right) {}

    let run = |received: &mut Received| ReceivedRun::decode(received, &mut None);
    round_trip(bytes, |received| run(received).map(|run| Message::new(&Order::Run(&*run.spec))));
    round_trip(bytes, |received| messages::decode_answer(received).map(|answer| Message::new(&answer)));
}

/// Decodes a message and encodes the result, twice: both times the bytes must be the same.
fn round_trip(bytes: &[u8], again: impl Fn(&mut Received) -> io::Result<Message>) {
    let through = |bytes: &[u8]| again(&mut received(bytes)).map(|message| message.content().to_vec());
    if let Ok(first) = through(bytes) {
        let second = through(&first).expect("what was encoded can be decoded");
        assert_eq!(first, second);
    }
}

/// A message with four descriptors.
fn received(bytes: &[u8]) -> Received {
    let (one, other) = pair();
    let fds = [&one, &other, &one, &other].map(|fd| fd.try_clone().expect("four descriptors are free"));
    Received { bytes: bytes.to_vec(), fds: Vec::from(fds).into_iter() }
}

fn pair() -> (OwnedFd, OwnedFd) {
    protocol::pair().expect("two descriptors are free")
}

/// Returns messages as the judge and its helpers send them.
pub fn messages() -> Vec<Vec<u8>> {
    let fault = Fault::System { action: "mounting /proc".into(), source: io::Error::from_raw_os_error(libc::EPERM) };
    let with_files = RunSpec {
        stdout: OutputTarget::File,
        stderr: OutputTarget::Lent,
        has_until: true,
        owns_stdin: false,
        ..spec(None)
    };
    let refused = Err(OutputFilesError("a link leads out of the folder".into()));
    let messages = [
        Message::new(&Order::Run(with_files)),
        Message::new(&Order::Run(spec(Some(exchange())))),
        Message::new(&Ok::<_, Fault>(answer(Ok(exchange().input_files)))),
        Message::new(&Ok::<_, Fault>(answer(refused))),
        Message::new(&Err::<Answer, _>(fault)),
    ];
    messages.iter().map(|message| message.content().to_vec()).collect()
}

fn spec(exchange: Option<Exchange>) -> RunSpec {
    RunSpec {
        grace: Duration::ZERO,
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
        stdout: OutputTarget::Capture,
        stderr: OutputTarget::Capture,
        has_until: false,
        owns_stdin: true,
        only_prepare: false,
        keeps_pages: false,
    }
}

fn exchange() -> Exchange {
    Exchange {
        input_files: vec![WorkFile { path: "main.rs".into(), bytes: b"fn main() {}".to_vec(), executable: false }],
        variables: vec!["TMPDIR".into()],
        output_folder: "made".into(),
        output_names: vec!["report".into()],
        take_after_any_exit: true,
        max_files: 100,
        max_bytes: 1 << 20,
    }
}

fn answer(output_files: OutputFiles) -> Answer {
    let usage = Usage { cpu: Duration::from_millis(3), memory: Some(1 << 20), stdout_bytes: 5, ..Usage::default() };
    let breaches = vec![Breach::Cpu, Breach::Output];
    let stdout = Captured::InFile { file: Some(pair().0), length: 5 };
    let stderr = Captured::Inline(b"note".to_vec());
    Answer { end: End::Signalled(libc::SIGKILL), breaches, usage, stdout, stderr, output_files }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_survive_decoding_whole_or_cut() {
        for message in messages() {
            for length in 0..=message.len() {
                receive(&message[..length]);
            }
        }
    }
}
