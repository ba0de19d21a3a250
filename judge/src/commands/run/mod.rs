//! `judge run`, the main job: load → plan → run → score → report.

mod attached;
mod folders;
mod shards;

use crate::commands::run::attached::AttachedRun;
use crate::commands::run::folders::{FeedbackFolder, SavedAnswers, SavedTranscripts};
use crate::commands::run::shards::Played;
use judge_cli::{RunArgs, StderrArg};
use judge_journal::RunEnd;
use judge_problem::manifest::Catalogue;
use judge_problem::plan::{Order, Plan};
use judge_problem::{
    BestSource, CaseList, Exit, Features, KeptStderr, Labels, Limits, OutcomeGrid, PastScores, Problem, Provenance,
    RunChoice, RunEvent, RunId, Stop, Verdict,
};
use judge_report::{Progress, RunReport};
use judge_run::command::game_of;
use judge_run::runner::{PlanRunner, RunResult};
use judge_run::solver::Toolbox;
use judge_sandbox::Sandbox;
use judge_session::best_scores::{FromJournal, ReferenceScores};
use judge_session::case_selection::{ChosenCases, choose};
use judge_session::failure::Failure;
use judge_session::load::Given;
use judge_session::outputs::RunOutputs;
use judge_session::recorder::{JournalOptions, Recorder, RunContext};
use judge_session::restored_run::ScoredRun;
use judge_session::running::{Presence, Running, limits};
use judge_session::{command_line, entrants, load, outputs, programs, recorder, restored_run, running, sandbox};
use judge_slurm::Start;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Runs solvers on a problem's cases.
pub(super) fn run(given: Given<'_>, args: &RunArgs) -> Result<Exit, Failure> {
    running::end_with_parent()?;
    if let Some(choice) = args.detach.attach {
        return attach(given, args, choice);
    }
    let sandbox = sandbox::open_early(&args.sandbox);
    let provenance = outputs::here();
    let shard = args.shard.map(shards::shard).transpose()?;
    let (catalogue, _programs) = programs::catalogue(given, args.problem_id())?;
    let problem = load::problem(&catalogue, args.problem_id())?;
    refuse_contradictions(args, &catalogue, problem)?;
    let outputs = RunOutputs::check(&args.reports)?;
    let ChosenCases { cases, features } = choose(problem, &args.cases, args.group_by.as_deref(), args.repeat)?;
    let journal = FromJournal::of_run(!args.no_journal && shard.is_none());
    let reference = ReferenceScores::open(&catalogue, problem, args.best.as_deref(), journal)?;
    // Only now: what is wrong with the problem or its cases comes first.
    let sandbox = sandbox?;
    sandbox::note_gaps(&sandbox);
    sandbox::warn_of_answers(&sandbox, problem);
    let runner = running(&catalogue, args, &sandbox, outputs.show_features() || !args.no_journal)
        .runner(Presence::MayLeave(args.detach.detach))?;
    let limits = limits(&problem.limits, &args.limits);
    let settings = programs::settings(&catalogue, problem, &limits, &args.build)?;
    let toolbox = Toolbox::new(sandbox.tier(), settings);
    let whole = plan(problem, (cases, limits), reference, args, &toolbox, &sandbox)?;
    let mut played = Played::of(whole, shard);
    let plan = played.plan();
    // While the journal is opened.
    runner.make_ready(plan);
    let (jobs, tier) = (runner.jobs(), runner.tier());
    let (message, engine) = (message(args), runner.engine());
    let context =
        RunContext { catalogue: &catalogue, plan, toolbox: &toolbox, message, jobs, tier, shard, played: 0, engine };
    if args.resume
        && !args.no_journal
        && let Some(run) = played.uncollected(context)?
    {
        judge_report::note(&format!("the job of run {run} has ended: its results are collected"));
        return attach(given, args, RunChoice::Number(run));
    }
    let recorder = played.record(options(args), context)?;
    if let Some(reference) = recorder.resumed_reference() {
        note_kept_reference(args, &played.plan().problem.best, &reference.source);
        played.freeze(reference);
    }
    let plan = played.plan();
    let features = played.features(features);
    Play { catalogue: &catalogue, args, plan, runner: &*runner, provenance }.play(recorder, outputs, features)
}

