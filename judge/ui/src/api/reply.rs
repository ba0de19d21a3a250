//! The handling that all requests share: a request is parsed and answered on a thread of its own, and the response is a
//! document.

use crate::refused::Refused;
use crate::store::Store;
use axum::Json;
use axum::body::Body;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::{FromRequest, Query, State};
use axum::handler::Handler;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use judge_journal::JournalError;
use judge_problem::{RunChoice, RunId};
use judge_session::failure::Failure;
use serde::Serialize;
use std::sync::Arc;

/// The store, in the form that requests get.
pub(super) type Shared = State<Arc<Store>>;

/// The query of a request, or why it is invalid.
pub(super) type QueryResult<T> = Result<Query<T>, QueryRejection>;

/// Returns the query of a request.
pub(super) fn parse_query<T>(query: QueryResult<T>) -> Result<T, Refused> {
    let refused = |error: QueryRejection| Failure::usage(error.body_text());
    Ok(query.map_err(refused)?.0)
}

/// The document in the body of a request, or why it is invalid.
pub(super) type BodyResult<T> = Result<Json<T>, JsonRejection>;

/// Returns the document in the body of a request.
pub(super) fn parse_body<T>(body: BodyResult<T>) -> Result<T, Refused> {
    let refused = |error: JsonRejection| Failure::usage(error.body_text());
    Ok(body.map_err(refused)?.0)
}

/// Makes an answer on a thread where it may block.
pub(super) async fn run_blocking<T: Send + 'static>(
    store: Arc<Store>,
    make: impl FnOnce(&Store) -> Result<T, Refused> + Send + 'static,
) -> Result<T, Refused> {
    let result = tokio::task::spawn_blocking(move || make(&store)).await;
    result.unwrap_or_else(|error| Err(Failure::fault(error).into()))
}

/// Returns the handler that answers with a body of this type, which a function makes of a request.
pub(super) fn answered<A, Via, B>(
    kind: &'static str,
    make: impl Fn(&Store, A) -> Result<B, Refused> + Clone + Send + Sync + 'static,
) -> impl Handler<(Via, Shared, A), Arc<Store>>
where
    A: FromRequest<Arc<Store>, Via> + Send + 'static,
    B: Into<Body> + Send + 'static,
    Via: Send + 'static,
{
    move |State(store): Shared, asked: A| async move {
        let body = run_blocking(store, move |store| make(store, asked)).await;
        body.map(|body| ([(CONTENT_TYPE, kind)], body.into())).into_response()
    }
}

/// Returns the number of the run that an address names: a number, or `last`.
pub(super) fn number(store: &Store, text: &str) -> Result<RunId, Refused> {
    let choice: RunChoice = text
        .parse()
        .map_err(|expected| Refused::missing(Failure::usage(format!("`{text}` is not a run: {expected}"))))?;
    store.with_journal(|journal| match (choice, journal) {
        (RunChoice::Number(run), _) => Ok(run),
        (choice, Some(journal)) => Ok(journal.choose(choice)?),
        (RunChoice::Last, None) => Err(JournalError::NoRunYet.into()),
    })
}

/// Returns the number of rows of a page: the requested one up to a thousand, or a hundred.
pub(super) fn page_rows(limit: Option<usize>) -> usize {
    limit.unwrap_or(100).min(1000)
}

/// Returns a document as text.
pub(super) fn json(document: &impl Serialize) -> Result<String, Failure> {
    judge_report::json_line(document).map_err(Failure::fault)
}
