//! What the server lets its pages do.

use super::reply::{document, json};
use crate::store::Store;
use axum::extract::State;
use axum::response::Response;
use judge_report::ServerRecord;
use std::sync::Arc;

/// `GET /api/server`
pub(super) async fn server(State(store): State<Arc<Store>>) -> Response {
    document(store, |store| {
        let server = ServerRecord {
            judge: env!("CARGO_PKG_VERSION"),
            edits: !store.catalogue.is_read_only(),
            runs: store.starter.is_some(),
        };
        Ok(json(judge_report::server_json(&server))?)
    })
    .await
}
