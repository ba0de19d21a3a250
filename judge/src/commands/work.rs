//! `judge work`: a task of a run on a cluster plays its share.

use judge_cli::SandboxArgs;
use judge_journal::this_machine;
use judge_problem::{Exit, Invocation, Node, Plan, Solver, error_chain};
use judge_run::runner::{LocalRunner, exit_at_once};
use judge_sandbox::Sandbox;
use judge_session::{Failure, Result, running, sandbox};
use judge_slurm::{Entry, Incarnation, PlanFile, ResultLog, RunFolder, WorkerSettings};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Plays pieces of the run in a folder until no piece is left. Stores a failure for the judge that follows the run.
pub(super) fn work(folder: &Path) -> Result<Exit> {
    let task = Incarnation::here().ok_or_else(|| {
        Failure::usage("this is no task of an array job: SLURM_ARRAY_JOB_ID and SLURM_ARRAY_TASK_ID are not set")
            .with_hint("`judge run --on slurm` submits such a job")
    })?;
    let folder = RunFolder::at(folder);
    if !folder.is_open() {
        return Ok(Exit::Success);
    }
    let unusable = |error| Failure::fault(format!("cannot write results in {}: {error}", folder.path().display()));
    let log = ResultLog::create(&folder.results(&task)).map_err(unusable)?;
    let result = play(&folder, &task, &log);
    if let Err(failure) = &result {
        let (hint, usage) = (failure.hints().next().map(str::to_owned), failure.exit() == Exit::Usage);
        let entry = Entry::Failed { node: node_name(), error: failure.in_one_line(), hint, usage };
        log.write(&entry).map_err(unusable)?;
    }
    result
}

fn play(folder: &RunFolder, task: &Incarnation, log: &ResultLog) -> Result<Exit> {
    let bad =
        |error| Failure::fault(format!("cannot read the plan in {}: {}", folder.path().display(), error_chain(&error)));
    let file = PlanFile::read(folder).map_err(bad)?;
    let settings = file.settings.clone();
    let WorkerSettings { tier, require_tier, allow_unsafe, .. } = settings;
    let sandbox = sandbox::open(&SandboxArgs { tier, require_tier, allow_unsafe, ..SandboxArgs::default() })?;
    log.write(&Entry::Began(node(&sandbox))).map_err(Failure::fault)?;
    let problem = file.problem().map_err(bad)?;
    let plan = file.plan(problem);
    check(&plan)?;
    let runner = LocalRunner::new(sandbox, running::task_settings(&settings), || exit_at_once());
    match judge_slurm::work(folder, task, &plan, &runner, log) {
        Ok(()) => Ok(Exit::Success),
        // The run is over, and its folder was removed.
        Err(_) if !folder.is_open() => Ok(Exit::Success),
        Err(error) => Err(error.into()),
    }
}

/// Returns the name of this machine in the cluster.
fn node_name() -> String {
    std::env::var("SLURMD_NODENAME").unwrap_or_else(|_| this_machine().host)
}

fn node(sandbox: &Arc<Sandbox>) -> Node {
    let load = std::fs::read_to_string("/proc/loadavg").ok();
    Node {
        name: node_name(),
        machine: this_machine(),
        tier: sandbox.tier(),
        load: load.and_then(|text| text.split(' ').next()?.parse().ok()),
    }
}

/// Fails if this machine lacks something that a solver needs and that is not copied: its interpreter, and the
/// interpreter's installation.
fn check(plan: &Plan) -> Result<()> {
    let missing = |solver: &Solver| -> Option<PathBuf> {
        let program = match &solver.invocation {
            Invocation::Program(program) => program,
            Invocation::Answers(folder) => return Some(folder.clone()).filter(|folder| !folder.exists()),
            _ => return None,
        };
        let needed = std::iter::once(&program.path).chain(&program.runtime.visible);
        needed.into_iter().find(|path| !path.exists()).cloned()
    };
    let failures = plan.solvers.iter().filter_map(|solver| {
        let missing = missing(solver)?;
        let error = format!("{} needs {}, which is not on this node", solver.spec.name, missing.display());
        Some(
            Failure::usage(error)
                .with_hint("install it on every node at the same path, or have it on the shared file system"),
        )
    });
    Failure::check_all(failures)
}
