//! Sequential inference: claims that hold at every look while the number of cases grows.

use super::comparison::{PairedComparison, PlayedCase, RuleEffect, TermUnit, sign};
use super::inference::{Claim, Inference, InferenceError, TestParameters, summary};
use super::measure::{EffectMeasure, ScoredOutcomes};
use judge_statistics::{
    Decision, Finding, Interval, InvalidSettings, LikelihoodRatio, Sequence, SequenceSettings, Term,
};
use num_rational::BigRational;
use num_traits::Zero;

/// The sequential test. It takes cases one by one, and a look takes constant time.
#[derive(Debug, Clone)]
struct SequentialTest {
    parameters: TestParameters,
    /// The largest effect of a difference of 1.
    unit: f64,
    sequence: Sequence,
    ratio: Option<LikelihoodRatio>,
    /// Whether every effect is 0.
    is_all_ties: bool,
}

impl SequentialTest {
    pub(super) fn new(parameters: TestParameters, unit: f64) -> Result<Self, InvalidSettings> {
        let TestParameters { alpha, min_effect, bound, rare, hypotheses } = parameters;
        // A rounding error is added, so that an effect at the bound is within it.
        let bound = bound.map(|bound| bound * unit * (1.0 + 1e-9));
        let sequence = Sequence::new(SequenceSettings { alpha, min_effect, bound, rare })?;
        Ok(Self { parameters, unit, sequence, ratio: hypotheses.map(LikelihoodRatio::new), is_all_ties: true })
    }

    fn with(paired: &PairedComparison, parameters: TestParameters) -> Result<Self, InferenceError> {
        let mut test = Self::new(parameters, paired.unit)?;
        paired.pairs.iter().try_for_each(|pair| test.push(pair.term))?;
        Ok(test)
    }

    /// Adds a case.
    pub(super) fn push(&mut self, term: Term) -> Result<(), InferenceError> {
        if let Some(bound) = self.parameters.bound
            && term.effect.abs() > bound * self.unit * (1.0 + 1e-9)
        {
            return Err(InferenceError::BeyondBound { difference: term.effect.abs() / self.unit, bound });
        }
        self.sequence.push_term(term);
        if let Some(ratio) = &mut self.ratio {
            ratio.push(term);
        }
        self.is_all_ties &= term.effect == 0.0;
        Ok(())
    }

    /// Returns the current claim, without an estimate of the missing cases. `solved` is the number of cases that both
    /// solvers solved.
    pub(super) fn claim(&self, solved: usize, by_rule: &RuleEffect) -> Claim {
        let claim = match &self.ratio {
            Some(ratio) => ratio.accepted().map(Claim::Accepted),
            // A bound alone can rule out large differences.
            None if self.sequence.count() < 2 => None,
            None => match self.sequence.decision() {
                Decision::Better => Some(Claim::Better),
                Decision::Worse => Some(Claim::Worse),
                Decision::Smaller if self.is_all_ties => Some(Claim::Equal),
                Decision::Smaller => Some(Claim::Smaller),
                Decision::Undecided => None,
            },
        };
        let is_few = solved.min(self.sequence.count()) < 2;
        let open = if is_few { Claim::TooFew } else { Claim::Undecided { more_cases: None } };
        claim.unwrap_or(open).unless_contrary(by_rule, self.parameters.hypotheses)
    }
}

/// Returns the claim of [`infer_interim`] without an estimate of the missing cases. It is faster, because it leaves out
/// the interval.
///
/// # Errors
/// Fails as [`infer_interim`] does.
pub fn interim_claim(paired: &PairedComparison, parameters: TestParameters) -> Result<Claim, InferenceError> {
    Ok(SequentialTest::with(paired, parameters)?.claim(paired.solved, &paired.by_rule))
}

/// Infers from cases that were added until [`infer_interim`] made a claim, or until there were no more.
///
/// # Errors
/// Fails if a parameter is out of range, or if an effect exceeds the bound.
pub fn infer_sequential(paired: &PairedComparison, parameters: TestParameters) -> Result<Inference, InferenceError> {
    Ok(Inference { summary: summary(paired, parameters), ..infer_interim(paired, parameters)? })
}

