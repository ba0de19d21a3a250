//! Relays the output of the solver and its interactor: the solver's output, which is also its answer; the input of a
//! solver that has ended; and a transcript of both sides, where one is wanted.

use judge_problem::visible;
use judge_sandbox::{Execution, Sink, write_what_fits};
use parking_lot::Mutex;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::Errno;
use rustix::net::Shutdown;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, ErrorKind, PipeReader, PipeWriter, Read, Write};
use std::ops::RangeInclusive;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::slice;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

/// Opens a pipe or terminal again, so that it does not block here. Its flags stay as they are, because the tester and
/// the solver have copies of the descriptor. Anything else cannot be opened again, or would start again from the beginning.
fn reopened(fd: OwnedFd, access: OFlags) -> io::Result<OwnedFd> {
    let meta = rustix::fs::fstat(&fd)?;
    let can_reopen = match FileType::from_raw_mode(meta.st_mode) {
        FileType::Fifo => true,
        FileType::CharacterDevice => TERMINALS.contains(&rustix::fs::major(meta.st_rdev)),
        _ => false,
    };
    if !can_reopen {
        return Ok(fd);
    }
    let flags = access | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let path = format!("/proc/self/fd/{}", fd.as_raw_fd());
    // It may belong to another user.
    Ok(rustix::fs::open(path, flags, Mode::empty()).unwrap_or(fd))
}

/// The major numbers of the solver's side of a pseudoterminal.
const TERMINALS: RangeInclusive<u32> = 136..=143;

/// Returns whether these are the same socket.
pub(super) fn are_one_socket(one: impl AsFd, other: impl AsFd) -> io::Result<bool> {
    let (one, other) = (rustix::fs::fstat(one)?, rustix::fs::fstat(other)?);
    let is_socket = FileType::from_raw_mode(one.st_mode) == FileType::Socket;
    Ok(is_socket && (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino))
}

/// The solver's output on its way to the interactor. While the solver runs, the sandbox forwards it and buffers the
/// unread part, so that the solver never blocks. After its end the buffer is here. The output limit bounds it.
pub(super) struct Relay {
    /// `None` once the other end is closed.
    to_interactor: Option<OwnedFd>,
    said: Vec<u8>,
    /// The number of bytes written to the interactor.
    passed: usize,
}

impl Relay {
    /// Relays to a pipe. The interactor has its reading end.
    pub(super) fn new(to_interactor: OwnedFd) -> io::Result<Self> {
        let to_interactor = Some(reopened(to_interactor, OFlags::WRONLY)?);
        Ok(Self { to_interactor, said: Vec::new(), passed: 0 })
    }

    /// Returns where the solver's output goes while it runs.
    pub(super) fn sink(&self) -> io::Result<Sink> {
        let Some(pipe) = &self.to_interactor else { return Ok(Sink::Capture) };
        Ok(Sink::Relay(Arc::new(File::from(pipe.try_clone()?))))
    }

    /// Takes the output of a solver that has ended.
    pub(super) fn take_over(&mut self, execution: &mut Execution) {
        self.said = std::mem::take(&mut execution.stdout);
        self.passed = usize::try_from(execution.usage.relayed_bytes).unwrap_or(usize::MAX).min(self.said.len());
    }

