//! The numbers of charts: of the cases of a run, and of several runs.

use crate::api::runs::{row_query, run_of};
use crate::reply::{Document, QueryResult, Refused, json, number, parse_query};
use crate::shown_run::{Axes, ShownRun};
use crate::store::Store;
use axum::extract::Path;
use checkers::Score;
use judge_problem::{Digest, Direction, JobId};
use judge_report::{
    Boxes, CaseGrid, GridColumn, Points, Ranges, SolverPoints, ValueCounts, box_groups, chart_stride, share_of_best,
};
use judge_session::{Failure, entrants};
use serde::Deserialize;
use std::collections::HashMap;
use std::sync::Arc;

/// Chooses the points of a chart.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PointsQuery {
    x: String,
    y: String,
    #[serde(default)]
    filter: String,
}

/// `GET /api/runs/{run}/points`
pub(super) fn points(store: &Store, (Path(run), query): (Path<String>, QueryResult<PointsQuery>)) -> Document {
    let PointsQuery { x, y, filter } = parse_query(query)?;
    let shown = store.run(number(store, &run)?)?;
    let found = numbers(&shown, [&x, &y], &filter)?;
    let solver = |solver: usize| SolverPoints { solver: shown.solver_name(solver), ..SolverPoints::default() };
    let mut solvers: Vec<_> = (0..shown.solver_count()).map(solver).collect();
    for (job, [x, y]) in found.iter().step_by(chart_stride(found.len())) {
        let points = &mut solvers[job.solver];
        points.cases.push(shown.run.cases.specs().at(job.case).name.to_string());
        points.x.push(*x);
        points.y.push(*y);
    }
    json(&Points { run: shown.run.id.0, x: &x, y: &y, total: found.len(), solvers })
}

/// Returns the values of formulas for each row that has all of them and passes a filter.
fn numbers<const N: usize>(
    shown: &ShownRun,
    formulas: [&str; N],
    filter: &str,
) -> Result<Vec<(JobId, [f64; N])>, Refused> {
    let axes = Axes::parse(shown, formulas)?;
    let rows = shown.rows(row_query(shown, filter, "")?)?;
    Ok(rows.iter().filter_map(|job| Some((*job, axes.of(shown, *job)?))).collect())
}

/// Chooses the counted numbers.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CountsQuery {
    x: String,
    #[serde(default)]
    filter: String,
}

/// `GET /api/runs/{run}/counts`
pub(super) fn counts(store: &Store, (Path(run), query): (Path<String>, QueryResult<CountsQuery>)) -> Document {
    let CountsQuery { x, filter } = parse_query(query)?;
    let shown = store.run(number(store, &run)?)?;
    let mut values = vec![Vec::new(); shown.solver_count()];
    for (job, [value]) in numbers(&shown, [&x], &filter)? {
        values[job.solver].push(value);
    }
    let names: Vec<&str> = (0..shown.solver_count()).map(|solver| shown.solver_name(solver)).collect();
    json(&ValueCounts { run: shown.run.id.0, ranges: Ranges::of(&x, &names, &values) })
}

/// Chooses the spread numbers and their grouping.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BoxesQuery {
    y: String,
    by: String,
    #[serde(default)]
    filter: String,
}

/// `GET /api/runs/{run}/boxes`
pub(super) fn boxes(store: &Store, (Path(run), query): (Path<String>, QueryResult<BoxesQuery>)) -> Document {
    let BoxesQuery { y, by, filter } = parse_query(query)?;
    let shown = store.run(number(store, &run)?)?;
    let mut pairs = vec![Vec::new(); shown.solver_count()];
    for (job, [by, value]) in numbers(&shown, [&by, &y], &filter)? {
        pairs[job.solver].push((by, value));
    }
    let solvers = (0..shown.solver_count()).map(|solver| shown.solver_name(solver)).collect();
    json(&Boxes { run: shown.run.id.0, y: &y, by: &by, solvers, groups: box_groups(&pairs) })
}

/// The largest number of columns of a grid.
const MAX_COLUMNS: usize = 500;

/// The maximal number of cells of a grid. Of more cases, an evenly chosen part is sent.
const MAX_CELLS: usize = 400_000;

/// Chooses the solvers of a grid.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GridQuery {
    /// `run:12` or `run:12/NAME`, each on a line: a name may have any other character.
    runs: String,
    /// A formula of a feature; empty: the order of the first run.
    #[serde(default)]
    sort: String,
    #[serde(default)]
    filter: String,
}

/// A solver of a past run, with its results by case.
struct Column {
    key: String,
    shown: Arc<ShownRun>,
    solver: usize,
}

impl Column {
    fn find(store: &Store, key: &str) -> Result<Self, Refused> {
        let shown = store.run(run_of(store, key)?)?;
        let solver = entrants::find_entrant(&shown.run, key.split_once('/').map(|(_, name)| name))?;
        Ok(Self { key: key.to_owned(), shown, solver })
    }

    /// Returns the score of a case, if there is one, and the code of the verdict; `None` if there is no result.
    fn result(&self, case: usize) -> Option<(Option<Score>, &'static str)> {
        let outcome = self.shown.outcome(JobId { case, solver: self.solver })?;
        Some((outcome.score, outcome.verdict.code()))
    }
}

