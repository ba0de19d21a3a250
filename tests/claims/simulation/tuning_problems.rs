//! Problems for tuners: solvers whose score on a case depends on parameters, with a known best setting.
//!
//! `judge/statistics/benches/tune_optuna.py` has the same in Python; `tests/statistics/tune.rs` checks that both agree.

use std::f64::consts::PI;

/// A solver with parameters. Its score on a case is `1000 · size · quality(setting)` with noise. The size belongs to
/// the case, the noise to the setting and the case. The best setting has the quality 1, so a setting's regret is 1
/// minus its quality.
pub(crate) struct TuningProblem {
    pub(crate) name: &'static str,
    /// As the command line takes them.
    pub(crate) parameters: &'static [&'static str],
    /// The quality of a setting, by numbers (a category by its index in the list).
    quality: fn(&[f64]) -> f64,
    /// The standard deviation of the logarithm of a case's size.
    sizes: f64,
    noise: Noise,
    /// The numbers of runs that tuners are compared at.
    #[allow(dead_code, reason = "the test has a budget of its own")]
    pub(crate) budgets: [usize; 2],
}

enum Noise {
    /// The score is multiplied by the exponential of the noise. The noise has a standard deviation between these two,
    /// depending on the case, evenly in the logarithm.
    OfCase(f64, f64),
    /// The noise is added to the quality. Its standard deviation depends on the setting.
    OfSetting(fn(&[f64]) -> f64),
}

/// The cases of one repetition are those from this number times the repetition on.
pub(crate) const REPETITION: u64 = 1_000_000;

pub(crate) const BRANIN: TuningProblem = TuningProblem {
    name: "branin",
    parameters: &["x=-5..10", "y=0..15"],
    quality: |at| of_loss(branin(at[0], at[1]) - BRANIN_LEAST, 10.0),
    sizes: 0.5,
    noise: Noise::OfCase(0.05, 0.5),
    budgets: [600, 2_000],
};

pub(crate) const ROSENBROCK: TuningProblem = TuningProblem {
    name: "rosenbrock",
    parameters: &["a=-2..2", "b=-2..2", "c=-2..2", "d=-2..2", "e=-2..2", "f=-2..2"],
    quality: |at| of_loss(rosenbrock(at), 500.0),
    sizes: 0.3,
    noise: Noise::OfCase(0.15, 0.15),
    budgets: [600, 2_000],
};

pub(crate) const MIXED: TuningProblem = TuningProblem {
    name: "mixed",
    parameters: &["t=0.01..100:log", "k={greedy,beam,sa}", "a=0..1"],
    quality: |at| mixed(at[0].ln(), at[1], at[2]),
    sizes: 0.3,
    noise: Noise::OfCase(0.15, 0.15),
    budgets: [600, 2_000],
};

/// The noise grows tenfold with x: a bad setting with much noise looks good by luck.
pub(crate) const GROWING: TuningProblem = TuningProblem {
    name: "growing noise",
    parameters: &["x=0..10", "y=0..1"],
    quality: |at| of_loss(square((at[0] - 3.0) / 6.0) + square((at[1] - 0.6) / 0.6), 1.0),
    sizes: 0.2,
    noise: Noise::OfSetting(|at| 0.1 + 0.09 * at[0]),
    budgets: [300, 1_000],
};

/// A narrow ridge that rises slowly along its length.
pub(crate) const RIDGE: TuningProblem = TuningProblem {
    name: "ridge",
    parameters: &["x=0..1", "y=0..1", "z=0..1"],
    quality: |at| of_loss(square((at[0] + at[1] - 1.0) / 0.1) + square(at[0] - at[1] - 0.4) + square(at[2] - 0.7), 1.0),
    sizes: 0.2,
    noise: Noise::OfSetting(|_| 0.15),
    budgets: [300, 1_000],
};

