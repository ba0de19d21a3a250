//! Properties of all rules, checked on random results.

use super::groups::test_groups;
use super::leaderboard::leaderboard;
use super::results::{CaseScore, CaseTerms, Results, SolverScores, Terms};
use super::rule::FailedCase;
use super::scoreboard::{Scoreboard, Standing, score};
use crate::{Direction, GroupAggregate, Members, Rule, TestGroup, Thresholds, Weight};
use checkers::Score;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::ToPrimitive;
use proptest::prelude::*;
use proptest::sample::Index;
use std::cmp::Ordering;
use std::collections::HashSet;

/// The results of a run, for the tests of scoring.
#[derive(Debug, Clone)]
pub(super) struct Run {
    pub(super) direction: Direction,
    pub(super) failure: Option<Score>,
    pub(super) cases: Vec<Terms>,
    pub(super) groups: Vec<TestGroup>,
    pub(super) solvers: Vec<SolverScores>,
}

impl Run {
    pub(super) fn results(&self) -> Results<'_> {
        let Self { direction, failure, cases, groups, solvers } = self;
        Results { direction: *direction, failure: failure.as_ref(), cases: CaseTerms::Each(cases), groups, solvers }
    }

    pub(super) fn score(&self, rule: &Rule) -> Scoreboard {
        score(rule, &self.results()).unwrap()
    }
}

/// Small scores make ties and zeros likely. Large ones exceed 2^64, and some are not integers.
fn any_score() -> impl Strategy<Value = Score> {
    let huge = (1_u64..1_000, 60_u32..140).prop_map(|(factor, bits)| Score::from(BigInt::from(factor) << bits));
    let decimal =
        (-300_i32..1_200, 1_u32..5).prop_map(|(digits, decimals)| format!("{digits}e-{decimals}").parse().unwrap());
    prop_oneof![6 => (-3_i32..12).prop_map(Score::from), 3 => decimal, 1 => huge]
}

fn any_weight() -> impl Strategy<Value = Weight> {
    (0_i32..5, 1_i32..4).prop_map(|(above, below)| format!("{above}/{below}").parse().unwrap())
}

const GROUPS: usize = 3;

/// Groups that may depend on earlier groups.
fn any_groups() -> impl Strategy<Value = Vec<TestGroup>> {
    let aggregate = prop::sample::select(GroupAggregate::ALL.to_vec());
    let group = (prop::option::of(any_weight()), aggregate, prop::collection::vec(any::<bool>(), GROUPS));
    prop::collection::vec(group, GROUPS).prop_map(|groups| {
        let group = |(place, (weight, aggregate, needs)): (usize, (_, _, Vec<bool>))| TestGroup {
            name: String::new(),
            weight,
            aggregate,
            depends_on: (0..place).filter(|&needed| needs[needed]).collect(),
            members: Members::default(),
        };
        groups.into_iter().enumerate().map(group).collect()
    })
}

fn any_terms() -> impl Strategy<Value = Terms> {
    (any_weight(), prop::option::of(0..GROUPS), prop::option::of(any_score()))
        .prop_map(|(weight, group, best_known)| Terms { weight, group, best_known, thresholds: None })
}

