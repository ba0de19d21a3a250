//! How many solvers run at once, and on which cores.

use crate::cli::JobArgs;
use crate::report;
use crate::runner::Settings;
use judge_sandbox::Cores;

/// Returns one job for each physical core, each pinned to a core of its own. More jobs would disturb each other's
/// times: they are started only on request, with a warning.
pub(crate) fn settings(args: &JobArgs, describe: bool) -> Settings {
    settings_on(&Cores::here(), args, describe)
}

fn settings_on(cores: &Cores, args: &JobArgs, describe: bool) -> Settings {
    let most = cores.undisturbed();
    let jobs = args.jobs.unwrap_or(most);
    if jobs > most {
        let there = if most.get() == 1 { "1 core".to_owned() } else { format!("{most} cores") };
        report::note(&format!("warning: {jobs} solvers at once on {there} take time from each other: --jobs {most}"));
    }
    let numbers = cores.numbers();
    let pin = !args.no_pin && jobs.get() <= numbers.len();
    Settings { jobs, cores: if pin { numbers.to_vec() } else { Vec::new() }, describe }
}
