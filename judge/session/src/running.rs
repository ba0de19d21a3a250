//! The runners of plans: the cores of this machine, or a cluster.

use crate::{Failure, Result, command_line, sandbox};
use judge_cli::{ConditionArgs, Engine, JobArgs, LimitArgs, RunningArgs, SandboxArgs};
use judge_problem::{CaseList, Catalogue, Limits, Plan, Problem, RunId, Stop, Time};
use judge_run::runner::{LocalRunner, PlanRunner, RunSettings, Signals, exit_at_once};
use judge_sandbox::{CoreClaims, Cores, Sandbox};
use judge_slurm::{RunFolder, SlurmRunner, SlurmSettings, WorkerSettings};
use rustix::process::{Signal, getpid, kill_process};
use std::io::{self, IsTerminal, stderr, stdin};
use std::num::NonZeroUsize;
use std::os::unix::process::parent_id;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread::Builder;
use std::time::Duration;

/// How often the cases of a lost task run again.
const RETRIES: u32 = 2;

/// How long the submission of a job may take: with a full queue, `sbatch` tries again for minutes.
const SUBMIT_WAIT: Duration = Duration::from_secs(60);

/// Whether a run on a cluster may continue without this judge.
#[derive(Debug, Clone)]
pub enum DetachPolicy {
    /// No: the command needs the results.
    Never,
    /// Yes. The judge leaves as soon as the job is submitted, if this is true.
    Allowed(bool),
    /// It has, in this folder: the judge reattaches to the run.
    Reattach(RunFolder),
}

/// Returns the runner of a command's plans: the cores of this machine, or the engine that the command line names. With
/// `describe`, events carry the features of their cases.
pub fn runner(
    catalogue: &Catalogue,
    args: &RunningArgs,
    sandbox: &Arc<Sandbox>,
    describe: bool,
    detach: DetachPolicy,
) -> Result<Box<dyn PlanRunner>> {
    let sandbox = Arc::clone(sandbox);
    match args.engine.on {
        None if !matches!(detach, DetachPolicy::Reattach(_)) => {
            let settings = local_settings(&args.jobs, describe);
            Ok(Box::new(LocalRunner::new(sandbox, settings, || exit_at_once())))
        }
        None | Some(Engine::Slurm) => {
            let is_detached = matches!(detach, DetachPolicy::Allowed(true));
            let settings = slurm_settings(catalogue, args, describe, is_detached)?;
            let ask = if matches!(detach, DetachPolicy::Never) { cancel } else { ask };
            let attached = if let DetachPolicy::Reattach(folder) = detach { Some(folder) } else { None };
            Ok(Box::new(SlurmRunner::new(settings, catalogue.clone(), sandbox, attached, ask)))
        }
    }
}

/// Returns the settings of Slurm, from the command line or else from the catalogue.
fn slurm_settings(
    catalogue: &Catalogue,
    RunningArgs { engine, jobs, conditions, .. }: &RunningArgs,
    describe: bool,
    detach: bool,
) -> Result<SlurmSettings> {
    let table = &catalogue.slurm;
    let mut options = table.sbatch.clone();
    for text in &engine.sbatch {
        options.extend(shell_words::split(text).map_err(|error| {
            Failure::usage(format!("--sbatch `{text}`: {error}")).with_hint("--sbatch '--partition=short --time=30'")
        })?);
    }
    let SandboxArgs { tier, require_tier, allow_unsafe, .. } = &conditions.sandbox;
    Ok(SlurmSettings {
        workdir: engine.workdir.clone().or_else(|| table.workdir.clone()).unwrap_or_else(|| ".".into()),
        options,
        constraint: engine.constraint.clone().or_else(|| table.constraint.clone()),
        retries: engine.retries.or(table.retries).unwrap_or(RETRIES),
        submit_wait: table.submit_wait.map_or(SUBMIT_WAIT, |Time(wait)| wait),
        detach,
        worker: WorkerSettings {
            jobs: jobs.jobs.map_or(1, |jobs| jobs.get().into()),
            describe,
            tier: *tier,
            require_tier: *require_tier,
            allow_unsafe: *allow_unsafe,
            pin: !jobs.no_pin,
        },
    })
}

fn cancel(_signals: &mut Signals) -> Stop {
    Stop::Interrupted
}

/// Asks the user whether the job should continue. Another Ctrl-C, and any answer except that one, cancels it.
fn ask(signals: &mut Signals) -> Stop {
    if !stdin().is_terminal() || !stderr().is_terminal() {
        return Stop::Interrupted;
    }
    judge_report::note("interrupted: `d` and Enter leaves the job running, Enter alone cancels it");
    let (sender, answer) = channel();
    let read = move || {
        let mut line = String::new();
        let _ = stdin().read_line(&mut line);
        let _ = sender.send(line);
    };
    if Builder::new().spawn(read).is_err() {
        return Stop::Interrupted;
    }
    loop {
        if let Ok(line) = answer.recv_timeout(Duration::from_millis(100)) {
            let leaves = line.trim().to_ascii_lowercase().starts_with('d');
            return if leaves { Stop::Detached } else { Stop::Interrupted };
        }
        if signals.is_pending() {
            return Stop::Interrupted;
        }
    }
}

