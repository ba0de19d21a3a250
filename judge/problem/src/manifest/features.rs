//! Reads `[problem.features]`: names, each with the regular expression that finds its number in an input.

use super::section::{Located, Section};
use crate::model::{FeatureRule, is_feature_name};
use regex::bytes::Regex;

/// Reads the features of a problem.
pub(super) fn read(problem: &Section<'_>) -> Vec<FeatureRule> {
    let Some(section) = problem.section("features", "[problem.features]") else { return Vec::new() };
    section.entries().into_iter().filter_map(|entry| rule(&section, entry.key, &entry.text)).collect()
}

fn rule(section: &Section<'_>, name: Located<&str>, pattern: &Located<&str>) -> Option<FeatureRule> {
    if !is_feature_name(name.value) {
        let expected = "expected a letter, then letters, digits and `_`";
        section.complain(name.span, format!("bad feature name `{}`", name.value), expected);
        return None;
    }
    match Regex::new(pattern.value) {
        Ok(regex) => Some(FeatureRule { name: name.value.to_owned(), pattern: regex }),
        Err(error) => {
            let reason = error.to_string();
            let reason = reason.lines().last().unwrap_or_default().trim_start_matches("error: ");
            section.complain(pattern.span.clone(), format!("bad regular expression of `{}`", name.value), reason);
            None
        }
    }
}
