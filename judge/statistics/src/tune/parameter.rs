//! Parameters, as given on the command line.

use std::fmt;
use std::str::FromStr;

/// A parameter of a solver.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// The name between the braces of the command line.
    pub name: String,
    /// The values that it can have.
    pub domain: Domain,
    /// When it has an effect; `None` for always.
    pub condition: Option<ParameterCondition>,
}

/// The values that a parameter can have.
#[derive(Debug, Clone, PartialEq)]
pub enum Domain {
    /// The numbers between two ends, ends included.
    Range {
        /// The smallest value.
        low: f64,
        /// The largest value.
        high: f64,
        /// Whether values spread evenly in the logarithm, as is right for factors and rates.
        is_log: bool,
        /// Whether only whole numbers count.
        is_whole: bool,
    },
    /// One of these, in no order.
    Categories(Vec<String>),
}

/// When a parameter has an effect: only while a category has one of these values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParameterCondition {
    /// The name of the category.
    pub name: String,
    /// Its values.
    pub values: Vec<String>,
}

/// A parameter that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidParameter {
    /// Invalid syntax.
    #[error(
        "expected NAME=LOW..HIGH, with :log, :int or :int:log after it, or NAME={{A,B,C}}; after either, ` if OTHER=VALUE`"
    )]
    Form,
    /// A single category, as a shell leaves it that expands braces.
    #[error("a category needs at least two values: write it in quotes, such as 'k={{greedy,beam}}'")]
    OneCategory,
    /// A category twice.
    #[error("the category `{0}` is given twice")]
    RepeatedCategory(String),
    /// The ends are not in order, or not finite.
    #[error("the low end must be below the high end")]
    Order,
    /// A logarithm needs positive ends.
    #[error("a logarithmic range must lie above 0")]
    NotPositive,
    /// The ends of a range of whole numbers are not whole, or beyond 2^53.
    #[error("the ends of a range of whole numbers must be whole numbers below 2^53 = 9007199254740992")]
    NotWhole,
}

impl FromStr for Parameter {
    type Err = InvalidParameter;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (body, condition) = match text.split_once(" if ") {
            Some((body, condition)) => (body, Some(condition.parse()?)),
            None => (text, None),
        };
        let is_name = |name: &str| !name.is_empty() && !name.contains([' ', '{', '}', ',']);
        let (name, domain) = body.trim().split_once('=').ok_or(InvalidParameter::Form)?;
        let name = Some(name.trim()).filter(|name| is_name(name)).ok_or(InvalidParameter::Form)?;
        Ok(Self { name: name.to_owned(), domain: domain.trim().parse()?, condition })
    }
}

impl FromStr for ParameterCondition {
    type Err = InvalidParameter;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, values) = text.trim().split_once('=').ok_or(InvalidParameter::Form)?;
        let values: Vec<String> = values.split('|').map(|value| value.trim().to_owned()).collect();
        let is_complete = !name.trim().is_empty() && values.iter().all(|value| !value.is_empty());
        is_complete.then(|| Self { name: name.trim().to_owned(), values }).ok_or(InvalidParameter::Form)
    }
}

impl FromStr for Domain {
    type Err = InvalidParameter;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Some(braced) = text.strip_prefix('{') {
            return categories(braced.strip_suffix('}').ok_or(InvalidParameter::Form)?);
        }
        let mut parts = text.split(':');
        let Some((low, high)) = parts.next().and_then(ends) else { return categories(text) };
        let (low, high): (f64, f64) = low.parse().ok().zip(high.parse().ok()).ok_or(InvalidParameter::Form)?;
        let (mut is_log, mut is_whole) = (false, false);
        for suffix in parts {
            match suffix {
                "log" if !is_log => is_log = true,
                "int" if !is_whole => is_whole = true,
                _ => return Err(InvalidParameter::Form),
            }
        }
        let whole = |end: f64| end.fract() == 0.0 && end.abs() < (1_u64 << 53) as f64;
        if !(low < high && (high - low).is_finite()) {
            Err(InvalidParameter::Order)
        } else if is_log && low <= 0.0 {
            Err(InvalidParameter::NotPositive)
        } else if is_whole && !(whole(low) && whole(high)) {
            Err(InvalidParameter::NotWhole)
        } else {
            Ok(Self::Range { low, high, is_log, is_whole })
        }
    }
}

/// Returns the ends of a range: `1..2`, or `1-2`.
fn ends(text: &str) -> Option<(&str, &str)> {
    let is_number = |text: &str| text.parse::<f64>().is_ok();
    let dashes = text.match_indices('-').map(|(place, dash)| (&text[..place], &text[place + dash.len()..]));
    text.split_once("..").or_else(|| dashes.into_iter().find(|(low, high)| is_number(low) && is_number(high)))
}

