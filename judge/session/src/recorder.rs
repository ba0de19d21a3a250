//! Records a run in the journal and looks up earlier results; warns when there is no journal.

use crate::detached::DetachedRuns;
use crate::edited::{Edited, ProgramsAtStart};
use crate::{Failure, Result, command_line, failure, load, running};
use judge_journal::{
    Changed, Journal, JournalError, Known, Part, Recording, Reference, Resumption, RunEnd, RunRecord, Surroundings,
};
use judge_problem::{
    CaseList, CaseSpec, Catalogue, ClusterJob, Digest, FinishedJob, GeneratorChoice, JOURNAL_FOLDER, JobId,
    KnownOutcome, Node, Plan, RunId, Shard, Solver, Stop, counted, error_chain, map_on_all_cores, one_line,
};
use judge_run::cases::Inputs;
use judge_run::runner::{PlanRunner, ResultStore, StoreLost};
use judge_run::solver::{Toolbox, fingerprint};
use judge_sandbox::Tier;
use parking_lot::Mutex;
use std::path::{Path, PathBuf};
use std::slice;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The flag that continues an interrupted run. It is not part of the recorded command.
pub const RESUME: &str = "--resume";

/// Whether the record of a run of this process was lost or damaged while it was written.
static IS_LOST: AtomicBool = AtomicBool::new(false);

/// Returns whether the record of a run was lost, or its journal removed, moved or replaced, while it was written.
pub fn is_lost() -> bool {
    IS_LOST.load(Ordering::Relaxed)
}

/// How many results this process has reused in the runs that it has closed.
static REUSED: AtomicUsize = AtomicUsize::new(0);

/// Returns how many results were reused from earlier runs, in all runs of this process that are closed.
pub fn reused() -> usize {
    REUSED.load(Ordering::Relaxed)
}

/// How a command uses the journal.
#[derive(Debug, Clone, Copy)]
pub struct JournalOptions {
    /// Whether the run is recorded.
    pub journal: bool,
    /// Whether the last run of the same plan is continued.
    pub resume: bool,
    /// Whether results of earlier runs are used again.
    pub reuse: bool,
    /// Whether edits of programs meanwhile are noticed.
    pub watches_programs: bool,
    /// Whether the run covers a whole plan, which runs of others may join.
    pub may_be_merged: bool,
    /// The flag that continues the same command from its recorded results.
    pub continue_flag: &'static str,
}

impl JournalOptions {
    /// The run is recorded, without results of earlier runs.
    pub const RECORDED: Self = Self {
        journal: true,
        resume: false,
        reuse: false,
        watches_programs: true,
        may_be_merged: false,
        continue_flag: RESUME,
    };
}

/// The data at the start of a run's record.
#[derive(Clone, Copy)]
pub struct RunContext<'a> {
    /// Where the journal is.
    pub catalogue: &'a Catalogue,
    /// The plan of the run.
    pub plan: &'a Plan,
    /// The programs that run the solvers.
    pub toolbox: &'a Toolbox,
    /// The user's message.
    pub message: Option<&'a str>,
    /// The runner of the plan.
    pub runner: &'a dyn PlanRunner,
    /// The shard that is played, if it is one.
    pub shard: Option<Shard>,
    /// How many of the plan's cases are played.
    pub played: usize,
    /// The solver's language, if a request gives it and not the command line.
    pub language: Option<&'a str>,
}

impl<'a> RunContext<'a> {
    /// Returns the context of a run of a whole plan.
    pub fn new(catalogue: &'a Catalogue, plan: &'a Plan, toolbox: &'a Toolbox, runner: &'a dyn PlanRunner) -> Self {
        let played = plan.cases.len();
        Self { catalogue, plan, toolbox, message: None, runner, shard: None, played, language: None }
    }
}

