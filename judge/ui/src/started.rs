//! Runs that pages have started. Each is a judge process in a process group of its own, so that Ctrl-C in the terminal of the
//! server does not reach it. The runs end with the server, even if it is killed.

use judge_problem::{RunId, quote_words};
use judge_session::failure::Failure;
use judge_session::running::{PARENT, RESUMED};
use parking_lot::Mutex;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::io;
use std::io::{PipeReader, Read};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::thread::Builder;

/// The largest number of runs at once.
const MAX_RUNNING: usize = 4;

/// The number of ended runs that are kept.
const MAX_ENDED: usize = 20;

/// The number of bytes of a run's output that are kept, the last ones.
const MAX_OUTPUT: usize = 16 << 10;

/// Starts runs, and keeps a list of them.
pub struct Starter {
    /// The words of every command line that choose the catalogue and the journal.
    common: Vec<String>,
    /// The oldest first.
    runs: Mutex<Vec<Arc<StartedRun>>>,
}

/// A run that was started.
pub(super) struct StartedRun {
    /// Its number among the runs of this server.
    pub(super) number: usize,
    /// The words of its command line after the program.
    pub(super) words: Vec<String>,
    /// The newest run in the journal before it started. Its own number is greater.
    pub(super) after: RunId,
    /// A handle of its process, which stays valid if the process number is used again.
    process: OwnedFd,
    /// Its standard input. It closes when this process ends, and then the run ends.
    _alive: Option<ChildStdin>,
    state: Mutex<State>,
}

/// The progress of a started run.
#[derive(Default)]
struct State {
    output: Vec<u8>,
    exit: Option<ExitStatus>,
    run: Option<RunId>,
}

impl Starter {
    /// Returns a starter that puts these words before the words of a run.
    pub fn new(common: Vec<String>) -> Self {
        Self { common, runs: Mutex::default() }
    }

    /// Returns the words of a command line with the common ones before them.
    pub(super) fn with_common(&self, words: Vec<String>) -> Vec<String> {
        [self.common.clone(), words].concat()
    }

    /// Starts a run. `after` is the newest run in the journal, and `run` the run that is resumed, if any.
    pub(super) fn start(&self, words: Vec<String>, after: RunId, run: Option<RunId>) -> Result<(), Failure> {
        let mut runs = self.runs.lock();
        if runs.iter().filter(|run| run.exit().is_none()).count() >= MAX_RUNNING {
            let error = format!("{MAX_RUNNING} runs that were started here go on already");
            return Err(Failure::usage(error).with_hint("stop one, or wait for its end"));
        }
        let number = runs.last().map_or(1, |last| last.number + 1);
        let (mut child, output) =
            spawn(&words, run).map_err(|error| Failure::usage(format!("no run can be started: {error}")))?;
        let process = pidfd_open(Pid::from_child(&child), PidfdFlags::empty()).map_err(Failure::fault)?;
        let state = Mutex::new(State { run, ..State::default() });
        let run = Arc::new(StartedRun { number, words, after, process, _alive: child.stdin.take(), state });
        runs.push(Arc::clone(&run));
        let ended = runs.iter().filter(|run| run.exit().is_some()).count();
        if ended > MAX_ENDED
            && let Some(oldest) = runs.iter().position(|run| run.exit().is_some())
        {
            runs.remove(oldest);
        }
        Builder::new()
            .name("started run".to_owned())
            .spawn(move || run.follow(child, output))
            .map_err(Failure::fault)?;
        Ok(())
    }

    /// Returns the runs, the newest first.
    pub(super) fn runs(&self) -> Vec<Arc<StartedRun>> {
        self.runs.lock().iter().rev().cloned().collect()
    }

    /// Returns whether any run is running.
    pub(super) fn is_busy(&self) -> bool {
        self.runs.lock().iter().any(|run| run.exit().is_none())
    }

    /// Sends a signal to all runs that go on.
    pub(super) fn signal_all(&self, signal: Signal) {
        for run in self.runs() {
            run.signal(signal);
        }
    }
}

/// Starts this program again, to resume a run if one is given. Both its output streams go to one pipe.
fn spawn(words: &[String], run: Option<RunId>) -> io::Result<(Child, PipeReader)> {
    let (output, writer) = io::pipe()?;
    let child = Command::new(std::env::current_exe()?)
        .args(words)
        .env(PARENT, std::process::id().to_string())
        .envs(run.map(|run| (RESUMED, run.to_string())))
        .stdin(Stdio::piped())
        .stdout(writer.try_clone()?)
        .stderr(writer)
        .process_group(0)
        .spawn()?;
    Ok((child, output))
}

impl StartedRun {
    /// Returns its command line.
    pub(super) fn command(&self) -> String {
        quote_words(std::iter::once("judge").chain(self.words.iter().map(String::as_str)))
    }

    /// Returns how it ended; `None` while it is running.
    pub(super) fn exit(&self) -> Option<ExitStatus> {
        self.state.lock().exit
    }

    /// Returns the end of its output.
    pub(super) fn output(&self) -> String {
        String::from_utf8_lossy(&self.state.lock().output).into_owned()
    }

    /// Returns its number in the journal. `find` searches for the number until it is known.
    pub(super) fn run<E>(&self, find: impl FnOnce(&Self) -> Result<Option<RunId>, E>) -> Result<Option<RunId>, E> {
        let known = self.state.lock().run;
        let run = known.map_or_else(|| find(self), |run| Ok(Some(run)))?;
        self.state.lock().run = run;
        Ok(run)
    }

    /// Sends it a signal, if it is running.
    pub(super) fn signal(&self, signal: Signal) {
        // A run that has ended gets no signal.
        let _ = pidfd_send_signal(&self.process, signal);
    }

    /// Reads its output until its end.
    fn follow(&self, mut child: Child, mut output: PipeReader) {
        let mut bytes = [0; 4096];
        while let Ok(length @ 1..) = output.read(&mut bytes) {
            let mut state = self.state.lock();
            state.output.extend_from_slice(&bytes[..length]);
            let surplus = state.output.len().saturating_sub(MAX_OUTPUT);
            state.output.drain(..surplus);
        }
        let exit = child.wait().unwrap_or_default();
        self.state.lock().exit = Some(exit);
    }
}
