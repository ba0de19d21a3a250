//! `judge run`, the main job: load → plan → run → score → report.

use super::choice::{Chosen, choose};
use super::failure::Failure;
use super::journaling::{self, Circumstances, Journaling, Wishes};
use super::outputs::Outputs;
use super::points::{self, Scored};
use super::reference::Reference;
use super::{jobs, load, walls};
use crate::cli::{LimitArgs, RunArgs};
use crate::journal::Closing;
use crate::model::{CaseSpec, Exit, Limits, Problem, RunEvent, Solver, Stop, Verdict};
use crate::plan::{Order, Plan};
use crate::report::{self, Progress, RunReport};
use crate::runner::RunResult;
use crate::solver::{self, Toolbox};
use std::path::Path;
use std::time::Instant;

/// Runs solvers on a problem's cases.
pub(super) fn run(catalogue: Option<&Path>, args: &RunArgs) -> Result<Exit, Failure> {
    let catalogue = load::catalogue(catalogue)?;
    let problem = catalogue.find(&args.problem)?;
    let outputs = Outputs::check(&args.reports)?;
    let Chosen { mut cases, mut features } = choose(problem, &args.cases, args.group_by.as_deref(), args.repeat)?;
    let reference = Reference::open(&catalogue, problem, args.best.as_deref())?;
    reference.measure(problem, &mut cases)?;
    let mut toolbox = Toolbox::new().map_err(|error| no_temporary_folder(&error))?;
    let problem = Problem { best: reference.source, ..problem.clone() };
    let plan = plan(&problem, cases, args, &mut toolbox)?;
    let runner = jobs::plan_runner(&args.jobs, &args.sandbox, outputs.show_features())?;
    let (jobs, tier) = (runner.jobs(), runner.tier().name());
    let circumstances = Circumstances { catalogue: &catalogue, plan: &plan, toolbox: &toolbox, jobs, tier };
    let journaling = Journaling::start(wishes(args), &circumstances)?;

    let started = Instant::now();
    let mut outputs = outputs.open()?;
    let mut progress = Progress::start(plan.job_count());
    let result = runner.run(&plan, &journaling, &mut |event| {
        if let RunEvent::Finished(finished) = event {
            let known = &mut features[finished.job.case];
            *known = known.take().or_else(|| finished.features.clone());
            outputs.finished(&plan, finished, known.as_deref());
        }
        progress.watch(event);
    });
    progress.finish();
    let result = result?;

    let scored = points::score(&plan, &result.outcomes, &features, args.group_by.as_deref());
    let scored = scored.map_err(Failure::fault)?;
    note_other_rule(&problem, &scored);
    let gaps = walls::gaps(runner.gaps());
    let report = RunReport {
        plan: &plan,
        outcomes: &result.outcomes,
        rule: &scored.rule,
        scoreboard: &scored.board,
        places: &scored.places,
        test_groups: &scored.test_groups,
        features: &features,
        grouping: scored.grouping.as_ref(),
        stop: result.stop,
        elapsed: started.elapsed(),
        jobs,
        tier,
        gaps: &gaps,
    };
    let recorded = journaling.finish(&closing(&report));
    outputs.publish(&report, args.all)?;
    if let (Some(_), Some(Stop::Interrupted)) = (recorded, result.stop) {
        report::note(&format!("continue with: {}", journaling::going_on(journaling::RESUME)));
    }
    Ok(exit(&result))
}

fn wishes(args: &RunArgs) -> Wishes {
    Wishes { journal: !args.no_journal, resume: args.resume, reuse: args.reuse, going_on: journaling::RESUME }
}

/// What the journal is told of the end of a run.
fn closing<'a>(report: &RunReport<'a>) -> Closing<'a> {
    let board = report.scoreboard;
    Closing {
        stop: report.stop,
        elapsed: report.elapsed,
        rule: report.rule,
        totals: board.standings.iter().map(|standing| board.headline(standing)).collect(),
    }
}

fn note_other_rule(problem: &Problem, Scored { rule, .. }: &Scored) {
    if *rule != problem.scoring {
        report::note(&format!(
            "note: scored by `{rule}`: not every case has the thresholds that `{}` needs",
            problem.scoring
        ));
    }
}

fn plan(problem: &Problem, cases: Vec<CaseSpec>, args: &RunArgs, toolbox: &mut Toolbox) -> Result<Plan, Failure> {
    Ok(Plan {
        problem: problem.clone(),
        cases,
        solvers: solvers(problem, &args.solvers, toolbox)?,
        limits: limits(&problem.limits, &args.limits),
        environment: args.sandbox.environment.clone(),
        visible: walls::visible(&args.sandbox)?,
        fail_fast: args.fail_fast,
        order: Order::Fixed,
    })
}

/// Finds the solvers that are given, or the problem's own.
pub(super) fn solvers(problem: &Problem, given: &[String], toolbox: &mut Toolbox) -> Result<Vec<Solver>, Failure> {
    let texts = if given.is_empty() { problem.default_solver.iter().cloned().collect() } else { given.to_vec() };
    if texts.is_empty() {
        let hint = format!("name one: judge run -p {} --solver ./mybot", problem.id);
        return Err(Failure::usage(format!("the problem `{}` has no solver of its own", problem.id)).with_hint(hint));
    }
    let specs = solver::parse_specs(&texts)?;
    Ok(specs.into_iter().map(|spec| solver::prepare(spec, toolbox)).collect())
}

/// The problem's limits, but for those that are given.
pub(super) fn limits(own: &Limits, given: &LimitArgs) -> Limits {
    let cpu = given.cpu.unwrap_or(own.cpu);
    let own_wall = if given.cpu.is_some() { Limits::default_wall(cpu) } else { own.wall };
    Limits {
        cpu,
        wall: given.wall.unwrap_or(own_wall),
        memory: given.memory.unwrap_or(own.memory),
        output: given.output_limit.unwrap_or(own.output),
        processes: given.processes.map_or(own.processes, std::num::NonZeroU32::get),
    }
}

fn exit(result: &RunResult) -> Exit {
    let verdicts = || result.outcomes.iter().map(|outcome| outcome.as_ref().map_or(Verdict::Skipped, |o| o.verdict));
    if result.stop == Some(Stop::Interrupted) {
        Exit::Interrupted
    } else if verdicts().any(|verdict| verdict == Verdict::JudgeError) {
        Exit::Fault
    } else if verdicts().all(|verdict| verdict == Verdict::Accepted) {
        Exit::Success
    } else {
        Exit::NotAccepted
    }
}

/// The failure of a machine where no temporary folder can be made.
pub(super) fn no_temporary_folder(error: &std::io::Error) -> Failure {
    let folder = std::env::temp_dir();
    Failure::fault(format!("cannot make a folder in {}: {error}", folder.display()))
        .with_hint("free some space there, or point TMPDIR at a folder that is writable")
}
