//! Reads `[problem.metrics]`: the named numbers of a result in addition to its score.

use super::document::{Located, Section};
use super::protocols;
use crate::{CheckerChoice, CheckerProtocol, Direction, MetricRule, is_feature_name, listed};
use checkers::Metric;

/// The title of the table, in messages.
const TITLE: &str = "[problem.metrics]";

/// Reads the metrics of a problem, in their order, and adds the others that its built-in checker counts.
pub(super) fn read_metrics(problem: &Section<'_>, checker: Option<&CheckerChoice>) -> Vec<MetricRule> {
    let section = problem.section("metrics", TITLE);
    let declared = section.iter().flat_map(|section| {
        let metrics = section.named_texts_or_sections(TITLE).into_iter();
        metrics.filter_map(|(name, metric)| read_metric(section, &name, metric, checker))
    });
    let mut rules: Vec<MetricRule> = declared.collect();
    for metric in checker.map_or(&[][..], counted) {
        let direction = Some(if metric.is_more_better { Direction::Max } else { Direction::Min });
        match rules.iter_mut().find(|rule| rule.name == metric.name) {
            Some(rule) if rule.is_by_checker() => rule.direction = rule.direction.or(direction),
            Some(_) => {}
            None => {
                let name = metric.name.to_owned();
                rules.push(MetricRule { name, direction, stderr: None, is_declared: false });
            }
        }
    }
    rules
}

/// Returns what a built-in checker counts.
fn counted(checker: &CheckerChoice) -> &'static [Metric] {
    match checker {
        CheckerChoice::BuiltIn(checker) => checker.metrics,
        _ => &[],
    }
}

fn read_metric(
    section: &Section<'_>,
    name: &Located<&str>,
    metric: Result<Section<'_>, Located<&str>>,
    checker: Option<&CheckerChoice>,
) -> Option<MetricRule> {
    let (direction, stderr) = match metric {
        Ok(table) => {
            let direction = table.parsed::<Direction>("direction").map(|direction| direction.value);
            let bad = || format!("bad regular expression of `{}`", name.value);
            let stderr = match table.text("stderr") {
                Some(pattern) => Some(protocols::checked_regex(&table, pattern, bad)?),
                None => None,
            };
            table.finish();
            (direction, stderr)
        }
        Err(text) => match text.value.parse::<Direction>() {
            Ok(direction) => (Some(direction), None),
            Err(error) => {
                let expected = "expected \"max\", \"min\", or a table such as { stderr = 'nodes=(\\d+)' }";
                return section.refuse(text.span, error.to_string(), expected);
            }
        },
    };
    if !is_feature_name(name.value) {
        let expected = "expected a letter, then letters, digits and `_`";
        return section.refuse(name.span.clone(), format!("bad metric name `{}`", name.value), expected);
    }
    let is_counted = checker.map_or(&[][..], counted).iter().any(|metric| metric.name == name.value);
    if let (None, Some(silent)) = (&stderr, checker.filter(|_| !is_counted).and_then(prints_none)) {
        let names: Vec<&str> = checker.map_or(&[][..], counted).iter().map(|metric| metric.name).collect();
        let known = if names.is_empty() { String::new() } else { format!("expected {}, or ", listed(&names, "or")) };
        let expected = format!(
            "{known}add stderr = 'a regular expression' to find it in what the solver prints on standard error"
        );
        return section.refuse(name.span.clone(), format!("{silent} prints no metric `{}`", name.value), &expected);
    }
    Some(MetricRule { name: name.value.to_owned(), direction, stderr, is_declared: true })
}

/// Returns the kind of the checker, if it prints no metrics.
fn prints_none(checker: &CheckerChoice) -> Option<&'static str> {
    match checker {
        CheckerChoice::BuiltIn(_) => Some("a built-in checker"),
        CheckerChoice::Tokens(..) => Some("the checker `tokens`"),
        // Its output may have lines of the solver.
        CheckerChoice::Tester(tester) if matches!(tester.program.protocol, CheckerProtocol::Regex(_)) => {
            Some("a tester with the protocol `regex`")
        }
        CheckerChoice::Tester(_) | CheckerChoice::External(_) | CheckerChoice::Interactor(_) => None,
    }
}
