//! The runs that pages start, and the events of runs that go on.

use crate::api::reply::{BodyResult, Shared, json, number, parse_body, run_blocking};
use crate::refused::Refused;
use crate::started::{StartedRun, Starter};
use crate::store::Store;
use axum::extract::{Path, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use clap::Parser;
use judge_cli::{Cli, Command};
use judge_journal::{Changes, JournalError, RunOrigin, Surroundings, Watch};
use judge_problem::{RunId, RunState, quote_words};
use judge_report::{StartedRecord, StartedRuns, UnfinishedRun};
use judge_session::detached::DetachedRuns;
use judge_session::failure::Failure;
use judge_session::{command_line, sandbox};
use rustix::process::Signal;
use serde::Deserialize;
use std::convert::Infallible;
use std::sync::Arc;
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
pub(super) fn list(store: &Store, (): ()) -> Result<String, Refused> {
    started_document(store)
}

/// `POST /api/started`
pub(super) fn start(store: &Store, body: BodyResult<WantedRun>) -> Result<String, Refused> {
    start_run(store, starter(store)?, words(parse_body(body)?), None)
}

/// `POST /api/runs/{run}/resume`
pub(super) fn resume(store: &Store, Path(run): Path<String>) -> Result<String, Refused> {
    let starter = starter(store)?;
    let run = number(store, &run)?;
    let origin = store.read(|journal| Ok(journal.origin_of(run)?))?;
    let RunOrigin { command, state, host } = origin.ok_or(JournalError::NoRun(run))?;
    if !matches!(state, RunState::Interrupted | RunState::Killed) {
        return Err(Failure::usage(format!("run {run} is {state}: there is nothing to resume")).into());
    }
    if host != Surroundings::machine().host {
        let error = format!("run {run} is one of the machine `{host}`, and may still go on there");
        return Err(Failure::usage(error).with_hint(format!("on that machine: {command} --resume")).into());
    }
    store.read(|journal| Ok(DetachedRuns::new(&store.catalogue, journal).check_ended(run, "nothing was started")?))?;
    let other = || Failure::usage(format!("run {run} is none of `judge run`, and cannot be resumed here"));
    start_run(store, starter, command_line::resumed(&command).ok_or_else(other)?, Some(run))
}

/// `POST /api/started/{number}/stop`
pub(super) fn stop(store: &Store, Path(number): Path<usize>) -> Result<String, Refused> {
    let runs = starter(store)?.runs();
    let missing = || Refused::missing(Failure::usage(format!("no run {number} was started here")));
    runs.iter().find(|run| run.number == number).ok_or_else(missing)?.signal(Signal::INT);
    started_document(store)
}

/// Starts the run of these words, which resumes `run` if one is given. Returns the list of started runs.
fn start_run(store: &Store, starter: &Starter, words: Vec<String>, run: Option<RunId>) -> Result<String, Refused> {
    let words = starter.with_common(words);
    check(&words)?;
    starter.start(words, newest(store)?, run)?;
    started_document(store)
}

fn starter(store: &Store) -> Result<&Starter, Refused> {
    store.starter.as_ref().ok_or_else(|| {
        let failure =
            Failure::usage("this server starts and stops no runs").with_hint(store.command("judge ui --allow-run"));
        Refused::forbidden(failure)
    })
}

fn started_document(store: &Store) -> Result<String, Refused> {
    let records = starter(store)?.runs().iter().map(|run| record(store, run)).collect::<Result<Vec<_>, _>>()?;
    Ok(json(&StartedRuns { started: &records })?)
}

fn record(store: &Store, started: &StartedRun) -> Result<StartedRecord, Refused> {
    let find = |started: &StartedRun| {
        let command = command_line::as_recorded(started.words.clone(), None);
        store.read(|journal| Ok(journal.run_of(&command, started.after)?))
    };
    // Its output is complete once it has ended.
    let exit = started.exit();
    Ok(StartedRecord {
        number: started.number,
        command: started.command(),
        run: started.run(find)?.map(|run| run.0),
        running: exit.is_none(),
        exit_code: exit.and_then(|exit| exit.code()),
        output: started.output(),
    })
}

/// Returns the newest run in the journal; 0 if there is none.
fn newest(store: &Store) -> Result<RunId, Refused> {
    Ok(store.read(|journal| Ok(journal.newest()?))?.unwrap_or(RunId(0)))
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
    let Command::Run(args) = parsed.command else { return Err(Failure::usage("pages start runs alone")) };
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
            let changes = store.read(|journal| Ok(watch.changes(journal)?));
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
