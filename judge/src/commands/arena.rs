//! Where solvers play for the commands that compare them: one sandbox, and as many plans as it takes.

use super::failure::Failure;
use super::journaling::Wishes;
use super::reference::Reference;
use super::session::Session;
use super::{choice, jobs, run, walls};
use crate::cases::{Selection, describe_all, select};
use crate::cli::{CaseArgs, RunningArgs};
use crate::duel::Yardstick;
use crate::journal::Part;
use crate::manifest::Catalogue;
use crate::model::{CaseSpec, Exit, JobId, Outcome, Problem, RunEvent, Seeds, Solver, SolverSpec, Stop, Verdict};
use crate::plan::{Order, Plan};
use crate::report::{Progress, Venue};
use crate::runner::{PlanRunner, RunResult};
use crate::solver::{self, Toolbox};
use std::path::Path;
use std::time::Duration;

/// The first of the seeds that are taken where fresh cases are wanted: far from those that people use by hand, and by
/// which their solvers were made.
const FIRST_FRESH_SEED: u64 = 1_000_001;

/// A condition that holds for none of so many cases holds for none.
const MOST_LOOKED_AT: usize = 1_000_000;

/// Where solvers play.
pub(super) struct Arena<'a> {
    pub(super) catalogue: &'a Catalogue,
    pub(super) runner: Box<dyn PlanRunner>,
    pub(super) toolbox: Toolbox,
    template: Plan,
    wishes: Wishes,
    reference: Option<Reference>,
}

/// What was played.
pub(super) struct Played {
    pub(super) plan: Plan,
    /// By place in the plan; `None` for what was not finished.
    pub(super) outcomes: Vec<Option<Outcome>>,
    pub(super) stop: Option<Stop>,
}

impl<'a> Arena<'a> {
    /// Opens the sandbox for a problem of the catalogue.
    pub(super) fn open(catalogue: &'a Catalogue, problem: &Problem, args: &RunningArgs) -> Result<Self, Failure> {
        let toolbox = Toolbox::new().map_err(|error| run::no_temporary_folder(&error))?;
        let template = Plan {
            problem: problem.clone(),
            cases: Vec::new(),
            solvers: Vec::new(),
            limits: run::limits(&problem.limits, &args.limits),
            environment: args.sandbox.environment.clone(),
            visible: walls::visible(&args.sandbox)?,
            fail_fast: false,
            order: Order::Interleaved,
        };
        let runner = jobs::plan_runner(&args.jobs, &args.sandbox, false)?;
        let wishes = Wishes { journal: !args.no_journal, resume: false, reuse: args.reuse, going_on: "--reuse" };
        Ok(Self { catalogue, runner, toolbox, template, wishes, reference: None })
    }

    /// Measures points by the best scores that the command line names, or else the problem.
    pub(super) fn measure(&mut self, yardstick: Option<Yardstick>, best: Option<&Path>) -> Result<(), Failure> {
        self.reference = Reference::of_points(yardstick, self.catalogue, &self.template.problem, best)?;
        Ok(())
    }

    /// Gives the solvers no variables but their own: those of the command line have gone into them.
    pub(super) fn without_shared_environment(mut self) -> Self {
        self.template.environment.clear();
        self
    }

    /// Finds out how solvers are run.
    pub(super) fn solvers(&mut self, texts: &[String]) -> Result<Vec<Solver>, Failure> {
        let specs = solver::parse_specs(texts)?;
        Ok(specs.into_iter().map(|spec| self.prepare(spec)).collect())
    }

    /// Finds out how a solver is run.
    pub(super) fn prepare(&mut self, spec: SolverSpec) -> Solver {
        solver::prepare(spec, &mut self.toolbox)
    }

    /// Finds out how one solver is run: the given one, or the problem's own.
    pub(super) fn solver(&mut self, given: Option<&String>) -> Result<Vec<Solver>, Failure> {
        let problem = &self.template.problem;
        let text = given.or(problem.default_solver.as_ref()).cloned().ok_or_else(|| {
            Failure::usage(format!("the problem `{}` has no solver of its own", problem.id))
                .with_hint("name one: --solver ./mybot")
        })?;
        self.solvers(&[text])
    }

    /// Returns the cases that the command line selects; that they can be grouped `by` a feature is checked, if it is given.
    pub(super) fn cases(&self, args: &CaseArgs, by: Option<&str>) -> Result<Vec<CaseSpec>, Failure> {
        Ok(choice::choose(&self.template.problem, args, by, None)?.cases)
    }

