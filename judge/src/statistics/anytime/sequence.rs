//! The growing sequence of effects, its decision and its interval.

use super::asymptotic::AsymptoticSequence;
use super::martingale::TestMartingale;
use super::side::Side;
use super::warm_up::WarmUp;
use crate::statistics::interval::Interval;
use crate::statistics::moments::Moments;

/// Halvings of the bracket around an end of the interval: more digits than are ever printed.
const HALVINGS: u32 = 30;
/// Doublings in search of a center that is ruled out.
const DOUBLINGS: u32 = 40;

/// The parameters of the test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SequenceSettings {
    /// The probability of a false decision, over all looks together.
    pub alpha: f64,
    /// The smallest effect that matters, positive. Without it, only better and worse can be decided.
    pub min_effect: Option<f64>,
    /// Every effect lies between minus this and this. Then the claims are exact for any distribution.
    pub bound: Option<f64>,
    /// Large effects on this share of the cases may outweigh the others: nothing is claimed before they had the chance
    /// to show. With a bound it is not needed, and not used.
    pub rare: Option<f64>,
}

/// Invalid parameters of a test.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum InvalidSettings {
    /// The error probability is out of range.
    #[error("alpha must be above 0 and at most 0.25, not {0}")]
    Alpha(f64),
    /// The smallest effect that matters is not a positive number.
    #[error("the smallest effect that matters must be above 0, not {0}")]
    MinEffect(f64),
    /// The bound is not a positive number.
    #[error("the bound of the effects must be above 0, not {0}")]
    Bound(f64),
    /// The share of rare effects is not one.
    #[error("the share of rare effects must be from 0.01 % to 50 %, not {0}")]
    Rare(f64),
}

/// The decision from the cases so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// The mean effect is above 0.
    Better,
    /// The mean effect is below 0.
    Worse,
    /// The mean effect is smaller, in size, than the smallest that matters.
    Smaller,
    /// No decision yet.
    Undecided,
}

/// The effects so far. Push, look, stop when decided: looking does not raise the error probability.
#[derive(Debug, Clone)]
pub struct Sequence {
    settings: SequenceSettings,
    /// `None` with a bound: the test martingale alone suffices.
    safeguards: Option<Safeguards>,
    effects: Vec<f64>,
    moments: Moments,
    against_zero: TestMartingale,
    against_min_effect: Option<EquivalenceBounds>,
}

/// The further conditions for effects without a bound: there, the bets are fair under symmetry alone.
#[derive(Debug, Clone, Copy)]
struct Safeguards {
    asymptotic: AsymptoticSequence,
    warm_up: WarmUp,
}

/// The bets on the two ends of "too small to matter".
#[derive(Debug, Clone)]
struct EquivalenceBounds {
    min_effect: f64,
    low: TestMartingale,
    high: TestMartingale,
}

impl Safeguards {
    fn new(alpha: f64, rare: Option<f64>) -> Self {
        Self { asymptotic: AsymptoticSequence::new(alpha), warm_up: WarmUp::new(alpha, rare) }
    }
}

impl Sequence {
    /// Starts with no cases.
    ///
    /// # Errors
    /// An alpha outside (0, 0.25], or a smallest effect or a bound that is not positive and finite.
    pub fn new(settings: SequenceSettings) -> Result<Self, InvalidSettings> {
        if !(settings.alpha > 0.0 && settings.alpha <= 0.25) {
            return Err(InvalidSettings::Alpha(settings.alpha));
        }
        let is_useless = |number: &f64| !(*number > 0.0 && number.is_finite());
        if let Some(min_effect) = settings.min_effect.filter(is_useless) {
            return Err(InvalidSettings::MinEffect(min_effect));
        }
        if let Some(bound) = settings.bound.filter(is_useless) {
            return Err(InvalidSettings::Bound(bound));
        }
        if let Some(rare) = settings.rare.filter(|rare| !(1e-4..=0.5).contains(rare)) {
            return Err(InvalidSettings::Rare(rare));
        }
        let martingale = |center| TestMartingale::new(center, settings.bound);
        let bounds =
            |min_effect| EquivalenceBounds { min_effect, low: martingale(-min_effect), high: martingale(min_effect) };
        Ok(Self {
            settings,
            safeguards: settings.bound.is_none().then(|| Safeguards::new(settings.alpha, settings.rare)),
            effects: Vec::new(),
            moments: Moments::default(),
            against_zero: martingale(0.0),
            against_min_effect: settings.min_effect.map(bounds),
        })
    }