/// Returns how a task of a cluster runs solvers. They are pinned if the cluster has given the task one core for each.
/// Otherwise another task may use the same cores.
pub fn task_settings(settings: &WorkerSettings) -> RunSettings {
    let cores = Cores::here();
    let jobs = NonZeroUsize::new(settings.jobs).unwrap_or(NonZeroUsize::MIN);
    let own = settings.pin && cores.numbers.len() == jobs.get();
    let cores = if own { cores.numbers.to_vec() } else { Vec::new() };
    // Cores that are not its own may be another task's.
    let (claims, running, timing_lock) = (Arc::default(), Arc::default(), Arc::default());
    RunSettings { jobs, cores, claims, spare_cores: false, describe: settings.describe, running, timing_lock }
}

/// Returns how many solvers run at once.
pub fn jobs_at_once(args: &JobArgs) -> usize {
    args.jobs.map_or_else(|| Cores::here().undisturbed(), NonZeroUsize::from).get()
}

/// Reserves a core for each job, and prints a note if other judges have left too few. The second hardware thread of a
/// core does not count as another core, unless there are more jobs than cores.
fn claim(cores: &Cores, jobs: usize) -> CoreClaims {
    let apart = cores.physical.get().max(jobs);
    let Some(apart) = cores.numbers.get(..apart) else { return CoreClaims::default() };
    let claims = CoreClaims::take(apart, jobs);
    let found = claims.cores.len();
    if found < jobs {
        let cores = apart.len();
        judge_report::note(&format!(
            "{found} of {cores} cores free: other judges run here; solvers are not tied to cores, and times may be noisy"
        ));
        return CoreClaims::default();
    }
    claims
}

/// Returns one job for each physical core, each pinned to a core of its own. More jobs would disturb each other's
/// times, so they are started only on request and with a warning.
pub fn local_settings(args: &JobArgs, describe: bool) -> RunSettings {
    let cores = Cores::here();
    let most = cores.undisturbed();
    let jobs = args.jobs.map_or(most, NonZeroUsize::from);
    if jobs > most {
        let there = if most.get() == 1 { "1 core".to_owned() } else { format!("{most} cores") };
        judge_report::note(&format!(
            "warning: {jobs} solvers at once on {there} take time from each other: --jobs {most}"
        ));
    }
    let claims = if args.no_pin { CoreClaims::default() } else { claim(&cores, jobs.get()) };
    let is_pinned = claims.cores.len() == jobs.get();
    RunSettings {
        jobs,
        cores: if is_pinned { [&*claims.cores, &claims.free].concat() } else { Vec::new() },
        claims: Arc::new(claims),
        spare_cores: most.get() >= 2 * jobs.get(),
        describe,
        running: Arc::default(),
        timing_lock: Arc::default(),
    }
}

/// Returns the problem's limits, each replaced by the given one if there is one.
pub fn limits(own: &Limits, given: &LimitArgs) -> Limits {
    let cpu = given.cpu.unwrap_or(own.cpu);
    let own_wall = if given.cpu.is_some() { Limits::default_wall(cpu) } else { own.wall };
    Limits {
        cpu,
        wall: given.wall.unwrap_or(own_wall),
        memory: given.memory.unwrap_or(own.memory),
        output: given.output_limit.unwrap_or(own.output),
        processes: given.processes.map_or(own.processes, std::num::NonZeroU32::get),
    }
}

/// Returns the plan of a problem under the conditions that the command line names, without solvers and cases.
pub fn template(problem: &Problem, args: &ConditionArgs, sandbox: &Sandbox) -> Result<Plan> {
    Ok(Plan {
        limits: limits(&problem.limits, &args.limits),
        environment: args.sandbox.environment.clone(),
        visible: sandbox::visible(&args.sandbox, sandbox)?,
        case_flags: command_line::case_flags(),
        ..Plan::new(problem.clone(), Vec::new(), CaseList::default())
    })
}

/// The environment variable that names the parent process. The parent holds the other end of standard input, and the
/// run ends when the parent ends. This is not a flag, because flags are recorded with the command line.
pub const PARENT: &str = "JUDGE_PARENT";

/// The environment variable that names the run to continue. If that run cannot continue, nothing is started.
pub const RESUMED: &str = "JUDGE_RESUMED";

/// The environment variable with the id of a run, by which the parent process finds it in the journal.
pub const RUN_UID: &str = "JUDGE_RUN_UID";

/// The environment variable of the runs of `judge run --watch`.
pub const WATCHED: &str = "JUDGE_WATCHED";

/// Returns whether the parent process is `judge run --watch`.
pub fn is_watched() -> bool {
    ends_with_parent() && std::env::var_os(WATCHED).is_some()
}

/// Returns the run that must be continued, if the parent process names one.
pub(crate) fn resumed_run() -> Option<RunId> {
    ends_with_parent().then(|| std::env::var(RESUMED).ok()?.parse().ok().map(RunId)).flatten()
}

/// Returns the id of the run, if the parent process has chosen one.
pub(crate) fn run_uid() -> Option<String> {
    ends_with_parent().then(|| std::env::var(RUN_UID).ok()).flatten()
}

/// Returns whether the parent names itself in the variable. This process's own children inherit the variable, too.
fn ends_with_parent() -> bool {
    std::env::var(PARENT).is_ok_and(|parent| parent == parent_id().to_string())
}

/// Interrupts this process when its parent ends, if the parent requests that.
pub fn end_with_parent() -> Result<()> {
    if ends_with_parent() {
        let wait = || {
            let _ = io::copy(&mut io::stdin(), &mut io::sink());
            let _ = kill_process(getpid(), Signal::INT);
        };
        Builder::new().name("parent".to_owned()).spawn(wait).map_err(Failure::fault)?;
    }
    Ok(())
}
