//! What solvers wrote.

use super::reply::{Asked, asked, made, number};
use crate::film::{Played, played};
use crate::refused::Refused;
use crate::shown_run::ShownRun;
use crate::store::Store;
use axum::extract::{Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use std::sync::Arc;

/// What solvers wrote is text, whatever it is.
const TEXT: &str = "text/plain; charset=utf-8";

/// Which solver's result on a case is asked for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ResultQuery {
    pub(super) solver: Option<String>,
}

/// `GET /api/runs/{run}/cases/{case}/answer`
pub(super) async fn answer(
    State(store): State<Arc<Store>>,
    Path(place): Path<(String, String)>,
    query: Asked<ResultQuery>,
) -> Response {
    text(store, place, query, |store, shown, played| played.answer(store, shown)).await
}

/// `GET /api/runs/{run}/cases/{case}/stderr`
pub(super) async fn stderr(
    State(store): State<Arc<Store>>,
    Path(place): Path<(String, String)>,
    query: Asked<ResultQuery>,
) -> Response {
    text(store, place, query, |_, _, played| Ok(played.result.outcome.stderr.into_bytes())).await
}

/// Answers with what a solver wrote on a case of a run.
async fn text(
    store: Arc<Store>,
    (run, case): (String, String),
    query: Asked<ResultQuery>,
    written: impl FnOnce(&Store, &ShownRun, Played) -> Result<Vec<u8>, Refused> + Send + 'static,
) -> Response {
    let made = made(store, move |store| {
        let run = store.run(number(store, &run)?)?;
        let played = played(&run.shown, &case, asked(query)?.solver.as_deref())?;
        written(store, &run.shown, played)
    });
    made.await.map(|bytes| ([(CONTENT_TYPE, TEXT)], bytes)).into_response()
}