fn categories(text: &str) -> Result<Domain, InvalidParameter> {
    let values: Vec<String> = text.split(',').map(|value| value.trim().to_owned()).collect();
    if values.iter().any(|value| value.is_empty() || value.contains(['{', '}'])) {
        return Err(InvalidParameter::Form);
    }
    if let Some((_, repeated)) = values.iter().enumerate().find(|(place, value)| values[..*place].contains(value)) {
        return Err(InvalidParameter::RepeatedCategory(repeated.clone()));
    }
    if values.len() < 2 { Err(InvalidParameter::OneCategory) } else { Ok(Domain::Categories(values)) }
}

impl fmt::Display for Domain {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Categories(values) => write!(formatter, "{{{}}}", values.join(",")),
            Self::Range { low, high, is_log, is_whole } => {
                let suffixes =
                    [(*is_whole, ":int"), (*is_log, ":log")].map(|(has, suffix)| if has { suffix } else { "" });
                write!(formatter, "{low}..{high}{}", suffixes.concat())
            }
        }
    }
}

impl Domain {
    /// Returns whether the values have no order.
    pub fn is_category(&self) -> bool {
        matches!(self, Self::Categories(_))
    }

    /// Returns whether the values are whole numbers.
    pub fn is_whole(&self) -> bool {
        matches!(self, Self::Range { is_whole: true, .. })
    }

    /// Returns the value at this share, from 0 to 1, of the domain.
    pub fn at(&self, share: f64) -> String {
        let share = share.clamp(0.0, 1.0);
        let part = |count: usize| ((share * count as f64) as usize).min(count - 1);
        match self {
            Self::Categories(values) => values[part(values.len())].clone(),
            Self::Range { low, high, is_log, is_whole: false } => {
                // The ratio of the ends may be beyond the numbers.
                let log = |share: f64| low.powf(1.0 - share) * high.powf(share);
                let value = if *is_log { log(share) } else { low + share * (high - low) };
                short(value, *low, *high)
            }
            Self::Range { low, high, is_log, is_whole: true } => {
                // Each whole number has the part of the range that is rounded to it.
                let (start, end) = (low - 0.5, high + 0.5);
                let value = if *is_log { start * (end / start).powf(share) } else { start + share * (end - start) };
                // The sum turns -0 into 0.
                format!("{:.0}", value.round().clamp(*low, *high) + 0.0)
            }
        }
    }

    /// Returns the share at which a value lies: in the middle of its part, if it has one. `None` if the domain does not
    /// contain it.
    pub fn share(&self, value: &str) -> Option<f64> {
        let (low, high, is_log, is_whole) = match self {
            Self::Categories(values) => {
                let place = values.iter().position(|other| other == value)?;
                return Some((place as f64 + 0.5) / values.len() as f64);
            }
            Self::Range { low, high, is_log, is_whole } => (*low, *high, *is_log, *is_whole),
        };
        let number: f64 = value.parse().ok()?;
        // A program gets the text: a whole number has no decimal point and no exponent.
        if !(low..=high).contains(&number) || is_whole && value.parse::<i64>().is_err() {
            return None;
        }
        let (low, high) = if is_whole { (low - 0.5, high + 0.5) } else { (low, high) };
        let (number, low, high) = if is_log { (number.ln(), low.ln(), high.ln()) } else { (number, low, high) };
        let share = (number - low) / (high - low);
        Some(share.clamp(0.0, 1.0))
    }

    /// Returns the number of values; `None` for a range of any numbers.
    pub(super) fn count(&self) -> Option<usize> {
        match self {
            Self::Categories(values) => Some(values.len()),
            Self::Range { low, high, is_whole: true, .. } => Some((high - low) as usize + 1),
            Self::Range { .. } => None,
        }
    }

    /// Returns the share of a value by its number, from 0, where values can be counted.
    pub(super) fn share_of(&self, number: usize) -> f64 {
        match self {
            Self::Categories(values) => (number as f64 + 0.5) / values.len() as f64,
            Self::Range { low, .. } => self.share(&format!("{:.0}", low + number as f64)).unwrap_or(0.0),
        }
    }

    /// Returns the default value of a parameter: the first category, or the middle of the range on its scale.
    pub fn middle(&self) -> String {
        if self.is_category() { self.at(0.0) } else { self.at(0.5) }
    }
}

/// A range whose width is a smaller share of its values needs more digits.
const NARROW: f64 = 1e-3;

