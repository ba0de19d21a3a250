//! The runs that pages start, and the events of runs that go on. Each started run is a judge process in a process group of its
//! own, so that Ctrl-C in the terminal of the server does not reach it. The runs end with the server, even if it is killed.

use crate::guard::random_text;
use crate::reply::{BodyResult, Document, Refused, Shared, json, number, parse_body, run_blocking};
use crate::store::Store;
use axum::extract::{Path, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use clap::Parser;
use judge_cli::Cli;
use judge_journal::{Changes, JournalError, RunOrigin, Watch, this_machine};
use judge_problem::{RunId, RunState, quote_words};
use judge_report::{StartedRecord, StartedRuns, UnfinishedRun};
use judge_session::detached::DetachedRuns;
use judge_session::running::{PARENT, RESUMED, RUN_UID};
use judge_session::{Failure, command_line, sandbox};
use parking_lot::Mutex;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use serde::Deserialize;
use std::convert::Infallible;
use std::io::{self, PipeReader, Read};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::thread::Builder;
use std::time::Duration;
use tokio::sync::mpsc::{Sender, channel};
use tokio_stream::wrappers::ReceiverStream;

/// The run to start. Each value has the form of the flag of `judge run`; empty values are left out.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct WantedRun {
    problem: String,
    solvers: Vec<String>,
    seeds: String,
    cpu: String,
    wall: String,
    memory: String,
    output_limit: String,
    processes: String,
    message: String,
}

/// `GET /api/started`
pub(super) fn list(store: &Store, (): ()) -> Document {
    started_document(store)
}

/// `POST /api/started`
pub(super) fn start(store: &Store, body: BodyResult<WantedRun>) -> Document {
    start_run(store, starter(store)?, words(parse_body(body)?), None)
}

/// `POST /api/runs/{run}/resume`
pub(super) fn resume(store: &Store, Path(run): Path<String>) -> Document {
    let starter = starter(store)?;
    let run = number(store, &run)?;
    let origin = store.read(|journal| Ok(journal.origin_of(run)?))?;
    let RunOrigin { command, state, host } = origin.ok_or(JournalError::NoRun(run))?;
    if !matches!(state, RunState::Interrupted | RunState::Killed) {
        return Err(Failure::usage(format!("run {run} is {state}: there is nothing to resume")).into());
    }
    if host != this_machine().host {
        let error = format!("run {run} is one of the machine `{host}`, and may still go on there");
        return Err(Failure::usage(error).with_hint(format!("on that machine: {command} --resume")).into());
    }
    store.read(|journal| Ok(DetachedRuns::new(&store.catalogue, journal).check_ended(run, "nothing was started")?))?;
    let other = || Failure::usage(format!("run {run} was not made by `judge run`, and cannot be resumed here"));
    start_run(store, starter, command_line::resumed(&command).ok_or_else(other)?, Some(run))
}

/// `POST /api/started/{number}/stop`
pub(super) fn stop(store: &Store, Path(number): Path<usize>) -> Document {
    let runs = starter(store)?.runs();
    let missing = || Refused::missing(Failure::usage(format!("no run {number} was started here")));
    runs.iter().find(|run| run.number == number).ok_or_else(missing)?.signal(Signal::INT);
    started_document(store)
}

/// Starts the run of these words, which resumes `run` if one is given. Returns the list of started runs.
fn start_run(store: &Store, starter: &Starter, words: Vec<String>, run: Option<RunId>) -> Document {
    let words = [command_line::places(), words].concat();
    check(&words)?;
    starter.start(words, run)?;
    started_document(store)
}

fn starter(store: &Store) -> Result<&Starter, Refused> {
    store.starter.as_ref().ok_or_else(|| {
        let failure = Failure::usage("this server starts and stops no runs")
            .with_hint(command_line::at_places("judge ui --allow-run"));
        Refused::forbidden(failure)
    })
}

fn started_document(store: &Store) -> Document {
    let records = starter(store)?.runs().iter().map(|run| record(store, run)).collect::<Result<Vec<_>, _>>()?;
    json(&StartedRuns { started: &records })
}

