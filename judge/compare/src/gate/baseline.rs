//! The form in which the gate compares runs: cases with their scores over several runs, and the conditions of the runs.

use checkers::Score;
use judge_problem::{JobId, Outcome, OutcomeGrid, Verdict};
use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};
use std::collections::BTreeMap;
use std::time::Duration;

/// The result of a case.
#[derive(Debug, Clone, PartialEq)]
pub enum CaseResult {
    /// Accepted in every run, with these scores.
    Accepted(Sample),
    /// Not accepted in some run, with this verdict.
    Failed(Verdict),
}

/// A case of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct BaselineCase {
    /// Its result.
    pub result: CaseResult,
    /// The hash of its input, if known.
    pub input: Option<String>,
    /// Its mean CPU time over the runs, if measured.
    pub cpu: Option<Duration>,
    /// The processor of the node that measured it. `None`: the judge's machine.
    pub processor: Option<String>,
    /// How far its score may fall, as a share of the recorded score. Only the tolerance of the baseline counts.
    pub tolerance: Option<BigRational>,
}

/// A run: the recorded one or the current one.
#[derive(Debug, Clone, PartialEq)]
pub struct Baseline {
    /// The problem's id.
    pub problem: String,
    /// The direction and the limits of the problem.
    pub terms: String,
    /// The checker with its version.
    pub checker: String,
    /// The conditions of the runs, if known.
    pub conditions: Option<Conditions>,
    /// The cases by name.
    pub cases: BTreeMap<String, BaselineCase>,
}

impl Baseline {
    /// Returns whether the score of any case varied between runs.
    pub fn is_noisy(&self) -> bool {
        self.samples().any(|sample| sample.spread > 0.0)
    }

    /// Returns a case whose scores vary by more than floating point can hold. A file cannot record it.
    pub fn immeasurable(&self) -> Option<&str> {
        let is_measured = |entry: &BaselineCase| entry.result.sample().is_none_or(|sample| sample.spread.is_finite());
        self.cases.iter().find(|(_, entry)| !is_measured(entry)).map(|(case, _)| &**case)
    }

    /// Returns the minimum and maximum number of runs of an accepted case.
    pub fn runs(&self) -> Option<(u32, u32)> {
        let runs = || self.samples().map(|sample| sample.runs);
        runs().min().zip(runs().max())
    }

    /// Returns the scores of the accepted cases.
    pub fn samples(&self) -> impl Iterator<Item = &Sample> {
        self.cases.values().filter_map(|entry| entry.result.sample())
    }

    /// Combines several runs of one solver on the same cases. A case that failed in any run has failed. `None` without
    /// runs.
    pub fn of_runs(runs: &[Self]) -> Option<Self> {
        let mut all = runs.first()?.clone();
        for (case, entry) in &mut all.cases {
            let later = runs[1..].iter().filter_map(|run| run.cases.get(case));
            entry.result = later.fold(entry.result.clone(), |result, later| result.and(&later.result));
            let times: Option<Vec<Duration>> = runs.iter().map(|run| run.cases.get(case)?.cpu).collect();
            let is_on_one =
                runs.iter().filter_map(|run| run.cases.get(case)).all(|run| run.processor == entry.processor);
            let times = times.filter(|_| is_on_one);
            entry.cpu = times.map(|times| times.iter().sum::<Duration>() / u32::try_from(times.len()).unwrap_or(1));
        }
        Some(all)
    }
}

impl CaseResult {
    /// Returns the scores of an accepted case.
    pub fn sample(&self) -> Option<&Sample> {
        if let Self::Accepted(sample) = self { Some(sample) } else { None }
    }

    fn and(self, later: &Self) -> Self {
        match (self, later) {
            (Self::Accepted(first), Self::Accepted(second)) => Self::Accepted(first.merged(second)),
            (Self::Failed(verdict), _) | (_, &Self::Failed(verdict)) => Self::Failed(verdict),
        }
    }
}

/// How much the share of disturbed runs may exceed the share in the baseline.
const MORE_NOISE: f64 = 0.1;

/// How often a disturbed case is rerun alone.
const REPEATS: usize = 2;

/// The machine of the runs, and how much other programs disturbed them.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, schemars::JsonSchema)]
pub struct Conditions {
    /// The processor. Absent if it is unknown or the cases ran on a cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processor: Option<String>,
    /// The number of runs of cases. 0, and absent in reports, if unknown: a baseline file does not record it.
    #[serde(skip_serializing_if = "num_traits::Zero::is_zero")]
    pub runs: usize,
    /// The share of runs that other programs disturbed.
    pub noisy: f64,
    /// The mean share of wall time in which a run was ready but had no core. It counts as 0 for undisturbed runs,
    /// because starting a program always takes some time.
    pub waited: f64,
}