/// The record of a run and the earlier results it may use. Without a journal it stores nothing.
pub struct Recorder {
    /// Whether the run was recorded at its start.
    recorded: bool,
    pub(crate) options: JournalOptions,
    known: Known,
    /// All cases of the run.
    cases: CaseList,
    part: Part,
    /// The best scores that a continued run's scores are relative to.
    pub reference: Option<Reference>,
    recording: Mutex<Option<Recording>>,
    /// `None` on a cluster, which runs copies of them.
    programs: Mutex<Option<ProgramsAtStart>>,
}

/// Warns that a program was edited during a run.
fn note_edited(Edited { what, is_shown_by_results }: &Edited, run: Option<RunId>, continue_flag: &str) {
    let Some(run) = run else {
        let warning = format!("warning: the {what} was edited meanwhile: the results may be of both versions");
        return judge_report::note_lines(&format!("{warning}\nhint: run it again"));
    };
    let hint = if *is_shown_by_results {
        format!("`{}` keeps it if all results hold, and else starts a new run", command_line::with_flag(continue_flag))
    } else {
        let removal = command_line::at_places(&format!("judge history rm {run}"));
        format!("its results may be of both versions, and are not used again; `{removal}` removes it")
    };
    judge_report::note_lines(&format!(
        "warning: the {what} was edited while run {run} went on: it is recorded as interrupted, without a total\nhint: {hint}"
    ));
}

/// Warns that a run is not recorded.
fn warn_of_unrecorded(error: &JournalError, catalogue: &Catalogue) {
    judge_report::note(&format!("warning: this run is not recorded: {}", error_chain(error)));
    if let JournalError::UnsupportedSchema { path, found, .. } = error {
        judge_report::note(&format!("hint: {}", failure::start_anew(path, *found)));
    } else if error.is_damage() || matches!(error, JournalError::NoJournal { .. }) {
        judge_report::note(&format!("hint: {}", failure::move_away(&path(catalogue))));
    }
}

/// Returns the folder of the journal next to a catalogue.
pub(crate) fn folder(catalogue: &Catalogue) -> PathBuf {
    catalogue.folder.join(JOURNAL_FOLDER)
}

/// Returns the file of the journal of a catalogue.
pub fn path(catalogue: &Catalogue) -> PathBuf {
    catalogue.journal.clone().unwrap_or_else(|| Journal::path_in(&folder(catalogue)))
}

/// Opens the journal for writing. Creates it if there is none.
pub fn open(catalogue: &Catalogue) -> Result<Journal> {
    Ok(match &catalogue.journal {
        None => Journal::open(&folder(catalogue))?,
        Some(file) => {
            load::probe_journal(file)?;
            Journal::open_file(file)?
        }
    })
}

/// Opens the journal for reading, if there is one.
pub fn open_to_read_if_any(catalogue: &Catalogue) -> Result<Option<Journal>> {
    Ok(match &catalogue.journal {
        _ if catalogue.is_read_only => Journal::open_read_only(&path(catalogue))?,
        None => Journal::open_to_read(&folder(catalogue))?,
        Some(file) => Journal::open_file_to_read(file)?,
    })
}

/// Opens the journal for reading.
pub fn open_to_read(catalogue: &Catalogue) -> Result<Journal> {
    open_to_read_if_any(catalogue)?.ok_or_else(|| match &catalogue.journal {
        Some(file) => Failure::usage(format!("there is no journal {}", file.display()))
            .with_hint("`judge run -p ID --journal FILE` creates one"),
        None => Failure::usage(format!("there is no journal in {}", folder(catalogue).display()))
            .with_hint("`judge run -p ID` creates one; for another folder's runs, give its --problems"),
    })
}

