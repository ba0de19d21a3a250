//! Named numbers of a result in addition to its score: `moves`, `depth`. A checker prints them, or the solver itself.
//! They are never part of a score.

use crate::features::NamedNumbers;
use crate::rule::Direction;
use checkers::Score;
use regex::bytes::{Captures, Regex};

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
pub type Metrics = NamedNumbers<Score>;

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

    fn rule(name: &str, pattern: &str) -> MetricRule {
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
        let rules = [rule("nodes", r"nodes=(\S+)"), rule("depth", "depth [0-9]+"), rule("none", "none=([0-9]+)")];
        metrics.add_from_stderr(&rules, b"nodes=1\xff\nnodes=20.50\ndepth 3\n");
        assert_eq!(metrics.to_string(), "nodes=20.5");
        metrics.add_from_stderr(&rules, b"nodes=many\n");
        assert_eq!(metrics.to_string(), "nodes=20.5");
        metrics.add_from_stderr(&rules, b"nodes=7\nnodes=8\nnodes=done\n");
        assert_eq!(metrics.to_string(), "nodes=8", "the last number");
    }
}
