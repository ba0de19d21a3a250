//! What runs plans: how many solvers at once, on which cores, in which sandbox.

use crate::cli::JobArgs;
use crate::report;
use crate::runner::{LocalRunner, PlanRunner, RunSettings, exit_at_once};
use judge_sandbox::{Cores, Sandbox};
use std::sync::Arc;

/// Returns what runs the plans of a command in this sandbox. `describe` is whether events carry the features of their
/// cases.
pub(crate) fn plan_runner(args: &JobArgs, sandbox: &Arc<Sandbox>, describe: bool) -> Box<dyn PlanRunner> {
    let settings = settings_on(&Cores::here(), args, describe);
    Box::new(LocalRunner::new(Arc::clone(sandbox), settings, || exit_at_once()))
}

/// Returns one job for each physical core, each pinned to a core of its own. More jobs would disturb each other's
/// times: they are started only on request, with a warning.
fn settings_on(cores: &Cores, args: &JobArgs, describe: bool) -> RunSettings {
    let most = cores.undisturbed();
    let jobs = args.jobs.unwrap_or(most);
    if jobs > most {
        let there = if most.get() == 1 { "1 core".to_owned() } else { format!("{most} cores") };
        report::note(&format!("warning: {jobs} solvers at once on {there} take time from each other: --jobs {most}"));
    }
    let numbers = cores.numbers();
    let pin = !args.no_pin && jobs.get() <= numbers.len();
    RunSettings { jobs, cores: if pin { numbers.to_vec() } else { Vec::new() }, describe, running: Arc::default() }
}
