//! Moves the output of a program from its pipe into memory or a file, up to a limit. Never blocks.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::event::{PollFd, PollFlags};
use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::Errno;
use rustix::pipe::PipeFlags;
use rustix::time::Timespec;
use serde::{Deserialize, Serialize};

use crate::protocol::messages::Captured;
use crate::protocol::shared_memory;
use crate::request::{Context, Fault, Limits};

/// The pipe size for large outputs. It saves switches between writer and reader.
const PIPE_BYTES: usize = 1 << 20;

/// The size of a new pipe.
const DEFAULT_PIPE_BYTES: u64 = 1 << 16;

/// A writable pipe always accepts this many bytes at once.
const PIPE_PIECE_BYTES: usize = 4096;

/// Captured output up to this size is not moved to a file.
pub(crate) const MAX_INLINE_BYTES: usize = 4096;

/// The mode that lets another user open its output again by its name in /dev.
pub(crate) const OUTPUT_MODE: Mode = Mode::RUSR.union(Mode::WUSR).union(Mode::WGRP).union(Mode::WOTH);

/// Where the bytes go.
pub(crate) enum Target {
    /// Memory, and a file in memory for larger outputs.
    Capture,
    /// A file or pipe of the caller.
    Caller(File),
    /// Memory, and the caller's pipe, as fast as its reader reads; `None` once the reader has closed it.
    Relay { to: Option<OwnedFd>, relayed_bytes: usize },
}

impl Target {
    /// Whether writing can block, as it can for anything but a file on a disk.
    fn may_block(&self) -> rustix::io::Result<bool> {
        let Target::Caller(file) = self else { return Ok(false) };
        Ok(FileType::from_raw_mode(rustix::fs::fstat(file)?.st_mode) != FileType::RegularFile)
    }
}

/// The standard stream that a program writes to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Channel {
    /// Of the bytes beyond the limit, one is counted and the rest stays unread, as the run is over.
    Output,
    /// Bytes beyond the limit are counted and dropped. A captured stream keeps its beginning and its end.
    Errors,
}

impl Channel {
    fn name(self) -> &'static str {
        if self == Channel::Output { "output" } else { "error output" }
    }

    /// The limit for its bytes.
    pub(crate) fn cap(self, limits: &Limits) -> u64 {
        if self == Channel::Output { limits.stdout } else { limits.stderr }
    }
}

/// A stream of a run that another process continues: its pipe, and what was captured.
#[derive(Serialize, Deserialize)]
pub(crate) struct PartialOutput {
    /// The read end of the pipe, which is there before the message is encoded and after it is decoded.
    #[serde(skip)]
    pub(crate) pipe: Option<OwnedFd>,
    /// The captured bytes.
    #[serde(with = "crate::os_data")]
    inline: Vec<u8>,
    /// The last bytes after these.
    #[serde(with = "crate::os_data")]
    end: Vec<u8>,
    /// The number of bytes received.
    received: u64,
}

/// One output stream of a run.
pub(crate) struct Stream {
    pipe: OwnedFd,
    /// Whether the pipe is non-blocking.
    is_ready: bool,
    channel: Channel,
    target: Target,
    /// Whether writing to the target can block. Then it is polled before each piece.
    may_block: bool,
    cap: u64,
    /// The number of bytes received.
    pub(crate) received: u64,
    kept: u64,
    /// The captured bytes, while they are few.
    inline: Vec<u8>,
    /// The captured bytes once they are many.
    file: Option<File>,
    /// The last bytes beyond the limit, and how many of them are kept.
    end: VecDeque<u8>,
    end_cap: usize,
    /// Whether further output is no longer kept.
    is_over: bool,
    /// No more output will come: every writer has closed, or the limit was exceeded.
    pub(crate) done: bool,
}

