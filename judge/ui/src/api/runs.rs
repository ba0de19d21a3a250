//! Past runs, and one of them.

use super::reply::{Asked, asked, document, json, number, page_rows};
use crate::field::Field;
use crate::film;
use crate::store::Store;
use axum::extract::{Path, State};
use axum::response::Response;
use judge_journal::HistoryFilter;
use judge_problem::RunState;
use judge_report::{RunHead, RunReport};
use judge_session::detached::DetachedRuns;
use serde::Deserialize;
use std::sync::Arc;

/// Which runs are asked for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RunsQuery {
    text: Option<String>,
    problem: Option<String>,
    solver: Option<String>,
    tag: Option<String>,
    #[serde(default)]
    offset: usize,
    limit: Option<usize>,
}

/// `GET /api/runs`
pub(super) async fn list(State(store): State<Arc<Store>>, query: Asked<RunsQuery>) -> Response {
    document(store, move |store| {
        let RunsQuery { text, problem, solver, tag, offset, limit } = asked(query)?;
        let filter = HistoryFilter {
            problem: problem.as_deref(),
            solver: solver.as_deref(),
            tag: tag.as_deref(),
            text: text.as_deref().map(str::trim),
            offset,
            searches_as_one: solver.is_none(),
            newest: Some(page_rows(limit)),
        };
        store.look(|journal| {
            let Some(journal) = journal else { return Ok(json(judge_report::history_page_json(&[], offset, 0))?) };
            let mut rows = journal.history(&filter)?;
            DetachedRuns::new(&store.catalogue, journal).mark(&mut rows)?;
            Ok(json(judge_report::history_page_json(&rows, offset, journal.history_count(&filter)?))?)
        })
    })
    .await
}

/// `GET /api/runs/{run}`
pub(super) async fn head(State(store): State<Arc<Store>>, Path(run): Path<String>) -> Response {
    document(store, move |store| {
        let run = store.run(number(store, &run)?)?;
        let shown = &run.shown;
        let detached = store.look(|journal| match journal {
            Some(journal) => Ok(DetachedRuns::new(&store.catalogue, journal).find(shown.id(), shown.run.state)?),
            None => Ok(None),
        })?;
        let relative: Vec<_> = (0..shown.solver_count()).map(|solver| shown.mean_relative(solver)).collect();
        let head = RunHead {
            run: shown.id(),
            state: if detached.is_some() { RunState::Detached } else { shown.run.state },
            planned: shown.run.case_count,
            fields: &Field::NAMES,
            features: &shown.feature_names(),
            replays: film::is_shown(store, shown.problem()),
            relative: &relative,
        };
        Ok(json(judge_report::run_head_json(&RunReport { detached: detached.as_ref(), ..shown.report() }, &head))?)
    })
    .await
}
