//! What of a run is finished, what is lost, and what is to run again.

use super::incarnation::Incarnation;
use super::run_folder::{CaseEntry, Piece};
use judge_problem::FinishedJob;
use std::collections::{BTreeMap, HashMap};

/// What of a run is finished. A case is finished when all its solvers are, in one task: what is compared was run on the same
/// machine.
#[derive(Debug)]
pub(super) struct Tracker {
    solvers: usize,
    /// By place in the plan.
    done: Vec<bool>,
    left: usize,
    /// The results of cases that are not finished yet, by task.
    partial: HashMap<(Incarnation, usize), Vec<FinishedJob>>,
    /// By name: every piece that is not finished.
    open: BTreeMap<String, OpenPiece>,
}

#[derive(Debug)]
struct OpenPiece {
    piece: Piece,
    owner: Option<Incarnation>,
}

/// The cases that a lost task had taken and not finished.
#[derive(Debug, Default)]
pub(super) struct Loss {
    /// To be run again.
    pub(super) again: Vec<Piece>,
    /// Lost too often.
    pub(super) given_up: Vec<CaseEntry>,
}

impl Tracker {
    /// Returns the tracker of a plan, none of whose cases is to be run yet.
    pub(super) fn new(cases: usize, solvers: usize) -> Self {
        Self { solvers, done: vec![true; cases], left: 0, partial: HashMap::new(), open: BTreeMap::new() }
    }

    /// Adds a piece under its name.
    pub(super) fn add(&mut self, name: String, piece: Piece) {
        for case in &piece.cases {
            if std::mem::take(&mut self.done[case.place]) {
                self.left += 1;
            }
        }
        self.open.insert(name, OpenPiece { piece, owner: None });
    }

    /// Returns whether every case is finished.
    pub(super) fn is_complete(&self) -> bool {
        self.left == 0
    }

    /// Returns how many pieces are waiting to be taken.
    pub(super) fn unclaimed(&self) -> usize {
        self.open.values().filter(|open| open.owner.is_none()).count()
    }

    /// Returns whether a piece is not finished, and not known to be taken.
    pub(super) fn is_unclaimed(&self, name: &str) -> bool {
        self.open.get(name).is_some_and(|open| open.owner.is_none())
    }

    /// Notes who took a piece.
    pub(super) fn claimed(&mut self, name: &str, owner: Incarnation) {
        if let Some(open) = self.open.get_mut(name) {
            open.owner = Some(owner);
        }
    }

    /// Returns the tasks that have taken pieces and not finished them.
    pub(super) fn owners(&self) -> Vec<Incarnation> {
        let mut owners: Vec<_> = self.open.values().filter_map(|open| open.owner.clone()).collect();
        owners.sort();
        owners.dedup();
        owners
    }

    /// Adds a result. Returns the results of its case, once they are complete; each case is returned once.
    pub(super) fn finished(&mut self, task: &Incarnation, job: FinishedJob) -> Option<Vec<FinishedJob>> {
        let case = job.job.case;
        if job.job.solver >= self.solvers || self.done.get(case).is_none_or(|done| *done) {
            return None;
        }
        let results = self.partial.entry((task.clone(), case)).or_default();
        if results.iter().all(|known| known.job != job.job) {
            results.push(job);
        }
        if results.len() < self.solvers {
            return None;
        }
        let results = self.partial.remove(&(task.clone(), case));
        self.close(case);
        results
    }

    /// Notes that a case needs no result.
    pub(super) fn close(&mut self, case: usize) {
        if !std::mem::replace(&mut self.done[case], true) {
            self.left -= 1;
        }
    }

    /// Forgets the pieces that are finished.
    pub(super) fn tidy(&mut self) {
        let done = &self.done;
        self.open.retain(|_, open| open.piece.cases.iter().any(|case| !done[case.place]));
        self.partial.retain(|(_, case), _| !done[*case]);
    }

