//! `--update` of a baseline whose scores vary.

use super::baseline::{Baseline, CaseResult};
use super::noise_test::NoiseTest;
use crate::model::Direction;

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
