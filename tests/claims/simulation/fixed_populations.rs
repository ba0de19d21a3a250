//! Populations of paired effects with mean 0 for claims from a fixed number of cases, and the frequency of claims.

use super::populations::{Population, normal};
use judge_statistics::{Moments, Random, Term, effect_interval, linearised, mean_interval};
use std::f64::consts::PI;

pub(crate) const ALPHA: f64 = 0.05;

/// The numbers of cases of the tables.
pub(crate) const COUNTS: [usize; 5] = [5, 10, 20, 50, 200];

/// Effects with mean 0.
#[derive(Clone)]
pub(crate) enum Null {
    /// The score is 9 instead of 10, and 10 points more in one case of ten.
    NineOfTen,
    /// This share fails and counts 0, and the others gain in proportion: a share of the total. This is the spread of
    /// the logarithm of the sizes.
    Failures { share: f64, sizes: f64 },
    /// This share costs ten times as much, and the others less in proportion: a share of the total.
    DearFailures { share: f64 },
    /// This share of the points falls to a third, the others gain.
    Thirds { share: f64 },
    /// Log-normal costs of this spread of the logarithm, against their mean.
    LogNormal(f64),
    /// This share loses this much, and the others gain, with this noise: logarithms of ratios.
    Collapse { share: f64, loss: f64, noise: f64 },
    /// Losses of two sizes, 5 % each.
    TwoLosses,
    /// This share loses, exponentially distributed, what the others gain.
    ExponentialLosses { share: f64 },
    /// The first share are ties, the second share lose, and the others gain equal amounts.
    TiesAndLosses { ties: f64, losses: f64 },
    /// The losses are a power of an exponential number, compared with their mean, which is given.
    PowerOfExponential { power: f64, mean: f64 },
    /// Losses by Pareto's distribution of this index, against their mean.
    ParetoLosses(f64),
    /// Another one.
    Of(Population),
    /// Student's t with 2 degrees of freedom.
    StudentTwo,
}

/// A population with its name and, if there is one, the frequency of the rarest deciding event.
pub(crate) type Named = (&'static str, Option<f64>, Null);

/// The populations that the conditions were chosen on.
pub(crate) fn chosen_on() -> Vec<Named> {
    vec![
        ("9 against 10 (90 %) or 0", Some(0.1), Null::NineOfTen),
        ("fails 10 %, gains elsewhere in proportion", Some(0.1), Null::Failures { share: 0.1, sizes: 0.3 }),
        ("fails 5 %, gains elsewhere in proportion", Some(0.05), Null::Failures { share: 0.05, sizes: 0.3 }),
        ("costs, 3 % at ten times", Some(0.03), Null::DearFailures { share: 0.03 }),
        ("relative, 15 % at a third", Some(0.15), Null::Thirds { share: 0.15 }),
        ("log-normal sums, sigma 1", None, Null::LogNormal(1.0)),
        ("log-normal sums, sigma 1.5", None, Null::LogNormal(1.5)),
        ("log-normal sums, sigma 2", None, Null::LogNormal(2.0)),
        ("1 % collapses", Some(0.01), Null::Collapse { share: 0.01, loss: 100.0_f64.ln(), noise: 0.3 }),
        ("Student's t, 2 degrees of freedom", None, Null::StudentTwo),
        ("normal", None, Null::Of(Population::Normal)),
    ]
}

/// Populations that took no part in the choice.
pub(crate) fn unseen() -> Vec<Named> {
    let against = |population| Null::Of(Population::Mirrored(Box::new(population)));
    vec![
        ("8 % fall to a tenth", Some(0.08), Null::Collapse { share: 0.08, loss: 10.0_f64.ln(), noise: 0.1 }),
        ("losses of two sizes, 5 % each", Some(0.05), Null::TwoLosses),
        ("10 % exponential losses", Some(0.1), Null::ExponentialLosses { share: 0.1 }),
        ("70 % ties, 8 % losses", Some(0.08), Null::TiesAndLosses { ties: 0.7, losses: 0.08 }),
        ("12 % losses, gains of 3", Some(0.12), Null::TiesAndLosses { ties: 0.0, losses: 0.12 }),
        // The deciding event is a failure of one of the few large cases, which is rarer than a failure.
        ("log-normal sizes (1), 10 % failures", None, Null::Failures { share: 0.1, sizes: 1.0 }),
        ("Weibull losses, shape 0.5", None, Null::PowerOfExponential { power: 2.0, mean: 2.0 }),
        ("Pareto losses, index 2.5", None, Null::ParetoLosses(2.5)),
        ("chi-squared losses, 1 degree of freedom", None, against(Population::ChiSquared)),
        ("columns, plain and strong", None, Null::Of(Population::recorded("columns-plain", "columns-long"))),
    ]
}

impl Null {
    /// Draws a case.
    pub(crate) fn draw(&self, random: &mut Random) -> Term {
        match *self {
            Self::NineOfTen => Term::plain(if random.unit() < 0.1 { -9.0 } else { 1.0 }),
            Self::Failures { share, sizes } => {
                let base = (sizes * normal(random)).exp();
                let second = base * (1.0 + 0.02 * normal(random)) / (1.0 - share);
                let second = if random.unit() < share { 0.0 } else { second };
                Term { effect: second - base, base }
            }
            Self::DearFailures { share } => {
                let base = 1.0 + 0.1 * normal(random);
                let usual = base * (1.0 + 0.02 * normal(random)) * (1.0 - 10.0 * share) / (1.0 - share);
                let second = if random.unit() < share { 10.0 * base } else { usual };
                Term { effect: base - second, base }
            }
            Self::Thirds { share } => Term::plain(rare_loss(share, 2.0 / 3.0, random) + 0.05 * normal(random)),
            Self::LogNormal(spread) => Term::plain((spread * spread / 2.0).exp() - (spread * normal(random)).exp()),
            Self::Collapse { share, loss, noise } => {
                Term::plain(rare_loss(share, loss, random) + noise * normal(random))
            }
            Self::TwoLosses => {
                let level = match random.below(20) {
                    0 => -4.0,
                    1 => -12.0,
                    _ => 16.0 / 18.0,
                };
                Term::plain(level + 0.3 * normal(random))
            }
            Self::ExponentialLosses { share } => {
                let size = -5.0 * random.unit().ln();
                let gain = 5.0 * share / (1.0 - share) + 0.2 * normal(random);
                Term::plain(if random.unit() < share { -size } else { gain })
            }
            Self::TiesAndLosses { ties, losses } => {
                let share = random.unit();
                let loss = (1.0 - ties - losses) / losses;
                Term::plain(if share < ties {
                    0.0
                } else if share < ties + losses {
                    -loss
                } else {
                    1.0
                })
            }
            Self::PowerOfExponential { power, mean } => Term::plain(mean - (-random.unit().ln()).powf(power)),
            Self::ParetoLosses(index) => Term::plain(index / (index - 1.0) - random.unit().powf(-1.0 / index)),
            Self::Of(ref population) => Term::plain(population.draw(random)),
            Self::StudentTwo => Term::plain(normal(random) / (-random.unit().ln()).sqrt()),
        }
    }
}

/// This share loses this much, and the others gain enough to compensate.
fn rare_loss(share: f64, loss: f64, random: &mut Random) -> f64 {
    if random.unit() < share { -loss } else { loss * share / (1.0 - share) }
}

/// How often a side is claimed, in percent: by the command, and by Student's interval only.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Rates {
    pub(crate) better: f64,
    pub(crate) worse: f64,
    pub(crate) student_better: f64,
    pub(crate) student_worse: f64,
}

