//! The search of `judge tune`: brackets of rungs, each on more cases with fewer candidates.

use crate::cli::TuneArgs;
use crate::journal::Part;
use crate::model::{CaseSpec, Direction, JobId, Outcome, OutcomeGrid, Problem, Provenance, Solver, SolverSpec, Stop};
use crate::paired::EffectMeasure;
use crate::plan::Plan;
use crate::report::{Candidate, Round, TuneReport};
use crate::statistics::ScoreMeasure;
use crate::tune::{Parameter, ParameterSetting, Rung, fill, rungs, settings, survivors};
use crate::workflow::failure::Failure;
use crate::workflow::match_runner::MatchRunner;
use crate::workflow::score_run;
use crate::workflow::session::Session;
use checkers::Score;
use num_rational::BigRational;
use num_traits::ToPrimitive;

/// The share of the previous range, around the best, that a bracket searches.
const NARROWING: f64 = 0.5;

/// The fewest settings of a bracket beyond the planned ones.
const FEWEST_IN_FURTHER: usize = 4;

/// A search for good parameters.
pub(super) struct Search<'a> {
    args: &'a TuneArgs,
    problem: &'a Problem,
    runner: MatchRunner<'a>,
    /// The whole search is one run in the journal.
    session: Session,
    cases: Vec<CaseSpec>,
    /// Every setting that was tried.
    candidates: Vec<Candidate>,
    rounds: Vec<Round>,
    /// The solver of each candidate in the recorded run.
    solvers: Vec<Solver>,
    /// The solver of each command line: a source file is compiled once.
    prepared: Vec<Solver>,
    runs: usize,
}

impl<'a> Search<'a> {
    /// Starts a search on these cases.
    pub(super) fn new(
        args: &'a TuneArgs,
        problem: &'a Problem,
        runner: MatchRunner<'a>,
        session: Session,
        cases: Vec<CaseSpec>,
    ) -> Self {
        let (candidates, rounds) = (Vec::new(), Vec::new());
        let (solvers, prepared) = (Vec::new(), Vec::new());
        Self { args, problem, runner, session, cases, candidates, rounds, solvers, prepared, runs: 0 }
    }

    /// Runs this number of brackets, which share the budget evenly, and further ones on what early drops have saved; or
    /// until it is stopped.
    pub(super) fn run(&mut self, brackets: usize) -> Result<Option<Stop>, Failure> {
        let mut ranges = self.args.parameters.clone();
        let mut best: Option<usize> = None;
        for bracket in 0.. {
            let left = self.args.budget.get().saturating_sub(self.runs);
            let shares = brackets.saturating_sub(bracket).max(1);
            let plan = rungs(left / shares, self.args.first_cases.get());
            let count = plan.first().map_or(0, |rung| rung.settings);
            if bracket >= brackets && count < FEWEST_IN_FURTHER {
                break;
            }
            let fresh = count.saturating_sub(usize::from(best.is_some()));
            let fresh = settings(&ranges, fresh, self.args.draw.wrapping_add(bracket as u64));
            let mut entered: Vec<usize> = best.into_iter().collect();
            entered.extend(fresh.into_iter().map(|setting| self.add(setting)));
            let runs = self.runs;
            if let Some(stop) = self.run_bracket(bracket, &plan, &mut entered)? {
                return Ok(Some(stop));
            }
            best = entered.first().copied().or(best);
            if let Some(best) = best {
                let around = |(range, value): (&Parameter, &String)| range.around(value, NARROWING);
                ranges = ranges.iter().zip(&self.candidates[best].setting.values).map(around).collect();
            }
            // Small ranges run out of new settings.
            if self.runs == runs {
                break;
            }
        }
        Ok(None)
    }

    fn add(&mut self, setting: ParameterSetting) -> usize {
        let known = self.candidates.iter().position(|candidate| candidate.setting == setting);
        known.unwrap_or_else(|| {
            self.candidates.push(Candidate { setting, outcomes: Vec::new(), values: Vec::new() });
            self.candidates.len() - 1
        })
    }

