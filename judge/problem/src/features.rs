//! Named numbers: the features that describe a case, such as `N` and `colors`, and the metrics of a result in addition to
//! its score, such as `moves` and `depth`. Metrics are never part of a score.

use crate::{Digest, Direction};
use checkers::Score;
use regex::bytes::{Captures, Regex};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// Named numbers, in the order in which they were set. Shown as `moves=117 depth=3`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct NamedNumbers(Vec<(Arc<str>, Score)>);

/// The named numbers of a case: first the checker's, then the problem's.
pub type Features = NamedNumbers;

/// A feature that a regular expression finds in the inputs of a problem.
#[derive(Debug, Clone)]
pub struct FeatureRule {
    /// The feature's name.
    pub name: String,
    /// The expression. The number is the first group, or the whole match if there is no group.
    pub pattern: Regex,
}

/// The features of a case as the journal stores them, in one line: `RULES N=10 colors=4`. The first word identifies the
/// rules that found them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredFeatures(Box<str>);

/// The maximum length of stored features. Longer ones are not stored.
const MAX_STORED: usize = 1 << 12;

impl StoredFeatures {
    /// Returns the stored form of features that these rules found. `None` if there are none, or too many.
    pub fn new(rules: &str, features: &Features) -> Option<Self> {
        let line = format!("{rules} {features}");
        (!features.is_empty() && line.len() <= MAX_STORED).then(|| Self(line.into()))
    }

    /// Reads a line of a journal. `None` if it is longer than the maximum.
    pub fn from_line(line: &str) -> Option<Self> {
        (line.len() <= MAX_STORED).then(|| Self(line.into()))
    }

    /// Returns the line.
    pub fn line(&self) -> &str {
        &self.0
    }

    /// Returns whether these rules found them.
    pub fn are_by(&self, rules: &str) -> bool {
        self.0.split(' ').next() == Some(rules)
    }

    /// Returns the features.
    pub fn features(&self) -> Features {
        self.0.split_once(' ').map(|(_, features)| features.to_owned().into()).unwrap_or_default()
    }
}

/// Returns a word that identifies these rules.
pub fn rules_word(rules: &[FeatureRule]) -> String {
    let text: Vec<String> = rules.iter().map(|rule| format!("{} {}\n", rule.name, rule.pattern)).collect();
    Digest::of(text.concat().as_bytes()).short()
}

impl NamedNumbers {
    /// Returns the number of this name.
    pub fn get(&self, name: &str) -> Option<&Score> {
        self.0.iter().find(|(known, _)| &**known == name).map(|(_, value)| value)
    }

    /// Sets a number. It replaces a number with the same name.
    pub fn set(&mut self, name: &str, value: Score) {
        match self.0.iter_mut().find(|(known, _)| &**known == name) {
            Some((_, known)) => *known = value,
            None => self.0.push((name.into(), value)),
        }
    }

