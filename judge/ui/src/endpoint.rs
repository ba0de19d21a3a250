//! One address for programs: each message is posted there, and the response contains its answer. It has the same guard
//! as the pages.

use crate::server::{Door, listen};
use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use judge_session::failure::Failure;
use std::sync::Arc;
use tokio::sync::oneshot;

/// Takes the answer to a message; `None`: there is none.
pub type Reply = Box<dyn FnOnce(Option<String>) + Send>;

/// State that is kept until the answer comes. It is dropped at once if the client closes its connection.
type Pending = Box<dyn Send>;

/// Takes a message, and passes its answer to the reply, at once or later.
type Take = Arc<dyn Fn(&[u8], Reply) -> Pending + Send + Sync>;

/// Where messages are posted.
const PATH: &str = "/rpc";

/// A server of one address.
pub struct Endpoint {
    door: Door,
    port: u16,
}

impl Endpoint {
    /// Binds a port of the loopback interface; 0 is a free one.
    pub fn bind(port: u16) -> Result<Self, Failure> {
        let listener = listen(Some(port), "port 0 takes a free one: --listen 127.0.0.1:0")?;
        let port = listener.local_addr().map_err(Failure::fault)?.port();
        Ok(Self { door: Door::open(listener)?, port })
    }

    /// Returns the address that messages are posted to.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}{PATH}", self.port)
    }

    /// Returns the token that each message comes with, as a bearer.
    pub fn token(&self) -> &str {
        self.door.guard().token()
    }

    /// Takes messages of at most `limit` bytes until Ctrl-C or SIGTERM. The result of `take` is dropped as soon as the
    /// client closes its connection or has its answer.
    pub fn run<P: Send + 'static>(
        self,
        limit: usize,
        take: impl Fn(&[u8], Reply) -> P + Send + Sync + 'static,
    ) -> Result<(), Failure> {
        let take: Take = Arc::new(move |message, reply| Box::new(take(message, reply)));
        let routes = Router::new()
            .route(PATH, post(answer))
            .fallback(async || (StatusCode::NOT_FOUND, "messages are posted to /rpc\n"))
            .layer(DefaultBodyLimit::max(limit))
            .with_state(take);
        self.door.serve(routes, async {})
    }
}

async fn answer(State(take): State<Take>, message: Bytes) -> Response {
    let (sender, receiver) = oneshot::channel();
    // The client may have disconnected.
    let _pending = take(&message, Box::new(move |line| drop(sender.send(line))));
    match receiver.await {
        Ok(Some(line)) => ([(CONTENT_TYPE, "application/json")], line).into_response(),
        Ok(None) => StatusCode::NO_CONTENT.into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}
