//! `judge run`, the main job: load → plan → run → score → report.

use super::failure::Failure;
use super::points::{self, Scored};
use super::{load, walls};
use crate::cases::{Inputs, Referee, Selection, select};
use crate::cli::{LimitArgs, RunArgs};
use crate::model::{CaseSource, CaseSpec, Exit, Limits, Problem, Solver, Stop, Verdict};
use crate::plan::Plan;
use crate::report::{self, Progress, RunReport, Style};
use crate::runner::{self, RunResult, Settings};
use crate::solver::{self, Toolbox};
use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Instant;

/// Runs solvers on a problem's cases.
pub(super) fn run(catalogue: Option<&Path>, args: &RunArgs) -> Result<Exit, Failure> {
    let catalogue = load::catalogue(catalogue)?;
    let problem = catalogue.find(&args.problem)?;
    let mut toolbox = Toolbox::new().map_err(|error| no_temporary_folder(&error))?;
    let plan = plan(problem, args, &mut toolbox)?;
    let sandbox = walls::open(&args.sandbox)?;
    let settings = settings(args);

    let started = Instant::now();
    let mut progress = Progress::start(plan.job_count());
    let result = runner::run(&plan, &settings, &sandbox, &mut |event| progress.watch(event));
    progress.finish();
    let result = result?;

    let Scored { rule, board } = points::score(&plan, &result.outcomes).map_err(Failure::fault)?;
    if rule != problem.scoring {
        report::note(&format!(
            "note: scored by `{rule}`: not every case has the thresholds that `{}` needs",
            problem.scoring
        ));
    }
    let gaps = walls::gaps(&sandbox);
    let report = RunReport {
        plan: &plan,
        outcomes: &result.outcomes,
        rule: &rule,
        scoreboard: &board,
        stop: result.stop,
        elapsed: started.elapsed(),
        jobs: settings.jobs.get(),
        tier: sandbox.tier().name(),
        gaps: &gaps,
    };
    publish(&report, args)?;
    Ok(exit(&result))
}

fn plan(problem: &Problem, args: &RunArgs, toolbox: &mut Toolbox) -> Result<Plan, Failure> {
    let selection =
        Selection { seeds: args.cases.seeds.clone(), inputs: args.cases.inputs.clone(), repeat: args.repeat };
    let cases = select(problem, &selection)?;
    check_files(problem, &cases)?;
    Ok(Plan {
        problem: problem.clone(),
        cases,
        solvers: solvers(problem, args, toolbox)?,
        limits: limits(&problem.limits, &args.limits),
        environment: args.sandbox.environment.clone(),
        visible: walls::visible(&args.sandbox)?,
        fail_fast: args.fail_fast,
    })
}

/// Files that are not of the game are the user's to mend, all of them at once and before anything runs.
fn check_files(problem: &Problem, cases: &[CaseSpec]) -> Result<(), Failure> {
    let (inputs, referee) = (Inputs::of(problem), Referee::of(problem));
    let mut complaints = Vec::new();
    for case in cases {
        let CaseSource::File(path) = &case.source else { continue };
        let input = inputs.load(case)?;
        if let Err(error) = referee.admit(&input) {
            complaints.push(format!("{}: {error}", path.display()));
        }
    }
    if complaints.is_empty() {
        return Ok(());
    }
    let hint = format!("`judge show {}` tells what an input looks like", problem.id);
    Err(Failure::usage(complaints.join("\nerror: ")).with_hint(hint))
}

fn solvers(problem: &Problem, args: &RunArgs, toolbox: &mut Toolbox) -> Result<Vec<Solver>, Failure> {
    let texts =
        if args.solvers.is_empty() { problem.default_solver.iter().cloned().collect() } else { args.solvers.clone() };
    if texts.is_empty() {
        let hint = format!("name one: judge run -p {} --solver ./mybot", problem.id);
        return Err(Failure::usage(format!("the problem `{}` has no solver of its own", problem.id)).with_hint(hint));
    }
    let specs = solver::parse_specs(&texts)?;
    Ok(specs.into_iter().map(|spec| solver::prepare(spec, toolbox)).collect())
}

fn limits(own: &Limits, given: &LimitArgs) -> Limits {
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

/// One solver for each physical core, each tied to a core of its own. More jobs than cores disturb each other: that is
/// said, and their timings are to be taken with salt.
fn settings(args: &RunArgs) -> Settings {
    let cores = runner::cores();
    let physical = NonZeroUsize::new(num_cpus::get_physical().min(cores.len())).unwrap_or(NonZeroUsize::MIN);
    let jobs = args.jobs.unwrap_or(physical);
    if jobs.get() > cores.len() {
        report::note(&format!("warning: {jobs} jobs on {} cores disturb each other's timing", cores.len()));
    }
    let pin = !args.no_pin && jobs.get() <= cores.len();
    Settings { jobs, cores: if pin { cores } else { Vec::new() } }
}

fn publish(report: &RunReport<'_>, args: &RunArgs) -> Result<(), Failure> {
    if let Some(path) = &args.json {
        let json = report::run_json(report).map_err(Failure::fault)?;
        load::write("the JSON report", path, json.as_bytes())?;
    }
    if args.json.as_deref() != Some(Path::new("-")) {
        report::print(&report::run_text(report, args.all, Style::of_stdout()))?;
    }
    Ok(())
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

fn no_temporary_folder(error: &std::io::Error) -> Failure {
    let folder = std::env::temp_dir();
    Failure::fault(format!("cannot make a folder in {}: {error}", folder.display()))
        .with_hint("free some space there, or point TMPDIR at a folder that is writable")
}