/// Refuses arguments that do not go together.
fn refuse_contradictions(args: &RunArgs, catalogue: &Catalogue, problem: &Problem) -> Result<(), Failure> {
    let is_id = |word: &&str| catalogue.find(word).is_ok() && !Path::new(word).exists();
    if let Some(word) = args.word_beside_problem().filter(is_id) {
        let error = format!("the id `{word}` cannot be used with `--problem {}`", problem.id);
        return Err(Failure::usage(error).with_hint("name one problem, and solvers as in `-s ./bot`"));
    }
    if args.shard.is_some() && args.best.as_deref() == Some(Path::new("ledger")) {
        let error = "the score of a shard does not depend on a journal, so that it has no --best ledger";
        let hint = "--best problem; once the shards are merged: judge rescore last --best ledger";
        return Err(Failure::usage(error).with_hint(hint));
    }
    Ok(())
}

/// Follows a run that goes on without its judge: its plan is that of its folder, and its reports are those of this command
/// line, or else of its own.
fn attach(given: Given<'_>, args: &RunArgs, choice: RunChoice) -> Result<Exit, Failure> {
    let catalogue = load::catalogue(given)?;
    let attached = AttachedRun::find(&catalogue, choice)?;
    let own = attached.arguments()?;
    let reports = if args.reports.is_empty() { &own.reports } else { &args.reports };
    let outputs = RunOutputs::check(reports)?;
    let problem = catalogue.find(&attached.run.problem)?;
    let plan = attached.plan(problem, own.save_answers.is_some())?;
    let sandbox = sandbox::open(&own.sandbox)?;
    let start = Start::Attach(attached.folder.clone());
    let runner = running(&catalogue, &own, &sandbox, outputs.show_features()).runner(Presence::Back(start))?;
    let recorder = Recorder::reattach(&catalogue, &plan, attached.run.id, &attached.hashes(), runner.tier())?;
    let features = vec![None; plan.cases.len()];
    let provenance = attached.provenance();
    Play { catalogue: &catalogue, args: &own, plan: &plan, runner: &*runner, provenance }
        .play(recorder, outputs, features)
}

fn running<'a>(catalogue: &'a Catalogue, args: &'a RunArgs, sandbox: &'a Arc<Sandbox>, describe: bool) -> Running<'a> {
    Running { catalogue, jobs: &args.jobs, isolation: &args.sandbox, engine: &args.engine, sandbox, describe }
}

fn message(args: &RunArgs) -> Option<&str> {
    args.message.as_deref().filter(|message| !message.trim().is_empty())
}

/// A run that is ready to be played.
struct Play<'a> {
    catalogue: &'a Catalogue,
    args: &'a RunArgs,
    plan: &'a Plan,
    runner: &'a dyn PlanRunner,
    provenance: Provenance,
}

impl Play<'_> {
    /// Plays the run, scores it, and writes its reports.
    fn play(
        self,
        recorder: Recorder,
        outputs: RunOutputs<'_>,
        features: Vec<Option<Arc<Features>>>,
    ) -> Result<Exit, Failure> {
        let Self { catalogue, args, plan, runner, mut provenance } = self;
        let started = Instant::now();
        let outputs = outputs.open()?;
        let answers =
            args.save_answers.as_deref().map(|folder| SavedAnswers::open(folder, catalogue, plan)).transpose()?;
        let transcripts = args.transcript.as_deref().map(|folder| SavedTranscripts::open(folder, plan)).transpose()?;
        let pages =
            args.feedback.as_deref().map(|folder| FeedbackFolder::open(folder, args.show_inputs)).transpose()?;
        let past = if args.no_journal { Vec::new() } else { past_scores(catalogue, plan) };
        let mut watchers = Watchers { outputs, answers, transcripts, features, past };
        let RunResult { outcomes, stop } = watchers.run(runner, plan, &recorder)?;
        let Watchers { outputs, answers, transcripts, features, .. } = watchers;
        provenance.nodes = runner.nodes();
        let scored = restored_run::score(plan, &outcomes, &features, args.group_by.as_deref())?;
        let report = RunReport {
            plan,
            outcomes: &outcomes,
            rule: &scored.rule,
            scoreboard: &scored.board,
            leaderboard: &scored.leaderboard,
            test_groups: &scored.test_groups,
            features: &features,
            grouping: scored.grouping.as_ref(),
            every_row: args.all,
            order: args.sort.order(),
            stop,
            detached: None,
            provenance: &provenance,
            elapsed: started.elapsed(),
            jobs: runner.jobs(),
            tier: runner.tier(),
            gaps: &sandbox::gaps(runner.gaps()),
            message: message(args),
            labels: &Labels::default(),
        };
        let recorded = recorder.finish(&end(&report));
        if stop == Some(Stop::Detached) {
            note_how_to_attach(recorded);
            return Ok(Exit::Success);
        }
        note_other_rule(&plan.problem, &scored);
        outputs.publish(&report)?;
        pages.map_or(Ok(()), |pages| pages.write(&report))?;
        answers.map_or(Ok(()), SavedAnswers::close)?;
        transcripts.map_or(Ok(()), SavedTranscripts::close)?;
        note_how_to_continue(recorded.is_some(), stop);
        Ok(exit(&outcomes, stop))
    }
}

