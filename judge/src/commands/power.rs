//! `judge power`: the difference that a number of cases can show, and the number of cases that a difference needs.

use judge_cli::PowerArgs;
use judge_compare::paired::{EffectMeasure, MinEffect};
use judge_journal::HistoryFilter;
use judge_problem::{Catalogue, Digest, Exit, InvalidText, NodeList, Problem, Rule, Stop, counted};
use judge_report::{PowerReport, Spread};
use judge_run::command::game_of;
use judge_session::comparison;
use judge_session::entrants::{self, CaseKey, PastEntrant, RUN};
use judge_session::{
    Failure, GlobalArgs, MatchResult, MatchRunner, Outputs, Result, command_line, load, outputs, pairing, programs,
    recorder,
};
use judge_statistics::{Moments, linearised};
use std::collections::HashSet;
use std::path::Path;

/// The numbers of cases in the default table.
const CASES: [u64; 8] = [10, 20, 50, 100, 200, 500, 1000, 5000];

/// The differences in the default table: shares, or parts of the standard deviation for measures that are not shares.
const SHARES: [f64; 7] = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1];
const DEVIATIONS: [f64; 5] = [0.05, 0.1, 0.2, 0.5, 1.0];

/// The number of past results that are searched for two solvers that can be compared.
const SEARCHED: usize = 50;

/// The fewest cases that have a spread.
const MIN_CASES: usize = 2;

/// Tabulates differences and numbers of cases.
pub(super) fn power(global: GlobalArgs<'_>, args: &PowerArgs) -> Result<Exit> {
    let mut provenance = outputs::here();
    let outputs = Outputs::check::<PowerReport>(&args.reports)?;
    if let (None, Some(name)) = (&args.problem, args.statistics.metric()) {
        return Err(Failure::usage(format!(
            "--measure metric:{name} needs the problem that declares it: --problem ID"
        )));
    }
    let (spread, exit) = match (&args.problem, &args.sd, &args.effects) {
        (Some(id), _, _) => {
            let Some((spread, exit, nodes)) = measured(global, id, args)? else { return Ok(Exit::Interrupted) };
            (provenance.nodes, provenance.reused) = (nodes, recorder::reused());
            (spread, exit)
        }
        (None, Some(sd), _) => (known_spread(args, sd)?, Exit::Success),
        (None, None, Some(path)) => (read_effects(args, path)?, Exit::Success),
        (None, None, None) => return Err(Failure::usage("no spread is given: name a problem, --sd or --effects")),
    };
    let measure = spread.measure;
    let wanted = args.differences.iter().map(|given| measure.min_effect(&spread.rule, Some(given)));
    let wanted: Result<Vec<_>, _> = wanted.collect();
    let unsuited = |error: InvalidText| Failure::usage(format!("--difference: {error}"));
    let wanted: Vec<f64> = wanted.map_err(unsuited)?.into_iter().flatten().collect();
    let report = PowerReport {
        counts: if args.counts.is_empty() && wanted.is_empty() {
            CASES.to_vec()
        } else {
            args.counts.iter().map(|count| count.get()).collect()
        },
        differences: if args.counts.is_empty() && wanted.is_empty() { default_differences(&spread) } else { wanted },
        spread,
        provenance,
        alpha: args.statistics.alpha,
        power: args.power,
        until_decided: args.until_decided,
    };
    outputs.publish(&report)?;
    Ok(exit)
}

/// Measures the spread between two solvers, or between two runs of one. By default, it takes the newest two of the
/// journal. `None` if that was interrupted.
fn measured(global: GlobalArgs<'_>, id: &str, args: &PowerArgs) -> Result<Option<(Spread, Exit, NodeList)>> {
    let (catalogue, _programs) = programs::catalogue(global, Some(id))?;
    let problem = catalogue.find(id)?;
    comparison::check_metric(&args.statistics, problem)?;
    let newest = if args.solvers.is_empty() { newest_two(&catalogue, problem)? } else { Vec::new() };
    let entrants = entrants::find(&catalogue, problem, if newest.is_empty() { &args.solvers } else { &newest })?;
    let source = match entrants.as_slice() {
        [only] if only.past.is_none() => format!("{} against itself", only.spec.name),
        [first, second] => format!("{} against {}", second.spec.name, first.spec.name),
        _ => return Err(Failure::usage("expected one solver to run, or two to compare")),
    };
    let (measure, best) = (args.statistics.measure(), args.best.as_deref());
    let (played, nodes) = if entrants.iter().all(|entrant| entrant.past.is_none()) {
        let mut runner = MatchRunner::open(&catalogue, problem, &args.running)?;
        runner.use_best_scores(measure, best)?;
        let solvers = match entrants.as_slice() {
            [only] => {
                let (first, mut again) = (runner.prepare(only.spec.clone())?, runner.prepare(only.spec.clone())?);
                again.spec.name.push_str(" again");
                vec![first, again]
            }
            _ => runner.solvers(&args.solvers)?,
        };
        let played = runner.play(runner.plan(solvers, runner.cases(&args.cases, None)?)?)?;
        (played, runner.plan_runner.nodes())
    } else {
        let conditions = (&args.cases, &args.running);
        let pairing =
            pairing::pair(&catalogue, problem, &entrants, conditions, (measure, best), pairing::print_warning)?;
        (pairing.played, pairing.nodes)
    };
    if played.stop == Some(Stop::Interrupted) {
        return Ok(None);
    }
    Ok(Some((of_played(&played, args, source)?, played.exit(), nodes)))
}

