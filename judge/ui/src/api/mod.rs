//! The API: each answer is a document of `judge_report`.

mod charts;
pub(super) mod problems;
pub(super) mod runs;
mod started;

pub(super) use started::Starter;

use crate::reply::{JSON, Refused, answered};
use crate::store::Store;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::middleware::map_response;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use judge_session::Failure;
use std::sync::Arc;

/// The media type of solvers' output: it is sent as text, whatever it contains.
const TEXT: &str = "text/plain; charset=utf-8";

/// Returns the routes below `/api`.
pub(super) fn router() -> Router<Arc<Store>> {
    Router::new()
        .route("/runs", get(answered(JSON, runs::list)))
        .route("/runs/{run}", get(answered(JSON, runs::head)))
        .route("/runs/{run}/labels", post(answered(JSON, runs::change_labels)))
        .route("/runs/{run}/cases", get(answered(JSON, runs::cases)))
        .route("/runs/{run}/points", get(answered(JSON, charts::points)))
        .route("/runs/{run}/counts", get(answered(JSON, charts::counts)))
        .route("/runs/{run}/boxes", get(answered(JSON, charts::boxes)))
        .route("/runs/{run}/cases/{case}/input", get(answered(TEXT, problems::input)))
        .route("/runs/{run}/cases/{case}/answer", get(answered(TEXT, problems::stored_answer)))
        .route("/runs/{run}/cases/{case}/stderr", get(answered(TEXT, problems::stored_stderr)))
        .route("/runs/{run}/cases/{case}/replay", get(problems::replay_data))
        .route("/compare", get(answered(JSON, runs::compare)))
        .route("/grid", get(answered(JSON, charts::grid)))
        .route("/problems", get(answered(JSON, problems::list)))
        .route("/problems/{problem}", get(answered(JSON, problems::show)))
        .route("/problems/{problem}/cases/{case}", get(answered(JSON, problems::case_history)))
        .route("/runs/{run}/resume", post(answered(JSON, started::resume)))
        .route("/started", get(answered(JSON, started::list)).post(answered(JSON, started::start)))
        .route("/started/{number}/stop", post(answered(JSON, started::stop)))
        .route("/server", get(answered(JSON, problems::server)))
        .route("/events", get(started::events))
        .nest("/play", plays())
        .fallback(async || Refused::missing(Failure::usage("there is no such address below /api")))
        .method_not_allowed_fallback(async || Refused::wrong_method())
        .layer(map_response(as_document))
}

/// Turns the refusal of an address that cannot be read, which the router writes as text, into a document.
async fn as_document(response: Response) -> Response {
    let is_document = response.headers().get(CONTENT_TYPE).is_some_and(|kind| *kind == *JSON);
    if response.status() != StatusCode::BAD_REQUEST || is_document {
        return response;
    }
    Refused::from(Failure::usage("a part of the address cannot be read")).into_response()
}

/// Returns the routes of games that a person plays.
fn plays() -> Router<Arc<Store>> {
    Router::new()
        .route("/{problem}", post(answered(JSON, problems::play)))
        .route("/{problem}/answer", post(answered(TEXT, problems::played_answer)))
        .route("/{problem}/run", post(answered(JSON, problems::record_game)))
        .layer(DefaultBodyLimit::max(problems::MAX_BODY))
}

/// Returns the route of the pages that play games.
pub(super) fn replays() -> Router<Arc<Store>> {
    Router::new().route("/{run}/{case}", get(problems::replay))
}
