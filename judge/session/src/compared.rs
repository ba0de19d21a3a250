//! The outcomes of a comparison with its effects, and the report of both.

use super::effects::{comparisons, parameters, unit};
use super::entrants::Entrant;
use super::failure::Failure;
use super::pairing::Pairing;
use judge_cli::CompareArgs;
use judge_compare::paired::{EffectMeasure, TestParameters};
use judge_problem::plan::Plan;
use judge_problem::{CaseList, CaseName, CaseSpec, Provenance, Rule, RunId};
use judge_report::{CompareReport, ComparedRuns, Comparison};
use judge_run::cases::{Selection, select};
use std::collections::HashSet;

/// The outcomes of a comparison, with its effects.
pub struct Compared {
    /// The solvers on the same cases.
    pub pairing: Pairing,
    /// One comparison for each solver after the first.
    pub comparisons: Vec<Comparison>,
    /// What the tests were asked for.
    pub parameters: TestParameters,
    measure: EffectMeasure,
    rule: Rule,
    runs: Vec<Option<RunId>>,
}

impl Compared {
    /// Compares every entrant with the first one.
    pub fn of(args: &CompareArgs, entrants: &[Entrant], pairing: Pairing) -> Result<Self, Failure> {
        let scored = pairing.played.scored()?;
        let measure = scored.measure(args.statistics.measure, unit(args).as_ref());
        let parameters = parameters(args, measure, &scored.rule, pairing.played.plan.solvers.len() - 1)?;
        let comparisons = comparisons(&scored, args, measure, parameters, &pairing.features)?;
        let rule = scored.rule;
        let runs = entrants.iter().map(|entrant| entrant.past.as_ref().map(|past| past.run.id)).collect();
        Ok(Self { pairing, comparisons, parameters, measure, rule, runs })
    }

    /// Returns the report.
    pub fn report<'a>(&'a self, args: &'a CompareArgs, provenance: Provenance) -> CompareReport<'a> {
        let Pairing { played, run_info, warnings, times_are_comparable, nodes, .. } = &self.pairing;
        CompareReport {
            compared: ComparedRuns {
                plan: &played.plan,
                outcomes: &played.outcomes,
                measure: self.measure,
                rule: &self.rule,
                alpha: args.statistics.alpha,
                is_sequential: args.until_decided,
                stop: played.stop,
                run_info: run_info.clone(),
                provenance: Provenance { nodes: nodes.clone(), ..provenance },
                warnings,
            },
            parameters: self.parameters,
            is_whole_contest: !args.until_decided && is_whole_contest(&played.plan),
            comparisons: &self.comparisons,
            group_by: args.group_by.as_deref(),
            order: args.sort.order(),
            runs: &self.runs,
            times_are_comparable: *times_are_comparable,
        }
    }
}

/// Returns whether the cases are all that the contest has: all of the problem's, where these are files, or test groups, or
/// there is no generator of others.
fn is_whole_contest(plan: &Plan) -> bool {
    let problem = &plan.problem;
    let is_file = |case: CaseSpec| case.file().is_some();
    let has_no_others =
        problem.generator.is_none() || !problem.test_groups.is_empty() || plan.cases.iter().all(is_file);
    let names: HashSet<CaseName> = plan.cases.iter().map(|case| case.name).collect();
    let are_all = |cases: CaseList| cases.iter().all(|case| names.contains(&case.name));
    has_no_others && select(problem, &Selection::default()).is_ok_and(are_all)
}
