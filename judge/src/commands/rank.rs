//! `judge rank`: the places of many solvers, with their uncertainty.

use super::compare::{UNSOLVED, pair};
use judge_cli::{CompareArgs, RankArgs};
use judge_compare::paired::{self, Claim, EffectMeasure, TestParameters};
use judge_journal::{CasePlaces, Part};
use judge_problem::{CaseList, Exit, Solver};
use judge_report::RankReport;
use judge_session::comparison::{self, compared_runs, measured, measured_pairing, min_effect_warning, parameters};
use judge_session::pairing::print_warning;
use judge_session::{
    Failure, GlobalArgs, MatchResult, MatchRunner, Outputs, Result, ScoredMatch, entrants, load, outputs, programs,
};
use judge_statistics::{PairOrder, SolverOrder};

/// The size of the first batch, in cases: hardly anything is decided before.
const FIRST_BATCH: usize = 8;

/// The factor by which a later batch is smaller than all cases before it, and its minimal size. Neither depends on
/// `--jobs`, so `--jobs` does not change the result.
const BATCH_SHARE: usize = 16;
const MIN_BATCH: usize = 4;

/// Ranks solvers.
pub(super) fn rank(global: GlobalArgs<'_>, args: &RankArgs) -> Result<Exit> {
    let args = &args.pairs;
    check_options(args)?;
    let (catalogue, _programs) = programs::catalogue(global, args.problem.as_deref())?;
    let problem = load::problem(&catalogue, args.problem.as_deref())?;
    let provenance = outputs::here();
    comparison::check(args, problem)?;
    let outputs = Outputs::check::<RankReport<'_>>(&args.reports)?;
    let entrants = entrants::find(&catalogue, problem, &args.solvers)?;
    let mut order = SolverOrder::new(entrants.len());
    let fresh = |runner: &MatchRunner<'_>, solvers| until_decided(runner, solvers, args, &mut order);
    let pairing = pair(&catalogue, problem, &entrants, args, fresh)?;
    let exit = pairing.played.exit();
    if !args.until_decided {
        decide(&mut order, &pairing.played, args)?;
    }
    let mut pairing = measured_pairing(pairing, &args.statistics)?;
    let scored = pairing.played.scored()?;
    let measure = comparison::measure(&scored, args);
    let warning = min_effect_warning(args, measure, &scored.rule);
    warning.iter().for_each(|warning| print_warning(warning));
    pairing.warnings.extend(warning);
    let (statistics, is_sequential) = (&args.statistics, args.until_decided);
    let compared = compared_runs(statistics, is_sequential, &pairing, measure, &scored.rule, provenance);
    outputs.publish(&RankReport { compared, board: &scored.board, order: &order })?;
    Ok(exit)
}

/// Fails on options of `judge compare` that concern a single pair.
fn check_options(args: &CompareArgs) -> Result<()> {
    let given =
        [("--h0", args.h0.is_some()), ("--group-by", args.group_by.is_some()), ("--sort", args.sort.order().is_some())];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => Err(Failure::usage(format!("`judge rank` has no {option}"))
            .with_hint(format!("omit {option}, or compare two of the solvers by `judge compare`"))),
        None => Ok(()),
    }
}

/// Runs solvers on fresh cases, and after each batch continues only with those whose order is uncertain. All of this is
/// one run in the journal.
fn until_decided(
    runner: &MatchRunner<'_>,
    solvers: Vec<Solver>,
    args: &CompareArgs,
    order: &mut SolverOrder,
) -> Result<MatchResult> {
    let mut pool = runner.fresh_cases_where(&args.cases)?.take(args.max_cases.get());
    let mut played = MatchResult::unplayed(runner.plan(solvers, CaseList::default())?);
    let mut session = runner.begin(&played.plan)?;
    let mut decided = Ok(());
    loop {
        let open = order.open_solvers();
        let first_case = played.plan.cases.len();
        let size = if first_case == 0 { FIRST_BATCH } else { MIN_BATCH.max(first_case / BATCH_SHARE) };
        let batch: CaseList = pool.by_ref().take(size).collect();
        if open.is_empty() || batch.is_empty() {
            break;
        }
        let solvers = open.iter().map(|&solver| played.plan.solvers[solver].clone()).collect();
        let plan = runner.plan(solvers, batch)?;
        runner.grow(&mut session, &[], &plan.cases);
        let part = Part { solvers: open.clone(), cases: CasePlaces::From(first_case) };
        let later = runner.play_part(&mut session, plan, part)?;
        played.stop = later.stop;
        for case in 0..later.plan.cases.len() {
            played.add_case(&later, case, &open, &open);
        }
        decided = decide(order, &played, args);
        if decided.is_err() || later.stop.is_some() || later.is_faulty() {
            break;
        }
    }
    session.finish(&played.plan, &played.outcomes, played.stop);
    decided.map(|()| played)
}

/// Tests all pairs whose order is open on the cases so far.
fn decide(order: &mut SolverOrder, played: &MatchResult, args: &CompareArgs) -> Result<()> {
    let seen = measured(played, &args.statistics)?;
    let scored = seen.scored()?;
    let measure = comparison::measure(&scored, args);
    let parameters = match parameters(args, measure, &scored.rule, 1) {
        // A share of a total of 0 is meaningless. The next case may add to the total.
        Err(_) if args.until_decided && scored.outcomes().signs().lack_a_total() => return Ok(()),
        parameters => parameters?,
    };
    order.decide(args.statistics.alpha, |first, second, alpha| {
        test(&scored, (first, second), measure, TestParameters { alpha, ..parameters }, args.until_decided)
    })
}

/// Returns the claim that is possible about a pair.
fn test(
    scored: &ScoredMatch<'_>,
    (first, second): (usize, usize),
    measure: EffectMeasure,
    parameters: TestParameters,
    is_sequential: bool,
) -> Result<PairOrder> {
    let mut paired = scored.between(measure, first, second);
    let mut orders = [PairOrder::Below, PairOrder::Above];
    if paired.pairs.is_empty() {
        // A share of a total of 0 is meaningless. A share of the other solver's total may not be.
        paired = scored.between(measure, second, first);
        orders.reverse();
    }
    let have_no_total = measure == EffectMeasure::Total && paired.pairs.is_empty();
    if have_no_total {
        // Both totals are 0, and all points with them.
        paired = scored.between(EffectMeasure::Points, first, second);
        orders.reverse();
    }
    let claim = if is_sequential {
        paired::interim_claim(&paired, parameters)?
    } else {
        paired::infer_fixed(&paired, parameters).claim
    };
    let [if_better, if_worse] = orders;
    let are_equal = paired.pairs.iter().all(|pair| pair.effect == 0.0);
    let is_unsolved = are_equal && (paired.solved == 0 || have_no_total && !paired.pairs.is_empty());
    Ok(match claim {
        Claim::Better => if_better,
        Claim::Worse => if_worse,
        Claim::Smaller | Claim::Equal => PairOrder::Level,
        _ if is_sequential && is_unsolved && scored.plan.cases.len() >= UNSOLVED => PairOrder::Level,
        _ => PairOrder::Open,
    })
}
