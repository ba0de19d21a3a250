//! A client on standard input and output: a message on each line.

use crate::MAX_MESSAGE;
use crate::client::Client;
use crate::evaluator::Evaluator;
use crate::methods::Methods;
use judge_run::runner::{Signals, exit_at_once};
use judge_session::Failure;
use parking_lot::Mutex;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, retry_on_intr};
use rustix::pipe::{PIPE_BUF, PipeFlags, pipe_with};
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::thread::Builder;

/// Answers the messages of `input` on `output`, until the input ends, the output is closed, or a signal comes. All
/// running requests are then cancelled. A second signal ends the process at once. A client that does not read delays no
/// signal.
///
/// # Errors
/// When the input cannot be read, the output cannot be written, or signals cannot be caught.
pub fn serve_stdio(
    evaluator: &Arc<Evaluator>,
    methods: Methods,
    input: BorrowedFd<'_>,
    output: OwnedFd,
) -> Result<(), Failure> {
    let (ended, end) = pipe_with(PipeFlags::CLOEXEC).map_err(Failure::fault)?;
    let end = Arc::new(end);
    end_on_signals(Arc::clone(&end)).map_err(Failure::fault)?;
    let ended = Arc::new(ended);
    let output = Mutex::new(Some(output));
    let (until, failed) = (Arc::clone(&ended), Arc::new(Mutex::new(None)));
    let failure = Arc::clone(&failed);
    let send = Arc::new(move |line: &str| {
        let mut output = output.lock();
        let written = output.as_ref().map_or(Ok(()), |output| write_line(output, &until, line.as_bytes()));
        if let Err(error) = written {
            // Without a reader, the client has disconnected.
            *failure.lock() = Some(error).filter(|error| error.kind() != io::ErrorKind::BrokenPipe);
            *output = None;
            wake(&end);
        }
    });
    let client = Client::new(Arc::clone(evaluator), methods, Some(send.clone()));
    let received = receive(input, &ended, &mut |message| match message {
        Some(message) if message.trim_ascii().is_empty() => {}
        Some(message) => {
            let send = Arc::clone(&send);
            client.receive_one(message, move |line| line.iter().for_each(|line| send(line))).detach();
        }
        None => send(&Client::refuse_long()),
    });
    evaluator.end();
    received.map_err(Failure::fault)?;
    let failed = failed.lock().take();
    failed.map_or(Ok(()), |error| Err(Failure::fault(format!("cannot write to standard output: {error}"))))
}

/// How long a client may take to read on, once the server is to end.
const GRACE: Timespec = Timespec { tv_sec: 0, tv_nsec: 500_000_000 };

/// Writes a line as fast as the client reads it. Fails if it has gone, or does not read while `ended` is readable.
fn write_line(output: &OwnedFd, ended: &OwnedFd, mut line: &[u8]) -> io::Result<()> {
    while !line.is_empty() {
        wait_for_room(output, ended)?;
        // A pipe with room takes this much without waiting.
        match rustix::io::write(output, &line[..line.len().min(PIPE_BUF)]) {
            Ok(count) => line = &line[count..],
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

fn wait_for_room(output: &OwnedFd, ended: &OwnedFd) -> io::Result<()> {
    let mut fds = [PollFd::new(output, PollFlags::OUT), PollFd::new(ended, PollFlags::IN)];
    retry_on_intr(|| poll(&mut fds, None))?;
    if fds[0].revents().is_empty() {
        retry_on_intr(|| poll(&mut fds[..1], Some(&GRACE)))?;
    }
    if fds[0].revents().is_empty() { Err(io::ErrorKind::BrokenPipe.into()) } else { Ok(()) }
}

fn wake(end: &OwnedFd) {
    // A pipe that is full wakes, too.
    let _ = rustix::io::write(end, b".");
}

/// The first signal ends the server, the second one the process.
fn end_on_signals(end: Arc<OwnedFd>) -> io::Result<()> {
    let mut signals = Signals::install()?;
    let wait = move || {
        signals.wait();
        wake(&end);
        signals.wait();
        exit_at_once();
    };
    Builder::new().name("end".to_owned()).spawn(wait)?;
    Ok(())
}

/// The bytes that are read at once.
const PIECE: usize = 64 << 10;

/// Passes on each line, and `None` for one that is too long, until the input ends or `ended` is readable.
fn receive(input: BorrowedFd<'_>, ended: &OwnedFd, take: &mut dyn FnMut(Option<&[u8]>)) -> io::Result<()> {
    let mut lines = Lines::default();
    let mut piece = vec![0; PIECE];
    loop {
        let mut fds = [PollFd::from_borrowed_fd(input, PollFlags::IN), PollFd::new(ended, PollFlags::IN)];
        match poll(&mut fds, None) {
            Ok(_) if !fds[1].revents().is_empty() => return Ok(()),
            Ok(_) | Err(Errno::INTR) if fds[0].revents().is_empty() => continue,
            Ok(_) => {}
            Err(error) => return Err(error.into()),
        }
        match rustix::io::read(input, &mut piece) {
            Ok(0) => {
                lines.end(take);
                return Ok(());
            }
            Ok(count) => lines.add(&piece[..count], take),
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Lines of an input that comes in pieces.
#[derive(Default)]
struct Lines {
    begun: Vec<u8>,
    /// Whether the rest of a line that is too long is being skipped.
    skips: bool,
}

impl Lines {
    fn add(&mut self, mut piece: &[u8], take: &mut dyn FnMut(Option<&[u8]>)) {
        while let Some(end) = piece.iter().position(|byte| *byte == b'\n') {
            self.begin(&piece[..end], take);
            piece = &piece[end + 1..];
            self.end(take);
        }
        self.begin(piece, take);
    }

    fn begin(&mut self, part: &[u8], take: &mut dyn FnMut(Option<&[u8]>)) {
        if self.skips {
            return;
        }
        if self.begun.len() + part.len() > MAX_MESSAGE {
            self.begun = Vec::new();
            self.skips = true;
            take(None);
            return;
        }
        self.begun.extend_from_slice(part);
    }

    fn end(&mut self, take: &mut dyn FnMut(Option<&[u8]>)) {
        if !std::mem::take(&mut self.skips) {
            take(Some(&self.begun));
        }
        self.begun.clear();
        self.begun.shrink_to(PIECE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(pieces: &[&[u8]]) -> Vec<Option<usize>> {
        let mut lines = Lines::default();
        let mut found = Vec::new();
        for piece in pieces {
            lines.add(piece, &mut |line| found.push(line.map(<[u8]>::len)));
        }
        lines.end(&mut |line| found.push(line.map(<[u8]>::len)));
        found
    }

    #[test]
    fn lines_come_in_any_pieces_and_long_ones_are_skipped() {
        assert_eq!(lines(&[b"ab\n\nc", b"d\n", b"e"]), [Some(2), Some(0), Some(2), Some(1)]);
        let long = vec![b'x'; MAX_MESSAGE / 2 + 1];
        assert_eq!(lines(&[&long, &long, b"x\nab\n"]), [None, Some(2), Some(0)]);
    }
}
