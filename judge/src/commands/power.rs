//! `judge power`: which difference a number of cases shows, and how many cases a difference needs.

use judge_cli::PowerArgs;
use judge_compare::paired::{EffectMeasure, MinEffect};
use judge_journal::HistoryFilter;
use judge_problem::manifest::Catalogue;
use judge_problem::{Digest, Exit, NodeList, Problem, Rule, Stop};
use judge_report::{PowerReport, Spread};
use judge_run::command::game_of;
use judge_session::best_scores::{FromJournal, ReferenceScores};
use judge_session::entrants::{CaseKey, Entrant, PastEntrant, RUN};
use judge_session::failure::Failure;
use judge_session::load::Given;
use judge_session::match_runner::{MatchResult, MatchRunner};
use judge_session::outputs::Outputs;
use judge_session::{entrants, load, outputs, pairing, programs, recorder};
use judge_statistics::{Moments, linearised};
use std::collections::HashSet;
use std::path::Path;

/// The numbers of cases in the default table.
const CASES: [u64; 8] = [10, 20, 50, 100, 200, 500, 1000, 5000];

/// The differences in the default table: shares, or parts of the standard deviation for measures that are no shares.
const SHARES: [f64; 7] = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1];
const DEVIATIONS: [f64; 5] = [0.05, 0.1, 0.2, 0.5, 1.0];

/// The number of past results that are searched for two solvers that can be compared.
const SEARCHED: usize = 50;

/// The fewest cases that have a spread.
const FEWEST_CASES: usize = 2;

/// Tabulates differences and numbers of cases.
pub(super) fn power(catalogue: Given<'_>, args: &PowerArgs) -> Result<Exit, Failure> {
    let mut provenance = outputs::here();
    let outputs = Outputs::check::<PowerReport>(&args.reports)?;
    let (spread, exit) = match (&args.problem, &args.sd, &args.effects) {
        (Some(id), _, _) => match measured(catalogue, id, args)? {
            Measured::Spread(spread, exit, nodes) => {
                provenance.nodes = nodes;
                (spread, exit)
            }
            Measured::Interrupted => return Ok(Exit::Interrupted),
        },
        (None, Some(sd), _) => (given(sd), Exit::Success),
        (None, None, Some(path)) => (recorded(args, path)?, Exit::Success),
        (None, None, None) => return Err(Failure::usage("no spread is given: name a problem, --sd or --effects")),
    };
    let measure = spread.measure;
    let asked = args.differences.iter().map(|given| measure.min_effect(&spread.rule, Some(given)));
    let asked: Vec<f64> = asked.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
    let report = PowerReport {
        counts: if args.counts.is_empty() && asked.is_empty() { CASES.to_vec() } else { args.counts.clone() },
        differences: if args.counts.is_empty() && asked.is_empty() { usual(&spread) } else { asked },
        spread,
        provenance,
        alpha: args.statistics.alpha,
        power: args.power,
        until_decided: args.until_decided,
    };
    outputs.publish(&report)?;
    Ok(exit)
}

enum Measured {
    Spread(Spread, Exit, NodeList),
    Interrupted,
}

/// Measures the spread between two solvers, or between two runs of one. By default, takes the newest two of the
/// journal.
fn measured(catalogue: Given<'_>, id: &str, args: &PowerArgs) -> Result<Measured, Failure> {
    let (catalogue, _programs) = programs::catalogue(catalogue, Some(id))?;
    let problem = catalogue.find(id)?;
    let newest = if args.solvers.is_empty() { newest_two(&catalogue, problem)? } else { Vec::new() };
    let entrants = entrants::find(&catalogue, problem, if newest.is_empty() { &args.solvers } else { &newest })?;
    let (source, played, nodes) = match entrants.as_slice() {
        [only] if only.past.is_none() => against_itself(&catalogue, problem, only, args)?,
        [first, second] => {
            let source = format!("{} against {}", second.spec.name, first.spec.name);
            let is_played = first.past.is_none() && second.past.is_none();
            let (played, nodes) = if is_played {
                let mut runner = MatchRunner::open(&catalogue, problem, &args.running)?;
                runner.use_best_scores(args.statistics.measure, args.best.as_deref())?;
                let solvers = runner.solvers(&args.solvers)?;
                let played = runner.play(runner.plan(solvers, runner.cases(&args.cases, None)?)?)?;
                (played, runner.plan_runner.nodes())
            } else {
                let best = args.best.as_deref();
                let reference =
                    ReferenceScores::of_points(args.statistics.measure, &catalogue, problem, best, FromJournal::Today)?;
                let pairing = pairing::pair(&catalogue, problem, &entrants, &args.cases, &args.running, &reference)?;
                (pairing.played, pairing.nodes)
            };
            (source, played, nodes)
        }
        _ => return Err(Failure::usage("expected one solver to run, or two to compare")),
    };
    if played.stop == Some(Stop::Interrupted) {
        return Ok(Measured::Interrupted);
    }
    Ok(Measured::Spread(of_played(&played, args, source)?, played.exit(), nodes))
}

