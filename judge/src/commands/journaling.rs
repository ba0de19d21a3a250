//! Puts a run together with its journal: what it may recall, what it keeps, and what is said when there is no journal.

use super::failure::{Failure, in_full};
use crate::journal::{
    Closing, Journal, JournalError, Known, Part, Recording, Resumption, RunId, RunRecord, Surroundings,
};
use crate::manifest::Catalogue;
use crate::model::{CaseSpec, Digest, Finished, JobId, KeepAnswers, KnownOutcome, Solver};
use crate::plan::Plan;
use crate::report;
use crate::runner::{ResultStore, StoreLost};
use crate::solver::{Toolbox, fingerprint};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The journal's folder beside the catalogue.
const FOLDER: &str = ".judge";

/// The flag that continues an interrupted run; it is no part of the command that is recorded.
pub(super) const RESUME: &str = "--resume";

/// What the user wants of the journal.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wishes {
    pub(super) journal: bool,
    pub(super) resume: bool,
    pub(super) reuse: bool,
    /// The flag with which the same command goes on from what is recorded.
    pub(super) going_on: &'static str,
}

/// What the journal has to know of a run beside its plan.
#[derive(Debug, Clone, Copy)]
pub(super) struct Circumstances<'a> {
    pub(super) catalogue: &'a Catalogue,
    pub(super) plan: &'a Plan,
    pub(super) toolbox: &'a Toolbox,
    pub(super) jobs: usize,
    pub(super) tier: &'a str,
}

/// The journal as a run sees it; without one, a run remembers nothing.
pub(super) struct Journaling {
    /// Whether the run is recorded, or was so at its start.
    recorded: bool,
    wishes: Wishes,
    known: Known,
    /// Everything that is or will be played.
    cases: Vec<CaseSpec>,
    part: Part,
    recording: Mutex<Option<Recording>>,
}

/// Returns the folder of the journal that belongs to a catalogue.
pub(super) fn folder(catalogue: &Catalogue) -> PathBuf {
    catalogue.folder().join(FOLDER)
}

/// Opens the journal to look into it.
pub(super) fn look(catalogue: &Catalogue) -> Result<Journal, Failure> {
    let folder = folder(catalogue);
    let hint = "`judge run -p ID` makes one; is this the folder, or the --problems, of the run?";
    Journal::look(&folder)?
        .ok_or_else(|| Failure::usage(format!("there is no journal in {}", folder.display())).with_hint(hint))
}

impl Journaling {
    /// Starts the record of a run, or takes up an interrupted one. A journal that cannot be had is said, and no more.
    pub(super) fn start(wishes: Wishes, circumstances: &Circumstances<'_>) -> Result<Self, Failure> {
        if !wishes.journal {
            return Ok(Self::none(wishes, circumstances.plan));
        }
        match Self::open(wishes, circumstances) {
            Ok(journaling) => Ok(journaling),
            Err(error @ JournalError::StillRunning(_)) => Err(error.into()),
            Err(error) => {
                report::note(&format!("warning: this run is not recorded: {}", in_full(&error)));
                Ok(Self::none(wishes, circumstances.plan))
            }
        }
    }

    fn none(wishes: Wishes, plan: &Plan) -> Self {
        Self::of(wishes, plan, Known::of(plan), None)
    }

    fn of(wishes: Wishes, plan: &Plan, known: Known, recording: Option<Recording>) -> Self {
        let (cases, part) = (plan.cases.clone(), Part::whole(plan));
        Self { recorded: recording.is_some(), wishes, known, cases, part, recording: Mutex::new(recording) }
    }

    fn open(wishes: Wishes, circumstances: &Circumstances<'_>) -> Result<Self, JournalError> {
        let Circumstances { catalogue, plan, toolbox, jobs, tier } = *circumstances;
        let journal = Journal::open(&folder(catalogue))?;
        let hashes = fingerprints(plan, &plan.solvers, toolbox);
        let surroundings = Surroundings::look(Path::new("."));
        let command = command_line_without(RESUME);
        let record =
            RunRecord { plan, solver_hashes: &hashes, command: &command, jobs, tier, surroundings: &surroundings };
        let (recording, mut known) = if wishes.resume {
            resume(journal, catalogue.keep_answers(), &record)?
        } else {
            (Recording::begin(journal, catalogue.keep_answers(), &record)?, Known::of(plan))
        };
        if wishes.reuse {
            recording.add_earlier(0, &mut known)?;
        }
        Ok(Self::of(wishes, plan, known, Some(recording)))
    }

