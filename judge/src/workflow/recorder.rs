//! Records a run in the journal and looks up earlier results; warns when there is no journal.

use super::command_line;
use super::failure::{Failure, error_chain};
use crate::command::checker_identity;
use crate::journal::{Journal, JournalError, Known, Part, Recording, Resumption, RunEnd, RunRecord, Surroundings};
use crate::manifest::Catalogue;
use crate::model::{
    CaseSpec, Digest, FinishedJob, JOURNAL_FOLDER, JobId, KnownOutcome, Retention, RunId, Solver, one_line,
};
use crate::plan::Plan;
use crate::report;
use crate::runner::{ResultStore, StoreLost};
use crate::solver::{Toolbox, fingerprint};
use judge_sandbox::Tier;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

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
}

/// The record of a run and the earlier results it may use. Without a journal it keeps nothing.
pub(crate) struct Recorder {
    /// Whether the run was recorded at its start.
    recorded: bool,
    options: JournalOptions,
    known: Known,
    /// All cases of the run.
    cases: Vec<CaseSpec>,
    part: Part,
    recording: Mutex<Option<Recording>>,
}

/// Returns the folder of the journal beside a catalogue.
pub(crate) fn folder(catalogue: &Catalogue) -> PathBuf {
    catalogue.folder().join(JOURNAL_FOLDER)
}

/// Opens the journal for reading.
pub(crate) fn look(catalogue: &Catalogue) -> Result<Journal, Failure> {
    let folder = folder(catalogue);
    let hint = "`judge run -p ID` creates one; for another folder's runs, give its --problems";
    Journal::look(&folder)?
        .ok_or_else(|| Failure::usage(format!("there is no journal in {}", folder.display())).with_hint(hint))
}

impl Recorder {
    /// Starts the record of a run, or continues an interrupted one. A journal that cannot be opened gives a warning
    /// only.
    pub(crate) fn start(options: JournalOptions, context: &RunContext<'_>) -> Result<Self, Failure> {
        if !options.journal {
            return Ok(Self::none(options, context.plan));
        }
        match Self::open(options, context) {
            Ok(recorder) => Ok(recorder),
            Err(error @ JournalError::StillRunning(_)) => Err(error.into()),
            Err(error) => {
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

    fn open(options: JournalOptions, context: &RunContext<'_>) -> Result<Self, JournalError> {
        let RunContext { catalogue, plan, toolbox, message, jobs, tier } = *context;
        let journal = Journal::open(&folder(catalogue))?;
        let hashes = fingerprints(plan, &plan.solvers, toolbox);
        let surroundings = Surroundings::look(Path::new("."));
        let command = command_line::without(RESUME);
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

    /// Adds solvers and cases to the run. `plan` is any plan of it.
    pub(crate) fn grow(&mut self, plan: &Plan, solvers: &[Solver], cases: &[CaseSpec], toolbox: &Toolbox) {
        self.cases.extend_from_slice(cases);
        self.known.grow(&self.cases);
        let recording = self.recording.get_mut().unwrap_or_else(PoisonError::into_inner);
        let Some(open) = recording.as_mut() else { return };
        let first = open.solver_count();
        let mut grown = open.grow(solvers, &fingerprints(plan, solvers, toolbox), cases);
        if self.options.reuse && grown.is_ok() {
            grown = open.add_earlier(first, &mut self.known);
        }
        if let Err(error) = grown {
            report::note_lines(&lost(open.run(), &error, self.options));
            *recording = None;
        }
    }

    /// From now on, jobs are those of this part of the run.
    pub(crate) fn start_part(&mut self, part: Part) {
        if let Some(open) = self.recording.get_mut().unwrap_or_else(PoisonError::into_inner) {
            open.turn_to(part.clone());
        }
        self.part = part;
    }

    /// Closes the record. Returns the number of the run, if it was recorded to the end.
    pub(crate) fn finish(self, end: &RunEnd<'_>) -> Option<RunId> {
        let recording = self.recording.into_inner().unwrap_or_else(PoisonError::into_inner)?;
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

fn lost(run: RunId, error: &JournalError, options: JournalOptions) -> String {
    let what = format!("warning: run {run} is no longer recorded: {}", error_chain(error));
    let hint = format!("hint: the run continues; `{}` records the rest", continue_command(options.continue_flag));
    format!("{}\n{}", one_line(&what), one_line(&hint))
}

fn resume(journal: Journal, retention: Retention, record: &RunRecord<'_>) -> Result<(Recording, Known), JournalError> {
    match Recording::resume(journal, retention, record)? {
        Resumption::Found(recording, known) => {
            report::note(&format!("continuing run {}: {} cases are done", recording.run(), known.len()));
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

    fn store(&self, batch: &[FinishedJob]) -> Result<(), StoreLost> {
        let mut recording = self.recording.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(open) = recording.as_mut() else { return Ok(()) };
        let Err(error) = open.append(batch) else { return Ok(()) };
        let what = lost(open.run(), &error, self.options);
        *recording = None;
        Err(StoreLost(what))
    }
}

/// Returns the command line that continues from what this one has recorded, by this flag.
pub(crate) fn continue_command(flag: &str) -> String {
    format!("{} {flag}", command_line::without(flag))
}
