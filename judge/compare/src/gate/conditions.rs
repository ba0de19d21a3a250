//! How disturbed the runs of a solver were by other programs, and the cases that run again because of it.

use judge_problem::{JobId, Outcome, OutcomeGrid};

/// The share of disturbed runs that a gate may have beyond that of its baseline.
const MORE_NOISE: f64 = 0.1;

/// How often a disturbed case runs again, alone.
const REPEATS: usize = 2;

/// The machine that the cases ran on, and how disturbed the runs were.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Conditions {
    /// The processor; `None` if it is not known, or the cases ran on the nodes of a cluster.
    pub processor: Option<String>,
    /// The number of runs of a case; 0 where it is not known, as a baseline file does not tell it.
    pub runs: usize,
    /// The share of them that other programs disturbed.
    pub noisy: f64,
    /// The share of its time on the clock that a run was ready and had no core, on average. Of the runs that were not
    /// disturbed it counts as none: a start always takes some.
    pub waited: f64,
}

impl Conditions {
    /// Returns the conditions of these runs of cases.
    #[must_use]
    pub fn of(processor: Option<String>, outcomes: impl IntoIterator<Item = Outcome>) -> Self {
        let (mut runs, mut noisy, mut waited) = (0_u32, 0_u32, 0.0);
        for outcome in outcomes {
            runs += 1;
            if outcome.noisy {
                noisy += 1;
                waited += waited_share(&outcome);
            }
        }
        let all = f64::from(runs).max(1.0);
        Self { processor, runs: runs as usize, noisy: f64::from(noisy) / all, waited: waited / all }
    }

    /// Returns how many runs other programs disturbed.
    #[must_use]
    pub fn noisy_runs(&self) -> usize {
        (self.noisy * self.runs as f64).round() as usize
    }

    /// Returns whether other programs disturbed clearly more of these runs than of the recorded ones.
    #[must_use]
    pub fn are_worse(&self, recorded: Option<&Self>) -> bool {
        self.noisy > tolerated(recorded)
    }
}

/// Returns the share of runs that may be disturbed if so many of the recorded ones were. Where that is not known, none was.
fn tolerated(recorded: Option<&Conditions>) -> f64 {
    // Shares such as 0.3 + 0.1 lie a little below what they stand for.
    recorded.map_or(0.0, |recorded| recorded.noisy) + MORE_NOISE + 1e-9
}

/// Runs disturbed cases of a single solver again with `run_alone`, if more of them were disturbed than in the baseline. Of
/// the runs of a case, the one that waited least for a core stays, whatever its score. Ends as soon as too many cases stay
/// disturbed, or `run_alone` returns nothing. Returns the number of further runs.
///
/// # Errors
/// Those of `run_alone`.
pub fn repeat_disturbed<E>(
    outcomes: &mut OutcomeGrid,
    recorded: Option<&Conditions>,
    mut run_alone: impl FnMut(usize) -> Result<Option<Outcome>, E>,
) -> Result<usize, E> {
    let allowed = (tolerated(recorded) * outcomes.finished().count() as f64).floor() as usize;
    let disturbed: Vec<(JobId, Outcome)> =
        outcomes.iter().filter_map(|(job, outcome)| Some((job, outcome.filter(|outcome| outcome.noisy)?))).collect();
    let (mut repeats, mut stay_disturbed) = (0, 0);
    if disturbed.len() <= allowed {
        return Ok(repeats);
    }
    for (job, mut least) in disturbed {
        for _ in 0..REPEATS {
            let Some(again) = run_alone(job.case)? else { return Ok(repeats) };
            repeats += 1;
            if again.wall.is_some() && waited_share(&again) < waited_share(&least) {
                outcomes.set(job, &again);
                least = again;
            }
            if !least.noisy {
                break;
            }
        }
        stay_disturbed += usize::from(least.noisy);
        if stay_disturbed > allowed {
            break;
        }
    }
    Ok(repeats)
}

