//! Parameters, as given on the command line, and settings spread evenly over them.

use crate::statistics::Random;
use std::str::FromStr;

/// The distribution of values between the ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Evenly.
    Linear,
    /// Evenly in the logarithm: for factors and rates.
    Log,
    /// Evenly over the whole numbers, ends included.
    Integer,
}

/// A parameter of a solver, and its range.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// The name between the braces of the command line.
    pub name: String,
    /// The smallest value.
    pub low: f64,
    /// The largest value.
    pub high: f64,
    /// The spread between them.
    pub scale: Scale,
}

/// A parameter that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidParameter {
    /// Invalid syntax.
    #[error("{0:?} is not NAME=LOW..HIGH, NAME=LOW..HIGH:log or NAME=LOW..HIGH:int")]
    Form(String),
    /// The ends are not in order, or not finite.
    #[error("{0:?}: the low end must be below the high end")]
    Order(String),
    /// A logarithm needs positive ends.
    #[error("{0:?}: a logarithmic range must lie above 0")]
    NotPositive(String),
    /// The ends of a range of whole numbers are not whole, or beyond 2^53.
    #[error("{0:?}: the ends of a range of whole numbers must be whole numbers")]
    NotWhole(String),
}

/// A value for each parameter, as text for the command line, in the order of the parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParameterSetting {
    /// The values.
    pub values: Vec<String>,
}

impl ParameterSetting {
    /// Returns the setting in words, such as `t=0.5 n=3`.
    #[must_use]
    pub fn words(&self, parameters: &[Parameter]) -> String {
        let pairs = parameters.iter().zip(&self.values).map(|(parameter, value)| format!("{}={value}", parameter.name));
        pairs.collect::<Vec<_>>().join(" ")
    }
}

impl FromStr for Parameter {
    type Err = InvalidParameter;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let form = || InvalidParameter::Form(text.to_owned());
        let (name, range) = text.split_once('=').filter(|(name, _)| !name.is_empty()).ok_or_else(form)?;
        let (ends, scale) = match range.rsplit_once(':') {
            None => (range, Scale::Linear),
            Some((ends, "log")) => (ends, Scale::Log),
            Some((ends, "int")) => (ends, Scale::Integer),
            Some(_) => return Err(form()),
        };
        let (low, high) = ends.split_once("..").ok_or_else(form)?;
        let (low, high): (f64, f64) = low.parse().ok().zip(high.parse().ok()).ok_or_else(form)?;
        if !(low < high && (high - low).is_finite()) {
            return Err(InvalidParameter::Order(text.to_owned()));
        }
        let is_whole = |end: f64| end.fract() == 0.0 && end.abs() < (1_u64 << 53) as f64;
        match scale {
            Scale::Log if low <= 0.0 => Err(InvalidParameter::NotPositive(text.to_owned())),
            Scale::Integer if !is_whole(low) || !is_whole(high) => Err(InvalidParameter::NotWhole(text.to_owned())),
            Scale::Linear | Scale::Log | Scale::Integer => Ok(Self { name: name.to_owned(), low, high, scale }),
        }
    }
}

impl Parameter {
    /// Returns the part of the range around a value, as wide as this share of the whole on the scale of the range. It
    /// keeps its width at the ends of the range, and a range of whole numbers keeps at least two.
    #[must_use]
    pub fn around(&self, value: &str, share: f64) -> Self {
        let scaled = |value: f64| if self.scale == Scale::Log { value.ln() } else { value };
        let (low, high) = (scaled(self.low), scaled(self.high));
        let center = scaled(value.parse().unwrap_or(f64::midpoint(self.low, self.high)));
        let width = (high - low) * share;
        let start = (center - width / 2.0).clamp(low, high - width);
        let (start, end) = (start, start + width);
        let (low, high) = match self.scale {
            Scale::Linear => (start, end),
            Scale::Log => (start.exp(), end.exp()),
            Scale::Integer => (start.floor().max(self.low), end.ceil().min(self.high)),
        };
        Self { low, high, ..self.clone() }
    }

    /// Returns the value at this share, from 0 to 1, of the range.
    fn at(&self, share: f64) -> String {
        match self.scale {
            Scale::Linear => short(self.low + share * (self.high - self.low)),
            Scale::Log => short(self.low * (self.high / self.low).powf(share)),
            Scale::Integer => {
                let steps = (share * (self.high - self.low + 1.0)).floor();
                format!("{:.0}", (self.low + steps).min(self.high))
            }
        }
    }
}

/// Returns the text with each name in braces replaced by the value of the parameter.
#[must_use]
pub fn fill(text: &str, parameters: &[Parameter], values: &[String]) -> String {
    let pairs = parameters.iter().zip(values);
    pairs.fold(text.to_owned(), |text, (parameter, value)| text.replace(&format!("{{{}}}", parameter.name), value))
}

/// Writes six significant digits, never in exponential form, which few argument parsers read.
fn short(value: f64) -> String {
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    rounded.to_string()
}