fn any_run() -> impl Strategy<Value = Run> {
    (1_usize..6, 1_usize..5).prop_flat_map(|(cases, solvers)| {
        let row = prop::collection::vec(prop::option::weighted(0.8, any_score()), cases);
        let direction = prop_oneof![Just(Direction::Max), Just(Direction::Min)];
        let rows = prop::collection::vec(row, solvers);
        let terms = prop::collection::vec(any_terms(), cases);
        let skipped = prop::collection::vec(prop::collection::hash_set(0..cases, 0..2), solvers);
        let thresholds = prop::collection::vec(prop::collection::vec(any_score(), 9), cases);
        let run = (direction, prop::option::of(any_score()), terms, thresholds, any_groups(), (rows, skipped));
        run.prop_map(|(direction, failure, mut cases, thresholds, groups, (rows, skipped))| {
            for (terms, mut scores) in cases.iter_mut().zip(thresholds) {
                // A better score needs a higher threshold.
                scores.sort_by(|left, right| direction.compare(right, left));
                terms.thresholds = Some(Thresholds::new(direction, scores, None).unwrap());
            }
            let solver = |(index, (scores, skipped)): (usize, (Vec<Option<Score>>, HashSet<usize>))| {
                let mut scores: Vec<CaseScore> = scores.into_iter().map(CaseScore::from).collect();
                skipped.iter().for_each(|&case| scores[case] = CaseScore::Skipped);
                SolverScores { name: index.to_string(), scores }
            };
            let solvers = rows.into_iter().zip(skipped).enumerate().map(solver).collect();
            Run { direction, failure, cases, groups, solvers }
        })
    })
}

/// Returns the points that count for every case of a solver, computed group by group as documented.
fn counted_slowly(run: &Run, rule: &Rule, board: &Scoreboard, solver: usize) -> Vec<Option<BigRational>> {
    let row = &run.solvers[solver];
    let own: Vec<_> = board.standings[solver].own_points.iter().collect();
    let played = |group: usize| -> Vec<usize> {
        (0..own.len()).filter(|case| run.cases[*case].group == Some(group) && row.has_run(*case)).collect()
    };
    // Groups depend on earlier groups only.
    let mut is_fulfilled = Vec::new();
    let mut counted = own.clone();
    for (place, group) in run.groups.iter().enumerate() {
        let cases = played(place);
        let all_accepted = cases.iter().all(|&case| row.scores[case].score().is_some());
        let is_open = group.depends_on.iter().all(|&needed| is_fulfilled[needed]);
        is_fulfilled.push(all_accepted && is_open);
        let failure = match rule.failed_case() {
            FailedCase::Failure => run.failure.as_ref().map(Score::to_rational),
            FailedCase::Zero => Some(BigRational::default()),
            FailedCase::Absent => None,
        };
        for &case in &cases {
            counted[case] = match group.aggregate {
                _ if !is_open => failure.clone(),
                GroupAggregate::AllOrNothing if !all_accepted => failure.clone(),
                GroupAggregate::Sum | GroupAggregate::AllOrNothing => own[case].clone(),
                GroupAggregate::Min => {
                    let points: Option<Vec<BigRational>> = cases.iter().map(|&case| own[case].clone()).collect();
                    points.and_then(|points| match board.direction {
                        Direction::Max => points.into_iter().min(),
                        Direction::Min => points.into_iter().max(),
                    })
                }
            };
        }
    }
    counted
}

/// Returns the share of the best score of a case as documented, for large scores as good ones.
fn share_slowly(run: &Run, case: usize, score: &Score) -> BigRational {
    let sign = BigRational::from_integer(if run.direction == Direction::Max { 1.into() } else { (-1).into() });
    let signed = |score: &Score| score.to_rational() * &sign;
    let known = run.cases[case].best_known.iter();
    let of_run = run.solvers.iter().filter_map(|row| row.scores[case].score());
    let (score, best) = (signed(score), known.chain(of_run).map(signed).max().unwrap());
    let zero = BigRational::default();
    match (score == best, best.cmp(&zero)) {
        (true, _) => BigRational::from_integer(1.into()),
        (false, Ordering::Greater) if score > zero => score / best,
        (false, Ordering::Less) => best / score,
        (false, _) => zero,
    }
}

/// Turns an accepted answer into a failure.
fn fail(score: &mut CaseScore) {
    if *score != CaseScore::Skipped {
        *score = CaseScore::Failed;
    }
}

/// Absent is the worst.
fn is_no_better(scoreboard: &Scoreboard, now: Option<&BigRational>, before: Option<&BigRational>) -> bool {
    match (now, before) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(now), Some(before)) => scoreboard.direction.compare(now, before).is_le(),
    }
}