/// Infers from a growing number of cases, without the summary of the effects. It may be called after every case, and the
/// run may stop at any claim: the error probability covers all looks together.
///
/// # Errors
/// Fails if a parameter is out of range, or if an effect exceeds the bound.
pub fn infer_interim(paired: &PairedComparison, parameters: TestParameters) -> Result<Inference, InferenceError> {
    let test = SequentialTest::with(paired, parameters)?;
    let interval = test.sequence.interval();
    let claim = match test.claim(paired.solved, &paired.by_rule) {
        Claim::Undecided { .. } if parameters.hypotheses.is_none() => {
            Claim::Undecided { more_cases: interval.and_then(|now| more_cases(paired, now, parameters)) }
        }
        claim => claim,
    };
    let log_likelihood_ratio = test.ratio.map(|ratio| ratio.logarithm());
    Ok(Inference { claim, interval, summary: None, log_likelihood_ratio })
}

/// The state of a comparison after some of the cases.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, schemars::JsonSchema)]
pub struct Look {
    /// How many cases with an effect there were.
    pub cases: usize,
    /// Their mean effect.
    pub mean: f64,
    /// The anytime-valid interval; absent with too few cases.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<Interval>,
}

/// The number of looks while the number of cases grows by a factor of e. Looks are rare because an interval takes
/// linear time.
const LOOKS: usize = 16;

/// Returns the results of [`infer_interim`] after growing numbers of cases: each of the first few, then less and less
/// often, and the last.
///
/// # Errors
/// Fails as [`infer_interim`] does.
pub fn looks(paired: &PairedComparison, parameters: TestParameters) -> Result<Vec<Look>, InferenceError> {
    let mut test = SequentialTest::new(parameters, paired.unit)?;
    let (mut effects, mut bases, mut next) = (0.0, 0.0, 1);
    let mut looks = Vec::new();
    for (place, pair) in paired.pairs.iter().enumerate() {
        test.push(pair.term)?;
        effects += pair.effect;
        bases += pair.base;
        let cases = place + 1;
        if cases < next && cases < paired.pairs.len() {
            continue;
        }
        next = cases + cases.div_ceil(LOOKS);
        if bases > 0.0 {
            looks.push(Look { cases, mean: effects / bases, interval: test.sequence.interval() });
        }
    }
    Ok(looks)
}

/// Returns the estimate for a fixed number of cases. This interval shrinks at the same rate.
fn more_cases(paired: &PairedComparison, interval: Interval, parameters: TestParameters) -> Option<u64> {
    match Finding::from_interval(interval, interval.center(), paired.pairs.len(), parameters.min_effect) {
        Finding::Undecided { more_cases } => more_cases,
        Finding::Better | Finding::Worse | Finding::Smaller => None,
    }
}

/// Two solvers on a growing number of cases. Adding a case and looking take constant time, unless the sign of the total
/// or the heaviest weight changes.
#[derive(Debug, Clone)]
pub struct GrowingComparison {
    solvers: [usize; 2],
    measure: EffectMeasure,
    parameters: TestParameters,
    /// The sum of the bases: all of them have its sign.
    total: BigRational,
    unit: TermUnit,
    /// As if the total were above 0.
    terms: Vec<Term>,
    solved: usize,
    heaviest: f64,
    by_rule: RuleEffect,
    /// `None` while there is no total.
    test: Option<SequentialTest>,
    /// The sign and the weight that the test was started with.
    tested: [f64; 2],
}

impl GrowingComparison {
    /// Starts with no cases.
    pub fn new(first: usize, second: usize, measure: EffectMeasure, parameters: TestParameters) -> Self {
        Self {
            solvers: [first, second],
            measure,
            parameters,
            total: BigRational::zero(),
            unit: TermUnit::default(),
            terms: Vec::new(),
            solved: 0,
            heaviest: 0.0,
            by_rule: RuleEffect::default(),
            test: None,
            tested: [0.0; 2],
        }
    }

    /// Adds the cases of these outcomes. Their points must not depend on other cases.
    ///
    /// # Errors
    /// Fails if a parameter is invalid, or if an effect exceeds the bound.
    pub fn add(&mut self, scored: ScoredOutcomes<'_>) -> Result<(), InferenceError> {
        for case in 0..scored.plan.cases.len() {
            self.by_rule.push(scored, case, self.solvers);
            let Some(played) = PlayedCase::of(scored, self.measure, case, self.solvers) else { continue };
            self.solved += usize::from(played.solved == [true, true]);
            self.heaviest = self.heaviest.max(played.weight);
            if let Some(pair) = played.pair {
                self.total += pair.base.number();
                let term = self.unit.term(&pair);
                self.terms.push(term);
                self.extend_test(term)?;
            }
        }
        Ok(())
    }

    /// Returns the current claim, without an estimate of the missing cases.
    pub fn claim(&self) -> Claim {
        self.test.as_ref().map_or(Claim::TooFew, |test| test.claim(self.solved, &self.by_rule))
    }

    /// Returns the number of cases that both solved.
    pub fn solved(&self) -> usize {
        self.solved
    }

