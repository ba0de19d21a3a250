//! Past runs: the list, one run, its cases, its labels, and comparisons.

use crate::games;
use crate::reply::{BodyResult, Document, QueryResult, Refused, json, number, page_rows, parse_body, parse_query};
use crate::shown_run::{Field, RowQuery, ShownRun, check_inputs};
use crate::store::Store;
use axum::extract::Path;
use clap::Parser;
use judge_cli::{Cli, Command, CompareArgs};
use judge_compare::paired;
use judge_journal::{HistoryFilter, JournalError};
use judge_problem::{Condition, Labels, Note, RunId, RunState, Tag};
use judge_report::{CasePage, HistoryPage, RunHead, RunLabels, RunReport, Summary, growing_comparison};
use judge_session::case_selection::stored_by_rules;
use judge_session::comparison::Compared;
use judge_session::detached::DetachedRuns;
use judge_session::entrants::{self, PastEntrant};
use judge_session::restored_run::is_rescored;
use judge_session::{Failure, outputs, pairing, recorder};
use serde::Deserialize;
use std::collections::BTreeSet;

/// Chooses runs.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RunsQuery {
    pub(crate) text: Option<String>,
    pub(crate) problem: Option<String>,
    pub(crate) solver: Option<String>,
    pub(crate) tag: Option<String>,
    pub(crate) offset: usize,
    pub(crate) limit: Option<usize>,
}

/// `GET /api/runs`
pub(crate) fn list(store: &Store, query: QueryResult<RunsQuery>) -> Document {
    let RunsQuery { text, problem, solver, tag, offset, limit } = parse_query(query)?;
    let filter = HistoryFilter {
        problem: problem.as_deref(),
        solver: solver.as_deref(),
        tag: tag.as_deref(),
        text: text.as_deref().map(str::trim),
        offset,
        searches_as_one: solver.is_none(),
        newest: Some(page_rows(limit)),
    };
    store.with_journal(|journal| {
        let Some(journal) = journal else { return json(&HistoryPage::of(&[], offset, 0)) };
        let mut rows = journal.history(&filter)?;
        DetachedRuns::new(&store.catalogue, journal).mark(&mut rows)?;
        json(&HistoryPage::of(&rows, offset, journal.history_count(&filter)?))
    })
}

/// `GET /api/runs/{run}`
pub(crate) fn head(store: &Store, Path(run): Path<String>) -> Document {
    let shown = store.run(number(store, &run)?)?;
    let detached =
        store.read(|journal| Ok(DetachedRuns::new(&store.catalogue, journal).find(shown.run.id, shown.run.state)?))?;
    let report = RunReport { detached: detached.as_ref(), ..shown.report() };
    let state = if detached.is_some() { RunState::Detached } else { shown.run.state };
    let head = RunHead {
        run: shown.run.id.0,
        state: state.name(),
        planned: shown.run.case_count,
        done: report.plan.cases.len(),
        fields: shown.field_names(),
        features: shown.feature_names(),
        replays: games::is_shown(store, shown.problem()),
        relative: (0..shown.solver_count()).map(|solver| shown.mean_relative(solver)).collect(),
        rescored: is_rescored(&shown.run, &shown.scored),
        summary: Summary::of(&report),
    };
    json(&head)
}

/// Chooses rows and their order.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RowsQuery {
    pub(crate) filter: String,
    pub(crate) solver: String,
    pub(crate) sort: String,
    /// With or without a value.
    pub(crate) descending: Option<String>,
    pub(crate) offset: usize,
    pub(crate) limit: Option<usize>,
}

/// `GET /api/runs/{run}/cases`
pub(crate) fn cases(store: &Store, (Path(run), query): (Path<String>, QueryResult<RowsQuery>)) -> Document {
    let RowsQuery { filter, solver, sort, descending, offset, limit } = parse_query(query)?;
    let shown = store.run(number(store, &run)?)?;
    let sort = if sort.is_empty() { "case" } else { &sort };
    let (by, descending) = (Field::named(sort), descending.is_some_and(|value| value != "false"));
    let all = shown.rows(RowQuery { by, descending, ..row_query(&shown, &filter, &solver)? })?;
    let (report, reader) = (shown.report(), shown.reader());
    let chosen = all.iter().skip(offset).take(page_rows(limit));
    let page = CasePage {
        run: shown.run.id.0,
        all: shown.run.cases.len() * shown.solver_count(),
        total: all.len(),
        offset,
        rows: chosen.map(|job| shown.row(&report, *job, reader.as_ref())).collect(),
    };
    json(&page)
}