    /// Adds solvers and cases to the run. `plan` is one of it, whoever plays in it.
    pub(super) fn grow(&mut self, plan: &Plan, solvers: &[Solver], cases: &[CaseSpec], toolbox: &Toolbox) {
        self.cases.extend_from_slice(cases);
        self.known.grow(&self.cases);
        let recording = self.recording.get_mut().unwrap_or_else(PoisonError::into_inner);
        let Some(open) = recording.as_mut() else { return };
        let first = open.solver_count();
        let mut grown = open.grow(solvers, &fingerprints(plan, solvers, toolbox), cases);
        if self.wishes.reuse && grown.is_ok() {
            grown = open.add_earlier(first, &mut self.known);
        }
        if let Err(error) = grown {
            report::note(&lost(open.run(), &error, self.wishes));
            *recording = None;
        }
    }

    /// Takes the jobs from now on for those of this part of the run.
    pub(super) fn turn_to(&mut self, part: Part) {
        if let Some(open) = self.recording.get_mut().unwrap_or_else(PoisonError::into_inner) {
            open.turn_to(part.clone());
        }
        self.part = part;
    }

    /// Closes the record. Returns the run's number, if it was recorded to the end.
    pub(super) fn finish(self, closing: &Closing<'_>) -> Option<RunId> {
        let recording = self.recording.into_inner().unwrap_or_else(PoisonError::into_inner)?;
        let run = recording.run();
        match recording.finish(closing) {
            Ok(_) => Some(run),
            Err(error) => {
                report::note(&format!("warning: the end of run {run} is not recorded: {}", in_full(&error)));
                None
            }
        }
    }
}

fn fingerprints(plan: &Plan, solvers: &[Solver], toolbox: &Toolbox) -> Vec<Digest> {
    solvers.iter().map(|solver| fingerprint(solver, &plan.visible, toolbox)).collect()
}

fn lost(run: RunId, error: &JournalError, wishes: Wishes) -> String {
    let what = format!("warning: run {run} is no longer recorded: {}", in_full(error));
    format!("{what}\nhint: the run goes on; `{}` would record the rest", going_on(wishes.going_on))
}

fn resume(journal: Journal, keep: KeepAnswers, record: &RunRecord<'_>) -> Result<(Recording, Known), JournalError> {
    match Recording::resume(journal, keep, record)? {
        Resumption::Found(recording, known) => {
            report::note(&format!("continuing run {}: {} cases are done", recording.run(), known.len()));
            Ok((*recording, known))
        }
        Resumption::Nothing(journal) => {
            report::note("there is no interrupted run of this command: starting with the first case");
            Ok((Recording::begin(journal, keep, record)?, Known::of(record.plan)))
        }
    }
}

impl ResultStore for Journaling {
    fn is_active(&self) -> bool {
        self.recorded
    }

    fn lookup(&self, job: JobId, input: &Digest) -> Option<KnownOutcome> {
        self.known.lookup(self.part.place(job), input)
    }

    fn store(&self, batch: &[Finished]) -> Result<(), StoreLost> {
        let mut recording = self.recording.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(open) = recording.as_mut() else { return Ok(()) };
        let Err(error) = open.append(batch) else { return Ok(()) };
        let what = lost(open.run(), &error, self.wishes);
        *recording = None;
        Err(StoreLost(what))
    }
}

/// Returns the command line of this process, as a shell would read it, without this flag.
fn command_line_without(flag: &str) -> String {
    let words = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    let words = std::iter::once("judge".to_owned()).chain(words.filter(|word| word != flag));
    shell_words::join(words)
}

/// Returns the command line that goes on from what this one has recorded, by this flag.
pub(super) fn going_on(flag: &str) -> String {
    format!("{} {flag}", command_line_without(flag))
}
