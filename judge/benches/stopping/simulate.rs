//! Runs that end like the command: with a look after each case.

use crate::populations::{Population, normal};
use judge_statistics::{Decision, Random, Sequence, SequenceSettings, Term};

pub(crate) const ALPHA: f64 = 0.05;

/// The cases up to which null hypotheses are tested.
pub(crate) const LOOKS: usize = 1_000;

/// How a simulated run ended.
pub(crate) struct Stop {
    pub(crate) decision: Decision,
    pub(crate) cases: usize,
    /// The mean effect then.
    pub(crate) mean: f64,
}

/// The settings of the command by default, without a smallest effect that matters.
pub(crate) fn settings() -> SequenceSettings {
    SequenceSettings { alpha: ALPHA, min_effect: None, bound: None, rare: None }
}

/// Adds cases until it is decided, or until there are that many.
pub(crate) fn stop(settings: SequenceSettings, most: usize, mut draw: impl FnMut() -> Term) -> Stop {
    let mut sequence = Sequence::new(settings).expect("useful settings");
    let (mut effects, mut bases) = (0.0, 0.0);
    loop {
        let term = draw();
        sequence.push_term(term);
        effects += term.effect;
        bases += term.base;
        let decision = sequence.decision();
        if decision != Decision::Undecided || sequence.count() == most {
            return Stop { decision, cases: sequence.count(), mean: effects / bases };
        }
    }
}

/// The same for effects of this population, with this mean.
pub(crate) fn stop_at(
    population: &Population,
    mean: f64,
    settings: SequenceSettings,
    most: usize,
    random: &mut Random,
) -> Stop {
    stop(settings, most, || Term::plain(population.draw(random) + mean))
}

/// The mean number of cases, over enough runs for three digits, of Wald's sequential probability ratio test of mean 0
/// against `mean`, with known variance and each error as given, if `mean` is true (Wald, "Sequential tests of
/// statistical hypotheses", Ann. Math. Statist. 16, 1945).
pub(crate) fn mean_wald_cases(mean: f64, error: f64, random: &mut Random) -> f64 {
    const RUNS: usize = 20_000;
    (0..RUNS).map(|_| wald_cases(mean, error, random)).sum::<usize>() as f64 / RUNS as f64
}

fn wald_cases(mean: f64, error: f64, random: &mut Random) -> usize {
    let bound = ((1.0 - error) / error).ln();
    let mut log_ratio = 0.0_f64;
    let mut cases = 0;
    while log_ratio.abs() < bound {
        log_ratio += mean * (normal(random) + mean) - mean * mean / 2.0;
        cases += 1;
    }
    cases
}

/// The share of the runs that ended like this, in percent.
pub(crate) fn share(stops: &[Stop], is_wanted: impl Fn(Decision) -> bool) -> f64 {
    percent(stops.iter().filter(|stop| is_wanted(stop.decision)).count(), stops.len())
}

pub(crate) fn mean_cases(stops: &[Stop]) -> f64 {
    stops.iter().map(|stop| stop.cases).sum::<usize>() as f64 / stops.len() as f64
}

/// The standard error of the mean number of cases.
pub(crate) fn error_of_cases(stops: &[Stop]) -> f64 {
    let (mean, count) = (mean_cases(stops), stops.len() as f64);
    (stops.iter().map(|stop| (stop.cases as f64 - mean).powi(2)).sum::<f64>() / (count * (count - 1.0))).sqrt()
}

pub(crate) fn percent(count: usize, of: usize) -> f64 {
    100.0 * count as f64 / of as f64
}
