//! The tags and the note of a run.

use super::reply::{Sent, document, json, number, sent};
use crate::refused::Refused;
use crate::store::Store;
use axum::extract::{Path, State};
use axum::response::Response;
use judge_problem::{Labels, Note, Tag};
use judge_session::failure::Failure;
use judge_session::recorder;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What a run is to have. What is not said stays.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WantedLabels {
    tags: Option<Vec<String>>,
    /// Empty: none.
    note: Option<String>,
}

/// `POST /api/runs/{run}/labels`
pub(super) async fn change(
    State(store): State<Arc<Store>>,
    Path(run): Path<String>,
    body: Sent<WantedLabels>,
) -> Response {
    document(store, move |store| {
        store.check_writable().map_err(Refused::forbidden)?;
        let change = change_of(sent(body)?)?;
        let run = number(store, &run)?;
        // A connection of its own: that of the store sees the change as one of another judge, and tells the pages.
        let labels = recorder::open(&store.catalogue)?.change_labels(run, change)?;
        Ok(json(judge_report::labels_json(run, &labels))?)
    })
    .await
}

/// Returns what changes the tags and the note of a run into those that are wanted.
fn change_of(wanted: WantedLabels) -> Result<impl FnOnce(&mut Labels), Failure> {
    let tags = |tags: Vec<String>| tags.iter().map(|tag| tag.parse()).collect::<Result<BTreeSet<Tag>, _>>();
    let tags = wanted.tags.map(tags).transpose().map_err(Failure::usage)?;
    let note = wanted.note.map(|text| Note::if_any(&text)).transpose().map_err(Failure::usage)?;
    Ok(|labels: &mut Labels| {
        if let Some(tags) = tags {
            labels.tags = tags;
        }
        if let Some(note) = note {
            labels.note = note;
        }
    })
}
