//! The outcome of a solver on a case: verdict, ruling of the checker, measurements. Also the exit codes of the judge.

use crate::features::Metrics;
use crate::text::named_enum;
use checkers::Score;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::num::NonZeroUsize;
use std::time::Duration;

/// The cases whose standard error is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum KeptStderr {
    /// All cases.
    All,
    /// The cases that are not accepted.
    #[default]
    Failed,
    /// No case.
    None,
}

impl KeptStderr {
    /// Returns whether standard error is kept for a case.
    pub fn keeps(self, accepted: bool) -> bool {
        match self {
            Self::All => true,
            Self::Failed => !accepted,
            Self::None => false,
        }
    }
}

/// The outcome of a solver's run on a case. Unknown values are absent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// The verdict.
    pub verdict: Verdict,
    /// The raw score. It is present exactly if the verdict is `Accepted`.
    #[serde(with = "crate::text::as_text::optional")]
    pub score: Option<Score>,
    /// The reason of the verdict. Empty for `Accepted`.
    pub note: String,
    /// The rule that a rejected answer breaks, and the place. Unknown parts are absent.
    pub broken: BrokenRule,
    /// The named numbers in addition to the score. The checker gives some for an accepted answer, the solver itself
    /// others.
    #[serde(default, skip_serializing_if = "Metrics::is_empty")]
    pub metrics: Metrics,
    /// The end of the solver's standard error. Empty if it is not kept for this case.
    pub stderr: String,
    /// CPU time of the whole process tree.
    pub cpu: Option<Duration>,
    /// Wall time.
    pub wall: Option<Duration>,
    /// Peak memory in bytes.
    pub memory: Option<u64>,
    /// Whether other programs disturbed the timing.
    pub noisy: bool,
    /// How long it was ready to run but had no core.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waited: Option<Duration>,
    /// The name of the node that ran it. Absent if the run has no nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
}

impl Outcome {
    /// Returns the outcome of a case for which no program ran.
    pub fn without_run(verdict: Verdict, note: String) -> Self {
        Self {
            verdict,
            score: None,
            note,
            broken: BrokenRule::default(),
            metrics: Metrics::default(),
            stderr: String::new(),
            cpu: None,
            wall: None,
            memory: None,
            noisy: false,
            waited: None,
            node: None,
        }
    }

    /// Returns whether the case was accepted.
    pub fn is_accepted(&self) -> bool {
        self.verdict == Verdict::Accepted
    }
}

named_enum! {
    /// The verdict on a case. Summaries list them in this order.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    pub enum Verdict {
        /// AC: a valid answer within the limits.
        Accepted = "accepted",
        /// WA: the answer breaks a rule.
        WrongAnswer = "wrong-answer",
        /// TLE: too much CPU time.
        TimeLimit = "time-limit",
        /// ILE: too much wall time, because it was idle or had no core.
        WallLimit = "wall-limit",
        /// MLE: too much memory.
        MemoryLimit = "memory-limit",
        /// OLE: too much output, or too much on disk.
        OutputLimit = "output-limit",
        /// PLE: too many processes.
        ProcessLimit = "process-limit",
        /// RE: a non-zero exit code or a signal.
        RuntimeError = "runtime-error",
        /// CE: the source did not compile.
        CompileError = "compile-error",
        /// CS: the program could not be started.
        CannotStart = "cannot-start",
        /// JE: the judge's fault, never the solver's.
        JudgeError = "judge-error",
        /// –: the case was not run.
        Skipped = "skipped",
    }
}

impl Verdict {
    /// Returns its code and its meaning.
    fn texts(self) -> (&'static str, &'static str) {
        match self {
            Self::Accepted => ("AC", "a valid answer within the limits"),
            Self::WrongAnswer => ("WA", "the answer breaks a rule"),
            Self::TimeLimit => ("TLE", "it used more CPU time than allowed"),
            Self::WallLimit => ("ILE", "it took too long while using little CPU time"),
            Self::MemoryLimit => ("MLE", "it used more memory than allowed"),
            Self::OutputLimit => ("OLE", "it wrote more than allowed"),
            Self::ProcessLimit => ("PLE", "it started too many processes or threads"),
            Self::RuntimeError => ("RE", "it ended with an error or a signal"),
            Self::CompileError => ("CE", "its source did not compile"),
            Self::CannotStart => ("CS", "it could not be started"),
            Self::JudgeError => ("JE", "the judge or the checker is at fault"),
            Self::Skipped => ("–", "the case was not run"),
        }
    }

    /// Returns what it means for the author of a solver.
    pub fn meaning(self) -> &'static str {
        self.texts().1
    }

    /// Returns the short code used in tables.
    pub fn code(self) -> &'static str {
        self.texts().0
    }
}

