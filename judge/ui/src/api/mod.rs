//! The API: each answer is a document of `report`.

mod cases;
mod compare;
mod events;
mod labels;
mod play;
mod problems;
mod replay;
mod reply;
mod runs;
mod server;
mod started;
mod written;

use super::store::Store;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::{get, post};
use std::sync::Arc;

/// Returns the routes below `/api`.
pub(super) fn router() -> Router<Arc<Store>> {
    Router::new()
        .route("/runs", get(runs::list))
        .route("/runs/{run}", get(runs::head))
        .route("/runs/{run}/labels", post(labels::change))
        .route("/runs/{run}/cases", get(cases::page))
        .route("/runs/{run}/points", get(cases::points))
        .route("/runs/{run}/cases/{case}/answer", get(written::answer))
        .route("/runs/{run}/cases/{case}/stderr", get(written::stderr))
        .route("/compare", get(compare::compare))
        .route("/problems", get(problems::list))
        .route("/problems/{problem}", get(problems::show))
        .route("/runs/{run}/resume", post(started::resume))
        .route("/started", get(started::list).post(started::start))
        .route("/started/{number}/stop", post(started::stop))
        .route("/server", get(server::server))
        .route("/events", get(events::events))
        .nest("/play", plays())
}

/// Returns the routes of games that a person plays.
fn plays() -> Router<Arc<Store>> {
    Router::new()
        .route("/{problem}", post(play::play))
        .route("/{problem}/answer", post(play::answer))
        .route("/{problem}/run", post(play::record))
        .layer(DefaultBodyLimit::max(play::LONGEST))
}

/// Returns the route of the pages that play games.
pub(super) fn replays() -> Router<Arc<Store>> {
    Router::new().route("/{run}/{case}", get(replay::replay))
}