    fn extend_test(&mut self, term: Term) -> Result<(), InferenceError> {
        let sign = sign(&self.total);
        let signed = |term: Term| Term { base: term.base * sign, ..term };
        match &mut self.test {
            _ if sign == 0.0 => self.test = None,
            Some(test) if self.tested == [sign, self.heaviest] => test.push(signed(term))?,
            _ => {
                let mut test = SequentialTest::new(self.parameters, self.heaviest / self.unit.size())?;
                self.terms.iter().try_for_each(|&term| test.push(signed(term)))?;
                (self.test, self.tested) = (Some(test), [sign, self.heaviest]);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paired::comparison::{Contrast, Failures, PairedComparison, RawPair, RuleEffect};
    use crate::paired::inference::TestParameters;
    use crate::paired::measure::EffectMeasure;
    use judge_statistics::{EffectSummary, Moments, Random};
    use num_bigint::BigInt;
    use num_rational::BigRational;

    /// Pairs the scores of two solvers as shares of the first one's total.
    fn shares(scores: &[(f64, f64)]) -> PairedComparison {
        let mut paired = PairedComparison {
            first: 0,
            second: 1,
            pairs: Vec::new(),
            mean: 0.0,
            cases: scores.len(),
            solved: scores.len(),
            failures: Failures::default(),
            undefined: 0,
            faults: 0,
            unit: 1.0,
            by_rule: RuleEffect::default(),
        };
        // In millionths, because sums of integers are fast.
        #[expect(clippy::cast_possible_truncation, reason = "scores are far below 2^43")]
        let raw = |(case, (a, b)): (usize, &(f64, f64))| RawPair {
            case,
            effect: BigRational::from_float((b - a) * 1e6).unwrap().into(),
            base: BigRational::from_integer(BigInt::from((a * 1e6).round() as i64)).into(),
        };
        paired.divide(&scores.iter().enumerate().map(raw).collect::<Vec<_>>(), 1.0);
        paired
    }

    fn interval(paired: &PairedComparison) -> Interval {
        EffectSummary::of(&paired.terms(), &paired.places(), 0.05, None).unwrap().interval
    }

    /// A number with mean 0 and variance 1, nearly normal.
    fn noise(random: &mut Random) -> f64 {
        (0..12).map(|_| random.unit()).sum::<f64>() - 6.0
    }

    /// The spread of the scores of a population, and the difference of the second solver from the first.
    struct Population {
        /// The standard deviation of the logarithm of the first solver's scores.
        spread: f64,
        /// The true ratio of the totals.
        ratio: f64,
        /// The standard deviation of the noise: a share of the score.
        noise: f64,
        /// The share of the cases that the second solver fails, with a score of 0.
        failed: f64,
    }

    impl Population {
        fn draw(&self, random: &mut Random) -> (f64, f64) {
            let a = (self.spread * noise(random)).exp();
            let factor = 1.0 + self.noise * noise(random);
            let is_failed = random.unit() < self.failed;
            // Failures do not depend on the score, so they lower the total by their share.
            (a, if is_failed { 0.0 } else { a * self.ratio * factor / (1.0 - self.failed) })
        }

        /// Returns how often the interval at 5 % misses the true share, and how often it excludes 0.
        fn rates(&self, cases: usize, runs: usize) -> [f64; 2] {
            let mut random = Random::new(11);
            let mut counts = [0.0; 2];
            for _ in 0..runs {
                let scores: Vec<(f64, f64)> = (0..cases).map(|_| self.draw(&mut random)).collect();
                let paired = shares(&scores);
                let interval = interval(&paired);
                counts[0] += f64::from(u8::from(!interval.contains(self.ratio - 1.0)));
                counts[1] += f64::from(u8::from(!interval.contains(0.0)));
            }
            counts.map(|count| count / runs as f64)
        }
    }

    #[test]
    #[ignore = "CI: thousands of intervals"]
    fn the_interval_of_a_share_contains_the_true_one() {
        let hold = |cases, [spread, ratio, noise, failed]: [f64; 4], most| {
            let [missed, claimed] = Population { spread, ratio, noise, failed }.rates(cases, 1_500);
            assert!(missed <= most, "{cases} cases, ratio {ratio}: missed {missed}");
            assert!(missed >= 0.02 || ratio == 1.0, "{cases} cases, ratio {ratio}: missed {missed}");
            assert!(claimed <= most || ratio != 1.0, "{cases} cases: claimed {claimed}");
        };
        std::thread::scope(|threads| {
            for (cases, population, most) in [
                (20, [0.3, 1.0, 0.1, 0.0], 0.065),
                (20, [0.3, 1.2, 0.1, 0.0], 0.065),
                (50, [0.8, 1.0, 0.2, 0.0], 0.075),
                (50, [0.8, 1.2, 0.2, 0.0], 0.075),
                (200, [0.8, 0.5, 0.2, 0.0], 0.065),
                (100, [0.3, 1.1, 0.1, 0.2], 0.065),
            ] {
                threads.spawn(move || hold(cases, population, most));
            }
        });
    }

    #[test]
    fn a_ratio_that_is_the_same_on_every_case_is_certain() {
        let scores: Vec<(f64, f64)> = (1..=20).map(|case| (f64::from(case), f64::from(case) * 1.25)).collect();
        let paired = shares(&scores);
        assert!((paired.mean() - 0.25).abs() < 1e-12);
        let interval = interval(&paired);
        assert!((interval.low - 0.25).abs() < 1e-12 && (interval.high - 0.25).abs() < 1e-12, "{interval:?}");
    }

    #[test]
    fn negative_totals_rise_where_the_second_is_larger() {
        let paired = shares(&[(-10.0, -5.0), (-30.0, -31.0)]);
        assert!((paired.mean() - 0.1).abs() < 1e-12);
        assert_eq!(paired.pairs.iter().map(|pair| pair.base).sum::<f64>(), 2.0);
        let zero = shares(&[(0.0, 1.0), (0.0, 2.0)]);
        assert_eq!((zero.pairs.len(), zero.undefined), (0, 2));
    }

    #[test]
    fn a_part_of_the_cases_has_its_own_total() {
        let mut paired = shares(&[(100.0, 110.0), (10.0, 10.0), (300.0, 300.0)]);
        paired.retain(|case| case < 2);
        assert!((paired.mean() - 10.0 / 110.0).abs() < 1e-12);
    }

    #[test]
    fn a_contrast_names_the_fewest_cases_that_make_it() {
        let ratio = |scores: &[(f64, f64)]| {
            let mut paired = shares(scores);
            for (pair, (a, b)) in paired.pairs.iter_mut().zip(scores) {
                (pair.effect, pair.base) = ((b / a).ln(), 1.0);
            }
            paired.mean = Moments::of(&paired.effects()).mean();
            paired
        };
        let mut scores = vec![(500.0, 521.0); 8];
        scores.extend([(10_000.0, 9_784.0), (10_000.0, 9_700.0)]);
        let contrast =
            |scores: &[(f64, f64)]| Contrast::between(&ratio(scores), (EffectMeasure::Total, &shares(scores)), 0.05);
        let found = contrast(&scores).unwrap();
        assert!(found.ratio > 0.0 && found.by_rule < 0.0, "{found:?}");
        assert_eq!(found.cases, [9, 8]);
        scores.truncate(8);
        assert_eq!(contrast(&scores), None);
    }

    #[test]
    fn one_case_decides_nothing() {
        let bound = Some(1.0);
        let parameters = TestParameters { alpha: 0.05, min_effect: Some(0.01), bound, rare: None, hypotheses: None };
        let claim = |cases| interim_claim(&shares(&[(1000.0, 1000.0); 2][..cases]), parameters).unwrap();
        assert_eq!((claim(1), claim(2)), (Claim::TooFew, Claim::Equal));
    }

    #[test]
    fn looks_end_with_all_cases_and_agree_with_going_through_them() {
        let mut random = Random::new(7);
        let population = Population { spread: 0.2, ratio: 1.05, noise: 0.1, failed: 0.0 };
        let scores: Vec<_> = (0..300).map(|_| population.draw(&mut random)).collect();
        let parameters = TestParameters { alpha: 0.05, min_effect: None, bound: None, rare: None, hypotheses: None };
        let all = shares(&scores);
        let looks = looks(&all, parameters).unwrap();
        assert!(looks.is_sorted_by(|left, right| left.cases < right.cases) && (40..100).contains(&looks.len()));
        let last = looks.last().unwrap();
        assert_eq!(last.cases, 300);
        assert!((last.mean - all.mean()).abs() < 1e-12);
        assert_eq!(last.interval, infer_interim(&all, parameters).unwrap().interval);
        let early = looks.iter().find(|look| look.interval.is_some()).unwrap();
        let part = infer_interim(&shares(&scores[..early.cases]), parameters).unwrap().interval.unwrap();
        let now = early.interval.unwrap();
        assert!((part.low - now.low).abs() < 1e-6 && (part.high - now.high).abs() < 1e-6, "{part:?}, {now:?}");
        assert!(now.low <= early.mean && early.mean <= now.high);
    }
}
