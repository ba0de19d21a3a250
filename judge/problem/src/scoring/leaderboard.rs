//! The ranking of the solvers, their results against each other, and the order of the rows of a table.

use super::results::{CaseScore, Results, SolverScores};
use super::scoreboard::{Scoreboard, Standing};
use crate::text::named_enum;
use num_rational::BigRational;
use std::cmp::Ordering;
use std::num::NonZeroUsize;

/// The row of a solver in the leaderboard. Its points are in the [`Standing`] of the same index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct LeaderboardRow {
    /// The solver's index.
    #[serde(skip)]
    pub solver: usize,
    /// Its rank, from 1. Equal solvers share the better rank.
    pub rank: usize,
    /// Cases won against another solver, summed over all other solvers. An accepted answer wins against a failure.
    /// Cases that one of the two did not run do not count.
    pub wins: usize,
    /// The same, for equal scores or two failures.
    pub ties: usize,
    /// The same, for losses.
    pub losses: usize,
    /// Cases on which no solver of this run was better.
    pub bests: usize,
    /// Cases on which every other solver of this run was worse (or failed).
    pub uniques: usize,
    /// Failed cases: they were run and have no accepted answer.
    pub failures: usize,
    /// Cases that were not run.
    #[serde(skip_serializing_if = "num_traits::Zero::is_zero")]
    pub skipped: usize,
}

/// Ranks the solvers by the aggregate of the rule, then by fewer failures. A solver without an aggregate ranks below
/// all others. Solvers with the same rank are listed by name.
pub fn leaderboard(results: &Results<'_>, scoreboard: &Scoreboard) -> Vec<LeaderboardRow> {
    let standing = |solver: usize| &scoreboard.standings[solver];
    let worth = |left: usize, right: usize| scoreboard.compare(standing(left), standing(right));
    let mut order: Vec<usize> = (0..results.solvers.len()).collect();
    order.sort_by(|&left, &right| {
        let names = results.solvers[left].name.cmp(&results.solvers[right].name);
        worth(right, left).then(names)
    });
    let rank = |solver: usize| 1 + order.iter().filter(|&&other| worth(other, solver).is_gt()).count();
    order.iter().map(|&solver| row(results, solver, rank(solver), standing(solver))).collect()
}

fn row(results: &Results<'_>, solver: usize, rank: usize, standing: &Standing) -> LeaderboardRow {
    let own = &results.solvers[solver];
    let others: Vec<&SolverScores> =
        results.solvers.iter().enumerate().filter(|(index, _)| *index != solver).map(|(_, other)| other).collect();
    let (failures, skipped) = (standing.failed, standing.skipped);
    let mut row = LeaderboardRow { solver, rank, wins: 0, ties: 0, losses: 0, bests: 0, uniques: 0, failures, skipped };
    for (case, score) in own.scores.iter().map(CaseScore::score).enumerate().filter(|(case, _)| own.has_run(*case)) {
        let others = others.iter().filter(|other| other.has_run(case));
        let compare = |other: &&SolverScores| results.direction.compare_known(score, other.scores[case].score());
        let orders: Vec<Ordering> = others.map(compare).collect();
        let count = |wanted| orders.iter().filter(|&&order| order == wanted).count();
        row.wins += count(Ordering::Greater);
        row.ties += count(Ordering::Equal);
        row.losses += count(Ordering::Less);
        row.bests += usize::from(score.is_some() && count(Ordering::Less) == 0);
        row.uniques += usize::from(score.is_some() && count(Ordering::Greater) == orders.len());
    }
    row
}

named_enum! {
    /// The key by which rows are sorted.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum RowKey {
        /// The raw score.
        Score = "score",
        /// The points by the scoring rule.
        Points = "points",
        /// CPU time.
        Cpu = "cpu",
        /// Peak memory.
        Memory = "memory",
        /// The loss against the best points or score, or against the other solver of a comparison.
        Lost = "lost",
    }
}

impl RowKey {
    /// Returns whether a row without a value is worse than all others, because it has no accepted answer. A missing
    /// time or size is only unknown.
    fn is_absent_worst(self) -> bool {
        matches!(self, Self::Score | Self::Points | Self::Lost)
    }
}

/// The order of the rows of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowOrder {
    /// The key.
    pub key: RowKey,
    /// Whether the best rows come first. Otherwise the worst rows do.
    pub best_first: bool,
    /// The number of rows to show, if limited.
    pub top: Option<NonZeroUsize>,
}

impl RowOrder {
    /// Returns all rows in this order. Each row comes with its badness: larger is worse. Equally bad rows keep their
    /// order.
    pub fn sorted<T>(&self, mut rows: Vec<(Option<BigRational>, T)>) -> Vec<T> {
        rows.sort_by(|(left, _), (right, _)| self.compare(left.as_ref(), right.as_ref()));
        rows.into_iter().map(|(_, row)| row).collect()
    }