    /// Returns cases that nobody has seen before, or those made from the given seeds, as long as there are any.
    pub(super) fn fresh_cases(&self, seeds: Option<&Seeds>) -> Result<Box<dyn Iterator<Item = CaseSpec>>, Failure> {
        let problem = &self.template.problem;
        if problem.generator.is_none() {
            let error = format!("the problem `{}` cannot make fresh cases: it has no generator", problem.id);
            return Err(Failure::usage(error).with_hint("add `generator-command` to the problem"));
        }
        match seeds {
            Some(seeds) => {
                let selection = Selection { seeds: Some(seeds.clone()), ..Selection::default() };
                Ok(Box::new(select(problem, &selection)?.into_iter()))
            }
            None => Ok(Box::new((FIRST_FRESH_SEED..).map(CaseSpec::from_seed))),
        }
    }

    /// Returns fresh cases for which the condition of the command line holds.
    pub(super) fn fresh_cases_where(&self, args: &CaseArgs) -> Result<Box<dyn Iterator<Item = CaseSpec>>, Failure> {
        let cases = self.fresh_cases(args.seeds.as_ref())?;
        let Some(condition) = args.condition.clone() else { return Ok(cases) };
        let problem = self.template.problem.clone();
        // A case that cannot be read is kept: playing it tells why.
        let holds = move |case: &CaseSpec| match describe_all(&problem, std::slice::from_ref(case)) {
            Ok(features) => features.iter().all(|features| condition.holds(features)),
            Err(_) => true,
        };
        Ok(Box::new(cases.take(MOST_LOOKED_AT).filter(holds)))
    }

    /// Returns the plan that every plan here is made from: without solvers or cases.
    pub(super) fn template(&self) -> &Plan {
        &self.template
    }

    /// Returns the plan of these solvers on these cases.
    pub(super) fn plan(&self, solvers: Vec<Solver>, mut cases: Vec<CaseSpec>) -> Result<Plan, Failure> {
        if let Some(reference) = &self.reference {
            reference.measure(&self.template.problem, &mut cases)?;
        }
        Ok(Plan { solvers, cases, ..self.template.clone() })
    }

    /// Returns where and how solvers played for so long.
    pub(super) fn venue(&self, elapsed: Duration) -> Venue {
        let runner = &self.runner;
        Venue { elapsed, jobs: runner.jobs(), tier: runner.tier().name(), gaps: walls::gaps(runner.gaps()) }
    }

    /// Plays a plan to its end, or until it is stopped, with a progress bar. It is a run of its own in the journal.
    pub(super) fn play(&self, plan: Plan) -> Result<Played, Failure> {
        let mut session = self.begin(&plan)?;
        let part = Part::whole(&plan);
        let played = self.play_part(&mut session, plan, part)?;
        session.finish(&played.plan, &played.outcomes, played.stop);
        Ok(played)
    }

    /// Starts a run in the journal with the solvers and cases of this plan; it may grow.
    pub(super) fn begin(&self, plan: &Plan) -> Result<Session, Failure> {
        Session::start(self.wishes, self, plan)
    }

    /// Plays a part of a run, with a progress bar.
    pub(super) fn play_part(&self, session: &mut Session, plan: Plan, part: Part) -> Result<Played, Failure> {
        let mut progress = Progress::start(plan.job_count());
        let played = self.play_watched(session, plan, part, &mut |event| progress.watch(event));
        progress.finish();
        played
    }

    /// Plays a part of a run to its end, or until it is stopped.
    pub(super) fn play_watched(
        &self,
        session: &mut Session,
        plan: Plan,
        part: Part,
        watch: &mut dyn FnMut(&RunEvent),
    ) -> Result<Played, Failure> {
        let RunResult { outcomes, stop } = self.runner.run(&plan, session.part(part), watch)?;
        Ok(Played { plan, outcomes, stop })
    }
}

impl Played {
    /// Adds what was played later, by the solvers at these places of this plan.
    pub(super) fn extend(&mut self, later: Self, solvers: &[usize]) {
        let all = self.plan.solvers.len();
        for (case, _) in later.plan.cases.iter().enumerate() {
            let played = |solver| solvers.iter().position(|&place| place == solver);
            let outcome = |solver| later.outcome(JobId { case, solver: played(solver)? }).cloned();
            self.outcomes.extend((0..all).map(outcome));
        }
        self.plan.cases.extend(later.plan.cases);
        self.stop = later.stop;
    }

    /// Returns what became of a job, if it was finished.
    pub(super) fn outcome(&self, job: JobId) -> Option<&Outcome> {
        self.outcomes[self.plan.place(job)].as_ref()
    }

    /// Returns whether any case ended in a fault of the judge's.
    pub(super) fn is_faulty(&self) -> bool {
        self.outcomes.iter().flatten().any(|outcome| outcome.verdict == Verdict::JudgeError)
    }

    /// Returns how the process ends if nothing but the verdicts counts. What nobody asked for is not missed.
    pub(super) fn exit(&self) -> Exit {
        match self.stop {
            Some(Stop::Interrupted) => Exit::Interrupted,
            _ if self.is_faulty() => Exit::Fault,
            _ if self.outcomes.iter().flatten().all(Outcome::is_accepted) => Exit::Success,
            _ => Exit::NotAccepted,
        }
    }
}
