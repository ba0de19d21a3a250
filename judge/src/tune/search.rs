//! A search: what runs next, and what is best.

use super::model::{Model, Start};
use super::process::Belief;
use super::propose::propose;
use super::space::{ParameterSetting, Space};
use super::table::Values;
use crate::statistics::Random;
use std::ops::Range;

/// How much a search may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchSettings {
    /// The number of runs, of one setting on one case each.
    pub budget: usize,
    /// The number of cases that there are.
    pub cases: usize,
    /// The number of cases that a new setting runs on.
    pub first_cases: usize,
    /// The same seed and the same values give the same search.
    pub seed: u64,
}

/// What is to be run next: each of these settings on each of these cases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchRound {
    /// The settings, by their places among the candidates.
    pub candidates: Vec<usize>,
    /// The cases, by their places.
    pub cases: Range<usize>,
}

/// A setting that is or was in the race.
#[derive(Debug, Clone)]
struct Candidate {
    setting: ParameterSetting,
    point: Vec<f64>,
    /// By block of cases: whether it was handed out.
    blocks: Vec<bool>,
}

/// A search for the setting with the largest mean value.
#[derive(Debug, Clone)]
pub struct Search {
    space: Space,
    settings: SearchSettings,
    random: Random,
    candidates: Vec<Candidate>,
    values: Values,
    runs: usize,
    /// The block of cases whose turn it is.
    block: usize,
    start: Option<Start>,
    /// The number of candidates at the last full fit.
    fitted: usize,
}

/// The part of the budget that there are cases.
const CASE_SHARE: usize = 12;

/// The share of the budget after which no new setting is tried.
const RACE: f64 = 0.8;

/// The deviations by which the uncertainty of a setting counts for it in the race.
const RACE_DEVIATIONS: f64 = 0.5;

/// Every setting of this number is the most promising one of categories drawn at random: a category is not given up
/// because its first settings were bad.
const CORNERS: usize = 3;

/// The number of attempts to find a setting that is new.
const ATTEMPTS: usize = 8;

impl Search {
    /// Starts a search. The default setting of the space is its first candidate.
    #[must_use]
    pub fn new(space: Space, settings: SearchSettings) -> Self {
        let random = Random::new(settings.seed);
        let (candidates, values) = (Vec::new(), Values::default());
        Self { space, settings, random, candidates, values, runs: 0, block: 0, start: None, fitted: 0 }
    }

    /// Returns the number of cases that make good use of a budget: about six settings run on each new one, and with few
    /// settings there are cases for all runs.
    #[must_use]
    pub fn advised_cases(space: &Space, budget: usize, first_cases: usize) -> usize {
        let settings = space.settings(budget).map_or(budget, |settings| settings.len());
        (budget / CASE_SHARE).max(2 * first_cases).max(budget.div_ceil(settings))
    }

    /// Returns the parameters.
    #[must_use]
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Returns every setting that was proposed, in order.
    pub fn candidates(&self) -> impl ExactSizeIterator<Item = &ParameterSetting> {
        self.candidates.iter().map(|candidate| &candidate.setting)
    }

    /// Returns what is to be run next. All of it is to be told before the next call. `None` once the budget is spent, or
    /// every setting has run on every case.
    pub fn next_round(&mut self) -> Option<SearchRound> {
        let left = self.settings.budget.saturating_sub(self.runs);
        if left == 0 {
            return None;
        }
        let mut candidates = if self.candidates.is_empty() { self.design() } else { self.round() };
        let block = self.block;
        self.block = (block + 1) % self.blocks();
        let mut cases = self.cases_of(block);
        candidates.truncate((left / cases.len()).max(1));
        cases.end = cases.end.min(cases.start + left);
        candidates.iter().for_each(|&candidate| self.candidates[candidate].blocks[block] = true);
        self.runs += candidates.len() * cases.len();
        Some(SearchRound { candidates, cases }).filter(|round| !round.candidates.is_empty())
    }

    /// Takes the value of a setting on a case, larger being better. A failure counts as the worst value of its case.
    /// Values can be told again, if what a run is worth depends on the others.
    pub fn tell(&mut self, candidate: usize, case: usize, value: Option<f64>) {
        self.values.set(candidate, case, value);
    }

