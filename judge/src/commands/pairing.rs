//! Pairs solvers of past runs with each other, and with solvers that play the same cases now.

use super::arena::{Arena, Played};
use super::failure::Failure;
use super::reference::Reference;
use super::sides::{Past, SameCase, Side};
use super::{choice, stored};
use crate::cases::Inputs;
use crate::cli::{CaseArgs, RunningArgs};
use crate::journal::{Surroundings, environment};
use crate::manifest::Catalogue;
use crate::model::{CaseSpec, Digest, JobId, Limits, Outcome, Problem, Stop};
use crate::plan::Plan;
use crate::report::{self, Venue};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::time::Instant;

/// So many cases are named where some are missing.
const NAMED: usize = 5;

/// What was played, now or in the past, by sides that meet on the same cases.
pub(super) struct Meeting {
    pub(super) played: Played,
    /// Where and how it was played now; `None` if it was not.
    pub(super) venue: Option<Venue>,
    /// What the reader has to know: what is missing, and what was not the same.
    pub(super) warnings: Vec<String>,
    /// Whether times were taken on the same machine, under the same conditions.
    pub(super) times_are_comparable: bool,
}

/// A case on which sides meet.
struct Meet {
    key: SameCase,
    spec: CaseSpec,
    /// By side.
    outcomes: Vec<Option<Outcome>>,
}

/// What results depend on beside the solver and the case.
#[derive(Clone)]
struct Conditions {
    limits: Limits,
    environment: String,
    tier: String,
    machine: [String; 2],
}

impl Conditions {
    fn of_past(past: &Past) -> Self {
        let run = &past.run;
        Self {
            limits: run.limits.clone(),
            environment: run.environment.clone(),
            tier: run.tier.clone(),
            machine: [run.host.clone(), run.cpu_model.clone()],
        }
    }

    fn of_arena(arena: &Arena<'_>) -> Self {
        let plan = arena.template();
        let Surroundings { host, cpu_model, .. } = Surroundings::look(Path::new("."));
        Self {
            environment: environment(plan),
            limits: plan.limits.clone(),
            tier: arena.runner.tier().name().to_owned(),
            machine: [host, cpu_model],
        }
    }