fn record(store: &Store, started: &StartedRun) -> Result<StartedRecord, Refused> {
    // Its output is complete once it has ended.
    let exit = started.exit();
    let known = started.progress.lock().run;
    let run = match known {
        Some(_) => known,
        None => store.read(|journal| Ok(journal.run_of(&started.uid)?))?,
    };
    let mut progress = started.progress.lock();
    progress.run = run;
    Ok(StartedRecord {
        number: started.number,
        command: quote_words(std::iter::once("judge").chain(started.words.iter().map(String::as_str))),
        run: run.map(|run| run.0),
        running: exit.is_none(),
        exit_code: exit.and_then(|exit| exit.code()),
        output: String::from_utf8_lossy(&progress.output).into_owned(),
    })
}

/// Returns the words of a command line. A value that begins with a dash is joined to its flag.
fn words(wanted: WantedRun) -> Vec<String> {
    let WantedRun { problem, solvers, seeds, cpu, wall, memory, output_limit, processes, message } = wanted;
    let solvers = solvers.into_iter().map(|solver| ("solver", solver));
    let rest = [
        ("seeds", seeds),
        ("cpu", cpu),
        ("wall", wall),
        ("memory", memory),
        ("output-limit", output_limit),
        ("processes", processes),
        ("message", message),
    ];
    let flags = std::iter::once(("problem", problem)).chain(solvers).chain(rest);
    let given = flags.filter(|(_, value)| !value.trim().is_empty());
    let mut words = vec!["run".to_owned()];
    for (flag, value) in given {
        match value.trim() {
            value if value.starts_with('-') => words.push(format!("--{flag}={value}")),
            value => words.extend([format!("--{flag}"), value.to_owned()]),
        }
    }
    words
}

/// Fails if these words are not a valid `judge run`, or if they lower its isolation.
fn check(words: &[String]) -> Result<(), Failure> {
    let line = std::iter::once("judge".to_owned()).chain(words.iter().cloned());
    let parsed = Cli::try_parse_from(line).map_err(|error| Failure::usage(parse_error(&error)))?;
    let judge_cli::Command::Run(args) = parsed.command else { return Err(Failure::usage("pages only start runs")) };
    let lowering =
        args.running.engine.on.map(|_| "--on").or_else(|| sandbox::lowering_flag(&args.running.conditions.sandbox));
    lowering.map_or(Ok(()), |flag| {
        let error =
            format!("this run has the flag {flag}, and pages start nothing with less isolation than by default");
        let typed = quote_words(std::iter::once("judge").chain(words.iter().map(String::as_str)));
        Err(Failure::usage(error).with_hint(format!("if you trust it, in a terminal: {typed}")))
    })
}