    fn compare(&self, left: Option<&BigRational>, right: Option<&BigRational>) -> Ordering {
        let in_order = |order: Ordering| if self.best_first { order } else { order.reverse() };
        match (left, right) {
            (Some(left), Some(right)) => in_order(left.cmp(right)),
            _ if self.key.is_absent_worst() => in_order(left.is_none().cmp(&right.is_none())),
            _ => left.is_none().cmp(&right.is_none()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scoring::results::{CaseTerms, Terms};
    use crate::scoring::scoreboard::score;
    use crate::{Direction, Rule};
    use checkers::Score;

    fn ranked(direction: Direction, rule: &Rule, rows: &[(&str, &[Option<i32>])]) -> Vec<LeaderboardRow> {
        let solvers: Vec<SolverScores> = rows
            .iter()
            .map(|(name, row)| SolverScores {
                name: (*name).to_owned(),
                scores: row.iter().map(|score| score.map(Score::from).into()).collect(),
            })
            .collect();
        let cases = vec![Terms::default(); rows[0].1.len()];
        let failure = direction.failure_by_default();
        let results = Results {
            direction,
            failure: failure.as_ref(),
            cases: CaseTerms::Each(&cases),
            groups: &[],
            solvers: &solvers,
        };
        leaderboard(&results, &score(rule, &results).unwrap())
    }

    #[test]
    fn a_hand_worked_leaderboard() {
        let rows: [(&str, &[Option<i32>]); 3] = [
            ("slow", &[Some(1), Some(5), Some(3), None]),
            ("fast", &[Some(9), Some(5), Some(2), None]),
            ("wild", &[Some(2), None, Some(1), None]),
        ];
        let expected = [
            LeaderboardRow {
                solver: 1,
                rank: 1,
                wins: 4,
                ties: 3,
                losses: 1,
                bests: 2,
                uniques: 1,
                failures: 1,
                skipped: 0,
            },
            LeaderboardRow {
                solver: 0,
                rank: 2,
                wins: 3,
                ties: 3,
                losses: 2,
                bests: 2,
                uniques: 1,
                failures: 1,
                skipped: 0,
            },
            LeaderboardRow {
                solver: 2,
                rank: 3,
                wins: 1,
                ties: 2,
                losses: 5,
                bests: 0,
                uniques: 0,
                failures: 2,
                skipped: 0,
            },
        ];
        assert_eq!(ranked(Direction::Max, &Rule::Sum, &rows), expected);
    }

    #[test]
    fn a_solver_that_fails_ranks_below_if_small_scores_are_good() {
        let rows: [(&str, &[Option<i32>]); 3] =
            [("a", &[Some(1), None]), ("b", &[Some(900), Some(900)]), ("c", &[None, None])];
        let order: Vec<(usize, usize)> =
            ranked(Direction::Min, &Rule::Sum, &rows).iter().map(|place| (place.solver, place.rank)).collect();
        assert_eq!(order, [(1, 1), (0, 2), (2, 3)]);
    }

    #[test]
    fn equal_solvers_share_a_rank_and_are_listed_by_name() {
        let rows: [(&str, &[Option<i32>]); 3] = [("z", &[Some(5)]), ("y", &[Some(1)]), ("a", &[Some(5)])];
        let found = ranked(Direction::Max, &Rule::Mean, &rows);
        let order: Vec<(usize, usize)> = found.iter().map(|place| (place.solver, place.rank)).collect();
        assert_eq!(order, [(2, 1), (0, 1), (1, 3)]);
        assert_eq!((found[0].bests, found[0].uniques), (1, 0));
    }

    #[test]
    fn a_lone_solver_is_the_unique_best_wherever_it_is_accepted() {
        let found = ranked(Direction::Min, &Rule::Exact, &[("a", &[Some(5), None, Some(0)])]);
        assert_eq!(
            found[0],
            LeaderboardRow {
                solver: 0,
                rank: 1,
                wins: 0,
                ties: 0,
                losses: 0,
                bests: 2,
                uniques: 2,
                failures: 1,
                skipped: 0
            }
        );
    }

    fn order(key: &str, best_first: bool) -> Vec<usize> {
        let badness = [Some(2), None, Some(3), Some(1), Some(3)];
        let rows = badness
            .into_iter()
            .enumerate()
            .map(|(place, bad)| (bad.map(|bad| BigRational::from_integer(bad.into())), place));
        let key = key.parse().expect("a key");
        RowOrder { key, best_first, top: None }.sorted(rows.collect())
    }

    #[test]
    fn failures_are_the_worst_scores() {
        assert_eq!(order("score", false), [1, 2, 4, 0, 3]);
        assert_eq!(order("lost", true), [3, 0, 2, 4, 1]);
    }

    #[test]
    fn unknown_times_come_last_in_both_orders() {
        assert_eq!(order("cpu", false), [2, 4, 0, 3, 1]);
        assert_eq!(order("memory", true), [3, 0, 2, 4, 1]);
    }

    #[test]
    fn every_name_is_read() {
        assert!(RowKey::ALL.map(RowKey::name).iter().all(|name| name.parse::<RowKey>().is_ok()));
        let error = "wall".parse::<RowKey>().expect_err("it is no key");
        assert_eq!(error.to_string(), "expected one of score, points, cpu, memory, lost, found `wall`");
    }
}