    /// Returns what a setting is worth by its own runs: the mean of its values, as if it had run on every case that any
    /// setting has run on. `None` before it has run.
    #[must_use]
    pub fn worths(&self) -> Vec<Option<f64>> {
        let mut means: Vec<Option<f64>> = self.values.worths().into_iter().map(|worth| Some(worth?.mean)).collect();
        means.resize(self.candidates.len(), None);
        means
    }

    /// Returns the setting whose worth is expected to be the largest, among those that ran on many cases. `None` before
    /// any has run.
    #[must_use]
    pub fn best(&self) -> Option<usize> {
        let counts: Vec<usize> = (0..self.candidates.len()).map(|place| self.values.count(place)).collect();
        let most = counts.iter().copied().max().filter(|most| *most > 0)?;
        let beliefs = self.fit(true).map(|model| model.beliefs()).unwrap_or_default();
        let raced = beliefs.into_iter().filter(|(place, _)| counts[*place] * 2 >= most);
        let best = raced.max_by(|left, right| left.1.mean.total_cmp(&right.1.mean)).map(|(place, _)| place);
        best.or_else(|| counts.iter().position(|count| *count == most))
    }

    /// The settings of the first round: the default one, and others all over the space.
    fn design(&mut self) -> Vec<usize> {
        let parameters = self.space.parameters().len();
        let affordable = self.settings.budget / (4 * self.settings.first_cases);
        let count = (2 * parameters + 4).max(8).min(affordable).max(2);
        let default = self.space.default_setting().clone();
        let points = self.space.spread_evenly(count - 1, &mut self.random);
        let mut entrants = vec![self.add(default)];
        for point in points {
            let setting = self.space.setting(&point);
            if !self.is_known(&setting) {
                entrants.push(self.add(setting));
            }
        }
        entrants
    }

    /// The settings of a further round: new ones, and those that may be the best.
    fn round(&mut self) -> Vec<usize> {
        let refine = self.candidates.len() * 20 >= self.fitted * 23;
        let Some(mut model) = self.fit(refine || self.start.is_none()) else { return self.any() };
        if refine {
            self.fitted = self.candidates.len();
        }
        self.start = Some(model.start());
        let SearchSettings { budget, first_cases, .. } = self.settings;
        let places = (budget / (40 * first_cases)).clamp(2, 8);
        if self.runs as f64 >= RACE * budget as f64
            && let Some(entrants) = self.race(&model, places)
        {
            return entrants;
        }
        let fresh = places.div_ceil(2);
        let block = self.block;
        let mut entrants = self.contenders(&model, places - fresh, 1.0, |candidate| !candidate.blocks[block]);
        for _ in 0..fresh {
            if let Some(setting) = self.propose(&mut model) {
                entrants.push(self.add(setting));
            }
        }
        if entrants.is_empty() { self.any() } else { entrants }
    }

    /// The settings of a round without new ones: the best that has cases left, and those next to it that lack the same
    /// cases. `None` if none has cases left.
    fn race(&mut self, model: &Model, places: usize) -> Option<Vec<usize>> {
        let is_open = |candidate: &Candidate| candidate.blocks.contains(&false);
        let first = *self.contenders(model, 1, RACE_DEVIATIONS, is_open).first()?;
        self.turn_to_missing(first);
        let block = self.block;
        let near = self.contenders(model, places, RACE_DEVIATIONS, |_| true);
        let lacks = |place: &usize| *place != first && !self.candidates[*place].blocks[block];
        Some(std::iter::once(first).chain(near.into_iter().filter(lacks)).take(places).collect())
    }

    /// Turns to the next block that a candidate lacks.
    fn turn_to_missing(&mut self, candidate: usize) {
        let blocks = self.blocks();
        let mut order = (0..blocks).map(|step| (self.block + step) % blocks);
        self.block = order.find(|&block| !self.candidates[candidate].blocks[block]).unwrap_or(self.block);
    }

    fn fit(&self, refine: bool) -> Option<Model> {
        let points: Vec<Vec<f64>> = self.candidates.iter().map(|candidate| candidate.point.clone()).collect();
        Model::fit(&self.values.worths(), &points, self.space.categories(), self.start.as_ref(), refine)
    }

