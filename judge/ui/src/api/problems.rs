//! The problems of the catalogue.

use super::reply::{document, json};
use crate::store::Store;
use crate::{film, hand};
use axum::extract::{Path, State};
use axum::response::Response;
use judge_problem::CheckerChoice;
use judge_report::ProblemPage;
use judge_run::cases::{Selection, select};
use judge_run::solver;
use judge_session::problem_facts;
use std::sync::Arc;

/// How many cases are named.
const NAMES: usize = 200;

/// `GET /api/problems`
pub(super) async fn list(State(store): State<Arc<Store>>) -> Response {
    document(store, |store| {
        Ok(json(judge_report::problems_json(store.catalogue.problems(), |problem| hand::reader(problem).is_some()))?)
    })
    .await
}

/// `GET /api/problems/{problem}`
pub(super) async fn show(State(store): State<Arc<Store>>, Path(id): Path<String>) -> Response {
    document(store, move |store| {
        let problem = store.catalogue.find(&id)?;
        let (rules, solvers) = match &problem.checker {
            CheckerChoice::BuiltIn(checker) => {
                (checker.rules(), solver::bundled_for(store.catalogue.bundled(), checker.id()).collect())
            }
            _ => ("", Vec::new()),
        };
        let facts = problem_facts::facts(problem);
        let by_hand = hand::reader(problem).is_some();
        // A pattern of files may match none.
        let cases = select(problem, &Selection::default()).unwrap_or_default();
        let names = cases.iter().take(if by_hand { NAMES } else { 0 }).map(|case| case.name.to_string());
        Ok(json(judge_report::problem_json(&ProblemPage {
            problem,
            facts: &facts,
            rules: rules.trim_end(),
            solvers: &solvers,
            by_hand,
            names: &names.collect::<Vec<_>>(),
            fresh_replays: store.starter.is_some() && problem.generator.is_some() && film::is_shown(store, problem),
        }))?)
    })
    .await
}
