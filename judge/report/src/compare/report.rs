//! The report of a comparison: the value that every format is made from, and the line that follows its intervals.

use crate::run::report::outcome_badness;
use crate::text::{
    Counts, INTERVAL, Reference, bar, between, milliseconds, note, print_event, provenance_lines, signed,
};
use indicatif::ProgressBar;
use judge_compare::paired::{
    Claim, Contrast, EffectMeasure, FeatureRange, Inference, Pair, PairedComparison, TestParameters,
};
use judge_problem::{
    JobId, Outcome, OutcomeGrid, Plan, Provenance, RowKey, RowOrder, Rule, RunEvent, RunId, Stop, TestGroup, counted,
    one_line,
};
use judge_sandbox::Tier;
use judge_statistics::{Hypothesis, Interval, Moments, mean_interval};
use num_rational::BigRational;
use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

/// The results of solvers that are compared or ranked, and how they were obtained.
#[derive(Debug)]
pub struct ComparedRuns<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The outcomes. A solver that is ranked may lack those after its places were decided.
    pub outcomes: &'a OutcomeGrid,
    /// The measure of the effects.
    pub measure: EffectMeasure,
    /// The metric whose values are compared instead of the scores.
    pub metric: Option<String>,
    /// The rule that the run is scored by.
    pub rule: &'a Rule,
    /// The probability of a false claim, over all claims together.
    pub alpha: f64,
    /// Whether cases were added until it was decided.
    pub is_sequential: bool,
    /// Why it ended early, if it did.
    pub stop: Option<Stop>,
    /// How the solvers were run; `None` if all results are of past runs.
    pub run_info: Option<RunInfo>,
    /// When, how and where the command ran.
    pub provenance: Provenance,
    /// Missing results, and conditions that differ between solvers.
    pub warnings: &'a [String],
}

impl ComparedRuns<'_> {
    /// Returns the problem with the number of cases.
    pub(super) fn title(&self) -> String {
        let metric = self.metric.as_ref().map_or_else(String::new, |name| format!(", by the metric `{name}`"));
        format!("{}: {}{metric}", self.plan.problem.id, self.cases())
    }

    /// Returns the number of cases in words. After an early end, it says how many of them were run.
    pub(super) fn cases(&self) -> String {
        let all = self.plan.cases.len();
        let is_run = |&case: &usize| {
            (0..self.plan.solvers.len()).any(|solver| self.outcomes.get(JobId { case, solver }).is_some())
        };
        let run = self.stop.map_or(all, |_| (0..all).filter(is_run).count());
        if run == all { counted(all, "case") } else { format!("{run} of {}", counted(all, "case")) }
    }

    /// Returns how many cases of a solver ended with which verdict.
    pub(super) fn counts(&self, solver: usize) -> Counts {
        self.outcomes.of_solver(solver).flatten().map(|outcome| outcome.verdict).collect()
    }

    /// Returns where the results are from, as part of a line.
    pub(super) fn source(&self) -> String {
        let Some(RunInfo { elapsed, jobs, tier, .. }) = &self.run_info else { return "all from past runs".to_owned() };
        format!("{} with {}; sandbox tier {tier}", milliseconds(*elapsed), counted(*jobs, "job"))
    }

    /// Returns the last lines of a sheet: the warnings, and when, how and where the command ran.
    pub(super) fn sheet_lines(&self) -> impl Iterator<Item = String> {
        let limits = self.run_info.as_ref().map(|_| &self.plan.limits);
        let warnings = self.warnings.iter().map(|warning| format!("warning: {warning}"));
        warnings.chain(provenance_lines(&self.provenance, limits))
    }
}

/// The report of a comparison.
#[derive(Debug)]
pub struct CompareReport<'a> {
    /// The results that are compared.
    pub compared: ComparedRuns<'a>,
    /// The parameters of each test.
    pub parameters: TestParameters,
    /// Whether the cases are all that the contest has.
    pub is_whole_contest: bool,
    /// Every solver but the first, compared with the first.
    pub comparisons: &'a [Comparison],
    /// The feature by which the cases are grouped, if they are.
    pub group_by: Option<&'a str>,
    /// The order of the cases, if the user chose one; otherwise the worst losses and the best gains are shown.
    pub order: Option<RowOrder>,
    /// The past run of each solver; `None` if it was run now.
    pub runs: &'a [Option<RunId>],
    /// Whether all times were measured under the same conditions: on one machine, or on the nodes that the results
    /// name.
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
    /// Where the ratio of the scores and the problem's rule favour different solvers.
    pub contrast: Option<Contrast>,
}

