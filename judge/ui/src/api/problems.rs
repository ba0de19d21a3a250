//! The problems, their cases, what the server allows, and the games.

use crate::games::{self, OpenGame, Played, Replay};
use crate::guard::{alone, framed};
use crate::reply::{
    BodyResult, Document, JSON, QueryResult, Refused, Shared, json, number, parse_body, parse_query, run_blocking,
};
use crate::shown_run::{check_inputs, starts_programs};
use crate::store::Store;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::http::header::{ACCEPT, CONTENT_TYPE};
use axum::response::{Html, IntoResponse, Response};
use checkers::Move;
use judge_problem::{Digest, Features, Problem, quote_words};
use judge_report::{
    CaseHistory, FactRecord, ProblemList, ProblemPage, ProblemRecord, RecordedManualGame, ServerRecord, SolverRecord,
    case_results, exact, exact_numbers, html_of,
};
use judge_run::cases::{CaseReader, Selection, select};
use judge_run::solver;
use judge_session::{Failure, answers, command_line, problem_facts};
use serde::Deserialize;
use std::io;
use std::sync::Arc;
use tokio::sync::mpsc::channel;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::ReceiverStream;

/// The number of cases that are named.
const NAMES: usize = 200;

/// `GET /api/problems`
pub(crate) fn list(store: &Store, (): ()) -> Document {
    let record = |problem| ProblemRecord::of(problem, games::reader(problem).is_some());
    json(&ProblemList { problems: store.catalogue.problems.iter().map(record).collect() })
}

/// `GET /api/problems/{problem}`
pub(crate) fn show(store: &Store, Path(id): Path<String>) -> Document {
    let problem = store.catalogue.find(&id)?;
    let checker = problem.checker.built_in();
    let rules = checker.map_or("", |checker| checker.rules.trim_end());
    let solvers = checker.into_iter().flat_map(|checker| solver::bundled_for(store.catalogue.bundled, checker.id));
    let facts = problem_facts::facts(problem);
    let by_hand = games::reader(problem).is_some();
    // A pattern of files may match none.
    let cases = select(problem, &Selection::default()).unwrap_or_default();
    let names = cases.iter().take(if by_hand { NAMES } else { 0 }).map(|case| case.name.to_string());
    let page = ProblemPage {
        problem: ProblemRecord::of(problem, by_hand),
        facts: facts.iter().map(|(name, text)| FactRecord { name, text }).collect(),
        rules,
        rules_html: html_of(rules),
        solvers: solvers.map(|(solver, summary)| SolverRecord { solver, summary }).collect(),
        names: names.collect(),
        fresh_replays: store.starter.is_some() && problem.generator.is_some() && games::is_shown(store, problem),
    };
    json(&page)
}

