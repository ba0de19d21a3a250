//! `judge compare`: is one solver better than another, and how certain is that?

use super::arena::{Arena, Played};
use super::deciding::until_decided;
use super::failure::Failure;
use super::pairing::{self, Meeting};
use super::reference::Reference;
use super::{choice, load, points, sides};
use crate::cases::describe_all;
use crate::cli::CompareArgs;
use crate::duel::{
    self, Described, Duel, Group, MinEffect, Ruling, Stakes, Unruled, UnsuitedMinEffect, Values, Yardstick,
};
use crate::journal::RunId;
use crate::manifest::Catalogue;
use crate::model::{Exit, Features, Outcome, Problem};
use crate::plan::Plan;
use crate::report::{self, Bout, CompareReport, Style};
use crate::scoring::InvalidResults;
use std::path::Path;
use std::time::Instant;

/// The bootstrap draws the same resamples every time: the same scores give the same report.
const BOOTSTRAP_SEED: u64 = 1;

/// No relative difference between scores of one sign is larger.
const LARGEST_RELATIVE: f64 = 1.0;

/// Compares solvers with the first one of them.
pub(super) fn compare(catalogue: Option<&Path>, args: &CompareArgs) -> Result<Exit, Failure> {
    let catalogue = load::catalogue(catalogue)?;
    let problem = catalogue.find(&args.problem)?;
    if let (true, Some(measure)) = (args.exact, args.statistics.measure.filter(|&how| how != Yardstick::Relative)) {
        return Err(Failure::usage(format!(
            "--exact needs effects that have a bound, and those of `{measure}` have none"
        ))
        .with_hint("leave --measure away, or make it --measure relative"));
    }
    let sides = sides::find(&catalogue, problem, &args.solvers)?;
    let meeting = if sides.iter().all(|side| side.past.is_none()) {
        play(&catalogue, problem, args)?
    } else if args.until_decided {
        return Err(Failure::usage("--until-decided plays fresh cases, which a past run does not have")
            .with_hint("name the solvers themselves, or leave --until-decided away to compare what is recorded"));
    } else {
        let best = args.best.as_deref();
        let reference = Reference::of_points(args.statistics.measure, &catalogue, problem, best)?;
        pairing::meet(&catalogue, problem, &sides, &args.cases, &args.running, reference.as_ref())?
    };
    let Meeting { played, venue, warnings, times_are_comparable } = meeting;
    let yardstick = yardstick(args, &played.outcomes);
    let stakes = stakes(args, yardstick, played.plan.solvers.len() - 1)?;
    let bouts = bouts(&played, args, yardstick, stakes)?;
    let runs: Vec<Option<RunId>> = sides.iter().map(|side| side.past.as_ref().map(|past| past.run.id)).collect();
    let report = CompareReport {
        plan: &played.plan,
        outcomes: &played.outcomes,
        yardstick,
        alpha: args.statistics.alpha,
        stakes,
        is_sequential: args.until_decided,
        bouts: &bouts,
        group_by: args.group_by.as_deref(),
        stop: played.stop,
        venue,
        runs: &runs,
        warnings: &warnings,
        times_are_comparable,
    };
    publish(&report, args)?;
    Ok(played.exit())
}

/// Lets all solvers play now.
fn play(catalogue: &Catalogue, problem: &Problem, args: &CompareArgs) -> Result<Meeting, Failure> {
    let mut arena = Arena::open(catalogue, problem, &args.running)?;
    arena.measure(args.statistics.measure, args.best.as_deref())?;
    let solvers = arena.solvers(&args.solvers)?;
    let started = Instant::now();
    let played = if args.until_decided {
        until_decided(&arena, solvers, args)?
    } else {
        arena.play(arena.plan(solvers, arena.cases(&args.cases, args.group_by.as_deref())?)?)?
    };
    let venue = Some(arena.venue(started.elapsed()));
    Ok(Meeting { played, venue, warnings: Vec::new(), times_are_comparable: true })
}

