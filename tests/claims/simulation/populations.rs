//! Populations of paired effects with mean 0 and standard deviation 1 (ties: about 1), for the simulations of the stopping rule.

use judge_problem::scoring::ScoreMeasure;
use judge_statistics::Random;
use std::f64::consts::{E, PI};

/// Euler and Mascheroni's constant, the mean of Gumbel's distribution.
const EULER: f64 = 0.577_215_664_901_532_9;

/// Where simulated effects come from.
#[derive(Clone)]
pub(crate) enum Population {
    /// The normal distribution.
    Normal,
    /// Student's t with 3 degrees of freedom: no third moment.
    HeavyTailed,
    /// One effect in ten with five times the spread.
    Contaminated,
    /// The exponential distribution, skewness 2.
    Skewed,
    /// The lognormal distribution of ln-spread 1, skewness 6.2.
    VerySkewed,
    /// Four cases of five are ties. The others are plus or minus the same number.
    Ties,
    /// Three cases of four are ties, one in five loses a little, and one in twenty gains four times as much.
    LopsidedTies,
    /// One case in ten gains about nine times what each of the others loses.
    UncommonGains,
    /// This share of the cases are ties. Of the others, this share gain equal amounts, and the rest lose as much in
    /// total.
    TwoPoints {
        /// The share of ties.
        ties: f64,
        /// The share of gains among the others.
        gains: f64,
    },
    /// One case in ten gains, one in five ties, the others lose a little more or less; in whole numbers.
    WholeNumbers,
    /// One case in seven gains and the others lose, both exponentially distributed.
    ExponentialGains,
    /// One case in seven gains and the others lose, both lognormally distributed (ln-spread 1).
    LognormalGains,
    /// Half are ties. Of the others, 12 % gain (chi-squared with one degree of freedom), and the rest lose equal
    /// amounts.
    ChiSquaredGains,
    /// Another one with gains and losses exchanged.
    Mirrored(Box<Population>),
    /// The Laplace distribution.
    Laplace,
    /// The uniform distribution.
    Uniform,
    /// Chi-squared with one degree of freedom, skewness 2.8.
    ChiSquared,
    /// Gumbel's distribution of extremes, skewness 1.1.
    Gumbel,
    /// Weibull's distribution of shape 0.7, skewness 3.5.
    Weibull,
    /// Student's t with 5 degrees of freedom.
    StudentFive,
    /// The logistic distribution.
    Logistic,
    /// The gamma distribution of shape 2, skewness 1.4.
    Gamma,
    /// Poisson's distribution of mean 1.
    Poisson,
    /// The arcsine distribution: most effects are near one of two ends.
    Arcsine,
    /// This share of the cases loses this much. The others gain enough to compensate, with normal noise of this spread;
    /// not scaled.
    RareLosses {
        /// The share of losses.
        share: f64,
        /// Their size.
        loss: f64,
        /// The standard deviation of the other effects.
        noise: f64,
    },
    /// One case in fifty gains what the others lose. No test of a mean can account for this before it has been seen.
    RareGains,
    /// Drawn from these real effects, less their mean.
    Real(Vec<f64>),
}

impl Population {
    /// Returns the log-ratios of two columns of the recorded scores, centered and scaled.
    pub(crate) fn recorded(first: &str, second: &str) -> Self {
        Self::standardized(log_ratios(first, second))
    }

    /// Returns the log-ratios of two columns of the same solver, scaled. The two runs are exchangeable, so each effect
    /// also stands for its opposite.
    pub(crate) fn recorded_twice(first: &str, second: &str) -> Self {
        Self::standardized([log_ratios(first, second), log_ratios(second, first)].concat())
    }

    fn standardized(effects: Vec<f64>) -> Self {
        let count = effects.len() as f64;
        let mean = effects.iter().sum::<f64>() / count;
        let spread = (effects.iter().map(|effect| (effect - mean).powi(2)).sum::<f64>() / count).sqrt();
        Self::Real(effects.iter().map(|effect| (effect - mean) / spread).collect())
    }

