//! `judge gate`: fails if a solver is worse than its baseline.

use crate::commands::{baseline, sealed};
use judge_cli::GateArgs;
use judge_compare::gate::{
    self, Baseline, BaselineFile, Calibration, GateLimits, GateVerdict, Judgement, TimeLimit, repeat_disturbed,
};
use judge_problem::{
    BestSource, CaseList, CaseSpec, Direction, Exit, NodeList, Plan, Problem, Solver, SolverSpec, Stop, listed, quote,
};
use judge_report::{CalibrationReport, GateReport, GatesReport, case_flags};
use judge_sandbox::Sandbox;
use judge_session::sealed::SealedBaseline;
use judge_session::{
    Failure, GlobalArgs, MatchResult, MatchRunner, Outputs, Result, case_selection, command_line, load, outputs,
    programs, recorder, sandbox,
};
use judge_statistics::holm;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A baseline file.
struct RecordedGate<'a> {
    file: &'a Path,
    record: BaselineFile,
}

/// The runs of today for a baseline.
struct PlayedGate {
    plan: Plan,
    limits: GateLimits,
    runs: Vec<MatchResult>,
    today: Baseline,
    nodes: NodeList,
    /// How often a disturbed case was run again without other solvers.
    repeats: usize,
}

/// Runs the cases of one or more baselines and compares.
pub(super) fn gate(global: GlobalArgs<'_>, args: &GateArgs) -> Result<Exit> {
    // Once, because a pipe has nothing more.
    let texts = args.baselines.iter().map(|file| load::text("the baseline", file)).collect::<Result<Vec<_>, _>>()?;
    let files: Vec<(&Path, String)> = args.baselines.iter().map(PathBuf::as_path).zip(texts).collect();
    if let Some(record) = sealed_baseline(args, &files)? {
        return sealed::gate(global, args, &record);
    }
    let recorded = files.iter().map(|(file, text)| read(file, text)).collect::<Result<Vec<_>, _>>()?;
    if args.calibrate {
        return calibrate(args, &recorded);
    }
    check_solver(args, &recorded)?;
    let mut provenance = outputs::here();
    let outputs = Outputs::check::<GatesReport<'_>>(&args.reports)?;
    let sandbox = sandbox::open(&args.running.conditions.sandbox)?;
    let mut played = Vec::new();
    for gate in &recorded {
        let gate = play(global, args, &sandbox, gate)?;
        if gate.runs.iter().any(|run| run.stop == Some(Stop::Interrupted)) {
            judge_report::note("interrupted: the gate was not decided");
            return Ok(Exit::Interrupted);
        }
        played.push(gate);
    }
    provenance.nodes = played.first().map(|gate| gate.nodes.clone()).unwrap_or_default();
    provenance.reused = recorder::reused();
    let judgements = judge(&recorded, &played, args.alpha);
    let mut gates = Vec::new();
    let failures: Vec<_> = played.iter().map(|gate| baseline::failures(&gate.runs)).collect();
    for (place, (recorded, played)) in recorded.iter().zip(&played).enumerate() {
        let judgement = &judgements[place];
        gates.push(GateReport {
            record: &recorded.record,
            today: &played.today,
            judgement,
            limits: &played.limits,
            plan: &played.plan,
            failures: &failures[place],
            repeats: played.repeats,
            file: recorded.file,
            is_updated: args.update && update(recorded, played, judgement)?,
        });
    }
    let noise_passes = args.noise_passes;
    outputs.publish(&GatesReport { gates, alpha: args.alpha, noise_passes, provenance: &provenance })?;
    Ok(exit(&played, &judgements, noise_passes))
}

/// Returns the first sealed baseline, if there is one.
fn sealed_baseline(args: &GateArgs, files: &[(&Path, String)]) -> Result<Option<SealedBaseline>> {
    for (file, text) in files {
        if let Some(record) = SealedBaseline::parse(file, text)? {
            return Ok(Some(record));
        }
    }
    match args.sealed {
        Some(_) => {
            Err(Failure::usage("--sealed needs a sealed baseline").with_hint("judge baseline --sealed writes one"))
        }
        None => Ok(None),
    }
}

