//! `--update` of a baseline.

use super::baseline::{Baseline, BaselineCase, CaseResult};
use super::noise_test::NoiseTest;
use judge_problem::Direction;
use std::time::Duration;

/// A recorded CPU time stays as long as a new one differs by no more than this share of it, or by so little time. Otherwise
/// every update would change every line of the file. A rise in many small steps adds up against the time that stayed.
const STEADY_SHARE: f64 = 0.25;
const STEADY_TIME: Duration = Duration::from_millis(5);

/// Returns the baseline with the runs of today, which hold the gate, averaged in.
///
/// Only runs that pass are averaged in. What this choice adds to the mean and takes off the spread is made up for, or the
/// baseline would rise from commit to commit until the gate cried wolf.
#[must_use]
pub fn averaged(baseline: &Baseline, today: &Baseline, test: &NoiseTest, direction: Direction) -> Baseline {
    let sign = if direction == Direction::Max { -1.0 } else { 1.0 };
    let mut selection = test.selection.iter();
    let mut averaged = baseline.clone();
    for (case, entry) in &mut averaged.cases {
        let Some(now) = today.cases.get(case) else { continue };
        match (&entry.result, &now.result) {
            (CaseResult::Accepted(before), CaseResult::Accepted(after)) => {
                let (by, squares) = selection.next().map_or((0.0, 0.0), |of| (sign * of.mean, of.squares));
                entry.result = CaseResult::Accepted(before.merged(after).corrected(by, squares));
            }
            (CaseResult::Failed(_), _) => entry.result = now.result.clone(),
            (CaseResult::Accepted(_), CaseResult::Failed(_)) => {}
        }
        entry.input = now.input.clone();
        entry.cpu = now.cpu;
        entry.processor.clone_from(&now.processor);
    }
    averaged
}

/// Returns a new baseline with the CPU times of the recorded one where they are about the same.
#[must_use]
pub fn with_steady_times(mut new: Baseline, recorded: &Baseline) -> Baseline {
    for (case, entry) in &mut new.cases {
        if let Some(was) = recorded.cases.get(case).filter(|was| is_about_as_fast(entry, was)) {
            entry.cpu = was.cpu;
        }
    }
    new
}

fn is_about_as_fast(new: &BaselineCase, recorded: &BaselineCase) -> bool {
    let (Some(now), Some(was)) = (new.cpu, recorded.cpu) else { return false };
    new.processor == recorded.processor && now.abs_diff(was) <= was.mul_f64(STEADY_SHARE).max(STEADY_TIME)
}

#[cfg(test)]
mod tests {
    use super::*;
    use checkers::Score;
    use std::collections::BTreeMap;

    fn baseline(times: &[u64], processor: &str) -> Baseline {
        let entry = |(case, cpu): (usize, &u64)| {
            let entry = BaselineCase {
                result: CaseResult::Accepted(Score::from(1).into()),
                input: None,
                cpu: Some(Duration::from_millis(*cpu)),
                processor: Some(processor.to_owned()),
                tolerance: None,
            };
            (case.to_string(), entry)
        };
        let cases: BTreeMap<String, BaselineCase> = times.iter().enumerate().map(entry).collect();
        Baseline { problem: String::new(), terms: String::new(), checker: String::new(), conditions: None, cases }
    }

    #[test]
    fn a_time_is_recorded_anew_where_it_changed_clearly() {
        let times = |new: &Baseline, recorded: &Baseline| -> Vec<u128> {
            let found = with_steady_times(new.clone(), recorded);
            found.cases.values().map(|entry| entry.cpu.unwrap().as_millis()).collect()
        };
        let recorded = baseline(&[100, 100, 100, 2, 2], "a");
        let new = baseline(&[124, 76, 126, 7, 8], "a");
        assert_eq!(times(&new, &recorded), [100, 100, 126, 2, 8]);
        assert_eq!(times(&baseline(&[124, 76, 126, 7, 8], "b"), &recorded), [124, 76, 126, 7, 8]);
    }
}
