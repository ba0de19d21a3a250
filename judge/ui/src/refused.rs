//! Why a request has no answer.

use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{Html, IntoResponse, Response};
use judge_journal::JournalError;
use judge_problem::{Exit, UnknownProblem};
use judge_report::ApiError;
use judge_session::failure::Failure;

/// Why a request has no answer: the failure that a command of the judge would end with.
#[derive(Debug)]
pub(super) struct Refused {
    failure: Failure,
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
