//! `judge compare --until-decided`: fresh cases until every comparison is decided, with a look after each.

use super::looks::Looks;
use judge_cli::CompareArgs;
use judge_compare::paired;
use judge_journal::{CasePlaces, Part};
use judge_problem::{CaseList, OutcomeGrid, Solver};
use judge_report::{InterimResult, IntervalProgress};
use judge_session::effects::{parameters, unit};
use judge_session::failure::Failure;
use judge_session::match_runner::{MatchResult, MatchRunner};

/// The size of the first batch: hardly anything is decided before.
pub(super) const FIRST_BATCH: usize = 8;

/// The factor by which a batch is smaller than all cases before it, as far as the workers are busy: what is run beyond
/// the deciding case is not used.
const BATCH_SHARE: usize = 64;

/// The interval is shown this many times while the number of cases doubles.
const SHOWN: usize = 8;

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
    let plan = runner.plan(solvers, CaseList::default())?;
    let mut played = MatchResult { plan, outcomes, inputs: Vec::new(), stop: None };
    let mut session = runner.begin(&played.plan)?;
    let mut looks = Looks::new(&played, args);
    let mut next_shown = FIRST_BATCH;
    while playing.len() > 1 {
        let first_case = played.plan.cases.len();
        let size = if first_case == 0 { FIRST_BATCH } else { runner.jobs().max(first_case / BATCH_SHARE) };
        let batch: CaseList = pool.by_ref().take(size).collect();
        if batch.is_empty() {
            break;
        }
        let plan = runner.plan(playing.iter().map(|&solver| played.plan.solvers[solver].clone()).collect(), batch)?;
        runner.grow(&mut session, &[], &plan.cases);
        let part = Part { solvers: playing.clone(), cases: CasePlaces::From(first_case) };
        let later = runner.play_watched(&mut session, plan, part, &mut |event| progress.watch(event))?;
        played.stop = later.stop;
        let is_cut_short = later.stop.is_some() || later.is_faulty();
        playing = look(&mut played, &later, playing, &mut looks)?;
        if is_cut_short {
            break;
        }
        if is_to_be_shown(&played, &playing, &mut next_shown) {
            show(&played, args, &mut progress)?;
        }
    }
    progress.finish();
    session.finish(&played.plan, &played.outcomes, played.stop);
    Ok(played)
}

/// Adds the cases of a batch one by one, and looks after each. Returns the solvers that continue.
fn look(
    played: &mut MatchResult,
    later: &MatchResult,
    mut playing: Vec<usize>,
    looks: &mut Looks<'_>,
) -> Result<Vec<usize>, Failure> {
    let solvers = playing.clone();
    for case in 0..later.plan.cases.len() {
        played.add_case(later, case, &solvers, &playing);
        playing = still_playing(played, playing, looks)?;
        if playing.len() == 1 {
            break;
        }
    }
    Ok(playing)
}

/// Looks after the newest case. Returns the solvers that continue: the first, and those whose comparison is not decided.
/// What they were run on beyond the deciding case is not used.
pub(super) fn still_playing(
    played: &MatchResult,
    playing: Vec<usize>,
    looks: &mut Looks<'_>,
) -> Result<Vec<usize>, Failure> {
    looks.add(played)?;
    let mut open = vec![0];
    for &second in playing.iter().skip(1) {
        if !looks.is_over(played, second)? {
            open.push(second);
        }
    }
    Ok(open)
}

/// Returns whether the interval is to be shown now.
pub(super) fn is_to_be_shown(played: &MatchResult, playing: &[usize], next_shown: &mut usize) -> bool {
    let cases = played.plan.cases.len();
    let is_due = cases >= *next_shown || playing.len() == 1;
    if is_due {
        *next_shown = cases + cases.div_ceil(SHOWN);
    }
    is_due
}

pub(super) fn show(played: &MatchResult, args: &CompareArgs, progress: &mut IntervalProgress) -> Result<(), Failure> {
    let solvers = &played.plan.solvers;
    let scored = played.scored()?;
    let measure = scored.measure(args.statistics.measure, unit(args).as_ref());
    // Without a total, a share of it has no unit yet.
    let Ok(parameters) = parameters(args, measure, &scored.rule, solvers.len() - 1) else { return Ok(()) };
    let mut results = Vec::new();
    for (second, solver) in solvers.iter().enumerate().skip(1) {
        let paired = scored.paired(measure, second);
        let interim = paired::infer_interim(&paired, parameters)?;
        results.push(InterimResult { name: &solver.spec.name, paired, interim });
    }
    progress.update(measure, &results);
    Ok(())
}
