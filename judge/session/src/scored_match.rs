//! The result of a comparison's runs with its points: the measure of its effects, and the effects.

use super::score_run;
use judge_compare::paired::{
    Contrast, EffectMeasure, EffectUnits, MinEffect, PairedComparison, PointSigns, ScoredOutcomes,
};
use judge_problem::plan::Plan;
use judge_problem::scoring::{InvalidResults, Scoreboard};
use judge_problem::{Digest, OutcomeGrid, Rule};

/// The result of a plan with its points.
pub struct ScoredMatch<'a> {
    /// The plan that was played.
    pub plan: &'a Plan,
    outcomes: &'a OutcomeGrid,
    /// The rule that scores.
    pub rule: Rule,
    /// The points of every solver on every case.
    pub board: Scoreboard,
    units: EffectUnits,
}

impl<'a> ScoredMatch<'a> {
    /// Scores the outcomes by the problem's rule. `inputs` are the hashes of the cases' inputs, as far as they are known.
    pub(crate) fn of(
        plan: &'a Plan,
        outcomes: &'a OutcomeGrid,
        inputs: &[Option<Digest>],
    ) -> Result<Self, InvalidResults> {
        let scored = score_run::score(plan, outcomes, &vec![None; plan.cases.len()], None)?;
        Ok(Self { plan, outcomes, rule: scored.rule, board: scored.board, units: EffectUnits::of(plan, inputs) })
    }

    /// Returns the outcomes with their points.
    pub fn outcomes(&self) -> ScoredOutcomes<'_> {
        ScoredOutcomes { plan: self.plan, outcomes: self.outcomes, board: &self.board, units: &self.units }
    }

    /// Returns the measure of effects: the given one, or the one that the problem's rule ranks by. Where a share of the
    /// total has no meaning, effects are differences of points.
    pub fn measure(&self, given: Option<EffectMeasure>, min_effect: Option<&MinEffect>) -> EffectMeasure {
        measure_of(&self.rule, self.outcomes().signs(), given, min_effect)
    }

    /// Compares a solver with the first one, paired by case.
    pub fn paired(&self, measure: EffectMeasure, second: usize) -> PairedComparison {
        self.between(measure, 0, second)
    }

    /// Compares a solver with another one, paired by case.
    pub fn between(&self, measure: EffectMeasure, first: usize, second: usize) -> PairedComparison {
        PairedComparison::of(self.outcomes(), measure, first, second)
    }

    /// Compares what the rule ranks by with the ratio of the scores.
    pub fn contrast(&self, second: usize, alpha: f64) -> Option<Contrast> {
        let measure = self.measure(None, None);
        if measure == EffectMeasure::Ratio {
            return None;
        }
        let ratio = self.paired(EffectMeasure::Ratio, second);
        Contrast::between(&ratio, (measure, &self.paired(measure, second)), alpha)
    }
}

/// Returns the measure of effects under this rule, for points of these signs.
pub fn measure_of(
    rule: &Rule,
    signs: PointSigns,
    given: Option<EffectMeasure>,
    min_effect: Option<&MinEffect>,
) -> EffectMeasure {
    given.unwrap_or_else(|| match EffectMeasure::of_rule_with(rule, min_effect) {
        EffectMeasure::Total if !signs.allow_shares() => EffectMeasure::Points,
        measure => measure,
    })
}