    /// Runs one bracket. `entered` is left with its survivors, the best first.
    fn run_bracket(
        &mut self,
        bracket: usize,
        rungs: &[Rung],
        entered: &mut Vec<usize>,
    ) -> Result<Option<Stop>, Failure> {
        entered.sort_unstable();
        entered.dedup();
        for (place, rung) in rungs.iter().enumerate() {
            let cases = rung.cases.min(self.cases.len());
            let stop = self.play(entered, cases)?;
            if stop.is_some() {
                return Ok(stop);
            }
            let keep = rungs.get(place + 1).map_or(1, |next| next.settings);
            let table: Vec<Vec<Option<f64>>> = self.values(entered, cases)?;
            let survivors = survivors(&table, keep, self.args.statistics.alpha);
            let survivors: Vec<usize> = survivors.iter().map(|survivor| entered[survivor.setting]).collect();
            self.rounds.push(Round {
                bracket,
                rung: place,
                cases,
                entered: entered.clone(),
                survivors: survivors.clone(),
            });
            *entered = survivors;
        }
        Ok(None)
    }

    /// Runs the candidates up to this number of cases. Finished cases are not run again.
    fn play(&mut self, entered: &[usize], cases: usize) -> Result<Option<Stop>, Failure> {
        self.record_new()?;
        let mut missing: Vec<usize> =
            entered.iter().map(|&candidate| self.candidates[candidate].outcomes.len()).collect();
        missing.sort_unstable();
        missing.dedup();
        for played in missing.into_iter().filter(|played| *played < cases) {
            let behind: Vec<usize> = entered
                .iter()
                .copied()
                .filter(|&candidate| self.candidates[candidate].outcomes.len() == played)
                .collect();
            let solvers = behind.iter().map(|&candidate| self.solvers[candidate].clone()).collect();
            let plan = self.runner.plan(solvers, self.cases[played..cases].to_vec())?;
            self.runs += plan.job_count();
            let part = Part { solvers: behind.clone(), first_case: played };
            let result = self.runner.play_part(&mut self.session, plan, part)?;
            if result.stop.is_some() {
                return Ok(result.stop);
            }
            for (solver, candidate) in behind.into_iter().enumerate() {
                let outcomes = (0..cases - played).filter_map(|case| result.outcome(JobId { case, solver }).cloned());
                self.candidates[candidate].outcomes.extend(outcomes);
            }
        }
        Ok(None)
    }

    /// Adds the new candidates to the recorded run.
    fn record_new(&mut self) -> Result<(), Failure> {
        let new: Vec<Solver> = (self.solvers.len()..self.candidates.len())
            .map(|candidate| self.solver(candidate))
            .collect::<Result<_, _>>()?;
        if !new.is_empty() {
            self.runner.grow(&mut self.session, &new, &[]);
            self.solvers.extend(new);
        }
        Ok(())
    }

    fn solver(&mut self, candidate: usize) -> Result<Solver, Failure> {
        let setting = &self.candidates[candidate].setting;
        let filled = |text: &str| fill(text, &self.args.parameters, &setting.values);
        let text = filled(&self.args.solver);
        let environment = self.args.running.sandbox.environment.iter();
        let environment = environment.map(|(key, value)| (key.clone(), filled(value))).collect();
        let name = setting.words(&self.args.parameters);
        let prepared = self.prepared.iter().find(|solver| solver.spec.text == text).cloned();
        let prepared = match prepared {
            Some(solver) => solver,
            None => {
                let solver = self.runner.prepare(SolverSpec { name: name.clone(), text })?;
                self.prepared.push(solver.clone());
                solver
            }
        };
        Ok(Solver { environment, spec: SolverSpec { name, ..prepared.spec }, ..prepared })
    }

