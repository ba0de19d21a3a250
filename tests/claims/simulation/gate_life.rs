//! The life of a gate: commits that make no change, or a small one, to a solver whose scores vary from run to run.

use judge_compare::gate::{self, Baseline, BaselineCase, CaseResult, GateLimits, Sample};
use judge_problem::Direction;
use judge_statistics::Random;
use num_rational::BigRational;
use num_traits::ToPrimitive;
use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};

/// How the score of a case varies from run to run, with mean 0 and standard deviation 1.
#[derive(Debug, Clone, Copy)]
#[allow(dead_code, reason = "the test draws from fewer than the bench")]
pub(crate) enum Noise {
    /// The normal distribution.
    Normal,
    /// The uniform distribution.
    Uniform,
    /// Minus Gumbel's distribution: the tail on the side of low scores, skewness -1.1.
    LowTail,
    /// Gumbel's distribution: the tail on the side of high scores.
    HighTail,
    /// One run in ten is bad by three standard deviations.
    Drops,
    /// Student's distribution with 3 degrees of freedom: heavy tails on both sides.
    HeavyTails,
}

impl Noise {
    fn draw(self, random: &mut Random) -> f64 {
        let gumbel = |random: &mut Random| (-(-random.unit().ln()).ln() - 0.577_215_664_901_532_9) * 6_f64.sqrt() / PI;
        let normal = |random: &mut Random| (-2.0 * random.unit().ln()).sqrt() * (TAU * random.unit()).cos();
        match self {
            Self::Normal => normal(random),
            Self::HeavyTails => {
                let squares: f64 = (0..3).map(|_| normal(random).powi(2)).sum();
                normal(random) / squares.sqrt()
            }
            Self::Uniform => (random.unit() - 0.5) * 12_f64.sqrt(),
            Self::LowTail => -gumbel(random),
            Self::HighTail => gumbel(random),
            Self::Drops => {
                if random.unit() < 0.1 {
                    -3.0
                } else {
                    1.0 / 3.0
                }
            }
        }
    }
}

/// A gate and the solver that it holds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Life {
    pub(crate) noise: Noise,
    /// The standard deviation of a run, as a share of the case's mean score.
    pub(crate) spread: f64,
    pub(crate) cases: usize,
    /// The largest mean score as a multiple of the smallest. The others lie between, evenly in the logarithm.
    pub(crate) sizes: f64,
    /// The runs of `judge baseline`.
    pub(crate) recorded: usize,
    /// `judge gate --repeat`; `None` is its default.
    pub(crate) repeat: Option<usize>,
    pub(crate) direction: Direction,
    pub(crate) update: bool,
}

/// Twenty cases of equal sizes with normal noise of 10 %, five recorded runs, the default runs of today and `--update`.
pub(crate) const USUAL: Life = Life {
    noise: Noise::Normal,
    spread: 0.1,
    cases: 20,
    sizes: 1.0,
    recorded: 5,
    repeat: None,
    direction: Direction::Max,
    update: true,
};

/// The results of a gate.
pub(crate) struct Course {
    /// By commit: whether there was an alarm.
    pub(crate) alarms: Vec<bool>,
    /// How far the total of the last baseline lies above the true one, as a share of it.
    pub(crate) drift: f64,
}

impl Life {
    /// Plays this many commits of a solver whose scores are the true ones multiplied by `level`.
    pub(crate) fn course(&self, commits: usize, level: f64, random: &mut Random) -> Course {
        let limits = self.limits();
        let runs: Vec<Baseline> = (0..self.recorded).map(|_| self.run(1.0, random)).collect();
        let mut baseline = Baseline::of_runs(&runs).expect("a run");
        let alarms = (0..commits).map(|_| {
            baseline = stored(baseline.clone());
            let mut runs: Vec<Baseline> = (0..self.repeat.unwrap_or(1)).map(|_| self.run(level, random)).collect();
            let mut today = Baseline::of_runs(&runs).expect("a run");
            let mut judgement = gate::judge(&baseline, &today, &limits);
            while self.repeat.is_none() && runs.len() < gate::MAX_RUNS as usize && judgement.is_doubtful() {
                runs.push(self.run(level, random));
                today = Baseline::of_runs(&runs).expect("runs");
                judgement = gate::judge(&baseline, &today, &limits);
            }
            let test = judgement.noise.as_ref().expect("scores vary");
            if self.update && judgement.holds() {
                baseline = gate::averaged(&baseline, &today, test, self.direction);
            }
            !judgement.holds()
        });
        let alarms = alarms.collect();
        let total = baseline.samples().map(|sample| sample.mean().to_f64().unwrap_or(0.0));
        let truth: f64 = (0..self.cases).map(|case| self.size(case)).sum();
        Course { alarms, drift: total.sum::<f64>() / truth - 1.0 }
    }

    /// Returns the p-values of this many gates at once, of unchanged solvers. Each gate has its own baseline and one
    /// run of today.
    #[allow(dead_code, reason = "the bench holds one gate at a time")]
    pub(crate) fn levels(&self, gates: usize, random: &mut Random) -> Vec<f64> {
        let level = |_| {
            let runs: Vec<Baseline> = (0..self.recorded).map(|_| self.run(1.0, random)).collect();
            let baseline = Baseline::of_runs(&runs).expect("a run");
            let judgement = gate::judge(&baseline, &self.run(1.0, random), &self.limits());
            judgement.noise.expect("scores vary").level
        };
        (0..gates).map(level).collect()
    }

    fn limits(&self) -> GateLimits {
        GateLimits {
            direction: self.direction,
            max_drop: BigRational::from_integer(0.into()),
            alpha: 0.05,
            case_alpha: 0.05,
            may_repeat: self.repeat.is_none(),
            confident: None,
            time: None,
        }
    }

    fn size(&self, case: usize) -> f64 {
        10_000.0 * self.sizes.powf(case as f64 / (self.cases - 1) as f64)
    }

    fn run(&self, level: f64, random: &mut Random) -> Baseline {
        let entry = |case| {
            let score = self.size(case) * level * (1.0 + self.spread * self.noise.draw(random));
            let result = CaseResult::Accepted(checkers::Score::from(score.round() as i64).into());
            (name(case), BaselineCase { result, input: None, cpu: None, processor: None, tolerance: None })
        };
        let cases: BTreeMap<String, BaselineCase> = (0..self.cases).map(entry).collect();
        Baseline { problem: "p".to_owned(), terms: "t".to_owned(), checker: "c".to_owned(), conditions: None, cases }
    }
}

/// The baseline as its file holds it: means have four decimals.
fn stored(mut baseline: Baseline) -> Baseline {
    let scale = BigRational::from_integer(10_000.into());
    for entry in baseline.cases.values_mut() {
        if let CaseResult::Accepted(sample) = &entry.result {
            let mean = (sample.mean() * &scale).round() / &scale;
            entry.result =
                CaseResult::Accepted(Sample::new(sample.runs, mean, sample.spread).with_skewness(sample.skewness()));
        }
    }
    baseline
}

fn name(case: usize) -> String {
    format!("seed-{case:03}")
}

/// The share of alarms over all commits of all courses.
pub(crate) fn alarm_rate(courses: &[Course]) -> f64 {
    let alarms = courses.iter().flat_map(|course| &course.alarms);
    alarms.clone().filter(|alarm| **alarm).count() as f64 / alarms.count() as f64
}
