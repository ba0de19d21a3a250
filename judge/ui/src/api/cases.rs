//! One case: its results in all runs, and its input.

use crate::api::reply::{json, number};
use crate::games;
use crate::refused::Refused;
use crate::shown_run::{check_features, starts_programs};
use crate::store::Store;
use axum::extract::Path;
use judge_problem::{Digest, Features, Problem};
use judge_report::{CaseHistory, case_results, exact_numbers};
use judge_run::cases::CaseReader;
use judge_session::answers;
use judge_session::failure::Failure;

/// The number of results that are listed.
const NEWEST: usize = 500;

/// `GET /api/problems/{problem}/cases/{case}`
pub(super) fn history(store: &Store, Path((id, case)): Path<(String, String)>) -> Result<String, Refused> {
    let problem = store.catalogue.find(&id)?;
    let mut results = store.read(|journal| Ok(journal.results_of_case(&problem.id, &case, NEWEST)?))?;
    let described = described(problem, &case);
    if results.is_empty() && described.is_none() {
        let failure = Failure::usage(format!("no run of `{}` has a case `{case}`", problem.id));
        return Err(Refused::missing(failure.with_hint(store.command(&format!("judge run -p {}", problem.id)))));
    }
    // The case of the newest result. A case with the same name but another input is a different case.
    let input = results.first().and_then(|result| result.input);
    let all = results.len();
    results.retain(|result| result.input == input);
    let features = described.filter(|(found, _)| Some(*found) == input || input.is_none());
    let others = all - results.len();
    let (best, results) = case_results(&results, problem.direction);
    let page = CaseHistory {
        problem: &problem.id,
        case: &case,
        direction: problem.direction.name(),
        features: features.as_ref().map(|(_, features)| exact_numbers(features)),
        input: features.is_some() && !results.is_empty(),
        replays: games::is_shown(store, problem),
        others,
        best,
        results,
    };
    Ok(json(&page)?)
}

/// Returns the input's hash and the features of a case, if reading them starts no program.
fn described(problem: &Problem, name: &str) -> Option<(Digest, Features)> {
    if starts_programs(problem) {
        return None;
    }
    let described = CaseReader::of(problem).describe(&games::find_case(problem, name).ok()?).ok()?;
    Some((described.input, described.features))
}

/// `GET /api/runs/{run}/cases/{case}/input`
pub(super) fn input(store: &Store, Path((run, case)): Path<(String, String)>) -> Result<Vec<u8>, Refused> {
    let run = store.run(number(store, &run)?)?;
    let shown = &run.shown;
    let problem = shown.problem();
    check_features(problem, &store.command(&format!("judge gen -p {} --seed N", problem.id)))?;
    let case = answers::find_case(&shown.run, &case).map_err(Refused::missing)?;
    Ok(answers::shown_input(problem, shown.run.id, &case)?)
}
