//! Pairs solvers of past runs by case, with each other and with solvers that run on the same cases now.

use crate::entrants::{CaseKey, Entrant, PastEntrant};
use crate::{
    Failure, FromJournal, MatchResult, MatchRunner, ReferenceScores, Result, case_selection, command_line, restored_run,
};
use judge_cli::{CaseArgs, RunningArgs};
use judge_compare::paired::EffectMeasure;
use judge_journal::{environment, this_machine};
use judge_problem::{
    CaseFlags, CaseList, CaseSpec, Catalogue, JobId, Limits, Machine, NodeList, Outcome, OutcomeGrid, Plan, Problem,
    Stop, StoredFeatures, first_of,
};
use judge_report::RunInfo;
use judge_run::cases::Inputs;
use judge_sandbox::Tier;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::time::Instant;

/// The number of cases that a warning names.
const NAMED: usize = 5;

/// The results of all entrants on the cases that they share.
pub struct Pairing {
    /// The result of the match.
    pub played: MatchResult,
    /// How the fresh part was run; `None` if all results are of past runs.
    pub run_info: Option<RunInfo>,
    /// Missing data, and conditions that differed between entrants.
    pub warnings: Vec<String>,
    /// Whether all times were measured under the same conditions: on one machine, or on the nodes that the results
    /// name.
    pub times_are_comparable: bool,
    /// The machines that the results name.
    pub nodes: NodeList,
    /// The stored features of each case; none if all cases were run now.
    pub features: Vec<Option<StoredFeatures>>,
}

impl Pairing {
    /// Returns the result of a match in which all results are new. They were made on these nodes, or on this machine.
    pub fn fresh(played: MatchResult, run_info: Option<RunInfo>, nodes: NodeList) -> Self {
        Self { played, run_info, warnings: Vec::new(), times_are_comparable: true, nodes, features: Vec::new() }
    }
}

/// The cases that entrants share.
#[derive(Default)]
struct SharedCases {
    keys: Vec<CaseKey>,
    specs: CaseList,
    /// Their features, where they are stored.
    features: Vec<Option<StoredFeatures>>,
    /// By case and entrant.
    outcomes: OutcomeGrid,
    /// The machines that the outcomes name.
    nodes: NodeList,
}

impl SharedCases {
    fn new(entrants: usize) -> Self {
        Self { outcomes: OutcomeGrid::new(0, entrants), ..Self::default() }
    }

    /// Adds the nodes of a run. Returns the name of each in the list of all entrants' nodes.
    fn add_nodes(&mut self, nodes: &NodeList) -> HashMap<String, String> {
        nodes.iter().map(|node| (node.name.clone(), self.nodes.add(node.clone()))).collect()
    }

    /// Sets an outcome, whose node has another name here.
    fn set(&mut self, case: usize, entrant: usize, outcome: Outcome, names: &HashMap<String, String>) {
        let node = outcome.node.and_then(|name| names.get(&name).cloned());
        self.outcomes.set(JobId { case, solver: entrant }, &Outcome { node, ..outcome });
    }

    fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns whether an entrant has a result on a case.
    fn has(&self, case: usize, entrant: usize) -> bool {
        self.outcomes.has(JobId { case, solver: entrant })
    }

    /// Returns these of the cases.
    fn only(self, places: &[usize]) -> Self {
        if places.len() == self.len() {
            return self;
        }
        let mut kept = Self { nodes: self.nodes, ..Self::new(self.outcomes.solver_count()) };
        for &place in places {
            kept.keys.push(self.keys[place]);
            kept.specs.push(self.specs.at(place));
            kept.features.push(self.features[place].clone());
            kept.outcomes.add_case(self.outcomes.of_case(place));
        }
        kept
    }

    /// Names some of the cases.
    fn names(&self, places: &[usize]) -> String {
        let names = first_of(places.iter().map(|&place| self.specs.at(place).name), NAMED, places.len());
        if places.len() > NAMED { names + " cases" } else { names }
    }
}

/// The conditions of results, apart from the solver and the case.
#[derive(Clone)]
struct Conditions {
    limits: Limits,
    environment: String,
    tier: Tier,
    /// `None`: the nodes that the results name.
    machine: Option<Machine>,
    /// The flags that repeat them.
    case_flags: CaseFlags,
}

impl Conditions {
    fn of_past(past: &PastEntrant) -> Self {
        let run = &past.run;
        let made = &run.provenance;
        Self {
            limits: run.limits.clone(),
            environment: run.environment.clone(),
            tier: run.tier,
            machine: made.nodes.is_empty().then(|| made.machine.clone()),
            case_flags: command_line::recorded_case_flags(&made.command),
        }
    }

