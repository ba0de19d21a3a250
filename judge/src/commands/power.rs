//! `judge power`: which difference so many cases show, and how many cases a difference needs.

use super::arena::{Arena, Played};
use super::compare::duel;
use super::failure::Failure;
use super::load;
use crate::cli::PowerArgs;
use crate::duel::{MinEffect, Yardstick};
use crate::model::{Exit, Stop};
use crate::report::{self, PowerReport, Spread, Style};
use crate::solver;
use crate::statistics::Moments;
use std::path::Path;

/// What is tabulated unless the user asks for something: numbers of cases.
const CASES: [u64; 8] = [10, 20, 50, 100, 200, 500, 1000, 5000];

/// And differences: shares, or parts of the standard deviation where effects are no shares.
const SHARES: [f64; 7] = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1];
const DEVIATIONS: [f64; 5] = [0.05, 0.1, 0.2, 0.5, 1.0];

/// Tabulates what so many cases show.
pub(super) fn power(catalogue: Option<&Path>, args: &PowerArgs) -> Result<Exit, Failure> {
    let (spread, exit) = match (&args.problem, &args.sd, &args.effects) {
        (Some(id), _, _) => match measured(catalogue, id, args)? {
            Measured::Spread(spread, exit) => (spread, exit),
            Measured::Interrupted => return Ok(Exit::Interrupted),
        },
        (None, Some(sd), _) => (given(sd), Exit::Success),
        (None, None, Some(path)) => (recorded(args, path)?, Exit::Success),
        (None, None, None) => return Err(Failure::usage("there is no spread to calculate with")),
    };
    let yardstick = spread.yardstick;
    let asked = args.differences.iter().map(|given| yardstick.min_effect(Some(given)));
    let asked: Vec<f64> = asked.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
    let report = PowerReport {
        counts: if args.counts.is_empty() && asked.is_empty() { CASES.to_vec() } else { args.counts.clone() },
        differences: if args.counts.is_empty() && asked.is_empty() { usual(&spread) } else { asked },
        spread,
        alpha: args.statistics.alpha,
        power: args.power,
    };
    publish(&report, args)?;
    Ok(exit)
}

enum Measured {
    Spread(Spread, Exit),
    Interrupted,
}

/// Plays two solvers, or one against itself: what differs then is chance.
fn measured(catalogue: Option<&Path>, id: &str, args: &PowerArgs) -> Result<Measured, Failure> {
    let catalogue = load::catalogue(catalogue)?;
    let mut arena = Arena::open(&catalogue, catalogue.find(id)?, &args.running)?;
    arena.measure(args.statistics.measure, args.best.as_deref())?;
    let mut solvers = arena.solvers(&args.solvers)?;
    let source = match solvers.as_slice() {
        [only] => {
            let source = format!("{} against itself", only.spec.name);
            let mut again = solver::prepare(only.spec.clone(), &mut arena.toolbox);
            again.spec.name.push_str(" again");
            solvers.push(again);
            source
        }
        [first, second] => format!("{} against {}", second.spec.name, first.spec.name),
        _ => return Err(Failure::usage("give one solver, or two to be compared")),
    };
    let played = arena.play(arena.plan(solvers, arena.cases(&args.cases, None)?)?)?;
    if played.stop == Some(Stop::Interrupted) {
        return Ok(Measured::Interrupted);
    }
    Ok(Measured::Spread(of_played(&played, args, source)?, played.exit()))
}

fn of_played(played: &Played, args: &PowerArgs, source: String) -> Result<Spread, Failure> {
    let scores = played.outcomes.iter().flatten().filter_map(|outcome| outcome.score.as_ref());
    let yardstick = args.statistics.measure.unwrap_or_else(|| Yardstick::suited_to(scores, args.differences.first()));
    let moments = Moments::of(&duel(played, yardstick, 1)?.effects());
    if moments.count() < 2 {
        return Err(Failure::usage(format!("{} cases that both solved show no spread", moments.count()))
            .with_hint("give more cases: --seeds 1-30"));
    }
    Ok(Spread { yardstick, deviation: moments.deviation(), source: format!("{source}, {} cases", moments.count()) })
}

fn given(sd: &MinEffect) -> Spread {
    let (yardstick, deviation) = match sd {
        MinEffect::Share(share) => (Yardstick::Ratio, share.share().ln_1p()),
        MinEffect::Amount(amount) => (Yardstick::Difference, *amount),
    };
    Spread { yardstick, deviation, source: "given".to_owned() }
}

/// Reads effects, one number each, separated by white space.
fn recorded(args: &PowerArgs, path: &Path) -> Result<Spread, Failure> {
    let bytes = load::bytes("the effects", path)?;
    let text = String::from_utf8_lossy(&bytes);
    let number = |word: &str| match word.parse::<f64>() {
        Ok(effect) if effect.is_finite() => Ok(effect),
        _ => Err(Failure::usage(format!("{}: `{word}` is not a number", path.display()))),
    };
    let effects: Vec<f64> = text.split_whitespace().map(number).collect::<Result<_, _>>()?;
    let moments = Moments::of(&effects);
    if moments.count() < 2 {
        return Err(Failure::usage(format!("{}: at least two effects are needed", path.display())));
    }
    Ok(Spread {
        yardstick: args.statistics.measure.unwrap_or(Yardstick::Ratio),
        deviation: moments.deviation(),
        source: format!("{} effects in {}", moments.count(), path.display()),
    })
}

fn usual(spread: &Spread) -> Vec<f64> {
    if spread.yardstick.is_share() {
        SHARES.iter().map(|share| spread.yardstick.of_share(*share)).collect()
    } else {
        DEVIATIONS.iter().map(|part| part * spread.deviation).filter(|difference| *difference > 0.0).collect()
    }
}

fn publish(report: &PowerReport, args: &PowerArgs) -> Result<(), Failure> {
    if let Some(path) = &args.json {
        let json = report::power_json(report).map_err(Failure::fault)?;
        load::write("the JSON report", path, json.as_bytes())?;
    }
    if args.json.as_deref() != Some(Path::new("-")) {
        report::print(&report::power_text(report, Style::of_stdout()))?;
    }
    Ok(())
}
