//! Runs solvers against each other for the commands that compare them: one sandbox, any number of plans.

use crate::edited::ProgramsAtStart;
use crate::recorder::RESUME;
use crate::running::{self, DetachPolicy, template};
use crate::{
    Failure, FromJournal, JournalOptions, Recorder, ReferenceScores, Result, RunContext, case_selection, command_line,
    entrants, programs, restored_run, sandbox,
};
use judge_cli::{CaseArgs, RunningArgs};
use judge_compare::paired::{
    Contrast, EffectMeasure, EffectUnits, MinEffect, PairedComparison, PointSigns, ScoredOutcomes,
};
use judge_journal::{Part, RunEnd};
use judge_problem::scoring::{InvalidResults, Scoreboard, ScoredRun};
use judge_problem::{
    BestSource, CaseList, CaseSpec, Catalogue, Digest, Exit, FIRST_FRESH_SEED, FinishedJob, JobId, Order, Outcome,
    OutcomeGrid, Plan, Problem, Rule, RunEvent, Seeds, Solver, SolverSpec, Stop, Verdict,
};
use judge_report::{Progress, RunInfo};
use judge_run::cases::{CaseReader, Inputs, Selection, select};
use judge_run::runner::{PlanRunner, RunResult, Watch};
use judge_run::solver::{self, Toolbox};
use judge_sandbox::Sandbox;
use num_rational::BigRational;
use std::cell::OnceCell;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The number of cases after which a condition is taken to hold for none.
const MAX_EXAMINED: usize = 1_000_000;

/// Runs plans in one sandbox.
pub struct MatchRunner<'a> {
    pub(crate) catalogue: &'a Catalogue,
    /// Plays the plan.
    pub plan_runner: Box<dyn PlanRunner>,
    /// For the compilers.
    sandbox: Arc<Sandbox>,
    pub(crate) toolbox: Toolbox,
    /// The template of all plans, without solvers or cases.
    pub template: Plan,
    options: JournalOptions,
    /// Opened for the first plan: all plans have one measure.
    reference: OnceCell<ReferenceScores>,
}

/// The result of a plan.
#[derive(Clone)]
pub struct MatchResult {
    /// The plan that was played.
    pub plan: Plan,
    /// An outcome for each solver and case that was played.
    pub outcomes: OutcomeGrid,
    /// By case: the hash of its input, if known. May end before the last case.
    pub inputs: Vec<Option<Digest>>,
    /// Why it stopped early, if it did.
    pub stop: Option<Stop>,
}

impl<'a> MatchRunner<'a> {
    /// Opens the sandbox for a problem of the catalogue.
    pub fn open(catalogue: &'a Catalogue, problem: &Problem, args: &RunningArgs) -> Result<Self> {
        Self::open_in(sandbox::open(&args.conditions.sandbox)?, catalogue, problem, args)
    }

    /// Prepares to run plans for a problem of the catalogue in this sandbox.
    pub fn open_in(
        sandbox: Arc<Sandbox>,
        catalogue: &'a Catalogue,
        problem: &Problem,
        args: &RunningArgs,
    ) -> Result<Self> {
        sandbox::warn_of_answers(&sandbox, problem);
        let plan_runner = running::runner(catalogue, args, &sandbox, !args.no_journal, DetachPolicy::Never)?;
        let template = template(problem, &args.conditions, &sandbox)?;
        let template = Plan { order: Order::Interleaved, ..template };
        let toolbox = programs::toolbox(catalogue, &template, &args.conditions.build, &sandbox)?;
        let (journal, reuse) = (!args.no_journal, args.reuse);
        let options = JournalOptions { journal, reuse, continue_flag: "--reuse", ..JournalOptions::RECORDED };
        Ok(Self { catalogue, plan_runner, sandbox, toolbox, template, options, reference: OnceCell::new() })
    }

    /// Sets the best scores that points are relative to: from the command line, or else from the problem.
    pub fn use_best_scores(&mut self, measure: Option<EffectMeasure>, best: Option<&Path>) -> Result<()> {
        let (problem, journal) = (&self.template.problem, FromJournal::of_run(self.options.journal));
        self.reference = ReferenceScores::of_points(measure, self.catalogue, problem, best, journal)?.into();
        Ok(())
    }

