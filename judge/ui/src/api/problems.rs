//! The problems, what the server allows, and the games.

use crate::api::reply::{
    BodyResult, QueryResult, Shared, document, json, number, parse_body, parse_query, run_blocking,
};
use crate::games;
use crate::games::{OpenGame, Played, Replay, find_result};
use crate::guard::{alone, framed};
use crate::refused::Refused;
use crate::shown_run::ShownRun;
use crate::store::Store;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::http::header::{ACCEPT, CONTENT_TYPE};
use axum::response::{Html, IntoResponse, Response};
use checkers::Move;
use judge_report::{Document, ProblemList, ProblemPage, RecordedManualGame, ServerRecord};
use judge_run::cases::{Selection, select};
use judge_run::solver;
use judge_session::failure::Failure;
use judge_session::problem_facts;
use serde::Deserialize;
use std::io;
use std::sync::Arc;
use tokio::sync::mpsc::channel;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::ReceiverStream;

/// The number of cases that are named.
const NAMES: usize = 200;

/// `GET /api/problems`
pub(super) async fn list(State(store): Shared) -> Response {
    document(store, |store| {
        let problems = store.catalogue.problems.iter();
        Ok(json(&ProblemList::of(problems.map(|problem| (problem, games::reader(problem).is_some()))))?)
    })
    .await
}

/// `GET /api/problems/{problem}`
pub(super) async fn show(State(store): Shared, Path(id): Path<String>) -> Response {
    document(store, move |store| {
        let problem = store.catalogue.find(&id)?;
        let checker = problem.checker.built_in();
        let rules = checker.map_or("", |checker| checker.rules);
        let solvers = checker.map(|checker| solver::bundled_for(store.catalogue.bundled, checker.id).collect());
        let facts = problem_facts::facts(problem);
        let by_hand = games::reader(problem).is_some();
        // A pattern of files may match none.
        let cases = select(problem, &Selection::default()).unwrap_or_default();
        let names = cases.iter().take(if by_hand { NAMES } else { 0 }).map(|case| case.name.to_string());
        let page = ProblemPage {
            problem,
            facts: &facts,
            rules: rules.trim_end(),
            solvers: &solvers.unwrap_or_else(Vec::new),
            by_hand,
            names: &names.collect::<Vec<_>>(),
            fresh_replays: store.starter.is_some() && problem.generator.is_some() && games::is_shown(store, problem),
        };
        Ok(json(&page.record())?)
    })
    .await
}

/// `GET /api/server`
pub(super) async fn server(State(store): Shared) -> Response {
    document(store, |store| {
        let server = ServerRecord {
            judge: env!("CARGO_PKG_VERSION"),
            edits: !store.catalogue.is_read_only,
            runs: store.starter.is_some(),
        };
        Ok(json(&server)?)
    })
    .await
}

/// The largest body of a request, in bytes: enough for 100,000 moves.
pub(super) const MAX_BODY: usize = 1 << 20;

/// The largest number of moves of a game. The longest games have 10,000.
const MAX_MOVES: usize = 20_000;

/// A game: its case, and the moves so far.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Game {
    case: String,
    #[serde(default)]
    moves: Vec<Move>,
}

/// `POST /api/play/{problem}`
pub(super) async fn play(State(store): Shared, Path(id): Path<String>, body: BodyResult<Game>) -> Response {
    document(store, move |store| {
        let Game { case, moves } = sent_game(body)?;
        OpenGame::open(store, &id, &case)?.page(store, &moves)
    })
    .await
}

/// `POST /api/play/{problem}/answer`
pub(super) async fn played_answer(State(store): Shared, Path(id): Path<String>, body: BodyResult<Game>) -> Response {
    let text = run_blocking(store, move |store| {
        let Game { case, moves } = sent_game(body)?;
        Ok(OpenGame::open(store, &id, &case)?.answer(&moves)?.bytes)
    });
    text.await.map(|bytes| ([(CONTENT_TYPE, TEXT)], bytes)).into_response()
}

/// `POST /api/play/{problem}/run`
pub(super) async fn record_game(State(store): Shared, Path(id): Path<String>, body: BodyResult<Game>) -> Response {
    document(store, move |store| {
        let Game { case, moves } = sent_game(body)?;
        let game = OpenGame::open(store, &id, &case)?;
        let case = game.case().to_owned();
        let (run, score) = game.record(store, &moves)?;
        Ok(json(&RecordedManualGame::of(run, &case, &score))?)
    })
    .await
}

fn sent_game(body: BodyResult<Game>) -> Result<Game, Refused> {
    let game = parse_body(body)?;
    let count = game.moves.len();
    if count > MAX_MOVES {
        return Err(Failure::usage(format!("a game has at most {MAX_MOVES} moves here, found {count}")).into());
    }
    Ok(game)
}