/// What is done with every event of a run.
struct Watchers<'a> {
    outputs: RunOutputs<'a>,
    answers: Option<SavedAnswers<'a>>,
    transcripts: Option<SavedTranscripts<'a>>,
    /// Those of each case, once they are known.
    features: Vec<Option<Arc<Features>>>,
    /// What each solver reached in its last run, where there is one.
    past: Vec<Option<PastScores>>,
}

impl Watchers<'_> {
    /// Runs the plan, with its progress shown.
    fn run(&mut self, runner: &dyn PlanRunner, plan: &Plan, recorder: &Recorder) -> Result<RunResult, Failure> {
        let past = std::mem::take(&mut self.past);
        let mut progress = Progress::start(plan, runner.running()).against(past, plan.problem.direction);
        let result = runner.run(plan, recorder, &mut |event| {
            note_features(event, &mut self.features);
            self.answers.iter_mut().for_each(|answers| answers.watch(event));
            self.transcripts.iter_mut().for_each(|transcripts| transcripts.watch(event));
            self.outputs.watch(plan, event, &self.features);
            progress.watch(event);
        });
        progress.finish();
        Ok(result?)
    }
}

/// Returns what each solver reached in its last run, for the display on a terminal. Without it, a run does as well.
fn past_scores(catalogue: &Catalogue, plan: &Plan) -> Vec<Option<PastScores>> {
    if !std::io::stderr().is_terminal() {
        return Vec::new();
    }
    let Ok(journal) = recorder::look(catalogue) else { return Vec::new() };
    let game = game_of(&plan.problem);
    plan.solvers.iter().map(|solver| journal.last_scores(&game, &solver.spec.name).ok().flatten()).collect()
}

fn note_how_to_continue(recorded: bool, stop: Option<Stop>) {
    if recorded && stop == Some(Stop::Interrupted) {
        judge_report::note(&format!("continue with: {}", recorder::continue_command(recorder::RESUME)));
    }
}

/// A run that is continued keeps the best scores that it started with, whatever the command line says now.
fn note_kept_reference(args: &RunArgs, given: &BestSource, kept: &BestSource) {
    if args.best.is_some() && given != kept {
        judge_report::note(&format!(
            "its scores stay relative to --best {kept}; afterwards: judge rescore last --best {given}"
        ));
    }
}

fn note_how_to_attach(run: Option<RunId>) {
    if let Some(run) = run {
        judge_report::note(&format!("run {run} goes on without this judge; follow it with: judge run --attach {run}"));
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
        may_be_merged: true,
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
        judge_report::note(&format!(
            "note: scored by `{rule}`: not every case has the thresholds that `{}` needs",
            problem.scoring
        ));
    }
}

fn plan(
    problem: &Problem,
    (mut cases, limits): (CaseList, Limits),
    reference: ReferenceScores,
    args: &RunArgs,
    toolbox: &Toolbox,
    sandbox: &Sandbox,
) -> Result<Plan, Failure> {
    reference.apply(problem, &mut cases);
    Ok(Plan {
        problem: Problem { best: reference.source, ..problem.clone() },
        cases,
        solvers: match &*args.submissions {
            [] => entrants::solvers(problem, &args.solvers(), toolbox, sandbox, running::count(&args.jobs))?,
            patterns => {
                let jobs = running::count(&args.jobs);
                entrants::with_submissions(&args.solvers(), patterns, toolbox, sandbox, jobs)?
            }
        },
        limits,
        environment: args.sandbox.environment.clone(),
        visible: sandbox::visible(&args.sandbox, sandbox)?,
        fail_fast: args.fail_fast,
        stderr: kept_stderr(args.stderr),
        hand_over_answers: args.save_answers.is_some(),
        transcripts: args.transcript.is_some(),
        case_flags: command_line::case_flags(),
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
    let verdicts = || outcomes.verdicts();
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
