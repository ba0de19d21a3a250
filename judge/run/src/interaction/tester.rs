//! The tester's process: its start, the starts of the solver that it asks for, and its decision.

use super::activity::{self, Activity};
use super::decision::Decider;
use super::interactor::InteractorError;
use super::unread::UnreadInput;
use crate::command::{self, CommandError, Place, Reports, Running};
use judge_problem::verdict::{self, CallOutput};
use judge_problem::{CheckerProtocol, ExternalChecker, Ruling, ScoreStream, tail};
use judge_sandbox::{Stub, StubCall};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The pause between two looks at whether the run was stopped.
const PAUSE: Duration = Duration::from_millis(50);

/// A tester and its case.
#[derive(Debug, Clone, Copy)]
pub struct Trial<'a> {
    /// The program.
    pub tester: &'a ExternalChecker,
    /// The case.
    pub input: &'a Path,
    /// The answer file of the case, if it has one.
    pub expected: Option<&'a Path>,
    /// The seed of the case, if it is made from one.
    pub seed: Option<u64>,
    /// How long the tester may run, apart from the solver.
    pub patience: Duration,
    /// The core that the solver stays on, if it does.
    pub core: Option<usize>,
}

/// A running tester. When this is dropped, it is killed.
pub(super) struct Tester {
    running: Running,
    stub: Stub,
    protocol: CheckerProtocol,
    reports: Reports,
    _place: Place,
    stdout: File,
    /// The input of its last solver, which has ended.
    pub(super) unread: UnreadInput,
    /// How long it may still run without the solver.
    pub(super) patience: Duration,
}

/// What a tester does next.
pub(super) enum Next {
    /// It starts the solver.
    Start(StubCall),
    /// It has ended.
    End,
    /// It has used up its time.
    Timeout,
    /// The run was stopped.
    Stopped,
}

/// What a tester leaves when it ends.
pub(super) struct Concluded {
    /// Its ruling, or why there is none.
    pub(super) ruling: Result<Ruling, String>,
    /// The first of its reports.
    pub(super) written: Vec<u8>,
    /// What it printed on standard output, unless that has its score.
    pub(super) answer: Option<Vec<u8>>,
}

impl Tester {
    /// Starts a tester. The case is its standard input, unless its command names the file or the seed.
    pub(super) fn start(trial: &Trial<'_>) -> Result<Self, InteractorError> {
        let command = &trial.tester.command;
        let protocol = trial.tester.protocol.clone();
        let speaks = verdict::interactor_protocol(&protocol);
        let (stub, reports) = (Stub::create(command::SUPERVISORS.executable())?, Reports::create(speaks)?);
        let seed = trial.seed.map(|seed| seed.to_string()).unwrap_or_default();
        let files = reports.with(trial.input, None, trial.expected);
        let mut call = speaks.call(&command.line, &files);
        call.placeholders.extend([("solver", stub.path()), ("seed", Path::new(&seed))]);
        let place = Place::of(command)?;
        let words = command::call_words(command, &place, &call)?;
        let names_case = ["{input}", "{seed}"].iter().any(|name| command.line.contains(name));
        let stdin = File::open(if names_case { Path::new("/dev/null") } else { trial.input })?;
        let stdout = tempfile::tempfile()?;
        let running = Running::start(&words, place.folder(), [stdin.as_fd(), stdout.as_fd()], trial.core)?;
        let unread = UnreadInput::default();
        Ok(Self { running, stub, reports, stdout, unread, patience: trial.patience, protocol, _place: place })
    }

    /// Waits for what it does next.
    pub(super) fn next(&mut self, stopped: &AtomicBool) -> io::Result<Next> {
        let began = Instant::now();
        let next = loop {
            let left = self.patience.saturating_sub(began.elapsed());
            if stopped.load(Ordering::SeqCst) {
                break Next::Stopped;
            }
            let mut fds =
                vec![PollFd::new(&self.stub, PollFlags::IN), PollFd::from_borrowed_fd(self.ended(), PollFlags::IN)];
            fds.extend(self.unread.poll());
            let pause = Timespec { tv_sec: 0, tv_nsec: left.min(PAUSE).subsec_nanos().into() };
            match rustix::event::poll(&mut fds, Some(&pause)) {
                Ok(0) if left.is_zero() => break Next::Timeout,
                Ok(0) | Err(Errno::INTR) => continue,
                Ok(_) => {}
                Err(error) => return Err(error.into()),
            }
            // Its end comes first: what it has left running is no longer asked.
            if !fds[1].revents().is_empty() {
                break Next::End;
            }
            drop(fds);
            self.unread.drop_some()?;
            if let Some(call) = self.stub.call()? {
                break Next::Start(call);
            }
        };
        self.patience = self.patience.saturating_sub(began.elapsed());
        Ok(next)
    }

    /// Returns whether it has started the solver again, which waits.
    pub(super) fn starts_again(&self) -> io::Result<bool> {
        let mut fds = [PollFd::new(&self.stub, PollFlags::IN)];
        Ok(rustix::event::poll(&mut fds, Some(&Timespec::default()))? > 0)
    }

    /// Ends it, and returns what is to be said of it: how it ended, and the end of its standard error.
    pub(super) fn obituary(self, before: &str) -> String {
        match self.running.end() {
            Ok(ended) if ended.stderr.is_empty() => before.replace("{status}", &ended.status.to_string()),
            Ok(ended) => {
                format!("{}: {}", before.replace("{status}", &ended.status.to_string()), tail(&ended.stderr))
            }
            Err(error) => error.to_string(),
        }
    }

    /// Returns what it says after its end. `runs_failed`: the solver failed in a run after the first.
    pub(super) fn conclude(self, runs_failed: bool) -> Result<Concluded, CommandError> {
        let Self { running, protocol, reports, mut stdout, _place, .. } = self;
        let ended = running.end()?;
        let unreadable = |source| CommandError::Output { program: "the tester".to_owned(), source };
        let (stdout, mut reports) =
            (command::contents(&mut stdout).map_err(unreadable)?, reports.read().map_err(unreadable)?);
        let output = CallOutput { status: ended.status, stdout: &stdout, stderr: &ended.stderr, reports: &reports };
        let ruling = verdict::tester_ruling(&protocol, &output, runs_failed).map_err(|error| error.to_string());
        let written = reports.first_mut().and_then(Option::take).unwrap_or_default();
        let has_score = matches!(&protocol, CheckerProtocol::Regex(search) if search.stream == ScoreStream::Stdout);
        Ok(Concluded { ruling, written, answer: (!has_score).then_some(stdout) })
    }
}

impl Decider for Tester {
    fn ended(&self) -> BorrowedFd<'_> {
        self.running.ended()
    }

    fn activity(&self) -> Activity {
        activity::of(&self.running.processes())
    }
}
