//! The names of an outcome's properties in conditions: `score`, `cpu_ms`, `accepted` and so on. Also when a solver is
//! worse than another one.

use checkers::{Case, CheckError, Checker, Counted, Feature, Observer, Score};
use judge_problem::{Direction, Features, MetricRule, Metrics, Outcome, Verdict};
use std::time::Duration;

/// The prefixes of the names for the first and the second solver.
const PREFIXES: [&str; 2] = ["", "other_"];

/// Adds the named values of the outcomes on a case: of a solver, and of the solver that it is compared with.
pub fn add_measures(features: &mut Features, outcomes: &[Outcome]) {
    let milliseconds = |time: Option<Duration>| time.map(|time| Score::from(time.as_millis()));
    for (outcome, prefix) in outcomes.iter().zip(PREFIXES) {
        let numbers = [
            ("accepted", Some(u8::from(outcome.is_accepted()).into())),
            ("cpu_ms", milliseconds(outcome.cpu)),
            ("wall_ms", milliseconds(outcome.wall)),
            ("memory_bytes", outcome.memory.map(Score::from)),
            ("score", outcome.score.clone()),
        ];
        let known = numbers.into_iter().filter_map(|(name, value)| Some((name, value?)));
        known.for_each(|(name, value)| features.set(&format!("{prefix}{name}"), value));
        for (name, value) in outcome.metrics.iter() {
            features.set(&format!("{prefix}{}{name}", MetricRule::PREFIX), value.clone());
        }
    }
}

/// Adds every name that a condition on this number of solvers can have, each with an arbitrary number.
pub fn add_all_names(features: &mut Features, solvers: usize, rules: &[MetricRule]) {
    let mut metrics = Metrics::default();
    rules.iter().for_each(|rule| metrics.set(&rule.name, 0.into()));
    let outcome = Outcome {
        metrics,
        score: Some(0.into()),
        cpu: Some(Duration::ZERO),
        wall: Some(Duration::ZERO),
        memory: Some(0),
        ..Outcome::without_run(Verdict::Accepted, String::new())
    };
    add_measures(features, &vec![outcome; solvers.min(PREFIXES.len())]);
}

/// Accepts every answer to every input, with the score 0. It is for inputs whose right answer is unknown.
pub static UNCHECKED: Checker = Checker {
    id: "unchecked",
    rules: "",
    version: 1,
    generators: &[],
    reader: |_| Ok(Box::new(Unchecked)),
    parametric: None,
    metrics: &[],
    manual_reader: None,
};

struct Unchecked;

impl Case for Unchecked {
    fn play(&self, _answer: &[u8], _observer: &mut dyn Observer) -> Result<Counted, CheckError> {
        Ok((Score::from(0), Vec::new()))
    }

    fn features(&self) -> Vec<Feature> {
        Vec::new()
    }
}

/// Returns whether a solver is worse than another one, which must be accepted itself.
pub fn is_worse(direction: Direction, own: &Outcome, other: &Outcome) -> bool {
    let scores = own.score.as_ref().zip(other.score.as_ref());
    let is_beaten = scores.is_none_or(|(own, other)| direction.compare(own, other).is_lt());
    other.is_accepted() && own.verdict != Verdict::JudgeError && is_beaten
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scored(score: i64) -> Outcome {
        Outcome { score: Some(score.into()), ..Outcome::without_run(Verdict::Accepted, String::new()) }
    }

    #[test]
    fn conditions_name_what_both_solvers_achieved() {
        let mut features = Features::default();
        let failed = Outcome::without_run(Verdict::WrongAnswer, String::new());
        add_measures(&mut features, &[failed, scored(7)]);
        let holds = |text: &str| text.parse::<judge_problem::condition::Condition>().unwrap().holds(&features);
        assert!(holds("accepted==0 && other_accepted==1 && other_score==7"));
        assert!(!holds("score<100"), "a failed case has no score");
        let mut all = Features::default();
        add_all_names(&mut all, 2, &[]);
        assert!(["score", "other_score", "cpu_ms", "other_memory_bytes"].iter().all(|name| all.get(name).is_some()));
    }

    #[test]
    fn worse_is_less_or_failed() {
        let failed = Outcome::without_run(Verdict::WrongAnswer, String::new());
        let is_worse = |own: &Outcome, other: &Outcome| is_worse(Direction::Max, own, other);
        assert!(is_worse(&scored(1), &scored(2)) && is_worse(&failed, &scored(2)));
        assert!(!is_worse(&scored(2), &scored(2)) && !is_worse(&scored(1), &failed));
    }
}