/// Writes a value of a range with six significant digits, of the range's width if that is narrow. It is never written in
/// exponential form, because few argument parsers read that.
fn short(value: f64, low: f64, high: f64) -> String {
    let width = high - low;
    let text = if width < NARROW * value.abs() {
        let decimals = (5.0 - width.log10().floor()).max(0.0) as usize;
        format!("{value:.decimals$}")
    } else {
        format!("{value:.5e}")
    };
    let rounded: f64 = text.parse().unwrap_or(value);
    // The sum turns -0 into 0.
    (rounded.clamp(low, high) + 0.0).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameter(text: &str) -> Parameter {
        text.parse().unwrap()
    }

    #[test]
    fn the_forms_are_read() {
        let range = |low, high, is_log, is_whole| Domain::Range { low, high, is_log, is_whole };
        assert_eq!(parameter("t=0.1..10:log").domain, range(0.1, 10.0, true, false));
        assert_eq!(parameter("w=-3..4").domain, range(-3.0, 4.0, false, false));
        assert_eq!(parameter("n=1-2").domain, range(1.0, 2.0, false, false));
        assert_eq!(parameter("w=-3--1:int").domain, range(-3.0, -1.0, false, true));
        assert_eq!(parameter("t=1e-3-1e-1:log").domain, range(1e-3, 1e-1, true, false));
        assert!(parameter("k=1-2,3-4").domain.is_category());
        assert_eq!(parameter("depth=1..9:int").domain, range(1.0, 9.0, false, true));
        assert_eq!(parameter("n=1..64:log:int"), parameter("n=1..64:int:log"));
        let categories = |values: &[&str]| Domain::Categories(values.iter().map(|&value| value.to_owned()).collect());
        assert_eq!(parameter("k={greedy,beam,sa}").domain, categories(&["greedy", "beam", "sa"]));
        assert_eq!(parameter("k=on,off").domain, categories(&["on", "off"]));
        let conditional = parameter("beam=1..100:int:log if k=beam|sa");
        let values = vec!["beam".to_owned(), "sa".to_owned()];
        assert_eq!(conditional.condition, Some(ParameterCondition { name: "k".to_owned(), values }));
        assert_eq!((conditional.name.as_str(), conditional.domain.to_string().as_str()), ("beam", "1..100:int:log"));
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        let error = |text: &str| text.parse::<Parameter>().unwrap_err();
        for text in [
            "t",
            "=1..2",
            "t=1..x",
            "t=1..2:cubic",
            "t=1..2:log:log",
            "k={a,b",
            "k={a,,b}",
            "t=1..2 if k",
            "t=1..2 if k=a|",
        ] {
            assert_eq!(error(text), InvalidParameter::Form, "{text}");
        }
        assert_eq!(error("k=greedy"), InvalidParameter::OneCategory);
        assert_eq!(error("k={a,b,a}"), InvalidParameter::RepeatedCategory("a".to_owned()));
        for text in ["t=2..1", "t=1..inf", "t=NaN..1"] {
            assert_eq!(error(text), InvalidParameter::Order, "{text}");
        }
        assert_eq!(error("t=0..1:log"), InvalidParameter::NotPositive);
        assert_eq!(error("t=1..2.5:int"), InvalidParameter::NotWhole);
    }

    #[test]
    fn shares_reach_both_ends_on_every_scale() {
        let at = |text: &str, share: f64| parameter(text).domain.at(share);
        assert_eq!([0.0, 0.5, 1.0].map(|share| at("t=0.1..10:log", share)), ["0.1", "1", "10"]);
        assert_eq!([0.0, 0.34, 0.67, 1.0].map(|share| at("d=1..3:int", share)), ["1", "2", "3", "3"]);
        assert_eq!([0.0, 0.5, 1.0].map(|share| at("d=1..100:int:log", share)), ["1", "7", "100"]);
        assert_eq!([0.0, 0.4, 1.0].map(|share| at("k=a,b,c", share)), ["a", "b", "c"]);
        assert_eq!(at("w=-1..1", 1.0 / 3.0), "-0.333333");
        assert_eq!(at("w=0.0000001..1:log", 0.0), "0.0000001");
    }

    #[test]
    fn narrow_ranges_have_many_values_inside_them() {
        for (text, expected) in [
            ("t=1000001..1000002", ["1000001", "1000001.25", "1000001.33333", "1000002"]),
            ("t=2020.123..2020.456", ["2020.123", "2020.20625", "2020.234", "2020.456"]),
            ("t=-0..1", ["0", "0.25", "0.333333", "1"]),
        ] {
            let domain = parameter(text).domain;
            assert_eq!([0.0, 0.25, 1.0 / 3.0, 1.0].map(|share| domain.at(share)), expected, "{text}");
        }
    }

    #[test]
    fn whole_numbers_around_0_have_one_0() {
        let domain = parameter("t=-3..3:int").domain;
        let mut values: Vec<String> = (0..=1_000).map(|part| domain.at(f64::from(part) / 1_000.0)).collect();
        values.dedup();
        assert_eq!(values, ["-3", "-2", "-1", "0", "1", "2", "3"]);
    }

    #[test]
    fn a_value_stands_at_its_share() {
        for text in ["t=0.1..10:log", "t=1e-300..1e300:log", "w=-3..4", "d=1..9:int", "n=1..64:int:log", "k=a,b,c"] {
            let domain = parameter(text).domain;
            for part in 0..=20 {
                let value = domain.at(f64::from(part) / 20.0);
                assert_eq!(domain.at(domain.share(&value).unwrap()), value, "{text}");
            }
            assert_eq!(domain.share("1e301"), None);
        }
        for text in ["2.5", "2.0", "2e0"] {
            assert_eq!(parameter("d=1..9:int").domain.share(text), None);
        }
        assert_eq!(
            ["k=a,b", "d=1..9:int", "t=0.1..10:log"].map(|text| parameter(text).domain.middle()),
            ["a", "5", "1"]
        );
    }
}
