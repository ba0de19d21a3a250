//! The report of a comparison: the value that every format is rendered from.

use crate::model::{JobId, Outcome, OutcomeGrid, Provenance, Rule, RunId, Stop, one_line};
use crate::paired::{Claim, Contrast, EffectMeasure, FeatureRange, Inference, PairedComparison, TestParameters};
use crate::plan::Plan;
use crate::report::text::reference::Reference;
use crate::statistics::Hypothesis;
use judge_sandbox::Tier;
use std::time::Duration;

/// The report of a comparison.
#[derive(Debug)]
pub struct CompareReport<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The outcomes.
    pub outcomes: &'a OutcomeGrid,
    /// The measure of the effects.
    pub measure: EffectMeasure,
    /// The rule that the run is scored by.
    pub rule: &'a Rule,
    /// The probability of a false claim, over all comparisons together.
    pub alpha: f64,
    /// The parameters of each test.
    pub parameters: TestParameters,
    /// Whether cases were added until it was decided.
    pub is_sequential: bool,
    /// Every solver but the first, compared with the first.
    pub comparisons: &'a [Comparison],
    /// The feature by which the cases are grouped, if they are.
    pub group_by: Option<&'a str>,
    /// Why it ended early, if it did.
    pub stop: Option<Stop>,
    /// How the solvers were run; `None` if all results are of past runs.
    pub run_info: Option<RunInfo>,
    /// When, how and where the command ran.
    pub provenance: Provenance,
    /// The past run of each solver; `None` if it was run now.
    pub runs: &'a [Option<RunId>],
    /// Missing results, and conditions that differ between solvers.
    pub warnings: &'a [String],
    /// Whether all times were measured under the same conditions: on the same machine, or on the nodes of the results.
    pub times_are_comparable: bool,
}

/// How solvers were run.
#[derive(Debug, Clone)]
pub struct RunInfo {
    /// How long it took.
    pub elapsed: Duration,
    /// How many solvers ran at once.
    pub jobs: usize,
    /// The sandbox's tier.
    pub tier: Tier,
    /// The gaps of that tier.
    pub gaps: Vec<String>,
}

/// A solver compared with the first one.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// Their effects.
    pub paired: PairedComparison,
    /// The inference from them.
    pub inference: Inference,
    /// The same for each range of a feature, if requested.
    pub ranges: Vec<FeatureRange>,
    /// Whether the ratio of the scores points elsewhere than the problem's rule.
    pub contrast: Option<Contrast>,
}

impl CompareReport<'_> {
    /// Returns what the points that are compared are relative to; `None` where scores are compared, or the rule takes no best
    /// score.
    pub(super) fn reference(&self) -> Option<Reference<'_>> {
        let reference = Reference::of(self.rule, self.plan, self.outcomes);
        reference.filter(|_| self.measure == EffectMeasure::Points)
    }

    /// Returns a solver's name.
    pub(super) fn name(&self, solver: usize) -> &str {
        &self.plan.solvers[solver].spec.name
    }

    /// Returns a solver's name as it is shown.
    pub(in crate::report) fn shown(&self, solver: usize) -> String {
        one_line(self.name(solver)).into_owned()
    }

    /// Returns whether the mean effect is biased upward: cases ended because it was large.
    pub(super) fn is_biased(&self, comparison: &Comparison) -> bool {
        self.is_sequential
            && matches!(comparison.inference.claim, Claim::Better | Claim::Worse | Claim::Accepted(Hypothesis::H1))
    }

    /// Returns whether these solvers ran a case on the same processor.
    pub(super) fn is_on_one_processor(&self, case: usize, solvers: [usize; 2]) -> bool {
        let nodes = &self.provenance.nodes;
        if nodes.is_empty() {
            return true;
        }
        let [first, second] = solvers.map(|solver| self.outcome(case, solver));
        first.zip(second).is_none_or(|(first, second)| nodes.processor(&first) == nodes.processor(&second))
    }

    /// Returns the CPU times of a solver; none if they cannot be compared with each other.
    pub(super) fn cpu_times(&self, solver: usize) -> impl Iterator<Item = Duration> {
        let differ = self.provenance.nodes.differ();
        self.outcomes.of_solver(solver).flatten().filter(move |_| !differ).filter_map(|outcome| outcome.cpu)
    }

    /// Returns the outcome of a job, if it was finished.
    pub(super) fn outcome(&self, case: usize, solver: usize) -> Option<Outcome> {
        self.outcomes.get(JobId { case, solver })
    }
}
