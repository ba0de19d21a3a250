//! What the journal writes down about a run before its first case.

use super::change::Change;
use super::key::SameResult;
use super::{JournalError, Surroundings};
use judge_problem::plan::Plan;
use judge_problem::{CheckerIdentity, Digest, RunId, Shard};
use judge_sandbox::Tier;
use rusqlite::Connection;

/// What the journal writes down about a run before its first case.
#[derive(Debug, Clone, Copy)]
pub struct RunRecord<'a> {
    /// What the run will do.
    pub plan: &'a Plan,
    /// The identity of its checker.
    pub checker: &'a CheckerIdentity,
    /// What tells its generator from others: empty without one.
    pub generator: &'a str,
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
    /// The hash of the input that a setter's generator makes of the plan's first seed; `None` where there is none.
    pub probe: Option<Digest>,
}

impl RunRecord<'_> {
    /// Returns the key of what a result must agree in, beside solver and input, to be the same result again: the
    /// checker, the limits, the environment, the walls, and the processor that the times were taken on.
    pub(super) fn conditions(&self) -> Digest {
        let Plan { problem, limits, visible, .. } = self.plan;
        let conditions = SameResult {
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

    /// Returns the machine that its results are found on.
    pub(super) fn machine(&self) -> Machine {
        Machine { tier: self.tier.name().to_owned(), cpu_model: self.surroundings.cpu_model.clone() }
    }
}

/// What the times of results depend on, of the machine that they were found on.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Machine {
    tier: String,
    cpu_model: String,
}

impl Machine {
    /// Reads the key of the conditions that a run's results were found under, and the machine.
    pub(super) fn read(connection: &Connection, run: RunId) -> Result<(Digest, Self), JournalError> {
        let sql = "SELECT conditions, tier, cpu_model FROM run WHERE id = ?1";
        Ok(connection.query_row(sql, [run.0], |row| {
            Ok((Digest(row.get(0)?), Self { tier: row.get(1)?, cpu_model: row.get(2)? }))
        })?)
    }

    /// Returns how it differs from another.
    pub(super) fn differences(&self, other: &Self) -> Vec<Change> {
        let tier = Change::of("tier of the sandbox", &self.tier, &other.tier);
        tier.into_iter().chain(Change::of("processor", &self.cpu_model, &other.cpu_model)).collect()
    }
}

/// The environment that the user gave, as a shell would read it.
#[must_use]
pub fn environment(plan: &Plan) -> String {
    shell_words::join(plan.environment.iter().map(|(key, value)| format!("{key}={value}")))
}