/// `GET /api/grid`
pub(super) fn grid(store: &Store, query: QueryResult<GridQuery>) -> Document {
    let GridQuery { runs, sort, filter } = parse_query(query)?;
    let keys: Vec<&str> = runs.split('\n').map(str::trim).filter(|key| !key.is_empty()).collect();
    if keys.is_empty() || keys.len() > MAX_COLUMNS {
        let error = format!("a grid has 1 to {MAX_COLUMNS} solvers, found {}", keys.len());
        return Err(Failure::usage(error).with_hint("runs=run:1/NAME, each on a line").into());
    }
    let columns = keys.iter().map(|key| Column::find(store, key)).collect::<Result<Vec<_>, _>>()?;
    let problem = columns[0].shown.problem();
    if let Some(other) = columns.iter().find(|column| column.shown.run.problem != problem.id) {
        let error = format!("{} is of `{}`, and {} of `{}`", keys[0], problem.id, other.key, other.shown.run.problem);
        return Err(Failure::usage(error).with_hint("compare solvers of one problem").into());
    }
    let order = cases_in_order(&columns[0], &sort, &filter)?;
    let features = columns[0].shown.feature_names();
    json(&filled(&columns, &order, &sort, &features))
}

/// Returns the cases of the first solver that pass a filter, each with the number by which they are sorted.
fn cases_in_order(first: &Column, sort: &str, filter: &str) -> Result<Vec<(usize, Option<f64>)>, Refused> {
    let shown = &first.shown;
    let axes = if sort.is_empty() { None } else { Some(Axes::parse(shown, [sort])?) };
    let rows = shown.rows(row_query(shown, filter, shown.solver_name(first.solver))?)?;
    let key = |job: &JobId| (job.case, axes.as_ref().and_then(|axes| axes.of(shown, *job)).map(|[key]| key));
    let mut cases: Vec<_> = rows.iter().map(key).collect();
    // Cases without the number come last; equal ones keep the order of the run.
    cases.sort_by(|(_, left), (_, right)| match (left, right) {
        (Some(left), Some(right)) => left.total_cmp(right),
        _ => right.is_some().cmp(&left.is_some()),
    });
    Ok(cases)
}

/// Returns the grid of these cases.
fn filled<'a>(
    columns: &'a [Column],
    order: &[(usize, Option<f64>)],
    sort: &'a str,
    features: &'a [String],
) -> CaseGrid<'a> {
    let first = &columns[0].shown;
    let direction = first.problem().direction;
    let places: Vec<HashMap<_, usize>> = columns.iter().map(places_of).collect();
    let stride = (order.len() * columns.len()).div_ceil(MAX_CELLS).max(1);
    let column = |column: &Column| GridColumn {
        key: column.key.clone(),
        run: column.shown.run.id.0,
        solver: column.shown.solver_name(column.solver).to_owned(),
        ..GridColumn::default()
    };
    let mut made: Vec<_> = columns.iter().map(column).collect();
    let (mut cases, mut keys) = (Vec::new(), Vec::new());
    let mut sums = vec![0.0; columns.len()];
    for (row, (case, key)) in order.iter().enumerate() {
        let spec = first.run.cases.specs().at(*case);
        let known = (spec.name.to_string(), first.run.cases.inputs()[*case]);
        let results: Vec<_> =
            columns.iter().zip(&places).map(|(column, places)| column.result(*places.get(&known)?)).collect();
        let shares = shares(direction, &results);
        let is_drawn = row % stride == 0;
        for (at, (result, share)) in results.iter().zip(&shares).enumerate() {
            made[at].known += usize::from(result.is_some());
            made[at].bests += usize::from(*share == Some(1.0));
            sums[at] += share.unwrap_or(0.0);
            if is_drawn {
                made[at].relative.push(share.map(|share| (share * 1e4).round() / 1e4));
                made[at].codes.push(result.as_ref().map_or("", |(_, code)| code));
            }
        }
        if is_drawn {
            cases.push(known.0);
            keys.push(*key);
        }
    }
    for (column, sum) in made.iter_mut().zip(sums) {
        column.mean = (column.known > 0).then(|| sum / column.known as f64);
    }
    CaseGrid {
        problem: &first.problem().id,
        direction: direction.name(),
        sort,
        total: order.len(),
        columns: made,
        cases,
        keys,
        features,
    }
}

/// Returns the place of each case of a run, by its name and its input. A case with another input is a different case.
fn places_of(column: &Column) -> HashMap<(String, Option<Digest>), usize> {
    let cases = &column.shown.run.cases;
    let inputs = cases.inputs().iter().copied();
    (0..cases.len())
        .zip(inputs)
        .map(|(place, input)| ((cases.specs().at(place).name.to_string(), input), place))
        .collect()
}

/// Returns the share of the best score that each result has.
fn shares(direction: Direction, results: &[Option<(Option<Score>, &'static str)>]) -> Vec<Option<f64>> {
    let score = |result: &'_ Option<(Option<Score>, &'static str)>| result.as_ref()?.0.clone();
    let better = |one: Score, other: Score| if direction.compare(&other, &one).is_gt() { other } else { one };
    let best = results.iter().filter_map(score).reduce(better);
    results.iter().map(|result| share_of_best(direction, &score(result)?, best.as_ref()?)).collect()
}
