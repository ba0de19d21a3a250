//! What both sides of a conversation said, and when: copied on its way between them, where a transcript is wanted.

use super::relay::Pipe;
use judge_problem::visible;
use parking_lot::Mutex;
use rustix::fs::Mode;
use rustix::io::Errno;
use std::fmt::Write;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

/// The most lines of a transcript.
const MOST_LINES: usize = 10_000;

/// The most bytes of a line that are kept.
const MOST_BYTES: usize = 1000;

/// A side of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Solver,
    Interactor,
}

/// A line, and when its first byte came.
#[derive(Debug)]
struct Line {
    at: Duration,
    side: Side,
    text: Vec<u8>,
    is_open: bool,
}

/// The lines so far.
#[derive(Debug, Default)]
struct Lines(Vec<Line>);

/// Copies what both sides say. The threads end with the sides.
pub(super) struct Recorder {
    lines: Arc<Mutex<Lines>>,
    interactor: JoinHandle<()>,
}

impl Recorder {
    /// Stands between two pipes and an interactor. Returns the ends that the interactor gets instead: what it reads, and what it
    /// writes to.
    pub(super) fn between(from_solver: OwnedFd, to_solver: OwnedFd) -> io::Result<(Self, [OwnedFd; 2])> {
        let (heard, said) = (Pipe::open()?, Pipe::open()?);
        // The interactor runs as another user, and may open its `/dev/stdin`.
        rustix::fs::fchmod(&heard.reader, Mode::from_raw_mode(0o666))?;
        let (lines, began) = (Arc::new(Mutex::new(Lines::default())), Instant::now());
        let copy = |from: OwnedFd, to: OwnedFd, side: Side| {
            let lines = Arc::clone(&lines);
            let record = move |bytes: &[u8]| lines.lock().add(began.elapsed(), side, bytes);
            Builder::new().name("transcript".to_owned()).spawn(move || copy_all(&from, to, record))
        };
        copy(from_solver, heard.writer, Side::Solver)?;
        let interactor = copy(said.reader, to_solver, Side::Interactor)?;
        Ok((Self { lines, interactor }, [heard.reader, said.writer]))
    }

    /// Returns the transcript. The interactor must have ended.
    pub(super) fn finish(self) -> String {
        // A thread that panicked has copied what it could.
        let _ = self.interactor.join();
        self.lines.lock().text()
    }
}

/// Copies until the end of either side, and closes the other one then.
fn copy_all(from: &OwnedFd, to: OwnedFd, record: impl Fn(&[u8])) {
    let mut bytes = [0; 1 << 16];
    loop {
        let mut rest = match rustix::io::read(from, &mut bytes) {
            Ok(0) => return,
            Ok(count) => &bytes[..count],
            Err(Errno::INTR) => continue,
            Err(_) => return,
        };
        record(rest);
        while !rest.is_empty() {
            match rustix::io::write(&to, rest) {
                Ok(count) => rest = &rest[count..],
                Err(Errno::INTR) => {}
                Err(_) => return,
            }
        }
    }
}

impl Lines {
    fn add(&mut self, at: Duration, side: Side, bytes: &[u8]) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let open = self.0.iter().rposition(|line| line.side == side).filter(|place| self.0[*place].is_open);
            let place = match open {
                Some(place) => place,
                None if self.0.len() >= MOST_LINES => return,
                None => {
                    self.0.push(Line { at, side, text: Vec::new(), is_open: true });
                    self.0.len() - 1
                }
            };
            let line = &mut self.0[place];
            let room = MOST_BYTES.saturating_sub(line.text.len());
            line.text.extend_from_slice(&part[..part.len().min(room)]);
            line.is_open = !part.ends_with(b"\n");
        }
    }

    /// Returns a row for each line: the seconds since the start, who said it, and what.
    fn text(&self) -> String {
        let mut text = String::new();
        for Line { at, side, text: said, is_open } in &self.0 {
            let side = match side {
                Side::Solver => "solver",
                Side::Interactor => "interactor",
            };
            let said = String::from_utf8_lossy(said);
            let end = if *is_open { " (no end of line)" } else { "" };
            // Writing to a `String` cannot fail.
            let _ =
                writeln!(text, "{:>10.4} {side:>10}: {}{end}", at.as_secs_f64(), visible(said.trim_end_matches('\n')));
        }
        if self.0.len() >= MOST_LINES {
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
        lines.add(at(1), Side::Interactor, b"10\nhel");
        lines.add(at(20), Side::Solver, b"5\n");
        lines.add(at(30), Side::Interactor, b"lo\n");
        lines.add(at(1500), Side::Solver, b"\x1b!");
        let expected = "    0.0010 interactor: 10\n    0.0010 interactor: hello\n    0.0200     solver: 5\n    1.5000     solver: \\x1b! (no end of line)\n";
        assert_eq!(lines.text(), expected);
    }

    #[test]
    fn what_is_said_arrives_and_ends_arrive_too() {
        let (solver, input) = (Pipe::open().unwrap(), Pipe::open().unwrap());
        let (recorder, [heard, said]) = Recorder::between(solver.reader, input.writer).unwrap();
        rustix::io::write(&solver.writer, b"7\n").unwrap();
        drop(solver.writer);
        let mut bytes = [0; 10];
        assert_eq!(rustix::io::read(&heard, &mut bytes).unwrap(), 2);
        assert_eq!(rustix::io::read(&heard, &mut bytes).unwrap(), 0, "the end");
        rustix::io::write(&said, b"ok\n").unwrap();
        drop(said);
        assert_eq!(rustix::io::read(&input.reader, &mut bytes).unwrap(), 3);
        let text = recorder.finish();
        assert!(text.contains("    solver: 7\n") && text.contains("interactor: ok\n"), "{text}");
    }
}