/// At most 1: what a host took from a virtual machine may count as waiting there, too.
fn waited_share(outcome: &Outcome) -> f64 {
    let wall = outcome.wall.unwrap_or_default().as_secs_f64();
    (outcome.waited.unwrap_or_default().as_secs_f64() / wall.max(f64::MIN_POSITIVE)).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge_problem::Verdict;
    use std::convert::Infallible;
    use std::time::Duration;

    /// A run of 100 ms with this score that waited for so many of them.
    fn outcome(score: i64, waited: u64) -> Outcome {
        Outcome {
            score: Some(score.into()),
            wall: Some(Duration::from_millis(100)),
            waited: Some(Duration::from_millis(waited)),
            noisy: waited > 10,
            ..Outcome::without_run(Verdict::Accepted, String::new())
        }
    }

    fn grid(outcomes: &[Outcome]) -> OutcomeGrid {
        let mut grid = OutcomeGrid::new(outcomes.len(), 1);
        for (case, outcome) in outcomes.iter().enumerate() {
            grid.set(JobId { case, solver: 0 }, outcome);
        }
        grid
    }

    fn conditions(runs: usize, noisy: usize) -> Conditions {
        Conditions { runs, noisy: noisy as f64 / runs.max(1) as f64, ..Conditions::default() }
    }

    fn repeat(
        outcomes: &mut OutcomeGrid,
        recorded: Option<&Conditions>,
        mut again: impl FnMut(usize) -> Outcome,
    ) -> usize {
        let repeats: Result<usize, Infallible> = repeat_disturbed(outcomes, recorded, |case| Ok(Some(again(case))));
        repeats.unwrap()
    }

    #[test]
    fn conditions_count_runs_and_the_time_without_a_core() {
        let found = Conditions::of(None, [outcome(1, 0), outcome(1, 50), outcome(1, 25), outcome(1, 1)]);
        assert_eq!((found.runs, found.noisy, found.noisy_runs()), (4, 0.5, 2));
        assert!((found.waited - 0.1875).abs() < 1e-12, "{found:?}");
        assert_eq!(Conditions::of(None, [outcome(1, 120)]).waited, 1.0);
        assert_eq!(Conditions::of(None, []), Conditions::default());
    }

    #[test]
    fn a_gate_may_be_disturbed_a_little_more_than_its_baseline() {
        let today = |noisy| conditions(20, noisy);
        assert!(!today(2).are_worse(None) && today(3).are_worse(None));
        let busy = conditions(40, 20);
        assert!(!today(12).are_worse(Some(&busy)) && today(13).are_worse(Some(&busy)));
        assert!(!conditions(0, 0).are_worse(Some(&conditions(0, 0))));
        // A baseline's conditions without their number of runs.
        assert!(Conditions { runs: 0, ..busy }.are_worse(Some(&today(2))));
    }

    #[test]
    fn disturbed_cases_run_again_and_the_run_that_waited_least_stays() {
        let mut outcomes = grid(&[outcome(9, 0), outcome(9, 40), outcome(9, 60)]);
        // The second runs undisturbed at once, with a worse score; the third never does, with a better one.
        let repeats = repeat(&mut outcomes, None, |case| if case == 1 { outcome(1, 5) } else { outcome(99, 70) });
        assert_eq!(repeats, 3);
        let scores: Vec<String> = outcomes.scores().map(|score| score.to_string()).collect();
        assert_eq!(scores, ["9", "1", "9"]);
    }

    #[test]
    fn as_many_disturbed_runs_as_in_the_baseline_are_not_repeated() {
        let mut outcomes = grid(&[outcome(9, 40), outcome(9, 0)]);
        assert_eq!(repeat(&mut outcomes, Some(&conditions(10, 5)), |_| outcome(1, 0)), 0);
        assert_eq!(repeat(&mut outcomes, Some(&conditions(10, 3)), |_| outcome(1, 0)), 1);
    }

    #[test]
    fn repeats_end_once_it_is_certain_that_the_machine_stays_busy() {
        let mut outcomes = grid(&vec![outcome(9, 40); 20]);
        // Two of twenty may stay disturbed: with the third, it is decided.
        assert_eq!(repeat(&mut outcomes, None, |_| outcome(9, 45)), 3 * REPEATS);
        assert_eq!(Conditions::of(None, outcomes.finished()).noisy_runs(), 20);
    }

    #[test]
    fn a_repeat_in_which_no_program_ran_does_not_count() {
        let mut outcomes = grid(&[outcome(9, 40)]);
        repeat(&mut outcomes, None, |_| Outcome::without_run(Verdict::JudgeError, "no".to_owned()));
        assert_eq!(outcomes.verdict(JobId { case: 0, solver: 0 }), Verdict::Accepted);
    }
}
