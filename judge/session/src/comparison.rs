//! The outcomes of a comparison with its effects, and the report of both.

use crate::entrants::Entrant;
use crate::pairing::Pairing;
use crate::{Failure, MatchResult, Result, ScoredMatch, case_selection, recorder};
use judge_cli::{CompareArgs, StatisticsArgs};
use judge_compare::paired::{
    self, EffectLevel, EffectMeasure, FeatureRange, FeatureValue, Inference, MinEffect, TestParameters,
};
use judge_problem::{
    CaseList, CaseName, CaseSpec, Direction, Features, Outcome, OutcomeGrid, Plan, Problem, Provenance, Rule, RunId,
    StoredFeatures,
};
use judge_report::{CompareReport, ComparedRuns, Comparison};
use judge_run::cases::{Selection, describe_all, select};
use judge_statistics::Hypotheses;
use std::borrow::Cow;
use std::collections::HashSet;

/// The outcomes of a comparison, with its effects.
pub struct Compared {
    /// The solvers on the same cases.
    pub pairing: Pairing,
    /// One comparison for each solver after the first.
    pub comparisons: Vec<Comparison>,
    /// The parameters of the tests.
    pub parameters: TestParameters,
    measure: EffectMeasure,
    rule: Rule,
    runs: Vec<Option<RunId>>,
}

impl Compared {
    /// Compares every entrant with the first one.
    pub fn of(args: &CompareArgs, entrants: &[Entrant], pairing: Pairing) -> Result<Self> {
        let mut pairing = measured_pairing(pairing, &args.statistics)?;
        let scored = pairing.played.scored()?;
        let measure = measure(&scored, args);
        let parameters = parameters(args, measure, &scored.rule, pairing.played.plan.solvers.len() - 1)?;
        pairing.warnings.extend(min_effect_warning(args, measure, &scored.rule));
        let comparisons = comparisons(&scored, args, measure, parameters, &pairing.features)?;
        let rule = scored.rule;
        let runs = entrants.iter().map(|entrant| entrant.past.as_ref().map(|past| past.run.id)).collect();
        Ok(Self { pairing, comparisons, parameters, measure, rule, runs })
    }

    /// Returns the report.
    pub fn report<'a>(&'a self, args: &'a CompareArgs, provenance: Provenance) -> CompareReport<'a> {
        CompareReport {
            compared: compared_runs(
                &args.statistics,
                args.until_decided,
                &self.pairing,
                self.measure,
                &self.rule,
                provenance,
            ),
            parameters: self.parameters,
            is_whole_contest: !args.until_decided && is_whole_contest(&self.pairing.played.plan),
            comparisons: &self.comparisons,
            group_by: args.group_by.as_deref(),
            order: args.sort.order(),
            runs: &self.runs,
            times_are_comparable: self.pairing.times_are_comparable,
        }
    }
}

/// Returns which values of a metric are better.
fn direction_of(problem: &Problem, name: &str) -> Result<Direction> {
    case_selection::check_metric(problem, name)?;
    let rule = problem.metrics.iter().find(|rule| rule.name == name);
    rule.and_then(|rule| rule.direction).ok_or_else(|| {
        let error = format!("[problem.metrics] does not say which values of `{name}` are better");
        Failure::usage(error).with_hint(format!("{name} = {{ direction = \"min\" }}, or \"max\""))
    })
}

/// Fails if a metric is to be compared that the problem does not have.
pub fn check_metric(statistics: &StatisticsArgs, problem: &Problem) -> Result<()> {
    statistics.metric().map_or(Ok(()), |name| direction_of(problem, name).map(|_| ()))
}

/// Returns the problem for the comparison. For a metric, its values take the place of the scores.
pub fn measured_problem(problem: &Problem, statistics: &StatisticsArgs) -> Result<Problem> {
    let mut problem = problem.clone();
    if let Some(name) = statistics.metric() {
        problem.direction = direction_of(&problem, name)?;
        (problem.scoring, problem.failure) = (Rule::Sum, None);
        problem.test_groups.clear();
    }
    Ok(problem)
}

/// Returns an outcome for the comparison. For a metric, its value takes the place of the score. An accepted outcome
/// without this metric is left out.
pub fn measured_outcome(outcome: Outcome, statistics: &StatisticsArgs) -> Option<Outcome> {
    let Some(name) = statistics.metric() else { return Some(outcome) };
    let score = outcome.metrics.get(name).filter(|_| outcome.is_accepted()).cloned();
    let lacks = outcome.is_accepted() && score.is_none();
    (!lacks).then_some(Outcome { score, ..outcome })
}

