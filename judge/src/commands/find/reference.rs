//! Answers to new cases of a checker that compares with answer files. New cases have none, so the answers of a second
//! solver take their place.

use judge_problem::{CheckerChoice, Condition, Outcome, Problem};
use judge_run::cases::{CheckerError, ProblemChecker};
use judge_run::runner::outcome_from_decision;
use judge_session::Failure;
use std::io::Write;
use tempfile::NamedTempFile;

/// Judges answers to new cases, which were played without a check.
pub(in super::super) struct NewAnswers(ProblemChecker);

impl NewAnswers {
    /// Returns how answers are judged, if the checker compares with an answer file that new cases do not have. Cases from
    /// seeds never have one, so only `tokens` needs one for them: `of_files` says that the cases are changes of files.
    pub(in super::super) fn of(problem: &Problem, of_files: bool) -> Result<Option<Self>, Failure> {
        let has_files = of_files && problem.checker.answers().is_some_and(|answers| !answers.is_empty());
        let plays_alone = match &problem.checker {
            CheckerChoice::Tokens(..) => true,
            _ if !has_files => return Ok(None),
            CheckerChoice::External(checker) => checker.passes() == 1,
            checker => !checker.is_interactive(),
        };
        if plays_alone {
            return Ok(Some(Self(ProblemChecker::of(problem))));
        }
        let error = format!("a changed input has no answer file, and `{}` gets them while it runs", problem.id);
        Err(Failure::usage(error).with_hint("remove `answers` from the problem if its program works without them"))
    }

    /// Fails if a condition needs the score of answers that are not checked.
    pub(in super::super) fn check_condition(condition: &Condition) -> Result<(), Failure> {
        if !condition.names().contains(&"score") {
            return Ok(());
        }
        Err(Failure::usage("`score` needs an answer file, and new cases have none").with_hint("--against ./right"))
    }

    /// Judges the answers to an input: the answer of the second solver is the answer file, if it has one that the checker
    /// accepts. Otherwise, nothing is known of the other answer, and it has no score.
    pub(in super::super) fn judge(&self, input: &[u8], outcomes: &mut [Outcome], answers: &[Vec<u8>]) {
        if let ([_, other], [_, right]) = (&mut *outcomes, answers)
            && other.is_accepted()
        {
            self.decide(input, right, right, other);
        }
        if let ([own, other], [answer, right]) = (&mut *outcomes, answers)
            && own.is_accepted()
            && other.is_accepted()
        {
            self.decide(input, answer, right, own);
        } else if let Some(own) = outcomes.first_mut() {
            own.score = None;
        }
    }

    fn decide(&self, input: &[u8], answer: &[u8], right: &[u8], outcome: &mut Outcome) {
        let decision = NamedTempFile::new().map_err(CheckerError::from).and_then(|mut file| {
            file.write_all(right)?;
            self.0.clone().with_answer(Some(file.path())).prepare(input, None)?.decide(answer)
        });
        let Outcome { verdict, score, note, broken, mut metrics, .. } = outcome_from_decision(decision);
        // What it printed itself counts.
        outcome.metrics.iter().for_each(|(name, value)| metrics.set(name, value.clone()));
        *outcome = Outcome { verdict, score, note, broken, metrics, ..outcome.clone() };
    }
}