    /// Writes as much as fits into the interactor's pipe. If the interactor has closed it, nothing more is written.
    pub(super) fn pass(&mut self) -> io::Result<()> {
        while let Some(fd) = self.pending() {
            match write_what_fits(fd, &self.said[self.passed..]) {
                Ok(count) => self.passed += count,
                Err(Errno::AGAIN) => break,
                Err(Errno::INTR) => {}
                Err(Errno::PIPE) => self.to_interactor = None,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Returns the interactor's pipe if there is output for it.
    pub(super) fn pending(&self) -> Option<BorrowedFd<'_>> {
        self.to_interactor.as_ref().filter(|_| self.passed < self.said.len()).map(AsFd::as_fd)
    }

    /// Returns whether the interactor has read all of the solver's output, or has closed its end.
    pub(super) fn is_all_read(&self) -> io::Result<bool> {
        match &self.to_interactor {
            // A tester may give the solver a file or a device, which has no unread bytes.
            Some(fd) if !self.is_closed_by_reader()? => match rustix::io::ioctl_fionread(fd) {
                Ok(unread) => Ok(self.pending().is_none() && unread == 0),
                Err(Errno::NOTTY) => Ok(self.pending().is_none()),
                Err(error) => Err(error.into()),
            },
            _ => Ok(true),
        }
    }

    /// Returns whether the interactor has closed its input.
    pub(super) fn is_closed_by_reader(&self) -> io::Result<bool> {
        let Some(fd) = &self.to_interactor else { return Ok(true) };
        let mut fds = [PollFd::new(fd, PollFlags::empty())];
        rustix::event::poll(&mut fds, Some(&Timespec::default()))?;
        Ok(fds[0].revents().intersects(PollFlags::ERR | PollFlags::HUP))
    }

    /// Returns the interactor's input, while it is open here.
    pub(super) fn to_interactor(&self) -> Option<BorrowedFd<'_>> {
        self.to_interactor.as_ref().map(AsFd::as_fd)
    }

    /// Closes the interactor's input once all of the solver's output is written.
    pub(super) fn show_end(&mut self) {
        if self.pending().is_none() {
            self.to_interactor = None;
        }
    }

    /// Returns the solver's output up to the interactor's end.
    pub(super) fn into_output(self) -> Vec<u8> {
        self.said
    }
}

/// Bytes read at once.
const BUFFER_BYTES: usize = 64 * 1024;

/// The input of a solver that has ended. It is read and dropped, so that a full or broken pipe never stops the writer.
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
        let reader = if is_stream { Some(reopened(reader, OFlags::RDONLY)?) } else { None };
        Ok(Self { reader })
    }

    /// Returns the descriptor to poll until [`Self::drop_some`] can read.
    pub(super) fn poll(&self) -> Option<PollFd<'_>> {
        self.reader.as_ref().map(|reader| PollFd::new(reader, PollFlags::IN))
    }

    /// Reads and drops one buffer. It never loops, because a fast writer could keep the caller here.
    pub(super) fn drop_some(&mut self) -> io::Result<()> {
        let Some(mut polled) = self.poll() else { return Ok(()) };
        if rustix::event::poll(slice::from_mut(&mut polled), Some(&Timespec::default())) != Ok(1) {
            return Ok(());
        }
        let mut buffer = [0; BUFFER_BYTES];
        match rustix::io::read(polled.as_fd(), &mut buffer) {
            // A socket says whether its other end had unread bytes.
            Ok(0) | Err(Errno::CONNRESET) => self.reader = None,
            Ok(_) | Err(Errno::AGAIN | Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    /// Shows the writer the end of the solver's output, which goes to the same socket.
    pub(super) fn show_end_of_output(&self) {
        if let Some(socket) = &self.reader {
            // The writer may have closed its end already.
            let _ = rustix::net::shutdown(socket, Shutdown::Write);
        }
    }
}

/// The most lines of a transcript.
const MAX_LINES: usize = 10_000;

/// The most bytes of a line that are kept.
const MAX_BYTES: usize = 1000;

/// The sides of a conversation.
const SOLVER: &str = "solver";
const INTERACTOR: &str = "interactor";

/// A line, and when its first byte came.
#[derive(Debug)]
struct Line {
    at: Duration,
    /// The name of the program that has printed it.
    side: &'static str,
    text: Vec<u8>,
    is_open: bool,
}

/// The lines so far.
#[derive(Debug, Default)]
struct Lines {
    kept: Vec<Line>,
    /// Whether there were more than are kept.
    are_cut: bool,
}

/// Copies the output of both sides. The threads end with the sides.
pub(super) struct Recorder {
    lines: Arc<Mutex<Lines>>,
    interactor: JoinHandle<()>,
}

impl Recorder {
    /// Records between two pipes and an interactor. Returns the pipe ends for the interactor: its input and its output.
    pub(super) fn between(from_solver: PipeReader, to_solver: PipeWriter) -> io::Result<(Self, [OwnedFd; 2])> {
        let ((input, to_interactor), (from_interactor, output)) = (io::pipe()?, io::pipe()?);
        // The interactor runs as another user, and may open its `/dev/stdin`.
        rustix::fs::fchmod(&input, Mode::from_raw_mode(0o666))?;
        let (lines, began) = (Arc::new(Mutex::new(Lines::default())), Instant::now());
        let copy = |from: PipeReader, to: PipeWriter, side: &'static str| {
            let lines = Arc::clone(&lines);
            let record = move |bytes: &[u8]| lines.lock().add(began.elapsed(), side, bytes);
            Builder::new().name("transcript".to_owned()).spawn(move || copy_all(from, to, record))
        };
        copy(from_solver, to_interactor, SOLVER)?;
        let interactor = copy(from_interactor, to_solver, INTERACTOR)?;
        Ok((Self { lines, interactor }, [input.into(), output.into()]))
    }

    /// Returns the transcript. The interactor must have ended.
    pub(super) fn finish(self) -> String {
        // If the thread panicked, the lines so far are kept.
        let _ = self.interactor.join();
        self.lines.lock().text()
    }
}

/// Copies until the end of either side, and then closes the other one.
fn copy_all(mut from: PipeReader, mut to: PipeWriter, record: impl Fn(&[u8])) {
    let mut bytes = [0; BUFFER_BYTES];
    loop {
        let count = match from.read(&mut bytes) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Ok(0) | Err(_) => return,
            Ok(count) => count,
        };
        record(&bytes[..count]);
        if to.write_all(&bytes[..count]).is_err() {
            return;
        }
    }
}