/// Counts the claims of runs with this many cases.
pub(crate) fn rates(cases: usize, runs: usize, random: &mut Random, draw: impl Fn(&mut Random) -> Term) -> Rates {
    let mut rates = Rates::default();
    let one = 100.0 / runs as f64;
    for _ in 0..runs {
        let mut terms: Vec<Term> = (0..cases).map(|_| draw(random)).collect();
        let mean = terms.iter().map(|term| term.base).sum::<f64>() / cases as f64;
        for term in &mut terms {
            *term = Term { effect: term.effect / mean, base: term.base / mean };
        }
        let claimed = effect_interval(&terms, ALPHA).expect("more than one case");
        let student = mean_interval(&Moments::of(&linearised(&terms)), ALPHA).expect("more than one case");
        let side = |is_so: bool| if is_so { one } else { 0.0 };
        rates.better += side(claimed.low > 0.0);
        rates.worse += side(claimed.high < 0.0);
        rates.student_better += side(student.low > 0.0);
        rates.student_worse += side(student.high < 0.0);
    }
    rates
}

/// Draws a case.
pub(crate) type Draw = fn(&mut Random) -> Term;

/// Effects that a claim is to find, named as in the documentation.
pub(crate) fn found() -> Vec<(&'static str, Draw)> {
    vec![
        ("normal, 0.5 sd", |random| Term::plain(normal(random) + 0.5)),
        ("log-normal sizes (1), +3 %, noise 15 %", |random| {
            let base = normal(random).exp();
            Term { effect: base * (0.03 + 0.15 * normal(random)), base }
        }),
        ("exponential, 0.5 sd, the tail on its side", |random| Term::plain(-random.unit().ln() - 0.5)),
        ("exponential, 0.5 sd, the tail against it", |random| Term::plain(1.5 + random.unit().ln())),
        ("arcsine, 0.5 sd", |random| Term::plain(2.0_f64.sqrt() * (2.0 * PI * random.unit()).cos() + 0.5)),
    ]
}
