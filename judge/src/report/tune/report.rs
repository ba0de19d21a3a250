//! The report of a search for good parameters: the value that every format is rendered from.

use crate::model::{CaseName, Direction, Limits, Outcome, Provenance, Stop, quote};
use crate::paired::EffectMeasure;
use crate::statistics::Moments;
use crate::tune::{Parameter, ParameterSetting, fill};

/// The report of a search for good parameters.
#[derive(Debug)]
pub struct TuneReport {
    /// The problem's id.
    pub problem: String,
    /// When, how and where the command ran.
    pub provenance: Provenance,
    /// What the solver may use on each case.
    pub limits: Limits,
    /// The command line of the solver, with the names of the parameters in braces.
    pub solver: String,
    /// Its environment variables, likewise.
    pub environment: Vec<(String, String)>,
    /// The parameters.
    pub parameters: Vec<Parameter>,
    /// The names of the cases, in the order in which they were run.
    pub cases: Vec<CaseName>,
    /// The measure of the effects.
    pub measure: EffectMeasure,
    /// Which values of a mean are good.
    pub direction: Direction,
    /// The error probability of the intervals.
    pub alpha: f64,
    /// Every setting that was tried.
    pub candidates: Vec<Candidate>,
    /// The rounds, in order.
    pub rounds: Vec<Round>,
    /// The number of runs of the solver.
    pub runs: usize,
    /// Why it ended early, if it did.
    pub stop: Option<Stop>,
}

/// A setting, and its outcomes on the first cases.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The setting.
    pub setting: ParameterSetting,
    /// By case, up to the last one that it was run on.
    pub outcomes: Vec<Outcome>,
    /// What each outcome is worth: points by the problem's rule, or on the scale of the measure; larger is better. `None`
    /// for a failure that counts as nothing.
    pub values: Vec<Option<f64>>,
}

/// A rung of a bracket, with its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Round {
    /// The bracket, from 0.
    pub bracket: usize,
    /// The rung of the bracket, from 0.
    pub rung: usize,
    /// The number of cases that each candidate had finished at its end.
    pub cases: usize,
    /// The candidates in it, by place in the report.
    pub entered: Vec<usize>,
    /// The candidates that survived it, the best first.
    pub survivors: Vec<usize>,
}

impl TuneReport {
    /// Returns the best candidate. `None` before the first round is over.
    #[must_use]
    pub fn best(&self) -> Option<usize> {
        self.rounds.last()?.survivors.first().copied()
    }

    /// Returns the candidate that was in the most rounds with the best one.
    pub(super) fn runner_up(&self, best: usize) -> Option<usize> {
        let shared = self.rounds.iter().rev().filter(|round| round.survivors.contains(&best));
        shared
            .flat_map(|round| round.survivors.iter().chain(&round.entered))
            .copied()
            .find(|&candidate| candidate != best)
    }

    /// Returns the candidates that were run: those with the most cases first, and among equals the best.
    pub(super) fn by_rank(&self) -> Vec<usize> {
        let cases = |candidate: usize| self.candidates[candidate].outcomes.len();
        let mean = |candidate: usize| self.moments(candidate).mean();
        let mut order: Vec<usize> = (0..self.candidates.len()).filter(|&candidate| cases(candidate) > 0).collect();
        order.sort_by(|&left, &right| cases(right).cmp(&cases(left)).then(mean(right).total_cmp(&mean(left))));
        order
    }

    pub(super) fn values(&self, candidate: usize) -> Vec<Option<f64>> {
        self.candidates[candidate].values.clone()
    }

    pub(super) fn moments(&self, candidate: usize) -> Moments {
        Moments::of(&self.values(candidate).into_iter().flatten().collect::<Vec<_>>())
    }

    /// Returns the mean in the game's own points, or in those of the rule: the geometric mean for ratios.
    pub(super) fn score(&self, mean: f64) -> f64 {
        let mean = if self.direction == Direction::Max { mean } else { -mean };
        if self.measure == EffectMeasure::Ratio { mean.exp() } else { mean }
    }

    pub(super) fn command(&self, candidate: usize) -> String {
        let values = &self.candidates[candidate].setting.values;
        let quote = |text: &str| quote(&fill(text, &self.parameters, values));
        let variables =
            self.environment.iter().map(|(key, value)| format!(" --env {}", quote(&format!("{key}={value}"))));
        format!("-s {}{}", quote(&self.solver), variables.collect::<String>())
    }
}
