//! A game of a run, move by move, as a page; or what the problem's own program draws of it.

use super::reply::{Asked, asked, made, number};
use super::written::ResultQuery;
use crate::film::{self, Replay};
use crate::guard::{alone, framed};
use crate::store::Store;
use axum::extract::{Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{Html, IntoResponse, Response};
use std::sync::Arc;

/// `GET /replay/{run}/{case}`
pub(super) async fn replay(
    State(store): State<Arc<Store>>,
    Path((run, case)): Path<(String, String)>,
    query: Asked<ResultQuery>,
) -> Response {
    let page = made(store, move |store| {
        let run = store.run(number(store, &run)?)?;
        let played = film::played(&run.shown, &case, asked(query)?.solver.as_deref())?;
        film::replay(store, &run.shown, &played)
    });
    match page.await {
        Ok(Replay::Game(page)) => framed(Html(page).into_response()),
        Ok(Replay::Drawing(page, kind)) => alone(([(CONTENT_TYPE, kind)], page).into_response()),
        Err(refused) => framed(refused.into_response()),
    }
}