/// `GET /api/server`
pub(super) fn server(store: &Store, (): ()) -> Document {
    let server = ServerRecord {
        judge: env!("CARGO_PKG_VERSION"),
        edits: !store.catalogue.is_read_only,
        runs: store.starter.is_some(),
        flags: &quote_words(command_line::places()),
    };
    json(&server)
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

/// A game of a problem.
type GameRequest = (Path<String>, BodyResult<Game>);

/// `POST /api/play/{problem}`
pub(super) fn play(store: &Store, (Path(id), body): GameRequest) -> Document {
    let Game { case, moves } = sent_game(body)?;
    OpenGame::open(store, &id, &case)?.page(store, &moves)
}

/// `POST /api/play/{problem}/answer`
pub(super) fn played_answer(store: &Store, (Path(id), body): GameRequest) -> Result<Vec<u8>, Refused> {
    let Game { case, moves } = sent_game(body)?;
    Ok(OpenGame::open(store, &id, &case)?.answer(&moves)?.bytes)
}

/// `POST /api/play/{problem}/run`
pub(super) fn record_game(store: &Store, (Path(id), body): GameRequest) -> Document {
    let Game { case, moves } = sent_game(body)?;
    let game = OpenGame::open(store, &id, &case)?;
    let case = game.case().to_owned();
    let (run, score) = game.record(store, &moves)?;
    json(&RecordedManualGame { run: run.0, case: &case, score: exact(&score) })
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
    Path(place): Path<CasePlace>,
    query: QueryResult<ResultQuery>,
    headers: HeaderMap,
) -> Response {
    // A browser that opens this address expects a page, a program the document.
    let wants_page =
        headers.get(ACCEPT).and_then(|kinds| kinds.to_str().ok()).is_some_and(|kinds| kinds.contains("text/html"));
    let page =
        run_blocking(store, move |store| games::replay(store, &find(store, &place, parse_query(query)?.solver)?));
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
    Path(place): Path<CasePlace>,
    query: QueryResult<GameQuery>,
) -> Response {
    match parse_query(query) {
        Ok(GameQuery { solver, lines: Some(_) }) => in_lines(store, place, solver).await,
        Ok(GameQuery { solver, lines: None }) => {
            let game = run_blocking(store, move |store| games::game(store, &find(store, &place, solver)?)).await;
            game.map(|json| ([(CONTENT_TYPE, JSON)], json)).into_response()
        }
        Err(refused) => refused.into_response(),
    }
}

/// A run and a case, as an address names them.
type CasePlace = (String, String);

/// Finds the result of a solver on a case of a run.
fn find(store: &Store, (run, case): &CasePlace, solver: Option<String>) -> Result<Played, Refused> {
    Played::find(store.run(number(store, run)?)?, case, solver.as_deref())
}

/// The number of lines that wait for a slow page.
const WAITING: usize = 2;

/// Answers with a game, line by line as it is played again.
async fn in_lines(store: Arc<Store>, place: CasePlace, solver: Option<String>) -> Response {
    let (sender, mut lines) = channel(WAITING);
    let failed = sender.clone();
    tokio::spawn(async move {
        let sent = run_blocking(store, move |store| {
            let played = find(store, &place, solver)?;
            games::game_in_lines(store, &played, &mut |line| sender.blocking_send(Ok(line)).is_ok())
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

/// Chooses the result of a solver on a case.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ResultQuery {
    solver: Option<String>,
}

/// Names a result: its run and its case, and its solver.
type ResultRequest = (Path<CasePlace>, QueryResult<ResultQuery>);

/// `GET /api/runs/{run}/cases/{case}/answer`
pub(super) fn stored_answer(store: &Store, (Path(place), query): ResultRequest) -> Result<Vec<u8>, Refused> {
    find(store, &place, parse_query(query)?.solver)?.answer(store)
}

/// `GET /api/runs/{run}/cases/{case}/stderr`
pub(super) fn stored_stderr(store: &Store, (Path(place), query): ResultRequest) -> Result<Vec<u8>, Refused> {
    Ok(find(store, &place, parse_query(query)?.solver)?.result.outcome.stderr.into_bytes())
}

/// The number of results that are listed.
const NEWEST: usize = 500;

/// `GET /api/problems/{problem}/cases/{case}`
pub(super) fn case_history(store: &Store, Path((id, case)): Path<(String, String)>) -> Document {
    let problem = store.catalogue.find(&id)?;
    let mut results = store.read(|journal| Ok(journal.results_of_case(&problem.id, &case, NEWEST)?))?;
    let described = described(problem, &case);
    if results.is_empty() && described.is_none() {
        let failure = Failure::usage(format!("no run of `{}` has a case `{case}`", problem.id));
        return Err(Refused::missing(
            failure.with_hint(command_line::at_places(&format!("judge run -p {}", problem.id))),
        ));
    }
    // The case of the newest result. A case with the same name but another input is a different case. A solver that did
    // not compile has no input.
    let input = results.iter().find_map(|result| result.input);
    let all = results.len();
    results.retain(|result| result.input.is_none() || result.input == input);
    let features = described.filter(|(found, _)| Some(*found) == input || input.is_none());
    let others = all - results.len();
    let (best, results) = case_results(&results, problem.direction);
    let page = CaseHistory {
        problem: &problem.id,
        case: &case,
        direction: problem.direction.name(),
        features: features.as_ref().map(|(_, features)| exact_numbers(features)),
        input: features.is_some() && !results.is_empty(),
        replays: games::is_shown(store, problem),
        others,
        best,
        results,
    };
    json(&page)
}

/// Returns the input's hash and the features of a case, if reading them starts no program.
fn described(problem: &Problem, name: &str) -> Option<(Digest, Features)> {
    if starts_programs(problem) {
        return None;
    }
    let described = CaseReader::of(problem).describe(&games::find_case(problem, name).ok()?).ok()?;
    Some((described.input, described.features))
}

/// `GET /api/runs/{run}/cases/{case}/input`
pub(super) fn input(store: &Store, Path((run, case)): Path<(String, String)>) -> Result<Vec<u8>, Refused> {
    let shown = store.run(number(store, &run)?)?;
    let problem = shown.problem();
    check_inputs(problem, &format!("judge gen -p {} --seed N", problem.id))?;
    let case = answers::find_case(&shown.run, &case).map_err(Refused::missing)?;
    Ok(answers::shown_input(problem, shown.run.id, &case)?)
}
