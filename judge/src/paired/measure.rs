//! The measure of effects, and the smallest effect that matters.

use crate::model::{Percent, UnitError};
use crate::statistics::ScoreMeasure;
use checkers::Score;
use std::fmt;
use std::str::FromStr;

/// The default of the smallest effect that matters, for measures that are shares.
const DEFAULT_SHARE: f64 = 0.001;

/// The measure of effects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EffectMeasure {
    /// The logarithm of the scores' ratio, shown as a percentage.
    Ratio,
    /// The difference of the scores.
    Difference,
    /// The difference over the larger score, shown as a percentage.
    Relative,
    /// The difference of the points that the problem's scoring rule gives.
    Points,
}

/// The smallest effect that matters, as the user wrote it.
#[derive(Debug, Clone, PartialEq)]
pub enum MinEffect {
    /// `0.1%`.
    Share(Percent),
    /// `25`: in scores or points.
    Amount(f64),
}

/// A smallest effect in the wrong unit.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum UnsuitedMinEffect {
    /// A number where a percentage is meant.
    #[error("effects measured by `{measure}` are percentages: write --min-effect as a percentage, such as 0.1%")]
    Amount {
        /// Their measure.
        measure: EffectMeasure,
    },
    /// A percentage where a number is meant.
    #[error("effects measured by `{measure}` are not percentages: write --min-effect as a number, such as 10")]
    Share {
        /// Their measure.
        measure: EffectMeasure,
    },
}

impl FromStr for MinEffect {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        match text.trim().parse::<f64>() {
            Ok(amount) if amount.is_finite() && amount > 0.0 => Ok(Self::Amount(amount)),
            _ => text.parse().map(Self::Share),
        }
    }
}

impl EffectMeasure {
    /// All measures.
    pub const ALL: [Self; 4] = [Self::Ratio, Self::Difference, Self::Relative, Self::Points];

    /// Returns the measure that suits these scores: the ratio if all are positive, else the difference; or the relative
    /// difference if the smallest effect that matters is given as a percentage.
    #[must_use]
    pub fn suited_to<'a>(scores: impl Iterator<Item = &'a Score>, min_effect: Option<&MinEffect>) -> Self {
        match (ScoreMeasure::suited_to(scores), min_effect) {
            (_, Some(MinEffect::Amount(_))) => Self::Difference,
            (ScoreMeasure::Difference, None) => Self::Difference,
            (ScoreMeasure::Difference, Some(MinEffect::Share(_))) => Self::Relative,
            (ScoreMeasure::LogRatio | ScoreMeasure::Relative, _) => Self::Ratio,
        }
    }

    /// Returns the smallest effect that matters, on the scale of the effects: 0.1 % by default for shares.
    ///
    /// # Errors
    /// A percentage for a measure that is no share, or the reverse.
    pub fn min_effect(self, given: Option<&MinEffect>) -> Result<Option<f64>, UnsuitedMinEffect> {
        match given {
            None => Ok(self.is_share().then(|| self.of_share(DEFAULT_SHARE))),
            Some(MinEffect::Share(share)) if self.is_share() => Ok(Some(self.of_share(share.share()))),
            Some(MinEffect::Amount(amount)) if !self.is_share() => Ok(Some(*amount)),
            Some(MinEffect::Share(_)) => Err(UnsuitedMinEffect::Share { measure: self }),
            Some(MinEffect::Amount(_)) => Err(UnsuitedMinEffect::Amount { measure: self }),
        }
    }

    /// Returns whether effects are shown as percentages.
    #[must_use]
    pub fn is_share(self) -> bool {
        matches!(self, Self::Ratio | Self::Relative)
    }

    /// Returns the effect that is shown as this share.
    #[must_use]
    pub fn of_share(self, share: f64) -> f64 {
        if self == Self::Ratio { share.ln_1p() } else { share }
    }

    /// Returns the number that is shown for an effect: percent for shares, else the effect itself.
    #[must_use]
    pub fn shown(self, effect: f64) -> f64 {
        match self {
            Self::Ratio => effect.exp_m1() * 100.0,
            Self::Relative => effect * 100.0,
            Self::Difference | Self::Points => effect,
        }
    }

    /// Returns the measure between scores; `None` for points.
    #[must_use]
    pub fn score_measure(self) -> Option<ScoreMeasure> {
        match self {
            Self::Ratio => Some(ScoreMeasure::LogRatio),
            Self::Difference => Some(ScoreMeasure::Difference),
            Self::Relative => Some(ScoreMeasure::Relative),
            Self::Points => None,
        }
    }

    /// Returns the name, as `--measure` takes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ratio => "ratio",
            Self::Difference => "difference",
            Self::Relative => "relative",
            Self::Points => "points",
        }
    }
}

impl fmt::Display for EffectMeasure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suited(scores: &[i64], min_effect: Option<&str>) -> EffectMeasure {
        let scores: Vec<Score> = scores.iter().map(|&score| Score::from(score)).collect();
        EffectMeasure::suited_to(scores.iter(), min_effect.map(|text| text.parse().unwrap()).as_ref())
    }

    #[test]
    fn scores_and_the_smallest_effect_choose_the_measure() {
        assert_eq!(suited(&[1, 5], None), EffectMeasure::Ratio);
        assert_eq!(suited(&[1, 0], None), EffectMeasure::Difference);
        assert_eq!(suited(&[1, 0], Some("1%")), EffectMeasure::Relative);
        assert_eq!(suited(&[1, 5], Some("10")), EffectMeasure::Difference);
    }

    #[test]
    fn the_smallest_effect_must_fit_the_measure() {
        let share = "10%".parse().unwrap();
        let amount = "10".parse().unwrap();
        assert_eq!(EffectMeasure::Ratio.min_effect(Some(&share)), Ok(Some(0.1_f64.ln_1p())));
        assert_eq!(EffectMeasure::Points.min_effect(Some(&amount)), Ok(Some(10.0)));
        assert_eq!(EffectMeasure::Points.min_effect(None), Ok(None));
        assert!(EffectMeasure::Difference.min_effect(Some(&share)).is_err());
        assert!(EffectMeasure::Relative.min_effect(Some(&amount)).is_err());
        for text in ["0", "-1", "inf", "NaN", "x"] {
            assert!(text.parse::<MinEffect>().is_err(), "{text}");
        }
    }
}
