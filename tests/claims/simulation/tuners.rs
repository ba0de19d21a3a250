//! Tuners for comparisons at equal numbers of runs: the search of `judge tune`, and simple ones.

use super::tuning_problems::{REPETITION, TuningProblem};
use judge_statistics::tune::{Parameter, Search, SearchSettings, Space};
use judge_statistics::{Moments, Random, mean_interval};

/// The choice of a tuner.
pub(crate) struct Choice {
    /// By numbers.
    pub(crate) setting: Vec<f64>,
    /// The number of runs that it took, of one setting on one case each.
    pub(crate) runs: usize,
}

/// A tuner on a problem: a budget of runs, and a repetition, which has its own cases and seed.
pub(crate) type Tuner = fn(&TuningProblem, usize, u64) -> Choice;

/// The search of `judge tune`, as the command runs it by default. The middle of a range is a good setting for some of
/// these problems, but a user's default may be a bad one. So the default is drawn at random here.
pub(crate) fn judge_tune(problem: &TuningProblem, budget: usize, repetition: u64) -> Choice {
    let parameters: Vec<Parameter> = problem.parameters.iter().map(|text| text.parse().expect("a parameter")).collect();
    let default = problem.values(&drawn(problem, &mut Random::new(repetition)));
    let named = |(parameter, value): (&Parameter, String)| (parameter.name.clone(), value);
    let defaults: Vec<(String, String)> = parameters.iter().zip(default).map(named).collect();
    let space = Space::new(parameters, &defaults).expect("parameters that fit together");
    let first_cases = Search::advised_first_cases(budget);
    let cases = Search::advised_cases(&space, budget, first_cases);
    let mut search = Search::new(space, SearchSettings { budget, cases, first_cases, seed: repetition });
    let mut runs = 0;
    while let Some(round) = search.next_round() {
        let settings: Vec<Vec<f64>> = search.candidates().map(|setting| problem.numbers(&setting.values)).collect();
        for &candidate in &round.candidates {
            for case in round.cases.clone() {
                let score = problem.score(&settings[candidate], repetition * REPETITION + case as u64);
                search.tell(candidate, case, Some(score));
                runs += 1;
            }
        }
    }
    let best = search.best().expect("some setting has run");
    let setting = search.candidates().nth(best).expect("the best is a candidate");
    Choice { setting: problem.numbers(&setting.values), runs }
}

/// Settings drawn evenly, all of them on this number of cases: the one with the best mean.
pub(crate) fn random_search(problem: &TuningProblem, budget: usize, repetition: u64, cases: usize) -> Choice {
    let mut random = Random::new(repetition);
    let first = repetition * REPETITION;
    let total = |setting: &[f64]| (first..first + cases as u64).map(|case| problem.score(setting, case)).sum::<f64>();
    let drawn = (0..budget / cases).map(|_| drawn(problem, &mut random));
    let best = drawn.map(|setting| (total(&setting), setting)).max_by(|left, right| left.0.total_cmp(&right.0));
    Choice { setting: best.expect("a budget for one setting").1, runs: budget / cases * cases }
}

fn drawn(problem: &TuningProblem, random: &mut Random) -> Vec<f64> {
    problem.setting(&shares(problem, random))
}

fn shares(problem: &TuningProblem, random: &mut Random) -> Vec<f64> {
    problem.parameters.iter().map(|_| random.unit()).collect()
}

/// A setting in a race, with its scores on the first cases.
#[derive(Clone)]
struct Entrant {
    shares: Vec<f64>,
    setting: Vec<f64>,
    scores: Vec<f64>,
}

/// The cases on which all settings of a race run before the first are dropped.
const BEFORE_TEST: usize = 5;