    /// Uses the results in the journal if the command continues an interrupted run. Hints name that flag.
    pub fn resuming(mut self, resume: bool) -> Self {
        self.options.reuse |= resume;
        self.options.continue_flag = RESUME;
        self
    }

    /// Prepares solvers to be run.
    pub fn solvers(&mut self, texts: &[String]) -> Result<Vec<Solver>> {
        self.prepare_all(solver::parse_specs(texts)?)
    }

    /// Prepares solvers to be run.
    pub fn prepare_all(&mut self, specs: Vec<SolverSpec>) -> Result<Vec<Solver>> {
        entrants::prepare_all(specs, &self.template.problem, &self.toolbox, &self.sandbox, self.plan_runner.jobs())
    }

    /// Prepares a solver to be run.
    pub fn prepare(&mut self, spec: SolverSpec) -> Result<Solver> {
        entrants::check_each(std::slice::from_ref(&spec), &self.template.problem, self.toolbox.settings())?;
        programs::prepare(spec, &self.toolbox, &self.sandbox)
    }

    /// Prepares one solver to be run: the given one, or the problem's own.
    pub fn solver(&mut self, given: Option<&String>) -> Result<Vec<Solver>> {
        let given = given.map_or(&[][..], std::slice::from_ref);
        entrants::solvers(&self.template.problem, given, &[], &self.toolbox, &self.sandbox, self.plan_runner.jobs())
    }

    /// Prepares one solver, and the one that it is compared with, if there is one. Names and flags may tell them apart.
    pub fn pair(&mut self, given: Option<&String>, other: Option<&String>) -> Result<Vec<Solver>> {
        let Some(other) = other else { return self.solver(given) };
        let given = given.map_or(&[][..], std::slice::from_ref);
        let own = entrants::specs(&self.template.problem, given)?.remove(0);
        let own = given.first().unwrap_or(&own.text).clone();
        let is_itself = own == *other;
        let specs = solver::name_specs(&[own, other.clone()])?;
        // A solver that is compared with itself has one name.
        if !is_itself {
            solver::check_names(&specs)?;
        }
        self.prepare_all(specs)
    }

    /// Returns the hash of a solver, by which a journal knows it.
    pub fn fingerprint(&self, solver: &Solver) -> Digest {
        solver::fingerprint(solver, &self.template.visible, &self.toolbox)
    }

    /// Returns the cases that the command line selects. Fails if they have no feature `by`.
    pub fn cases(&self, args: &CaseArgs, by: Option<&str>) -> Result<CaseList> {
        Ok(case_selection::choose(&self.template.problem, args, by, None)?.cases)
    }

    /// Returns an endless sequence of cases, made from consecutive seeds from the first one, or the cases of the given
    /// seeds.
    pub fn cases_from(&self, first: u64, seeds: Option<&Seeds>) -> Result<Box<dyn Iterator<Item = CaseSpec>>> {
        let problem = &self.template.problem;
        if problem.generator.is_none() {
            let error = format!("the problem `{}` has no generator for fresh cases", problem.id);
            return Err(Failure::usage(error).with_hint("add `generator-command` to the problem"));
        }
        match seeds {
            Some(seeds) => {
                let selection =
                    Selection { seeds: Some(case_selection::distinct_seeds(seeds)), ..Selection::default() };
                let cases = select(problem, &selection)?;
                Ok(Box::new((0..cases.len()).map(move |place| cases.at(place))))
            }
            None => Ok(Box::new((first..).map(CaseSpec::from_seed))),
        }
    }

    /// Returns fresh cases for which the condition of the command line holds.
    pub fn fresh_cases_where(&self, args: &CaseArgs) -> Result<Box<dyn Iterator<Item = CaseSpec>>> {
        let cases = self.cases_from(FIRST_FRESH_SEED, args.seeds.as_ref())?;
        let Some(condition) = args.condition.clone() else { return Ok(cases) };
        let reader = CaseReader::of(&self.template.problem);
        // A case that cannot be read is kept: running it reports why.
        let holds = move |case: &CaseSpec| reader.describe(case).map_or(true, |found| condition.holds(&found.features));
        Ok(Box::new(cases.take(MAX_EXAMINED).filter(holds)))
    }

