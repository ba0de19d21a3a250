//! Pairs solvers of past runs by case, with each other and with solvers that run on the same cases now.

use super::best_scores::ReferenceScores;
use super::entrants::{CaseKey, Entrant, PastEntrant, check_solvers};
use super::failure::Failure;
use super::match_runner::{MatchResult, MatchRunner};
use super::{case_choice, command_line, restored_run};
use crate::cases::Inputs;
use crate::cli::{CaseArgs, RunningArgs};
use crate::journal::{Surroundings, environment};
use crate::manifest::Catalogue;
use crate::model::{CaseSpec, Digest, JobId, Limits, Outcome, OutcomeGrid, Problem, Stop};
use crate::plan::Plan;
use crate::report::{self, RunInfo};
use judge_sandbox::Tier;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::time::Instant;

/// The number of cases that a warning names.
const NAMED: usize = 5;

/// The results of all entrants on the cases that they share.
pub(crate) struct Pairing {
    pub(crate) played: MatchResult,
    /// How the fresh part was run; `None` if all results are of past runs.
    pub(crate) run_info: Option<RunInfo>,
    /// What is missing, and what was not the same for all.
    pub(crate) warnings: Vec<String>,
    /// Whether all times were measured on the same machine, under the same conditions.
    pub(crate) times_are_comparable: bool,
}

/// A case that entrants share.
struct PairedCase {
    key: CaseKey,
    spec: CaseSpec,
    /// By entrant.
    outcomes: Vec<Option<Outcome>>,
}

/// What results depend on, apart from the solver and the case.
#[derive(Clone)]
struct Conditions {
    limits: Limits,
    environment: String,
    tier: Tier,
    machine: [String; 2],
    /// The flags that repeat them.
    case_flags: Vec<String>,
}

impl Conditions {
    fn of_past(past: &PastEntrant) -> Self {
        let run = &past.run;
        Self {
            limits: run.limits.clone(),
            environment: run.environment.clone(),
            tier: run.tier,
            machine: [run.host.clone(), run.cpu_model.clone()],
            case_flags: command_line::case_flags(&command_line::recorded_words(&run.command)),
        }
    }

    fn of_runner(runner: &MatchRunner<'_>) -> Self {
        let plan = runner.template();
        let Surroundings { host, cpu_model, .. } = Surroundings::look(Path::new("."));
        Self {
            environment: environment(plan),
            limits: plan.limits.clone(),
            tier: runner.plan_runner.tier(),
            machine: [host, cpu_model],
            case_flags: plan.case_flags.clone(),
        }
    }

    /// Returns the names of what differs.
    fn differences(&self, other: &Self) -> Vec<&'static str> {
        let same = [
            ("machine", self.machine == other.machine),
            ("sandbox tier", self.tier == other.tier),
            ("limits", self.limits == other.limits),
            ("environment", self.environment == other.environment),
        ];
        same.into_iter().filter(|(_, same)| !same).map(|(what, _)| what).collect()
    }
}

/// Pairs the entrants on the cases of the past runs. Entrants without a past run on these cases now, under the limits
/// of the first past run.
pub(crate) fn pair(
    catalogue: &Catalogue,
    problem: &Problem,
    entrants: &[Entrant],
    args: &CaseArgs,
    running: &RunningArgs,
    reference: Option<&ReferenceScores>,
) -> Result<Pairing, Failure> {
    if args.seeds.is_some() || !args.inputs.is_empty() {
        return Err(Failure::usage("the cases of past runs are compared: --seeds and --inputs select none of them")
            .with_hint("--where 'CONDITION' selects some of them"));
    }
    let mut warnings = Vec::new();
    let mut shared = shared_cases(problem, entrants, args)?;
    if let Some(reference) = reference {
        for PairedCase { key, spec, .. } in &mut shared {
            reference.apply_to(problem.direction, spec, Some(key.input));
        }
    }
    let started = Instant::now();
    let mut conditions: Vec<Option<Conditions>> =
        entrants.iter().map(|entrant| entrant.past.as_ref().map(Conditions::of_past)).collect();
    let mut stop = None;
    let mut run_info = None;
    if let (Some(first), true) = (conditions.iter().flatten().next(), conditions.iter().any(Option::is_none)) {
        let problem = Problem { limits: first.limits.clone(), ..problem.clone() };
        let mut runner = MatchRunner::open(catalogue, &problem, running)?;
        let now = Conditions::of_runner(&runner);
        conditions.iter_mut().for_each(|conditions| *conditions = conditions.take().or_else(|| Some(now.clone())));
        stop = run_missing(&mut runner, entrants, &mut shared, &mut warnings)?;
        run_info = Some(runner.run_info(started.elapsed()));
    }
    let shared = comparable(entrants, shared, &mut warnings);
    let differences = warn_of_differences(entrants, &conditions, &mut warnings);
    warnings.iter().for_each(|warning| report::note(&format!("warning: {warning}")));
    if shared.is_empty() && stop.is_none() {
        return Err(Failure::usage(format!("{} and the others have no case in common", entrants[0].spec.name))
            .with_hint(
                "`judge history show RUN` lists the cases of a run; a solver beside a past run is run on its cases",
            ));
    }
    let plan = plan(problem, entrants, &shared, &conditions);
    let outcomes = shared.into_iter().flat_map(|case| case.outcomes).collect();
    let outcomes = OutcomeGrid::of_cells(entrants.len(), outcomes);
    Ok(Pairing { played: MatchResult { plan, outcomes, stop }, run_info, warnings, times_are_comparable: !differences })
}