/// Returns results as the comparison sees them: with the values of a metric as scores.
pub fn measured<'a>(played: &'a MatchResult, statistics: &StatisticsArgs) -> Result<Cow<'a, MatchResult>> {
    if statistics.metric().is_none() {
        return Ok(Cow::Borrowed(played));
    }
    let mut played = played.clone();
    let MatchResult { plan, outcomes, .. } = &mut played;
    let mut grid = OutcomeGrid::new(0, plan.solvers.len());
    for case in 0..plan.cases.len() {
        let of_case = outcomes.of_case(case);
        grid.add_case(of_case.map(|outcome| outcome.and_then(|outcome| measured_outcome(outcome, statistics))));
    }
    *outcomes = grid;
    plan.problem = measured_problem(&plan.problem, statistics)?;
    plan.cases = plan.cases.iter().map(|case| CaseSpec::new(case.name, case.source)).collect();
    Ok(Cow::Owned(played))
}

/// Returns paired results as the comparison sees them.
pub fn measured_pairing(pairing: Pairing, statistics: &StatisticsArgs) -> Result<Pairing> {
    let seen = match measured(&pairing.played, statistics)? {
        Cow::Owned(seen) => seen,
        Cow::Borrowed(_) => return Ok(pairing),
    };
    Ok(Pairing { played: seen, ..pairing })
}

/// Returns the description of the runs in reports of comparisons.
pub fn compared_runs<'a>(
    statistics: &StatisticsArgs,
    is_sequential: bool,
    pairing: &'a Pairing,
    measure: EffectMeasure,
    rule: &'a Rule,
    provenance: Provenance,
) -> ComparedRuns<'a> {
    let Pairing { played, run_info, warnings, nodes, .. } = pairing;
    ComparedRuns {
        plan: &played.plan,
        outcomes: &played.outcomes,
        measure,
        metric: statistics.metric().map(str::to_owned),
        rule,
        alpha: statistics.alpha,
        is_sequential,
        stop: played.stop,
        run_info: run_info.clone(),
        provenance: Provenance { nodes: nodes.clone(), reused: recorder::reused(), ..provenance },
        warnings,
    }
}

/// Returns whether the cases are all cases of the contest. This holds for all cases of a problem whose cases are files,
/// or that has test groups or no generator.
fn is_whole_contest(plan: &Plan) -> bool {
    let problem = &plan.problem;
    let is_file = |case: CaseSpec| case.file().is_some();
    let has_no_others =
        problem.generator.is_none() || !problem.test_groups.is_empty() || plan.cases.iter().all(is_file);
    let names: HashSet<CaseName> = plan.cases.iter().map(|case| case.name).collect();
    let are_all = |cases: CaseList| cases.iter().all(|case| names.contains(&case.name));
    has_no_others && select(problem, &Selection::default()).is_ok_and(are_all)
}

/// Returns the measure of effects that the command line chooses for these results.
pub fn measure(scored: &ScoredMatch<'_>, args: &CompareArgs) -> EffectMeasure {
    scored.measure(args.statistics.measure(), unit(args).as_ref())
}

/// Returns the parameters of each test. The comparisons share `--alpha` (Bonferroni), which is the level of all claims
/// together.
pub fn parameters(
    args: &CompareArgs,
    measure: EffectMeasure,
    rule: &Rule,
    comparisons: usize,
) -> Result<TestParameters> {
    let share = 1.0 / comparisons.max(1) as f64;
    let alpha = args.statistics.alpha * share;
    let hypotheses = match (args.h0, args.h1) {
        (Some(h0), Some(h1)) => {
            let (h0, h1) = (measure.level(rule, h0)?, measure.level(rule, h1)?);
            Some(Hypotheses { h0, h1, alpha, beta: args.beta * share })
        }
        _ => None,
    };
    let min_effect = match hypotheses {
        Some(_) => None,
        None => min_effect(args, measure, rule)?,
    };
    Ok(TestParameters { alpha, min_effect, bound: bound(args, measure, rule)?, rare: args.rare, hypotheses })
}

/// Returns the smallest effect that matters, in the unit of the effects. `None` also if it is a percentage, and the
/// effects on these cases are points: a fixed number of cases shows which solver is better without it.
fn min_effect(args: &CompareArgs, measure: EffectMeasure, rule: &Rule) -> Result<Option<f64>> {
    measure.min_effect(rule, args.min_effect.as_ref()).or_else(|error| {
        let error = format!("--min-effect: {error}");
        if !are_points_instead(args, measure, rule) {
            Err(Failure::usage(error))
        } else if args.until_decided {
            Err(Failure::usage(format!("{error}: {NO_SHARES}"))
                .with_hint("name another solver first, or write a number; --reuse takes the results from the journal"))
        } else {
            Ok(None)
        }
    })
}

/// Why effects cannot be shares of the total.
const NO_SHARES: &str = "the first solver's total is 0, or scores have both signs";

/// Returns whether the effects are points because these scores have no shares of the total.
fn are_points_instead(args: &CompareArgs, measure: EffectMeasure, rule: &Rule) -> bool {
    args.statistics.measure().is_none() && measure != EffectMeasure::of_rule_with(rule, unit(args).as_ref())
}

