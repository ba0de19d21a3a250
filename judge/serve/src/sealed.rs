//! The method `evaluate` on sealed cases: it answers with the number of failures and the best total so far.

use crate::evaluation::{play, runs};
use crate::evaluator::Evaluator;
use crate::params::EvaluateParams;
use crate::queue::Task;
use crate::rpc::{Answer, Result, RpcError, json};
use judge_problem::Plan;
use judge_session::MatchResult;
use judge_session::sealed::SealedCases;
use std::path::Path;
use std::sync::Arc;

/// Returns the file of the sealed cases if a request concerns them: it names them, or it names no cases.
pub(crate) fn are_wanted<'a>(evaluator: &'a Evaluator, params: &EvaluateParams) -> Result<Option<&'a Path>> {
    let names_cases = params.seeds.is_some() || params.cases.is_some();
    let would_tell = [("against", params.against.is_some()), ("min_effect", params.min_effect.is_some())];
    let is_wanted = params.sealed.unwrap_or(!names_cases);
    match (&evaluator.sealed, is_wanted) {
        (None, _) if params.sealed == Some(true) => {
            Err(RpcError::params("params.sealed: there are no sealed cases").with_hint("judge serve --sealed FILE"))
        }
        (None, _) | (_, false) => Ok(None),
        (Some(_), true) if names_cases => {
            Err(RpcError::params("params: `sealed` cannot be used with `seeds` or `cases`"))
        }
        (Some(file), true) => match would_tell.into_iter().find(|(_, is_given)| *is_given) {
            Some((name, _)) => Err(RpcError::params(format!("params: `{name}` would tell more of sealed cases"))
                .with_hint("name `seeds` or `cases` to compare")),
            None => Ok(Some(file)),
        },
    }
}

/// Evaluates a candidate on the sealed cases in a file. The results are stored only in that file.
pub(crate) fn evaluate(evaluator: &Evaluator, params: &EvaluateParams, file: &Path, task: &Arc<Task>) -> Answer {
    task.check()?;
    let problem = evaluator.problem(params.problem.as_deref())?;
    let limits = problem.limits(params.limits.as_ref())?;
    let catalogue = &evaluator.catalogue;
    let mut cases = SealedCases::open(catalogue, problem.problem(), Some(file), &evaluator.sandbox, None)?;
    let candidate = evaluator.prepare(&problem, params.solver.choice()?, &limits, task)?;
    let solvers = vec![candidate.solver.clone()];
    let plan = Plan { limits, solvers, cases: cases.cases(), ..problem.template.clone() };
    cases.begin(&plan)?;
    // Progress would reveal how long each case takes, even without a number.
    let jobs = play(evaluator, &plan, false, task, |_| ())?;
    let played = MatchResult::of_jobs(plan, &jobs);
    evaluator.counters.count(1, runs(&jobs), 0);
    Ok(json(&cases.report(&played, None)?.score()))
}
