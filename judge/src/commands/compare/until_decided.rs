//! `judge compare --until-decided`: fresh cases until every comparison is decided, with a look after each.

use super::effects::parameters;
use crate::cli::CompareArgs;
use crate::journal::Part;
use crate::model::{CaseSpec, OutcomeGrid, Solver};
use crate::paired;
use crate::report::{InterimResult, IntervalProgress};
use crate::statistics::is_looked_at;
use crate::workflow::failure::Failure;
use crate::workflow::match_runner::{MatchResult, MatchRunner};

/// The size of the first batch: hardly anything is decided before.
const FIRST_BATCH: usize = 8;

/// The factor by which a batch is smaller than all cases before it, as far as the workers are busy: what is run beyond
/// the deciding case is not used.
const BATCH_SHARE: usize = 64;

/// The interval is shown this many times while the number of cases doubles.
const SHOWN: usize = 8;

/// The number of cases after which a comparison ends if the solvers have not both solved any.
const UNSOLVED: usize = 16;

/// Runs all solvers on fresh cases. Each one ends with the first case after which a claim can be made about it, or
/// without further cases. Batches fill the workers, looks go case by case in the order of the cases: `--jobs` does not
/// change where it ends. The whole is one run in the journal.
pub(super) fn until_decided(
    runner: &MatchRunner<'_>,
    solvers: Vec<Solver>,
    args: &CompareArgs,
) -> Result<MatchResult, Failure> {
    let most = args.max_cases.get();
    let mut pool = runner.fresh_cases_where(&args.cases)?.take(most);
    let mut progress = IntervalProgress::start(most * solvers.len());
    let mut playing: Vec<usize> = (0..solvers.len()).collect();
    let outcomes = OutcomeGrid::new(0, solvers.len());
    let mut played = MatchResult { plan: runner.plan(solvers, Vec::new())?, outcomes, stop: None };
    let mut session = runner.begin(&played.plan)?;
    let mut next_shown = FIRST_BATCH;
    while playing.len() > 1 {
        let first_case = played.plan.cases.len();
        let size = if first_case == 0 { FIRST_BATCH } else { runner.jobs().max(first_case / BATCH_SHARE) };
        let batch: Vec<CaseSpec> = pool.by_ref().take(size).collect();
        if batch.is_empty() {
            break;
        }
        runner.grow(&mut session, &[], &batch);
        let plan = runner.plan(playing.iter().map(|&solver| played.plan.solvers[solver].clone()).collect(), batch)?;
        let part = Part { solvers: playing.clone(), first_case };
        let later = runner.play_watched(&mut session, plan, part, &mut |event| progress.watch(event))?;
        played.stop = later.stop;
        let is_cut_short = later.stop.is_some() || later.is_faulty();
        playing = look(&mut played, &later, playing, args)?;
        if is_cut_short {
            break;
        }
        let cases = played.plan.cases.len();
        if cases >= next_shown || playing.len() == 1 {
            next_shown = cases + cases.div_ceil(SHOWN);
            show(&played, args, &mut progress)?;
        }
    }
    progress.finish();
    session.finish(&played.plan, &played.outcomes, played.stop);
    Ok(played)
}

/// Adds the cases of a batch one by one, and looks after each. Returns the solvers that continue: the first, and those
/// whose comparison is not decided. What they were run on beyond the deciding case is not used.
fn look(
    played: &mut MatchResult,
    later: &MatchResult,
    mut playing: Vec<usize>,
    args: &CompareArgs,
) -> Result<Vec<usize>, Failure> {
    let solvers = playing.clone();
    for case in 0..later.plan.cases.len() {
        played.add_case(later, case, &solvers, &playing);
        let cases = played.plan.cases.len();
        if is_looked_at(cases) {
            playing = undecided(played, &playing, args)?;
        }
        if playing.len() == 1 {
            break;
        }
    }
    Ok(playing)
}

fn undecided(played: &MatchResult, playing: &[usize], args: &CompareArgs) -> Result<Vec<usize>, Failure> {
    let scored = played.scored()?;
    let measure = scored.measure(args.statistics.measure, args.min_effect.as_ref());
    let parameters = parameters(args, measure, &scored.rule, played.plan.solvers.len() - 1)?;
    let mut open = vec![0];
    for &second in &playing[1..] {
        let paired = scored.paired(measure, second);
        let is_unsolved = paired.solved == 0 && played.plan.cases.len() >= UNSOLVED;
        if !is_unsolved && !paired::is_decided(&paired, parameters)? {
            open.push(second);
        }
    }
    Ok(open)
}

fn show(played: &MatchResult, args: &CompareArgs, progress: &mut IntervalProgress) -> Result<(), Failure> {
    let solvers = &played.plan.solvers;
    let scored = played.scored()?;
    let measure = scored.measure(args.statistics.measure, args.min_effect.as_ref());
    let parameters = parameters(args, measure, &scored.rule, solvers.len() - 1)?;
    let mut results = Vec::new();
    for (second, solver) in solvers.iter().enumerate().skip(1) {
        let paired = scored.paired(measure, second);
        let interim = paired::infer_interim(&paired, parameters)?;
        results.push(InterimResult { name: &solver.spec.name, paired, interim });
    }
    progress.update(measure, &results);
    Ok(())
}