/// Returns every case of the past runs for which the condition holds, with the recorded outcomes.
fn shared_cases(problem: &Problem, entrants: &[Entrant], args: &CaseArgs) -> Result<Vec<PairedCase>, Failure> {
    let mut shared: Vec<PairedCase> = Vec::new();
    let mut places: HashMap<CaseKey, usize> = HashMap::new();
    for (entrant, Entrant { past, .. }) in entrants.iter().enumerate() {
        let Some(past) = past else { continue };
        for (key, case, outcome) in past.results() {
            let place = *places.entry(key).or_insert_with(|| {
                let spec = restored_run::with_current_terms(&past.run.cases[case].spec, problem);
                shared.push(PairedCase { key, spec, outcomes: vec![None; entrants.len()] });
                shared.len() - 1
            });
            shared[place].outcomes[entrant] = Some(outcome.clone());
        }
    }
    let specs = shared.iter().map(|case| case.spec.clone()).collect();
    let kept = case_choice::filter(problem, specs, args.condition.as_ref(), None)?.cases;
    let kept: HashSet<_> = kept.iter().map(|case| (&case.name, &case.source)).collect();
    shared.retain(|case| kept.contains(&(&case.spec.name, &case.spec.source)));
    Ok(shared)
}

/// Runs the entrants without a past on the cases of the first entrant. Warns about cases whose input has changed.
fn run_missing(
    runner: &mut MatchRunner<'_>,
    entrants: &[Entrant],
    shared: &mut [PairedCase],
    warnings: &mut Vec<String>,
) -> Result<Option<Stop>, Failure> {
    let inputs = Inputs::of(&runner.template().problem);
    let is_same =
        |case: &&mut PairedCase| inputs.load(&case.spec).is_ok_and(|input| Digest::of(&input) == case.key.input);
    let is_wanted = |case: &&mut PairedCase| entrants[0].past.is_none() || case.outcomes[0].is_some();
    let (mut same, changed): (Vec<&mut PairedCase>, Vec<&mut PairedCase>) =
        shared.iter_mut().filter(is_wanted).partition(is_same);
    if !changed.is_empty() {
        let cases = names(changed.iter().map(|case| &**case));
        warnings.push(format!("{cases}: the input has changed or is missing; the case was not run"));
    }
    let playing: Vec<usize> = (0..entrants.len()).filter(|&entrant| entrants[entrant].past.is_none()).collect();
    let specs: Vec<_> = playing.iter().map(|&entrant| entrants[entrant].spec.clone()).collect();
    check_solvers(&specs, runner.toolbox.settings())?;
    let solvers = specs.into_iter().map(|spec| runner.prepare(spec)).collect::<Result<_, _>>()?;
    let played = runner.play(runner.plan(solvers, same.iter().map(|case| case.spec.clone()).collect())?)?;
    for (case, shared) in same.iter_mut().enumerate() {
        for (solver, &entrant) in playing.iter().enumerate() {
            shared.outcomes[entrant] = played.outcome(JobId { case, solver }).cloned();
        }
    }
    Ok(played.stop)
}

/// Keeps the cases that the first entrant shares with another one, and warns about the others.
fn comparable(entrants: &[Entrant], shared: Vec<PairedCase>, warnings: &mut Vec<String>) -> Vec<PairedCase> {
    let first = &entrants[0].spec.name;
    for (place, entrant) in entrants.iter().enumerate().skip(1) {
        let second = &entrant.spec.name;
        let has =
            |case: &&PairedCase, yes: usize, no: usize| case.outcomes[yes].is_some() && case.outcomes[no].is_none();
        for (name, other, yes, no) in [(first, second, 0, place), (second, first, place, 0)] {
            let only: Vec<&PairedCase> = shared.iter().filter(|case| has(case, yes, no)).collect();
            if !only.is_empty() {
                let cases = names(only.iter().copied());
                warnings.push(format!("{cases}: {name} has a result and {other} has none; the case is not compared"));
            }
        }
    }
    let is_shared = |case: &PairedCase| case.outcomes[0].is_some() && case.outcomes.iter().skip(1).any(Option::is_some);
    shared.into_iter().filter(is_shared).collect()
}

fn names<'a>(shared: impl Iterator<Item = &'a PairedCase>) -> String {
    let all: Vec<String> = shared.map(|case| case.spec.name.to_string()).collect();
    let more = all.len().saturating_sub(NAMED);
    let shown = all[..all.len() - more].join(", ");
    if more == 0 { shown } else { format!("{shown} and {more} more cases") }
}

/// Warns about conditions that were not the same for the first entrant and another one. Returns whether there are any.
fn warn_of_differences(entrants: &[Entrant], conditions: &[Option<Conditions>], warnings: &mut Vec<String>) -> bool {
    let mut any = false;
    for (entrant, other) in entrants.iter().zip(conditions).skip(1) {
        let (Some(first), Some(other)) = (&conditions[0], other) else { continue };
        let differences = first.differences(other);
        if !differences.is_empty() {
            any = true;
            let [first, second] = [&entrants[0].spec.name, &entrant.spec.name];
            warnings.push(format!("{first} and {second} differ in: {}", differences.join(", ")));
        }
    }
    any
}

fn plan(problem: &Problem, entrants: &[Entrant], shared: &[PairedCase], conditions: &[Option<Conditions>]) -> Plan {
    let solver = |entrant: &Entrant| restored_run::recorded_solver(entrant.spec.clone());
    let first = conditions.iter().flatten().next();
    let limits = first.map_or(&problem.limits, |first| &first.limits);
    let flags = first.map_or_else(Vec::new, |first| first.case_flags.clone());
    let cases = shared.iter().map(|case| case.spec.clone()).collect();
    restored_run::plan(problem, cases, entrants.iter().map(solver).collect(), limits, flags)
}
