//! Two solvers on a growing number of cases: what a look needs, updated case by case.

use super::comparison::PlayedCase;
use super::inference::{Claim, InferenceError, TestParameters};
use super::rule_effect::RuleSum;
use super::sequential::SequentialTest;
use super::terms::Terms;
use super::{EffectMeasure, ScoredOutcomes};
use judge_problem::Direction;
use judge_statistics::Term;

/// Two solvers on a growing number of cases. Adding a case and looking take no longer where there are more, unless the
/// sign of the total or the heaviest weight changes.
#[derive(Debug, Clone)]
pub struct GrowingComparison {
    solvers: [usize; 2],
    measure: EffectMeasure,
    parameters: TestParameters,
    all: Terms,
    /// As if the total were above 0.
    terms: Vec<Term>,
    solved: usize,
    heaviest: f64,
    rule: RuleSum,
    direction: Direction,
    /// `None` while there is no total.
    test: Option<SequentialTest>,
    /// The sign and the weight that the test was started with.
    tested: [f64; 2],
}

impl GrowingComparison {
    /// Starts with no cases.
    #[must_use]
    pub fn new(first: usize, second: usize, measure: EffectMeasure, parameters: TestParameters) -> Self {
        Self {
            solvers: [first, second],
            measure,
            parameters,
            all: Terms::default(),
            terms: Vec::new(),
            solved: 0,
            heaviest: 0.0,
            rule: RuleSum::default(),
            direction: Direction::Max,
            test: None,
            tested: [0.0; 2],
        }
    }

    /// Adds the cases of these outcomes, whose points do not depend on any other case.
    ///
    /// # Errors
    /// Parameters that are not those of a test, or an effect beyond the bound.
    pub fn add(&mut self, scored: ScoredOutcomes<'_>) -> Result<(), InferenceError> {
        self.direction = scored.board.direction;
        for case in 0..scored.plan.cases.len() {
            self.rule.push(scored, case, self.solvers);
            let Some(played) = PlayedCase::of(scored, self.measure, case, self.solvers) else { continue };
            self.solved += usize::from(played.solved == [true, true]);
            self.heaviest = self.heaviest.max(played.weight);
            if let Some(pair) = played.pair {
                let term = self.all.push(&pair);
                self.terms.push(term);
                self.extend_test(term)?;
            }
        }
        Ok(())
    }

    /// Returns the claim now, without an estimate of the cases that are missing.
    #[must_use]
    pub fn claim(&self) -> Claim {
        let by_rule = self.rule.effect(self.direction);
        self.test.as_ref().map_or(Claim::TooFew, |test| test.claim(self.solved, by_rule))
    }

    /// Returns the number of cases that both solved.
    #[must_use]
    pub fn solved(&self) -> usize {
        self.solved
    }

    fn extend_test(&mut self, term: Term) -> Result<(), InferenceError> {
        let sign = self.all.sign();
        let signed = |term: Term| Term { base: term.base * sign, ..term };
        match &mut self.test {
            _ if sign == 0.0 => self.test = None,
            Some(test) if self.tested == [sign, self.heaviest] => test.push(signed(term))?,
            _ => {
                let mut test = SequentialTest::new(self.parameters, self.heaviest / self.all.unit())?;
                self.terms.iter().try_for_each(|&term| test.push(signed(term)))?;
                (self.test, self.tested) = (Some(test), [sign, self.heaviest]);
            }
        }
        Ok(())
    }
}
