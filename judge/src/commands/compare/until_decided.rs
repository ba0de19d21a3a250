//! `judge compare --until-decided`: fresh cases, batch by batch, until every comparison is decided.

use super::effects::parameters;
use crate::cli::CompareArgs;
use crate::journal::Part;
use crate::model::{CaseSpec, OutcomeGrid, Solver};
use crate::paired::{self, Claim, Interim, PairedComparison};
use crate::report::{InterimResult, IntervalProgress};
use crate::workflow::failure::Failure;
use crate::workflow::match_runner::{MatchResult, MatchRunner};

/// The size of the first batch, and the least size of further ones. Batches do not depend on --jobs, so neither does
/// the number of cases at the end.
const BATCH: usize = 8;

/// The factor by which a batch is smaller than all cases before it.
const BATCH_SHARE: usize = 8;

/// The number of cases after which a comparison ends if the solvers have not both solved any.
const UNSOLVED: usize = 16;

/// Runs all solvers on fresh cases. Each one ends as soon as a claim can be made about it, or without further cases.
/// The whole is one run in the journal.
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
    while playing.len() > 1 {
        let first_case = played.plan.cases.len();
        let batch: Vec<CaseSpec> = pool.by_ref().take(BATCH.max(first_case / BATCH_SHARE)).collect();
        if batch.is_empty() {
            break;
        }
        runner.grow(&mut session, &[], &batch);
        let plan = runner.plan(playing.iter().map(|&solver| played.plan.solvers[solver].clone()).collect(), batch)?;
        let part = Part { solvers: playing.clone(), first_case };
        let later = runner.play_watched(&mut session, plan, part, &mut |event| progress.watch(event))?;
        played.extend(later, &playing);
        if played.stop.is_some() || played.is_faulty() {
            break;
        }
        playing = undecided(&played, args, &mut progress)?;
    }
    progress.finish();
    session.finish(&played.plan, &played.outcomes, played.stop);
    Ok(played)
}

/// Returns the solvers that continue: the first, and those whose comparison is not decided.
fn undecided(played: &MatchResult, args: &CompareArgs, progress: &mut IntervalProgress) -> Result<Vec<usize>, Failure> {
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
    let cases = played.plan.cases.len();
    let open = results.iter().filter(|result| !is_decided(&result.interim, &result.paired, cases));
    Ok(std::iter::once(0).chain(open.map(|result| result.paired.second)).collect())
}

fn is_decided(interim: &Interim, paired: &PairedComparison, cases: usize) -> bool {
    match interim.claim {
        Claim::Better | Claim::Worse | Claim::Smaller | Claim::Equal => true,
        Claim::Contrary | Claim::Undecided { .. } | Claim::TooFew => paired.solved == 0 && cases >= UNSOLVED,
    }
}
