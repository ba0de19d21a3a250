//! The named numbers that describe a case: `N`, `colors`, `k`.

use super::Number;
use std::sync::Arc;

/// The named numbers of a case, in the order in which its checker and its problem name them.
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

/// A feature that a problem finds in its inputs by a regular expression.
#[derive(Debug, Clone)]
pub struct FeatureRule {
    /// The feature's name.
    pub name: String,
    /// The expression. The number is the first group, or the whole match if there is no group.
    pub pattern: regex::bytes::Regex,
}

impl Features {
    /// Returns the number of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Number> {
        self.0.iter().find(|feature| &*feature.name == name).map(|feature| &feature.value)
    }

    /// Sets a number; one of the same name is replaced.
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
#[must_use]
pub fn is_feature_name(text: &str) -> bool {
    let starts_well = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    starts_well && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