/// Returns the first line of an error about a command line: without the usage.
fn parse_error(error: &clap::Error) -> String {
    let text = error.to_string();
    text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

/// The time between two readings of the journal.
const PAUSE: Duration = Duration::from_millis(500);

/// The number of events that wait for a slow page before the next reading.
const WAITING: usize = 64;

/// `GET /api/events`: `progress` for each running run, and `runs` when the list of runs has changed.
pub(super) async fn events(State(store): Shared) -> Response {
    let (sender, receiver) = channel(WAITING);
    tokio::spawn(watch(store, sender));
    Sse::new(ReceiverStream::new(receiver)).keep_alive(KeepAlive::default()).into_response()
}

/// Reads the changes of the journal as long as the page is open.
async fn watch(store: Arc<Store>, page: Sender<Result<Event, Infallible>>) {
    let mut watch = Watch::default();
    while !page.is_closed() {
        let looked = run_blocking(Arc::clone(&store), move |store| {
            let changes = store.with_journal(|journal| match journal {
                Some(journal) => Ok(watch.changes(journal)?),
                None => Ok(watch.changes_without_journal()),
            });
            Ok((watch, changes))
        });
        let Ok((seen, changes)) = looked.await else { return };
        watch = seen;
        // A journal that cannot be read now may be readable later.
        for event in changes.iter().flat_map(events_of) {
            if page.send(Ok(event)).await.is_err() {
                return;
            }
        }
        tokio::select! {
            () = tokio::time::sleep(PAUSE) => {}
            () = page.closed() => {}
        }
    }
}

/// Returns the events about changes.
fn events_of(changes: &Changes) -> Vec<Event> {
    let progress = changes.progress.iter().filter_map(|run| json(&UnfinishedRun::from(run)).ok());
    // The newline is not part of the data.
    let progress = progress.map(|json| Event::default().event("progress").data(json.trim_end()));
    let runs = changes.runs_changed.then(|| Event::default().event("runs").data("{}"));
    progress.chain(runs).collect()
}

/// The largest number of runs at once.
const MAX_RUNNING: usize = 4;

/// The number of ended runs that are kept.
const MAX_ENDED: usize = 20;

/// The number of bytes of a run's output that are kept, the last ones.
const MAX_OUTPUT: usize = 16 << 10;

/// Starts runs, and keeps a list of them, the oldest first.
#[derive(Default)]
pub(crate) struct Starter(Mutex<Vec<Arc<StartedRun>>>);

/// A run that was started.
struct StartedRun {
    /// Its number among the runs of this server.
    number: usize,
    /// The words of its command line after the program.
    words: Vec<String>,
    /// The id by which the journal knows it.
    uid: String,
    /// A handle of its process, which stays valid if the process number is used again.
    process: OwnedFd,
    /// Its standard input. It closes when this process ends, and then the run ends.
    _alive: Option<ChildStdin>,
    progress: Mutex<Progress>,
}

/// The progress of a started run.
#[derive(Default)]
struct Progress {
    output: Vec<u8>,
    exit: Option<ExitStatus>,
    run: Option<RunId>,
}

impl Starter {
    /// Starts a run. `run` is the one that is resumed, if any.
    fn start(&self, words: Vec<String>, run: Option<RunId>) -> Result<(), Failure> {
        let mut runs = self.0.lock();
        if runs.iter().filter(|run| run.exit().is_none()).count() >= MAX_RUNNING {
            let error = format!("{MAX_RUNNING} runs that were started here go on already");
            return Err(Failure::usage(error).with_hint("stop one, or wait for its end"));
        }
        let number = runs.last().map_or(1, |last| last.number + 1);
        let uid = random_text().map_err(Failure::fault)?;
        let (mut child, output) =
            spawn(&words, &uid, run).map_err(|error| Failure::usage(format!("no run can be started: {error}")))?;
        let process = pidfd_open(Pid::from_child(&child), PidfdFlags::empty()).map_err(Failure::fault)?;
        let progress = Mutex::new(Progress { run, ..Progress::default() });
        let run = Arc::new(StartedRun { number, words, uid, process, _alive: child.stdin.take(), progress });
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
    fn runs(&self) -> Vec<Arc<StartedRun>> {
        self.0.lock().iter().rev().cloned().collect()
    }

    /// Returns whether any run is running.
    pub(crate) fn is_busy(&self) -> bool {
        self.0.lock().iter().any(|run| run.exit().is_none())
    }

    /// Sends a signal to all runs that go on.
    pub(crate) fn signal_all(&self, signal: Signal) {
        self.runs().iter().for_each(|run| run.signal(signal));
    }
}

/// Starts this program again, to resume a run if one is given. Both its output streams go to one pipe.
fn spawn(words: &[String], uid: &str, run: Option<RunId>) -> io::Result<(Child, PipeReader)> {
    let (output, writer) = io::pipe()?;
    let child = Command::new(std::env::current_exe()?)
        .args(words)
        .env(PARENT, std::process::id().to_string())
        .env(RUN_UID, uid)
        .envs(run.map(|run| (RESUMED, run.to_string())))
        .stdin(Stdio::piped())
        .stdout(writer.try_clone()?)
        .stderr(writer)
        .process_group(0)
        .spawn()?;
    Ok((child, output))
}

impl StartedRun {
    /// Returns how it ended; `None` while it is running.
    fn exit(&self) -> Option<ExitStatus> {
        self.progress.lock().exit
    }

    /// Sends it a signal, if it is running.
    fn signal(&self, signal: Signal) {
        // A run that has ended gets no signal.
        let _ = pidfd_send_signal(&self.process, signal);
    }

    /// Reads its output until its end.
    fn follow(&self, mut child: Child, mut output: PipeReader) {
        let mut bytes = [0; 4096];
        while let Ok(length @ 1..) = output.read(&mut bytes) {
            let mut progress = self.progress.lock();
            progress.output.extend_from_slice(&bytes[..length]);
            let surplus = progress.output.len().saturating_sub(MAX_OUTPUT);
            progress.output.drain(..surplus);
        }
        let exit = child.wait().unwrap_or_default();
        self.progress.lock().exit = Some(exit);
    }
}
