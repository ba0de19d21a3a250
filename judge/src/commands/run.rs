//! `judge run`, the main job: load → plan → run → score → report.

use crate::cli::{RunArgs, StderrArg};
use crate::journal::RunEnd;
use crate::model::{CaseSpec, Exit, Features, KeptStderr, Limits, OutcomeGrid, Problem, RunEvent, Stop, Verdict};
use crate::plan::{Order, Plan};
use crate::report::{self, Progress, RunReport};
use crate::runner::{PlanRunner, RunResult};
use crate::solver::Toolbox;
use crate::workflow::best_scores::ReferenceScores;
use crate::workflow::case_choice::{ChosenCases, choose};
use crate::workflow::failure::Failure;
use crate::workflow::limits::limits;
use crate::workflow::recorder::{self, JournalOptions, Recorder, RunContext};
use crate::workflow::run_outputs::RunOutputs;
use crate::workflow::saved_answers::SavedAnswers;
use crate::workflow::score_run::{self, ScoredRun};
use crate::workflow::{build, command_line, entrants, jobs, load, provenance, sandbox};
use judge_sandbox::Sandbox;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Runs solvers on a problem's cases.
pub(super) fn run(catalogue: Option<&Path>, args: &RunArgs) -> Result<Exit, Failure> {
    let provenance = provenance::here();
    let catalogue = load::catalogue(catalogue)?;
    let problem = load::problem(&catalogue, args.problem.id())?;
    let outputs = RunOutputs::check(&args.reports)?;
    let ChosenCases { cases, features } = choose(problem, &args.cases, args.group_by.as_deref(), args.repeat)?;
    let reference = ReferenceScores::open(&catalogue, problem, args.best.as_deref())?;
    let sandbox = Arc::new(sandbox::open(&args.sandbox)?);
    let runner = jobs::plan_runner(&args.jobs, &sandbox, outputs.show_features());
    let limits = limits(&problem.limits, &args.limits);
    let settings = build::settings(&catalogue, problem, &limits, &args.build)?;
    let mut toolbox = entrants::toolbox(&sandbox, settings)?;
    let plan = plan(problem, (cases, limits), reference, args, &mut toolbox, &sandbox)?;
    let (jobs, tier) = (runner.jobs(), runner.tier());
    let message = args.message.as_deref().filter(|message| !message.trim().is_empty());
    let context = RunContext { catalogue: &catalogue, plan: &plan, toolbox: &toolbox, message, jobs, tier };
    let recorder = Recorder::start(options(args), &context)?;

    let started = Instant::now();
    let outputs = outputs.open()?;
    let answers =
        args.save_answers.as_deref().map(|folder| SavedAnswers::open(folder, &catalogue, &plan)).transpose()?;
    let mut watchers = Watchers { outputs, answers, features };
    let RunResult { outcomes, stop } = watchers.run(&*runner, &plan, &recorder)?;
    let Watchers { outputs, answers, features } = watchers;
    let outcomes = OutcomeGrid::of_cells(plan.solvers.len(), outcomes);

    let scored = score_run::score(&plan, &outcomes, &features, args.group_by.as_deref())?;
    note_other_rule(&plan.problem, &scored);
    let report = RunReport {
        plan: &plan,
        outcomes: &outcomes,
        rule: &scored.rule,
        scoreboard: &scored.board,
        leaderboard: &scored.leaderboard,
        test_groups: &scored.test_groups,
        features: &features,
        grouping: scored.grouping.as_ref(),
        every_row: args.all,
        stop,
        provenance: &provenance,
        elapsed: started.elapsed(),
        jobs,
        tier,
        gaps: &sandbox::gaps(runner.gaps()),
        message,
    };
    let recorded = recorder.finish(&end(&report));
    outputs.publish(&report)?;
    answers.map_or(Ok(()), SavedAnswers::close)?;
    note_how_to_continue(recorded.is_some(), stop);
    Ok(exit(&outcomes, stop))
}