/// Returns the rows for which a condition holds, of one solver if it is named, in the order of the run.
pub(super) fn row_query(shown: &ShownRun, condition: &str, solver: &str) -> Result<RowQuery, Refused> {
    let parse = |text: &str| text.parse::<Condition>().map_err(Failure::usage);
    let condition = Some(condition.trim()).filter(|text| !text.is_empty()).map(parse).transpose()?;
    let place = |name| entrants::find_entrant(&shown.run, Some(name));
    let solver = Some(solver).filter(|name| !name.is_empty()).map(place).transpose()?;
    Ok(RowQuery { condition, solver, ..RowQuery::default() })
}

/// The new tags and the new note of a run. Absent ones stay as they are.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WantedLabels {
    tags: Option<Vec<String>>,
    /// Empty: none.
    note: Option<String>,
}

/// `POST /api/runs/{run}/labels`
pub(super) fn change_labels(store: &Store, (Path(run), body): (Path<String>, BodyResult<WantedLabels>)) -> Document {
    store.check_writable().map_err(Refused::forbidden)?;
    let change = change_of(parse_body(body)?)?;
    let run = number(store, &run)?;
    // A separate connection: the connection of the store sees the change as made by another process, and the pages
    // get an event.
    let labels = recorder::open(&store.catalogue)?.change_labels(run, change)?;
    json(&RunLabels { run: run.0, labels: &labels })
}

/// Returns a function that sets the tags and the note of a run.
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

/// Chooses the solvers, the runs and the cases of a comparison.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(crate) struct CompareQuery {
    pub(crate) a: String,
    pub(crate) b: String,
    #[serde(default)]
    pub(crate) filter: String,
    #[serde(default)]
    pub(crate) group_by: String,
}

/// `GET /api/compare`
pub(crate) fn compare(store: &Store, query: QueryResult<CompareQuery>) -> Document {
    let query = parse_query(query)?;
    let problem = store.catalogue.find(&problem_of(store, run_of(store, &query.a)?)?)?;
    let args = arguments(&problem.id, &query)?;
    let entrants = entrants::find(&store.catalogue, problem, &args.solvers)?;
    if entrants.iter().any(|entrant| entrant.past.is_none()) {
        return Err(only_past().into());
    }
    let are_stored = |past: &PastEntrant| stored_by_rules(problem, past.run.cases.features()).is_some();
    let is_known = entrants.iter().filter_map(|entrant| entrant.past.as_ref()).all(are_stored);
    if !is_known && (args.cases.condition.is_some() || args.group_by.is_some()) {
        let command = format!("judge compare -p {} RUN RUN --where CONDITION", problem.id);
        check_inputs(problem, &command)?;
    }
    // The document has the warnings.
    let tell = |_: &str| ();
    let conditions = (&args.cases, &args.running);
    let pairing = pairing::pair(&store.catalogue, problem, &entrants, conditions, (None, None), tell)?;
    let compared = Compared::of(&args, &entrants, pairing)?;
    let paired = compared.comparisons.first().map(|comparison| &comparison.paired);
    let looks = paired.map(|paired| paired::looks(paired, compared.parameters)).transpose().map_err(Failure::from)?;
    let report = compared.report(&args, outputs::here());
    json(&growing_comparison(&report, &looks.unwrap_or_default()))
}

/// Returns the run of a solver: `run:12`, or `run:12/NAME`.
pub(super) fn run_of(store: &Store, solver: &str) -> Result<RunId, Refused> {
    let past = solver.strip_prefix(entrants::RUN).ok_or_else(only_past)?;
    number(store, past.split('/').next().unwrap_or(past))
}

/// Returns the id of a run's problem, without reading the run.
fn problem_of(store: &Store, run: RunId) -> Document {
    store.read(|journal| Ok(journal.problem_of(run)?))?.ok_or_else(|| JournalError::NoRun(run).into())
}

fn only_past() -> Failure {
    Failure::usage("only solvers of past runs are compared here: run:12, or run:12/NAME")
}

/// Returns the same query as arguments of `judge compare`: its defaults and its errors apply.
fn arguments(problem: &str, query: &CompareQuery) -> Result<CompareArgs, Refused> {
    let CompareQuery { a, b, filter, group_by } = query;
    let mut words = vec!["judge".to_owned(), "compare".to_owned(), format!("--problem={problem}")];
    if !group_by.is_empty() {
        words.push(format!("--group-by={group_by}"));
    }
    words.extend(["--".to_owned(), a.clone(), b.clone()]);
    let condition = Some(filter.trim()).filter(|text| !text.is_empty()).map(str::parse);
    let condition = condition.transpose().map_err(|error: judge_problem::InvalidText| Failure::usage(error))?;
    match Cli::try_parse_from(words).map(|cli| cli.command) {
        Ok(Command::Compare(args)) => {
            let mut args = args.into_inner();
            args.cases.condition = condition;
            Ok(*args)
        }
        Ok(_) => Err(Failure::fault("these are no arguments of `judge compare`").into()),
        Err(error) => Err(Failure::usage(error).into()),
    }
}
