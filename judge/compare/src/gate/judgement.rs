//! The limits of a gate, and its judgement.

use super::baseline::Sample;
use super::noise::NoiseTest;
use judge_problem::{Direction, Verdict};
use num_rational::BigRational;

/// What a gate ends with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GateVerdict {
    /// The solver is as good as its baseline.
    Holds,
    /// It is worse.
    Fails,
    /// It looks worse, and so would the same solver on so busy a machine.
    NotComparable,
}

impl GateVerdict {
    /// Returns the name in every report.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Fails => "fails",
            Self::NotComparable => "not-comparable",
        }
    }
}

/// The limits of a gate.
#[derive(Debug, Clone, PartialEq)]
pub struct GateLimits {
    /// Which scores are good.
    pub direction: Direction,
    /// The share by which the total may fall.
    pub max_drop: BigRational,
    /// The probability of a false alarm about the total where scores vary.
    pub alpha: f64,
    /// The same about the cases with a tolerance, which share it.
    pub case_alpha: f64,
    /// Whether the gate runs again, up to [`super::noise::MOST_RUNS`] times, while the total is doubtful.
    pub may_repeat: bool,
    /// Where scores do not vary: complain about a fallen total only if the mean paired effect is certainly a fall: if the two-sided interval with
    /// this error probability excludes 0.
    pub confident: Option<f64>,
    /// The limit of the CPU time, if there is one.
    pub time: Option<TimeLimit>,
}

/// The limit of a rise in CPU time.
#[derive(Debug, Clone, PartialEq)]
pub struct TimeLimit {
    /// The share by which the total CPU time may rise.
    pub max_rise: f64,
    /// The error probability of the interval of the mean log-ratio. For a complaint, all of it must lie above the
    /// limit, since single times are noisy.
    pub alpha: f64,
}

/// A reason why the gate does not hold.
#[derive(Debug, Clone, PartialEq)]
pub enum Complaint {
    /// The two runs are of different problems, or of one whose terms have changed: nothing was compared.
    ProblemChanged {
        /// The recorded one.
        was: String,
        /// The current one.
        now: String,
    },
    /// The scores are of different checkers: nothing was compared.
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
    /// A case of this name has another input now: its scores were not compared.
    InputChanged {
        /// Its name.
        case: String,
    },
    /// A case that was accepted is not.
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
        /// The share it fell by.
        drop: BigRational,
    },
    /// The total fell by more than it may.
    TotalFell {
        /// The share it fell by. `None` if the recorded total is 0.
        drop: Option<BigRational>,
    },
    /// The CPU time rose by more than it may.
    TimeRose {
        /// The share it rose by.
        rise: f64,
    },
}

impl Complaint {
    /// Returns whether a busy machine can be the reason.
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
    /// Why the gate does not hold. It holds if there are none.
    pub complaints: Vec<Complaint>,
    /// The changed scores, on cases accepted both times.
    pub changes: Vec<Change>,
    /// The cases that are accepted now and were not.
    pub fixed: Vec<String>,
    /// The cases that the baseline does not have.
    pub added: Vec<String>,
    /// The recorded total over the cases accepted both times.
    pub total_was: BigRational,
    /// The current total over the same cases.
    pub total_now: BigRational,
    /// The test of the total, if scores vary.
    pub noise: Option<NoiseTest>,
    /// With a limit of the CPU time: the number of cases that have times of different processors, which are not compared.
    pub untimed: usize,
    /// Whether other programs disturbed clearly more runs than those of the baseline.
    pub is_disturbed: bool,
}

impl Judgement {
    /// Returns whether the gate holds.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.complaints.is_empty()
    }

    /// Returns the verdict. A busy machine makes a solver slower and its scores lower, never better: a gate that holds on
    /// one holds.
    #[must_use]
    pub fn verdict(&self) -> GateVerdict {
        if self.holds() {
            GateVerdict::Holds
        } else if self.is_disturbed && self.complaints.iter().all(Complaint::may_be_disturbance) {
            GateVerdict::NotComparable
        } else {
            GateVerdict::Fails
        }
    }

    /// Returns whether another run should tell if the total is low by chance: nothing else is wrong, and it may be.
    #[must_use]
    pub fn is_doubtful(&self) -> bool {
        let is_total = |complaint: &Complaint| matches!(complaint, Complaint::TotalFell { .. });
        self.complaints.iter().all(is_total) && self.noise.as_ref().is_some_and(NoiseTest::is_doubtful)
    }

    /// Returns whether `--update` should rewrite the baseline: the gate holds and something is better.
    #[must_use]
    pub fn is_better(&self, direction: Direction) -> bool {
        let total = direction.compare(&self.total_now, &self.total_was);
        self.holds() && total.is_ge() && (total.is_gt() || !self.fixed.is_empty())
    }
}
