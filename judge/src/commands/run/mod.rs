//! `judge run`, the main job: load → plan → run → score → report.

mod folders;
mod shards;

use crate::commands::run::folders::{JobFiles, write_feedback};
use crate::commands::run::shards::Sharded;
use judge_cli::{RunArgs, RunningArgs};
use judge_journal::{JournalError, Reference, RunEnd};
use judge_problem::scoring::ScoredRun;
use judge_problem::{
    BestSource, CaseList, Catalogue, Exit, Features, Labels, Plan, Problem, Provenance, RunChoice, RunEvent, RunState,
    Stop, StoredRun, error_chain,
};
use judge_report::{Progress, RunReport};
use judge_run::command::game_of;
use judge_run::runner::{PlanRunner, RunResult};
use judge_run::solver::Toolbox;
use judge_sandbox::Sandbox;
use judge_session::case_selection::{ChosenCases, choose};
use judge_session::running::{self, DetachPolicy};
use judge_session::{
    Failure, FromJournal, GlobalArgs, JournalOptions, Recorder, ReferenceScores, Result, RunContext, RunOutputs,
    command_line, entrants, load, match_runner, outputs, programs, recorder, restored_run, sandbox,
};
use judge_slurm::{PlanFile, RunFolder};
use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Runs solvers on a problem's cases.
pub(super) fn run(global: GlobalArgs<'_>, args: &RunArgs) -> Result<Exit> {
    running::end_with_parent()?;
    if let Some(choice) = args.detach.attach {
        return attach(global, args, choice);
    }
    let sandbox = sandbox::open_early(&args.running.conditions.sandbox);
    let provenance = outputs::here();
    let shard = args.shard.map(shards::shard).transpose()?;
    let (catalogue, _programs) = programs::catalogue(global, args.problem_id())?;
    let problem = load::problem(&catalogue, args.problem_id())?;
    refuse_contradictions(args, &catalogue, problem)?;
    let outputs = RunOutputs::check(&args.reports)?;
    let ChosenCases { cases, features } = choose(problem, &args.cases, args.group_by.as_deref(), args.repeat)?;
    let journal = FromJournal::of_run(!args.running.no_journal && shard.is_none());
    let reference = ReferenceScores::open(&catalogue, problem, None, args.best.as_deref(), journal)?;
    ReferenceScores::note_unused(args.best.as_deref(), &problem.scoring);
    // Checked only now, because errors of the problem or its cases come first.
    let sandbox = sandbox?;
    sandbox::note_gaps(&sandbox);
    sandbox::warn_of_answers(&sandbox, problem);
    let RunningArgs { conditions, no_journal, .. } = &args.running;
    let (describe, detach) = (outputs.show_features || !no_journal, DetachPolicy::Allowed(args.detach.detach));
    let runner = running::runner(&catalogue, &args.running, &sandbox, describe, detach)?;
    let template = running::template(problem, conditions, &sandbox)?;
    let toolbox = programs::toolbox(&catalogue, &template, &conditions.build, &sandbox)?;
    let whole = plan(template, cases, reference, args, &toolbox, &sandbox)?;
    let mut sharded = Sharded::of(whole, shard);
    let plan = sharded.plan();
    // While the journal is opened.
    runner.make_ready(plan);
    let context = RunContext::new(&catalogue, &sharded.whole, &toolbox, &*runner);
    let context = RunContext { message: message(args), shard, played: plan.cases.len(), ..context };
    let uncollected = if args.resume && !no_journal { recorder::uncollected(&context)? } else { None };
    if let Some(run) = uncollected {
        judge_report::note(&format!("the job of run {run} has ended: its results are collected"));
        return attach(global, args, RunChoice::Number(run));
    }
    let mut recorder = Recorder::start(options(args), &context)?;
    sharded.part().into_iter().for_each(|part| recorder.start_part(part));
    if let Some(reference) = &recorder.reference {
        note_kept_reference(args, &sharded.plan().problem.best, &reference.source);
        sharded.freeze(reference);
    }
    let features = sharded.features(features);
    Play { catalogue: &catalogue, args, plan: sharded.plan(), runner: &*runner, provenance }
        .play(recorder, outputs, features)
}

