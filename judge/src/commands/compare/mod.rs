//! `judge compare`: the difference between solvers, and its certainty.

pub(super) mod until_decided;

use crate::commands::compare::until_decided::{OpenComparisons, play_until_decided};
use judge_cli::CompareArgs;
use judge_journal::Part;
use judge_problem::{CaseList, Catalogue, Exit, FinishedJob, Outcome, Problem, RunEvent, Solver, Verdict};
use judge_report::CompareReport;
use judge_run::runner::EarlyEnd;
use judge_session::comparison::{self, Compared};
use judge_session::entrants::{self, Entrant};
use judge_session::pairing::{self, Pairing};
use judge_session::{Failure, GlobalArgs, MatchResult, MatchRunner, Outputs, load, outputs, programs};
use std::time::Instant;

/// Compares solvers with the first one of them.
pub(super) fn compare(global: GlobalArgs<'_>, args: &CompareArgs) -> Result<Exit, Failure> {
    let (catalogue, _programs) = programs::catalogue(global, args.problem.as_deref())?;
    let problem = load::problem(&catalogue, args.problem.as_deref())?;
    let provenance = outputs::here();
    comparison::check(args, problem)?;
    let outputs = Outputs::check::<CompareReport<'_>>(&args.reports)?;
    let entrants = entrants::find(&catalogue, problem, &args.solvers)?;
    let fresh = |runner: &MatchRunner<'_>, solvers| match runner.plan_runner.early_end() {
        Some(early_end) => play_ahead(runner, early_end, solvers, args),
        None => play_until_decided(runner, solvers, args),
    };
    let pairing = pair(&catalogue, problem, &entrants, args, fresh)?;
    let exit = pairing.played.exit();
    let told = pairing.warnings.len();
    let compared = Compared::of(args, &entrants, pairing)?;
    compared.pairing.warnings.iter().skip(told).for_each(|warning| pairing::print_warning(warning));
    outputs.publish(&compared.report(args, provenance))?;
    Ok(exit)
}

/// Returns the results of the entrants: recorded ones, new ones on the chosen cases, or with `--until-decided` the
/// results from `fresh`.
pub(super) fn pair(
    catalogue: &Catalogue,
    problem: &Problem,
    entrants: &[Entrant],
    args: &CompareArgs,
    fresh: impl FnOnce(&MatchRunner<'_>, Vec<Solver>) -> Result<MatchResult, Failure>,
) -> Result<Pairing, Failure> {
    if entrants.iter().all(|entrant| entrant.past.is_none()) {
        return play(catalogue, problem, args, fresh);
    }
    if args.until_decided {
        return Err(Failure::usage("--until-decided needs fresh cases, which a past run does not have")
            .with_hint("name the solvers themselves, or omit --until-decided to compare what is recorded"));
    }
    let (conditions, reference) = ((&args.cases, &args.running), (args.statistics.measure(), args.best.as_deref()));
    pairing::pair(catalogue, problem, entrants, conditions, reference, pairing::print_warning)
}

/// Runs all solvers.
fn play(
    catalogue: &Catalogue,
    problem: &Problem,
    args: &CompareArgs,
    fresh: impl FnOnce(&MatchRunner<'_>, Vec<Solver>) -> Result<MatchResult, Failure>,
) -> Result<Pairing, Failure> {
    let mut runner = MatchRunner::open(catalogue, problem, &args.running)?;
    runner.use_best_scores(args.statistics.measure(), args.best.as_deref())?;
    let solvers = runner.solvers(&args.solvers)?;
    let started = Instant::now();
    let played = if args.until_decided {
        fresh(&runner, solvers)?
    } else {
        runner.play(runner.plan(solvers, runner.cases(&args.cases, args.group_by.as_deref())?)?)?
    };
    let run_info = Some(runner.run_info(started.elapsed()));
    let nodes = runner.plan_runner.nodes();
    Ok(Pairing::fresh(played, run_info, nodes))
}

/// Runs all solvers on fresh cases until it is decided. Unlike in batches, all cases are submitted at once.
fn play_ahead(
    runner: &MatchRunner<'_>,
    early_end: &EarlyEnd,
    solvers: Vec<Solver>,
    args: &CompareArgs,
) -> Result<MatchResult, Failure> {
    let cases = runner.fresh_cases_where(&args.cases)?.take(args.max_cases.get()).collect();
    let plan = runner.plan(solvers.clone(), cases)?;
    let open = OpenComparisons::begin(runner.plan(solvers, CaseList::default())?, plan.cases.len(), args);
    let mut session = runner.begin(&open.played.plan)?;
    runner.grow(&mut session, &[], &plan.cases);
    let mut watcher = Watcher { early_end, coming: MatchResult::unplayed(plan.clone()), open, looked: Ok(()) };
    let part = Part::whole(&plan);
    let result = runner.play_watched(&mut session, plan, part, &mut |event| watcher.watch(event));
    let Watcher { open, looked, .. } = watcher;
    let mut played = open.finish();
    played.stop = result?.stop;
    session.recorder.trim_cases();
    session.finish(&played.plan, &played.outcomes, played.stop);
    looked.map(|()| played)
}

/// Looks at every case, in order, as soon as it and all cases before it are finished.
struct Watcher<'a> {
    early_end: &'a EarlyEnd,
    /// All that is finished.
    coming: MatchResult,
    open: OpenComparisons<'a>,
    looked: Result<(), Failure>,
}

impl Watcher<'_> {
    fn watch(&mut self, event: &RunEvent) {
        self.open.progress.watch(event);
        if let RunEvent::Finished(finished) = event {
            let FinishedJob { job, outcome, evidence, .. } = &**finished;
            self.coming.outcomes.set(*job, outcome);
            self.coming.inputs[job.case] = self.coming.inputs[job.case].or(evidence.input);
            if self.looked.is_ok() {
                self.looked = self.look();
            }
            if self.looked.is_err() {
                self.early_end.ask();
            }
        }
    }

    fn look(&mut self) -> Result<(), Failure> {
        let Self { early_end, coming, open, .. } = self;
        let solvers: Vec<usize> = (0..coming.plan.solvers.len()).collect();
        while !open.is_decided() {
            let case = open.played.plan.cases.len();
            let is_next = case < coming.plan.cases.len() && coming.outcomes.of_case(case).all(|of| of.is_some());
            if !is_next {
                return Ok(());
            }
            open.add(coming, case, &solvers)?;
            open.show_if_due()?;
            let is_faulty = |outcome: Outcome| outcome.verdict == Verdict::JudgeError;
            if coming.outcomes.of_case(case).flatten().any(is_faulty) {
                open.playing.truncate(1);
            }
            if open.is_decided() {
                early_end.ask();
            }
        }
        Ok(())
    }
}
