//! The hypotheses of a likelihood ratio test, as the user writes them and on the scale of the effects.

use super::EffectMeasure;
use judge_problem::Rule;
use num_traits::ToPrimitive;
use std::fmt;
use std::str::FromStr;

/// A mean effect as the user wrote it; it may be 0 or negative.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum EffectLevel {
    /// `0.5%`, as a share: of the scores, the total, or the most points of a case.
    Share(f64),
    /// `25`: in scores or points. 0 is one in every unit.
    Amount(f64),
}

/// A mean effect that is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a percentage such as 0.5% or -1%, or a number")]
pub struct InvalidLevel;

/// Hypotheses that do not fit each other, or the measure of the effects.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum UnsuitedHypotheses {
    /// H0 is not below H1.
    #[error("--h0 {h0} must be below --h1 {h1}")]
    Order {
        /// H0.
        h0: EffectLevel,
        /// H1.
        h1: EffectLevel,
    },
    /// One is a percentage and the other a number.
    #[error("--h0 {h0} and --h1 {h1} must both be percentages or both be numbers")]
    Units {
        /// H0.
        h0: EffectLevel,
        /// H1.
        h1: EffectLevel,
    },
    /// A number where a percentage is meant.
    #[error("effects measured by `{measure}` are percentages: write --h0 and --h1 as percentages, such as 0% and 1%")]
    Amount {
        /// Their measure.
        measure: EffectMeasure,
    },
    /// A percentage where a number is meant.
    #[error(
        "effects measured by `{measure}` are not percentages here: write --h0 and --h1 as numbers, such as 0 and 10"
    )]
    Share {
        /// Their measure.
        measure: EffectMeasure,
    },
    /// A ratio of 0 or less.
    #[error("no ratio is as small as {level}: it must be above -100%")]
    NoRatio {
        /// What was written.
        level: EffectLevel,
    },
}

impl FromStr for EffectLevel {
    type Err = InvalidLevel;

    fn from_str(text: &str) -> Result<Self, InvalidLevel> {
        let number =
            |text: &str| text.trim().parse().ok().filter(|number: &f64| number.is_finite()).ok_or(InvalidLevel);
        match text.trim().strip_suffix('%') {
            Some(percent) => Ok(Self::Share(number(percent)? / 100.0)),
            None => number(text).map(Self::Amount),
        }
    }
}

impl fmt::Display for EffectLevel {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Without the digits that the division added.
            Self::Share(share) => write!(formatter, "{}%", (share * 1e11).round() / 1e9),
            Self::Amount(amount) => write!(formatter, "{amount}"),
        }
    }
}

impl EffectLevel {
    fn number(self) -> f64 {
        match self {
            Self::Share(number) | Self::Amount(number) => number,
        }
    }

    /// Returns whether it is a number other than 0, which is one in every unit.
    #[must_use]
    pub fn is_amount(self) -> bool {
        matches!(self, Self::Amount(amount) if amount != 0.0)
    }
}

/// Checks that H0 is below H1, in the same unit.
///
/// # Errors
/// It is not.
pub fn check_hypotheses(h0: EffectLevel, h1: EffectLevel) -> Result<(), UnsuitedHypotheses> {
    let is_share = |level: EffectLevel| matches!(level, EffectLevel::Share(share) if share != 0.0);
    if h0.is_amount() && is_share(h1) || is_share(h0) && h1.is_amount() {
        return Err(UnsuitedHypotheses::Units { h0, h1 });
    }
    if h0.number() < h1.number() { Ok(()) } else { Err(UnsuitedHypotheses::Order { h0, h1 }) }
}

impl EffectMeasure {
    /// Returns a mean effect on the scale of the effects.
    ///
    /// # Errors
    /// A percentage for a measure that is no share, the reverse, or a ratio that is not above 0.
    pub fn level(self, rule: &Rule, level: EffectLevel) -> Result<f64, UnsuitedHypotheses> {
        let most = rule.most_points().and_then(|most| most.to_f64()).filter(|_| self == Self::Points);
        match level {
            EffectLevel::Amount(amount) if amount == 0.0 || !self.is_share() => Ok(amount),
            EffectLevel::Amount(_) => Err(UnsuitedHypotheses::Amount { measure: self }),
            EffectLevel::Share(share) if self == Self::Ratio && share <= -1.0 => {
                Err(UnsuitedHypotheses::NoRatio { level })
            }
            EffectLevel::Share(share) if self.is_share() => Ok(self.of_share(share)),
            EffectLevel::Share(share) => {
                let of_most = most.map(|most| share * most).or((share == 0.0).then_some(0.0));
                of_most.ok_or(UnsuitedHypotheses::Share { measure: self })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(text: &str) -> EffectLevel {
        text.parse().unwrap()
    }

    #[test]
    fn levels_are_percentages_or_numbers_of_any_sign() {
        assert_eq!((level("0.5%"), level("-1 %")), (EffectLevel::Share(0.005), EffectLevel::Share(-0.01)));
        assert_eq!((level("0"), level("-25")), (EffectLevel::Amount(0.0), EffectLevel::Amount(-25.0)));
        assert_eq!((level("0.7%").to_string(), level("-25").to_string()), ("0.7%".to_owned(), "-25".to_owned()));
        for text in ["", "%", "x", "inf", "nan%"] {
            assert_eq!(text.parse::<EffectLevel>(), Err(InvalidLevel), "{text}");
        }
    }

    #[test]
    fn h0_is_below_h1_in_the_same_unit() {
        let check = |h0, h1| check_hypotheses(level(h0), level(h1)).map_err(|error| error.to_string());
        assert_eq!((check("0", "1%"), check("-3", "0"), check("-1%", "0.5%")), (Ok(()), Ok(()), Ok(())));
        assert_eq!(check("1%", "1%"), Err("--h0 1% must be below --h1 1%".to_owned()));
        assert!(
            check("2", "0").is_err() && check("0%", "0").is_err() && check("1", "5%").unwrap_err().contains("both")
        );
    }

    #[test]
    fn levels_are_on_the_scale_of_the_measure() {
        let relative: Rule = "relative".parse().unwrap();
        let on = |measure: EffectMeasure, rule: &Rule, text| measure.level(rule, level(text));
        assert_eq!(on(EffectMeasure::Ratio, &Rule::Sum, "1%"), Ok(0.01_f64.ln_1p()));
        assert_eq!(on(EffectMeasure::Total, &Rule::Sum, "-1%"), Ok(-0.01));
        assert_eq!(on(EffectMeasure::Total, &Rule::Sum, "0"), Ok(0.0));
        assert_eq!(on(EffectMeasure::Points, &relative, "1%"), Ok(10_000.0));
        assert_eq!(on(EffectMeasure::Difference, &Rule::Sum, "-4"), Ok(-4.0));
        assert!(on(EffectMeasure::Total, &Rule::Sum, "3").is_err());
        assert!(on(EffectMeasure::Difference, &Rule::Sum, "3%").is_err());
        assert!(on(EffectMeasure::Ratio, &Rule::Sum, "-100%").is_err());
    }
}