/// Fails if one solver is given for baselines of several problems.
fn check_solver(args: &GateArgs, recorded: &[RecordedGate<'_>]) -> Result<()> {
    let problems: BTreeSet<&str> = recorded.iter().map(|gate| &*gate.record.baseline.problem).collect();
    if args.solver.is_none() || problems.len() == 1 {
        return Ok(());
    }
    let problems = listed(&problems.into_iter().collect::<Vec<_>>(), "and");
    Err(Failure::usage(format!("--solver names one solver, and the baselines are of {problems}"))
        .with_hint("leave --solver out, so that each baseline's own solver runs, or run a gate for each problem"))
}

/// Runs the cases of a baseline.
fn play(
    global: GlobalArgs<'_>,
    args: &GateArgs,
    sandbox: &Arc<Sandbox>,
    RecordedGate { file, record }: &RecordedGate<'_>,
) -> Result<PlayedGate> {
    let (catalogue, _programs) = programs::catalogue(global, Some(&record.baseline.problem))?;
    let problem = catalogue.find(&record.baseline.problem)?;
    let mut runner = MatchRunner::open_in(sandbox.clone(), &catalogue, problem, &args.running)?;
    let solvers = solver(&mut runner, args, record)?;
    let cases = cases(problem, record, load::folder_of(file))?;
    let plan = runner.plan_as_it_is(solvers, cases, BestSource::File(file.to_path_buf()));
    let limits = limits(args, problem.direction);
    let mut repeats = 0;
    let runs = runner.play_repeatedly(&plan, |played| {
        if let Some(last) = played.last_mut() {
            repeats += repeat(&runner, &plan, last, record)?;
        }
        let is_interrupted = played.iter().any(|run| run.stop.is_some());
        match args.repeat {
            _ if is_interrupted => Ok(false),
            Some(repeat) => Ok(played.len() < repeat.get() as usize),
            None if played.len() >= gate::MAX_RUNS as usize => Ok(false),
            None => {
                let today = baseline::of_runs(played, &runner.plan_runner.nodes())?;
                Ok(gate::judge(&record.baseline, &today, &limits).is_doubtful())
            }
        }
    })?;
    let nodes = runner.plan_runner.nodes();
    let today = baseline::of_runs(&runs, &nodes)?;
    Ok(PlayedGate { plan, limits, runs, today, nodes, repeats })
}

/// Prepares the given solver, or the solver of the baseline.
fn solver(runner: &mut MatchRunner<'_>, args: &GateArgs, record: &BaselineFile) -> Result<Vec<Solver>> {
    match (&args.solver, &record.solver_name) {
        (None, Some(name)) => runner.prepare_all(vec![SolverSpec { name: name.clone(), text: record.solver.clone() }]),
        (given, _) => runner.solver(Some(given.as_ref().unwrap_or(&record.solver))),
    }
}

/// Runs the disturbed cases of a run again, one at a time, and returns how many runs that took. On a cluster, each case
/// would wait for a node and would not be less disturbed there.
fn repeat(runner: &MatchRunner<'_>, plan: &Plan, run: &mut MatchResult, record: &BaselineFile) -> Result<usize> {
    if runner.plan_runner.engine().is_some() {
        return Ok(0);
    }
    let mut is_interrupted = false;
    let repeats = repeat_disturbed(&mut run.outcomes, record.baseline.conditions.as_ref(), |case| {
        let again = runner.play_alone(plan, case)?;
        is_interrupted |= again.is_none();
        Ok::<_, Failure>(again)
    })?;
    run.stop = run.stop.or(is_interrupted.then_some(Stop::Interrupted));
    Ok(repeats)
}

/// Judges every gate. Gates with varying scores share `alpha`: with more baselines, a fall must be more certain.
fn judge(recorded: &[RecordedGate<'_>], played: &[PlayedGate], alpha: f64) -> Vec<Judgement> {
    let judge =
        |place: usize, limits: &GateLimits| gate::judge(&recorded[place].record.baseline, &played[place].today, limits);
    let mut judgements: Vec<Judgement> = (0..played.len()).map(|place| judge(place, &played[place].limits)).collect();
    let level = |place: usize| Some((place, judgements[place].noise.as_ref()?.level));
    let (places, levels): (Vec<usize>, Vec<f64>) = (0..played.len()).filter_map(level).unzip();
    for (place, alpha) in places.into_iter().zip(holm(&levels, alpha)) {
        judgements[place] = judge(place, &GateLimits { alpha, ..played[place].limits.clone() });
    }
    judgements
}

/// Reports which falls the gate would notice with a baseline's spread. Nothing is run.
fn calibrate(args: &GateArgs, recorded: &[RecordedGate<'_>]) -> Result<Exit> {
    let [RecordedGate { file, record }] = recorded else {
        return Err(Failure::usage("--calibrate takes one --baseline"));
    };
    let outputs = Outputs::check::<CalibrationReport<'_>>(&args.reports)?;
    let sensitivity = args.sensitivity.as_ref().map(|share| share.share());
    if sensitivity.is_some_and(|share| share <= 0.0) {
        return Err(Failure::usage("--sensitivity: expected a share above 0, such as 3%"));
    }
    let Some(calibration) = Calibration::of(&record.baseline, args.alpha) else {
        let path = file.display();
        if record.baseline.runs().is_some_and(|(fewest, _)| fewest > 1) {
            let finding = format!("{path}: no score changed from run to run: any fall is noticed");
            if !args.reports.is_empty() {
                return Err(Failure::usage(finding).with_hint("there is nothing to report: omit the report"));
            }
            judge_report::note(&finding);
            return Ok(Exit::Success);
        }
        let error = format!("{path} does not tell how scores vary: it has one run of each case");
        let (id, solver) = (&record.baseline.problem, quote(&record.solver));
        let (cases, file) = (case_flags(record, file), quote(&file.to_string_lossy()));
        let flags = command_line::case_flags().suffix();
        let hint = format!("judge baseline -p {id} -s {solver}{cases} --output {file}{flags}");
        return Err(Failure::usage(error).with_hint(hint));
    };
    let report = CalibrationReport {
        calibration,
        sensitivity,
        file,
        record,
        solver: args.solver.as_deref().unwrap_or(&record.solver),
        case_flags: command_line::case_flags(),
        alpha_flag: if args.alpha == GateArgs::ALPHA { String::new() } else { format!(" --alpha {}", args.alpha) },
    };
    outputs.publish(&report)?;
    Ok(Exit::Success)
}

fn read<'a>(file: &'a Path, text: &str) -> Result<RecordedGate<'a>> {
    let record = BaselineFile::parse(text).map_err(|error| {
        Failure::usage(format!("{} is not a baseline: {error}", file.display()))
            .with_hint("`judge baseline -p ID -s S --output FILE` writes one")
    })?;
    Ok(RecordedGate { file, record })
}

/// Returns the cases of the baseline whose input still exists. The gate complains about the others.
fn cases(problem: &Problem, record: &BaselineFile, folder: &Path) -> Result<CaseList> {
    let is_there = |case: &CaseSpec| case.file().is_none_or(Path::is_file);
    let terms = problem.cases.terms_by_source();
    let all = record.sources.iter().map(|(name, source)| baseline::case(name, source, record, folder, &terms));
    let mut cases: CaseList = all.filter(is_there).collect();
    case_selection::check_files(problem, &mut cases)?;
    Ok(cases)
}

fn limits(args: &GateArgs, direction: Direction) -> GateLimits {
    // Tests other than the total of a noisy solver get an equal part of `--alpha` for each baseline (Bonferroni).
    let part = args.alpha / args.baselines.len() as f64;
    let time = |share: &judge_problem::Percent| TimeLimit { max_rise: share.share(), alpha: part };
    GateLimits {
        direction,
        max_drop: args.max_drop.0.clone(),
        alpha: args.alpha,
        case_alpha: part,
        may_repeat: args.repeat.is_none(),
        confident: args.confident.then_some(part),
        time: args.time_drop.as_ref().map(time),
    }
}

/// Rewrites the baseline if the gate holds and the judge had no fault: with the better results, or, if scores vary, with the mean of all runs. Its
/// tolerances are kept, and so are CPU times that have hardly changed.
fn update(
    RecordedGate { file, record }: &RecordedGate<'_>,
    PlayedGate { plan, limits, runs, today, .. }: &PlayedGate,
    judgement: &Judgement,
) -> Result<bool> {
    if runs.iter().any(MatchResult::is_faulty) {
        return Ok(false);
    }
    let direction = limits.direction;
    let new = match &judgement.noise {
        Some(test) if judgement.holds() => gate::averaged(&record.baseline, today, test, direction),
        None if judgement.is_better(direction) => today.clone(),
        None if judgement.holds() => {
            let why = if judgement.fixed.is_empty() { "nothing is better" } else { "the total is worse" };
            judge_report::note(&format!("{} is kept: {why}", file.display()));
            return Ok(false);
        }
        _ => return Ok(false),
    };
    if new.immeasurable().is_some() {
        return Ok(false);
    }
    let mut updated = BaselineFile { baseline: gate::with_steady_times(new, &record.baseline), ..record.clone() };
    updated.references = baseline::references(plan, runs);
    for (name, entry) in &mut updated.baseline.cases {
        entry.tolerance = record.baseline.cases.get(name).and_then(|was| was.tolerance.clone());
    }
    if let Some(Solver { spec: SolverSpec { name, text }, .. }) = plan.solvers.first() {
        updated.solver.clone_from(text);
        updated.solver_name = Some(name.clone());
    }
    load::write("the baseline", file, updated.render().as_bytes())?;
    Ok(true)
}

fn exit(played: &[PlayedGate], judgements: &[Judgement], noise_passes: bool) -> Exit {
    let passes = |judgement: &Judgement| match judgement.verdict() {
        GateVerdict::Holds => true,
        GateVerdict::NotComparable => noise_passes,
        GateVerdict::Fails => false,
    };
    if played.iter().flat_map(|gate| &gate.runs).any(MatchResult::is_faulty) {
        Exit::Fault
    } else if judgements.iter().all(passes) {
        Exit::Success
    } else {
        Exit::NotAccepted
    }
}
