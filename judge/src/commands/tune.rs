//! `judge tune`: searches for good parameters, and compares the winner with the default setting on fresh cases.

use checkers::Score;
use judge_cli::TuneArgs;
use judge_compare::paired::{self, EffectMeasure, TestParameters};
use judge_journal::{CasePlaces, Part};
use judge_problem::scoring::ScoreMeasure;
use judge_problem::{
    CaseList, CaseSpec, Digest, Direction, Exit, FIRST_FRESH_SEED, FIRST_TRAINING_SEED, JobId, NodeList, Outcome,
    OutcomeGrid, Plan, Problem, Provenance, Solver, SolverSpec, Stop, Verdict, counted,
};
use judge_report::{Candidate, CompareReport, Comparison, TuneComparison, TuneReport, filled};
use judge_session::comparison::{check_metric, compared_runs, measured_outcome, measured_pairing, measured_problem};
use judge_session::pairing::Pairing;
use judge_session::{
    Failure, GlobalArgs, MatchResult, MatchRunner, Outputs, Result, Session, load, outputs, programs, recorder,
    restored_run,
};
use judge_statistics::tune::{ParameterSetting, Search, SearchRound, SearchSettings, Space};
use num_rational::BigRational;
use num_traits::ToPrimitive;
use std::collections::HashSet;
use std::num::NonZeroUsize;

/// Searches for good parameters.
pub(super) fn tune(global: GlobalArgs<'_>, args: &TuneArgs) -> Result<Exit> {
    let (catalogue, _programs) = programs::catalogue(global, args.problem.as_deref())?;
    let problem = load::problem(&catalogue, args.problem.as_deref())?;
    check_metric(&args.statistics, problem)?;
    let space = Space::new(args.parameters.clone(), &args.defaults)
        .map_err(|error| Failure::usage(error.to_string()).with_hint("`judge help tune` has examples"))?;
    let budget = args.budget as usize;
    let first_cases = args.first_cases.map_or_else(|| Search::advised_first_cases(budget), NonZeroUsize::get);
    check_parameters(args, budget, first_cases)?;
    let provenance = outputs::here();
    let outputs = Outputs::check::<TuneReport>(&args.reports)?;
    let mut runner = MatchRunner::open(&catalogue, problem, &args.running)?.resuming(args.resume);
    // Each setting gets these variables with its own values.
    runner.template.environment.clear();
    let advised = Search::advised_cases(&space, budget, first_cases);
    let cases: Vec<CaseSpec> = runner.cases_from(FIRST_TRAINING_SEED, args.seeds.as_ref())?.take(advised).collect();
    let first_cases = first_cases.min(cases.len());
    let settings = SearchSettings { budget, cases: cases.len(), first_cases, seed: args.draw };
    let plan = runner.plan(Vec::new(), cases.into())?;
    let (session, cases) = (runner.begin(&plan)?, plan.cases.iter().collect());
    session.recorder.mark_search(0);
    let (search, inputs) = (Search::new(space, settings), vec![None; plan.cases.len()]);
    let (outcomes, solvers, prepared) = (Vec::new(), Vec::new(), Vec::new());
    let mut tuning =
        Tuning { args, problem, runner, session, cases, search, inputs, outcomes, solvers, prepared, runs: 0 };
    let stop = tuning.run()?;
    let report = tuning.finish(stop, provenance)?;
    outputs.publish(&report)?;
    Ok(exit(&report))
}

/// Fails if a parameter is not used, or the budget is not enough for two settings.
fn check_parameters(args: &TuneArgs, budget: usize, first_cases: usize) -> Result<()> {
    for parameter in &args.parameters {
        let marker = format!("{{{}}}", parameter.name);
        let in_environment =
            args.running.conditions.sandbox.environment.iter().any(|(_, value)| value.contains(&marker));
        if !args.solver.contains(&marker) && !in_environment {
            return Err(Failure::usage(format!("the parameter `{}` is used nowhere", parameter.name))
                .with_hint(format!("write {marker} in the command line of --solver, or in the value of an --env")));
        }
    }
    let needed = first_cases.saturating_mul(2);
    if budget < needed {
        return Err(Failure::usage(format!("--budget {budget} is not enough for two settings"))
            .with_hint(format!("two settings take {needed} runs; or lower --first-cases")));
    }
    Ok(())
}