/// A category in which one value is best, and a parameter without any effect.
pub(crate) const DEAD: TuningProblem = TuningProblem {
    name: "dead parameter",
    parameters: &["k={greedy,beam,sa}", "t=0.01..100:log", "dead=0..1"],
    quality: |at| {
        [0.8, 0.9, 1.0][at[0] as usize] * of_loss(square((at[1].ln() - [2.0, 0.0, -2.0][at[0] as usize]) / 2.0), 1.0)
    },
    sizes: 0.3,
    noise: Noise::OfSetting(|_| 0.3),
    budgets: [300, 1_000],
};

/// Much noise at the best setting, and little where the score is fair. This problem was not used to choose anything in
/// the search.
pub(crate) const DARING: TuningProblem = TuningProblem {
    name: "daring",
    parameters: &["t=0.1..10:log", "n=1..40", "a=-1..1"],
    quality: |at| of_loss(square(at[0].ln() - 1.4) / 4.0 + square((at[1] - 28.0) / 20.0) + square(at[2] - 0.3), 1.0),
    sizes: 0.5,
    noise: Noise::OfSetting(|at| 0.07 * (0.9 * at[0].ln()).exp().clamp(0.5, 5.0)),
    budgets: [300, 1_000],
};

/// One of the categories is noisy, and the noise grows with another parameter, too. This problem was not used to choose
/// anything in the search.
pub(crate) const LOUD: TuningProblem = TuningProblem {
    name: "loud category",
    parameters: &["k={calm,loud}", "w=1..1000:log", "b=0..1", "c=0..1"],
    quality: |at| {
        let best = if at[0] == 0.0 { 3.0 } else { 5.0 };
        let loss = square((at[1].ln() - best) / 2.5) + 2.0 * square(at[2] - 0.2) + 0.5 * square(at[3] - 0.8);
        if at[0] == 0.0 { of_loss(loss, 1.0) } else { 0.9 * of_loss(loss, 1.0) }
    },
    sizes: 0.3,
    noise: Noise::OfSetting(|at| if at[0] == 0.0 { 0.12 + 0.2 * at[2] } else { 0.8 }),
    budgets: [300, 1_000],
};

pub(crate) const PROBLEMS: [&TuningProblem; 8] =
    [&BRANIN, &ROSENBROCK, &MIXED, &GROWING, &RIDGE, &DEAD, &DARING, &LOUD];

impl TuningProblem {
    /// Returns the values as numbers, a category as its index in the list.
    pub(crate) fn numbers(&self, values: &[String]) -> Vec<f64> {
        let number = |(value, parameter): (&String, &&str)| match choices(parameter) {
            Some(mut choices) => choices.position(|choice| choice == value).expect("one of the choices") as f64,
            None => value.parse().expect("a number"),
        };
        values.iter().zip(self.parameters).map(number).collect()
    }

    /// Returns the numbers as the command line takes them: the reverse of `numbers`.
    pub(crate) fn values(&self, numbers: &[f64]) -> Vec<String> {
        let value = |(number, parameter): (&f64, &&str)| match choices(parameter) {
            Some(mut choices) => choices.nth(*number as usize).expect("one of the choices").to_owned(),
            None => number.to_string(),
        };
        numbers.iter().zip(self.parameters).map(value).collect()
    }

    /// Returns the setting with these shares, from 0 to 1, of each range or list of categories.
    pub(crate) fn setting(&self, shares: &[f64]) -> Vec<f64> {
        self.parameters.iter().zip(shares).map(|(parameter, share)| at(parameter, *share)).collect()
    }

    /// Returns the number of values of each category; 0 for a range.
    pub(crate) fn categories(&self) -> Vec<usize> {
        self.parameters.iter().map(|parameter| choices(parameter).map_or(0, Iterator::count)).collect()
    }

    /// Returns the share of the best expected score that this setting lacks.
    pub(crate) fn regret(&self, setting: &[f64]) -> f64 {
        1.0 - (self.quality)(setting)
    }

