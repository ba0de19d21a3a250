//! Answers to requests: documents, or the reasons why there are none. A request is parsed and answered on a thread of its
//! own.

use crate::store::Store;
use axum::Json;
use axum::body::Body;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::extract::{FromRequest, Query, State};
use axum::handler::Handler;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{Html, IntoResponse, Response};
use judge_journal::JournalError;
use judge_problem::{Exit, RunChoice, RunId, UnknownProblem};
use judge_report::ApiError;
use judge_session::Failure;
use serde::Serialize;
use std::sync::Arc;

/// Why a request has no answer: the failure that a command of the judge would end with.
#[derive(Debug)]
pub(super) struct Refused {
    pub(super) failure: Failure,
    status: StatusCode,
}

impl Refused {
    /// The requested thing does not exist.
    pub(super) fn missing(failure: impl Into<Failure>) -> Self {
        Self { failure: failure.into(), status: StatusCode::NOT_FOUND }
    }

    /// The server was started without the permission for this.
    pub(super) fn forbidden(failure: impl Into<Failure>) -> Self {
        Self { failure: failure.into(), status: StatusCode::FORBIDDEN }
    }

    /// The address takes another method.
    pub(super) fn wrong_method() -> Self {
        let failure = Failure::usage("this address takes another method");
        let failure = failure.with_hint("docs/ui.md lists the requests with their methods");
        Self { failure, status: StatusCode::METHOD_NOT_ALLOWED }
    }

    /// Returns the response to a browser that requests a page.
    pub(super) fn into_page(self) -> Response {
        let hints: Vec<&str> = self.failure.hints().collect();
        match judge_report::refused_html(&self.failure.in_one_line(), &hints) {
            Ok(page) => (self.status, Html(page)).into_response(),
            Err(_) => self.status.into_response(),
        }
    }
}

impl From<Failure> for Refused {
    fn from(failure: Failure) -> Self {
        let status =
            if failure.exit() == Exit::Usage { StatusCode::BAD_REQUEST } else { StatusCode::INTERNAL_SERVER_ERROR };
        Self { failure, status }
    }
}

impl From<JournalError> for Refused {
    fn from(error: JournalError) -> Self {
        match error {
            JournalError::NoRun(_) | JournalError::NoRunYet => Self::missing(error),
            error => Failure::from(error).into(),
        }
    }
}

impl From<UnknownProblem> for Refused {
    fn from(error: UnknownProblem) -> Self {
        Self::missing(error)
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let hints: Vec<&str> = self.failure.hints().collect();
        match judge_report::json_line(&ApiError { error: &self.failure.in_one_line(), hints: &hints }) {
            Ok(json) => (self.status, [(CONTENT_TYPE, JSON)], json).into_response(),
            Err(_) => self.status.into_response(),
        }
    }
}

/// The media type of every document of the API.
pub(super) const JSON: &str = "application/json";

/// The store, in the form that requests get.
pub(super) type Shared = State<Arc<Store>>;

/// The text of a document, or why there is none.
pub(super) type Document = Result<String, Refused>;

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
pub(super) fn json(document: &impl Serialize) -> Document {
    judge_report::json_line(document).map_err(|error| Failure::fault(error).into())
}
