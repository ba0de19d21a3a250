//! What the journal writes down about a run before its first case.

use super::Surroundings;
use super::key::{ResultConditions, run_key};
use crate::model::{CheckerIdentity, Digest, Shard};
use crate::plan::Plan;
use judge_sandbox::Tier;

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
    /// The user's message, if there is one.
    pub message: Option<&'a str>,
    /// How many solvers run at once.
    pub jobs: usize,
    /// The sandbox's tier.
    pub tier: Tier,
    /// Where it takes place.
    pub surroundings: &'a Surroundings,
    /// The shard that it is, if it is one. The plan is the whole one nevertheless.
    pub shard: Option<Shard>,
    /// How many of the plan's cases it plays.
    pub played: usize,
}

impl RunRecord<'_> {
    /// Returns the key of what a result must agree in, beside solver and input, to be the same result again: the
    /// checker, the limits, the environment, the walls, and the processor that the times were taken on.
    pub(super) fn conditions(&self) -> Digest {
        let Plan { problem, limits, visible, .. } = self.plan;
        let conditions = ResultConditions {
            problem: &problem.id,
            checker: self.checker,
            limits,
            environment: &environment(self.plan),
            visible,
            tier: self.tier,
            cpu_model: &self.surroundings.cpu_model,
        };
        conditions.key()
    }

    /// Returns the key of what a run must agree in to be continued: the conditions, the solvers and the cases.
    pub(super) fn signature(&self) -> Digest {
        run_key(self.conditions(), &self.plan.solvers, self.solver_hashes, &self.plan.cases)
    }
}

/// The environment that the user gave, as a shell would read it.
#[must_use]
pub fn environment(plan: &Plan) -> String {
    shell_words::join(plan.environment.iter().map(|(key, value)| format!("{key}={value}")))
}
