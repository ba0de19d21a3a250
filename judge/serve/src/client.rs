//! A client: its messages come in, answers and notifications go out. It may be on standard input and output, with a
//! message on each line.

use crate::MAX_MESSAGE;
use crate::evaluator::Evaluator;
use crate::methods::{Later, Methods, Step};
use crate::queue::{Notify, Task};
use crate::rpc::{self, Answer, Id, Request, Result, RpcError, code, json};
use judge_run::runner::{Signals, exit_at_once};
use judge_session::Failure;
use parking_lot::Mutex;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, retry_on_intr};
use rustix::pipe::{PIPE_BUF, PipeFlags, pipe_with};
use serde_json::json as value;
use std::io::{self, BufRead, BufReader, Read};
use std::os::fd::{BorrowedFd, OwnedFd};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::Builder;

/// Sends a line to the client.
type Send = dyn Fn(&str) + std::marker::Send + Sync;

/// Takes the answer to a message; `None`: there is none.
type Reply = Box<dyn FnOnce(Option<String>) + std::marker::Send>;

/// A client, or all of a server of HTTP.
pub struct Client {
    evaluator: Arc<Evaluator>,
    methods: Methods,
    /// Sends notifications. Without it, the same id may be in use twice, because several clients share this value.
    notify: Option<Arc<Send>>,
    running: Mutex<Vec<(Id, Arc<Task>)>>,
}

/// A message whose answer may still be pending.
#[must_use]
pub struct Pending {
    client: Arc<Client>,
    task: Option<Arc<Task>>,
}

impl Pending {
    /// Lets the request continue. Otherwise it is cancelled when this is dropped.
    pub fn detach(mut self) {
        self.task = None;
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        self.task.iter().for_each(|task| self.client.evaluator.queue.cancel(task));
    }
}

impl Client {
    /// Returns a client that gets notifications by `notify`. Without it, the value represents several clients, which
    /// get none.
    pub fn new(evaluator: Arc<Evaluator>, methods: Methods, notify: Option<Arc<Send>>) -> Arc<Self> {
        Arc::new(Self { evaluator, methods, notify, running: Mutex::default() })
    }

    /// Takes a message. `reply` gets the answer, at once or later, from any thread.
    pub fn receive_one(
        self: &Arc<Self>,
        message: &[u8],
        reply: impl FnOnce(Option<String>) + std::marker::Send + 'static,
    ) -> Pending {
        let reply: Reply = Box::new(reply);
        if message.len() > MAX_MESSAGE {
            return self.reply_now(reply, Some(Self::refuse_long()));
        }
        let Request { id, method, params } = match rpc::parse(message) {
            Ok(Some(request)) => request,
            Ok(None) => return self.reply_now(reply, None),
            Err((id, error)) => return self.reply_now(reply, Some(rpc::answer_line(&id, &Err(error)))),
        };
        let step = self.methods.step(&self.evaluator, id.as_ref(), &method, params);
        let Some(id) = id else {
            // A notification gets no answer, so it can only cancel.
            if let Ok(Step::Cancel(id)) = step {
                self.cancel(&id);
            }
            return self.reply_now(reply, None);
        };
        let answer = match step {
            Ok(Step::Later(later)) => return self.begin(id, later, reply),
            Ok(Step::Now(answer)) => answer,
            Ok(Step::Cancel(id)) => Ok(json(&value!({ "cancelled": self.cancel(&id) }))),
            Err(error) => Err(error),
        };
        self.reply_now(reply, Some(rpc::answer_line(&id, &answer)))
    }

    fn reply_now(self: &Arc<Self>, reply: Reply, answer: Option<String>) -> Pending {
        reply(answer);
        Pending { client: Arc::clone(self), task: None }
    }

    /// Returns the error of a message that is too long.
    pub(crate) fn refuse_long() -> String {
        let error = format!("a message is longer than {} MiB", MAX_MESSAGE >> 20);
        rpc::answer_line(&Id::unknown(), &Err(RpcError::new(code::PARSE, error)))
    }

    /// Cancels the requests of this id. Returns whether there are any.
    fn cancel(&self, id: &Id) -> bool {
        let running = self.running.lock().clone();
        let tasks: Vec<_> = running.iter().filter(|(running, _)| running == id).map(|(_, task)| task).collect();
        tasks.iter().for_each(|task| self.evaluator.queue.cancel(task));
        !tasks.is_empty()
    }

