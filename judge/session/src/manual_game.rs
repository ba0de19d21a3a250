//! Records a human player's game as a run of one case.

use crate::restored_run::{self, recorded_solver};
use crate::{Failure, FromJournal, ReferenceScores, Result, command_line, recorder};
use checkers::Score;
use judge_journal::{Recording, RunEnd, RunRecord, Surroundings};
use judge_problem::{
    CaseList, CaseSpec, Catalogue, Digest, Evidence, FinishedJob, JobId, Outcome, OutcomeGrid, Plan, Problem, RunId,
    SolverSpec, Verdict,
};
use judge_sandbox::Tier;
use std::path::Path;
use std::time::Duration;

/// An accepted answer that a person gave.
pub struct ManualResult<'a> {
    /// The problem that was played.
    pub problem: &'a Problem,
    /// Its case.
    pub case: CaseSpec,
    /// The input of the case.
    pub input: &'a [u8],
    /// The moves, as an answer.
    pub answer: Vec<u8>,
    /// Its score from the checker.
    pub score: Score,
}

/// Records it as a run of the solver [`SolverSpec::BY_HAND`].
pub fn record(catalogue: &Catalogue, played: ManualResult<'_>) -> Result<RunId> {
    let ManualResult { problem, case, input, answer, score } = played;
    let hash = Digest::of(input);
    let reference = ReferenceScores::open(catalogue, problem, None, None, FromJournal::Recorded)?;
    let mut cases: CaseList = [case].into_iter().collect();
    reference.apply_to_recorded(problem.direction, &mut cases, &[Some(hash)]);
    let problem = Problem { best: reference.source, ..problem.clone() };
    let plan = Plan::new(problem, vec![recorded_solver(SolverSpec::by_hand())], cases);
    let job = JobId { case: 0, solver: 0 };
    let outcome = Outcome { score: Some(score), ..Outcome::without_run(Verdict::Accepted, String::new()) };
    let mut outcomes = OutcomeGrid::new(1, 1);
    outcomes.set(job, &outcome);
    let scored = restored_run::score(&plan, &outcomes, &[], None).map_err(Failure::fault)?;
    let run_record = RunRecord {
        solver_hashes: vec![Digest::of(SolverSpec::BY_HAND.as_bytes())],
        command: command_line::recorded(None, None),
        surroundings: Surroundings::detect(Path::new(".")),
        // No program was started.
        ..RunRecord::new(&plan, Tier::Unsafe, catalogue.retention)
    };
    let mut recording = Recording::begin(recorder::open(catalogue)?, &run_record)?;
    let run = recording.run();
    let evidence = Evidence { input: Some(hash), answer: Some(answer), stored: None, ..Evidence::default() };
    recording.append(&[FinishedJob { job, outcome, features: None, evidence: Box::new(evidence) }])?;
    recording.finish(&RunEnd::of(&scored, None, Duration::ZERO))?;
    Ok(run)
}