    /// Adds the effect of one more case, which is finite and within the bound if there is one. Cases without an effect
    /// (a failure of either solver) are not pushed.
    pub fn push(&mut self, effect: f64) {
        debug_assert!(effect.is_finite() && self.settings.bound.is_none_or(|bound| effect.abs() <= bound));
        self.effects.push(effect);
        self.moments.push(effect);
        self.against_zero.push(effect);
        if let Some(bounds) = &mut self.against_min_effect {
            bounds.low.push(effect);
            bounds.high.push(effect);
        }
    }

    /// Returns count, mean and spread so far.
    #[must_use]
    pub fn moments(&self) -> &Moments {
        &self.moments
    }

    /// Returns what is decided now.
    #[must_use]
    pub fn decision(&self) -> Decision {
        if self.excludes(0.0, &self.against_zero, Side::Above) {
            Decision::Better
        } else if self.excludes(0.0, &self.against_zero, Side::Below) {
            Decision::Worse
        } else if self.is_smaller() {
            Decision::Smaller
        } else {
            Decision::Undecided
        }
    }

    fn is_smaller(&self) -> bool {
        self.against_min_effect.as_ref().is_some_and(|bounds| {
            self.safeguards.is_none_or(|_| self.moments.count() >= self.fewest_for_smaller())
                && self.excludes(-bounds.min_effect, &bounds.low, Side::Above)
                && self.excludes(bounds.min_effect, &bounds.high, Side::Below)
        })
    }

    /// Solvers that agree on case after case may still differ on a few: after n equal cases, with confidence 1 -
    /// alpha, on at most 1 - alpha^(1/n) of them. "No difference" is not claimed before that share is at most alpha: 59
    /// cases for 0.05.
    fn fewest_for_smaller(&self) -> usize {
        (self.settings.alpha.ln() / (-self.settings.alpha).ln_1p()).ceil() as usize
    }

    /// Returns whether the claim can be made that the mean lies on this side of the center.
    fn excludes(&self, center: f64, martingale: &TestMartingale, side: Side) -> bool {
        let is_over = |safeguards: Safeguards| safeguards.warm_up.is_over(&self.effects, &self.moments, center, side);
        self.is_unlikely(center, martingale, side) && self.safeguards.is_none_or(is_over)
    }

    /// Returns whether the effects seen so far support the mean on this side of the center, without the warm-up.
    fn is_unlikely(&self, center: f64, martingale: &TestMartingale, side: Side) -> bool {
        let is_supported = |safeguards: Safeguards| safeguards.asymptotic.supports(&self.moments, center, side);
        // The asymptotic sequence is the cheaper of the two.
        self.safeguards.is_none_or(is_supported) && martingale.log_wealth(side) >= (2.0 / self.settings.alpha).ln()
    }

    fn martingale_about(&self, center: f64) -> TestMartingale {
        TestMartingale::of(center, self.settings.bound, &self.effects)
    }

    /// Returns the current interval: all means that the test martingale and the asymptotic sequence do not rule out
    /// now, and those that decisions are about until the warm-up is over. `None` while there are too few cases for both
    /// ends. Its ends agree with [`Sequence::decision`]. The intervals of all looks together contain the mean with a
    /// probability of 1 - alpha, in the sense of the module's first two conditions; with a bound, without conditions.
    #[must_use]
    pub fn interval(&self) -> Option<Interval> {
        let mean = self.moments.mean();
        // Without a bound, equal effects rule out every other mean at once, as soon as they rule out 0 or are 0.
        let is_settled = mean == 0.0 || self.decision() != Decision::Undecided;
        let is_equal = self.moments.count() > 1 && self.moments.deviation() == 0.0;
        if self.safeguards.is_some() && is_equal && is_settled {
            return Some(Interval { low: mean, high: mean });
        }
        Some(Interval { low: self.end(mean, Side::Above)?, high: self.end(mean, Side::Below)? })
    }

