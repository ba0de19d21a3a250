//! The running score of a solver against its last run.

use super::effects::rounded;
use judge_problem::{Digest, Direction, PastScores, counted};

/// The running score of a solver against its last run, on the cases of both.
#[derive(Debug)]
pub(super) struct AgainstPast {
    past: PastScores,
    direction: Direction,
    /// The number of cases that both solved, and the sums of their scores.
    cases: usize,
    now: f64,
    before: f64,
    /// The number of cases that are solved now and were not, and the other way round.
    gained: usize,
    lost: usize,
}

impl AgainstPast {
    /// Begins before the first case.
    pub(super) fn new(past: PastScores, direction: Direction) -> Self {
        Self { past, direction, cases: 0, now: 0.0, before: 0.0, gained: 0, lost: 0 }
    }

    /// Counts a finished case by the hash of its input. One that was not part of the last run does not count.
    pub(super) fn add(&mut self, input: &Digest, score: Option<f64>) {
        match (score, self.past.scores.get(input)) {
            (Some(now), Some(Some(before))) => {
                self.cases += 1;
                self.now += now;
                self.before += before;
            }
            (Some(_), Some(None)) => self.gained += 1,
            (None, Some(Some(_))) => self.lost += 1,
            (None, Some(None)) | (_, None) => {}
        }
    }

    /// Returns it in words: `1.3 % better than run 12 on 10 cases, 1 more fails`. `None` before the first case.
    pub(super) fn words(&self) -> Option<String> {
        let Self { past, cases, gained, lost, .. } = self;
        if cases + gained + lost == 0 {
            return None;
        }
        let mut words = match cases {
            0 => format!("against run {}", past.run),
            _ => format!("{} run {} on {}", self.difference(), past.run, counted(*cases, "case")),
        };
        for (count, what) in [(lost, "newly failed"), (gained, "newly solved")] {
            if *count > 0 {
                words += &format!(", {count} {what}");
            }
        }
        Some(words)
    }

    fn difference(&self) -> String {
        let difference = self.now - self.before;
        if difference == 0.0 {
            return "equal to".to_owned();
        }
        let is_better = (difference > 0.0) == (self.direction == Direction::Max);
        let word = if is_better { "better" } else { "worse" };
        if self.before == 0.0 {
            return format!("{word} than");
        }
        let percent = (difference / self.before * 100.0).abs();
        format!("{} % {word} than", rounded(percent, percent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge_problem::RunId;

    fn digest(case: u8) -> Digest {
        Digest([case; 32])
    }

    fn after(direction: Direction, cases: &[(u8, Option<f64>)]) -> Option<String> {
        let scores = [(1, Some(100.0)), (2, Some(100.0)), (3, None), (4, None)];
        let scores = scores.into_iter().map(|(case, score)| (digest(case), score)).collect();
        let mut against = AgainstPast::new(PastScores { run: RunId(12), scores }, direction);
        cases.iter().for_each(|(case, score)| against.add(&digest(*case), *score));
        against.words()
    }

    #[test]
    fn cases_of_both_runs_count() {
        let (max, min) = (Direction::Max, Direction::Min);
        let said = |text: &str| Some(text.to_owned());
        assert_eq!(after(max, &[]), None);
        assert_eq!(after(max, &[(9, Some(5.0))]), None, "another case");
        assert_eq!(after(max, &[(1, Some(103.0))]), said("3.0 % better than run 12 on 1 case"));
        assert_eq!(after(max, &[(1, Some(99.0)), (2, Some(99.0))]), said("1.0 % worse than run 12 on 2 cases"));
        assert_eq!(after(min, &[(1, Some(99.0)), (2, Some(100.0))]), said("0.50 % better than run 12 on 2 cases"));
        assert_eq!(after(max, &[(1, Some(100.0))]), said("equal to run 12 on 1 case"));
        let mixed = [(1, Some(101.0)), (2, None), (3, Some(1.0)), (4, None)];
        assert_eq!(after(max, &mixed), said("1.0 % better than run 12 on 1 case, 1 newly failed, 1 newly solved"));
        assert_eq!(after(max, &[(2, None)]), said("against run 12, 1 newly failed"));
    }
}