/// Returns whether an outcome counts for its setting. A fault of the judge does not.
fn is_judged(outcome: &Outcome) -> bool {
    outcome.verdict != Verdict::JudgeError
}

fn exit(report: &TuneReport) -> Exit {
    let is_accepted = |best: usize| report.candidates[best].outcomes.iter().flatten().all(Outcome::is_accepted);
    let stops = [report.stop, report.comparison.as_ref().and_then(|comparison| comparison.stop)];
    if stops.contains(&Some(Stop::Interrupted)) {
        Exit::Interrupted
    } else if report.is_faulty() {
        Exit::Fault
    } else if report.best.is_some_and(is_accepted) {
        Exit::Success
    } else {
        Exit::NotAccepted
    }
}

/// A search and the runs that it requests.
struct Tuning<'a> {
    args: &'a TuneArgs,
    problem: &'a Problem,
    runner: MatchRunner<'a>,
    /// The whole search is one run in the journal.
    session: Session,
    cases: Vec<CaseSpec>,
    search: Search,
    /// By case: the hash of its input, once it has run.
    inputs: Vec<Option<Digest>>,
    /// By candidate and case.
    outcomes: Vec<Vec<Option<Outcome>>>,
    /// The solver of each candidate in the recorded run.
    solvers: Vec<Solver>,
    /// The solver of each command line: a source file is compiled once.
    prepared: Vec<Solver>,
    runs: usize,
}

