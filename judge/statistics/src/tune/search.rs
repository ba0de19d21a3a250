//! A search: the next runs, and the best setting.

use super::model::{Model, propose};
use super::process::Belief;
use super::space::{ParameterSetting, Space};
use super::table::Values;
use crate::Random;
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

/// The next runs: each of these settings on each of these cases.
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
    /// The current block of cases.
    block: usize,
    /// The remaining part of the first settings, spread over the space.
    designed: Vec<Vec<f64>>,
    /// The value that is expected of each setting by the last model.
    expected: Vec<Option<f64>>,
    /// The last model, from whose parameters the next fit starts.
    last: Option<Model>,
    /// The number of candidates at the last full fit.
    fitted: usize,
}

/// The number of runs in the budget for each case.
const CASE_SHARE: usize = 16;

/// The number of runs in the budget for each case that a new setting runs on, and the bounds of these cases.
const FIRST_SHARE: usize = 500;
const MIN_FIRST: usize = 2;
const MAX_FIRST: usize = 16;

/// The share of the budget for the first settings, spread over the space. A good region may be
/// small, and one of these settings must lie in it. Measured with `cargo bench -p judge-statistics --bench tune`.
const DESIGN: f64 = 0.25;
const MAX_DESIGNED: usize = 150;

/// The number of these settings in a round, and of the best settings so far that run on the same cases.
const DESIGNED: usize = 20;
const LINKS: usize = 4;

/// The share of the budget after which no new setting is tried.
const RACE: f64 = 0.8;

/// The number of settings after which no new one is tried, because the time of a step grows with its third power.
const MAX_SETTINGS: usize = 400;

/// In the race, a setting counts by its mean plus this many standard deviations.
const RACE_DEVIATIONS: f64 = 0.5;

/// One new setting in this many is the most promising one in categories drawn at random. So no category is given up
/// because its first settings were bad.
const CORNERS: usize = 3;

/// The number of fits that follow the first one when the winner is chosen.
const LAST_FITS: usize = 2;

/// The number of attempts to find a setting that is new.
const ATTEMPTS: usize = 8;

impl Search {
    /// Starts a search. The default setting of the space is its first candidate.
    pub fn new(space: Space, settings: SearchSettings) -> Self {
        let mut random = Random::new(settings.seed);
        let share = (settings.budget as f64 * DESIGN) as usize / settings.first_cases.max(1);
        let designed = space.spread_evenly(share.clamp(2, MAX_DESIGNED) - 1, &mut random);
        let (candidates, values) = (Vec::new(), Values::default());
        let (expected, last) = (Vec::new(), None);
        Self { space, settings, random, candidates, values, runs: 0, block: 0, designed, expected, last, fitted: 0 }
    }

    /// Returns the number of cases on which a new setting makes good use of a budget.
    pub fn advised_first_cases(budget: usize) -> usize {
        (budget / FIRST_SHARE).clamp(MIN_FIRST, MAX_FIRST)
    }

    /// Returns a good number of cases for a budget: about a dozen settings run on each case, and with few settings
    /// there are cases for all runs.
    pub fn advised_cases(space: &Space, budget: usize, first_cases: usize) -> usize {
        let settings = space.settings(budget).map_or(budget, |settings| settings.len());
        (budget / CASE_SHARE).max(2 * first_cases).max(budget.div_ceil(settings))
    }

    /// Returns the parameters.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Returns every setting that was proposed, in order.
    pub fn candidates(&self) -> impl ExactSizeIterator<Item = &ParameterSetting> {
        self.candidates.iter().map(|candidate| &candidate.setting)
    }

    /// Returns the next runs. All their values must be reported before the next call. `None` once the budget is spent,
    /// or every setting has run on every case.
    pub fn next_round(&mut self) -> Option<SearchRound> {
        let left = self.settings.budget.saturating_sub(self.runs);
        if left == 0 {
            return None;
        }
        let mut candidates = if self.designed.is_empty() { self.round() } else { self.design() };
        let block = self.block;
        self.block = (block + 1) % self.blocks();
        let mut cases = self.cases_of(block);
        candidates.truncate((left / cases.len()).max(1));
        cases.end = cases.end.min(cases.start + left);
        candidates.iter().for_each(|&candidate| self.candidates[candidate].blocks[block] = true);
        self.runs += candidates.len() * cases.len();
        Some(SearchRound { candidates, cases }).filter(|round| !round.candidates.is_empty())
    }

    /// Records the value of a setting on a case; larger is better. A failure counts as the worst value of its case. A
    /// value can be reported again, if it depends on other runs.
    pub fn tell(&mut self, candidate: usize, case: usize, value: Option<f64>) {
        self.values.set(candidate, case, value);
    }

