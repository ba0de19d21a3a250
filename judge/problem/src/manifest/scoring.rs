//! Reads the `[problem.scoring]` of a problem.

use super::section::{Located, Section};
use crate::model::{BestSource, Direction, Rule, listed};
use checkers::Score;
use num_bigint::BigInt;
use num_traits::Signed;
use std::path::Path;

/// How a problem is scored.
pub(super) struct Scoring {
    pub(super) rule: Rule,
    pub(super) direction: Direction,
    pub(super) failure: Option<Score>,
    pub(super) best: BestSource,
}

/// Reads how a problem is scored. A missing key has its default.
pub(super) fn read(problem: &Section<'_>, folder: &Path) -> Scoring {
    let default = Direction::Max;
    let Some(section) = problem.section("scoring", "[problem.scoring]") else {
        let failure = default.failure_by_default();
        return Scoring { rule: Rule::Sum, direction: default, failure, best: BestSource::Known };
    };
    let rule = scaled(&section, rule(&section).unwrap_or(Rule::Sum));
    let direction = direction(&section).unwrap_or(default);
    let failure = failure(&section, &rule).or_else(|| direction.failure_by_default());
    let best = section.text("best").map_or(BestSource::Known, |best| BestSource::new(Path::new(best.value), folder));
    for key in ["thresholds", "threshold-points"] {
        section.misplaced(key, "each case has its own: write it in a [[problem.case]], beside `seed` or `file`");
    }
    section.finish();
    Scoring { rule, direction, failure, best }
}

fn rule(section: &Section<'_>) -> Option<Rule> {
    let Located { value, span } = section.text("rule")?;
    let read = value.parse::<Rule>();
    if let Err(error) = &read {
        section.complain(span, error.to_string(), format!("expected one of: {}", Rule::names().join(", ")));
    }
    read.ok()
}

fn direction(section: &Section<'_>) -> Option<Direction> {
    let Located { value, span } = section.text("direction")?;
    let read = value.parse::<Direction>();
    if let Err(error) = &read {
        section.complain(span, error.to_string(), "expected \"max\" or \"min\"");
    }
    read.ok()
}

fn scaled(section: &Section<'_>, rule: Rule) -> Rule {
    let expected = "a whole number from 1: the points of the best on a case";
    let Some(Located { value, span }) = section.integer::<BigInt>("scale", expected) else { return rule };
    if !rule.has_scale() {
        let message = format!("the rule `{rule}` has no scale");
        let scaled = listed(&Rule::names_of(Rule::has_scale), "or");
        section.complain(span, message, format!("remove `scale`, or take the rule {scaled}"));
    } else if !value.is_positive() {
        section.complain(span, "the best would have no points", format!("expected {expected}"));
    } else {
        return rule.with_scale(value);
    }
    rule
}

fn failure(section: &Section<'_>, rule: &Rule) -> Option<Score> {
    let Located { value, span } = section.numeric("failure", "a number: the score that a failed case counts as")?;
    if !rule.counts_raw_scores() {
        let message = format!("under the rule `{rule}`, a failed case always has no points");
        let raw = listed(&Rule::names_of(Rule::counts_raw_scores), "or");
        section.complain(span, message, format!("remove `failure`, or take the rule {raw}"));
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::CATALOGUE_SCHEMA;
    use serde_json::{Value, json};

    fn document(path: &str) -> String {
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)).unwrap()
    }

    #[test]
    fn the_schema_names_the_rules_of_the_table() {
        let schema: Value = serde_json::from_str(CATALOGUE_SCHEMA).unwrap();
        let scoring = &schema["$defs"]["scoring"];
        let scaled = Rule::names_of(Rule::has_scale);
        assert_eq!(scoring["properties"]["rule"]["enum"], json!(Rule::names()));
        let rules = |key: &str| {
            let terms = scoring["allOf"].as_array().unwrap().iter();
            let mut of_key = terms.filter(|term| term["if"]["required"] == json!([key]));
            of_key.next().unwrap()["then"]["properties"]["rule"]["enum"].clone()
        };
        assert_eq!(rules("scale"), json!(scaled));
        assert_eq!(rules("failure"), json!(Rule::names_of(Rule::counts_raw_scores)));
        let description = scoring["properties"]["scale"]["description"].as_str().unwrap();
        assert!(description.contains(&format!("the rules {}; ", listed(&scaled, "and"))), "{description}");
    }

    #[test]
    fn the_documentation_names_the_rules_of_the_table() {
        let table = document("docs/scoring.md");
        let rules = table.split("\n## ").nth(1).unwrap();
        let rows = rules.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
        let names: Vec<&str> = rows.map(|(name, _)| name).collect();
        assert_eq!(names, Rule::names());
        assert!(document("docs/problems.md").contains(&format!("# {}\n", Rule::names().join(", "))));
    }
}
