//! Records a run in the journal and looks up earlier results; warns when there is no journal.

use super::command_line;
use super::failure::Failure;
use super::{load, parent};
use crate::command::checker_identity;
use crate::journal::{Journal, JournalError, Known, Part, Recording, Resumption, RunEnd, RunRecord, Surroundings};
use crate::manifest::Catalogue;
use crate::model::{
    CaseList, ClusterJob, Digest, FinishedJob, JOURNAL_FOLDER, JobId, KnownOutcome, Node, Retention, RunId, Shard,
    Solver, error_chain, one_line,
};
use crate::plan::Plan;
use crate::report;
use crate::runner::{ResultStore, StoreLost};
use crate::solver::{Toolbox, fingerprint};
use judge_sandbox::Tier;
use parking_lot::Mutex;
use std::path::{Path, PathBuf};
use std::slice;

/// The flag that continues an interrupted run. It is not part of the recorded command.
pub(crate) const RESUME: &str = "--resume";

/// How a command uses the journal.
#[derive(Debug, Clone, Copy)]
pub(crate) struct JournalOptions {
    pub(crate) journal: bool,
    pub(crate) resume: bool,
    pub(crate) reuse: bool,
    /// The flag with which the same command continues from what is recorded.
    pub(crate) continue_flag: &'static str,
}

/// What the record of a run starts with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunContext<'a> {
    pub(crate) catalogue: &'a Catalogue,
    pub(crate) plan: &'a Plan,
    pub(crate) toolbox: &'a Toolbox,
    /// The user's message.
    pub(crate) message: Option<&'a str>,
    pub(crate) jobs: usize,
    pub(crate) tier: Tier,
    /// The shard that is played, if it is one.
    pub(crate) shard: Option<Shard>,
    /// How many of the plan's cases are played.
    pub(crate) played: usize,
    /// What runs it on other machines.
    pub(crate) engine: Option<&'static str>,
}

/// Why a run is not recorded.
enum Unrecorded {
    /// It goes on, with a warning.
    Journal(JournalError),
    /// It does not start.
    Fatal(Failure),
}

impl From<JournalError> for Unrecorded {
    fn from(error: JournalError) -> Self {
        match error {
            JournalError::StillRunning(_) | JournalError::OtherWriter(_) => Self::Fatal(error.into()),
            error => Self::Journal(error),
        }
    }
}

/// The record of a run and the earlier results it may use. Without a journal it keeps nothing.
pub(crate) struct Recorder {
    /// Whether the run was recorded at its start.
    recorded: bool,
    options: JournalOptions,
    known: Known,
    /// All cases of the run.
    cases: CaseList,
    part: Part,
    recording: Mutex<Option<Recording>>,
}

/// Returns the folder of the journal beside a catalogue.
pub(crate) fn folder(catalogue: &Catalogue) -> PathBuf {
    catalogue.folder().join(JOURNAL_FOLDER)
}

/// Returns the file of the journal of a catalogue.
pub(crate) fn path(catalogue: &Catalogue) -> PathBuf {
    catalogue.journal().map_or_else(|| Journal::path_in(&folder(catalogue)), Path::to_owned)
}

/// Opens the journal for writing, and makes it where there is none.
pub(crate) fn open(catalogue: &Catalogue) -> Result<Journal, Failure> {
    Ok(match catalogue.journal() {
        None => Journal::open(&folder(catalogue))?,
        Some(file) => {
            load::probe("the journal", file)?;
            Journal::open_file(file)?
        }
    })
}

/// Opens the journal for reading, if there is one.
pub(crate) fn look_if_any(catalogue: &Catalogue) -> Result<Option<Journal>, Failure> {
    Ok(match catalogue.journal() {
        _ if catalogue.is_read_only() => Journal::look_only(&path(catalogue))?,
        None => Journal::look(&folder(catalogue))?,
        Some(file) => Journal::look_file(file)?,
    })
}

/// Opens the journal for reading.
pub(crate) fn look(catalogue: &Catalogue) -> Result<Journal, Failure> {
    look_if_any(catalogue)?.ok_or_else(|| match catalogue.journal() {
        Some(file) => Failure::usage(format!("there is no journal {}", file.display()))
            .with_hint("`judge run -p ID --journal FILE` creates one"),
        None => Failure::usage(format!("there is no journal in {}", folder(catalogue).display()))
            .with_hint("`judge run -p ID` creates one; for another folder's runs, give its --problems"),
    })
}