    /// Returns what the candidates are compared by.
    fn measure(&self) -> EffectMeasure {
        self.args.statistics.measure.unwrap_or_else(|| EffectMeasure::of_rule(&self.problem.scoring))
    }

    /// Returns what each candidate's outcomes on the first cases are worth.
    fn values(&self, candidates: &[usize], cases: usize) -> Result<Vec<Vec<Option<f64>>>, Failure> {
        let measure = self.measure();
        let outcomes = |candidate: usize| self.candidates[candidate].outcomes.iter().take(cases);
        if let Some(measure) = measure.score_measure() {
            let value = |outcome: &Outcome| score_value(measure, self.problem.direction, outcome);
            return Ok(candidates.iter().map(|&candidate| outcomes(candidate).map(value).collect()).collect());
        }
        let solvers = candidates.iter().map(|&candidate| self.solvers[candidate].clone()).collect();
        let plan = self.runner.plan(solvers, self.cases[..cases].to_vec())?;
        let mut grid = OutcomeGrid::new(cases, candidates.len());
        for (solver, &candidate) in candidates.iter().enumerate() {
            for (case, outcome) in outcomes(candidate).enumerate() {
                grid.set(JobId { case, solver }, outcome.clone());
            }
        }
        let board = score_run::score(&plan, &grid, &vec![None; cases], None)?.board;
        let sign = if board.direction == Direction::Max { 1.0 } else { -1.0 };
        let value = |points: &Option<BigRational>| Some(points.as_ref()?.to_f64()? * sign);
        let row = |(solver, &candidate): (usize, &usize)| {
            board.standings[solver].points.iter().take(outcomes(candidate).len()).map(value).collect()
        };
        Ok(candidates.iter().enumerate().map(row).collect())
    }

    /// Closes the record of the run, and returns the report.
    pub(super) fn finish(mut self, stop: Option<Stop>, provenance: Provenance) -> Result<TuneReport, Failure> {
        let measure = self.measure();
        let run: Vec<usize> = (0..self.solvers.len()).collect();
        for (candidate, values) in self.values(&run, self.cases.len())?.into_iter().enumerate() {
            self.candidates[candidate].values = values;
        }
        let (solvers, cases) = (self.solvers.clone(), self.cases.clone());
        let plan = Plan { solvers, cases, ..self.runner.template().clone() };
        let mut outcomes = OutcomeGrid::new(plan.cases.len(), plan.solvers.len());
        for (solver, (candidate, _)) in self.candidates.iter().zip(&self.solvers).enumerate() {
            for (case, outcome) in candidate.outcomes.iter().enumerate() {
                outcomes.set(JobId { case, solver }, outcome.clone());
            }
        }
        self.session.finish(&plan, &outcomes, stop);
        let counts_scores = measure.score_measure().is_some() || score_run::rule(&plan).counts_raw_scores();
        let direction = if counts_scores { self.problem.direction } else { Direction::Max };
        Ok(TuneReport {
            problem: self.problem.id.clone(),
            provenance,
            limits: plan.limits,
            solver: self.args.solver.clone(),
            environment: self.args.running.sandbox.environment.clone(),
            parameters: self.args.parameters.clone(),
            cases: self.cases.iter().map(|case| case.name.clone()).collect(),
            measure,
            direction,
            alpha: self.args.statistics.alpha,
            candidates: self.candidates,
            rounds: self.rounds,
            runs: self.runs,
            stop,
        })
    }
}

/// Returns the value of an outcome on the scale of the measure, larger being better; `None` for a failure.
fn score_value(measure: ScoreMeasure, direction: Direction, outcome: &Outcome) -> Option<f64> {
    let score = outcome.score.as_ref()?;
    let value = match measure {
        ScoreMeasure::LogRatio => measure.effect(&Score::from(1), score)?,
        ScoreMeasure::Difference | ScoreMeasure::Relative => ScoreMeasure::Difference.effect(&Score::from(0), score)?,
    };
    Some(if direction == Direction::Max { value } else { -value })
}