    /// Returns the score on a case.
    pub(crate) fn score(&self, setting: &[f64], case: u64) -> f64 {
        let of_case = mixed_bits(case);
        let size = self.sizes * normal(mixed_bits(of_case ^ 1));
        let chance = normal(setting.iter().fold(of_case, |bits, value| mixed_bits(bits ^ value.to_bits())));
        let quality = (self.quality)(setting);
        match self.noise {
            Noise::OfCase(low, high) => {
                let noise = low * (high / low).powf(unit(mixed_bits(of_case ^ 2)));
                1000.0 * quality * (size + noise * chance).exp()
            }
            Noise::OfSetting(noise) => 1000.0 * size.exp() * (quality + noise(setting) * chance),
        }
    }
}

fn square(number: f64) -> f64 {
    number * number
}

/// 1 at the smallest loss, 1/2 at a loss of `half`.
fn of_loss(loss: f64, half: f64) -> f64 {
    half / (half + loss)
}

/// The minimum of Branin's function, 5 / (4 pi).
const BRANIN_LEAST: f64 = 5.0 / (4.0 * PI);

fn branin(x: f64, y: f64) -> f64 {
    let valley = y - 5.1 / (4.0 * PI * PI) * x * x + 5.0 / PI * x - 6.0;
    valley * valley + 10.0 * (1.0 - 1.0 / (8.0 * PI)) * x.cos() + 10.0
}

fn rosenbrock(at: &[f64]) -> f64 {
    at.windows(2).map(|pair| 100.0 * (pair[1] - pair[0] * pair[0]).powi(2) + (1.0 - pair[0]).powi(2)).sum()
}

/// The first choice is fair everywhere, the third one best, but only in a narrow region, where the logarithm of the
/// first parameter depends on the other one.
fn mixed(log_t: f64, choice: f64, a: f64) -> f64 {
    let bell = |distance: f64| 1.0 / (1.0 + distance * distance);
    if choice == 0.0 {
        0.7 * bell((a - 0.4) / 1.5)
    } else if choice == 1.0 {
        0.85 * bell((log_t - 3.0) / 2.0) * bell((a - 0.2) / 0.5)
    } else {
        bell((log_t + 0.7 - 2.0 * (a - 0.7)) / 0.8) * bell((a - 0.7) / 0.25)
    }
}

/// SplitMix64's step.
fn mixed_bits(bits: u64) -> u64 {
    let bits = bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

fn unit(bits: u64) -> f64 {
    ((bits >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
}

fn normal(bits: u64) -> f64 {
    let (radius, turn) = (unit(mixed_bits(bits ^ 1)), unit(mixed_bits(bits ^ 2)));
    (-2.0 * radius.ln()).sqrt() * (2.0 * PI * turn).cos()
}

/// The values of a category; `None` for a range.
fn choices(parameter: &str) -> Option<std::str::Split<'_, char>> {
    let list = parameter.split_once('{')?.1;
    Some(list.trim_end_matches('}').split(','))
}

/// Returns the value of a parameter at this share of its range.
fn at(parameter: &str, share: f64) -> f64 {
    if let Some(choices) = choices(parameter) {
        return (share * choices.count() as f64).floor();
    }
    let range = parameter.split_once('=').expect("a parameter has a name").1;
    let (low, high) = range.trim_end_matches(":log").split_once("..").expect("a range has two ends");
    let (low, high): (f64, f64) = (low.parse().expect("a number"), high.parse().expect("a number"));
    if range.ends_with(":log") { low * (high / low).powf(share) } else { low + share * (high - low) }
}

/// Returns a table of scores, to compare with another implementation: lines of `problem, case, score, regret,
/// setting…`, separated by tabs.
pub(crate) fn table_of_scores() -> String {
    let mut bits = 13;
    let mut draw = || {
        bits = mixed_bits(bits);
        unit(bits)
    };
    let mut text = String::new();
    for problem in PROBLEMS {
        for line in 0..60 {
            let shares: Vec<f64> = problem.parameters.iter().map(|_| draw()).collect();
            let setting = problem.setting(&shares);
            let case = line * REPETITION / 2 + line;
            let (score, regret) = (problem.score(&setting, case), problem.regret(&setting));
            let words: Vec<String> = setting.iter().map(f64::to_string).collect();
            text.push_str(&format!("{}\t{case}\t{score}\t{regret}\t{}\n", problem.name, words.join("\t")));
        }
    }
    text
}
