//! The comparison of a search's winner with the default setting, on cases that took no part in the search.

use judge_compare::paired;
use judge_compare::paired::{EffectMeasure, TestParameters};
use judge_problem::{CaseSpec, Solver, Stop};
use judge_report::{CompareReport, ComparedRuns, Comparison, TuneComparison};
use judge_session::failure::Failure;
use judge_session::match_runner::MatchRunner;
use judge_session::provenance;
use judge_statistics::tune::ParameterSetting;

/// What is compared, and how.
pub(super) struct Confirmation<'a> {
    /// The default setting, and whether the user gave a part of it.
    pub(super) default: &'a ParameterSetting,
    pub(super) is_given: bool,
    /// The default setting and the winner as solvers.
    pub(super) solvers: [Solver; 2],
    /// The cases of the search.
    pub(super) training: &'a [CaseSpec],
    /// The number of fresh cases.
    pub(super) cases: usize,
    pub(super) measure: Option<EffectMeasure>,
    pub(super) alpha: f64,
}

impl Confirmation<'_> {
    /// Runs both settings on fresh cases, as a run of its own in the journal. `None` if no case was finished.
    pub(super) fn run(self, runner: &MatchRunner<'_>) -> Result<Option<TuneComparison>, Failure> {
        let is_fresh = |case: &CaseSpec| !self.training.iter().any(|other| other.source == case.source);
        let cases = runner.fresh_cases(None)?.filter(is_fresh).take(self.cases).collect();
        let played = runner.play(runner.plan(self.solvers.to_vec(), cases)?)?;
        if played.outcomes.finished().next().is_none() {
            return Ok(None);
        }
        let scored = played.scored()?;
        let measure = scored.measure(self.measure, None);
        let min_effect = measure.min_effect(&scored.rule, None)?;
        let parameters = TestParameters { alpha: self.alpha, min_effect, bound: None, rare: None, hypotheses: None };
        let paired = scored.paired(measure, 1);
        let inference = paired::infer_fixed(&paired, parameters);
        let contrast = scored.contrast(1, self.alpha);
        let comparison = Comparison { paired, inference, ranges: Vec::new(), contrast };
        let report = CompareReport {
            compared: ComparedRuns {
                plan: &played.plan,
                outcomes: &played.outcomes,
                measure,
                rule: &scored.rule,
                alpha: self.alpha,
                is_sequential: false,
                stop: played.stop,
                run_info: None,
                provenance: provenance::here(),
                warnings: &[],
            },
            parameters,
            is_whole_contest: false,
            comparisons: std::slice::from_ref(&comparison),
            group_by: None,
            order: None,
            runs: &[None, None],
            times_are_comparable: false,
        };
        Ok(Some(TuneComparison {
            default: self.default.clone(),
            is_given: self.is_given,
            cases: played.plan.cases.iter().map(|case| case.name.clone()).collect(),
            measure,
            verdict: report.verdict(&comparison),
            claim: comparison.inference.claim,
            pairs: comparison.paired.pairs.len(),
            mean: comparison.inference.summary.as_ref().map(|summary| summary.moments.mean()),
            interval: comparison.inference.interval,
            stop: played.stop.filter(|stop| *stop == Stop::Interrupted),
        }))
    }
}
