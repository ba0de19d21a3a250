//! What happens in the journal while a page is open, as server-sent events.

use super::reply::made;
use crate::store::Store;
use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use judge_journal::{Changes, FinishedCase, RunProgress, SolverProgress, Watch};
use judge_report::{NewCase, SolverNow, UnfinishedRun};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{Sender, channel};
use tokio_stream::wrappers::ReceiverStream;

/// The time between two looks.
const PAUSE: Duration = Duration::from_millis(500);

/// The most results of a run that one event tells of.
const NEWEST: usize = 20;

/// How many events wait for a slow page before it is looked again.
const WAITING: usize = 64;

/// `GET /api/events`: `progress` for each run that goes on, and `runs` where the list of runs is another one.
pub(super) async fn events(State(store): State<Arc<Store>>) -> Response {
    let (sender, receiver) = channel(WAITING);
    tokio::spawn(watch(store, sender));
    Sse::new(ReceiverStream::new(receiver)).keep_alive(KeepAlive::default()).into_response()
}

/// Looks at the journal for as long as the page is there. Without it, the journal is not looked at.
async fn watch(store: Arc<Store>, page: Sender<Result<Event, Infallible>>) {
    let mut watch = Watch::default();
    while !page.is_closed() {
        let looked = made(Arc::clone(&store), move |store| {
            let look = |watch: &mut Watch| {
                store.look(|journal| Ok(journal.map(|journal| watch.changes(journal)).transpose()?.unwrap_or_default()))
            };
            let changes = look(&mut watch);
            Ok((watch, changes))
        });
        let Ok((seen, changes)) = looked.await else { return };
        watch = seen;
        // A journal that cannot be read now may be later.
        for event in changes.iter().flat_map(told) {
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

/// Returns what is to be told of changes.
fn told(changes: &Changes) -> Vec<Event> {
    let progress = changes.progress.iter().filter_map(|run| judge_report::progress_json(&unfinished(run)).ok());
    // A line of an event ends with the line.
    let progress = progress.map(|json| Event::default().event("progress").data(json.trim_end()));
    let runs = changes.runs_changed.then(|| Event::default().event("runs").data("{}"));
    progress.chain(runs).collect()
}

fn unfinished(run: &RunProgress) -> UnfinishedRun<'_> {
    let RunProgress { state, planned, elapsed, solvers, finished, .. } = run;
    let newest = &finished[finished.len().saturating_sub(NEWEST)..];
    UnfinishedRun {
        run: run.run,
        state: *state,
        planned: *planned,
        elapsed: *elapsed,
        solvers: solvers.iter().map(solver_now).collect(),
        finished: newest.iter().map(|finished| new_case(solvers, finished)).collect(),
    }
}

fn solver_now(SolverProgress { name, done, accepted }: &SolverProgress) -> SolverNow<'_> {
    SolverNow { solver: name, done: *done, accepted: *accepted }
}

fn new_case<'a>(
    solvers: &'a [SolverProgress],
    FinishedCase { case, solver, outcome }: &'a FinishedCase,
) -> NewCase<'a> {
    NewCase { case, solver: &solvers[*solver].name, outcome }
}