    /// Draws one effect.
    pub(crate) fn draw(&self, random: &mut Random) -> f64 {
        match self {
            Self::Normal => normal(random),
            Self::HeavyTailed => student(3, random),
            Self::Contaminated => normal(random) * if random.unit() < 0.9 { 1.0 } else { 5.0 } / 3.4_f64.sqrt(),
            Self::Skewed => -random.unit().ln() - 1.0,
            Self::VerySkewed => (normal(random).exp() - E.sqrt()) / (E * (E - 1.0)).sqrt(),
            Self::Ties => match random.below(10) {
                0 => -5.0_f64.sqrt(),
                1 => 5.0_f64.sqrt(),
                _ => 0.0,
            },
            Self::LopsidedTies => match random.below(20) {
                0 => 4.0,
                1..=4 => -1.0,
                _ => 0.0,
            },
            Self::UncommonGains => {
                let level = if random.below(10) == 0 { 3.0 } else { -1.0 / 3.0 };
                (level + 0.3 * normal(random)) / 1.09_f64.sqrt()
            }
            &Self::TwoPoints { ties, gains } => two_points(ties, gains, random),
            Self::WholeNumbers => whole_number(random),
            Self::ExponentialGains => one_gain_in_seven(-random.unit().ln(), random) / 12.0_f64.sqrt(),
            Self::LognormalGains => one_gain_in_seven((normal(random) - 0.5).exp(), random) / (6.0 * E).sqrt(),
            Self::ChiSquaredGains => chi_squared_gain(random) / 10.12_f64.sqrt(),
            Self::Mirrored(population) => -population.draw(random),
            Self::Laplace => (random.unit().ln() - random.unit().ln()) / 2.0_f64.sqrt(),
            Self::Uniform => (random.unit() - 0.5) * 12.0_f64.sqrt(),
            Self::ChiSquared => (normal(random).powi(2) - 1.0) / 2.0_f64.sqrt(),
            Self::Gumbel => (-(-random.unit().ln()).ln() - EULER) * 6.0_f64.sqrt() / PI,
            // The mean is the gamma function of 1 + 1 / 0.7.
            Self::Weibull => ((-random.unit().ln()).powf(1.0 / 0.7) - 1.265_824) / 1.851_171,
            Self::StudentFive => student(5, random),
            Self::Logistic => logit(random.unit()) * 3.0_f64.sqrt() / PI,
            Self::Gamma => (-(random.unit() * random.unit()).ln() - 2.0) / 2.0_f64.sqrt(),
            Self::Poisson => poisson(random) - 1.0,
            Self::Arcsine => 2.0_f64.sqrt() * (2.0 * PI * random.unit()).cos(),
            &Self::RareLosses { share, loss, noise } => rare_loss(share, loss, noise, random),
            Self::RareGains => {
                if random.below(50) == 0 {
                    7.0
                } else {
                    -1.0 / 7.0
                }
            }
            Self::Real(effects) => effects[random.below(effects.len())],
        }
    }
}

/// Returns the populations on which false decisions must stay within the level, with the names of
/// docs/measured-sequential.md.
pub(crate) fn kept() -> Vec<(&'static str, Population)> {
    vec![
        ("normal", Population::Normal),
        ("heavy-tailed (t, 3 degrees of freedom)", Population::HeavyTailed),
        ("contaminated (10 % with 5 times the spread)", Population::Contaminated),
        ("many ties (80 %)", Population::Ties),
        ("skewed (exponential)", Population::Skewed),
        ("very skewed (lognormal)", Population::VerySkewed),
        ("columns, one solver twice", Population::recorded_twice("columns-short", "columns-again")),
        ("columns, half and all of the time", Population::recorded("columns-short", "columns-long")),
        ("columns, plain and strong", Population::recorded("columns-plain", "columns-long")),
        (
            "same-game-free, one solver twice",
            Population::recorded_twice("same-game-free-short", "same-game-free-again"),
        ),
        (
            "same-game-free, half and all of the time",
            Population::recorded("same-game-free-short", "same-game-free-long"),
        ),
        ("same-game-free, plain and strong", Population::recorded("same-game-free-plain", "same-game-free-long")),
        ("Laplace", Population::Laplace),
        ("uniform", Population::Uniform),
        ("chi-squared, 1 degree of freedom", Population::ChiSquared),
        ("75 % ties, 20 % small losses, 5 % gains", Population::LopsidedTies),
        ("10 % uncommon gains", Population::UncommonGains),
        ("two points, 10 % gains", Population::TwoPoints { ties: 0.0, gains: 0.1 }),
        ("two points, 50 % ties, 10 % gains of the others", Population::TwoPoints { ties: 0.5, gains: 0.1 }),
        ("two points, 90 % ties, 10 % gains of the others", Population::TwoPoints { ties: 0.9, gains: 0.1 }),
        ("two points, 90 % ties, 30 % gains of the others", Population::TwoPoints { ties: 0.9, gains: 0.3 }),
        ("whole numbers, 20 % ties, 10 % gains", Population::WholeNumbers),
        ("exponential losses, 14 % exponential gains", Population::ExponentialGains),
        ("10 % uncommon losses", Population::Mirrored(Box::new(Population::UncommonGains))),
        ("Gumbel", Population::Gumbel),
        ("Weibull, shape 0.7", Population::Weibull),
        ("columns, plain and half of the time", Population::recorded("columns-plain", "columns-short")),
        (
            "same-game-free, plain and half of the time",
            Population::recorded("same-game-free-plain", "same-game-free-short"),
        ),
    ]
}