impl CompareReport<'_> {
    /// Returns the reference that the compared points are relative to; `None` if scores are compared, or if the rule
    /// uses no best score.
    pub(super) fn reference(&self) -> Option<Reference> {
        let reference = Reference::of(self.compared.rule, self.compared.plan, self.compared.outcomes);
        reference.filter(|_| self.compared.measure.counts_failures())
    }

    /// Returns a solver's name.
    pub(super) fn name(&self, solver: usize) -> &str {
        &self.compared.plan.solvers[solver].spec.name
    }

    /// Returns a solver's name as it is shown.
    pub(crate) fn shown(&self, solver: usize) -> String {
        one_line(self.name(solver)).into_owned()
    }

    /// Returns whether the mean effect is exaggerated: cases ended because it was large.
    pub(super) fn is_exaggerated(&self, comparison: &Comparison) -> bool {
        self.compared.is_sequential
            && matches!(comparison.inference.claim, Claim::Better | Claim::Worse | Claim::Accepted(Hypothesis::H1))
    }

    /// Returns whether Student's interval excludes 0, and was extended to 0 because the other tests do not agree.
    pub(super) fn is_extended(&self, comparison: &Comparison) -> bool {
        let summary = comparison.inference.summary.as_ref().filter(|_| !self.compared.is_sequential);
        summary.is_some_and(|summary| {
            let student = mean_interval(&summary.moments, self.parameters.alpha);
            summary.interval.contains(0.0) && student.is_some_and(|student| !student.contains(0.0))
        })
    }

    /// Returns whether the problem has test groups that count as a whole, so that each has one effect.
    pub(super) fn has_whole_groups(&self) -> bool {
        self.compared.plan.problem.test_groups.iter().any(TestGroup::counts_as_a_whole)
    }

    /// Returns whether the sum over these cases is the result of the contest: they are all its cases, and each of them
    /// counts.
    pub(super) fn is_result(&self, paired: &PairedComparison) -> bool {
        self.is_whole_contest
            && self.compared.measure.counts_failures()
            && paired.cases == self.compared.plan.cases.len()
    }

    /// Returns the note on cases that have no effect of their own, if there are any.
    pub(super) fn units_in_words(&self, paired: &PairedComparison) -> Option<String> {
        let (cases, effects) = (paired.cases, paired.pairs.len());
        match cases.checked_sub(effects) {
            None | Some(0) => None,
            Some(_) if self.has_whole_groups() => {
                let effects = counted(effects, "effect");
                Some(format!(
                    "{cases} cases make {effects}: a test group that counts as a whole has one, and groups with a common input or failure have one together"
                ))
            }
            Some(repeated) => Some(format!(
                "{} the input of another one: cases with the same input count once, so that {effects} of {cases} have an effect of their own",
                if repeated == 1 { "1 case has".to_owned() } else { format!("{repeated} cases have") }
            )),
        }
    }

    /// Returns how a case's own score changed, as a share of it, where effects are shares of the total.
    pub(super) fn own_change(&self, pair: &Pair) -> Option<f64> {
        (self.compared.measure == EffectMeasure::Total && pair.base != 0.0).then(|| pair.effect / pair.base.abs())
    }

    /// Returns a case's contribution to the change of the total, as a share of it.
    pub(super) fn of_total(&self, paired: &PairedComparison, pair: &Pair) -> Option<f64> {
        (self.compared.measure == EffectMeasure::Total).then(|| pair.effect / paired.pairs.len() as f64)
    }

    /// Returns the name of a case, or of the group that it counts together with.
    pub(super) fn effect_name(&self, case: usize) -> String {
        let (problem, case) = (&self.compared.plan.problem, self.compared.plan.cases.at(case));
        let group = problem.test_group_of(&case).map(|group| &problem.test_groups[group]);
        match group.filter(|group| group.counts_as_a_whole()) {
            Some(group) => format!("group {}", group.name),
            None => case.name.to_string(),
        }
    }

    /// Returns whether these solvers ran a case on the same processor.
    pub(super) fn is_on_one_processor(&self, case: usize, solvers: [usize; 2]) -> bool {
        let nodes = &self.compared.provenance.nodes;
        if nodes.is_empty() {
            return true;
        }
        let [first, second] = solvers.map(|solver| self.outcome(case, solver));
        first.zip(second).is_none_or(|(first, second)| nodes.processor(&first) == nodes.processor(&second))
    }

    /// Returns the mean logarithm of the ratio of the CPU times with Student's interval, on the cases that both ran on the
    /// same processor.
    pub(super) fn time_change(&self, paired: &PairedComparison) -> Option<(f64, Interval)> {
        let solvers = [paired.first, paired.second];
        let seconds = |case, solver| Some(self.outcome(case, solver)?.cpu?.as_secs_f64()).filter(|time| *time > 0.0);
        let ratio = |pair: &Pair| Some((seconds(pair.case, paired.second)? / seconds(pair.case, paired.first)?).ln());
        let like = paired.pairs.iter().filter(|pair| self.is_on_one_processor(pair.case, solvers));
        let moments = Moments::of(&like.filter_map(ratio).collect::<Vec<_>>());
        let interval = mean_interval(&moments, self.parameters.alpha).filter(|_| self.times_are_comparable)?;
        Some((moments.mean(), interval))
    }

    /// Returns the CPU times of a solver; none if they cannot be compared with each other.
    pub(super) fn cpu_times(&self, solver: usize) -> impl Iterator<Item = Duration> {
        let differ = self.compared.provenance.nodes.differ();
        self.compared.outcomes.of_solver(solver).flatten().filter(move |_| !differ).filter_map(|outcome| outcome.cpu)
    }

    /// Returns the cases of a comparison in the order that the user chose, by the results of the second solver;
    /// otherwise from the largest loss to the largest gain.
    pub(super) fn sorted_pairs(&self, paired: &PairedComparison) -> Vec<Pair> {
        let order = self.order.unwrap_or(RowOrder { key: RowKey::Lost, best_first: false, top: None });
        let badness = |pair: &Pair| {
            let outcome = self.outcome(pair.case, paired.second);
            match order.key {
                RowKey::Lost | RowKey::Points => BigRational::from_float(-pair.effect),
                key => outcome_badness(key, &outcome?, self.compared.plan.problem.direction),
            }
        };
        order.sorted(paired.pairs.iter().map(|pair| (badness(pair), *pair)).collect())
    }

    /// Returns the effects for a report: in the order and up to the number that the user chose, or else in the order of
    /// the plan.
    pub(super) fn listed_pairs<'b>(&'b self, paired: &'b PairedComparison) -> Box<dyn Iterator<Item = Pair> + 'b> {
        match self.order {
            Some(order) => Box::new(self.sorted_pairs(paired).into_iter().take(limit(order))),
            None => Box::new(paired.pairs.iter().copied()),
        }
    }

    /// Returns the cases for a report, in the same order. Cases without an effect of their own come last.
    pub(super) fn listed_cases<'b>(
        &'b self,
        paired: Option<&'b PairedComparison>,
    ) -> Box<dyn Iterator<Item = usize> + 'b> {
        let all = 0..self.compared.plan.cases.len();
        let (Some(order), Some(paired)) = (self.order, paired) else { return Box::new(all) };
        let mut cases: Vec<usize> = self.sorted_pairs(paired).iter().map(|pair| pair.case).collect();
        let sorted: HashSet<usize> = cases.iter().copied().collect();
        cases.extend(all.filter(|case| !sorted.contains(case)));
        Box::new(cases.into_iter().take(limit(order)))
    }

    /// Returns the outcome of a job, if it was finished.
    pub(super) fn outcome(&self, case: usize, solver: usize) -> Option<Outcome> {
        self.compared.outcomes.get(JobId { case, solver })
    }
}