    /// Returns the candidates with the highest mean plus this many deviations, of those that qualify.
    fn contenders(
        &self,
        model: &Model,
        count: usize,
        deviations: f64,
        qualifies: impl Fn(&Candidate) -> bool,
    ) -> Vec<usize> {
        let beliefs = model.beliefs().into_iter();
        let mut open: Vec<(usize, Belief)> = beliefs.filter(|(place, _)| qualifies(&self.candidates[*place])).collect();
        let bound = |belief: &Belief| belief.mean + deviations * belief.deviation;
        open.sort_by(|left, right| bound(&right.1).total_cmp(&bound(&left.1)));
        open.into_iter().take(count).map(|(place, _)| place).collect()
    }

    /// Returns a new setting from which an improvement is expected, or any new one. `None` if there is none.
    fn propose(&mut self, model: &mut Model) -> Option<ParameterSetting> {
        let points: Vec<Vec<f64>> = self.candidates.iter().map(|candidate| candidate.point.clone()).collect();
        let is_turn = self.candidates.len().is_multiple_of(CORNERS) && self.space.categories().contains(&true);
        let corner = is_turn.then(|| self.space.point(&self.space.setting(&self.space.anywhere(&mut self.random))));
        let point = propose(model, &self.space, &points, corner.as_deref(), &mut self.random);
        let promising = self.space.setting(&point);
        let setting = if self.is_known(&promising) { self.any_new()? } else { promising };
        model.process.pretend(&self.space.point(&setting), model.noise);
        Some(setting)
    }

    /// Returns any setting that is new.
    fn any_new(&mut self) -> Option<ParameterSetting> {
        for _ in 0..ATTEMPTS {
            let setting = self.space.setting(&self.space.anywhere(&mut self.random));
            if !self.is_known(&setting) {
                return Some(setting);
            }
        }
        // A range of any numbers has always a new one: this is one of few settings, if any is left.
        self.space.settings(self.settings.budget)?.into_iter().find(|setting| !self.is_known(setting))
    }

    fn is_known(&self, setting: &ParameterSetting) -> bool {
        self.candidates.iter().any(|candidate| candidate.setting == *setting)
    }

    /// Returns a candidate that has cases left, and turns to them, or else a new one.
    fn any(&mut self) -> Vec<usize> {
        if let Some(open) = self.candidates.iter().position(|candidate| candidate.blocks.contains(&false)) {
            self.turn_to_missing(open);
            return vec![open];
        }
        self.any_new().map(|setting| self.add(setting)).into_iter().collect()
    }

    fn blocks(&self) -> usize {
        self.settings.cases.div_ceil(self.settings.first_cases)
    }

    fn cases_of(&self, block: usize) -> Range<usize> {
        let start = block * self.settings.first_cases;
        start..(start + self.settings.first_cases).min(self.settings.cases)
    }