    /// Returns the plan of these solvers on these cases, with the cases' best known scores.
    pub fn plan(&self, solvers: Vec<Solver>, mut cases: CaseList) -> Result<Plan> {
        let problem = &self.template.problem;
        let reference = match self.reference.get() {
            Some(reference) => reference,
            None => {
                let journal = FromJournal::of_run(self.options.journal);
                let opened = ReferenceScores::open(self.catalogue, problem, None, None, journal)?;
                self.reference.get_or_init(|| opened)
            }
        };
        reference.apply(problem, &mut cases);
        Ok(self.plan_as_it_is(solvers, cases, reference.source.clone()))
    }

    /// Returns the plan of these solvers on cases that have their best scores. `best` names their source.
    pub fn plan_as_it_is(&self, solvers: Vec<Solver>, cases: CaseList, best: BestSource) -> Plan {
        let template = self.template.clone();
        Plan { problem: Problem { best, ..template.problem }, solvers, cases, ..template }
    }

    /// Describes how the plans were run.
    pub fn run_info(&self, elapsed: Duration) -> RunInfo {
        let runner = &self.plan_runner;
        RunInfo { elapsed, jobs: runner.jobs(), tier: runner.tier(), gaps: sandbox::gaps(runner.gaps()) }
    }

    /// Runs a plan to its end, or until it is stopped, with a progress bar, as one run in the journal.
    pub fn play(&self, plan: Plan) -> Result<MatchResult> {
        self.play_with(self.options, plan)
    }

    /// Runs a plan, and repeats it as long as `go_on` returns true and no run is stopped. The journal has the first
    /// run. Only the first run reuses earlier results, because the others measure chance.
    ///
    /// # Errors
    /// When a run cannot start, or a program was edited between the start of the first and the end of the last.
    pub fn play_repeatedly(
        &self,
        plan: &Plan,
        mut go_on: impl FnMut(&mut [MatchResult]) -> Result<bool>,
    ) -> Result<Vec<MatchResult>> {
        let is_here = self.plan_runner.engine().is_none();
        let programs = is_here.then(|| ProgramsAtStart::now(plan));
        let mut played = vec![self.play(plan.clone())?];
        while played.last().is_some_and(|last| last.stop.is_none()) && go_on(&mut played)? {
            played.push(self.play_with(self.unrecorded(), plan.clone())?);
        }
        if let Some(programs) = programs {
            programs.refuse_edited("runs", "run it again")?;
        }
        Ok(played)
    }

    /// Runs a case of a plan with one solver again, with nothing beside it. `None` if it was interrupted.
    pub fn play_alone(&self, plan: &Plan, case: usize) -> Result<Option<Outcome>> {
        let alone = Plan { cases: std::iter::once(plan.cases.at(case)).collect(), ..plan.clone() };
        Ok(self.play_with(self.unrecorded(), alone)?.outcomes.get(JobId { case: 0, solver: 0 }))
    }

    fn unrecorded(&self) -> JournalOptions {
        JournalOptions { journal: false, reuse: false, watches_programs: false, ..self.options }
    }

    fn play_with(&self, options: JournalOptions, plan: Plan) -> Result<MatchResult> {
        // While the journal is opened.
        self.plan_runner.make_ready(&plan);
        let mut session = self.begin_with(options, &plan)?;
        let part = Part::whole(&plan);
        let played = self.play_part(&mut session, plan, part)?;
        session.finish(&played.plan, &played.outcomes, played.stop);
        Ok(played)
    }

    /// Starts a run in the journal with the solvers and cases of this plan. More can be added.
    pub fn begin(&self, plan: &Plan) -> Result<Session> {
        self.begin_with(self.options, plan)
    }

    fn begin_with(&self, options: JournalOptions, plan: &Plan) -> Result<Session> {
        let context = RunContext::new(self.catalogue, plan, &self.toolbox, &*self.plan_runner);
        let recorder = Recorder::start(options, &context)?;
        // The first case may start much later.
        recorder.commit_start();
        Ok(Session { recorder, started: Instant::now() })
    }

    /// Adds solvers and cases to a run.
    pub fn grow(&self, session: &mut Session, solvers: &[Solver], cases: &CaseList) {
        session.recorder.grow(&self.template, solvers, cases, &self.toolbox);
    }