/// Returns a warning if `--min-effect` could not be used for the effects of these cases.
pub fn min_effect_warning(args: &CompareArgs, measure: EffectMeasure, rule: &Rule) -> Option<String> {
    let is_unused =
        are_points_instead(args, measure, rule) && measure.min_effect(rule, args.min_effect.as_ref()).is_err();
    is_unused.then(|| format!("--min-effect was not used: effects are points here, because {NO_SHARES}"))
}

/// Fails before anything runs if the hypotheses, the bound, the smallest effect or the metric cannot be used, as far as the
/// rule shows: cases without thresholds are scored by another rule.
pub fn check(args: &CompareArgs, problem: &Problem) -> Result<()> {
    if let (Some(h0), Some(h1)) = (args.h0, args.h1) {
        let failure = |error| Failure::usage(error).with_hint("such as --h0 0% --h1 1%");
        paired::check_hypotheses(h0, h1).map_err(failure)?;
    }
    let rule = &problem.scoring;
    if !rule.needs_thresholds() {
        let by_rule = EffectMeasure::of_rule_with(rule, unit(args).as_ref());
        let measure = args.statistics.measure().unwrap_or(by_rule);
        bound(args, measure, rule)?;
        if args.h0.is_none() {
            min_effect(args, measure, rule)?;
        }
    }
    check_metric(&args.statistics, problem)
}

/// Returns the size that gives effects their unit: the smallest effect that matters, or the level of a hypothesis.
pub fn unit(args: &CompareArgs) -> Option<MinEffect> {
    let levels = [args.h0, args.h1].into_iter().flatten();
    let amount = levels.filter(|level| level.is_amount()).find_map(|level| match level {
        EffectLevel::Amount(amount) => Some(MinEffect::Amount(amount.abs())),
        EffectLevel::Share(_) => None,
    });
    amount.or_else(|| args.min_effect.clone())
}

/// Returns the bound that `--exact` needs: the bound of the measure, or `--bound`.
fn bound(args: &CompareArgs, measure: EffectMeasure, rule: &Rule) -> Result<Option<f64>> {
    if !args.exact {
        return Ok(None);
    }
    match (measure.bound(rule), args.bound) {
        (Some(_), Some(_)) => {
            Err(Failure::usage(format!("--bound is for scores, and effects by `{measure}` have a bound"))
                .with_hint("omit --bound"))
        }
        (Some(bound), None) => Ok(Some(bound)),
        (None, Some(given)) if measure.is_of_differences(rule) => Ok(Some(given)),
        (None, None) if measure.is_of_differences(rule) => {
            let error = format!("--exact needs a bound, and the scores of the rule `{rule}` have none");
            let hint = "add --bound N, the largest difference between two scores of a case, or --measure relative";
            Err(Failure::usage(error).with_hint(hint))
        }
        (None, _) => {
            let error = format!("--exact needs effects with a bound, and effects by `{measure}` have none");
            Err(Failure::usage(error).with_hint("use --measure relative, or --measure total with --bound N"))
        }
    }
}

/// Compares every solver with the first one.
pub(crate) fn comparisons(
    scored: &ScoredMatch<'_>,
    args: &CompareArgs,
    measure: EffectMeasure,
    parameters: TestParameters,
    stored: &[Option<StoredFeatures>],
) -> Result<Vec<Comparison>> {
    let values = match &args.group_by {
        Some(feature) => feature_values(scored.plan, stored, feature)?,
        None => Vec::new(),
    };
    let comparison = |second| {
        let paired = scored.paired(measure, second);
        let inference: Inference = if args.until_decided {
            paired::infer_sequential(&paired, parameters)?
        } else {
            paired::infer_fixed(&paired, parameters)
        };
        let ranges: Vec<FeatureRange> = paired::by_feature(&paired, values.clone(), parameters);
        let contrast = scored.contrast(second, parameters.alpha);
        Ok(Comparison { paired, inference, ranges, contrast })
    };
    (1..scored.plan.solvers.len()).map(comparison).collect()
}

/// Returns the value of a feature for every case that has it. `stored` are the features in the journal.
fn feature_values(plan: &Plan, stored: &[Option<StoredFeatures>], feature: &str) -> Result<Vec<FeatureValue>> {
    let stored =
        case_selection::stored_by_rules(&plan.problem, stored).filter(|stored| stored.len() == plan.cases.len());
    let features: Vec<Features> = stored.map_or_else(|| describe_all(&plan.problem, &plan.cases), Ok)?;
    case_selection::check_names([feature], &features)?;
    let described = |(case, features): (usize, &Features)| {
        features.get(feature).map(|value| FeatureValue { case, value: value.clone() })
    };
    Ok(features.iter().enumerate().filter_map(described).collect())
}