/// What is done with every event of a run.
struct Watchers<'a> {
    outputs: RunOutputs<'a>,
    answers: Option<SavedAnswers<'a>>,
    /// Those of each case, once they are known.
    features: Vec<Option<Arc<Features>>>,
}

impl Watchers<'_> {
    /// Runs the plan, with its progress shown.
    fn run(&mut self, runner: &dyn PlanRunner, plan: &Plan, recorder: &Recorder) -> Result<RunResult, Failure> {
        let mut progress = Progress::start(plan, runner.running());
        let result = runner.run(plan, recorder, &mut |event| {
            note_features(event, &mut self.features);
            self.answers.iter_mut().for_each(|answers| answers.watch(event));
            self.outputs.watch(plan, event, &self.features);
            progress.watch(event);
        });
        progress.finish();
        Ok(result?)
    }
}

fn note_how_to_continue(recorded: bool, stop: Option<Stop>) {
    if recorded && stop == Some(Stop::Interrupted) {
        report::note(&format!("continue with: {}", recorder::continue_command(recorder::RESUME)));
    }
}

/// Keeps the features of a case as soon as they are known.
fn note_features(event: &RunEvent, features: &mut [Option<Arc<Features>>]) {
    if let RunEvent::Finished(finished) = event {
        let known = &mut features[finished.job.case];
        *known = known.take().or_else(|| finished.features.clone());
    }
}

fn options(args: &RunArgs) -> JournalOptions {
    JournalOptions {
        journal: !args.no_journal,
        resume: args.resume,
        reuse: args.reuse,
        continue_flag: recorder::RESUME,
    }
}

/// Returns what the journal records about the end of a run.
fn end<'a>(report: &RunReport<'a>) -> RunEnd<'a> {
    let board = report.scoreboard;
    RunEnd {
        stop: report.stop,
        elapsed: report.elapsed,
        rule: report.rule,
        totals: board.standings.iter().map(|standing| board.headline(standing)).collect(),
    }
}

fn note_other_rule(problem: &Problem, ScoredRun { rule, .. }: &ScoredRun) {
    if *rule != problem.scoring {
        report::note(&format!(
            "note: scored by `{rule}`: not every case has the thresholds that `{}` needs",
            problem.scoring
        ));
    }
}

fn plan(
    problem: &Problem,
    (mut cases, limits): (Vec<CaseSpec>, Limits),
    reference: ReferenceScores,
    args: &RunArgs,
    toolbox: &mut Toolbox,
    sandbox: &Sandbox,
) -> Result<Plan, Failure> {
    reference.apply(problem, &mut cases)?;
    Ok(Plan {
        problem: Problem { best: reference.source, ..problem.clone() },
        cases,
        solvers: entrants::solvers(problem, &args.solvers, toolbox, sandbox)?,
        limits,
        environment: args.sandbox.environment.clone(),
        visible: sandbox::visible(&args.sandbox, sandbox)?,
        fail_fast: args.fail_fast,
        stderr: kept_stderr(args.stderr),
        hand_over_answers: args.save_answers.is_some(),
        case_flags: command_line::case_flags(&command_line::words()),
        order: Order::Fixed,
    })
}

fn kept_stderr(arg: StderrArg) -> KeptStderr {
    match arg {
        StderrArg::All => KeptStderr::All,
        StderrArg::Failed => KeptStderr::Failed,
        StderrArg::None => KeptStderr::None,
    }
}

fn exit(outcomes: &OutcomeGrid, stop: Option<Stop>) -> Exit {
    let verdicts = || outcomes.iter().map(|(_, outcome)| outcome.map_or(Verdict::Skipped, |outcome| outcome.verdict));
    if stop == Some(Stop::Interrupted) {
        Exit::Interrupted
    } else if verdicts().any(|verdict| verdict == Verdict::JudgeError) {
        Exit::Fault
    } else if verdicts().all(|verdict| verdict == Verdict::Accepted) {
        Exit::Success
    } else {
        Exit::NotAccepted
    }
}
