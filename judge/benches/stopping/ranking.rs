//! `judge rank`, simulated: 30 solvers with normal scores. Five of them tie.

use crate::populations::normal;
use crate::simulate::{ALPHA, percent};
use judge_statistics::{Decision, PairOrder, Random, Sequence, SequenceSettings, SolverOrder};
use std::convert::Infallible;

const SOLVERS: usize = 30;
const TIED: usize = 5;
/// The distance between neighbours that do not tie, in standard deviations of a score, grows with the place.
const MIN_GAP: f64 = 0.25;
const GAP_GROWTH: f64 = 0.05;
const MAX_CASES: usize = 600;

/// Prints how often a place is false, and the number of case runs compared with an equal share.
pub(crate) fn rank_table(runs: usize) {
    let mut random = Random::new(20);
    let quality: Vec<f64> = (0..SOLVERS).map(quality).collect();
    let (mut false_places, mut own, mut equal, mut decided) = (0, 0, 0, 0);
    for _ in 0..runs {
        let run = Run::play(&quality, &mut random);
        let places = run.order.places();
        let is_false = |(solver, place): (usize, &judge_statistics::PlaceInterval)| {
            let above = quality.iter().filter(|&&other| other > quality[solver]).count();
            let below = quality.iter().filter(|&&other| other < quality[solver]).count();
            place.low > above + 1 || place.high < SOLVERS - below
        };
        false_places += usize::from(places.iter().enumerate().any(is_false));
        own += run.case_runs;
        equal += run.last_decision * SOLVERS;
        decided += SOLVERS * (SOLVERS - 1) / 2 - run.order.open_pairs().len();
    }
    println!("{SOLVERS} solvers, {TIED} of them tied, {runs} runs, up to {MAX_CASES} cases");
    println!("a false place: {:.1} % of the runs; alpha {:.0} %", percent(false_places, runs), 100.0 * ALPHA);
    println!("pairs in order: {:.1} of 435; 425 have one", decided as f64 / runs as f64);
    println!("case runs: {:.0} % of an equal share up to the last decision", percent(own, equal));
}

fn quality(solver: usize) -> f64 {
    let steps = solver.saturating_sub(TIED - 1) as f64;
    steps * (MIN_GAP + GAP_GROWTH * steps)
}

struct Run {
    order: SolverOrder,
    /// The case runs and the number of cases at the last decision.
    case_runs: usize,
    last_decision: usize,
}

impl Run {
    /// Batches grow as in the command.
    fn play(quality: &[f64], random: &mut Random) -> Self {
        let mut run = Self { order: SolverOrder::new(SOLVERS), case_runs: 0, last_decision: 0 };
        let (mut scores, mut case_runs): (Vec<Vec<f64>>, usize) = (Vec::new(), 0);
        while scores.len() < MAX_CASES {
            let (open, before) = (run.order.open_solvers(), run.order.open_pairs().len());
            let batch = if scores.is_empty() { 8 } else { (scores.len() / 16).max(4) };
            case_runs += batch * open.len();
            scores.extend((0..batch).map(|_| quality.iter().map(|mean| mean + normal(random)).collect()));
            let test = |a, b, alpha| Ok::<_, Infallible>(test(&scores, a, b, alpha));
            run.order.decide(ALPHA, test).unwrap_or_else(|never| match never {});
            if run.order.open_pairs().len() < before {
                (run.case_runs, run.last_decision) = (case_runs, scores.len());
            }
        }
        run
    }
}

fn test(scores: &[Vec<f64>], first: usize, second: usize, alpha: f64) -> PairOrder {
    let settings = SequenceSettings { alpha, min_effect: None, bound: None, rare: None };
    let mut sequence = Sequence::new(settings).expect("useful settings");
    scores.iter().for_each(|case| sequence.push(case[second] - case[first]));
    match sequence.decision() {
        Decision::Better => PairOrder::Below,
        Decision::Worse => PairOrder::Above,
        Decision::Smaller => PairOrder::Level,
        Decision::Undecided => PairOrder::Open,
    }
}
