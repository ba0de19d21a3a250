//! What plays: how many solvers run at once, on which cores, in which sandbox.

use super::failure::Failure;
use super::walls;
use crate::cli::{JobArgs, SandboxArgs};
use crate::model::Exit;
use crate::report;
use crate::runner::{LocalRunner, PlanRunner, RunSettings};
use judge_sandbox::Cores;

/// Opens what plays a command's plans: the sandbox of this machine. `describe` is whether events carry the features of
/// their cases.
pub(super) fn plan_runner(
    jobs: &JobArgs,
    sandbox: &SandboxArgs,
    describe: bool,
) -> Result<Box<dyn PlanRunner>, Failure> {
    let settings = settings_on(&Cores::here(), jobs, describe);
    Ok(Box::new(LocalRunner::new(walls::open(sandbox)?, settings, exit_at_once)))
}

/// The second Ctrl-C. The sandbox's helpers notice the end of this process and kill what they run.
fn exit_at_once() {
    std::process::exit(i32::from(Exit::Interrupted.code()));
}

/// One solver for each physical core, each tied to a core of its own. More of them would disturb each other, and their
/// times would say little: that happens only when the user asks for it, with a warning.
fn settings_on(cores: &Cores, args: &JobArgs, describe: bool) -> RunSettings {
    let most = cores.undisturbed();
    let jobs = args.jobs.unwrap_or(most);
    if jobs > most {
        let there = if most.get() == 1 { "1 core".to_owned() } else { format!("{most} cores") };
        report::note(&format!("warning: {jobs} solvers at once on {there} take time from each other: --jobs {most}"));
    }
    let numbers = cores.numbers();
    let pin = !args.no_pin && jobs.get() <= numbers.len();
    RunSettings { jobs, cores: if pin { numbers.to_vec() } else { Vec::new() }, describe }
}