impl Stream {
    /// Returns a stream and the descriptor that the program writes to.
    pub(crate) fn open(channel: Channel, target: Target, cap: u64) -> Result<(Stream, OwnedFd), Fault> {
        let (pipe, writer) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC).context("making a pipe")?;
        Ok((Stream::build(channel, pipe, target, cap)?, writer))
    }

    /// The same for captured output. `others`: the program runs as another user than this process.
    pub(crate) fn for_capture(channel: Channel, limits: &Limits, others: bool) -> Result<(Stream, OwnedFd), Fault> {
        let (stream, writer) = Stream::open(channel, Target::Capture, channel.cap(limits))?;
        if others {
            rustix::fs::fchmod(&writer, OUTPUT_MODE).context("changing the mode of the output")?;
        }
        Ok((stream, writer))
    }

    /// A stream that another process began to capture.
    pub(crate) fn resume(channel: Channel, partial: PartialOutput, limits: &Limits) -> Result<Stream, Fault> {
        let PartialOutput { pipe, inline, end, received } = partial;
        let pipe = pipe.ok_or(io::Error::from(io::ErrorKind::InvalidData)).context("receiving a pipe")?;
        let (kept, end) = (inline.len() as u64, end.into());
        let stream = Stream::build(channel, pipe, Target::Capture, channel.cap(limits))?;
        Ok(Stream { inline, end, received, kept, ..stream })
    }

    fn build(channel: Channel, pipe: OwnedFd, target: Target, cap: u64) -> Result<Stream, Fault> {
        let may_block = target.may_block().context("examining the file for the output")?;
        // Half of the limit is for the end.
        let has_end = channel == Channel::Errors && matches!(target, Target::Capture);
        let end_cap = if has_end { usize::try_from(cap / 2).unwrap_or(usize::MAX) } else { 0 };
        Ok(Stream {
            pipe,
            is_ready: false,
            channel,
            target,
            may_block,
            cap: cap - end_cap as u64,
            received: 0,
            kept: 0,
            inline: Vec::new(),
            file: None,
            end: VecDeque::new(),
            end_cap,
            is_over: false,
            done: false,
        })
    }

    /// Enlarges the pipe for a program that may write much. For a program that writes little, this takes as long as
    /// making the pipe.
    pub(crate) fn enlarge_pipe(&self) {
        if self.cap > DEFAULT_PIPE_BYTES {
            // Failure only costs time. An ordinary user may have too many pipes already.
            let _ = rustix::pipe::fcntl_setpipe_size(&self.pipe, PIPE_BYTES);
        }
    }

    /// The pipe and the data captured so far, for another process. Only for a stream with little output.
    pub(crate) fn into_partial(self) -> PartialOutput {
        let Stream { pipe, inline, end, received, .. } = self;
        PartialOutput { pipe: Some(pipe), inline, end: end.into(), received }
    }

    /// The read end of the pipe.
    pub(crate) fn pipe(&self) -> BorrowedFd<'_> {
        self.pipe.as_fd()
    }

    /// What to poll until [`Stream::drain`] can do something; `None` if nothing is left to do.
    pub(crate) fn awaited(&self) -> Option<PollFd<'_>> {
        match &self.target {
            _ if self.done => None,
            Target::Caller(file) if self.is_blocked() => Some(PollFd::new(file, PollFlags::OUT)),
            _ => Some(PollFd::new(&self.pipe, PollFlags::IN)),
        }
    }

    /// What to poll in addition: the relay pipe, if it was full.
    pub(crate) fn pending(&self) -> Option<PollFd<'_>> {
        match &self.target {
            Target::Relay { to: Some(to), relayed_bytes } if *relayed_bytes < self.inline.len() => {
                Some(PollFd::new(to, PollFlags::OUT))
            }
            _ => None,
        }
    }

    /// Whether output is relayed.
    pub(crate) fn is_relay(&self) -> bool {
        matches!(self.target, Target::Relay { .. })
    }

    /// The number of relayed bytes.
    pub(crate) fn relayed(&self) -> u64 {
        if let Target::Relay { relayed_bytes, .. } = self.target { relayed_bytes as u64 } else { 0 }
    }

    /// The program is no longer needed. Its further output is counted, but not kept if it was relayed.
    pub(crate) fn cut_off(&mut self) {
        self.is_over = self.is_relay();
    }

    /// Whether the stream can be ignored for a moment: the pipe can hold the output, and no reader waits for it.
    pub(crate) fn can_wait(&self) -> bool {
        matches!(self.target, Target::Capture)
    }

    /// Whether there may be output, but the target is full.
    pub(crate) fn is_blocked(&self) -> bool {
        let Target::Caller(file) = &self.target else { return false };
        let ready = || rustix::event::poll(&mut [PollFd::new(file, PollFlags::OUT)], Some(&Timespec::default()));
        self.may_block && !self.done && self.kept < self.cap && ready() == Ok(0)
    }

    /// Takes the captured output.
    pub(crate) fn take_captured(&mut self) -> Captured {
        match self.file.take() {
            Some(file) => Captured::InFile { file: Some(file.into()), length: self.kept },
            None => Captured::Inline(std::mem::take(&mut self.inline)),
        }
    }

    /// Whether more than the limit was received.
    pub(crate) fn overflowed(&self) -> bool {
        self.channel == Channel::Output && self.received > self.cap
    }

    /// Prepares the captured output for [`Stream::take_captured`].
    pub(crate) fn finish(&mut self) -> Result<(), Fault> {
        if !self.end.is_empty() {
            let beginning = self.take_captured().bytes().context("reading the program's output")?;
            self.inline = both_ends(beginning, std::mem::take(&mut self.end).into(), self.received);
            self.kept = self.inline.len() as u64;
        }
        if self.inline.len() > MAX_INLINE_BYTES {
            self.store(&[]).context("storing the program's output")?;
        }
        Ok(())
    }

    /// Moves the captured output to a file in memory, and appends `bytes`.
    fn store(&mut self, bytes: &[u8]) -> io::Result<()> {
        let file = self.file.insert(shared_memory::create()?);
        file.write_all(&self.inline)?;
        file.write_all(bytes)
    }

    /// Takes what is in the pipe. `rounds` limits the work, so that a flood of output cannot delay the checks of
    /// limits.
    pub(crate) fn drain(&mut self, buffer: &mut [u8], rounds: usize) -> Result<(), Fault> {
        self.relay_pending().context("relaying the program's output")?;
        for _ in 0..rounds {
            if self.done || self.is_blocked() {
                break;
            }
            if !self.is_ready {
                rustix::fs::fcntl_setfl(&self.pipe, OFlags::NONBLOCK).context("making a pipe non-blocking")?;
                self.is_ready = true;
            }
            let piece = if self.may_block { buffer.len().min(PIPE_PIECE_BYTES) } else { buffer.len() };
            let count = match rustix::io::read(&self.pipe, &mut buffer[..piece]) {
                Ok(count) => count,
                Err(Errno::AGAIN) => break,
                Err(Errno::INTR) => continue,
                Err(error) => return Err(error).context(format!("reading the program's {}", self.channel.name())),
            };
            self.done = count == 0;
            self.take(&buffer[..count])?;
        }
        Ok(())
    }

    /// Takes all that is in a pipe that was not read yet, if it is little. `state` is the result of polling it.
    fn take_at_once(&mut self, state: PollFlags, buffer: &mut [u8]) -> Result<(), Fault> {
        // Without a writer, a read that does not fill the buffer is the last one.
        if self.is_ready || !self.can_wait() || !state.contains(PollFlags::HUP) {
            return Ok(());
        }
        if !state.contains(PollFlags::IN) {
            self.done = true;
            return Ok(());
        }
        let Ok(count) = rustix::io::read(&self.pipe, &mut *buffer) else { return Ok(()) };
        self.done = count < buffer.len();
        self.take(&buffer[..count])
    }

    fn take(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        if let Err(error) = self.keep(bytes) {
            return Err(error).context(format!("writing the program's {} to its file", self.channel.name()));
        }
        self.received += bytes.len() as u64;
        if self.overflowed() {
            self.received = self.cap + 1;
            self.done = true;
        }
        Ok(())
    }

    fn keep(&mut self, bytes: &[u8]) -> io::Result<()> {
        let space = usize::try_from(self.cap - self.kept).unwrap_or(usize::MAX);
        let kept = if self.is_over { &[] } else { &bytes[..bytes.len().min(space)] };
        match (&mut self.target, &mut self.file) {
            (Target::Caller(file), _) | (Target::Capture, Some(file)) => file.write_all(kept)?,
            (Target::Relay { .. }, _) => {
                self.inline.extend_from_slice(kept);
                self.relay_pending()?;
            }
            (Target::Capture, None) if self.inline.len() + kept.len() <= MAX_INLINE_BYTES => {
                self.inline.extend_from_slice(kept)
            }
            (Target::Capture, None) => self.store(kept)?,
        }
        self.kept += kept.len() as u64;
        self.keep_end(&bytes[kept.len()..]);
        Ok(())
    }

    /// Keeps the last of the bytes beyond the limit.
    fn keep_end(&mut self, bytes: &[u8]) {
        let last = &bytes[bytes.len().saturating_sub(self.end_cap)..];
        let surplus = (self.end.len() + last.len()).saturating_sub(self.end_cap);
        self.end.drain(..surplus);
        self.end.extend(last);
    }

    /// Writes as much to the relay pipe as fits. Stops for good once its reader has closed it.
    fn relay_pending(&mut self) -> io::Result<()> {
        let Target::Relay { to, relayed_bytes } = &mut self.target else { return Ok(()) };
        while *relayed_bytes < self.inline.len()
            && let Some(pipe) = to
        {
            match write_what_fits(pipe, &self.inline[*relayed_bytes..]) {
                Ok(count) => *relayed_bytes += count,
                Err(Errno::AGAIN) => break,
                Err(Errno::INTR) => {}
                Err(Errno::PIPE) => *to = None,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

/// Returns the beginning and the end of an output of so many bytes. If bytes between them are dropped, a line says how
/// many. Lines that are cut in two are dropped, too: half of a number is another number.
pub fn both_ends(mut text: Vec<u8>, mut end: Vec<u8>, bytes: u64) -> Vec<u8> {
    if bytes > (text.len() + end.len()) as u64 {
        let is_line_end = |byte: &u8| *byte == b'\n';
        text.truncate(text.iter().rposition(is_line_end).map_or(text.len(), |place| place + 1));
        // A single line that is longer than what is kept stays.
        let cut = end.iter().position(is_line_end).map_or(0, |place| place + 1);
        end.drain(..if cut < end.len() { cut } else { 0 });
        let dropped = bytes - (text.len() + end.len()) as u64;
        let start = if text.is_empty() || text.ends_with(b"\n") { "" } else { "\n" };
        text.extend(format!("{start}[{dropped} bytes are left out]\n").bytes());
    }
    text.append(&mut end);
    text
}

/// Writes a piece that does not block, or returns [`Errno::AGAIN`], or [`Errno::PIPE`] if the other end is closed. The
/// flags of the descriptor stay as they are, because other programs may have copies of it.
///
/// # Errors
/// When nothing could be written.
pub fn write_what_fits(to: impl AsFd, bytes: &[u8]) -> rustix::io::Result<usize> {
    let mut polled = [PollFd::new(&to, PollFlags::OUT)];
    match rustix::event::poll(&mut polled, Some(&Timespec::default()))? {
        0 => Err(Errno::AGAIN),
        _ if polled[0].revents().intersects(PollFlags::ERR | PollFlags::HUP) => Err(Errno::PIPE),
        _ => rustix::io::write(&to, &bytes[..bytes.len().min(PIPE_PIECE_BYTES)]),
    }
}

/// Takes what is left of two streams whose program has ended, after one poll of both. For little output this is faster
/// than draining each. [`Stream::drain`] takes what this leaves.
pub(crate) fn take_rest(streams: [&mut Stream; 2], buffer: &mut [u8]) -> Result<(), Fault> {
    let states = {
        let mut pipes = streams.each_ref().map(|stream| PollFd::new(&stream.pipe, PollFlags::IN));
        if rustix::event::poll(&mut pipes, Some(&Timespec::default())).is_err() {
            return Ok(());
        }
        pipes.each_ref().map(PollFd::revents)
    };
    streams.into_iter().zip(states).try_for_each(|(stream, state)| stream.take_at_once(state, buffer))
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::time::{Duration, Instant};

    use super::*;

    fn drained(cap: u64, channel: Channel, input: &[u8]) -> (Vec<u8>, u64, bool) {
        let (mut stream, writer) = Stream::open(channel, Target::Capture, cap).unwrap();
        File::from(writer).write_all(input).unwrap();
        stream.drain(&mut [0; 1000], 1000).unwrap();
        stream.finish().unwrap();
        let (received, overflowed) = (stream.received, stream.overflowed());
        (stream.take_captured().bytes().unwrap(), received, overflowed)
    }

    #[test]
    fn exactly_the_cap_is_no_overflow() {
        assert_eq!(drained(5, Channel::Output, b"hello"), (b"hello".to_vec(), 5, false));
        assert_eq!(drained(4, Channel::Output, b"hello"), (b"hell".to_vec(), 5, true));
        assert_eq!(drained(2, Channel::Output, b"hello world"), (b"he".to_vec(), 3, true));
        assert_eq!(drained(0, Channel::Output, b""), (Vec::new(), 0, false));
    }

    #[test]
    fn what_is_captured_is_the_same_however_much_it_is() {
        for length in [
            MAX_INLINE_BYTES - 1,
            MAX_INLINE_BYTES,
            MAX_INLINE_BYTES + 1,
            2 * MAX_INLINE_BYTES,
            7 * MAX_INLINE_BYTES + 13,
        ] {
            let text: Vec<u8> = (0..length).map(|place| (place % 251) as u8).collect();
            assert_eq!(drained(1 << 16, Channel::Output, &text), (text, length as u64, false), "{length} bytes");
        }
    }

    #[test]
    fn one_look_takes_what_fits_and_waits_for_no_writer() {
        let open = || Stream::open(Channel::Output, Target::Capture, 1 << 16).unwrap();
        for (length, is_all) in [(0, true), (99, true), (100, false), (250, false)] {
            let ((mut full, writer), (mut held, holder)) = (open(), open());
            File::from(writer).write_all(&vec![b'x'; length]).unwrap();
            File::from(holder.try_clone().unwrap()).write_all(b"y").unwrap();
            take_rest([&mut full, &mut held], &mut [0; 100]).unwrap();
            assert_eq!((full.done, full.received), (is_all, length.min(100) as u64), "{length} bytes");
            assert_eq!((held.done, held.received), (false, 0), "the other end is open");
            full.drain(&mut [0; 100], usize::MAX).unwrap();
            held.drain(&mut [0; 100], usize::MAX).unwrap();
            assert_eq!((full.done, full.received, held.done, held.received), (true, length as u64, false, 1));
        }
    }

    #[test]
    fn what_is_relayed_is_kept_and_does_not_wait_for_its_reader() {
        let text: Vec<u8> = (0..200_000).map(|place| (place % 251) as u8).collect();
        let (reader, to) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC).unwrap();
        let target = Target::Relay { to: Some(to), relayed_bytes: 0 };
        let (mut stream, writer) = Stream::open(Channel::Output, target, 1 << 20).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| File::from(writer).write_all(&text).unwrap());
            while !stream.done {
                stream.drain(&mut [0; 1000], 1).unwrap();
            }
        });
        let relayed_bytes = stream.relayed() as usize;
        assert!(0 < relayed_bytes && relayed_bytes < text.len() && stream.pending().is_some(), "{relayed_bytes} bytes");
        let (mut reader, mut heard) = (File::from(reader), vec![0; relayed_bytes]);
        reader.read_exact(&mut heard).unwrap();
        assert_eq!(heard, text[..relayed_bytes]);
        stream.relay_pending().unwrap();
        assert!(stream.relayed() as usize > relayed_bytes);
        drop(reader);
        // A program that another test is starting may hold the reader for a moment.
        let began = Instant::now();
        while stream.pending().is_some() {
            assert!(began.elapsed() < Duration::from_secs(20), "the reader is gone");
            stream.relay_pending().unwrap();
        }
        stream.finish().unwrap();
        assert_eq!(stream.take_captured().bytes().unwrap(), text);
    }

    #[test]
    fn the_beginning_and_the_end_are_kept() {
        let kept = |cap, input: &[u8]| drained(cap, Channel::Errors, input);
        assert_eq!(kept(4, b"hello world"), (b"he\n[7 bytes are left out]\nld".to_vec(), 11, false));
        assert_eq!(kept(11, b"hello world"), (b"hello world".to_vec(), 11, false));
        assert_eq!(kept(0, b"hello world"), (Vec::new(), 11, false));
        let lines = b"moves 123\nmoves 456\nmoves 789\nend 1\n";
        assert_eq!(kept(32, lines).0, b"moves 123\n[20 bytes are left out]\nend 1\n");
        assert_eq!(kept(20, b"a\nxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n").0, b"a\n[21 bytes are left out]\nxxxxxxxxx\n");
        let long: Vec<u8> = (0..40_000).map(|place| b"0123456789"[place % 10]).collect();
        let (text, received, _) = kept(20_000, &long);
        assert!(received == 40_000 && text.starts_with(b"0123456789") && text.ends_with(b"0123456789"));
        assert_eq!(text.len(), 20_000 + "\n[20000 bytes are left out]\n".len());
    }
}