/// `GET /replay/{run}/{case}`
pub(super) async fn replay(
    State(store): Shared,
    Path((run, case)): Path<(String, String)>,
    query: QueryResult<ResultQuery>,
    headers: HeaderMap,
) -> Response {
    // A browser that opens this address expects a page, a program the document.
    let wants_page =
        headers.get(ACCEPT).and_then(|kinds| kinds.to_str().ok()).is_some_and(|kinds| kinds.contains("text/html"));
    let page = run_blocking(store, move |store| {
        let run = store.run(number(store, &run)?)?;
        let played = games::find_result(&run.shown, &case, parse_query(query)?.solver.as_deref())?;
        games::replay(store, &run.shown, &played)
    });
    match page.await {
        Ok(Replay::Game(page)) => framed(Html(page).into_response()),
        Ok(Replay::Drawing(page, kind)) => alone(([(CONTENT_TYPE, kind)], page).into_response()),
        Err(refused) if wants_page => framed(refused.into_page()),
        Err(refused) => framed(refused.into_response()),
    }
}

/// Chooses a game, and its form.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GameQuery {
    solver: Option<String>,
    /// With or without a value: line by line.
    lines: Option<String>,
}

/// `GET /api/runs/{run}/cases/{case}/replay`
pub(super) async fn replay_data(
    State(store): Shared,
    Path((run, case)): Path<(String, String)>,
    query: QueryResult<GameQuery>,
) -> Response {
    let query = match parse_query(query) {
        Ok(query) => query,
        Err(refused) => return refused.into_response(),
    };
    if query.lines.is_some() {
        return in_lines(store, run, case, query.solver).await;
    }
    document(store, move |store| {
        let run = store.run(number(store, &run)?)?;
        let played = find_result(&run.shown, &case, query.solver.as_deref())?;
        games::game(store, &run.shown, &played)
    })
    .await
}

/// The number of lines that wait for a slow page.
const WAITING: usize = 2;

/// Answers with a game, line by line as it is played again.
async fn in_lines(store: Arc<Store>, run: String, case: String, solver: Option<String>) -> Response {
    let (sender, mut lines) = channel(WAITING);
    let failed = sender.clone();
    tokio::spawn(async move {
        let sent = run_blocking(store, move |store| {
            let run = store.run(number(store, &run)?)?;
            let played = find_result(&run.shown, &case, solver.as_deref())?;
            games::game_in_lines(store, &run.shown, &played, &mut |line| sender.blocking_send(Ok(line)).is_ok())
        });
        if let Err(refused) = sent.await {
            // A page that is gone needs no reason.
            let _ = failed.send(Err(refused)).await;
        }
    });
    match lines.recv().await {
        Some(Ok(first)) => {
            // After the first line, a failure can only end the answer early.
            let rest = ReceiverStream::new(lines).map(|line| line.map_err(|_| io::Error::other("the replay failed")));
            let all = tokio_stream::once(Ok(first)).chain(rest);
            ([(CONTENT_TYPE, LINES)], Body::from_stream(all)).into_response()
        }
        Some(Err(refused)) => refused.into_response(),
        None => Refused::from(Failure::fault("the replay has ended without a frame")).into_response(),
    }
}

/// One JSON document a line.
const LINES: &str = "application/jsonl; charset=utf-8";

/// Solvers' output is sent as text, whatever it contains.
pub(super) const TEXT: &str = "text/plain; charset=utf-8";

/// Chooses the result of a solver on a case.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ResultQuery {
    pub(super) solver: Option<String>,
}

/// `GET /api/runs/{run}/cases/{case}/answer`
pub(super) async fn stored_answer(
    State(store): Shared,
    Path(place): Path<(String, String)>,
    query: QueryResult<ResultQuery>,
) -> Response {
    written_text(store, place, query, |store, shown, played| played.answer(store, shown)).await
}

/// `GET /api/runs/{run}/cases/{case}/stderr`
pub(super) async fn stored_stderr(
    State(store): Shared,
    Path(place): Path<(String, String)>,
    query: QueryResult<ResultQuery>,
) -> Response {
    written_text(store, place, query, |_, _, played| Ok(played.result.outcome.stderr.into_bytes())).await
}

/// Answers with output of a solver on a case of a run.
async fn written_text(
    store: Arc<Store>,
    (run, case): (String, String),
    query: QueryResult<ResultQuery>,
    written: impl FnOnce(&Store, &ShownRun, Played) -> Result<Vec<u8>, Refused> + Send + 'static,
) -> Response {
    let text = run_blocking(store, move |store| {
        let run = store.run(number(store, &run)?)?;
        let played = find_result(&run.shown, &case, parse_query(query)?.solver.as_deref())?;
        written(store, &run.shown, played)
    });
    text.await.map(|bytes| ([(CONTENT_TYPE, TEXT)], bytes)).into_response()
}