    /// Returns the worth of a setting by its own runs: the mean of its values, as if it had run on every case that any
    /// setting has run on. `None` before it has run.
    pub fn worths(&self) -> Vec<Option<f64>> {
        let mut means: Vec<Option<f64>> =
            self.values.worths(&self.expected, &[]).into_iter().map(|worth| Some(worth?.mean)).collect();
        means.resize(self.candidates.len(), None);
        means
    }

    /// Returns the setting with the largest expected worth, among the settings that ran on many cases; of these, one
    /// with a failure without a value only if all have one. `None` before any has run.
    pub fn best(&self) -> Option<usize> {
        let counts: Vec<usize> = (0..self.candidates.len()).map(|place| self.values.count(place)).collect();
        let most = counts.iter().copied().max().filter(|most| *most > 0)?;
        let beliefs = self.last_fit().map(|model| model.beliefs()).unwrap_or_default();
        let raced: Vec<_> = beliefs.into_iter().filter(|(place, _)| counts[*place] * 2 >= most).collect();
        let all_failed = raced.iter().all(|(place, _)| self.values.has_failed(*place));
        let eligible = raced.into_iter().filter(|(place, _)| all_failed || !self.values.has_failed(*place));
        let best = eligible.max_by(|left, right| left.1.mean.total_cmp(&right.1.mean)).map(|(place, _)| place);
        best.or_else(|| counts.iter().position(|count| *count == most))
    }

    /// The settings of the first rounds: the default one and others spread over the space. The best so far are among
    /// them, which links the cases of one round with the cases of the next.
    fn design(&mut self) -> Vec<usize> {
        let mut entrants = Vec::new();
        if self.candidates.is_empty() {
            let default = self.space.default_setting.clone();
            entrants.push(self.add(default));
        } else if let Some(model) = self.refit() {
            let block = self.block;
            entrants = self.contenders(&model, LINKS, 1.0, |candidate| !candidate.blocks[block]);
        }
        let count = self.designed.len().min(DESIGNED).min(self.room().saturating_sub(entrants.len()));
        for point in self.designed.drain(..count).collect::<Vec<_>>() {
            let setting = self.space.setting(&point);
            if !self.is_known(&setting) {
                entrants.push(self.add(setting));
            }
        }
        if entrants.is_empty() { self.round() } else { entrants }
    }

    /// The settings of a further round: new ones, and old ones that may be the best.
    fn round(&mut self) -> Vec<usize> {
        let Some(mut model) = self.refit() else { return self.any() };
        let SearchSettings { budget, first_cases, .. } = self.settings;
        let places = (budget / (40 * first_cases)).clamp(2, 8).min(self.room());
        let is_race = self.runs as f64 >= RACE * budget as f64 || self.candidates.len() >= MAX_SETTINGS;
        if is_race && let Some(entrants) = self.race(&model, places) {
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

    /// The settings of a round without new ones: the best one with remaining cases, and those next to it that lack the
    /// same cases. `None` if none has remaining cases.
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

    /// Fits a model to all values repeatedly. Each fit takes the measure of the cases from the fit before.
    fn last_fit(&self) -> Option<Model> {
        let mut model = self.fit(&self.expected, true)?;
        for _ in 0..LAST_FITS {
            model = self.fit(&model.expected(self.candidates.len()), true)?;
        }
        Some(model)
    }

    /// Fits a model to all values, with new parameters whenever there are enough new settings.
    fn refit(&mut self) -> Option<Model> {
        let refine = self.last.is_none() || self.candidates.len() * 20 >= self.fitted * 23;
        let model = self.fit(&self.expected, refine)?;
        self.expected = model.expected(self.candidates.len());
        if refine {
            self.fitted = self.candidates.len();
        }
        self.last = Some(model.clone());
        Some(model)
    }

    fn points(&self) -> Vec<Vec<f64>> {
        self.candidates.iter().map(|candidate| candidate.point.clone()).collect()
    }

    fn fit(&self, expected: &[Option<f64>], refine: bool) -> Option<Model> {
        Model::fit(&self.values, expected, &self.points(), &self.space.categories, self.last.as_ref(), refine)
    }

    /// Returns the qualified candidates with the highest mean plus this many deviations.
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
        let is_turn = self.candidates.len().is_multiple_of(CORNERS) && self.space.categories.contains(&true);
        let corner = is_turn.then(|| self.space.point(&self.space.setting(&self.space.anywhere(&mut self.random))));
        let point = propose(model, &self.space, &self.points(), corner.as_deref(), &mut self.random);
        let promising = self.space.setting(&point);
        let setting = if self.is_known(&promising) { self.any_new()? } else { promising };
        model.processes.pretend(&self.space.point(&setting), model.noise);
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
        // A range of real numbers always has a new setting. So this space has few settings: returns one of the rest, if
        // any.
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

    /// Returns the number of settings that the remaining budget allows in one round, at least one.
    fn room(&self) -> usize {
        (self.settings.budget.saturating_sub(self.runs) / self.settings.first_cases).max(1)
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