fn totals(standing: &Standing) -> [Option<&BigRational>; 2] {
    [standing.total.as_ref(), standing.mean.as_ref()]
}

proptest! {
    #[test]
    fn groups_count_as_documented(run in any_run()) {
        for rule in Rule::all() {
            let board = run.score(&rule);
            for (solver, standing) in board.standings.iter().enumerate() {
                let slow = counted_slowly(&run, &rule, &board, solver);
                prop_assert_eq!(standing.points.iter().collect::<Vec<_>>(), slow, "{}", rule);
            }
        }
    }

    #[test]
    fn relative_points_are_shares_of_the_best_known(run in any_run()) {
        let scale = BigInt::from(1_000);
        let relative = run.score(&Rule::Relative { scale: scale.clone() });
        let log = run.score(&Rule::Log);
        for (solver, row) in run.solvers.iter().enumerate() {
            for (case, score) in row.scores.iter().enumerate() {
                let share = score.score().map(|score| share_slowly(&run, case, score));
                let failed = row.has_run(case).then(BigRational::default);
                let slow = share.as_ref().map(|share| share * &scale).or(failed);
                prop_assert_eq!(relative.standings[solver].own_points.get(case), slow);
                // The formula of `log` is the logarithm of the same share, if all scores are above 0.
                if let (Some(points), Some(share)) = (log.standings[solver].own_points.get(case), share) {
                    let expected = share.to_f64().unwrap().ln();
                    let points = points.to_f64().unwrap();
                    prop_assert!((points - expected).abs() <= 1e-9 * expected.abs().max(1e-6), "{points}, {expected}");
                }
            }
        }
    }

    #[test]
    fn a_group_by_its_worst_case_has_its_weight_times_that_case(run in any_run()) {
        let board = run.score(&Rule::Exact);
        for result in test_groups(&run.results(), &board) {
            let cases: Vec<usize> = (0..run.cases.len()).filter(|&case| run.cases[case].group == Some(result.group)).collect();
            for (standing, row) in board.standings.iter().zip(&result.rows) {
                if let (Some(worst), 0) = (row.worst, row.skipped) {
                    let own = |case: usize| standing.own_points.get(case).unwrap();
                    prop_assert!(cases.iter().all(|&case| own(worst) <= own(case)));
                    prop_assert_eq!(row.points.clone(), Some(own(worst) * &result.weight));
                }
            }
        }
    }

    #[test]
    fn a_failure_never_raises_a_total(run in any_run(), solver: Index, case: Index) {
        let (solver, case) = (solver.index(run.solvers.len()), case.index(run.cases.len()));
        let mut failing = run.clone();
        fail(&mut failing.solvers[solver].scores[case]);
        for rule in Rule::all() {
            let (before, now) = (run.score(&rule), failing.score(&rule));
            let (old, new) = (&before.standings[solver], &now.standings[solver]);
            for (new, old) in totals(new).into_iter().zip(totals(old)) {
                prop_assert!(is_no_better(&now, new, old), "{rule}: {old:?} became {new:?}");
            }
            for (new, old) in new.points.iter().zip(old.points.iter()) {
                prop_assert!(is_no_better(&now, new.as_ref(), old.as_ref()), "{rule}: {old:?} became {new:?}");
            }
        }
    }

    #[test]
    fn a_failure_never_lifts_the_solver_in_the_leaderboard(run in any_run(), solver: Index, case: Index) {
        let (solver, case) = (solver.index(run.solvers.len()), case.index(run.cases.len()));
        let mut failing = run.clone();
        fail(&mut failing.solvers[solver].scores[case]);
        // The totals of the other rules depend on the best score or the other solvers, which the failure changes.
        for rule in [Rule::Sum, Rule::Mean, Rule::Exact, "thresholds".parse().unwrap()] {
            let rank = |run: &Run| {
                let leaderboard = leaderboard(&run.results(), &run.score(&rule));
                leaderboard.into_iter().find(|place| place.solver == solver).unwrap().rank
            };
            prop_assert!(rank(&failing) >= rank(&run), "{rule}");
        }
    }

    #[test]
    fn scaling_all_scores_scales_nothing_relative(run in any_run(), factor in 2_u64..u64::MAX) {
        let mut scaled = run.clone();
        let scale = |score: &mut Score| *score = Score::from_rational(&(score.to_rational() * BigInt::from(factor))).unwrap();
        for score in scaled.solvers.iter_mut().flat_map(|row| &mut row.scores) {
            if let CaseScore::Accepted(score) = score {
                scale(score);
            }
        }
        scaled.cases.iter_mut().filter_map(|terms| terms.best_known.as_mut()).for_each(scale);
        let scale_1000 = BigInt::from(1_000);
        for rule in [
            Rule::Relative { scale: scale_1000.clone() },
            Rule::Rank { scale: scale_1000.clone() },
            Rule::RankTopCoder { scale: scale_1000.clone() },
            Rule::Exact,
            Rule::Log,
        ] {
            prop_assert_eq!(run.score(&rule), scaled.score(&rule), "{}", rule);
        }
    }

    #[test]
    fn the_order_of_cases_does_not_matter(run in any_run(), by: Index) {
        let by = by.index(run.cases.len());
        let mut turned = run.clone();
        turned.cases.rotate_left(by);
        for row in &mut turned.solvers {
            row.scores.rotate_left(by);
        }
        for rule in Rule::all() {
            for (one, other) in run.score(&rule).standings.iter().zip(&turned.score(&rule).standings) {
                prop_assert_eq!(totals(one), totals(other), "{}", rule);
            }
            let leaderboard = |run: &Run| leaderboard(&run.results(), &run.score(&rule));
            prop_assert_eq!(leaderboard(&run), leaderboard(&turned), "{}", rule);
        }
    }

    #[test]
    fn the_order_of_solvers_does_not_matter(run in any_run(), by: Index) {
        let by = by.index(run.solvers.len());
        let mut turned = run.clone();
        turned.solvers.rotate_left(by);
        for rule in Rule::all() {
            let mut standings = run.score(&rule).standings;
            standings.rotate_left(by);
            prop_assert_eq!(&standings, &turned.score(&rule).standings, "{}", rule);
            let names = |run: &Run| -> Vec<String> {
                let leaderboard = leaderboard(&run.results(), &run.score(&rule));
                leaderboard.iter().map(|place| format!("{} {}", place.rank, run.solvers[place.solver].name)).collect()
            };
            prop_assert_eq!(names(&run), names(&turned), "{}", rule);
        }
    }

    #[test]
    fn relative_and_rank_points_lie_between_nothing_and_the_scale(run in any_run()) {
        let full = BigRational::from_integer(1_000_000.into());
        for rule in Rule::all().into_iter().filter(Rule::has_scale) {
            for standing in run.score(&rule).standings {
                for points in standing.points.iter().flatten() {
                    prop_assert!(BigRational::default() <= points && points <= full, "{rule}: {points}");
                }
            }
        }
    }

    #[test]
    fn topcoder_ranks_share_half_a_point_for_every_pair(run in any_run()) {
        let all = BigInt::from(run.solvers.len());
        let rule = Rule::RankTopCoder { scale: (&all - 1_u32) * 2_u32 };
        let alike = vec![Terms::default(); run.cases.len()];
        let board = score(&rule, &Results { cases: CaseTerms::Each(&alike), ..run.results() }).unwrap();
        for case in 0..run.cases.len() {
            if run.solvers.len() > 1 && run.solvers.iter().all(|row| row.scores[case].score().is_some()) {
                let points = board.standings.iter().filter_map(|standing| standing.points.get(case));
                let sum: BigRational = points.sum();
                prop_assert_eq!(sum, BigRational::from_integer(&all * (&all - 1_u32)));
            }
        }
    }
}