/// The interim result of a comparison.
#[derive(Debug)]
pub struct InterimResult<'a> {
    /// The name of the solver that is compared with the first.
    pub name: &'a str,
    /// Their effects.
    pub paired: PairedComparison,
    /// The inference from them.
    pub interim: Inference,
}

/// The shrinking interval as a display: on a terminal, a line that changes; elsewhere, a line each time the number of
/// cases doubles, and every ten seconds.
#[derive(Debug)]
pub struct IntervalProgress {
    bar: ProgressBar,
    next_note: usize,
    noted: Instant,
}

impl IntervalProgress {
    /// Starts the display for at most this many runs.
    pub fn start(most_runs: usize) -> Self {
        let bar = bar(most_runs, "{spinner} {pos} of at most {len} runs, {elapsed} elapsed; {msg}");
        Self { bar, next_note: 1, noted: Instant::now() }
    }

    /// Shows an event.
    pub fn watch(&mut self, event: &RunEvent) {
        match event {
            RunEvent::Finished(_) => self.bar.inc(1),
            event => print_event(&self.bar, event),
        }
    }

    /// Shows the current intervals.
    pub fn update(&mut self, measure: EffectMeasure, results: &[InterimResult<'_>]) {
        let cases = results.iter().map(|result| result.paired.pairs.len()).max().unwrap_or(0);
        let words = results.iter().map(|result| match results.len() {
            1 => in_words(measure, result),
            _ => format!("{} {}", one_line(result.name), in_words(measure, result)),
        });
        let text = format!("{}: {}", counted(cases, "case"), words.collect::<Vec<_>>().join("; "));
        if !self.bar.is_hidden() {
            self.bar.set_message(text);
        } else if cases >= self.next_note || self.noted.elapsed() >= INTERVAL {
            note(&text);
            self.next_note = self.next_note.max(cases * 2);
            self.noted = Instant::now();
        }
    }

    /// Removes the line.
    pub fn finish(self) {
        self.bar.finish_and_clear();
    }
}

fn in_words(measure: EffectMeasure, InterimResult { paired, interim, .. }: &InterimResult<'_>) -> String {
    let mean = Moments::of(&paired.effects()).mean();
    let interval =
        interim.interval.map_or_else(|| "the interval is still open".to_owned(), |now| between(measure, now));
    format!("{}, {interval}", signed(measure, mean))
}

/// Returns the number of rows that the user chose.
pub(crate) fn limit(order: RowOrder) -> usize {
    order.top.map_or(usize::MAX, NonZeroUsize::get)
}