impl Recorder {
    /// Starts the record of a run, or continues an interrupted one. A journal that cannot be opened only gives a
    /// warning, unless the command line names it.
    pub fn start(options: JournalOptions, context: &RunContext<'_>) -> Result<Self> {
        let RunContext { plan, runner, .. } = *context;
        let unrecorded = || {
            let is_watched = options.watches_programs && runner.engine().is_none();
            let programs = is_watched.then(|| ProgramsAtStart::now(plan));
            Self { programs: Mutex::new(programs), ..Self::of(options, plan, Known::of(plan), None) }
        };
        if !options.journal {
            return Ok(unrecorded());
        }
        let failure = match Self::open(options, context) {
            Ok(recorder) => return Ok(recorder),
            // The command line names the journal, or the run that is continued.
            Err(failure) if context.catalogue.journal.is_some() || running::resumed_run().is_some() => {
                return Err(failure);
            }
            Err(failure) => failure,
        };
        match failure.journal_error() {
            None | Some(JournalError::StillRunning(_) | JournalError::OtherWriter(_)) => return Err(failure),
            Some(error) => warn_of_unrecorded(error, context.catalogue),
        }
        Ok(unrecorded())
    }

    fn of(options: JournalOptions, plan: &Plan, known: Known, recording: Option<Recording>) -> Self {
        let (cases, part) = (plan.cases.clone(), Part::whole(plan));
        Self {
            recorded: recording.is_some(),
            options,
            known,
            cases,
            part,
            reference: None,
            recording: Mutex::new(recording),
            programs: Mutex::new(None),
        }
    }

    fn open(options: JournalOptions, context: &RunContext<'_>) -> Result<Self> {
        let RunContext { catalogue, plan, toolbox, runner, .. } = *context;
        // Its identities are read before the fingerprints are made, so an edit in between is noticed at the end.
        let record = record(context);
        let (checker, generator) = (record.checker.to_string(), record.generator.clone());
        let programs = runner.engine().is_none().then(|| ProgramsAtStart::of(plan, checker, generator));
        // While the journal is opened.
        let (journal, solver_hashes, probe) = std::thread::scope(|scope| {
            let probe = scope.spawn(|| if options.may_be_merged { probe(plan) } else { None });
            let journal = open(catalogue);
            let hashes = fingerprints(plan, &plan.solvers, toolbox);
            let probe = probe.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            journal.map(|journal| (journal, hashes, probe))
        })?;
        let record = RunRecord { solver_hashes, probe, surroundings: surroundings(runner), ..record };
        let (recording, mut known) = match options.resume {
            true => resume(journal, &record)?,
            false => (Recording::begin(journal, &record)?, Known::of(plan)),
        };
        if options.reuse {
            recording.add_earlier(0, &mut known)?;
        }
        let reference = if options.resume { recording.journal.reference(recording.run())? } else { None };
        Ok(Self { reference, programs: Mutex::new(programs), ..Self::of(options, plan, known, Some(recording)) })
    }

    /// Reattaches to the record of a run that continues on a cluster. `solver_hashes` belong to its solvers.
    pub fn reattach(
        catalogue: &Catalogue,
        plan: &Plan,
        run: RunId,
        solver_hashes: Vec<Digest>,
        tier: Tier,
    ) -> Result<Self> {
        let record = RunRecord { solver_hashes, ..RunRecord::new(plan, tier, catalogue.retention) };
        let (recording, known) = Recording::reattach(open(catalogue)?, &record, run)?;
        Ok(Self::of(JournalOptions::RECORDED, plan, known, Some(recording)))
    }

    /// Marks the run as a search. `best` is the place of the solver with the best setting so far.
    pub fn mark_search(&self, best: usize) {
        if let Err(StoreLost(why)) = self.add(|recording| recording.mark_search(best)) {
            judge_report::note(&format!("warning: the search is not recorded as one: {why}"));
        }
    }

    /// Removes the cases after the last one with a result from the run.
    pub fn trim_cases(&self) {
        if let Err(StoreLost(why)) = self.add(Recording::trim_cases) {
            judge_report::note(&format!("warning: the number of cases is not recorded: {why}"));
        }
    }

