//! The outcomes of a run, by case and solver.

use super::packed_outcome::{pack, unpack, verdict};
use super::{JobId, Outcome, Verdict};
use checkers::Score;

/// The outcomes of a run, by case and solver; `None` for jobs that were not finished. They are kept packed, and unpacked
/// as they are asked for.
#[derive(Debug, Clone, Default)]
pub struct OutcomeGrid {
    solvers: usize,
    /// Case by case, and for each case every solver: where its outcome starts, counted from 1; 0 for one that was not finished. The room of
    /// jobs to come is not touched before they are finished.
    starts: Vec<usize>,
    /// The outcomes, in the order of finishing.
    packed: Vec<u8>,
}

impl OutcomeGrid {
    /// Returns a grid of unfinished jobs.
    #[must_use]
    pub fn new(cases: usize, solvers: usize) -> Self {
        Self { solvers, starts: vec![0; cases * solvers], packed: Vec::new() }
    }

    /// Returns the number of jobs, finished or not.
    #[must_use]
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Returns whether there are no jobs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Returns the number of solvers.
    #[must_use]
    pub fn solver_count(&self) -> usize {
        self.solvers
    }

    fn place(&self, job: JobId) -> usize {
        job.case * self.solvers + job.solver
    }

    /// Returns the packed outcome at a place, and what follows it.
    fn packed(&self, place: usize) -> Option<&[u8]> {
        self.starts[place].checked_sub(1).map(|start| &self.packed[start..])
    }

    fn at(&self, place: usize) -> Option<Outcome> {
        self.packed(place).map(unpack)
    }

    /// Returns the outcome of a job, if it was finished.
    #[must_use]
    pub fn get(&self, job: JobId) -> Option<Outcome> {
        self.at(self.place(job))
    }

    /// Returns the verdict of a job; unfinished ones are skipped.
    #[must_use]
    pub fn verdict(&self, job: JobId) -> Verdict {
        self.packed(self.place(job)).map_or(Verdict::Skipped, verdict)
    }

    /// Returns whether a job was finished.
    #[must_use]
    pub fn has(&self, job: JobId) -> bool {
        self.starts[self.place(job)] > 0
    }

    /// Sets the outcome of a job.
    pub fn set(&mut self, job: JobId, outcome: &Outcome) {
        let place = self.place(job);
        self.starts[place] = self.add(outcome);
    }

    /// Packs an outcome, and returns its start, counted from 1.
    fn add(&mut self, outcome: &Outcome) -> usize {
        let start = self.packed.len() + 1;
        pack(outcome, &mut self.packed);
        start
    }

    /// Adds a case with an outcome for each solver.
    pub fn add_case(&mut self, outcomes: impl IntoIterator<Item = Option<Outcome>>) {
        for outcome in outcomes {
            let start = outcome.map_or(0, |outcome| self.add(&outcome));
            self.starts.push(start);
        }
        debug_assert!(self.starts.len().is_multiple_of(self.solvers.max(1)));
    }

    /// Returns the outcomes of a solver, by case.
    pub fn of_solver(&self, solver: usize) -> impl Iterator<Item = Option<Outcome>> {
        (solver..self.len()).step_by(self.solvers.max(1)).map(|place| self.at(place))
    }

    /// Returns the outcomes of a case, by solver.
    pub fn of_case(&self, case: usize) -> impl Iterator<Item = Option<Outcome>> {
        (case * self.solvers..(case + 1) * self.solvers).map(|place| self.at(place))
    }

    /// Returns every job with its outcome, case by case.
    pub fn iter(&self) -> impl Iterator<Item = (JobId, Option<Outcome>)> {
        let job = |place: usize| JobId { case: place / self.solvers, solver: place % self.solvers };
        (0..self.len()).map(move |place| (job(place), self.at(place)))
    }

    /// Returns every job with its verdict, case by case; unfinished ones are skipped.
    pub fn verdicts(&self) -> impl Iterator<Item = Verdict> {
        (0..self.len()).map(|place| self.packed(place).map_or(Verdict::Skipped, verdict))
    }

    /// Returns every outcome of a finished job, case by case.
    pub fn finished(&self) -> impl Iterator<Item = Outcome> {
        (0..self.len()).filter_map(|place| self.at(place))
    }

    /// Returns every score, case by case.
    pub fn scores(&self) -> impl Iterator<Item = Score> {
        self.finished().filter_map(|outcome| outcome.score)
    }
}

impl PartialEq for OutcomeGrid {
    fn eq(&self, other: &Self) -> bool {
        self.solvers == other.solvers && self.len() == other.len() && self.iter().eq(other.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Verdict;

    fn scored(score: i64) -> Outcome {
        Outcome { score: Some(score.into()), ..Outcome::without_run(Verdict::Accepted, String::new()) }
    }

    fn shown(outcomes: impl Iterator<Item = Option<Outcome>>) -> Vec<String> {
        let score = |outcome: Outcome| outcome.score.as_ref().map_or_else(String::new, ToString::to_string);
        outcomes.map(|outcome| outcome.map_or_else(|| "-".to_owned(), score)).collect()
    }

    #[test]
    fn every_job_is_found_by_case_and_by_solver() {
        let mut grid = OutcomeGrid::new(2, 3);
        grid.set(JobId { case: 0, solver: 1 }, &scored(5));
        grid.set(JobId { case: 1, solver: 2 }, &scored(7));
        grid.add_case([Some(scored(1)), None, Some(scored(3))]);
        assert_eq!(grid.len(), 9);
        assert_eq!(shown(grid.of_case(0)), ["-", "5", "-"]);
        assert_eq!(shown(grid.of_case(2)), ["1", "-", "3"]);
        assert_eq!(shown(grid.of_solver(2)), ["-", "7", "3"]);
        assert_eq!(grid.get(JobId { case: 1, solver: 2 }), Some(scored(7)));
        let places: Vec<_> = grid.iter().filter(|(_, outcome)| outcome.is_some()).map(|(job, _)| job).collect();
        assert_eq!(places, [(0, 1), (1, 2), (2, 0), (2, 2)].map(|(case, solver)| JobId { case, solver }));
        assert_eq!(grid.scores().map(|score| score.to_string()).collect::<Vec<_>>(), ["5", "7", "1", "3"]);
    }

    #[test]
    fn a_grid_without_solvers_or_cases_has_no_outcomes() {
        for grid in [OutcomeGrid::new(3, 0), OutcomeGrid::new(0, 3)] {
            assert!(grid.is_empty() && grid.iter().next().is_none() && grid.of_solver(0).next().is_none());
        }
    }
}
