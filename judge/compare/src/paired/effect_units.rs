//! Which cases have one effect together: those of a test group that counts as a whole, and those with the same input.

use judge_problem::plan::Plan;
use judge_problem::{CaseSource, CaseSpec, Digest, Problem};
use std::collections::HashMap;

/// The cases of a plan that have one effect together. Whatever else they share, the effects of such cases are no
/// independent evidence.
#[derive(Debug, Clone, Default)]
pub struct EffectUnits {
    /// The first case of every unit.
    firsts: HashMap<Unit, usize>,
    /// By case: the first case of its unit.
    first_of: Vec<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Unit {
    TestGroup(usize),
    Input(Digest),
    /// The input was not read.
    Source(CaseSource),
}

impl EffectUnits {
    /// Returns the units of a plan's cases. `inputs` are the hashes of their inputs, as far as they are known.
    #[must_use]
    pub fn of(plan: &Plan, inputs: &[Option<Digest>]) -> Self {
        let mut units = Self::default();
        for (place, case) in plan.cases.iter().enumerate() {
            units.push(&plan.problem, &case, inputs.get(place).copied().flatten());
        }
        units
    }

    /// Adds a case. Returns whether its effect is its own.
    pub fn push(&mut self, problem: &Problem, case: &CaseSpec, input: Option<Digest>) -> bool {
        let group = problem.test_group_of(case).filter(|&group| problem.test_groups[group].counts_as_a_whole());
        let unit = match (group, input) {
            (Some(group), _) => Unit::TestGroup(group),
            (None, Some(input)) => Unit::Input(input),
            (None, None) => Unit::Source(case.source.clone()),
        };
        let place = self.first_of.len();
        let first = *self.firsts.entry(unit).or_insert(place);
        self.first_of.push(first);
        first == place
    }

    /// Returns the first case of the unit of a case.
    pub(super) fn first_of(&self, case: usize) -> usize {
        self.first_of.get(case).copied().unwrap_or(case)
    }
}
