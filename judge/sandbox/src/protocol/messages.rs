//! The judge's orders to a helper, the helper's answers, and the messages between helpers and the inits of jails.
//! Descriptors are sent with the messages, in the order of the fields that stand for them.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::cgroup::Counters;
use crate::cgroup::site::Site;
use crate::clock::nanoseconds;
use crate::protocol::{Message, Received};
use crate::request::{Breach, End, Exchange, Fault, Limits, OutputFiles, Request, Sink, Stdin, Usage, Visible};
use crate::tier::Tier;

/// A helper's settings: the first message that it receives.
#[derive(Serialize, Deserialize)]
pub(crate) struct Settings {
    pub(crate) tier: Tier,
    pub(crate) core: Option<usize>,
    /// For the tiers with control groups.
    pub(crate) site: Option<Site>,
    /// For the working folder of the tiers without namespaces.
    #[serde(with = "crate::os_data")]
    pub(crate) scratch: PathBuf,
    /// Unique on this machine.
    pub(crate) name: String,
    /// For the tiers without namespaces.
    #[serde(skip)]
    pub(crate) keeper_link: Option<KeeperLink>,
}

/// What connects a helper with its keeper.
pub(crate) struct KeeperLink {
    /// The keeper acts when this is closed, in all processes.
    pub(crate) alive: OwnedFd,
    pub(crate) kill_target: OwnedFd,
}

impl Settings {
    pub(crate) fn send(&self, socket: impl AsFd) -> io::Result<()> {
        let link = self.keeper_link.iter().flat_map(|link| [link.alive.as_fd(), link.kill_target.as_fd()]);
        Message::new(self).send(socket, &link.collect::<Vec<_>>())
    }

    pub(crate) fn decode(received: &mut Received) -> io::Result<Settings> {
        let mut settings: Settings = received.decode()?;
        if !settings.tier.has_namespaces() {
            settings.keeper_link = Some(KeeperLink { alive: received.take_fd()?, kill_target: received.take_fd()? });
        }
        Ok(settings)
    }
}

/// The part of a [`Request`] that is not a descriptor. Standard input travels with it, then the files of its output targets.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunSpec {
    #[serde(with = "crate::os_data")]
    pub(crate) program: PathBuf,
    pub(crate) argv: Vec<OsString>,
    pub(crate) environment: Vec<(OsString, OsString)>,
    pub(crate) visible: Vec<Visible>,
    #[serde(with = "crate::os_data")]
    pub(crate) hidden: Vec<PathBuf>,
    #[serde(with = "crate::os_data")]
    pub(crate) folder: Option<PathBuf>,
    pub(crate) limits: Limits,
    pub(crate) exchange: Option<Exchange>,
    /// How long the program may take to end by itself once it is no longer needed.
    pub(crate) grace: Duration,
    pub(crate) stdout: OutputTarget,
    pub(crate) stderr: OutputTarget,
    /// The last descriptor becomes readable when the program is no longer needed.
    pub(crate) has_until: bool,
    /// Standard input is a sealed file in memory, at its start, that no other process has open.
    pub(crate) owns_stdin: bool,
    /// Nothing runs yet. The receiver prepares for the order, and does not answer.
    pub(crate) only_prepare: bool,
    /// What the program reads from a disk stays in the machine's memory.
    pub(crate) keeps_pages: bool,
}

/// How long a program that is no longer needed may take to end by itself, where its end matters.
const GRACE: Duration = Duration::from_millis(200);

impl RunSpec {
    /// The time on the monotonic clock by which the watcher must have killed a program that was started at `started`.
    /// If a program is alive later, its watcher was stopped.
    pub(crate) fn deadline(&self, started: u64) -> Option<u64> {
        const MARGIN: u64 = 2_000_000_000;
        let wall = nanoseconds(self.limits.wall?);
        Some(started.saturating_add(wall).saturating_add(nanoseconds(self.grace)).saturating_add(MARGIN))
    }

    /// Whether all input and output of the program is in memory, as it is for most.
    pub(crate) fn is_in_memory(&self) -> bool {
        let captures = [self.stdout, self.stderr] == [OutputTarget::Capture; 2];
        captures && self.owns_stdin && !self.has_until && !self.only_prepare && self.exchange.is_none()
    }
}

impl From<&Request> for RunSpec {
    fn from(request: &Request) -> RunSpec {
        RunSpec {
            program: request.program.clone(),
            argv: request.argv.clone(),
            environment: request.environment.clone(),
            visible: request.visible.clone(),
            hidden: request.hidden.clone(),
            folder: request.folder.clone(),
            limits: request.limits.clone(),
            exchange: None,
            grace: GRACE,
            stdout: OutputTarget::of(&request.stdout).0,
            stderr: OutputTarget::of(&request.stderr).0,
            has_until: false,
            owns_stdin: matches!(request.stdin, Stdin::Bytes(_)),
            only_prepare: false,
            keeps_pages: false,
        }
    }
}

