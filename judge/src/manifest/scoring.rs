//! Reads the `[problem.scoring]` of a problem.

use super::section::{Located, Section};
use crate::model::{BestSource, Direction, Rule};
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

/// Reads how a problem is scored; what is not said has its default.
pub(super) fn read(problem: &Section<'_>, folder: &Path) -> Scoring {
    let default = Direction::Max;
    let Some(section) = problem.section("scoring", "[problem.scoring]") else {
        let failure = default.failure_by_default();
        return Scoring { rule: Rule::Sum, direction: default, failure, best: BestSource::Run };
    };
    let rule = scaled(&section, rule(&section).unwrap_or(Rule::Sum));
    let direction = direction(&section).unwrap_or(default);
    let failure = failure(&section, &rule).or_else(|| direction.failure_by_default());
    let best = section.text("best").map_or(BestSource::Run, |best| BestSource::new(Path::new(best.value), folder));
    section.finish();
    Scoring { rule, direction, failure, best }
}

fn rule(section: &Section<'_>) -> Option<Rule> {
    let Located { value, span } = section.text("rule")?;
    let read = value.parse::<Rule>();
    if let Err(error) = &read {
        section.complain(span, error.to_string(), format!("expected one of: {}", Rule::NAMES.join(", ")));
    }
    read.ok()
}

fn direction(section: &Section<'_>) -> Option<Direction> {
    let Located { value, span } = section.text("direction")?;
    match value {
        "max" => Some(Direction::Max),
        "min" => Some(Direction::Min),
        other => {
            section.complain(span, format!("unknown direction `{other}`"), "expected \"max\" or \"min\"");
            None
        }
    }
}

fn scaled(section: &Section<'_>, rule: Rule) -> Rule {
    let expected = "a whole number from 1: the points of the best on a case";
    let Some(Located { value, span }) = section.integer::<BigInt>("scale", expected) else { return rule };
    if rule.scale().is_none() {
        let message = format!("the rule `{rule}` has no scale");
        section.complain(span, message, "remove `scale`, or take the rule relative, rank or rank-topcoder");
    } else if !value.is_positive() {
        section.complain(span, "the best would have no points", format!("expected {expected}"));
    } else {
        return rule.with_scale(value);
    }
    rule
}

fn failure(section: &Section<'_>, rule: &Rule) -> Option<Score> {
    let Located { value, span } = section.integer("failure", "an integer: the score that a failed case counts as")?;
    if !matches!(rule, Rule::Sum | Rule::Mean) {
        let message = format!("under the rule `{rule}`, a failed case has no points whatever its score");
        section.complain(span, message, "remove `failure`, or take the rule sum or mean");
    }
    Some(value)
}
