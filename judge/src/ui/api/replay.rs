//! A game of a run, move by move, as a page.

use super::reply::{Asked, asked, made, number};
use super::written::ResultQuery;
use crate::ui::film;
use crate::ui::guard::framed;
use crate::ui::store::Store;
use axum::extract::{Path, State};
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
        film::page(store, &run.shown, &played)
    });
    framed(page.await.map(Html).into_response())
}
