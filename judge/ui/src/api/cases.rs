//! The cases of a run: pages of them, and points of charts.

use super::reply::{Asked, asked, document, json, number, page_rows};
use crate::field::Field;
use crate::refused::Refused;
use crate::row_order::{RowFilter, RowOrder};
use crate::shown_run::ShownRun;
use crate::store::Store;
use axum::extract::{Path, State};
use axum::response::Response;
use judge_problem::JobId;
use judge_problem::condition::Condition;
use judge_report::{CasePage, Points, SolverPoints};
use judge_session::answers;
use judge_session::failure::Failure;
use serde::Deserialize;
use std::sync::Arc;

/// Which rows are asked for, and in which order.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RowsQuery {
    #[serde(default)]
    filter: String,
    #[serde(default)]
    solver: String,
    #[serde(default)]
    sort: String,
    /// With or without a value.
    descending: Option<String>,
    #[serde(default)]
    offset: usize,
    limit: Option<usize>,
}

/// `GET /api/runs/{run}/cases`
pub(super) async fn page(
    State(store): State<Arc<Store>>,
    Path(run): Path<String>,
    query: Asked<RowsQuery>,
) -> Response {
    document(store, move |store| {
        let RowsQuery { filter, solver, sort, descending, offset, limit } = asked(query)?;
        let run = store.run(number(store, &run)?)?;
        let shown = &run.shown;
        let sort = if sort.is_empty() { "case" } else { &sort };
        let order = RowOrder { by: Field::named(sort), descending: descending.is_some_and(|value| value != "false") };
        let all = run.rows(&row_filter(shown, &filter, &solver)?, &order)?;
        let reader = shown.reader();
        let chosen = all.iter().skip(offset).take(page_rows(limit));
        let rows: Vec<_> = chosen.map(|job| shown.row(*job, reader.as_ref())).collect();
        let page = CasePage {
            run: shown.id(),
            all: shown.run.cases.len() * shown.solver_count(),
            total: all.len(),
            offset,
            rows: &rows,
        };
        Ok(json(judge_report::case_page_json(&shown.report(), &page))?)
    })
    .await
}

/// Which points are asked for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PointsQuery {
    x: String,
    y: String,
    #[serde(default)]
    filter: String,
}

/// `GET /api/runs/{run}/points`
pub(super) async fn points(
    State(store): State<Arc<Store>>,
    Path(run): Path<String>,
    query: Asked<PointsQuery>,
) -> Response {
    document(store, move |store| {
        let PointsQuery { x, y, filter } = asked(query)?;
        let run = store.run(number(store, &run)?)?;
        let shown = &run.shown;
        let fields = [Field::named(&x), Field::named(&y)];
        fields.iter().try_for_each(|field| shown.check_field(field))?;
        let order = RowOrder { by: Field::Case, descending: false };
        let rows = run.rows(&row_filter(shown, &filter, "")?, &order)?;
        let found: Vec<_> = rows.iter().filter_map(|job| Some((*job, point(shown, *job, &fields)?))).collect();
        let plan = shown.report().plan;
        let solver =
            |solver: usize| SolverPoints { solver: &plan.solvers[solver].spec.name, ..SolverPoints::default() };
        let mut solvers: Vec<_> = (0..shown.solver_count()).map(solver).collect();
        for (job, [x, y]) in found.iter().step_by(judge_report::every_how_many(found.len())) {
            let points = &mut solvers[job.solver];
            points.cases.push(plan.cases.at(job.case).name.to_string());
            points.x.push(*x);
            points.y.push(*y);
        }
        let points = Points { run: shown.id().0, x: &x, y: &y, total: found.len(), solvers };
        Ok(json(judge_report::points_json(&points))?)
    })
    .await
}

fn row_filter(shown: &ShownRun, condition: &str, solver: &str) -> Result<RowFilter, Refused> {
    let parse = |text: &str| text.parse::<Condition>().map_err(Failure::usage);
    let condition = Some(condition.trim()).filter(|text| !text.is_empty()).map(parse).transpose()?;
    let place = |name| answers::find_entrant(&shown.run, Some(name));
    let solver = Some(solver).filter(|name| !name.is_empty()).map(place).transpose()?;
    Ok(RowFilter { condition, solver })
}

/// Returns two numbers of a row as a chart draws them; `None` unless it has both.
fn point(shown: &ShownRun, job: JobId, fields: &[Field; 2]) -> Option<[f64; 2]> {
    let number = |field| shown.value(job, field)?.to_string().parse::<f64>().ok().filter(|number| number.is_finite());
    Some([number(&fields[0])?, number(&fields[1])?])
}
