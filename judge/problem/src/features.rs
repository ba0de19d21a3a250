//! The named numbers that describe a case: `N`, `colors`, `k`.

use crate::{Digest, Number};
use std::sync::Arc;

/// The named numbers of a case: first the checker's, then the problem's.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Features(Vec<Feature>);

/// A named number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feature {
    /// Its name, as conditions write it.
    pub name: Arc<str>,
    /// Its value.
    pub value: Number,
}

/// A feature that a regular expression finds in the inputs of a problem.
#[derive(Debug, Clone)]
pub struct FeatureRule {
    /// The feature's name.
    pub name: String,
    /// The expression. The number is the first group, or the whole match if there is no group.
    pub pattern: regex::bytes::Regex,
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
        let numbers = features.iter().map(|Feature { name, value }| format!(" {name}={value}"));
        let line = numbers.fold(rules.to_owned(), |line, number| line + &number);
        (line.len() > rules.len() && line.len() <= MAX_STORED).then(|| Self(line.into()))
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
        let mut features = Features::default();
        for (name, value) in self.0.split(' ').filter_map(|word| word.split_once('=')) {
            if let Ok(value) = value.parse() {
                features.set(name, value);
            }
        }
        features
    }
}

/// Returns a word that identifies these rules.
pub fn rules_word(rules: &[FeatureRule]) -> String {
    let text: Vec<String> = rules.iter().map(|rule| format!("{} {}\n", rule.name, rule.pattern)).collect();
    Digest::of(text.concat().as_bytes()).short()
}

impl Features {
    /// Returns the number of this name.
    pub fn get(&self, name: &str) -> Option<&Number> {
        self.0.iter().find(|feature| &*feature.name == name).map(|feature| &feature.value)
    }

    /// Sets a number. It replaces a number with the same name.
    pub fn set(&mut self, name: &str, value: Number) {
        match self.0.iter_mut().find(|feature| &*feature.name == name) {
            Some(feature) => feature.value = value,
            None => self.0.push(Feature { name: name.into(), value }),
        }
    }

    /// Returns every named number.
    pub fn iter(&self) -> impl Iterator<Item = &Feature> {
        self.0.iter()
    }
}

/// Returns whether a text can be a feature's name: a letter or `_`, then letters, digits and `_`.
pub fn is_feature_name(text: &str) -> bool {
    let starts_well = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    starts_well && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(pattern: &str) -> String {
        rules_word(&[FeatureRule { name: "N".to_owned(), pattern: regex::bytes::Regex::new(pattern).unwrap() }])
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
}