/// Returns `count` settings as a Latin hypercube: every parameter takes one value from each of `count` equal parts of
/// its range, in an order shuffled for each. The same seed gives the same settings.
#[must_use]
pub fn settings(parameters: &[Parameter], count: usize, seed: u64) -> Vec<ParameterSetting> {
    let mut random = Random::new(seed);
    let columns: Vec<Vec<String>> = parameters.iter().map(|parameter| column(parameter, count, &mut random)).collect();
    (0..count)
        .map(|row| ParameterSetting { values: columns.iter().map(|column| column[row].clone()).collect() })
        .collect()
}

fn column(parameter: &Parameter, count: usize, random: &mut Random) -> Vec<String> {
    let shares = (0..count).map(|part| (part as f64 + random.unit()) / count as f64).collect::<Vec<_>>();
    let mut values: Vec<String> = shares.into_iter().map(|share| parameter.at(share)).collect();
    // Fisher and Yates' shuffle.
    for last in (1..count).rev() {
        values.swap(last, random.below(last + 1));
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameter(text: &str) -> Parameter {
        text.parse().unwrap()
    }

    #[test]
    fn a_closer_look_stays_in_the_range_and_keeps_the_scale() {
        let log = parameter("t=0.1..10:log").around("1", 0.5);
        assert!((log.low - 0.316).abs() < 1e-3 && (log.high - 3.162).abs() < 1e-3, "{log:?}");
        let linear = parameter("w=0..8").around("8", 0.5);
        assert_eq!((linear.low, linear.high), (4.0, 8.0));
        let integer = parameter("n=1..9:int").around("1", 0.5);
        assert_eq!((integer.low, integer.high, integer.scale), (1.0, 5.0, Scale::Integer));
        let smallest = parameter("n=1..2:int").around("2", 0.5);
        assert_eq!((smallest.low, smallest.high), (1.0, 2.0));
    }

    #[test]
    fn values_stand_where_their_names_stood() {
        let parameters = [parameter("t=0..1"), parameter("n=1..2:int")];
        let values = ["0.5".to_owned(), "2".to_owned()];
        assert_eq!(fill("./bot -n{n} --t={t} {n} {x}", &parameters, &values), "./bot -n2 --t=0.5 2 {x}");
    }

    #[test]
    fn the_forms_are_read() {
        let expected = Parameter { name: "t".to_owned(), low: 0.1, high: 10.0, scale: Scale::Log };
        assert_eq!(parameter("t=0.1..10:log"), expected);
        assert_eq!(parameter("w=-3..4").scale, Scale::Linear);
        assert_eq!(parameter("depth=1..9:int").scale, Scale::Integer);
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        let error = |text: &str| text.parse::<Parameter>().unwrap_err();
        let owned = str::to_owned;
        for text in ["t", "=1..2", "t=1", "t=1..x", "t=1..2:cubic"] {
            assert_eq!(error(text), InvalidParameter::Form(owned(text)));
        }
        assert_eq!(error("t=2..1"), InvalidParameter::Order(owned("t=2..1")));
        assert_eq!(error("t=1..inf"), InvalidParameter::Order(owned("t=1..inf")));
        assert_eq!(error("t=NaN..1"), InvalidParameter::Order(owned("t=NaN..1")));
        assert_eq!(error("t=0..1:log"), InvalidParameter::NotPositive(owned("t=0..1:log")));
        assert_eq!(error("t=1..2.5:int"), InvalidParameter::NotWhole(owned("t=1..2.5:int")));
    }

    #[test]
    fn shares_reach_both_ends_on_every_scale() {
        let log = parameter("t=0.1..10:log");
        assert_eq!([log.at(0.0), log.at(0.5), log.at(1.0)], ["0.1", "1", "10"]);
        let whole = parameter("d=1..3:int");
        assert_eq!([0.0, 0.34, 0.67, 1.0].map(|share| whole.at(share)), ["1", "2", "3", "3"]);
        assert_eq!(parameter("w=-1..1").at(1.0 / 3.0), "-0.333333");
        assert_eq!(parameter("w=0.0000001..1:log").at(0.0), "0.0000001");
    }

    #[test]
    fn every_part_of_every_range_is_tried_once() {
        let parameters = [parameter("a=0..8"), parameter("b=1..8:int")];
        let tried = settings(&parameters, 8, 5);
        let mut first: Vec<usize> =
            tried.iter().map(|setting| setting.values[0].parse::<f64>().unwrap() as usize).collect();
        let mut second: Vec<usize> = tried.iter().map(|setting| setting.values[1].parse().unwrap()).collect();
        first.sort_unstable();
        second.sort_unstable();
        assert_eq!(first, (0..8).collect::<Vec<_>>());
        assert_eq!(second, (1..=8).collect::<Vec<_>>());
        assert_eq!(settings(&parameters, 8, 5), tried);
        assert_ne!(settings(&parameters, 8, 6), tried);
    }
}