/// Returns the newest two solvers of different content that are recorded on the same cases. Their order does not matter
/// to the spread.
fn newest_two(catalogue: &Catalogue, problem: &Problem) -> Result<Vec<String>> {
    let nothing = || {
        let error = format!("no two solvers of `{}` are recorded on the same cases", problem.id);
        let flags = command_line::case_flags().suffix();
        let hint = format!("measure it: judge power -p {} -s ./old -s ./new --seeds 1-30{flags}", problem.id);
        Failure::usage(error).with_hint(hint)
    };
    let journal = recorder::open_to_read_if_any(catalogue)?.ok_or_else(nothing)?;
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
            *hash != row.solver_hash && cases.intersection(others).count() >= MIN_CASES
        };
        if let Some((_, _, newer)) = seen.iter().find(rival) {
            return Ok(vec![text, newer.clone()]);
        }
        seen.push((row.solver_hash, cases, text));
    }
    Err(nothing())
}

fn of_played(played: &MatchResult, args: &PowerArgs, source: String) -> Result<Spread> {
    let seen = comparison::measured(played, &args.statistics)?;
    let scored = seen.scored()?;
    let measure = scored.measure(args.statistics.measure(), args.differences.first());
    let paired = scored.paired(measure, 1);
    let moments = Moments::of(&linearised(&paired.terms()));
    let usable = moments.count().min(paired.solved);
    if usable < MIN_CASES {
        let cases = counted(usable, "case");
        return Err(Failure::usage(format!("there is no spread in {cases} that both solved, with an effect"))
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

fn known_spread(args: &PowerArgs, sd: &MinEffect) -> Result<Spread> {
    let by_default = match sd {
        MinEffect::Share(_) => EffectMeasure::Ratio,
        MinEffect::Amount(_) => EffectMeasure::Difference,
    };
    let measure = args.statistics.measure().unwrap_or(by_default);
    let deviation =
        measure.min_effect(&Rule::Sum, Some(sd)).map_err(|error| Failure::usage(format!("--sd: {error}")))?;
    let source = "given".to_owned();
    Ok(Spread { measure, rule: Rule::Sum, deviation: deviation.unwrap_or_default(), cases: None, source })
}

/// A spread in per cent that no two solvers have.
const MAX_SHARE: f64 = 1e9;

/// Reads effects, one number each, separated by white space.
fn read_effects(args: &PowerArgs, path: &Path) -> Result<Spread> {
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
    let measure = args.statistics.measure().unwrap_or(EffectMeasure::Ratio);
    let deviation = moments.deviation();
    let shown = measure.shown(deviation);
    if !shown.is_finite() || (measure.is_share() && shown > MAX_SHARE) {
        let error = format!("{}: its effects are too large for the measure `{measure}`", path.display());
        let hint = "effects of `ratio` are logarithms of ratios; for differences of scores, add --measure difference";
        return Err(Failure::usage(error).with_hint(hint));
    }
    Ok(Spread {
        measure,
        rule: Rule::Sum,
        deviation,
        cases: Some(moments.count() as u64),
        source: format!("{} effects in {}", moments.count(), path.display()),
    })
}

fn default_differences(spread: &Spread) -> Vec<f64> {
    if spread.measure.is_share() {
        SHARES.iter().map(|share| spread.measure.of_share(*share)).collect()
    } else {
        DEVIATIONS.iter().map(|part| part * spread.deviation).filter(|difference| *difference > 0.0).collect()
    }
}
