//! A run that continues on a cluster without the judge that submitted it.

use judge_cli::RunArgs;
use judge_journal::Reference;
use judge_problem::{CaseList, Catalogue, Plan, Problem, RunChoice, RunState, StoredRun, error_chain};
use judge_session::{Failure, command_line, recorder};
use judge_slurm::{PlanFile, RunFolder};

/// A run that continues on a cluster.
pub(super) struct AttachedRun {
    /// The recorded run.
    pub run: StoredRun,
    /// The best scores that its scores are relative to.
    reference: Option<Reference>,
    /// The folder of the run on the shared file system.
    pub folder: RunFolder,
}

impl AttachedRun {
    /// Finds a run that continues.
    pub(super) fn find(catalogue: &Catalogue, choice: RunChoice) -> Result<Self, Failure> {
        let journal = recorder::open_to_read(catalogue)?;
        let run = journal.stored_run(journal.choose(choice)?)?;
        let id = run.id;
        let Some(job) = journal.cluster_job(id)? else {
            return Err(Failure::usage(format!("run {id} was not run on a cluster: there is nothing to follow"))
                .with_hint("`judge history` lists the runs"));
        };
        if matches!(run.state, RunState::Complete | RunState::Stopped) {
            // A judge that was killed when it had recorded the end has left it.
            let _ = judge_slurm::remove_folder(&job);
            return Err(Failure::usage(format!("run {id} is {}: there is nothing to follow", run.state))
                .with_hint(format!("`judge history show {id}` shows it")));
        }
        let folder = RunFolder::at(&job.folder);
        let place = format!("its folder {} (Slurm job {})", job.folder.display(), job.id);
        match folder.find_open() {
            Ok(true) => Ok(Self { run, reference: journal.reference(id)?, folder }),
            Ok(false) => Err(Failure::usage(format!("run {id}: {place} is gone"))
                .with_hint(format!("`{}` runs what is missing", resume(&run.command)))),
            Err(error) => Err(Failure::usage(format!("run {id}: {place} cannot be reached: {}", error_chain(&error)))
                .with_hint("is the shared file system mounted here? `df` lists the mounted ones")),
        }
    }

    /// Returns the arguments of the command that submitted it.
    pub(super) fn arguments(&self) -> Result<Box<RunArgs>, Failure> {
        let foreign = || Failure::usage(format!("run {} is not of `judge run`: {}", self.run.id, self.run.command));
        command_line::recorded_run(&self.run.command).ok_or_else(foreign)
    }

    /// Returns its plan, for a problem with its current terms.
    pub(super) fn plan(&self, problem: &Problem, hand_over_answers: bool) -> Result<Plan, Failure> {
        let unreadable = |error| {
            let folder = self.folder.path().display();
            Failure::usage(format!("cannot read the run folder {folder}: {}", error_chain(&error)))
                .with_hint(format!("`{}` runs what is missing", resume(&self.run.command)))
        };
        let file = PlanFile::read(&self.folder).map_err(unreadable)?;
        let cases = PlanFile::cases(&self.folder).map_err(unreadable)?;
        let terms = problem.cases.terms_by_source();
        let mut cases: CaseList = cases.into_iter().map(|case| terms.case(case.name, case.source)).collect();
        let mut problem = problem.clone();
        self.reference.iter().for_each(|reference| reference.apply(&mut problem, &mut cases));
        let case_flags = command_line::recorded_case_flags(&self.run.command);
        Ok(Plan { cases, hand_over_answers, case_flags, ..file.plan(problem) })
    }
}

/// Returns the command that continues a run without its folder.
fn resume(command: &str) -> String {
    command_line::recorded_with_flag(command, "--resume")
}
