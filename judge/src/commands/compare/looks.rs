//! What `--until-decided` knows after each case, without going through all cases again.

use judge_cli::CompareArgs;
use judge_compare::paired::{self, EffectMeasure, EffectUnits, GrowingComparison, PointSigns};
use judge_problem::{CaseList, CaseSpec, OutcomeGrid, Problem, Rule};
use judge_session::effects::{parameters, unit};
use judge_session::failure::Failure;
use judge_session::match_runner::MatchResult;
use judge_session::scored_match::measure_of;

/// The number of cases after which a comparison ends if the solvers have not both solved any.
pub(in crate::commands) const UNSOLVED: usize = 16;

/// The comparisons with the first solver, case by case.
pub(super) struct Looks<'a> {
    args: &'a CompareArgs,
    /// The newest case alone. Its points are the same as among the others.
    newest: MatchResult,
    signs: PointSigns,
    units: EffectUnits,
    measure: Option<EffectMeasure>,
    /// For every solver but the first. `None` once the points of a case depend on the other cases, or it has no effect of
    /// its own: then each look scores all of them.
    growing: Option<Vec<GrowingComparison>>,
}

impl<'a> Looks<'a> {
    /// Starts before the first case.
    pub(super) fn new(played: &MatchResult, args: &'a CompareArgs) -> Self {
        let solvers = played.plan.solvers.len();
        let outcomes = OutcomeGrid::new(0, solvers);
        let newest = MatchResult { plan: played.plan.clone(), outcomes, inputs: Vec::new(), stop: None };
        let (signs, units) = (PointSigns::default(), EffectUnits::default());
        Self { args, newest, signs, units, measure: None, growing: Some(Vec::new()) }
    }

    /// Adds the newest case.
    pub(super) fn add(&mut self, played: &MatchResult) -> Result<(), Failure> {
        let Some(case) = played.plan.cases.len().checked_sub(1) else { return Ok(()) };
        let (problem, spec) = (&played.plan.problem, played.plan.cases.at(case));
        let has_own_effect = self.units.push(problem, &spec, played.inputs.get(case).copied().flatten());
        if !has_own_effect || !is_alone(problem, &spec) {
            self.growing = None;
        }
        if self.growing.is_none() {
            return Ok(());
        }
        let rule = self.show(played, case)?;
        self.signs = self.signs.and(self.newest.scored()?.outcomes().signs());
        let measure = measure_of(&rule, self.signs, self.args.statistics.measure, unit(self.args).as_ref());
        if self.measure == Some(measure) {
            return self.extend();
        }
        // The cases so far are measured anew: the first case with a score other than 0, or scores of another sign.
        let solvers = played.plan.solvers.len();
        let parameters = match parameters(self.args, measure, &rule, solvers - 1) {
            // A share of a total of 0 has no meaning. The next case may add to it.
            Err(_) if self.signs.lack_a_total() => return Ok(()),
            parameters => parameters?,
        };
        self.measure = Some(measure);
        let fresh = |second| GrowingComparison::new(0, second, measure, parameters);
        self.growing = Some((1..solvers).map(fresh).collect());
        for case in 0..=case {
            self.show(played, case)?;
            self.extend()?;
        }
        Ok(())
    }

    /// Returns whether the comparison with this solver has ended.
    pub(super) fn is_over(&self, played: &MatchResult, second: usize) -> Result<bool, Failure> {
        let (is_decided, solved) = match &self.growing {
            Some(growing) => match growing.get(second - 1) {
                Some(growing) => (growing.claim().is_decided(), growing.solved()),
                None => return Ok(false),
            },
            None => {
                let scored = played.scored()?;
                let measure = scored.measure(self.args.statistics.measure, unit(self.args).as_ref());
                let parameters = parameters(self.args, measure, &scored.rule, played.plan.solvers.len() - 1)?;
                let paired = scored.paired(measure, second);
                (paired::interim_claim(&paired, parameters)?.is_decided(), paired.solved)
            }
        };
        Ok(is_decided || solved == 0 && played.plan.cases.len() >= UNSOLVED)
    }

    /// Makes a case the newest one, and returns the rule that it is scored by.
    fn show(&mut self, played: &MatchResult, case: usize) -> Result<Rule, Failure> {
        let solvers: Vec<usize> = (0..played.plan.solvers.len()).collect();
        self.newest.plan.cases = CaseList::default();
        self.newest.outcomes = OutcomeGrid::new(0, solvers.len());
        self.newest.inputs.clear();
        self.newest.add_case(played, case, &solvers, &solvers);
        Ok(self.newest.scored()?.rule)
    }

    /// Adds the newest case to every comparison.
    fn extend(&mut self) -> Result<(), Failure> {
        let scored = self.newest.scored()?;
        for growing in self.growing.iter_mut().flatten() {
            growing.add(scored.outcomes())?;
        }
        Ok(())
    }
}

/// Returns whether the points of this case are the same whatever the other cases are: it is in no test group, which may
/// fail as a whole, and has no thresholds, which count only if all have them.
fn is_alone(problem: &Problem, case: &CaseSpec) -> bool {
    problem.test_group_of(case).is_none() && (case.thresholds.is_none() || !problem.scoring.needs_thresholds())
}

#[cfg(test)]
mod tests;
