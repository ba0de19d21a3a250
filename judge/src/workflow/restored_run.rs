//! Makes of a recorded run what a report is made from, without running anything.

use super::best_scores::Reference;
use super::failure::Failure;
use super::outputs::Outputs;
use super::score_run::{self, Scored};
use crate::cli::ReportArgs;
use crate::journal::{RunState, StoredEntrant, StoredRun};
use crate::manifest::Catalogue;
use crate::model::{
    CaseSpec, Features, Finished, Invocation, Limits, Outcome, Problem, Rule, Solver, SolverSpec, Stop,
};
use crate::plan::{Order, Plan};
use crate::report::RunReport;
use crate::scoring::InvalidResults;
use std::sync::Arc;

/// A recorded run, in the form that a run of today has.
pub(crate) struct Restored {
    pub(crate) plan: Plan,
    pub(crate) outcomes: Vec<Option<Outcome>>,
    /// What describes each case; `None` where nobody has looked at its input.
    pub(crate) features: Vec<Option<Arc<Features>>>,
}

impl Restored {
    /// Puts a recorded run into the form of today: its cases have the thresholds and bests of today's catalogue.
    pub(crate) fn of(run: &StoredRun, catalogue: &Catalogue) -> Result<Self, Failure> {
        let problem = catalogue.find(&run.problem)?;
        let spec = |entrant: &StoredEntrant| SolverSpec { name: entrant.name.clone(), text: entrant.command.clone() };
        let solvers = run.entrants.iter().map(|entrant| unplayable(spec(entrant))).collect();
        let cases = run.cases.iter().map(|case| with_terms(&case.spec, problem)).collect();
        let plan = plan(problem, cases, solvers, &run.limits);
        let results = run.cases.iter().flat_map(|case| &case.results);
        let outcomes = results.map(|result| result.as_ref().map(|stored| stored.outcome.clone())).collect();
        Ok(Self { features: vec![None; plan.cases.len()], plan, outcomes })
    }

    /// Measures the run by these best scores.
    pub(crate) fn measure(&mut self, run: &StoredRun, reference: &Reference) {
        let problem = &mut self.plan.problem;
        problem.best = reference.source.clone();
        for (case, stored) in self.plan.cases.iter_mut().zip(&run.cases) {
            let _is_known = reference.measure_one(problem.direction, case, stored.input);
        }
    }

    /// Scores the run by this rule; by the problem's own if there is none. `by` is the feature that the cases are
    /// grouped by, if they are.
    pub(crate) fn score(&mut self, rule: Option<Rule>, by: Option<&str>) -> Result<Scored, InvalidResults> {
        if let Some(rule) = rule {
            self.plan.problem.scoring = rule;
        }
        score_run::score(&self.plan, &self.outcomes, &self.features, by)
    }

    /// Returns what there is to tell of the run.
    pub(crate) fn report<'a>(&'a self, run: &'a StoredRun, scored: &'a Scored) -> RunReport<'a> {
        RunReport {
            plan: &self.plan,
            outcomes: &self.outcomes,
            rule: &scored.rule,
            scoreboard: &scored.board,
            places: &scored.places,
            test_groups: &scored.test_groups,
            features: &self.features,
            grouping: scored.grouping.as_ref(),
            stop: match run.state {
                RunState::Complete => None,
                RunState::Stopped => Some(Stop::FailFast),
                RunState::Running | RunState::Killed | RunState::Interrupted => Some(Stop::Interrupted),
            },
            elapsed: run.elapsed,
            jobs: run.jobs,
            tier: &run.tier,
            gaps: &[],
        }
    }
}

/// Writes every report that is asked for, as if the run had just ended.
pub(crate) fn publish(report: &RunReport<'_>, args: &ReportArgs, all: bool) -> Result<(), Failure> {
    let mut outputs = Outputs::check(args)?.open()?;
    for (job, outcome) in report.jobs() {
        let Some(outcome) = outcome.cloned() else { continue };
        let finished = Finished { job, outcome, features: None, evidence: Box::default() };
        outputs.finished(report.plan, &finished, None);
    }
    outputs.publish(report, all)
}

/// Returns a solver that is only known by its results.
pub(crate) fn unplayable(spec: SolverSpec) -> Solver {
    let why = "a recorded run is not run again".to_owned();
    Solver { spec, invocation: Invocation::CannotStart(why), environment: Vec::new() }
}

/// Returns the plan of what was played under these limits.
pub(crate) fn plan(problem: &Problem, cases: Vec<CaseSpec>, solvers: Vec<Solver>, limits: &Limits) -> Plan {
    Plan {
        problem: problem.clone(),
        cases,
        solvers,
        limits: limits.clone(),
        environment: Vec::new(),
        visible: Vec::new(),
        fail_fast: false,
        order: Order::Fixed,
    }
}

/// A case with what today's catalogue knows of it, by the source of its input.
pub(crate) fn with_terms(case: &CaseSpec, problem: &Problem) -> CaseSpec {
    let known = problem.cases.iter().find(|known| known.source == case.source);
    known.map_or_else(|| case.clone(), |known| CaseSpec { name: case.name.clone(), ..known.clone() })
}