    /// Stores something that is not a result.
    fn add(&self, store: impl FnOnce(&Recording) -> Result<(), JournalError>) -> Result<(), StoreLost> {
        let recording = self.recording.lock();
        let stored = recording.as_ref().map_or(Ok(()), store);
        stored.map_err(|error| StoreLost(error_chain(&error)))
    }

    /// Commits the start of the run. Otherwise it is committed while the first solvers run.
    pub(crate) fn commit_start(&self) {
        let committed = self.store_start();
        committed.unwrap_or_else(|StoreLost(why)| judge_report::note_lines(&why));
    }

    /// Adds solvers and cases to the run. `plan` is any plan of it.
    pub(crate) fn grow(&mut self, plan: &Plan, solvers: &[Solver], cases: &CaseList, toolbox: &Toolbox) {
        self.cases.extend(cases.iter());
        self.known.grow(&self.cases);
        self.programs.get_mut().iter_mut().for_each(|programs| programs.add(solvers));
        let grown = update(&self.recording, self.options, |recording| {
            let first = recording.solver_count();
            recording.grow(solvers, &fingerprints(plan, solvers, toolbox), cases)?;
            if self.options.reuse { recording.add_earlier(first, &mut self.known) } else { Ok(()) }
        });
        grown.unwrap_or_else(|StoreLost(why)| judge_report::note_lines(&why));
    }

    /// From now on, jobs belong to this part of the run.
    pub fn start_part(&mut self, part: Part) {
        if let Some(open) = self.recording.get_mut() {
            open.part = part.clone();
        }
        self.part = part;
    }

    /// Closes the record. Returns the number of the run, if it was recorded to the end.
    pub fn finish(self, end: &RunEnd<'_>) -> Option<RunId> {
        let recording = self.recording.into_inner();
        let edited = self.programs.into_inner().as_ref().and_then(ProgramsAtStart::edited);
        if let Some(edited) = edited.as_ref().filter(|_| !running::is_watched()) {
            note_edited(edited, recording.as_ref().map(Recording::run), self.options.continue_flag);
        }
        let mut recording = recording?;
        if self.options.reuse && recording.copied > 0 {
            judge_report::note(&judge_report::reused_line(recording.copied));
            REUSED.fetch_add(recording.copied, Ordering::Relaxed);
        }
        let run = recording.run();
        let stop = end.stop.or(edited.as_ref().map(|_| Stop::Interrupted));
        let disowned = match edited {
            Some(Edited { is_shown_by_results: false, .. }) => recording.disown(),
            _ => Ok(()),
        };
        match disowned.and_then(|()| recording.finish(&RunEnd { stop, totals: end.totals.clone(), ..*end })) {
            Ok(journal) => {
                let rewritten = journal.rewritten_file.as_deref();
                if let Some(notice) = rewritten.and_then(|path| rewritten_journal_warning(run, path)) {
                    judge_report::note(&notice);
                }
                Some(run)
            }
            Err(error) => {
                IS_LOST.store(true, Ordering::Relaxed);
                judge_report::note(&format!("warning: the end of run {run} is not recorded: {}", error_chain(&error)));
                None
            }
        }
    }
}

/// Returns the record of a run, without the content of its solvers and its surroundings.
fn record<'a>(context: &RunContext<'a>) -> RunRecord<'a> {
    let RunContext { catalogue, plan, message, runner, shard, played, language, .. } = *context;
    let (command, jobs) = (command_line::recorded(shard, language), runner.jobs());
    let record = RunRecord::new(plan, runner.tier(), catalogue.retention);
    RunRecord { uid: running::run_uid(), command, message, jobs, shard, played, ..record }
}

fn surroundings(runner: &dyn PlanRunner) -> Surroundings {
    let mut surroundings = Surroundings::detect(Path::new("."));
    if let Some(engine) = runner.engine() {
        // Other machines have made the results, not this machine's processor.
        surroundings.machine.cpu_model = format!("nodes of {engine}");
    }
    surroundings
}