    /// Runs a part of a run, with a progress bar.
    pub fn play_part(&self, session: &mut Session, plan: Plan, part: Part) -> Result<MatchResult> {
        let mut progress = Progress::start(&plan, self.plan_runner.running());
        let played = self.play_watched(session, plan, part, &mut |event| progress.watch(event));
        progress.finish();
        played
    }

    /// Runs a part of a run to its end, or until it is stopped.
    pub fn play_watched(
        &self,
        session: &mut Session,
        plan: Plan,
        part: Part,
        watch: &mut Watch<'_>,
    ) -> Result<MatchResult> {
        let mut inputs: Vec<Option<Digest>> = vec![None; plan.cases.len()];
        let mut note = |event: &RunEvent| {
            if let RunEvent::Finished(finished) = event {
                let FinishedJob { job, evidence, .. } = &**finished;
                inputs[job.case] = inputs[job.case].or(evidence.input);
            }
            watch(event);
        };
        session.recorder.start_part(part);
        let RunResult { outcomes, stop } = self.plan_runner.run(&plan, &session.recorder, &mut note)?;
        add_file_hashes(&plan, &mut inputs);
        Ok(MatchResult { plan, outcomes, inputs, stop })
    }
}

/// Adds the hashes of the files of cases that were not played.
fn add_file_hashes(plan: &Plan, known: &mut [Option<Digest>]) {
    let inputs = Inputs::of(&plan.problem);
    for (place, hash) in known.iter_mut().enumerate().filter(|(_, hash)| hash.is_none()) {
        let case = plan.cases.at(place);
        *hash = case.file().and_then(|_| inputs.hash_of(&plan.cases, &case.source));
    }
}

impl MatchResult {
    /// Returns the result of a plan before anything is played.
    pub fn unplayed(plan: Plan) -> Self {
        let (cases, solvers) = (plan.cases.len(), plan.solvers.len());
        Self { plan, outcomes: OutcomeGrid::new(cases, solvers), inputs: vec![None; cases], stop: None }
    }

    /// Returns the result of a plan after these jobs were played.
    pub fn of_jobs(plan: Plan, jobs: &[FinishedJob]) -> Self {
        let mut played = Self::unplayed(plan);
        jobs.iter().for_each(|finished| played.add_job(finished));
        played
    }

    /// Adds a finished job of the plan.
    pub fn add_job(&mut self, FinishedJob { job, outcome, evidence, .. }: &FinishedJob) {
        self.inputs[job.case] = self.inputs[job.case].or(evidence.input);
        self.outcomes.set(*job, outcome);
    }

    /// Adds one case of a later result. `solvers` are the places of that result's solvers in this plan; outcomes of
    /// solvers that are not in `wanted` are left out.
    pub fn add_case(&mut self, later: &Self, case: usize, solvers: &[usize], wanted: &[usize]) {
        let played = |solver| solvers.iter().position(|&place| place == solver && wanted.contains(&place));
        let outcome = |solver| later.outcomes.get(JobId { case, solver: played(solver)? });
        self.outcomes.add_case((0..self.plan.solvers.len()).map(outcome));
        self.plan.cases.push(later.plan.cases.at(case));
        self.inputs.push(later.inputs.get(case).copied().flatten());
    }

    /// Scores the outcomes by the problem's rule.
    pub fn scored(&self) -> Result<ScoredMatch<'_>, InvalidResults> {
        let Self { plan, outcomes, inputs, .. } = self;
        let ScoredRun { rule, board, .. } = restored_run::score(plan, outcomes, &[], None)?;
        Ok(ScoredMatch { plan, outcomes, rule, board, units: EffectUnits::of(plan, inputs, outcomes) })
    }

    /// Returns whether any case ended in a fault of the judge.
    pub fn is_faulty(&self) -> bool {
        self.outcomes.verdicts().any(|verdict| verdict == Verdict::JudgeError)
    }

    /// Returns the exit code that follows from the verdicts. Jobs that were not run do not count.
    pub fn exit(&self) -> Exit {
        exit(&self.outcomes, self.stop)
    }
}

