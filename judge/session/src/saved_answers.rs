//! `--save-answers` and `--transcript`: every answer or conversation of a run in a file of its own.

use super::failure::Failure;
use super::{load, recorder};
use judge_journal::{Journal, JournalError};
use judge_problem::manifest::Catalogue;
use judge_problem::plan::Plan;
use judge_problem::{CheckerChoice, FinishedJob, RunEvent, StoredResult};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// The folder that answers are written to.
pub struct SavedAnswers<'a> {
    /// By solver of the plan.
    folders: Vec<PathBuf>,
    catalogue: &'a Catalogue,
    plan: &'a Plan,
    /// For answers of earlier runs, once there is one.
    journal: Option<Journal>,
    /// The first failure. Nothing is written after it.
    failed: Option<Failure>,
}

impl<'a> SavedAnswers<'a> {
    /// Makes the folder, and a folder in it for each solver if there are several.
    pub fn open(folder: &Path, catalogue: &'a Catalogue, plan: &'a Plan) -> Result<Self, Failure> {
        Ok(Self { folders: folders(folder, plan)?, catalogue, plan, journal: None, failed: None })
    }

    /// Writes the answer of a finished job, if it has one.
    pub fn watch(&mut self, event: &RunEvent) {
        let RunEvent::Finished(finished) = event else { return };
        if self.failed.is_none() {
            self.failed = self.save(finished).err();
        }
    }

    fn save(&mut self, finished: &FinishedJob) -> Result<(), Failure> {
        let FinishedJob { job, evidence, .. } = finished;
        let earlier = match evidence.stored {
            Some(stored) => self.recorded(stored)?,
            None => None,
        };
        let Some(answer) = evidence.answer.as_deref().or(earlier.as_deref()) else { return Ok(()) };
        let name = format!("{}.out", file_name(&self.plan.cases.at(job.case).name.0));
        load::write("the answer", &self.folders[job.solver].join(name), answer)
    }

    fn recorded(&mut self, stored: StoredResult) -> Result<Option<Vec<u8>>, Failure> {
        let journal = match self.journal.take() {
            Some(journal) => journal,
            None => recorder::look(self.catalogue)?,
        };
        let answer: Result<_, JournalError> = journal.answer_of(stored);
        self.journal = Some(journal);
        Ok(answer?)
    }

    /// Fails if an answer could not be written.
    pub fn close(self) -> Result<(), Failure> {
        self.failed.map_or(Ok(()), Err)
    }
}

/// The folder that transcripts of conversations are written to.
pub struct SavedTranscripts<'a> {
    /// By solver of the plan.
    folders: Vec<PathBuf>,
    plan: &'a Plan,
    /// The first failure. Nothing is written after it.
    failed: Option<Failure>,
}

impl<'a> SavedTranscripts<'a> {
    /// Makes the folder, as [`SavedAnswers::open`] does. Fails if the problem has no conversations with an interactor.
    pub fn open(folder: &Path, plan: &'a Plan) -> Result<Self, Failure> {
        if !matches!(plan.problem.checker, CheckerChoice::Interactor(_)) {
            let error = format!("--transcript needs a problem with an interactor, and `{}` has none", plan.problem.id);
            return Err(Failure::usage(error).with_hint("--save-answers DIR writes the answers"));
        }
        Ok(Self { folders: folders(folder, plan)?, plan, failed: None })
    }

    /// Writes the transcript of a finished job, if it has one: a job that was not run again has none.
    pub fn watch(&mut self, event: &RunEvent) {
        if let RunEvent::Finished(finished) = event
            && let FinishedJob { job, evidence, .. } = &**finished
            && let Some(transcript) = evidence.transcript.as_deref().filter(|_| self.failed.is_none())
        {
            let name = format!("{}.txt", file_name(&self.plan.cases.at(job.case).name.0));
            let path = self.folders[job.solver].join(name);
            self.failed = load::write("the transcript", &path, transcript.as_bytes()).err();
        }
    }

    /// Fails if a transcript could not be written.
    pub fn close(self) -> Result<(), Failure> {
        self.failed.map_or(Ok(()), Err)
    }
}

/// Makes the folder, and a folder in it for each solver if there are several. Returns them by solver.
fn folders(folder: &Path, plan: &Plan) -> Result<Vec<PathBuf>, Failure> {
    let single = plan.solvers.len() == 1;
    let own = |name: &str| if single { folder.to_owned() } else { folder.join(file_name(name).as_ref()) };
    let folders: Vec<PathBuf> = plan.solvers.iter().map(|solver| own(&solver.spec.name)).collect();
    for folder in &folders {
        std::fs::create_dir_all(folder)
            .map_err(|error| Failure::usage(format!("cannot make the folder {}: {error}", folder.display())))?;
    }
    Ok(folders)
}

/// Returns the name of a case or solver as the name of a file: `/` becomes `_`, and no name is `.` or `..`.
fn file_name(name: &str) -> Cow<'_, str> {
    match name {
        "." | ".." => Cow::Owned("_".repeat(name.len())),
        _ if name.contains('/') => Cow::Owned(name.replace('/', "_")),
        _ => Cow::Borrowed(name),
    }
}

#[cfg(test)]
mod tests {
    use super::file_name;

    #[test]
    fn no_name_leads_out_of_the_folder() {
        let names = ["seed-7", "../x", "..", ".", "python3 a/b.py"].map(|name| file_name(name).into_owned());
        assert_eq!(names, ["seed-7", ".._x", "__", "_", "python3 a_b.py"]);
    }
}
