//! `judge tune`: races settings of a solver's parameters against each other, and looks closer around the best.

use crate::cli::TuneArgs;
use crate::journal::Part;
use crate::model::{CaseSpec, Direction, Exit, JobId, Outcome, Problem, Solver, SolverSpec, Stop};
use crate::paired::EffectMeasure;
use crate::plan::Plan;
use crate::report::{self, Racer, Round, Style, TuneReport};
use crate::solver;
use crate::tune::{Parameter, Rung, Setting, fill, rungs, settings, survivors};
use crate::workflow::failure::Failure;
use crate::workflow::load;
use crate::workflow::match_runner::MatchRunner;
use crate::workflow::session::Session;
use std::path::Path;

/// So often the search looks closer around the best, each time with the same part of the budget.
const LAPS: usize = 3;

/// Fewer settings than this are no search: then there are fewer laps.
const FEWEST_SETTINGS: usize = 8;

/// Each lap looks at this share of the range of the lap before, around the best.
const CLOSER: f64 = 0.5;

/// Searches for good parameters.
pub(super) fn tune(catalogue: Option<&Path>, args: &TuneArgs) -> Result<Exit, Failure> {
    let catalogue = load::catalogue(catalogue)?;
    let problem = catalogue.find(&args.problem)?;
    check_parameters(args)?;
    let laps = laps(args)?;
    let runner = MatchRunner::open(&catalogue, problem, &args.running)?.without_shared_environment();
    let most_cases = laps.iter().flatten().map(|rung| rung.cases).max().unwrap_or(0);
    let cases: Vec<CaseSpec> = runner.fresh_cases(args.seeds.as_ref())?.take(most_cases).collect();
    let session = runner.begin(&runner.plan(Vec::new(), cases.clone())?)?;
    let mut search = Search {
        args,
        problem,
        runner,
        session,
        cases,
        racers: Vec::new(),
        rounds: Vec::new(),
        entered: Vec::new(),
        prepared: Vec::new(),
        runs: 0,
    };
    let stop = search.run(&laps)?;
    let report = search.finish(stop);
    publish(&report, args)?;
    Ok(exit(&report))
}

/// Every parameter must be somewhere, and have a name of its own: what is tried has to make a difference.
fn check_parameters(args: &TuneArgs) -> Result<(), Failure> {
    for (place, parameter) in args.parameters.iter().enumerate() {
        let Parameter { name, .. } = parameter;
        if args.parameters[..place].iter().any(|other| other.name == *name) {
            return Err(Failure::usage(format!("the parameter `{name}` is given twice")));
        }
        let marker = format!("{{{name}}}");
        let in_environment = args.running.sandbox.environment.iter().any(|(_, value)| value.contains(&marker));
        if !args.solver.contains(&marker) && !in_environment {
            return Err(Failure::usage(format!("the parameter `{name}` is used nowhere"))
                .with_hint(format!("write {marker} in the command line of --solver, or in the value of an --env")));
        }
    }
    Ok(())
}

/// Shares the budget among as many laps as it is enough for.
fn laps(args: &TuneArgs) -> Result<Vec<Vec<Rung>>, Failure> {
    let first_cases = args.first_cases.get();
    let plan = |laps: usize| rungs(args.budget.get() / laps, first_cases);
    let is_search = |rungs: &Vec<Rung>| rungs.first().is_some_and(|rung| rung.settings >= FEWEST_SETTINGS);
    let laps = (2..=LAPS).rev().find(|&laps| is_search(&plan(laps))).unwrap_or(1);
    if plan(laps).is_empty() {
        return Err(Failure::usage(format!("--budget {} is not enough for two settings", args.budget))
            .with_hint(format!("two settings take {} runs; or lower --first-cases", first_cases * 3)));
    }
    Ok(vec![plan(laps); laps])
}