fn against_itself(
    catalogue: &Catalogue,
    problem: &Problem,
    only: &Entrant,
    args: &PowerArgs,
) -> Result<(String, MatchResult, NodeList), Failure> {
    let mut runner = MatchRunner::open(catalogue, problem, &args.running)?;
    runner.use_best_scores(args.statistics.measure, args.best.as_deref())?;
    let (first, mut again) = (runner.prepare(only.spec.clone())?, runner.prepare(only.spec.clone())?);
    again.spec.name.push_str(" again");
    let played = runner.play(runner.plan(vec![first, again], runner.cases(&args.cases, None)?)?)?;
    Ok((format!("{} against itself", only.spec.name), played, runner.plan_runner.nodes()))
}

/// Returns the newest two solvers of different content that are recorded on the same cases. Their order does not matter
/// to the spread.
fn newest_two(catalogue: &Catalogue, problem: &Problem) -> Result<Vec<String>, Failure> {
    let nothing = || {
        let error = format!("no two solvers of `{}` are recorded on the same cases", problem.id);
        let hint = format!("measure it: judge power -p {} -s ./old -s ./new --seeds 1-30", problem.id);
        Failure::usage(error).with_hint(hint)
    };
    let journal = recorder::look_if_any(catalogue)?.ok_or_else(nothing)?;
    let filter = HistoryFilter { problem: Some(&problem.id), newest: Some(SEARCHED), ..HistoryFilter::default() };
    let game = game_of(problem);
    let mut seen: Vec<(Digest, HashSet<CaseKey>, String)> = Vec::new();
    for row in journal.history(&filter)? {
        let run = journal.stored_run(row.run)?;
        let Some(entrant) = run.entrants.iter().position(|entrant| entrant.name == row.solver) else { continue };
        let past = PastEntrant { run, entrant };
        if !past.is_of(&game) {
            continue;
        }
        let accepted = past.results().filter(|(_, _, outcome)| outcome.is_accepted());
        let cases: HashSet<CaseKey> = accepted.map(|(case, _, _)| case).collect();
        let text = format!("{RUN}{}/{}", row.run, row.solver);
        let rival = |(hash, others, _): &&(Digest, HashSet<CaseKey>, String)| {
            *hash != row.solver_hash && cases.intersection(others).count() >= FEWEST_CASES
        };
        if let Some((_, _, newer)) = seen.iter().find(rival) {
            return Ok(vec![text, newer.clone()]);
        }
        seen.push((row.solver_hash, cases, text));
    }
    Err(nothing())
}

fn of_played(played: &MatchResult, args: &PowerArgs, source: String) -> Result<Spread, Failure> {
    let scored = played.scored()?;
    let measure = scored.measure(args.statistics.measure, args.differences.first());
    let paired = scored.paired(measure, 1);
    let moments = Moments::of(&linearised(&paired.terms()));
    if moments.count().min(paired.solved) < FEWEST_CASES {
        return Err(Failure::usage(format!("{} cases that both solved show no spread", paired.solved))
            .with_hint("give more cases: --seeds 1-30"));
    }
    Ok(Spread {
        measure,
        rule: scored.rule,
        deviation: moments.deviation(),
        cases: Some(moments.count() as u64),
        source: format!("{source}, {} cases", moments.count()),
    })
}

fn given(sd: &MinEffect) -> Spread {
    let (measure, deviation) = match sd {
        MinEffect::Share(share) => (EffectMeasure::Ratio, share.share().ln_1p()),
        MinEffect::Amount(amount) => (EffectMeasure::Difference, *amount),
    };
    Spread { measure, rule: Rule::Sum, deviation, cases: None, source: "given".to_owned() }
}

/// Reads effects, one number each, separated by white space.
fn recorded(args: &PowerArgs, path: &Path) -> Result<Spread, Failure> {
    let text = load::text("the effects", path)?;
    let number = |(line, word): (usize, &str)| match word.parse::<f64>() {
        Ok(effect) if effect.is_finite() => Ok(effect),
        _ => Err(Failure::usage(format!("{}:{line}: expected a number, found `{word}`", path.display()))),
    };
    let words = (1..).zip(text.lines()).flat_map(|(line, text)| text.split_whitespace().map(move |word| (line, word)));
    let effects: Vec<f64> = words.map(number).collect::<Result<_, _>>()?;
    let moments = Moments::of(&effects);
    if moments.count() < 2 {
        return Err(Failure::usage(format!("{}: at least two effects are needed", path.display())));
    }
    Ok(Spread {
        measure: args.statistics.measure.unwrap_or(EffectMeasure::Ratio),
        rule: Rule::Sum,
        deviation: moments.deviation(),
        cases: Some(moments.count() as u64),
        source: format!("{} effects in {}", moments.count(), path.display()),
    })
}

fn usual(spread: &Spread) -> Vec<f64> {
    if spread.measure.is_share() {
        SHARES.iter().map(|share| spread.measure.of_share(*share)).collect()
    } else {
        DEVIATIONS.iter().map(|part| part * spread.deviation).filter(|difference| *difference > 0.0).collect()
    }
}