/// Returns the unfinished run of the same command, if its job on a cluster has ended and its results were not
/// collected. Fails if the job still runs, because a second one would do the same work.
pub fn uncollected(context: &RunContext<'_>) -> Result<Option<RunId>> {
    // The recorder reports a journal that cannot be used.
    let Ok(Some(journal)) = open_to_read_if_any(context.catalogue) else { return Ok(None) };
    if context.runner.engine().is_none() {
        return Ok(None);
    }
    let solver_hashes = fingerprints(context.plan, &context.plan.solvers, context.toolbox);
    let record = RunRecord { solver_hashes, surroundings: surroundings(context.runner), ..record(context) };
    let Some(run) = journal.unfinished(&record)? else { return Ok(None) };
    let job = DetachedRuns::new(context.catalogue, &journal).check_ended(run, "nothing was submitted")?;
    Ok(job.map(|_| run))
}

fn fingerprints(plan: &Plan, solvers: &[Solver], toolbox: &Toolbox) -> Vec<Digest> {
    solvers.iter().map(|solver| fingerprint(solver, &plan.visible, toolbox)).collect()
}

/// Writes to a record. If that fails, the record ends here.
fn update(
    recording: &Mutex<Option<Recording>>,
    options: JournalOptions,
    write: impl FnOnce(&mut Recording) -> Result<(), JournalError>,
) -> Result<(), StoreLost> {
    let mut recording = recording.lock();
    let Some(open) = recording.as_mut() else { return Ok(()) };
    let Err(error) = write(open) else { return Ok(()) };
    let what = lost_record_warning(open, &error, options);
    *recording = None;
    Err(StoreLost(what))
}

fn lost_record_warning(open: &Recording, error: &JournalError, options: JournalOptions) -> String {
    IS_LOST.store(true, Ordering::Relaxed);
    let what = format!("warning: run {} is no longer recorded: {}", open.run(), error_chain(error));
    let hint = match error {
        JournalError::Gone { .. } => "the run continues".to_owned(),
        error if error.is_damage() => {
            format!("the run continues; this makes room for a new journal: {}", failure::move_away(open.journal.path()))
        }
        _ => format!("the run continues; `{}` records the rest", command_line::with_flag(options.continue_flag)),
    };
    format!("{}\n{}", one_line(&what), one_line(&format!("hint: {hint}")))
}

/// Returns the warning about a journal that was written again; `None` if the user has seen it.
fn rewritten_journal_warning(run: RunId, path: &Path) -> Option<String> {
    let is_reported = IS_LOST.swap(true, Ordering::Relaxed);
    let what = "its journal was removed, moved or replaced meanwhile, and is written again with its whole content";
    (!is_reported).then(|| format!("warning: run {run}: {what}: {}", path.display()))
}

fn resume(journal: Journal, record: &RunRecord<'_>) -> Result<(Recording, Known)> {
    let hashes = |cases: &[CaseSpec]| input_hashes(record.plan, cases);
    let resumption = Recording::resume(journal, record, &hashes)?;
    if let Some(wanted) = running::resumed_run()
        && !matches!(&resumption, Resumption::Found(recording, _) if recording.run() == wanted)
    {
        let why = match &resumption {
            Resumption::Nothing(_, Some(changed)) if changed.run == wanted => changed.what.join("; "),
            _ => "it is no longer the last interrupted run of the same cases, solvers and limits".to_owned(),
        };
        let failure = Failure::usage(format!("run {wanted} cannot go on: {why}"));
        return Err(failure.with_hint(command_line::whole()));
    }
    match resumption {
        Resumption::Found(recording, known) => {
            let are = if known.len() == 1 { "is" } else { "are" };
            let done = counted(known.len(), "case");
            judge_report::note(&format!("continuing run {}: {done} {are} done", recording.run()));
            Ok((*recording, known))
        }
        Resumption::Elsewhere(recording, known) => {
            let what = "recorded results of this shard, from any machine, count where the input is the same";
            judge_report::note(&format!("run {}: {what}: {} cases", recording.run(), known.len()));
            Ok((*recording, known))
        }
        Resumption::Nothing(journal, changed) => {
            judge_report::note(&match changed {
                Some(Changed { run, what }) => {
                    let none = "no interrupted run of this command was found that can go on";
                    format!("{none}: {}; starting a new run, and run {run} stays as it is", what.join("; "))
                }
                None => "no interrupted run of this command was found: starting with the first case".to_owned(),
            });
            Ok((Recording::begin(journal, record)?, Known::of(record.plan)))
        }
    }
}