/// Refuses arguments that do not go together.
fn refuse_contradictions(args: &RunArgs, catalogue: &Catalogue, problem: &Problem) -> Result<()> {
    outputs::pareto(args.pareto.as_deref(), problem)?;
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

fn plan(
    template: Plan,
    mut cases: CaseList,
    reference: ReferenceScores,
    args: &RunArgs,
    toolbox: &Toolbox,
    sandbox: &Sandbox,
) -> Result<Plan> {
    let problem = &template.problem;
    reference.apply(problem, &mut cases);
    let jobs = running::jobs_at_once(&args.running.jobs);
    Ok(Plan {
        solvers: entrants::solvers(problem, &args.solvers(), &args.submissions, toolbox, sandbox, jobs)?,
        problem: Problem { best: reference.source, ..template.problem },
        cases,
        fail_fast: args.fail_fast,
        stderr: args.stderr,
        hand_over_answers: args.save_answers.is_some(),
        transcripts: args.transcript.is_some(),
        ..template
    })
}

fn options(args: &RunArgs) -> JournalOptions {
    let RunningArgs { no_journal, reuse, .. } = args.running;
    let (journal, resume) = (!no_journal, args.resume);
    JournalOptions { journal, resume, reuse, may_be_merged: true, ..JournalOptions::RECORDED }
}

/// A continued run keeps the best scores that it started with, even if the command line names others.
fn note_kept_reference(args: &RunArgs, given: &BestSource, kept: &BestSource) {
    if args.best.is_some() && given != kept {
        judge_report::note(&format!(
            "its scores stay relative to --best {kept}; afterwards: judge rescore last --best {given}"
        ));
    }
}

/// Follows a run that continues without its judge. The plan comes from the run's folder, the reports from this command line or
/// else from the recorded one.
fn attach(global: GlobalArgs<'_>, args: &RunArgs, choice: RunChoice) -> Result<Exit> {
    let catalogue = load::catalogue(global)?;
    let (run, reference, folder) = submitted(&catalogue, choice)?;
    let own = command_line::recorded_run(&run.provenance.command)
        .ok_or_else(|| Failure::usage(format!("run {} is not of `judge run`: {}", run.id, run.provenance.command)))?;
    let reports = if args.reports.is_empty() { &own.reports } else { &args.reports };
    let outputs = RunOutputs::check(reports)?;
    let plan = submitted_plan(catalogue.find(&run.problem)?, &run.provenance.command, reference, &folder)?;
    let plan = Plan { hand_over_answers: own.save_answers.is_some(), ..plan };
    let sandbox = sandbox::open(&own.running.conditions.sandbox)?;
    let detach = DetachPolicy::Reattach(folder);
    let runner = running::runner(&catalogue, &own.running, &sandbox, outputs.show_features, detach)?;
    let hashes = run.entrants.iter().map(|entrant| entrant.hash).collect();
    let recorder = Recorder::reattach(&catalogue, &plan, run.id, hashes, runner.tier())?;
    let features = vec![None; plan.cases.len()];
    let provenance = run.provenance.clone();
    Play { catalogue: &catalogue, args: &own, plan: &plan, runner: &*runner, provenance }
        .play(recorder, outputs, features)
}

/// Finds a run that continues on a cluster. Returns it with the best scores that its scores are relative to, and its folder
/// on the shared file system.
fn submitted(catalogue: &Catalogue, choice: RunChoice) -> Result<(StoredRun, Option<Reference>, RunFolder)> {
    let journal = recorder::open_to_read(catalogue)?;
    let run = journal.stored_run(journal.choose(choice)?)?;
    let id = run.id;
    let Some(job) = journal.cluster_job(id)? else {
        return Err(Failure::usage(format!("run {id} was not run on a cluster: there is nothing to follow"))
            .with_hint("`judge history` lists the runs"));
    };
    if matches!(run.state, RunState::Complete | RunState::Stopped) {
        // A judge that was killed after it had recorded the end has left the folder.
        let _ = judge_slurm::remove_folder(&job);
        return Err(JournalError::Over(id, run.state).into());
    }
    let folder = RunFolder::at(&job.folder);
    let place = format!("its folder {} (Slurm job {})", job.folder.display(), job.id);
    match folder.find_open() {
        Ok(true) => Ok((run, journal.reference(id)?, folder)),
        Ok(false) => Err(Failure::usage(format!("run {id}: {place} is gone"))
            .with_hint(how_to_run_the_rest(&run.provenance.command))),
        Err(error) => Err(Failure::usage(format!("run {id}: {place} cannot be reached: {}", error_chain(&error)))
            .with_hint("is the shared file system mounted here? `df` lists the mounted ones")),
    }
}

/// Returns the plan in the folder of a run, for a problem with its current terms.
fn submitted_plan(problem: &Problem, command: &str, reference: Option<Reference>, folder: &RunFolder) -> Result<Plan> {
    let unreadable = |error| {
        let error = format!("cannot read the run folder {}: {}", folder.path().display(), error_chain(&error));
        Failure::usage(error).with_hint(how_to_run_the_rest(command))
    };
    let file = PlanFile::read(folder).map_err(unreadable)?;
    let cases = PlanFile::cases(folder).map_err(unreadable)?;
    let terms = problem.cases.terms_by_source();
    let mut cases: CaseList = cases.into_iter().map(|case| terms.case(case.name, case.source)).collect();
    let mut problem = problem.clone();
    reference.iter().for_each(|reference| reference.apply(&mut problem, &mut cases));
    Ok(Plan { cases, case_flags: command_line::recorded_case_flags(command), ..file.plan(problem) })
}

/// Returns the hint with the command that continues a run without its folder.
fn how_to_run_the_rest(command: &str) -> String {
    format!("`{}` runs what is missing", command_line::recorded_with_flag(command, recorder::RESUME))
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
        mut features: Vec<Option<Arc<Features>>>,
    ) -> Result<Exit> {
        let Self { catalogue, args, plan, runner, mut provenance } = self;
        let pareto = outputs::pareto(args.pareto.as_deref(), &plan.problem)?;
        let (started, mut outputs) = (Instant::now(), outputs.open()?);
        let mut files = JobFiles::requested(args, catalogue, plan)?;
        args.feedback.as_deref().map_or(Ok(()), load::make_folder)?;
        let mut progress = progress(catalogue, args, plan, runner);
        let result = runner.run(plan, &recorder, &mut |event| {
            note_features(event, &mut features);
            files.iter_mut().for_each(|files| files.watch(event));
            outputs.watch(plan, event, &features);
            progress.watch(event);
        });
        progress.finish();
        let RunResult { outcomes, stop } = result?;
        let scored = restored_run::score(plan, &outcomes, &features, args.group_by.as_deref())?;
        let (elapsed, gaps) = (started.elapsed(), sandbox::gaps(runner.gaps()));
        let recorded = recorder.finish(&RunEnd::of(&scored, stop, elapsed));
        (provenance.nodes, provenance.reused) = (runner.nodes(), recorder::reused());
        let report = RunReport {
            plan,
            outcomes: &outcomes,
            scored: &scored,
            features: &features,
            pareto: pareto.as_ref(),
            every_row: args.all,
            order: args.sort.order(),
            stop,
            detached: None,
            provenance: &provenance,
            elapsed,
            jobs: runner.jobs(),
            tier: runner.tier(),
            gaps: Some(&gaps),
            message: message(args),
            labels: &Labels::default(),
        };
        if stop == Some(Stop::Detached) {
            if let Some(run) = recorded {
                judge_report::note(&format!(
                    "run {run} goes on without this judge; follow it with: judge run --attach {run}"
                ));
            }
            return Ok(Exit::Success);
        }
        note_other_rule(&plan.problem, &scored);
        let written = [outputs.publish(&report), write_feedback(args, &report)];
        let written = written.into_iter().chain(files.into_iter().map(JobFiles::close));
        let all_written = Failure::check_all(written.filter_map(Result::err));
        note_how_to_continue(recorded.is_some(), stop);
        all_written.map(|()| match_runner::exit(&outcomes, stop))
    }
}