/// Returns the exit code that follows from the verdicts of a run. Jobs that were not run do not count.
pub fn exit(outcomes: &OutcomeGrid, stop: Option<Stop>) -> Exit {
    match stop {
        Some(Stop::Interrupted) => Exit::Interrupted,
        _ if outcomes.verdicts().any(|verdict| verdict == Verdict::JudgeError) => Exit::Fault,
        _ if outcomes.finished().all(|outcome| outcome.is_accepted()) => Exit::Success,
        _ => Exit::NotAccepted,
    }
}

/// A run and its record in the journal, if it is recorded.
pub struct Session {
    /// The record, which stores nothing if the run is not recorded.
    pub recorder: Recorder,
    started: Instant,
}

impl Session {
    /// Closes the record of the run, which consists of this plan and these outcomes.
    pub fn finish(self, plan: &Plan, outcomes: &OutcomeGrid, stop: Option<Stop>) {
        // There are no totals without cases, or if the rule does not fit the scores.
        let scored = restored_run::score(plan, outcomes, &[], None).ok();
        let scored = scored.filter(|_| !plan.cases.is_empty());
        let totals = scored.as_ref().map(ScoredRun::totals).unwrap_or_default();
        let total = |solver: usize| -> Option<&BigRational> {
            let is_whole = outcomes.of_solver(solver).all(|outcome| outcome.is_some());
            totals.get(solver).copied().flatten().filter(|_| is_whole)
        };
        let end = RunEnd {
            stop,
            elapsed: self.started.elapsed(),
            rule: scored.as_ref().map_or(&plan.problem.scoring, |scored| &scored.rule),
            decimals: scored.as_ref().map_or(0, |scored| scored.board.decimals),
            totals: (0..plan.solvers.len()).map(total).collect(),
        };
        let continue_flag = self.recorder.options.continue_flag;
        let recorded = self.recorder.finish(&end);
        if recorded.is_some() && stop == Some(Stop::Interrupted) {
            let command = command_line::with_flag(continue_flag);
            judge_report::note(&format!("the finished cases are recorded; continue with: {command}"));
        }
    }
}

/// The result of a plan with its points.
pub struct ScoredMatch<'a> {
    /// The plan that was played.
    pub plan: &'a Plan,
    outcomes: &'a OutcomeGrid,
    /// The rule that scores.
    pub rule: Rule,
    /// The points of every solver on every case.
    pub board: Scoreboard,
    units: EffectUnits,
}

impl ScoredMatch<'_> {
    /// Returns the outcomes with their points.
    pub fn outcomes(&self) -> ScoredOutcomes<'_> {
        ScoredOutcomes { plan: self.plan, outcomes: self.outcomes, board: &self.board, units: &self.units }
    }

    /// Returns the measure of effects: the given one, or the one that the problem's rule ranks by. If a share of the
    /// total is meaningless, effects are differences of points.
    pub fn measure(&self, given: Option<EffectMeasure>, min_effect: Option<&MinEffect>) -> EffectMeasure {
        measure_of(&self.rule, self.outcomes().signs(), given, min_effect)
    }

    /// Compares a solver with the first one, paired by case.
    pub fn paired(&self, measure: EffectMeasure, second: usize) -> PairedComparison {
        self.between(measure, 0, second)
    }

    /// Compares a solver with another one, paired by case.
    pub fn between(&self, measure: EffectMeasure, first: usize, second: usize) -> PairedComparison {
        PairedComparison::of(self.outcomes(), measure, first, second)
    }

    /// Compares the effect by the rule's ranking with the ratio of the scores.
    pub fn contrast(&self, second: usize, alpha: f64) -> Option<Contrast> {
        let measure = self.measure(None, None);
        if measure == EffectMeasure::Ratio {
            return None;
        }
        let ratio = self.paired(EffectMeasure::Ratio, second);
        Contrast::between(&ratio, (measure, &self.paired(measure, second)), alpha)
    }
}

/// Returns the measure of effects under this rule, for points of these signs.
pub fn measure_of(
    rule: &Rule,
    signs: PointSigns,
    given: Option<EffectMeasure>,
    min_effect: Option<&MinEffect>,
) -> EffectMeasure {
    given.unwrap_or_else(|| match EffectMeasure::of_rule_with(rule, min_effect) {
        EffectMeasure::Total if !signs.allow_shares() => EffectMeasure::Points,
        measure => measure,
    })
}