/// Iterated racing as described by López-Ibáñez and others ("The irace package", Operations Research Perspectives 3,
/// 2016), with its defaults and the t-test: races among settings that are drawn ever closer around the survivors of the
/// race before.
pub(crate) fn iterated_racing(problem: &TuningProblem, budget: usize, repetition: u64) -> Choice {
    let mut random = Random::new(repetition);
    let least = 2 + problem.parameters.len().ilog2() as usize;
    let (iterations, mut runs) = (least, 0);
    let (mut elites, mut spread): (Vec<Entrant>, f64) = (Vec::new(), 0.5);
    for iteration in 0..iterations {
        let share = (budget - runs) / (iterations - iteration);
        let count = (share / (BEFORE_TEST + (iteration + 1).min(5))).max(elites.len() + 1);
        let fresh = count - elites.len();
        if iteration > 0 {
            spread *= (fresh as f64).powf(-1.0 / problem.parameters.len() as f64);
        }
        let progress = iteration as f64 / iterations as f64;
        let new = (0..fresh).map(|_| {
            let shares = match elites.is_empty() {
                true => shares(problem, &mut random),
                false => near(problem, parent(&elites, &mut random), spread, progress, &mut random),
            };
            Entrant { setting: problem.setting(&shares), shares, scores: Vec::new() }
        });
        let mut entrants: Vec<Entrant> = new.collect();
        entrants.splice(0..0, elites);
        runs += race(problem, &mut entrants, share, least, repetition * REPETITION);
        entrants.truncate(least);
        elites = entrants;
    }
    Choice { setting: elites.swap_remove(0).setting, runs }
}

/// Draws one of the survivors, the better ones more often.
fn parent<'a>(elites: &'a [Entrant], random: &mut Random) -> &'a Entrant {
    let mut place = random.below(elites.len() * (elites.len() + 1) / 2);
    let chosen = elites.iter().enumerate().find(|(rank, _)| {
        let weight = elites.len() - rank;
        let is_it = place < weight;
        place = place.saturating_sub(weight);
        is_it
    });
    chosen.map_or(&elites[0], |(_, entrant)| entrant)
}

/// Draws a setting around another one: numbers by a normal distribution; categories mostly stay the same.
fn near(problem: &TuningProblem, parent: &Entrant, spread: f64, progress: f64, random: &mut Random) -> Vec<f64> {
    let numbers = parent.shares.iter().zip(problem.categories());
    let draw = |(share, categories): (&f64, usize)| {
        if categories > 0 {
            return if random.unit() < progress { *share } else { random.unit() };
        }
        let normal = |random: &mut Random| (0..12).map(|_| random.unit()).sum::<f64>() - 6.0;
        let inside = (0..100).map(|_| share + spread * normal(random)).find(|share| (0.0..1.0).contains(share));
        inside.unwrap_or(*share)
    };
    numbers.map(draw).collect()
}

/// Runs the entrants case by case within a number of runs, and drops the ones that are worse than the best one by a paired
/// t-test. The remaining ones are sorted, the best first. Returns the number of runs.
fn race(problem: &TuningProblem, entrants: &mut Vec<Entrant>, budget: usize, least: usize, first: u64) -> usize {
    let mut runs = 0;
    for cases in 1.. {
        let missing = entrants.iter().filter(|entrant| entrant.scores.len() < cases).count();
        if runs + missing > budget || (cases > BEFORE_TEST && entrants.len() <= least) {
            break;
        }
        for entrant in entrants.iter_mut().filter(|entrant| entrant.scores.len() < cases) {
            entrant.scores.push(problem.score(&entrant.setting, first + entrant.scores.len() as u64));
            runs += 1;
        }
        let total = |entrant: &Entrant| entrant.scores[..cases].iter().sum::<f64>();
        entrants.sort_by(|left, right| total(right).total_cmp(&total(left)));
        if cases >= BEFORE_TEST {
            let best = entrants[0].scores.clone();
            entrants.retain(|entrant| !is_worse(&entrant.scores[..cases], &best));
        }
    }
    runs
}

fn is_worse(scores: &[f64], best: &[f64]) -> bool {
    let mut effects = Moments::default();
    scores.iter().zip(best).for_each(|(score, best)| effects.push(score - best));
    mean_interval(&effects, 0.05).is_some_and(|interval| interval.high < 0.0)
}