impl Conditions {
    /// Returns the conditions of these runs.
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

    /// Returns the number of disturbed runs.
    pub fn noisy_runs(&self) -> usize {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of the runs is from 0 to their number"
        )]
        let noisy = (self.noisy * self.runs as f64).round() as usize;
        noisy
    }

    /// Returns whether clearly more of these runs were disturbed than of the recorded ones.
    pub fn are_worse(&self, recorded: Option<&Self>) -> bool {
        self.noisy > tolerated(recorded)
    }
}

/// Returns the tolerated share of disturbed runs. An unknown share in the baseline counts as 0.
fn tolerated(recorded: Option<&Conditions>) -> f64 {
    // In floating point, sums such as 0.3 + 0.1 are a little too small.
    recorded.map_or(0.0, |recorded| recorded.noisy) + MORE_NOISE + 1e-9
}

/// Reruns the disturbed cases of a single solver with `run_alone`, if there are more than in the baseline. Keeps the
/// run with the shortest wait for a core, regardless of its score. Stops when too many cases stay disturbed, or when
/// `run_alone` returns nothing. Returns the number of reruns.
///
/// # Errors
/// Returns the errors of `run_alone`.
pub fn repeat_disturbed<E>(
    outcomes: &mut OutcomeGrid,
    recorded: Option<&Conditions>,
    mut run_alone: impl FnMut(usize) -> Result<Option<Outcome>, E>,
) -> Result<usize, E> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is not negative, and `as` saturates"
    )]
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

/// At most 1, because time that a host took from a virtual machine may be counted twice.
fn waited_share(outcome: &Outcome) -> f64 {
    let wall = outcome.wall.unwrap_or_default().as_secs_f64();
    (outcome.waited.unwrap_or_default().as_secs_f64() / wall.max(f64::MIN_POSITIVE)).min(1.0)
}

/// The scores of a case in one or more runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// The number of runs.
    pub runs: u32,
    mean: BigRational,
    /// The unbiased standard deviation of the scores. 0 for a single run.
    pub spread: f64,
    cubes: f64,
}

/// The deviations of some runs from their mean.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deviations {
    pub(super) runs: f64,
    /// The sum of squares.
    pub(super) squares: f64,
    /// The sum of cubes.
    pub(super) cubes: f64,
}

impl Deviations {
    /// Merges the deviations of two groups of runs. The other group's mean is higher by `step` (Chan, Golub and
    /// LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances", 1979; the cubes follow in
    /// the same way).
    pub(super) fn joined(self, others: Self, step: f64) -> Self {
        let runs = self.runs + others.runs;
        let between = self.runs * others.runs / runs * step * step;
        let uneven = 3.0 * (self.runs * others.squares - others.runs * self.squares) / runs;
        let cubes = self.cubes + others.cubes + (between * (self.runs - others.runs) / runs + uneven) * step;
        Self { runs, squares: self.squares + others.squares + between, cubes }
    }

    /// Returns the unbiased estimate of the third central moment. `None` for fewer than three runs.
    pub(super) fn third_moment(self) -> Option<f64> {
        let Self { runs, cubes, .. } = self;
        (runs > 2.0).then(|| cubes * runs / ((runs - 1.0) * (runs - 2.0)))
    }
}

impl From<Score> for Sample {
    fn from(score: Score) -> Self {
        Self::new(1, score.to_rational(), 0.0)
    }
}

impl Sample {
    /// Returns a sample of `runs` runs, at least 1, with this mean and unbiased standard deviation.
    pub fn new(runs: u32, mean: BigRational, spread: f64) -> Self {
        Self { runs: runs.max(1), mean, spread, cubes: 0.0 }
    }

    /// Returns the sample with this skewness: the unbiased third central moment divided by the cube of the spread.
    /// Fewer than three runs have none.
    pub fn with_skewness(self, skewness: f64) -> Self {
        let (runs, scale) = (f64::from(self.runs), self.spread.powi(3));
        let is_known = self.runs > 2 && scale > 0.0;
        Self { cubes: if is_known { skewness * scale * (runs - 1.0) * (runs - 2.0) / runs } else { 0.0 }, ..self }
    }

    /// Returns the skewness, 0 if there is none.
    pub fn skewness(&self) -> f64 {
        let skewness = self.deviations().third_moment().map_or(0.0, |moment| moment / self.spread.powi(3));
        if skewness.is_finite() { skewness } else { 0.0 }
    }

    /// Returns the mean score.
    pub fn mean(&self) -> &BigRational {
        &self.mean
    }