    /// Takes the pieces of a lost task from it. Their unfinished cases are to be run again, unless they were lost more often than `retries`.
    pub(super) fn lost(&mut self, task: &Incarnation, retries: u32) -> Loss {
        self.tidy();
        let names: Vec<String> = self
            .open
            .iter()
            .filter(|(_, open)| open.owner.as_ref() == Some(task))
            .map(|(name, _)| name.clone())
            .collect();
        let mut loss = Loss::default();
        for open in names.iter().filter_map(|name| self.open.remove(name)) {
            let losses = open.piece.losses + 1;
            let cases: Vec<_> = open.piece.cases.into_iter().filter(|case| !self.done[case.place]).collect();
            if losses > retries {
                loss.given_up.extend(cases);
            } else {
                loss.again.push(Piece { losses, cases });
            }
        }
        loss
    }
}

/// Divides cases into pieces of `size` cases, in order.
pub(super) fn pieces(cases: &[CaseEntry], size: usize) -> Vec<Piece> {
    cases.chunks(size.max(1)).map(|cases| Piece { losses: 0, cases: cases.to_vec() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge_problem::{CaseSpec, Evidence, JobId, Outcome, Verdict};

    fn entries(count: usize) -> Vec<CaseEntry> {
        let case = |place: usize| CaseSpec::from_seed(place as u64);
        (0..count).map(|place| CaseEntry::new(place, &case(place), case(place).source)).collect()
    }

    fn job(case: usize, solver: usize) -> FinishedJob {
        let outcome = Outcome::without_run(Verdict::WrongAnswer, String::new());
        FinishedJob { job: JobId { case, solver }, outcome, features: None, evidence: Box::<Evidence>::default() }
    }

    fn task(restart: usize) -> Incarnation {
        Incarnation { job: "7".to_owned(), task: 3, restart }
    }

    fn tracker(cases: usize, solvers: usize, size: usize) -> Tracker {
        let mut tracker = Tracker::new(cases, solvers);
        for (number, piece) in pieces(&entries(cases), size).into_iter().enumerate() {
            tracker.add(number.to_string(), piece);
        }
        tracker
    }

    #[test]
    fn a_case_is_handed_over_once_and_whole() {
        let mut tracker = tracker(2, 2, 1);
        assert!(tracker.finished(&task(0), job(0, 1)).is_none());
        assert!(tracker.finished(&task(1), job(0, 0)).is_none(), "another task: not on the same machine");
        assert!(tracker.finished(&task(0), job(0, 1)).is_none(), "the same again");
        assert_eq!(tracker.finished(&task(0), job(0, 0)).map(|results| results.len()), Some(2));
        assert!(tracker.finished(&task(1), job(0, 1)).is_none(), "finished before");
        assert!(tracker.finished(&task(1), job(5, 0)).is_none(), "no such case");
        assert!(!tracker.is_complete());
    }

    #[test]
    fn what_a_lost_task_has_not_finished_runs_again_until_it_is_given_up() {
        let mut tracker = tracker(6, 1, 3);
        assert_eq!(tracker.unclaimed(), 2);
        tracker.claimed("0", task(0));
        tracker.claimed("1", Incarnation { task: 4, ..task(0) });
        assert!(tracker.finished(&task(0), job(1, 0)).is_some());
        let places = |cases: &[CaseEntry]| cases.iter().map(|case| case.place).collect::<Vec<_>>();
        let Loss { again, given_up } = tracker.lost(&task(0), 1);
        assert_eq!((again.len(), again[0].losses, places(&again[0].cases), given_up.len()), (1, 1, vec![0, 2], 0));
        tracker.add("0.1".to_owned(), again[0].clone());
        tracker.claimed("0.1", task(1));
        let Loss { again, given_up } = tracker.lost(&task(1), 1);
        assert_eq!((again.len(), places(&given_up)), (0, vec![0, 2]));
        assert_eq!(tracker.owners(), [Incarnation { task: 4, ..task(0) }]);
        for case in given_up {
            tracker.close(case.place);
        }
        for case in 3..6 {
            assert!(!tracker.is_complete());
            tracker.finished(&Incarnation { task: 4, ..task(0) }, job(case, 0));
        }
        assert!(tracker.is_complete());
        tracker.tidy();
        assert_eq!((tracker.unclaimed(), tracker.owners().len()), (0, 0));
    }
}
