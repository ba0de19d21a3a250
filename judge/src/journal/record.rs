//! What the journal writes down about a run before its first case.

use super::Surroundings;
use crate::model::{CheckerIdentity, Digest};
use crate::plan::Plan;

/// What the journal writes down about a run before its first case.
#[derive(Debug, Clone, Copy)]
pub struct RunRecord<'a> {
    /// What the run will do.
    pub plan: &'a Plan,
    /// The identity of its checker.
    pub checker: &'a CheckerIdentity,
    /// The content of each solver, in the order of the plan.
    pub solver_hashes: &'a [Digest],
    /// The command line that does it again.
    pub command: &'a str,
    /// How many solvers run at once.
    pub jobs: usize,
    /// The sandbox's tier.
    pub tier: &'a str,
    /// Where it takes place.
    pub surroundings: &'a Surroundings,
}

impl RunRecord<'_> {
    /// Returns the hash of what a result must agree in, beside solver and input, to be the same result again: the
    /// checker, the limits, the environment, the walls, and the processor that the times were taken on.
    pub(super) fn conditions(&self) -> Digest {
        let plan = self.plan;
        let checker = self.checker;
        let environment = environment(plan);
        let limits = format!("{:?}", plan.limits);
        let version = checker.version.to_string();
        let visible = format!("{:?}", plan.visible);
        let texts = [
            &*plan.problem.id,
            &checker.name,
            &version,
            &limits,
            &environment,
            &visible,
            self.tier,
            &self.surroundings.cpu_model,
        ];
        Digest::of_parts(texts.map(str::as_bytes))
    }

    /// Returns the hash of what a run must agree in to be continued: the conditions, the solvers and the cases.
    pub(super) fn signature(&self) -> Digest {
        let names = self.plan.solvers.iter().map(|solver| solver.spec.name.clone());
        let hashes = self.solver_hashes.iter().map(ToString::to_string);
        let cases = self.plan.cases.iter().map(|case| format!("{} {:?}", case.name, case.source));
        let texts: Vec<_> =
            std::iter::once(self.conditions().to_string()).chain(names).chain(hashes).chain(cases).collect();
        Digest::of_parts(texts.iter().map(String::as_bytes))
    }
}

/// The environment that the user gave, as a shell would read it.
#[must_use]
pub fn environment(plan: &Plan) -> String {
    shell_words::join(plan.environment.iter().map(|(key, value)| format!("{key}={value}")))
}