/// Returns the hashes of the inputs of cases, made or read now.
fn input_hashes(plan: &Plan, cases: &[CaseSpec]) -> Vec<Option<Digest>> {
    let inputs = Inputs::of(&plan.problem);
    map_on_all_cores(cases.len(), |number| inputs.hash_of(&plan.cases, &cases[number].source))
}

/// Returns the hash of the input that a setter's generator makes of the plan's first seed.
fn probe(plan: &Plan) -> Option<Digest> {
    let generator = plan.problem.generator.as_ref()?;
    let is_setters = matches!(generator, GeneratorChoice::Command(_) | GeneratorChoice::Files(_));
    let mut seeds = plan.cases.iter().filter(|case| case.file().is_none());
    let first = seeds.next().filter(|_| is_setters)?;
    input_hashes(plan, &[first]).pop().flatten()
}

impl ResultStore for Recorder {
    fn is_active(&self) -> bool {
        self.recorded
    }

    fn lookup(&self, job: JobId, input: &Digest) -> Option<KnownOutcome> {
        self.known.lookup(self.part.place(job), input)
    }

    fn kept(&self, job: JobId) -> Option<(KnownOutcome, Digest)> {
        self.known.kept(self.part.place(job))
    }

    fn has_earlier(&self) -> bool {
        !self.known.is_empty()
    }

    fn earlier_node(&self, name: &str) -> Option<Node> {
        self.known.node(name).cloned()
    }

    fn store_start(&self) -> Result<(), StoreLost> {
        update(&self.recording, self.options, |recording| recording.commit_start())
    }

    fn notice(&self) -> Option<String> {
        let recording = self.recording.lock();
        let recording = recording.as_ref()?;
        rewritten_journal_warning(recording.run(), recording.journal.rewritten_file.as_deref()?)
    }

    fn store_job(&self, job: &ClusterJob) -> Result<(), StoreLost> {
        self.add(|recording| {
            // Leftovers of judges that were killed at their end.
            for before in recording.completed_cluster_jobs()? {
                let _ = judge_slurm::remove_folder(&before);
            }
            recording.store_job(job)
        })
    }

    fn forget_job(&self) {
        // A lost store is reported with the results.
        let _ = self.add(Recording::forget_job);
    }

    fn store_node(&self, node: &Node) -> Result<(), StoreLost> {
        self.add(|recording| recording.store_node(node))
    }

    fn store(&self, batch: &[FinishedJob]) -> Result<(), StoreLost> {
        // Before anything is stored that another version may have made: this process may be killed at any time.
        let is_edited = self.programs.lock().as_mut().is_some_and(ProgramsAtStart::notice);
        update(&self.recording, self.options, |recording| {
            if is_edited {
                recording.disown()?;
            }
            let Err(error) = recording.append(batch) else { return Ok(()) };
            // On a nearly full disk, the first of them may still fit.
            let are_stored =
                batch.len() > 1 && batch.iter().all(|finished| recording.append(slice::from_ref(finished)).is_ok());
            if are_stored { Ok(()) } else { Err(error) }
        })
    }
}