/// Returns populations that were not used to choose the constants.
pub(crate) fn fresh() -> Vec<(&'static str, Population)> {
    let against = |population| Population::Mirrored(Box::new(population));
    vec![
        ("fresh: Student's t, 5 degrees of freedom", Population::StudentFive),
        ("fresh: logistic", Population::Logistic),
        ("fresh: gamma, shape 2", Population::Gamma),
        ("fresh: gamma, shape 2, mirrored", against(Population::Gamma)),
        ("fresh: Poisson, mean 1", Population::Poisson),
        ("fresh: arcsine", Population::Arcsine),
    ]
}

/// Returns rare large losses that are hidden by noise on the other cases: one case in a hundred falls to a hundredth,
/// one in twenty by a factor of 7.4 (both as logarithms), and the others compensate.
pub(crate) fn rare() -> Vec<(f64, f64, Population)> {
    let losses =
        |share, loss| [0.1, 0.2, 0.3, 0.4].map(|noise| (share, noise, Population::RareLosses { share, loss, noise }));
    [losses(0.01, 100.0_f64.ln()), losses(0.05, 2.0)].concat()
}

/// Returns those on which they do not.
pub(crate) fn broken() -> Vec<(&'static str, Population)> {
    vec![
        ("**broken**: lognormal losses, 14 % lognormal gains", Population::LognormalGains),
        ("**broken**: 50 % ties, of the others 12 % chi-squared gains", Population::ChiSquaredGains),
        ("**broken**: 2 % rare large gains", Population::RareGains),
    ]
}

fn two_points(ties: f64, gains: f64, random: &mut Random) -> f64 {
    // Two draws for every case, so that the shares do not influence each other.
    let (is_tie, is_gain) = (random.unit() < ties, random.unit() < gains);
    let level = if is_gain { (1.0 - gains) / gains } else { -1.0 };
    if is_tie { 0.0 } else { level / ((1.0 - ties) * (1.0 - gains) / gains).sqrt() }
}

fn rare_loss(share: f64, loss: f64, noise: f64, random: &mut Random) -> f64 {
    if random.unit() < share { -loss } else { loss * share / (1.0 - share) + noise * normal(random) }
}

fn logit(share: f64) -> f64 {
    (share / (1.0 - share)).ln()
}

/// Student's t, scaled to a standard deviation of 1.
fn student(degrees: u8, random: &mut Random) -> f64 {
    let chi_squared: f64 = (0..degrees).map(|_| normal(random).powi(2)).sum();
    normal(random) / (chi_squared / (f64::from(degrees) - 2.0)).sqrt()
}

/// Poisson's distribution of mean 1.
fn poisson(random: &mut Random) -> f64 {
    let mut product = random.unit();
    let mut count = 0.0;
    while product > 1.0 / E {
        product *= random.unit();
        count += 1.0;
    }
    count
}

/// Half of the cases are ties. Of the others, 12 % gain amounts of all sizes, and the rest lose as much in total.
fn chi_squared_gain(random: &mut Random) -> f64 {
    let (is_tie, is_gain) = (random.below(2) == 0, random.unit() < 0.12);
    let level = if is_gain { 0.88 / 0.12 * normal(random).powi(2) } else { -1.0 };
    if is_tie { 0.0 } else { level }
}

/// Six times this size, or a loss of this size; 0 on average.
fn one_gain_in_seven(size: f64, random: &mut Random) -> f64 {
    if random.below(7) == 0 { 6.0 * size } else { -size }
}

/// The effects between two columns of the recorded scores.
fn log_ratios(first: &str, second: &str) -> Vec<f64> {
    let mut rows = include_str!("../../data/paired_scores.tsv")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split('\t').collect::<Vec<_>>());
    let titles = rows.next().expect("the titles of the columns");
    let place = |title| titles.iter().position(|&known| known == title).expect("a column of the file");
    let score = |row: &[&str], title| row[place(title)].parse().expect("a score");
    rows.map(|row| ScoreMeasure::LogRatio.effect(&score(&row, first), &score(&row, second)).expect("positive scores"))
        .collect()
}

/// Box and Muller's method.
pub(crate) fn normal(random: &mut Random) -> f64 {
    (-2.0 * random.unit().ln()).sqrt() * (2.0 * PI * random.unit()).cos()
}

fn whole_number(random: &mut Random) -> f64 {
    let level = match random.below(20) {
        0 => 20,
        1 => 10,
        2..=5 => 0,
        6..=9 => -3,
        10..=15 => -2,
        _ => [-1, -2][random.below(2)],
    };
    f64::from(level) / 28.5_f64.sqrt()
}