struct Search<'a> {
    args: &'a TuneArgs,
    problem: &'a Problem,
    runner: MatchRunner<'a>,
    /// The whole search is one run in the journal.
    session: Session,
    cases: Vec<CaseSpec>,
    /// Every setting that was ever tried.
    racers: Vec<Racer>,
    rounds: Vec<Round>,
    /// The solver of each racer, as far as they are in the run in the journal.
    entered: Vec<Solver>,
    /// Every command line that was ever needed: a source file is compiled once.
    prepared: Vec<Solver>,
    runs: usize,
}

impl Search<'_> {
    /// Runs all laps, or until it is stopped.
    fn run(&mut self, laps: &[Vec<Rung>]) -> Result<Option<Stop>, Failure> {
        let mut ranges = self.args.parameters.clone();
        let mut best: Option<usize> = None;
        for (lap, rungs) in laps.iter().enumerate() {
            let count = rungs.first().map_or(0, |rung| rung.settings) - usize::from(best.is_some());
            let fresh = settings(&ranges, count, self.args.draw.wrapping_add(lap as u64));
            let mut field: Vec<usize> = best.into_iter().collect();
            field.extend(fresh.into_iter().map(|setting| self.add(setting)));
            if let Some(stop) = self.race(lap, rungs, &mut field)? {
                return Ok(Some(stop));
            }
            best = field.first().copied();
            if let Some(best) = best {
                let around = |(range, value): (&Parameter, &String)| range.around(value, CLOSER);
                ranges = ranges.iter().zip(&self.racers[best].setting.values).map(around).collect();
            }
        }
        Ok(None)
    }

    fn add(&mut self, setting: Setting) -> usize {
        let known = self.racers.iter().position(|racer| racer.setting == setting);
        known.unwrap_or_else(|| {
            self.racers.push(Racer { setting, outcomes: Vec::new() });
            self.racers.len() - 1
        })
    }

    /// Runs one lap; the field is left with who came through, the best first.
    fn race(&mut self, lap: usize, rungs: &[Rung], field: &mut Vec<usize>) -> Result<Option<Stop>, Failure> {
        field.sort_unstable();
        field.dedup();
        for (place, rung) in rungs.iter().enumerate() {
            let cases = rung.cases.min(self.cases.len());
            let stop = self.play(field, cases)?;
            if stop.is_some() {
                return Ok(stop);
            }
            let keep = rungs.get(place + 1).map_or(1, |next| next.settings);
            let table: Vec<Vec<Option<f64>>> = field.iter().map(|&racer| self.values(racer, cases)).collect();
            let through = survivors(&table, keep, self.args.statistics.alpha);
            let through: Vec<usize> = through.iter().map(|survivor| field[survivor.setting]).collect();
            self.rounds.push(Round { lap, rung: place, cases, field: field.clone(), through: through.clone() });
            *field = through;
        }
        Ok(None)
    }

    /// Lets everybody in the field play so many cases; those that were played are not played again.
    fn play(&mut self, field: &[usize], cases: usize) -> Result<Option<Stop>, Failure> {
        self.enter();
        let mut missing: Vec<usize> = field.iter().map(|&racer| self.racers[racer].outcomes.len()).collect();
        missing.sort_unstable();
        missing.dedup();
        for played in missing.into_iter().filter(|played| *played < cases) {
            let behind: Vec<usize> =
                field.iter().copied().filter(|&racer| self.racers[racer].outcomes.len() == played).collect();
            let solvers = behind.iter().map(|&racer| self.entered[racer].clone()).collect();
            let plan = self.runner.plan(solvers, self.cases[played..cases].to_vec())?;
            self.runs += plan.job_count();
            let part = Part { solvers: behind.clone(), first_case: played };
            let result = self.runner.play_part(&mut self.session, plan, part)?;
            if result.stop.is_some() {
                return Ok(result.stop);
            }
            for (solver, racer) in behind.into_iter().enumerate() {
                let outcomes = (0..cases - played).filter_map(|case| result.outcome(JobId { case, solver }).cloned());
                self.racers[racer].outcomes.extend(outcomes);
            }
        }
        Ok(None)
    }

    /// Enters the racers that are new into the run in the journal.
    fn enter(&mut self) {
        let newcomers: Vec<Solver> = (self.entered.len()..self.racers.len()).map(|racer| self.solver(racer)).collect();
        if !newcomers.is_empty() {
            self.runner.grow(&mut self.session, &newcomers, &[]);
            self.entered.extend(newcomers);
        }
    }

    fn solver(&mut self, racer: usize) -> Solver {
        let setting = &self.racers[racer].setting;
        let filled = |text: &str| fill(text, &self.args.parameters, &setting.values);
        let text = filled(&self.args.solver);
        let environment = self.args.running.sandbox.environment.iter();
        let environment = environment.map(|(key, value)| (key.clone(), filled(value))).collect();
        let name = setting.words(&self.args.parameters);
        let prepared = self.prepared.iter().find(|solver| solver.spec.text == text).cloned();
        let prepared = prepared.unwrap_or_else(|| {
            let spec = SolverSpec { name: name.clone(), text };
            let solver = solver::prepare(spec, &mut self.runner.toolbox);
            self.prepared.push(solver.clone());
            solver
        });
        Solver { environment, spec: SolverSpec { name, ..prepared.spec }, ..prepared }
    }

    /// What everybody's scores are measured by.
    fn measure(&self) -> EffectMeasure {
        let scores = self.racers.iter().flat_map(|racer| &racer.outcomes).filter_map(|outcome| outcome.score.as_ref());
        self.args.statistics.measure.unwrap_or_else(|| EffectMeasure::suited_to(scores, None))
    }

    fn values(&self, racer: usize, cases: usize) -> Vec<Option<f64>> {
        let measure = self.measure();
        let value = |outcome: &Outcome| report::value(measure, self.problem.direction, outcome);
        self.racers[racer].outcomes.iter().take(cases).map(value).collect()
    }

    /// Closes the record of the run, and returns what there is to tell.
    fn finish(self, stop: Option<Stop>) -> TuneReport {
        let measure = self.measure();
        let (solvers, cases) = (self.entered.clone(), self.cases.clone());
        let plan = Plan { solvers, cases, ..self.runner.template().clone() };
        let outcome = |case: usize, racer: usize| self.racers[racer].outcomes.get(case).cloned();
        let racers = self.entered.len();
        let outcomes: Vec<_> =
            (0..self.cases.len()).flat_map(|case| (0..racers).map(move |racer| outcome(case, racer))).collect();
        self.session.finish(&plan, &outcomes, stop);
        let direction: Direction = self.problem.direction;
        TuneReport {
            problem: self.problem.id.clone(),
            solver: self.args.solver.clone(),
            environment: self.args.running.sandbox.environment.clone(),
            parameters: self.args.parameters.clone(),
            cases: self.cases.iter().map(|case| case.name.clone()).collect(),
            measure,
            direction,
            alpha: self.args.statistics.alpha,
            racers: self.racers,
            rounds: self.rounds,
            runs: self.runs,
            stop,
        }
    }
}

fn publish(report: &TuneReport, args: &TuneArgs) -> Result<(), Failure> {
    if let Some(path) = &args.jsonl {
        let lines = report::tune_jsonl(report).map_err(Failure::fault)?;
        load::write("the JSON lines", path, lines.as_bytes())?;
    }
    if args.jsonl.as_deref() != Some(Path::new("-")) {
        report::print(&report::tune_text(report, Style::of_stdout()))?;
    }
    Ok(())
}

fn exit(report: &TuneReport) -> Exit {
    let accepted = |racer: usize| report.racers[racer].outcomes.iter().all(Outcome::is_accepted);
    match (report.stop, report.best()) {
        (Some(Stop::Interrupted), _) => Exit::Interrupted,
        (_, Some(best)) if accepted(best) => Exit::Success,
        _ => Exit::NotAccepted,
    }
}