/// The decision of a checker on an answer. Shown as `accepted SCORE` or `rejected PLACE: WHY`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ruling {
    /// The answer is valid and has this score.
    Accepted(Score),
    /// The answer breaks a rule.
    Rejected(Rejection),
}

/// Why an answer is not valid. Shown as `PLACE: WHY`, or as `WHY` without a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    /// Which rule is broken, and where.
    pub broken: BrokenRule,
    /// The checker's message: which rule, what was expected, and what was found.
    pub reason: String,
}

/// Which rule an answer breaks, and where. Parts that the checker does not report are absent. Shown as the place: `line
/// 3, column 5, move 2`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BrokenRule {
    /// The line of the answer, from 1.
    pub line: Option<NonZeroUsize>,
    /// The byte within the line, from 1.
    pub column: Option<NonZeroUsize>,
    /// The move of the game, from 1.
    pub step: Option<NonZeroUsize>,
    /// The rule, in a few words.
    pub rule: Option<String>,
}

impl Ruling {
    /// Returns a rejection with a reason only.
    pub fn rejected(reason: String) -> Self {
        Self::Rejected(Rejection { broken: BrokenRule::default(), reason })
    }
}

impl BrokenRule {
    /// Returns whether the checker reported a place.
    pub fn has_place(&self) -> bool {
        self.line.is_some() || self.column.is_some() || self.step.is_some()
    }
}

impl From<checkers::Rejection> for Ruling {
    fn from(rejection: checkers::Rejection) -> Self {
        let reason = rejection.reason();
        let checkers::Rejection { place, step, rule, .. } = rejection;
        let broken = BrokenRule {
            line: NonZeroUsize::new(place.line),
            column: NonZeroUsize::new(place.column),
            step: step.and_then(NonZeroUsize::new),
            rule: Some(rule),
        };
        Self::Rejected(Rejection { broken, reason })
    }
}

impl fmt::Display for Ruling {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Accepted(score) => write!(formatter, "accepted {score}"),
            Self::Rejected(rejection) if rejection.broken.has_place() => write!(formatter, "rejected {rejection}"),
            Self::Rejected(rejection) => write!(formatter, "rejected answer: {rejection}"),
        }
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.broken.has_place() {
            write!(formatter, "{}: ", self.broken)?;
        }
        formatter.write_str(&self.reason)
    }
}

impl fmt::Display for BrokenRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [("line", self.line), ("column", self.column), ("move", self.step)];
        let said = parts.into_iter().filter_map(|(name, number)| Some((name, number?)));
        for (number, (name, value)) in said.enumerate() {
            write!(formatter, "{}{name} {value}", if number == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

/// The exit code of the judge. Scripts rely on it. A worse one is larger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// Every case was accepted, and the gate, if any, passed.
    Success = 0,
    /// A case was not accepted, or the gate failed.
    NotAccepted = 1,
    /// The arguments, the catalogue or the given files are wrong.
    Usage = 2,
    /// The judge failed.
    Fault = 3,
    /// It was interrupted.
    Interrupted = 130,
}

impl Exit {
    /// Returns the exit code.
    pub fn code(self) -> u8 {
        self as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(line: usize, column: usize, step: usize) -> BrokenRule {
        let [line, column, step] = [line, column, step].map(NonZeroUsize::new);
        BrokenRule { line, column, step, rule: None }
    }

    #[test]
    fn a_ruling_is_shown_with_what_its_checker_says() {
        let shown = |broken| Ruling::Rejected(Rejection { broken, reason: "why".to_owned() }).to_string();
        assert_eq!(Ruling::Accepted(12.into()).to_string(), "accepted 12");
        assert_eq!(Ruling::rejected("why".to_owned()).to_string(), "rejected answer: why");
        assert_eq!(shown(broken(1, 2, 3)), "rejected line 1, column 2, move 3: why");
        assert_eq!(shown(broken(1, 2, 0)), "rejected line 1, column 2: why");
        assert_eq!(shown(broken(0, 0, 3)), "rejected move 3: why");
    }

    #[test]
    fn a_built_in_checkers_rejection_keeps_its_words_and_fields() {
        for checker in checkers::all() {
            let input = checker.generate(1).unwrap();
            let result = checker.read(&input).unwrap().check(b"x");
            let Err(checkers::CheckError::Rejected(rejection)) = result else { panic!("{}: {result:?}", checker.id) };
            let ruling = Ruling::from(rejection.clone());
            assert_eq!(ruling.to_string(), format!("rejected {rejection}"), "{}", checker.id);
            let place = rejection.place;
            let fields = broken(place.line, place.column, rejection.step.unwrap_or(0));
            let broken = BrokenRule { rule: Some(rejection.rule), ..fields };
            assert!(
                matches!(&ruling, Ruling::Rejected(Rejection { broken: kept, .. }) if *kept == broken),
                "{ruling:?}"
            );
        }
    }
}
