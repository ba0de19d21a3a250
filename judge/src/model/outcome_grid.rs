//! The outcomes of a run, by case and solver.

use super::{JobId, Outcome};
use checkers::Score;

/// The outcomes of a run, by case and solver; `None` for jobs that were not finished.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutcomeGrid {
    solvers: usize,
    /// Case by case, and for each case every solver.
    cells: Vec<Option<Outcome>>,
}

impl OutcomeGrid {
    /// Returns a grid of unfinished jobs.
    #[must_use]
    pub fn new(cases: usize, solvers: usize) -> Self {
        Self { solvers, cells: vec![None; cases * solvers] }
    }

    /// Returns the grid of these outcomes: case by case, and for each case every solver.
    #[must_use]
    pub fn of_cells(solvers: usize, cells: Vec<Option<Outcome>>) -> Self {
        Self { solvers, cells }
    }

    /// Returns the number of jobs, finished or not.
    #[must_use]
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Returns whether there are no jobs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// Returns the outcome of a job, if it was finished.
    #[must_use]
    pub fn get(&self, job: JobId) -> Option<&Outcome> {
        self.cells[job.case * self.solvers + job.solver].as_ref()
    }

    /// Sets the outcome of a job.
    pub fn set(&mut self, job: JobId, outcome: Outcome) {
        self.cells[job.case * self.solvers + job.solver] = Some(outcome);
    }

    /// Adds a case with an outcome for each solver.
    pub fn add_case(&mut self, outcomes: impl IntoIterator<Item = Option<Outcome>>) {
        self.cells.extend(outcomes);
        debug_assert!(self.cells.len().is_multiple_of(self.solvers.max(1)));
    }

    /// Returns the outcomes of a solver, by case.
    pub fn of_solver(&self, solver: usize) -> impl Iterator<Item = Option<&Outcome>> {
        self.cells.iter().skip(solver).step_by(self.solvers.max(1)).map(Option::as_ref)
    }

    /// Returns the outcomes of a case, by solver.
    pub fn of_case(&self, case: usize) -> impl Iterator<Item = Option<&Outcome>> {
        self.cells[case * self.solvers..][..self.solvers].iter().map(Option::as_ref)
    }

    /// Returns every job with its outcome, case by case.
    pub fn iter(&self) -> impl Iterator<Item = (JobId, Option<&Outcome>)> {
        let job = |place: usize| JobId { case: place / self.solvers, solver: place % self.solvers };
        self.cells.iter().enumerate().map(move |(place, outcome)| (job(place), outcome.as_ref()))
    }

    /// Returns every outcome of a finished job, case by case.
    pub fn finished(&self) -> impl Iterator<Item = &Outcome> {
        self.cells.iter().flatten()
    }

    /// Returns every score, case by case.
    pub fn scores(&self) -> impl Iterator<Item = &Score> {
        self.finished().filter_map(|outcome| outcome.score.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Verdict;

    fn scored(score: i64) -> Outcome {
        Outcome { score: Some(score.into()), ..Outcome::without_run(Verdict::Accepted, String::new()) }
    }

    fn shown<'a>(outcomes: impl Iterator<Item = Option<&'a Outcome>>) -> Vec<String> {
        let score = |outcome: &Outcome| outcome.score.as_ref().map_or_else(String::new, ToString::to_string);
        outcomes.map(|outcome| outcome.map_or_else(|| "-".to_owned(), score)).collect()
    }

    #[test]
    fn every_job_is_found_by_case_and_by_solver() {
        let mut grid = OutcomeGrid::new(2, 3);
        grid.set(JobId { case: 0, solver: 1 }, scored(5));
        grid.set(JobId { case: 1, solver: 2 }, scored(7));
        grid.add_case([Some(scored(1)), None, Some(scored(3))]);
        assert_eq!(grid.len(), 9);
        assert_eq!(shown(grid.of_case(0)), ["-", "5", "-"]);
        assert_eq!(shown(grid.of_case(2)), ["1", "-", "3"]);
        assert_eq!(shown(grid.of_solver(2)), ["-", "7", "3"]);
        assert_eq!(grid.get(JobId { case: 1, solver: 2 }), Some(&scored(7)));
        let places: Vec<_> = grid.iter().filter(|(_, outcome)| outcome.is_some()).map(|(job, _)| job).collect();
        assert_eq!(places, [(0, 1), (1, 2), (2, 0), (2, 2)].map(|(case, solver)| JobId { case, solver }));
        assert_eq!(grid.scores().map(ToString::to_string).collect::<Vec<_>>(), ["5", "7", "1", "3"]);
    }

    #[test]
    fn a_grid_without_solvers_or_cases_has_no_outcomes() {
        for grid in [OutcomeGrid::new(3, 0), OutcomeGrid::new(0, 3)] {
            assert!(grid.is_empty() && grid.iter().next().is_none() && grid.of_solver(0).next().is_none());
        }
    }
}