    /// Returns the end of the interval beyond which every center is ruled out because the mean lies on `side` of it.
    fn end(&self, mean: f64, side: Side) -> Option<f64> {
        let (mut inside, mut outside) = self.bracket(mean, side)?;
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(inside, outside);
            let is_out = self.is_unlikely(middle, &self.martingale_about(middle), side);
            if is_out { outside = middle } else { inside = middle }
        }
        Some(outside)
    }

    /// Returns a center that is possible and one that is ruled out. The centers that decisions are about come first,
    /// so that the interval never contradicts them.
    fn bracket(&self, mean: f64, side: Side) -> Option<(f64, f64)> {
        let bound = self.settings.min_effect.unwrap_or(0.0);
        let mut inside = mean;
        let mut landmarks = [-bound, 0.0, bound];
        // Nearest to the mean first.
        landmarks.sort_by(|left, right| (mean - left).abs().total_cmp(&(mean - right).abs()));
        for center in landmarks.into_iter().filter(|&center| side.sign() * (mean - center) > 0.0) {
            if self.excludes(center, &self.martingale_about(center), side) {
                return Some((inside, center));
            }
            inside = center;
        }
        if let Some(bound) = self.settings.bound {
            return Some((inside, -side.sign() * bound));
        }
        let steps =
            (0..DOUBLINGS).map(|step| mean - side.sign() * self.moments.standard_error() * f64::from(step).exp2());
        let last = inside;
        for center in steps.filter(|&center| side.sign() * (last - center) > 0.0) {
            if self.is_unlikely(center, &self.martingale_about(center), side) {
                return Some((inside, center));
            }
            inside = center;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sequence(effects: impl IntoIterator<Item = f64>, min_effect: Option<f64>) -> Sequence {
        let mut sequence =
            Sequence::new(SequenceSettings { alpha: 0.05, min_effect, bound: None, rare: None }).unwrap();
        effects.into_iter().for_each(|effect| sequence.push(effect));
        sequence
    }

    /// A deterministic sample around a mean, with standard deviation near 1.
    fn wave(mean: f64, cases: usize) -> impl Iterator<Item = f64> {
        (0..cases).map(move |case| mean + (case as f64 * 2.399).sin() * std::f64::consts::SQRT_2)
    }

    #[test]
    fn clear_effects_are_decided_on_their_side() {
        assert_eq!(sequence(wave(0.8, 60), None).decision(), Decision::Better);
        assert_eq!(sequence(wave(-0.8, 60), None).decision(), Decision::Worse);
        assert_eq!(sequence(wave(0.0, 200), None).decision(), Decision::Undecided);
        assert_eq!(sequence(wave(0.0, 200), Some(0.5)).decision(), Decision::Smaller);
        assert_eq!(sequence(wave(0.0, 200), Some(0.1)).decision(), Decision::Undecided);
    }

    #[test]
    fn the_interval_agrees_with_the_decision_at_every_look() {
        for mean in [0.0, 0.1, 0.45, -0.7] {
            let mut growing = sequence([], Some(0.4));
            for effect in wave(mean, 150) {
                growing.push(effect);
                let Some(interval) = growing.interval() else {
                    assert_eq!(growing.decision(), Decision::Undecided);
                    continue;
                };
                match growing.decision() {
                    Decision::Better => assert!(interval.low >= 0.0),
                    Decision::Worse => assert!(interval.high <= 0.0),
                    Decision::Smaller => assert!(interval.low >= -0.4 && interval.high <= 0.4),
                    Decision::Undecided => assert!(interval.contains(0.0), "{mean} {interval:?}"),
                }
            }
        }
    }

    #[test]
    fn the_interval_holds_the_mean_and_shrinks() {
        let widths = [30, 120, 480, 1_920].map(|cases| {
            let interval = sequence(wave(5.0, cases), None).interval().unwrap();
            assert!(interval.contains(5.0), "{cases} {interval:?}");
            interval.radius()
        });
        // By about half for four times the cases.
        assert!(widths.windows(2).all(|pair| pair[1] < 0.65 * pair[0]), "{widths:?}");
        assert!(widths[3] < 0.1, "{widths:?}");
    }

    #[test]
    fn the_unit_and_the_sides_do_not_matter() {
        let plain = sequence(wave(0.3, 90), Some(0.9)).interval().unwrap();
        let scaled = sequence(wave(0.3, 90).map(|effect| effect * -1e-6), Some(0.9e-6)).interval().unwrap();
        assert!((scaled.low * -1e6 - plain.high).abs() < 1e-6 && (scaled.high * -1e6 - plain.low).abs() < 1e-6);
    }

    #[test]
    fn identical_solvers_are_called_so_after_fifty_nine_cases_and_never_better() {
        assert_eq!(sequence(vec![0.0; 58], Some(0.001)).decision(), Decision::Undecided);
        assert_eq!(sequence(vec![0.0; 59], Some(0.001)).decision(), Decision::Smaller);
        assert_eq!(sequence(vec![0.0; 500], None).decision(), Decision::Undecided);
        assert_eq!(sequence(vec![0.0; 20], None).interval(), Some(Interval { low: 0.0, high: 0.0 }));
    }

    #[test]
    fn few_cases_decide_nothing_and_have_no_interval() {
        let few = sequence(wave(9.0, 9), Some(0.1));
        assert_eq!((few.decision(), few.interval()), (Decision::Undecided, None));
        assert_eq!(sequence([], None).interval(), None);
    }

    #[test]
    fn with_a_bound_the_interval_starts_as_everything_and_closes_in() {
        let bounded = |effects: &[f64], min_effect| {
            let mut sequence =
                Sequence::new(SequenceSettings { alpha: 0.05, min_effect, bound: Some(2.0), rare: None }).unwrap();
            effects.iter().for_each(|&effect| sequence.push(effect));
            sequence
        };
        assert_eq!(bounded(&[], None).interval(), Some(Interval { low: -2.0, high: 2.0 }));
        let widths = [10, 100, 1_000].map(|cases| {
            let effects: Vec<f64> = wave(0.4, cases).collect();
            let interval = bounded(&effects, None).interval().unwrap();
            assert!(interval.contains(Moments::of(&effects).mean()) && interval.low > -2.0 && interval.high < 2.0);
            interval.radius()
        });
        assert!(widths.windows(2).all(|pair| pair[1] < 0.6 * pair[0]), "{widths:?}");
        assert_eq!(bounded(&wave(0.4, 1_000).collect::<Vec<_>>(), None).decision(), Decision::Better);
        assert_eq!(bounded(&wave(-0.4, 1_000).collect::<Vec<_>>(), None).decision(), Decision::Worse);
        assert_eq!(bounded(&wave(0.0, 1_000).collect::<Vec<_>>(), Some(0.4)).decision(), Decision::Smaller);
        // Forty effects of the size of the bound say much, five hundred ties little.
        assert_eq!(bounded(&[2.0; 40], None).decision(), Decision::Better);
        assert_eq!(bounded(&[0.0; 500], Some(0.001)).decision(), Decision::Undecided);
    }

    #[test]
    fn with_a_bound_the_interval_agrees_with_the_decision() {
        for mean in [0.0, 0.3, -0.5] {
            let settings = SequenceSettings { alpha: 0.05, min_effect: Some(0.4), bound: Some(2.5), rare: None };
            let mut growing = Sequence::new(settings).unwrap();
            for (case, effect) in wave(mean, 400).enumerate() {
                growing.push(effect);
                if case % 8 != 0 {
                    continue;
                }
                let interval = growing.interval().unwrap();
                match growing.decision() {
                    Decision::Better => assert!(interval.low >= 0.0),
                    Decision::Worse => assert!(interval.high <= 0.0),
                    Decision::Smaller => assert!(interval.low >= -0.4 && interval.high <= 0.4),
                    Decision::Undecided => assert!(interval.contains(0.0), "{mean} {interval:?}"),
                }
            }
            assert_ne!(growing.decision(), Decision::Undecided);
        }
    }

    #[test]
    fn rare_effects_get_the_chance_to_show() {
        // 0.95^71 = 0.0262, 0.95^72 = 0.0249.
        let rare = |cases| {
            let settings = SequenceSettings { alpha: 0.05, min_effect: None, bound: None, rare: Some(0.05) };
            let mut sequence = Sequence::new(settings).unwrap();
            wave(0.8, cases).for_each(|effect| sequence.push(effect));
            (sequence.decision(), sequence.interval().is_some_and(|interval| interval.contains(0.0)))
        };
        assert_eq!(rare(71), (Decision::Undecided, true));
        assert_eq!(rare(72), (Decision::Better, false));
    }

    #[test]
    fn useless_settings_are_refused() {
        let with =
            |alpha, min_effect| Sequence::new(SequenceSettings { alpha, min_effect, bound: None, rare: None }).err();
        assert_eq!(with(0.0, None), Some(InvalidSettings::Alpha(0.0)));
        assert_eq!(with(0.5, None), Some(InvalidSettings::Alpha(0.5)));
        assert!(matches!(with(f64::NAN, None), Some(InvalidSettings::Alpha(_))));
        assert_eq!(with(0.05, Some(-1.0)), Some(InvalidSettings::MinEffect(-1.0)));
        assert_eq!(with(0.05, Some(0.0)), Some(InvalidSettings::MinEffect(0.0)));
        let settings = SequenceSettings { alpha: 0.05, min_effect: None, bound: Some(f64::INFINITY), rare: None };
        assert_eq!(Sequence::new(settings).err(), Some(InvalidSettings::Bound(f64::INFINITY)));
        let settings = SequenceSettings { alpha: 0.05, min_effect: None, bound: None, rare: Some(0.0) };
        assert_eq!(Sequence::new(settings).err(), Some(InvalidSettings::Rare(0.0)));
    }
}