    fn of_runner(runner: &MatchRunner<'_>) -> Self {
        let plan = &runner.template;
        Self {
            environment: environment(plan),
            limits: plan.limits.clone(),
            tier: runner.plan_runner.tier(),
            machine: runner.plan_runner.engine().is_none().then(this_machine),
            case_flags: plan.case_flags.clone(),
        }
    }

    /// Returns the names of the differing conditions.
    fn differences(&self, other: &Self) -> Vec<&'static str> {
        // With another kernel, it is the same machine.
        fn known_by(machine: &Machine) -> (&str, &str) {
            (&machine.host, &machine.cpu_model)
        }
        let same = [
            ("machine", self.machine.as_ref().map(known_by) == other.machine.as_ref().map(known_by)),
            ("sandbox tier", self.tier == other.tier),
            ("limits", self.limits == other.limits),
            ("environment", self.environment == other.environment),
        ];
        same.into_iter().filter(|(_, same)| !same).map(|(what, _)| what).collect()
    }
}

/// Pairs the entrants on the cases of the past runs. Entrants without a past run on these cases now, under the limits
/// of the first past run. Points are relative to the best scores in `best`, or else to the ones known today. `warn`
/// receives each warning.
pub fn pair(
    catalogue: &Catalogue,
    problem: &Problem,
    entrants: &[Entrant],
    (args, running): (&CaseArgs, &RunningArgs),
    (measure, best): (Option<EffectMeasure>, Option<&Path>),
    warn: fn(&str),
) -> Result<Pairing> {
    let reference = ReferenceScores::of_points(measure, catalogue, problem, best, FromJournal::Today)?;
    if args.seeds.is_some() || !args.inputs.is_empty() || !args.calls.is_empty() {
        return Err(Failure::usage(
            "the cases of past runs are compared: --seeds, --case and --inputs select none of them",
        )
        .with_hint("--where 'CONDITION' selects some of them"));
    }
    let mut warnings: Vec<String> = entrants.iter().filter_map(warning_of_edit).collect();
    let mut shared = shared_cases(problem, entrants, args)?;
    let inputs: Vec<_> = shared.keys.iter().map(|key| Some(key.input)).collect();
    reference.apply_to_recorded(problem.direction, &mut shared.specs, &inputs);
    let problem = &Problem { best: reference.source.clone(), ..problem.clone() };
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
    warnings.iter().for_each(|warning| warn(warning));
    if shared.keys.is_empty() && stop.is_none() {
        return Err(Failure::usage(format!("{} and the others have no case in common", entrants[0].spec.name))
            .with_hint(
                "`judge history show RUN` lists the cases of a run; a solver beside a past run is run on its cases",
            ));
    }
    let plan = plan(problem, entrants, shared.specs, &conditions);
    let inputs = shared.keys.iter().map(|key| Some(key.input)).collect();
    let (outcomes, nodes, features) = (shared.outcomes, shared.nodes, shared.features);
    let played = MatchResult { plan, outcomes, inputs, stop };
    Ok(Pairing { played, run_info, warnings, times_are_comparable: !differences, nodes, features })
}

/// Returns every case of the past runs for which the condition holds, with the recorded outcomes.
fn shared_cases(problem: &Problem, entrants: &[Entrant], args: &CaseArgs) -> Result<SharedCases> {
    let mut shared = SharedCases::new(entrants.len());
    let mut places: HashMap<CaseKey, usize> = HashMap::new();
    let terms = problem.cases.terms_by_source();
    for (entrant, Entrant { past, .. }) in entrants.iter().enumerate() {
        let Some(past) = past else { continue };
        let names = shared.add_nodes(&past.run.provenance.nodes);
        for (key, case, outcome) in past.results() {
            let place = *places.entry(key).or_insert_with(|| {
                let CaseSpec { name, source, .. } = past.run.cases.specs().at(case);
                shared.keys.push(key);
                shared.features.push(past.run.cases.features()[case].clone());
                shared.specs.push(terms.case(name, source));
                shared.outcomes.add_case(entrants.iter().map(|_| None));
                shared.len() - 1
            });
            shared.set(place, entrant, outcome, &names);
        }
    }
    let Some(condition) = &args.condition else { return Ok(shared) };
    if let Some(features) = case_selection::stored_by_rules(problem, &shared.features) {
        case_selection::check_names(condition.names(), &features)?;
        let places: Vec<usize> = (0..shared.len()).filter(|&place| condition.holds(&features[place])).collect();
        case_selection::report_kept(Some(condition), places.len(), &format!("the {} cases", shared.len()))?;
        return Ok(shared.only(&places));
    }
    let kept = case_selection::filter(problem, shared.specs.clone(), args.condition.as_ref(), None)?.cases;
    let kept: HashSet<_> = kept.iter().map(|case| (case.name, case.source)).collect();
    let is_kept = |(place, case): (usize, CaseSpec)| kept.contains(&(case.name, case.source)).then_some(place);
    let places: Vec<usize> = shared.specs.iter().enumerate().filter_map(is_kept).collect();
    Ok(shared.only(&places))
}

