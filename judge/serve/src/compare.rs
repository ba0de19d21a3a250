//! The method `compare`: two solvers on the same cases, case by case.

use crate::evaluation;
use crate::evaluator::Evaluator;
use crate::params::{CompareParams, NumberOrText};
use crate::problems::edited;
use crate::queue::{Progress, Task};
use crate::rpc::{Answer, Result, RpcError, json};
use clap::Parser;
use judge_cli::{Cli, Command, CompareArgs};
use judge_problem::{NodeList, Order, Plan, Solver, SolverSpec};
use judge_report::{Document, RunInfo};
use judge_session::comparison::Compared;
use judge_session::entrants::Entrant;
use judge_session::pairing::Pairing;
use judge_session::{MatchResult, outputs, sandbox};
use std::sync::Arc;
use std::time::Instant;

/// The names of the solvers in the report.
const NAMES: [&str; 2] = ["a", "b"];

/// Compares two solvers.
pub(crate) fn compare(evaluator: &Evaluator, params: &CompareParams, task: &Arc<Task>) -> Answer {
    task.check()?;
    let problem = evaluator.problem(params.problem.as_deref())?;
    let args = arguments(&problem.problem().id, params)?;
    let limits = problem.limits(params.limits.as_ref())?;
    let cases = problem.cases(params.seeds.as_ref(), params.cases.as_deref(), &evaluator.hidden)?;
    let (mut candidates, mut at_start) = (Vec::new(), Vec::new());
    for (solver, name) in [&params.a, &params.b].into_iter().zip(NAMES) {
        // The same solvers are `params.solver` of `evaluate`, and each is the candidate.
        let named = |error: RpcError| {
            let message = error.message.replacen("params.solver", &format!("params.{name}"), 1);
            RpcError { message: message.replacen("`candidate`", &format!("`{name}`"), 1), ..error }
        };
        let choice = solver.choice().map_err(named)?;
        let candidate = evaluator.prepare(&problem, choice, &limits, task).map_err(named)?;
        at_start.push((choice, candidate.id_now(&problem, choice)));
        candidates.push(candidate);
    }
    let named = candidates.iter().zip(NAMES).map(|(candidate, name)| Solver {
        spec: SolverSpec { name: name.to_owned(), text: candidate.solver.spec.text.clone() },
        ..candidate.solver.clone()
    });
    let solvers: Vec<Solver> = named.collect();
    let entrants = solvers.iter().map(|solver| Entrant { spec: solver.spec.clone(), past: None });
    let entrants: Vec<Entrant> = entrants.collect();
    let languages = candidates.iter().zip(NAMES);
    let languages = languages.filter_map(|(candidate, name)| Some(format!("{name}={}", candidate.language.as_ref()?)));
    let plan = Plan { cases, solvers, order: Order::Interleaved, ..problem.plan(limits, languages) };
    let started = Instant::now();
    let all = plan.job_count();
    let show_progress = |done: usize| task.progress(Progress { state: "running", done, cases: all });
    let finished = evaluation::play(evaluator, &plan, false, task, show_progress)?;
    evaluator.counters.count(0, evaluation::runs(&finished), 0);
    for ((candidate, (choice, id)), name) in candidates.iter().zip(at_start).zip(NAMES) {
        if candidate.is_edited(&problem, choice, &id) {
            return Err(edited(&format!("solver {name}")));
        }
    }
    evaluator.refuse_edited(&problem)?;
    let run_info = RunInfo {
        elapsed: started.elapsed(),
        jobs: evaluator.settings.jobs.get(),
        tier: evaluator.sandbox.tier(),
        gaps: sandbox::gaps(evaluator.sandbox.gaps()),
    };
    let played = MatchResult::of_jobs(plan, &finished);
    let pairing = Pairing::fresh(played, Some(run_info), NodeList::default());
    let compared = Compared::of(&args, &entrants, pairing)?;
    Ok(json(&compared.report(&args, outputs::here()).record()))
}

/// Returns the arguments of `judge compare` that are meant.
fn arguments(problem: &str, params: &CompareParams) -> Result<Box<CompareArgs>> {
    let mut words = vec!["judge".to_owned(), "compare".to_owned(), "--problem".to_owned(), problem.to_owned()];
    words.extend(NAMES.map(str::to_owned));
    // Its error names the parameter. Only `alpha` can be wrong after this.
    params.min_effect.as_ref().map(NumberOrText::min_effect).transpose()?;
    words.extend(params.alpha.map(|alpha| format!("--alpha={alpha}")));
    words.extend(params.min_effect.as_ref().map(|effect| format!("--min-effect={}", effect.text())));
    let wrong = |why: &str| RpcError::params(format!("params.alpha: {why}"));
    match Cli::try_parse_from(words) {
        Ok(Cli { command: Command::Compare(args), .. }) => Ok(args.into_inner()),
        Ok(_) => Err(wrong("no comparison")),
        Err(error) => {
            // The reason follows the flag of the command line, which has no place here.
            let text = error.to_string();
            let line = text.lines().next().unwrap_or_default();
            Err(wrong(line.rsplit_once("': ").map_or(line, |(_, why)| why)))
        }
    }
}
