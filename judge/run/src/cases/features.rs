//! The features of a case: numbers that its checker knows, and numbers that the problem finds in the input.

use super::{Inputs, PreparedCase, ProblemChecker, ReadError};
use judge_problem::parallel::try_map_on_all_cores;
use judge_problem::{CaseList, CaseSpec, Digest, FeatureRule, Features, Number, Problem};

/// Finds the features of a problem's cases.
#[derive(Debug, Clone)]
pub struct FeatureFinder {
    rules: Vec<FeatureRule>,
}

impl FeatureFinder {
    /// Finds the features of this problem's cases.
    #[must_use]
    pub fn of(problem: &Problem) -> Self {
        Self { rules: problem.features.clone() }
    }

    /// Returns the features of a case. The problem's own take precedence over the checker's.
    #[must_use]
    pub fn describe(&self, input: &[u8], case: &PreparedCase) -> Features {
        let mut features = Features::default();
        for feature in case.features() {
            features.set(feature.name, Number::from(feature.value));
        }
        for rule in &self.rules {
            if let Some(number) = find(rule, input) {
                features.set(&rule.name, number);
            }
        }
        features
    }
}

/// Reads a problem's cases to describe them.
pub struct CaseReader {
    inputs: Inputs,
    checker: ProblemChecker,
    finder: FeatureFinder,
}

/// The description of a case.
#[derive(Debug, Clone)]
pub struct CaseDescription {
    /// Hash of its input.
    pub input: Digest,
    /// Its features.
    pub features: Features,
}

impl CaseReader {
    /// Reads the cases of this problem.
    #[must_use]
    pub fn of(problem: &Problem) -> Self {
        Self { inputs: Inputs::of(problem), checker: ProblemChecker::of(problem), finder: FeatureFinder::of(problem) }
    }

    /// Reads a case.
    ///
    /// # Errors
    /// When its input cannot be made or read, or is malformed.
    pub fn describe(&self, case: &CaseSpec) -> Result<CaseDescription, ReadError> {
        let input = self.inputs.load(case)?;
        Ok(CaseDescription { input: Digest::of(&input), features: self.features(case, &input)? })
    }

    fn features(&self, case: &CaseSpec, input: &[u8]) -> Result<Features, ReadError> {
        let prepared = self.checker.prepare(input, Some(&case.source))?;
        Ok(self.finder.describe(input, &prepared))
    }
}

/// Reads a problem's cases, and returns the features of each.
///
/// # Errors
/// The first case that cannot be read.
pub fn describe_all(problem: &Problem, cases: &CaseList) -> Result<Vec<Features>, ReadError> {
    let reader = CaseReader::of(problem);
    try_map_on_all_cores(cases.len(), |place| {
        let case = &cases.at(place);
        reader.features(case, &reader.inputs.load_of(cases, case)?)
    })
}

/// Returns the number in the first group, or in the whole match; `None` if the text found is not a number.
fn find(rule: &FeatureRule, input: &[u8]) -> Option<Number> {
    let found = rule.pattern.captures(input)?;
    let text = found.iter().nth(1).unwrap_or_else(|| found.get(0))?;
    std::str::from_utf8(text.as_bytes()).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(pattern: &str, input: &[u8]) -> Option<String> {
        let rule = FeatureRule { name: "x".to_owned(), pattern: regex::bytes::Regex::new(pattern).unwrap() };
        find(&rule, input).map(|number| number.to_string())
    }

    #[test]
    fn the_first_group_or_the_whole_match_is_the_number() {
        let input = b"6 13\n-40\n0.25 abc\n\xff";
        assert_eq!(found(r"^\d+ (\d+)", input).as_deref(), Some("13"));
        assert_eq!(found(r"\d+", input).as_deref(), Some("6"));
        assert_eq!(found(r"(?m)^-?\d+$", input).as_deref(), Some("-40"));
        assert_eq!(found(r"(\S+) abc", input).as_deref(), Some("0.25"));
        assert_eq!(found(r"(abc)", input), None);
        assert_eq!(found(r"missing (\d+)", input), None);
        assert_eq!(found(r"(x)?abc", input), None);
    }
}