/// Returns what the effects of these outcomes are measured in.
pub(super) fn yardstick(args: &CompareArgs, outcomes: &[Option<Outcome>]) -> Yardstick {
    let scores = outcomes.iter().flatten().filter_map(|outcome| outcome.score.as_ref());
    match args.statistics.measure {
        Some(measure) => measure,
        None if args.exact => Yardstick::Relative,
        None => Yardstick::suited_to(scores, args.min_effect.as_ref()),
    }
}

/// Returns what is asked of each comparison. So many comparisons share the probability of a false claim (Bonferroni): all
/// claims together are right with the probability that was asked for.
pub(super) fn stakes(args: &CompareArgs, yardstick: Yardstick, bouts: usize) -> Result<Stakes, UnsuitedMinEffect> {
    let min_effect: Option<&MinEffect> = args.min_effect.as_ref();
    let alpha = args.statistics.alpha / bouts.max(1) as f64;
    let bound = args.exact.then_some(LARGEST_RELATIVE);
    Ok(Stakes { alpha, min_effect: yardstick.min_effect(min_effect)?, bound, seed: BOOTSTRAP_SEED })
}

/// Pairs a solver with the first one.
pub(super) fn duel(played: &Played, yardstick: Yardstick, second: usize) -> Result<Duel, InvalidResults> {
    let Played { plan, outcomes, .. } = played;
    if let Some(measure) = yardstick.measure() {
        return Ok(Duel::of(plan, outcomes, 0, second, Values::Scores(measure)));
    }
    let scored = points::score(plan, outcomes, &vec![None; plan.cases.len()], None)?;
    Ok(Duel::of(plan, outcomes, 0, second, Values::Points(&scored.board)))
}

fn bouts(played: &Played, args: &CompareArgs, yardstick: Yardstick, stakes: Stakes) -> Result<Vec<Bout>, Failure> {
    let described = match &args.group_by {
        Some(feature) => describe(&played.plan, feature)?,
        None => Vec::new(),
    };
    let bout = |second| {
        let duel = duel(played, yardstick, second)?;
        let ruling: Ruling =
            if args.until_decided { duel::judge_growing(&duel, stakes)? } else { duel::judge_fixed(&duel, stakes) };
        let groups: Vec<Group> = duel::group(&duel, described.clone(), stakes);
        Ok(Bout { duel, ruling, groups })
    };
    (1..played.plan.solvers.len()).map(bout).collect()
}

/// Returns the value of a feature for every case that has it.
fn describe(plan: &Plan, feature: &str) -> Result<Vec<Described>, Failure> {
    let features: Vec<Features> = describe_all(&plan.problem, &plan.cases)?;
    choice::check_name(feature, &features)?;
    let described = |(case, features): (usize, &Features)| {
        features.get(feature).map(|value| Described { case, value: value.clone() })
    };
    Ok(features.iter().enumerate().filter_map(described).collect())
}

fn publish(report: &CompareReport<'_>, args: &CompareArgs) -> Result<(), Failure> {
    if let Some(path) = &args.json {
        let json = report::compare_json(report).map_err(Failure::fault)?;
        load::write("the JSON report", path, json.as_bytes())?;
    }
    if args.json.as_deref() != Some(Path::new("-")) {
        report::print(&report::compare_text(report, Style::of_stdout()))?;
    }
    Ok(())
}

impl From<UnsuitedMinEffect> for Failure {
    fn from(error: UnsuitedMinEffect) -> Self {
        Self::usage(error)
    }
}

impl From<Unruled> for Failure {
    fn from(error: Unruled) -> Self {
        match error {
            Unruled::Settings(_) => Self::usage(error),
            Unruled::BeyondBound { .. } => Self::usage(error)
                .with_hint("--exact is for scores of one sign; without it, --until-decided compares any others"),
        }
    }
}

impl From<InvalidResults> for Failure {
    fn from(error: InvalidResults) -> Self {
        Self::fault(error)
    }
}
