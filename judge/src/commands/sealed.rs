//! `judge run`, `baseline` and `gate` on sealed cases: only the number of failures and the best total are shown.

use judge_cli::{BaselineArgs, GateArgs, RunArgs, RunningArgs};
use judge_journal::Part;
use judge_problem::{Exit, Percent, Stop};
use judge_report::SealedReport;
use judge_session::sealed::{SealedBaseline, SealedCases};
use judge_session::{Failure, GlobalArgs, MatchRunner, Outputs, Result, load, programs, sandbox};
use std::path::Path;

/// An evaluation on sealed cases.
struct Evaluation<'a> {
    /// The problem's id.
    problem: Option<&'a str>,
    /// The solver; `None` for the problem's own.
    solver: Option<&'a String>,
    /// The file of the sealed cases; `None` for the one next to the journal.
    file: Option<&'a Path>,
    is_final: bool,
    /// The total that it must reach, and how far it may fall.
    floor: Option<(&'a SealedBaseline, &'a Percent)>,
    running: &'a RunningArgs,
}

impl Evaluation<'_> {
    /// Plays it. No journal is written, and neither progress nor messages of cases are shown. `None` if it was
    /// interrupted.
    fn play(self, global: GlobalArgs<'_>) -> Result<Option<SealedReport>> {
        if self.running.engine.on.is_some() {
            let error = "sealed cases are played on this machine alone: a cluster would store their seeds";
            return Err(Failure::usage(error).with_hint("leave out --on"));
        }
        // A journal would have the seeds and the score of each case.
        let running = RunningArgs::unrecorded(self.running.jobs.clone(), self.running.conditions.clone());
        let (catalogue, _programs) = programs::catalogue(global, self.problem)?;
        let problem = load::problem(&catalogue, self.problem)?;
        let sandbox = sandbox::open(&running.conditions.sandbox)?;
        let baseline = self.floor.map(|(baseline, _)| baseline);
        let cases = SealedCases::open(&catalogue, problem, self.file, &sandbox, baseline)?;
        let mut cases = if self.is_final { cases.for_the_final_score()? } else { cases };
        let mut runner = MatchRunner::open_in(sandbox, &catalogue, problem, &running)?;
        let solvers = runner.solver(self.solver)?;
        let plan = runner.plan_as_it_is(solvers, cases.cases(), problem.best.clone());
        cases.begin(&plan)?;
        let mut session = runner.begin(&plan)?;
        let part = Part::whole(&plan);
        let played = runner.play_watched(&mut session, plan, part, &mut |_| ())?;
        if played.stop == Some(Stop::Interrupted) {
            return Ok(None);
        }
        cases.report(&played, self.floor).map(Some)
    }
}

/// Runs a solver on the sealed cases of a problem.
pub(super) fn run(global: GlobalArgs<'_>, args: &RunArgs) -> Result<Exit> {
    let outputs = Outputs::check::<SealedReport>(&args.reports)?;
    let given = args.solvers();
    if given.len() > 1 {
        return Err(
            Failure::usage("--sealed runs one solver").with_hint("run it once for each: each is one evaluation")
        );
    }
    let running = &args.running;
    let (problem, solver) = (args.problem_id(), given.first());
    let file = args.sealed.as_ref().and_then(Option::as_deref);
    let played = Evaluation { problem, solver, file, is_final: args.is_final, floor: None, running }.play(global)?;
    let Some(report) = played else { return Ok(Exit::Interrupted) };
    outputs.publish(&report)?;
    Ok(exit(&report))
}

/// Records the best total of the sealed cases, if this solver reaches it.
pub(super) fn baseline(global: GlobalArgs<'_>, args: &BaselineArgs, file: Option<&Path>) -> Result<Exit> {
    let (problem, solver) = (args.problem.as_deref(), args.solver.as_ref());
    let evaluation = Evaluation { problem, solver, file, is_final: false, floor: None, running: &args.running };
    let Some(report) = evaluation.play(global)? else { return Ok(Exit::Interrupted) };
    if report.failures > 0 && !args.allow_failures || report.faults > 0 {
        judge_report::note(&format!(
            "{} of {} sealed cases failed: nothing was recorded",
            report.failures, report.cases
        ));
        return Ok(exit(&report));
    }
    let Some(total) = report.total else {
        return Err(Failure::not_accepted("there is no total yet: the solver must pass all sealed cases"));
    };
    if !report.is_best {
        let error = "nothing was recorded: the best total so far is another solver's, and this one does not reach it";
        return Err(Failure::not_accepted(error).with_hint("record the best solver, or draw new cases: --sealed FILE"));
    }
    let solver = solver.map_or("", String::as_str).to_owned();
    let record = SealedBaseline { problem: report.problem, solver, sealed_cases: report.id, sealed_total: total };
    load::write("the baseline", &args.output, record.render()?.as_bytes())?;
    Ok(Exit::Success)
}

/// Holds a solver to the total of a sealed baseline.
pub(super) fn gate(global: GlobalArgs<'_>, args: &GateArgs, record: &SealedBaseline) -> Result<Exit> {
    if args.baselines.len() > 1 {
        return Err(Failure::usage("a sealed baseline is alone").with_hint("run a gate for each baseline"));
    }
    if let Some(option) = needs_cases(args) {
        return Err(Failure::usage(format!("{option} needs cases, and a sealed baseline holds a total only"))
            .with_hint(format!("leave {option} out")));
    }
    let outputs = Outputs::check::<SealedReport>(&args.reports)?;
    let solver = args.solver.clone().or_else(|| Some(record.solver.clone()).filter(|solver| !solver.is_empty()));
    let floor = Some((record, &args.max_drop));
    let file = args.sealed.as_deref();
    let (problem, solver) = (Some(&*record.problem), solver.as_ref());
    let evaluation = Evaluation { problem, solver, file, is_final: false, floor, running: &args.running };
    let Some(report) = evaluation.play(global)? else { return Ok(Exit::Interrupted) };
    outputs.publish(&report)?;
    Ok(exit(&report))
}

/// Returns a given option that a gate without cases would ignore, or that would show them.
fn needs_cases(args: &GateArgs) -> Option<&'static str> {
    let GateArgs { running, .. } = args;
    let given = [
        ("--calibrate", args.calibrate),
        ("--update", args.update),
        ("--repeat", args.repeat.is_some()),
        ("--confident", args.confident),
        ("--time-drop", args.time_drop.is_some()),
        ("--reuse", running.reuse),
        ("--dir", !running.conditions.sandbox.visible.is_empty()),
    ];
    given.into_iter().find(|(_, is_given)| *is_given).map(|(option, _)| option)
}

fn exit(report: &SealedReport) -> Exit {
    match report {
        SealedReport { faults: 1.., .. } => Exit::Fault,
        SealedReport { failures: 0, holds: None | Some(true), .. } => Exit::Success,
        _ => Exit::NotAccepted,
    }
}