impl Tuning<'_> {
    /// Runs the settings that the search chooses, until it is over or stopped.
    fn run(&mut self) -> Result<Option<Stop>> {
        while let Some(round) = self.search.next_round() {
            let stop = self.play(&round)?;
            self.tell(&round)?;
            if stop.is_some() {
                return Ok(stop);
            }
        }
        Ok(None)
    }

    fn play(&mut self, round: &SearchRound) -> Result<Option<Stop>> {
        self.record_new()?;
        let solvers = round.candidates.iter().map(|&candidate| self.solvers[candidate].clone()).collect();
        let cases = self.cases[round.cases.clone()].to_vec().into();
        let plan = self.runner.plan_as_it_is(solvers, cases, self.problem.best.clone());
        let part = Part { solvers: round.candidates.clone(), cases: CasePlaces::From(round.cases.start) };
        let result = self.runner.play_part(&mut self.session, plan, part)?;
        for (known, input) in self.inputs[round.cases.clone()].iter_mut().zip(&result.inputs) {
            *known = known.or(*input);
        }
        for (solver, &candidate) in round.candidates.iter().enumerate() {
            for case in round.cases.clone() {
                let outcome = result.outcomes.get(JobId { case: case - round.cases.start, solver });
                self.runs += usize::from(outcome.is_some());
                self.outcomes[candidate][case] = outcome;
            }
        }
        Ok(result.stop)
    }

    /// Passes the values of this round to the search. If points depend on the other settings, passes all values again.
    fn tell(&mut self, round: &SearchRound) -> Result<()> {
        let part = if self.counts_scores() { round.clone() } else { self.whole() };
        for (&candidate, values) in part.candidates.iter().zip(self.values(&part)?) {
            for (case, value) in part.cases.clone().zip(values) {
                if self.outcomes[candidate][case].as_ref().is_some_and(is_judged) {
                    self.search.tell(candidate, case, value);
                }
            }
        }
        Ok(())
    }

    /// Adds the new candidates to the recorded run.
    fn record_new(&mut self) -> Result<()> {
        let settings: Vec<ParameterSetting> = self.search.candidates().skip(self.solvers.len()).cloned().collect();
        let new: Vec<Solver> = settings.iter().map(|setting| self.solver(setting)).collect::<Result<_, _>>()?;
        if !new.is_empty() {
            self.runner.grow(&mut self.session, &new, &CaseList::default());
            self.solvers.extend(new);
            self.outcomes.resize(self.solvers.len(), vec![None; self.cases.len()]);
        }
        Ok(())
    }

    fn solver(&mut self, setting: &ParameterSetting) -> Result<Solver> {
        let fill = |text: &str| filled(text, &self.args.parameters, &setting.values);
        let text = fill(&self.args.solver);
        let environment = self.args.running.conditions.sandbox.environment.iter();
        let environment = environment.map(|(key, value)| (key.clone(), fill(value))).collect();
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

    /// Returns the measure by which candidates are compared.
    fn measure(&self) -> EffectMeasure {
        self.args.statistics.measure().unwrap_or_else(|| EffectMeasure::of_rule(&self.problem.scoring))
    }

    /// Returns whether a setting's value on a case does not depend on the other settings.
    fn counts_scores(&self) -> bool {
        self.measure().score_measure().is_some() || restored_run::rule(&self.plan()).counts_raw_scores()
    }

    /// Returns which scores are better, or which values of the metric if one replaces the scores.
    fn direction(&self) -> Result<Direction> {
        Ok(measured_problem(self.problem, &self.args.statistics)?.direction)
    }

    fn plan(&self) -> Plan {
        Plan { solvers: self.solvers.clone(), cases: self.cases.clone().into(), ..self.runner.template.clone() }
    }

    fn whole(&self) -> SearchRound {
        SearchRound { candidates: (0..self.outcomes.len()).collect(), cases: 0..self.cases.len() }
    }

    fn grid(&self, part: &SearchRound) -> OutcomeGrid {
        let mut grid = OutcomeGrid::new(part.cases.len(), part.candidates.len());
        for (solver, &candidate) in part.candidates.iter().enumerate() {
            for (case, outcome) in self.outcomes[candidate][part.cases.clone()].iter().enumerate() {
                if let Some(outcome) = outcome {
                    grid.set(JobId { case, solver }, outcome);
                }
            }
        }
        grid
    }

    /// Returns the value of every run of a part, by candidate and case. Larger is better; `None` is a failure without a
    /// value, or a judge error.
    fn values(&self, part: &SearchRound) -> Result<Vec<Vec<Option<f64>>>> {
        let rows = part.candidates.iter().map(|&candidate| &self.outcomes[candidate][part.cases.clone()]);
        if let Some(measure) = self.measure().score_measure() {
            let direction = self.direction()?;
            let value = |outcome: &Option<Outcome>| {
                score_value(measure, direction, &measured_outcome(outcome.clone()?, &self.args.statistics)?)
            };
            return Ok(rows.map(|row| row.iter().map(value).collect()).collect());
        }
        let solvers = part.candidates.iter().map(|&candidate| self.solvers[candidate].clone()).collect();
        let cases = self.cases[part.cases.clone()].to_vec().into();
        let plan = Plan { solvers, cases, ..self.runner.template.clone() };
        let board = restored_run::score(&plan, &self.grid(part), &[], None)?.board;
        let sign = if board.direction == Direction::Max { 1.0 } else { -1.0 };
        let value = |(points, outcome): (Option<BigRational>, &Option<Outcome>)| {
            outcome.as_ref().filter(|outcome| is_judged(outcome))?;
            Some(points?.to_f64()? * sign)
        };
        let rows = board.standings.iter().zip(rows);
        Ok(rows.map(|(standing, row)| standing.own_points.iter().zip(row).map(value).collect()).collect())
    }

    /// Closes the record of the run, compares the winner with the default setting, and returns the report.
    fn finish(self, stop: Option<Stop>, mut provenance: Provenance) -> Result<TuneReport> {
        let measure = self.measure();
        let (plan, whole) = (self.plan(), self.whole());
        let best = self.search.best();
        let worths = self.search.worths();
        let candidates: Vec<Candidate> = (self.search.candidates().cloned().zip(&self.outcomes))
            .zip(self.values(&whole)?.into_iter().zip(worths))
            .map(|((setting, outcomes), (values, worth))| Candidate {
                setting,
                outcomes: outcomes.clone(),
                values,
                worth,
            })
            .collect();
        let direction = if self.counts_scores() { self.direction()? } else { Direction::Max };
        let grid = self.grid(&whole);
        best.into_iter().for_each(|best| self.session.recorder.mark_search(best));
        self.session.finish(&plan, &grid, stop);
        let known = self.inputs.iter().flatten();
        let played: HashSet<Digest> = known.clone().copied().collect();
        let repeated = known.count() - played.len();
        let is_solved = |best: usize| candidates[best].outcomes.iter().flatten().any(Outcome::is_accepted);
        let comparison = match best.filter(|&best| stop.is_none() && self.args.compare > 0 && is_solved(best)) {
            // The default setting is the first candidate.
            Some(best) if best > 0 => {
                let solvers = [&self.solvers[0], &self.solvers[best]].map(Solver::clone);
                confirm(self.args, &self.runner, (&self.cases, &played), &candidates[0].setting, solvers)?
            }
            _ => None,
        };
        (provenance.nodes, provenance.reused) = (self.runner.plan_runner.nodes(), recorder::reused());
        let quantity = if measure.is_of_points(&self.problem.scoring) { "points" } else { "score" };
        Ok(TuneReport {
            problem: self.problem.id.clone(),
            provenance,
            limits: plan.limits,
            solver: self.args.solver.clone(),
            flags: plan.case_flags.words().to_vec(),
            parameters: self.args.parameters.clone(),
            cases: self.cases.iter().map(|case| case.name.clone()).collect(),
            repeated,
            measure,
            quantity: self.args.statistics.metric().unwrap_or(quantity).to_owned(),
            direction,
            alpha: self.args.statistics.alpha,
            candidates,
            best,
            comparison,
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

/// Returns the result without the cases whose input is one of these: under another seed they are the same cases.
fn without_inputs(played: MatchResult, inputs: &HashSet<Digest>) -> MatchResult {
    let count = played.plan.cases.len();
    let is_known =
        |case: usize| played.inputs.get(case).copied().flatten().is_some_and(|input| inputs.contains(&input));
    let known = (0..count).filter(|case| is_known(*case)).count();
    if known == 0 {
        return played;
    }
    judge_report::note(&format!(
        "{known} of {} not compared: the search has played the same input under another seed",
        counted(count, "fresh case")
    ));
    let mut rest = MatchResult::unplayed(Plan { cases: CaseList::default(), ..played.plan.clone() });
    let solvers: Vec<usize> = (0..played.plan.solvers.len()).collect();
    (0..count).filter(|case| !is_known(*case)).for_each(|case| rest.add_case(&played, case, &solvers, &solvers));
    MatchResult { stop: played.stop, ..rest }
}

/// Runs the default setting and the best one on fresh cases, as a separate run in the journal. `None` if no case was
/// finished. `search`: the cases of the search and the inputs that it has played.
fn confirm(
    args: &TuneArgs,
    runner: &MatchRunner<'_>,
    search: (&[CaseSpec], &HashSet<Digest>),
    default: &ParameterSetting,
    solvers: [Solver; 2],
) -> Result<Option<TuneComparison>> {
    let alpha = args.statistics.alpha;
    let is_fresh = |case: &CaseSpec| !search.0.iter().any(|other| other.source == case.source);
    let cases = runner.cases_from(FIRST_FRESH_SEED, None)?.filter(is_fresh).take(args.compare).collect();
    let played = without_inputs(runner.play(runner.plan(solvers.to_vec(), cases)?)?, search.1);
    if played.outcomes.finished().next().is_none() {
        return Ok(None);
    }
    let pairing = measured_pairing(Pairing::fresh(played, None, NodeList::default()), &args.statistics)?;
    let played = &pairing.played;
    let scored = played.scored()?;
    let measure = scored.measure(args.statistics.measure(), None);
    let min_effect = measure.min_effect(&scored.rule, None)?;
    let parameters = TestParameters { alpha, min_effect, bound: None, rare: None, hypotheses: None };
    let paired = scored.paired(measure, 1);
    let inference = paired::infer_fixed(&paired, parameters);
    let comparison = Comparison { paired, inference, ranges: Vec::new(), contrast: scored.contrast(1, alpha) };
    let report = CompareReport {
        compared: compared_runs(&args.statistics, false, &pairing, measure, &scored.rule, outputs::here()),
        parameters,
        is_whole_contest: false,
        comparisons: std::slice::from_ref(&comparison),
        group_by: None,
        order: None,
        runs: &[None, None],
        times_are_comparable: false,
    };
    Ok(Some(TuneComparison {
        default: default.clone(),
        is_given: !args.defaults.is_empty(),
        cases: played.plan.cases.iter().map(|case| case.name.clone()).collect(),
        measure,
        verdict: report.verdict(&comparison),
        claim: comparison.inference.claim,
        pairs: comparison.paired.pairs.len(),
        mean: comparison.inference.summary.as_ref().map(|summary| summary.moments.mean()),
        interval: comparison.inference.interval,
        stop: played.stop.filter(|stop| *stop == Stop::Interrupted),
        is_faulty: played.is_faulty(),
    }))
}