    fn add(&mut self, setting: ParameterSetting) -> usize {
        let point = self.space.point(&setting);
        self.candidates.push(Candidate { setting, point, blocks: vec![false; self.blocks()] });
        self.candidates.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{FIRST_FRESH_SEED, FIRST_TRAINING_SEED};
    use crate::statistics::{Moments, mean_interval};

    fn search(parameters: &[&str], budget: usize, cases: usize, seed: u64) -> Search {
        let parameters = parameters.iter().map(|text| text.parse().unwrap()).collect();
        let space = Space::new(parameters, &[]).unwrap();
        Search::new(space, SearchSettings { budget, cases, first_cases: 4, seed })
    }

    /// Runs a search to its end; `value` knows the values of a setting and the case. Returns the number of runs.
    fn run(search: &mut Search, mut value: impl FnMut(&[String], usize) -> Option<f64>) -> usize {
        let mut runs = 0;
        while let Some(round) = search.next_round() {
            let settings: Vec<ParameterSetting> = search.candidates().cloned().collect();
            for &candidate in &round.candidates {
                for case in round.cases.clone() {
                    runs += 1;
                    search.tell(candidate, case, value(&settings[candidate].values, case));
                }
            }
        }
        runs
    }

    fn number(text: &str) -> f64 {
        text.parse().unwrap()
    }

    #[test]
    fn the_whole_budget_is_spent_wherever_there_is_something_to_run() {
        let spaces: [(&[&str], usize); 4] = [
            (&["x=0..1", "y=1..9:int"], 20),
            (&["k=a,b", "n=1..3:int if k=b"], 20),
            (&["n=1..40:int:log"], 6),
            (&["x=0..1"], 4),
        ];
        for (parameters, cases) in spaces {
            for budget in [9, 61, 80] {
                let mut random = Random::new(3);
                let runs = run(&mut search(parameters, budget, cases, 1), |_, _| Some(random.unit()));
                assert_eq!(runs, budget, "{parameters:?}");
            }
        }
        // Three settings on twenty cases, and no more.
        assert_eq!(run(&mut search(&["n=1..3:int"], 90, 20, 1), |_, _| Some(1.0)), 60);
    }

    #[test]
    fn the_advised_cases_are_enough_for_few_settings() {
        let search = search(&["n=1..3:int"], 90, 8, 1);
        assert_eq!(Search::advised_cases(search.space(), 90, 4), 30);
    }

    #[test]
    fn the_same_seed_and_values_give_the_same_search() {
        let tried = |seed| {
            let mut search = search(&["x=0..1", "k=a,b"], 100, 12, seed);
            run(&mut search, |values, case| Some(-(number(&values[0]) - 0.3).abs() + (case * 7 % 5) as f64));
            (search.candidates().cloned().collect::<Vec<_>>(), search.best())
        };
        assert_eq!(tried(1), tried(1));
        assert_ne!(tried(1).0, tried(2).0);
    }

    #[test]
    fn a_good_setting_is_found_among_cases_of_very_different_sizes() {
        // The scores of the cases are from 10 to 10,000; each is multiplied by how good the setting is.
        for seed in 1..=3 {
            let mut search = search(&["t=0.01..100:log", "k=greedy,beam,sa"], 240, 20, seed);
            let mut random = Random::new(seed);
            let good = |values: &[String]| {
                let bonus = if values[1] == "beam" { 0.2 } else { 0.0 };
                1.0 - 0.1 * (number(&values[0]).log10() - 1.0).powi(2) + bonus
            };
            run(&mut search, |values, case| {
                let size = 10_f64.powf(1.0 + (case * 7 % 20) as f64 / 6.0);
                Some(size * good(values) * (0.05 * random.normal()).exp())
            });
            let best = search.candidates().nth(search.best().unwrap()).unwrap().clone();
            assert!(best.values[1] == "beam" && good(&best.values) > 1.17, "{best:?}");
        }
    }

    #[test]
    fn failures_do_not_win() {
        let mut search = search(&["x=0..1"], 120, 12, 1);
        // The largest scores are above 0.7, where most cases fail.
        run(&mut search, |values, case| {
            let x = number(&values[0]);
            (x < 0.7 || case % 4 == 0).then_some(x)
        });
        let best = number(&search.candidates().nth(search.best().unwrap()).unwrap().values[0]);
        assert!((0.6..0.7).contains(&best), "{best}");
    }

    /// Selection makes the winner of a search look good on its own cases; on fresh ones nothing of it is left.
    #[test]
    fn dead_parameters_win_on_fresh_cases_as_rarely_as_the_level_says() {
        // A score is chance, but the same whenever a setting runs on a seed.
        let score = |value: &str, seed: u64| {
            let bits = value.bytes().fold(seed, |bits, byte| Random::new(bits ^ u64::from(byte)).bits());
            Random::new(bits).normal()
        };
        let (mut wins, mut looks_better, searches) = (0, 0, 150);
        for seed in 0..searches {
            let first = FIRST_TRAINING_SEED + 1_000 * seed;
            let mut search = search(&["x=0..1"], 60, 8, seed);
            run(&mut search, |values, case| Some(score(&values[0], first + case as u64)));
            let best = search.best().unwrap();
            let winner = search.candidates().nth(best).unwrap().values[0].clone();
            let default = search.space().default_setting().values[0].clone();
            looks_better += u32::from(search.worths()[best] > search.worths()[0]);
            let fresh = (0..20).map(|case| FIRST_FRESH_SEED + 1_000 * seed + case);
            let effects: Vec<f64> = fresh.map(|seed| score(&winner, seed) - score(&default, seed)).collect();
            wins += u32::from(mean_interval(&Moments::of(&effects), 0.05).is_some_and(|interval| interval.low > 0.0));
        }
        // One side of a 5 % test: 2.5 % of 150 searches are 4, and 10 are beyond three standard deviations.
        assert!(wins <= 9 && looks_better > searches as u32 / 2, "{wins} {looks_better}");
    }
}