impl Recorder {
    /// Starts the record of a run, or continues an interrupted one. A journal that cannot be opened gives a warning
    /// only, unless the command line names it.
    pub(crate) fn start(options: JournalOptions, context: &RunContext<'_>) -> Result<Self, Failure> {
        if !options.journal {
            return Ok(Self::none(options, context.plan));
        }
        match Self::open(options, context) {
            Ok(recorder) => Ok(recorder),
            Err(Unrecorded::Fatal(failure)) => Err(failure),
            Err(Unrecorded::Journal(error)) if parent::resumed_run().is_some() => Err(error.into()),
            Err(Unrecorded::Journal(error)) => {
                report::note(&format!("warning: this run is not recorded: {}", error_chain(&error)));
                Ok(Self::none(options, context.plan))
            }
        }
    }

    fn none(options: JournalOptions, plan: &Plan) -> Self {
        Self::of(options, plan, Known::of(plan), None)
    }

    fn of(options: JournalOptions, plan: &Plan, known: Known, recording: Option<Recording>) -> Self {
        let (cases, part) = (plan.cases.clone(), Part::whole(plan));
        Self { recorded: recording.is_some(), options, known, cases, part, recording: Mutex::new(recording) }
    }

    fn open(options: JournalOptions, context: &RunContext<'_>) -> Result<Self, Unrecorded> {
        let RunContext { catalogue, plan, toolbox, message, jobs, tier, shard, played, engine } = *context;
        let journal = match catalogue.journal() {
            None => Journal::open(&folder(catalogue))?,
            Some(_) => open(catalogue).map_err(Unrecorded::Fatal)?,
        };
        let hashes = fingerprints(plan, &plan.solvers, toolbox);
        let mut surroundings = Surroundings::look(Path::new("."));
        if let Some(engine) = engine {
            // Results from elsewhere are not those of this machine's processor.
            surroundings.cpu_model = format!("nodes of {engine}");
        }
        let command = command_line::recorded(shard);
        let checker = checker_identity(&plan.problem.checker);
        let record = RunRecord {
            plan,
            checker: &checker,
            solver_hashes: &hashes,
            command: &command,
            message,
            jobs,
            tier,
            surroundings: &surroundings,
            shard,
            played,
        };
        let (recording, mut known) = if options.resume {
            resume(journal, catalogue.retention(), &record)?
        } else {
            (Recording::begin(journal, catalogue.retention(), &record)?, Known::of(plan))
        };
        if options.reuse {
            recording.add_earlier(0, &mut known)?;
        }
        Ok(Self::of(options, plan, known, Some(recording)))
    }

    /// Takes up the record of a run that goes on elsewhere. `hashes` are those of its solvers.
    pub(crate) fn take_up(
        catalogue: &Catalogue,
        plan: &Plan,
        run: RunId,
        hashes: &[Digest],
        tier: Tier,
    ) -> Result<Self, Failure> {
        let journal = open(catalogue)?;
        let surroundings = Surroundings::default();
        let checker = checker_identity(&plan.problem.checker);
        let record = RunRecord {
            plan,
            checker: &checker,
            solver_hashes: hashes,
            command: "",
            message: None,
            jobs: 1,
            tier,
            surroundings: &surroundings,
            shard: None,
            played: plan.cases.len(),
        };
        let recording = Recording::take_up(journal, catalogue.retention(), &record, run)?;
        let options = JournalOptions { journal: true, resume: true, reuse: false, continue_flag: RESUME };
        Ok(Self::of(options, plan, Known::of(plan), Some(recording)))
    }

    /// Takes the cases after the last one with a result out of the run.
    pub(crate) fn trim_cases(&self) {
        let recording = self.recording.lock();
        if let Some(Err(error)) = recording.as_ref().map(Recording::trim_cases) {
            report::note(&format!("warning: the number of cases is not recorded: {}", error_chain(&error)));
        }
    }

    /// Stores something of the run that is no result.
    fn add(&self, store: impl FnOnce(&Recording) -> Result<(), JournalError>) -> Result<(), StoreLost> {
        let recording = self.recording.lock();
        let stored = recording.as_ref().map_or(Ok(()), store);
        stored.map_err(|error| StoreLost(error_chain(&error)))
    }

    /// Commits the start of the run, which is otherwise done while the first solvers are at work.
    pub(crate) fn commit_start(&self) {
        let committed = self.store_start();
        committed.unwrap_or_else(|StoreLost(why)| report::note_lines(&why));
    }