/// Starts the display of a run, with each solver's results in its last run. If this fails, the run continues without
/// it.
fn progress(catalogue: &Catalogue, args: &RunArgs, plan: &Plan, runner: &dyn PlanRunner) -> Progress {
    let is_shown = !args.running.no_journal && std::io::stderr().is_terminal();
    let journal = if is_shown { recorder::open_to_read(catalogue).ok() } else { None };
    let past = journal.map(|journal| {
        let game = game_of(&plan.problem);
        plan.solvers.iter().map(|solver| journal.last_scores(&game, &solver.spec.name).ok().flatten()).collect()
    });
    Progress::start(plan, runner.running()).against(past.unwrap_or_default(), plan.problem.direction)
}

/// Keeps the features of a case as soon as they are known.
fn note_features(event: &RunEvent, features: &mut [Option<Arc<Features>>]) {
    if let RunEvent::Finished(finished) = event {
        let known = &mut features[finished.job.case];
        *known = known.take().or_else(|| finished.features.clone());
    }
}

fn message(args: &RunArgs) -> Option<&str> {
    args.message.as_deref().filter(|message| !message.trim().is_empty())
}

fn note_other_rule(problem: &Problem, ScoredRun { rule, .. }: &ScoredRun) {
    if *rule != problem.scoring {
        judge_report::note(&format!(
            "note: scored by `{rule}`: not every case has the thresholds that `{}` needs",
            problem.scoring
        ));
    }
}

fn note_how_to_continue(recorded: bool, stop: Option<Stop>) {
    // The command line of a watched run is not the user's.
    if recorded && stop == Some(Stop::Interrupted) && !running::is_watched() {
        judge_report::note(&format!("continue with: {}", command_line::with_flag(recorder::RESUME)));
    }
}