    /// Returns every name with its number.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Score)> {
        self.0.iter().map(|(name, value)| (&**name, value))
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Display for NamedNumbers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (name, value)) in self.iter().enumerate() {
            write!(formatter, "{}{name}={value}", if place == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}

impl From<String> for NamedNumbers {
    /// Reads the output of `Display`. Anything else is left out.
    fn from(text: String) -> Self {
        let mut numbers = Self::default();
        for (name, value) in text.split(' ').filter_map(|word| word.split_once('=')) {
            if let Ok(value) = value.parse() {
                numbers.set(name, value);
            }
        }
        numbers
    }
}

impl From<NamedNumbers> for String {
    fn from(numbers: NamedNumbers) -> Self {
        numbers.to_string()
    }
}

/// Returns whether a text can be a feature's name: a letter or `_`, then letters, digits and `_`.
pub fn is_feature_name(text: &str) -> bool {
    let starts_well = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    starts_well && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// A metric of a problem, as `[problem.metrics]` declares it, or as the built-in checker counts it.
#[derive(Debug, Clone)]
pub struct MetricRule {
    /// Its name.
    pub name: String,
    /// Which values are better, if the author says so.
    pub direction: Option<Direction>,
    /// The expression that finds it in the solver's standard error. The value is the first group, or the whole match.
    /// `None`: the checker prints it.
    pub stderr: Option<Regex>,
    /// Whether `[problem.metrics]` names it. Tables of the terminal show no others.
    pub is_declared: bool,
}

impl MetricRule {
    /// The prefix of a metric's name where other numbers have names, too: `metric:moves`.
    pub const PREFIX: &str = "metric:";

    /// Returns whether the checker prints it.
    pub fn is_by_checker(&self) -> bool {
        self.stderr.is_none()
    }

    /// Returns its name among other numbers: `metric:moves`.
    pub fn full_name(&self) -> String {
        format!("{}{}", Self::PREFIX, self.name)
    }

    /// Returns a line that identifies these rules: results under other rules may lack a metric.
    pub fn identity(rules: &[Self]) -> String {
        let pattern = |rule: &Self| rule.stderr.as_ref().map_or_else(String::new, ToString::to_string);
        rules.iter().map(|rule| format!("{} {}\n", rule.name, pattern(rule))).collect()
    }
}

/// The metrics of a result.
pub type Metrics = NamedNumbers;

impl Metrics {
    /// Adds what a solver printed on its standard error. The last of several matches that are numbers counts.
    pub fn add_from_stderr(&mut self, rules: &[MetricRule], stderr: &[u8]) {
        for rule in rules {
            let Some(pattern) = &rule.stderr else { continue };
            let number = |found: Captures<'_>| {
                let text = std::str::from_utf8(found.get(1).or_else(|| found.get(0))?.as_bytes()).ok()?;
                text.trim().parse().ok()
            };
            if let Some(value) = pattern.captures_iter(stderr).filter_map(number).last() {
                self.set(&rule.name, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(pattern: &str) -> String {
        rules_word(&[FeatureRule { name: "N".to_owned(), pattern: Regex::new(pattern).unwrap() }])
    }

    #[test]
    fn stored_features_are_read_back_with_their_rules() {
        let mut features = Features::default();
        for (name, value) in [("N", "-10"), ("share", "0.25"), ("long", "123456789012345678901234567890")] {
            features.set(name, value.parse().unwrap());
        }
        let stored = StoredFeatures::new(&rules("^1"), &features).unwrap();
        assert_eq!(StoredFeatures::from_line(stored.line()).unwrap().features(), features);
        assert!(stored.are_by(&rules("^1")) && !stored.are_by(&rules("^2")));
        assert_eq!(StoredFeatures::new(&rules("^1"), &Features::default()), None);
        features.set("huge", format!("1{}", "0".repeat(MAX_STORED)).parse().unwrap());
        assert_eq!(StoredFeatures::new(&rules("^1"), &features), None);
        assert_eq!(StoredFeatures::from_line(&"x".repeat(MAX_STORED + 1)), None);
    }

    fn metric(name: &str, pattern: &str) -> MetricRule {
        MetricRule {
            name: name.to_owned(),
            direction: None,
            stderr: Some(Regex::new(pattern).unwrap()),
            is_declared: true,
        }
    }

    #[test]
    fn numbers_of_any_length_come_back() {
        let mut metrics = Metrics::default();
        for (name, value) in [("moves", "-10"), ("share", "0.25"), ("long", "123456789012345678901234567890")] {
            metrics.set(name, value.parse().unwrap());
        }
        assert_eq!(metrics.to_string(), "moves=-10 share=0.25 long=123456789012345678901234567890");
        assert_eq!(Metrics::from(metrics.to_string()), metrics);
        assert!(Metrics::from(String::new()).is_empty());
    }

    #[test]
    fn the_last_match_counts_and_no_number_is_none() {
        let mut metrics = Metrics::default();
        let rules = [metric("nodes", r"nodes=(\S+)"), metric("depth", "depth [0-9]+"), metric("none", "none=([0-9]+)")];
        metrics.add_from_stderr(&rules, b"nodes=1\xff\nnodes=20.50\ndepth 3\n");
        assert_eq!(metrics.to_string(), "nodes=20.5");
        metrics.add_from_stderr(&rules, b"nodes=many\n");
        assert_eq!(metrics.to_string(), "nodes=20.5");
        metrics.add_from_stderr(&rules, b"nodes=7\nnodes=8\nnodes=done\n");
        assert_eq!(metrics.to_string(), "nodes=8", "the last number");
    }
}
