//! A run that is looked at: its report, and the numbers of its rows.

use super::field::Field;
use super::refused::Refused;
use checkers::Score;
use judge_journal::Journal;
use judge_problem::manifest::Catalogue;
use judge_problem::{Features, GeneratorChoice, JobId, Number, Outcome, Problem, RunId, StoredRun, Verdict};
use judge_report::{CaseRow, RunReport, best_score, share_of_best};
use judge_run::cases::CaseReader;
use judge_session::case_selection;
use judge_session::case_selection::{CaseDescriptions, stored_features};
use judge_session::failure::Failure;
use judge_session::restored_run::RestoredRun;
use judge_session::restored_run::ScoredRun;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// A run that is looked at.
pub(super) struct ShownRun {
    pub(super) run: StoredRun,
    restored: RestoredRun,
    scored: ScoredRun,
    /// The best score of each case.
    best: Vec<Option<Score>>,
    features: OnceLock<Vec<Option<Arc<Features>>>>,
}

impl ShownRun {
    /// Reads a run from the journal, and scores it as `judge history show` does.
    pub(super) fn read(journal: &Journal, catalogue: &Catalogue, id: RunId) -> Result<Self, Refused> {
        let run = journal.stored_run(id)?;
        let mut restored = RestoredRun::of(&run, catalogue)?;
        let scored = restored.score(None, None).map_err(Failure::fault)?;
        let best = (0..run.cases.len()).map(|case| best_score(&restored.plan, &restored.outcomes, case)).collect();
        Ok(Self { run, restored, scored, best, features: OnceLock::new() })
    }

    /// Returns its number.
    pub(super) fn id(&self) -> RunId {
        self.run.id
    }

    /// Returns its report.
    pub(super) fn report(&self) -> RunReport<'_> {
        self.restored.report(&self.run, &self.scored, false)
    }

    /// Returns its problem.
    pub(super) fn problem(&self) -> &Problem {
        &self.restored.plan.problem
    }

    /// Returns the number of its solvers.
    pub(super) fn solver_count(&self) -> usize {
        self.restored.plan.solvers.len()
    }

    /// Returns every job.
    pub(super) fn jobs(&self) -> impl Iterator<Item = JobId> {
        let solvers = self.solver_count();
        (0..self.run.cases.len()).flat_map(move |case| (0..solvers).map(move |solver| JobId { case, solver }))
    }

    /// Returns a job as a row of a page.
    pub(super) fn row(&self, job: JobId, reader: Option<&CaseReader>) -> CaseRow {
        let known = || self.features.get().and_then(|features| features[job.case].clone());
        let read = || {
            let described = reader?.describe(&self.run.cases.specs().at(job.case)).ok()?;
            let is_recorded = self.run.cases.inputs()[job.case] == Some(described.input);
            is_recorded.then(|| Arc::new(described.features))
        };
        let stored = || Some(Arc::new(self.run.cases.features()[job.case].as_ref()?.features()));
        CaseRow { job, relative: self.relative(job), features: known().or_else(read).or_else(stored) }
    }

    /// Returns what reads the inputs of its cases; `None` where that would start a program.
    pub(super) fn reader(&self) -> Option<CaseReader> {
        let problem = self.problem();
        (!starts_programs(problem)).then(|| CaseReader::of(problem))
    }

    /// Returns the names of the features of its cases, as far as the first of them tells.
    pub(super) fn feature_names(&self) -> Vec<String> {
        let first = || self.reader()?.describe(&self.run.cases.iter().next()?.spec).ok();
        let stored = || Some(self.run.cases.features().iter().flatten().next()?.features());
        let features = first().map(|first| first.features).or_else(stored).unwrap_or_default();
        features.iter().map(|feature| feature.name.to_string()).collect()
    }

    /// Fails if a field is a feature that no case has.
    pub(super) fn check_field(&self, field: &Field) -> Result<(), Refused> {
        let Field::Feature(name) = field else { return Ok(()) };
        let problem = self.problem();
        if self.run.cases.features().iter().all(Option::is_none) {
            check_features(problem, &format!("judge history show {} --where CONDITION --html PATH", self.run.id))?;
        }
        let known: Vec<&Features> = self.features().iter().flatten().map(Arc::as_ref).collect();
        Ok(case_selection::check_name(name, &known)?)
    }

    /// Returns a number of a row; `None` if it has none.
    pub(super) fn value(&self, job: JobId, field: &Field) -> Option<Number> {
        let place = |place: usize| i64::try_from(place).ok().map(Number::from);
        match field {
            Field::Case => place(job.case),
            Field::Solver => place(job.solver),
            Field::Verdict => {
                let verdict = self.restored.outcomes.verdict(job);
                place(Verdict::ALL.iter().position(|known| *known == verdict)?)
            }
            Field::Score => self.outcome(job)?.score.map(Number::from),
            Field::Points => self.outcome(job).and_then(|_| self.report().points(job))?.parse().ok(),
            Field::Relative => format!("{:.9}", self.relative(job)?).parse().ok(),
            Field::Cpu => milliseconds(self.outcome(job)?.cpu?),
            Field::Wall => milliseconds(self.outcome(job)?.wall?),
            Field::Memory => Some(Number::from(i64::try_from(self.outcome(job)?.memory?).ok()?)),
            Field::Feature(name) => self.features()[job.case].as_ref()?.get(name).cloned(),
        }
    }

    /// Returns the share of the best score of its case that a job reached.
    pub(super) fn relative(&self, job: JobId) -> Option<f64> {
        let score = self.outcome(job)?.score?;
        let best = self.best[job.case].as_ref()?;
        share_of_best(self.problem().direction, &score, best)
    }

    /// Returns the mean share of the best scores that a solver reached; a failure counts 0.
    pub(super) fn mean_relative(&self, solver: usize) -> Option<f64> {
        let of_case = |case: usize| {
            self.best[case].as_ref()?;
            let job = JobId { case, solver };
            self.outcome(job).map(|_| self.relative(job).unwrap_or(0.0))
        };
        let shares = (0..self.best.len()).filter_map(of_case);
        let (sum, count) = shares.fold((0.0, 0), |(sum, count), share| (sum + share, count + 1));
        (count > 0).then(|| sum / f64::from(count))
    }

    fn outcome(&self, job: JobId) -> Option<Outcome> {
        self.restored.outcomes.get(job)
    }

    fn features(&self) -> &[Option<Arc<Features>>] {
        let read = || match starts_programs(self.problem()) {
            true => stored_features(&self.run),
            false => CaseDescriptions::of(self.problem()).describe_run(&self.run),
        };
        self.features.get_or_init(read)
    }
}

/// Returns whether reading the input of a case starts a program of the problem's author.
pub(super) fn starts_programs(problem: &Problem) -> bool {
    matches!(problem.generator, Some(GeneratorChoice::Command(_) | GeneratorChoice::Files(_)))
}

/// Fails if reading the features of its cases starts a program; the hint is the command that does it.
pub(super) fn check_features(problem: &Problem, hint: &str) -> Result<(), Failure> {
    if !starts_programs(problem) {
        return Ok(());
    }
    let error = format!("the features of `{}` are read by running its generator", problem.id);
    Err(Failure::usage(error).with_hint(hint))
}

fn milliseconds(time: Duration) -> Option<Number> {
    let micros = time.as_micros();
    format!("{}.{:03}", micros / 1000, micros % 1000).parse().ok()
}
