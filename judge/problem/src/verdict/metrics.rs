//! The metrics that a checker prints with an accepted answer: lines `metric NAME NUMBER`, where its protocol allows
//! them.

use super::protocol::{CallOutput, Protocol, ProtocolError, message};
use crate::{MetricRule, Metrics, closest};

/// The first word of a line with a metric.
const WORD: &str = "metric";

/// Returns the metrics in the output of a program that accepted an answer.
///
/// # Errors
/// Those of [`metrics_in`].
pub fn read_metrics(
    protocol: &dyn Protocol,
    output: &CallOutput<'_>,
    rules: &[MetricRule],
) -> Result<Metrics, ProtocolError> {
    if rules.iter().any(MetricRule::is_by_checker) {
        metrics_in(&protocol.metrics_text(output), rules)
    } else {
        Ok(Metrics::default())
    }
}

/// Returns the metrics in the lines of a text. If the rules contain no metric of the checker, no line is a metric.
///
/// # Errors
/// Fails on a metric that is not declared, is printed twice, or is not a number.
pub fn metrics_in(text: &[u8], rules: &[MetricRule]) -> Result<Metrics, ProtocolError> {
    let mut metrics = Metrics::default();
    if !rules.iter().any(MetricRule::is_by_checker) {
        return Ok(metrics);
    }
    let names = || rules.iter().filter(|rule| rule.is_by_checker()).map(|rule| &*rule.name);
    for line in String::from_utf8_lossy(text).lines().filter(|line| is_metric(line)) {
        let bad = |why: String| ProtocolError::Metric { line: message(line), why };
        let words: Vec<&str> = line.split_whitespace().collect();
        let &[_, name, value] = words.as_slice() else { return Err(bad("expected `metric NAME NUMBER`".to_owned())) };
        if !names().any(|known| known == name) {
            let meant = closest(name, names()).map_or_else(String::new, |meant| format!("; did it mean `{meant}`?"));
            return Err(bad(format!("[problem.metrics] has no `{name}` of the checker{meant}")));
        }
        if metrics.get(name).is_some() {
            return Err(bad(format!("it has printed `{name}` before")));
        }
        metrics.set(name, value.parse().map_err(|error: checkers::ScoreError| bad(error.to_string()))?);
    }
    Ok(metrics)
}

/// Returns whether a line has a metric.
pub(super) fn is_metric(line: &str) -> bool {
    line.split_whitespace().next() == Some(WORD)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules() -> Vec<MetricRule> {
        let of_solver = regex::bytes::Regex::new("x").unwrap();
        [("moves", None), ("length", None), ("nodes", Some(of_solver))]
            .map(|(name, stderr)| MetricRule { name: name.to_owned(), direction: None, stderr, is_declared: true })
            .to_vec()
    }

    fn read(text: &str) -> Result<String, String> {
        metrics_in(text.as_bytes(), &rules()).map(|found| found.to_string()).map_err(|error| error.to_string())
    }

    #[test]
    fn lines_with_a_name_and_a_number_are_metrics() {
        assert_eq!(
            read("12\nmetric moves 117\n  metric length -0.50 \nmetrics x\n").as_deref(),
            Ok("moves=117 length=-0.5")
        );
        assert_eq!(read("12\n").as_deref(), Ok(""));
        let only_of_solver = &rules()[2..];
        assert_eq!(metrics_in(b"metric what ever", only_of_solver), Ok(Metrics::default()));
    }

    #[test]
    fn a_line_that_is_no_metric_is_an_error() {
        for (text, why) in [
            ("metric move 1", "[problem.metrics] has no `move` of the checker; did it mean `moves`?"),
            ("metric nodes 1", "[problem.metrics] has no `nodes` of the checker"),
            ("metric moves 1\nmetric moves 1", "it has printed `moves` before"),
            ("metric moves many", "found `many`"),
            ("metric moves", "expected `metric NAME NUMBER`"),
            ("metric moves 1 2", "expected `metric NAME NUMBER`"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.starts_with("printed `metric ") && error.contains(why), "{text}: {error}");
        }
    }
}