    /// Puts a request into the queue.
    fn begin(self: &Arc<Self>, id: Id, later: Later, reply: Reply) -> Pending {
        let Later { priority, progress, work } = later;
        let notify = self.notify.clone().zip(progress);
        let notify = notify.map(|(send, progress)| Box::new(move |now| send(&progress(now))) as Notify);
        let task = Task::new(self.evaluator.rank(priority), notify);
        {
            let mut running = self.running.lock();
            if self.notify.is_some() && running.iter().any(|(other, _)| *other == id) {
                drop(running);
                let error = RpcError::new(code::INVALID_REQUEST, format!("the id {} is in use", id.json()));
                return self.reply_now(reply, Some(rpc::answer_line(&id, &Err(error))));
            }
            running.push((id.clone(), Arc::clone(&task)));
        }
        let (client, own) = (Arc::clone(self), Arc::clone(&task));
        let job = move |turn: Result<()>| {
            let answer = turn.and_then(|()| own.check()).and_then(|()| guarded(|| work(&client.evaluator, &own)));
            client.running.lock().retain(|(_, other)| !Arc::ptr_eq(other, &own));
            client.evaluator.queue.done(&own);
            reply(Some(rpc::answer_line(&id, &answer)));
        };
        self.evaluator.queue.push(Arc::clone(&task), Box::new(job));
        Pending { client: Arc::clone(self), task: Some(task) }
    }
}

/// Does the work of a request. A panic is a fault of the judge, and ends no other request.
fn guarded(work: impl FnOnce() -> Answer) -> Answer {
    let done = catch_unwind(AssertUnwindSafe(work));
    done.unwrap_or_else(|_| Err(RpcError::new(code::FAULT, "the judge ended on a panic")))
}

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
    let received = receive(Input { input, ended: &ended }, &mut |message| match message {
        Some(message) if message.trim_ascii().is_empty() => {}
        Some(message) => {
            let send = Arc::clone(&send);
            client.receive_one(message, move |line| line.iter().for_each(|line| send(line))).detach();
        }
        None => send(&Client::refuse_long()),
    });
    evaluator.end();
    received.or_else(|error| match error.kind() {
        ENDED => Ok(()),
        _ => Err(Failure::fault(format!("cannot read standard input: {error}"))),
    })?;
    let failed = failed.lock().take();
    failed.map_or(Ok(()), |error| Err(Failure::fault(format!("cannot write to standard output: {error}"))))
}

/// How long a client may take to continue reading when the server ends.
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
    // A full pipe wakes the server, too.
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

/// The input of a server. Reading it fails with [`ENDED`] once `ended` is readable.
struct Input<'a> {
    input: BorrowedFd<'a>,
    ended: &'a OwnedFd,
}

const ENDED: io::ErrorKind = io::ErrorKind::ConnectionAborted;

impl Read for Input<'_> {
    fn read(&mut self, piece: &mut [u8]) -> io::Result<usize> {
        loop {
            let mut fds = [PollFd::new(&self.input, PollFlags::IN), PollFd::new(self.ended, PollFlags::IN)];
            retry_on_intr(|| poll(&mut fds, None))?;
            if !fds[1].revents().is_empty() {
                return Err(ENDED.into());
            }
            match rustix::io::read(self.input, &mut *piece) {
                Err(Errno::INTR | Errno::AGAIN) => {}
                read => return Ok(read?),
            }
        }
    }
}

/// Passes on each line, and `None` for one that is too long, until the input ends.
fn receive(input: impl Read, take: &mut dyn FnMut(Option<&[u8]>)) -> io::Result<()> {
    let mut input = BufReader::with_capacity(PIECE, input);
    loop {
        let mut line = Vec::new();
        if input.by_ref().take(MAX_MESSAGE as u64 + 1).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        line.pop_if(|byte| *byte == b'\n');
        if line.len() > MAX_MESSAGE {
            take(None);
            input.skip_until(b'\n')?;
        } else {
            take(Some(&line));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(pieces: &[&[u8]]) -> Vec<Option<usize>> {
        let input: Box<dyn Read> = Box::new(io::empty());
        let input = pieces.iter().fold(input, |before, piece| Box::new(before.chain(*piece)));
        let mut found = Vec::new();
        receive(input, &mut |line| found.push(line.map(<[u8]>::len))).unwrap();
        found
    }

    #[test]
    fn lines_come_in_any_pieces_and_long_ones_are_skipped() {
        assert_eq!(lines(&[b"ab\n\nc", b"d\n", b"e"]), [Some(2), Some(0), Some(2), Some(1)]);
        let long = vec![b'x'; MAX_MESSAGE / 2 + 1];
        assert_eq!(lines(&[&long, &long, b"x\nab\n"]), [None, Some(2)]);
        let longest = vec![b'x'; MAX_MESSAGE];
        assert_eq!(lines(&[&longest, b"\n", &longest]), [Some(MAX_MESSAGE); 2]);
        assert_eq!(lines(&[&longest, b"x\n"]), [None]);
    }
}