    /// Returns the degrees of freedom of the spread.
    pub fn freedom(&self) -> f64 {
        f64::from(self.runs) - 1.0
    }

    /// Returns the sum of the squared differences from the mean.
    pub fn squares(&self) -> f64 {
        self.spread * self.spread * self.freedom()
    }

    /// Returns the score, if it is equal in every run.
    pub fn constant(&self) -> Option<Score> {
        if self.spread == 0.0 { Score::from_rational(&self.mean) } else { None }
    }

    pub(super) fn deviations(&self) -> Deviations {
        Deviations { runs: f64::from(self.runs), squares: self.squares(), cubes: self.cubes }
    }

    /// Merges two samples.
    pub fn merged(&self, other: &Self) -> Self {
        let runs = self.runs + other.runs;
        let step = &other.mean - &self.mean;
        let all = self.deviations().joined(other.deviations(), step.to_f64().unwrap_or(f64::INFINITY));
        let mean = &self.mean + step * BigRational::new(other.runs.into(), runs.into());
        Self { runs, mean, spread: (all.squares / (f64::from(runs) - 1.0)).sqrt(), cubes: all.cubes }
    }

    /// Returns the sample with its mean shifted by `by`, if that is a number, and `squares` added to its sum of
    /// squares.
    pub(super) fn corrected(&self, by: f64, squares: f64) -> Self {
        let by = BigRational::from_float(by).unwrap_or_else(BigRational::zero);
        let spread = ((self.squares() + squares) / self.freedom().max(1.0)).sqrt();
        Self { mean: &self.mean + by, spread, ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

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
        // The second case runs undisturbed at once, with a worse score. The third never does, with a better score.
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

    fn of(scores: &[i64]) -> Sample {
        let all = scores.iter().map(|&score| Sample::from(Score::from(score)));
        all.reduce(|sum, next| sum.merged(&next)).unwrap()
    }

    #[test]
    fn samples_merge_equally_in_every_order() {
        // Mean 4; squares 9 + 4 + 1 + 36 = 50.
        let whole = of(&[1, 2, 3, 10]);
        assert_eq!((whole.runs, whole.mean().clone()), (4, BigRational::from_integer(4.into())));
        assert!((whole.spread - (50.0_f64 / 3.0).sqrt()).abs() < 1e-12);
        let halves = of(&[1, 10]).merged(&of(&[2, 3]));
        assert!((halves.spread - whole.spread).abs() < 1e-12 && halves.mean() == whole.mean());
        // Cubes -27 - 8 - 1 + 216 = 180; 180 * 4 / (3 * 2) = 120.
        let skewness = 120.0 / (50.0_f64 / 3.0).powf(1.5);
        assert!((whole.skewness() - skewness).abs() < 1e-12 && (halves.skewness() - skewness).abs() < 1e-12);
        let stored = Sample::new(4, whole.mean().clone(), whole.spread).with_skewness(skewness);
        assert!((stored.skewness() - skewness).abs() < 1e-12);
        assert_eq!((of(&[1, 9]).skewness(), of(&[5, 5, 5]).skewness()), (0.0, 0.0));
    }

    #[test]
    fn a_correction_moves_the_mean_and_widens_the_spread() {
        let found = of(&[1, 2, 3, 10]).corrected(-0.5, 4.0);
        assert_eq!(found.mean(), &BigRational::new(7.into(), 2.into()));
        assert!((found.squares() - 54.0).abs() < 1e-12);
    }

    #[test]
    fn scores_that_vary_too_much_are_named() {
        let huge = |digits: usize| Sample::from("9".repeat(digits).parse::<Score>().unwrap());
        let entry = |sample| BaselineCase {
            result: CaseResult::Accepted(sample),
            input: None,
            cpu: None,
            processor: None,
            tolerance: None,
        };
        let baseline = |sample| Baseline {
            problem: String::new(),
            terms: String::new(),
            checker: String::new(),
            conditions: None,
            cases: BTreeMap::from([("seed-1".to_owned(), entry(sample))]),
        };
        assert_eq!(baseline(huge(200).merged(&huge(1))).immeasurable(), Some("seed-1"));
        assert_eq!(baseline(huge(200).merged(&huge(200))).immeasurable(), None);
        assert_eq!(baseline(huge(100).merged(&huge(1))).immeasurable(), None);
    }

    #[test]
    fn equal_scores_of_any_length_are_constant() {
        let long: Score = "123456789012345678901234567890".parse().unwrap();
        let twice = Sample::from(long.clone()).merged(&Sample::from(long.clone()));
        assert_eq!((twice.constant(), twice.runs, twice.spread), (Some(long), 2, 0.0));
        assert_eq!(of(&[1, 3]).constant(), None);
    }
}