impl Lines {
    fn add(&mut self, at: Duration, side: &'static str, bytes: &[u8]) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let open = self.kept.iter().rposition(|line| line.side == side).filter(|place| self.kept[*place].is_open);
            let place = match open {
                Some(place) => place,
                None if self.kept.len() >= MAX_LINES => {
                    self.are_cut = true;
                    return;
                }
                None => {
                    self.kept.push(Line { at, side, text: Vec::new(), is_open: true });
                    self.kept.len() - 1
                }
            };
            let line = &mut self.kept[place];
            let room = MAX_BYTES.saturating_sub(line.text.len());
            line.text.extend_from_slice(&part[..part.len().min(room)]);
            line.is_open = !part.ends_with(b"\n");
        }
    }

    /// Returns a row for each line: the seconds since the start, the side, and the text.
    fn text(&self) -> String {
        let mut text = String::new();
        for Line { at, side, text: said, is_open } in &self.kept {
            let said = String::from_utf8_lossy(said);
            let end = if *is_open { " (no end of line)" } else { "" };
            // Writing to a `String` cannot fail.
            let _ =
                writeln!(text, "{:>10.4} {side:>10}: {}{end}", at.as_secs_f64(), visible(said.trim_end_matches('\n')));
        }
        if self.are_cut {
            text.push_str("… further lines are left out\n");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_come_in_pieces_are_whole_and_keep_the_time_of_their_start() {
        let mut lines = Lines::default();
        let at = Duration::from_millis;
        lines.add(at(1), INTERACTOR, b"10\nhel");
        lines.add(at(20), SOLVER, b"5\n");
        lines.add(at(30), INTERACTOR, b"lo\n");
        lines.add(at(1500), SOLVER, b"\x1b!");
        let expected = "    0.0010 interactor: 10\n    0.0010 interactor: hello\n    0.0200     solver: 5\n    1.5000     solver: \\x1b! (no end of line)\n";
        assert_eq!(lines.text(), expected);
    }

    #[test]
    fn a_transcript_says_whether_lines_are_left_out() {
        let mut lines = Lines::default();
        let is_cut = |lines: &Lines| lines.text().contains("left out");
        lines.add(Duration::ZERO, SOLVER, &b"x\n".repeat(MAX_LINES));
        assert!(!is_cut(&lines));
        lines.add(Duration::ZERO, SOLVER, b"x\n");
        assert!(is_cut(&lines));
    }

    #[test]
    fn output_is_passed_on_and_so_is_its_end() {
        let ((from_solver, solver), (input, to_solver)) = (io::pipe().unwrap(), io::pipe().unwrap());
        let (recorder, [heard, said]) = Recorder::between(from_solver, to_solver).unwrap();
        rustix::io::write(&solver, b"7\n").unwrap();
        drop(solver);
        let mut bytes = [0; 10];
        assert_eq!(rustix::io::read(&heard, &mut bytes).unwrap(), 2);
        assert_eq!(rustix::io::read(&heard, &mut bytes).unwrap(), 0, "the end");
        rustix::io::write(&said, b"ok\n").unwrap();
        drop(said);
        assert_eq!(rustix::io::read(&input, &mut bytes).unwrap(), 3);
        let text = recorder.finish();
        assert!(text.contains("    solver: 7\n") && text.contains("interactor: ok\n"), "{text}");
    }
}
