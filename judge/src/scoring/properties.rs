//! The properties of every rule, on random results.

use super::{Results, Scoreboard, SolverScores, Standing, Terms, leaderboard, score};
use crate::model::{Direction, Members, Rule, TestGroup, Thresholds, Weight};
use checkers::Score;
use num_bigint::BigInt;
use num_rational::BigRational;
use proptest::prelude::*;
use proptest::sample::Index;
use std::collections::HashSet;

#[derive(Debug, Clone)]
struct Run {
    direction: Direction,
    failure: Option<Score>,
    cases: Vec<Terms>,
    groups: Vec<TestGroup>,
    solvers: Vec<SolverScores>,
}

impl Run {
    fn results(&self) -> Results<'_> {
        let Self { direction, failure, cases, groups, solvers } = self;
        Results { direction: *direction, failure: failure.as_ref(), cases, groups, solvers }
    }

    fn score(&self, rule: &Rule) -> Scoreboard {
        score(rule, &self.results()).unwrap()
    }
}

/// Small scores make ties and zeros likely; large ones pass 2^64, and some are no integers.
fn any_score() -> impl Strategy<Value = Score> {
    let huge = (1_u64..1_000, 60_u32..140).prop_map(|(factor, bits)| Score::from(BigInt::from(factor) << bits));
    let decimal =
        (-300_i32..1_200, 1_u32..5).prop_map(|(digits, decimals)| format!("{digits}e-{decimals}").parse().unwrap());
    prop_oneof![6 => (-3_i32..12).prop_map(Score::from), 3 => decimal, 1 => huge]
}

fn any_weight() -> impl Strategy<Value = Weight> {
    (0_i32..5, 1_i32..4).prop_map(|(above, below)| format!("{above}/{below}").parse().unwrap())
}

fn any_group() -> impl Strategy<Value = TestGroup> {
    (prop::option::of(any_weight()), any::<bool>()).prop_map(|(weight, all_or_nothing)| TestGroup {
        name: String::new(),
        weight,
        all_or_nothing,
        members: Members::default(),
    })
}

fn any_terms() -> impl Strategy<Value = Terms> {
    (any_weight(), prop::option::of(0_usize..2), prop::option::of(any_score()))
        .prop_map(|(weight, group, best_known)| Terms { weight, group, best_known, thresholds: None })
}

fn any_run() -> impl Strategy<Value = Run> {
    (1_usize..6, 1_usize..5).prop_flat_map(|(cases, solvers)| {
        let row = prop::collection::vec(prop::option::weighted(0.8, any_score()), cases);
        let direction = prop_oneof![Just(Direction::Max), Just(Direction::Min)];
        let rows = prop::collection::vec(row, solvers);
        let terms = prop::collection::vec(any_terms(), cases);
        let groups = prop::collection::vec(any_group(), 2);
        let thresholds = prop::collection::vec(prop::collection::vec(any_score(), 9), cases);
        let run = (direction, prop::option::of(any_score()), terms, thresholds, groups, rows);
        run.prop_map(|(direction, failure, mut cases, thresholds, groups, rows)| {
            for (terms, mut scores) in cases.iter_mut().zip(thresholds) {
                // A better score needs a higher threshold.
                scores.sort_by(|left, right| direction.compare(right, left));
                terms.thresholds = Some(Thresholds::new(direction, scores, None).unwrap());
            }
            let named =
                |(index, scores): (usize, _)| SolverScores { name: index.to_string(), scores, skipped: HashSet::new() };
            Run { direction, failure, cases, groups, solvers: rows.into_iter().enumerate().map(named).collect() }
        })
    })
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
    fn a_failure_never_raises_a_total(run in any_run(), solver: Index, case: Index) {
        let (solver, case) = (solver.index(run.solvers.len()), case.index(run.cases.len()));
        let mut failing = run.clone();
        failing.solvers[solver].scores[case] = None;
        for rule in Rule::all() {
            let (before, now) = (run.score(&rule), failing.score(&rule));
            let (old, new) = (&before.standings[solver], &now.standings[solver]);
            for (new, old) in totals(new).into_iter().zip(totals(old)) {
                prop_assert!(is_no_better(&now, new, old), "{rule}: {old:?} became {new:?}");
            }
            for (new, old) in new.points.iter().zip(&old.points) {
                prop_assert!(is_no_better(&now, new.as_ref(), old.as_ref()), "{rule}: {old:?} became {new:?}");
            }
        }
    }

    #[test]
    fn a_failure_never_lifts_the_solver_in_the_leaderboard(run in any_run(), solver: Index, case: Index) {
        let (solver, case) = (solver.index(run.solvers.len()), case.index(run.cases.len()));
        let mut failing = run.clone();
        failing.solvers[solver].scores[case] = None;
        // The other rules' totals depend on the best or on the others, which the failure changes for all.
        for rule in [Rule::Sum, Rule::Mean, Rule::Exact, Rule::Thresholds] {
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
        scaled.solvers.iter_mut().flat_map(|row| &mut row.scores).flatten().for_each(scale);
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
        turned.solvers.iter_mut().for_each(|row| row.scores.rotate_left(by));
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
        for rule in Rule::all().filter(Rule::has_scale) {
            for standing in run.score(&rule).standings {
                for points in standing.points.into_iter().flatten() {
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
        let board = score(&rule, &Results { cases: &alike, ..run.results() }).unwrap();
        for case in 0..run.cases.len() {
            if run.solvers.len() > 1 && run.solvers.iter().all(|row| row.scores[case].is_some()) {
                let points = board.standings.iter().filter_map(|standing| standing.points[case].clone());
                let sum: BigRational = points.sum();
                prop_assert_eq!(sum, BigRational::from_integer(&all * (&all - 1_u32)));
            }
        }
    }
}