    /// Returns what is not the same, in words.
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

/// Lets the sides meet on the cases of the past runs; those that are to play do so now, under the limits of the first of
/// these runs.
pub(super) fn meet(
    catalogue: &Catalogue,
    problem: &Problem,
    sides: &[Side],
    cases: &CaseArgs,
    running: &RunningArgs,
    reference: Option<&Reference>,
) -> Result<Meeting, Failure> {
    if cases.seeds.is_some() || !cases.inputs.is_empty() {
        return Err(Failure::usage("the cases of past runs are compared: --seeds and --inputs select none of them")
            .with_hint("--where 'CONDITION' keeps to some of them"));
    }
    let mut warnings = Vec::new();
    let mut meets = meets(problem, sides, cases)?;
    if let Some(reference) = reference {
        let measure = |meet: &mut Meet| {
            reference.measure_one(problem.direction, &mut meet.spec, Some(meet.key.input));
        };
        meets.iter_mut().for_each(measure);
    }
    let started = Instant::now();
    let mut conditions: Vec<Option<Conditions>> =
        sides.iter().map(|side| side.past.as_ref().map(Conditions::of_past)).collect();
    let mut stop = None;
    let mut venue = None;
    if let (Some(first), true) = (conditions.iter().flatten().next(), conditions.iter().any(Option::is_none)) {
        let problem = Problem { limits: first.limits.clone(), ..problem.clone() };
        let mut arena = Arena::open(catalogue, &problem, running)?;
        let now = Conditions::of_arena(&arena);
        conditions.iter_mut().for_each(|conditions| *conditions = conditions.take().or_else(|| Some(now.clone())));
        stop = play(&mut arena, sides, &mut meets, &mut warnings)?;
        venue = Some(arena.venue(started.elapsed()));
    }
    let meets = compared(sides, meets, &mut warnings);
    let differences = tell_differences(sides, &conditions, &mut warnings);
    warnings.iter().for_each(|warning| report::note(&format!("warning: {warning}")));
    if meets.is_empty() && stop.is_none() {
        return Err(Failure::usage(format!("{} and the others have no case in common", sides[0].spec.name)).with_hint(
            "`judge history show RUN` tells the cases of a run; a solver beside a past run plays its cases",
        ));
    }
    let plan = plan(problem, sides, &meets, &conditions);
    let outcomes = meets.into_iter().flat_map(|meet| meet.outcomes).collect();
    Ok(Meeting { played: Played { plan, outcomes, stop }, venue, warnings, times_are_comparable: !differences })
}

/// Every case of the past runs for which the condition holds, with what is known of it.
fn meets(problem: &Problem, sides: &[Side], args: &CaseArgs) -> Result<Vec<Meet>, Failure> {
    let mut meets: Vec<Meet> = Vec::new();
    let mut places: HashMap<SameCase, usize> = HashMap::new();
    for (side, past) in sides.iter().enumerate().filter_map(|(place, side)| Some((place, side.past.as_ref()?))) {
        for (key, case, outcome) in past.results() {
            let place = *places.entry(key).or_insert_with(|| {
                let spec = stored::with_terms(&past.run.cases[case].spec, problem);
                meets.push(Meet { key, spec, outcomes: vec![None; sides.len()] });
                meets.len() - 1
            });
            meets[place].outcomes[side] = Some(outcome.clone());
        }
    }
    let specs = meets.iter().map(|meet| meet.spec.clone()).collect();
    let kept = choice::keep(problem, specs, args.condition.as_ref(), None)?.cases;
    let kept: HashSet<_> = kept.iter().map(|case| (&case.name, &case.source)).collect();
    meets.retain(|meet| kept.contains(&(&meet.spec.name, &meet.spec.source)));
    Ok(meets)
}

/// Lets those who have no past play the cases that the first side has, or plays too. A case whose input is not what it was
/// is told.
fn play(
    arena: &mut Arena<'_>,
    sides: &[Side],
    meets: &mut [Meet],
    warnings: &mut Vec<String>,
) -> Result<Option<Stop>, Failure> {
    let inputs = Inputs::of(&arena.template().problem);
    let is_same = |meet: &&mut Meet| inputs.load(&meet.spec).is_ok_and(|input| Digest::of(&input) == meet.key.input);
    let is_wanted = |meet: &&mut Meet| sides[0].past.is_none() || meet.outcomes[0].is_some();
    let (mut same, changed): (Vec<&mut Meet>, Vec<&mut Meet>) = meets.iter_mut().filter(is_wanted).partition(is_same);
    if !changed.is_empty() {
        let cases = names(changed.iter().map(|meet| &**meet));
        warnings.push(format!("{cases}: the input is another one today, or gone, so it was not played"));
    }
    let playing: Vec<usize> = (0..sides.len()).filter(|&side| sides[side].past.is_none()).collect();
    let solvers = playing.iter().map(|&side| arena.prepare(sides[side].spec.clone())).collect();
    let played = arena.play(arena.plan(solvers, same.iter().map(|meet| meet.spec.clone()).collect())?)?;
    for (case, meet) in same.iter_mut().enumerate() {
        for (solver, &side) in playing.iter().enumerate() {
            meet.outcomes[side] = played.outcome(JobId { case, solver }).cloned();
        }
    }
    Ok(played.stop)
}

/// Keeps the cases that the first side and another one have, and tells what is left out on which side.
fn compared(sides: &[Side], meets: Vec<Meet>, warnings: &mut Vec<String>) -> Vec<Meet> {
    let first = &sides[0].spec.name;
    for (place, side) in sides.iter().enumerate().skip(1) {
        let second = &side.spec.name;
        let has = |meet: &&Meet, yes: usize, no: usize| meet.outcomes[yes].is_some() && meet.outcomes[no].is_none();
        for (name, other, yes, no) in [(first, second, 0, place), (second, first, place, 0)] {
            let only: Vec<&Meet> = meets.iter().filter(|meet| has(meet, yes, no)).collect();
            if !only.is_empty() {
                let cases = names(only.iter().copied());
                warnings
                    .push(format!("{cases}: {name} has a result there and {other} has none, so it is not compared"));
            }
        }
    }
    let is_shared = |meet: &Meet| meet.outcomes[0].is_some() && meet.outcomes.iter().skip(1).any(Option::is_some);
    meets.into_iter().filter(is_shared).collect()
}

fn names<'a>(meets: impl Iterator<Item = &'a Meet>) -> String {
    let all: Vec<String> = meets.map(|meet| meet.spec.name.to_string()).collect();
    let more = all.len().saturating_sub(NAMED);
    let shown = all[..all.len() - more].join(", ");
    if more == 0 { shown } else { format!("{shown} and {more} more cases") }
}

/// Tells what was not the same for the first side and another one. Returns whether there is anything.
fn tell_differences(sides: &[Side], conditions: &[Option<Conditions>], warnings: &mut Vec<String>) -> bool {
    let mut any = false;
    for (side, other) in sides.iter().zip(conditions).skip(1) {
        let (Some(first), Some(other)) = (&conditions[0], other) else { continue };
        let differences = first.differences(other);
        if !differences.is_empty() {
            any = true;
            let [first, second] = [&sides[0].spec.name, &side.spec.name];
            warnings.push(format!("not the same for {first} and {second}: {}", differences.join(", ")));
        }
    }
    any
}

fn plan(problem: &Problem, sides: &[Side], meets: &[Meet], conditions: &[Option<Conditions>]) -> Plan {
    let solver = |side: &Side| stored::unplayable(side.spec.clone());
    let limits = conditions.iter().flatten().next().map_or(&problem.limits, |first| &first.limits);
    let cases = meets.iter().map(|meet| meet.spec.clone()).collect();
    stored::plan(problem, cases, sides.iter().map(solver).collect(), limits)
}
