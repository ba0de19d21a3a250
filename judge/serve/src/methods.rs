//! The methods that a client can call: those of `judge serve`, or of the Model Context Protocol.

use crate::evaluator::Evaluator;
use crate::mcp::Mcp;
use crate::params::{CancelParams, CompareParams, EvaluateParams, NoParams, ProblemParams, priority, read_params};
use crate::queue::{Progress, Task};
use crate::rpc::{Answer, Id, Result, RpcError, code, json, notification_line};
use crate::{compare, evaluation, sealed};
use judge_problem::{Problem, closest};
use judge_report::{ProblemList, ProblemRecord};
use judge_session::{load, problem_facts};
use serde_json::{Map, Value, json as value};
use std::sync::Arc;

/// The methods that a client can call.
pub enum Methods {
    /// The methods of `judge serve`.
    Serve,
    /// Those of the Model Context Protocol.
    Mcp(Mcp),
}

/// The action that a request leads to.
pub(crate) enum Step {
    /// The answer.
    Now(Answer),
    /// Work that waits for its turn.
    Later(Later),
    /// The end of another request.
    Cancel(Id),
}

/// Reports the progress of a request to a client, in a line.
pub(crate) type TellProgress = Box<dyn Fn(Progress) -> String + Send + Sync>;

/// Work that waits for its turn.
pub(crate) struct Later {
    pub(crate) priority: i32,
    pub(crate) progress: Option<TellProgress>,
    pub(crate) work: Work,
}

/// Answers a request.
pub(crate) type Work = Box<dyn FnOnce(&Evaluator, &Arc<Task>) -> Answer + Send>;

impl Methods {
    /// Returns the action that a request leads to. `id` is the request's own.
    pub(crate) fn step(
        &self,
        evaluator: &Evaluator,
        id: Option<&Id>,
        method: &str,
        params: Map<String, Value>,
    ) -> Result<Step> {
        match self {
            Self::Serve => serve(evaluator, id, method, params),
            Self::Mcp(mcp) => mcp.step(evaluator, method, params),
        }
    }
}

/// The methods of `judge serve`.
const METHODS: [&str; 6] = ["evaluate", "compare", "cancel", "problems", "rules", "status"];

fn serve(evaluator: &Evaluator, id: Option<&Id>, method: &str, params: Map<String, Value>) -> Result<Step> {
    let now = |answer| Ok(Step::Now(answer));
    let later = |priority, work| Ok(Step::Later(Later { priority, progress: id.map(tell_progress), work }));
    match method {
        "evaluate" => {
            let params: EvaluateParams = read_params(params)?;
            params.solver.choice()?;
            let priority = priority(params.priority)?;
            let work: Work = Box::new(move |evaluator, task| match sealed::are_wanted(evaluator, &params)? {
                Some(file) => sealed::evaluate(evaluator, &params, file, task),
                None => evaluation::evaluate(evaluator, &params, task),
            });
            later(priority, work)
        }
        "compare" => {
            let params: CompareParams = read_params(params)?;
            let priority = priority(params.priority)?;
            later(priority, Box::new(move |evaluator, task| compare::compare(evaluator, &params, task)))
        }
        "cancel" => {
            let CancelParams { id } = read_params(params)?;
            let id = Id::read(&id).ok_or_else(|| RpcError::params("params.id: expected a string or a number"))?;
            Ok(Step::Cancel(id))
        }
        "problems" => {
            let NoParams {} = read_params(params)?;
            now(problems(evaluator))
        }
        "rules" => {
            let params: ProblemParams = read_params(params)?;
            now(rules(evaluator, params.problem.as_deref()))
        }
        "status" => {
            let NoParams {} = read_params(params)?;
            now(evaluator.status())
        }
        other => Err(unknown_method(other, &METHODS)),
    }
}

/// Returns the error of a method that there is not.
pub(crate) fn unknown_method(method: &str, known: &[&str]) -> RpcError {
    let meant = closest(method, known.iter().copied()).map(|meant| format!("did you mean `{meant}`?"));
    let hint = meant.unwrap_or_else(|| format!("known: {}", known.join(", ")));
    RpcError::new(code::NO_METHOD, format!("there is no method `{method}`")).with_hint(hint)
}

fn tell_progress(id: &Id) -> TellProgress {
    let id: Value = serde_json::from_str(id.json()).unwrap_or_default();
    Box::new(move |Progress { state, done, cases }| {
        notification_line("progress", &value!({ "id": id, "state": state, "done": done, "cases": cases }))
    })
}

/// Lists the problems.
pub(crate) fn problems(evaluator: &Evaluator) -> Answer {
    let by_hand = |problem: &Problem| problem.checker.built_in().is_some_and(|checker| checker.manual_reader.is_some());
    let record = |problem| ProblemRecord::of(problem, by_hand(problem));
    Ok(json(&ProblemList { problems: evaluator.catalogue.problems.iter().map(record).collect() }))
}

/// Returns the rules of a problem, and the languages of its solvers.
fn rules(evaluator: &Evaluator, id: Option<&str>) -> Answer {
    let problem = evaluator.find_problem(id)?;
    let languages = load::languages(&evaluator.catalogue)?;
    let languages: Vec<&str> = languages.iter().map(|language| &*language.name).collect();
    Ok(json(&value!({ "problem": problem.id, "rules": rules_text(evaluator, id)?, "languages": languages })))
}

/// Returns the rules of a built-in game, and the other facts about a problem.
pub(crate) fn rules_text(evaluator: &Evaluator, id: Option<&str>) -> Result<String> {
    let problem = evaluator.find_problem(id)?;
    let rules = problem.checker.built_in().map(|checker| format!("{}\n\n", checker.rules.trim_end()));
    let facts = problem_facts::facts(problem);
    let facts: Vec<String> = facts.into_iter().map(|(name, text)| format!("{name}: {text}\n")).collect();
    Ok(rules.unwrap_or_default() + &facts.concat())
}
