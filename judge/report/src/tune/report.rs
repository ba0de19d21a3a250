//! The report of a search for good parameters: the value that every format is rendered from.

use judge_compare::paired::{Claim, EffectMeasure};
use judge_problem::{CaseName, Direction, Limits, Outcome, Provenance, Stop, fill_placeholders, quote};
use judge_statistics::tune::{Parameter, ParameterSetting};
use judge_statistics::{Interval, Moments};

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
    /// The names of the cases of the search.
    pub cases: Vec<CaseName>,
    /// The measure of the effects.
    pub measure: EffectMeasure,
    /// Which values of a mean are good.
    pub direction: Direction,
    /// The error probability of the intervals.
    pub alpha: f64,
    /// Every setting that was tried, the default one first.
    pub candidates: Vec<Candidate>,
    /// The best candidate. `None` if none has run.
    pub best: Option<usize>,
    /// The comparison of the best with the default one. `None` if they are the same, or nothing was compared.
    pub comparison: Option<TuneComparison>,
    /// The number of runs of the solver in the search.
    pub runs: usize,
    /// Why the search ended early, if it did.
    pub stop: Option<Stop>,
}

/// A setting, and its outcomes.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The setting.
    pub setting: ParameterSetting,
    /// By case; `None` where it was not run.
    pub outcomes: Vec<Option<Outcome>>,
    /// What each outcome is worth: points by the problem's rule, or on the scale of the measure; larger is better. `None`
    /// where it was not run, and for a failure that counts as nothing.
    pub values: Vec<Option<f64>>,
    /// The mean of its values, as if it had run on every case of the search.
    pub worth: Option<f64>,
}

/// The comparison of the best setting with the default one, on cases that took no part in the search.
#[derive(Debug, Clone)]
pub struct TuneComparison {
    /// The default setting.
    pub default: ParameterSetting,
    /// Whether the user gave any of its values.
    pub is_given: bool,
    /// The names of the cases.
    pub cases: Vec<CaseName>,
    /// The measure of the effects.
    pub measure: EffectMeasure,
    /// The result in words.
    pub verdict: String,
    /// The claim about the best setting.
    pub claim: Claim,
    /// The number of cases with an effect.
    pub pairs: usize,
    /// The mean effect, positive if the best setting is better; `None` with too few cases.
    pub mean: Option<f64>,
    /// Its interval.
    pub interval: Option<Interval>,
    /// Whether it was interrupted.
    pub stop: Option<Stop>,
}

impl TuneReport {
    /// Returns what the winner's score is worth.
    pub(super) fn selection_note(&self) -> &'static str {
        if self.comparison.is_some() {
            "the winner's score is exaggerated (selection): the fresh cases show what it is worth"
        } else {
            "the winner's score is exaggerated (selection): confirm it on fresh cases"
        }
    }

    /// Returns the candidate with the best mean beside the best one, of those with at least half as many cases.
    pub(super) fn runner_up(&self, best: usize) -> Option<usize> {
        let half = self.candidates[best].count().div_ceil(2);
        let others = self.by_rank().into_iter().filter(|&other| other != best);
        let raced = others.filter(|&other| self.candidates[other].count() >= half);
        raced.max_by(|&left, &right| self.worth(left).total_cmp(&self.worth(right)))
    }

    /// Returns the candidates that were run: the best one, then those with the most cases, and among equals those with
    /// the best mean.
    pub(super) fn by_rank(&self) -> Vec<usize> {
        let is_best = |candidate: usize| self.best == Some(candidate);
        let cases = |candidate: usize| self.candidates[candidate].count();
        let mut order: Vec<usize> = (0..self.candidates.len()).filter(|&candidate| cases(candidate) > 0).collect();
        order.sort_by(|&left, &right| {
            let by_cases = is_best(right).cmp(&is_best(left)).then(cases(right).cmp(&cases(left)));
            by_cases.then(self.worth(right).total_cmp(&self.worth(left)))
        });
        order
    }

    fn worth(&self, candidate: usize) -> f64 {
        self.candidates[candidate].worth.unwrap_or(f64::NEG_INFINITY)
    }

    pub(super) fn moments(&self, candidate: usize) -> Moments {
        Moments::of(&self.candidates[candidate].values.iter().copied().flatten().collect::<Vec<_>>())
    }

    /// Returns the mean in the game's own points, or in those of the rule: the geometric mean for ratios.
    pub(super) fn score(&self, mean: f64) -> f64 {
        let mean = if self.direction == Direction::Max { mean } else { -mean };
        if self.measure == EffectMeasure::Ratio { mean.exp() } else { mean }
    }

    pub(super) fn command(&self, candidate: usize) -> String {
        let values = &self.candidates[candidate].setting.values;
        let quote = |text: &str| quote(&filled(text, &self.parameters, values));
        let variables =
            self.environment.iter().map(|(key, value)| format!(" --env {}", quote(&format!("{key}={value}"))));
        format!("-s {}{}", quote(&self.solver), variables.collect::<String>())
    }
}

/// Returns the text with each name in braces replaced by the value of the parameter.
pub fn filled(text: &str, parameters: &[Parameter], values: &[String]) -> String {
    let value = |name: &str| {
        let place = parameters.iter().position(|parameter| parameter.name == name)?;
        values.get(place)
    };
    fill_placeholders(text, value).to_string_lossy().into_owned()
}

impl Candidate {
    /// Returns the number of cases that it has run on.
    #[must_use]
    pub fn count(&self) -> usize {
        self.outcomes.iter().flatten().count()
    }

    /// Returns the number of cases without an accepted answer.
    pub(super) fn failures(&self) -> usize {
        self.outcomes.iter().flatten().filter(|outcome| !outcome.is_accepted()).count()
    }

    /// Returns the places of the cases that it has run on, with their outcomes.
    pub(super) fn runs(&self) -> impl Iterator<Item = (usize, &Outcome)> {
        self.outcomes.iter().enumerate().filter_map(|(case, outcome)| Some((case, outcome.as_ref()?)))
    }
}

impl TuneComparison {
    /// Returns what the default setting is, in words.
    pub(super) fn default_in_words(&self, parameters: &[Parameter]) -> String {
        let kind = if self.is_given { "the default setting" } else { "the middle of the ranges and first categories" };
        format!("{} ({kind})", self.default.words(parameters))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_where_their_names_stood() {
        let parameters = ["t=0..1", "n=1..2:int"].map(|text| text.parse().unwrap());
        let values = ["0.5", "2"].map(str::to_owned);
        assert_eq!(filled("./bot -n{n} --t={t} {n} {x}", &parameters, &values), "./bot -n2 --t=0.5 2 {x}");
    }
}