/// An order to a helper, or to the init of a jail. `R` is a [`RunSpec`], or a reference to one.
#[derive(Serialize, Deserialize)]
pub(crate) enum Order<R> {
    /// To run this.
    Run(R),
    /// To a helper: to run the same again, with other descriptors.
    Repeat,
    /// To an init: to serve the judge while it repeats its last order.
    ServeJudge(Counters),
}

/// Where an output stream goes.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum OutputTarget {
    /// Into the answer.
    Capture,
    /// Into a file of the caller's, through the helper.
    File,
    /// The program gets the caller's file itself.
    Lent,
    /// Into the answer, and on to the caller's pipe.
    Relay,
}

impl OutputTarget {
    /// The target for `sink`, and its file.
    pub(crate) fn of(sink: &Sink) -> (OutputTarget, Option<&File>) {
        match sink {
            Sink::Capture => (OutputTarget::Capture, None),
            Sink::File(file) => (OutputTarget::File, Some(file)),
            Sink::Lent(file) => (OutputTarget::Lent, Some(file)),
            Sink::Relay(file) => (OutputTarget::Relay, Some(file)),
        }
    }
}

/// A run as it arrives in the helper.
pub(crate) struct ReceivedRun {
    pub(crate) spec: Rc<RunSpec>,
    pub(crate) files: RunFiles,
    /// It was ordered as a repetition of the order before.
    pub(crate) is_repeated: bool,
}

/// The descriptors of an order.
pub(crate) struct RunFiles {
    pub(crate) stdin: OwnedFd,
    /// The files of the targets that have one.
    pub(crate) stdout: Option<OwnedFd>,
    pub(crate) stderr: Option<OwnedFd>,
    /// Readable when the program is no longer needed.
    pub(crate) until: Option<OwnedFd>,
}

impl ReceivedRun {
    /// Reads an order. `last` is the order before, which may be repeated. It is set to this one.
    pub(crate) fn decode(received: &mut Received, last: &mut Option<Rc<RunSpec>>) -> io::Result<ReceivedRun> {
        let (spec, is_repeated) = match (received.decode::<Order<RunSpec>>()?, &*last) {
            (Order::Run(spec), _) => (Rc::clone(last.insert(spec.into())), false),
            (Order::Repeat, Some(last)) => (Rc::clone(last), true),
            _ => return Err(io::ErrorKind::InvalidData.into()),
        };
        let stdin = received.take_fd()?;
        let mut take = |is_there: bool| is_there.then(|| received.take_fd()).transpose();
        let [stdout, stderr] = [spec.stdout, spec.stderr].map(|target| take(target != OutputTarget::Capture));
        let files = RunFiles { stdin, stdout: stdout?, stderr: stderr?, until: take(spec.has_until)? };
        Ok(ReceivedRun { spec, files, is_repeated })
    }
}

/// The helper's answer: an [`Execution`](crate::Execution) whose captured output may be in files.
#[derive(Serialize, Deserialize)]
pub(crate) struct Answer {
    pub(crate) end: End,
    pub(crate) breaches: Vec<Breach>,
    pub(crate) usage: Usage,
    pub(crate) stdout: Captured,
    pub(crate) stderr: Captured,
    pub(crate) output_files: OutputFiles,
}

/// What was captured of an output stream.
#[derive(Serialize, Deserialize)]
pub(crate) enum Captured {
    /// These bytes.
    Inline(#[serde(with = "crate::os_data")] Vec<u8>),
    /// The first `length` bytes of a file in memory, which is there before the message is encoded and after it is decoded.
    InFile {
        #[serde(skip)]
        file: Option<OwnedFd>,
        length: u64,
    },
}

impl Captured {
    /// All that was captured.
    pub(crate) fn bytes(self) -> io::Result<Vec<u8>> {
        let (file, length) = match self {
            Captured::Inline(bytes) => return Ok(bytes),
            Captured::InFile { file, length } => (File::from(file.ok_or(io::ErrorKind::InvalidData)?), length),
        };
        let mut bytes = vec![0; usize::try_from(length).map_err(|_| io::ErrorKind::OutOfMemory)?];
        file.read_exact_at(&mut bytes, 0)?;
        Ok(bytes)
    }
}

/// Sends the result of a run, with its captured files.
pub(crate) fn send_answer(answer: &Result<Answer, Fault>, socket: &OwnedFd) -> io::Result<()> {
    let mut files = Vec::new();
    for captured in answer.iter().flat_map(|answer| [&answer.stdout, &answer.stderr]) {
        if let Captured::InFile { file: Some(file), .. } = captured {
            files.push(file.as_fd());
        }
    }
    Message::new(answer).send(socket, &files)
}

/// Decodes the result of a run. The outer error is a malformed message.
pub(crate) fn decode_answer(received: &mut Received) -> io::Result<Result<Answer, Fault>> {
    let mut answer = received.decode::<Result<Answer, Fault>>()?;
    for captured in answer.iter_mut().flat_map(|answer| [&mut answer.stdout, &mut answer.stderr]) {
        if let Captured::InFile { file, .. } = captured {
            *file = Some(received.take_fd()?);
        }
    }
    Ok(answer)
}