/// Runs the entrants without a past on the cases of the first entrant. Warns about cases whose input has changed.
fn run_missing(
    runner: &mut MatchRunner<'_>,
    entrants: &[Entrant],
    shared: &mut SharedCases,
    warnings: &mut Vec<String>,
) -> Result<Option<Stop>> {
    let inputs = Inputs::of(&runner.template.problem);
    let hash = |place: usize| inputs.hash_of(&shared.specs, &shared.specs.at(place).source);
    let is_same = |&place: &usize| hash(place) == Some(shared.keys[place].input);
    let is_wanted = |place: &usize| entrants[0].past.is_none() || shared.has(*place, 0);
    let (same, changed): (Vec<usize>, Vec<usize>) = (0..shared.len()).filter(is_wanted).partition(is_same);
    if !changed.is_empty() {
        let cases = shared.names(&changed);
        warnings.push(format!("{cases}: the input has changed or is missing; the case was not run"));
    }
    let playing: Vec<usize> = (0..entrants.len()).filter(|&entrant| entrants[entrant].past.is_none()).collect();
    let specs: Vec<_> = playing.iter().map(|&entrant| entrants[entrant].spec.clone()).collect();
    let solvers = runner.prepare_all(specs)?;
    let cases = same.iter().map(|&place| shared.specs.at(place)).collect();
    let best = runner.template.problem.best.clone();
    let played = runner.play(runner.plan_as_it_is(solvers, cases, best))?;
    let names = shared.add_nodes(&runner.plan_runner.nodes());
    for (case, &place) in same.iter().enumerate() {
        for (solver, &entrant) in playing.iter().enumerate() {
            if let Some(outcome) = played.outcomes.get(JobId { case, solver }) {
                shared.set(place, entrant, outcome, &names);
            }
        }
    }
    Ok(played.stop)
}

/// Keeps the cases that the first entrant shares with at least one other, and warns about the others.
fn comparable(entrants: &[Entrant], shared: SharedCases, warnings: &mut Vec<String>) -> SharedCases {
    let first = &entrants[0].spec.name;
    for (place, entrant) in entrants.iter().enumerate().skip(1) {
        let second = &entrant.spec.name;
        for (name, other, yes, no) in [(first, second, 0, place), (second, first, place, 0)] {
            let only: Vec<usize> =
                (0..shared.len()).filter(|&case| shared.has(case, yes) && !shared.has(case, no)).collect();
            if !only.is_empty() {
                let cases = shared.names(&only);
                warnings.push(format!("{cases}: {name} has a result and {other} has none; the case is not compared"));
            }
        }
    }
    let others = 1..entrants.len();
    let is_shared = |&case: &usize| shared.has(case, 0) && others.clone().any(|entrant| shared.has(case, entrant));
    let places: Vec<usize> = (0..shared.len()).filter(is_shared).collect();
    shared.only(&places)
}

/// Prints a warning.
pub fn print_warning(warning: &str) {
    judge_report::note(&format!("warning: {warning}"));
}

/// Returns the warning that an entrant's results are of a run that does not count.
fn warning_of_edit(entrant: &Entrant) -> Option<String> {
    let run = entrant.past.as_ref().map(|past| &past.run).filter(|run| run.is_disowned)?;
    let (id, name) = (run.id, &entrant.spec.name);
    Some(format!("{name}: a program was edited while run {id} went on: its results may be of two versions"))
}

/// Warns about conditions that differed between the first entrant and another one. Returns whether there are any.
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

fn plan(problem: &Problem, entrants: &[Entrant], cases: CaseList, conditions: &[Option<Conditions>]) -> Plan {
    let solver = |entrant: &Entrant| restored_run::recorded_solver(entrant.spec.clone());
    let first = conditions.iter().flatten().next();
    let limits = first.map_or(&problem.limits, |first| &first.limits).clone();
    let case_flags = first.map(|first| command_line::with_limits(&first.case_flags, &problem.limits, &limits));
    let case_flags = case_flags.unwrap_or_default();
    Plan { limits, case_flags, ..Plan::new(problem.clone(), entrants.iter().map(solver).collect(), cases) }
}