    /// Adds solvers and cases to the run. `plan` is any plan of it.
    pub(crate) fn grow(&mut self, plan: &Plan, solvers: &[Solver], cases: &CaseList, toolbox: &Toolbox) {
        self.cases.extend(cases);
        self.known.grow(&self.cases);
        let grown = update(&self.recording, self.options, |recording| {
            let first = recording.solver_count();
            recording.grow(solvers, &fingerprints(plan, solvers, toolbox), cases)?;
            if self.options.reuse { recording.add_earlier(first, &mut self.known) } else { Ok(()) }
        });
        grown.unwrap_or_else(|StoreLost(why)| report::note_lines(&why));
    }

    /// From now on, jobs are those of this part of the run.
    pub(crate) fn start_part(&mut self, part: Part) {
        if let Some(open) = self.recording.get_mut() {
            open.turn_to(part.clone());
        }
        self.part = part;
    }

    /// Closes the record. Returns the number of the run, if it was recorded to the end.
    pub(crate) fn finish(self, end: &RunEnd<'_>) -> Option<RunId> {
        let recording = self.recording.into_inner()?;
        let run = recording.run();
        match recording.finish(end) {
            Ok(_) => Some(run),
            Err(error) => {
                report::note(&format!("warning: the end of run {run} is not recorded: {}", error_chain(&error)));
                None
            }
        }
    }
}

fn fingerprints(plan: &Plan, solvers: &[Solver], toolbox: &Toolbox) -> Vec<Digest> {
    solvers.iter().map(|solver| fingerprint(solver, &plan.visible, toolbox)).collect()
}

/// Writes to a record, which ends where it cannot be written.
fn update(
    recording: &Mutex<Option<Recording>>,
    options: JournalOptions,
    write: impl FnOnce(&mut Recording) -> Result<(), JournalError>,
) -> Result<(), StoreLost> {
    let mut recording = recording.lock();
    let Some(open) = recording.as_mut() else { return Ok(()) };
    let Err(error) = write(open) else { return Ok(()) };
    let what = lost(open.run(), &error, options);
    *recording = None;
    Err(StoreLost(what))
}

fn lost(run: RunId, error: &JournalError, options: JournalOptions) -> String {
    let what = format!("warning: run {run} is no longer recorded: {}", error_chain(error));
    let hint = format!("hint: the run continues; `{}` records the rest", continue_command(options.continue_flag));
    format!("{}\n{}", one_line(&what), one_line(&hint))
}

fn resume(journal: Journal, retention: Retention, record: &RunRecord<'_>) -> Result<(Recording, Known), Unrecorded> {
    let resumption = Recording::resume(journal, retention, record)?;
    if let Some(wanted) = parent::resumed_run()
        && !matches!(&resumption, Resumption::Found(recording, _) if recording.run() == wanted)
    {
        let error = format!(
            "run {wanted} cannot go on: it is no longer the last interrupted run of the same cases, solvers and limits"
        );
        return Err(Unrecorded::Fatal(Failure::usage(error).with_hint(command_line::whole())));
    }
    match resumption {
        Resumption::Found(recording, known) => {
            report::note(&format!("continuing run {}: {} cases are done", recording.run(), known.len()));
            Ok((*recording, known))
        }
        Resumption::Elsewhere(recording, known) => {
            let what = "is what was recorded of this shard, on this machine or another";
            report::note(&format!("run {}: {} cases are done, which {what}", recording.run(), known.len()));
            Ok((*recording, known))
        }
        Resumption::Nothing(journal) => {
            report::note("no interrupted run of this command was found: starting with the first case");
            Ok((Recording::begin(journal, retention, record)?, Known::of(record.plan)))
        }
    }
}

impl ResultStore for Recorder {
    fn is_active(&self) -> bool {
        self.recorded
    }

    fn lookup(&self, job: JobId, input: &Digest) -> Option<KnownOutcome> {
        self.known.lookup(self.part.place(job), input)
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

    fn store_job(&self, job: &ClusterJob) -> Result<(), StoreLost> {
        self.add(|recording| recording.store_job(job))
    }

    fn store_node(&self, node: &Node) -> Result<(), StoreLost> {
        self.add(|recording| recording.store_node(node))
    }

    fn store(&self, batch: &[FinishedJob]) -> Result<(), StoreLost> {
        update(&self.recording, self.options, |recording| {
            let Err(error) = recording.append(batch) else { return Ok(()) };
            // On a disk that is nearly full, there may be room for the first of them.
            let are_stored =
                batch.len() > 1 && batch.iter().all(|finished| recording.append(slice::from_ref(finished)).is_ok());
            if are_stored { Ok(()) } else { Err(error) }
        })
    }
}

/// Returns the command line that continues from what this one has recorded, by this flag.
pub(crate) fn continue_command(flag: &str) -> String {
    format!("{} {flag}", command_line::without(flag))
}
