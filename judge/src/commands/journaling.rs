//! Puts a run together with its journal: what it may recall, what it keeps, and what is said when there is no journal.

use super::failure::{Failure, in_full};
use crate::journal::{Closing, Journal, JournalError, Known, Recording, Resumption, RunId, RunRecord, Surroundings};
use crate::manifest::Catalogue;
use crate::model::{Digest, Finished, JobId, KeepAnswers, Recalled};
use crate::plan::Plan;
use crate::report;
use crate::runner::{Lost, Memory};
use crate::solver::{Toolbox, fingerprint};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The journal's folder beside the catalogue.
const FOLDER: &str = ".judge";

/// What the user wants of the journal.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wishes {
    pub(super) journal: bool,
    pub(super) resume: bool,
    pub(super) reuse: bool,
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
    known: Known,
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
            return Ok(Self::none());
        }
        match Self::open(wishes, circumstances) {
            Ok(journaling) => Ok(journaling),
            Err(error @ JournalError::StillRunning(_)) => Err(error.into()),
            Err(error) => {
                report::note(&format!("warning: this run is not recorded: {}", in_full(&error)));
                Ok(Self::none())
            }
        }
    }

    fn none() -> Self {
        Self { recorded: false, known: Known::default(), recording: Mutex::new(None) }
    }

    fn open(wishes: Wishes, circumstances: &Circumstances<'_>) -> Result<Self, JournalError> {
        let Circumstances { catalogue, plan, toolbox, jobs, tier } = *circumstances;
        let journal = Journal::open(&folder(catalogue))?;
        let hashes: Vec<Digest> =
            plan.solvers.iter().map(|solver| fingerprint(solver, &plan.visible, toolbox)).collect();
        let surroundings = Surroundings::look(Path::new("."));
        let command = command_line();
        let record =
            RunRecord { plan, solver_hashes: &hashes, command: &command, jobs, tier, surroundings: &surroundings };
        let (recording, mut known) = if wishes.resume {
            resume(journal, catalogue.keep_answers(), &record)?
        } else {
            (Recording::begin(journal, catalogue.keep_answers(), &record)?, Known::of(plan))
        };
        if wishes.reuse {
            recording.add_earlier(&record, &mut known)?;
        }
        Ok(Self { recorded: true, known, recording: Mutex::new(Some(recording)) })
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

impl Memory for Journaling {
    fn is_there(&self) -> bool {
        self.recorded
    }

    fn recall(&self, job: JobId, input: &Digest) -> Option<Recalled> {
        self.known.recall(job, input)
    }

    fn keep(&self, batch: &[Finished]) -> Result<(), Lost> {
        let mut recording = self.recording.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(open) = recording.as_mut() else { return Ok(()) };
        let Err(error) = open.append(batch) else { return Ok(()) };
        let what = format!("warning: run {} is no longer recorded: {}", open.run(), in_full(&error));
        *recording = None;
        Err(Lost(format!("{what}\nhint: the run goes on; `{}` would record the rest", resume_command())))
    }
}

/// Returns the command line of this process, as a shell would read it, without `--resume`.
fn command_line() -> String {
    let words = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    let words = std::iter::once("judge".to_owned()).chain(words.filter(|word| word != "--resume"));
    shell_words::join(words)
}

/// Returns the command line that continues this run.
pub(super) fn resume_command() -> String {
    format!("{} --resume", command_line())
}
