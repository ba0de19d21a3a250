//! The limits of a gate, and its judgement.

use super::baseline::Sample;
use super::noise::NoiseTest;
use judge_problem::{Direction, Verdict, named_enum};
use num_rational::BigRational;

named_enum! {
    /// The verdict of a gate.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum GateVerdict {
        /// The solver is as good as its baseline.
        Holds = "holds",
        /// It is worse.
        Fails = "fails",
        /// It looks worse, but the machine was so busy that the same solver could look like this.
        NotComparable = "not-comparable",
    }
}

/// The limits of a gate.
#[derive(Debug, Clone, PartialEq)]
pub struct GateLimits {
    /// Which scores are good.
    pub direction: Direction,
    /// The share by which the total may fall.
    pub max_drop: BigRational,
    /// The probability of a false alarm about the total, if scores vary.
    pub alpha: f64,
    /// The same for all cases with a tolerance together.
    pub case_alpha: f64,
    /// Whether the gate may repeat the run, up to [`super::noise::MAX_RUNS`] times, while the total is doubtful.
    pub may_repeat: bool,
    /// If scores do not vary: complain about a fallen total only if the two-sided interval of the mean paired effect,
    /// with this error probability, excludes 0.
    pub confident: Option<f64>,
    /// The limit of the CPU time, if there is one.
    pub time: Option<TimeLimit>,
}

/// The limit of a rise in CPU time.
#[derive(Debug, Clone, PartialEq)]
pub struct TimeLimit {
    /// The share by which the total CPU time may rise.
    pub max_rise: f64,
    /// The error probability of the interval of the mean log-ratio. A complaint requires that the whole interval is
    /// above the limit, because single times are noisy.
    pub alpha: f64,
}

/// A reason why the gate fails.
#[derive(Debug, Clone, PartialEq)]
pub enum Complaint {
    /// The two runs are of different problems, or the terms of the problem changed. Nothing was compared.
    ProblemChanged {
        /// The recorded one.
        was: String,
        /// The current one.
        now: String,
    },
    /// The scores come from different checkers. Nothing was compared.
    CheckerChanged {
        /// The recorded one.
        was: String,
        /// The current one.
        now: String,
    },
    /// A case of the baseline was not run.
    CaseMissing {
        /// Its name.
        case: String,
    },
    /// The case with this name has another input now. Its scores were not compared.
    InputChanged {
        /// Its name.
        case: String,
    },
    /// A case that was accepted is not accepted now.
    VerdictWorse {
        /// Its name.
        case: String,
        /// The current verdict.
        now: Verdict,
    },
    /// A case's score fell by more than its tolerance.
    CaseFell {
        /// Its name.
        case: String,
        /// The share it fell by. `None` if the recorded score is 0.
        drop: Option<BigRational>,
    },
    /// The total fell by more than allowed.
    TotalFell {
        /// The share it fell by. `None` if the recorded total is 0.
        drop: Option<BigRational>,
    },
    /// The CPU time rose by more than allowed.
    TimeRose {
        /// The share it rose by.
        rise: f64,
    },
}

impl Complaint {
    /// Returns whether a busy machine can be the cause.
    fn may_be_disturbance(&self) -> bool {
        match self {
            Self::CaseFell { .. } | Self::TotalFell { .. } | Self::TimeRose { .. } => true,
            Self::VerdictWorse { now, .. } => matches!(now, Verdict::TimeLimit | Verdict::WallLimit),
            Self::ProblemChanged { .. }
            | Self::CheckerChanged { .. }
            | Self::CaseMissing { .. }
            | Self::InputChanged { .. } => false,
        }
    }
}

/// A changed score.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The case's name.
    pub case: String,
    /// The recorded scores.
    pub was: Sample,
    /// The current ones.
    pub now: Sample,
}

/// The result of a gate.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Judgement {
    /// Why the gate fails. Empty if it holds.
    pub complaints: Vec<Complaint>,
    /// The changed scores of cases accepted in both runs.
    pub changes: Vec<Change>,
    /// The newly accepted cases.
    pub fixed: Vec<String>,
    /// The cases that are not in the baseline.
    pub added: Vec<String>,
    /// The number of cases accepted in both runs.
    pub accepted_in_both: usize,
    /// The recorded total of these cases.
    pub total_was: BigRational,
    /// The current total of the same cases.
    pub total_now: BigRational,
    /// The test of the total, if scores vary.
    pub noise: Option<NoiseTest>,
    /// With a limit of the CPU time: the number of cases whose times are not compared, because they were measured on
    /// different processors.
    pub untimed: usize,
    /// Whether clearly more runs were disturbed than in the baseline.
    pub is_disturbed: bool,
}

impl Judgement {
    /// Returns whether the gate holds.
    pub fn holds(&self) -> bool {
        self.complaints.is_empty()
    }

    /// Returns the verdict. A busy machine makes a solver slower and its scores worse, never better. So a gate that
    /// holds on a busy machine holds.
    pub fn verdict(&self) -> GateVerdict {
        if self.holds() {
            GateVerdict::Holds
        } else if self.is_disturbed && self.complaints.iter().all(Complaint::may_be_disturbance) {
            GateVerdict::NotComparable
        } else {
            GateVerdict::Fails
        }
    }

    /// Returns whether to run again to decide if the low total is due to chance, because there are no other complaints.
    pub fn is_doubtful(&self) -> bool {
        let is_total = |complaint: &Complaint| matches!(complaint, Complaint::TotalFell { .. });
        self.complaints.iter().all(is_total) && self.noise.as_ref().is_some_and(NoiseTest::is_doubtful)
    }

    /// Returns whether `--update` should rewrite the baseline: the gate holds and something is better.
    pub fn is_better(&self, direction: Direction) -> bool {
        let total = direction.compare(&self.total_now, &self.total_was);
        self.holds() && total.is_ge() && (total.is_gt() || !self.fixed.is_empty())
    }
}
