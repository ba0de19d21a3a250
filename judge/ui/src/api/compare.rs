//! A solver of a past run against another.

use super::reply::{Asked, asked, document, json, number};
use crate::refused::Refused;
use crate::shown_run::check_features;
use crate::store::Store;
use axum::extract::State;
use axum::response::Response;
use clap::Parser;
use judge_cli::{Cli, Command, CompareArgs};
use judge_compare::paired;
use judge_journal::JournalError;
use judge_problem::RunId;
use judge_session::best_scores::{FromJournal, ReferenceScores};
use judge_session::case_selection::stored_by_rules;
use judge_session::comparison::Compared;
use judge_session::entrants::PastEntrant;
use judge_session::failure::Failure;
use judge_session::{entrants, outputs, pairing};
use serde::Deserialize;
use std::sync::Arc;

/// Which solvers of which runs are compared, on which cases.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CompareQuery {
    a: String,
    b: String,
    #[serde(default)]
    filter: String,
    #[serde(default)]
    group_by: String,
}

/// `GET /api/compare`
pub(super) async fn compare(State(store): State<Arc<Store>>, query: Asked<CompareQuery>) -> Response {
    document(store, move |store| {
        let query = asked(query)?;
        let problem = store.catalogue.find(&problem_of(store, run_of(store, &query.a)?)?)?;
        let args = arguments(&problem.id, &query)?;
        let entrants = entrants::find(&store.catalogue, problem, &args.solvers)?;
        if entrants.iter().any(|entrant| entrant.past.is_none()) {
            return Err(only_past().into());
        }
        let are_stored = |past: &PastEntrant| stored_by_rules(problem, past.run.cases.features()).is_some();
        let is_known = entrants.iter().filter_map(|entrant| entrant.past.as_ref()).all(are_stored);
        if !is_known && (args.cases.condition.is_some() || args.group_by.is_some()) {
            check_features(problem, &format!("judge compare -p {} RUN RUN --where CONDITION", problem.id))?;
        }
        let reference = ReferenceScores::open(&store.catalogue, problem, None, FromJournal::Today)?;
        let pairing = pairing::pair(&store.catalogue, problem, &entrants, &args.cases, &args.running, &reference)?;
        let compared = Compared::of(&args, &entrants, pairing)?;
        let paired = compared.comparisons.first().map(|comparison| &comparison.paired);
        let looks =
            paired.map(|paired| paired::looks(paired, compared.parameters)).transpose().map_err(Failure::from)?;
        let report = compared.report(&args, outputs::here());
        Ok(json(judge_report::compare_looks_json(&report, &looks.unwrap_or_default()))?)
    })
    .await
}

/// Returns the run of a solver: `run:12`, or `run:12/NAME`.
fn run_of(store: &Store, solver: &str) -> Result<RunId, Refused> {
    let past = solver.strip_prefix(entrants::RUN).ok_or_else(only_past)?;
    number(store, past.split('/').next().unwrap_or(past))
}

/// Returns the id of a run's problem. The run itself is read with its solver.
fn problem_of(store: &Store, run: RunId) -> Result<String, Refused> {
    let missing = || Refused::from(JournalError::NoRun(run));
    store.look(|journal| journal.ok_or_else(missing)?.problem_of(run)?.ok_or_else(missing))
}

fn only_past() -> Failure {
    Failure::usage("only solvers of past runs are compared here: run:12, or run:12/NAME")
}

/// Returns the arguments of `judge compare` that mean the same: its defaults and its errors are those of this answer.
fn arguments(problem: &str, query: &CompareQuery) -> Result<CompareArgs, Refused> {
    let CompareQuery { a, b, filter, group_by } = query;
    let mut words = vec!["judge".to_owned(), "compare".to_owned(), format!("--problem={problem}")];
    if !group_by.is_empty() {
        words.push(format!("--group-by={group_by}"));
    }
    words.extend(["--".to_owned(), a.clone(), b.clone()]);
    let condition = Some(filter.trim()).filter(|text| !text.is_empty()).map(str::parse);
    let condition =
        condition.transpose().map_err(|error: judge_problem::condition::ConditionError| Failure::usage(error))?;
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
